"""Bounds on the regret of combiners."""

from __future__ import annotations

from math import e, inf, isnan, log, log1p, sqrt
from sys import float_info
from typing import Any

import numpy as np

from .base import Facts, Formula, printed, same


def _delay(ell: Facts, v: Facts) -> Any:
    if v.get("expert") is not None:
        return float(ell["delays"][v["expert"]])
    if v.get("weights") is not None:
        return float(np.dot(v["weights"], ell["delays"]))
    return float(ell["delay"])


def _over(amount: float, rate: float) -> float:
    return 0.0 if amount == 0 or rate == inf else amount / rate


def before(formula: Formula) -> Formula:
    """One expert alone is followed. Bounds that are known before the run are about outcomes that are not late."""
    return lambda ell, v, w: formula(ell, v, w) if w["experts"] > 1 else 0.0


def experts(formula: Formula) -> Formula:
    """The same with the cost of delay, which is added to all of these."""
    return lambda ell, v, w: before(formula)(ell, v, w) + _delay(ell, v)


same("vote_mistakes", lambda ell, v, w: 2 * ell["loss"])


def _half_root(scale: float, ell: Facts, w: Facts) -> Any:
    """s sqrt(T ln N) / 2."""
    return scale * sqrt(ell["rounds"] * log(w["experts"])) / 2


def _anytime(ell: Facts, w: Facts) -> Any:
    known = w["span"] is not None
    span = w["span"] if known else ell["spread"]
    return _half_root(span, ell, w) + (0.0 if known else span)


def _inverse(ell: Facts, w: Facts) -> Any:
    """1 / eta_T of 2 sqrt(ln N / t) / s."""
    span = ell["spread"] if w["span"] is None else w["span"]
    return float(span * sqrt(ell["rounds"] / log(w["experts"])) / 2)


def _constant(ell: Facts, w: Facts) -> Any:
    return float(w["rate"] * w["span"] ** 2 * ell["rounds"] / 8)


def _self_tuned(kappa: float, s: float, squares: float) -> float:
    return (s + sqrt(s**2 + kappa * squares)) / 2


same(
    "hedge_posterior adahedge_posterior",
    experts(lambda ell, v, w: _over(v["divergence"], ell["last_rate"]) + ell["gap"]),
)
same("hedge_spreads", experts(lambda ell, v, w: v["divergence"] / w["rate"] + w["rate"] * ell["spread2"] / 8))
same(
    "hedge_prior",
    before(
        lambda ell, v, w: (
            v["divergence"] / w["rate"] + _constant(ell, w)
            if w["schedule"] == "constant"
            else v["divergence"] * _inverse(ell, w) + _anytime(ell, w)
        )
    ),
)
same("hedge_tuned", lambda ell, v, w: w["span"] * sqrt(w["horizon"] * log(w["experts"]) / 2))
same("hedge_largest_spread", experts(lambda ell, v, w: v["divergence"] * _inverse(ell, w) + _anytime(ell, w)))


def _ada(gaps: Formula) -> Formula:
    """(1 + KL / ln N) times what bounds the sum of the gaps."""
    return lambda ell, v, w: (1 + v["divergence"] / log(w["experts"])) * gaps(ell, v, w)


same(
    "adahedge_spreads",
    experts(_ada(lambda ell, v, w: _self_tuned(log(w["experts"]), ell["spread"], ell["spread2"]))),
)
same(
    "adahedge_prior",
    before(_ada(lambda ell, v, w: _self_tuned(log(w["experts"]), w["span"], w["span"] ** 2 * ell["rounds"]))),
)
same("constant_regret", lambda ell, v, w: _over(v["divergence"], w["rate"]) + _delay(ell, v))


def _information(ell: Facts, v: Facts, w: Facts) -> Any:
    """How improbable the sequence was."""
    prior, alpha, switches = np.asarray(w["prior"]), w["alpha"], v.get("switches") or 0
    least = float(prior.min())
    first = least if v.get("expert") is None else float(prior[v["expert"]])
    stays = max(0.0, ell["rounds"] - 1 - switches)
    stay = stays * -log1p(-alpha * (1 - least)) if stays else 0.0
    if w["schedule"] == "constant":
        return -log(first) + (-switches * log(alpha * least) if switches else 0.0) + stay
    return -(switches + 1) * log(alpha * first) + stay


