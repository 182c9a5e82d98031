"""Two pictures of a game: its matrix as shaded cells, and strategies of three actions as points of a triangle."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape

from . import formatting, summary
from .curves import Key, Picture, Point, Still
from .games import Matrix, the

Write = Callable[[float], str]

LEVELS, DEEPEST = 6, 0.5
"""How many shades there are on each side, and how much of the colour the deepest has: a number on it can be read."""

MOST_TITLED = 400
"""Of more cells none says its numbers when it is pointed at: the page would be all cells."""

_LINE = 14  # height in pixels of a line of text, so that its neighbours do not touch
_CHARACTER = 7.2  # width in pixels of a character of the names, on the safe side
_LONGEST = 13  # characters of a name


@dataclass(frozen=True)
class Cells(Picture):
    """A matrix, and with which probability each of its rows and columns is played.

    Cells above the `centre` are shaded in one colour, those below it in another. `write` is how a number reads. Those
    that both players may come to are `framed`, if wanted.
    """

    values: Matrix
    row_names: Sequence[str]
    column_names: Sequence[str]
    row: Mapping[str, float]
    column: Mapping[str, float]
    centre: float
    write: Write = formatting.number
    framed: bool = True

    @cached_property
    def reach(self) -> float:
        """How far a cell is from the centre at most."""
        apart = (abs(value - self.centre) for line in self.values for value in line)
        return max((one for one in apart if math.isfinite(one)), default=0.0)

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns."""
        return len(self.row_names), len(self.column_names)

    @property
    def support(self) -> list[tuple[int, int]]:
        """The cells that both players may come to, where they are framed."""
        rows = [i for i, name in enumerate(self.row_names) if self.row.get(name, 0) > 0] if self.framed else []
        columns = [j for j, name in enumerate(self.column_names) if self.column.get(name, 0) > 0]
        return [(i, j) for i in rows for j in columns]


def heat(key: str, title: str, cells: Cells, legend: Sequence[Key], notes: Sequence[str] = ()) -> Still:
    """The picture of the cells."""
    m, n = cells.shape
    description = f"{title}: {m} rows and {n} columns; " + ", ".join(f"{one.name} {one.value}" for one in legend)
    drawings = [_Drawing(name, width, cells).text(description) for name, width in _WIDTHS]
    return Still(key, title, legend, drawings, notes, _table(cells), cells)


_WIDTHS = (("wide", 960), ("middle", 660), ("narrow", 350))


def _table(cells: Cells) -> list[list[str]]:
    head = ["", *(formatting.label(name, 24) for name in cells.column_names)]
    rows = zip(cells.row_names, cells.values, strict=True)
    return [head, *([formatting.label(name, 24), *map(cells.write, line)] for name, line in rows)]


