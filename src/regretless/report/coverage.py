"""How the intervals around forecasts did: the share of misses between its bounds, and the facts beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import formatting
from .curves import Panel, Series

if TYPE_CHECKING:
    from ..ledger import IntervalLedger

STRETCH = 500  # rounds in a row of which the ledger counts the worst
ROOM = 4  # an axis that reaches so many times the share asked for leaves the rest of a bound out


@dataclass(frozen=True, slots=True)
class IntervalCourse:
    """The intervals of a run.

    Parameters
    ----------
    ledger : IntervalLedger
    rounds : sequence of int
        When the next two were noted.
    shares, bounds : sequence of float
        The share of misses so far, and how far it could be from the one asked for.
    radii : sequence of float
        Half the widths around the last forecasts that had an outcome: below 0 of one that holds nothing.
    """

    ledger: IntervalLedger
    rounds: Sequence[int]
    shares: Sequence[float]
    bounds: Sequence[float]
    radii: Sequence[float]


def coverage_panel(course: IntervalCourse) -> Panel | None:
    """The share of misses over the rounds; None without any."""
    if not course.rounds:
        return None
    alpha, points = course.ledger.alpha, list(zip(map(float, course.rounds), course.shares, strict=True))
    top = min(1.0, max(ROOM * alpha, *course.shares))
    spans = [
        (t, max(0.0, alpha - bound), min(top, alpha + bound))
        for (t, _), bound in zip(points, course.bounds, strict=True)
    ]
    last = course.bounds[-1]
    final = formatting.between(max(0.0, alpha - last), min(1.0, alpha + last))
    lines = [
        Series("Misses", "first", points, final=formatting.number(points[-1][1])),
        Series("Asked for", "bound1", [(t, alpha) for t, _ in points], final=formatting.number(alpha)),
        Series("Where they must be", "outer", (), final=final, mark="band", spans=spans),
    ]
    note = (
        "Shaded is where the share of misses must be on any sequence. It is one of the rounds: it is not promised for "
        "each kind of round, so it says nothing without the width of the intervals and the worst stretch."
    )
    return Panel("coverage", "Misses of the intervals", "Share of the rounds so far", "share", lines, [note], "linear")


def interval_facts(course: IntervalCourse) -> list[tuple[str, str]]:
    """The ledger in words; there must be rounds."""
    ledger = course.ledger
    worst, width, score = min(ledger.rounds, STRETCH), ledger.mean_width, ledger.mean_winkler
    inside = ledger.rounds - ledger.misses
    return [
        ("Share asked for", formatting.percent(1 - ledger.alpha)),
        ("Outcomes inside", f"{formatting.number(inside)} of {formatting.number(ledger.rounds)}"),
        ("Mean width", "–" if width is None else formatting.number(width)),
        ("Winkler score a round", "–" if score is None else formatting.number(score)),
        ("The whole line", formatting.number(ledger.infinite)),
        ("Nothing", formatting.number(ledger.empty)),
        (f"Misses in the worst {formatting.number(worst)} rounds", formatting.number(ledger.worst)),
    ]
