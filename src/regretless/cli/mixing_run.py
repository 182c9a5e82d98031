"""``regretless learn`` over shards: from files to a mixed model, its certificates and a report."""

from __future__ import annotations

from argparse import Namespace
from time import perf_counter
from typing import TYPE_CHECKING, Any, cast

from ..distributed.checkpoint import SavedRun
from ..distributed.core.learner_adapter import refuse
from ..distributed.epochs import Mixing
from ..errors import RegretlessError
from . import mixing, options
from .console import Console
from .exit_codes import UsageError
from .files import refuse_overwriting_or_model
from .make_learner import begin
from .mixing_engine import Attended, engine
from .mixing_loop import MixingLoop
from .mixing_result import Mixed
from .mixing_shards import opened
from .output import complain, many, verdict
from .signals import certifying
from .vectors import write_vectors

if TYPE_CHECKING:
    from ..distributed.core.broadcast import Weighting
    from ..distributed.result import Mixture
    from ..distributed.rows.shards import Shard
    from ..linear.base import OnlineClassifier
    from ..theorem import Certificate


def learn_shards(arguments: Namespace) -> int:
    """Learn from shards, certify, report."""
    mixing.refuse_nonsense_of_learning(arguments)
    against = options.load_against(arguments)
    learner, extra = begin(arguments)
    _refuse_unmixable(learner)
    kept = _kept(arguments, learner, extra)
    shards = opened(arguments, kept)
    inputs = [getattr(shard, "path", shard.name) for shard in shards]  # what a glob has named among them
    refuse_overwriting_or_model(arguments, inputs, [arguments.report, arguments.save_comparators])
    console = Console(quiet=arguments.quiet or arguments.json, progress=arguments.progress)
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
    outcome.publish(arguments, console)
    return verdict(outcome.certificates)


def _run(
    arguments: Namespace, learner: OnlineClassifier, shards: list[Shard], attended: Attended, kept: SavedRun | None
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


def _kept(arguments: Namespace, learner: OnlineClassifier, extra: dict[str, Any]) -> SavedRun | None:
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


def _epochs(arguments: Namespace, learner: OnlineClassifier, kept: SavedRun | None) -> int:
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
