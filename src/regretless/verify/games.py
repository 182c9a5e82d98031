"""Certificates of `solve` on one matrix, from its payoffs and the strategies alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .checks import Again, Check, whole

Array = np.ndarray[Any, Any]


def check(report: Mapping[str, Any], payoffs: Array) -> list[Check]:
    """One check a certificate.

    Parameters
    ----------
    report : mapping
        What ``solve --json`` printed.
    payoffs : ndarray, shape (rows, columns)
        Of the row player.
    """
    if report["game"] != "zero-sum" or "row_strategy" not in report:
        return [
            Check(str(one["theorem"]), "unchecked", "it is no game of one matrix") for one in report["certificates"]
        ]
    if payoffs.shape != (report["rows"], report["columns"]):
        why = f"the report is about {report['rows']:,} x {report['columns']:,} payoffs, and these are {payoffs.shape}"
        return [Check(str(one["theorem"]), "differs", why) for one in report["certificates"]]
    return [_check(report, one, payoffs) for one in report["certificates"]]


def _check(report: Mapping[str, Any], certificate: Mapping[str, Any], payoffs: Array) -> Check:
    if not certificate["applies"]:
        return Check(str(certificate["theorem"]), "idle", str(certificate["why"]))
    return whole(certificate, [_again(report, certificate, payoffs)])


def _again(report: Mapping[str, Any], certificate: Mapping[str, Any], payoffs: Array) -> Again:
    """Guarantees, gap and gains of the two strategies."""
    p, q = (np.array(list(report[f"{who}_strategy"].values()), dtype=np.float64) for who in ("row", "column"))
    worth, paid = payoffs @ q, p @ payoffs
    lower, upper, value = float(paid.min()), float(worth.max()), float(p @ payoffs @ q)
    spread = float(payoffs.max() - payoffs.min())
    counted = {
        "duality gap": upper - lower,
        "gain by deviating": max(upper - value, value - lower),
        "strategies in a support": float(max((p > 0).sum(), (q > 0).sum())),
    }
    facts = {
        "ledger": {"gap": upper - lower},
        "learner": {
            "rows": float(payoffs.shape[0]),
            "columns": float(payoffs.shape[1]),
            "row_spread": spread,
            "column_spread": spread,
        },
    }
    # A gap of rounding's own size is no number to compare digit by digit: it is one of the payoffs'.
    scale = max(float(np.abs(payoffs).max()), spread)
    return Again(facts, observed=counted.get(str(certificate["quantity"])), scale=scale)
