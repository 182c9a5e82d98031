"""The report on two classifiers on the same rows, as one file that opens anywhere and asks nothing of any network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from . import formatting, summary, template
from .curves import Panel, Series, log_spaced, table, thin
from .page import Page
from .summary import Card, Verdict

if TYPE_CHECKING:
    from ..certificate import Certificate

FAR_WIDER = 12.0
"""An interval so many times wider than the last one would flatten the rest of the chart."""

Point = tuple[int, float, float, float]
"""A number of rows, the mean of A's mistakes or losses less B's up to there, and its interval."""


class Compared(Protocol):
    """Two learners on the same rows, as the page reads them: mistakes, of which `apart` are those of one alone, or
    losses."""

    @property
    def names(self) -> tuple[str, str]: ...
    @property
    def level(self) -> float: ...
    @property
    def noun(self) -> str: ...
    @property
    def rounds(self) -> int: ...
    @property
    def mistakes(self) -> Sequence[Any]: ...
    @property
    def apart(self) -> Sequence[int]: ...
    @property
    def log_losses(self) -> Sequence[float | None]: ...
    @property
    def decided(self) -> int | None: ...
    @property
    def better(self) -> str | None: ...
    @property
    def course(self) -> Sequence[Point]: ...
    @property
    def certificates(self) -> Sequence[Certificate]: ...
    def verdict(self) -> str:
        """Which of them errs less."""
        ...


@dataclass(frozen=True, slots=True)
class CompareReport:
    """A comparison, ready to be shown.

    Parameters
    ----------
    title : str
        The headline.
    comparison : Compared
    parameters : sequence of mapping
        Of A and of B.
    source : mapping
        Where the rows came from.
    seconds : float
    """

    title: str
    comparison: Compared
    parameters: Sequence[Mapping[str, object]]
    source: Mapping[str, object]
    seconds: float


def page_of_comparison(report: CompareReport) -> Page:
    """Two classifiers, and the difference of their mistakes inside its interval."""
    result = report.comparison
    often = f"with probability {formatting.percent(result.level)} after every number of rows at once"
    since = "" if result.better is None or result.decided is None else (
        f" 0 left the interval first after row {formatting.count(result.decided)}."
    )  # fmt: skip
    return Page(
        title=report.title,
        lead=f"{_capital(result.verdict())}, {often}.",
        cards=_cards(report),
        verdict=Verdict(
            "idle" if result.better is None else "held",
            "Not decided yet" if result.better is None else f"{formatting.label(result.better)} errs less",
            f"The interval holds {often}, so that one may look at any time.{since}",
        ),
        course="The difference, row by row",
        certified="How far the mistakes of each exceed those of the other at most, on average over the rows so far, in "
        "expectation given the rows before.",
        panels=[difference_panel(result)],
        certificates=result.certificates,
        tables=[
            *(
                (formatting.label(name), template.facts(parameters, {}))
                for name, parameters in zip(result.names, report.parameters, strict=True)
            ),
            ("Data", template.facts(report.source, template.SOURCE_NAMES)),
        ],
    )


def difference_panel(result: Compared) -> Panel:
    """A's mistakes or losses less B's, a row, inside the interval that holds at all times."""
    course = _narrow(result.course)
    rounds = [point[0] for point in course]
    mean, low, high = ([point[place] for point in course] for place in (1, 2, 3))
    spans = [(float(t), below, above) for t, below, above in zip(rounds, low, high, strict=True)]
    last = course[-1]
    notes = [f"Before row {formatting.count(rounds[0])} the interval is too wide for this chart."] * (rounds[0] > 1)
    first, second = (formatting.label(name, 30) for name in result.names)
    noun, those = result.noun.capitalize(), "those" if result.noun == "mistakes" else "that"
    lines = [
        Series(
            "Difference", "first", thin([(float(t), value) for t, value in zip(rounds, mean, strict=True)]),
            final=formatting.real(last[1]),
        ),
        Series(
            f"{formatting.percent(result.level)} interval", "outer", (), mark="band", spans=spans,
            final=formatting.between(last[2], last[3]),
        ),
        Series("No difference", "log", [(float(rounds[0]), 0.0), (float(rounds[-1]), 0.0)]),
    ]  # fmt: skip
    return Panel(
        "difference", f"{noun} of {first} less {those} of {second}", f"{noun} per row", "real", lines, notes,
        scale="linear", even=not log_spaced(rounds), across="Rows",
        table=table(rounds, {"Difference": mean, "From": low, "To": high}),
    )  # fmt: skip


def _narrow(course: Sequence[Point]) -> Sequence[Point]:
    """The part of the course in which the interval is not far wider than at the end."""
    _, _, low, high = course[-1]
    first = next(k for k, (_, _, below, above) in enumerate(course) if above - below <= FAR_WIDER * (high - low))
    return course[first:]


def _cards(report: CompareReport) -> list[Card]:
    result = report.comparison
    shown = [Card("Rows", formatting.number(result.rounds), f"in {formatting.real(report.seconds, 3)} s")]
    for name, mistakes, alone, loss in zip(result.names, result.mistakes, result.apart, result.log_losses, strict=True):
        rate = formatting.percent(mistakes / result.rounds)
        log = "" if loss is None else f", log loss {formatting.real(loss / result.rounds)} a row"
        note = f"{summary.many(mistakes, 'mistake')}, {formatting.number(alone)} of them alone{log}"
        shown.append(Card(formatting.label(name, 30), rate, note))
    return shown


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
