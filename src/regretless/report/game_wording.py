"""Names of strategies and players in a report on a game, and the strategies that it mentions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from . import formatting
from .games import EquilibriumRow, ExactGame, GameReport

LEAST_SHARE = 0.01
"""Strategies below this share of the likeliest one are remnants of the first rounds in an average."""

Pair = TypeVar("Pair", ExactGame, EquilibriumRow)


def worded(report: GameReport) -> GameReport:
    """The report with numbered strategies called ``row 3`` and ``column 3``, and capitalised players."""
    one, other = (f"{player[:1].upper()}{player[1:]}" for player in report.players)
    report = replace(report, players=(one, other))
    rows = {name: f"row {name}" for name in report.row_names if name.isdecimal()}
    columns = {name: f"column {name}" for name in report.column_names if name.isdecimal()}
    if not rows and not columns:
        return report
    course, exact = report.course, report.exact
    return replace(
        report,
        row_names=[rows.get(name, name) for name in report.row_names],
        column_names=[columns.get(name, name) for name in report.column_names],
        row=_renamed(report.row, rows),
        column=_renamed(report.column, columns),
        exact=exact and _reworded(exact, rows, columns),
        course=replace(course, rows=_renamed(course.rows, rows), columns=_renamed(course.columns, columns)),
        equilibria=[
            replace(_reworded(one, rows, columns), exact=one.exact and _reworded(one.exact, rows, columns))
            for one in report.equilibria
        ],
    )


def _reworded(one: Pair, rows: Mapping[str, str], columns: Mapping[str, str]) -> Pair:
    return replace(one, row=_renamed(one.row, rows), column=_renamed(one.column, columns))


def _renamed(values: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {names.get(name, name): value for name, value in values.items()}


def played(strategy: Mapping[str, float], least: float = 0.0) -> list[str]:
    """The strategies with a probability above `least`, the most likely first."""
    shown = [name for name, chance in strategy.items() if math.isfinite(chance) and chance > least]
    return sorted(shown, key=lambda name: -strategy[name])


def telling(report: GameReport, strategy: Mapping[str, float]) -> list[str]:
    """The strategies to mention: averages of self-play contain remnants of its first rounds."""
    largest = max((chance for chance in strategy.values() if math.isfinite(chance)), default=0.0)
    return played(strategy, LEAST_SHARE * largest if report.course.rounds else 0.0)


def the(player: str) -> str:
    """A player's name in a sentence."""
    name = formatting.label(player, 40)
    return f"the {name.lower()}" if name.lower().endswith("player") else name
