"""The report of a run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ..report import BoundCurve, Report, write_report
from .features import largest

if TYPE_CHECKING:
    from ..theorem import Certificate
    from .learn_result import LearnOutput

MOST_WEIGHTS = 30


def write_page(path: str, outcome: LearnOutput) -> None:
    """Write the report of a run."""
    write_report(path, report_of(outcome))


def report_of(outcome: LearnOutput) -> Report:
    """The run as a report shows it."""
    run = outcome.run
    learner = run.learner
    quantity = _quantity(outcome)
    return Report(
        title=f"{type(learner).__name__} on {os.path.basename(run.stream.name)}",
        learner=learner.name,
        parameters=learner.get_params(),
        source={**outcome.input(), "passes": run.place.number + 1},
        curve=run.whole_curve,
        bounds=_bounds(outcome.certificates, quantity),
        quantity=quantity,
        certificates=outcome.certificates,
        weights=_weights(outcome),
        comparators=comparators_of(outcome.certificates),
        seconds=outcome.seconds,
    )


def _quantity(outcome: LearnOutput) -> str:
    """What the curve is drawn with: the first count that a theorem bounds, for the curve is one of counts."""
    return next((c.quantity for c in outcome.certificates if c.theorem.whole), "mistakes")


def _bounds(certificates: list[Certificate], quantity: str) -> list[BoundCurve]:
    """The smallest bound that was certified for the whole run: it holds for every part of it, for counts only grow."""
    counted = [
        (certificate.shown_bound, certificate)
        for certificate in certificates
        if certificate.shown_bound is not None and certificate.theorem.whole and certificate.quantity == quantity
    ]
    if not counted:
        return []
    bound, certificate = min(counted, key=lambda pair: pair[0])
    return [BoundCurve(certificate.theorem.title, [(1.0, bound)])]


SUMS = ("name", "norm", "hinge", "squared_hinge", "loss", "margin")  # that a table of comparators shows


def comparators_of(certificates: list[Certificate]) -> list[dict[str, Any]]:
    """Each comparator once, with the theorems that were read against it."""
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for certificate in certificates:
        if certificate.comparator is None:
            continue
        known = certificate.comparator.describe()
        described = {name: known[name] for name in SUMS if name in known}
        row = rows.setdefault(tuple(described.items()), {**described, "serves": []})
        row["serves"].append(certificate.theorem.title)
    return [{**row, "serves": ", ".join(row["serves"])} for row in rows.values()]


def _weights(outcome: LearnOutput) -> list[tuple[str, float]]:
    learner = outcome.run.learner
    found = largest(learner, outcome.run.stream.schema(), MOST_WEIGHTS)
    if len(found) == 1:
        return found[0][1]
    return [(f"{feature} → {label}", weight) for label, weights in found for feature, weight in weights]
