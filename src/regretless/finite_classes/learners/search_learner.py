"""Learners that compute a dimension of both parts of the version space before they predict."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..finite_class import Words
from .base import ClassLearner
from .result import ClassPlay, Label

Array = np.ndarray[Any, Any]


@dataclass(eq=False)
class SearchingLearner(ClassLearner):
    """A learner that compares the two parts into which a point splits the version space.

    A point that does not split it has only one label.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self._weighed: tuple[int, dict[int, float]] = (0, {})
        self._searching: Any = None

    @abstractmethod
    def _new_search(self) -> Any:
        """A search for a dimension of parts of the class."""

    def _search(self) -> Any:
        """The search of this learner and its copies."""
        if self._searching is None:
            self._searching = self._new_search()
        return self._searching

    def _parts(self, point: int) -> tuple[Words, Words]:
        """The hypotheses of the version space with label 0 at a point, and those with label 1."""
        words, column = self._state.version_space, self.finite_class.columns[point]
        return words & ~column, words & column

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_searching": None}

    @abstractmethod
    def _weigh(self, point: int) -> float:
        """The probability of predicting 1 at a point that splits the version space."""

    def _chance(self, point: int) -> float:
        """The probability of predicting 1; cached until a hypothesis leaves."""
        core = self._state.core
        ones, size = core.ones(point), core.size
        if ones in (0, size):
            return float(ones > 0)
        if self._weighed[0] != size:
            self._weighed = (size, {})
        known = self._weighed[1]
        if point not in known:
            known[point] = self._weigh(point)
        return known[point]

    def _play(self, points: Array, played: ClassPlay) -> None:
        for row, (point, label) in enumerate(zip(points.tolist(), played.labels.tolist(), strict=True)):
            said = self._say(point)
            self.__dict__["_tickets"] += 1
            self._settle(point, label, said)
            played.predictions[row], played.alive[row] = said, self._state.book[2]
            self._note(row, said, played)

    def _note(self, row: int, said: Label, played: ClassPlay) -> None:
        """Store further results of a round."""
