"""Both sides of a run for labels: an environment that shows rows, and a learner that is asked about each of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import RegretlessError
from ..finite_classes.learners.base import ClassLearner
from ..info import info_of

if TYPE_CHECKING:
    from ..finite_classes.finite_class import FiniteClass

Array = np.ndarray[Any, np.dtype[np.float64]]
Places = np.ndarray[Any, np.dtype[np.int64]]
Known = tuple[Array, Array, Places | None]
PLAYING = "regretless.play.play lets them play"


class Asker(ABC):
    """An environment within one run: it shows a row, takes a prediction and gives the label.

    Attributes
    ----------
    point : int
        Of an environment of a finite class: the point whose row was shown last.
    settled : bool
        Whether no prediction makes a difference from now on, so that all further rounds are known.
    """

    point: int = -1
    settled: bool = False

    @abstractmethod
    def row(self) -> Array:
        """The row of the next round, asked for once a round; it is never changed afterwards."""

    @abstractmethod
    def label(self, prediction: int, probability: float | None = None) -> int:
        """The label of that row.

        Parameters
        ----------
        prediction : {-1, 1}
            The learner's, or the likelier one if it draws.
        probability : float, optional
            Of the label 1, if the learner draws; the environment does not know which was drawn.

        Returns
        -------
        {-1, 1}
        """

    def ahead(self, rounds: int) -> Known | None:
        """So many rounds at once, instead of one at a time; None of an asker that is not settled.

        Parameters
        ----------
        rounds : int
            The next ones; the asker goes on behind them. No row may wait for its label.

        Returns
        -------
        rows : ndarray, shape (rounds, columns)
        labels : ndarray, shape (rounds,)
        points : ndarray, shape (rounds,), or None
            Where there is a finite class, the points of the rows.
        """
        return None


def opposite(prediction: int, probability: float | None) -> int:
    """The label that the learner does not predict, or less likely."""
    if probability is None:
        return -1 if prediction > 0 else 1
    return -1 if probability >= 0.5 else 1


class RowPredictor(ABC):
    """A learner that an environment asks about one row after the other."""

    @abstractmethod
    def predict(self, row: Array, point: int) -> tuple[int, float | None]:
        """The likelier label of a row, -1 or 1, and the probability of 1 if the learner has one."""

    def update(self, label: int) -> None:  # noqa: B027  # others learn by themselves from the batches
        """Learn the label of the row that was predicted last."""


def predictor_of(learner: Any, name: str, finite_class: FiniteClass | None, votes: bool) -> RowPredictor:
    """This learner as an environment asks it about rows.

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
    raise RegretlessError(f"{type(learner).__name__} predicts no single rows: {PLAYING}, if {name} is for it")


class _OfRows(RowPredictor):
    def __init__(self, predict: Callable[[Array], Any]) -> None:
        self._predict = predict

    def predict(self, row: Array, point: int) -> tuple[int, float | None]:
        return (1 if self._predict(row) > 0 else -1), None


class _OfPoints(RowPredictor):
    """A learner of the class whose points they are."""

    def __init__(self, name: str, finite_class: FiniteClass | None, learner: ClassLearner) -> None:
        if finite_class is None:
            raise RegretlessError(f"{name} has no points of a class, and {learner.name} learns nothing else")
        if finite_class != learner.finite_class:
            raise RegretlessError(f"{name} is of another class than {learner.name}")
        self._learner = learner

    def predict(self, row: Array, point: int) -> tuple[int, float | None]:
        prediction = self._learner.predict(point)
        if not self._learner.info.draws:
            return (1 if prediction else -1), None
        chance = float(prediction.probability)  # type: ignore[attr-defined]  # of a label that was drawn
        return (1 if chance >= 0.5 else -1), chance

    def update(self, label: int) -> None:
        self._learner.update(int(label > 0))


class _OfVotes(RowPredictor):
    """A combiner of experts, whose forecast of 0 and 1 is a probability of 1."""

    def __init__(self, name: str, votes: bool, learner: Any) -> None:
        if not votes:
            raise RegretlessError(f"the rows of {name} are no votes, and {learner.name} combines experts")
        if learner.loss in (None, "table"):
            raise RegretlessError(f"{learner.name} learns from losses alone, and forecasts nothing: {PLAYING}")
        self._learner, self._follows = learner, bool(info_of(learner).draws)

    def predict(self, row: Array, point: int) -> tuple[int, float | None]:
        self._forecast = self._learner.predict((row + 1) / 2)
        if self._follows:  # the environment may know the weights, but not which expert was drawn
            weights: Array = self._learner.waiting(self._forecast).weights
            chance = float(weights[row > 0].sum())
        else:
            chance = float(self._forecast)
        chance = min(max(chance, 0.0), 1.0)
        return (1 if chance >= 0.5 else -1), chance

    def update(self, label: int) -> None:
        self._learner.update(self._forecast, float(label > 0))
