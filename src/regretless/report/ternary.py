"""Mixed strategies of three actions as points of a triangle: the path of averages, and best-response regions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from . import formatting, summary
from .curves import Point
from .game_wording import the
from .static_chart import Key, Picture, Still

MOST_ANSWERS = 6
"""The most shades that readers can distinguish."""

MOST_SPOKEN = 6
"""The most equilibria in the text for screen readers."""

LEAST_AREA = 1e-6
"""Of a region, when the whole triangle has area 1."""

Weights = tuple[float, float, float]
HEIGHT = math.sqrt(3) / 2
"""Of a triangle with sides of 1."""

_HEAD, _FOOT = 46, 36
_CHARACTER = 7.2


@dataclass(frozen=True, slots=True)
class Side:
    """A player of three strategies: their names, its averages after the rounds, and its final strategies.

    `answers` are the other player's strategies, with its payoff of each against each of the three.
    """

    player: str
    names: Sequence[str]
    rounds: Sequence[int]
    path: Sequence[Weights]
    ends: Sequence[Weights]
    answers: Sequence[tuple[str, Weights]]


@dataclass(frozen=True)
class Triangles(Picture):
    """A triangle for each player of three strategies."""

    sides: Sequence[Side]


@dataclass(frozen=True, slots=True)
class _Sheet:
    """The size of a drawing: `beside` triangles with this side in a row."""

    name: str
    width: int
    side: float
    beside: int
    longest: int


_SHEETS = (
    _Sheet("wide", 960, 330, 2, 16),
    _Sheet("middle", 660, 236, 2, 12),
    _Sheet("narrow", 350, 240, 1, 14),
)


def triangle(sides: Sequence[Side]) -> Still | None:
    """The triangles of the players with three strategies; None if there is none."""
    if not sides:
        return None
    whose = " and of ".join(the(one.player) for one in sides)
    title = f"Strategies of {whose} as points of a triangle"
    legend = [Key("Average strategy, from round to round", "way")] if any(len(one.path) > 1 for one in sides) else []
    many = max(len(one.ends) for one in sides) > 1
    legend.append(Key("Strategies at equilibrium" if many else "The strategy found", "first dot", mark="dots"))
    ends = "; ".join(
        f"{one.player} " + " or ".join(_shares(one, weights) for weights in one.ends[:MOST_SPOKEN]) for one in sides
    )
    notes = ["A corner is a strategy played always; the nearer to it, the more often."]
    if any(one.answers for one in sides):
        notes.append("In each shaded part the other player answers best with the strategy that is named there.")
    drawings = [_drawing(sheet, sides, f"{title}: {ends}") for sheet in _SHEETS]
    return Still("simplex", title, legend, drawings, [" ".join(notes)], picture=Triangles(sides))


def _drawing(sheet: _Sheet, sides: Sequence[Side], description: str) -> str:
    block = _HEAD + HEIGHT * sheet.side + _FOOT
    parts = []
    for k, one in enumerate(sides):
        centre = sheet.width / sheet.beside * (k % sheet.beside + 0.5)
        parts.append(_one(sheet, one, centre, block * (k // sheet.beside)))
    height = block * math.ceil(len(sides) / sheet.beside)
    return (
        f'<svg class="plot still {sheet.name}" viewBox="0 0 {sheet.width} {height:.0f}" role="img" '
        f'aria-label="{escape(description)}">{"".join(parts)}</svg>'
    )


class _Corners:
    """Positions of mixed strategies: the first two corners below, the third above."""

    def __init__(self, centre: float, top: float, side: float) -> None:
        low = top + HEIGHT * side
        self.places: tuple[Point, Point, Point] = ((centre - side / 2, low), (centre + side / 2, low), (centre, top))

    def at(self, weights: Weights) -> Point:
        """The point of a strategy."""
        total = sum(weights) or 1.0
        x, y = (sum(w * place[axis] for w, place in zip(weights, self.places, strict=True)) for axis in (0, 1))
        return x / total, y / total

    def path(self, points: Sequence[Weights]) -> str:
        """The line through some strategies."""
        return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in map(self.at, points))


def _one(sheet: _Sheet, one: Side, centre: float, top: float) -> str:
    corners = _Corners(centre, top + _HEAD, sheet.side)
    result = regions(one.answers)
    parts = [f'<path class="band expert{k}" d="{corners.path(points)}Z"/>' for k, (_, points) in enumerate(result)]
    parts.append(_grid(corners))
    parts += [_named(name, corners, points) for name, points in result]
    for name, (x, y), lift in zip(one.names, corners.places, (18, 18, -8), strict=True):
        label = escape(formatting.label(name, sheet.longest))
        parts.append(f'<text class="tick-text mid" x="{x:.1f}" y="{y + lift:.1f}">{label}</text>')
    left = centre - sheet.width / sheet.beside / 2
    player = escape(formatting.label(one.player, 24))
    parts.append(f'<text class="unit" x="{left + 2:.1f}" y="{top + 12:.1f}">{player}</text>')
    if len(one.path) > 1:
        parts.append(f'<path class="line way" d="{corners.path(one.path)}"/>')
    decades = [(t, weights) for t, weights in zip(one.rounds, one.path, strict=True) if _power_of_ten(t)]
    parts += [_dot("mark", f"After {summary.many(t, 'round')}", one, weights, corners) for t, weights in decades]
    parts += [_dot("estimate", "Found", one, weights, corners) for weights in one.ends]
    return "".join(parts)


def _grid(corners: _Corners) -> str:
    """The sides, and lines at every fifth."""
    lines: list[tuple[Weights, Weights]] = []
    for a, b in ((k / 5, 1 - k / 5) for k in range(1, 5)):
        lines += [((a, b, 0), (a, 0, b)), ((b, a, 0), (0, a, b)), ((b, 0, a), (0, b, a))]
    frame = corners.path(((1, 0, 0), (0, 1, 0), (0, 0, 1)))
    return f'<path class="grid" d="{"".join(map(corners.path, lines))}"/><path class="frame" d="{frame}Z"/>'


def _named(name: str, corners: _Corners, points: Sequence[Weights]) -> str:
    """The name of the best response in the middle of its region, if there is room."""
    label = formatting.label(name, 12)
    places = [corners.at(point) for point in points]
    x, y = (sum(place[axis] for place in places) / len(places) for axis in (0, 1))
    edges = [place[0] for place in places]
    heights = [place[1] for place in places]
    if max(edges) - min(edges) < 1.6 * len(label) * _CHARACTER or max(heights) - min(heights) < 60:
        return ""
    return f'<text class="tick mid" x="{x:.1f}" y="{y + 4:.1f}">{escape(label)}</text>'


def _dot(style: str, when: str, one: Side, weights: Weights, corners: _Corners) -> str:
    """A strategy as a dot with a tooltip."""
    x, y = corners.at(weights)
    title = escape(f"{when}: {formatting.label(_shares(one, weights), 200)}")
    size = 6 if style == "estimate" else 3.5
    return f'<g><title>{title}</title><circle class="{style}" cx="{x:.1f}" cy="{y:.1f}" r="{size}"/></g>'


def _shares(one: Side, weights: Weights) -> str:
    return ", ".join(f"{name} {formatting.share(p)}" for name, p in zip(one.names, weights, strict=True))


def _power_of_ten(t: int) -> bool:
    return t > 0 and 10 ** round(math.log10(t)) == t


def regions(answers: Sequence[tuple[str, Weights]]) -> list[tuple[str, list[Weights]]]:
    """Corners of the largest best-response regions of the triangle."""
    result = []
    for k, (name, own) in enumerate(answers):
        points: list[Weights] = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
        for j, (_, other) in enumerate(answers):
            if other == own and j < k:  # the same answer under two names
                points = []
            if j != k and points:
                points = _clipped(points, [a - b for a, b in zip(own, other, strict=True)])
        if (size := _area(points)) > LEAST_AREA:
            result.append((size, k, name, points))
    rest = sorted(result, key=lambda part: -part[0])[:MOST_ANSWERS]
    return [(name, points) for _, _, name, points in sorted(rest, key=lambda part: part[1])]


def _clipped(points: Sequence[Weights], above: Sequence[float]) -> list[Weights]:
    """The part of a polygon on which a linear function is not negative."""
    values = [sum(a * w for a, w in zip(above, point, strict=True)) for point in points]
    rest: list[Weights] = []
    for k, (point, value) in enumerate(zip(points, values, strict=True)):
        before, earlier = points[k - 1], values[k - 1]
        if (value >= 0) != (earlier >= 0):
            share = earlier / (earlier - value)
            x, y, z = (a + share * (b - a) for a, b in zip(before, point, strict=True))
            rest.append((x, y, z))
        if value >= 0:
            rest.append(point)
    return rest


def _area(points: Sequence[Weights]) -> float:
    """Twice the area in the first two coordinates."""
    return abs(sum(points[k - 1][0] * p[1] - p[0] * points[k - 1][1] for k, p in enumerate(points)))
