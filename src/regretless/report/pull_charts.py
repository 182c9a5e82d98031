"""The pictures of many runs of a bandit: regret under its bounds, probabilities, and how the runs ended."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from . import numbers, summary
from .arms import called
from .curves import OFF_THE_CHART, Panel, Point, Series, absence, relation
from .forecast_charts import numbered, weight_panel
from .forecasts import History, Values
from .pulls import Course, PullReport
from .spread import spread
from .stills import Still

MOST_BOUNDS = 4
"""As many styles of bounds can be told apart."""

FAR_ABOVE = 12.0
"""A bound so many times above all that was observed would flatten the rest of a linear chart."""

LEAST_SHARE = 1e-3
"""A regret of less than this share of the last one is left off a logarithmic axis: chance made it."""

MOST_ROWS = 13
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
    median = _points(course.rounds, course.regret.get("q50", ()))
    if not median:
        return None
    bands = [_band(course, "q25", "q75", "Half of the runs", "inner")]
    bands.append(_band(course, "q05", "q95", "90% of the runs", "outer"))
    known = [band for band in bands if band.spans]
    log = _rises(course, median)
    tops = [high for band in known for *_, high in band.spans] + [abs(value) for _, value in median]
    limit = max(max(tops), 1e-300) * (OFF_THE_CHART if log else FAR_ABOVE)
    bounds = [_near(line, limit) for line in bound_lines(report)]
    name = "Median" if known else "Regret"
    lines = [Series(name, "first", median, final=numbers.number(median[-1][1])), *known, *bounds]
    return Panel(
        "regret", _title(report, median, bounds), "Regret", "real", lines, _notes(bounds),
        scale="log" if log else "linear", even=not log, least=LEAST_SHARE * median[-1][1] if log else 0.0,
        table=_table(report),
    )  # fmt: skip


def bound_lines(report: PullReport) -> list[Series]:
    """What theorems say of the regret, the lowest at the end first."""
    course = report.course
    named = {title: _points(course.rounds, values, endless=True) for title, values in report.bounds.items()}
    named[_observable(report)] = _points(course.rounds, course.certificate, endless=True)
    ranked = sorted((points[-1][1], title) for title, points in named.items() if points)
    return [
        Series(numbers.label(title), f"bound{k}", named[title], bound=True, final=numbers.number(last))
        for k, (last, title) in enumerate(ranked[:MOST_BOUNDS])
    ]


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
        found, key="probabilities", title=title, unit="Probability of a draw", even=not _log_spaced(course.rounds)
    )


def _title(report: PullReport, median: Sequence[Point], bounds: Sequence[Series]) -> str:
    """The title claims that the regret is under its bounds only where nineteen of twenty runs are."""
    title = f"Regret of {summary.many(report.runs, 'run')}" if report.runs > 1 else "Regret"
    if not (drawn := [line for line in bounds if line.drawn]):
        return title
    highest = _points(report.course.rounds, report.course.regret.get("q95", ())) or median
    many = "s" if len(drawn) > 1 else ""
    return f"{title} {'under its' if relation(highest, drawn) == 'under' else 'and its'} bound{many}"


def _notes(bounds: Sequence[Series]) -> list[str]:
    return [f"{line.name}: the bound {absence(line)}" for line in bounds if not line.drawn]


def _rises(course: Course, median: Sequence[Point]) -> bool:
    """Whether a logarithmic axis has a place for nearly all of the regret."""
    ends = [values[-1] for values in course.regret.values() if values]
    rising = bool(ends) and all(end is not None and end > 0 for end in ends)
    return rising and len(median) > 2 and 2 * sum(value > 0 for _, value in median) >= len(median)


def _band(course: Course, low: str, high: str, name: str, style: str) -> Series:
    lows, highs = (_points(course.rounds, course.regret.get(key, ())) for key in (low, high))
    upper = dict(highs)
    spans = [(t, value, upper[t]) for t, value in lows if t in upper]
    final = numbers.between(*spans[-1][1:]) if spans else ""
    return Series(name, style, (), final=final, mark="band", spans=spans)


def _near(line: Series, limit: float) -> Series:
    """The part of a bound that fits the chart; one that ends above it is in the legend alone."""
    drawn = line.points[-1][1] <= limit
    return replace(
        line, drawn=drawn, told=line.points, points=[p for p in line.points if p[1] <= limit] if drawn else line.points
    )


def _log_spaced(rounds: Sequence[int]) -> bool:
    """Whether the rounds that were recorded crowd at the beginning."""
    return len(rounds) > 4 and rounds[len(rounds) // 2] < rounds[-1] / 4


def _table(report: PullReport) -> list[list[str]]:
    """The same in numbers at some of the rounds."""
    course = report.course
    heads = _HEADS if report.runs > 1 else {"q50": "Regret"}
    columns = {heads[key]: course.regret[key] for key in heads if course.regret.get(key)}
    columns |= {numbers.label(title, 40): values for title, values in report.bounds.items() if values}
    if course.certificate:
        columns[_observable(report)] = course.certificate
    last = len(course.rounds) - 1
    kept = sorted({round(last * k / (MOST_ROWS - 1)) for k in range(MOST_ROWS)})
    rows = [[numbers.count(course.rounds[k]), *(_cell(values[k]) for values in columns.values())] for k in kept]
    return [["Rounds", *columns], *rows]


_HEADS = {"q05": "5%", "q25": "25%", "q50": "Median", "q75": "75%", "q95": "95%"}


def _cell(value: float | None) -> str:
    return "–" if value is None or math.isnan(value) else numbers.number(value)


def _points(rounds: Sequence[int], values: Values, endless: bool = False) -> list[Point]:
    pairs = zip(rounds, values, strict=False)
    known = [(float(t), float(value)) for t, value in pairs if value is not None and not math.isnan(value)]
    return known if endless else [point for point in known if math.isfinite(point[1])]
