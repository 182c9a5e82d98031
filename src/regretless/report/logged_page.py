"""The report on logged draws, as one file that opens anywhere and asks nothing of any network."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from . import formatting, summary, template
from .arm_table import Column, arm_table, shares
from .intervals import Write, whiskers, writer
from .page import Page
from .pulls import Estimate, LoggedReport
from .static_chart import Still
from .summary import Card

ESTIMATORS = {
    "replay": ("Replay", "only rounds in which the same arm would have been drawn as the log drew"),
    "ips": ("Inverse propensity", "each logged round over the probability that the log gave it"),
    "snips": ("Self-normalised", "the same, over the sum of its weights"),
    "dr": ("Doubly robust", "a model of each arm, mended by the weighted errors of the model"),
}
_SOURCE_NAMES = {
    **template.SOURCE_NAMES,
    "rows": "Rounds",
    "action": "Arm",
    "reward": "Reward",
    "loss": "Loss",
    "propensity": "Propensity",
    "context": "Context",
}
HEADLINE = ("dr", "snips", "ips", "replay")
"""Which estimate the headline tells: the first of these, never the one with the finest interval.

An interval that was chosen for what it says does not hold the truth as often as it claims.
"""

_OWN = "The log’s own draws"


def page_of_log(report: LoggedReport) -> Page:
    """What a log tells of a learner that did not make it."""
    picture = estimate_still(report) if report.rounds > 0 else None
    return Page(
        title=report.title,
        lead=lead(report),
        cards=_cards(report),
        course="What the log tells",
        certified="What theorems say of the learner’s own draws, in its first run along the log. Nobody knows what "
        "the other arms would have brought then.",
        estimates=_table(report),
        arms=arm_table(report.draws, report.arms, _logged(report)),
        stills=[replace(picture, notes=[*picture.notes, *report.notes])] if picture else (),
        certificates=report.certificates or None,
        tables=[
            (
                report.judged.capitalize(),
                [("Name", report.learner), *template.facts(report.parameters, {"n_arms": "arms"})],
            ),
            ("Data", [*template.facts(report.source, _SOURCE_NAMES), *_weights(report)]),
        ],
    )


def estimate_still(report: LoggedReport) -> Still | None:
    """Each estimate with its interval, beside the mean of the log."""
    named = [(_name(key), one) for key, one in report.estimates.items()]
    reference = (_OWN, report.logging) if report.logging is not None else None
    level = formatting.percent(report.confidence)
    title = f"Mean {report.quantity} of the {report.judged}: estimates and their {level} intervals"
    return whiskers("estimates", title, f"Mean {report.quantity} of a round", named, reference)


def lead(report: LoggedReport) -> str:
    """The estimates in one or two sentences."""
    if report.rounds == 0:
        return "The log holds no round."
    text = f"From {summary.many(report.rounds, 'logged round')} of {summary.many(report.arms, 'arm')}, drawn by another"
    text += f" policy, the mean {report.quantity} that the {report.judged} would have had is estimated"
    key, best = _headline(report)
    if best is None or best.low is None or best.high is None:
        return text + "."
    write = _writer(report)
    text += f": {write(best.low)} to {write(best.high)} ({_name(key).lower()}, which this page always tells first)"
    own = None if report.logging is None else report.logging.value
    if own is None:
        return text + "."
    where = "within" if best.low <= own <= best.high else "below" if own < best.low else "above"
    return f"{text}; the log’s own mean, {write(own)}, is {where} that interval."


def _headline(report: LoggedReport) -> tuple[str, Estimate | None]:
    made = [key for key in HEADLINE if key in report.estimates and report.estimates[key].value is not None]
    return (made[0], report.estimates[made[0]]) if made else ("", None)


def _name(key: str) -> str:
    return ESTIMATORS[key][0] if key in ESTIMATORS else key


def _logged(report: LoggedReport) -> dict[str, Column]:
    return {"Share in the log": shares(report.logged_draws)} if report.logged_draws else {}


def _weights(report: LoggedReport) -> list[tuple[str, str]]:
    named = {"Worth so many rounds of equal weights": report.effective, "Largest weight": report.largest}
    return [(name, formatting.real(value)) for name, value in named.items() if value is not None]


def _cards(report: LoggedReport) -> list[Card]:
    speed = f"in {formatting.real(report.seconds, 3)} s" if report.seconds is not None else ""
    speed = ", ".join(part for part in (f"× {summary.many(report.runs, 'run')}" * (report.runs > 1), speed) if part)
    shown = [
        Card("Logged rounds", formatting.number(report.rounds), speed),
        Card("Arms", formatting.number(report.arms)),
    ]
    write = _writer(report)
    if report.logging is not None:
        shown.append(Card(f"Mean {report.quantity} of the log", *_valued(report.logging, "", write)))
    key, best = _headline(report)
    if best is not None:
        shown.append(Card(f"Estimate for the {report.judged}", *_valued(best, _name(key).lower(), write)))
    return shown


def _valued(one: Estimate, name: str, write: Write) -> tuple[str, str]:
    """An estimate and, as its note, its interval."""
    value = "–" if one.value is None else write(one.value)
    ends = "" if one.low is None or one.high is None else f"{write(one.low)} to {write(one.high)}"
    return value, ", ".join(part for part in (name, ends) if part)


def _table(report: LoggedReport) -> dict[str, Any]:
    write = _writer(report)
    named = [(*ESTIMATORS.get(key, (key, "")), one) for key, one in report.estimates.items()]
    if report.logging is not None:
        named.append((_OWN, "the mean of what the log itself recorded", report.logging))
    level = formatting.percent(report.confidence)
    cautious = any(one.cautious for *_, one in named)
    taken = {one.assuming for *_, one in named if one.assuming}
    assumed = "".join(f" The one without normality assumes that {words}." for words in sorted(taken))
    return {
        "note": f"Each interval is meant to hold the mean {report.quantity} with a probability of {level}.{assumed}",
        "columns": [
            "Estimator",
            f"Mean {report.quantity}",
            "From",
            "To",
            "Rounds it rests on",
            *(["Without normality"] * cautious),
        ],
        "rows": [
            {
                "name": formatting.label(name, 44),
                "note": note,
                "cells": [
                    *(_cell(value, write) for value in (one.value, one.low, one.high)),
                    _cell(one.n),
                    *([_ends(one.cautious, write)] if cautious else []),
                ],
            }
            for name, note, one in named
        ],
    }


def _ends(interval: tuple[float, float] | None, write: Write) -> str:
    return " to ".join(_cell(end, write) for end in interval) if interval else "–"


def _writer(report: LoggedReport) -> Write:
    return writer([*report.estimates.values(), *([report.logging] if report.logging else [])])


def _cell(value: float | None, write: Write = formatting.number) -> str:
    return (
        "–" if value is None or math.isnan(value) else write(value) if math.isfinite(value) else formatting.real(value)
    )
