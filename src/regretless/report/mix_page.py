"""The report on a run over shards, as one file that needs no other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Any, Literal, Protocol

from . import formatting, summary, template
from .curves import MOST_POINTS, Panel, Point, Series, absences, near, relation
from .page import Learner, Page
from .run_page import weight_rows
from .summary import Card, bare, comparator_rows, many, smallest_bound

if TYPE_CHECKING:
    from ..certificate import Certificate

WEIGHTED = "weighted updates"
"""What the theorems about mixing bound: updates, each of which counts what its shard's weights count in the mean."""

FAR_ABOVE = 1e4
"""A bound so many times above all that was counted would leave the rest no room."""

MOST_ROWS = 50


class ShownEpoch(Protocol):
    """One epoch over all shards, as the page reads it."""

    @property
    def rounds(self) -> int: ...
    @property
    def mistakes(self) -> int: ...
    @property
    def updates(self) -> int: ...
    @property
    def weighted_updates(self) -> float: ...
    @property
    def seconds(self) -> float | None: ...


class ShownMixture(Protocol):
    """A run over shards, as the page reads it; `shares` are sums over the epochs."""

    @property
    def learner(self) -> Learner: ...
    @property
    def history(self) -> Sequence[ShownEpoch]: ...
    @property
    def names(self) -> Sequence[str]: ...
    @property
    def rounds(self) -> Iterable[int]: ...
    @property
    def shares(self) -> Iterable[float]: ...


@dataclass(frozen=True, slots=True)
class MixReport:
    """A run over shards, ready to be shown.

    Parameters
    ----------
    title : str
        The headline, as ``AveragedPerceptron on part-*.svm``.
    mixture : ShownMixture
    source : mapping
        Where the rounds came from: ``path, shards, rows, features, nonzeros, skipped``, as far as known.
    how : mapping
        How it was mixed, by names for people: what a shard counts, who ran it, what moved.
    certificates : sequence of Certificate
        Every theorem that was asked, whether or not it applies.
    weights : sequence of (feature, weight)
        The largest weights.
    seconds : float, optional
        How long learning took.
    once : str
        What was done once with what the shards had learned apart, as ``"weights averaged"``; empty if they were mixed.
    """

    title: str
    mixture: ShownMixture
    source: Mapping[str, object]
    how: Mapping[str, object]
    certificates: Sequence[Certificate] = ()
    weights: Sequence[tuple[str, float]] = ()
    seconds: float | None = None
    once: str = ""

    @property
    def rounds(self) -> int:
        """Of all epochs."""
        return sum(epoch.rounds for epoch in self.mixture.history)

    @property
    def mistakes(self) -> int:
        """Of all epochs, each counted as one."""
        return sum(epoch.mistakes for epoch in self.mixture.history)

    @property
    def updates(self) -> int:
        """Of all epochs, each counted as one."""
        return sum(epoch.updates for epoch in self.mixture.history)

    @property
    def weighted(self) -> float:
        """The updates of all epochs, weighted."""
        return sum(epoch.weighted_updates for epoch in self.mixture.history)

    @property
    def quantity(self) -> str:
        """What the tightest bound is named of: weighted updates, or else what the first theorem bounds."""
        quantities = [one.quantity for one in self.certificates]
        return next((one for one in quantities if bare(one) == WEIGHTED), next(iter(quantities), WEIGHTED))

    @property
    def bound(self) -> tuple[str, float] | None:
        """The smallest bound on the weighted updates, and whose it is."""
        return smallest_bound((one.bound, one) for one in self.certificates if bare(one.quantity) == WEIGHTED)


def panels(report: MixReport) -> list[Panel]:
    """Every picture over the epochs."""
    if report.rounds == 0:
        return []
    shown = _spread(len(report.mixture.history), MOST_POINTS)
    return [count_panel(report, shown), rate_panel(report, shown)]