same("share_posterior", experts(lambda ell, v, w: _over(_information(ell, v, w), ell["last_rate"]) + ell["gap"]))


@printed("share_prior")
def share_prior(ell: Facts, v: Facts, w: Facts) -> Any:
    """I_m E + Delta, by the schedule."""
    if w["experts"] == 1:
        return 0.0
    if w["schedule"] == "constant":
        inverse, gaps = 1 / w["rate"], _constant(ell, w)
    elif w["schedule"] == "anytime":
        inverse, gaps = _inverse(ell, w), _anytime(ell, w)
    else:
        kappa = log(w["experts"] / w["alpha"])
        gaps = _self_tuned(kappa, w["span"], w["span"] ** 2 * ell["rounds"])
        inverse = gaps / kappa
    return float(_information(ell, v, w) * inverse + gaps)


def _mixture(v: Facts, w: Facts) -> Any:
    if v.get("expert") is None:
        return np.asarray(v["weights"], float)
    alone = np.zeros(w["experts"])
    alone[v["expert"]] = 1.0
    return alone


def _poly(growth: float, slack: Any, v: Facts, w: Facts) -> Any:
    u = _mixture(v, w)
    return sqrt(max(0.0, growth) * float(np.sum(u**2 * slack / np.asarray(w["prior"]))))


same("poly_posterior", lambda ell, v, w: _poly(ell["drag"], 1 / np.asarray(w["rates"], float), v, w))


@printed("poly_squares")
def poly_squares(ell: Facts, v: Facts, w: Facts) -> Any:
    """The root of the mean of 1 + ln(1 + V / s^2) times sum u^2 (s^2 + V) / pi."""
    s2, squares = w["span"] ** 2, np.asarray(ell["squares"])
    return _poly(float(np.dot(w["prior"], 1 + np.log1p(squares / s2))), s2 + squares, v, w)


same(
    "poly_prior",
    lambda ell, v, w: _poly(1 + log(ell["rounds"] + 1), w["span"] ** 2 * (ell["rounds"] + 1), v, w),
)


def _exponential(potential: float, rates: Any, drags: Any, v: Facts, w: Facts) -> Any:
    u, prior = _mixture(v, w), np.asarray(w["prior"])
    used = u > 0
    a = u[used] / np.asarray(rates, float)[used]
    kl = float(np.sum(a / a.sum() * np.log(a / a.sum() / prior[used])))
    return float(a.sum()) * (max(0.0, kl) + potential) + float(u[used] @ np.asarray(drags, float)[used])


same("prod_posterior", lambda ell, v, w: _exponential(w["log_potential"], w["rates"], ell["drags"], v, w))


def _prod(squares: Any, ell: Facts, v: Facts, w: Facts) -> Any:
    s, k = w["span"], log(max(w["experts"], 2))
    slack = np.sqrt(s**2 + squares)
    growth = (max(0.0, log((1 + ell["rounds"]) / (4 * k))) + 1 / (4 * k)) / (2 * e)
    drags = np.minimum(squares / (2 * s), sqrt(4 * k + 1) * (slack - s))
    return _exponential(log1p(growth), 1 / np.maximum(2 * s, slack / sqrt(k)), drags, v, w)


same("prod_squares", lambda ell, v, w: _prod(np.asarray(ell["squares"]), ell, v, w))
same(
    "prod_prior",
    lambda ell, v, w: (
        0.0 if w["experts"] == 1 else _prod(np.full(w["experts"], w["span"] ** 2 * ell["rounds"]), ell, v, w)
    ),
)


def _squint(information: float, squares: float, w: Facts) -> Any:
    rates, masses = np.asarray(w["grid"][0]), np.asarray(w["grid"][1])
    return float(np.min((information - np.log(masses)) / rates + rates * squares))


def _squares(ell: Facts, v: Facts, w: Facts) -> Any:
    return float(np.dot(_mixture(v, w), ell["squares"]))


