"""A quantile of the scores followed by steps: no window, and no scale to set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

from ..checks import SMALLEST, share
from ..persist.validation import finite
from ..theory.intervals import IntervalFacts, tracker_coverage
from .base import Intervals


@dataclass(eq=False)
class QuantileTracker(Intervals):
    """A half-width that grows with a miss and shrinks with a hit, by steps of c times the largest score so far.

    With scores |y - p| and q = 0 at the start, the interval is p - q, p + q, nothing while q < 0; then
    q <- q + c max(scores so far) (1[missed] - alpha). It is never the whole line.

    Whatever the sequence, |misses / T - alpha| <= ((1 / c + 1 + D) (1 + G) + alpha z) / T, where G adds up by which
    shares the largest score grew, z is the number of rounds up to which all forecasts were exact, and at most D other
    rounds waited for their outcomes when one came.

    Parameters
    ----------
    coverage : float
        The share of outcomes that is to be inside, between 0 and 1.
    c : float
        The step in units of the largest score, between 0 and 1.
    least : float, optional
        Below this there are no outcomes, 0 of counts: an interval that would begin below it begins there.

    References
    ----------
    Angelopoulos, Candes & Tibshirani 2023, Conformal PID control for time series prediction; the step by the largest
    score, which needs no bound on scores, is proved in `regretless.theory.intervals`.

    Examples
    --------
    >>> from regretless.intervals import QuantileTracker
    >>> tracker = QuantileTracker(coverage=0.5, c=0.25)
    >>> low, high = tracker.play([0, 0, 0], [8, 0.5, -0.25])
    >>> high.tolist()
    [0.0, 1.0, 0.0]
    """

    c: float = 0.01

    theorem = tracker_coverage

    def __post_init__(self) -> None:
        super().__post_init__()
        self.c = share("c", self.c)
        self._q = self._largest = 0.0

    def _radius(self) -> float:
        return self._q

    @property
    def _least(self) -> float:
        return SMALLEST / self.c  # so that no step is lost

    def _learn(self, score: float, missed: bool) -> None:
        if score > self._largest:
            if self._largest > 0:
                self._books.growth += 1 - self._largest / score
            self._largest = score
        self._books.zero += self._largest == 0
        self._q += self.c * self._largest * (missed - self.alpha)

    def facts(self) -> IntervalFacts:
        """What theorems may ask."""
        return IntervalFacts(c=self.c)

    def _rule_state(self) -> dict[str, Any]:
        return {"q": self._q, "largest": self._largest}

    def _restore_rule(self, state: Mapping[str, Any]) -> None:
        self._q = finite(state["q"], "q", -inf)
        self._largest = finite(state["largest"], "largest")
