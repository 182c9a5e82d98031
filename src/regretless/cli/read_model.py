"""Model files, by the kind of their learner."""

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
    if learner.kind != "linear":
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
    if learner.kind != "experts":
        advice = "learn --resume goes on with it, predict uses it"
        raise ModelError(f"{path}: this model learned from labelled rows ({learner.name}); {advice}")
    return learner, extra


def _read(path: str) -> tuple[Any, dict[str, Any]]:
    """A model that some verb works with."""
    from ..persist.model import read

    learner, extra = read(path)
    if learner.kind == "bandits":
        raise ModelError(f"{path}: this model draws arms ({learner.name}); inspect shows it, regretless.load reads it")
    if learner.kind == "class":
        found = f"this model learned a finite class ({learner.name})"
        advice = (
            "inspect shows it and what it predicts, and in Python regretless.load(...).play(points, labels) goes on"
        )
        raise ModelError(f"{path}: {found}; {advice}")
    return learner, extra
