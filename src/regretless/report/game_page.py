"""The report on a solved game, as a page: its sentences, cards and tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal, localcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from . import formatting, game_charts, summary, template
from .games import EquilibriumRow, GameReport, JointRow, played, telling, the, worded
from .page import Page
from .summary import Card, Verdict

if TYPE_CHECKING:
    from ..certificate import Certificate


_SOURCE_NAMES = {**template.SOURCE_NAMES, "range": "Range", "format": "Format"}
_SIZES = {"rows": "Rows", "columns": "Columns", "numbers": "Numbers"}
_SEQUENCES = {**_SIZES, "rows": "Sequences of the first player", "columns": "Sequences of the second"}
_METHOD = {"note": "How it ended", "iterations": "Iterations", "seconds": "Seconds"}

_CERTIFIED = (
    "A certificate sets a theorem’s number beside what was computed afresh from the strategies found. A sure bound "
    "holds for every game: were it exceeded, the program would be at fault, not chance."
)


def page_of_game(report: GameReport) -> Page:
    """A solved game."""
    report = worded(report)
    panels = game_charts.panels(report)
    result: dict[str, object] = {"note": report.note} if report.note else {}
    if report.iterations is not None:
        result["iterations"] = report.iterations
    if report.seconds is not None:
        result["seconds"] = f"{formatting.real(report.seconds, 3)}"
    size = {"rows": report.rows, "columns": report.columns, "numbers": report.quantity}
    names = _SEQUENCES if report.kind == "sequence" else _SIZES
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
        equilibria=equilibrium_table(report),
        behaviour=behaviour_tables(report),
        panels=panels,
        stills=game_charts.stills(report),
        # A bimatrix game of which no theorem was asked has no certificates to speak of.
        certificates=report.certificates if report.certificates or report.kind != "bimatrix" else None,
        tables=[
            ("Method", [("Name", report.method), *template.facts(result, _METHOD)]),
            (
                "Game",
                template.facts({**report.source, **size}, {**_SOURCE_NAMES, **names}),
            ),
        ],
    )


def lead(report: GameReport) -> str:
    """The game and its solution in a few sentences."""
    text = _equilibria(report) if report.kind == "bimatrix" else _worth(report)
    return f"{text} This was interrupted: {report.interrupted}." if report.interrupted else text


def _worth(report: GameReport) -> str:
    if report.value is None or report.lower is None or report.upper is None or report.gap is None:
        return "This game has not been solved."
    one, other = map(the, report.players)
    value = valued(report.value, report.gap)
    lower, upper = valued(report.lower, report.gap, ROUND_FLOOR), valued(report.upper, report.gap, ROUND_CEILING)
    exactly = (
        f", exactly {formatting.label(report.exact.value, 60)}" if report.exact and "/" in report.exact.value else ""
    )
    if report.losses:
        text = f"The game costs {one} {value} on average{exactly}. {_with(report, 0)} {one} loses at most {upper}, "
        return text + f"whatever {other} does; {other}{_using(report, 1)} wins at least {lower}."
    text = f"The game is worth {value} to {one}{exactly}. {_with(report, 0)} {one} wins at least {lower} on average, "
    return text + f"whatever {other} does; {other}{_using(report, 1)} never pays more than {upper} on average."


def _with(report: GameReport, player: int) -> str:
    """A player's strategy as the beginning of a sentence."""
    how = _how(report, player)
    return f"Playing {how}," if how else "By its plan"


def _using(report: GameReport, player: int) -> str:
    how = _how(report, player)
    return f", with {how}," if how else ""


def _how(report: GameReport, player: int) -> str:
    """The support of a player's strategy in words."""
    strategy, many = ((report.row, report.rows), (report.column, report.columns))[player]
    names = telling(report, strategy)
    if report.kind == "sequence" or not names:
        return ""
    if len(names) == 1:
        return f"{formatting.label(names[0], 40)} alone"
    mostly = "mostly " if len(names) < len(played(strategy)) else ""
    return f"{mostly}{len(names)} of {summary.many(many, ('row', 'column')[player])}"


def _equilibria(report: GameReport) -> str:
    size = f"The game has {summary.many(report.rows, 'row')} and {summary.many(report.columns, 'column')}"
    if not report.equilibria:
        return f"{size}. " + (" ".join(map(partial(_drawn, report), report.joints)) or "No equilibrium was looked for.")
    result = len(report.equilibria)
    pure = sum(len(played(one.row)) == len(played(one.column)) == 1 for one in report.equilibria)
    many = "one Nash equilibrium" if result == 1 else f"{formatting.number(result)} Nash equilibria"
    text = f"{size}. {many[0].upper()}{many[1:]} {'was' if result == 1 else 'were'} found"
    text += f", {'it is' if result == 1 else f'{pure} of them'} pure" if pure else ""
    if report.complete is not None:
        text += f"; {_others(report)}"
    return f"{text}."


