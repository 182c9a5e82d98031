"""The report on a solved zero-sum game, as a page: its sentences, cards and tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR
from typing import TYPE_CHECKING, Any

from . import formatting, game_charts, summary, template
from .formatting import above, valued
from .games import GameReport, Side, fractions_of, the, verdict_on
from .page import Page
from .summary import Card, Verdict

if TYPE_CHECKING:
    from ..certificate import Certificate


SOURCE_NAMES = {**template.SOURCE_NAMES, "range": "Range", "format": "Format"}
SIZES = {"rows": "Rows", "columns": "Columns", "numbers": "Numbers"}
_SEQUENCES = {**SIZES, "rows": "Sequences of the first player", "columns": "Sequences of the second"}
_METHOD = {"note": "How it ended", "iterations": "Iterations", "seconds": "Seconds"}
MOST_ROWS = 30
MOST_SETS = 30

_CERTIFIED = (
    "A certificate sets a theorem’s number beside what was computed afresh from the strategies found. A sure bound "
    "holds for every game: were it exceeded, the program would be at fault, not chance."
)


def page_of_game(report: GameReport) -> Page:
    """A solved zero-sum game.

    Parameters
    ----------
    report : GameReport

    Returns
    -------
    Page
    """
    solution = report.solution
    panels = game_charts.panels(report)
    result: dict[str, object] = {"note": solution.note} if solution.note else {}
    result |= {"iterations": solution.iterations, "seconds": formatting.real(solution.seconds, 3)}
    size = {"rows": len(solution.rows), "columns": len(solution.columns), "numbers": solution.quantity}
    names = {**SOURCE_NAMES, **(_SEQUENCES if report.in_turns else SIZES)}
    return Page(
        title=report.title,
        lead=lead(report),
        verdict=verdict(report),
        cards=_cards(report),
        course="Self-play, round by round" if panels else "The game",
        nothing="",
        tight=True,
        certified=_CERTIFIED,
        strategies=strategy_tables(report),
        behaviour=behaviour_tables(report),
        panels=panels,
        stills=game_charts.stills(report),
        certificates=solution.certificates,
        tables=[
            ("Method", [("Name", solution.method), *template.facts(result, _METHOD)]),
            ("Game", template.facts({**report.source, **size}, names)),
        ],
    )


def lead(report: GameReport) -> str:
    """The game and its solution in a few sentences."""
    solution = report.solution
    one, other = (the(side.player) for side in report.sides)
    value = valued(solution.value, solution.gap)
    lower = valued(solution.lower, solution.gap, ROUND_FLOOR)
    upper = valued(solution.upper, solution.gap, ROUND_CEILING)
    exact = formatting.fraction_text(solution.exact.value) if solution.exact is not None else ""
    exactly = f", exactly {formatting.label(exact, 60)}" if "/" in exact else ""
    begin, end = _with(report), _using(report)
    if solution.losses:
        text = f"The game costs {one} {value} on average{exactly}. {begin} {one} loses at most {upper}, "
        text += f"whatever {other} does; {other}{end} wins at least {lower}."
    else:
        text = f"The game is worth {value} to {one}{exactly}. {begin} {one} wins at least {lower} on average, "
        text += f"whatever {other} does; {other}{end} never pays more than {upper} on average."
    return f"{text} This was interrupted: {solution.stopped}." if solution.stopped else text


def _with(report: GameReport) -> str:
    """The first player's strategy as the beginning of a sentence."""
    how = "" if report.in_turns else _how(report.sides[0], "row")
    return f"Playing {how}," if how else "By its plan"


def _using(report: GameReport) -> str:
    """The second player's strategy within a sentence."""
    how = "" if report.in_turns else _how(report.sides[1], "column")
    return f", with {how}," if how else ""


def _how(side: Side, noun: str) -> str:
    """The support of a player's strategy in words."""
    if not side.main:
        return ""
    if len(side.main) == 1:
        return f"{formatting.label(side.main[0], 40)} alone"
    return f"{_mostly(side)}{len(side.main)} of {summary.many(len(side.names), noun)}"


def _mostly(side: Side) -> str:
    return "mostly " if len(side.main) < len(side.played) else ""


def verdict(report: GameReport) -> Verdict:
    """Whether the strategies are within the tolerance of an equilibrium; a broken theorem comes first."""
    solution = report.solution
    result = summary.verdict(solution.certificates)
    if result.state == "broken":
        return result
    detail = result.detail if solution.certificates else ""
    return verdict_on(solution.gap, detail, report.tolerance, bool(solution.stopped))


