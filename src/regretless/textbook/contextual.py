"""Bandits that draw by features, as papers print them: one regression an arm, and a rule for the probabilities."""

from __future__ import annotations

from collections.abc import Callable
from math import erf, sqrt
from typing import Any

import numpy as np

from .regression import adahedge, dual_averaging, inverse_of

Array = np.ndarray[Any, Any]
Facts = dict[str, Any]


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


def lin_thompson(means: Array, deviations: Array, width: float) -> Array:
    """Of independent normal numbers with these means, how likely each is the least: an integral by the midpoint rule,
    of the density of one and what the others have above."""
    scales = width * deviations + 1e-9
    line = np.linspace(min(means - 9 * scales), min(means + 9 * scales), 1001)
    middle = (line[1:] + line[:-1]) / 2
    each = zip(means, scales, strict=True)
    below = np.array([[0.5 * (1 + erf((z - m) / s / sqrt(2))) for z in line] for m, s in each])
    above = np.array([np.interp(middle, line, 1 - one) for one in below])
    shares = [np.sum(np.diff(below[a]) * np.prod(np.delete(above, a, 0), axis=0)) for a in range(len(means))]
    return np.asarray(np.array(shares) / sum(shares))


def ellipsoid(x: Array, A: Array, prior: Array, delta: float, arms: int, length: float) -> float:
    """How far <w, x> may be from the mean loss, with probability 1 - delta for all arms: Abbasi-Yadkori, Pal &
    Szepesvari 2011, Thm 2, with R = 1/2; `length` is that of the mean losses' weights by the prior."""
    growth = np.linalg.slogdet(A)[1] - np.sum(np.log(prior))
    radius = 0.5 * np.sqrt(growth + 2 * np.log(arms / delta)) + length
    return float(radius * np.sqrt(x @ np.linalg.solve(A, x)))


def explored(
    X: Array, losses: Array, numbers: Array, rule: Callable[[Array, int, Array, Array], Array], prior: float
) -> tuple[Array, Array]:
    """Vovk, Azoury and Warmuth's forecaster for each arm, measured from 1/2, and a rule that makes probabilities of its
    forecasts, the number of the decision, ridge regression and x' A^-1 x; the arms that it draws by numbers between 0
    and 1, and with what probabilities."""
    (T, K), d = losses.shape, X.shape[1] + 1
    M, H, b = np.zeros((K, d)), np.zeros((K, d, d)), np.zeros((K, d))
    drawn = []
    for t, x in enumerate(np.hstack([np.ones((T, 1)), X])):
        means, h = np.empty(K), np.empty(K)
        for a in range(K):
            inverse = inverse_of(H[a], np.maximum(M[a], abs(x)), prior)
            means[a], h[a] = b[a] @ inverse @ x, x @ inverse @ x
        p = rule(np.clip(0.5 + means / (1 + h), 0, 1), t + 1, 0.5 + means, h)
        arm = min(int(np.sum(np.cumsum(p) <= numbers[t])), K - 1)
        M[arm] = np.maximum(M[arm], abs(x))
        H[arm] += np.outer(x, x)
        b[arm] += (losses[t, arm] - 0.5) * x
        drawn.append((arm, p[arm]))
    return np.array([arm for arm, _ in drawn]), np.array([p for _, p in drawn])


def odds(X: Array, losses: Array) -> float:
    """Of the last row, 1 / (1 + exp(-s)) by dual averagings of four rates and AdaHedge on the log losses of those
    before it: rates that are divided by the range of scores, from -8 to 8."""
    z = np.append(losses, 0.5)
    members = [dual_averaging(X, z, eta / 16, "logistic", around=8.0)[0] for eta in (0.1, 0.4, 1.6, 6.4)]
    return float(1 / (1 + np.exp(-adahedge(np.array(members).T, z, "logistic")[0][-1])))


def explored_by_odds(
    X: Array, losses: Array, numbers: Array, rule: Callable[[Array, int], Array]
) -> tuple[Array, Array]:
    """As `explored`, with `odds` for each arm."""
    X, (T, K) = np.hstack([np.ones((len(X), 1)), X]), losses.shape
    arms, probabilities = np.empty(T, int), np.empty(T)
    for t in range(T):
        past = [np.flatnonzero(arms[:t] == a) for a in range(K)]
        p = rule(np.array([odds(X[[*past[a], t]], losses[past[a], a]) for a in range(K)]), t + 1)
        arms[t] = min(int(np.sum(np.cumsum(p) <= numbers[t])), K - 1)
        probabilities[t] = p[arms[t]]
    return arms, probabilities


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
