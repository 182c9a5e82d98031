"""The result of `combine`: lines, JSON and report."""

from __future__ import annotations

from collections.abc import Iterator
from math import exp, inf
from typing import TYPE_CHECKING, Any

from ...report.terminal import more_lines, number_text, short
from ...run.trace_lines import forecast_lines, trace_values
from ..outcomes import asked_lines, asked_values, course_of, interval_lines, interval_text, interval_values
from ..output import Output, certificate_values, parameters_of, target_of, title_of
from ..signals import PointTable

if TYPE_CHECKING:
    from ...certificate import Certificate
    from ...comparator import ExpertComparator
    from ...experts.losses import Loss
    from ...report import ForecastReport
    from ...run.experts import CombineRun


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
        from ...report import page_of_forecasts, write_report

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
            "input": {"path": self.path, "rows": self.run.place, **target_of(self.run.stream), **self._time()},
            **trace_values(self.run.tracer),
            **({} if self.run.asking is None else {"asked": asked_values(self.run.asking)}),
            **(
                {}
                if self.run.intervals is None
                else {"interval": interval_values(self.run.intervals.rule, self.run.ends)}
            ),
        }

    def _time(self) -> dict[str, str]:
        """The column that says when each row was, where one does."""
        time = self.run.stream.schema().get("time")
        return {} if time is None else {"time": str(time)}

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
    from ...report import ForecastReport

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

    from ...theory.expert_facts import lower_bound

    width = 1.0 if loss.name == "zero-one" else loss.width
    if loss.name not in FLOORED or not np.isfinite(width):
        return []
    return [width * lower_bound(count, experts) for count in rounds]
