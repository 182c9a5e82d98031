"""The closed tables of learners: the only names that a command line or a model file may use."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Literal

from .errors import RegretlessError
from .info import Entry
from .learner_table import BANDITS, CLASS_LEARNERS, CONTEXTUAL_BANDITS, EXPERT_LEARNERS, LEARNERS, REGRESSORS

__all__ = [
    "BANDITS",
    "CLASSIFICATION",
    "CLASS_LEARNERS",
    "CONTEXTUAL_BANDITS",
    "DEFAULT",
    "DEFAULT_BANDIT",
    "DEFAULT_COMBINER",
    "DEFAULT_CONTEXTUAL",
    "DEFAULT_MIXING",
    "DEFAULT_OF_TASK",
    "DEFAULT_OVER_SHARDS",
    "DEFAULT_REGRESSOR",
    "DEFAULT_WITH_FEW_LABELS",
    "EXPERT_LEARNERS",
    "KIND_OF_TASK",
    "LEARNERS",
    "REGRESSORS",
    "SERVED",
    "TABLES",
    "Kind",
    "bandit_class",
    "class_called",
    "class_learner",
    "class_of",
    "expert_class",
    "learner_class",
    "name_in",
]

Kind = Literal["class", "linear", "regression", "experts", "bandits", "contextual"]
TABLES: dict[Kind, Mapping[str, Entry]] = {
    "class": CLASS_LEARNERS,
    "linear": LEARNERS,
    "regression": REGRESSORS,
    "experts": EXPERT_LEARNERS,
    "bandits": BANDITS,
    "contextual": CONTEXTUAL_BANDITS,
}
"""By kind, in the order in which a name that stands in several is looked for."""


def _default(table: Mapping[str, Entry], verb: str) -> str:
    """The one learner of a table that a verb takes where none is named."""
    (name,) = (name for name, one in table.items() if one.info.default_of == verb)
    return name


DEFAULT = _default(LEARNERS, "learn")
"""The learner of weights that is taken where none is named."""
DEFAULT_OVER_SHARDS = _default(LEARNERS, "learn over shards")
"""The same where weights are mixed over shards, which those of `DEFAULT` cannot be."""
DEFAULT_WITH_FEW_LABELS = _default(LEARNERS, "learn with few labels")
"""The same where labels are asked, under a budget."""
DEFAULT_MIXING = _default(EXPERT_LEARNERS, "mix learners")
"""The combiner that learners over one stream are mixed by: it has a share alpha, and bounds against sequences."""
DEFAULT_COMBINER, DEFAULT_BANDIT = _default(EXPERT_LEARNERS, "combine"), _default(BANDITS, "pull")
DEFAULT_CONTEXTUAL, DEFAULT_REGRESSOR = _default(CONTEXTUAL_BANDITS, "explore"), _default(REGRESSORS, "explore")
CLASSIFICATION = "classification"
"""The task of learners of labels."""
DEFAULT_OF_TASK = {
    one.info.task: name for name, one in {**LEARNERS, **REGRESSORS}.items() if one.info.default_of == "learn"
}
"""The learner by the task, of which the columns of a file may speak."""
KIND_OF_TASK: dict[str, Kind] = {
    task: "linear" if name in LEARNERS else "regression" for task, name in DEFAULT_OF_TASK.items()
}
"""The kind of the learners of a task."""
NOUNS = {
    "class": "learner of finite classes",
    "linear": "learner",
    "regression": "learner of numbers",
    "experts": "combiner",
    "bandits": "bandit",
    "contextual": "contextual bandit",
}


SERVED: tuple[Kind, ...] = ("linear", "regression", "experts", "bandits", "contextual")
"""The kinds of learners that a service may have."""


def learner_class(name: str) -> type[Any]:
    """The class of a learner of weights by its hyphened name."""
    return class_of("linear", name)


def expert_class(name: str) -> type[Any]:
    """The class of a combiner by its hyphened name."""
    return class_of("experts", name)


def bandit_class(name: str) -> type[Any]:
    """The class of a bandit by its hyphened name."""
    return class_of("bandits", name)


def class_learner(name: str) -> type[Any]:
    """The class of a learner of finite classes by its hyphened name."""
    return class_of("class", name)


def class_of(kind: Kind, name: str) -> type[Any]:
    """The class of a learner of some kind by its hyphened name, loaded now.

    Raises
    ------
    RegretlessError
        If there is none; the message says which there are.
    """
    table = TABLES[kind]
    if name not in table:
        raise RegretlessError(f"there is no {NOUNS[kind]} called {name!r}; there are: {', '.join(table)}")
    learner: type[Any] = getattr(import_module(f"{__package__}.{table[name].module}"), table[name].attribute)
    return learner


def class_called(name: str) -> type[Any] | None:
    """The class of this name among all learners, loaded now; a combiner before a bandit."""
    for kind in ("linear", "regression", "experts", "bandits", "contextual", "class"):
        for short, entry in TABLES[kind].items():
            if entry.attribute == name:
                return class_of(kind, short)
    return None


def name_in(table: Mapping[str, Entry], text: str) -> str:
    """The hyphened name that a text stands for, by that name or by the class's, in any case; the text if by none."""
    wanted = _plain(text)
    return next((name for name, entry in table.items() if wanted in (_plain(name), _plain(entry.attribute))), text)


def _plain(name: str) -> str:
    return name.casefold().replace("-", "").replace("_", "")
