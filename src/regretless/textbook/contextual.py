"""Bandits that draw by features, as papers print them: one regression an arm, and a rule for the probabilities."""

from __future__ import annotations

from collections.abc import Callable
from math import erf, sqrt
from typing import Any

import numpy as np

from .regression import charged, inverse_of, vaw

Array = np.ndarray[Any, Any]
Facts = dict[str, Any]
# What begins an arm of so many columns, what it thinks of a row, how it learns a loss, and what a forecast is charged.
Regression = tuple[Callable[..., Any], Callable[..., Any], Callable[..., None], Callable[..., Any]]
# Of what is thought of the arms that can be drawn, their probabilities and what theorems take from the rule.
Rule = Callable[[Facts], tuple[Array, Facts]]


def epsilon_greedy(forecasts: Array, epsilon: float) -> Array:
    """epsilon / K for each arm, the rest for those that are expected to lose least."""
    best = forecasts == min(forecasts)
    return np.asarray(epsilon / len(forecasts) + (1 - epsilon) * best / sum(best))


def square_cb(forecasts: Array, gamma: float) -> Array:
    """1 / (lambda + 2 gamma gap), lambda such that they add up to 1 (Foster & Rakhlin 2020)."""
    gaps, least, most = forecasts - min(forecasts), 1.0, float(len(forecasts))
    while least < (middle := (least + most) / 2) < most:
        least, most = (middle, most) if sum(1 / (middle + 2 * gamma * gaps)) > 1 else (least, middle)
    return np.asarray(1 / (most + 2 * gamma * gaps))


def fast_cb(forecasts: Array, gamma: float) -> Array:
    """f_b / (K f_b + gamma (f - f_b)), b the least, which has the rest (Foster & Krishnamurthy 2021)."""
    best = int(np.argmin(forecasts))
    p = forecasts[best] / (len(forecasts) * forecasts[best] + gamma * (forecasts - forecasts[best]))
    p[best] = 0
    p[best] = 1 - sum(p)
    return np.asarray(p)


def price_of_triangles(forecasts: Array, p: Array, gamma: float) -> float:
    """The most that sum p (y - y_j) is above gamma sum p (f - y)^2 / (f + y), over y >= 0 and j: at its maximiser."""
    most = []
    for j in range(len(p)):
        pull = np.where(np.arange(len(p)) == j, 1 - 1 / p, 1.0)
        y = forecasts * np.maximum(0, 2 * np.sqrt(gamma / (gamma - pull)) - 1)
        most.append(sum(p * (pull * y - gamma * (forecasts - y) ** 2 / (forecasts + y))))
    return float(max(most))


def lin_ucb(means: Array, deviations: Array, width: float) -> Array:
    """The arm with the least mean less its width; all of them alike, where several have it."""
    least = means - width * deviations
    return np.asarray((least == min(least)) / sum(least == min(least)))


def exceeds(z: Array) -> Array:
    """How likely a normal number is to be above z."""
    return np.array([0.5 - 0.5 * erf(one / sqrt(2)) for one in z.tolist()])


def lin_thompson(
    means: Array,
    deviations: Array,
    width: float,
    parts: int = 1000,
    reach: float = 9.0,
    above: Callable[[Array], Array] = exceeds,
) -> Array:
    """Of independent normal numbers with these means, how likely each is the least: an integral by the midpoint rule,
    of the density of one and what the others have above."""
    scales = width * deviations + 1e-9
    line = np.linspace(min(means - reach * scales), min(means + reach * scales), parts + 1)
    tails = np.array([above((line - m) / s) for m, s in zip(means, scales, strict=True)])
    middles, inside = (tails[:, 1:] + tails[:, :-1]) / 2, np.maximum(tails[:, :-1] - tails[:, 1:], 0)
    shares = [np.sum(inside[a] * np.prod(np.delete(middles, a, 0), axis=0)) for a in range(len(means))]
    return np.asarray(np.array(shares) / sum(shares))


