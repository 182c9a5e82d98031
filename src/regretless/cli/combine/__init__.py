"""``regretless combine``: from a table of forecasts to a better forecast, with its regret."""

from __future__ import annotations

from argparse import ArgumentParser, BooleanOptionalAction
from collections.abc import Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ...catalogue import DEFAULT_COMBINER, EXPERT_LEARNERS, expert_class
from ...data.formats import FORECASTS
from ...errors import RegretlessError
from ...run.trace_lines import TRACED
from .. import options
from ..arguments import IntervalOptions, ReportOptions
from ..files import (
    add_vectors,
    refuse_foreign,
    refuse_foreign_suffixes,
    refuse_overwriting_or_model,
    refuse_overwriting_rows,
    write_vectors,
)
from ..outcomes import add_budget, add_intervals, asking_of, intervals_of, refuse_loss, refuse_others, refuse_shares
from ..output import Console, UsageError, complain, verdict
from ..signals import certifying, go, whole_run_message
from .result import CombineOutput, RegretTable

if TYPE_CHECKING:
    from ...data.forecast_stream import ForecastStream
    from ...experts.base import ExpertLearner
    from ...run.continuation import CombineContinuation
    from ...run.experts import CombineRun


SWITCHES = 5  # of the best sequence of experts, unless the user says
EASY_ROUNDS = 20_000  # over which it is found at once

HELP = "combine the forecasts of experts, and certify the regret"
DESCRIPTION = (
    "A row is a time step, a column an expert; where a forecast is missing the expert sleeps. Each row is predicted "
    "before its outcome is learned; the last rows may be without outcome, and are forecast. Printed are the learner's "
    "loss, the experts', that of the best use that could have been made of them, and every theorem on the difference."
)
# Parameters of learners that have options of their own; and errors where one is set by --set.
OPTIONS = {"loss": "--loss", "tau": "--tau", "value_range": "--range", "linearize": "--linearize"}
ELSEWHERE = {name: f"use {option}" for name, option in OPTIONS.items()}
ELSEWHERE["n_experts"] = "the file says how many experts there are"
TABLE, WEALTH = "table", "wealth"
UNITS = ("hour", "day", "week", "month")
LOSSES = ("absolute", "square", "pinball", "log", "zero-one", "percentage", "wealth", "table")


class CombineOptions(IntervalOptions, ReportOptions):
    """Of `combine`."""

    file: str
    target: str | None
    time: str | None
    experts: list[str]
    format: str | None
    cache: str | None
    learner: str | None
    set: list[str]
    loss: str | None
    tau: float | None
    range: list[float] | None
    linearize: bool | None
    delay: int | None
    arrival: str | None
    label_budget: str | None
    block: str | None
    ignore: list[str]
    switches: int | None
    no_comparators: bool
    save_comparators: str | None
    out: str | None
    weights: str | None
    trace: int | None


def add_arguments(parser: ArgumentParser) -> None:
    """The verb's options."""
    options.add_file(parser, "forecasts", which="text may")
    _add_columns(parser)
    _add_learning(parser)
    group = parser.add_argument_group("outcomes that come late")
    options.add_number(group, "--delay", options.whole, "K", "an outcome is known before the prediction K rows later")
    group.add_argument(
        "--arrival",
        metavar="COLUMN",
        help="the column that says when an outcome is known: by the time column, else by the number of a row (from 1)",
    )
    group.add_argument(
        "--block",
        choices=tuple(UNITS),
        help="rows whose --time is in one such stretch are forecast before any of their outcomes",
    )
    group = parser.add_argument_group("comparison")
    options.add_number(
        group,
        "--switches",
        options.count,
        "M",
        "compare with the best sequence of experts with M switches; by default 5, if there are few rounds",
    )
    group.add_argument(
        "--no-comparators", action="store_true", help="the best expert alone: do not read the rows again"
    )
    add_vectors(group)
    _add_output(parser)


