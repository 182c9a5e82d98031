"""Tables of the page on a game: strategies, equilibria, and behaviour at information sets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Decimal, localcontext
from typing import Any

from . import formatting
from .game_wording import played, telling
from .games import EquilibriumRow, GameReport

MOST_ROWS = 30
MOST_EQUILIBRIA = 60
MOST_SETS = 30
MOST_NAMED = 8
"""The most strategies of an equilibrium that are named, the likeliest first."""


def valued(value: float, gap: float, rounding: str = ROUND_HALF_EVEN) -> str:
    """A value with the digits that a gap leaves certain, at most ten; ends of intervals round outwards, to fifteen."""
    if not (math.isfinite(value) and 0 <= gap < math.inf):
        return formatting.number(value)
    # The first digit that the gap leaves open is still shown, for the middle is likelier than the ends.
    decimals = math.ceil(-math.log10(gap)) + 1 if gap > 0 else 15
    size = math.floor(math.log10(abs(value))) + 1 if value else 0
    most = 10 if rounding == ROUND_HALF_EVEN else 15
    values = _quantized(value, min(decimals, most - size), rounding)
    return formatting.number(values) if values == round(values) else formatting.real(values, 15)


def above(value: float, digits: int = 3) -> str:
    """A positive number rounded up, as an upper bound."""
    if not 0 < value < math.inf:
        return formatting.real(value, digits)
    return formatting.real(_quantized(value, digits - 1 - math.floor(math.log10(value)), ROUND_CEILING), digits)


def _quantized(value: float, decimals: int, rounding: str) -> float:
    with localcontext(prec=400):
        return float(Decimal(value).quantize(Decimal(1).scaleb(-decimals), rounding))


def strategy_tables(report: GameReport) -> list[dict[str, Any]]:
    """The strategies that are played by each player, the likeliest first."""
    if report.kind != "matrix":
        return []
    exact = (report.exact.row, report.exact.column) if report.exact else ({}, {})
    sides = ((report.row, report.rows, exact[0]), (report.column, report.columns, exact[1]))
    earned = _earned(report)
    result = []
    for player, (strategy, many, fractions), earns in zip(report.players, sides, earned, strict=True):
        shown = telling(report, strategy)[:MOST_ROWS]
        if table := _strategies(strategy, shown, many, fractions, earns, "Loses" if report.losses else "Earns"):
            result.append({"title": player, **table})
    return result


def _strategies(
    strategy: Mapping[str, float],
    shown: Sequence[str],
    many: int,
    exact: Mapping[str, str],
    earns: Mapping[str, float],
    word: str,
) -> dict[str, Any] | None:
    if not shown:
        return None
    known: dict[str, Mapping[str, str]] = {}
    if earns:
        known[word] = dict(zip(shown, formatting.aligned([earns[name] for name in shown]), strict=True))
    if exact:
        known["Exactly"] = {name: formatting.label(text, 40) for name, text in exact.items()}
    largest = strategy[shown[0]]
    rows = [
        {
            "name": formatting.label(name, 44),
            "full": formatting.label(name, 1000),
            "cells": [*(column.get(name, "–") for column in known.values()), formatting.share(strategy[name])],
            "width": round(100 * strategy[name] / largest, 2),
        }
        for name in shown
    ]
    return {
        "columns": ["Strategy", *known, "Probability"],
        "known": len(known) > 1,
        "rows": rows,
        "left": _left(strategy, played(strategy)[len(shown) :], many - len(played(strategy))),
    }


def _left(strategy: Mapping[str, float], rest: Sequence[str], idle: int) -> str:
    """A sentence on the strategies that are not in the table."""
    parts = []
    if rest:
        share = formatting.share(math.fsum(strategy[name] for name in rest))
        many_more = "one strategy" if len(rest) == 1 else f"{formatting.number(len(rest))} strategies"
        parts.append(f"{many_more} played less {'has' if len(rest) == 1 else 'have'} {share} together")
    if idle:
        parts.append(f"{formatting.number(idle)} more {'is' if idle == 1 else 'are'} never played")
    return "; ".join(parts) + "." if parts else ""


def _earned(report: GameReport) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """The payoff of each strategy against the other player's strategy; empty if payoffs are unknown."""
    if not report.payoffs:
        return {}, {}
    p = [report.row.get(name, 0.0) for name in report.row_names]
    q = [report.column.get(name, 0.0) for name in report.column_names]
    rows = {name: _product(line, q) for name, line in zip(report.row_names, report.payoffs, strict=True)}
    columns = zip(report.column_names, zip(*report.payoffs, strict=True), strict=True)
    return rows, {name: _product(line, p) for name, line in columns}


