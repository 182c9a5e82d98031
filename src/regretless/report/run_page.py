"""The report of a learner of labels, as one file that opens anywhere and asks nothing of any network."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from . import formatting, summary, template
from .axes import Format
from .curves import OFF_THE_CHART, Panel, Point, Series, absence, at_round, relation, shown, thin
from .model import BoundCurve, Report, bare, counted
from .page import Page


def count_panel(report: Report) -> Panel:
    """The certified quantity and its bounds on one axis."""
    title, unit, lines = _observed_lines(report)
    certified = _certified(report)
    bounds = _bound_lines(report, certified) if certified else []
    notes = [f"{line.name} {absence(line)}" for line in bounds if not line.drawn]
    if report.bounds and not certified:
        notes.append(f"What is certified here is the {report.quantity}, of which no curve was recorded.")
    if drawn := [line for line in bounds if line.drawn]:
        title += f" {relation(certified, drawn)} the certified bound" + ("s" if len(drawn) > 1 else "")
    whole = not certified or counted(report.quantity)
    return Panel("counts", title, unit, "count" if whole else "real", [*lines, *bounds], notes)


def _certified(report: Report) -> list[Point]:
    if report.quantity.startswith("mistakes ("):  # of classes one by one, and the curve counts rows
        return []
    if counted(report.quantity):
        return _column(report, 1 if bare(report.quantity) == "mistakes" else 2)
    return thin([(float(t), float(value)) for t, value in report.observed])


def _observed_lines(report: Report) -> tuple[str, str, list[Series]]:
    """Title, unit and the lines of what was observed, the certified quantity first."""
    mistakes, updates, certified = _column(report, 1), _column(report, 2), _certified(report)
    name = formatting.label(bare(report.quantity)).capitalize()
    if certified and name != "Updates":
        return name, name, [_line(name, "first", certified)]
    if mistakes == updates:
        return "Mistakes", "Mistakes", [_line("Mistakes, each of them an update", "first", updates)]
    lines = [_line("Updates", "first", updates), _line("Mistakes", "second", mistakes)]
    return "Mistakes and updates", "Mistakes, updates", lines


def rate_panel(report: Report) -> Panel:
    """The share of mistakes since the first round, and over the latest half of the rounds."""
    mistakes = _column(report, 1)
    overall = [(t, value / t) for t, value in mistakes]
    series = [_line("Since the first round", "first", overall, "percent")]
    recent = recent_rates(mistakes)
    series.append(_line("Since the last doubling", "recent", recent, "percent"))
    return Panel("rates", "Mistake rate", "Mistakes per round", "percent", series, [])


def recent_rates(mistakes: Sequence[Point]) -> list[Point]:
    """At each recorded round t, the share of mistakes since the last recorded round up to t/2."""
    rounds = [t for t, _ in mistakes]
    rates = []
    for t, value in mistakes:
        k = bisect_right(rounds, t / 2) - 1
        before = mistakes[k] if k >= 0 else (0.0, 0.0)
        if t > before[0]:
            rates.append((t, (value - before[1]) / (t - before[0])))
    return rates


def _column(report: Report, column: int) -> list[Point]:
    return thin([(float(row[0]), float(row[column])) for row in report.curve if row[0] > 0])


def _line(name: str, style: str, points: Sequence[Point], format: Format = "count") -> Series:
    return Series(name, style, thin(points), final=shown(points[-1][1], format) if points else "")


def _bound_lines(report: Report, certified: Sequence[Point]) -> list[Series]:
    lines = [_bound_line(curve, k, report.quantity, certified) for k, curve in enumerate(report.bounds)]
    return [line for line in lines if line.points]


def _bound_line(curve: BoundCurve, k: int, quantity: str, certified: Sequence[Point]) -> Series:
    last, observed = certified[-1]
    points = _spread(curve, certified[0][0], last)
    highest = max((abs(value) for _, value in certified if math.isfinite(value)), default=0.0)
    lowest = min((value for _, value in points if math.isfinite(value)), default=math.inf)
    drawn = lowest <= max(highest, 1.0) * OFF_THE_CHART
    final = at_round(points, last)
    if final is None:
        final = points[-1][1] if points else math.inf
    fits = observed <= final * (1 + 1e-9) + 1e-9
    text = formatting.observed_and_bound(observed, final, counted(quantity), fits)[1]
    return Series(formatting.label(curve.name), f"bound{k % 4}", points, bound=True, final=text, drawn=drawn)


def _spread(curve: BoundCurve, first: float, last: float) -> list[Point]:
    """A bound's points; a single one, or one value throughout, becomes a line across the whole chart."""
    points = [(float(t), float(value)) for t, value in curve.points if not math.isnan(value)]
    if len({value for _, value in points}) == 1:
        return [(first, points[0][1]), (last, points[0][1])]
    return thin(points)


MOST_WEIGHTS = 30


def page_of_run(report: Report) -> Page:
    """A run of a learner of labels."""
    panels = [count_panel(report), rate_panel(report)] if summary.totals(report)[0] > 0 else []
    return Page(
        title=report.title,
        lead=summary.lead(report),
        cards=summary.cards(report),
        comparators=report.comparators,
        compared="The fixed predictors, chosen in hindsight, that the theorems measure the learner against.",
        weights=weight_rows(report.weights),
        panels=panels,
        certificates=report.certificates,
        verdict=summary.beside_rules(summary.verdict(report.certificates), report.worse),
        whole=counted(report.quantity),
        tables=[
            *summary.prediction_tables(report),
            ("Learner", [("Name", report.learner), *template.facts(report.parameters, {})]),
            ("Data", template.facts(report.source, template.SOURCE_NAMES)),
        ],
    )


def weight_rows(weights: Sequence[tuple[str, float]]) -> list[dict[str, Any]]:
    """The largest weights as the page's bars."""
    finite = [(str(name), float(weight)) for name, weight in weights if math.isfinite(weight)]
    finite = sorted(finite, key=lambda pair: -abs(pair[1]))[:MOST_WEIGHTS]
    low, high = min([0.0, *(w for _, w in finite)]), max([0.0, *(w for _, w in finite)])
    scale = 1000 / (high - low) if high > low else 0.0
    values = formatting.aligned([weight for _, weight in finite])
    return [
        {
            "name": formatting.shorten(formatting.clean(name), 36),
            "full": formatting.shorten(formatting.clean(name), 1000),
            "value": ("+" if weight > 0 else "") + value,
            "side": "up" if weight > 0 else "down",
            "x": round((min(weight, 0.0) - low) * scale, 1),
            "width": round(abs(weight) * scale, 1),
            "zero": round(-low * scale, 1),
        }
        for (name, weight), value in zip(finite, values, strict=True)
    ]
