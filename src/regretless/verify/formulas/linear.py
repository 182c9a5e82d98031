"""Bounds of linear learners on one pass, or until a pass is clean, and on the risk of what it gives."""

from __future__ import annotations

from math import cosh, floor, inf, log, log1p, sqrt
from sys import float_info
from typing import Any

import numpy as np

from ...textbook.linear import of_a_mistake, steepest
from .base import FORMULAS, Facts, TooLong, printed, same

EPSILON = float_info.epsilon


def _larger_root(a: float, hinge: float) -> float:
    """The largest M with M <= H + a sqrt(M)."""
    return ((a + sqrt(a**2 + 4 * hinge)) / 2) ** 2


def _until_clean(updates: float, ell: Facts, w: Facts) -> Any:
    """So many updates, a pass each, and one clean pass."""
    return (floor(updates * (1 + 1e-9)) + 1) * ell["rounds"] / w["passes"]


# What bounds are rounded up by for the errors of their sums: of n terms, each of so many products, n + width units of
# their sizes, which Cauchy and Schwarz bound. It grows with the rounds, and in a root it is more than verify allows.


def _of_hinge(v: Facts, w: Facts) -> Any:
    """Of the hinge losses."""
    sizes = v["norm"] * sqrt(v["rounds"] * v["total_norm2"])
    return EPSILON * ((v["rounds"] + 2) * v["hinge"] + (max(0.0, w["width"]) + 4) * sizes)


def _of_length(ell: Facts, w: Facts) -> Any:
    """Of a length that the updates moved, as a part of it."""
    return EPSILON * (ell["updates"] + max(0.0, w["width"]) + 4)


def _of_product(ell: Facts, v: Facts, w: Facts) -> Any:
    """Of the product with the sum of the updates."""
    sizes = v["norm"] * sqrt(ell["updates"] * ell["update_norm2"])
    return _of_length(ell, w) * sizes


def _of_sums(ell: Facts, v: Facts, w: Facts) -> Any:
    """Of both."""
    return _of_hinge(v, w) + _of_product(ell, v, w)


def _from_start(ell: Facts, v: Facts, w: Facts) -> Any:
    """Of both, and of the product with the first weights."""
    return _of_sums(ell, v, w) + _of_length(ell, w) * v["norm"] * w["start"] / w["rate"]


def _stretched(ell: Facts, v: Facts, w: Facts, energy: float) -> Any:
    """H + sqrt(v'A v) sqrt(energy), rounded up."""
    return v["hinge"] + v["own"] * sqrt(energy) * (1 + _of_length(ell, w)) + _of_sums(ell, v, w)


# ---- perceptrons

same("separable", lambda ell, v, w: ell["max_norm2"] * v["norm"] ** 2 / v["least"] ** 2)
same("sharp", lambda ell, v, w: _larger_root(sqrt(ell["max_norm2"]) * v["norm"], v["hinge"]))
same("squared_hinge", lambda ell, v, w: (sqrt(ell["max_norm2"]) * v["norm"] + sqrt(v["squared_hinge"])) ** 2)
same("total_distance", lambda ell, v, w: ell["max_norm2"] * v["norm"] ** 2 + 2 * v["hinge"])
same("lengths", lambda ell, v, w: v["hinge"] + v["norm"] * sqrt(ell["update_norm2"]) + _of_sums(ell, v, w))
same(
    "squared_lengths",
    lambda ell, v, w: _larger_root(
        sqrt(v["squared_hinge"]) + _of_hinge(v, w), v["norm"] * sqrt(ell["update_norm2"]) + _of_product(ell, v, w)
    ),
)
same("posterior", lambda ell, v, w: v["hinge"] + v["norm"] * w["norm"] / w["rate"] + _of_sums(ell, v, w))
same("classes_posterior", lambda ell, v, w: v["hinge"] + v["norm"] * w["norm"] / w["rate"] + 2 * _of_sums(ell, v, w))
same("posterior_from_start", lambda ell, v, w: v["hinge"] + v["norm"] * w["moved"] / w["rate"] + _from_start(ell, v, w))


@printed("sharp_from_start")
def sharp_from_start(ell: Facts, v: Facts, w: Facts) -> Any:
    """The larger root of (M - h)^2 = b^2 + a^2 M."""
    a2, b = ell["max_norm2"] * v["norm"] ** 2, v["norm"] * w["start"] / w["rate"]
    h = v["hinge"] - v["product"] / w["rate"] + _from_start(ell, v, w)
    return float(max(np.roots([1.0, -2 * h - a2, h * h - b * b]).real))


same("clean_pass", lambda ell, v, w: _until_clean(ell["max_norm2"] * v["norm"] ** 2 / v["least"] ** 2, ell, w))
same("budget", lambda ell, v, w: v["hinge"] + v["norm"] * (w["norm"] + w["removed"]))
same("classes_separable", lambda ell, v, w: 2 * ell["max_norm2"] * v["norm"] ** 2 / v["least"] ** 2)
same("classes_sharp", lambda ell, v, w: _larger_root(sqrt(2 * ell["max_norm2"]) * v["norm"], v["hinge"]))
same(
    "classes_clean_pass",
    lambda ell, v, w: _until_clean(2 * ell["max_norm2"] * v["norm"] ** 2 / v["least"] ** 2, ell, w),
)


