"""An interval for the average of conditional means of increments in [0, 1] that holds at all times at once.

Howard, Ramdas, McAuliffe & Sekhon 2021, Theorem 4, with a mixture over rates in place of their boundary.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from typing import Any

RATES = [0.75] + [0.5**k for k in range(1, 17)]


def confidence_sequence(increments: Sequence[float], alpha: float) -> list[tuple[float, float]]:
    """The interval after each increment."""
    intervals = []
    total = variance = 0.0
    for t, x in enumerate(increments):
        guess = (0.5 + total) / (t + 1)
        total += x
        variance += (x - guess) ** 2
        radius = largest_excess(variance, alpha / 2)
        intervals.append((max(0.0, (total - radius) / (t + 1)), min(1.0, (total + radius) / (t + 1))))
    return intervals


def largest_excess(variance: float, alpha: float) -> float:
    """The s at which the mean of exp(rate s - (-ln(1 - rate) - rate) variance) over the rates is 1 / alpha."""
    low, high = 0.0, 1.0
    while _log_mean(high, variance) < log(1 / alpha):
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        if _log_mean(middle, variance) < log(1 / alpha):
            low = middle
        else:
            high = middle
    return high


def _log_mean(s: float, variance: float) -> float:
    powers = [rate * s - (log(1 / (1 - rate)) - rate) * variance for rate in RATES]
    return max(powers) + log(sum(exp(power - max(powers)) for power in powers) / len(powers))


def _excess_loss(ledger: dict[str, Any], _: dict[str, Any], learner: dict[str, Any]) -> float:
    s = largest_excess(ledger["variance"], learner["delta"])
    return float((ledger["excess"] + 2 * s) / ledger["rounds"])


def _mean_loss(ledger: dict[str, Any], _: dict[str, Any], learner: dict[str, Any]) -> float:
    return float(ledger["width"] * largest_excess(ledger["variance"], learner["delta"] / 2) / ledger["rounds"])


BOUNDS = {"probable": {"excess_loss": _excess_loss, "mean_loss": _mean_loss}}
