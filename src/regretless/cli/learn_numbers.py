"""``regretless learn`` of numbers: from a file with outcomes to a model, its certificates and a report."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ..catalogue import DEFAULT_OF_TASK, class_of
from ..errors import RegretlessError
from . import options
from .files import load_against, write_vectors
from .intervals import course_of, coverage_of, interval_lines, interval_values
from .members import A_QUARTER, FOLLOWS
from .output import (
    Output,
    UsageError,
    certificate_values,
    complain,
    number_text,
    parameters_of,
    target_of,
    verdict,
    warn_skipped,
)
from .parameters import read_settings
from .read_model import known_schema, largest_of
from .signals import PointTable, certify_hint, certifying, earlier_rows, go, whole_run_message

if TYPE_CHECKING:
    from ..certificate import Certificate
    from ..data.stream import Stream
    from ..regression.base import OnlineRegressor
    from ..report import RegressionReport
    from ..run.regression import Forecasts, RegressionRun
    from .arguments import LearnOptions

Point = tuple[int, float, float]
MOST_WEIGHTS, ENOUGH = 30, 100  # bars of a report; rows from which a note on them says something
NAMES = {"square": "squared", "huber": "Huber", "poisson": "Poisson"}
SCHEMA = "regretless.learn/1"


class LossTable(PointTable):
    """Rows at doubling round counts; a point is rounds, loss, and the squared loss of the mean so far."""

    HEADER = "{:>12} {:>14} {:>14}".format("rounds", "mean loss", "since last")

    def point(self, point: Point) -> None:
        """Write the row of a point that has one."""
        if point[0] > 1 and not point[0] & (point[0] - 1):
            super().point(point)

    def row(self, point: Point, last: Point) -> str:
        """Losses so far and since the row before; the first round is charged to nobody."""
        rounds, loss, _ = point
        charged, before = max(rounds - 1, 1), max(last[0] - 1, 0)
        recent = (loss - last[1]) / max(charged - before, 1)
        return f"{rounds:>12} {loss / charged:>14.6g} {recent:>14.6g}"


class SquaredLossTable(LossTable):
    """The same of squared losses, beside the mean of the outcomes so far."""

    HEADER = f"{LossTable.HEADER} {'mean so far':>14}"

    def row(self, point: Point, last: Point) -> str:
        """With the loss of the mean so far."""
        return f"{super().row(point, last)} {point[2] / max(point[0] - 1, 1):>14.6g}"


def learn_numbers(arguments: LearnOptions, path: str, task: str, stream: Stream | None) -> int:
    """Learn, certify, report.

    Parameters
    ----------
    arguments : LearnOptions
    path : str
        The file.
    task : str
        "regression" or "quantile".
    stream : Stream or None
        The file, if it was opened to find out the task.
    """
    from ..run.regression import continuation

    _refuse(arguments)
    against = load_against(arguments)
    learner, extra = _learner(arguments, task)
    goes_on, forecasts = continuation(extra)
    if stream is None:
        stream = options.open_input(path, arguments, known_schema(learner, goes_on.schema))
    goes_on.refuse_other(stream)
    console = options.console_of(arguments)
    run = _run(arguments, learner, stream, goes_on, forecasts)
    trusted = run.rounds == 0
    started = perf_counter()
    table = SquaredLossTable if of_squares(learner) else LossTable
    go(run, table(console.line, run.point), console)
    outcome = NumbersOutput(run, path, perf_counter() - started, stream.skipped, quiet=arguments.quiet)
    warn_skipped(stream)
    outcome.notes = list(_notes(run))
    for note in outcome.notes:
        console.line(f"note: {note}")
    if run.again:
        complain(f"{path} is, as it seems, what the model had learned from: its rows were learned once more")
    if not arguments.no_certify:
        console.doing("the rounds are read again for the certificates")
        with outcome.published_if_ended(arguments, console, model=run.save):
            outcome.certificates = _certify(run, path, against, trusted=trusted)
        console.settle()
    write_vectors(arguments.save_comparators, outcome.certificates)
    outcome.publish(arguments, console, arguments.report, model=run.save)
    if not arguments.no_certify and run.save is not None and earlier_rows(run) is not None:
        console.line(f"for certificates: {certify_hint(run, path)}")
    return verdict(outcome.certificates)


def _refuse(arguments: LearnOptions) -> None:
    """Refuse options that are about labels."""
    of_labels = {
        "--passes": arguments.passes,
        "--svm": arguments.svm,
        "--deep": arguments.deep,
        "--iid": arguments.iid,
    }
    options.refuse_set(
        of_labels, "is for learners of labels; numbers are learned in one pass, and certified without it"
    )


def _learner(arguments: LearnOptions, task: str) -> tuple[OnlineRegressor, dict[str, Any]]:
    """The learner, and what was kept with it.

    Raises
    ------
    UsageError
        If a parameter has no meaning, or contradicts the model to go on with.
    """
    if arguments.resume is not None:
        return _resumed(arguments, arguments.resume)
    wanted = class_of("regression", arguments.learner or DEFAULT_OF_TASK[task])
    learner: OnlineRegressor = wanted(**read_settings(wanted, arguments.set))
    try:
        learner.rules()
    except RegretlessError as error:
        raise UsageError(f"--set {error}") from error
    return learner, {}


def _resumed(arguments: LearnOptions, path: str) -> tuple[OnlineRegressor, dict[str, Any]]:
    from .read_model import read_regressor

    learner, extra = read_regressor(path)
    if arguments.learner not in (None, learner.name):
        raise UsageError(f"--learner {arguments.learner} contradicts the model, which is of {learner.name}")
    parameters = learner.get_params()
    for name, value in read_settings(type(learner), arguments.set).items():
        if parameters[name] != value:
            raise UsageError(f"--set {name}={value} contradicts the model, which has {name}={parameters[name]}")
    return learner, extra


def _run(
    arguments: LearnOptions, learner: OnlineRegressor, stream: Stream, goes_on: Any, forecasts: Forecasts
) -> RegressionRun:
    from ..run.linear import Place
    from ..run.regression import RegressionRun
    from .intervals import intervals_of, refuse_others
    from .task import refuse_words

    if forecasts.rounds:
        refuse_others(arguments, forecasts.intervals)
    else:
        forecasts.intervals = intervals_of(arguments)
    return RegressionRun(
        learner,
        stream,
        save=arguments.save or arguments.resume,
        checkpoint_every=arguments.checkpoint_every,
        curve=list(goes_on.curve),
        snapshots=list(goes_on.snapshots),
        place=goes_on.place or Place(),
        last=goes_on.last,
        forecasts=forecasts,
        on_first=lambda batch: None if arguments.interval is None else refuse_words(stream, batch),
    )


def _certify(run: RegressionRun, path: str, against: Any, *, trusted: bool) -> list[Certificate]:
    from ..certify import certify_outcomes

    if (why := earlier_rows(run)) is not None:
        return run.learner.declined(why) + coverage_of(run.forecasts)
    with certifying(lambda: whole_run_message(run, f"; for its certificates: {certify_hint(run, path)}")):
        certificates = certify_outcomes(run.learner, run.stream, against=against, trusted=trusted)
    return certificates + coverage_of(run.forecasts)


def _notes(run: RegressionRun) -> Iterator[str]:
    """Notes on the data that the user should know."""
    yield from run.stream.notes
    counts = run.forecasts
    if counts.rounds < ENOUGH:
        return
    if (age := _ageing(run.learner)) is not None:
        yield age
    rules = ((counts.mean, "the mean of the outcomes so far"), (counts.previous, "the outcome of the row before"))
    least, rule = min(rules, key=lambda pair: pair[0])
    if of_squares(run.learner) and counts.squared > least:
        mine, theirs = loss_text(counts.squared, counts.rounds), loss_text(least, counts.rounds)
        yield f"{rule} loses less: {theirs}, and the learner {mine}; it has learned little, though bounds hold"


def _ageing(learner: OnlineRegressor) -> str | None:
    """What to say where the posterior is mostly on the fastest of several rates; None where it is not."""
    rates = learner.played_rules().rates
    if len(rates) < 2:
        return None
    fastest = max(range(len(rates)), key=rates.__getitem__)
    weight = float(learner.posterior_[fastest])
    if weight <= A_QUARTER:
        return None
    return f"{weight:.1%} of the posterior is on the fastest rate, {rates[fastest]:g}: {FOLLOWS}"


def loss_text(loss: float, rows: int) -> str:
    """A loss in all and a row, as ``10,818 (0.3322 a row)``."""
    return f"{number_text(loss)} ({number_text(loss / rows)} a row)" if rows else number_text(loss)


def of_squares(learner: OnlineRegressor) -> bool:
    """Whether the learner's loss is squared, as those of the two simple rules are."""
    return learner.rules().loss == "square"