def _add_columns(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("reading the file")
    group.add_argument(
        "--target", metavar="COLUMN", help="the column of outcomes (npz: the array); if it is called so, it is found"
    )
    group.add_argument(
        "--time", metavar="COLUMN", help="when each row was: rows of one time are forecast before any of their outcomes"
    )
    options.add_names(
        group, "--experts", "the experts' columns; by default all columns of numbers that are nothing else"
    )
    options.add_names(group, "--ignore", "columns that are not used: facts about a row, say")
    group.add_argument(
        "--format",
        choices=FORECASTS.names,
        metavar="NAME",
        help=f"{', '.join(FORECASTS.names)}; by default by the suffix",
    )
    options.add_cache(group)


def _add_learning(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("combining")
    options.add_learner(group, EXPERT_LEARNERS, f"{', '.join(EXPERT_LEARNERS)}; by default {DEFAULT_COMBINER}")
    options.add_set(group)
    group.add_argument(
        "--loss",
        metavar="NAME",
        choices=LOSSES,
        help=f"{', '.join(LOSSES)}; wealth is of price relatives, table of losses themselves, both without outcomes",
    )
    group.add_argument("--tau", type=float, metavar="T", help="the quantile of the pinball loss")
    options.add_range(group, "where all forecasts and outcomes are known to lie")
    group.add_argument(
        "--linearize",
        action=BooleanOptionalAction,
        help="the gradient trick: compete with the best convex combination instead of the best expert",
    )
    add_budget(group)
    add_intervals(group)
    options.add_saving(group, "rows")


def _add_output(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("--out", metavar="FILE", help="write the combined forecast of every row (.csv or .parquet)")
    group.add_argument("--weights", metavar="FILE", help="write the weights of every row (.csv or .parquet)")
    options.add_report(group)
    options.add_trace(group, TRACED, "forecasts, weights, loss, and the weights after it")
    options.add_watching(group, "no table on stderr")


def _combiner(arguments: CombineOptions) -> tuple[ExpertLearner, CombineContinuation | None]:
    """The learner, and how its run goes on.

    Raises
    ------
    UsageError
        If a parameter has no meaning, or contradicts the model to go on with.
    ModelError
        If that model cannot be read.
    """
    if arguments.resume is not None:
        return _resumed(arguments, arguments.resume)
    from inspect import signature

    from ..parameters import by_option

    wanted = expert_class(arguments.learner or DEFAULT_COMBINER)
    settings = _settings(arguments, wanted)
    default = signature(wanted).parameters["loss"].default
    if "loss" not in settings and default == WEALTH and arguments.target is None:
        choices = "wealth where the table holds price relatives, --loss square where it holds forecasts"
        raise UsageError(f"--learner {wanted.name} needs a --loss: {choices}")
    if "loss" not in settings and default in (None, WEALTH):
        settings["loss"] = "square"
    try:
        combiner = wanted(**settings)
        combiner._rules(2)  # so that a parameter without meaning is refused before a file is read
    except RegretlessError as error:
        raise UsageError(by_option(error, wanted, OPTIONS)) from error
    return combiner, None


def _resumed(arguments: CombineOptions, path: str) -> tuple[ExpertLearner, CombineContinuation]:
    from ...run.continuation import CombineContinuation
    from ..parameters import refuse_other_settings
    from ..read_model import read_combiner

    learner, extra = read_combiner(path)
    refuse_other_settings(learner, arguments.learner, _settings(arguments, type(learner)), OPTIONS)
    continuation = CombineContinuation.read(learner, extra)
    if arguments.delay is not None and (continuation.in_blocks or arguments.delay != (continuation.delay or 1)):
        come = "with their time" if continuation.in_blocks else f"{continuation.delay or 1} later"
        raise UsageError(f"--delay {arguments.delay} contradicts the model, whose outcomes come {come}")
    refuse_others(arguments, continuation.intervals)
    if arguments.block is not None and arguments.block != continuation.columns["block"]:
        raise UsageError(f"--block {arguments.block} contradicts the model, which learned without it")
    if (arguments.arrival is None) != (continuation.columns["arrivals"] is None) and arguments.arrival is not None:
        raise UsageError("--arrival contradicts the model, which learned without it")
    return learner, continuation


def _settings(arguments: CombineOptions, learner: type[ExpertLearner]) -> dict[str, Any]:
    """All parameters that the command line sets."""
    from ..parameters import read_settings

    settings = read_settings(learner, arguments.set, ELSEWHERE)
    values = {
        "loss": arguments.loss,
        "tau": arguments.tau,
        "value_range": None if arguments.range is None else tuple(arguments.range),
        "linearize": arguments.linearize,
    }
    settings |= {name: value for name, value in values.items() if value is not None}
    if settings.get("loss") == TABLE:
        settings["loss"] = None
    if arguments.tau is not None and arguments.loss not in ("pinball", None):
        raise UsageError(f"--tau is for --loss pinball, not {arguments.loss}")
    return settings


def _columns(
    arguments: CombineOptions, continuation: CombineContinuation | None, *, blind: bool
) -> Mapping[str, str | None]:
    """The columns that the file is to have; what is not said is as in the file before."""
    before = continuation.columns if continuation is not None else {}
    columns = {
        "target": arguments.target or before.get("target"),
        "time": arguments.time or before.get("time"),
        "arrivals": arguments.arrival or before.get("arrivals"),
        "block": arguments.block or before.get("block"),
    }
    return columns | {"target": None} if blind else columns


def run(arguments: CombineOptions) -> int:
    """Combine, compare, certify, report."""

    _refuse_contradictions(arguments)
    learner, before = _combiner(arguments)
    _refuse_late(arguments, learner)
    refuse_loss(arguments, learner)
    run = _run(arguments, learner, before)
    console = options.console_of(arguments)
    started = perf_counter()
    try:
        go(run, RegretTable(console.line, run.point), console)
    finally:
        for note in run.stream.notes:
            complain(note)
    outcome = _compare(arguments, run, perf_counter() - started, console)
    write_vectors(arguments.save_comparators, outcome.certificates)
    outcome.publish(
        arguments, console, arguments.report, model=run.save, forecasts=arguments.out, weights=arguments.weights
    )
    return verdict(outcome.certificates)


def _run(arguments: CombineOptions, learner: ExpertLearner, before: CombineContinuation | None) -> CombineRun:
    from ...data.column_writer import ColumnsOut
    from ...run.experts import CombineRun

    stream = _open(arguments, learner, before)
    if before is None:
        asking = asking_of(arguments.label_budget, learner, lambda: _open(arguments, learner, None))
    else:
        before.refuse_other(stream)
        asking = before.asking
    run = CombineRun(
        learner if asking is None else asking.learner_,
        stream,
        delay=arguments.delay if before is None else before.delay,
        arrivals=arguments.arrival is not None or (before is not None and before.columns["arrivals"] is not None),
        save=arguments.save or arguments.resume,
        checkpoint_every=arguments.checkpoint_every,
        unsettled=() if before is None else before.waiting,
        passed_over=0 if before is None else before.passed_over,
        place=0 if before is None else before.place,
        compare=not arguments.no_comparators,
        intervals=intervals_of(arguments) if before is None else before.intervals,
        asking=asking,
    )
    if before is not None and before.history is not None:
        run.history = before.history
    when = arguments.time or (before.columns["time"] if before is not None else None) or "row"
    if arguments.trace is not None:
        from ...run.tracing import ForecastTracer

        run.tracer = ForecastTracer(arguments.trace)
    if arguments.out is not None:
        outcome = [] if run.blind else ["outcome"]
        more = [*([] if run.intervals is None else ["low", "high"]), *([] if asking is None else ["asked"])]
        run.out = ColumnsOut(arguments.out, lambda: [when, *outcome, "forecast", "loss", *more])
    if arguments.weights is not None:
        run.weights_out = ColumnsOut(arguments.weights, lambda: [when, *stream.experts])
    return run


def _open(arguments: CombineOptions, learner: ExpertLearner, before: CombineContinuation | None) -> ForecastStream:
    from ...data.forecasts import open_forecasts
    from ...experts.losses import WITHOUT_OUTCOME

    blind = learner._loss.name in WITHOUT_OUTCOME
    if blind and arguments.target is not None:
        what = "price relatives" if learner._loss.of_relatives else "losses"
        advice = "add --loss square to combine forecasts" if arguments.loss is None else "choose another --loss"
        raise UsageError(f"--target has no meaning: {what} need no outcome ({advice})")
    columns = _columns(arguments, before, blind=blind)
    delay = arguments.delay if before is None else before.delay
    with options.usage_errors("experts", "ignore", "format", "cache"):
        return open_forecasts(
            arguments.file,
            format=arguments.format,
            experts=_experts(arguments, learner, before),
            ignore=options.names_of(arguments.ignore) or (),
            names=learner.names() if before is not None else None,
            need_target=not blind,
            blocks=columns["time"] is not None and columns["arrivals"] is None and delay is None,
            cache=arguments.cache,
            **columns,
        )


def _experts(arguments: CombineOptions, learner: ExpertLearner, before: CombineContinuation | None) -> list[str] | None:
    """The experts that the user names; of an archive, perhaps the array that they are in."""
    named = options.names_of(arguments.experts)
    if before is None or named is None or set(named) == set(learner.names()):
        return named
    archive = "npz" in (arguments.format, arguments.file.rpartition(".")[2].lower())
    if not (archive and len(named) == 1):
        raise UsageError("--experts contradicts the model, which has others (inspect shows them)")
    return named


def _compare(arguments: CombineOptions, run: CombineRun, seconds: float, console: Console) -> CombineOutput:
    """The run beside fixed uses of the experts."""
    from ...experts.certificates import best_expert

    outcome = CombineOutput(run, arguments.file, seconds)
    if run.rounds:
        console.doing("fixed uses of the experts are searched for")
        written = {"model": run.save, "forecasts": arguments.out, "weights": arguments.weights}
        with (
            outcome.published_if_ended(arguments, console, **written),
            certifying(lambda: whole_run_message(run)),
        ):
            if arguments.no_comparators:
                outcome.comparators = [best_expert(run.learner, run.learner.ledger_)]
            else:
                outcome.comparators, outcome.absent = run.comparators(_switches(arguments, run))
            outcome.certificates = (run.asking or run.learner).certify(comparators=outcome.comparators)
            if run.intervals is not None:
                outcome.certificates += run.intervals.rule.certify()
        console.settle()
    return outcome


def _switches(arguments: CombineOptions, run: CombineRun) -> tuple[int, ...]:
    """How often the experts of a sequence may take turns; a few times, if that takes no time to find out."""
    if arguments.switches is not None:
        return (arguments.switches,)
    easy = run.rounds <= EASY_ROUNDS and run.stream.rereadable and not run.before
    return (min(SWITCHES, run.rounds - 1),) if easy and run.rounds > 1 else ()


def _refuse_contradictions(arguments: CombineOptions) -> None:
    """Refuse options that contradict each other, before anything is read or written."""
    if arguments.no_comparators and arguments.switches is not None:
        raise UsageError("--switches asks for a comparator, and --no-comparators wants none")
    refuse_shares(arguments)
    _refuse_beside_budget(arguments)
    if arguments.delay is not None and arguments.arrival is not None:
        raise UsageError("--delay and --arrival exclude each other: one of them says when outcomes are known")
    if arguments.block is not None:
        if arguments.delay is not None or arguments.arrival is not None:
            raise UsageError("--block excludes --delay and --arrival: one of them says when outcomes are known")
        if arguments.time is None and arguments.resume is None:
            raise UsageError("--block needs --time COLUMN, a column of dates")
    refuse_foreign(arguments.save_comparators)
    outputs = [arguments.out, arguments.weights, arguments.report, arguments.cache, arguments.save_comparators]
    refuse_overwriting_or_model(arguments, [arguments.file], outputs)
    refuse_foreign_suffixes([arguments.out, arguments.weights])
    if arguments.resume is not None:
        refuse_overwriting_rows([arguments.out, arguments.weights])


def _refuse_beside_budget(arguments: CombineOptions) -> None:
    """Refuse what takes all outcomes, before anything is read."""
    if arguments.label_budget is None:
        return
    late = {
        "--delay": arguments.delay if arguments.delay != 1 else None,
        "--arrival": arguments.arrival,
        "--block": arguments.block,
    }
    options.refuse_set(late, "has no meaning with --label-budget: an outcome that is asked comes before the next row")
    options.refuse_set({"--interval": arguments.interval}, "needs all outcomes, and --label-budget asks for few")
    if arguments.resume is not None:
        raise UsageError(f"--label-budget {arguments.label_budget}: the model to go on with has its own, or none")


def _refuse_late(arguments: CombineOptions, learner: Any) -> None:
    """Some games need every outcome at once."""
    from ...experts.delayed_stream import can_wait

    option = "--delay" if arguments.delay not in (None, 1) else "--arrival" if arguments.arrival is not None else None
    if option is None or can_wait(learner):
        return
    if learner.info.draws:
        raise UsageError(f"{option}: {learner.name} draws experts one round after the other; choose hedge")
    raise UsageError(f"{option} is for outcomes of forecasts, and --loss table has none")
