"""The mean reward of a policy by the log of another one, and the mean of losses, within ends that hold at all times.

Waudby-Smith, Wu, Ramdas, Karampatziakis & Mineiro 2022; here with rates that stay the same for all means. Of losses:
Howard, Ramdas, McAuliffe & Sekhon 2021, Theorem 4, with a mixture over rates in place of their boundary.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, exp, inf, log, log2, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

Ends = tuple[float, float]
RATES = [2.0**k for k in range(3, -19, -1)]
RATES_OF_LOSSES = [0.75] + [0.5**k for k in range(1, 17)]


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


def log_capitals(x: Any, control: Any = None, largest: Any = None, most_weight: float = 0.0) -> Any:
    """The logarithms of the capitals of all rates after each round, of shape (rounds, rates).

    They bet on x, or on x with a control variate of mean 0, in the share that its largest guess allows.
    """
    x = np.asarray(x, dtype=np.float64)
    result = np.empty((len(x), len(RATES)))
    for place, u in enumerate(RATES):
        term = 0.0 if control is None else control / np.maximum(1.0, 4 * u * most_weight * largest / 3)
        result[:, place] = np.log1p(u * (x + term))
    return np.cumsum(result, axis=0)


def guesses(
    rounds: Sequence[tuple[int, float, int]],
    arms: int,
    value_range: tuple[float, float],
    expected: Callable[[int, Any], float],
    *,
    losses: bool = False,
) -> Any:
    """What is guessed before each round of the reward of each arm, by rounds of action, reward and situation.

    Eight numbers a round: the guess's mean under the policy (which `expected` computes of values by arm) and that of
    the action of the log; then of rewards from 0, the worst, to 1 both again and the largest, 0 being guessed of arms
    that never came in the situation; and the three of 1 - reward.
    """
    (low, high), total, result = value_range, 0.0, []
    counts: dict[int, Any] = {}
    sums: dict[int, Any] = {}
    for t, (action, reward, situation) in enumerate(rounds):
        n, earned = counts.setdefault(situation, np.zeros(arms)), sums.setdefault(situation, np.zeros(arms))
        means = (earned + (total + (low + high) / 2) / (t + 1)) / (n + 1)
        above = np.clip((means - low) / (high - low), 0.0, 1.0)
        gain = np.where(n > 0, 1 - above if losses else above, 0.0)
        loss = np.where(n > 0, above if losses else 1 - above, 0.0)
        bets = [number for one in (gain, loss) for number in (expected(t, one), one[action], one.max())]
        result.append([expected(t, means), means[action], *bets])
        n[action] += 1
        earned[action] += reward
        total += reward
    return np.array(result)


def normal_ends(value: float, deviation: float, delta: float) -> Ends:
    """The ends of a mean with this standard deviation, by the normal distribution."""
    reach = NormalDist().inv_cdf(1 - delta / 2) * deviation
    return value - reach, value + reach


def deviation_of_mean(terms: Any, weights: Any = None) -> float:
    """The standard deviation of the mean of terms: by the variance of the sample, or by the delta method where they
    have weights."""
    n = len(terms)
    if weights is None:
        return sqrt(float(((terms - np.mean(terms)) ** 2).sum()) / (n - 1) / n) if n > 1 else inf
    value = float(np.average(terms, weights=weights))
    return sqrt(float((weights**2 * (terms - value) ** 2).sum())) / float(weights.sum())


def wilson_ends(p: float, n: float, delta: float) -> Ends:
    """Wilson's ends for a share p of n."""
    z = NormalDist().inv_cdf(1 - delta / 2)
    reach = z * sqrt(p * (1 - p) / n + (z / n) ** 2 / 4)
    return (p + z * z / (2 * n) - reach) / (1 + z * z / n), (p + z * z / (2 * n) + reach) / (1 + z * z / n)


