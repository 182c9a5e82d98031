"""Outcomes in `combine` and `learn`: intervals that hold a share of them, and a budget of those to be asked."""

from __future__ import annotations

from argparse import _ArgumentGroup
from collections.abc import Callable, Iterator, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

from ..errors import DataError, RegretlessError
from ..report.terminal import number_text, share_text
from . import options
from .output import UsageError

if TYPE_CHECKING:
    from ..certificate import Certificate
    from ..data.forecast_stream import ForecastStream
    from ..experts.base import ExpertLearner
    from ..experts.label_efficient import LabelEfficient
    from ..intervals import AdaptiveIntervals
    from ..report import IntervalCourse
    from ..run.intervals import RunIntervals
    from ..run.regression import Forecasts
    from .arguments import IntervalOptions


NO_NUMBERS = {"table": "losses themselves", "wealth": "price relatives", "zero-one": "votes"}  # by the loss


def add_intervals(group: _ArgumentGroup) -> None:
    """The options."""
    group.add_argument(
        "--interval",
        type=float,
        metavar="C",
        help="an interval around each forecast that holds a share C of the outcomes on any sequence: 0.9, say",
    )
    group.add_argument(
        "--interval-step",
        type=float,
        metavar="G",
        help="how far an outcome moves the level of the intervals, by default 0.02: less where many come at once",
    )


def refuse_shares(arguments: IntervalOptions) -> None:
    """Refuse numbers that have no meaning, before anything is read."""
    share, step = arguments.interval, arguments.interval_step
    if share is not None and not 0 < share < 1:
        raise UsageError(f"--interval {share:g}: the share of outcomes must lie between 0 and 1; 0.9, say")
    if step is not None and not 0 < step < 1:
        raise UsageError(f"--interval-step {step:g}: it must lie between 0 and 1; 0.02 is the default")
    if step is not None and share is None and arguments.resume is None:
        raise UsageError("--interval-step needs --interval C")


def refuse_loss(arguments: IntervalOptions, learner: ExpertLearner) -> None:
    """An interval is one around a number."""
    name = learner._loss.name
    if arguments.interval is not None and name in NO_NUMBERS:
        raise UsageError(f"--interval is for forecasts of numbers, and --loss {name} is of {NO_NUMBERS[name]}")


def refuse_others(arguments: IntervalOptions, intervals: RunIntervals | None) -> None:
    """A model that goes on has the intervals that it has."""
    rule = None if intervals is None else intervals.rule
    wanted = {"--interval": arguments.interval, "--interval-step": arguments.interval_step}
    for option, value in wanted.items():
        if value is None:
            continue
        if rule is None:
            raise UsageError(f"{option} {value:g} contradicts the model, which learned without intervals")
        own = rule.coverage if option == "--interval" else rule.gamma
        if own != value:
            raise UsageError(f"{option} {value:g} contradicts the model, which has {own:g}")


def intervals_of(arguments: IntervalOptions, least: float | None = None) -> RunIntervals | None:
    """Those that are asked for, of outcomes that are nowhere below `least`."""
    from ..intervals import AdaptiveIntervals
    from ..run.intervals import RunIntervals

    if arguments.interval is None:
        return None
    if arguments.interval_step is None:
        return RunIntervals(AdaptiveIntervals(arguments.interval, least=least))
    return RunIntervals(AdaptiveIntervals(arguments.interval, arguments.interval_step, least=least))


def coverage_of(forecasts: Forecasts) -> list[Certificate]:
    """The certificate of the intervals around forecasts of numbers, for which no row is read again; none without
    any."""
    return [] if forecasts.intervals is None or not forecasts.rounds else forecasts.intervals.rule.certify()


def interval_values(rule: AdaptiveIntervals, ends: Sequence[tuple[float, float]] = ()) -> dict[str, Any]:
    """How the intervals did, as JSON values; `ends` are of those whose outcome is not known."""
    from ..intervals.base import STRETCH

    ledger, (certificate,) = rule.ledger_, rule.certify()
    return {
        "wanted": rule.coverage,
        "coverage": ledger.coverage,
        "coverage_error": certificate.observed,
        "bound": certificate.bound,
        "rounds": ledger.rounds,
        "misses": ledger.misses,
        "infinite": ledger.infinite,
        "empty": ledger.empty,
        "worst_misses": ledger.worst,
        "worst_rounds": min(ledger.rounds, STRETCH),
        "mean_width": ledger.mean_width,
        "mean_winkler": ledger.mean_winkler,
        "outstanding": ledger.outstanding,
        "gamma": rule.gamma,
        "window": rule.window,
        "forecast": [list(one) for one in ends] if len(ends) > 1 else list(ends[0]) if ends else None,
    }


