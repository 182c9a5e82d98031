"""``regretless learn`` of numbers: its run, lines, notes, and what JSON and the report have of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ...catalogue import DEFAULT_OF_TASK
from ...report.terminal import LOSS, loss_text, member_lines, number_text
from ...run.members import ageing, members_of
from ...run.notes import COMPARED_ROWS, column_notes
from .. import options
from ..outcomes import course_of, coverage_of, interval_lines, interval_values
from ..output import loss_name
from ..read_model import largest_of
from ..signals import PointTable
from .result import MOST_WEIGHTS, LearnOutput, sizes_of

if TYPE_CHECKING:
    from ...certificate import Certificate
    from ...data.stream import Stream
    from ...regression.base import OnlineRegressor
    from ...report import RegressionReport
    from ...run.regression import RegressionRun
    from .result import LearnOptions

    Point = tuple[int, float, float]


class MeanLossTable(PointTable):
    """Rows at doubling round counts; a point is rounds, loss, and the squared loss of the mean so far."""

    HEADER = "{:>12} {:>14} {:>14}".format("rounds", "mean loss", "since last")
    FIRST = 2  # the first round is charged to nobody

    def row(self, point: Point, last: Point) -> str:
        """Losses so far and since the row before; the first round is charged to nobody."""
        rounds, loss, _ = point
        charged, before = max(rounds - 1, 1), max(last[0] - 1, 0)
        recent = (loss - last[1]) / max(charged - before, 1)
        return f"{rounds:>12} {loss / charged:>14.6g} {recent:>14.6g}"


class SquaredLossTable(MeanLossTable):
    """The same of squared losses, beside the mean of the outcomes so far."""

    HEADER = f"{MeanLossTable.HEADER} {'mean so far':>14}"

    def row(self, point: Point, last: Point) -> str:
        """With the loss of the mean so far."""
        return f"{super().row(point, last)} {point[2] / max(point[0] - 1, 1):>14.6g}"


class NumbersOutput(LearnOutput):
    """A run of a learner of numbers that is over."""

    run: RegressionRun

    @classmethod
    def refuse(cls, arguments: LearnOptions) -> None:
        """Refuse options that are about labels."""
        options.refuse_set(
            {
                "--passes": arguments.passes,
                "--svm": arguments.svm,
                "--calibrate": arguments.calibrate,
                "--deep": arguments.deep,
                "--iid": arguments.iid,
                "--label-budget": arguments.label_budget,
            },
            "is for learners of labels; numbers are learned in one pass, and certified without it",
        )

    @classmethod
    def run_of(
        cls, arguments: LearnOptions, learner: OnlineRegressor, extra: dict[str, Any], stream: Stream
    ) -> RegressionRun:
        """The run that is to be played."""
        from ...run.first_rows import refuse_words
        from ...run.linear import Continuation, Place
        from ...run.regression import Forecasts, RegressionRun
        from ..outcomes import intervals_of, refuse_others

        goes_on = Continuation.read(extra, Forecasts)
        goes_on.refuse_other(stream)
        forecasts: Forecasts = goes_on.progressive
        if forecasts.rounds:
            refuse_others(arguments, forecasts.intervals)
        else:
            forecasts.intervals = intervals_of(arguments, 0.0 if learner.rules().counts else None)
        return RegressionRun(
            learner,
            stream,
            save=arguments.save or arguments.resume,
            checkpoint_every=arguments.checkpoint_every,
            curve=list(goes_on.curve),
            snapshots=list(goes_on.snapshots),
            place=goes_on.place or Place(),
            last=goes_on.last,
            progressive=forecasts,
            on_first=lambda batch: None if arguments.interval is None else refuse_words(stream, batch),
        )

    @classmethod
    def table_of(cls, run: RegressionRun, write: Callable[[str], None]) -> PointTable:
        """Mean losses at doubling round counts."""
        return (SquaredLossTable if of_squares(run.learner) else MeanLossTable)(write, run.point)

    def observations(self) -> Iterator[str]:
        """Notes on the run, in a line each."""
        learner, counts = self.run.learner, self.run.progressive
        yield from column_notes(self.run, DEFAULT_OF_TASK[learner.info.task])
        if counts.rounds < COMPARED_ROWS:
            return
        rates = learner.played_rules().rates
        if len(rates) > 1 and (age := ageing(rates, learner.posterior_)) is not None:
            yield age
        rules = ((counts.mean, "the mean of the outcomes so far"), (counts.previous, "the outcome of the row before"))
        least, rule = min(rules, key=lambda pair: pair[0])
        if of_squares(learner) and counts.squared > least:
            mine, theirs = loss_text(counts.squared, counts.rounds), loss_text(least, counts.rounds)
            yield f"{rule} loses less: {theirs}, and the learner {mine}; it has learned little, though bounds hold"

    def certified(self, arguments: LearnOptions, against: Any, *, trusted: bool) -> list[Certificate]:
        """The certificates, for which the rows are read again."""
        from ...certify import certify_outcomes

        return certify_outcomes(self.run.learner, self.run.stream, against=against, trusted=trusted)

    def without_rows(self, certificates: list[Certificate]) -> list[Certificate]:
        """These, and that of the intervals."""
        return certificates + coverage_of(self.run.progressive)

    def write_page(self, path: str) -> None:
        """Write the report."""
        from ...report import page_of_regression, write_report

        write_report(path, page_of_regression(self._report()))

    def own_values(self) -> dict[str, Any]:
        """Other losses, the members and the intervals."""
        learner, counts = self.run.learner, self.run.progressive
        rule = None if counts.intervals is None else counts.intervals.rule
        quantile = {"pinball_loss": learner.ledger_.loss} if learner.rules().charged.parameter == "quantile" else {}
        return {
            "squared_loss": counts.squared,
            **quantile,
            "best_constant_loss": constant_of(learner, self.certificates),
            "members": members_of(learner),
            **({} if rule is None else {"interval": interval_values(rule)}),
        }

    def own_lines(self) -> Iterator[str]:
        """How the rows were forecast, beside simple rules, and by which members."""
        learner, counts = self.run.learner, self.run.progressive
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
        if len(members := members_of(learner)) > 1:
            yield from member_lines(members, rows, LOSS)

    def _report(self) -> RegressionReport:
        from ...report import RegressionReport

        run, learner = self.run, self.run.learner
        intervals, (sizes, weighed) = run.progressive.intervals, sizes_of(run)
        weights = largest_of(learner, run.stream.schema(), MOST_WEIGHTS, sizes)
        return RegressionReport(
            title=self.title,
            learner=learner,
            loss_name=loss_name(learner),
            source=self.input(),
            rounds=run.rounds,
            snapshots=run.whole_snapshots,
            certificates=self.certificates,
            forecasts=list(run.progressive.tail),
            summary=run.progressive.summary(),
            constant=constant_of(learner, self.certificates),
            weights=[(one.feature, one.effect) for one in weights],
            weighed=weighed,
            intervals=None if intervals is None else course_of(intervals),
            seconds=self.seconds,
        )


def of_squares(learner: OnlineRegressor) -> bool:
    """Whether the learner's loss is squared, as those of the two simple rules are."""
    return learner.rules().charged.squares


def constant_of(learner: OnlineRegressor, certificates: list[Certificate]) -> float | None:
    """The loss of the best constant known in hindsight; of losses that are not squared, where all rows were read again
    for it, and not a sample of them."""
    from ...regression.certificates import BEST_CONSTANT

    if of_squares(learner):
        return learner.best_constant_loss_
    losses = [one.comparator.loss for one in certificates if getattr(one.comparator, "label", "") == BEST_CONSTANT]
    return float(losses[0]) if losses else None
