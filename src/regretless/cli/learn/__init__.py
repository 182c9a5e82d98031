"""``regretless learn``: from a labelled file to a model, its certificates and a report."""

from __future__ import annotations

from argparse import ArgumentParser
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ...catalogue import (
    CLASSIFICATION,
    DEFAULT,
    DEFAULT_OF_TASK,
    DEFAULT_WITH_FEW_LABELS,
    KIND_OF_TASK,
    LEARNERS,
    REGRESSORS,
    class_of,
)
from ...run.trace_lines import TRACED
from .. import options, shards
from ..files import copied_for_against, load_against, refuse_foreign, refuse_overwriting_or_model
from ..outcomes import add_intervals, refuse_shares
from ..output import UsageError
from ..signals import go
from .result import LearnOptions, LearnOutput

if TYPE_CHECKING:
    from ...data.stream import Stream

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
    _add_learning(parser)
    shards.add_arguments(parser)
    certificates = options.add_certifying(parser)
    certificates.add_argument("--no-certify", action="store_true", help="do not read the rows again")
    reading = options.add_reading(parser)
    options.add_features(reading)
    options.add_cache(reading)
    output = parser.add_argument_group("output")
    options.add_report(output)
    options.add_trace(output, TRACED, "row, score, label, loss, and the weights after it")
    options.add_watching(output, "no table on stderr, and no notes on the data but on classes that may be slips")


