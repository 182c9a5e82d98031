"""Prediction with expert advice: each rule for weights is a generator, and `combine` plays any of them.

A rule sees which experts are awake, answers with weights, and then sees what each expert is charged and what the mix of
them is charged; a silent expert is charged as much as the mix, so that nothing is learned about it.
"""

from collections.abc import Callable, Generator, Mapping
from itertools import count
from math import log, sqrt
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Fields = Mapping[str, Any]
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


def asked(share: float, seed: int, rounds: int) -> Array:
    """Which outcomes are asked, each with the same probability, by draws that do not depend on the rounds."""
    key = np.array([seed, 0x5E1EC8], np.uint64)
    return np.asarray(np.random.Generator(np.random.Philox(key=key)).random(rounds) < share)


def label_efficient(losses: Array, asked: Array, eta: float, epsilon: float) -> Array:
    """The weights before each round of exponential weights on the estimates losses / epsilon of the rounds that were
    asked, 0 of the others (Cesa-Bianchi, Lugosi and Stoltz); shape (rounds, experts)."""
    estimates = np.where(np.asarray(asked)[:, None], losses / epsilon, 0.0)
    before = np.cumsum(estimates, axis=0) - estimates
    scores = np.exp(-eta * (before - before.min(axis=1, keepdims=True)))
    return np.asarray(scores / scores.sum(axis=1, keepdims=True))


def adahedge(prior: Array, span: float = 0.0) -> Rule:
    """Hedge at a rate that follows the mixability gaps; of `OWN_LOSS`."""
    return hedge(prior, self_tuned(float(np.log(len(prior)))))


def randomized_majority(prior: Array, beta: float) -> Rule:
    """Hedge that multiplies the weight of an expert which errs by beta; one is drawn by weight, and followed."""
    return hedge(prior, constant(float(np.log(1 / beta))))


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


def squint(prior: Array, span: float = 0.0, *, points: int = 30) -> Rule:
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


# ---- Follow the leader, and its bound


def follow_the_leader(prior: Array, span: float = 0.0) -> Rule:
    """Weights in proportion to the prior on those with the least sum of charges, of the experts that speak."""
    losses = np.zeros(len(prior))
    while True:
        speaks = yield
        led = losses == losses[speaks].min()
        c, _ = yield restricted(np.where(led, prior, 0.0), speaks, prior)
        losses = losses + c


