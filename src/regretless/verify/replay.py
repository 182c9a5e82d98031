"""What a combiner lost in each round, by the textbook's algorithm and the settings of a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf, isfinite, log, sqrt
from typing import Any

import numpy as np

from ..textbook import experts as rules
from ..textbook.mixable import aggregating, ridge
from ..textbook.weighted_majority import weighted_majority

Array = np.ndarray[Any, Any]
Told = Mapping[str, Any]

MOST_ROUNDS = 100_000  # that are played again, some ten thousand in a second
NEAR = 1e-13  # by what part two runs begin apart: of ridge regression, which solves systems, in their rows
STEADY = 1e-10  # by what part their losses may then differ
EVERYBODY = ("weighted-majority", "ridge", "aggregating")  # of which the textbook has all experts speak
MIXED = ("table", "zero-one")  # of which the losses are mixed, and not the forecasts
RANGED = {"log": (0.0, 1.0), "wealth": (0.0, inf)}  # where values lie, whatever was declared
SLOPES: dict[str, Callable[[float, float, float], Any]] = {
    "absolute": lambda p, y, tau: np.sign(p - y),
    "square": lambda p, y, tau: 2 * (p - y),
    "pinball": lambda p, y, tau: (1 - tau) * (p > y) - tau * (p < y),
    "log": lambda p, y, tau: (-y / p if y > 0 else 0.0) + ((1 - y) / (1 - p) if y < 1 else 0.0),
    "percentage": lambda p, y, tau: np.sign(p - y) / abs(y),
    "wealth": lambda p, y, tau: -1 / p,
}
OWN_RATES = {"ml-poly": rules.ml_poly, "ml-prod": rules.ml_prod, "boa": rules.boa, "squint": rules.squint}


def replayed(report: Told, advice: Array, outcomes: Array, cost: Callable[..., Any]) -> Array | None:
    """The losses of a run's rounds, or None where the run is none of the textbook's.

    That is so where outcomes came late, of more than `MOST_ROUNDS` rounds, and where rounding decides: two runs that
    begin within rounding of each other end apart.

    Parameters
    ----------
    report : mapping
        What ``combine --json`` printed.
    advice : ndarray, shape (rounds, experts)
    outcomes : ndarray, shape (rounds,)
    cost : callable
        ``(forecasts, outcomes, tau) -> losses``.
    """
    told, count = report["parameters"], advice.shape[1]
    if report["delay_cost"] is not None or not 0 < len(advice) <= MOST_ROUNDS:
        return None
    prior = np.ones(count) if told["prior"] is None else np.asarray(told["prior"], dtype=np.float64)
    if prior.shape != (count,) or not (prior > 0).all():
        return None
    apart = 1 + NEAR * (-1.0) ** np.arange(count)
    begins = (prior, advice), (prior * apart, advice * apart if report["learner"] == "ridge" else advice)
    with np.errstate(all="ignore"):
        runs = [_losses(report, start / start.sum(), table, outcomes, cost) for start, table in begins]
    if runs[0] is None or runs[1] is None:
        return None
    steady = np.abs(runs[0] - runs[1]).sum() <= STEADY * np.abs(runs[0]).sum()
    return runs[0] if steady else None


def _losses(report: Told, prior: Array, advice: Array, outcomes: Array, cost: Callable[..., Any]) -> Array | None:
    told, learner, name = report["parameters"], str(report["learner"]), str(report["loss_name"])
    tau, all_speak = float(told["tau"]), not np.isnan(advice).any()
    if learner in EVERYBODY and not all_speak:
        return None
    if learner == "weighted-majority":
        said = weighted_majority(advice, outcomes, told["beta"], told["update_on"] == "always")[1]
        return np.asarray((said != outcomes) * 1.0)
    if learner == "ridge":  # around the average it is the forecaster of what the average leaves
        middle = advice @ prior if told["around"] == "average" else np.zeros(len(advice))
        return np.asarray(cost(middle + ridge(advice, outcomes - middle, told["a"])[0], outcomes, tau))
    if learner == "aggregating" and name == "square":
        low, high = told["value_range"]
        uniform = told["prior"] is None
        return np.asarray(cost(aggregating(advice, outcomes, low, high)[0], outcomes, tau)) if uniform else None
    linear = _linear(report)
    rule = _rule(learner, told, prior, _span(name, told, tau, linear=linear))
    if rule is None:
        return None
    itself = learner == "adahedge" and not linear and name not in MIXED
    slope = (lambda p, y: SLOPES[name](p, y, tau)) if linear else None
    said, _, history = rules.combine(rule, advice, outcomes, lambda a, y: cost(a, y, tau), slope, itself=itself)
    if name in MIXED:
        return np.asarray((history * np.nan_to_num(cost(advice, outcomes[:, None], tau))).sum(axis=1))
    return np.asarray(cost(said, outcomes, tau))


def span(report: Told) -> float:
    """The same of a report's own learner."""
    told = report["parameters"]
    return _span(str(report["loss_name"]), told, float(told["tau"]), linear=_linear(report))


def _linear(report: Told) -> bool:
    """Whether charges are linearised."""
    told, learner, name = report["parameters"], str(report["learner"]), str(report["loss_name"])
    own = learner in (*OWN_RATES, "eg") if told["linearize"] is None else told["linearize"]
    return name == "wealth" or bool(name not in MIXED and own)


def _span(name: str, told: Told, tau: float, *, linear: bool) -> float:
    """The largest difference of two charges of a round that the declared range allows; 0 if none is declared."""
    declared = told["value_range"]
    if declared is None and told.get("horizon") is not None and name not in RANGED:
        declared = (0.0, 1.0)
    low, high = (-inf, inf) if declared is None else (float(end) for end in declared)
    least, most = RANGED.get(name, (-inf, inf))
    width = min(high, most) - max(low, least)
    steepest = {"absolute": 1.0, "square": 2 * width, "pinball": max(tau, 1 - tau)}
    highest = {"table": width, "absolute": width, "square": width**2, "pinball": width * max(tau, 1 - tau)}
    span = steepest.get(name, inf) * width if linear else (highest | {"zero-one": 1.0}).get(name, inf)
    return span if isfinite(span) else 0.0


def _rule(learner: str, told: Told, prior: Array, span: float) -> rules.Rule | None:
    """The textbook's rule of that name with those settings."""
    experts = len(prior)
    if learner in OWN_RATES:
        return OWN_RATES[learner](prior, span)
    if learner == "adahedge":
        return rules.hedge(prior, rules.self_tuned(log(experts)))
    if learner == "aggregating":
        return rules.hedge(prior, rules.constant(1.0))
    if learner == "fixed-share" and told["horizon"] is None:
        rate = rules.self_tuned(log(experts / told["alpha"])) if told["eta"] is None else rules.constant(told["eta"])
        return rules.fixed_share(prior, rate, told["alpha"])
    if learner == "randomized-weighted-majority":
        if told["beta"] is not None:
            return rules.hedge(prior, rules.constant(log(1 / told["beta"])))
        beta = max(0.5, 1 - sqrt(log(experts) / told["horizon"]))
        return rules.hedge(prior, rules.constant(log(1 / beta)))
    if learner not in ("hedge", "ewa", "eg"):
        return None
    if told["eta"] is not None:
        return rules.hedge(prior, rules.constant(told["eta"]))
    if told["horizon"] is not None:
        return rules.hedge(prior, rules.constant(sqrt(8 * log(experts) / told["horizon"]) / span))
    return rules.hedge(prior, rules.anytime(experts, span))