def interval_lines(rule: AdaptiveIntervals) -> Iterator[str]:
    """How they did, for people; there must be rounds."""
    from ..intervals.base import STRETCH

    ledger = rule.ledger_
    share = f"{100 * ledger.misses / ledger.rounds:.4g} %"
    yield f"intervals of {100 * rule.coverage:g} %: {ledger.misses:,} misses in {ledger.rounds:,} rounds, {share}"
    ends = f"the whole line {ledger.infinite:,} times, nothing {ledger.empty:,} times"
    width, score = ledger.mean_width, ledger.mean_winkler
    if width is not None and score is not None:
        yield f"  mean width {number_text(width)}, Winkler score {number_text(score)} a round; {ends}"
    else:
        yield f"  {ends}"
    worst = min(ledger.rounds, STRETCH)
    yield f"  worst {worst:,} rounds: {ledger.worst:,} misses, {100 * ledger.worst / worst:.4g} %"


def interval_text(low: float, high: float) -> str:
    """An interval behind its forecast."""
    return " (an empty interval)" if isnan(low) else f", from {number_text(low)} to {number_text(high)}"


def course_of(intervals: RunIntervals) -> IntervalCourse:
    """How the intervals of a run did, as a report shows it."""
    from dataclasses import replace  # costs what help need not pay

    from ..report import IntervalCourse

    rule, theorem = intervals.rule, intervals.rule.theorem
    last, facts = rule.ledger_, rule.facts()
    points = dict(intervals.points) | ({last.rounds: last.misses} if last.rounds else {})
    bounds = [theorem.value(replace(last, rounds=rounds), None, facts) for rounds in points]
    shares = [misses / rounds for rounds, misses in points.items()]
    return IntervalCourse(last, list(points), shares, bounds, list(intervals.radii))


# A budget: what asks for few of the outcomes.


def add_budget(group: _ArgumentGroup) -> None:
    """The option."""
    group.add_argument(
        "--label-budget",
        type=options.label_budget,
        metavar="N|P%",
        help="learn from about N outcomes, or from P %% of them, asked at random, and forecast all rows",
    )


def asking_of(budget: str | None, learner: ExpertLearner, rows: Callable[[], ForecastStream]) -> LabelEfficient | None:
    """What asks for the outcomes, if not all are to be learned.

    Parameters
    ----------
    budget : str or None
        How many, or a share of them.
    learner : ExpertLearner
        It has played nothing.
    rows : callable
        Opens the rows, to count them where a number is to be asked.

    Raises
    ------
    UsageError
        If the learner cannot learn from few outcomes, or the rows cannot be counted.
    RegretlessError
        If there are too few rows.
    """
    from ..experts.label_efficient import LabelEfficient
    from ..experts.losses import WITHOUT_OUTCOME

    if budget is None:
        return None
    if learner._loss.name in WITHOUT_OUTCOME:
        raise UsageError(f"--label-budget {budget}: it is of outcomes, and --loss {learner._loss.name} has none")
    share = float(budget[:-1]) / 100 if budget.endswith("%") else _share(int(budget), rows())
    try:
        return LabelEfficient(learner, share)
    except RegretlessError as error:
        raise UsageError(f"--label-budget {budget}: {error}") from error


def _share(count: int, stream: ForecastStream) -> float:
    """With which probability to ask, so that about so many of all outcomes are."""
    if not stream.rereadable:
        raise UsageError(f"--label-budget {count}: rows that can be read once are not counted; give a share, as 5%")
    rows = sum(len(batch.with_outcomes()) for batch in stream.batches())
    if count >= rows:
        fault = f"{rows:,} rows have an outcome"
        raise DataError(stream.name, None, None, fault, f"--label-budget {count} must be fewer")
    return count / rows


def asked_values(asking: LabelEfficient) -> dict[str, Any]:
    """Which outcomes were asked, as JSON values."""
    ledger = asking.ledger_
    return {
        "share": asking.share,
        "seed": asking.seed,
        "rounds": ledger.rounds,
        "outcomes": asking.asked_,
        "loss": ledger.loss,
        "mean_loss": ledger.loss / ledger.rounds if ledger.loss is not None and ledger.rounds else None,
    }


def asked_lines(asking: LabelEfficient) -> Iterator[str]:
    """The same for people."""
    values = asked_values(asking)
    if not values["rounds"]:
        return
    expected = asking.share * values["rounds"]
    share = share_text(values["outcomes"], values["rounds"])
    yield f"  outcomes asked: {share}; {expected:,.1f} were to be expected"
    if values["loss"] is not None:
        yield f"  loss in all rows: {number_text(values['loss'])}, {number_text(values['mean_loss'])} a row"
