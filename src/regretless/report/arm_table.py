"""The arms as a table: how often each was drawn, as a bar, beside what is known of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from . import formatting, summary

MOST_ROWS = 30

Column = Mapping[str, str]


def called(name: str) -> str:
    """What a sentence calls an arm: one that has a number only is not mistaken for that number."""
    return f"arm {name}" if name.isdecimal() else name


def arm_table(draws: Mapping[str, float], known: Mapping[str, Column], note: str = "") -> dict[str, Any] | None:
    """A row for each of the arms that were drawn most.

    Parameters
    ----------
    draws : mapping
        Share of the draws of each arm by name.
    known : mapping
        What else is known, as columns by their headings: text for each arm by name.
    note : str
        What is to be said of these columns.

    Returns
    -------
    dict or None
        As the template wants it; None where no share is known.
    """
    names = [name for name in draws if math.isfinite(draws[name])]
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
    left = len(draws) - len(ranked)
    share = max(0.0, 1.0 - math.fsum(draws[name] for name in ranked))
    return {
        "known": len(known) > 1,
        "columns": ["Arm", *known, "Share of the draws"],
        "rows": rows,
        "left": f"{summary.many(left, 'arm')} drawn less have {formatting.share(share)} together." if left > 0 else "",
        "note": note,
    }


def known_losses(
    arm_losses: Mapping[str, float], asleep: Mapping[str, float], rounds: int, what: str
) -> tuple[dict[str, Column], str]:
    """Columns of what each arm would have lost, and a note about them.

    Parameters
    ----------
    arm_losses : mapping
        The summed loss of each arm over the rounds in which it could be drawn; empty if it is not known.
    asleep : mapping
        In how many rounds each arm could not be drawn; empty if all could be in all rounds.
    rounds : int
    what : str
        What the losses are called.
    """
    if not arm_losses:
        return {}, ""
    names, losses = list(arm_losses), list(arm_losses.values())
    if not asleep:
        least = min(losses)
        columns = {what: losses, "Above the best": [loss - least for loss in losses]}
        note = f"{what} in hindsight: of each arm, had it been drawn in every round."
    else:
        awake = [rounds - asleep[name] for name in names]
        means = [loss / count if count > 0 else math.nan for loss, count in zip(losses, awake, strict=True)]
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
