"""Weights that do not begin at zero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..data.batch import Array
from ..errors import RegretlessError
from .state import NORM2, SCALE, Geometry, State


class StartedState(State):
    """The weights of two classes, which begin with some numbers; those of further features, and of the constant one,
    with 0.

    Parameters
    ----------
    columns, targets : int
        As of any state; one target.
    start : sequence of float
        Those of the first features. Each is taken up when its feature comes.
    """

    def __init__(self, columns: int, targets: int, *, start: Sequence[float]) -> None:
        self._start = np.array(start, dtype=np.float64)
        super().__init__(columns, targets)
        self.memory[0, NORM2] = self._start @ self._start
        self._begin(0)

    def options(self) -> dict[str, Any]:
        """What the weights begin with."""
        return {"start": self._start.tolist()}

    def grow(self, columns: int) -> None:
        """Make room for more columns, whose weights begin where they were told to."""
        before = self.columns
        super().grow(columns)
        self._begin(before)

    def _begin(self, first: int) -> None:
        part = self._start[first : self.columns]
        self.weights[first : first + len(part), 0] = part / self.memory[0, SCALE]

    def mirror(self, target: int) -> None:
        """Refuse to exchange the classes: the first rounds were played from the weights as they are."""
        raise RegretlessError(
            "initial= are weights of two classes, positive ones for the second, and the class of the first rows was "
            "taken for it until now: announce both, as classes= of partial_fit, or give labels of which one is above 0"
        )

    def start(self) -> Array:
        """What the weights of all features began with, shape (columns,)."""
        start = np.zeros(self.columns)
        start[: len(self._start)] = self._start[: self.columns]
        return start


class FromStart(Geometry):
    """Comparators are measured beside the weights that a run began with.

    Parameters
    ----------
    start : ndarray, shape (columns,)
    """

    def __init__(self, start: Array) -> None:
        self._start = start

    def product(self, vector: Array, bias: float, target: int) -> float:
        """Inner product of a vector with the first weights."""
        return float(vector @ self._start)
