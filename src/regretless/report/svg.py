"""Charts as SVG text: paths, ticks and grid lines, styled by the page's classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from .axes import Axis, round_axis, value_axis
from .charts import Panel, Point, Series

_RUG = 6  # length in pixels of the ticks that mark what a log axis cannot show


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


FRAMES = {
    "counts": (Frame("wide", 960, 400), Frame("middle", 660, 340), Frame("narrow", 350, 290, left=58)),
    "rates": (Frame("wide", 960, 250), Frame("middle", 660, 230), Frame("narrow", 350, 220, left=58)),
}


def drawing(panel: Panel, frame: Frame) -> str:
    """One chart at one size."""
    across, up = axes(panel, frame)
    drawn = [line for line in panel.series if line.drawn]
    parts = [_grid(across, up, frame, panel)]
    parts += [_allowed(line, across, up) for line in _lowest_bound(drawn)]
    parts += [_marks(line, across, up) for line in reversed(drawn)]
    geometry = f'data-x="{_geometry(across)}" data-y="{_geometry(up)}"'
    return (
        f'<svg class="plot {frame.name}" viewBox="0 0 {frame.width} {frame.height}" role="img" tabindex="0" '
        f'aria-label="{escape(_spoken(panel))}" {geometry}>{"".join(parts)}<g class="pointer"></g></svg>'
    )


def axes(panel: Panel, frame: Frame) -> tuple[Axis, Axis]:
    """The axes that hold every line of the chart."""
    observed = [value for line in panel.series if not line.bound for _, value in line.points]
    bounds = [value for line in panel.series if line.bound and line.drawn for _, value in line.points]
    bottom, right = frame.height - frame.bottom, frame.width - frame.right
    across = round_axis(panel.rounds, frame.left, right)
    return across, value_axis(observed, bounds, bottom, frame.top, panel.format)


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
    for value, label in up.ticks(horizontal=False, percent=panel.format == "percent"):
        y = up(value)
        parts.append(f'<path class="grid" d="M{frame.left} {y:.1f}H{right}"/>')
        parts.append(f'<text class="tick end" x="{frame.left - 8}" y="{y + 4:.1f}">{label}</text>')
    for value, label in across.ticks(horizontal=True):
        x = across(value)
        parts.append(f'<path class="stub" d="M{x:.1f} {bottom}v5"/>')
        parts.append(f'<text class="tick mid" x="{x:.1f}" y="{bottom + 19}">{label}</text>')
    base = up(0.0) if not up.log and up.low < 0 else bottom
    parts.append(f'<path class="base" d="M{frame.left} {base:.1f}H{right}"/>')
    unit = escape(panel.unit) + (", log scale" if up.log else "")
    rounds = "Rounds, log scale" if across.log else "Rounds"
    parts.append(f'<text class="unit" x="0" y="12">{unit}</text>')
    parts.append(f'<text class="unit end" x="{right}" y="{frame.height - 6}">{rounds}</text>')
    return "".join(parts)


def _marks(line: Series, across: Axis, up: Axis) -> str:
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
    kept: list[float] = []
    for x in places:
        if not kept or x - kept[-1] >= 2:
            kept.append(x)
    return kept


def _lowest_bound(lines: Sequence[Series]) -> list[Series]:
    """The bound that ends lowest, whose territory is shaded."""
    bounds = [line for line in lines if line.bound and line.points]
    return sorted(bounds, key=lambda line: line.points[-1][1])[:1]


def _allowed(line: Series, across: Axis, up: Axis) -> str:
    points = [(across(t), up(v)) for t, v in line.points if across.stands(t) and up.stands(v)]
    if len(points) < 2:
        return ""
    top = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return f'<path class="allowed" d="M{points[0][0]:.1f} {up.start:.1f}L{top}V{up.start:.1f}Z"/>'


def _geometry(axis: Axis) -> str:
    return f"{int(axis.log)} {axis.low!r} {axis.high!r} {axis.start} {axis.end}"


def _spoken(panel: Panel) -> str:
    ends = ", ".join(f"{line.name} {line.final}" for line in panel.series if line.final)
    return f"{panel.title}. At the last round: {ends}"
