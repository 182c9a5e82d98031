"""Adaptive conformal inference: intervals from a quantile of past scores, whose level moves with every outcome."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, inf
from typing import Any

from ..checks import share, whole
from ..persist.validation import finite
from ..theory.intervals import IntervalFacts, adaptive_coverage
from .base import NOTHING, Intervals


@dataclass(eq=False)
class AdaptiveIntervals(Intervals):
    """A quantile of past scores around each forecast; its level follows the misses.

    With scores |y - p|, a level a that starts at alpha = 1 - coverage, and the k last scores, the interval is
    p - q, p + q with the ceil((1 - a)(k + 1))-th smallest of them, the whole line where there are not so many or
    a <= 0, nothing where a >= 1. Then a <- a + gamma (alpha - 1[missed]).

    A forecast may be a pair of quantiles l, h instead. Then the scores are max(l - y, y - h), below 0 inside the pair,
    and the interval is l - q, h + q: conformalised quantile regression, whose width follows the rows. The bound is the
    same, for it asks nothing of scores.

    Whatever the sequence, |misses / T - alpha| <= (max(alpha, 1 - alpha) + gamma (1 + D)) / (gamma T), where at most D
    other rounds waited for their outcomes when one came.

    Parameters
    ----------
    coverage : float
        The share of outcomes that is to be inside, between 0 and 1.
    gamma : float
        How far one outcome moves the level, between 0 and 1: the smaller, the steadier, and the wider the bound.
    window : int
        Of how many scores the quantile is taken at most.
    least : float, optional
        Below this there are no outcomes, 0 of counts: an interval that would begin below it begins there.

    References
    ----------
    Gibbs & Candes 2021, Adaptive conformal inference under distribution shift; Romano, Patterson & Candes 2019,
    Conformalized quantile regression.

    Examples
    --------
    >>> from regretless.intervals import AdaptiveIntervals
    >>> intervals = AdaptiveIntervals(coverage=0.5, gamma=0.1)
    >>> for forecast, outcome in [(1.0, 1.5), (2.0, 1.75), (3.0, 3.25)]:
    ...     low, high = intervals.interval(forecast)
    ...     intervals.update(outcome)
    >>> intervals.interval(4.0)
    (3.75, 4.25)
    >>> round(intervals.certify()[0].bound, 6)
    2.0
    """

    gamma: float = 0.02
    window: int = 500

    theorem = adaptive_coverage
    pairs = True

    def __post_init__(self) -> None:
        super().__post_init__()
        self.gamma, self.window = share("gamma", self.gamma), whole("window", self.window)
        self._scores: deque[float] = deque()
        self._sorted: list[float] = []

    @property
    def level(self) -> float:
        """The level a: by how many misses the rounds so far are below those that were asked for, in steps."""
        # from the counts, so that no error of a sum of steps grows with the rounds
        return self.alpha + self.gamma * (self.alpha * self._books.rounds - self._books.misses)

    def _radius(self) -> float:
        a = self.alpha + self.gamma * (self.alpha * self._books.rounds - self._books.misses)
        if a <= 0:
            return inf
        if a >= 1:
            return NOTHING
        rank = ceil((1 - a) * (len(self._sorted) + 1))
        return self._sorted[rank - 1] if rank <= len(self._sorted) else inf

    def _learn(self, score: float, missed: bool) -> None:
        self._scores.append(score)
        insort(self._sorted, score)
        if len(self._sorted) > self.window:
            del self._sorted[bisect_left(self._sorted, self._scores.popleft())]

    def _follow(self, scores: list[float]) -> list[float]:
        alpha, gamma, window = self.alpha, self.gamma, self.window
        rounds, misses, radii = self._books.rounds, self._books.misses, []
        last, ordered, size = self._scores, self._sorted, len(self._sorted)
        for score in scores:  # as `_radius` and `_learn` have it, at less cost
            a = alpha + gamma * (alpha * rounds - misses)
            if a <= 0:
                radius = inf
            elif a >= 1:
                radius = NOTHING
            else:
                rank = ceil((1 - a) * (size + 1))
                radius = ordered[rank - 1] if rank <= size else inf
            radii.append(radius)
            rounds += 1
            misses += score > radius
            last.append(score)
            insort(ordered, score)
            if size < window:
                size += 1
            else:
                del ordered[bisect_left(ordered, last.popleft())]
        self._books.rounds, self._books.misses = rounds, misses
        return radii

    def facts(self) -> IntervalFacts:
        """What theorems may ask."""
        return IntervalFacts(start=self.alpha, gamma=self.gamma)

    def _rule_state(self) -> dict[str, Any]:
        return {"scores": list(self._scores)}

    def _restore_rule(self, state: Mapping[str, Any]) -> None:
        self._scores.extend(finite(score, "a score", NOTHING) for score in state["scores"])
        self._sorted = sorted(self._scores)
        if len(self._scores) != min(self._books.rounds, self.window):
            raise ValueError("it has not as many scores as rounds")