@dataclass(frozen=True)
class _Certified:
    """Certificates and quantity of the last card."""

    certificates: Sequence[Certificate]
    quantity: str


def _cards(report: GameReport) -> list[Card]:
    solution, (row, column) = report.solution, report.sides
    quantities = [one.quantity for one in solution.certificates if one.applies]
    asked = f"{formatting.real(report.tolerance, 3)} asked for, " if report.tolerance is not None else ""
    speed = f"in {formatting.real(solution.seconds, 3)} s"
    nouns = ("sequences", "sequences") if report.in_turns else ("rows", "columns")
    return [
        Card("Value", valued(solution.value, solution.gap), solution.quantity),
        Card("Duality gap", above(solution.gap), f"{asked}{speed}"),
        Card(formatting.label(row.player, 20), *_used(row, nouns[0])),
        Card(formatting.label(column.player, 20), *_used(column, nouns[1])),
        summary.bound_card(_Certified(solution.certificates, quantities[0] if quantities else "the gap")),
    ]


def _used(side: Side, nouns: str) -> tuple[str, str]:
    """The size of a support, and its unit."""
    return f"{len(side.main)} of {formatting.number(len(side.names))}", f"{nouns} are {_mostly(side)}played"


def strategy_tables(report: GameReport) -> list[dict[str, Any]]:
    """The strategies that are played by each player, the likeliest first."""
    if report.in_turns:
        return []
    exact, word = report.solution.exact, "Loses" if report.solution.losses else "Earns"
    fractions = (exact.row, exact.column) if exact is not None else (None, None)
    result = []
    for side, own, earned in zip(report.sides, fractions, _earned(report), strict=True):
        known: dict[str, Mapping[str, str]] = {}
        shown = side.main[:MOST_ROWS]
        if earned:
            known[word] = dict(zip(shown, formatting.aligned([earned[name] for name in shown]), strict=True))
        if own is not None:
            texts = fractions_of(side.names, own)
            known["Exactly"] = {name: formatting.label(text, 40) for name, text in texts.items()}
        if shown:
            result.append(_strategy_table(side, shown, known))
    return result


def _strategy_table(side: Side, shown: Sequence[str], known: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    largest = side.shares[shown[0]]
    rows = [
        {
            "name": formatting.label(name, 44),
            "full": formatting.label(name, 1000),
            "cells": [*(column.get(name, "–") for column in known.values()), formatting.share(side.shares[name])],
            "width": round(100 * side.shares[name] / largest, 2),
        }
        for name in shown
    ]
    return {
        "title": side.player,
        "columns": ["Strategy", *known, "Probability"],
        "known": len(known) > 1,
        "rows": rows,
        "left": _left(side, len(shown)),
    }


def _left(side: Side, shown: int) -> str:
    """A sentence on the strategies that are not in the table."""
    parts = []
    rest, idle = side.played[shown:], len(side.names) - len(side.played)
    if rest:
        share = formatting.share(math.fsum(side.shares[name] for name in rest))
        many_more = "one strategy" if len(rest) == 1 else f"{formatting.number(len(rest))} strategies"
        parts.append(f"{many_more} played less {'has' if len(rest) == 1 else 'have'} {share} together")
    if idle:
        parts.append(f"{formatting.number(idle)} more {'is' if idle == 1 else 'are'} never played")
    return "; ".join(parts) + "." if parts else ""


def _earned(report: GameReport) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """The payoff of each strategy against the other player's strategy; empty if payoffs are unknown."""
    if not report.payoffs:
        return {}, {}
    row, column = report.sides
    p, q = ([side.shares.get(name, 0.0) for name in side.names] for side in report.sides)
    rows = {name: _product(line, q) for name, line in zip(row.names, report.payoffs, strict=True)}
    columns = zip(column.names, zip(*report.payoffs, strict=True), strict=True)
    return rows, {name: _product(line, p) for name, line in columns}


def _product(line: Sequence[float], chances: Sequence[float]) -> float:
    return math.fsum(value * chance for value, chance in zip(line, chances, strict=True))


def behaviour_tables(report: GameReport) -> list[dict[str, Any]]:
    """Each player's behaviour at its information sets, the most frequent ones first."""
    result = []
    for player, side in enumerate(report.sides):
        own = [one for one in report.behaviour or () if one.player == player]
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
            result.append({"title": side.player, "columns": columns, "known": False, "rows": rows, "left": text})
    return result
