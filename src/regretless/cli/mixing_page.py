"""The report of a run over shards."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ..report import BoundCurve, EpochRow, MixReport, ShardRow, write_mix_report
from ..report.mixtures import WEIGHTED
from ..report.model import bare
from .features import largest
from .output import many
from .page import MOST_WEIGHTS, comparators_of

if TYPE_CHECKING:
    from ..theorem import Certificate
    from .mixing_result import Mixed

COUNTS = {
    "uniform": "as much as any other",
    "updates": "in proportion to its updates",
    "rows": "in proportion to its rows",
}


def write_page(path: str, outcome: Mixed) -> None:
    """Write the report of a run over shards."""
    write_mix_report(path, report_of(outcome))


def report_of(outcome: Mixed) -> MixReport:
    """The run as a report shows it."""
    mixture, arguments = outcome.mixture, outcome.arguments
    learner = mixture.learner
    each = zip(mixture.names, mixture.rounds.tolist(), mixture.shares.tolist(), strict=True)
    return MixReport(
        title=f"{type(learner).__name__} on {_called(arguments.files)}",
        learner=learner.name,
        parameters=learner.get_params(),
        source=_source(outcome),
        how=_how(outcome),
        epochs=[EpochRow(e.rounds, e.mistakes, e.updates, e.weighted_updates, e.seconds) for e in mixture.history],
        shards=[ShardRow(name, rows, share / len(mixture.history)) for name, rows, share in each],
        quantity=_quantity(outcome.certificates),
        bounds=_bounds(outcome.certificates),
        certificates=outcome.certificates,
        weights=_weights(outcome),
        comparators=comparators_of(outcome.certificates),
        seconds=outcome.seconds,
        once=not mixture.guaranteed,
    )


def _called(files: list[str]) -> str:
    """One file or pattern by its name, several by their number."""
    return os.path.basename(files[0]) if len(files) == 1 else many(len(files), "file")


def _source(outcome: Mixed) -> dict[str, Any]:
    given = outcome.input()
    return {**given, "path": ", ".join(given["path"][:8]) + (", …" if len(given["path"]) > 8 else "")}


def _how(outcome: Mixed) -> dict[str, Any]:
    mixture, arguments = outcome.mixture, outcome.arguments
    up = sum(epoch.bytes_up or 0 for epoch in mixture.history)
    down = sum(epoch.bytes_down or 0 for epoch in mixture.history)
    who = {"Processes": arguments.workers} if arguments.dask is None else {"Dask cluster": arguments.dask}
    when = {"Passes before the one average": mixture.passes} if mixture.one_shot else {"Epochs": len(mixture.history)}
    moved = {"Bytes of weights sent to shards": down, "Bytes that came back": up} if up or down else {}
    return {**when, "A shard counts": COUNTS[mixture.weights], **who, **moved}


def _quantity(certificates: list[Certificate]) -> str:
    """What the page tells the tightest bound of: weighted updates, or else what the first theorem bounds."""
    found = [certificate.quantity for certificate in certificates]
    return next((one for one in found if bare(one) == WEIGHTED), next(iter(found), WEIGHTED))


def _bounds(certificates: list[Certificate]) -> list[BoundCurve]:
    """The smallest bound that was certified for the whole run: it holds for every part of it, for counts only grow."""
    known = [(one.bound, one) for one in certificates if one.bound is not None and bare(one.quantity) == WEIGHTED]
    if not known:
        return []
    bound, certificate = min(known, key=lambda pair: pair[0])
    return [BoundCurve(certificate.theorem.title, [(1.0, bound)])]


def _weights(outcome: Mixed) -> list[tuple[str, float]]:
    found = largest(outcome.mixture.learner, outcome.mixture.schema, MOST_WEIGHTS)
    if len(found) == 1:
        return found[0][1]
    return [(f"{feature} → {label}", weight) for label, weights in found for feature, weight in weights]
