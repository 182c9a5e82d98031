"""The reports on a learner against an environment, and on several of them over several numbers of rounds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from . import formatting, summary, template
from .axes import Format
from .curves import OFF_THE_CHART, Panel, Series, shown, thin
from .page import Page
from .summary import Card, Verdict, bare, many

if TYPE_CHECKING:
    from ..certificate import Certificate


class ShownLowerBound(Protocol):
    """What an environment forces at least, as the page reads it."""

    @property
    def title(self) -> str: ...
    @property
    def quantity(self) -> str: ...
    @property
    def least(self) -> float: ...
    @property
    def source(self) -> str: ...
    @property
    def kind(self) -> str: ...


class ShownCheckedLowerBound(Protocol):
    """A lower bound beside what was observed."""

    @property
    def lower_bound(self) -> ShownLowerBound: ...
    @property
    def observed(self) -> float | None: ...
    @property
    def holds(self) -> bool: ...
    @property
    def violated(self) -> bool: ...


class Point(Protocol):
    """How things stood after some rounds, as means over the runs."""

    @property
    def rounds(self) -> int: ...
    @property
    def count(self) -> float: ...
    @property
    def best(self) -> float | None: ...


class ShownPlay(Protocol):
    """The result of a play, as the page reads it; `counts` is "mistakes" or "loss"."""

    @property
    def learner(self) -> Any: ...
    @property
    def rounds(self) -> int: ...
    @property
    def runs(self) -> int: ...
    @property
    def counts(self) -> str: ...
    @property
    def curve(self) -> Sequence[Point]: ...
    @property
    def lower_bounds(self) -> Sequence[ShownCheckedLowerBound]: ...
    @property
    def certificates(self) -> Sequence[Certificate]: ...
    @property
    def seconds(self) -> float: ...
    def lower_bounds_at(self, rounds: int) -> Sequence[ShownLowerBound]: ...


@dataclass(frozen=True, slots=True)
class PlayReport:
    """A learner's play against an environment, ready to be shown.

    Parameters
    ----------
    play : ShownPlay
    environment : str
        The environment's name.
    parameters, settings : mapping
        Of the learner, and of the environment.
    interrupted : str
        What was left out if somebody wished to stop; empty if nothing was.
    """

    play: ShownPlay
    environment: str
    parameters: Mapping[str, object]
    settings: Mapping[str, object]
    interrupted: str = ""


def page_of_play(report: PlayReport) -> Page:
    """A learner against an environment."""
    play, name = report.play, report.play.learner.name
    broken = [one.lower_bound.title for one in play.lower_bounds if one.violated]
    detail = f"{', '.join(broken)}: this is a fault of the program. Please report it."
    verdict = Verdict("broken", "What is sure to be forced was not", detail) if broken else None
    return Page(
        title=f"{name} against {report.environment}",
        lead=_lead(report),
        cards=_cards(play),
        course="The play, round by round",
        estimates=_forced(play),
        panels=[_panel(play)],
        certificates=play.certificates,
        verdict=verdict or summary.verdict(play.certificates),
        whole=_whole(play),
        tables=[
            ("Learner", [("Name", name), *template.facts(report.parameters, {})]),
            ("Environment", [("Name", report.environment), *template.facts(report.settings, {})]),
        ],
    )


def _whole(play: ShownPlay) -> bool:
    return play.counts == "mistakes" and play.runs == 1


def _lead(report: PlayReport) -> str:
    play, end = report.play, report.play.curve[-1]
    among = "" if play.runs == 1 else f"{many(play.runs, 'run')} of "
    mean = "" if play.runs == 1 else " on average"
    text = f"In {among}{many(play.rounds, 'round')} against {report.environment} the learner"
    if play.counts == "mistakes":
        made = formatting.number(end.count)
        text += f" made {made} mistake{'' if end.count == 1 else 's'}{mean}"
    else:
        text += f" lost {formatting.number(end.count)}{mean}"
    if end.best is not None:
        verb = "made" if play.counts == "mistakes" else "lost"
        text += f"; the best in hindsight {verb} {formatting.number(end.best)}"
    return f"{text}. This was interrupted {report.interrupted}." if report.interrupted else f"{text}."


def _cards(play: ShownPlay) -> list[Card]:
    count, best = play.curve[-1].count, play.curve[-1].best
    cards = [Card("Rounds", formatting.number(play.rounds), f"in {formatting.real(play.seconds, 3)} s")]
    if play.runs > 1:
        cards.append(Card("Runs", formatting.number(play.runs)))
    share = formatting.percent(count / play.rounds) if play.counts == "mistakes" else ""
    cards.append(Card(play.counts.capitalize(), formatting.number(count), f"{share} of all" if share else ""))
    if best is not None:
        cards += [Card("Best in hindsight", formatting.number(best)), Card("Regret", formatting.number(count - best))]
    return cards


def _forced(play: ShownPlay) -> dict[str, Any] | None:
    if not play.lower_bounds:
        return None
    rows = [
        {
            "name": one.lower_bound.title,
            "note": one.lower_bound.source,
            "cells": [
                one.lower_bound.quantity,
                "–" if one.observed is None else formatting.number(one.observed),
                _least(one),
            ],
        }
        for one in play.lower_bounds
    ]
    note = "What the environment was sure to force upon this learner; what is expected is about the mean of many runs."
    return {
        "title": "Forced at least",
        "note": note,
        "columns": ["Promise", "Quantity", "Observed", "At least"],
        "rows": rows,
    }


def _least(one: ShownCheckedLowerBound) -> str:
    expected = " expected" if one.lower_bound.kind == "expected" else ""
    return f"{formatting.number(one.lower_bound.least)}{expected}{'' if one.holds else ', and it was less'}"


def _panel(play: ShownPlay) -> Panel:
    counts = [(float(point.rounds), point.count) for point in play.curve]
    best = [(float(point.rounds), point.best) for point in play.curve if point.best is not None]
    format: Format = "count" if _whole(play) else "real"
    lines = [Series(play.counts.capitalize(), "first", thin(counts), final=shown(counts[-1][1], format))]
    if best:
        lines.append(Series("Best in hindsight", "second", thin(best), final=shown(best[-1][1], format)))
    lines += _levels(play, counts[0][0], counts[-1])
    name = play.counts.capitalize()
    return Panel("counts", name, name, format, lines, [])


def _levels(play: ShownPlay, first: float, last: tuple[float, float]) -> list[Series]:
    """The tightest bound on what is counted, and what was forced of it at least, as lines across the chart."""
    bounds = [
        (one.bound, one.theorem.title)
        for one in play.certificates
        if one.applies and one.bound is not None and math.isfinite(one.bound) and bare(one.quantity) == play.counts
    ]
    levels = []
    if bounds:
        bound, title = min(bounds)
        levels.append(_level(title, bound, first, last))
    floors = [one.lower_bound for one in play.lower_bounds if one.lower_bound.quantity == play.counts]
    if floors:
        levels.append(_floor(play, max(floors, key=lambda one: one.least), last))
    return levels


def _floor(play: ShownPlay, bound: ShownLowerBound, last: tuple[float, float]) -> Series:
    """What was forced at least, as it grows with the rounds; a point at the end if no more is known."""
    each = [(float(point.rounds), one) for point in play.curve for one in play.lower_bounds_at(point.rounds)]
    alike = [(t, one.least) for t, one in each if (one.title, one.quantity) == (bound.title, bound.quantity)]
    course = alike or [(last[0], bound.least)]
    name, final = formatting.label(f"{bound.title}, at least"), formatting.number(bound.least)
    mark: Literal["line", "dots"] = "line" if len(course) > 1 else "dots"
    return Series(name, "bound1", thin(course), bound=True, floor=True, final=final, mark=mark)


def _level(name: str, value: float, first: float, last: tuple[float, float]) -> Series:
    """A bound on a count that never falls: what holds at the end does so before."""
    drawn = value <= max(last[1], 1.0) * OFF_THE_CHART
    points = [(first, value), (last[0], value)]
    return Series(formatting.label(name), "bound0", points, bound=True, drawn=drawn, final=formatting.number(value))


HUES = (("expert0", "bound0"), ("expert1", "bound2"), ("expert2", "bound3"), ("expert3", "bound1"))
"""The styles of a learner and of its bound: of one colour, or nearly."""


@dataclass(frozen=True, slots=True)
class SweptPoint:
    """One learner after so many rounds.

    Attributes
    ----------
    rounds : int
    observed : float
        Regret or mistakes, as a mean over the runs.
    bound : float or None
        The least bound on it that applies; None if none does.
    theorem : str
        Its title; empty without one.
    """

    rounds: int
    observed: float
    bound: float | None
    theorem: str


@dataclass(frozen=True, slots=True)
class SweepReport:
    """Several learners against one environment.

    Attributes
    ----------
    environment, quantity : str
        "regret" or "mistakes".
    runs : int
    learners : sequence of (str, sequence of SweptPoint)
        Each by its name, with a point for each number of rounds.
    """

    environment: str
    quantity: str
    runs: int
    learners: Sequence[tuple[str, Sequence[SweptPoint]]]


def page_of_sweep(report: SweepReport) -> Page:
    """All learners in one picture, and the numbers below it."""
    names = " and ".join(name for name, _ in report.learners)
    each = "" if report.runs == 1 else f", the mean of {many(report.runs, 'run')}"
    return Page(
        title=f"{names} against {report.environment}",
        lead=f"Each point is a play of its own, of as many rounds{each}. The dashed lines are what theorems allow.",
        cards=[Card(f"{report.quantity.capitalize()} of {name}", *_last(points)) for name, points in report.learners],
        course=f"{report.quantity.capitalize()} by the number of rounds",
        panels=[_swept_panel(report)],
        certificates=None,
        tables=[
            (name, [(f"After {point.rounds:,}", _bounded(point)) for point in points])
            for name, points in report.learners
        ],
    )


def _last(points: Sequence[SweptPoint]) -> tuple[str, str]:
    """The number of the longest play, and after how many rounds that was."""
    return formatting.number(points[-1].observed), f"after {many(points[-1].rounds, 'round')}"


def _bounded(point: SweptPoint) -> str:
    observed = formatting.number(point.observed)
    return observed if point.bound is None else f"{observed}, at most {formatting.number(point.bound)}: {point.theorem}"


def _swept_panel(report: SweepReport) -> Panel:
    highest = max((point.observed for _, points in report.learners for point in points), default=0.0)
    lines = []
    for k, (name, points) in enumerate(report.learners):
        observed = [(float(point.rounds), point.observed) for point in points]
        final = formatting.number(points[-1].observed)
        lines.append(Series(formatting.label(name), HUES[k][0], observed, final=final))
    for k, (name, points) in enumerate(report.learners):
        bounds = [(float(point.rounds), point.bound) for point in points if point.bound is not None]
        bounds = [(rounds, bound) for rounds, bound in bounds if math.isfinite(bound)]
        if bounds:
            drawn = bounds[-1][1] <= max(highest, 1.0) * OFF_THE_CHART
            label, final = formatting.label(f"Bound of {name}"), formatting.number(bounds[-1][1])
            lines.append(Series(label, HUES[k][1], bounds, bound=True, final=final, drawn=drawn))
    unit = report.quantity.capitalize()
    return Panel("regret", f"{unit} and bounds", unit, "real", lines, [], rest="After the last number of rounds")
