"""Halfspaces of the plane have no mistake bound: the dyadic tree, walked as far as floats are exact."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ...errors import ParameterError, RegretlessError
from ..asker import Array, Asker, opposite
from ..labels import Labels
from ..lower_bounds import LearnerDescription, LowerBound, errors_forced

DEEPEST = 52  # rounds after which the halfspace that agrees with all of them is still a pair of floats


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