def _leader_changes(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    delays = np.asarray(ledger["delays"])
    cost = delays[v["expert"]] if v["expert"] is not None else np.dot(v["weights"], delays)
    return ledger["changes"] * ledger["spread"] + float(cost)


# ---- AdaNormalHedge, and its bounds


def ada_normal_hedge(prior: Array, span: float = 0.0) -> Rule:
    """Weights (Phi(R + 1, C + 1) - Phi(R - 1, C + 1)) / 2, Phi(R, C) = exp(max(R, 0)^2 / 3C), in units of the span."""
    regret, sizes, largest = np.zeros(len(prior)), np.zeros(len(prior)), span
    while True:
        speaks = yield
        R, C = (regret / largest, sizes / largest) if largest > 0 else (regret, sizes)
        more, less = (np.maximum(R + one, 0) ** 2 / (3 * (C + 1)) for one in (1, -1))
        base = more[speaks].max()
        w = np.exp(more - base) - np.exp(less - base)
        c, h = yield restricted(prior * w if largest > 0 else prior, speaks, prior)
        r = h - c
        regret, sizes = regret + r, sizes + np.abs(r)
        largest = max(largest, float(np.abs(r).max()))


def _mixture(v: dict[str, Any], w: dict[str, Any]) -> Any:
    """The comparator as weights."""
    if v["expert"] is None:
        return np.asarray(v["weights"])
    return np.eye(w["experts"])[v["expert"]]


def _information(u: Array, prior: Array) -> float:
    return float(sum(a * np.log(a / b) for a, b in zip(u, prior, strict=True) if a > 0))


def _normal_hedge_posterior(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    u = _mixture(v, w)
    differed = np.asarray(ledger["drags"]) > 0
    return np.sqrt(
        sum(u[differed] / np.asarray(w["rates"])[differed]) * (_information(u, w["prior"]) + w["log_potential"])
    )


def _normal_hedge_sizes(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    u, s, C = _mixture(v, w), w["span"], np.asarray(ledger["drags"])
    potential = 1 + sum(w["prior"] * (np.log(1 + C / s) + C / (s + C))) / 2
    return np.sqrt(3 * s * (u @ C) * (_information(u, w["prior"]) + np.log(potential)))


def _normal_hedge_prior(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    t = ledger["rounds"]
    potential = 1 + (np.log(1 + t) + t / (1 + t)) / 2
    return w["span"] * np.sqrt(3 * t * (_information(_mixture(v, w), w["prior"]) + np.log(potential)))


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
        numbers = np.where(speaks, a, 0.0)
        prediction = float(p @ numbers)
        own = loss(numbers, y) if slope is None else slope(prediction, y) * (numbers - prediction)
        h = float(loss(prediction, y)) if itself else float(p @ np.where(speaks, own, 0.0))
        rule.send((np.where(speaks, own, h), h))
        predictions.append(prediction)
        paid += float(loss(prediction, y))
        history.append(p)
    return np.array(predictions), paid, np.array(history)


# ---- Losses so curved that the regret stays constant: Vovk's aggregating algorithm, and his forecaster in linear form


def aggregating(advice: Array, outcomes: Array, low: float, high: float) -> tuple[Array, Array]:
    """Predictions and final weights for the square loss of numbers in [low, high], every expert speaking.

    The prediction does at least as well as the mix of the experts' losses at either end, and so in between.
    """
    eta = 2 / (high - low) ** 2
    losses, predictions = np.zeros(advice.shape[1]), []
    for forecasts, y in zip(advice, outcomes, strict=True):
        p = np.exp(-eta * (losses - losses.min()))
        at_low, at_high = (-np.log(p / p.sum() @ np.exp(-eta * (forecasts - end) ** 2)) / eta for end in (low, high))
        predictions.append((low + high) / 2 + (at_low - at_high) / (2 * (high - low)))
        losses = losses + (forecasts - y) ** 2
    p = np.exp(-eta * (losses - losses.min()))
    return np.array(predictions), p / p.sum()


def ridge(advice: Array, outcomes: Array, a: float) -> tuple[Array, Array]:
    """Predictions and final weights of Vovk, Azoury and Warmuth's forecaster: the present round counts as a zero."""
    gram, cross, predictions = a * np.eye(advice.shape[1]), np.zeros(advice.shape[1]), []
    for x, y in zip(advice, outcomes, strict=True):
        gram = gram + np.outer(x, x)
        predictions.append(x @ np.linalg.solve(gram, cross))
        cross = cross + y * x
    return np.array(predictions), np.linalg.solve(gram, cross)


# ---- Littlestone and Warmuth's weighted majority


def weighted_majority(advice: Array, labels: Array, beta: float, always: bool = False) -> tuple[int, Array, Array]:
    """Mistakes, predictions and final weights; advice and labels in {0, 1}, a tie predicts 1.

    Experts that err are multiplied by beta in the rounds in which the majority errs, or in all of them.
    """
    weights, mistakes, predictions = np.ones(advice.shape[1]), 0, []
    for votes, label in zip(advice, labels, strict=True):
        predictions.append(int(weights[votes == 1].sum() >= weights[votes == 0].sum()))
        mistakes += predictions[-1] != label
        if always or predictions[-1] != label:
            weights = np.where(votes != label, weights * beta, weights)
    return mistakes, np.array(predictions), weights


# ---- Intervals around forecasts that hold on any sequence, and their bounds


def adaptive_intervals(scores: Array, alpha: float = 0.1, gamma: float = 0.02, window: int = 500) -> Array:
    """Gibbs and Candes: half the width of each round's interval around its forecast, of the scores |y - p|; -1 where it
    is empty."""
    widths = np.empty(len(scores))
    for t in range(len(scores)):
        a = alpha + gamma * (alpha * t - np.sum(scores[:t] > widths[:t]))
        last = np.sort(scores[max(0, t - window) : t])
        rank = int(np.ceil((1 - a) * (len(last) + 1)))
        widths[t] = np.inf if a <= 0 or rank > len(last) else -1.0 if a >= 1 else last[rank - 1]
    return widths


def quantile_tracker(scores: Array, alpha: float = 0.1, c: float = 0.01) -> Array:
    """The same by steps of c times the largest score so far; below 0 where it is empty."""
    widths, q = np.empty(len(scores)), 0.0
    for t, score in enumerate(scores):
        widths[t] = q
        q += c * scores[: t + 1].max() * ((score > q) - alpha)
    return widths


def decaying_tracker(scores: Array, alpha: float, c: float, decay: float, late: int = 0) -> tuple[Array, float]:
    """The same by steps of c times the largest score so far, over a power of the rounds since the first score above 0;
    and the bound on T times the coverage error with so many outcomes late at once."""
    widths, q, t, steps, sizes = np.empty(len(scores)), 0.0, 0, [], []
    for place, score in enumerate(scores):
        widths[place] = q
        largest = scores[: place + 1].max()
        if largest > 0:
            t += 1
            steps.append(c * largest * t**-decay)
            sizes.append(largest)
            q += steps[-1] * ((score > widths[place]) - alpha)
    if not steps:
        return widths, alpha * len(scores)
    e, K = np.array(steps), np.array(sizes) + (1 + late) * np.maximum.accumulate(steps)
    grew = np.flatnonzero(np.diff(e) > 0)
    s = grew[-1] + 1 if len(grew) else 0
    V = np.sum(K[:s] * np.abs(1 / e[:s] - 1 / e[1 : s + 1]))
    return widths, float(K[-1] / e[-1] + V + alpha * (len(scores) - t))


def _decaying_coverage(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    K_T, V = (
        w["reach"] + (1 + ledger["outstanding"]) * w["longest"],
        w["varied"] + (1 + ledger["outstanding"]) * w["late"],
    )
    return (K_T + V + ledger["alpha"] * ledger["zero"]) / ledger["rounds"]


def _adaptive_coverage(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    return (max(w["start"], 1 - w["start"]) / w["gamma"] + 1 + ledger["outstanding"]) / ledger["rounds"]


def _tracker_coverage(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    K = 1 / w["c"] + 1 + ledger["outstanding"]
    return (K + K * ledger["growth"] + ledger["alpha"] * ledger["zero"]) / ledger["rounds"]


# Rules that are charged the loss of the prediction, and not the mix of the experts' losses.
OWN_LOSS = (adahedge,)
# Algorithms that solve systems, so that rounding in their rows is not small in their predictions.
SOLVES = (ridge,)


# ---- The run of a report, played again with its settings. Forecasters predict from the whole table: None where it has
# ---- settings that they have not


def log_loss(a: Array, y: Array, _: float = 0.0) -> Array:
    return np.where(y > 0, -y * np.log(a), 0.0) + np.where(y < 1, -(1 - y) * np.log1p(-a), 0.0)


def _majority(parameters: Fields, prior: Array, advice: Array, outcomes: Array, loss: str) -> Array | None:
    always = parameters["update_on"] == "always"
    return weighted_majority(advice, outcomes, parameters["beta"], always)[1]


def _ridge(parameters: Fields, prior: Array, advice: Array, outcomes: Array, loss: str) -> Array | None:
    """Around the average it is the forecaster of what the average leaves."""
    middle = advice @ prior if parameters["around"] == "average" else np.zeros(len(advice))
    return np.asarray(middle + ridge(advice, outcomes - middle, parameters["a"])[0])


def _aggregating(parameters: Fields, prior: Array, advice: Array, outcomes: Array, loss: str) -> Array | None:
    """Of the log loss it is Bayes' mixture."""
    if loss == "log":
        bayes = hedge(prior, constant(1.0))
        return combine(bayes, advice, outcomes, lambda a, y: log_loss(a, y))[0]
    low, high = parameters["value_range"]
    return aggregating(advice, outcomes, low, high)[0] if parameters["prior"] is None else None


FORECASTERS: dict[Callable[..., Any], Callable[..., Array | None]] = {
    weighted_majority: _majority,
    ridge: _ridge,
    aggregating: _aggregating,
}


# ---- Rules take this besides the prior; one that is not in the table takes it by the names in its signature


def _rate(experts: int, span: float, parameters: Fields) -> tuple[Any, ...]:
    if parameters["eta"] is not None:
        return (constant(parameters["eta"]),)
    if parameters["horizon"] is not None:
        return (constant(sqrt(8 * log(experts) / parameters["horizon"]) / span),)
    return (anytime(experts, span),)


def _factor(experts: int, span: float, parameters: Fields) -> tuple[Any, ...]:
    beta = parameters["beta"]
    return (max(0.5, 1 - sqrt(log(experts) / parameters["horizon"])) if beta is None else beta,)


def _share(experts: int, span: float, parameters: Fields) -> tuple[Any, ...] | None:
    alpha, eta = parameters["alpha"], parameters["eta"]
    if parameters["horizon"] is not None:
        return None
    return self_tuned(log(experts / alpha)) if eta is None else constant(eta), alpha


SETTINGS: dict[Callable[..., Any], Callable[[int, float, Fields], tuple[Any, ...] | None]] = {
    hedge: _rate,
    randomized_majority: _factor,
    fixed_share: _share,
}


# The second formulas of the theorems about these, by their kind.
BOUNDS = {
    "sure": {
        "leader_changes": _leader_changes,
        "normal_hedge_posterior": _normal_hedge_posterior,
        "normal_hedge_sizes": _normal_hedge_sizes,
        "normal_hedge_prior": _normal_hedge_prior,
        "adaptive_coverage": _adaptive_coverage,
        "tracker_coverage": _tracker_coverage,
        "decaying_coverage": _decaying_coverage,
    }
}
