"""Prediction with expert advice: each rule for weights is a generator, and `combine` plays any of them.

A rule sees which experts are awake, answers with weights, and then sees what each expert is charged and what the mix of
them is charged; a silent expert is charged as much as the mix, so that nothing is learned about it.
"""

from collections.abc import Callable, Generator
from itertools import count
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Rule = Generator[Any, Any, None]
Rate = Callable[[int, float, float], float]  # of the round, the largest spread and the sum of the gaps


def restricted(weights: Array, speaks: Array, prior: Array) -> Array:
    """Weights of the awake experts, summing to one; their prior weights if all of them are zero."""
    w = np.where(speaks, weights, 0.0)
    w = w if w.sum() > 0 else np.where(speaks, prior, 0.0)
    shares: Array = w / w.sum()
    return shares


def tempered(prior: Array, eta: float, losses: Array, speaks: Array) -> Array:
    """prior * exp(-eta * losses), scaled; at an infinite rate the prior weights of the smallest losses alone."""
    excess = losses - losses[speaks].min()
    with np.errstate(invalid="ignore", over="ignore"):
        factor = np.where(excess == 0, 1.0, np.exp(-eta * excess))
    return restricted(prior * np.where(speaks, factor, 0.0), speaks, prior)


def mix_loss(p: Array, eta: float, c: Array) -> float:
    """-ln(sum p exp(-eta c)) / eta, and the smallest charge at an infinite rate."""
    least = c[p > 0].min()
    return float(least if eta == np.inf else least - np.log(p @ np.exp(-eta * (c - least))) / eta)


def tempered_mix_loss(prior: Array, eta: float, losses: Array, c: Array) -> float:
    """The same for the tempered weights, none of which counts as zero: a leader by the last digit hides no loss."""
    excess = losses - losses.min()
    least = float((excess + c).min())
    if eta == np.inf:
        return least
    ratio = (prior @ np.exp(-eta * (excess + c - least))) / (prior @ np.exp(-eta * excess))
    return least - float(np.log(ratio)) / eta


def constant(eta: float) -> Rate:
    """The same rate in every round."""
    return lambda t, spread, gaps: eta


def anytime(n: int, span: float = 0.0) -> Rate:
    """2 sqrt(ln n / t) over the span of the charges, or over their largest spread so far if none is declared."""
    return lambda t, spread, gaps: 2 * np.sqrt(np.log(n) / t) / (span or spread) if (span or spread) else np.inf


def self_tuned(numerator: float) -> Rate:
    """AdaHedge's rate: as much over the sum of the mixability gaps so far."""
    return lambda t, spread, gaps: numerator / gaps if gaps > 0 else np.inf


def hedge(prior: Array, rate: Rate) -> Rule:
    """Exponential weights of the summed charges."""
    losses, spread, gaps = np.zeros(len(prior)), 0.0, 0.0
    for t in count(1):
        speaks = yield
        eta = rate(t, spread, gaps) if len(prior) > 1 else 1.0
        p = tempered(prior, eta, losses, speaks)
        c, h = yield p
        gaps += max(0.0, h - tempered_mix_loss(prior, eta, losses, c))
        spread = max(spread, float(np.ptp(c[speaks])))
        losses = losses + c


def fixed_share(prior: Array, rate: Rate, alpha: float) -> Rule:
    """Hedge from round to round, after each of which a share alpha of the weights is dealt out again."""
    u, spread, gaps = prior.copy(), 0.0, 0.0
    for t in count(1):
        speaks = yield
        eta = rate(t, spread, gaps) if len(prior) > 1 else 1.0
        c, h = yield restricted(u, speaks, prior)
        gaps += max(0.0, h - mix_loss(u, eta, c))
        spread = max(spread, float(np.ptp(c[speaks])))
        u = (1 - alpha) * tempered(u, eta, c, np.ones(len(u), bool)) + alpha * prior


def ml_poly(prior: Array, span: float = 0.0) -> Rule:
    """Weights in proportion to the positive part of the regret, each expert with a rate of its own."""
    regret, squares, largest = np.zeros(len(prior)), np.zeros(len(prior)), span**2
    while True:
        speaks = yield
        slack = largest + squares
        c, h = yield restricted(prior * np.maximum(regret, 0) / np.where(slack > 0, slack, 1.0), speaks, prior)
        r = h - c
        regret, squares = regret + r, squares + r * r
        largest = max(largest, float((r * r).max()))