def count_panel(report: MixReport, shown: Sequence[int]) -> Panel:
    """The updates as theorems weigh them, under what is certified of them, beside the plain counts.

    Parameters
    ----------
    report : MixReport
    shown : sequence of int
        The epochs that have a point, from 1.
    """
    weighted = _total((epoch.weighted_updates for epoch in report.mixture.history), shown)
    plain = _total((epoch.updates for epoch in report.mixture.history), shown)
    wrong = _total((epoch.mistakes for epoch in report.mixture.history), shown)
    lines = [
        _line("Weighted updates", "first", weighted),
        _line("Updates, each counted as one", "second", plain),
        _line("Mistakes", "recent", wrong),
    ]
    highest = max(value for line in lines for _, value in line.points)
    bounds = [near(line, max(highest, 1.0) * FAR_ABOVE) for line in _bound_lines(report)]
    return Panel(
        "counts", _title(weighted, [line for line in bounds if line.drawn]), "Updates, mistakes", "real",
        [*lines, *bounds], absences(bounds), even=True, captions=_captions(shown), across="Epochs",
        table=_table(report),
    )  # fmt: skip


def _title(weighted: Sequence[Point], bounds: Sequence[Series]) -> str:
    """A title that claims that the weighted updates are under their bound only where they are."""
    if not bounds:
        return "Weighted updates"
    return f"Weighted updates {relation(weighted, bounds)} their bound{'s'[: len(bounds) > 1]}"