def bernstein_ends(x: Any, most_weight: float, delta: float) -> Ends:
    """The ends of the mean of weighted rewards x >= 0 for a number of rounds that is fixed beforehand."""
    n, most = len(x), max(most_weight, 1.0)
    guessed = np.minimum((0.5 + np.concatenate([[0.0], np.cumsum(x)[:-1]])) / np.arange(1, n + 1), 1.0)
    squares, mean = float(((x - guessed) ** 2).sum()), float(np.mean(x))
    rates = [2 ** (-1 - k / 2) for k in range(ceil(log2(n * most + 1)) + 1)]
    psi = [-log(1 - s) - s if s > 1e-3 else s * s / 2 + s**3 / 3 + s**4 / 4 + s**5 / 5 for s in rates]
    below, above = (
        min((log(2 * len(rates) / delta) + p * squares / b**2) * b / s for s, p in zip(rates, psi, strict=True))
        for b in (1.0, most)
    )
    return mean - below / n, mean + above / n


def largest_refused(numbers: Sequence[Sequence[float]], most: float, alpha: float) -> float:
    """The largest mean at which the mean of the capitals is 1 / alpha; `numbers` are those of each rate."""
    sums = [sum(log(1 + u * x) for x in each) for u, each in zip(RATES, numbers, strict=True)]
    return mean_refused(sums, len(numbers[0]), most, alpha)


def mean_refused(sums: Any, rounds: float, most: float, alpha: float) -> float:
    """The same, by the logarithms of the capitals before they are compared with a mean."""
    low, high = 0.0, most
    for _ in range(60):
        middle = (low + high) / 2
        logs = [one - rounds * log(1 + u * middle) for u, one in zip(RATES, sums, strict=True)]
        low, high = (middle, high) if _log_of_mean(logs) >= log(1 / alpha) else (low, middle)
    return low


def confidence_sequence(increments: Sequence[float], alpha: float) -> list[tuple[float, float]]:
    """The interval of the average of conditional means of increments in [0, 1], after each of them."""
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
        if not low < middle < high:
            break
        if _log_mean(middle, variance) < log(1 / alpha):
            low = middle
        else:
            high = middle
    return high


def _log_mean(s: float, variance: float) -> float:
    powers = [rate * s - (log(1 / (1 - rate)) - rate) * variance for rate in RATES_OF_LOSSES]
    return _log_of_mean(powers)


def _log_of_mean(powers: list[float]) -> float:
    top = max(powers)
    return top + log(sum(exp(power - top) for power in powers) / len(powers))


def _policy_value(ledger: dict[str, Any], _: dict[str, Any], learner: dict[str, Any]) -> float:
    half, rounds, estimate = learner["delta"] / 2, ledger["rounds"], ledger["estimate"]
    low, high = mean_refused(ledger["gains"], rounds, 1.0, half), 1 - mean_refused(ledger["losses"], rounds, 1.0, half)
    return float(ledger["width"] * max(estimate - low, high - estimate, 0.0))


def _policy_excess(ledger: dict[str, Any], _: dict[str, Any], learner: dict[str, Any]) -> float:
    least = mean_refused(ledger["sums"], ledger["rounds"], 2.0, learner["delta"] / ledger["others"])
    return float(ledger["width"] * (1 - least))


def _excess_loss(ledger: dict[str, Any], _: dict[str, Any], learner: dict[str, Any]) -> float:
    s = largest_excess(ledger["variance"], learner["delta"])
    return float((ledger["excess"] + 2 * s) / ledger["rounds"])


def _mean_loss(ledger: dict[str, Any], _: dict[str, Any], learner: dict[str, Any]) -> float:
    return float(ledger["width"] * largest_excess(ledger["variance"], learner["delta"] / 2) / ledger["rounds"])


BOUNDS = {
    "probable": {
        "policy_value": _policy_value,
        "policy_excess": _policy_excess,
        "excess_loss": _excess_loss,
        "mean_loss": _mean_loss,
    }
}
