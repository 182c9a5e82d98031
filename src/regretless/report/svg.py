"""Charts as SVG text: paths, ticks and grid lines, styled by the page's classes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from . import formatting
from .axes import Axis, round_axis, value_axis
from .curves import Panel, Point, Series

_RUG = 6  # length in pixels of the ticks that mark what a log axis cannot show
_TAG = 14  # height in pixels that a tag beside the plot needs
_CHARACTER = 7.0  # width in pixels of a character of a tag, on the safe side
_WITH_NAMES = 60  # a margin of so many pixels has room for more than a tag's number


@dataclass(frozen=True, slots=True)
class Frame:
    """The size of one drawing of a chart, in pixels; the page shows the drawing that fits the screen."""

    name: str
    width: int
    height: int
    left: int = 64
    right: int = 18
    top: int = 26
    bottom: int = 44


_LARGE = (Frame("wide", 960, 400), Frame("middle", 660, 340), Frame("narrow", 350, 290, left=58))
_SMALL = (Frame("wide", 960, 250), Frame("middle", 660, 230), Frame("narrow", 350, 220, left=58))
_TAGGED = (
    Frame("wide", 960, 380, right=178),
    Frame("middle", 660, 340, right=150),
    Frame("narrow", 350, 300, left=58, right=36),
)

FRAMES = {
    "counts": _LARGE,
    "rates": _SMALL,
    "asked": _SMALL,
    "difference": _LARGE,
    "regret": _LARGE,
    "gap": _LARGE,
    "weights": _TAGGED,
    "row_strategy": _TAGGED,
    "column_strategy": _TAGGED,
    "probabilities": _TAGGED,
    "losses": _TAGGED,
    "forecasts": _SMALL,
    "residuals": _SMALL,
    "coverage": _SMALL,
    "rate": _SMALL,
    "log-loss": _LARGE,
    "loss": _LARGE,
    "reliability": _LARGE,
    "windows": _LARGE,
    "mean": _LARGE,
    "evidence": _SMALL,
    "service": _LARGE,
    "delays": _SMALL,
}


def drawing(panel: Panel, frame: Frame) -> str:
    """One chart at one size."""
    across, up = axes(panel, frame)
    drawn = [line for line in panel.series if line.drawn]
    parts = [_grid(across, up, frame, panel)]
    parts += [_allowed(line, across, up) for line in _lowest_bound(drawn)]
    parts += [_band(line, across, up) for line in drawn if line.mark == "band"]
    parts += [_spans(line, across, up) for line in drawn if line.spans and line.mark != "band"]
    parts += [_marks(line, across, up) for line in reversed(drawn)]
    parts.append(_tags(drawn, across, up, frame))
    geometry = f'data-x="{_geometry(across)}" data-y="{_geometry(up)}"'
    return (
        f'<svg class="plot {frame.name}" viewBox="0 0 {frame.width} {frame.height}" role="img" tabindex="0" '
        f'aria-label="{escape(_described(panel))}" {geometry}>{"".join(parts)}<g class="pointer"></g></svg>'
    )


def axes(panel: Panel, frame: Frame) -> tuple[Axis, Axis]:
    """The axes that hold every line of the chart."""
    observed = [value for line in panel.series if not line.bound for _, value in line.points]
    observed += [value for line in panel.series for _, *ends in line.spans for value in ends]
    bounds = [value for line in panel.series if line.bound and line.drawn for _, value in line.points]
    observed, bounds = ([v for v in values if not 0 < v < panel.least] for values in (observed, bounds))
    bottom, right = frame.height - frame.bottom, frame.width - frame.right
    across = round_axis(panel.rounds, frame.left, right, panel.even, panel.first)
    return across, value_axis(observed, bounds, bottom, frame.top, panel.format, panel.scale)


def hidden_points(panel: Panel) -> bool:
    """Whether some observed value cannot stand on the chart's axis and is marked by a tick instead."""
    _, up = axes(panel, FRAMES[panel.key][0])
    lines = [line for line in panel.series if not line.bound]
    return any(not up.stands(value) for line in lines for _, value in line.points)


def path(points: Sequence[Point], across: Axis, up: Axis, apart: float = 1.4) -> str:
    """The path through the points: broken where a value cannot stand, a dot where one stands alone."""
    commands: list[str] = []
    pen, previous = False, float("-inf")
    for k, (t, value) in enumerate(points):
        if not (across.stands(t) and up.stands(value)):
            pen = False
            continue
        x, y = across(t), up(value)
        ends = k + 1 == len(points) or not up.stands(points[k + 1][1])
        if pen and x - previous < apart and not ends:
            continue
        commands.append(f"{'L' if pen else 'M'}{x:.1f} {y:.1f}")
        if not pen and ends:
            commands.append("h0")
        pen, previous = True, x
    return "".join(commands)