same("squint_posterior", lambda ell, v, w: _squint(v["divergence"] + w["log_potential"], _squares(ell, v, w), w))
same("squint_squares", lambda ell, v, w: _squint(v["divergence"], _squares(ell, v, w), w))
same("squint_prior", lambda ell, v, w: _squint(v["divergence"], w["span"] ** 2 * ell["rounds"], w))


def _times(factor: float, loss: float) -> float:
    return 0.0 if loss == 0 else factor * loss


def _charge(w: Facts) -> Any:
    """ln(1 / beta)."""
    return -log(w["beta"]) if w["beta"] > 0 else inf


same(
    "weighted_majority",
    lambda ell, v, w: (v["divergence"] + _times(_charge(w), v["loss"])) / log(2 / (1 + w["beta"])),
)
same("randomized_majority", lambda ell, v, w: (v["divergence"] + _times(_charge(w), v["loss"])) / (1 - w["beta"]))
same(
    "randomized_majority_simple",
    lambda ell, v, w: v["divergence"] / (1 - w["beta"]) + (2 - w["beta"]) * v["loss"],
)


@printed("randomized_majority_tuned")
def randomized_majority_tuned(ell: Facts, v: Facts, w: Facts) -> Any:
    """2 sqrt(T_0 ln N), or 2 ln N + T_0 / 2 of few rounds."""
    n, t = log(w["experts"]), w["horizon"]
    return 2 * sqrt(t * n) if n <= t / 4 else 2 * n + t / 2


same(
    "sampled_loss",
    lambda ell, v, w: ell["expected"] + (w["span"] or 0.0) * sqrt(ell["rounds"] * log(1 / w["delta"]) / 2),
    kind="probable",
    at_once="never",
)


@printed("label_efficient", kind="expected")
def label_efficient(ell: Facts, v: Facts, w: Facts) -> Any:
    """The regret of m = epsilon T rounds, over epsilon."""
    asked = ell["share"] * ell["rounds"]
    if w["schedule"] == "anytime":
        return w["span"] * sqrt(asked * log(w["experts"])) / ell["share"]
    return (log(w["experts"]) / w["rate"] + w["rate"] * asked * w["span"] ** 2 / 8) / ell["share"]


@printed("regret_over_all", kind="probable", at_once="never")
def regret_over_all(ell: Facts, v: Facts, w: Facts) -> Any:
    """That of the asked rounds over epsilon, and Bernstein's inequality for all experts."""
    variance, most = w["span"] ** 2 * (1 / ell["share"] - 1), w["span"] * max(1.0, 1 / ell["share"] - 1)
    size = log(w["experts"] / w["delta"])
    return v["regret"] / ell["share"] + sqrt(2 * ell["rounds"] * variance * size) + most * size / 3


def _distance2(v: Facts, w: Facts) -> Any:
    return float(np.sum((_mixture(v, w) - np.asarray(w["start"])) ** 2))


def _ridge(growth: Formula) -> Formula:
    """a |u - u_0|^2 and what the rounds added, with what rounding may have done to the identity, which may be much."""

    def whole(ell: Facts, v: Facts, w: Facts) -> Any:
        paid = w["ridge"] * _distance2(v, w)
        return paid + growth(ell, v, w) + ell["delay"] + _rotations(paid, ell, v, w)

    return whole


def _rotations(paid: float, ell: Facts, v: Facts, w: Facts) -> Any:
    """What single rounds missed, and 2 d sqrt(M) + d^2, where d is by how much rotations may move sqrt(M)."""
    start, t = np.asarray(w["start"]), ell["rounds"]
    lengths = np.abs(_mixture(v, w) - start) + np.abs(start)
    columns = float(lengths @ np.asarray(w["sizes"])) + sqrt(t * ell["max_outcome2"])
    d = 3 * float_info.epsilon * (w["experts"] + 3) * (t + 1) * columns
    least = paid + (columns**2 if isnan(v["loss"]) else v["loss"])
    return w["missed"] + 2 * d * sqrt(least) + d**2


same("ridge_posterior", _ridge(lambda ell, v, w: ell["gap"]))
same("ridge_determinant", _ridge(lambda ell, v, w: ell["max_outcome2"] * w["log_det"]))
