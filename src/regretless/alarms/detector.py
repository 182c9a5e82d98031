"""An e-detector: alarms with a bound on the mean number of rounds to a false one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from numbers import Real
from typing import Any

from .. import _core
from ..errors import ParameterError
from ..persist.validation import count, one
from ..theory.alarms import BETS, DetectorFacts, false_alarms
from .base import Alarm, Array, Raised, capitals


@dataclass(eq=False)
class EDetector(Alarm):
    """Raises an alarm when losses get worse than a reference, whenever that is, and begins anew after each.

    While no loss exceeds the reference in expectation, given those before, there are at least `mean_rounds` rounds on
    average to the first alarm, and from each alarm to the next; so there are rounds / mean_rounds alarms at most, in
    expectation. Rounds may depend on each other in any way.

    Each of several bets b = 1/2, 1/4, ..., 1/256 has a capital M <- (M + 1)(1 - b + b x / p), of losses x and a
    reference p on the scale from 0 to 1. The evidence is their mean, and the alarm is raised once it is `mean_rounds`.

    Parameters
    ----------
    reference : float
        The largest expected loss that is no alarm, inside `value_range`.
    mean_rounds : float
        At least 1.
    value_range : (float, float)
        Where all losses lie.

    References
    ----------
    Shin, Ramdas & Rinaldo 2022, E-detectors: a nonparametric framework for sequential change detection.

    Examples
    --------
    >>> from regretless.alarms import EDetector
    >>> detector = EDetector(reference=0.1, mean_rounds=1000)
    >>> [round for round in range(1, 61) if detector.update(round > 30)]
    [35, 41, 47, 53, 59]
    """

    mean_rounds: float = 10_000.0

    theorem = false_alarms

    def __post_init__(self) -> None:
        super().__post_init__()
        number = isinstance(self.mean_rounds, Real) and not isinstance(self.mean_rounds, bool)
        if not (number and isfinite(self.mean_rounds) and 1 <= self.mean_rounds <= 1e15):
            raise ParameterError("mean_rounds", repr(self.mean_rounds), "it must be a number from 1 to 1e15")
        self.mean_rounds = float(self.mean_rounds)
        self._capitals, self._products, self._starts = [0.0] * len(BETS), [0.0] * len(BETS), [0] * len(BETS)
        self._since: int | None = None

    @property
    def threshold(self) -> float:
        """The evidence at which an alarm is raised."""
        return self.mean_rounds

    @property
    def evidence(self) -> float:
        """The mean of the capitals."""
        return _total(self._capitals) / len(BETS)

    @property
    def since_(self) -> int | None:
        """Since which round losses have been worse, as estimated at the last alarm, without a guarantee; counted from
        1. From there on the product of the factors of the richest bet was largest. None before there is an alarm."""
        return self._since

    def _run(self, values: Array) -> Array:
        course, self._capitals, self._products, self._starts, alarms = _core.detect(
            values, self._factors, self._capitals, self._products, self._starts, self.mean_rounds, self._rounds
        )
        for round, since in alarms:
            self._since = since
            self._raise(Raised(round, float(course[round - self._rounds - 1]), since))
        self._rounds += len(values)
        return course

    def facts(self) -> DetectorFacts:
        """What theorems may ask."""
        return DetectorFacts(self.mean_rounds)

    def _rule_state(self) -> dict[str, Any]:
        return {
            "capitals": list(self._capitals),
            "products": list(self._products),
            "starts": list(self._starts),
            "since": self._since,
        }

    def _restore_rule(self, state: Mapping[str, Any]) -> None:
        self._capitals, self._products = capitals(state["capitals"]), capitals(state["products"])
        if min(*self._capitals, *self._products) < 0 or _total(self._capitals) >= self.mean_rounds * len(BETS):
            raise ValueError("a capital is below 0, or an alarm was to be raised")
        self._starts = [count(start, "a start", min(1, self._rounds)) for start in one(state["starts"], list, "starts")]
        self._since = None if self._last is None else count(state["since"], "since", 1)
        if len(self._starts) != len(BETS) or max(*self._starts, self._since or 0) > self._rounds:
            raise ValueError("something began after the last round")


def _total(numbers: list[float]) -> float:
    """The plain sum in order, as compiled code adds; `sum` has other bits from Python 3.12 on."""
    total = 0.0
    for number in numbers:
        total += number
    return total
