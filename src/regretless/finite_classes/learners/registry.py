"""The closed table of learners of finite classes: the only names that a command line or a model file may use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ...errors import RegretlessError

if TYPE_CHECKING:
    from .base import ClassLearner

CLASS_LEARNERS = {
    "consistent": ("consistent", "Consistent"),
    "halving": ("halving", "Halving"),
    "standard-optimal": ("standard_optimal", "StandardOptimal"),
    "randomized-optimal": ("randomized", "RandomizedOptimal"),
}


def class_learner(name: str) -> type[ClassLearner]:
    """The class of a learner by its hyphened name."""
    if name not in CLASS_LEARNERS:
        known = ", ".join(CLASS_LEARNERS)
        raise RegretlessError(f"there is no learner of finite classes called {name!r}; there are: {known}")
    module, attribute = CLASS_LEARNERS[name]
    found: Any = getattr(import_module(f"{__package__}.{module}"), attribute)
    return found  # type: ignore[no-any-return]
