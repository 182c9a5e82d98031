"""A column of losses: its alarm, its mean, and its course by windows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..persist.validation import one
from ..report import WatchedColumn, WatchPoint
from ..theory.confidence import interval
from .base import Alarm, Array
from .confidence import ConfidenceSequence

LARGEST = 1e300


class ColumnAlarm(NamedTuple):
    """An alarm.

    Attributes
    ----------
    round : int
        From 1; earlier rounds of the reference are not counted.
    column : str
    evidence, threshold : float
    since : int or None
        Since which round losses have been worse, as estimated; None from a fixed start.
    """

    round: int
    column: str
    evidence: float
    threshold: float
    since: int | None


class _Window(NamedTuple):
    """Rounds in a row: the sum of their losses, the largest evidence, and the sums up to the last of them."""

    rounds: int
    losses: float
    evidence: float
    until: int
    total: float
    variance: float


class WatchedLosses:
    """One column: its alarm once there is a reference, its mean, and its windows; where references are renewed, also
    the rounds of this period, for the next one."""

    def __init__(self, name: str, earlier: ConfidenceSequence, mean: ConfidenceSequence) -> None:
        self.name, self.earlier, self.mean = name, earlier, mean
        self.alarm: Alarm | None = None
        self.period: ConfidenceSequence | None = None
        self.windows: list[_Window] = []
        self.open: _Window | None = None

    def add(self, values: Array) -> list[ColumnAlarm]:
        """Add further losses; the alarms that they raise."""
        assert self.alarm is not None
        evidence = self.alarm.play(values)
        self.mean.update(values)
        if self.period is not None:
            self.period.update(values)
        before, sums = self.open or _Window(0, 0.0, 0.0, 0, 0.0, 0.0), self.mean.sums
        most = max(before.evidence, float(evidence.max()))
        ends = (sums.rounds, sums.total, sums.variance)
        self.open = _Window(before.rounds + len(values), sum(values.tolist(), before.losses), most, *ends)
        threshold = self.alarm.threshold
        return [ColumnAlarm(one.round, self.name, one.evidence, threshold, one.since) for one in self.alarm.raised_]

    def close(self, merge: bool) -> None:
        """End the window; with `merge`, make one of each two."""
        assert self.open is not None
        self.windows.append(self.open)
        self.open = None
        if merge:
            pairs = zip(self.windows[::2], self.windows[1::2], strict=True)
            self.windows = [
                _Window(a.rounds + b.rounds, a.losses + b.losses, max(a.evidence, b.evidence), *b[3:]) for a, b in pairs
            ]

    def course(self) -> list[WatchPoint]:
        """The windows, with the mean up to each and its interval."""
        windows = [*self.windows, *([self.open] if self.open else [])]
        if not windows:
            return []
        until, totals, variances = (np.array([each[place] for each in windows], dtype=float) for place in (3, 4, 5))
        low, high = self.mean.value_range
        ends = (totals / until, *interval(until, totals, variances, 1 - self.mean.level))
        mean, first, last = ((low + (high - low) * each).tolist() for each in ends)
        return [
            WatchPoint(each.until, each.losses / each.rounds, each.evidence, *rest)
            for each, *rest in zip(windows, mean, first, last, strict=True)
        ]

    def result(self) -> WatchedColumn:
        """The column as a result."""
        alarm, mean = self.alarm, self.mean
        low, high = mean.interval_
        earlier = (self.earlier.rounds_, self.earlier.mean_) if self.earlier.rounds_ else None
        return WatchedColumn(
            self.name,
            None if alarm is None else alarm.reference,
            earlier,
            0.0 if alarm is None else alarm.threshold,
            0.0 if alarm is None else alarm.evidence,
            0 if alarm is None else alarm.ledger_.alarms,
            None if alarm is None else alarm.last_alarm_,
            getattr(alarm, "since_", None),
            mean.mean_,
            (low, high),
            self.course(),
        )

    def state_dict(self) -> dict[str, Any]:
        """The state, as JSON values."""
        return {
            "alarm": None if self.alarm is None else self.alarm.state_dict(),
            "earlier": self.earlier.state_dict(),
            "mean": self.mean.state_dict(),
            "period": None if self.period is None else self.period.state_dict(),
            "windows": [list(window) for window in self.windows],
            "open": None if self.open is None else list(self.open),
        }

    def restore(self, state: Mapping[str, Any], rule: type[Alarm]) -> None:
        """Restore a `state_dict`."""
        self.alarm = None if state["alarm"] is None else rule.from_state(state["alarm"])
        self.earlier = ConfidenceSequence.from_state(state["earlier"])
        self.mean = ConfidenceSequence.from_state(state["mean"])
        self.period = None if state.get("period") is None else ConfidenceSequence.from_state(state["period"])
        self.windows = [_window_of(window) for window in state["windows"]]
        self.open = None if state["open"] is None else _window_of(state["open"])


def _window_of(described: Any) -> _Window:
    window = _Window(*one(described, list, "a window"))
    if not all(type(value) in (int, float) and abs(value) < LARGEST for value in window):  # which NaN is not either
        raise ValueError("a window is none")
    if not (1 <= window.rounds <= window.until and window.variance >= 0):
        raise ValueError("a window ends before it begins")
    return window


def alarm_of(described: Any) -> ColumnAlarm:
    """An alarm as JSON values have it.

    Raises
    ------
    ValueError
        If it is none; or a TypeError.
    """
    alarm = ColumnAlarm(*one(described, list, "an alarm"))
    kinds = (int, str, float, float, int if alarm.since is not None else type(None))
    if tuple(map(type, alarm)) != kinds:
        raise ValueError("an alarm is none")
    return alarm
