"""``regretless learn``: from a labelled file to a model, its certificates and a report."""

from __future__ import annotations

from argparse import ArgumentParser
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ..catalogue import DEFAULT, DEFAULT_OF_TASK, LEARNERS, REGRESSORS
from . import options, shards
from .files import copied_for_against, load_against, refuse_foreign, refuse_overwriting_or_model, write_vectors
from .intervals import add_intervals, refuse_shares
from .output import UsageError, complain, label_text, verdict, warn_skipped
from .signals import PointTable, certify_hint, certifying, earlier_rows, go, whole_run_message

if TYPE_CHECKING:
    from ..certificate import Certificate
    from ..data.stream import Stream
    from ..linear.base import OnlineClassifier
    from ..run.linear import Continuation, Run
    from .arguments import LearnOptions

    Point = tuple[int, int, int]


def doubling(rounds: int) -> bool:
    """Whether a round count has a row: powers of two do."""
    return rounds & (rounds - 1) == 0


class MistakeTable(PointTable):
    """Rows at doubling round counts; a point is rounds, mistakes and updates."""

    HEADER = "{:>12} {:>12} {:>12} {:>12} {:>12}".format("rounds", "mistakes", "rate so far", "since last", "updates")

    def point(self, point: Point) -> None:
        """Write the row of a point that has one."""
        if doubling(point[0]):
            super().point(point)

    def row(self, point: Point, last: Point) -> str:
        """Mistakes so far and since the row before."""
        rounds, mistakes, updates = point
        recent = (mistakes - last[1]) / (rounds - last[0])
        return f"{rounds:>12} {mistakes:>12} {mistakes / rounds:>12.6f} {recent:>12.6f} {updates:>12}"


HELP = "learn from a labelled file, and certify what was observed"
DESCRIPTION = (
    "Go over the rows in their order, in constant memory (but the voted and the kernel perceptron are made of rows). "
    "Mistakes are counted on rows that were not learned from yet, and shown on stderr at doubling round counts. "
    "Then the rows are read again, and every theorem about the learner is printed on stdout with what it bounds, or "
    "why it does not apply. With --workers or --dask each file is a shard: all of them are read at once, and the "
    "weights averaged."
)


def add_arguments(parser: ArgumentParser) -> None:
    """The verb's options."""
    options.add_files(parser)
    group = parser.add_argument_group("learning")
    known = LEARNERS | REGRESSORS
    group.add_argument(
        "--learner",
        metavar="NAME",
        type=options.learner_in(known),
        choices=tuple(known),
        help=f"of labels: {', '.join(LEARNERS)}; by default {DEFAULT}; of numbers: {', '.join(REGRESSORS)}",
    )
    group.add_argument(
        "--task",
        choices=tuple(DEFAULT_OF_TASK),
        help="what the target is; by default regression if it has fractions, and classification if it has few values",
    )
    options.add_set(group)
    group.add_argument(
        "--passes", type=options.whole, metavar="N", help="how often to go over the rows; over shards: how many epochs"
    )
    options.add_saving(group, "rounds")
    group.add_argument(
        "--any-labels", action="store_true", help="take numbers for labels though there are very many different ones"
    )
    add_intervals(group)
    shards.add_arguments(parser)
    certificates = options.add_certifying(parser)
    certificates.add_argument("--no-certify", action="store_true", help="do not read the rows again")
    reading = options.add_reading(parser)
    options.add_features(reading)
    options.add_cache(reading)
    output = parser.add_argument_group("output")
    options.add_report(output)
    options.add_watching(output, "no table on stderr, and no notes on the data")


def run(arguments: LearnOptions) -> int:
    """Learn, certify, report."""
    if shards.are_shards(arguments):
        from .learn_shards import learn_shards
        from .task import CLASSIFICATION, task_of

        _refuse_contradictions(arguments)
        if task_of(arguments) not in (None, CLASSIFICATION) or arguments.interval is not None:
            raise UsageError("numbers are learned from one file; shards are for labels")
        return learn_shards(arguments)
    path = shards.only_file(arguments)
    _refuse_contradictions(arguments)
    with copied_for_against(arguments, path) as copied:
        return _learn(copied, path)


def _learn(arguments: LearnOptions, path: str) -> int:
    """Learn labels or numbers, as the options say, or the model to go on with, or else the first rows."""
    from .task import CLASSIFICATION, taken_for, task_of, task_of_rows

    task, stream = task_of(arguments), None
    if arguments.resume is not None:
        from .read_model import task_of_model

        own = task_of_model(arguments.resume)
        if task not in (None, own):
            raise UsageError(f"--task {task} contradicts the model, which is for {own}")
        task = own
    elif task is None:
        from ..data.stream import BegunStream

        stream = BegunStream(options.open_input(path, arguments, None))
        task = task_of_rows(stream, stream.first)
        if task != CLASSIFICATION:
            options.console_of(arguments).line(taken_for(stream, task))
    if task != CLASSIFICATION:
        from .learn_numbers import learn_numbers

        return learn_numbers(arguments, path, task, stream)
    options.refuse_set(
        {"--interval": arguments.interval, "--interval-step": arguments.interval_step},
        "is for forecasts of numbers, and labels are learned here (--task regression)",
    )
    return _learn_labels(arguments, path, stream)


