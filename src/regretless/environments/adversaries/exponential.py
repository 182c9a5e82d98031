"""Rows of -1, 0 and 1 with an exponentially small margin, and a perceptron that feels it."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ...checks import whole
from ...errors import ParameterError
from ..asker import Array
from ..labels import ObliviousLabels
from ..lower_bounds import LearnerDescription, LowerBound

SOURCE = "Mohri, Rostamizadeh & Talwalkar 2012, Ex. 7.1, with whole weights of at least 2^(i-1)"
MOST = 26  # columns whose number of updates is exact in floats
PATIENCE = 2**27  # rounds that one would play without being asked to


class Exponential(ObliviousLabels):
    """N rows, again and again: y_i x_i = e_i - e_1 - ... - e_(i-1), with labels 1, -1, 1, -1, ...

    The perceptron makes at least (4^N - 1) / 3 updates before it separates them, however they are ordered. For let n_i
    be the updates with row i and S_i = n_i + ... + n_N; then w_i = n_i - S_(i+1), so S_i = w_i + 2 S_(i+1), and the sum
    of all is S_1 = w_1 + 2 w_2 + 4 w_3 + ... Weights are whole numbers, and those that separate have
    w_i > w_1 + ... + w_(i-1), so that w_i >= 2^(i-1); hence S_1 >= 1 + 4 + 16 + ... + 4^(N-1).

    In the order of this environment every pass that is not clean has one update with the first row: w_1 is at most 1,
    for it grows only when it is not positive. Were the first row not updated, w_1 would be 1, so that the pass before,
    if there was one, made no update but with the first row; then none of the others would be made now. So P passes,
    none of them clean, have made S_1 = 2 n_1 - w_1 >= 2 P - 1 updates.

    Parameters
    ----------
    columns : int
        N, at most 26.
    rounds : int, optional

    Examples
    --------
    >>> from regretless.environments import Exponential
    >>> from regretless.linear import Perceptron
    >>> from regretless.play import play
    >>> play(Perceptron(), Exponential(columns=8), 50).count
    12.0
    """

    name = "exponential"
    alike: ClassVar[bool] = True

    def __init__(self, columns: int = 5, rounds: int | None = None) -> None:
        if whole("columns", columns) > MOST:
            raise ParameterError(
                "columns", str(columns), f"more than {MOST} would take a perceptron longer than anybody", ": "
            )
        super().__init__(columns, rounds)
        signs: Array = np.where(np.arange(columns) % 2, -1.0, 1.0)
        self._labels = signs
        self._rows = (np.eye(columns) - np.tri(columns, k=-1)) * signs[:, None]

    def block(self, begin: int, end: int, run: int = 0) -> tuple[Array, Array]:
        """The rows in turn."""
        places = np.arange(begin, end) % self.columns
        return self._rows[places], self._labels[places]

    @property
    def default_rounds(self) -> int | None:
        """Those of the passes that a perceptron makes until one is clean, if these are not too many."""
        if self.rounds is not None:
            return self.rounds
        rounds = self.columns * int((4**self.columns + 2) // 6)
        return rounds if rounds <= PATIENCE else None

    @property
    def updates(self) -> int:
        """How many updates a perceptron makes at least, until it makes none."""
        return int((4**self.columns - 1) // 3)

    def lower_bounds(self, rounds: int, opposed: LearnerDescription) -> list[LowerBound]:
        """Those of the passes that are over, to a perceptron."""
        least = min(max(2 * (rounds // self.columns) - 1, 0), self.updates)
        if not opposed.perceptron:
            return []
        return [
            LowerBound(
                "Exponentially many updates",
                "updates",
                float(least),
                SOURCE,
            )
        ]
