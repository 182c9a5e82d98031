"""Which curves tell a run's story: the certified quantity under its bound, and the mistake rate."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from . import numbers
from .axes import Format
from .model import BoundCurve, Report, bare, counted

MOST_POINTS = 420
"""More points than this no screen can tell apart on a log axis."""

_OFF_THE_CHART = 1e8  # a bound this many times above all that was observed would flatten the rest

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a chart: its name, its style, its points, and whether it is a bound.

    `final` is what the legend shows until the reader points at a round; a line that is not `drawn` is in the
    legend alone.
    """

    name: str
    style: str
    points: Sequence[Point]
    bound: bool = False
    final: str = ""
    drawn: bool = True


@dataclass(frozen=True, slots=True)
class Panel:
    """One chart."""

    key: str
    title: str
    unit: str
    format: Format
    series: Sequence[Series]
    notes: Sequence[str]

    @property
    def rounds(self) -> int:
        """The last round of the chart."""
        return max((int(line.points[-1][0]) for line in self.series if line.points), default=0)


def thin(points: Sequence[Point], most: int = MOST_POINTS) -> list[Point]:
    """At most `most` of the points, evenly spaced on a log axis of rounds, the last one of each stretch."""
    if len(points) <= most:
        return list(points)
    first, last = max(points[0][0], 1.0), max(points[-1][0], 1.0)
    kept = {0, len(points) - 1}
    rounds = [point[0] for point in points]
    for k in range(1, most - 1):
        edge = first * (last / first) ** (k / (most - 1))
        kept.add(max(bisect_right(rounds, edge * (1 + 1e-12)) - 1, 0))
    return [points[k] for k in sorted(kept)]


def count_panel(report: Report) -> Panel:
    """The certified quantity and its bounds on one axis."""
    title, unit, lines = _observed_lines(report)
    certified = _certified(report)
    bounds = _bound_lines(report, certified) if certified else []
    notes = [f"{line.name} {_absence(line)}" for line in bounds if not line.drawn]
    if report.bounds and not certified:
        notes.append(f"What is certified here is the {report.quantity}, of which no curve was recorded.")
    if drawn := [line for line in bounds if line.drawn]:
        title += f" {_relation(certified, drawn)} the certified bound" + ("s" if len(drawn) > 1 else "")
    whole = not certified or counted(report.quantity)
    return Panel("counts", title, unit, "count" if whole else "real", [*lines, *bounds], notes)


def _absence(line: Series) -> str:
    endless = all(math.isinf(value) for _, value in line.points)
    return "is infinite, so there is no line for it." if endless else "lies far above this chart."


def _relation(certified: Sequence[Point], bounds: Sequence[Series]) -> str:
    for line in bounds:
        for t, value in certified:
            bound = at_round(line.points, t)
            if bound is not None and value > bound * (1 + 1e-9) + 1e-9:
                return "against"
    return "under"


def _certified(report: Report) -> list[Point]:
    if counted(report.quantity):
        return _column(report, 1 if bare(report.quantity) == "mistakes" else 2)
    return thin([(float(t), float(value)) for t, value in report.observed])


def _observed_lines(report: Report) -> tuple[str, str, list[Series]]:
    """Title, unit and the lines of what was observed, the certified quantity first."""
    mistakes, updates, certified = _column(report, 1), _column(report, 2), _certified(report)
    name = numbers.label(bare(report.quantity)).capitalize()
    if certified and name != "Updates":
        return name, name, [_line(name, "first", certified)]
    if mistakes == updates:
        return "Mistakes", "Mistakes", [_line("Mistakes, each of them an update", "first", updates)]
    lines = [_line("Updates", "first", updates), _line("Mistakes", "second", mistakes)]
    return "Mistakes and updates", "Mistakes, updates", lines


def rate_panel(report: Report) -> Panel:
    """The share of mistakes since the first round, and over the latest half of the rounds."""
    mistakes = _column(report, 1)
    overall = [(t, value / t) for t, value in mistakes]
    series = [_line("Since the first round", "first", overall, "percent")]
    recent = recent_rates(mistakes)
    series.append(_line("Since the last doubling", "recent", recent, "percent"))
    return Panel("rates", "Mistake rate", "Mistakes per round", "percent", series, [])


def recent_rates(mistakes: Sequence[Point]) -> list[Point]:
    """At each recorded round t, the share of mistakes since the last recorded round up to t/2."""
    rounds = [t for t, _ in mistakes]
    rates = []
    for t, value in mistakes:
        k = bisect_right(rounds, t / 2) - 1
        before = mistakes[k] if k >= 0 else (0.0, 0.0)
        if t > before[0]:
            rates.append((t, (value - before[1]) / (t - before[0])))
    return rates


def at_round(points: Sequence[Point], t: float) -> float | None:
    """The value at round t, read off the straight line between its neighbours; None outside the points."""
    k = bisect_left(points, t, key=lambda point: point[0])
    if k < len(points) and points[k][0] == t:
        return points[k][1]
    if k == 0 or k == len(points):
        return None
    (t0, a), (t1, b) = points[k - 1], points[k]
    return a + (b - a) * (t - t0) / (t1 - t0) if math.isfinite(a) and math.isfinite(b) else None


def _column(report: Report, column: int) -> list[Point]:
    return thin([(float(row[0]), float(row[column])) for row in report.curve if row[0] > 0])


def _line(name: str, style: str, points: Sequence[Point], format: Format = "count") -> Series:
    return Series(name, style, thin(points), final=shown(points[-1][1], format) if points else "")


def shown(value: float, format: Format) -> str:
    """A value as the legend writes it."""
    return numbers.percent(value) if format == "percent" else numbers.number(value)


def _bound_lines(report: Report, certified: Sequence[Point]) -> list[Series]:
    lines = [_bound_line(curve, k, report.quantity, certified) for k, curve in enumerate(report.bounds)]
    return [line for line in lines if line.points]


def _bound_line(curve: BoundCurve, k: int, quantity: str, certified: Sequence[Point]) -> Series:
    last, observed = certified[-1]
    points = _spread(curve, certified[0][0], last)
    highest = max((abs(value) for _, value in certified if math.isfinite(value)), default=0.0)
    lowest = min((value for _, value in points if math.isfinite(value)), default=math.inf)
    drawn = lowest <= max(highest, 1.0) * _OFF_THE_CHART
    final = at_round(points, last)
    if final is None:
        final = points[-1][1] if points else math.inf
    fits = observed <= final * (1 + 1e-9) + 1e-9
    text = numbers.observed_and_bound(observed, final, counted(quantity), fits)[1]
    return Series(numbers.label(curve.name), f"bound{k % 4}", points, bound=True, final=text, drawn=drawn)


def _spread(curve: BoundCurve, first: float, last: float) -> list[Point]:
    """A bound's points; a single one, or one value throughout, becomes a line across the whole chart."""
    points = [(float(t), float(value)) for t, value in curve.points if not math.isnan(value)]
    if len({value for _, value in points}) == 1:
        return [(first, points[0][1]), (last, points[0][1])]
    return thin(points)
