"""Certificates of `pull` from the table of losses: comparators from the table, draws from the report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .checks import Again, Check, whole

Array = np.ndarray[Any, Any]


def check(report: Mapping[str, Any], losses: Array, arms: list[str]) -> list[Check]:
    """One check a certificate.

    Parameters
    ----------
    report : mapping
        What ``pull --json`` printed.
    losses : ndarray, shape (rounds, arms)
        As the table has them, which may be rewards; nan for an arm that sleeps.
    arms : list of str
    """
    if len(losses) != report["rounds"]:
        why = f"the report is about {report['rounds']:,} rounds and the table has {len(losses):,}"
        return [Check(str(one["theorem"]), "differs", why) for one in report["certificates"]]
    losses = losses.astype(np.float64)
    if report["parameters"]["rewards"]:  # what is lost is what is missing from the highest reward
        losses = report["parameters"]["value_range"][1] - losses
    return [_check(report, one, losses, arms) for one in report["certificates"]]


def _check(report: Mapping[str, Any], certificate: Mapping[str, Any], losses: Array, arms: list[str]) -> Check:
    name = str(certificate["theorem"])
    if not certificate["applies"]:
        return Check(name, "idle", str(certificate["why"]))
    if certificate["constants"] is None:
        return Check(name, "unchecked", "it is a mean over the runs, which are not in the report")
    suffered = _suffered(certificate["comparator"], losses, arms)
    if suffered is None:
        return Check(name, "unchecked", "its comparator goes by advice, which is not in the table")
    return whole(certificate, [_again(report, certificate, losses, suffered)])


def _again(report: Mapping[str, Any], certificate: Mapping[str, Any], losses: Array, suffered: Array) -> Again:
    """What the comparator loses, and by how much the run that is shown lost more."""
    low, high = report["parameters"]["value_range"]
    width, loss = float(high - low), float(suffered.sum())
    told = certificate["constants"]
    faced = told["ledger"].get("mixed") if certificate["quantity"] == "mixed regret" else None
    faced = told["comparator"].get("faced") if faced is None else faced
    low = 0.0 if report["parameters"]["rewards"] else low
    units = (loss - low * len(suffered)) / width
    facts = {
        "ledger": {"rounds": len(losses), "width": width},
        "comparator": {"loss": units},
        "learner": {"arms": losses.shape[1], "width": width},
    }
    observed = None if faced is None or certificate["observed"] is None else width * (faced - units)
    size = float(np.abs(suffered).sum()) + abs(low) * len(suffered)
    # What the run itself lost is the report's, and has no say in what is allowed.
    return Again(facts, {"loss": loss}, observed, {"loss": max(size, size / width), "observed": size})


def _suffered(comparator: Mapping[str, Any], losses: Array, arms: list[str]) -> Array | None:
    """What an arm, or a sequence of them, loses in each of the rounds in which it is awake."""
    if comparator["name"] in ("best_arm", "arm") and comparator["place"] is not None:
        found = losses[:, comparator["place"]]
        return np.asarray(found[~np.isnan(found)])
    stretches = comparator["detail"].get("stretches")
    if comparator["name"] != "best_sequence" or stretches is None:
        return None
    return np.concatenate([losses[first - 1 : last, arms.index(name)] for name, first, last in stretches])
