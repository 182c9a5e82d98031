"""Classes that rows reveal one by one: what stood for +1 while there were two, and which were known in each round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]


class Phase(NamedTuple):
    """Rounds begin <= t < end of the first pass in which one class, by its place, was +1, and others -1."""

    begin: int
    end: int
    plus: int


class ArrivingClasses:
    """Of the labels of one pass.

    Parameters
    ----------
    labels : ndarray, shape (rows,)
    classes : sequence
        All of them, ascending.

    Attributes
    ----------
    places : ndarray, shape (rows,)
        The class of each row, by its place among all.
    order : list of int
        Places of classes, in the order in which they came.
    first_sign : float
        What the first one is while it is alone: +1 if its name is a word or positive, else -1.
    """

    def __init__(self, labels: Array, classes: Sequence[Any]) -> None:
        self.places = np.searchsorted(np.asarray(classes), labels)
        there = np.flatnonzero(np.isin(np.arange(len(classes)), self.places))
        self._firsts = {int(place): int(np.argmax(self.places == place)) for place in there}
        self.order = sorted(self._firsts, key=lambda place: self._firsts[place])
        speaks = bool(len(labels)) and (isinstance(labels[0], str) or bool(labels[0] > 0))
        self.first_sign = 1.0 if speaks else -1.0

    @property
    def pair(self) -> list[int]:
        """The two that came first, in the order in which they did."""
        return self.order[:2]

    def first(self, place: int) -> int:
        """The number of the row in which a class came."""
        return self._firsts[place]

    def phases(self) -> list[Phase]:
        """While one class was known it has the first sign; of two the larger is +1."""
        if len(self.order) < 2:
            return []
        first, second, *others = self.order
        third = self._firsts[others[0]] if others else len(self.places)
        pair = self._firsts[second]
        return [Phase(0, pair, first if self.first_sign > 0 else second), Phase(pair, third, max(first, second))]

    def known(self) -> list[list[int]]:
        """The classes of each round in the order in which equal scores predict them; of a class that is alone, and of
        the one that comes next, the one that is +1."""
        known = []
        for begin, end, plus in self.phases():
            (other,) = {*self.pair} - {plus}
            known += [[plus, other]] * (end - begin)
        for place, following in zip(range(3, len(self.order) + 1), [*self.order[3:], None], strict=True):
            end = len(self.places) if following is None else self._firsts[following]
            known += [sorted(self.order[:place])] * (end - len(known))
        return known