def _product(line: Sequence[float], chances: Sequence[float]) -> float:
    return math.fsum(value * chance for value, chance in zip(line, chances, strict=True))


def equilibrium_table(report: GameReport) -> dict[str, Any] | None:
    """A row for each equilibrium."""
    known = report.equilibria[:MOST_EQUILIBRIA]
    if not known:
        return None
    one, other = (formatting.label(player, 30) for player in report.players)
    payoffs = [formatting.aligned([equilibrium.row_payoff for equilibrium in known])]
    payoffs.append(formatting.aligned([equilibrium.column_payoff for equilibrium in known]))
    rows = [
        [
            [str(place)],
            *_mixes(equilibrium),
            [row_payoff],
            [column_payoff],
            [_gain(equilibrium)],
            [equilibrium.note or "–"],
        ]
        for place, (equilibrium, row_payoff, column_payoff) in enumerate(zip(known, *payoffs, strict=True), 1)
    ]
    left = len(report.equilibria) - len(known)
    return {
        "note": "At an equilibrium neither player gains by deviating alone. Each was verified afresh.",
        "columns": ["", one, other, f"{one} expects", f"{other} expects", "Gain by deviating", "Note"],
        "rows": rows,
        "left": f"{formatting.number(left)} more are not shown." if left else "",
    }


def _mixes(one: EquilibriumRow) -> list[list[str]]:
    """Both strategies: a line for each name, with its probability as a fraction where that is known."""
    exact = (one.exact.row, one.exact.column) if one.exact else ({}, {})
    return [_lines(strategy, fractions) for strategy, fractions in zip((one.row, one.column), exact, strict=True)]


def _lines(strategy: Mapping[str, float], exact: Mapping[str, str]) -> list[str]:
    names = played(strategy)
    if len(names) == 1:
        return [formatting.label(names[0], 40)]
    details = {
        name: formatting.label(exact[name], 24) if name in exact else formatting.share(strategy[name]) for name in names
    }
    lines = [f"{formatting.label(name, 40)}: {details[name]}" for name in names[:MOST_NAMED]]
    return lines + ([f"and {len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else [])


def _gain(one: EquilibriumRow) -> str:
    return "0" if one.gain <= 0 else above(one.gain, 2)


def behaviour_tables(report: GameReport) -> list[dict[str, Any]]:
    """Each player's behaviour at its information sets, the most frequent ones first."""
    result = []
    for player, name in enumerate(report.players):
        own = [one for one in report.behaviour if one.player == player]
        ranked = sorted(own, key=lambda one: -(1.0 if one.reached is None else one.reached))
        rows = [
            {
                "name": formatting.label(one.name, 44) if k == 0 else "",
                "full": formatting.label(one.name, 1000),
                "cells": [formatting.label(action, 30), formatting.share(chance)],
                "width": round(100 * chance, 2),
                "first": k == 0,
            }
            for one in ranked[:MOST_SETS]
            for k, (action, chance) in enumerate(one.actions.items())
        ]
        left = len(ranked) - MOST_SETS
        if rows:
            how = "not shown" if any(one.reached is None for one in own) else "reached more rarely"
            text = f"{formatting.number(left)} more information sets are {how}." if left > 0 else ""
            columns = ["Information set", "Action", "Probability"]
            result.append({"title": name, "columns": columns, "known": False, "rows": rows, "left": text})
    return result
