"""The arms as a table: how often each was drawn, as a bar, beside what is known of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from . import formatting, summary
from .pulls import PullReport

MOST_ROWS = 30

Column = Mapping[str, str]


def called(name: str) -> str:
    """What a sentence calls an arm: one that has a number only is not mistaken for that number."""
    return f"arm {name}" if name.isdecimal() else name


def arm_table(
    draws: Mapping[str, float], arms: int, known: Mapping[str, Column], note: str = ""
) -> dict[str, Any] | None:
    """A row for each of the arms that were drawn most.

    Parameters
    ----------
    draws : mapping
        Share of the draws of each arm by name, perhaps of ``"others"`` too.
    arms : int
        How many there are.
    known : mapping
        What else is known, as columns by their headings: text for each arm by name.
    note : str
        What is to be said of these columns.

    Returns
    -------
    dict or None
        As the template wants it; None where no share is known.
    """
    names = [name for name in draws if name != "others" and math.isfinite(draws[name])]
    if not names:
        return None
    ranked = sorted(names, key=lambda name: -draws[name])[:MOST_ROWS]
    largest = max(draws[ranked[0]], 0.0) or 1.0
    rows = [
        {
            "name": formatting.shorten(formatting.clean(name), 44),
            "full": formatting.shorten(formatting.clean(name), 1000),
            "cells": [*(column.get(name, "–") for column in known.values()), formatting.share(draws[name])],
            "width": round(100 * max(draws[name], 0.0) / largest, 2),
        }
        for name in ranked
    ]
    left = arms - len(ranked)
    share = max(0.0, 1.0 - math.fsum(draws[name] for name in ranked))
    return {
        "known": len(known) > 1,
        "columns": ["Arm", *known, "Share of the draws"],
        "rows": rows,
        "left": f"{summary.many(left, 'arm')} drawn less have {formatting.share(share)} together." if left > 0 else "",
        "note": note,
    }


def known_losses(report: PullReport) -> tuple[dict[str, Column], str]:
    """Columns of what each arm would have lost, and a note about them."""
    if not report.arm_losses:
        return {}, ""
    names, losses = list(report.arm_losses), list(report.arm_losses.values())
    what = "Loss" if report.reward is None else "Reward missed"
    if not report.asleep:
        least = min(losses)
        columns = {what: losses, "Above the best": [loss - least for loss in losses]}
        note = f"{what} in hindsight: of each arm, had it been drawn in every round."
    else:
        awake = [report.rounds - report.asleep.get(name, 0.0) for name in names]
        means = [loss / rounds if rounds > 0 else math.nan for loss, rounds in zip(losses, awake, strict=True)]
        columns = {"Rounds awake": awake, f"{what} a round": means}
        note = f"{what} in hindsight, over the rounds in which each arm could be drawn."
    return {head: dict(zip(names, _texts(values), strict=True)) for head, values in columns.items()}, note


def shares(values: Mapping[str, float]) -> Column:
    """Shares of a whole as text."""
    return {name: formatting.share(value) for name, value in values.items()}


def _texts(values: Sequence[float]) -> list[str]:
    if all(value == round(value) for value in values if math.isfinite(value)):
        return [formatting.number(value) if math.isfinite(value) else "–" for value in values]
    return [
        text if math.isfinite(value) else "–" for value, text in zip(values, formatting.aligned(values), strict=True)
    ]