def _grid(across: Axis, up: Axis, frame: Frame, panel: Panel) -> str:
    bottom, right = frame.height - frame.bottom, frame.width - frame.right
    parts = []
    for value, label in up.ticks(horizontal=False, percent=panel.format in ("percent", "share")):
        y = up(value)
        parts.append(f'<path class="grid" d="M{frame.left} {y:.1f}H{right}"/>')
        parts.append(f'<text class="tick end" x="{frame.left - 8}" y="{y + 4:.1f}">{label}</text>')
    for value, label in _moment_ticks(panel, across) if panel.moments else across.ticks(horizontal=True):
        x = across(value)
        parts.append(f'<path class="stub" d="M{x:.1f} {bottom}v5"/>')
        parts.append(f'<text class="tick mid" x="{x:.1f}" y="{bottom + 19}">{label}</text>')
    base = up(0.0) if not up.log and up.low < 0 else bottom
    parts.append(f'<path class="base" d="M{frame.left} {base:.1f}H{right}"/>')
    unit = escape(panel.unit) + (", log scale" if up.log else "")
    rounds = panel.across + (", log scale" if across.log else "")
    parts.append(f'<text class="unit" x="0" y="12">{unit}</text>')
    parts.append(f'<text class="unit end" x="{right}" y="{frame.height - 6}">{escape(rounds)}</text>')
    return "".join(parts)


def _moment_ticks(panel: Panel, across: Axis) -> list[tuple[float, str]]:
    """Times of rounds evenly apart, none so near the plot's side that its label would leave it."""
    width = max(map(len, panel.moments)) * _CHARACTER + 24
    many = max(1, min(int((across.end - across.start) / width), len(panel.moments)))
    rounds = [t for t, _ in panel.series[0].points]
    moment_ticks = []
    for k in range(many):
        wanted = across.low + (across.high - across.low) * (k + 0.5) / many
        nearest = min(range(len(rounds)), key=lambda j: abs(rounds[j] - wanted))
        moment_ticks.append((rounds[nearest], escape(panel.moments[nearest])))
    return moment_ticks


def _spans(line: Series, across: Axis, up: Axis) -> str:
    """Vertical strokes: as wide as leaves a gap between neighbours, or touching where there are very many."""
    apart = (across.end - across.start) / max(len(line.spans), 1)
    style = f"{line.style} faint" if line.mark == "line" else line.style
    strokes = "".join(
        f"M{across(t):.1f} {up(low):.1f}V{up(high):.1f}"
        for t, low, high in line.spans
        if across.stands(t) and up.stands(low) and up.stands(high)
    )
    return f'<path class="spans {style}" stroke-width="{min(max(0.7 * apart, 1.0), 8.0):.1f}" d="{strokes}"/>'


def _band(line: Series, across: Axis, up: Axis) -> str:
    """What lies between two edges; below the axis it ends at the axis."""
    edges = [
        (across(t), up(max(low, up.low)), up(max(high, up.low)))
        for t, low, high in line.spans
        if across.stands(t) and math.isfinite(low) and math.isfinite(high)
    ]
    if len(edges) < 2:
        return "".join(f'<path class="edge {line.style}" d="M{x:.1f} {low:.1f}V{high:.1f}"/>' for x, low, high in edges)
    there = "L".join(f"{x:.1f} {high:.1f}" for x, _, high in edges)
    back = "L".join(f"{x:.1f} {low:.1f}" for x, low, _ in reversed(edges))
    drawn = f'<path class="band {line.style}" d="M{there}L{back}Z"/>'
    # Where bands of several colours lie on each other, their edges tell them apart.
    edged = line.style.startswith("expert")
    return drawn + (f'<path class="line {line.style}" d="M{there}M{back}"/>' if edged else "")


def _marks(line: Series, across: Axis, up: Axis) -> str:
    if line.mark in ("none", "band"):
        return ""
    if line.mark == "dots":
        places = (f"M{across(t):.1f} {up(v):.1f}h0" for t, v in line.points if across.stands(t) and up.stands(v))
        return f'<path class="line {line.style} dots" d="{"".join(places)}"/>'
    if line.mark == "area":
        return f'<path class="area {line.style}" d="{_under(line.points, across, up)}"/>'
    drawn = path(line.points, across, up)
    style = line.style if "L" in drawn else f"{line.style} dot"
    marks = f'<path class="line {style}" d="{drawn}"/>' if drawn else ""
    if line.bound:
        return marks
    hidden = [across(t) for t, value in line.points if across.stands(t) and not up.stands(value)]
    if hidden:
        rug = "".join(f"M{x:.1f} {up.start:.0f}v-{_RUG}" for x in _apart(hidden))
        marks += f'<path class="rug {line.style}" d="{rug}"/>'
    return marks


