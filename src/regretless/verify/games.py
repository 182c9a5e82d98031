"""Certificates of `solve` on one matrix, from its payoffs and the strategies alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

import numpy as np

from .certificates import Again, idle, whole
from .checks import Check, Number, elsewhere, headline

Array = np.ndarray[Any, Any]
Names = Sequence[str] | None
# As reports and files call games in turns.
NOT_CHECKED = dict.fromkeys(("sequence form", "sequence", "extensive"), "games in turns are not checked")


def check(report: Mapping[str, Any], payoffs: Array, names: tuple[Names, Names] = (None, None)) -> list[Check]:
    """One check a certificate, and one of the run.

    Parameters
    ----------
    report : mapping
        What ``solve --json`` printed.
    payoffs : ndarray, shape (rows, columns)
        Of the row player.
    names : tuple of two sequences of str, optional
        What the strategies are called; by default they are numbered from 1.
    """
    if report["game"] != "zero-sum" or "row_strategy" not in report:
        why = NOT_CHECKED.get(str(report["game"]), "it is no game of one matrix")
        return [*(Check(str(one["theorem"]), "unchecked", why) for one in report["certificates"]), headline(report, {})]
    if payoffs.shape != (report["rows"], report["columns"]):
        sizes = (
            Number(name, report[name], size) for name, size in zip(("rows", "columns"), payoffs.shape, strict=True)
        )
        return elsewhere(report, *sizes)
    strategies = [
        _chances(report[f"{who}_strategy"], called, count)
        for who, called, count in zip(("row", "column"), names, payoffs.shape, strict=True)
    ]
    return [*(_check(one, payoffs, *strategies) for one in report["certificates"]), _run(report, payoffs, *strategies)]


def _run(report: Mapping[str, Any], payoffs: Array, p: Array, q: Array) -> Check:
    """What the strategies guarantee."""
    lower, upper, value = float((p @ payoffs).min()), float((payoffs @ q).max()), report["value"]
    if report["payoffs"] == "row player's losses":  # in which its losses are counted
        lower, upper = -upper, -lower
    again = {
        "rows": payoffs.shape[0],
        "columns": payoffs.shape[1],
        "lower": lower,
        "upper": upper,
        "value": min(max(value, lower), upper),  # any number between the two is one that they enclose
        "gap": upper - lower,
    }
    size = float(np.abs(payoffs).max())
    return headline(report, again, dict.fromkeys(again, size))


def _chances(strategy: Mapping[str, float], names: Names, count: int) -> Array:
    """The probability of each strategy; those that are never played are not in the report."""
    called = [str(place + 1) for place in range(count)] if names is None else list(names)
    return np.array([strategy.get(name, 0.0) for name in called], dtype=np.float64)


def _check(certificate: Mapping[str, Any], payoffs: Array, p: Array, q: Array) -> Check:
    if (nothing := idle(certificate)) is not None:
        return nothing
    return whole(certificate, [_again(certificate, payoffs, p, q)])


def _again(certificate: Mapping[str, Any], payoffs: Array, p: Array, q: Array) -> Again:
    """Guarantees, gap and gains of the two strategies."""
    gains, losses = payoffs @ q, p @ payoffs
    lower, upper, value = float(losses.min()), float(gains.max()), float(p @ payoffs @ q)
    spread = float(payoffs.max() - payoffs.min())
    counted = {
        "duality gap": upper - lower,
        "gain by deviating": max(upper - value, value - lower),
        "strategies in a support": int(max((p > 0).sum(), (q > 0).sum())),
    }
    facts = {
        "ledger": {"gap": upper - lower},
        "learner": {
            "rows": payoffs.shape[0],
            "columns": payoffs.shape[1],
            "row_spread": spread,
            "column_spread": spread,
        },
    }
    # A gap of rounding's own size is no number to compare digit by digit: it is one of the payoffs'.
    scale = max(float(np.abs(payoffs).max()), spread)
    scales = dict.fromkeys(("gap", "observed", "bound"), scale)
    played = set(certificate["constants"]["ledger"]) - {"gap"}  # of self-play, which has the payoffs' range as a limit
    observed = counted.get(str(certificate["quantity"]))
    return Again(facts, observed=observed, scales=scales, most=None if played else inf, least=0.0)
