"""What a chart is made of: lines of points on two axes, thinned to what a screen can tell apart."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
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
    for line in bounds:
        for t, value in observed:
            bound = at_round(line.points, t)
            if bound is not None and value > bound * (1 + 1e-9) + 1e-9:
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
