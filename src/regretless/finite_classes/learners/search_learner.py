"""Learners that search the version space of each label before they predict."""

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
    """One that weighs the two parts into which a point splits what is left.

    Where nothing is split, there is no choice.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self._weighed: tuple[int, dict[int, float]] = (0, {})
        self._searching: Any = None

    @abstractmethod
    def _new_search(self) -> Any:
        """What finds out what parts of the class cost, and remembers it."""

    def _search(self) -> Any:
        """The one search of a learner and of its copies."""
        if self._searching is None:
            self._searching = self._new_search()
        return self._searching

    def _parts(self, point: int) -> tuple[Words, Words]:
        """Those that are left and say 0 of a point, and those that say 1."""
        words, column = self._board.version_space, self.finite_class.columns[point]
        return words & ~column, words & column

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_searching": None}

    @abstractmethod
    def _weigh(self, point: int) -> float:
        """The probability of predicting 1 of a point that splits what is left."""

    def _chance(self, point: int) -> float:
        """The probability of predicting 1; the weights are remembered until another hypothesis leaves."""
        core = self._board.core
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
            played.predictions[row], played.alive[row] = said, self._board.book[2]
            self._note(row, said, played)

    def _note(self, row: int, said: Label, played: ClassPlay) -> None:
        """Keep what else there is to keep of a round."""
