"""Adapters through which an environment asks a learner for its prediction on one row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..errors import RegretlessError
from ..finite_classes.learners.base import ClassLearner
from ..info import info_of
from .asker import Array

if TYPE_CHECKING:
    from ..finite_classes.finite_class import FiniteClass

PLAYING = "regretless.play.play lets them play"


class Listener(ABC):
    """Asks a learner about rows, and may tell it their labels."""

    @abstractmethod
    def say(self, row: Array, point: int) -> tuple[int, float | None]:
        """What it thinks of a row: the likelier label, -1 or 1, and the probability of 1 if there is one."""

    def hear(self, label: int) -> None:  # noqa: B027  # it may well be told by whoever reads the batches
        """Tell it the label."""


def listener_of(learner: Any, name: str, finite_class: FiniteClass | None, votes: bool) -> Listener:
    """What asks this learner about the rows of an environment.

    Parameters
    ----------
    learner : object
    name : str
        Of the environment.
    finite_class : FiniteClass or None
        The class whose points its rows are.
    votes : bool
        Whether its rows hold -1 and 1 alone.

    Raises
    ------
    RegretlessError
        If it cannot be asked about such rows.
    """
    if hasattr(learner, "predict_one"):
        return _OfRows(lambda row: learner.predict_one(row) if hasattr(learner, "classes_") else 1)
    if isinstance(learner, ClassLearner):
        return _OfPoints(name, finite_class, learner)
    if hasattr(learner, "expert_names_") and hasattr(learner, "forecast"):
        return _OfVotes(name, votes, learner)
    if callable(learner):
        return _OfRows(learner)
    raise RegretlessError(f"{type(learner).__name__} says nothing of single rows: {PLAYING}, if {name} is for it")


class _OfRows(Listener):
    def __init__(self, predict: Callable[[Array], Any]) -> None:
        self._predict = predict

    def say(self, row: Array, point: int) -> tuple[int, float | None]:
        return (1 if self._predict(row) > 0 else -1), None


class _OfPoints(Listener):
    """A learner of the class whose points they are."""

    def __init__(self, name: str, finite_class: FiniteClass | None, learner: ClassLearner) -> None:
        if finite_class is None:
            raise RegretlessError(f"{name} has no points of a class, and {learner.name} learns nothing else")
        if finite_class != learner.finite_class:
            raise RegretlessError(f"{name} is of another class than {learner.name}")
        self._learner = learner

    def say(self, row: Array, point: int) -> tuple[int, float | None]:
        said = self._learner.predict(point)
        if not self._learner.info.draws:
            return (1 if said else -1), None
        chance = float(said.probability)  # type: ignore[attr-defined]  # of a label that was drawn
        return (1 if chance >= 0.5 else -1), chance

    def hear(self, label: int) -> None:
        self._learner.update(int(label > 0))


class _OfVotes(Listener):
    """A combiner of experts, whose forecast of 0 and 1 is a probability of 1."""

    def __init__(self, name: str, votes: bool, learner: Any) -> None:
        if not votes:
            raise RegretlessError(f"the rows of {name} are no votes, and {learner.name} combines experts")
        if learner.loss in (None, "table"):
            raise RegretlessError(f"{learner.name} learns from losses alone, and forecasts nothing: {PLAYING}")
        self._learner, self._follows = learner, bool(info_of(learner).draws)

    def say(self, row: Array, point: int) -> tuple[int, float | None]:
        self._said = self._learner.predict((row + 1) / 2)
        if self._follows:  # the environment may know the weights, but not who was drawn
            weights: Array = self._learner.waiting(self._said).weights
            chance = float(weights[row > 0].sum())
        else:
            chance = float(self._said)
        chance = min(max(chance, 0.0), 1.0)
        return (1 if chance >= 0.5 else -1), chance

    def hear(self, label: int) -> None:
        self._learner.update(self._said, float(label > 0))
