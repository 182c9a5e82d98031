"""How the runs ended: a bar for each range of regrets, or a dot for each run, with the bounds to their right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from . import formatting, summary
from .axes import Axis, value_axis
from .curves import Key, Picture, Series, Still
from .svg import Frame

FRAMES = (Frame("wide", 960, 250), Frame("middle", 660, 230), Frame("narrow", 350, 220, left=44))
LEAST_BINS, MOST_BINS = 8, 26
MOST_DOTS = 60
"""More runs than this are told apart by the height of a bar."""

LEAST_WIDTH = 0.2
"""What is shown beside the runs may not press them into less than this share of the axis."""

Bin = tuple[float, float, int]


@dataclass(frozen=True)
class Distribution(Picture):
    """How many runs ended in which range, where the axis ends, and what is marked on it with its style."""

    bins: Sequence[Bin]
    extent: tuple[float, float]
    marks: Sequence[tuple[float, str]]


def spread(regrets: Sequence[float], bounds: Sequence[Series]) -> Still | None:
    """The regrets of the runs at their end; None for fewer than two runs.

    Parameters
    ----------
    regrets : sequence of float
        One for each run.
    bounds : sequence of Series
        Bounds over the rounds, of which the last counts.
    """
    known = sorted(value for value in regrets if math.isfinite(value))
    if len(known) < 2:
        return None
    result = bins(known)
    ends = [(line, line.points[-1][1]) for line in bounds]
    low, high = _extent(result, [end for _, end in ends])
    shown = [(line, end) for line, end in ends if low <= end <= high]
    beyond = [_beyond(line, end, known[-1]) for line, end in ends if (line, end) not in shown]
    notes = [f"Off this chart: {'; '.join(beyond)}."] if beyond else []
    median = quantile(known, 0.5)
    legend = [
        Key("Median", "first", formatting.number(median)),
        Key("90% of the runs", "outer", formatting.between(quantile(known, 0.05), quantile(known, 0.95)), "band"),
        *(Key(line.name, line.style, formatting.number(end)) for line, end in shown),
    ]
    marks = [(median, "first"), *((end, line.style) for line, end in shown)]
    description = f"Regret of each of {summary.many(len(known), 'run')} at the end: " + ", ".join(
        f"{key.name} {key.value}" for key in legend
    )
    drawings = [_drawing(frame, result, (low, high), marks, known, description) for frame in FRAMES]
    table = [["From", "To", "Runs"], *([*map(formatting.number, edges), formatting.count(n)] for *edges, n in result)]
    title = f"Regret of each of the {formatting.count(len(known))} runs"
    picture = Distribution(result, (low, high), marks)
    return Still("spread", title, legend, drawings, notes, table, picture)


def bins(values: Sequence[float]) -> list[Bin]:
    """Ranges of equal and round width that hold all the ascending values, and how many each of them holds."""
    low, high = values[0], values[-1]
    many = min(max(round(2 * math.sqrt(len(values))), LEAST_BINS), MOST_BINS)
    width = _round_width((high - low) / many or abs(low) / 1000 or 1.0)
    first, last = math.floor(low / width), math.floor(high / width)
    counts = [0] * (last - first + 1)
    for value in values:
        counts[min(math.floor(value / width) - first, last - first)] += 1
    return [((first + k) * width, (first + k + 1) * width, held) for k, held in enumerate(counts)]


def quantile(values: Sequence[float], share: float) -> float:
    """The quantile of ascending values, between two of them read off the straight line."""
    place = share * (len(values) - 1)
    k = min(math.floor(place), len(values) - 2)
    return values[k] + (values[k + 1] - values[k]) * (place - k)


def _round_width(least: float) -> float:
    power = 10.0 ** math.floor(math.log10(least))
    return next(step * power for step in (1, 2, 5, 10, 20) if step * power >= least)


def _extent(columns: Sequence[Bin], bounds: Sequence[float]) -> tuple[float, float]:
    """The range of the axis: all runs, zero and as many bounds as leave the runs their room."""
    low, high = columns[0][0], columns[-1][1]
    inner = high - low
    for value in (0.0, *sorted(bounds)):
        wider = min(low, value), max(high, value)
        if math.isfinite(value) and inner >= LEAST_WIDTH * (wider[1] - wider[0]):
            low, high = wider
    room = 0.03 * (high - low)
    return low - room * (low < 0), high + room


def _beyond(line: Series, end: float, largest: float) -> str:
    times = f", {formatting.real(end / largest, 2)} times the largest regret" if math.inf > end > largest > 0 else ""
    return f"{line.name} at {formatting.number(end)}{times}"


def _drawing(
    frame: Frame,
    columns: Sequence[Bin],
    extent: tuple[float, float],
    marks: Sequence[tuple[float, str]],
    known: Sequence[float],
    description: str,
) -> str:
    bottom, right = frame.height - frame.bottom, frame.width - frame.right
    across = Axis(*extent, False, frame.left, right)
    tallest = max(many for *_, many in columns)
    up = value_axis([float(tallest)], [], bottom, frame.top, "count", "linear")
    dotted = len(known) <= MOST_DOTS
    parts = [_ground(frame, across, up, dotted)]
    band = [across(quantile(known, share)) for share in (0.05, 0.95)]
    parts.append(f'<path class="band outer" d="M{band[0]:.1f} {bottom}V{frame.top}H{band[1]:.1f}V{bottom}Z"/>')
    size = min(across(columns[0][1]) - across(columns[0][0]), (bottom - frame.top) / tallest, 14)
    for low, high, many in columns:
        if many:
            parts.append(_bin(across, up, (low, high, many), size if dotted else 0.0, frame))
    for value, style in marks:
        parts.append(f'<path class="line {style}" d="M{across(value):.1f} {bottom}V{frame.top}"/>')
    return (
        f'<svg class="plot still {frame.name}" viewBox="0 0 {frame.width} {frame.height}" role="img" '
        f'aria-label="{escape(description)}">{"".join(parts)}</svg>'
    )


def _bin(across: Axis, up: Axis, one: Bin, size: float, frame: Frame) -> str:
    """One range: a bar, or a stack of dots of the given size; pointed at, it says what it holds."""
    low, high, many = one
    left, right = across(low), across(high)
    text = f"<title>{formatting.between(low, high)}: {summary.many(many, 'run')}</title>"
    room, high_as = up.start - frame.top, up.start - up(many)
    hit = f'<rect class="hit" x="{left:.1f}" y="{frame.top}" width="{right - left:.1f}" height="{room:.1f}"/>'
    if size:
        middle = (left + right) / 2
        drawn = "".join(
            f'<circle cx="{middle:.1f}" cy="{up.start - (k + 0.5) * size:.1f}" r="{0.42 * size:.2f}"/>'
            for k in range(many)
        )
    else:
        width = 0.9 * (right - left) if right - left < 10 else right - left - 1
        drawn = f'<rect x="{left:.1f}" y="{up(many):.1f}" width="{width:.1f}" height="{high_as:.1f}"/>'
    return f'<g class="bin">{text}{hit}{drawn}</g>'


def _ground(frame: Frame, across: Axis, up: Axis, dotted: bool) -> str:
    """The grid, the axis of regrets and, where bars have heights to be read, that of the runs."""
    bottom, right = frame.height - frame.bottom, frame.width - frame.right
    parts = []
    for value, label in [] if dotted else up.ticks(horizontal=False):
        parts.append(f'<path class="grid" d="M{frame.left} {up(value):.1f}H{right}"/>')
        parts.append(f'<text class="tick end" x="{frame.left - 8}" y="{up(value) + 4:.1f}">{label}</text>')
    for value, label in across.ticks(horizontal=True):
        parts.append(f'<path class="stub" d="M{across(value):.1f} {bottom}v5"/>')
        parts.append(f'<text class="tick mid" x="{across(value):.1f}" y="{bottom + 19}">{label}</text>')
    if across.low < 0 < across.high:
        parts.append(f'<path class="nought" d="M{across(0.0):.1f} {bottom}V{frame.top}"/>')
    parts.append(f'<path class="base" d="M{frame.left} {bottom}H{right}"/>')
    unit = "Each dot is a run" if dotted else "Runs"
    parts.append(f'<text class="unit" x="0" y="12">{unit}</text>')
    parts.append(f'<text class="unit end" x="{right}" y="{frame.height - 6}">Regret at the end</text>')
    return "".join(parts)