def nearly_exceeds(z: Array) -> Array:
    """The same to eight digits (Abramowitz & Stegun 26.2.17), as the run of a report has it."""
    t = 1 / (1 + 0.2316419 * abs(z))
    series = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    tail = 0.3989422804014327 * np.exp(-z * z / 2) * series
    return np.where(z > 0, tail, 1 - tail)


def ellipsoid(x: Array, A: Array, prior: Array, delta: float, arms: int, length: float) -> float:
    """How far <w, x> may be from the mean loss, with probability 1 - delta for all arms: Abbasi-Yadkori, Pal &
    Szepesvari 2011, Thm 2, with R = 1/2; `length` is that of the mean losses' weights by the prior."""
    growth = np.linalg.slogdet(A)[1] - np.sum(np.log(prior))
    radius = 0.5 * np.sqrt(growth + 2 * np.log(arms / delta)) + length
    return float(radius * np.sqrt(x @ np.linalg.solve(A, x)))


# ---- The regression of an arm: what it has learned, and what it thinks of a row x that may be larger than all before


Arm = dict[str, Any]


def ridge(prior: float, sizes: Array | None = None) -> Regression:
    """Vovk, Azoury and Warmuth's forecaster, measured from 1/2, with features of declared sizes or of the largest so
    far; of a row it says the forecast, ridge regression, x' A^-1 x and by how much ln det A has grown."""

    def begin(d: int) -> Arm:
        M, H = np.zeros(d) if sizes is None else sizes, np.zeros((d, d))
        arm: Arm = {"M": M, "H": H, "b": np.zeros(d), "inverse": inverse_of(H, M, prior)}
        return arm | {"squares": 0.0, "least": 0.0, "growth": 0.0}

    def think(arm: Arm, x: Array) -> tuple[float, ...]:
        M = np.maximum(arm["M"], abs(x))
        A = arm["inverse"] if (arm["M"] == M).all() else inverse_of(arm["H"], M, prior)
        mean, h = float(arm["b"] @ A @ x), float(x @ A @ x)
        return min(max(0.5 + mean / (1 + h), 0.0), 1.0), 0.5 + mean, h, arm["growth"]

    def learn(arm: Arm, x: Array, loss: float) -> None:
        z = loss - 0.5
        arm["M"], arm["H"] = np.maximum(arm["M"], abs(x)), arm["H"] + np.outer(x, x)
        arm["b"], arm["squares"] = arm["b"] + z * x, arm["squares"] + z * z
        arm["inverse"] = inverse_of(arm["H"], arm["M"], prior)
        arm["least"] = float(arm["squares"] - arm["b"] @ arm["inverse"] @ arm["b"])
        seen = arm["M"] > 0
        start = prior * arm["M"][seen] ** 2
        arm["growth"] = float(np.linalg.slogdet(arm["H"][np.ix_(seen, seen)] / start + np.eye(len(start)))[1])

    return begin, think, learn, lambda f, loss: (f - loss) ** 2


