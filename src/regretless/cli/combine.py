"""``regretless combine``: from a table of forecasts to a better forecast, with its regret."""

from __future__ import annotations

from argparse import ArgumentParser, BooleanOptionalAction
from collections.abc import Iterator, Mapping
from math import exp, inf
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ..catalogue import DEFAULT_COMBINER, EXPERT_LEARNERS, expert_class
from ..data.formats import FORECASTS
from ..errors import ParameterError, RegretlessError
from ..report.terminal import more_lines, number_text, short
from ..run.trace_lines import TRACED, forecast_lines, trace_values
from . import options
from .arguments import IntervalOptions, ReportOptions
from .files import (
    add_vectors,
    refuse_foreign,
    refuse_foreign_suffixes,
    refuse_overwriting_or_model,
    refuse_overwriting_rows,
    write_vectors,
)
from .outcomes import (
    add_budget,
    add_intervals,
    asked_lines,
    asked_values,
    asking_of,
    course_of,
    interval_lines,
    interval_text,
    interval_values,
    intervals_of,
    refuse_loss,
    refuse_others,
    refuse_shares,
)
from .output import Console, Output, UsageError, certificate_values, complain, parameters_of, title_of, verdict
from .signals import PointTable, certifying, go, whole_run_message

if TYPE_CHECKING:
    from ..certificate import Certificate
    from ..comparator import ExpertComparator
    from ..data.forecast_stream import ForecastStream
    from ..experts.base import ExpertLearner
    from ..experts.losses import Loss
    from ..report import ForecastReport
    from ..run.continuation import CombineContinuation
    from ..run.experts import CombineRun


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
    parser.add_argument(
        "file", metavar="FILE", help="forecasts, or - for standard input; text may be compressed (.gz .xz .zst .bz2)"
    )
    _add_columns(parser)
    _add_learning(parser)
    group = parser.add_argument_group("outcomes that come late")
    group.add_argument(
        "--delay", type=options.whole, metavar="K", help="an outcome is known before the prediction K rows later"
    )
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
    group.add_argument(
        "--switches",
        type=options.count,
        metavar="M",
        help="compare with the best sequence of experts with M switches; by default 5, if there are few rounds",
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

    wanted = expert_class(arguments.learner or DEFAULT_COMBINER)
    settings = _settings(arguments, wanted)
    default = signature(wanted).parameters["loss"].default
    if "loss" not in settings and default == WEALTH and arguments.target is None:
        choices = "wealth where the table holds price relatives, --loss square where it holds forecasts"
        raise UsageError(f"--learner {wanted.name} needs a --loss: {choices}")
    if "loss" not in settings and default in (None, WEALTH):
        settings["loss"] = "square"
    try:
        made = wanted(**settings)
        made._rules(2)  # so that a parameter without meaning is refused before a file is read
    except RegretlessError as error:
        raise UsageError(_about(error, wanted)) from error
    return made, None


def _resumed(arguments: CombineOptions, path: str) -> tuple[ExpertLearner, CombineContinuation]:
    from ..run.continuation import CombineContinuation
    from .read_model import read_combiner

    learner, extra = read_combiner(path)
    if arguments.learner not in (None, learner.name):
        raise UsageError(f"--learner {arguments.learner} contradicts the model, which is of {learner.name}")
    parameters = learner.get_params()
    for name, value in _settings(arguments, type(learner)).items():
        if parameters[name] != value:
            option = OPTIONS.get(name, f"--set {name}")
            raise UsageError(f"{option} {value} contradicts the model, which has {name}={parameters[name]}")
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
    from .parameters import read_settings

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


def _about(error: RegretlessError, learner: type[ExpertLearner]) -> str:
    """What is wrong with a parameter, by the name that it has on the command line."""
    if not isinstance(error, ParameterError):
        return f"--learner {learner.name}: {error}"
    return f"{OPTIONS[error.name]} {error.fault}" if error.name in OPTIONS else f"--set {error}"


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
    from ..data.column_writer import ColumnsOut
    from ..run.experts import CombineRun

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
        from ..run.tracing import ForecastTracer

        run.tracer = ForecastTracer(arguments.trace)
    if arguments.out is not None:
        outcome = [] if run.blind else ["outcome"]
        more = [*([] if run.intervals is None else ["low", "high"]), *([] if asking is None else ["asked"])]
        run.out = ColumnsOut(arguments.out, lambda: [when, *outcome, "forecast", "loss", *more])
    if arguments.weights is not None:
        run.weights_out = ColumnsOut(arguments.weights, lambda: [when, *stream.experts])
    return run


def _open(arguments: CombineOptions, learner: ExpertLearner, before: CombineContinuation | None) -> ForecastStream:
    from ..data.forecasts import open_forecasts
    from ..experts.losses import WITHOUT_OUTCOME

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
    from ..experts.certificates import best_expert

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
    from ..experts.delayed_stream import can_wait

    option = "--delay" if arguments.delay not in (None, 1) else "--arrival" if arguments.arrival is not None else None
    if option is None or can_wait(learner):
        return
    if learner.info.draws:
        raise UsageError(f"{option}: {learner.name} draws experts one round after the other; choose hedge")
    raise UsageError(f"{option} is for outcomes of forecasts, and --loss table has none")


# Lines, JSON and report.

SCHEMA = "regretless.combine/1"
MOST = 12  # lines of experts, weights or forecasts
NAMES = {
    "uniform": "plain average",
    "best_convex": "best convex combination",
    "best_linear": "best linear combination",
    "best_shifting": "best sequence of experts",
}
Point = tuple[int, float, float, float]


class RegretTable(PointTable):
    """Rows at doubling round counts; a point is rounds, loss, the best expert's mean loss and regret."""

    HEADER = "{:>12} {:>14} {:>14} {:>14} {:>14}".format("rounds", "mean loss", "since last", "best expert", "regret")

    def row(self, point: Point, last: Point) -> str:
        """Losses so far and since the row before, and the regret."""
        rounds, loss, best, regret = point
        recent = (loss - last[1]) / (rounds - last[0])
        return f"{rounds:>12} {loss / rounds:>14.6g} {recent:>14.6g} {best:>14.6g} {regret:>14.6g}"


class CombineOutput(Output):
    """A run that is over.

    Attributes
    ----------
    run : CombineRun
    path : str
        The file, as the user called it.
    seconds : float
        How long that took, without comparators.
    comparators : list of ExpertComparator
    absent : dict of str to str
        Why others are missing.
    certificates : list of Certificate
    """

    certificates: list[Certificate]

    def __init__(self, run: CombineRun, path: str, seconds: float) -> None:
        self.run, self.path, self.seconds = run, path, seconds
        self.comparators: list[ExpertComparator] = []
        self.absent: dict[str, str] = {}
        self.certificates = []

    def write_page(self, path: str) -> None:
        """Write the report."""
        from ..report import page_of_forecasts, write_report

        write_report(path, page_of_forecasts(report_of(self)))

    # For programs.

    def describe(self) -> dict[str, Any]:
        """The result as JSON values."""
        learner = self.run.learner
        book, names = learner.ledger_, learner.names()
        return {
            "schema": SCHEMA,
            "learner": learner.name,
            "parameters": parameters_of(learner),
            "rounds": int(book.rounds),
            "experts": len(names),
            "loss_name": learner._loss.name,
            "loss": book.loss,
            "mean_loss": book.loss / book.rounds if book.rounds else None,
            "expert_losses": dict(zip(names, book.losses.tolist(), strict=True)),
            "comparators": {
                one.name: {"loss": one.loss, "regret": one.regret, "detail": dict(one.detail)}
                for one in self.comparators
            },
            "weights": dict(zip(names, learner.weights.tolist(), strict=True)),
            "forecast": self.forecast,
            **certificate_values(self.certificates),
            "missing": int(book.absent),
            "without_outcome": self.run.passed_over,
            "largest_block": self.run.stream.largest_block,
            "delay_cost": book.delay if self.run.late else None,
            "seconds": self.seconds,
            **trace_values(self.run.tracer),
            **({} if self.run.asking is None else {"asked": asked_values(self.run.asking)}),
            **(
                {}
                if self.run.intervals is None
                else {"interval": interval_values(self.run.intervals.rule, self.run.ends)}
            ),
        }

    @property
    def forecast(self) -> Any:
        """The forecast of the last row, or of the last rows, if their outcome is not known."""
        values = [value for _, value in self.run.forecasts]
        return values if len(values) > 1 else values[0] if values else None

    # For people.

    def lines(self) -> Iterator[str]:
        """Lines for people before the certificates."""
        if self.run.tracer is not None:
            yield from forecast_lines(self.run.tracer.rows)
        yield from self._learner()
        if self.run.rounds:
            yield from self._experts()
            yield from self._comparators()
        yield from self._weights()
        if self.run.intervals is not None and self.run.rounds:
            yield from interval_lines(self.run.intervals.rule)
        yield from self._forecasts()

    def _learner(self) -> Iterator[str]:
        learner, book = self.run.learner, self.run.learner.ledger_
        rounds = int(book.rounds)
        mean = f", {number_text(book.loss / rounds)} a round" if rounds else ""
        yield f"{learner.name}: {learner._loss.name} loss {number_text(book.loss)} in {rounds:,} rounds{mean}"
        if self.run.asking is not None:
            yield from asked_lines(self.run.asking)
        if learner.info.draws:
            yield f"  as it was drawn: {number_text(book.sampled)}"
        if book.absent:
            yield f"  forecasts that were missing: {int(book.absent):,}"
        if (block := self.run.stream.largest_block) > 1:
            yield f"  rows of one time, forecast before any of their outcomes: up to {block:,}"
        if self.run.late:
            yield f"  cost of late outcomes: {number_text(book.delay)}"
        if learner._loss.of_relatives and rounds:
            yield from self._wealth(book.loss)

    def _wealth(self, loss: float) -> Iterator[str]:
        yield f"  final wealth, from 1: {number_text(_wealth(loss))}"
        words = {"best_expert": "best stock", "best_convex": "best constant-rebalanced portfolio"}
        for one in self.comparators:
            if one.name in words:
                which = f" {one.detail['expert']}" if one.name == "best_expert" else ""
                yield f"  {words[one.name]}{which}: {number_text(_wealth(one.loss))}"

    def _experts(self) -> Iterator[str]:
        import numpy as np

        book, names = self.run.learner.ledger_, self.run.learner.names()
        with np.errstate(divide="ignore", invalid="ignore"):
            means = np.where(book.spoke > 0, book.losses / book.spoke, inf)
        some_slept = book.absent > 0
        yield f"{'experts':<28} {'loss':>14} {'a round':>14}" + (f" {'rounds':>9}" if some_slept else "")
        for place in np.argsort(means, kind="stable")[:MOST].tolist():
            mean = number_text(means[place]) if book.spoke[place] else "-"
            spoke = f" {int(book.spoke[place]):>9,}" if some_slept else ""
            yield f"  {short(names[place]):<26} {number_text(book.losses[place]):>14} {mean:>14}{spoke}"
        yield from more_lines(len(names), MOST)

    def _comparators(self) -> Iterator[str]:
        if not self.comparators:
            return
        yield f"{'against':<38} {'loss':>14} {'regret':>14}"
        for one in self.comparators:
            yield f"  {short(one.label, 36):<36} {number_text(one.loss):>14} {number_text(one.regret):>14}"
        there = {one.name for one in self.comparators}
        for name, why in self.absent.items():
            if name not in there and (name != "best_shifting" or "asked for" not in why):
                yield f"  {NAMES[name]}: none ({why})"

    def _weights(self) -> Iterator[str]:
        import numpy as np

        names, weights = self.run.learner.names(), self.run.learner.weights
        yield "weights"
        order = np.argsort(-np.abs(weights), kind="stable").tolist()
        for place in order[:MOST]:
            yield f"  {short(names[place]):<26} {weights[place]:>14.6f}"
        yield from more_lines(len(names), MOST)

    def _forecasts(self) -> Iterator[str]:
        forecasts, ends = self.run.forecasts, self.run.ends
        for place, (when, value) in enumerate(forecasts[:MOST]):
            yield f"forecast {when}: {number_text(value)}" + (interval_text(*ends[place]) if ends else "")
        yield from more_lines(len(forecasts), MOST)


def _wealth(loss: float) -> float:
    return exp(-loss) if loss > -700 else inf


FLOORED = ("table", "zero-one", "absolute")  # losses for which a fair coin costs every learner so much


def report_of(outcome: CombineOutput) -> ForecastReport:
    """The run as a report shows it."""
    from ..report import ForecastReport

    run = outcome.run
    learner, columns = run.learner, run.stream.schema()
    source = {"path": outcome.path, "rows": run.place, "target": columns["target"], "time": columns["time"]}
    return ForecastReport(
        title=title_of(learner, run.stream.name),
        learner=learner,
        loss_name=learner._loss.name,
        source={name: value for name, value in source.items() if value is not None},
        history=run.history,
        comparators=outcome.comparators,
        certificates=outcome.certificates,
        forecast=outcome.forecast,
        late=run.late,
        asked=None if run.asking is None else (run.asking.asked_, run.asking.rounds_),
        intervals=None if run.intervals is None else course_of(run.intervals),
        lower_bound=_floor(run.history.rounds, len(learner.names()), learner._loss),
        seconds=outcome.seconds,
    )


def _floor(rounds: list[int], experts: int, loss: Loss) -> list[float]:
    """What every learner must expect to lose against some experts, where the range of losses is known."""
    import numpy as np

    from ..theory.expert_facts import lower_bound

    width = 1.0 if loss.name == "zero-one" else loss.width
    if loss.name not in FLOORED or not np.isfinite(width):
        return []
    return [width * lower_bound(count, experts) for count in rounds]