@printed("margin_recursion")
def margin_recursion(ell: Facts, v: Facts, w: Facts) -> Any:
    """max {M : rho M <= g_M}, g_{n+1} = sqrt(g_n^2 + 2 theta g_n + r^2), step by step."""
    return _most(0.0, v["norm"] / v["least"], sqrt(ell["max_norm2"]), w["threshold"])


def _most(hinge: float, norm: float, longest: float, threshold: float, steps: int = 16_000) -> float:
    """The largest M <= H + |v| g_M, followed for so many steps."""
    if norm * threshold >= 1:
        return inf
    g, most = 0.0, 0
    for n in range(1, steps + 1):
        g = sqrt(g * g + 2 * threshold * g + longest**2)
        if n <= (hinge + norm * g) * (1 + 1e-9):
            most = n
        else:
            return float(most)
    raise TooLong


same(
    "margin_hinge",
    lambda ell, v, w: (
        _most(v["hinge"], v["norm"], sqrt(ell["max_norm2"]), w["threshold"])
        if v["norm"] > 0 and ell["max_norm2"] > 0
        else float(floor(v["hinge"] * (1 + 1e-9)))
    ),
)


@printed("margin_closed")
def margin_closed(ell: Facts, v: Facts, w: Facts) -> Any:
    """2 (r / (rho - theta))^2 + 2 r / (rho - theta)."""
    share = sqrt(ell["max_norm2"]) / (v["least"] / v["norm"] - w["threshold"])
    return 2 * share**2 + 2 * share


same("margin_attained", lambda ell, v, w: 1.0)
same("margin_clean_pass", lambda ell, v, w: w["rows"] * (margin_recursion(ell, v, w) + 1))


# ---- passive-aggressive


def _shortest2(ell: Facts) -> Any:
    return float(ell["total_norm2"] - (ell["rounds"] - 1) * ell["max_norm2"])


@printed("aggressive_agnostic")
def aggressive_agnostic(ell: Facts, v: Facts, w: Facts) -> Any:
    """(U + sqrt(U^2 + r^2 |v|^2))^2, U longer by the quotient of the lengths where rounding makes them differ."""
    u2 = v["squared_hinge"] * ell["max_norm2"] / min(ell["max_norm2"], _shortest2(ell))
    return (sqrt(u2) + sqrt(u2 + ell["max_norm2"] * v["norm"] ** 2)) ** 2


same("aggressive_separable aggressive_mistakes", FORMULAS["separable"].formula)
same(
    "limited_mistakes",
    lambda ell, v, w: max(ell["max_norm2"], 1 / w["limit"]) * (v["norm"] ** 2 + 2 * w["limit"] * v["hinge"]),
)


@printed("limited_posterior")
def limited_posterior(ell: Facts, v: Facts, w: Facts) -> Any:
    """max(r^2, 1 / C) (C H + |v| |w|)."""
    steps = w["limit"] * (v["hinge"] + _of_sums(ell, v, w)) + v["norm"] * w["norm"]
    return max(ell["max_norm2"], 1 / w["limit"]) * steps


same(
    "damped_losses damped_mistakes",
    lambda ell, v, w: (
        (ell["max_norm2"] + 1 / (2 * w["limit"])) * (v["norm"] ** 2 + 2 * w["limit"] * v["squared_hinge"])
    ),
)


# ---- gradient descent


@printed("posterior_regret")
def posterior_regret(ell: Facts, v: Facts, w: Facts) -> Any:
    """|u|^2 / (2 eta_1) + (|u| + W)^2 / 2 (1 / eta_T - 1 / eta_1) + sum eta |g|^2 / 2."""
    if ell["first_rate"] == 0:
        return 0.0
    slower = max(0.0, 1 / ell["last_rate"] - 1 / ell["first_rate"])
    start = v["norm"] ** 2 / (2 * ell["first_rate"])
    return start + (v["norm"] + sqrt(ell["reach2"])) ** 2 / 2 * slower + ell["step2"] / 2


@printed("prior_regret")
def prior_regret(ell: Facts, v: Facts, w: Facts) -> Any:
    """The three lines of the formula, by the schedule of the rate."""
    r, c, t = sqrt(ell["max_norm2"]), w["rate"], ell["rounds"]
    g = steepest(w["loss"]) * r
    g = g if g < inf else steepest(w["loss"], w["radius"] * r) * r
    if w["schedule"] == "constant":
        return v["norm"] ** 2 / (2 * c) + c * g**2 * t / 2
    d2 = (v["norm"] + w["radius"]) ** 2
    return (d2 / (2 * c) + c * g**2) * sqrt(t) if w["schedule"] == "inverse-sqrt" else (d2 / (2 * c) + c) * g * sqrt(t)


