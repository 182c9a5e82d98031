"""Rows at right angles: as many mistakes as the margin's bound allows."""

from __future__ import annotations

import numpy as np

from ..asker import Array, Asker, Known, opposite
from ..labels import Labels
from ..lower_bounds import LearnerDescription, LowerBound, errors_forced


class Orthonormal(Labels):
    """The directions e_1, ..., e_N in turn; what is not known of one yet is the opposite of the prediction.

    For all labels y, v = (y_1, ..., y_N) has y <v, x> / |v| = 1 / sqrt(N) on all rows, so that the bound of
    Novikoff (1962) is N; and a deterministic learner errs N times. So no learner's bound in terms of radius and margin
    is better than the perceptron's. A learner that draws errs N / 2 times in expectation, or more. After N rounds the
    same rows come again, with the same labels.

    Parameters
    ----------
    columns : int
        N.
    rounds : int, optional

    Examples
    --------
    >>> from regretless.linear import Perceptron
    >>> from regretless.environments import Orthonormal
    >>> from regretless.play import play
    >>> result = play(Perceptron(), Orthonormal(columns=8), 8)
    >>> result.count
    8.0
    """

    name = "orthonormal"
    alike = True

    def __init__(self, columns: int = 16, rounds: int | None = None) -> None:
        super().__init__(columns, rounds)

    @property
    def default_rounds(self) -> int | None:
        """All directions, once."""
        return self.columns if self.rounds is None else self.rounds

    def begin(self, run: int = 0) -> Asker:
        """An asker that has decided nothing yet."""
        return _Turning(self.columns)

    def lower_bounds(self, rounds: int, opposed: LearnerDescription) -> list[LowerBound]:
        """An error in every round of the first N; of a perceptron of any rate an update, for its score is 0."""
        count, source = min(rounds, self.columns), "Novikoff's bound is attained"
        bounds = errors_forced("Orthonormal rows", count, source, opposed)
        if opposed.additive:
            bounds.append(LowerBound("Orthonormal rows", "updates", float(count), source))
        return bounds


class _Turning(Asker):
    def __init__(self, columns: int) -> None:
        self._columns, self._t = columns, -1
        self._labels: list[int] = []

    def row(self) -> Array:
        self._t += 1
        row = np.zeros(self._columns)
        row[self._t % self._columns] = 1.0
        return row

    def label(self, prediction: int, probability: float | None = None) -> int:
        if self._t < self._columns:
            self._labels.append(opposite(prediction, probability))
            self.settled = len(self._labels) == self._columns
        return self._labels[self._t % self._columns]

    def ahead(self, rounds: int) -> Known | None:
        if not self.settled:
            return None
        places = np.arange(self._t + 1, self._t + 1 + rounds) % self._columns
        self._t += rounds
        rows = np.zeros((rounds, self._columns))
        rows[np.arange(rounds), places] = 1.0
        return rows, np.array(self._labels, dtype=np.float64)[places], None
