"""Bounds on the regret of bandits; in units of the range of losses, which `arms` undoes."""

from __future__ import annotations

from math import isnan, log, log1p, sqrt
from typing import Any

import numpy as np

from .base import Facts, Formula, printed, same


def arms(formula: Formula) -> Formula:
    """Where there is one arm there is no regret; else the bound in units, times the value of a unit."""

    def whole(ell: Facts, v: Facts, w: Facts) -> Any:
        return 0.0 if w["arms"] == 1 else float(w["width"] * formula(ell, v, w))

    return whole


def _lost(ell: Facts) -> Any:
    return float(ell["rounds"] - ell["settled"])


def _doubt(count: float, w: Facts) -> Any:
    return log(count / (w["delta"] or 1.0))


same(
    "exp3_pseudo_regret",
    arms(lambda ell, v, w: log(w["arms"]) / ell["last_rate"] + ell["swing"] / 2 + _lost(ell)),
    kind="expected",
)


@printed("exp3_ix", kind="probable", at_once="one rate", event="exp3-ix")
@arms
def exp3_ix(ell: Facts, v: Facts, w: Facts) -> Any:
    """ln K / eta + sum eta A + (1 + 1 / eta) ln(K / delta) + U."""
    luck = (1 + 1 / ell["last_rate"]) * _doubt(w["arms"], w)
    return float(log(w["arms"]) / ell["last_rate"] + ell["swing"] + luck + _lost(ell))


@printed("exp3_ix_expected", kind="expected")
@arms
def exp3_ix_expected(ell: Facts, v: Facts, w: Facts) -> Any:
    """ln K / eta + sum eta A + U, and (1 + 1 / eta) ln K where luck may choose the arm."""
    k, rate = log(w["arms"]), ell["last_rate"]
    slept = v["name"] == "best_arm" and ell.get("restricted", 0.0) > 0
    fixed = v["name"] in ("arm", "expert") or isnan(v["loss"]) or (w["oblivious"] and not slept)
    return k / rate + ell["swing"] + (0.0 if fixed else (1 + 1 / rate) * k) + _lost(ell)


@printed("exp3_ix_book", kind="probable", at_once="one rate", event="exp3-ix")
@arms
def exp3_ix_book(ell: Facts, v: Facts, w: Facts) -> Any:
    """Neu's Theorem 1."""
    k, luck = log(w["arms"]), _doubt(2, w)
    if w["schedule"] != "constant":
        kt = w["arms"] * ell["rounds"]
        return 4 * sqrt(kt * k) + (2 * sqrt(kt / k) + 1) * luck + _lost(ell)
    kt = w["arms"] * w["horizon"]
    return 2 * sqrt(2 * kt * k) + (sqrt(2 * kt / k) + 1) * luck + _lost(ell)


@printed("exp3_s", kind="expected")
@arms
def exp3_s(ell: Facts, v: Facts, w: Facts) -> Any:
    """I_m / eta + sum eta A / 2 + U."""
    k, m = w["arms"], v.get("switches") or 0
    stays = max(0.0, ell["rounds"] - m - 1)
    information = log(k) + (m * log(k / w["share"]) if m else 0.0)
    information += stays * -log1p(-w["share"] * (1 - 1 / k)) if stays else 0.0
    return float(information / ell["last_rate"] + ell["swing"] / 2 + _lost(ell))


@printed("exp4", kind="expected")
@arms
def exp4(ell: Facts, v: Facts, w: Facts) -> Any:
    """ln N / eta + sum eta S / 2 + U."""
    if w["comparators"] == 1:
        return _lost(ell)
    return float(log(w["comparators"]) / ell["last_rate"] + ell["swing"] / 2 + _lost(ell))


def _ahead(ahead: Any, v: Facts) -> float:
    return float(ahead[v["place"]] if v["name"] in ("arm", "expert") else np.max(ahead))


@printed("observable", kind="probable", at_once="one rate")
@arms
def observable(ell: Facts, v: Facts, w: Facts) -> Any:
    """max_c (what was lost - its estimate) + ln(C / delta) / (2 gamma)."""
    missed = 0.0 if w["advised"] else np.asarray(ell["missed"])
    ahead = ell["loss"] + _lost(ell) - missed - np.asarray(ell["implicit"])
    return _ahead(ahead, v) + _doubt(w["comparators"], w) / (2 * ell["last_gamma"])


@printed("exp3_p", kind="probable", event="exp3-p")
@arms
def exp3_p(ell: Facts, v: Facts, w: Facts) -> Any:
    """beta K T + (gamma + (1 + beta) eta K) T + ln(K / delta) / beta + ln K / eta."""
    k, t, beta = w["arms"], ell["rounds"], w["beta"]
    share = w["explore"] + (1 + beta) * w["rate"] * k
    return float(beta * k * t + share * t + _doubt(k, w) / beta + log(k) / w["rate"])


same(
    "exp3_p_book",
    arms(lambda ell, v, w: 5.15 * sqrt(w["horizon"] * w["arms"] * _doubt(w["arms"], w))),
    kind="probable",
    event="exp3-p",
)


@printed("exp3_p_observable", kind="probable", event="exp3-p")
@arms
def exp3_p_observable(ell: Facts, v: Facts, w: Facts) -> Any:
    """max_j (G~_j - what was gained) + ln(K / delta) / beta."""
    gained = ell["rounds"] - np.asarray(ell["asleep"]) - (ell["loss"] - np.asarray(ell["missed"]))
    return _ahead(np.asarray(ell["estimates"]) - gained, v) + _doubt(w["arms"], w) / w["beta"]


@printed("tsallis", kind="expected")
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


@printed("tsallis_book", kind="expected")
@arms
def tsallis_book(ell: Facts, v: Facts, w: Facts) -> Any:
    """Zimmert and Seldin's Theorem 1."""
    kt = w["arms"] * ell["rounds"]
    if w["estimator"] == "importance":
        return 4 * sqrt(kt) + 1 + _lost(ell)
    return 2 * sqrt(kt) + 10 * w["arms"] * log(ell["rounds"]) + 16


@printed("hedge_mixed")
@arms
def hedge_mixed(ell: Facts, v: Facts, w: Facts) -> Any:
    """ln K / eta + sum eta / 8."""
    return float(log(w["arms"]) / ell["last_rate"] + ell["rates"] / 8)


same("hedge_expected", hedge_mixed, kind="expected")


@printed("hedge_sampled", kind="probable", at_once="never")
@arms
def hedge_sampled(ell: Facts, v: Facts, w: Facts) -> Any:
    """The same and sqrt(T ln(1 / delta) / 2)."""
    luck = sqrt(ell["rounds"] * _doubt(w["arms"] if ell["restricted"] else 1, w) / 2)
    return float(log(w["arms"]) / ell["last_rate"] + ell["rates"] / 8 + luck)
