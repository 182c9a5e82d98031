"""The report on several policies on one log: the interval of each over time, and together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from . import formatting, summary, template
from .curves import Panel, Series, log_spaced, table
from .intervals import whiskers, writer
from .logged_page import OWN, SOURCE_NAMES, narrow, quantity_of
from .page import Page
from .summary import Card

if TYPE_CHECKING:
    from ..certificate import Certificate
    from .curves import Still
    from .intervals import Write
    from .logged_page import ShownEvaluation

MOST_BANDS = 6
"""So many colours of bands can be told apart."""

NAME = 16  # characters of a policy's name: a card has no more on one line


@dataclass(frozen=True, slots=True)
class PoliciesReport:
    """What a log says of several policies at once, ready to be shown.

    Parameters
    ----------
    title : str
        The headline.
    evaluations : mapping of str to ShownEvaluation
        By the names of the policies, at least two, all of one log.
    source : mapping
        As of `LoggedReport`.
    certificates : sequence of Certificate
        Of all of them.
    """

    title: str
    evaluations: Mapping[str, ShownEvaluation]
    source: Mapping[str, object]
    certificates: Sequence[Certificate] = ()

    @property
    def first(self) -> ShownEvaluation:
        """The first one, for all that they share."""
        return next(iter(self.evaluations.values()))

    @property
    def named(self) -> list[tuple[str, ShownEvaluation]]:
        """With names that fit a legend, of which no two are the same."""
        labels = [formatting.label(name, NAME) for name in self.evaluations]
        alike = {label for label in labels if labels.count(label) > 1}
        each = enumerate(zip(labels, self.evaluations.values(), strict=True), 1)
        return [(f"{place} {label}" if label in alike else label, one) for place, (label, one) in each]

    @property
    def allowed(self) -> list[tuple[str, ShownEvaluation]]:
        """Those whose value the log does not refuse."""
        return [(name, one) for name, one in self.named if "anytime" in one.estimates]

    @property
    def levels(self) -> tuple[str, str]:
        """With what probability each interval that holds at any time does so, and with what all of them do."""
        delta, many = self.first.delta, len(self.evaluations)
        return f"{100 * (1 - delta / many):.6g}%", formatting.percent(1 - delta)


def page_of_policies(report: PoliciesReport) -> Page:
    """The intervals of several policies beside each other, over time and at the end."""
    log, (each, together) = report.first.log, report.levels
    return Page(
        title=report.title,
        lead=f"From {summary.many(len(log), 'logged round')} of {summary.many(len(log.names), 'arm')}, drawn by one "
        f"policy, the mean {quantity_of(log)} that each of {len(report.evaluations)} would have had is estimated. "
        f"{_shared(report)}",
        cards=_cards(report),
        course="What the log tells",
        certified="What the log proves of each policy, after every number of rounds at once: how far its estimate "
        "may be from the truth, and whether its losses are less than those of others (below 0). "
        f"Each line holds with probability {each}, and those of one kind hold together with {together}.",
        panels=[policies_panel(report)] if len(report.first.course()) > 1 and report.allowed else (),
        stills=[one] if (one := last_still(report)) else (),
        certificates=report.certificates or None,
        tables=[("Data", template.facts(report.source, SOURCE_NAMES))],
    )


def _shared(report: PoliciesReport) -> str:
    """How delta is divided."""
    each, together = report.levels
    delta, many = report.first.delta, len(report.evaluations)
    return (
        f"Each of the {many} intervals has δ/K = {delta:g}/{many} of the risk: it holds at all times at once with "
        f"probability {each}, so that all of them hold together with {together} (union bound)."
    )


def policies_panel(report: PoliciesReport) -> Panel:
    """The interval of each policy that holds at any time, from where one of them is not far wider than at the end."""
    named = report.allowed
    shown = {name: narrow(one.course()) for name, one in named[:MOST_BANDS]}
    first = min(looks[0][0] for looks in shown.values())
    rounds = [look[0] for look in report.first.course() if look[0] >= first]
    own, write = report.first.logged.value, _writer(report)
    lines = [Series(OWN, "log", [(float(t), own) for t in rounds], final=write(own))]
    columns: dict[str, list[float | None]] = {}
    for place, (name, looks) in enumerate(shown.items()):
        spans = [(float(t), low, high) for t, low, high, _ in looks]
        final = formatting.between(*spans[-1][1:])
        lines.append(Series(name, f"expert{place}", (), mark="band", spans=spans, final=final))
        known = {t: (low, high) for t, low, high, _ in looks}
        for end, text in enumerate(("from", "to")):
            columns[f"{name}, {text}"] = [known[t][end] if t in known else None for t in rounds]
    left = len(named) > MOST_BANDS
    notes = [_shared(report), *([f"Of {len(named)} policies the first {MOST_BANDS} are shown here."] if left else [])]
    what = f"Mean {quantity_of(report.first.log)}"
    return Panel(
        "mean", f"{what} of each policy, in an interval that holds at any time", f"{what} of a round", "real", lines,
        notes, scale="linear", even=not log_spaced(rounds), table=table(rounds, columns),
    )  # fmt: skip


def last_still(report: PoliciesReport) -> Still | None:
    """Each policy with its interval at the last round, beside the mean of the log."""
    each, _ = report.levels
    what = quantity_of(report.first.log)
    named = [(name, one.estimates["anytime"]) for name, one in report.allowed]
    title = f"Mean {what} of each policy after the last round: estimates and their {each} intervals, at any time"
    picture = whiskers("estimates", title, f"Mean {what} of a round", named, (OWN, report.first.logged))
    remarks = [f"{name}: {note}" for name, one in report.named for note in one.notes]
    return replace(picture, notes=[*picture.notes, *remarks]) if picture else None


def _cards(report: PoliciesReport) -> list[Card]:
    log, write = report.first.log, _writer(report)
    seconds = sum(one.seconds for one in report.evaluations.values())
    cards = [
        Card("Logged rounds", formatting.number(len(log)), f"in {formatting.real(seconds, 3)} s"),
        Card("Policies", formatting.number(len(report.evaluations)), f"{report.levels[0]} each"),
        Card(f"Mean {quantity_of(log)} of the log", write(report.first.logged.value)),
    ]
    for name, one in report.named[:MOST_BANDS]:
        last = one.estimates.get("anytime")
        cells = ("–", "refused") if last is None else (write(last.value), f"{write(last.low)} to {write(last.high)}")
        cards.append(Card(name, *cells))
    return cards


def _writer(report: PoliciesReport) -> Write:
    ends = [one.estimates["anytime"] for _, one in report.allowed]
    return writer([*ends, report.first.logged])
