"""A quantile of the scores followed by steps that grow smaller, so that it comes to rest where outcomes are alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

from ..checks import SMALLEST, share
from ..persist.validation import count, finite
from ..theory.intervals import IntervalFacts, decaying_coverage
from .base import Intervals

LONGEST = 1e12  # rounds whose steps are floats


@dataclass(eq=False)
class DecayingTracker(Intervals):
    """A half-width that grows with a miss and shrinks with a hit, by steps that fall with the rounds.

    As `QuantileTracker`, with steps e_t = c max(scores so far) t^-decay, t counted from the first score above 0. Where
    outcomes are drawn alike the width settles at their quantile; where they drift, it follows more slowly later.

    Whatever the sequence, |misses / T - alpha| <= (K_T / e_T + V + alpha z) / T, where K_t = max(scores up to t) + (1 +
    D) max(steps up to t), and V adds up K_t |1 / e_t - 1 / e_{t+1}| up to the last round whose step was larger than the
    one before it: (B + e_1) / (e_T T) if no score is larger than the first, B, and no outcome is late.

    Parameters
    ----------
    coverage : float
        The share of outcomes that is to be inside, between 0 and 1.
    c : float
        The first step in units of the largest score, between 0 and 1.
    decay : float
        Between 0 and 1: the larger, the steadier, and the wider the bound.
    least : float, optional
        Below this there are no outcomes, 0 of counts: an interval that would begin below it begins there.

    References
    ----------
    Angelopoulos, Barber & Bates 2024, Online conformal prediction with decaying step sizes; the steps by the largest
    score, which need no bound on scores, are proved in `regretless.theory.intervals`.

    Examples
    --------
    >>> from regretless.intervals import DecayingTracker
    >>> tracker = DecayingTracker(coverage=0.5, c=0.25, decay=0.5)
    >>> low, high = tracker.play([0, 0, 0], [8, 0.5, -0.25])
    >>> high.round(3).tolist()
    [0.0, 1.0, 0.293]
    """

    c: float = 0.1
    decay: float = 0.6

    theorem = decaying_coverage

    def __post_init__(self) -> None:
        super().__post_init__()
        self.c, self.decay = share("c", self.c), share("decay", self.decay)
        self._q = self._largest = self._step = self._longest = 0.0
        self._steps = 0
        # What 1 / step varied by, in units of the largest score and of the largest step, up to the last step that grew;
        # and since.
        self._grown, self._since = [0.0, 0.0], [0.0, 0.0]

    def _radius(self) -> float:
        return self._q

    @property
    def _least(self) -> float:
        return SMALLEST / self.c * LONGEST  # so that no step is lost

    def _learn(self, score: float, missed: bool) -> None:
        before, step = self._largest, self._step
        if score > before:
            self._largest = score
        if self._largest == 0:
            self._books.zero += 1
            return
        self._steps += 1
        self._step = self.c * self._largest * self._steps**-self.decay
        if step > 0:
            # before |1 / step - 1 / step of now|, with no number that is not a float
            change = abs(self._step - step) / self._step
            for place, unit in enumerate((before, self._longest)):
                self._since[place] += unit / step * change
            if self._step > step:
                for place in (0, 1):
                    self._grown[place] += self._since[place]
                    self._since[place] = 0.0
        self._longest = max(self._longest, self._step)
        self._q += self._step * (missed - self.alpha)

    def facts(self) -> IntervalFacts:
        """What theorems may ask."""
        if not self._step:
            return IntervalFacts(reach=0.0, longest=0.0, varied=0.0, late=0.0)
        reach, longest = self._largest / self._step, self._longest / self._step
        return IntervalFacts(reach=reach, longest=longest, varied=self._grown[0], late=self._grown[1])

    def _rule_state(self) -> dict[str, Any]:
        numbers = [self._q, self._largest, self._step, self._longest, *self._grown, *self._since]
        return {"numbers": numbers, "steps": self._steps}

    def _restore_rule(self, state: Mapping[str, Any]) -> None:
        q, *rest = state["numbers"]
        self._q = finite(q, "q", -inf)
        largest, step, longest, *varied = (finite(number, "a number of the rule") for number in rest)
        self._largest, self._step, self._longest = largest, step, longest
        grown, grown_late, since, since_late = varied
        self._grown, self._since = [grown, grown_late], [since, since_late]
        self._steps = count(state["steps"], "steps")
