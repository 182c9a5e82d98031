"""The report on a run over shards, as one file that opens anywhere and asks nothing of any network."""

from __future__ import annotations

import math
import os
from typing import Any

from . import formatting, mix_charts, summary, template
from .mixtures import WEIGHTED, MixReport
from .model import bare
from .page import weight_rows
from .summary import Card, many

MOST_SHARDS = 50

_SOURCE_NAMES = {**template.SOURCE_NAMES, "path": "Files", "shards": "Shards", "rows": "Rows in an epoch"}

_CERTIFIED = (
    "A certificate sets a theorem’s number beside what was observed. When weights are mixed, theorems bound weighted "
    "sums: what was counted on a shard is multiplied by what its weights counted in the mean of that epoch. The plain "
    "counts may be larger. A sure bound holds in every run."
)
_ONCE = (
    "The shards were learned apart, and their weights were averaged once. What theorems say of each of them they do "
    "not say of the average."
)


def write_mix_report(path: str | os.PathLike[str], report: MixReport) -> None:
    """Write the report so that the path holds the old file or the whole new one, never a part.

    Parameters
    ----------
    path : str or path-like
        Where to write; what is no regular file (a pipe, a terminal) is written to as it is.
    report : MixReport
        The run to show.
    """
    template.write(path, render_mix(report))


def render_mix(report: MixReport) -> str:
    """The report as one HTML page.

    Parameters
    ----------
    report : MixReport
        The run to show.

    Returns
    -------
    str
        A page without any reference to another file, whose policy allows its own style and script alone.
    """
    return template.fill(_view(report), mix_charts.panels(report), report.certificates, whole=False)


def _view(report: MixReport) -> dict[str, Any]:
    return {
        "title": report.title,
        "lead": lead(report),
        "cards": _cards(report),
        "course": "The run, epoch by epoch",
        "certified": _ONCE if report.once else _CERTIFIED,
        "estimates": _shards(report),
        "comparators": template.comparator_table(report.comparators),
        "compared": "The fixed predictors, chosen in hindsight, that the theorems measure the learner against.",
        "weights": weight_rows(report.weights),
        "tables": [
            ("Learner", [("Name", report.learner), *template.facts(report.parameters, {})]),
            ("Data", template.facts(report.source, _SOURCE_NAMES)),
            ("Mixing", template.facts(report.how, {})),
        ],
    }


def lead(report: MixReport) -> str:
    """The run in a few sentences."""
    if report.rounds == 0:
        return "No round was played."
    where, rounds = many(len(report.shards), "shard"), many(report.rounds, "round")
    if report.once:
        text = f"{where[:1].upper()}{where[1:]} were learned apart, in {rounds}, and their weights averaged once. "
    else:
        text = f"In {many(len(report.epochs), 'epoch')} over {where}, {rounds} in all, "
    text += f"{'The' if report.once else 'the'} learner made {many(report.mistakes, 'mistake')}"
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
        Card("Shards", formatting.number(len(report.shards)), f"× {many(len(report.epochs), 'epoch')}{speed}"),
        Card("Mistakes", formatting.number(report.mistakes), f"{rate} of the rounds"),
        Card("Updates", formatting.number(report.updates), "each counted as one"),
        Card("Weighted updates", formatting.number(report.weighted), "as theorems count them"),
        summary.bound_card(report),
    ]


def _shards(report: MixReport) -> dict[str, Any] | None:
    """The shards, and how much each of them had to say."""
    if not report.shards:
        return None
    shown, left = report.shards[:MOST_SHARDS], len(report.shards) - MOST_SHARDS
    note = "What a shard’s weights counted in the mean, on average over the epochs."
    more = f" Shown are the first {MOST_SHARDS} of {many(len(report.shards), 'shard')}." if left > 0 else ""
    rows = [
        {
            "name": formatting.label(one.name, 60),
            "note": "",
            "cells": [formatting.count(one.rows), "–" if math.isnan(one.share) else formatting.percent(one.share)],
        }
        for one in shown
    ]
    return {"title": "Shards", "note": note + more, "columns": ["Shard", "Rows", "Share of the mean"], "rows": rows}