class _Drawing:
    """One size of the picture: names to the left and above, probabilities to the right and below."""

    def __init__(self, name: str, width: int, cells: Cells) -> None:
        m, n = cells.shape
        self.name, self.width, self.cells = name, width, cells
        self.narrow = name == "narrow"
        self.row_labels = [_short(one) for one in cells.row_names]
        self.column_labels = [_short(one) for one in cells.column_names]
        self.bars = 44 if self.narrow else 84
        self.left = _CHARACTER * min(max(map(len, self.row_labels)), 8 if self.narrow else _LONGEST) + 10
        self.across = min((width - self.left - self.bars - 12) / n, 84.0)
        self.down = min(max(self.across, 15.0 if m <= 40 else 11.0), 30.0)
        upright = max(map(len, self.column_labels)) * _CHARACTER + 6 <= self.across
        self.top = 22.0 if upright else _CHARACTER * max(map(len, self.column_labels)) + 12
        self.upright = upright
        self.bottom = self.top + m * self.down
        self.right = self.left + n * self.across
        self.height = self.bottom + (60 if cells.column else 4)

    def text(self, description: str) -> str:
        """The whole drawing."""
        parts = [self._cells(), self._supports(), self._row_names(), self._column_names(), self._bars()]
        return (
            f'<svg class="plot still heat {self.name}" viewBox="0 0 {self.width} {self.height:.0f}" role="img" '
            f'aria-label="{escape(description)}">{"".join(parts)}</svg>'
        )

    def _place(self, i: int, j: int) -> tuple[float, float]:
        return self.left + j * self.across, self.top + i * self.down

    def _cells(self) -> str:
        m, n = self.cells.shape
        if m * n <= MOST_TITLED:
            return "".join(self._titled(i, j) for i in range(m) for j in range(n))
        by_shade: dict[tuple[str, int], list[str]] = {}
        for i, line in enumerate(self.cells.values):
            for j, value in enumerate(line):
                if (shade := self._shade(value))[1]:
                    by_shade.setdefault(shade, []).append(f"M{j} {i}h1v1h-1z")
        place = f"translate({self.left:.1f} {self.top:.1f}) scale({self.across:.3f} {self.down:.3f})"
        shades = "".join(
            f'<path class="band {side}" fill-opacity="{_opacity(level)}" d="{"".join(outlines)}"/>'
            for (side, level), outlines in sorted(by_shade.items())
        )
        return f'<g transform="{place}">{shades}</g>'

    def _titled(self, i: int, j: int) -> str:
        """One cell with the title that a reader sees who points at it."""
        value, (x, y) = self.cells.values[i][j], self._place(i, j)
        side, level = self._shade(value)
        number = self.cells.write(value)
        names = (self.cells.row_names[i], self.cells.column_names[j])
        title = escape(f"{' against '.join(formatting.label(name, 40) for name in names)}: {number}")
        shape = (
            f'<rect class="band {side}" fill-opacity="{_opacity(level)}" x="{x:.1f}" y="{y:.1f}" '
            f'width="{self.across:.1f}" height="{self.down:.1f}"/>'
        )
        longest = max(len(self.cells.write(one)) for one in self.cells.values[i])
        label = ""
        if longest * _CHARACTER + 4 <= self.across and self.down >= _LINE + 2:
            middle = x + self.across / 2, y + self.down / 2 + 4
            label = f'<text class="tick-text mid" x="{middle[0]:.1f}" y="{middle[1]:.1f}">{escape(number)}</text>'
        return f"<g><title>{title}</title>{shape}{label}</g>"

    def _shade(self, value: float) -> tuple[str, int]:
        reach = self.cells.reach
        apart = abs(value - self.cells.centre)
        level = math.ceil(LEVELS * (apart / reach) - 1e-9) if reach > 0 and math.isfinite(apart) else 0
        return ("above" if value > self.cells.centre else "below"), level

    def _supports(self) -> str:
        """A frame about the matrix, and one about each cell that both players may come to."""
        size = f"h{self.across - 2:.1f}v{self.down - 2:.1f}h-{self.across - 2:.1f}z"
        places = (self._place(i, j) for i, j in self.cells.support)
        d = "".join(f"M{x + 1:.1f} {y + 1:.1f}{size}" for x, y in places)
        frame = f"M{self.left:.1f} {self.top:.1f}H{self.right:.1f}V{self.bottom:.1f}H{self.left:.1f}z"
        return f'<path class="frame" d="{frame}"/>' + (f'<path class="support" d="{d}"/>' if d else "")

    def _row_names(self) -> str:
        parts = []
        for i in self._with_room(self.cells.row_names, self.cells.row, self.down):
            label = _short(self.row_labels[i], round((self.left - 10) / _CHARACTER))
            y = self.top + (i + 0.5) * self.down + 4
            style = "tick-text" if self.cells.row.get(self.cells.row_names[i], 0) > 0 else "tick"
            parts.append(f'<text class="{style} end" x="{self.left - 6:.1f}" y="{y:.1f}">{escape(label)}</text>')
        return "".join(parts)

    def _column_names(self) -> str:
        parts = []
        for j in self._with_room(self.cells.column_names, self.cells.column, self.across):
            x, y = self.left + (j + 0.5) * self.across, self.top - 6
            played = self.cells.column.get(self.cells.column_names[j], 0) > 0
            place = f'x="{x:.1f}" y="{y:.1f}"'
            if not self.upright:
                place = f'x="{x + 4:.1f}" y="{y:.1f}" transform="rotate(-90 {x + 4:.1f} {y:.1f})"'
            style = ("tick-text" if played else "tick") + (" mid" if self.upright else "")
            parts.append(f'<text class="{style}" {place}>{escape(self.column_labels[j])}</text>')
        return "".join(parts)

    def _with_room(self, names: Sequence[str], chances: Mapping[str, float], apart: float) -> list[int]:
        """Which names have room: all of them, or the likeliest among those that are played."""
        if apart >= _LINE:
            return list(range(len(names)))
        indices: list[int] = []
        ranked = sorted(range(len(names)), key=lambda place: -chances.get(names[place], 0.0))
        for place in ranked:
            near = any(abs(place - other) * apart < _LINE for other in indices)
            if chances.get(names[place], 0.0) > 0 and not near:
                indices.append(place)
        return indices

    def _bars(self) -> str:
        """The probabilities: of rows to the right, of columns below."""
        parts = []
        most = max([*self.cells.row.values(), *self.cells.column.values()], default=0.0) or 1.0
        size = self.bars - (36 if not self.narrow else 4)
        for i, name in enumerate(self.cells.row_names):
            if (chance := self.cells.row.get(name, 0.0)) > 0:
                x, y, high = self.right + 6, self.top + i * self.down, 0.7 * self.down
                length = max(size * chance / most, 1.0)
                shape = f'x="{x:.1f}" y="{y + 0.15 * self.down:.1f}" width="{length:.1f}" height="{high:.1f}"'
                parts.append(self._bar(name, chance, shape))
                if not self.narrow and self.down >= _LINE:
                    place = f'x="{x + length + 4:.1f}" y="{y + self.down / 2 + 4:.1f}"'
                    parts.append(f'<text class="tick" {place}>{formatting.share(chance)}</text>')
        wide = self.across >= 6 * _CHARACTER
        for j, name in enumerate(self.cells.column_names):
            if (chance := self.cells.column.get(name, 0.0)) > 0:
                x, y = self.left + j * self.across, self.bottom + 6
                length = max(32 * chance / most, 1.0)
                width = 0.7 * min(self.across, 30.0)
                shape = f'x="{x + (self.across - width) / 2:.1f}" y="{y:.1f}" width="{width:.1f}" height="{length:.1f}"'
                parts.append(self._bar(name, chance, shape))
                if wide:
                    place = f'x="{x + self.across / 2:.1f}" y="{y + length + 13:.1f}"'
                    parts.append(f'<text class="tick mid" {place}>{formatting.share(chance)}</text>')
        return "".join(parts)

    @staticmethod
    def _bar(name: str, chance: float, shape: str) -> str:
        values = escape(f"{formatting.label(name, 40)}: {formatting.share(chance)}")
        return f'<g class="bin"><title>{values}</title><rect {shape}/></g>'


