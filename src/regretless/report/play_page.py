"""The report on a play against environment, as one file that opens anywhere and asks nothing of any network."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from . import formatting, summary, template
from .axes import Format
from .certified import bare
from .curves import OFF_THE_CHART, Panel, Series, shown, thin
from .page import Page
from .summary import Card, Verdict, many

if TYPE_CHECKING:
    from ..certificate import Certificate


@dataclass(frozen=True, slots=True)
class LowerBoundPanel:
    """What the environment was sure to force at least, and what was observed.

    Of what is counted, `course` says how much it was after some numbers of rounds.
    """

    title: str
    kind: str
    quantity: str
    observed: float | None
    least: float
    holds: bool
    source: str
    course: Sequence[tuple[int, float]] = ()


@dataclass(frozen=True, slots=True)
class PlayReport:
    """A learner's play against an environment, ready to be shown.

    Parameters
    ----------
    title : str
    learner, environment : str
    parameters, settings : mapping
        Of the learner, and of environment.
    rounds, runs : int
    counts : str
        "mistakes" or "loss".
    curve : sequence of (rounds, count, best or None)
        Means over the runs.
    forced : sequence of Forced
    certificates : sequence of Certificate
    seconds : float
    interrupted : str
        What was left out if somebody wished to stop; empty if nothing was.
    """

    title: str
    learner: str
    environment: str
    parameters: Mapping[str, object]
    settings: Mapping[str, object]
    rounds: int
    runs: int
    counts: str
    curve: Sequence[tuple[int, float, float | None]]
    forced: Sequence[LowerBoundPanel]
    certificates: Sequence[Certificate]
    seconds: float
    interrupted: str = ""


def page_of_play(report: PlayReport) -> Page:
    """A learner against an environment."""
    broken = [one.title for one in report.forced if one.kind == "sure" and not one.holds]
    detail = f"{', '.join(broken)}: this is a fault of the program. Please report it."
    verdict = Verdict("broken", "What is sure to be forced was not", detail) if broken else None
    return Page(
        title=report.title,
        lead=_lead(report),
        cards=_cards(report),
        course="The play, round by round",
        estimates=_forced(report),
        panels=[_panel(report)],
        certificates=report.certificates,
        verdict=verdict or summary.verdict(report.certificates),
        whole=_whole(report),
        tables=[
            ("Learner", [("Name", report.learner), *template.facts(report.parameters, {})]),
            ("Environment", [("Name", report.environment), *template.facts(report.settings, {})]),
        ],
    )


def _whole(report: PlayReport) -> bool:
    return report.counts == "mistakes" and report.runs == 1


def _lead(report: PlayReport) -> str:
    _, count, best = report.curve[-1]
    among = "" if report.runs == 1 else f"{many(report.runs, 'run')} of "
    mean = "" if report.runs == 1 else " on average"
    text = f"In {among}{many(report.rounds, 'round')} against {report.environment} the learner"
    if report.counts == "mistakes":
        made = formatting.number(count)
        text += f" made {made} mistake{'' if count == 1 else 's'}{mean}"
    else:
        text += f" lost {formatting.number(count)}{mean}"
    if best is not None:
        text += f"; the best in hindsight {'made' if report.counts == 'mistakes' else 'lost'} {formatting.number(best)}"
    return f"{text}. This was interrupted {report.interrupted}." if report.interrupted else f"{text}."


def _cards(report: PlayReport) -> list[Card]:
    _, count, best = report.curve[-1]
    cards = [Card("Rounds", formatting.number(report.rounds), f"in {formatting.real(report.seconds, 3)} s")]
    if report.runs > 1:
        cards.append(Card("Runs", formatting.number(report.runs)))
    share = formatting.percent(count / report.rounds) if report.counts == "mistakes" else ""
    cards.append(Card(report.counts.capitalize(), formatting.number(count), f"{share} of all" if share else ""))
    if best is not None:
        cards += [Card("Best in hindsight", formatting.number(best)), Card("Regret", formatting.number(count - best))]
    return cards


def _forced(report: PlayReport) -> dict[str, Any] | None:
    if not report.forced:
        return None
    rows = [
        {
            "name": one.title,
            "note": one.source,
            "cells": [one.quantity, "–" if one.observed is None else formatting.number(one.observed), _least(one)],
        }
        for one in report.forced
    ]
    note = "What the environment was sure to force upon this learner; what is expected is about the mean of many runs."
    return {
        "title": "Forced at least",
        "note": note,
        "columns": ["Promise", "Quantity", "Observed", "At least"],
        "rows": rows,
    }


def _least(one: LowerBoundPanel) -> str:
    expected = " expected" if one.kind == "expected" else ""
    return f"{formatting.number(one.least)}{expected}{'' if one.holds else ', and it was less'}"


def _panel(report: PlayReport) -> Panel:
    counts = [(float(t), count) for t, count, _ in report.curve]
    best = [(float(t), value) for t, _, value in report.curve if value is not None]
    format: Format = "count" if _whole(report) else "real"
    lines = [Series(report.counts.capitalize(), "first", thin(counts), final=shown(counts[-1][1], format))]
    if best:
        lines.append(Series("Best in hindsight", "second", thin(best), final=shown(best[-1][1], format)))
    lines += _levels(report, counts[0][0], counts[-1])
    name = report.counts.capitalize()
    return Panel("counts", name, name, format, lines, [])


def _levels(report: PlayReport, first: float, last: tuple[float, float]) -> list[Series]:
    """The tightest bound on what is counted, and what was forced of it at least, as lines across the chart."""
    bounds = [
        (one.bound, one.theorem.title)
        for one in report.certificates
        if one.applies and one.bound is not None and math.isfinite(one.bound) and bare(one.quantity) == report.counts
    ]
    levels = []
    if bounds:
        bound, title = min(bounds)
        levels.append(_level(title, bound, first, last))
    floors = [one for one in report.forced if one.quantity == report.counts]
    if floors:
        levels.append(_floor(max(floors, key=lambda one: one.least), last))
    return levels


def _floor(forced: LowerBoundPanel, last: tuple[float, float]) -> Series:
    """What was forced at least, as it grows with the rounds; a point at the end if no more is known."""
    course = [(float(rounds), least) for rounds, least in forced.course] or [(last[0], forced.least)]
    name, final = formatting.label(f"{forced.title}, at least"), formatting.number(forced.least)
    mark: Literal["line", "dots"] = "line" if len(course) > 1 else "dots"
    return Series(name, "bound1", thin(course), bound=True, floor=True, final=final, mark=mark)


def _level(name: str, value: float, first: float, last: tuple[float, float]) -> Series:
    """A bound on a count that never falls: what holds at the end does so before."""
    drawn = value <= max(last[1], 1.0) * OFF_THE_CHART
    points = [(first, value), (last[0], value)]
    return Series(formatting.label(name), "bound0", points, bound=True, drawn=drawn, final=formatting.number(value))
