"""The result of learning from shards: lines, JSON and report."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .learn_result import MOST_WEIGHTS, comparators_of
from .output import Published, described, many
from .read_model import largest

if TYPE_CHECKING:
    from ..distributed.result import Mixture
    from ..report import BoundCurve, MixReport
    from ..theorem import Certificate
    from .arguments import LearnOptions


SCHEMA = "regretless.mixing/1"


@dataclass
class Mixed(Published):
    """A run over shards that is over.

    Attributes
    ----------
    mixture : Mixture
    arguments : LearnOptions
    seconds : float
        How long the learning took.
    certificates : list of Certificate
    """

    mixture: Mixture
    arguments: LearnOptions
    seconds: float
    certificates: list[Certificate] = field(default_factory=list)

    @property
    def model(self) -> str | None:
        """Where the model was written."""
        return self.arguments.save or self.arguments.resume

    def lines(self) -> Iterator[str]:
        """Nothing more: what the run was like was told while it went on."""
        return iter(())

    def write_page(self, path: str) -> None:
        """Write the report."""
        from ..report import write_mix_report

        write_mix_report(path, report_of(self))

    def describe(self) -> dict[str, Any]:
        """The outcome as JSON values."""
        return {
            "schema": SCHEMA,
            **self.mixture.describe(),
            "loss": self.mixture.ledger.loss,
            "seconds": self.seconds,
            **described(self.certificates),
            "model": None if self.model is None else os.fspath(self.model),
            "input": self.input(),
        }

    def input(self) -> dict[str, Any]:
        """What was read in one epoch."""
        mixture = self.mixture
        return {
            "path": list(self.arguments.files),
            "shards": len(mixture.names),
            "rows": int(mixture.rounds.sum()),
            "features": mixture.learner.state_.columns,
            "nonzeros": int(mixture.nonzeros.sum()),
            "skipped": mixture.skipped,
        }


COUNTS = {
    "uniform": "as much as any other",
    "updates": "in proportion to its updates",
    "rows": "in proportion to its rows",
}


def report_of(outcome: Mixed) -> MixReport:
    """The run as a report shows it."""
    from ..report import EpochRow, MixReport, ShardRow

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
    from ..report.mixtures import WEIGHTED
    from ..report.model import bare

    found = [certificate.quantity for certificate in certificates]
    return next((one for one in found if bare(one) == WEIGHTED), next(iter(found), WEIGHTED))


def _bounds(certificates: list[Certificate]) -> list[BoundCurve]:
    """The smallest bound that was certified for the whole run: it holds for every part of it, for counts only grow."""
    from ..report import BoundCurve
    from ..report.mixtures import WEIGHTED
    from ..report.model import bare

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
