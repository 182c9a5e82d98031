"""What charts are made of: lines of points on two axes, at recorded rounds and under bounds, and still pictures."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from . import formatting
from .axes import Format, Scale

MOST_POINTS = 420
"""More points than this no screen can tell apart on a log axis."""

OFF_THE_CHART = 1e8  # a bound this many times above all that was observed would flatten the rest

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a chart: its name, its style, its points, and whether it is a bound.

    `final` is what the legend shows until the reader points at a round; a line that is not `drawn` is in the
    legend alone. A `floor` bounds from below. `spans` are vertical strokes (round, low, high) drawn behind the
    line, or the two edges of a band, which has no points of its own; `tag` is what stands beside the line's end, for
    readers to whom colours look alike. The top of an area is not its value, so the legend reads `values` instead.
    """

    name: str
    style: str
    points: Sequence[Point]
    bound: bool = False
    final: str = ""
    drawn: bool = True
    floor: bool = False
    mark: Literal["line", "dots", "area", "band", "none"] = "line"
    spans: Sequence[tuple[float, float, float]] = ()
    tag: str = ""
    values: Sequence[Point] = ()


@dataclass(frozen=True, slots=True)
class Panel:
    """One chart.

    The axis of rounds is linear if `even`, else as `round_axis` chooses; `across` is what it is called. Of the points
    of the first line, `moments` are the times, where rounds have such, and `captions` are what the legend calls each
    when it is pointed at. What is below `least` has no place on a logarithmic axis of values. `table` says the same in
    numbers, its headings first. `stops` are the rounds that can be pointed at, where other lines than the first have
    some of their own, and `rest` is what the numbers shown are about until then.
    """

    key: str
    title: str
    unit: str
    format: Format
    series: Sequence[Series]
    notes: Sequence[str]
    scale: Scale = "auto"
    even: bool = False
    moments: Sequence[str] = ()
    captions: Sequence[str] = ()
    across: str = "Rounds"
    least: float = 0.0
    table: Sequence[Sequence[str]] = ()
    stops: Sequence[float] = ()
    rest: str = ""

    @property
    def rounds(self) -> int:
        """The last round of the chart."""
        return max((int(line.points[-1][0]) for line in self.series if line.points), default=0)

    @property
    def first(self) -> float:
        """The first round of the chart."""
        return min((line.points[0][0] for line in self.series if line.points), default=0.0)


def thin(points: Sequence[Point], most: int = MOST_POINTS, even: bool = False) -> list[Point]:
    """At most `most` of the points, the last one of each stretch, evenly spaced on a log axis or a linear one."""
    if len(points) <= most:
        return list(points)
    first, last = max(points[0][0], 1.0), max(points[-1][0], 1.0)
    rest = {0, len(points) - 1}
    rounds = [point[0] for point in points]
    for k in range(1, most - 1):
        share = k / (most - 1)
        edge = first + (last - first) * share if even else first * (last / first) ** share
        rest.add(max(bisect_right(rounds, edge * (1 + 1e-12)) - 1, 0))
    return [points[k] for k in sorted(rest)]


def at_round(points: Sequence[Point], t: float) -> float | None:
    """The value at round t, read off the straight line between its neighbours; None outside the points."""
    k = bisect_left(points, t, key=lambda point: point[0])
    if k < len(points) and points[k][0] == t:
        return points[k][1]
    if k == 0 or k == len(points):
        return None
    (t0, a), (t1, b) = points[k - 1], points[k]
    return a + (b - a) * (t - t0) / (t1 - t0) if math.isfinite(a) and math.isfinite(b) else None


def relation(observed: Sequence[Point], bounds: Sequence[Series]) -> str:
    """How the observed line lies to its bounds, for a title that does not claim what the curve denies."""
    unit = min(1.0, max((abs(value) for _, value in observed if math.isfinite(value)), default=0.0))
    for line in bounds:
        for t, value in observed:
            bound = at_round(line.points, t)
            if bound is not None and value > bound * (1 + 1e-9) + 1e-9 * unit:
                return "against"
    return "under"


