"""The bounds once more, from their printed formulas and named numbers alone.

Nothing of `regretless.theory` is used: these are a second opinion. A formula takes three mappings of names to numbers,
of the ledger, of the comparator and of the learner, as the certificates of a report have them under `constants`. What
theorems add for rounding is left out where it is less than what a check allows; ridge regression's may be more.
"""

from __future__ import annotations

from collections.abc import Callable
from math import cosh, e, floor, inf, isnan, log, log1p, sqrt
from sys import float_info
from typing import Any

import numpy as np

Facts = dict[str, Any]
Formula = Callable[[Facts, Facts, Facts], Any]  # a number, of numbers as JSON has them

FORMULAS: dict[str, Formula] = {}


class TooLong(Exception):
    """A recursion has more steps than are followed here."""


def printed(*names: str) -> Callable[[Formula], Formula]:
    """The formula of these theorems."""

    def keep(formula: Formula) -> Formula:
        FORMULAS.update(dict.fromkeys(names, formula))
        return formula

    return keep


def _same(names: str, formula: Formula) -> None:
    FORMULAS.update(dict.fromkeys(names.split(), formula))


def _larger_root(a: float, hinge: float) -> float:
    """The largest M with M <= H + a sqrt(M)."""
    return ((a + sqrt(a**2 + 4 * hinge)) / 2) ** 2


def _until_clean(updates: float, ell: Facts, w: Facts) -> Any:
    """So many updates, a pass each, and one clean pass."""
    return (floor(updates * (1 + 1e-9)) + 1) * ell["rounds"] / w["passes"]


# ---- perceptrons

