"""Certificates of `combine` from the table of forecasts alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .checks import Again, Check, whole
from .replay import MIXED, replayed

Array = np.ndarray[Any, Any]


def _log(a: Array, y: Array, _: float) -> Array:
    return np.where(y > 0, -y * np.log(a), 0.0) + np.where(y < 1, -(1 - y) * np.log1p(-a), 0.0)


COST: dict[str, Callable[..., Any]] = {
    "table": lambda a, y, tau: a,
    "absolute": lambda a, y, tau: np.abs(a - y),
    "square": lambda a, y, tau: (a - y) ** 2,
    "pinball": lambda a, y, tau: np.maximum(tau * (y - a), (tau - 1) * (y - a)),
    "log": _log,
    "zero-one": lambda a, y, tau: np.where(np.isnan(a), np.nan, a != y),
    "percentage": lambda a, y, tau: np.abs(a - y) / np.abs(y),
    "wealth": lambda a, y, tau: -np.log(a),
}


def check(
    report: Mapping[str, Any], advice: Array, outcomes: Array | None, vectors: Mapping[str, Array] | None = None
) -> list[Check]:
    """One check a certificate.

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
    table = _Table(report, advice, outcomes)
    if len(advice) != report["rounds"]:
        why = f"the report is about {report['rounds']:,} rounds and the file has {len(advice):,}"
        return [Check(str(one["theorem"]), "differs", why) for one in report["certificates"]]
    return [_check(table, one, vectors or {}) for one in report["certificates"]]


def _check(table: _Table, certificate: Mapping[str, Any], vectors: Mapping[str, Array]) -> Check:
    name, comparator = str(certificate["theorem"]), certificate["comparator"]
    if not certificate["applies"]:
        return Check(name, "idle", str(certificate["why"]))
    weights = vectors.get(name, comparator and comparator["weights"])
    if comparator and comparator["expert"] is None and weights is None and comparator["switches"] is None:
        return Check(name, "unchecked", "its weights are not in the report: give --comparators FILE")
    return whole(certificate, [table.again(certificate, weights)])


class _Table:
    """The rounds of a report."""

    def __init__(self, report: Mapping[str, Any], advice: Array, outcomes: Array | None) -> None:
        self.report, self.advice = report, advice
        self.loss, self.tau = str(report["loss_name"]), float(report["parameters"].get("tau", 0.5))
        self.outcomes = np.zeros(len(advice)) if outcomes is None else outcomes
        self.speaks = ~np.isnan(advice)
        with np.errstate(divide="ignore", invalid="ignore"):
            self.losses = COST[self.loss](advice, self.outcomes[:, None], self.tau)
        self.paid = replayed(report, advice, self.outcomes, COST[self.loss])

    def again(self, certificate: Mapping[str, Any], weights: Any) -> Again:
        """All that the rows say of one comparator, and the textbook of the learner."""
        told = certificate["comparator"]
        counted, suffered = self._suffered(told, weights) if told else (np.ones(len(self.advice), dtype=bool), None)
        facts: dict[str, Any] = {"rounds": int(counted.sum())}
        ledger: dict[str, Any] = {"rounds": len(self.advice)}
        sizes = dict.fromkeys(("loss", "faced"), 0.0)
        if told and told["expert"] is not None:
            facts["expert"] = int(told["expert"])
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
        if self.report["learner"] == "weighted-majority" and self.paid is not None:  # whose losses are its mistakes
            ledger["mistakes"] = observed["mistakes"] = int(ledger["loss"])
        shown = {name: facts[name] for name in ("loss", "rounds") if suffered is not None}
        scales = sizes | dict.fromkeys(("regret", "observed"), max(sizes.values()))
        owners = {"ledger": ledger, "comparator": facts, "learner": {"experts": self.advice.shape[1]}}
        return Again(owners, shown, observed.get(str(certificate["quantity"])), scales)

    def _suffered(self, told: Mapping[str, Any], weights: Any) -> tuple[Array, Array | None]:
        """In which rounds the comparator is compared, and what it loses in each of them."""
        everywhere = np.ones(len(self.advice), dtype=bool)
        if told["expert"] is not None:
            place = int(told["expert"])
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
        return everywhere, self._sequence(told["detail"].get("stretches"))

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