def rate_panel(report: MixReport, shown: Sequence[int]) -> Panel:
    """The share of mistakes in each epoch; from the second one on the rows have been learned from before."""
    epochs = [(k, report.mixture.history[k - 1]) for k in shown]
    rates = [(float(k), epoch.mistakes / epoch.rounds if epoch.rounds else math.nan) for k, epoch in epochs]
    line = Series("In this epoch", "first", rates, final=formatting.percent(rates[-1][1]), mark=_mark(rates))
    later = "Each mistake is counted before its row is learned from; after the first epoch the rows are no new ones."
    return Panel(
        "rates", "Mistakes by epoch", "Mistakes per round", "percent", [line], [later] if len(rates) > 1 else [],
        even=True, captions=_captions(shown), across="Epochs",
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
    """The bound as a line across the chart, if there is one."""
    if report.bound is None:
        return []
    title, bound = report.bound
    points = [(n, bound) for n in dict.fromkeys((1.0, float(len(report.mixture.history))))]
    final = formatting.number(bound)
    return [Series(formatting.label(title), "bound0", points, bound=True, final=final, mark=_mark(points))]


def _captions(shown: Sequence[int]) -> list[str]:
    return [f"After {many(k, 'epoch')}" for k in shown]


_HEADS = ("Epoch", "Rounds", "Mistakes", "Mistake rate", "Updates", "Weighted updates", "Seconds")


def _table(report: MixReport) -> list[list[str]]:
    """Each epoch by itself, in numbers."""
    rows = [_row(k, report.mixture.history[k - 1]) for k in _spread(len(report.mixture.history), MOST_ROWS)]
    return [list(_HEADS), *rows]


def _row(number: int, epoch: ShownEpoch) -> list[str]:
    return [
        formatting.count(number),
        formatting.count(epoch.rounds),
        formatting.count(epoch.mistakes),
        formatting.percent(epoch.mistakes / epoch.rounds) if epoch.rounds else "–",
        formatting.count(epoch.updates),
        formatting.number(epoch.weighted_updates),
        "–" if epoch.seconds is None else formatting.real(epoch.seconds, 3),
    ]


MOST_SHARDS = 50

_SOURCE_NAMES = {**template.SOURCE_NAMES, "path": "Files", "shards": "Shards", "rows": "Rows in an epoch"}

_CERTIFIED = (
    "A certificate sets a theorem’s number beside what was observed. When weights are mixed, theorems bound weighted "
    "sums: what was counted on a shard is multiplied by what its weights counted in the mean of that epoch. The plain "
    "counts may be larger. A sure bound holds in every run."
)
_ONCE = "The shards were learned apart and united once. What theorems say of each of them they do not say of the union."


def page_of_mix(report: MixReport) -> Page:
    """A run over shards."""
    return Page(
        title=report.title,
        lead=lead(report),
        cards=_cards(report),
        course="The run, epoch by epoch",
        certified=_ONCE if report.once else _CERTIFIED,
        estimates=_shards(report),
        comparators=comparator_rows(report.certificates),
        compared="The fixed predictors, chosen in hindsight, that the theorems measure the learner against.",
        weights=weight_rows(report.weights),
        panels=panels(report),
        certificates=report.certificates,
        verdict=summary.verdict(report.certificates),
        tables=[
            ("Learner", template.learner_facts(report.mixture.learner)),
            ("Data", template.facts(report.source, _SOURCE_NAMES)),
            ("Mixing", template.facts(report.how, {})),
        ],
    )


def lead(report: MixReport) -> str:
    """The run in a few sentences."""
    if report.rounds == 0:
        return "No round was played."
    mixture = report.mixture
    where, rounds = many(len(mixture.names), "shard"), many(report.rounds, "round")
    if report.once:
        text = f"{where[:1].upper()}{where[1:]} were learned apart, in {rounds}, and their {report.once} once. The"
    else:
        text = f"In {many(len(mixture.history), 'epoch')} over {where}, {rounds} in all, the"
    text += f" learner made {many(report.mistakes, 'mistake')}"
    text += f", {formatting.percent(report.mistakes / report.rounds)} of all. " if report.mistakes else ". "
    if not report.once:
        text += _weighed(report) + _allowed(report) + "."
    return text.strip()


def _weighed(report: MixReport) -> str:
    come = "comes" if report.updates == 1 else "come"
    updates = f"{many(report.updates, 'update')}, each weighted by its shard’s share of the mean"
    return f"{updates[:1].upper()}{updates[1:]}, {come} to {formatting.number(report.weighted)}"


def _allowed(report: MixReport) -> str:
    best = summary.tightest(report)
    if best is None or best.observed is None or best.bound is None or math.isinf(best.bound):
        return ""
    observed, bound = summary.pair(best)
    if bare(best.quantity) == WEIGHTED:
        return f"; the tightest bound that applies allows {bound}"
    return f". The tightest bound on the {best.quantity} is {bound}; it was {observed}"


def _cards(report: MixReport) -> list[Card]:
    speed = f", in {formatting.real(report.seconds, 3)} s" if report.seconds is not None else ""
    rate = formatting.percent(report.mistakes / report.rounds) if report.rounds else "–"
    return [
        Card(
            "Shards",
            formatting.number(len(report.mixture.names)),
            f"× {many(len(report.mixture.history), 'epoch')}{speed}",
        ),
        Card("Mistakes", formatting.number(report.mistakes), f"{rate} of the rounds"),
        Card("Updates", formatting.number(report.updates), "each counted as one"),
        Card("Weighted updates", formatting.number(report.weighted), "as theorems count them"),
        summary.bound_card(report),
    ]


def _shards(report: MixReport) -> dict[str, Any] | None:
    """The shards, and what the weights of each counted."""
    mixture = report.mixture
    if not mixture.names:
        return None
    left = len(mixture.names) - MOST_SHARDS
    note = "What a shard’s weights counted in the mean, on average over the epochs."
    more = f" Shown are the first {MOST_SHARDS} of {many(len(mixture.names), 'shard')}." if left > 0 else ""
    each = zip(mixture.names, mixture.rounds, mixture.shares, strict=True)
    rows = [
        {
            "name": formatting.label(name, 60),
            "note": "",
            "cells": [formatting.count(int(rounds)), _share(float(share) / len(mixture.history))],
        }
        for name, rounds, share in islice(each, MOST_SHARDS)
    ]
    return {"title": "Shards", "note": note + more, "columns": ["Shard", "Rows", "Share of the mean"], "rows": rows}


def _share(share: float) -> str:
    return "–" if math.isnan(share) else formatting.percent(share)
