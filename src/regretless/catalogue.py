"""The closed tables of learners: the only names that a command line or a model file may use."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Literal

from .errors import RegretlessError
from .info import Entry
from .learner_table import BANDITS, CLASS_LEARNERS, EXPERT_LEARNERS, LEARNERS

__all__ = [
    "BANDITS",
    "CLASS_LEARNERS",
    "EXPERT_LEARNERS",
    "LEARNERS",
    "TABLES",
    "Kind",
    "bandit_class",
    "class_learner",
    "class_of",
    "expert_class",
    "learner_class",
]

Kind = Literal["class", "linear", "experts", "bandits"]
TABLES: dict[Kind, Mapping[str, Entry]] = {
    "class": CLASS_LEARNERS,
    "linear": LEARNERS,
    "experts": EXPERT_LEARNERS,
    "bandits": BANDITS,
}
"""By kind, in the order in which a name that stands in several is looked for."""
NOUNS = {"class": "learner of finite classes", "linear": "learner", "experts": "combiner", "bandits": "bandit"}


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
