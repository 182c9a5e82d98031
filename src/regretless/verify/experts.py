"""Certificates of `combine` from the table of forecasts alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from inspect import signature
from math import inf, isfinite
from typing import Any

import numpy as np

from ..info import ExpertInfo
from ..learner_table import EXPERT_LEARNERS
from ..textbook import experts as rules
from .certificates import Again, idle, whole
from .checks import ABSENT, OR_SETTINGS, Check, Number, elsewhere, headline, not_played

Array = np.ndarray[Any, Any]
Fields = Mapping[str, Any]

MOST_ROUNDS = 100_000  # that are played again, some ten thousand in a second
NEAR = 1e-13  # by what part two runs begin apart: of ridge regression, which solves systems, in their rows
STEADY = 1e-10  # by what part their losses may then differ
ESTIMATED = "estimated regret"
OF_ALL = (ESTIMATED, "regret over all rounds")  # where few outcomes are learned
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


def replayed(report: Fields, advice: Array, outcomes: Array, cost: Callable[..., Any]) -> Array | None:
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
    parameters, count = report["parameters"], advice.shape[1]
    if report["delay_cost"] is not None or not 0 < len(advice) <= MOST_ROUNDS:
        return None
    prior = np.ones(count) if parameters["prior"] is None else np.asarray(parameters["prior"], dtype=np.float64)
    if prior.shape != (count,) or not (prior > 0).all():
        return None
    apart = 1 + NEAR * (-1.0) ** np.arange(count)
    begins = (prior, advice), (prior * apart, advice * apart if _twin(report) in rules.SOLVES else advice)
    with np.errstate(all="ignore"):
        runs = [_losses(report, start / start.sum(), table, outcomes, cost) for start, table in begins]
    if runs[0] is None or runs[1] is None:
        return None
    steady = np.abs(runs[0] - runs[1]).sum() <= STEADY * np.abs(runs[0]).sum()
    return runs[0] if steady else None


def _info(report: Fields) -> ExpertInfo | None:
    """What the learner of a report says of itself; None of one that is not in the table."""
    entry = EXPERT_LEARNERS.get(str(report["learner"]))
    return entry and entry.info


def _twin(report: Fields) -> Any:
    """The function of the textbook that gives the same weights; None if the learner names none."""
    info = _info(report)
    return getattr(rules, info.twin) if info and info.twin else None


def _losses(report: Fields, prior: Array, advice: Array, outcomes: Array, cost: Callable[..., Any]) -> Array | None:
    """What the textbook's run loses in each round; None if it is none of the textbook's."""
    parameters, name, twin, info = report["parameters"], str(report["loss_name"]), _twin(report), _info(report)
    tau, linear = float(parameters["tau"]), _linear(report)
    if info is None or twin is None or (info.forecasts and np.isnan(advice).any()):
        return None
    if info.forecasts:
        play = rules.FORECASTERS.get(twin)
        forecasts = None if play is None else play(parameters, prior, advice, outcomes, name)
        return None if forecasts is None else np.asarray(cost(forecasts, outcomes, tau))
    rule = _rule(twin, parameters, prior, _span(name, parameters, tau, linear=linear))
    if rule is None:
        return None
    itself = twin in rules.OWN_LOSS and not linear and name not in MIXED
    slope = (lambda p, y: SLOPES[name](p, y, tau)) if linear else None
    forecasts, _, history = rules.combine(rule, advice, outcomes, lambda a, y: cost(a, y, tau), slope, itself=itself)
    if name in MIXED:
        return np.asarray((history * np.nan_to_num(cost(advice, outcomes[:, None], tau))).sum(axis=1))
    return np.asarray(cost(forecasts, outcomes, tau))


def span(report: Fields) -> float:
    """The same of a report's own learner."""
    parameters = report["parameters"]
    return _span(str(report["loss_name"]), parameters, float(parameters["tau"]), linear=_linear(report))


def _linear(report: Fields) -> bool:
    """Whether charges are linearised."""
    name, asked, info = report["loss_name"], report["parameters"]["linearize"], _info(report)
    own = info is not None and info.linearizes if asked is None else asked
    return name == "wealth" or bool(name not in MIXED and own)