def _add_learning(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("learning")
    known = LEARNERS | REGRESSORS
    options.add_learner(
        group, known, f"of labels: {', '.join(LEARNERS)}; by default {DEFAULT}; of numbers: {', '.join(REGRESSORS)}"
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
    options.add_number(
        group, "--passes", options.whole, "N", "how often to go over the rows; over shards: how many epochs"
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


def run(arguments: LearnOptions) -> int:
    """Learn, certify, report."""
    if shards.are_shards(arguments):
        from .mixing import learn_shards

        _refuse_contradictions(arguments)
        if task_of(arguments) not in (None, CLASSIFICATION) or arguments.interval is not None:
            advice = "shards are for labels, or in Python for regretless.distributed.regress"
            raise UsageError(f"numbers are learned from one file; {advice}")
        options.refuse_set({"--calibrate": arguments.calibrate}, "is for one file: scores of shards have no order")
        options.refuse_set({"--label-budget": arguments.label_budget}, "is for one file: shards do not share it")
        options.refuse_set({"--trace": arguments.trace}, "is for one file: shards are learned side by side")
        _refuse_contradictions_of_shards(arguments)
        against = load_against(arguments)
        return learn_shards(arguments, *learner_of(arguments), against)
    of_shards = {"--mixing": arguments.mixing, "--one-shot": arguments.one_shot, "--together": arguments.together}
    path = shards.only_file(arguments, **of_shards)
    _refuse_contradictions(arguments)
    with copied_for_against(arguments, path) as copied:
        return _learn(copied, path)


def _learn(arguments: LearnOptions, path: str) -> int:
    """Learn labels or numbers, as the options say, or the model to go on with, or else the first rows."""
    from ...run.first_rows import taken_for, task_of_rows

    task, stream = task_of(arguments), None
    if arguments.resume is not None:
        from ..read_model import task_of_model

        own = task_of_model(arguments.resume)
        if task not in (None, own):
            raise UsageError(f"{requested_task(arguments)} contradicts the model, which is for {own}")
        task = own
    elif task is None:
        from ...data.stream import BegunStream

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
    from ..read_model import known_schema

    kind = _kind_of(task)
    kind.refuse(arguments)
    against = load_against(arguments)
    learner, extra = learner_of(arguments, task)
    stream = begun or options.open_input(path, arguments, known_schema(learner, extra.get("schema")))
    run = kind.run_of(arguments, learner, extra, stream)
    console = options.console_of(arguments)
    if arguments.trace is not None:
        from ...run.tracing import RowTracer

        run.tracer = RowTracer(arguments.trace)
    trusted, started = run.rounds == 0, perf_counter()
    go(run, kind.table_of(run, console.line), console)
    outcome = kind(run, path, perf_counter() - started, quiet=arguments.quiet)
    return outcome.conclude(arguments, console, against, trusted=trusted)


def _kind_of(task: str) -> type[LearnOutput]:
    """What is done with labels, or with numbers."""
    if task == CLASSIFICATION:
        from .labels import LabelsOutput

        return LabelsOutput
    from .numbers import NumbersOutput

    return NumbersOutput


def _refuse_contradictions(arguments: LearnOptions) -> None:
    """Refuse options that contradict each other, before anything is read or written."""
    if arguments.no_certify and (arguments.against is not None or arguments.svm or arguments.deep):
        asked = {"--against": arguments.against is not None, "--svm": arguments.svm, "--deep": arguments.deep}
        named = " and ".join(name for name, is_asked in asked.items() if is_asked)
        raise UsageError(f"{named}: this is for certificates, and --no-certify wants none")
    refuse_shares(arguments)
    inputs = [*arguments.files, *filter(None, [arguments.against])]
    refuse_foreign(arguments.save_comparators, certified=not arguments.no_certify)
    outputs = [arguments.report, arguments.cache, arguments.save_comparators]
    refuse_overwriting_or_model(arguments, inputs, outputs)


def _refuse_contradictions_of_shards(arguments: LearnOptions) -> None:
    """Refuse what has no meaning where shards are learned from."""
    shards.refuse_contradictions(arguments)
    if arguments.checkpoint_every is not None:
        raise UsageError("--checkpoint-every has no meaning with shards: the model is saved after each epoch")
    if arguments.one_shot and arguments.together is not None:
        raise UsageError("--one-shot averages once, after all shards; --together averages more often")
    if arguments.one_shot and arguments.resume is not None:
        raise UsageError("--one-shot averages once, so that there is nothing to go on with; leave it or --resume away")


# The task, and the learner.


def task_of(arguments: LearnOptions) -> str | None:
    """The task that the options name; None where they leave it open.

    Raises
    ------
    UsageError
        If they contradict each other.
    """
    task, name = arguments.task, arguments.learner
    if arguments.any_labels:
        if task not in (None, CLASSIFICATION):
            raise UsageError(f"--any-labels is about labels, and --task {task} is about numbers")
        task = CLASSIFICATION
    if task is None and arguments.interval is not None:
        task = "regression"
    if name is None or (name in LEARNERS and name in REGRESSORS):
        return task
    own: str = (LEARNERS | REGRESSORS)[name].info.task
    if task not in (None, own):
        raise UsageError(f"{requested_task(arguments)} contradicts --learner {name}, which is for {own}")
    return own


def requested_task(arguments: LearnOptions) -> str:
    """The option by which `task_of` knows the task."""
    if arguments.any_labels:
        return "--any-labels"
    if arguments.task is not None:
        return f"--task {arguments.task}"
    return f"--learner {arguments.learner}" if arguments.interval is None else "--interval"


def learner_of(arguments: LearnOptions, task: str = CLASSIFICATION) -> tuple[Any, dict[str, Any]]:
    """The learner, of labels or of numbers, and what was kept with it, by which its run goes on.

    Raises
    ------
    UsageError
        If a parameter has no meaning, or contradicts the model to go on with.
    ModelError
        If that model cannot be read.
    """
    from ..parameters import make_learner, read_settings

    if arguments.resume is not None:
        return _resumed(arguments, arguments.resume, task)
    default = DEFAULT_OF_TASK[task] if arguments.label_budget is None else DEFAULT_WITH_FEW_LABELS
    wanted = class_of(KIND_OF_TASK[task], arguments.learner or default)
    try:
        settings = read_settings(wanted, arguments.set) | _budget(arguments, wanted)
    except UsageError as error:
        raise UsageError(f"{error}{_of_another_task(arguments, task)}") from error
    if arguments.passes is not None:
        name = _limit(make_learner(wanted, settings).until_clean)
        if settings.get(name, arguments.passes) != arguments.passes:
            raise UsageError(f"--passes {arguments.passes} contradicts --set {name}={settings[name]}")
        settings[name] = arguments.passes
    return make_learner(wanted, settings), {}


def _budget(arguments: LearnOptions, wanted: type[Any]) -> dict[str, Any]:
    """The parameters that a budget of labels stands for: so many in all are spread over the rows of a file, which are
    counted for that.

    Raises
    ------
    UsageError
        If the learner takes none, or `--set` speaks of it too.
    """
    budget = arguments.label_budget
    if budget is None:
        return {}
    from inspect import signature

    if "most_labels" not in signature(wanted).parameters:
        advice = f"leave out --learner, or name {DEFAULT_WITH_FEW_LABELS}"
        raise UsageError(f"--label-budget {budget}: {wanted.name} learns from all labels; {advice}")
    for name in ("share", "most_labels"):
        if any(text.partition("=")[0].strip().replace("-", "_") == name for text in arguments.set):
            raise UsageError(f"--label-budget {budget} sets {name}, and so does --set")
    if budget.endswith("%"):
        return {"share": float(budget[:-1]) / 100}
    rows, most = _rows_of(arguments), int(budget)
    return {"most_labels": most} | ({"share": most / rows} if most < rows else {})


def _rows_of(arguments: LearnOptions) -> int:
    """How many rows the passes over the file have; 0 where it can be read once only."""
    stream = options.open_input(arguments.files[0], arguments, None)
    return sum(map(len, stream.batches())) * (arguments.passes or 1) if stream.rereadable else 0


def _of_another_task(arguments: LearnOptions, task: str) -> str:
    """What to add of names that are parameters of the learner of another task, where none was asked for."""
    if arguments.task is not None or arguments.learner is not None or task != CLASSIFICATION:
        return ""
    from inspect import signature

    names = {text.partition("=")[0].strip().replace("-", "_") for text in arguments.set}
    names -= {*signature(class_of(KIND_OF_TASK[task], DEFAULT_OF_TASK[task])).parameters}
    for other, name in DEFAULT_OF_TASK.items():
        if known := sorted(names & {*signature(class_of(KIND_OF_TASK[other], name)).parameters}):
            return f"; {name} has {known[0]}, so for numbers add --task {other}"
    return ""


def _resumed(arguments: LearnOptions, path: str, task: str) -> tuple[Any, dict[str, Any]]:
    from ..parameters import read_settings, refuse_other_settings
    from ..read_model import continuation_of, read_classifier, read_predictor

    if arguments.label_budget is not None:
        raise UsageError(f"--label-budget {arguments.label_budget}: the model to go on with has its own, or none")
    learner, extra = read_classifier(path) if task == CLASSIFICATION else read_predictor(path)
    refuse_other_settings(learner, arguments.learner, read_settings(type(learner), arguments.set))
    continuation = continuation_of(learner, extra)
    hashing = (continuation.schema or {}).get("hash")
    if arguments.hash_bits is not None and (hashing is None or hashing["bits"] != arguments.hash_bits):
        raise UsageError(f"--hash-bits {arguments.hash_bits} contradicts the model, whose columns are known already")
    if arguments.passes is not None and continuation.passes is None:
        learner.set_params(**{_limit(learner.until_clean): arguments.passes})
    return learner, extra


def _limit(until_clean: bool) -> str:
    """The parameter that --passes is: so many passes, or at most so many of those that go on until one is clean."""
    return "max_passes" if until_clean else "passes"
