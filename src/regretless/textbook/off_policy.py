"""The mean reward of a policy by the log of another one, within ends that hold at all times.

Waudby-Smith, Wu, Ramdas, Karampatziakis & Mineiro 2022; here with rates that stay the same for all means.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from typing import Any

RATES = [2.0**k for k in range(3, -19, -1)]


def policy_interval(rewards: Sequence[float], weights: Sequence[float], alpha: float) -> list[tuple[float, float]]:
    """The ends after each round, of rewards in [0, 1] and of weights that the policy has."""
    ends = []
    for t in range(1, len(rewards) + 1):
        rounds = list(zip(rewards[:t], weights[:t], strict=True))
        low = largest_refused([[w * r for r, w in rounds]] * len(RATES), 1.0, alpha / 2)
        high = 1 - largest_refused([[w * (1 - r) for r, w in rounds]] * len(RATES), 1.0, alpha / 2)
        ends.append((low, high))
    return ends


def controlled(r: float, w: float, guess: float, mean: float, largest: float, most_weight: float) -> list[float]:
    """The weighted reward of a round with its control variate, for each rate."""
    return [w * r + min(1.0, 3 / (4 * u * most_weight * largest)) * (mean - w * guess) for u in RATES]


def largest_refused(numbers: Sequence[Sequence[float]], most: float, alpha: float) -> float:
    """The largest mean at which the mean of the capitals is 1 / alpha; `numbers` are those of each rate."""
    sums = [sum(log(1 + u * x) for x in each) for u, each in zip(RATES, numbers, strict=True)]
    return _root(sums, len(numbers[0]), most, alpha)


def _root(sums: Sequence[float], rounds: float, most: float, alpha: float) -> float:
    low, high = 0.0, most
    for _ in range(60):
        middle = (low + high) / 2
        logs = [one - rounds * log(1 + u * middle) for u, one in zip(RATES, sums, strict=True)]
        capital = max(logs) + log(sum(exp(one - max(logs)) for one in logs) / len(logs))
        low, high = (middle, high) if capital >= log(1 / alpha) else (low, middle)
    return low


def _policy_value(ledger: dict[str, Any], _: dict[str, Any], learner: dict[str, Any]) -> float:
    half, rounds, estimate = learner["delta"] / 2, ledger["rounds"], ledger["estimate"]
    low, high = _root(ledger["gains"], rounds, 1.0, half), 1 - _root(ledger["losses"], rounds, 1.0, half)
    return float(ledger["width"] * max(estimate - low, high - estimate, 0.0))


def _policy_excess(ledger: dict[str, Any], _: dict[str, Any], learner: dict[str, Any]) -> float:
    least = _root(ledger["sums"], ledger["rounds"], 2.0, learner["delta"] / ledger["others"])
    return float(ledger["width"] * (1 - least))


BOUNDS = {"probable": {"policy_value": _policy_value, "policy_excess": _policy_excess}}
