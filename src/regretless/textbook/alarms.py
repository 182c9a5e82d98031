"""Alarms, and the mean that nobody gains by betting against.

Shin, Ramdas & Rinaldo 2022 (e-SR, here with a grid of bets); Ville 1939; Waudby-Smith & Ramdas 2024, Theorem 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log, prod, sqrt
from typing import Any

BETS = [0.5**k for k in range(1, 9)]


def e_detector(losses: Sequence[float], reference: float, mean_rounds: float) -> list[int]:
    """The rounds of the alarms: once the sum over starts since the last one of products reaches the mean rounds."""
    alarms, start = [], 0
    for t in range(1, len(losses) + 1):
        seen = losses[start:t]
        sums = [
            sum(prod(1 - b + b * x / reference for x in seen[first:]) for first in range(len(seen))) for b in BETS
        ]  # fmt: skip
        if sum(sums) / len(BETS) >= mean_rounds:
            alarms.append(t)
            start = t
    return alarms


def evidence(losses: Sequence[float], reference: float) -> float:
    """The mean over the bets of the products since the first round."""
    return sum(prod(1 - b + b * x / reference for x in losses) for b in BETS) / len(BETS)


def capitals(losses: Sequence[float], mean: float, alpha: float) -> tuple[float, float]:
    """The logarithms of the capital of who bets that the losses are above a mean, and below it."""
    gains = falls = variance = total = 0.0
    for t, x in enumerate(losses, 1):
        stake = sqrt(2 * log(2 / alpha) / ((0.25 + variance) * log(1 + t)))
        gains += log(1 + (min(stake, 0.5 / mean) if mean > 0 else stake) * (x - mean))
        falls += log(1 - (min(stake, 0.5 / (1 - mean)) if mean < 1 else stake) * (x - mean))
        variance += (x - (0.5 + total) / t) ** 2
        total += x
    return gains, falls


def _false_alarms(ledger: dict[str, Any], _: dict[str, Any], learner: dict[str, Any]) -> float:
    return float(ledger["rounds"] / learner["threshold"])


def _constant_mean(ledger: dict[str, Any], _: dict[str, Any], learner: dict[str, Any]) -> float:
    enough = log(2 / learner["delta"])
    below = [m for m, capital in zip(ledger["means"], ledger["gains"], strict=True) if capital >= enough]
    above = [m for m, capital in zip(ledger["means"], ledger["losses"], strict=True) if capital >= enough]
    mean = ledger["total"] / ledger["rounds"]
    distances = mean - max([ledger["low"], *below]), min([ledger["high"], *above]) - mean
    return float(ledger["width"] * max(distances))


BOUNDS = {
    "expected": {"false_alarms": _false_alarms},
    "probable": {"fixed_start": lambda _, __, learner: -log(learner["delta"]), "constant_mean": _constant_mean},
}
