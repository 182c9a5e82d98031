"""The report on logged draws, as one file that needs no other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from . import formatting, summary, template
from .arm_table import arm_table, shares
from .compare_page import FAR_WIDER
from .curves import Panel, Series, Still, log_spaced, table
from .intervals import IntervalEstimate, Write, whiskers, writer
from .page import Page
from .summary import Card

if TYPE_CHECKING:
    from ..certificate import Certificate

ESTIMATORS = {
    "replay": ("Replay", "only rounds in which the same arm would have been drawn as the log drew"),
    "ips": ("Inverse propensity", "each logged round over the probability that the log gave it"),
    "snips": ("Self-normalised", "the same, over the sum of its weights"),
    "dr": ("Doubly robust", "a model of each arm, mended by the weighted errors of the model"),
    "anytime": ("At any time", "the same, or the weighted one, in an interval that holds after every number of rounds"),
}
SOURCE_NAMES = {
    **template.SOURCE_NAMES,
    "rows": "Rounds",
    "action": "Arm",
    "reward": "Reward",
    "loss": "Loss",
    "propensity": "Propensity",
    "context": "Context",
}
Look = tuple[int, float, float, bool]
"""A number of rounds, the ends of the interval at any time, and whether the policy is better than the log's."""

HEADLINE = ("dr", "snips", "ips", "replay")
"""Which estimate stands in the headline: the first of these, never the one with the finest interval.

An interval that was chosen for what it says does not hold the truth as often as it claims.
"""

OWN = "The log’s own draws"


class ShownEstimate(IntervalEstimate, Protocol):
    """What one estimator says of a mean reward, as the page reads it."""

    @property
    def n(self) -> int: ...
    @property
    def cautious(self) -> tuple[float, float] | None: ...
    @property
    def assuming(self) -> str | None: ...


class ShownLog(Protocol):
    """The logged rounds, as the page reads them."""

    def __len__(self) -> int: ...
    @property
    def names(self) -> Sequence[str]: ...
    @property
    def losses(self) -> bool: ...


class ShownEvaluation(Protocol):
    """An evaluation, as the page reads it; of a fixed policy it has no learners."""

    @property
    def log(self) -> ShownLog: ...
    @property
    def estimates(self) -> Mapping[str, ShownEstimate]: ...
    @property
    def logged(self) -> ShownEstimate: ...
    @property
    def effective(self) -> float: ...
    @property
    def largest(self) -> float: ...
    @property
    def runs(self) -> int: ...
    @property
    def delta(self) -> float: ...
    @property
    def learners(self) -> Sequence[object]: ...
    @property
    def draws(self) -> Iterable[float]: ...
    @property
    def logged_draws(self) -> Iterable[float]: ...
    @property
    def seconds(self) -> float: ...
    @property
    def notes(self) -> Sequence[str]: ...
    def course(self) -> Sequence[Look]:
        """The interval at any time after so many rounds, and whether the policy is better than that of the log."""
        ...


@dataclass(frozen=True, slots=True)
class LoggedReport:
    """What a log says of a learner, or of a policy, that did not make it, ready to be shown.

    Parameters
    ----------
    title : str
        The headline, as ``Exp3IX on log.csv``.
    evaluation : ShownEvaluation
    learner : str
        The learner's name, or ``"policy"``.
    parameters : mapping
        The learner's parameters by name.
    source : mapping
        Where the log came from: ``path, rows, action, reward, propensity, context``, as far as known.
    certificates : sequence of Certificate
        What theorems say of the learner's own draws.
    """

    title: str
    evaluation: ShownEvaluation
    learner: str
    parameters: Mapping[str, object]
    source: Mapping[str, object]
    certificates: Sequence[Certificate] = ()

    @property
    def subject(self) -> str:
        """What is evaluated, in a word."""
        return "learner" if self.evaluation.learners else "policy"

    @property
    def quantity(self) -> str:
        """What a round gave."""
        return quantity_of(self.evaluation.log)

    @property
    def confidence(self) -> str:
        """With what probability each interval is meant to hold the truth."""
        return formatting.percent(1 - self.evaluation.delta)


def page_of_log(report: LoggedReport) -> Page:
    """The evaluation of a learner, or of a policy, on a log."""
    evaluation = report.evaluation
    picture = estimate_still(report)
    named = evaluation.log.names
    logged = {"Share in the log": shares(_named(named, evaluation.logged_draws))}
    return Page(
        title=report.title,
        lead=lead(report),
        cards=_cards(report),
        course="What the log tells",
        certified=_certified(report),
        panels=[course_panel(report)] if len(evaluation.course()) > 1 and "anytime" in evaluation.estimates else (),
        estimates=_table(report),
        arms=arm_table(_named(named, evaluation.draws), logged),
        stills=[replace(picture, notes=[*picture.notes, *evaluation.notes])] if picture else (),
        certificates=report.certificates or None,
        tables=[
            (
                report.subject.capitalize(),
                [("Name", report.learner), *template.facts(report.parameters, {"n_arms": "arms"})],
            ),
            ("Data", [*template.facts(report.source, SOURCE_NAMES), *_weights(evaluation)]),
        ],
    )


def _certified(report: LoggedReport) -> str:
    text = (
        f"What the log proves of the {report.subject}, after every number of rounds at once: how far the last estimate "
        "may be from the truth, and whether its losses are less than those of others (below 0)."
    )
    if not report.evaluation.learners:
        return text
    return (
        f"{text} The rest is about the learner’s own draws, in its first run along the log. Nobody knows what the "
        "other arms would have brought then."
    )


