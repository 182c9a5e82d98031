"""An alarm with a fixed start, and a bound on the probability that it is ever false."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, inf, log
from typing import Any

import numpy as np

from ..checks import share
from ..theory.alarms import BETS, AlarmLedger, VilleFacts, fixed_start
from .base import Alarm, Array, Raised, capitals

MOST_LOG = 709.0  # beyond which an exponential is no float


@dataclass(eq=False)
class VilleAlarm(Alarm):
    """Raises one alarm when losses have been worse than a reference since the start, and then none any more.

    While no loss exceeds the reference in expectation, given those before, there is ever an alarm with probability at
    most `alpha`, for any number of rounds with any dependence. The longer losses were better than the reference, the
    later is the alarm after a change: for that there is `EDetector`.

    Each of several bets b = 1/2, 1/4, ..., 1/256 has a capital W <- W (1 - b + b x / p), of losses x and a reference p
    on the scale from 0 to 1. The evidence is their mean, and the alarm is raised once it is 1 / alpha.

    Parameters
    ----------
    reference : float
        The largest expected loss that is no alarm, inside `value_range`.
    alpha : float
        The probability of a false alarm, at most; between 0 and 1.
    value_range : (float, float)
        Where all losses lie.

    References
    ----------
    Ville 1939; Waudby-Smith & Ramdas 2024, Estimating means of bounded random variables by betting.

    Examples
    --------
    >>> from regretless.alarms import VilleAlarm
    >>> alarm = VilleAlarm(reference=0.1, alpha=0.01)
    >>> [alarm.update(loss) for loss in (1, 0, 1, 1, 1, 1)]
    [False, False, False, False, False, True]
    """

    alpha: float = 0.05

    theorem = fixed_start

    def __post_init__(self) -> None:
        super().__post_init__()
        self.alpha = share("alpha", self.alpha)
        self._logs = [0.0] * len(BETS)

    @property
    def threshold(self) -> float:
        """The evidence at which an alarm is raised."""
        return 1 / self.alpha

    @property
    def log_evidence(self) -> float:
        """The logarithm of the mean of the capitals; after an alarm that of its round."""
        return _log_mean(self._logs)

    @property
    def evidence(self) -> float:
        """The mean of the capitals; after an alarm that of its round."""
        return _exp(self.log_evidence)

    @property
    def ledger_(self) -> AlarmLedger:
        """The rounds and alarms so far, up to the alarm if there was one."""
        return AlarmLedger(self._rounds, self._alarms, self.log_evidence)

    def _run(self, values: Array) -> Array:
        logs, factors, threshold = self._logs, self._factors, log(1 / self.alpha)
        course, evidence = [], self.log_evidence
        for x in values.tolist():
            if not self._alarms:
                self._rounds += 1
                logs = [one + log(rest + gain * x) for one, (rest, gain) in zip(logs, factors, strict=True)]
                evidence = _log_mean(logs)
                if evidence >= threshold:
                    self._raise(Raised(self._rounds, _exp(evidence), None))
            course.append(_exp(evidence))
        self._logs = logs
        return np.array(course, dtype=np.float64)

    def facts(self) -> VilleFacts:
        """What theorems may ask."""
        return VilleFacts(self.alpha)

    def _rule_state(self) -> dict[str, Any]:
        return {"log_capitals": list(self._logs)}

    def _restore_rule(self, state: Mapping[str, Any]) -> None:
        self._logs = capitals(state["log_capitals"])
        if (self.log_evidence >= log(1 / self.alpha)) != (self._alarms == 1):
            raise ValueError("its capital and its alarms contradict each other")


def _log_mean(logs: list[float]) -> float:
    """The logarithm of the mean of numbers with these logarithms."""
    most = max(logs)
    return most + log(sum(exp(one - most) for one in logs) / len(logs))


def _exp(logarithm: float) -> float:
    """The exponential, infinite where it is no float."""
    return exp(logarithm) if logarithm < MOST_LOG else inf