def odds(norm: float = 1.0) -> Regression:
    """Of a row 1 / (1 + exp(-s)), s by dual averagings of four rates and AdaHedge on log losses: rates that are divided
    by the range of scores, from -8 to 8."""

    def begin(d: int) -> Arm:
        arm = {name: np.zeros(d) for name in ("M", "squares", "count", "N")}
        arm |= {name: np.zeros((len(RATES), d)) for name in ("G", "S")}
        return arm | {name: np.zeros(len(RATES)) for name in ("L", "linear")} | {"mix": BEGUN, "least": 0.0}

    def sizes(arm: Arm, x: Array) -> Arm:
        M, squares, count = np.maximum(arm["M"], abs(x)), arm["squares"] + x * x, arm["count"] + (x != 0)
        larger = squares > arm["N"] ** 2 * count
        N = np.where(larger, np.sqrt(squares / np.maximum(count, 1)), arm["N"])
        return {"M": M, "squares": squares, "count": count, "N": N}

    def scores(arm: Arm, x: Array) -> Array:
        own = sizes(arm, x)
        metric = own["N"] * np.sqrt(arm["S"] + own["M"] ** 2)
        each = np.cumsum(arm["G"] * x / np.where(metric > 0, metric, 1), axis=1)[:, -1]
        return np.asarray(np.clip(each * RATES, -8, 8))

    def think(arm: Arm, x: Array) -> tuple[float, ...]:
        shares = mixture(arm["L"], arm["mix"])[0]
        return float(1 / (1 + np.exp(-(shares @ scores(arm, x))))), 0.0, 0.0, 0.0

    def learn(arm: Arm, x: Array, loss: float) -> None:
        s = scores(arm, x)
        g = 1 / (1 + np.exp(-s)) - loss
        arm["mix"] = mixed(arm["L"], arm["mix"], s, loss)
        arm |= sizes(arm, x)
        arm["L"], arm["linear"] = arm["L"] + charged(s, loss, "logistic", 0.0), arm["linear"] + g * s
        arm["G"], arm["S"] = arm["G"] - np.outer(g, x), arm["S"] + np.outer(g, x) ** 2
        steepest = np.sqrt(np.sum((arm["G"] / np.where(arm["M"] > 0, arm["M"], 1)) ** 2, axis=1))
        # The loss is convex: that of no vector of this norm is less than a member's by more than its slopes say.
        arm["least"] = float(np.max(arm["L"] - arm["linear"] - norm * steepest))

    return begin, think, learn, lambda f, loss: -loss * np.log(f) - (1 - loss) * np.log(1 - f)


RATES = np.array([0.1, 0.4, 1.6, 6.4])
Mix = tuple[int, Array, float, float]  # the round that comes, the logarithms of weights, the rate and the gap
BEGUN: Mix = (1, np.full(len(RATES), -np.log(len(RATES))), 0.0, 0.0)


def mixture(L: Array, before: Mix) -> tuple[Array, Array, float]:
    """AdaHedge's weights of members with losses L, their logarithms and the rate, of the round that comes."""
    t, log_pi, eta, gap = before
    if gap <= 0:
        return (L.min() == L) / np.sum(L.min() == L), log_pi, eta
    rate = float(np.log(len(L)) + np.log(t)) / gap
    log_pi = -rate * (L - L.min()) if eta == 0 else log_pi * min(1.0, rate / eta)
    log_pi = log_pi - np.logaddexp.reduce(log_pi)
    return np.exp(log_pi), log_pi, rate if eta == 0 else min(eta, rate)


def mixed(L: Array, before: Mix, s: Array, loss: float) -> Mix:
    """What it goes on from once members with these scores have lost."""
    (pi, log_pi, eta), (t, _, _, gap) = mixture(L, before), before
    losses = charged(s, loss, "logistic", 0.0)
    if eta == 0:
        mix = (L + losses).min() - L.min()
    else:
        mix = -np.logaddexp.reduce(log_pi - eta * losses) / eta
        log_pi = log_pi - eta * (losses - mix)
        log_pi = np.log((1 - 1 / (t + 1)) * np.exp(np.minimum(log_pi, 0)) + 1 / ((t + 1) * len(L)))
    return t + 1, log_pi, eta, gap + max(0.0, float(charged(pi @ s, loss, "logistic", 0.0)) - mix)


# ---- The run: of rows, losses of all arms, and numbers between 0 and 1 to draw by; or of what others drew