def loss_name(learner: OnlineRegressor) -> str:
    """What the learner's loss is called."""
    return f"{NAMES.get(name := learner.rules().loss, name)} loss"


def constant_of(learner: OnlineRegressor, certificates: list[Certificate]) -> float | None:
    """The loss of the best constant known in hindsight; of losses that are not squared, where all rows were read again
    for it, and not a sample of them."""
    from ..regression.certificates import BEST_CONSTANT

    if learner.rules().loss == "square":
        return learner.best_constant_loss_
    losses = [one.comparator.loss for one in certificates if getattr(one.comparator, "label", "") == BEST_CONSTANT]
    return float(losses[0]) if losses else None


def members_of(learner: OnlineRegressor) -> list[dict[str, Any]]:
    """Name, loss and posterior of each member."""
    each = zip(learner.members_, learner.losses_.tolist(), learner.posterior_.tolist(), strict=True)
    return [{"name": name, "loss": loss, "posterior": weight} for name, loss, weight in each]


def member_lines(members: list[dict[str, Any]], rounds: int) -> Iterator[str]:
    """A table of them, if there are several."""
    if len(members) < 2:
        return
    yield f"{'member':<24} {'loss':>14} {'a row':>12} {'posterior':>12}"
    for one in members:
        each = number_text(one["loss"] / rounds) if rounds else "-"
        yield f"  {one['name']:<22} {number_text(one['loss']):>14} {each:>12} {one['posterior']:>12.4f}"