def estimate_still(report: LoggedReport) -> Still | None:
    """Each estimate with its interval, beside the mean of the log."""
    named = [(_name(key), one) for key, one in report.evaluation.estimates.items()]
    title = f"Mean {report.quantity} of the {report.subject}: estimates and their {report.confidence} intervals"
    return whiskers("estimates", title, f"Mean {report.quantity} of a round", named, (OWN, report.evaluation.logged))


def quantity_of(log: ShownLog) -> str:
    """What a round of a log gave."""
    return "loss" if log.losses else "reward"


def narrow(looks: Sequence[Look]) -> Sequence[Look]:
    """The part of a course in which the interval is not far wider than at the end."""
    last = looks[-1][2] - looks[-1][1]
    return looks[next(k for k, look in enumerate(looks) if look[2] - look[1] <= max(FAR_WIDER * last, 0.0)) :]


def course_panel(report: LoggedReport) -> Panel:
    """The interval that holds at any time, from where it is not far wider than at the end."""
    spans = [(float(rounds), low, high) for rounds, low, high, _ in narrow(report.evaluation.course())]
    write, own = _writer(report.evaluation), report.evaluation.logged.value
    lines = [
        Series(OWN, "log", [(spans[0][0], own), (spans[-1][0], own)], final=write(own)),
        Series(
            f"{report.confidence} interval", "outer", (), mark="band", spans=spans,
            final=formatting.between(spans[-1][1], spans[-1][2]),
        ),
    ]  # fmt: skip
    rounds = [int(span[0]) for span in spans]
    title = f"Mean {report.quantity} of the {report.subject}, in an interval that holds at any time"
    return Panel(
        "mean", title, f"Mean {report.quantity} of a round", "real", lines, [], scale="linear",
        even=not log_spaced(rounds),
        table=table(rounds, {"From": [span[1] for span in spans], "To": [span[2] for span in spans]}),
    )  # fmt: skip


def lead(report: LoggedReport) -> str:
    """The estimates in one or two sentences."""
    evaluation = report.evaluation
    log = evaluation.log
    text = f"From {summary.many(len(log), 'logged round')} of {summary.many(len(log.names), 'arm')}, drawn by another"
    text += f" policy, the mean {report.quantity} that the {report.subject} would have had is estimated"
    key, best = _headline(evaluation)
    if best is None:
        return text + "."
    write, own = _writer(evaluation), evaluation.logged.value
    text += f": {write(best.low)} to {write(best.high)} ({_name(key).lower()}, which this page always tells first)"
    where = "within" if best.low <= own <= best.high else "below" if own < best.low else "above"
    return f"{text}; the log’s own mean, {write(own)}, is {where} that interval."


def _headline(evaluation: ShownEvaluation) -> tuple[str, ShownEstimate | None]:
    keys = [key for key in HEADLINE if key in evaluation.estimates]
    return (keys[0], evaluation.estimates[keys[0]]) if keys else ("", None)


def _name(key: str) -> str:
    return ESTIMATORS[key][0] if key in ESTIMATORS else key


def _named(names: Sequence[str], values: Iterable[float]) -> dict[str, float]:
    return {name: float(share) for name, share in zip(names, values, strict=True)}


def _weights(evaluation: ShownEvaluation) -> list[tuple[str, str]]:
    named = {"Worth so many rounds of equal weights": evaluation.effective, "Largest weight": evaluation.largest}
    return [(name, formatting.real(value)) for name, value in named.items()]


def _cards(report: LoggedReport) -> list[Card]:
    evaluation = report.evaluation
    runs = f"× {summary.many(evaluation.runs, 'run')}, " if evaluation.runs > 1 else ""
    write = _writer(evaluation)
    cards = [
        Card(
            "Logged rounds",
            formatting.number(len(evaluation.log)),
            f"{runs}in {formatting.real(evaluation.seconds, 3)} s",
        ),
        Card("Arms", formatting.number(len(evaluation.log.names))),
        Card(f"Mean {report.quantity} of the log", *_valued(evaluation.logged, "", write)),
    ]
    key, best = _headline(evaluation)
    if best is not None:
        cards.append(Card(f"Estimate for the {report.subject}", *_valued(best, _name(key).lower(), write)))
    return cards


def _valued(one: ShownEstimate, name: str, write: Write) -> tuple[str, str]:
    """An estimate and, as its note, its interval."""
    ends = f"{write(one.low)} to {write(one.high)}"
    return write(one.value), f"{name}, {ends}" if name else ends


def _table(report: LoggedReport) -> dict[str, Any]:
    evaluation = report.evaluation
    write = _writer(evaluation)
    named = [(*ESTIMATORS.get(key, (key, "")), one) for key, one in evaluation.estimates.items()]
    named.append((OWN, "the mean of what the log itself recorded", evaluation.logged))
    cautious = any(one.cautious for *_, one in named)
    taken = {one.assuming for *_, one in named if one.assuming}
    note = f"Each interval is meant to hold the mean {report.quantity} with a probability of {report.confidence}."
    note += "".join(f" The one without normality assumes that {words}." for words in sorted(taken))
    return {
        "note": note,
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


def _writer(evaluation: ShownEvaluation) -> Write:
    return writer([*evaluation.estimates.values(), evaluation.logged])


def _cell(value: float, write: Write = formatting.number) -> str:
    return write(value) if math.isfinite(value) else formatting.real(value)
