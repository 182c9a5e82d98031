"""The pictures of a run over shards: its counts under their bound, and the rate of mistakes, epoch by epoch."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Literal

from . import formatting
from .curves import MOST_POINTS, Panel, Point, Series, relation
from .mixtures import EpochRow, MixReport
from .recorded_curves import absences, near
from .summary import many

FAR_ABOVE = 1e4
"""A bound so many times above all that was counted would leave the rest no room."""

MOST_ROWS = 50


def panels(report: MixReport) -> list[Panel]:
    """Every picture over the epochs."""
    if report.rounds == 0:
        return []
    shown = _spread(len(report.epochs), MOST_POINTS)
    return [count_panel(report, shown), rate_panel(report, shown)]


def count_panel(report: MixReport, shown: Sequence[int]) -> Panel:
    """The updates as theorems weigh them, under what is certified of them, beside the plain counts.

    Parameters
    ----------
    report : MixReport
    shown : sequence of int
        The epochs that have a point, from 1.
    """
    weighted = _total((epoch.weighted for epoch in report.epochs), shown)
    plain = _total((epoch.updates for epoch in report.epochs), shown)
    wrong = _total((epoch.mistakes for epoch in report.epochs), shown)
    lines = [
        _line("Weighted updates", "first", weighted),
        _line("Updates, each counted as one", "second", plain),
        _line("Mistakes", "recent", wrong),
    ]
    highest = max(value for line in lines for _, value in line.points)
    bounds = [near(line, max(highest, 1.0) * FAR_ABOVE) for line in _bound_lines(report)]
    return Panel(
        "counts", _title(weighted, [line for line in bounds if line.drawn]), "Updates, mistakes", "real",
        [*lines, *bounds], absences(bounds), even=True, said=_said(shown), across="Epochs", table=_table(report),
    )  # fmt: skip


def _title(weighted: Sequence[Point], bounds: Sequence[Series]) -> str:
    """A title that claims that the weighted updates are under their bound only where they are."""
    if not bounds:
        return "Weighted updates"
    return f"Weighted updates {relation(weighted, bounds)} their bound{'s'[: len(bounds) > 1]}"


def rate_panel(report: MixReport, shown: Sequence[int]) -> Panel:
    """The share of mistakes in each epoch; from the second one on the rows have been learned from before."""
    epochs = [(k, report.epochs[k - 1]) for k in shown]
    rates = [(float(k), epoch.mistakes / epoch.rounds if epoch.rounds else math.nan) for k, epoch in epochs]
    line = Series("In this epoch", "first", rates, final=formatting.percent(rates[-1][1]), mark=_mark(rates))
    later = "Each mistake is counted before its row is learned from; after the first epoch the rows are no new ones."
    return Panel(
        "rates", "Mistakes by epoch", "Mistakes per round", "percent", [line], [later] if len(rates) > 1 else [],
        even=True, said=_said(shown), across="Epochs",
    )  # fmt: skip


def _spread(count: int, most: int) -> list[int]:
    """The numbers from 1 to a count; if there are too many of them, so many that are evenly apart."""
    if count <= most:
        return list(range(1, count + 1))
    return sorted({1 + round((count - 1) * k / (most - 1)) for k in range(most)})


def _total(counts: Iterable[float], shown: Sequence[int]) -> list[Point]:
    totals = list(accumulate(counts))
    return [(float(k), float(totals[k - 1])) for k in shown]


def _line(name: str, style: str, points: Sequence[Point]) -> Series:
    return Series(name, style, points, final=formatting.number(points[-1][1]), mark=_mark(points))


def _mark(points: Sequence[Point]) -> Literal["line", "dots"]:
    return "dots" if len(points) == 1 else "line"


def _bound_lines(report: MixReport) -> list[Series]:
    last = float(len(report.epochs))
    lines = []
    for k, curve in enumerate(report.bounds):
        known = [(float(n), float(value)) for n, value in curve.points if not math.isnan(value)]
        if len(known) == 1:  # the same throughout
            known = [(n, known[0][1]) for n in dict.fromkeys((1.0, last))]
        if known:
            made = Series(formatting.label(curve.name), f"bound{k % 4}", known, bound=True)
            lines.append(replace(made, final=formatting.number(known[-1][1]), mark=_mark(known)))
    return lines


def _said(shown: Sequence[int]) -> list[str]:
    return [f"After {many(k, 'epoch')}" for k in shown]


_HEADS = ("Epoch", "Rounds", "Mistakes", "Mistake rate", "Updates", "Weighted updates", "Seconds")


def _table(report: MixReport) -> list[list[str]]:
    """Each epoch by itself, in numbers."""
    rows = [_row(k, report.epochs[k - 1]) for k in _spread(len(report.epochs), MOST_ROWS)]
    return [list(_HEADS), *rows]


def _row(number: int, epoch: EpochRow) -> list[str]:
    return [
        formatting.count(number),
        formatting.count(epoch.rounds),
        formatting.count(epoch.mistakes),
        formatting.percent(epoch.mistakes / epoch.rounds) if epoch.rounds else "–",
        formatting.count(epoch.updates),
        formatting.number(epoch.weighted),
        "–" if epoch.seconds is None else formatting.real(epoch.seconds, 3),
    ]
