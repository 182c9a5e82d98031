"""Estimates with their intervals: a dot and a whisker for each."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Protocol

from . import formatting
from .axes import Axis
from .curves import Key, Picture, Still

Write = Callable[[float], str]


class IntervalEstimate(Protocol):
    """An estimate and the ends of its interval."""

    @property
    def value(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...


ROW = 40  # height in pixels of one estimate
STACKED = 54  # the same where its name stands above it
_BOTTOM, _TOP = 46, 10
CHARACTER = 7.2  # of an estimate as text, as wide as it may be

FAR_WIDER = 12.0
"""An interval so many times wider than the narrowest one is cut off, with arrows, so that the others can be read."""


@dataclass(frozen=True)
class Estimates(Picture):
    """Rows of name, value, interval, and whether it is the one that the others are compared with; and the axis."""

    rows: Sequence[tuple[str, float, tuple[float, float] | None, bool]]
    extent: tuple[float, float]
    unit: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """The size of one drawing: names stand left of the axis, or above their rows where `left` leaves no room."""

    name: str
    width: int
    left: int
    right: int

    @property
    def row(self) -> int:
        """Height of one estimate."""
        return ROW if self.left > 60 else STACKED


SHEETS = (Sheet("wide", 960, 220, 190), Sheet("middle", 660, 180, 170), Sheet("narrow", 350, 12, 12))


def whiskers(
    key: str,
    title: str,
    unit: str,
    estimates: Sequence[tuple[str, IntervalEstimate]],
    reference: tuple[str, IntervalEstimate] | None,
) -> Still | None:
    """The estimates beside the one that they are compared with, whose value is a line through all of them."""
    rows = [(name, one, "") for name, one in estimates] + ([(*reference, " log")] if reference else [])
    known = [(name, one, style) for name, one, style in rows if math.isfinite(one.value)]
    if not known:
        return None
    low, high = _extent([one for _, one, _ in known])
    write = writer([one for _, one, _ in known])
    notes = [f"{name}: there is no estimate." for name, one, _ in rows if not math.isfinite(one.value)]
    notes += [
        f"{name}: the interval is {write(ends[0])} to {write(ends[1])}, too wide for this chart."
        for name, one, _ in known
        if (ends := _ends(one)) and not low <= ends[0] <= ends[1] <= high
    ]
    description = f"{title}: " + "; ".join(f"{name} {in_words(one, write)}" for name, one, _ in known)
    longest = max(len(in_words(one, write)) for _, one, _ in known)
    drawings = [_drawing(_roomy(sheet, longest), known, (low, high), unit, description, write) for sheet in SHEETS]
    legend = [Key("Estimate and its interval", "first")]
    if reference and math.isfinite(reference[1].value):
        legend.append(Key(reference[0], "log", write(reference[1].value)))
    picture = Estimates([(n, one.value, _ends(one), bool(s)) for n, one, s in known], (low, high), unit)
    return Still(key, title, legend, drawings, notes, picture=picture)


def _roomy(sheet: Sheet, longest: int) -> Sheet:
    """The sheet with room for so many characters right of the axis, where estimates are written there."""
    if sheet.row == STACKED:
        return sheet
    return replace(sheet, right=max(sheet.right, 20 + math.ceil(longest * CHARACTER)))


def writer(estimates: Sequence[IntervalEstimate]) -> Write:
    """How to write these estimates: with two digits of the narrowest interval, the same decimals throughout."""
    widths = [ends[1] - ends[0] for one in estimates if (ends := _ends(one)) and ends[1] > ends[0]]
    if not widths:
        return formatting.number
    decimals = min(max(0, 1 - math.floor(math.log10(min(widths)))), 12)
    return lambda value: formatting.real(0.0) if value == 0 else f"{value:,.{decimals}f}".replace("-", "−")


def in_words(one: IntervalEstimate, write: Write) -> str:
    """An estimate and its interval in words."""
    if not math.isfinite(one.value):
        return "–"
    ends = _ends(one)
    value = write(one.value)
    return f"{value} ({write(ends[0])} to {write(ends[1])})" if ends else value


def _ends(one: IntervalEstimate) -> tuple[float, float] | None:
    return (one.low, one.high) if math.isfinite(one.low) and math.isfinite(one.high) else None


def _extent(known: Sequence[IntervalEstimate]) -> tuple[float, float]:
    """The range of the axis: every value, and every interval that is not far wider than the narrowest."""
    values = [one.value for one in known]
    intervals = [ends for one in known if (ends := _ends(one))]
    widths = [high - low for low, high in intervals if high > low]
    limit = FAR_WIDER * max(min(widths, default=0.0), max(values) - min(values))
    for low, high in intervals:
        if high - low <= limit or len(widths) == 1:
            values += [low, high]
    low, high = min(values), max(values)
    room = 0.05 * (high - low) or 0.05 * abs(low) or 1.0
    return low - room, high + room


def _drawing(
    sheet: Sheet,
    known: Sequence[tuple[str, IntervalEstimate, str]],
    extent: tuple[float, float],
    unit: str,
    description: str,
    write: Write,
) -> str:
    height = _TOP + len(known) * sheet.row + _BOTTOM
    bottom, right = height - _BOTTOM, sheet.width - sheet.right
    across = Axis(*extent, False, sheet.left, right)
    parts = []
    for value, label in across.ticks(horizontal=True):
        parts.append(f'<path class="grid" d="M{across(value):.1f} {_TOP}V{bottom}"/>')
        parts.append(f'<text class="tick mid" x="{across(value):.1f}" y="{bottom + 19}">{label}</text>')
    parts.append(f'<path class="base" d="M{sheet.left} {bottom}H{right}"/>')
    parts.append(f'<text class="unit end" x="{right}" y="{height - 6}">{escape(unit)}</text>')
    for _, one, style in known:
        if style:
            parts.append(f'<path class="line{style}" d="M{across(one.value):.1f} {_TOP}V{bottom}"/>')
    for k, (name, one, style) in enumerate(known):
        parts.append(_row(sheet, _TOP + k * sheet.row, across, name, one, style, write))
    return (
        f'<svg class="plot still {sheet.name}" viewBox="0 0 {sheet.width} {height}" role="img" '
        f'aria-label="{escape(description)}">{"".join(parts)}</svg>'
    )


def _row(sheet: Sheet, top: float, across: Axis, name: str, one: IntervalEstimate, style: str, write: Write) -> str:
    """One estimate: its name, its whisker with its dot, and its number."""
    stacked = sheet.row == STACKED
    y = top + (sheet.row - 14 if stacked else sheet.row / 2)
    value = write(one.value)
    label = escape(formatting.label(name, 30))
    if stacked:
        texts = f'<text class="tick-text" x="0" y="{y - 16:.1f}">{label}</text>'
        texts += f'<text class="tick-text end" x="{sheet.width}" y="{y - 16:.1f}">{value}</text>'
    else:
        texts = f'<text class="tick-text end" x="{sheet.left - 16}" y="{y + 4:.1f}">{label}</text>'
        number = escape(in_words(one, write))
        texts += f'<text class="tick-text" x="{sheet.width - sheet.right + 16}" y="{y + 4:.1f}">{number}</text>'
    drawn = ""
    if ends := _ends(one):
        low, high = (min(max(end, across.low), across.high) for end in ends)
        drawn = f"M{across(low):.1f} {y:.1f}H{across(high):.1f}"
        drawn += _end(across(low), y, -1 if ends[0] < low else 0) + _end(across(high), y, 1 if ends[1] > high else 0)
        drawn = f'<path class="whisker{style}" d="{drawn}"/>'
    dot = f'<circle class="estimate{style}" cx="{across(one.value):.1f}" cy="{y:.1f}" r="6"/>'
    return f"<g><title>{label}: {escape(in_words(one, write))}</title>{drawn}{dot}{texts}</g>"


def _end(x: float, y: float, beyond: int) -> str:
    """The end of a whisker: a cap, or an arrow where it goes on."""
    if beyond:
        return f"M{x - 6 * beyond:.1f} {y - 5:.1f}L{x:.1f} {y:.1f}L{x - 6 * beyond:.1f} {y + 5:.1f}"
    return f"M{x:.1f} {y - 6:.1f}v12"
