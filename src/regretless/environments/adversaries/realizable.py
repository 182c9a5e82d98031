"""Askers whose labels always leave a hypothesis of a finite class that agrees with all of them."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from ..asker import Array, Asker, Known, Places
from ..targets.points import PointLabels, votes_of

if TYPE_CHECKING:
    from ...finite_classes.finite_class import Words


class Surviving(Asker):
    """It parts the hypotheses that are left until there is one, which then labels all points in turn.

    Parameters
    ----------
    environment : PointLabels
    """

    def __init__(self, environment: PointLabels) -> None:
        self._environment, self._class = environment, environment.finite_class
        self._alive = everything(environment.columns)
        self._turn = -1
        self._settle()

    @abstractmethod
    def _next(self) -> int:
        """The point to ask for while more than one hypothesis is left."""

    @abstractmethod
    def _says_one(self, prediction: int, probability: float | None) -> bool:
        """Which label to give, where both leave hypotheses."""

    def row(self) -> Array:
        if self.settled:
            self._turn = (self._turn + 1) % self._class.points
            self.point = self._turn
        else:
            self.point = self._next()
        self._row = self._environment.votes_on(self.point)
        return self._row

    def label(self, prediction: int, probability: float | None = None) -> int:
        if self.settled:
            return int(self._row[self._last])
        zeros, ones = self._parts(self.point)
        says_one = bool(ones.any()) and (not zeros.any() or self._says_one(prediction, probability))
        self._alive = ones if says_one else zeros
        self._settle()
        return 1 if says_one else -1

    def ahead(self, rounds: int) -> Known | None:
        if not self.settled:
            return None
        points: Places = np.arange(self._turn + 1, self._turn + 1 + rounds) % self._class.points
        self._turn = (self._turn + rounds) % self._class.points
        rows = votes_of(self._class, points)
        return rows, rows[:, self._last].copy(), points

    def _parts(self, point: int) -> tuple[Words, Words]:
        """The hypotheses left that label a point 0, and those that label it 1."""
        ones = self._class.columns[point] & self._alive
        return self._alive & ~ones, ones

    def _settle(self) -> None:
        """See whether one is left, and who that is."""
        words = np.flatnonzero(self._alive)
        word = int(self._alive[words[0]])
        if len(words) == 1 and not word & (word - 1):
            self._last = 64 * int(words[0]) + word.bit_length() - 1
            self.settled = True


def everything(count: int) -> Words:
    """The set of all of so many hypotheses, as bits."""
    words = np.full(-(-count // 64), ~np.uint64(0), dtype=np.uint64)
    if count % 64:
        words[-1] = np.uint64((1 << count % 64) - 1)
    return words
