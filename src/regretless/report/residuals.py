"""Forecasts beside outcomes, and how the intervals around them did."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from numbers import Integral
from typing import TYPE_CHECKING

from . import formatting
from .axes import Scale
from .curves import MOST_POINTS, Panel, Series

if TYPE_CHECKING:
    from ..ledger import IntervalLedger


Forecasts = Collection[tuple[object, "float | None", "float | None"]]
"""Time or round, prediction and outcome of the last rounds."""

STRETCHES = 200
"""Into so many a long run is divided."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Consecutive rounds as one mark: where it stands, what it is called, its rounds' forecasts and outcomes, and the
    mean radius of the intervals around these, if there are."""

    place: float
    moment: str
    caption: str
    forecasts: Sequence[float]
    outcomes: Sequence[float]
    radius: float | None = None

    @property
    def residuals(self) -> list[float]:
        """Outcomes minus forecasts."""
        return [y - f for f, y in zip(self.forecasts, self.outcomes, strict=True)]


def residual_panels(forecasts: Forecasts, rounds: int, radii: Sequence[float] = ()) -> list[Panel]:
    """Forecast and outcome over time, and their difference, at the end of so many rounds.

    `radii` are those of the intervals around the last forecasts.
    """
    stretches = _stretches(forecasts, rounds, radii)
    if not stretches:
        return []
    several = len(stretches[0].outcomes) > 1 or len(stretches[-1].outcomes) > 1
    panels = [_level_panel(stretches, several), _residual_panel(stretches, several)]
    if len(forecasts) < rounds:
        note = f"Forecasts and outcomes of the last {formatting.number(len(forecasts))} rounds were kept."
        panels = [replace(panel, notes=[*panel.notes, note]) for panel in panels]
    return panels


def _stretches(forecasts: Forecasts, rounds: int, radii: Sequence[float]) -> list[Stretch]:
    known = [
        (k, when, float(forecast), float(outcome))
        for k, (when, forecast, outcome) in enumerate(forecasts, 1)
        if forecast is not None and outcome is not None and math.isfinite(forecast) and math.isfinite(outcome)
    ]
    if not known:
        return []
    whens = [when for _, when, _, _ in known]
    counted = _are_rounds(whens, rounds)
    moments = [""] * len(known) if counted else _moments(whens)
    places = [_place(when) for when in whens] if counted else []
    if not places:
        before = max(rounds - len(forecasts), 0)
        places = [float(before + k) for k, *_ in known]
    long = -(-len(known) // STRETCHES) if len(known) > MOST_POINTS else 1
    late = len(forecasts) - len(radii)  # forecasts before the first radius
    around = [radii[k - 1 - late] if k > late else math.nan for k, *_ in known]
    cuts = [slice(k, k + long) for k in range(0, len(known), long)]
    return [replace(_stretch(places[cut], moments[cut], known[cut]), radius=_radius(around[cut])) for cut in cuts]


def _radius(radii: Sequence[float]) -> float | None:
    """The mean of those that are finite; one that holds nothing counts as 0."""
    finite = [max(radius, 0.0) for radius in radii if math.isfinite(radius)]
    return _mean(finite) if finite else None


def _stretch(
    places: Sequence[float], moments: Sequence[str], rows: Sequence[tuple[int, object, float, float]]
) -> Stretch:
    ends = [
        moment or formatting.number(place) for moment, place in ((moments[0], places[0]), (moments[-1], places[-1]))
    ]
    if len(rows) > 1:
        caption = f"{'' if moments[0] else 'Rounds '}{ends[0]} to {ends[1]}"
    else:
        caption = moments[0] or f"Round {ends[0]}"
    return Stretch(places[-1], moments[-1], caption, [row[2] for row in rows], [row[3] for row in rows])


def _are_rounds(whens: Sequence[object], rounds: int) -> bool:
    """Whether the times are the numbers of the rounds."""
    places = [int(when) for when in whens if isinstance(when, Integral)]
    if len(places) < len(whens) or places[0] < 0 or places[-1] > rounds + 1:
        return False
    return all(a < b for a, b in pairwise(places))


def _place(when: object) -> float:
    return float(when) if isinstance(when, Integral) else 0.0


def _moments(whens: Sequence[object]) -> list[str]:
    """Times as text; of points in time that are days apart, the days."""
    texts = [f"{when:.10g}" if isinstance(when, float) else formatting.label(str(when), 30) for when in whens]
    try:
        times = [datetime.fromisoformat(text) for text in texts]
    except ValueError:
        return texts
    if 2 * len({time.date() for time in times}) > len(times):
        return [time.date().isoformat() for time in times]
    return [time.isoformat(" ", "minutes")[:16] for time in times]


def _level_panel(stretches: Sequence[Stretch], several: bool) -> Panel:
    outcomes = [(one.place, _mean(one.outcomes)) for one in stretches]
    forecasts = [(one.place, _mean(one.forecasts)) for one in stretches]
    spans = [(one.place, min(one.outcomes), max(one.outcomes)) for one in stretches] if several else []
    lines = [
        Series("Forecast", "first", forecasts, final=formatting.number(forecasts[-1][1])),
        Series(
            "Outcome", "outcome", outcomes, final=formatting.number(outcomes[-1][1]), spans=spans,
            mark="line" if several else "dots",
        ),
    ]  # fmt: skip
    band = [
        (place, middle - one.radius, middle + one.radius)
        for (place, middle), one in zip(forecasts, stretches, strict=True)
        if one.radius is not None
    ]
    if band:
        lines.append(Series("Interval", "outer", (), final=formatting.between(*band[-1][1:]), mark="band", spans=band))
    return _panel("forecasts", "Forecast and outcome", "Value", lines, stretches, several, "snug")


def _residual_panel(stretches: Sequence[Stretch], several: bool) -> Panel:
    each = [one.residuals for one in stretches]
    points = [(one.place, _mean(residuals)) for one, residuals in zip(stretches, each, strict=True)]
    lows = [min(residuals) if several else min(residuals[0], 0.0) for residuals in each]
    highs = [max(residuals) if several else max(residuals[0], 0.0) for residuals in each]
    spans = [(one.place, low, high) for one, low, high in zip(stretches, lows, highs, strict=True)]
    line = Series(
        "Outcome minus forecast", "residual", points, final=formatting.number(points[-1][1]), spans=spans,
        mark="line" if several else "none",
    )  # fmt: skip
    return _panel("residuals", "Residuals", "Outcome minus forecast", [line], stretches, several, "linear")


def _panel(
    key: str, title: str, unit: str, lines: list[Series], stretches: Sequence[Stretch], several: bool, scale: Scale
) -> Panel:
    notes = []
    if several:
        length = len(stretches[0].outcomes)
        notes.append(
            f"Each mark stands for {length} rounds: the line is their mean, the bar reaches from the least of them "
            "to the largest."
        )
    moments = [one.moment for one in stretches] if stretches[0].moment else []
    return Panel(
        key, title, unit, "real", lines, notes, scale, even=True, moments=moments,
        captions=[one.caption for one in stretches], across="Time" if moments else "Rounds",
    )  # fmt: skip


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


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