def absence(line: Series) -> str:
    """Why a bound is not drawn."""
    endless = all(math.isinf(value) for _, value in line.points)
    return "is infinite, so there is no line for it." if endless else "lies far above this chart."


def shown(value: float, format: Format) -> str:
    """A value as the legend writes it."""
    if format == "share":
        return formatting.share(value)
    return formatting.percent(value) if format == "percent" else formatting.number(value)


@dataclass(frozen=True, slots=True)
class Key:
    """One entry of a legend: how something is drawn, what it is called, and its number."""

    name: str
    style: str
    value: str = ""
    mark: Literal["line", "band", "dots"] = "line"


@dataclass(frozen=True)
class Picture:
    """What a picture shows, as data: the base of all kinds, so that another library can draw them too."""


@dataclass(frozen=True, slots=True)
class Still:
    """One picture, drawn at several sizes; `table` says the same in numbers, its headings first."""

    key: str
    title: str
    legend: Sequence[Key]
    drawings: Sequence[str]
    notes: Sequence[str] = ()
    table: Sequence[Sequence[str]] = ()
    picture: Picture | None = None


Values = Sequence["float | None"]
"""A column of numbers, with None where nothing is known."""

MOST_BOUNDS = 4
"""As many styles of bounds can be told apart."""

MOST_ROWS = 13


def known_points(rounds: Sequence[int], values: Values, endless: bool = False) -> list[Point]:
    """The points of a column, without the rounds at which nothing is known; infinite ones only if `endless`."""
    pairs = zip(rounds, values, strict=False)
    known = [(float(t), float(value)) for t, value in pairs if value is not None and not math.isnan(value)]
    return known if endless else [point for point in known if math.isfinite(point[1])]


def bound_lines(rounds: Sequence[int], named: Mapping[str, Values]) -> list[Series]:
    """What theorems say at the rounds, by their titles, as lines: the lowest at the end first."""
    known = {title: known_points(rounds, values, endless=True) for title, values in named.items()}
    ranked = sorted((line[-1][1], title) for title, line in known.items() if line)
    return [
        Series(formatting.label(title), f"bound{k}", known[title], bound=True, final=formatting.number(last))
        for k, (last, title) in enumerate(ranked[:MOST_BOUNDS])
    ]


def near(line: Series, limit: float) -> Series:
    """The part of a bound that fits the chart; one that ends above it is in the legend alone."""
    drawn = line.points[-1][1] <= limit
    return replace(
        line,
        drawn=drawn,
        values=line.points,
        points=[p for p in line.points if p[1] <= limit] if drawn else line.points,
    )


def bounded(title: str, observed: Sequence[Point], bounds: Sequence[Series]) -> str:
    """A title that claims that the line is under its bounds only where it is."""
    if not (drawn := [line for line in bounds if line.drawn]):
        return title
    return f"{title} {'under its' if relation(observed, drawn) == 'under' else 'and its'} bound{'s'[: len(drawn) > 1]}"


def absences(bounds: Sequence[Series]) -> list[str]:
    """Why some bounds are not drawn."""
    return [f"{line.name}: the bound {absence(line)}" for line in bounds if not line.drawn]


def log_spaced(rounds: Sequence[int]) -> bool:
    """Whether the rounds that were recorded crowd at the beginning."""
    return len(rounds) > 4 and rounds[len(rounds) // 2] < rounds[-1] / 4


def table(rounds: Sequence[int], columns: Mapping[str, Values]) -> list[list[str]]:
    """The same in numbers at some of the rounds, the headings first."""
    last = len(rounds) - 1
    rest = sorted({round(last * k / (MOST_ROWS - 1)) for k in range(MOST_ROWS)})
    rows = [[formatting.count(rounds[k]), *(_cell(values[k]) for values in columns.values())] for k in rest]
    return [["Rounds", *columns], *rows]


def _cell(value: float | None) -> str:
    return "–" if value is None or math.isnan(value) else formatting.number(value)
