"""The report on a solved game in which both players have payoffs of their own, as a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import formatting, game_charts, summary, template
from .formatting import above
from .game_page import SIZES, SOURCE_NAMES
from .games import BimatrixReport, ShownEquilibrium, fractions_of, played, the, verdict_on
from .page import Page
from .summary import Card, Verdict

MOST_EQUILIBRIA = 60
MOST_NAMED = 8
"""The most strategies of an equilibrium that are named, the likeliest first."""


def page_of_bimatrix(report: BimatrixReport) -> Page:
    """A solved game in which both players have payoffs of their own.

    Parameters
    ----------
    report : BimatrixReport

    Returns
    -------
    Page
    """
    size = {"rows": len(report.rows), "columns": len(report.columns), "numbers": "payoffs of both players"}
    method = [("Name", _method(report))]
    if note := _note(report):
        method.append(("How it ended", formatting.label(note, 400)))
    if report.equilibria is not None:
        method.append(("Seconds", formatting.real(report.equilibria.seconds, 3)))
    return Page(
        title=report.title,
        lead=lead(report),
        verdict=verdict(report),
        cards=_cards(report),
        course="The game",
        nothing="",
        tight=True,
        certificates=None,
        equilibria=equilibrium_table(report),
        stills=game_charts.bimatrix_stills(report),
        tables=[
            ("Method", method),
            ("Game", template.facts({**report.source, **size}, {**SOURCE_NAMES, **SIZES})),
        ],
    )


def _method(report: BimatrixReport) -> str:
    """How the answer was computed, or what it is."""
    return report.kind.partition(" equilibrium")[0].lower() if report.equilibria is None else report.equilibria.method


def _note(report: BimatrixReport) -> str:
    return report.note if report.equilibria is None else report.equilibria.note


def lead(report: BimatrixReport) -> str:
    """The game and its equilibria in a few sentences."""
    size = f"The game has {summary.many(len(report.rows), 'row')} and {summary.many(len(report.columns), 'column')}"
    count = len(report.strategies)
    if not count:
        return f"{size}. {_expected(report) or 'No equilibrium was looked for.'}"
    pure = sum(one.pure for one in report.equilibria or ())
    text = f"{size}. One Nash equilibrium was found" if count == 1 else f"{size}. {count:,} Nash equilibria were found"
    text += f", {'it is' if count == 1 else f'{pure} of them'} pure" if pure else ""
    others = _others(report)
    return f"{text}; {others}." if others else f"{text}."


def _expected(report: BimatrixReport) -> str:
    """The correlated equilibrium in a sentence, if there is one."""
    if report.correlated is None:
        return ""
    one, other = map(the, report.called)
    text = f"{formatting.label(report.kind, 100)}: {one} expects {formatting.number(report.correlated.row_payoff)}"
    return f"{text}, {other} {formatting.number(report.correlated.column_payoff)}."


def _others(report: BimatrixReport) -> str:
    """Whether there are other equilibria; nothing where that is not known."""
    if report.equilibria is None or report.equilibria.complete is None:
        return ""
    if not report.equilibria.complete:
        return "there may be others"
    return "all others are mixtures of these" if report.equilibria.has_mixtures else "there are no others"


def _gain(report: BimatrixReport) -> float | None:
    """The largest gain by deviating from the equilibria, or else from the correlated one."""
    if report.strategies:
        return max(_gain_of(report, one) for one in report.equilibria or ())
    one = report.correlated
    return None if one is None else max(one.row_gain, one.column_gain)


def _gain_of(report: BimatrixReport, one: ShownEquilibrium) -> float:
    """The largest gain by deviating from one equilibrium; from an exact one nobody gains."""
    return 0.0 if _exact(report, one) else max(one.row_gain, one.column_gain)


def _exact(report: BimatrixReport, one: ShownEquilibrium) -> bool:
    """Whether the equilibrium is shown in fractions."""
    return one.exact is not None and report.equilibria is not None and report.equilibria.is_exact


def verdict(report: BimatrixReport) -> Verdict:
    """How near the strategies are to an equilibrium."""
    gain = _gain(report)
    return Verdict("idle", "No equilibrium was asked for", "") if gain is None else verdict_on(gain)


def _cards(report: BimatrixReport) -> list[Card]:
    equilibria, one, gain = report.equilibria, report.correlated, _gain(report)
    welfares = [each.row_payoff + each.column_payoff for each in equilibria or ()]
    if not welfares and one is not None:
        welfares = [one.row_payoff + one.column_payoff]
    count = len(report.strategies)
    known = (formatting.number(count), _others(report)) if count else ("–", "not looked for")
    speed = "" if equilibria is None else f", in {formatting.real(equilibria.seconds, 3)} s"
    how = f"each re-checked; {formatting.label(_method(report), 40)}{speed}"
    return [
        Card("Nash equilibria", *known),
        Card("Rows", formatting.number(len(report.rows)), formatting.label(report.called[0], 20)),
        Card("Columns", formatting.number(len(report.columns)), formatting.label(report.called[1], 20)),
        Card("Greatest welfare", formatting.number(max(welfares)) if welfares else "–", "sum of both payoffs"),
        Card("Largest gain by deviating", "–" if gain is None else above(gain), how),
    ]


def equilibrium_table(report: BimatrixReport) -> dict[str, Any] | None:
    """A row for each equilibrium."""
    known = list(report.equilibria or ())[:MOST_EQUILIBRIA]
    if not known:
        return None
    one, other = (formatting.label(player, 30) for player in report.called)
    won = formatting.aligned([each.row_payoff for each in known])
    won_too = formatting.aligned([each.column_payoff for each in known])
    notes = ["pure" if each.pure else "–" for each in known]
    rows = [
        [[str(place)], *_mixes(report, each), [row], [column], [_gain_text(report, each)], [note]]
        for place, (each, row, column, note) in enumerate(zip(known, won, won_too, notes, strict=True), 1)
    ]
    left = len(report.strategies) - len(known)
    return {
        "note": "At an equilibrium neither player gains by deviating alone. Each was verified afresh.",
        "columns": ["", one, other, f"{one} expects", f"{other} expects", "Gain by deviating", "Note"],
        "rows": rows,
        "left": f"{formatting.number(left)} more are not shown." if left else "",
    }


def _gain_text(report: BimatrixReport, one: ShownEquilibrium) -> str:
    gain = _gain_of(report, one)
    return "0" if gain <= 0 else above(gain, 2)


def _mixes(report: BimatrixReport, one: ShownEquilibrium) -> list[list[str]]:
    """Both strategies: a line for each name, with its probability as a fraction where that is known."""
    texts: Sequence[Mapping[str, str]] = ({}, {})
    if one.exact is not None and _exact(report, one):
        exact = one.exact
        texts = [fractions_of(names, own) for names, own in zip(report.names, (exact.row, exact.column), strict=True)]
    return [_lines(shares, own) for shares, own in zip(report.shares(one), texts, strict=True)]


def _lines(shares: Mapping[str, float], exact: Mapping[str, str]) -> list[str]:
    names = played(shares)
    if len(names) == 1:
        return [formatting.label(names[0], 40)]
    details = {name: formatting.label(exact.get(name, formatting.share(shares[name])), 24) for name in names}
    lines = [f"{formatting.label(name, 40)}: {details[name]}" for name in names[:MOST_NAMED]]
    return lines + ([f"and {len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else [])