def explored(
    X: Array,
    losses: Array,
    rule: Rule,
    regression: Regression,
    numbers: Array | None = None,
    taken: Array | None = None,
    there: Array | None = None,
) -> dict[str, Any]:
    """What was drawn, or `taken`, from among the arms that are `there`; the probabilities and the forecasts of all
    arms, and what each rule adds up, in every decision. `near` is how far the numbers were from another draw."""
    begin, think, learn, charge = regression
    (T, K), d = losses.shape, X.shape[1]
    arms, s = [begin(d) for _ in range(K)], {"error": 0.0, "gamma": 0.0, "price": 0.0, "reach": 0.0, "near": 1.0}
    drawn, p, f = np.zeros(T, int), np.zeros((T, K)), np.zeros((T, K))
    for t, x in enumerate(X):
        thought = np.array([think(arm, x) for arm in arms])
        among = np.arange(K) if there is None else np.flatnonzero(there[t])
        seen = dict(zip(("f", "m", "h", "growth"), thought[among].T, strict=True))
        least = sum(arm["least"] for arm in arms)
        missed = max(0.0, s["error"] - least) + (0 if taken is None else t)
        shares, more = rule(seen | {"t": t + 1, "missed": missed, "gamma": s["gamma"]})
        f[t], p[t, among] = thought[:, 0], shares
        s |= {"price": s["price"] + more.get("price", 0.0), "reach": s["reach"] + more.get("reach", 0.0)}
        s["gamma"] = more.get("gamma", 0.0)
        if taken is None and numbers is not None:
            ends = np.cumsum(shares)
            s["near"] = min(s["near"], float(abs(ends[:-1] - numbers[t]).min(initial=1.0)))
            drawn[t] = among[min(int(np.sum(ends <= numbers[t])), int(np.flatnonzero(shares > 0)[-1]))]
            s["error"] += float(charge(f[t, drawn[t]], losses[t, drawn[t]]))
        elif taken is not None:
            drawn[t] = taken[t]
        learn(arms[drawn[t]], x, losses[t, drawn[t]])
    return s | {"choices": drawn, "chances": p, "forecasts": f, "least": sum(arm["least"] for arm in arms)}


# ---- The run of a report, played again: the rule and the regression, with the settings of the report, of K arms


def regression_of(rule: Any, twin: Any, w: Facts, own: Facts) -> tuple[Regression, float] | None:
    """The regression of a rule, or the one that a bandit was given, by its twin and its own settings, and the size of
    its constant feature; None where it is none of those above."""
    if rule is fast_cb:
        return odds(float(w["norm"])), 1.0
    if twin is not vaw or own["matrix"] != "full":
        return None
    constant, columns = float(own["intercept"]), int(w["columns"])
    declared = None if w.get("size") is None else np.full(columns, float(w["size"]))
    sizes = declared if declared is None or not constant else np.append(0.0, declared)
    return ridge(float(own["prior"]), sizes), constant


def _by_epsilon(w: Facts, K: int) -> Rule:
    return lambda s: (epsilon_greedy(s["f"], float(w["epsilon"])), {})


def _by_gaps(w: Facts, K: int) -> Rule:
    scale = 10.0 * K if w["scale"] is None else float(w["scale"])

    def rule(s: Facts) -> tuple[Array, Facts]:
        gamma, n = scale * sqrt(s["t"]), len(s["f"])
        if w["schedule"] == "theorem":
            gamma = max(s["gamma"], sqrt((n - 1) * s["t"] / (s["missed"] + K - np.log(w["delta"]))))
        p = square_cb(s["f"], gamma)
        return p, {"gamma": gamma, "price": (2 * n - 1 - 1 / max(p)) / (4 * gamma) if gamma > 0 else 0.0}

    return rule


def _by_ratios(w: Facts, K: int) -> Rule:
    def rule(s: Facts) -> tuple[Array, Facts]:
        gamma = max(2.0, float(w["scale"]) * sqrt(s["t"]))
        p = fast_cb(s["f"], gamma)
        return p, {"gamma": gamma, "price": price_of_triangles(s["f"], p, gamma)}

    return rule


