"""``regretless learn`` over shards: from files to a mixed model, its certificates and a report."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any, cast

from ..distributed.checkpoint import SavedRun, union_of
from ..distributed.learner_adapter import refuse
from ..distributed.mixing import Mixing
from ..errors import RegretlessError
from . import options
from .constant_feature import is_open, said_of, size_from_shards
from .files import refuse_overwriting_or_model, write_vectors
from .learn_labels import largest_weights
from .output import Output, UsageError, certificate_values, complain, many, verdict
from .shard_engine import MixingLoop, WatchedEngine, open_engine, open_shards, paths_of
from .shards import refuse_unmixed
from .signals import certifying

if TYPE_CHECKING:
    from ..certificate import Certificate
    from ..distributed.messages import Weighting
    from ..distributed.mixing import Mixing
    from ..distributed.result import Mixture
    from ..distributed.shards import Shard
    from ..linear.base import OnlineClassifier
    from ..report import MixReport
    from .learn_output import LearnOptions

SCHEMA = "regretless.mixing/1"


@dataclass
class MixingOutput(Output):
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

    def write_page(self, path: str) -> None:
        """Write the report."""
        from ..report import page_of_mix, write_report

        write_report(path, page_of_mix(report_of(self)))

    def describe(self) -> dict[str, Any]:
        """The result as JSON values."""
        return {
            "schema": SCHEMA,
            **self.mixture.describe(),
            "loss": self.mixture.ledger.loss,
            "seconds": self.seconds,
            **certificate_values(self.certificates),
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


def report_of(outcome: MixingOutput) -> MixReport:
    """The run as a report shows it."""
    from ..report import MixReport

    learner = outcome.mixture.learner
    return MixReport(
        title=f"{type(learner).__name__} on {_called(outcome.arguments.files)}",
        mixture=outcome.mixture,
        source=_source(outcome),
        how=_how(outcome),
        certificates=outcome.certificates,
        weights=largest_weights(learner, outcome.mixture.schema),
        seconds=outcome.seconds,
        once="" if outcome.mixture.guaranteed else union_of(learner),
    )


def _called(files: list[str]) -> str:
    """One file or pattern by its name, several by their number."""
    return os.path.basename(files[0]) if len(files) == 1 else many(len(files), "file")


def _source(outcome: MixingOutput) -> dict[str, Any]:
    source = outcome.input()
    paths = source["path"]
    return {**source, "path": ", ".join(paths[:8]) + (", …" if len(paths) > 8 else "")}


def _how(outcome: MixingOutput) -> dict[str, Any]:
    mixture, arguments = outcome.mixture, outcome.arguments
    up = sum(epoch.bytes_up or 0 for epoch in mixture.history)
    down = sum(epoch.bytes_down or 0 for epoch in mixture.history)
    who = {"Processes": arguments.workers} if arguments.dask is None else {"Dask cluster": arguments.dask}
    when = {"Passes before the one average": mixture.passes} if mixture.one_shot else {"Epochs": len(mixture.history)}
    moved = {"Bytes of weights sent to shards": down, "Bytes that came back": up} if up or down else {}
    return {**when, "A shard counts": COUNTS[mixture.weights], **who, **moved}


def learn_shards(arguments: LearnOptions, learner: OnlineClassifier, extra: dict[str, Any], against: Any) -> int:
    """Learn from shards, certify, report.

    Parameters
    ----------
    arguments : LearnOptions
    learner : OnlineClassifier
    extra : dict
        What the model to go on with says besides.
    against : array-like or None
        The user's comparator.
    """
    _refuse_unmixable(learner, arguments)
    saved = _saved_run(arguments, learner, extra)
    shards = open_shards(arguments, saved)
    refuse_overwriting_or_model(arguments, paths_of(shards), [arguments.report, arguments.save_comparators])
    console = options.console_of(arguments)
    with open_engine(arguments, len(shards), console) as engine:
        constant = saved is None and is_open(learner, arguments.set)
        if constant:
            size_from_shards(learner, engine, shards)
        run = _run(arguments, learner, shards, engine, saved)
        loop = MixingLoop(run, engine, console, 0 if saved is None else len(saved.history))
        started = perf_counter()
        mixture = loop.go()
        outcome = MixingOutput(mixture, arguments, perf_counter() - started)
        _warn(mixture)
        if constant:
            console.line(f"note: {said_of(mixture.learner)}")
        if not arguments.no_certify:
            trusted = arguments.resume is None
            how = {"svm": arguments.svm, "deep": arguments.deep, "trusted": trusted}
            with outcome.published_if_ended(arguments, console, model=outcome.model):
                outcome.certificates = _certify(loop, mixture, against, **how)
    outcome.certificates += options.future(arguments, mixture.learner)  # of the run itself: no row is read again
    write_vectors(arguments.save_comparators, outcome.certificates)
    outcome.publish(arguments, console, arguments.report, model=outcome.model)
    return verdict(outcome.certificates)


def _run(
    arguments: LearnOptions,
    learner: OnlineClassifier,
    shards: list[Shard],
    engine: WatchedEngine,
    saved: SavedRun | None,
) -> Mixing:
    return Mixing(
        learner,
        shards,
        engine,
        weights=cast("Weighting", arguments.mixing or "uniform" if saved is None else saved.weights),
        together=arguments.together if saved is None else saved.together,
        checkpoint=arguments.save or arguments.resume,
        resume=arguments.resume or False,
        epochs=1 if arguments.one_shot else _epochs(arguments, learner, saved),
        passes=learner.passes if arguments.one_shot else 1,
        one_shot=arguments.one_shot,
    )


def _refuse_unmixable(learner: OnlineClassifier, arguments: LearnOptions) -> None:
    named = arguments.learner is not None or arguments.resume is not None
    try:
        refuse(learner, one_shot=arguments.one_shot, weights=cast("Weighting", arguments.mixing or "uniform"))
    except RegretlessError as error:
        raise UsageError(str(error) if named else f"give --learner, the default one will not do: {error}") from error


def _saved_run(arguments: LearnOptions, learner: OnlineClassifier, extra: dict[str, Any]) -> SavedRun | None:
    """What the model to go on with says of its shards.

    Raises
    ------
    UsageError
        If it says nothing, or something else than the command line.
    ModelError
        If what it says does not fit together.
    """
    if arguments.resume is None:
        return None
    refuse_unmixed(arguments.resume, extra)
    saved = SavedRun.of(extra)
    if saved.one_shot:
        raise UsageError(f"{arguments.resume} was averaged once, so that there is nothing to go on with")
    settings = (("mixing", arguments.mixing, saved.weights), ("together", arguments.together, saved.together))
    for option, value, before in settings:
        if value not in (None, before):
            raise UsageError(f"--{option} {value} contradicts the model, which has {before}")
    done = len(saved.history)
    epochs = _epochs(arguments, learner, saved)
    if epochs < done:
        raise UsageError(f"--passes {epochs}: {many(done, 'epoch')} of the model are played already")
    return saved


def _epochs(arguments: LearnOptions, learner: OnlineClassifier, saved: SavedRun | None) -> int:
    """How many epochs in all: as many as the command line says, else as were asked for when the run began."""
    return learner.most_passes if saved is None or arguments.passes is not None else saved.epochs


def _warn(mixture: Mixture) -> None:
    """Say what a user should know of the data, or of the run."""
    if mixture.skipped:
        were = "was" if mixture.skipped == 1 else "were"
        complain(f"{many(mixture.skipped, 'row')} {were} passed over in each epoch")
        for message in mixture.first_errors:
            complain(message)
        if mixture.skipped > len(mixture.first_errors):
            complain(f"and {mixture.skipped - len(mixture.first_errors)} more")
    if mixture.learner.until_clean and not mixture.clean:
        last = len(mixture.history)
        complain(f"no epoch was clean: this was epoch {last:,}, the last that it was allowed (--passes)")


def _certify(loop: MixingLoop, mixture: Mixture, against: Any, **how: Any) -> list[Certificate]:
    loop.engine.begin("certificates")
    try:
        with certifying(loop.whole_run_message):
            return mixture.certify(loop.engine, against=against, **how)
    finally:
        loop.console.settle()