def _apart(places: Sequence[float]) -> list[float]:
    rest: list[float] = []
    for x in places:
        if not rest or x - rest[-1] >= 2:
            rest.append(x)
    return rest


def _lowest_bound(lines: Sequence[Series]) -> list[Series]:
    """The upper bound that ends lowest, whose territory is shaded."""
    bounds = [line for line in lines if line.bound and line.points and not line.floor]
    return sorted(bounds, key=lambda line: line.points[-1][1])[:1]


def _allowed(line: Series, across: Axis, up: Axis) -> str:
    if sum(across.stands(t) and up.stands(value) for t, value in line.points) < 2:
        return ""
    return f'<path class="allowed" d="{_under(line.points, across, up)}"/>'


def _under(points: Sequence[Point], across: Axis, up: Axis) -> str:
    """The outline of what lies under the points; of a point alone, under a stroke as wide as the plot."""
    places = [(across(t), up(v)) for t, v in points if across.stands(t) and up.stands(v)]
    if not places:
        return ""
    if len(places) == 1:
        places = [(across.start, places[0][1]), (across.end, places[0][1])]
    rest = [places[0]]
    rest += [place for k, place in enumerate(places[1:], 2) if place[0] - rest[-1][0] >= 1.4 or k == len(places)]
    top = "L".join(f"{x:.1f} {y:.1f}" for x, y in rest)
    return f"M{rest[0][0]:.1f} {up.start:.1f}L{top}V{up.start:.1f}Z"


def _tags(lines: Sequence[Series], across: Axis, up: Axis, frame: Frame) -> str:
    """What the lines are called, beside their ends: moved apart, each joined to its line."""
    ends = [(_end(line, lines, up), line) for line in reversed(lines) if line.tag]
    placed = sorted(((y, line) for y, line in ends if y is not None), key=lambda pair: pair[0])
    heights = _apart_by([y for y, _ in placed], _TAG, up.end - 4, up.start + 4)
    parts, right = [], across.end
    for (y, line), at in zip(placed, heights, strict=True):
        number = line.tag.partition(" ")[0]
        if frame.right >= _WITH_NAMES:
            text = escape(formatting.shorten(line.tag, int((frame.right - 24) / _CHARACTER)))
        elif number.isdecimal():
            text = number
        else:
            continue
        parts.append(f'<path class="leader {line.style}" d="M{right + 2} {y:.1f}L{right + 14} {at:.1f}h3"/>')
        parts.append(f'<text class="tag-text" x="{right + 20}" y="{at + 4:.1f}">{text}</text>')
    return "".join(parts)


def _end(line: Series, lines: Sequence[Series], up: Axis) -> float | None:
    """Where a line ends on the value axis; of an area, which lies on the one before it, the middle of its end."""
    finite = [value for _, value in line.points if math.isfinite(value)]
    if not finite or not up.stands(finite[-1]):
        return None
    if line.mark != "area":
        return up(finite[-1])
    areas = [other for other in lines if other.mark == "area"]
    place = areas.index(line)
    return (up(finite[-1]) + up(areas[place - 1].points[-1][1] if place else 0.0)) / 2


def _apart_by(places: Sequence[float], apart: float, first: float, last: float) -> list[float]:
    """Ascending places moved as little as will part them: what is too near each other is centred where it was."""
    apart = min(apart, (last - first) / max(len(places) - 1, 1))
    clusters: list[tuple[float, int]] = []  # of places less what the ones before need: their mean, and how many
    for k, place in enumerate(places):
        mean, many = place - k * apart, 1
        while clusters and clusters[-1][0] > mean:
            before, more = clusters.pop()
            mean, many = (mean * many + before * more) / (many + more), many + more
        clusters.append((mean, many))
    room = last - apart * (len(places) - 1)
    return [
        min(max(mean, first), room) + k * apart
        for k, mean in enumerate(mean for mean, many in clusters for _ in range(many))
    ]


def _geometry(axis: Axis) -> str:
    return f"{int(axis.log)} {axis.low!r} {axis.high!r} {axis.start} {axis.end}"


def _described(panel: Panel) -> str:
    ends = ", ".join(f"{line.name} {line.final}" for line in panel.series if line.final)
    return f"{panel.title}. {panel.rest or (panel.captions[-1] if panel.captions else 'At the last round')}: {ends}"
