"""``regretless learn`` over shards: files, engine and epochs; and a mixed model, its certificates and a report."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any, cast

from ...distributed.checkpoint import SavedRun, union_of
from ...distributed.engine import Engine
from ...distributed.learner_adapter import refuse
from ...distributed.mixing import Mixing
from ...distributed.shards import Shard
from ...errors import EngineError, RegretlessError
from ...report.terminal import many, number_text
from ...run.first_rows import fitting_size, is_open, said_of
from .. import options
from ..files import refuse_overwriting_or_model, write_vectors
from ..output import (
    Console,
    Ended,
    Output,
    UsageError,
    certificate_values,
    complain,
    explain,
    title_of,
    verdict,
    warn_skipped,
)
from ..shards import open_engine, open_shards, paths_of, refuse_unmixed
from ..signals import certifying, run_until_signal
from .labels import largest_weights

if TYPE_CHECKING:
    from ...certificate import Certificate
    from ...distributed.engine import Engine
    from ...distributed.history import Epoch
    from ...distributed.messages import Weighting
    from ...distributed.mixing import Mixing
    from ...distributed.result import Mixture
    from ...distributed.shards import Shard
    from ...distributed.watched import WatchedEngine
    from ...linear.base import OnlineClassifier
    from ...report import MixReport
    from .result import LearnOptions


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
        from ...report import page_of_mix, write_report

        write_report(path, page_of_mix(report_of(self)))

    def describe(self) -> dict[str, Any]:
        """The result as JSON values."""
        return {
            "schema": SCHEMA,
            **self.mixture.describe(),
            "loss": self.mixture.ledger.loss,
            "seconds": self.seconds,
            **certificate_values(self.certificates),
            "model": self.model,
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
    from ...report import MixReport

    learner = outcome.mixture.learner
    return MixReport(
        title=title_of(learner, _called(outcome.arguments.files)),
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
            console.notes([said_of(mixture.learner)])
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
    warn_skipped(mixture, " in each epoch")
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


# The loop of the epochs.


HEADER = "{:>6} {:>12} {:>12} {:>12} {:>12} {:>12} {:>14}".format(
    "epoch", "rounds", "mistakes", "rate so far", "this epoch", "updates", "weighted"
)


class EpochTable:
    """A row an epoch: rounds, mistakes, updates and weighted updates so far, and the rate of mistakes.

    Parameters
    ----------
    write : callable
        Takes a line.
    """

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write, self._headed = write, False
        self._rounds = self._mistakes = self._updates = 0
        self._weighted = 0.0

    def begin(self, history: list[Epoch]) -> None:
        """Add the counts of epochs before."""
        for epoch in history:
            self._add(epoch)

    def epoch(self, epoch: Epoch) -> None:
        """Write the row of an epoch."""
        self._add(epoch)
        if not self._headed:
            self._write(HEADER)
            self._headed = True
        rate, recent = self._mistakes / self._rounds, epoch.mistakes / epoch.rounds
        self._write(
            f"{epoch.number:>6} {self._rounds:>12} {self._mistakes:>12} {rate:>12.6f} {recent:>12.6f} "
            f"{self._updates:>12} {number_text(self._weighted).replace(',', ''):>14}"
        )

    def _add(self, epoch: Epoch) -> None:
        self._rounds += epoch.rounds
        self._mistakes += epoch.mistakes
        self._updates += epoch.updates
        self._weighted += epoch.weighted_updates


class MixingLoop:
    """A run, the engine that goes over its shards, and the console.

    Parameters
    ----------
    run : Mixing
    engine : WatchedEngine
    console : Console
    played : int
        How many epochs there were before.
    """

    def __init__(self, run: Mixing, engine: WatchedEngine, console: Console, played: int) -> None:
        self.run, self.engine, self.console = run, engine, console
        self._table = EpochTable(console.line)
        self._played = played
        self._new = 0  # epochs that this run has played itself

    def go(self) -> Mixture:
        """Play all epochs that are left.

        Raises
        ------
        Ended
            If a signal came.
        RegretlessError
            If a shard cannot be used, or a process is gone; it says what is kept.
        """
        run = self.run
        self._announce(self._played + 1)
        run.on_epoch, run.on_shard = self._epoch, lambda number, place: self.engine.done(place)

        def play(stop: Callable[[], bool]) -> Mixture:
            self.engine.stop = run.stop = stop
            return run.play()

        def failed(error: Exception) -> RegretlessError:
            inner = error.__cause__ if isinstance(error, EngineError) else None
            return RegretlessError(f"{explain(inner or error)}{self._rescued()}")

        mixture, code = run_until_signal(
            play, self.console, stopped=lambda: f"interrupted; {self.saved_message()}", failed=failed, run=self.engine
        )
        if code is not None:
            raise Ended(f"interrupted when the run was over; {self.saved_message()}", code)
        if not self._new:
            played = many(len(mixture.history), "epoch")
            complain(f"{played} were played already, and no more are asked for; --passes says how many in all")
        return mixture

    def saved_message(self) -> str:
        """What is saved of a run that was stopped."""
        path = self.run.checkpoint
        if path is None:
            return "nothing was kept, for there is no --save"
        if not self.run.saved:
            return "no epoch was finished, so that nothing was kept"
        place = os.fspath(path)
        return f"{self._epochs()} kept in {place}; to go on: the same shards with --resume {place}"

    def whole_run_message(self) -> str:
        """What is saved of a run that is over, if only its certificates were stopped."""
        path = self.run.checkpoint
        if path is None or not self.run.saved:
            return self.saved_message()
        place = os.fspath(path)
        return f"the whole run is kept in {place}; for its certificates: regretless certify {place}, the same shards"

    def _rescued(self) -> str:
        if self.run.checkpoint is None or not self.run.saved:
            return ""
        place = os.fspath(self.run.checkpoint)
        return f" ({self._epochs()} kept in {place}; to go on when this is mended: --resume {place})"

    def _epochs(self) -> str:
        done = self.run.saved
        return f"{many(done, 'epoch')} of {self.run.epochs:,} {'is' if done == 1 else 'are'}"

    def _epoch(self, epoch: Epoch) -> None:
        if not self._new and self.run.mixture is not None:
            self._table.begin(self.run.mixture.history[:-1])
        self._new += 1
        self._table.epoch(epoch)
        if epoch.number < self.run.epochs:
            self._announce(epoch.number + 1)

    def _announce(self, number: int) -> None:
        self.engine.begin(f"epoch {number:,} of {self.run.epochs:,}")


def size_from_shards(learner: OnlineClassifier, engine: Engine, shards: Sequence[Shard]) -> None:
    """Give a learner that is to be mixed a constant feature, whose size goes by the first row of the first shard.

    Where that shard cannot be read, the run will say so.
    """
    try:
        size = engine.fold(_of_shard, _no_neighbours, None, shards[:1])
    except RegretlessError:
        return
    learner.set_params(intercept=size)


def _of_shard(_: None, shard: Shard) -> float:
    return next((fitting_size(batch) for batch in shard.open(None).batches() if len(batch)), 1.0)


def _no_neighbours(_: Any, __: float, ___: float) -> float:
    raise AssertionError("one shard has no neighbour")