def _drawn(report: GameReport, joint: JointRow) -> str:
    """A joint distribution in a sentence."""
    one, other = map(the, report.players)
    text = f"{formatting.label(joint.title, 100)}: {one} expects {formatting.number(joint.row_payoff)}"
    return f"{text}, {other} {formatting.number(joint.column_payoff)}."


def _gain(report: GameReport) -> float | None:
    """The largest gain by deviating from the equilibria, or else from the joint distributions."""
    known = [one.gain for one in report.equilibria or report.joints if one.gain is not None]
    return max(known, default=None)


def _others(report: GameReport) -> str:
    if not report.complete:
        return "there may be others"
    return "all others are mixtures of these" if report.degenerate else "there are no others"


def verdict(report: GameReport) -> Verdict:
    """Whether the strategies are within the tolerance of an equilibrium; a broken theorem comes first."""
    result = summary.verdict(report.certificates)
    detail = result.detail if report.certificates else ""
    if result.state == "broken":
        return result
    gap = report.gap if report.kind != "bimatrix" else _gain(report)
    if gap is None:
        return Verdict("idle", "No equilibrium was asked for", detail)
    state = "idle" if report.interrupted or (report.tolerance is not None and gap > report.tolerance) else "held"
    text = "Neither player can gain more than that by deviating" if gap > 0 else "Neither player can gain by deviating"
    asked = f"; {formatting.real(report.tolerance, 3)} was asked for" if report.tolerance is not None else ""
    headline = f"Equilibrium within {above(gap)}" if gap > 0 else "Equilibrium"
    return Verdict(state, headline, f"{text}{asked}. {detail}".strip())


@dataclass(frozen=True)
class _Certified:
    """Certificates and quantity of the last card."""

    certificates: Sequence[Certificate]
    quantity: str


def _cards(report: GameReport) -> list[Card]:
    speed = f"in {formatting.real(report.seconds, 3)} s" if report.seconds is not None else ""
    if report.kind == "bimatrix":
        return _bimatrix_cards(report, speed)
    quantities = [one.quantity for one in report.certificates if one.applies]
    gap = "–" if report.gap is None else above(report.gap)
    asked = f"{formatting.real(report.tolerance, 3)} asked for" if report.tolerance is not None else ""
    noun = "sequences" if report.kind == "sequence" else "rows"
    other = "sequences" if report.kind == "sequence" else "columns"
    return [
        Card("Value", "–" if report.value is None else valued(report.value, report.gap or 0.0), report.quantity),
        Card("Duality gap", gap, ", ".join(filter(None, (asked, speed)))),
        Card(formatting.label(report.players[0], 20), *_used(report, report.row, report.rows, noun)),
        Card(formatting.label(report.players[1], 20), *_used(report, report.column, report.columns, other)),
        summary.bound_card(_Certified(report.certificates, quantities[0] if quantities else "the gap")),
    ]


def _used(report: GameReport, strategy: Mapping[str, float], many: int, what: str) -> tuple[str, str]:
    """The size of a support, and its unit."""
    names = telling(report, strategy)
    if not names:
        return formatting.number(many), what
    mostly = "mostly " if len(names) < len(played(strategy)) else ""
    return f"{len(names)} of {formatting.number(many)}", f"{what} are {mostly}played"


def _bimatrix_cards(report: GameReport, speed: str) -> list[Card]:
    known = report.equilibria
    expected = [(one.row_payoff, one.column_payoff) for one in known or report.joints]
    welfare, gain = max(map(sum, expected), default=None), _gain(report)
    complete = "" if report.complete is None else _others(report)
    return [
        Card(
            "Nash equilibria", formatting.number(len(known)) if known else "–", complete if known else "not looked for"
        ),
        Card("Rows", formatting.number(report.rows), formatting.label(report.players[0], 20)),
        Card("Columns", formatting.number(report.columns), formatting.label(report.players[1], 20)),
        Card("Greatest welfare", "–" if welfare is None else formatting.number(welfare), "sum of both payoffs"),
        Card(
            "Largest gain by deviating",
            "–" if gain is None else above(gain),
            ", ".join(filter(None, (f"each re-checked; {formatting.label(report.method, 40)}", speed))),
        ),
    ]


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
            [_gain_of(equilibrium)],
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


def _gain_of(one: EquilibriumRow) -> str:
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
