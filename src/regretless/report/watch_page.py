"""The report on losses and their alarms: by window, their mean inside an interval, and the evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

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


Columns = Sequence[WatchedColumn]


class Alarmed(Protocol):
    """An alarm, as the page reads it."""

    @property
    def round(self) -> int: ...


class Watched(Protocol):
    """Losses and their alarms, as the page reads them; `alarms_` are the first ones."""

    level: float

    @property
    def alarms_(self) -> Sequence[Alarmed]: ...
    @property
    def rounds_(self) -> int: ...
    @property
    def promise(self) -> str: ...
    def results(self) -> Sequence[WatchedColumn]:
        """A result for each column."""
        ...

    def certify(self) -> Sequence[Certificate]:
        """The bounds beside the counts."""
        ...


@dataclass(frozen=True, slots=True)
class WatchReport:
    """Losses and their alarms, ready to be shown.

    Parameters
    ----------
    title : str
        The headline.
    watch : Watch
    source : mapping
        Where the losses came from.
    seconds : float, optional
    """

    title: str
    watch: Watched
    source: Mapping[str, object]
    seconds: float | None = None


def page_of_watch(report: WatchReport) -> Page:
    """Losses by window, the mean inside its interval, and the evidence with its threshold and alarms."""
    watch, columns = report.watch, report.watch.results()
    alarms, promise = sum(column.alarms for column in columns), watch.promise
    panels = (
        [_loss_panel(watch, columns), *_mean_panels(watch, columns), evidence_panel(columns)] if watch.rounds_ else []
    )
    return Page(
        title=report.title,
        lead=f"{summary.many(watch.rounds_, 'round')} watched: {summary.many(alarms, 'alarm')}.",
        cards=_cards(report, columns),
        verdict=Verdict(
            "idle" if alarms else "held",
            "Losses got worse" if alarms else "No alarm",
            f"{_worse(columns)}{promise[:1].upper()}{promise[1:]}.",
        ),
        tight=True,
        certified="What is promised of losses that are not worse than the reference, beside what was counted.",
        panels=panels,
        certificates=watch.certify(),
        tables=[
            *((formatting.label(column.name), _facts(column)) for column in columns[:MOST_COLUMNS]),
            ("Data", template.facts(report.source, template.SOURCE_NAMES)),
        ],
    )


def _worse(columns: Columns) -> str:
    """Which columns had an alarm, in a sentence; nothing if there is only one column."""
    names = [formatting.label(column.name, 30) for column in columns if column.alarms]
    if not names or len(columns) == 1:
        return ""
    more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
    return f"In {', '.join(names[:FEW])}{more}. "


def _styles(columns: Columns) -> list[tuple[str, WatchedColumn]]:
    """A style for each column; what is more than can be told apart is in the tables alone."""
    if len(columns) == 1:
        return [("first", columns[0])]
    return [(f"expert{place}", column) for place, column in enumerate(columns[:MOST_COLUMNS])]


def _alarm_strokes(watch: Watched, low: float, high: float) -> list[Series]:
    alarms = watch.alarms_
    if not alarms:
        return []
    spans = [(float(alarm.round), low, high) for alarm in alarms]
    shown = formatting.count(len(alarms))
    return [Series("Alarms", "bound0", (), spans=spans, final=shown)]


def _references(columns: Columns) -> list[Series]:
    """A line at the reference, if all columns have the same."""
    levels = {column.reference for column in columns}
    course = columns[0].course
    level = levels.pop()
    if level is None or levels:
        return []
    ends = [(float(course[0].round), level), (float(course[-1].round), level)]
    return [Series("Reference", "log", ends, final=formatting.real(level))]


def _loss_panel(watch: Watched, columns: Columns) -> Panel:
    course = columns[0].course
    lines = [
        Series(
            formatting.label(column.name, 30), style, [(float(point.round), point.loss) for point in column.course],
            final=formatting.real(column.course[-1].loss),
        )
        for style, column in _styles(columns)
    ]  # fmt: skip
    values = [value for line in lines for _, value in line.points]
    lines += [*_references(columns), *_alarm_strokes(watch, min(0.0, *values), max(values))]
    size = f"Each point is the mean of {summary.many(_window(course), 'round')}, the last one perhaps of fewer."
    return Panel(
        "windows", "Losses by window", "Mean loss", "real", lines, [size], scale="linear", even=True,
        table=table([point.round for point in course], {
            column.name: [point.loss for point in column.course] for _, column in _styles(columns)
        }),
    )  # fmt: skip


def _window(course: Sequence[WatchPoint]) -> int:
    return course[1].round - course[0].round if len(course) > 1 else course[0].round


def _mean_panels(watch: Watched, columns: Columns) -> list[Panel]:
    """The mean inside its interval, of a single column."""
    if len(columns) > 1:
        return []
    (column,) = columns
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
            f"{formatting.percent(watch.level)} interval", "outer", (), mark="band", spans=spans,
            final=formatting.between(last.low, last.high),
        ),
        *_references(columns),
    ]  # fmt: skip
    ends = {"Mean": [p.mean for p in course], "From": [p.low for p in course], "To": [p.high for p in course]}
    return [
        Panel(
            "mean", "The mean of the losses so far", "Mean loss", "real", lines, [], scale="linear", even=True,
            table=table(rounds, ends),
        )
    ]  # fmt: skip


def evidence_panel(columns: Columns) -> Panel:
    """The evidence of each column under the threshold of an alarm, by windows."""
    course, threshold = columns[0].course, columns[0].threshold
    lines = [
        Series(
            formatting.label(column.name, 30), style, [(float(point.round), point.evidence) for point in column.course],
            final=formatting.real(column.evidence),
        )
        for style, column in _styles(columns)
    ]  # fmt: skip
    ends = [(float(course[0].round), threshold), (float(course[-1].round), threshold)]
    lines.append(Series("Alarm", "bound0", ends, bound=True, final=formatting.number(threshold)))
    return Panel(
        "evidence", "Evidence that losses exceed the reference", "Evidence, the most of a window", "real", lines, [],
        scale="log", even=True, least=LEAST,
        table=table([point.round for point in course], {
            column.name: [point.evidence for point in column.course] for _, column in _styles(columns)
        }),
    )  # fmt: skip


def _cards(report: WatchReport, columns: Columns) -> list[Card]:
    took = "" if report.seconds is None else f"in {formatting.real(report.seconds, 3)} s"
    cards = [Card("Rounds", formatting.number(report.watch.rounds_), took)]
    for column in sorted(columns, key=lambda column: -column.alarms)[:FEW]:
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
