"""What logged rounds say of another policy: estimates of its mean reward, each with an interval.

Each takes rounds in which the log drew action a with propensity p and earned r, and in which the policy would have
drawn a with probability q; its weight there is w = q / p. A policy may change from round to round, as a learner's does,
as long as it depends on earlier rounds alone. Then the errors add up to a martingale, and what is estimated is the mean
over the rounds of what its policies would have earned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf, log, log1p, log2, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]

ENOUGH = 30  # rounds in effect, from which on an interval may be read off the normal distribution
RARE = 10  # the same for the rarer outcome, where there are two


@dataclass(frozen=True, slots=True)
class Estimate:
    """The mean reward of a round, as estimated.

    Attributes
    ----------
    value : float
        Perhaps outside the range of rewards, if weights are large.
    low, high : float
        The interval that should hold the truth with the confidence that was asked for. It is cut to the range of
        rewards, and always holds the value.
    n : int
        How many rounds it rests on.
    method : str
        Where the interval comes from.
    enough : bool
        Whether there are enough rounds for that method.
    cautious : (float, float) or None
        An interval that needs no normal distribution: it holds with that confidence for every number of rounds that is
        fixed beforehand, however small.
    assuming : str or None
        What that interval takes for granted of the log, which the log cannot show.
    """

    value: float
    low: float
    high: float
    n: int
    method: str
    enough: bool = True
    cautious: tuple[float, float] | None = None
    assuming: str | None = None

    def describe(self) -> dict[str, Any]:
        """The estimate as JSON values."""
        plain = {name: getattr(self, name) for name in ("value", "low", "high", "n", "method", "enough")}
        if self.cautious is None:
            return plain
        return plain | {"cautious": list(self.cautious), "assuming": self.assuming}


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """All that the estimates are made of; every array has a value for each logged round.

    Attributes
    ----------
    rewards, weights : ndarray
        What was earned, and w; the mean of w over the runs, if there are several.
    expected, guesses : ndarray or None
        What a model of the rewards, made from earlier rounds alone, expects of the policy, and of the logged action;
        None where the policy's probabilities of the other actions are not known.
    accepted : ndarray
        In how many runs the round was one that the policy drew too.
    runs : int
    value_range : (float, float)
        Where rewards are known to lie.
    largest : float
        What no weight could exceed.
    losses : bool
        Whether less is better.
    assuming : str or None
        What must be true for `largest` to be that.
    """

    rewards: Array
    weights: Array
    expected: Array | None
    guesses: Array | None
    accepted: Array
    runs: int
    value_range: tuple[float, float]
    largest: float
    losses: bool = False
    assuming: str | None = None

    @property
    def effective(self) -> float:
        """How many rounds of equal weights would be worth as much as these."""
        return _effective(self.weights)

    @property
    def worst(self) -> float:
        """The worst reward there can be, from which weighted ones are counted."""
        return self.value_range[1] if self.losses else self.value_range[0]


def estimates(evidence: Evidence, delta: float) -> dict[str, Estimate]:
    """The estimates by name that are made of all rounds at once, with intervals at confidence 1 - delta."""
    result = {
        "replay": replay(evidence, delta),
        "ips": inverse_propensity(evidence, delta),
        "snips": self_normalised(evidence, delta),
        "dr": doubly_robust(evidence, delta),
    }
    return {name: one for name, one in result.items() if one is not None}


def replay(evidence: Evidence, delta: float) -> Estimate | None:
    """The mean over the rounds that the policy drew as the log did; None if there is none.

    Li, Chu, Langford and Wang, WSDM 2011. Rounds are thinned so that each action of each situation remains with one
    probability; then what is accepted is distributed as what the policy would have met. The interval is Wilson's where
    there are two rewards, with as many rounds as would be worth so much if no round counted in several runs, and else
    normal. Runs share rounds, so the variance is summed by round: sum k^2 (r - v)^2 / (sum k)^2.
    """
    counts, rewards = evidence.accepted, evidence.rewards
    total = float(counts.sum())
    if not total:
        return None
    value = float((counts * rewards).sum() / total)
    effective = _effective(counts)
    n = round(total / evidence.runs)
    if _two(rewards, evidence.value_range):
        low, high = _wilson(value, effective, evidence.value_range, delta)
        return Estimate(value, low, high, n, "Wilson", True)
    deviation = sqrt(float((counts**2 * (rewards - value) ** 2).sum())) / total
    low, high = _normal(value, deviation, evidence.value_range, delta)
    return Estimate(value, low, high, n, "normal", _enough(counts, rewards, evidence.value_range))


def inverse_propensity(evidence: Evidence, delta: float) -> Estimate:
    """The mean of r0 + w (r - r0): unbiased if the policy takes no action that the log never does.

    r0 is the worst reward of the range, so that what the log never does counts as that. The interval is normal with the
    variance of the terms around their mean. For a fixed policy that is the variance of the errors, on average; for one
    that learns it is at least that only after many rounds.
    """
    terms = _weighted(evidence)
    value, deviation = _mean(terms)
    low, high = _normal(value, deviation, evidence.value_range, delta)
    enough = _enough(evidence.weights, evidence.rewards, evidence.value_range)
    return Estimate(value, low, high, len(terms), "normal", enough, cautious(evidence, delta), evidence.assuming)


def self_normalised(evidence: Evidence, delta: float) -> Estimate | None:
    """The mean of the rewards weighted by w; None if all weights are 0. Slightly biased, and never out of range.

    Its interval is normal, by the delta method: the variance is sum w^2 (r - v)^2 / (sum w)^2.
    """
    weights, rewards = evidence.weights, evidence.rewards
    total = float(weights.sum())
    if not total:
        return None
    value = float((weights * rewards).sum() / total)
    deviation = sqrt(float((weights**2 * (rewards - value) ** 2).sum())) / total
    low, high = _normal(value, deviation, evidence.value_range, delta)
    enough = _enough(weights, rewards, evidence.value_range)
    return Estimate(value, low, high, len(rewards), "normal, delta method", enough)


def doubly_robust(evidence: Evidence, delta: float) -> Estimate | None:
    """The mean of m + w (r - g), m and g being what a model expects of the policy and of the logged action; None
    without a model.

    Dudik, Langford and Li, ICML 2011. Unbiased whatever the model is, as it is made from earlier rounds alone. The
    interval is normal with the variance of the terms around their mean.
    """
    if evidence.expected is None or evidence.guesses is None:
        return None
    terms = evidence.expected + evidence.weights * (evidence.rewards - evidence.guesses)
    value, deviation = _mean(terms)
    low, high = _normal(value, deviation, evidence.value_range, delta)
    enough = _enough(evidence.weights, evidence.rewards, evidence.value_range)
    return Estimate(value, low, high, len(terms), "normal", enough)


def of_log(rewards: Array, value_range: tuple[float, float], delta: float) -> Estimate:
    """The mean reward of the policy that made the log."""
    value, deviation = _mean(rewards)
    if _two(rewards, value_range):
        low, high = _wilson(value, len(rewards), value_range, delta)
        return Estimate(value, low, high, len(rewards), "Wilson")
    low, high = _normal(value, deviation, value_range, delta)
    return Estimate(value, low, high, len(rewards), "normal", len(rewards) >= ENOUGH)


def cautious(evidence: Evidence, delta: float) -> tuple[float, float]:
    """An interval around `inverse_propensity` which holds for every number of rounds, not only for many.

    That number is fixed beforehand. Let X = w (r - low) / (high - low), of losses w (high - r) / (high - low), with
    mean mu given the rounds before, x a guess of X from these with 0 <= x <= 1, and X - x >= -1. For 0 <= s < 1 and
    any z >= -1, exp(s z - psi(s) z^2) <= 1 + s z with psi(s) = -ln(1 - s) - s (Fan, Grama and Liu 2015, as in
    Howard and others 2021), so that exp(s (X - mu) - psi(s) (X - x)^2) has mean at most (1 + s (mu - x)) exp(-s (mu
    - x)) <= 1. Its products over rounds exceed 1/alpha with probability at most alpha, so that sum mu >= sum X -
    (ln(1/alpha) + psi(s) sum (X - x)^2) / s. From above it is the same with (x - X) / B for weights of at most B.
    Both are read at the best of some rates s, each at its part of delta.
    """
    (low, high), worst = evidence.value_range, evidence.worst
    weighted, best = _weighted(evidence), low if worst == high else high
    terms = (weighted - worst) / (best - worst)
    before = np.concatenate([[0.0], np.cumsum(terms)[:-1]])
    guesses = np.minimum((0.5 + before) / np.arange(1, len(terms) + 1), 1.0)
    squares = float(((terms - guesses) ** 2).sum())
    mean = float(terms.mean())
    largest = max(evidence.largest, 1.0)
    rates = [0.5 * 2.0 ** (-step / 2) for step in range(ceil(log2(len(terms) * largest + 1)) + 1)]
    below = _excess(squares, 1.0, rates, delta / 2) / len(terms)
    above = _excess(squares, largest, rates, delta / 2) / len(terms)
    ends = worst + (best - worst) * (mean - below), worst + (best - worst) * (mean + above)
    return _holding(float(weighted.mean()), ends, evidence.value_range)


def _weighted(evidence: Evidence) -> Array:
    terms: Array = evidence.worst + evidence.weights * (evidence.rewards - evidence.worst)
    return terms


def _excess(squares: float, bound: float, rates: Sequence[float], alpha: float) -> float:
    """By how much a sum exceeds its mean at most: the least over rates of (ln(1/alpha) + psi(s) v) / s, in `bound`s."""
    variance, each = squares / bound**2, log(len(rates) / alpha)
    return bound * min((each + (-log1p(-rate) - rate) * variance) / rate for rate in rates)


def _mean(terms: Array) -> tuple[float, float]:
    """The mean, and its standard deviation."""
    deviation = sqrt(float(terms.var(ddof=1)) / len(terms)) if len(terms) > 1 else inf
    return float(terms.mean()), deviation


def _normal(value: float, deviation: float, within: tuple[float, float], delta: float) -> tuple[float, float]:
    reach = NormalDist().inv_cdf(1 - delta / 2) * deviation
    return _holding(value, (value - reach, value + reach), within)


def _wilson(value: float, n: float, within: tuple[float, float], delta: float) -> tuple[float, float]:
    """Wilson's score interval for the share of the higher of two rewards."""
    low, high = within
    share, z = (value - low) / (high - low), NormalDist().inv_cdf(1 - delta / 2)
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * sqrt(max(share * (1 - share), 0.0) / n + z * z / (4 * n * n))
    ends = low + (high - low) * (middle - reach), low + (high - low) * (middle + reach)
    return _holding(value, ends, within)


def _holding(value: float, ends: tuple[float, float], within: tuple[float, float]) -> tuple[float, float]:
    """The interval between two ends, cut to the range; a value outside of that stays in the interval all the same.

    Otherwise an interval that lies beyond the range altogether would shrink to a point.
    """
    cut = [min(max(end, within[0]), within[1]) for end in ends]
    return min(*cut, value), max(*cut, value)


def _two(rewards: Array, within: tuple[float, float]) -> bool:
    """Whether all rewards are ends of their range, as clicks are."""
    return bool(((rewards == within[0]) | (rewards == within[1])).all())


def _effective(weights: Array) -> float:
    squares = float((weights**2).sum())
    return float(weights.sum()) ** 2 / squares if squares else 0.0


def _enough(weights: Array, rewards: Array, within: tuple[float, float]) -> bool:
    """Whether there are enough rounds, and enough of either outcome if there are two, by their weights."""
    if _effective(weights) < ENOUGH:
        return False
    if not _two(rewards, within):
        return True
    higher = rewards == within[1]
    return min(_effective(weights[higher]), _effective(weights[~higher])) >= RARE
