"""Curves recorded at some rounds, under their bounds, and as a table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from . import formatting
from .curves import Point, Series, absence, relation

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
