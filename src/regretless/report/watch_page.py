"""The report on losses that were watched: by window, their mean inside an interval, and the evidence of the alarms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from . import formatting, summary, template
from .curves import Panel, Series, table
from .page import Page
from .summary import Card, Verdict

if TYPE_CHECKING:
    from ..certificate import Certificate

LEAST = 1e-3  # evidence below this is as good as none
FAR_WIDER = 12.0  # an interval so many times wider than the last one would flatten the rest of the chart
FEW = 3  # columns that are named, and have a card
MOST_COLUMNS = 12  # as many lines can be told apart


class WatchPoint(NamedTuple):
    """A window of the course: its last round, its mean loss and most evidence; the mean up to it and its interval."""

    round: int
    loss: float
    evidence: float
    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class WatchedColumn:
    """What is known of a column.

    Attributes
    ----------
    name : str
    reference : float or None
        None before it is known.
    earlier : (int, float) or None
        The earlier rounds that it comes from, and their mean loss.
    threshold, evidence : float
    alarms : int
    last, since : int or None
        The round of the last alarm, and since when losses were worse then, as estimated.
    mean : float or None
    interval : (float, float)
    course : sequence of WatchPoint
    """

    name: str
    reference: float | None
    earlier: tuple[int, float | None] | None
    threshold: float
    evidence: float
    alarms: int
    last: int | None
    since: int | None
    mean: float | None
    interval: tuple[float, float]
    course: Sequence[WatchPoint]


@dataclass(frozen=True, slots=True)
class WatchReport:
    """Losses that were watched, ready to be shown.

    Parameters
    ----------
    title : str
        The headline.
    columns : sequence of WatchedColumn
    alarms : sequence of (int, str)
        The first ones: their rounds and columns.
    rounds : int
    level : float
        With this probability all intervals hold, after every number of rounds.
    promise : str
        What is promised of false alarms.
    certificates : sequence of Certificate
    source : mapping
        Where the losses came from.
    seconds : float, optional
    """

    title: str
    columns: Sequence[WatchedColumn]
    alarms: Sequence[tuple[int, str]]
    rounds: int
    level: float
    promise: str
    certificates: Sequence[Certificate]
    source: Mapping[str, object]
    seconds: float | None = None


def page_of_watch(report: WatchReport) -> Page:
    """Losses by window, the mean inside its interval, and the evidence with its threshold and alarms."""
    alarms = sum(column.alarms for column in report.columns)
    panels = [_loss_panel(report), *_mean_panels(report), _evidence_panel(report)] if report.rounds else []
    return Page(
        title=report.title,
        lead=f"{summary.many(report.rounds, 'round')} watched: {summary.many(alarms, 'alarm')}.",
        cards=_cards(report),
        verdict=Verdict(
            "idle" if alarms else "held",
            "Losses got worse" if alarms else "No alarm",
            f"{_worse(report)}{report.promise[:1].upper()}{report.promise[1:]}.",
        ),
        tight=True,
        certified="What is promised of losses that are not worse than the reference, beside what was counted.",
        panels=panels,
        certificates=report.certificates,
        tables=[
            *((formatting.label(column.name), _facts(column)) for column in report.columns[:MOST_COLUMNS]),
            ("Data", template.facts(report.source, template.SOURCE_NAMES)),
        ],
    )


def _worse(report: WatchReport) -> str:
    """Which columns had an alarm, in a sentence; nothing if there is only one column."""
    names = [formatting.label(column.name, 30) for column in report.columns if column.alarms]
    if not names or len(report.columns) == 1:
        return ""
    more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
    return f"In {', '.join(names[:FEW])}{more}. "


def _styles(report: WatchReport) -> list[tuple[str, WatchedColumn]]:
    """A style for each column; what is more than can be told apart is in the tables alone."""
    if len(report.columns) == 1:
        return [("first", report.columns[0])]
    return [(f"expert{place}", column) for place, column in enumerate(report.columns[:MOST_COLUMNS])]


def _alarm_strokes(report: WatchReport, low: float, high: float) -> list[Series]:
    if not report.alarms:
        return []
    spans = [(float(round), low, high) for round, _ in report.alarms]
    shown = formatting.count(len(report.alarms))
    return [Series("Alarms", "bound0", (), spans=spans, final=shown)]


def _references(report: WatchReport) -> list[Series]:
    """A line at the reference, if all columns have the same."""
    levels = {column.reference for column in report.columns}
    course = report.columns[0].course
    level = levels.pop()
    if level is None or levels:
        return []
    ends = [(float(course[0].round), level), (float(course[-1].round), level)]
    return [Series("Reference", "log", ends, final=formatting.real(level))]


def _loss_panel(report: WatchReport) -> Panel:
    course = report.columns[0].course
    lines = [
        Series(
            formatting.label(column.name, 30), style, [(float(point.round), point.loss) for point in column.course],
            final=formatting.real(column.course[-1].loss),
        )
        for style, column in _styles(report)
    ]  # fmt: skip
    values = [value for line in lines for _, value in line.points]
    lines += [*_references(report), *_alarm_strokes(report, min(0.0, *values), max(values))]
    size = f"Each point is the mean of {summary.many(_window(course), 'round')}, the last one perhaps of fewer."
    return Panel(
        "windows", "Losses by window", "Mean loss", "real", lines, [size], scale="linear", even=True,
        table=table([point.round for point in course], {
            column.name: [point.loss for point in column.course] for _, column in _styles(report)
        }),
    )  # fmt: skip


def _window(course: Sequence[WatchPoint]) -> int:
    return course[1].round - course[0].round if len(course) > 1 else course[0].round


def _mean_panels(report: WatchReport) -> list[Panel]:
    """The mean inside its interval, of a single column."""
    if len(report.columns) > 1:
        return []
    (column,) = report.columns
    last = column.course[-1]
    course = [point for point in column.course if point.high - point.low <= FAR_WIDER * (last.high - last.low)]
    rounds = [point.round for point in course]
    spans = [(float(point.round), point.low, point.high) for point in course]
    lines = [
        Series(
            "Mean so far", "first", [(float(point.round), point.mean) for point in course],
            final=formatting.real(last.mean),
        ),
        Series(
            f"{formatting.percent(report.level)} interval", "outer", (), mark="band", spans=spans,
            final=formatting.between(last.low, last.high),
        ),
        *_references(report),
    ]  # fmt: skip
    columns = {"Mean": [p.mean for p in course], "From": [p.low for p in course], "To": [p.high for p in course]}
    return [
        Panel(
            "mean", "The mean of the losses so far", "Mean loss", "real", lines, [], scale="linear", even=True,
            table=table(rounds, columns),
        )
    ]  # fmt: skip


def _evidence_panel(report: WatchReport) -> Panel:
    course, threshold = report.columns[0].course, report.columns[0].threshold
    lines = [
        Series(
            formatting.label(column.name, 30), style, [(float(point.round), point.evidence) for point in column.course],
            final=formatting.real(column.evidence),
        )
        for style, column in _styles(report)
    ]  # fmt: skip
    ends = [(float(course[0].round), threshold), (float(course[-1].round), threshold)]
    lines.append(Series("Alarm", "bound0", ends, bound=True, final=formatting.number(threshold)))
    return Panel(
        "evidence", "Evidence that losses exceed the reference", "Evidence, the most of a window", "real", lines, [],
        scale="log", even=True, least=LEAST,
        table=table([point.round for point in course], {
            column.name: [point.evidence for point in column.course] for _, column in _styles(report)
        }),
    )  # fmt: skip


def _cards(report: WatchReport) -> list[Card]:
    took = "" if report.seconds is None else f"in {formatting.real(report.seconds, 3)} s"
    cards = [Card("Rounds", formatting.number(report.rounds), took)]
    for column in sorted(report.columns, key=lambda column: -column.alarms)[:FEW]:
        if column.mean is None:
            continue
        last = "" if column.last is None else f", the last in round {formatting.count(column.last)}"
        note = f"{formatting.between(*column.interval)}; {summary.many(column.alarms, 'alarm')}{last}"
        cards.append(Card(f"Mean of {formatting.label(column.name, 16)}", formatting.real(column.mean), note))
    return cards


def _facts(column: WatchedColumn) -> list[tuple[str, str]]:
    values: dict[str, object] = {"Reference": column.reference}
    if column.earlier is not None:
        values |= {"Rounds it comes from": column.earlier[0], "Their mean": column.earlier[1]}
    values |= {"Alarm at an evidence of": column.threshold, "Alarms": column.alarms}
    values |= {"Last alarm in round": column.last, "Worse since round, estimated": column.since}
    return template.facts(values, {})
