"""Adversaries of learners of weights, each with rows of its own."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

import numpy as np

from ..checks import whole
from ..errors import ParameterError, RegretlessError
from .asker import Array, Asker, Known, opposite
from .labels import Labels, ObliviousLabels
from .lower_bounds import LearnerDescription, LowerBound, errors_forced

DEEPEST = 52  # rounds after which the halfspace that agrees with all of them is still a pair of floats
SOURCE = "Mohri, Rostamizadeh & Talwalkar 2012, Ex. 7.1, with whole weights of at least 2^(i-1)"
MOST = 26  # columns whose number of updates is exact in floats
PATIENCE = 2**27  # rounds that one would play without being asked to


class Dyadic(Labels):
    """Ask for (m, 1), with m in the middle of what is left of the line from 0 to 1; go on in the half that errs.

    A label of 1 says that the halfspace <w, v> > 0 of w = (-1, a) has a > m, one of -1 that a < m: so after any labels
    there is an interval of such a, half as long in every round, and in the middle of it an a that agrees with them all.
    A deterministic learner of halfspaces in the plane hence errs in every round for ever (their Littlestone dimension
    is infinite), although a line separates all rows. The distance of the rows from that line halves as well:
    with a margin there is a bound, and this is why perceptrons need one.

    Numbers m of t binary digits are floats up to 53 rounds; here the game ends after 52, so that the last a is one too.

    Parameters
    ----------
    rounds : int, optional
        At most 52.

    Examples
    --------
    >>> from regretless.linear import Perceptron
    >>> from regretless.environments import Dyadic
    >>> from regretless.play import play
    >>> result = play(Perceptron(), Dyadic(), 30)
    >>> result.count
    30.0
    """

    name = "dyadic"
    alike = True

    def __init__(self, rounds: int | None = None) -> None:
        super().__init__(2, DEEPEST if rounds is None else rounds, ["m", "one"])
        if rounds is not None and rounds > DEEPEST:
            raise ParameterError(
                "rounds", str(rounds), f"the points of {self.name} are exact for {DEEPEST} rounds alone", ": "
            )

    def begin(self, run: int = 0) -> Asker:
        """An asker with the whole line from 0 to 1."""
        return _Halving(self)

    def lower_bounds(self, rounds: int, opposed: LearnerDescription) -> list[LowerBound]:
        """All rounds are mistakes of a deterministic learner."""
        return errors_forced("Dyadic tree", min(rounds, DEEPEST), "Shalev-Shwartz & Ben-David 2014, ch. 21", opposed)

    @staticmethod
    def threshold(labels: Sequence[int]) -> Fraction:
        """The a in the middle of what is left after some labels, each -1 or 1."""
        left = 0
        for label in labels:
            left = 2 * left + (label > 0)
        return Fraction(2 * left + 1, 2 ** (len(labels) + 1))


class _Halving(Asker):
    def __init__(self, environment: Dyadic) -> None:
        self._rounds = environment.rounds or DEEPEST
        self._left, self._t = 0, 0  # what is left of the line are `left` to `left` + 1 of 2^t equal pieces

    def row(self) -> Array:
        if self._t == self._rounds:
            raise RegretlessError(f"dyadic has {self._rounds} rounds, and all were played")
        return np.array([(2 * self._left + 1) / 2 ** (self._t + 1), 1.0])

    def label(self, prediction: int, probability: float | None = None) -> int:
        label = opposite(prediction, probability)
        self._left = 2 * self._left + (label > 0)
        self._t += 1
        return label


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