def _learn_labels(arguments: LearnOptions, path: str, begun: Stream | None) -> int:
    from ..data.sample import Sample
    from ..run.linear import Continuation
    from .learn_result import LearnOutput, traps
    from .parameters import learner_of
    from .read_model import known_schema

    against = load_against(arguments)
    learner, extra = learner_of(arguments)
    if arguments.resume is not None:
        shards.refuse_mixed(arguments.resume, extra)
    continuation = Continuation.read(extra)
    stream = begun or options.open_input(path, arguments, known_schema(learner, continuation.schema))
    console = options.console_of(arguments)
    run = _run(arguments, learner, stream, continuation)
    trusted = run.rounds == 0
    if trusted and not arguments.no_certify:
        run.sample = Sample()
    started = perf_counter()
    rows = [point for point in run.curve if doubling(point[0])]
    go(run, MistakeTable(console.line, rows[-1] if rows else run.point), console)
    outcome = LearnOutput(run, path, perf_counter() - started, stream.skipped, quiet=arguments.quiet)
    warn_skipped(stream)
    outcome.notes = list(traps(run))
    for note in outcome.notes:
        console.line(f"note: {note}")
    if run.again:
        complain(f"{path} is, as it seems, what the model had learned from: its rows were learned once more")
    if len(learner.classes_) == 1:
        only = label_text(learner.classes_.tolist()[0])
        complain(f"{path} holds one class only, {only}: there is nothing yet to tell it from")
    if learner.until_clean and run.point[2] > run.place.updates:
        complain(f"no pass was clean: this was pass {run.place.number + 1:,}, the last that it was allowed (--passes)")
    if not arguments.no_certify:
        console.doing("the rounds are read again for the certificates")
        with outcome.published_if_ended(arguments, console, model=run.save):
            outcome.certificates = _certify(run, path, against, svm=arguments.svm, deep=arguments.deep, trusted=trusted)
        console.settle()
    outcome.certificates += options.future(arguments, learner)  # of this run itself: no row is read again
    write_vectors(arguments.save_comparators, outcome.certificates)
    outcome.publish(arguments, console, arguments.report, model=run.save)
    if not arguments.no_certify and run.save is not None and earlier_rows(run) is not None:
        console.line(f"for certificates: {certify_hint(run, path)}")
    return verdict(outcome.certificates)


def _run(arguments: LearnOptions, learner: OnlineClassifier, stream: Stream, continuation: Continuation) -> Run:
    from ..run.linear import Place, Run
    from .task import refuse_quantities

    continuation.refuse_other(stream)
    if continuation.passes is not None and arguments.passes not in (None, continuation.passes):
        raise UsageError(f"--passes {arguments.passes}: the run to finish is one of {continuation.passes}")
    return Run(
        learner,
        stream,
        passes=continuation.passes or learner.most_passes,
        save=arguments.save or arguments.resume,
        checkpoint_every=arguments.checkpoint_every,
        curve=list(continuation.curve),
        snapshots=list(continuation.snapshots),
        place=continuation.place or Place(),
        last=continuation.last,
        progressive=continuation.progressive,
        on_first=lambda batch: None if arguments.any_labels else refuse_quantities(stream, batch),
    )


def _certify(run: Run, path: str, against: Any, **how: bool) -> list[Certificate]:
    from ..certify import certify_stream

    if (why := earlier_rows(run)) is not None:
        return run.learner.declined(why)
    with certifying(lambda: whole_run_message(run, f"; for its certificates: {certify_hint(run, path)}")):
        return certify_stream(run.learner, run.stream, against=against, sample=run.sample, **how)


def _refuse_contradictions(arguments: LearnOptions) -> None:
    """Refuse options that contradict each other, before anything is read or written."""
    if arguments.checkpoint_every and not (arguments.save or arguments.resume):
        raise UsageError("--checkpoint-every needs --save MODEL")
    if arguments.no_certify and (arguments.against is not None or arguments.svm or arguments.deep):
        raise UsageError("--against, --svm and --deep are for certificates, and --no-certify wants none")
    refuse_shares(arguments)
    options.refuse_delta_alone(arguments)
    options.refuse_quiet_progress(arguments)
    inputs = [*arguments.files, *filter(None, [arguments.against])]
    refuse_foreign(arguments.save_comparators, certified=not arguments.no_certify)
    outputs = [arguments.report, arguments.cache, arguments.save_comparators]
    refuse_overwriting_or_model(arguments, inputs, outputs)
