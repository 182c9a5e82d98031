"""Models of the one room of the house or the other, for verbs that work with one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import ModelError

if TYPE_CHECKING:
    from ..experts.base import ExpertLearner
    from ..linear.base import OnlineClassifier


def read_classifier(path: str) -> tuple[OnlineClassifier, dict[str, Any]]:
    """A model that ``learn`` wrote.

    Raises
    ------
    ModelError
        If it is none.
    """
    learner, extra = _read(path)
    if not hasattr(learner, "classes_"):
        advice = "combine --resume goes on with it, inspect shows it"
        raise ModelError(f"{path}: this model combines experts ({learner.name}); {advice}")
    return learner, extra


def read_combiner(path: str) -> tuple[ExpertLearner, dict[str, Any]]:
    """A model that ``combine`` wrote.

    Raises
    ------
    ModelError
        If it is none.
    """
    learner, extra = _read(path)
    if not hasattr(learner, "n_experts_"):
        advice = "learn --resume goes on with it, predict uses it"
        raise ModelError(f"{path}: this model learned from labelled rows ({learner.name}); {advice}")
    return learner, extra


def _read(path: str) -> tuple[Any, dict[str, Any]]:
    from ..models import read

    return read(path)
