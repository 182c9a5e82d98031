"""``regretless learn``: from a labelled file to a model, its certificates and a report."""

from __future__ import annotations

from argparse import ArgumentParser
from time import perf_counter
from typing import TYPE_CHECKING

from ..catalogue import DEFAULT, DEFAULT_OF_TASK, DEFAULT_WITH_FEW_LABELS, LEARNERS, REGRESSORS
from . import options, shards
from .files import copied_for_against, load_against, refuse_foreign, refuse_overwriting_or_model
from .intervals import add_intervals, refuse_shares
from .output import CLASSIFICATION, UsageError
from .signals import go

if TYPE_CHECKING:
    from ..data.stream import Stream
    from .arguments import LearnOptions
    from .learn_output import LearnOutput

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
        "--label-budget",
        type=options.label_budget,
        metavar="N|P%",
        help="learn from N labels, or from P %% of them, asked for where they pay "
        f"(--learner {DEFAULT_WITH_FEW_LABELS}, and its certificates)",
    )
    group.add_argument(
        "--passes", type=options.whole, metavar="N", help="how often to go over the rows; over shards: how many epochs"
    )
    options.add_saving(group, "rounds")
    group.add_argument(
        "--any-labels", action="store_true", help="take numbers for labels though there are very many different ones"
    )
    group.add_argument(
        "--calibrate",
        action="store_true",
        help="learn probabilities from the scores of a learner of two labels that has none (predict --probabilities)",
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
        from .task import task_of

        _refuse_contradictions(arguments)
        if task_of(arguments) not in (None, CLASSIFICATION) or arguments.interval is not None:
            advice = "shards are for labels, or in Python for regretless.distributed.regress"
            raise UsageError(f"numbers are learned from one file; {advice}")
        options.refuse_set({"--calibrate": arguments.calibrate}, "is for one file: scores of shards have no order")
        options.refuse_set({"--label-budget": arguments.label_budget}, "is for one file: shards do not share it")
        return learn_shards(arguments)
    path = shards.only_file(arguments)
    _refuse_contradictions(arguments)
    with copied_for_against(arguments, path) as copied:
        return _learn(copied, path)


def _learn(arguments: LearnOptions, path: str) -> int:
    """Learn labels or numbers, as the options say, or the model to go on with, or else the first rows."""
    from .task import requested_task, taken_for, task_of, task_of_rows

    task, stream = task_of(arguments), None
    if arguments.resume is not None:
        from .read_model import task_of_model

        own = task_of_model(arguments.resume)
        if task not in (None, own):
            raise UsageError(f"{requested_task(arguments)} contradicts the model, which is for {own}")
        task = own
    elif task is None:
        from ..data.stream import BegunStream

        stream = BegunStream(options.open_input(path, arguments, None))
        task = task_of_rows(stream, stream.first)
        if task != CLASSIFICATION:
            options.console_of(arguments).line(taken_for(stream, task))
    return _learn_rows(arguments, path, task, stream)


def _learn_rows(arguments: LearnOptions, path: str, task: str, begun: Stream | None) -> int:
    """Learn, certify, report.

    Parameters
    ----------
    arguments : LearnOptions
    path : str
        The file.
    task : str
        "classification", "regression" or "quantile".
    begun : Stream or None
        The file, if it was opened to find out the task.
    """
    from .parameters import learner_of
    from .read_model import known_schema

    kind = _kind_of(task)
    kind.refuse(arguments)
    against = load_against(arguments)
    learner, extra = learner_of(arguments, task)
    stream = begun or options.open_input(path, arguments, known_schema(learner, extra.get("schema")))
    run = kind.run_of(arguments, learner, extra, stream)
    console = options.console_of(arguments)
    trusted, started = run.rounds == 0, perf_counter()
    go(run, kind.table_of(run, console.line), console)
    outcome = kind.over(run, path, perf_counter() - started, quiet=arguments.quiet)
    return outcome.conclude(arguments, console, against, trusted=trusted)


def _kind_of(task: str) -> type[LearnOutput]:
    """What is done with labels, or with numbers."""
    if task == CLASSIFICATION:
        from .learn_labels import LabelsOutput

        return LabelsOutput
    from .learn_numbers import NumbersOutput

    return NumbersOutput


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