_same("separable", lambda ell, v, w: ell["max_norm2"] * v["norm"] ** 2 / v["least"] ** 2)
_same("sharp", lambda ell, v, w: _larger_root(sqrt(ell["max_norm2"]) * v["norm"], v["hinge"]))
_same("squared_hinge", lambda ell, v, w: (sqrt(ell["max_norm2"]) * v["norm"] + sqrt(v["squared_hinge"])) ** 2)
_same("total_distance", lambda ell, v, w: ell["max_norm2"] * v["norm"] ** 2 + 2 * v["hinge"])
_same("posterior classes_posterior", lambda ell, v, w: v["hinge"] + v["norm"] * w["norm"] / w["rate"])
_same("clean_pass", lambda ell, v, w: _until_clean(ell["max_norm2"] * v["norm"] ** 2 / v["least"] ** 2, ell, w))
_same("budget", lambda ell, v, w: v["hinge"] + v["norm"] * (w["norm"] + w["removed"]))
_same("classes_separable", lambda ell, v, w: 2 * ell["max_norm2"] * v["norm"] ** 2 / v["least"] ** 2)
_same("classes_sharp", lambda ell, v, w: _larger_root(sqrt(2 * ell["max_norm2"]) * v["norm"], v["hinge"]))
_same(
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


_same(
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


_same("margin_attained", lambda ell, v, w: 1.0)
_same("margin_clean_pass", lambda ell, v, w: w["rows"] * (margin_recursion(ell, v, w) + 1))

# ---- passive-aggressive


def _shortest2(ell: Facts) -> Any:
    return float(ell["total_norm2"] - (ell["rounds"] - 1) * ell["max_norm2"])


@printed("aggressive_agnostic")
def aggressive_agnostic(ell: Facts, v: Facts, w: Facts) -> Any:
    """(U + sqrt(U^2 + r^2 |v|^2))^2, U longer by the quotient of the lengths where rounding makes them differ."""
    u2 = v["squared_hinge"] * ell["max_norm2"] / min(ell["max_norm2"], _shortest2(ell))
    return (sqrt(u2) + sqrt(u2 + ell["max_norm2"] * v["norm"] ** 2)) ** 2


_same("aggressive_separable aggressive_mistakes", FORMULAS["separable"])
_same(
    "limited_mistakes",
    lambda ell, v, w: max(ell["max_norm2"], 1 / w["limit"]) * (v["norm"] ** 2 + 2 * w["limit"] * v["hinge"]),
)
_same(
    "limited_posterior",
    lambda ell, v, w: max(ell["max_norm2"], 1 / w["limit"]) * (w["limit"] * v["hinge"] + v["norm"] * w["norm"]),
)
_same(
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
    g = r if w["loss"] in ("hinge", "logistic") else 2 * (1 + w["radius"] * r) * r
    if w["schedule"] == "constant":
        return v["norm"] ** 2 / (2 * c) + c * g**2 * t / 2
    d2 = (v["norm"] + w["radius"]) ** 2
    return (d2 / (2 * c) + c * g**2) * sqrt(t) if w["schedule"] == "inverse-sqrt" else (d2 / (2 * c) + c) * g * sqrt(t)


@printed("mistakes_from_regret")
def mistakes_from_regret(ell: Facts, v: Facts, w: Facts) -> Any:
    """The comparator's loss and the regret, over the loss of a score of 0."""
    return (v["loss"] + posterior_regret(ell, v, w)) / (log(2) if w["loss"] == "logistic" else 1.0)


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
    rho = 1 / v["own"] if v["own"] else inf
    if rho == inf:
        return float(v["hinge"])
    return float(
        (v["divergence"] + w["rate"] * rho * v["hinge"]) / (w["rate"] * rho - _log_cosh(w["rate"] * w["reach"]))
    )


@printed("winnow_textbook")
def winnow_textbook(ell: Facts, v: Facts, w: Facts) -> Any:
    """(ln N + eta rho H) / (eta rho - eta^2 r^2 / 2)."""
    if v["own"] == 0:
        return float(v["hinge"])
    step = w["rate"] / v["own"]
    return float((log(w["weights"]) + step * v["hinge"]) / (step - (w["rate"] * w["reach"]) ** 2 / 2))


_same("winnow_posterior p_norm_posterior", lambda ell, v, w: v["hinge"] + v["product"] / w["rate"])
_same("winnow_clean_pass", lambda ell, v, w: _until_clean(winnow_separable(ell, v, w), ell, w))


@printed("p_norm_separable")
def p_norm_separable(ell: Facts, v: Facts, w: Facts) -> Any:
    """(p - 1) R_p^2 / rho^2."""
    return float((w["p"] - 1) * w["reach"] ** 2 * v["own"] ** 2 / v["least"] ** 2)


_same("p_norm_sharp", lambda ell, v, w: _larger_root(sqrt(w["p"] - 1) * w["reach"] * v["own"], v["hinge"]))
_same("p_norm_clean_pass", lambda ell, v, w: _until_clean(p_norm_separable(ell, v, w), ell, w))

# ---- second order; `own` is sqrt(v'A v)

_same("second_order_data", lambda ell, v, w: v["hinge"] + v["own"] * sqrt(w["volume"]))
_same("second_order_posterior", lambda ell, v, w: v["hinge"] + v["own"] * sqrt(w["energy"]))


@printed("arow_mistakes")
def arow_mistakes(ell: Facts, v: Facts, w: Facts) -> Any:
    """H + sqrt(v'A v) sqrt(ln det(A / r) + U) - U."""
    others = ell["updates"] - ell["mistakes"]
    return float(v["hinge"] + v["own"] * sqrt(w["volume"] + others) - others)


_same(
    "arow_posterior",
    lambda ell, v, w: v["hinge"] + v["own"] * sqrt(w["energy"]) - (ell["updates"] - ell["mistakes"]),
)

# ---- from online to batch


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
        low, high = (middle, high) if mean(middle) < -log(delta) else (low, middle)
    return high


_same("average_risk", lambda ell, v, w: _small_loss(ell["mistakes"], ell["rounds"], w["delta"]))
_same("voted_risk", lambda ell, v, w: min(1.0, 2 * _small_loss(ell["mistakes"], ell["rounds"], w["delta"])))

# ---- experts


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


_same(
    "hedge_posterior adahedge_posterior",
    experts(lambda ell, v, w: _over(v["divergence"], ell["last_rate"]) + ell["gap"]),
)
_same("hedge_spreads", experts(lambda ell, v, w: v["divergence"] / w["rate"] + w["rate"] * ell["spread2"] / 8))
_same(
    "hedge_prior",
    before(
        lambda ell, v, w: (
            v["divergence"] / w["rate"] + _constant(ell, w)
            if w["schedule"] == "constant"
            else v["divergence"] * _inverse(ell, w) + _anytime(ell, w)
        )
    ),
)
_same("hedge_tuned", lambda ell, v, w: w["span"] * sqrt(w["horizon"] * log(w["experts"]) / 2))
_same("hedge_largest_spread", experts(lambda ell, v, w: v["divergence"] * _inverse(ell, w) + _anytime(ell, w)))


def _ada(gaps: Formula) -> Formula:
    """(1 + KL / ln N) times what bounds the sum of the gaps."""
    return lambda ell, v, w: (1 + v["divergence"] / log(w["experts"])) * gaps(ell, v, w)


_same(
    "adahedge_spreads",
    experts(_ada(lambda ell, v, w: _self_tuned(log(w["experts"]), ell["spread"], ell["spread2"]))),
)
_same(
    "adahedge_prior",
    before(_ada(lambda ell, v, w: _self_tuned(log(w["experts"]), w["span"], w["span"] ** 2 * ell["rounds"]))),
)
_same("constant_regret", lambda ell, v, w: _over(v["divergence"], w["rate"]) + _delay(ell, v))


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


_same("share_posterior", experts(lambda ell, v, w: _over(_information(ell, v, w), ell["last_rate"]) + ell["gap"]))


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


_same("poly_posterior", lambda ell, v, w: _poly(ell["drag"], 1 / np.asarray(w["rates"], float), v, w))


@printed("poly_squares")
def poly_squares(ell: Facts, v: Facts, w: Facts) -> Any:
    """The root of the mean of 1 + ln(1 + V / s^2) times sum u^2 (s^2 + V) / pi."""
    s2, squares = w["span"] ** 2, np.asarray(ell["squares"])
    return _poly(float(np.dot(w["prior"], 1 + np.log1p(squares / s2))), s2 + squares, v, w)


_same(
    "poly_prior",
    lambda ell, v, w: _poly(1 + log(ell["rounds"] + 1), w["span"] ** 2 * (ell["rounds"] + 1), v, w),
)


def _exponential(potential: float, rates: Any, drags: Any, v: Facts, w: Facts) -> Any:
    u, prior = _mixture(v, w), np.asarray(w["prior"])
    used = u > 0
    a = u[used] / np.asarray(rates, float)[used]
    kl = float(np.sum(a / a.sum() * np.log(a / a.sum() / prior[used])))
    return float(a.sum()) * (max(0.0, kl) + potential) + float(u[used] @ np.asarray(drags, float)[used])


_same("prod_posterior", lambda ell, v, w: _exponential(w["log_potential"], w["rates"], ell["drags"], v, w))


def _prod(squares: Any, ell: Facts, v: Facts, w: Facts) -> Any:
    s, k = w["span"], log(max(w["experts"], 2))
    slack = np.sqrt(s**2 + squares)
    growth = (max(0.0, log((1 + ell["rounds"]) / (4 * k))) + 1 / (4 * k)) / (2 * e)
    drags = np.minimum(squares / (2 * s), sqrt(4 * k + 1) * (slack - s))
    return _exponential(log1p(growth), 1 / np.maximum(2 * s, slack / sqrt(k)), drags, v, w)


_same("prod_squares", lambda ell, v, w: _prod(np.asarray(ell["squares"]), ell, v, w))
_same(
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


_same("squint_posterior", lambda ell, v, w: _squint(v["divergence"] + w["log_potential"], _squares(ell, v, w), w))
_same("squint_squares", lambda ell, v, w: _squint(v["divergence"], _squares(ell, v, w), w))
_same("squint_prior", lambda ell, v, w: _squint(v["divergence"], w["span"] ** 2 * ell["rounds"], w))


def _times(factor: float, loss: float) -> float:
    return 0.0 if loss == 0 else factor * loss


def _charge(w: Facts) -> Any:
    """ln(1 / beta)."""
    return -log(w["beta"]) if w["beta"] > 0 else inf


_same(
    "weighted_majority",
    lambda ell, v, w: (v["divergence"] + _times(_charge(w), v["loss"])) / log(2 / (1 + w["beta"])),
)
_same("randomized_majority", lambda ell, v, w: (v["divergence"] + _times(_charge(w), v["loss"])) / (1 - w["beta"]))
_same(
    "randomized_majority_simple",
    lambda ell, v, w: v["divergence"] / (1 - w["beta"]) + (2 - w["beta"]) * v["loss"],
)


@printed("randomized_majority_tuned")
def randomized_majority_tuned(ell: Facts, v: Facts, w: Facts) -> Any:
    """2 sqrt(T_0 ln N), or 2 ln N + T_0 / 2 of few rounds."""
    n, t = log(w["experts"]), w["horizon"]
    return 2 * sqrt(t * n) if n <= t / 4 else 2 * n + t / 2


_same(
    "sampled_loss",
    lambda ell, v, w: ell["expected"] + (w["span"] or 0.0) * sqrt(ell["rounds"] * log(1 / w["delta"]) / 2),
)


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


_same("ridge_posterior", _ridge(lambda ell, v, w: ell["gap"]))
_same("ridge_determinant", _ridge(lambda ell, v, w: ell["max_outcome2"] * w["log_det"]))

# ---- bandits


def arms(formula: Formula) -> Formula:
    """Where there is one arm there is no regret; else the bound in units, times what a unit is worth."""

    def whole(ell: Facts, v: Facts, w: Facts) -> Any:
        return 0.0 if w["arms"] == 1 else float(w["width"] * formula(ell, v, w))

    return whole


def _lost(ell: Facts) -> Any:
    return float(ell["rounds"] - ell["settled"])


def _doubt(count: float, w: Facts) -> Any:
    return log(count / (w["delta"] or 1.0))


_same("exp3_pseudo_regret", arms(lambda ell, v, w: log(w["arms"]) / ell["last_rate"] + ell["swing"] / 2 + _lost(ell)))


@printed("exp3_ix")
@arms
def exp3_ix(ell: Facts, v: Facts, w: Facts) -> Any:
    """ln K / eta + sum eta A + (1 + 1 / eta) ln(K / delta) + U."""
    luck = (1 + 1 / ell["last_rate"]) * _doubt(w["arms"], w)
    return float(log(w["arms"]) / ell["last_rate"] + ell["swing"] + luck + _lost(ell))


@printed("exp3_ix_expected")
@arms
def exp3_ix_expected(ell: Facts, v: Facts, w: Facts) -> Any:
    """ln K / eta + sum eta A + U, and (1 + 1 / eta) ln K where luck may choose the arm."""
    k, rate = log(w["arms"]), ell["last_rate"]
    slept = v["name"] == "best_arm" and ell.get("restricted", 0.0) > 0
    fixed = v["name"] in ("arm", "expert") or isnan(v["loss"]) or (w["oblivious"] and not slept)
    return k / rate + ell["swing"] + (0.0 if fixed else (1 + 1 / rate) * k) + _lost(ell)


@printed("exp3_ix_book")
@arms
def exp3_ix_book(ell: Facts, v: Facts, w: Facts) -> Any:
    """Neu's Theorem 1."""
    k, luck = log(w["arms"]), _doubt(2, w)
    if w["schedule"] == "anytime":
        kt = w["arms"] * ell["rounds"]
        return 4 * sqrt(kt * k) + (2 * sqrt(kt / k) + 1) * luck + _lost(ell)
    kt = w["arms"] * w["horizon"]
    return 2 * sqrt(2 * kt * k) + (sqrt(2 * kt / k) + 1) * luck + _lost(ell)


@printed("exp3_s")
@arms
def exp3_s(ell: Facts, v: Facts, w: Facts) -> Any:
    """I_m / eta + sum eta A / 2 + U."""
    k, m = w["arms"], v.get("switches") or 0
    stays = max(0.0, ell["rounds"] - m - 1)
    information = log(k) + (m * log(k / w["share"]) if m else 0.0)
    information += stays * -log1p(-w["share"] * (1 - 1 / k)) if stays else 0.0
    return float(information / ell["last_rate"] + ell["swing"] / 2 + _lost(ell))


@printed("exp4")
@arms
def exp4(ell: Facts, v: Facts, w: Facts) -> Any:
    """ln N / eta + sum eta S / 2 + U."""
    if w["comparators"] == 1:
        return _lost(ell)
    return float(log(w["comparators"]) / ell["last_rate"] + ell["swing"] / 2 + _lost(ell))


def _ahead(ahead: Any, v: Facts) -> float:
    return float(ahead[v["place"]] if v["name"] in ("arm", "expert") else np.max(ahead))


@printed("observable")
@arms
def observable(ell: Facts, v: Facts, w: Facts) -> Any:
    """max_c (what was lost - its estimate) + ln(C / delta) / (2 gamma)."""
    missed = 0.0 if w["rule"] == "exp4" else np.asarray(ell["missed"])
    ahead = ell["loss"] + _lost(ell) - missed - np.asarray(ell["implicit"])
    return _ahead(ahead, v) + _doubt(w["comparators"], w) / (2 * ell["last_gamma"])


@printed("exp3_p")
@arms
def exp3_p(ell: Facts, v: Facts, w: Facts) -> Any:
    """beta K T + (gamma + (1 + beta) eta K) T + ln(K / delta) / beta + ln K / eta."""
    k, t, beta = w["arms"], ell["rounds"], w["beta"]
    share = w["explore"] + (1 + beta) * w["rate"] * k
    return float(beta * k * t + share * t + _doubt(k, w) / beta + log(k) / w["rate"])


_same("exp3_p_book", arms(lambda ell, v, w: 5.15 * sqrt(w["horizon"] * w["arms"] * _doubt(w["arms"], w))))


@printed("exp3_p_observable")
@arms
def exp3_p_observable(ell: Facts, v: Facts, w: Facts) -> Any:
    """max_j (G~_j - what was gained) + ln(K / delta) / beta."""
    gained = ell["rounds"] - np.asarray(ell["asleep"]) - (ell["loss"] - np.asarray(ell["missed"]))
    return _ahead(np.asarray(ell["estimates"]) - gained, v) + _doubt(w["arms"], w) / w["beta"]


@printed("tsallis")
@arms
def tsallis(ell: Facts, v: Facts, w: Facts) -> Any:
    """4 sqrt(K T) - 2 sqrt(T) - K + U, or its fellow with reduced variance."""
    k, t = w["arms"], ell["rounds"]
    if w["estimator"] == "importance":
        return 2 * (sqrt(k) - 1) * sqrt(t) + (t if t <= k else 2 * sqrt(k * t) - k) + _lost(ell)
    if t <= 16:
        return float(t + _lost(ell))
    rest = 16 - 4 * sqrt(k) + 16 / 3 * k * log(t / 16) + 8 / 3 * k * (1 - 16 / t)
    return (2 * sqrt(k) - 1) * sqrt(t) + rest + _lost(ell)


@printed("tsallis_book")
@arms
def tsallis_book(ell: Facts, v: Facts, w: Facts) -> Any:
    """Zimmert and Seldin's Theorem 1."""
    kt = w["arms"] * ell["rounds"]
    if w["estimator"] == "importance":
        return 4 * sqrt(kt) + 1 + _lost(ell)
    return 2 * sqrt(kt) + 10 * w["arms"] * log(ell["rounds"]) + 16


_same("hedge_mixed hedge_expected", arms(lambda ell, v, w: log(w["arms"]) / ell["last_rate"] + ell["rates"] / 8))


@printed("hedge_sampled")
@arms
def hedge_sampled(ell: Facts, v: Facts, w: Facts) -> Any:
    """The same and sqrt(T ln(1 / delta) / 2)."""
    luck = sqrt(ell["rounds"] * _doubt(w["arms"] if ell["restricted"] else 1, w) / 2)
    return float(log(w["arms"]) / ell["last_rate"] + ell["rates"] / 8 + luck)


# ---- games


def _share(rounds: float, power: int) -> float:
    """The last weight over the sum of the weights t^power."""
    return float((1 / rounds, 2 / (rounds + 1), 6 * rounds / ((rounds + 1) * (2 * rounds + 1)))[power])


def _turns(ell: Facts) -> Any:
    return float(max(0.0, ell["turn"]) / ell["weight"])


def _two(per_player: Callable[..., float], ell: Facts, w: Facts) -> tuple[float, float]:
    found = []
    for side, count in (("row", w["rows"]), ("column", w["columns"])):
        own = {name: w.get(f"{side}_{name}") for name in ("rate", "spread", "information")}
        information = own["information"]
        information = log(count) if information is None or isnan(information) else information
        seen = ell.get(f"{side}_shift", 0.0), ell.get(f"{side}_move", 0.0)
        found.append(per_player(count, own["rate"], own["spread"], information, *seen) if count > 1 else 0.0)
    return found[0], found[1]


def _hedge(ell: Facts, w: Facts) -> tuple[float, float]:
    t = float(ell["rounds"])

    def regret(n: int, rate: float, d: float, information: float, *_: float) -> float:
        if isnan(rate):
            return information * d * sqrt(t / log(n)) / 2 + d * sqrt(t * log(n)) / 2
        return information / rate + rate * d**2 * t / 8

    return _two(regret, ell, w)


def _seen(ell: Facts, w: Facts) -> tuple[float, float]:
    def regret(n: int, rate: float, d: float, information: float, shift: float, move: float) -> float:
        return information / rate + min(rate * shift - move / (4 * rate), rate * shift / 2)

    return _two(regret, ell, w)


def _matching(ell: Facts, w: Facts) -> tuple[float, float]:
    predictive = sqrt(4 - 3 / ell["rounds"]) if w["method"] == "prm+" else 1.0
    root = predictive * sqrt(ell["rounds"]) * _share(ell["rounds"], w["power"])
    return (
        root * w["row_spread"] * sqrt(w["rows"] - 1),
        root * w["column_spread"] * sqrt(w["columns"] - 1),
    )


def answers(formula: Formula) -> Formula:
    """What these numbers may owe to rounding in payoffs is added."""
    return lambda ell, v, w: float(formula(ell, v, w) + v["rounding"])


_same("weak_duality", lambda ell, v, w: ell["gap"])
_same("complementary", answers(lambda ell, v, w: w["claim"]))
_same("basic_support", lambda ell, v, w: min(w["rows"], w["columns"]))
_same(
    "regret_identity",
    answers(lambda ell, v, w: (ell["row_regret"] + ell["column_regret"] + ell["turn"]) / ell["weight"]),
)
_same("von_neumann", answers(lambda ell, v, w: sum(_hedge(ell, w)) / ell["rounds"] + _turns(ell)))


@printed("optimistic")
@answers
def optimistic(ell: Facts, v: Facts, w: Facts) -> Any:
    """(ln m / eta_1 + ln n / eta_2 + (eta_1 + eta_2) D^2 / 4) / T, and eta_1 D^2 / 2 in turns."""
    each = _two(lambda n, rate, d, information, *_: information / rate + rate * d**2 / 4, ell, w)
    unpaid = w["row_rate"] * w["row_spread"] ** 2 / 2 if w["alternate"] and w["rows"] > 1 else 0.0
    return (sum(each) + unpaid) / ell["rounds"] + _turns(ell)


_same("changes", answers(lambda ell, v, w: (sum(_seen(ell, w)) + ell["turn"]) / ell["rounds"]))
_same("matching", answers(lambda ell, v, w: sum(_matching(ell, w)) + _turns(ell)))


def _root(number: float) -> Any:
    return sqrt(max(0.0, number))


_same(
    "squares",
    answers(
        lambda ell, v, w: (
            (ell["last_weight"] * (_root(ell["row_square"]) + _root(ell["column_square"])) + ell["turn"])
            / ell["weight"]
        )
    ),
)
_same(
    "kept sequence_kept",
    answers(
        lambda ell, v, w: (ell["last_weight"] * (ell["row_norm"] + ell["column_norm"]) + ell["turn"]) / ell["weight"]
    ),
)
_same("coarse", answers(lambda ell, v, w: max(ell["row_regret"], ell["column_regret"]) / ell["weight"]))
_same("coarse_hedge", answers(lambda ell, v, w: max(_hedge(ell, w)) / ell["rounds"]))
_same("coarse_matching", answers(lambda ell, v, w: max(_matching(ell, w))))
_same("coarse_changes", answers(lambda ell, v, w: max(_seen(ell, w)) / ell["rounds"]))
_same(
    "coarse_kept",
    answers(lambda ell, v, w: ell["last_weight"] * max(ell["row_norm"], ell["column_norm"]) / ell["weight"]),
)


@printed("counterfactual")
@answers
def counterfactual(ell: Facts, v: Facts, w: Facts) -> Any:
    """w_T sqrt(T) / W times both reaches; of CFR the root of the sum of the squared weights over W."""
    t, power = ell["rounds"], w["power"]
    squares = (t, t * (t + 1) * (2 * t + 1) / 6, t * (t + 1) * (2 * t + 1) * (3 * t**2 + 3 * t - 1) / 30)[power]
    root = _share(t, power) * (sqrt(t) if w["method"] != "cfr" else sqrt(squares) / t**power)
    root *= sqrt(4 - 3 / t) if w["method"] == "pcfr+" else 1.0
    return float(root * (w["row_reach"] + w["column_reach"]) + _turns(ell))


@printed("sequence_squares")
@answers
def sequence_squares(ell: Facts, v: Facts, w: Facts) -> Any:
    """w_T (sqrt(K_1 sum |r|^2) + sqrt(K_2 sum |r|^2)) / W and the turns."""
    lengths = _root(w["row_sets"] * ell["row_square"]) + _root(w["column_sets"] * ell["column_square"])
    return float((ell["last_weight"] * lengths + ell["turn"]) / ell["weight"])


# ---- finite classes


def _bits(count: float) -> int:
    return int(count).bit_length() - 1


def _ratio(number: Any) -> Any:
    """A fraction, which a report has as text."""
    top, _, bottom = str(number).partition("/")
    return float(top) / float(bottom or 1)


_same("first_in_order", lambda ell, v, w: w["place"])
_same("rank", lambda ell, v, w: w["rank"] - (w["rank_left"] or 0))
_same("left", lambda ell, v, w: w["hypotheses"] - ell["alive"])
_same("consistent", lambda ell, v, w: w["hypotheses"] - 1)
_same("halvings", lambda ell, v, w: _bits(w["hypotheses"] // ell["kept"]))
_same("halving optimal_by_size", lambda ell, v, w: _bits(w["hypotheses"]))
_same(
    "dimension_spent",
    lambda ell, v, w: w["littlestone"][1] - max(0, w["littlestone_left"][0] if w["littlestone_left"] else 0),
)
_same("dimension", lambda ell, v, w: w["littlestone"][1])
_same(
    "randomized_spent",
    lambda ell, v, w: _ratio(w["randomized"][1]) - (_ratio(w["randomized_left"][0]) if w["randomized_left"] else 0.0),
)
_same("randomized", lambda ell, v, w: _ratio(w["randomized"][1]))


@printed("half_the_bits")
def half_the_bits(ell: Facts, v: Facts, w: Facts) -> Any:
    """(k - 1 + |H| / 2^k) / 2."""
    k = _bits(w["hypotheses"])
    return float((k - 1 + w["hypotheses"] / 2**k) / 2)


@printed("drawn")
def drawn(ell: Facts, v: Facts, w: Facts) -> Any:
    """a ln(a / R) - a + R = ln(1 / delta), by Newton's method from above."""
    mean, wanted = _ratio(w["randomized"][1]), -log(w["delta"])
    if mean == 0:
        return 0.0
    a = 4 * (mean + wanted)
    for _ in range(100):
        a -= (a * log(a / mean) - a + mean - wanted) / log(a / mean)
    return a