def _opacity(level: int) -> str:
    return f"{DEEPEST * level / LEVELS:.3f}"


def _short(name: str, most: int = _LONGEST) -> str:
    return formatting.label(name, max(most, 3))


MOST_ANSWERS = 6
"""The most shades that readers can distinguish."""

MOST_NAMED_ENDS = 6
"""The most equilibria in the text for screen readers."""

LEAST_AREA = 1e-6
"""Of a region, when the whole triangle has area 1."""

Weights = tuple[float, float, float]
HEIGHT = math.sqrt(3) / 2
"""Of a triangle with sides of 1."""

_HEAD, _FOOT = 46, 36


@dataclass(frozen=True, slots=True)
class TrianglePlayer:
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

    sides: Sequence[TrianglePlayer]


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


def triangle(sides: Sequence[TrianglePlayer]) -> Still | None:
    """The triangles of the players with three strategies; None if there is none."""
    if not sides:
        return None
    whose = " and of ".join(the(one.player) for one in sides)
    title = f"Strategies of {whose} as points of a triangle"
    legend = [Key("Average strategy, from round to round", "way")] if any(len(one.path) > 1 for one in sides) else []
    many = max(len(one.ends) for one in sides) > 1
    legend.append(Key("Strategies at equilibrium" if many else "The strategy found", "first dot", mark="dots"))
    ends = "; ".join(
        f"{one.player} " + " or ".join(_shares(one, weights) for weights in one.ends[:MOST_NAMED_ENDS]) for one in sides
    )
    notes = ["A corner is a strategy played always; the nearer to it, the more often."]
    if any(one.answers for one in sides):
        notes.append("In each shaded part the other player answers best with the strategy that is named there.")
    drawings = [_drawing(sheet, sides, f"{title}: {ends}") for sheet in _SHEETS]
    return Still("simplex", title, legend, drawings, [" ".join(notes)], picture=Triangles(sides))


def _drawing(sheet: _Sheet, sides: Sequence[TrianglePlayer], description: str) -> str:
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


def _one(sheet: _Sheet, one: TrianglePlayer, centre: float, top: float) -> str:
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


def _dot(style: str, when: str, one: TrianglePlayer, weights: Weights, corners: _Corners) -> str:
    """A strategy as a dot with a tooltip."""
    x, y = corners.at(weights)
    title = escape(f"{when}: {formatting.label(_shares(one, weights), 200)}")
    size = 6 if style == "estimate" else 3.5
    return f'<g><title>{title}</title><circle class="{style}" cx="{x:.1f}" cy="{y:.1f}" r="{size}"/></g>'


def _shares(one: TrianglePlayer, weights: Weights) -> str:
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