@printed("mistakes_from_regret")
def mistakes_from_regret(ell: Facts, v: Facts, w: Facts) -> Any:
    """The comparator's loss and the regret, over the loss of a score of 0."""
    return (v["loss"] + posterior_regret(ell, v, w)) / of_a_mistake(w["loss"])


# ---- Winnow and p-norms; `own` is |v|_1 there, and |v|_q here


def _log_cosh(x: float) -> float:
    return log1p(2 * np.sinh(x / 2) ** 2) if x < 1 else (log(cosh(x)) if x < 700 else x - log(2))


@printed("winnow_separable")
def winnow_separable(ell: Facts, v: Facts, w: Facts) -> Any:
    """KL / (eta rho - ln cosh(eta r))."""
    return float(v["divergence"] / (w["rate"] * v["least"] / v["own"] - _log_cosh(w["rate"] * w["reach"])))


@printed("winnow_tuned")
def winnow_tuned(ell: Facts, v: Facts, w: Facts) -> Any:
    """2 ln N / ((1 + s) ln(1 + s) + (1 - s) ln(1 - s))."""
    s = w["gamma"] / w["radius"]
    return 2 * log(w["weights"]) / ((1 + s) * log(1 + s) + ((1 - s) * log(1 - s) if s < 1 else 0))


@printed("winnow_hinge")
def winnow_hinge(ell: Facts, v: Facts, w: Facts) -> Any:
    """(KL + eta rho H) / (eta rho - ln cosh(eta r))."""
    rho, hinge = 1 / v["own"] if v["own"] else inf, v["hinge"] + _of_hinge(v, w)
    if rho == inf:
        return float(hinge)
    return float((v["divergence"] + w["rate"] * rho * hinge) / (w["rate"] * rho - _log_cosh(w["rate"] * w["reach"])))


@printed("winnow_textbook")
def winnow_textbook(ell: Facts, v: Facts, w: Facts) -> Any:
    """(ln N + eta rho H) / (eta rho - eta^2 r^2 / 2)."""
    hinge = v["hinge"] + _of_hinge(v, w)
    if v["own"] == 0:
        return float(hinge)
    step = w["rate"] / v["own"]
    return float((log(w["weights"]) + step * hinge) / (step - (w["rate"] * w["reach"]) ** 2 / 2))


same(
    "winnow_posterior p_norm_posterior",
    lambda ell, v, w: v["hinge"] + v["product"] / w["rate"] + _of_sums(ell, v, w),
)
same("winnow_clean_pass", lambda ell, v, w: _until_clean(winnow_separable(ell, v, w), ell, w))


@printed("p_norm_separable")
def p_norm_separable(ell: Facts, v: Facts, w: Facts) -> Any:
    """(p - 1) R_p^2 / rho^2."""
    return float((w["p"] - 1) * w["reach"] ** 2 * v["own"] ** 2 / v["least"] ** 2)


same("p_norm_sharp", lambda ell, v, w: _larger_root(sqrt(w["p"] - 1) * w["reach"] * v["own"], v["hinge"]))
same("p_norm_clean_pass", lambda ell, v, w: _until_clean(p_norm_separable(ell, v, w), ell, w))


# ---- second order; `own` is sqrt(v'A v)


same("second_order_data", lambda ell, v, w: _stretched(ell, v, w, w["volume"]))
same("second_order_posterior", lambda ell, v, w: _stretched(ell, v, w, w["energy"]))


@printed("arow_mistakes", subtracts=True)
def arow_mistakes(ell: Facts, v: Facts, w: Facts) -> Any:
    """H + sqrt(v'A v) sqrt(ln det(A / r) + U) - U."""
    others = ell["updates"] - ell["mistakes"]
    return float(_stretched(ell, v, w, w["volume"] + others) - others)


same(
    "arow_posterior",
    lambda ell, v, w: _stretched(ell, v, w, w["energy"]) - (ell["updates"] - ell["mistakes"]),
    subtracts=True,
)


# ---- the risk of new rows, by what the first pass lost


def _small_loss(lost: float, rounds: float, delta: float) -> float:
    """The p at which the mean of the supermartingales is 1 / delta."""
    rates = [2.0**k for k in range(-6, 6)]

    def mean(p: float) -> float:
        powers = np.array([-rate * lost - rounds * np.log1p(-p * -np.expm1(-rate)) for rate in rates])
        return float(powers.max() + np.log(np.exp(powers - powers.max()).mean()))

    low, high = 0.0, 1.0
    if mean(high) < -log(delta):
        return 1.0
    for _ in range(200):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if mean(middle) < -log(delta) else (low, middle)
    return high


@printed("average_risk", kind="probable", event="small losses", risk=1)
def average_risk(ell: Facts, v: Facts, w: Facts) -> Any:
    """The bound on the mean risk."""
    return _small_loss(ell["mistakes"], ell["rounds"], w["delta"])


@printed("voted_risk", kind="probable", event="small losses", risk=2)
def voted_risk(ell: Facts, v: Facts, w: Facts) -> Any:
    """Twice as much: a vote errs only where half of the voters do."""
    return min(1.0, 2 * average_risk(ell, v, w))