@dataclass
class NumbersOutput(Output):
    """A run that is over.

    Attributes
    ----------
    run : RegressionRun
    path : str
        The file, as the user called it.
    seconds : float
        How long the learning took.
    skipped : int
        Rows passed over.
    certificates : list of Certificate
    notes : list of str
        Notes on the data.
    quiet : bool
        Whether people are to read the certificates alone.
    """

    run: RegressionRun
    path: str
    seconds: float
    skipped: int
    certificates: list[Certificate] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    quiet: bool = False

    def write_page(self, path: str) -> None:
        """Write the report."""
        from ..report import page_of_regression, write_report

        write_report(path, page_of_regression(self._report()))

    def describe(self) -> dict[str, Any]:
        """The result as JSON values."""
        learner, counts = self.run.learner, self.run.forecasts
        rule = None if counts.intervals is None else counts.intervals.rule
        quantile = {"pinball_loss": learner.ledger_.loss} if learner.rules().loss == "pinball" else {}
        return {
            "schema": SCHEMA,
            **regressor_values(learner),
            "squared_loss": counts.squared,
            **quantile,
            "best_constant_loss": constant_of(learner, self.certificates),
            "members": members_of(learner),
            "progressive": counts.summary(),
            **({} if rule is None else {"interval": interval_values(rule)}),
            "seconds": self.seconds,
            "curve": [list(point) for point in self.run.whole_curve],
            **certificate_values(self.certificates),
            "model": None if self.run.save is None else os.fspath(self.run.save),
            "notes": self.notes,
            "input": self._input(),
        }

    def lines(self) -> Iterator[str]:
        """How the rows were forecast, beside simple rules, and by which members."""
        if self.quiet:
            return
        learner, counts = self.run.learner, self.run.forecasts
        rows, name = counts.rounds, loss_name(self.run.learner)
        loss = loss_text(learner.ledger_.loss, rows)
        yield f"{name}, each row forecast before it is learned, the first one left out: {loss}"
        if (constant := constant_of(learner, self.certificates)) is not None:
            yield f"  the best constant, known in hindsight: {loss_text(constant, rows)}"
        if of_squares(learner):
            yield f"  the mean of the outcomes so far: {loss_text(counts.mean, rows)}"
            yield f"  the outcome of the row before: {loss_text(counts.previous, rows)}"
        if rows:
            yield f"mean absolute error: {number_text(counts.absolute / rows)}"
        if counts.intervals is not None and counts.intervals.rule.ledger_.rounds:
            yield from interval_lines(counts.intervals.rule)
        yield from member_lines(members_of(learner), rows)

    def _input(self) -> dict[str, Any]:
        """What was read."""
        return {
            "path": self.path,
            "rows": self.run.place.rows,
            "features": self.run.learner.state_.columns,
            "nonzeros": self.run.place.nonzeros,
            "skipped": self.skipped,
            **target_of(self.run.stream),
        }

    def _report(self) -> RegressionReport:
        from ..report import RegressionReport

        run, learner = self.run, self.run.learner
        intervals = run.forecasts.intervals
        return RegressionReport(
            title=f"{type(learner).__name__} on {os.path.basename(run.stream.name)}",
            learner=learner,
            loss_name=loss_name(learner),
            source=self._input(),
            rounds=run.rounds,
            snapshots=run.whole_snapshots,
            certificates=self.certificates,
            forecasts=list(run.forecasts.tail),
            summary=run.forecasts.summary(),
            constant=constant_of(learner, self.certificates),
            weights=largest_of(learner, run.stream.schema(), MOST_WEIGHTS),
            intervals=None if intervals is None else course_of(intervals),
            seconds=self.seconds,
        )


def regressor_values(learner: OnlineRegressor) -> dict[str, Any]:
    """A learner of numbers, its parameters and its loss as JSON values."""
    ledger = learner.ledger_
    return {
        "learner": learner.name,
        "task": learner.info.task,
        "parameters": parameters_of(learner),
        "rounds": int(ledger.rounds),
        "loss": ledger.loss,
        "loss_name": loss_name(learner),
    }
