"""The pictures of many runs of a bandit: regret under its bounds, probabilities, and how the runs ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from . import formatting, summary
from .arm_table import called
from .curves import OFF_THE_CHART, Panel, Point, Series
from .forecast_charts import numbered, weight_panel
from .forecasts import History
from .histogram import spread
from .pulls import PullCurves, PullReport
from .recorded_curves import absences, bounded, known_points, log_spaced, near, table
from .recorded_curves import bound_lines as lines_of_bounds
from .static_chart import Still

FAR_ABOVE = 12.0
"""A bound so many times above all that was observed would flatten the rest of a linear chart."""

LEAST_SHARE = 1e-3
"""A regret of less than this share of the last one is left off a logarithmic axis: chance made it."""

OBSERVABLE = "Observable bound, median"


def panels(report: PullReport) -> list[Panel]:
    """Every picture over the rounds for which there are numbers."""
    regret, shares = regret_panel(report), probability_panel(report)
    if regret is not None and shares is not None:
        shares = replace(shares, even=regret.even)  # the same round stands at the same place in both
    return [panel for panel in (regret, shares) if panel is not None]


def stills(report: PullReport) -> list[Still]:
    """The other pictures."""
    found = spread(report.regrets, bound_lines(report))
    return [] if found is None else [found]


def regret_panel(report: PullReport) -> Panel | None:
    """The median of the regret in the bands that hold half of the runs and nine tenths, under its bounds."""
    course = report.course
    median = known_points(course.rounds, course.regret.get("q50", ()))
    if not median:
        return None
    bands = [_band(course, "q25", "q75", "Half of the runs", "inner")]
    bands.append(_band(course, "q05", "q95", "90% of the runs", "outer"))
    known = [band for band in bands if band.spans]
    log = _rises(course, median)
    tops = [high for band in known for *_, high in band.spans] + [abs(value) for _, value in median]
    limit = max(max(tops), 1e-300) * (OFF_THE_CHART if log else FAR_ABOVE)
    bounds = [near(line, limit) for line in bound_lines(report)]
    name = "Median" if known else "Regret"
    lines = [Series(name, "first", median, final=formatting.number(median[-1][1])), *known, *bounds]
    return Panel(
        "regret", _title(report, median, bounds), "Regret", "real", lines, absences(bounds),
        scale="log" if log else "linear", even=not log, least=LEAST_SHARE * median[-1][1] if log else 0.0,
        table=_table(report),
    )  # fmt: skip


def bound_lines(report: PullReport) -> list[Series]:
    """What theorems say of the regret, the lowest at the end first."""
    named = {**report.bounds, _observable(report): report.course.certificate}
    return lines_of_bounds(report.course.rounds, named)


def _observable(report: PullReport) -> str:
    return OBSERVABLE if report.runs > 1 else OBSERVABLE.partition(",")[0]


def probability_panel(report: PullReport) -> Panel | None:
    """With what probability each arm was drawn, stacked to one."""
    course = report.course
    named = {called(name): values for name, values in course.probabilities.items()}
    history = History(rounds=course.rounds, weights=named)
    found = weight_panel(history, numbered(history)) if course.rounds and course.probabilities else None
    if found is None:
        return None
    title = "Probability of each arm" + (f", mean of {summary.many(report.runs, 'run')}" if report.runs > 1 else "")
    return replace(
        found, key="probabilities", title=title, unit="Probability of a draw", even=not log_spaced(course.rounds)
    )


def _title(report: PullReport, median: Sequence[Point], bounds: Sequence[Series]) -> str:
    """The title claims that the regret is under its bounds only where nineteen of twenty runs are."""
    title = f"Regret of {summary.many(report.runs, 'run')}" if report.runs > 1 else "Regret"
    highest = known_points(report.course.rounds, report.course.regret.get("q95", ())) or median
    return bounded(title, highest, bounds)


def _rises(course: PullCurves, median: Sequence[Point]) -> bool:
    """Whether a logarithmic axis has a place for nearly all of the regret."""
    ends = [values[-1] for values in course.regret.values() if values]
    rising = bool(ends) and all(end is not None and end > 0 for end in ends)
    return rising and len(median) > 2 and 2 * sum(value > 0 for _, value in median) >= len(median)


def _band(course: PullCurves, low: str, high: str, name: str, style: str) -> Series:
    lows, highs = (known_points(course.rounds, course.regret.get(key, ())) for key in (low, high))
    upper = dict(highs)
    spans = [(t, value, upper[t]) for t, value in lows if t in upper]
    final = formatting.between(*spans[-1][1:]) if spans else ""
    return Series(name, style, (), final=final, mark="band", spans=spans)


def _table(report: PullReport) -> list[list[str]]:
    """The same in numbers at some of the rounds."""
    course = report.course
    heads = _HEADS if report.runs > 1 else {"q50": "Regret"}
    columns = {heads[key]: course.regret[key] for key in heads if course.regret.get(key)}
    columns |= {formatting.label(title, 40): values for title, values in report.bounds.items() if values}
    if course.certificate:
        columns[_observable(report)] = course.certificate
    return table(course.rounds, columns)


_HEADS = {"q05": "5%", "q25": "25%", "q50": "Median", "q75": "75%", "q95": "95%"}
