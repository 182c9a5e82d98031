"""Certificates of `combine` from the table of forecasts alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .checks import Again, Check, whole

Array = np.ndarray[Any, Any]


def _log(a: Array, y: Array, _: float) -> Array:
    return np.where(y > 0, -y * np.log(a), 0.0) + np.where(y < 1, -(1 - y) * np.log1p(-a), 0.0)


COST: dict[str, Callable[..., Any]] = {
    "table": lambda a, y, tau: a,
    "absolute": lambda a, y, tau: np.abs(a - y),
    "square": lambda a, y, tau: (a - y) ** 2,
    "pinball": lambda a, y, tau: np.maximum(tau * (y - a), (tau - 1) * (y - a)),
    "log": _log,
    "zero-one": lambda a, y, tau: (a != y) * 1.0,
    "percentage": lambda a, y, tau: np.abs(a - y) / np.abs(y),
    "wealth": lambda a, y, tau: -np.log(a),
}
MIXED = ("table", "zero-one")  # of which the losses are mixed, and not the forecasts


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
    weights = vectors.get(name, comparator["weights"])
    if comparator["expert"] is None and weights is None and comparator["switches"] is None:
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

    def again(self, certificate: Mapping[str, Any], weights: Any) -> Again:
        """All that the rows say of one comparator."""
        told = certificate["comparator"]
        loss, rounds = self._suffered(told, weights)
        facts: dict[str, Any] = {"expert": told["expert"], "rounds": rounds}
        if weights is not None:
            facts["weights"] = np.asarray(weights, dtype=np.float64)
        if loss is not None:
            facts["loss"] = loss
        all_speak = bool(self.speaks.all())
        if all_speak:
            facts["faced"] = float(self.report["loss"])
            if loss is not None:
                facts["regret"] = facts["faced"] - loss
        ledger: dict[str, Any] = {"rounds": float(len(self.advice)), "loss": float(self.report["loss"])}
        if self.loss in MIXED:
            ledger |= self._spreads()
        facts = {name: value for name, value in facts.items() if value is not None}
        observed = facts.get("regret") if certificate["quantity"] == "regret" else None
        shown = {"loss": loss, "rounds": rounds} if loss is not None else {}
        scale = max(abs(float(self.report["loss"])), abs(loss or 0.0))
        numbers = {name: value for name, value in facts.items() if name not in ("expert", "regret")}
        return Again({"ledger": ledger, "comparator": numbers}, shown, observed, scale)

    def _suffered(self, told: Mapping[str, Any], weights: Any) -> tuple[float | None, float]:
        """What the comparator loses, and in how many rounds."""
        everywhere = float(len(self.advice))
        if told["expert"] is not None:
            place = int(told["expert"])
            spoke = self.speaks[:, place]
            return float(self.losses[spoke, place].sum()), float(spoke.sum())
        if weights is not None:
            u = np.asarray(weights, dtype=np.float64)
            if not self.speaks[:, u != 0].all():
                return None, everywhere
            if self.loss in MIXED:
                return float(np.nan_to_num(self.losses) @ u @ np.ones(len(self.advice))), everywhere
            with np.errstate(divide="ignore", invalid="ignore"):
                mixed = COST[self.loss](np.nan_to_num(self.advice) @ u, self.outcomes, self.tau)
            return float(mixed.sum()), everywhere
        return self._sequence(told["detail"].get("stretches")), everywhere

    def _sequence(self, stretches: Any) -> float | None:
        """What a sequence of experts loses: [name, first round, last round] of each stretch."""
        names = list(self.report["expert_losses"])
        if stretches is None:
            return None
        return float(sum(self.losses[first - 1 : last, names.index(name)].sum() for name, first, last in stretches))

    def _spreads(self) -> dict[str, float]:
        """How far the losses of a round lie apart."""
        spreads = np.nanmax(self.losses, axis=1) - np.nanmin(self.losses, axis=1)
        return {"spread": float(spreads.max(initial=0.0)), "spread2": float((spreads**2).sum())}