def _span(name: str, parameters: Fields, tau: float, *, linear: bool) -> float:
    """The largest difference of two charges of a round that the declared range allows; 0 if none is declared."""
    declared = parameters["value_range"]
    if declared is None and parameters.get("horizon") is not None and name not in RANGED:
        declared = (0.0, 1.0)
    low, high = (-inf, inf) if declared is None else (float(end) for end in declared)
    least, most = RANGED.get(name, (-inf, inf))
    width = min(high, most) - max(low, least)
    steepest = {"absolute": 1.0, "square": 2 * width, "pinball": max(tau, 1 - tau)}
    highest = {"table": width, "absolute": width, "square": width**2, "pinball": width * max(tau, 1 - tau)}
    span = steepest.get(name, inf) * width if linear else (highest | {"zero-one": 1.0}).get(name, inf)
    return span if isfinite(span) else 0.0


def _rule(twin: Callable[..., rules.Rule], parameters: Fields, prior: Array, span: float) -> rules.Rule | None:
    """The textbook's rule with those settings; None if it has none of them."""
    known = rules.SETTINGS.get(twin)
    settings = known(len(prior), span, parameters) if known else _named(twin, parameters, span)
    return None if settings is None else twin(prior, *settings)


def _named(twin: Callable[..., rules.Rule], parameters: Fields, span: float) -> tuple[float, ...] | None:
    """What a rule takes after the prior: the span of the charges by the name `span`, else the learner's parameter of
    that name. None if one of them is no number of the report, so that a default of the textbook is never taken for
    what was played; a constant of the algorithm, which no learner has, is for keywords alone and keeps its default."""
    positional = [one.name for one in signature(twin).parameters.values() if one.kind is not one.KEYWORD_ONLY]
    values = [span if name == "span" else parameters.get(name) for name in positional[1:]]
    numbers = [float(value) for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    return tuple(numbers) if len(numbers) == len(values) else None


COST: dict[str, Callable[..., Any]] = {
    "table": lambda a, y, tau: a,
    "absolute": lambda a, y, tau: np.abs(a - y),
    "square": lambda a, y, tau: (a - y) ** 2,
    "pinball": lambda a, y, tau: np.maximum(tau * (y - a), (tau - 1) * (y - a)),
    "log": rules.log_loss,
    "zero-one": lambda a, y, tau: np.where(np.isnan(a), np.nan, a != y),
    "percentage": lambda a, y, tau: np.abs(a - y) / np.abs(y),
    "wealth": lambda a, y, tau: -np.log(a),
}


def check(
    report: Mapping[str, Any], advice: Array, outcomes: Array | None, vectors: Mapping[str, Array] | None = None
) -> list[Check]:
    """One check a certificate, and one of the run.

    Parameters
    ----------
    report : mapping
        What ``combine --json`` printed.
    advice : ndarray, shape (rounds, experts)
        nan where an expert is silent.
    outcomes : ndarray, shape (rounds,), or None
        None where the numbers are losses, or price relatives.
    vectors : mapping of str to ndarray, optional
        What ``--save-comparators`` wrote.
    """
    asked = report.get("asked")
    if asked is not None:
        if len(advice) != asked["rounds"]:
            return elsewhere(report, Number("asked/rounds", asked["rounds"], len(advice)))
        chosen = rules.asked(asked["share"], asked["seed"], len(advice))
        advice, outcomes = advice[chosen], None if outcomes is None else outcomes[chosen]
    table = _CombinedRounds(report, advice, outcomes)
    if len(advice) != report["rounds"]:
        return elsewhere(report, Number("rounds", report["rounds"], len(advice)))
    checks = [_check(table, one, vectors or {}) for one in report["certificates"]]
    return [*checks, headline(report, table.counted(), table.sizes(), not_played(table.unplayed()))]


def _check(table: _CombinedRounds, certificate: Mapping[str, Any], vectors: Mapping[str, Array]) -> Check:
    name, comparator = str(certificate["theorem"]), certificate["comparator"]
    if (nothing := idle(certificate)) is not None:
        return nothing
    weights = vectors.get(name, comparator and comparator["weights"])
    if comparator and comparator["expert"] is None and weights is None and comparator["switches"] is None:
        return Check(
            name,
            "unchecked",
            f"its weights are {ABSENT}",
        )
    again = table.again(certificate, weights)
    return whole(certificate, [replace(again, shown={**again.shown, "weights": weights}) if name in vectors else again])


class _CombinedRounds:
    """The rounds of a report."""

    def __init__(self, report: Mapping[str, Any], advice: Array, outcomes: Array | None) -> None:
        self.report, self.advice, self.asked = report, advice, report.get("asked")
        self.loss, self.tau = str(report["loss_name"]), float(report["parameters"].get("tau", 0.5))
        self.outcomes = np.zeros(len(advice)) if outcomes is None else outcomes
        self.speaks = ~np.isnan(advice)
        with np.errstate(divide="ignore", invalid="ignore"):
            self.losses = COST[self.loss](advice, self.outcomes[:, None], self.tau)
        self.paid = replayed(report, advice, self.outcomes, COST[self.loss])

    def unplayed(self) -> str:
        """Why the textbook did not play the run again; empty if it did."""
        if self.paid is not None:
            return ""
        if len(self.advice) > MOST_ROUNDS:
            return f"it has more than {MOST_ROUNDS:,} rounds"
        return OR_SETTINGS if self.report["delay_cost"] is None else "outcomes came late"

    def counted(self) -> dict[str, Any]:
        """The numbers of the run, and of its comparators where all experts speak."""
        numbers: dict[str, Any] = {"rounds": len(self.advice), "experts": self.advice.shape[1]}
        numbers["missing"] = int((~self.speaks).sum())
        if self.asked is not None:
            numbers["asked/outcomes"] = len(self.advice)
        names = list(self.report["expert_losses"])
        totals = np.nansum(self.losses, axis=0)
        numbers |= {f"expert_losses/{name}": float(one) for name, one in zip(names, totals, strict=True)}
        lost = None if self.paid is None else float(self.paid.sum())
        if lost is not None:
            numbers |= {"loss": lost, "mean_loss": lost / len(self.advice)}
        for name, comparator in self.report["comparators"].items() if numbers["missing"] == 0 else ():
            loss = self._of(name, comparator, names, totals)
            if loss is not None:
                numbers[f"comparators/{name}/loss"] = loss
                numbers[f"comparators/{name}/regret"] = None if lost is None else lost - loss
        return numbers

    def sizes(self) -> dict[str, float]:
        """How large the losses are that the numbers of the run add up."""
        largest = float(np.nansum(np.abs(self.losses), axis=0).max(initial=0.0))
        names = [f"comparators/{name}/{what}" for name in self.report["comparators"] for what in ("loss", "regret")]
        return dict.fromkeys((*names, "loss"), largest)

    def _of(self, name: str, comparator: Mapping[str, Any], names: list[str], totals: Array) -> float | None:
        """The loss of one of the comparators that stand beside the certificates."""
        detail = comparator["detail"]
        if name == "best_expert":
            return float(totals.min())
        if "stretches" in detail:
            numbers = self._sequence(detail["stretches"])
            return None if numbers is None else float(numbers.sum())
        weights = detail.get("weights")
        if name == "uniform":
            weights = dict.fromkeys(names, 1 / len(names))
        if not isinstance(weights, dict) or set(weights) != set(names):
            return None
        u = np.array([weights[one] for one in names])
        if self.loss in MIXED:
            return float((self.losses @ u).sum())
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(COST[self.loss](self.advice @ u, self.outcomes, self.tau).sum())

    def _most(self, certificate: Mapping[str, Any], faced: float | None, rounds: int) -> float | None:
        """The most that a quantity can be: what was lost, or the declared range in every round; else the rounds."""
        if certificate["quantity"] in OF_ALL:
            return inf
        if len(self.losses) and not np.nanmin(self.losses) >= 0:
            return None
        if certificate["quantity"] != "regret":
            return float(len(self.losses)) if np.nanmax(self.losses, initial=0.0) <= 1 else None
        if faced is None or "linearize" not in self.report["parameters"]:
            return None
        return min(faced, (span(self.report) or inf) * rounds)

    def again(self, certificate: Mapping[str, Any], weights: Any) -> Again:
        """All that the rows say of one comparator, and the textbook of the learner."""
        if certificate["quantity"] == "coverage error":
            return of_intervals(certificate["constants"]["ledger"], len(self.advice))
        comparator = certificate["comparator"]
        counted, suffered = (
            self._suffered(comparator, weights) if comparator else (np.ones(len(self.advice), dtype=bool), None)
        )
        facts: dict[str, Any] = {"rounds": int(counted.sum())}
        ledger: dict[str, Any] = {"rounds": len(self.advice)}
        sizes = dict.fromkeys(("loss", "faced"), 0.0)
        if comparator and comparator["expert"] is not None:
            facts["expert"] = int(comparator["expert"])
        if weights is not None:
            facts["weights"] = np.asarray(weights, dtype=np.float64)
        if suffered is not None:
            facts["loss"], sizes["loss"] = float(suffered.sum()), float(np.abs(suffered).sum())
        if self.loss in MIXED:
            ledger |= self._spreads()
        if self.paid is not None:
            ledger["loss"], faced = float(self.paid.sum()), self.paid[counted]
            facts["faced"], sizes["faced"] = float(faced.sum()), float(np.abs(faced).sum())
            if self.loss in MIXED:
                ledger["expected"] = ledger["loss"]
        if "loss" in facts and "faced" in facts:
            facts["regret"] = facts["faced"] - facts["loss"]
        observed = {"regret": facts.get("regret"), "expected loss": ledger.get("expected")}
        if certificate["quantity"] in OF_ALL and self.asked is not None:
            ledger = {"rounds": self.asked["rounds"], "share": self.asked["share"]}
            observed[ESTIMATED] = facts["regret"] / ledger["share"] if "regret" in facts else None
        if self.paid is not None and certificate["quantity"] == "mistakes":  # which are the losses of a majority
            ledger["mistakes"] = observed["mistakes"] = int(ledger["loss"])
        shown = {name: facts[name] for name in ("loss", "rounds") if suffered is not None}
        scales = sizes | dict.fromkeys(("regret", "observed"), max(sizes.values()))
        owners = {"ledger": ledger, "comparator": facts, "learner": {"experts": self.advice.shape[1]}}
        if "regret" in facts:
            shown["regret"] = facts["regret"]
        most = self._most(certificate, facts.get("faced"), facts["rounds"])
        return Again(owners, shown, observed.get(str(certificate["quantity"])), scales, most, None)

    def _suffered(self, comparator: Mapping[str, Any], weights: Any) -> tuple[Array, Array | None]:
        """In which rounds the comparator is compared, and what it loses in each of them."""
        everywhere = np.ones(len(self.advice), dtype=bool)
        if comparator["expert"] is not None:
            place = int(comparator["expert"])
            spoke = self.speaks[:, place]
            return spoke, self.losses[spoke, place]
        if weights is not None:
            u = np.asarray(weights, dtype=np.float64)
            if not self.speaks[:, u != 0].all():
                return everywhere, None
            if self.loss in MIXED:
                return everywhere, np.nan_to_num(self.losses) @ u
            with np.errstate(divide="ignore", invalid="ignore"):
                return everywhere, COST[self.loss](np.nan_to_num(self.advice) @ u, self.outcomes, self.tau)
        return everywhere, self._sequence(comparator["detail"].get("stretches"))

    def _sequence(self, stretches: Any) -> Array | None:
        """What a sequence of experts loses: [name, first round, last round] of each stretch."""
        names = list(self.report["expert_losses"])
        if stretches is None:
            return None
        return np.concatenate([self.losses[first - 1 : last, names.index(name)] for name, first, last in stretches])

    def _spreads(self) -> dict[str, float]:
        """How far the losses of a round lie apart."""
        spreads = np.nanmax(self.losses, axis=1) - np.nanmin(self.losses, axis=1)
        return {"spread": float(spreads.max(initial=0.0)), "spread2": float((spreads**2).sum())}


def of_intervals(ledger: Mapping[str, Any], rounds: int) -> Again:
    """What the misses of intervals say of their share. They are the report's: where an outcome is as far from its
    forecast as another was, rounding decides whether it misses, and the textbook rounds in another way."""
    alpha = float(ledger["alpha"])
    observed = abs(ledger["misses"] / rounds - alpha)
    return Again({"ledger": {"rounds": rounds}}, observed=observed, most=max(alpha, 1 - alpha))
