"""Rows that `watch` reads, the states that it saves and goes on from, and the line of an alarm."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ...errors import Interrupted, ModelError
from ...report.formatting import printable
from ...report.terminal import number_text
from .. import options
from ..arguments import ReportOptions
from ..files import MODEL
from ..output import UsageError

if TYPE_CHECKING:
    from ...alarms import Watch
    from ...alarms.column import ColumnAlarm
    from ...data.losses import LossColumns, LossRows


class WatchOptions(ReportOptions):
    """Of `watch`."""

    file: str
    column: list[str]
    against: str | None
    range: list[float] | None
    time: str | None
    missing: str | None
    format: str | None
    header: bool | None
    reference: float | None
    reference_rounds: int | None
    period: int | None
    previous: str | None
    delta: float | None
    mean_rounds: float | None
    alpha: float | None
    level: float | None
    resume: str | None
    save: str | None
    fail_on_alarm: bool


STATE = "regretless.watch-state/1"
OF_STATE = (
    "column", "against", "reference", "reference_rounds", "period", "previous", "mean_rounds", "alpha", "delta",
    "level", "range",
)  # fmt: skip


class Job:
    """Reads rows, watches them, and prints each alarm at once.

    Attributes
    ----------
    watch : Watch or None
        None before the columns are known.
    raised : list of (row, time, alarm)
        The alarms of this file, its rows counted from 1; the first 1,000.
    rows, skipped : int
        Rows of this file so far, and how many of them were left out.
    notes : list of str
        Notes on the columns.
    waiting : bool
        Whether the next rows are being read.
    before : dict of int, or None
        The alarms of each column before this file, where it goes on with a state.
    spent : list of str
        The columns that had their one alarm before this file, so that none of its rows can raise another.
    """

    def __init__(self, arguments: WatchOptions) -> None:
        self._arguments = arguments
        self.raised: list[tuple[int, str | None, ColumnAlarm]] = []
        self.rows = self.skipped = 0
        self.waiting = False
        self.notes: list[str] = []
        self.before: dict[str, int] | None = None
        self.spent: list[str] = []
        self._names, self._against = options.names_of(arguments.column), arguments.against
        self._range = options.range_of(arguments.range)
        if arguments.resume is not None:
            self.watch: Watch | None = self._read_state(arguments.resume)
            self.before = {column.name: column.alarms for column in self.watch.results()}
            self.spent = self.watch.spent_
            return
        _refuse_sources(arguments)
        self._refuse_names()
        self._new_watch(["loss"])  # so that a setting without meaning is refused before a file is read
        self.watch = None
        if arguments.previous is not None:
            self._begin(arguments.previous)

    def play(self, stop: Callable[[], bool] = lambda: False) -> Iterator[int]:
        """Watch the file; yields the number of rows after each part, where the caller may stop.

        Parameters
        ----------
        stop : callable
            Whether to stop; called before it waits for rows.

        Raises
        ------
        RegretlessError
            If a row cannot be used.
        """
        from ...data.source import LiveInput

        source: Any = LiveInput() if self._arguments.file == "-" else self._arguments.file
        stream = self._open(source)
        parts = stream.rows()
        while (part := self._next(parts, stop)) is not None:
            self._add(part, self._watch_of(stream))
            self.rows, self.skipped = stream.read, stream.skipped
            yield self.rows
        self.rows, self.skipped = stream.read, stream.skipped
        self.notes += stream.notes

    def _next(self, parts: Iterator[LossRows], stop: Callable[[], bool]) -> LossRows | None:
        self.waiting = True
        try:
            if stop():  # called once waiting is set, so that no signal between the two is lost
                raise Interrupted("interrupted")
            return next(parts, None)
        finally:
            self.waiting = False

    def _add(self, part: LossRows, watch: Watch) -> None:
        before = watch.rounds_
        raised = watch.add(self._losses(part))
        # Rows of the reference are no rounds.
        first = len(part.losses) - (watch.rounds_ - before) - before - 1
        for alarm in raised:
            place = alarm.round + first
            row, time = int(part.places[place]) + 1, part.times[place] if part.times is not None else None
            if len(self.raised) < 1000:
                self.raised.append((row, time, alarm))
            if not self._arguments.json:
                print(printable(alarm_line(row, time, alarm, watch)), flush=True)

    def _open(self, source: Any, *, previous: bool = False) -> LossColumns:
        from ...data.losses import LossColumns

        arguments, names = self._arguments, self._names
        columns = [*(names or ()), self._against] if names and self._against else names
        with options.errors_by_option(("format",)):
            more = {} if previous else {"time": arguments.time, "format": arguments.format}
            skip = arguments.missing == "skip"
            return LossColumns(source, columns, self._range, header=arguments.header, skip_missing=skip, **more)

    def _losses(self, part: LossRows) -> Any:
        """The losses of the rows; their differences where one column is watched against another."""
        return part.losses if self._against is None else part.losses[:, :1] - part.losses[:, 1:]

    def _watch_of(self, stream: LossColumns) -> Watch:
        """The watch, once the columns are known."""
        if self.watch is None:
            self._names = self._names or stream.experts
            self.watch = self._new_watch(self._names)
        return self.watch

    def _begin(self, path: str) -> None:
        """Make all rows of a file the earlier ones of the reference."""
        stream = self._open(path, previous=True)
        for part in stream.rows():
            self._watch_of(stream).begin(self._losses(part))
        self.notes += stream.notes

    def _new_watch(self, names: list[str]) -> Watch:
        from ...alarms import Watch

        arguments, (columns, value_range) = self._arguments, self._watched(names)
        settings: dict[str, Any] = {
            "reference_rounds": arguments.reference_rounds,
            "period": arguments.period,
            "mean_rounds": arguments.mean_rounds,
            "alpha": arguments.alpha,
            "delta": arguments.delta,
            "level": 0.95 if arguments.level is None else arguments.level,
            "reference": arguments.reference,
        }
        if (
            self._against is not None
            and arguments.previous is None
            and arguments.reference_rounds is arguments.period is None
        ):
            settings["reference"] = arguments.reference or 0.0
        reference, (low, high) = settings["reference"], value_range
        if reference is not None and not low < reference < high:
            where = f"what is watched lies between {low:g} and {high:g}"
            raise UsageError(f"--reference={reference!r}; {where}: declare with --range LO HI where losses can lie")
        with options.errors_by_option(settings):
            return Watch(columns, **settings, value_range=value_range)

    def _refuse_names(self) -> None:
        names, against = self._names, self._against
        if names is not None and len(set(names)) < len(names):
            raise UsageError(f"--column {','.join(names)}: one of them is named twice")
        if against is not None and names == [against]:
            raise UsageError(f"--against {against}: a column cannot be watched against itself; name another one")
        if against is not None and (names is None or len(names) != 1):
            raise UsageError(f"--against {against}: name with --column the one column that is watched against it")

    # The state.

    def save(self, path: str) -> None:
        """Write the state, if there is a row in it."""
        from ...atomic_write import replacing

        if self.watch is None:
            return
        state = {"names": self._names, "against": self._against, "range": list(self._range)}
        whole = {"schema": STATE, **state, "watch": self.watch.state_dict()}
        with replacing(path) as file:
            file.write(json.dumps(whole, allow_nan=False).encode())

    def _read_state(self, path: str) -> Watch:
        from ...alarms import Watch
        from ...alarms.base import checked_range
        from ...persist.validation import fits, one

        for name in OF_STATE:
            if options.is_set(getattr(self._arguments, name)):
                raise UsageError(f"--{name.replace('_', '-')} is for a new state, and {path} has it")
        try:
            with open(path, "rb") as file:
                state = json.load(file)
            if not isinstance(state, dict) or state.get("schema") != STATE:
                raise ValueError("it has another schema")
        except (ValueError, RecursionError) as error:
            fault = "this is a saved model, and" if path.endswith(MODEL) else "this is"
            raise ModelError(f"{path}: {fault} no state that watch --save wrote; name one") from error
        with fits(f"{path}: the state"):
            self._names = [one(name, str, "a name") for name in state["names"]]
            self._against = None if state["against"] is None else one(state["against"], str, "a name")
            self._range = checked_range(state["range"])
            watch = Watch.from_state(state["watch"])
            if (watch.columns, watch.value_range) != self._watched(self._names):
                raise ValueError("it is of other columns than are read")
            return watch

    def _watched(self, names: list[str]) -> tuple[list[str], tuple[float, float]]:
        """The columns of the watch where these are read, and the range of their values."""
        low, high = self._range
        if self._against is None:
            return names, (low, high)
        return [f"{names[0]} - {self._against}"], (low - high, high - low)


def _refuse_sources(arguments: WatchOptions) -> None:
    """Refuse less or more than one reference."""
    references = {
        "--reference": arguments.reference,
        "--reference-rounds": arguments.reference_rounds,
        "--period": arguments.period,
        "--previous": arguments.previous,
    }
    stated = [name for name, value in references.items() if value is not None]
    if len(stated) > 1:
        raise UsageError(f"{' and '.join(stated)}: one reference is expected")
    if not stated and arguments.against is None:
        ways = "--reference P, --reference-rounds M, --period M, --previous FILE, or another column --against COLUMN"
        raise UsageError(f"say what the losses are compared with: {ways}")
    if arguments.alpha is not None and arguments.mean_rounds is not None:
        raise UsageError("--mean-rounds and --alpha: one promise is expected")
    if arguments.delta is not None and stated in ([], ["--reference"]):
        raise UsageError(
            "--delta is for a reference from earlier rows: --reference-rounds M, --period M or --previous FILE"
        )


def alarm_line(row: int, time: str | None, alarm: ColumnAlarm, watch: Watch) -> str:
    """An alarm in a line, its rounds as rows of the file."""
    when = f"row {row:,}" + ("" if time is None else f" ({time})")
    assert watch.references_ is not None
    reference = watch.references_[list(watch.columns).index(alarm.column)]
    since = "" if alarm.since is None else f", {_since(row - alarm.round + alarm.since)}"
    than = number_text(reference) if watch.period is None else "the limit of the period before"
    evidence = f"evidence {number_text(alarm.evidence)}, and {number_text(alarm.threshold)} is enough"
    return f"{when}: alarm: {alarm.column} exceeds {than}: {evidence}{since}"


def _since(row: int) -> str:
    return f"since about row {row:,}" if row > 0 else "since before this file"
