"""``regretless learn`` over shards: from files to a mixed model, its certificates and a report."""

from __future__ import annotations

import os
from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any, cast

from ..distributed.checkpoint import SavedRun
from ..distributed.core.learner_adapter import refuse
from ..distributed.mixing import Mixing
from ..errors import EngineError, RegretlessError
from . import mixing, options
from .console import Console
from .exit_codes import Ended, UsageError
from .files import refuse_overwriting_or_model, write_vectors
from .mixing_engine import Attended, engine, opened
from .mixing_result import Mixed
from .output import complain, explain, many, number_text, verdict
from .parameters import learner_of
from .run_loop import run_until_signal
from .signals import certifying

if TYPE_CHECKING:
    from ..distributed.core.messages import Weighting
    from ..distributed.history import Epoch
    from ..distributed.mixing import Mixing
    from ..distributed.result import Mixture
    from ..distributed.rows.shards import Shard
    from ..linear.base import OnlineClassifier
    from ..theorem import Certificate
    from .arguments import LearnOptions
    from .mixing_engine import Attended


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
        """Take up what was counted before."""
        for epoch in history:
            self._add(epoch)

    def epoch(self, epoch: Epoch) -> None:
        """Told of every epoch that is over."""
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
    """A run, whoever goes over its shards, and where the user looks.

    Parameters
    ----------
    run : Mixing
    attended : Attended
    console : Console
    played : int
        How many epochs there were before.
    """

    def __init__(self, run: Mixing, attended: Attended, console: Console, played: int) -> None:
        self.run, self.attended, self.console = run, attended, console
        self._table = EpochTable(console.line)
        self._played = played
        self._new = 0  # epochs that this run has played itself

    def go(self) -> Mixture:
        """Play all epochs that are left.

        Raises
        ------
        Ended
            If the user has had enough.
        RegretlessError
            If a shard cannot be used, or a process is gone; it says what is kept.
        """
        run = self.run
        self._announce(self._played + 1)
        run.on_epoch, run.on_shard = self._epoch, lambda number, place: self.attended.done(place)

        def play(stop: Callable[[], bool]) -> Mixture:
            self.attended.stop = run.stop = stop
            return run.play()

        def failed(error: Exception) -> RegretlessError:
            inner = error.__cause__ if isinstance(error, EngineError) else None
            return RegretlessError(f"{explain(inner or error)}{self._rescued()}")

        mixture, code = run_until_signal(
            play, self.console, stopped=lambda: f"interrupted; {self.kept()}", failed=failed, run=self.attended
        )
        if code is not None:
            raise Ended(f"interrupted when the run was over; {self.kept()}", code)
        if not self._new:
            played = many(len(mixture.history), "epoch")
            complain(f"{played} were played already, and no more are asked for; --passes says how many in all")
        return mixture

    def kept(self) -> str:
        """What is left of a run that was stopped."""
        path = self.run.checkpoint
        if path is None:
            return "nothing was kept, for there is no --save"
        if not self.run.saved:
            return "no epoch was finished, so that nothing was kept"
        place = os.fspath(path)
        return f"{self._epochs()} kept in {place}; to go on: the same shards with --resume {place}"

    def all_kept(self) -> str:
        """What is left of a run that is over, where only its certificates were stopped."""
        path = self.run.checkpoint
        if path is None or not self.run.saved:
            return self.kept()
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
        self.attended.begin(f"epoch {number:,} of {self.run.epochs:,}")


def learn_shards(arguments: LearnOptions) -> int:
    """Learn from shards, certify, report."""
    mixing.refuse_nonsense_of_learning(arguments)
    against = options.load_against(arguments)
    learner, extra = learner_of(arguments)
    _refuse_unmixable(learner)
    kept = _kept(arguments, learner, extra)
    shards = opened(arguments, kept)
    inputs = [getattr(shard, "path", shard.name) for shard in shards]  # what a glob has named among them
    refuse_overwriting_or_model(arguments, inputs, [arguments.report, arguments.save_comparators])
    console = options.console_of(arguments)
    with engine(arguments, len(shards), console) as attended:
        run = _run(arguments, learner, shards, attended, kept)
        going = MixingLoop(run, attended, console, 0 if kept is None else len(kept.history))
        started = perf_counter()
        mixture = going.go()
        outcome = Mixed(mixture, arguments, perf_counter() - started)
        _warn(mixture)
        if not arguments.no_certify:
            trusted = arguments.resume is None
            outcome.certificates = _certify(going, mixture, against, svm=arguments.svm, trusted=trusted)
    outcome.certificates += options.future(arguments, mixture.learner)  # of the run itself: no row is read again
    write_vectors(arguments.save_comparators, outcome.certificates)
    outcome.publish(arguments, console, arguments.report, model=outcome.model)
    return verdict(outcome.certificates)


def _run(
    arguments: LearnOptions, learner: OnlineClassifier, shards: list[Shard], attended: Attended, kept: SavedRun | None
) -> Mixing:
    return Mixing(
        learner,
        shards,
        attended,
        weights=cast("Weighting", arguments.mixing or "uniform" if kept is None else kept.weights),
        together=arguments.together if kept is None else kept.together,
        checkpoint=arguments.save or arguments.resume,
        resume=arguments.resume or False,
        epochs=1 if arguments.one_shot else _epochs(arguments, learner, kept),
        passes=learner.passes if arguments.one_shot else 1,
        one_shot=arguments.one_shot,
    )


def _refuse_unmixable(learner: OnlineClassifier) -> None:
    try:
        refuse(learner)
    except RegretlessError as error:
        raise UsageError(str(error)) from error


def _kept(arguments: LearnOptions, learner: OnlineClassifier, extra: dict[str, Any]) -> SavedRun | None:
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
    mixing.refuse_unmixed(arguments.resume, extra)
    kept = SavedRun.of(extra)
    if kept.one_shot:
        raise UsageError(f"{arguments.resume} was averaged once, so that there is nothing to go on with")
    for option, before in (("mixing", kept.weights), ("together", kept.together)):
        given = getattr(arguments, option)
        if given not in (None, before):
            raise UsageError(f"--{option} {given} contradicts the model, which has {before}")
    done = len(kept.history)
    epochs = _epochs(arguments, learner, kept)
    if epochs < done:
        raise UsageError(f"--passes {epochs}: {many(done, 'epoch')} of the model are played already")
    return kept


def _epochs(arguments: LearnOptions, learner: OnlineClassifier, kept: SavedRun | None) -> int:
    """How many epochs in all: as many as the command line says, else as were asked for when the run began."""
    return learner.most_passes if kept is None or arguments.passes is not None else kept.epochs


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


def _certify(going: MixingLoop, mixture: Mixture, against: Any, **how: Any) -> list[Certificate]:
    going.attended.begin("certificates")
    try:
        with certifying(going.all_kept):
            return mixture.certify(going.attended, against=against, **how)
    finally:
        going.console.settle()