def second_order(prior: Array, gain: Callable[[Array, Array], Array], span: float = 0.0) -> Rule:
    """Weights prior * eta * exp(eta * G) with a rate of its own for each expert, where G sums `gain(eta, r)`."""
    n, largest, k = len(prior), span, np.log(max(len(prior), 2))
    gains, squares = np.zeros(n), np.zeros(n)

    def rates() -> Array:
        slow: Array = np.sqrt(k / (largest**2 + squares))
        return np.minimum(1 / (2 * largest), slow)

    while True:
        speaks = yield
        eta = rates() if largest > 0 else np.ones(n)
        power = np.where(speaks, eta * gains, -np.inf)
        c, h = yield restricted(prior * eta * np.exp(power - power.max()), speaks, prior)
        r = h - c
        largest = max(largest, float(np.abs(r).max()))
        if largest > 0:
            gains, squares = gains + gain(rates(), r), squares + r * r


def ml_prod(prior: Array, span: float = 0.0) -> Rule:
    """Products of 1 + eta r."""
    return second_order(prior, lambda eta, r: np.log1p(eta * r) / eta, span)


def boa(prior: Array, span: float = 0.0) -> Rule:
    """Bernstein online aggregation: regret less eta times its square."""
    return second_order(prior, lambda eta, r: r - eta * r * r, span)


def squint(prior: Array, span: float = 0.0, points: int = 30) -> Rule:
    """A prior on rates as well: weights sum exp(eta R - eta^2 V) over a grid of rates that halve."""
    n, j = len(prior), np.arange(points)
    masses, regret, squares = 1 / ((j + 1.0) * (j + 2.0)), np.zeros(n), np.zeros(n)
    first, largest = span, span
    while True:
        speaks = yield
        if first > 0:
            etas = 0.5**j / (2 * first)
            active = etas * 2 * largest <= 1
            power = np.outer(regret, etas) - np.outer(squares, etas**2) + np.log(masses * etas)
            power = np.where(active & speaks[:, None], power, -np.inf)
            w = np.exp(power - power.max()).sum(1)
        c, h = yield restricted(prior * w if first > 0 else prior, speaks, prior)
        r = h - c
        regret, squares = regret + r, squares + r * r
        largest = max(largest, float(np.abs(r).max()))
        if largest > (first or 0) * 2.0 ** (points - 1):  # no rate is left, or there was none yet
            first = 2.0 ** np.ceil(np.log2(largest))


def combine(
    rule: Rule,
    advice: Array,
    outcomes: Array,
    loss: Callable[[Any, Any], Any],
    slope: Callable[[float, float], float] | None = None,
    *,
    itself: bool = False,
) -> tuple[Array, float, Array]:
    """Predictions, the loss paid, and the weights of every round; missing advice is nan.

    With a slope, experts are charged slope(prediction) * (advice - prediction) in place of their losses: the learner
    then competes with the best convex combination. With `itself`, the rule is charged the loss of the prediction, which
    for a convex loss is no larger than the mix of the experts' losses: so AdaHedge is.
    """
    predictions, paid, history = [], 0.0, []
    next(rule)
    for a, y in zip(advice, outcomes, strict=True):
        speaks = ~np.isnan(a)
        p = rule.send(speaks)
        said = np.where(speaks, a, 0.0)
        prediction = float(p @ said)
        own = loss(said, y) if slope is None else slope(prediction, y) * (said - prediction)
        h = float(loss(prediction, y)) if itself else float(p @ np.where(speaks, own, 0.0))
        rule.send((np.where(speaks, own, h), h))
        predictions.append(prediction)
        paid += float(loss(prediction, y))
        history.append(p)
    return np.array(predictions), paid, np.array(history)


# Rules with a rate for each expert, or without one, by the name of their combiner; other pages have such a table too.
COMBINERS = {"ml-poly": ml_poly, "ml-prod": ml_prod, "boa": boa, "squint": squint}
