"""Certificates of `explore` from the costs in the file: what single actions cost, and each bound by its formula.

The draws are not replayed: what was taken, and what it cost, is the report's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .certificates import RELATIVE, Again, at_once, idle, whole
from .checks import Check, Number, elsewhere, headline

Array = np.ndarray[Any, Any]
Fields = Mapping[str, Any]
NOTE = "the draws were not replayed"


def check(report: Fields, costs: Array, actions: list[str], chances: Array | None, awake: Array) -> list[Check]:
    """One check a certificate, and one of the run.

    Parameters
    ----------
    report : mapping
        What ``explore --json`` printed.
    costs : ndarray, shape (rounds, actions)
        Of each action, or its rewards where the report says so; of a log nan but for the action taken.
    actions : list of str
    chances : ndarray of shape (rounds,), or None
        Of a log, the probability with which it was.
    awake : ndarray of int, shape (actions,)
        In how many rounds each action could be taken.
    """
    if len(costs) != report["rounds"]:
        return elsewhere(report, Number("rounds", report["rounds"], len(costs)))
    word, sign = _quantity(report)
    weights = np.ones(len(costs)) if chances is None else 1 / chances
    # One row after the other, as the run added them up.
    each = np.cumsum(np.nan_to_num(costs) * weights[:, None], axis=0)[-1]
    # As if each had been there in all rounds.
    known = awake > 0 if chances is None else (~np.isnan(costs)).any(axis=0)
    whole_costs = sign * np.where(known, each * (len(costs) / np.maximum(awake, 1)), sign * np.inf)
    best = sign * float(whole_costs.min())
    again: dict[str, Any] = {"rounds": len(costs), f"best_action_{word}": best}
    again |= {f"awake/{name}": int(count) for name, count in zip(actions, awake, strict=True)}
    again |= {f"action_{word}s/{name}": float(cost) for name, cost in zip(actions, each, strict=True)}
    if np.ptp(np.sort(whole_costs)[:2]) > RELATIVE * np.abs(each).sum():
        again["best_action"] = actions[int(whole_costs.argmin())]
    if chances is not None:
        again[f"logged_{word}"] = float(np.nansum(costs))
        again["least_probability"] = float(chances.min())
        again |= {f"taken/{name}": int(count) for name, count in zip(actions, (~np.isnan(costs)).sum(0), strict=True)}
    checks = [_check(report, one, best) for one in report["certificates"]]
    return [*checks, headline(report, again, dict.fromkeys(again, float(np.abs(each).sum())), NOTE)]


def _quantity(report: Fields) -> tuple[str, int]:
    """What the file holds, in a word, and the sign by which less is better."""
    return ("reward", -1) if report["parameters"].get("rewards") else ("cost", 1)


def _check(report: Fields, certificate: Fields, best: float) -> Check:
    if (nothing := idle(certificate)) is not None:
        return nothing
    rounds, (low, high) = int(report["rounds"]), report["parameters"]["value_range"]
    width = float(high - low)
    word, sign = _quantity(report)
    observed = sign * (float(report[word]) - best) if certificate["observed"] is not None else None
    facts = {
        "ledger": {"rounds": rounds, "width": width},
        "comparator": {},
        "learner": {"arms": len(report["actions"]), "width": width},
    }
    known = {owner: _named(certificate, owner, values) for owner, values in facts.items()}
    regret = "regret" in str(certificate["quantity"])
    once = at_once(str(certificate["theorem"]), report["parameters"])
    scales = {"observed": abs(float(report[word])) + abs(best)}
    return whole(certificate, [Again(known, {}, observed, scales, width * (rounds if regret else 1), at_once=once)])


def _named(certificate: Fields, owner: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """The facts that the certificate has too."""
    return {name: value for name, value in values.items() if name in certificate["constants"][owner]}