def _by_intervals(w: Facts, K: int, shares: Callable[[Array, Array, Any], Array]) -> Rule:
    """By the widths of a setting, or of ellipsoids, which the theorem has."""
    doubt, own = 2 * (np.log(K) - np.log(w["delta"])), float(w["width"])

    def rule(s: Facts) -> tuple[Array, Facts]:
        radii = 0.5 * np.sqrt(s["growth"] + doubt) + sqrt(w["prior"]) * w["norm"]
        deviations = np.sqrt(np.maximum(s["h"], 0))
        p = shares(s["m"], deviations, own if own > 0 else radii)
        upper, lower = np.minimum(s["m"] + radii * deviations, 1), s["m"] - radii * deviations
        return p, {"reach": float(p @ upper) - max(0.0, min(1.0, float(min(lower))))}

    return rule


def _as_likely(means: Array, deviations: Array, width: Any) -> Array:
    return lin_thompson(means, deviations, width, 64, 5.5, nearly_exceeds)


PLAYS: dict[Callable[..., Any], Callable[[Facts, int], Rule]] = {
    epsilon_greedy: _by_epsilon,
    square_cb: _by_gaps,
    fast_cb: _by_ratios,
    lin_ucb: lambda w, K: _by_intervals(w, K, lin_ucb),
    lin_thompson: lambda w, K: _by_intervals(w, K, _as_likely),
}


# ---- Bounds


def _observable(ell: Facts, _: Facts, w: Facts) -> Any:
    """max_a min_g of what was lost while a was awake, less its estimate, plus ln(G K / delta) / (2 g)."""
    if w["arms"] == 1:
        return 0.0
    each = [
        ell["loss"]
        + (ell["rounds"] - ell["settled"])
        - np.asarray(ell["missed"])
        - np.asarray(estimates)
        + np.log(len(w["implicit"]) * w["arms"] / w["delta"]) / (2 * g)
        for g, estimates in zip(w["implicit"], ell["estimates"], strict=True)
    ]
    return w["width"] * np.max(np.min(each, axis=0))


def _against_policies(ell: Facts, _: Facts, w: Facts) -> Any:
    """max_pi min_g of what was lost, less the policy's estimate, plus ln(G P / delta) / (2 g)."""
    G, P = len(w["implicit"]), len(ell["advised"][0])
    lost = ell["loss"] + ell["rounds"] - ell["settled"]
    each = [
        [lost - estimate + (np.log(G * P) - np.log(w["delta"])) / (2 * g) for estimate in estimates]
        for g, estimates in zip(w["implicit"], ell["advised"], strict=True)
    ]
    return w["width"] * max(min(column) for column in zip(*each, strict=True))


def _realised(ell: Facts, _: Facts, w: Facts) -> Any:
    """The price of exploring, and gamma times what the forecasts may miss the mean losses by."""
    excess = ell["error"] - (w["least"] - w["penalty"]) + (ell["rounds"] - ell["settled"])
    etas = 2.0 ** -np.arange(5)
    missed = min((etas * excess + np.log(5) - np.log(w["delta"])) / -np.expm1(etas * etas / 2 - etas))
    return w["width"] * (ell["price"] + ell["gamma"] * max(missed, 0.0))


def _realised_fast(ell: Facts, _: Facts, w: Facts) -> Any:
    """The price of exploring, and gamma times twice the excess of log losses and four times the doubt."""
    unknown = (ell["rounds"] - ell["settled"]) * np.logaddexp(0, 8)
    missed = 2 * (ell["error"] + unknown - w["least"]) - 4 * np.log(w["delta"])
    return w["width"] * (ell["price"] + ell["gamma"] * np.maximum(missed, 0))


BOUNDS = {
    "probable": {
        "realised_fast_cb": _realised_fast,
        "realised_ellipsoids": lambda ell, _, w: w["width"] * ell["reach"],
        "observable_by_features": _observable,
        "observable_by_policies": _against_policies,
        "realised_square_cb": _realised,
    }
}
