"""Online learning with guarantees: every run prints its theorem's bound beside what was observed."""

from __future__ import annotations

TYPE_CHECKING = False  # typing's own would have to be imported: the command line starts with this, and is to be quick
if TYPE_CHECKING:
    from typing import Any

    from .bandits.base import Bandit
    from .contextual.base import ContextualBandit
    from .experts.base import ExpertLearner
    from .finite_classes.learners.base import ClassLearner
    from .linear.base import OnlineClassifier
    from .regression.base import OnlineRegressor
    from .run.comparison import compare
    from .run.mixture import LearnerMixture

__version__ = "0.2.0"
__all__ = ["LearnerMixture", "__version__", "compare", "load"]
ROOMS = [
    "alarms",
    "bandits",
    "batch",
    "calibration",
    "contextual",
    "finite_classes",
    "data",
    "distributed",
    "experts",
    "games",
    "intervals",
    "linear",
    "play",
    "environments",
    "regression",
    "report",
    "textbook",
    "theory",
]


def load(path: str) -> OnlineClassifier | OnlineRegressor | ExpertLearner | Bandit | ContextualBandit | ClassLearner:
    """Read a model that a learner's `save` or the command line wrote.

    Parameters
    ----------
    path : path-like
        The ``.rgl`` file.

    Returns
    -------
    OnlineClassifier, OnlineRegressor, ExpertLearner, Bandit, ContextualBandit or ClassLearner
        The learner as it was saved, ready to predict, to draw, or to go on learning.

    Raises
    ------
    ModelError
        If the file is damaged, foreign, or written by a newer version. Nothing in it is ever run.
    """
    from .persist.model import read

    learner: OnlineClassifier | OnlineRegressor | ExpertLearner | Bandit | ContextualBandit | ClassLearner
    learner, extra = read(path)
    schema = extra.get("schema") or {}
    if learner.kind in ("linear", "regression") and (schema.get("format") == "table" or schema.get("normalize")):
        learner.schema_ = schema
    return learner


def __getattr__(name: str) -> Any:
    """A room, or a learner by the name of its class: ``regretless.AROW``. `Hedge` is the combiner of that name."""
    if name in ROOMS:
        from importlib import import_module

        return import_module(f"{__name__}.{name}")
    if name == "compare":
        from .run.comparison import compare

        return compare
    if name == "LearnerMixture":
        from .run.mixture import LearnerMixture

        return LearnerMixture
    if name[:1].isupper():
        from .catalogue import class_called

        learner = class_called(name)
        if learner is not None:
            return learner
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    from .catalogue import TABLES

    return sorted({*__all__, *ROOMS, *(entry.attribute for table in TABLES.values() for entry in table.values())})
