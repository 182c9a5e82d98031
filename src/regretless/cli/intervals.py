"""What verbs say of the intervals around their forecasts, as lines, JSON values and for a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING, Any

from ..intervals.base import STRETCH
from .output import number_text

if TYPE_CHECKING:
    from ..certificate import Certificate
    from ..intervals import AdaptiveIntervals
    from ..report import IntervalCourse
    from ..run.intervals import RunIntervals
    from ..run.regression import Forecasts


def coverage_of(forecasts: Forecasts) -> list[Certificate]:
    """The certificate of the intervals around forecasts of numbers, for which no row is read again; none without
    any."""
    return [] if forecasts.intervals is None or not forecasts.rounds else forecasts.intervals.rule.certify()


def interval_values(rule: AdaptiveIntervals, ends: Sequence[tuple[float, float]] = ()) -> dict[str, Any]:
    """How the intervals did, as JSON values; `ends` are of those whose outcome is not known."""
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
    from ..report import IntervalCourse

    rule, theorem = intervals.rule, intervals.rule.theorem
    last, facts = rule.ledger_, rule.facts()
    points = dict(intervals.points) | ({last.rounds: last.misses} if last.rounds else {})
    bounds = [theorem.value(replace(last, rounds=rounds), None, facts) for rounds in points]
    shares = [misses / rounds for rounds, misses in points.items()]
    return IntervalCourse(last, list(points), shares, bounds, list(intervals.radii))
