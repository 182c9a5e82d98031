"""Intervals around the forecasts of a run, which wait for their outcomes as the run's rounds do."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from heapq import heapify, heappop, heappush
from math import inf, isinf
from typing import Any

import numpy as np

from ..experts.delayed_stream import Waiting
from ..experts.result import TAIL
from ..intervals import AdaptiveIntervals
from ..persist.validation import count, one

Array = np.ndarray[Any, Any]
MOST = 400  # points of the history; when there are more, every other one is dropped and the stride doubles


class RunIntervals:
    """The intervals of a run.

    Attributes
    ----------
    rule : AdaptiveIntervals
    points : list of (rounds, misses)
        How it went, at a few hundred rounds.
    radii : deque of float
        Half the widths around the last forecasts that had an outcome.
    """

    def __init__(self, rule: AdaptiveIntervals) -> None:
        self.rule = rule
        self.points: list[tuple[int, int]] = []
        self.radii: deque[float] = deque(maxlen=TAIL)
        self._stride = 1
        self._row = 0
        self._waiting: list[Waiting] = []

    def play(self, forecasts: Array, outcomes: Array, clock: tuple[Array, Array] | None) -> tuple[Array, Array]:
        """The ends of the intervals of consecutive rows; `clock` says when each is forecast and when its outcome comes.

        Parameters
        ----------
        forecasts, outcomes : ndarray, shape (rows,)
        clock : (ndarray, ndarray) or None
            When each row comes and when its outcome does; None if the outcome comes before the next row.

        Returns
        -------
        low, high : ndarray, shape (rows,)

        Raises
        ------
        RowError
            If an outcome is too far from its forecast for floats.
        """
        if clock is None:
            low, high = self._at_once(forecasts, outcomes)
        else:
            low, high = self._late(forecasts, outcomes, *clock)
        with np.errstate(invalid="ignore"):
            # of an interval that begins at the least outcome, the half that is whole
            halves = (high - low) / 2 if self.rule.least is None else high - forecasts
            radii = np.where(np.isinf(high), inf, halves)
        self.radii.extend(np.where(np.isnan(low), -1.0, radii)[-TAIL:].tolist())
        return low, high

    def _at_once(self, forecasts: Array, outcomes: Array) -> tuple[Array, Array]:
        """Each outcome comes before the next row; stops only where a point is due."""
        parts, begin = [], 0
        while begin < len(forecasts):
            end = min(len(forecasts), begin + self._stride - self.rule.ledger_.rounds % self._stride)
            parts.append(self.rule.play(forecasts[begin:end], outcomes[begin:end]))
            self._note()
            begin = end
        low, high = zip(*parts, strict=True)
        return np.concatenate(low), np.concatenate(high)

    def _late(self, forecasts: Array, outcomes: Array, now: Array, then: Array) -> tuple[Array, Array]:
        ends = np.empty((2, len(forecasts)))
        for row, forecast in enumerate(forecasts.tolist()):
            self.settle(int(now[row]))
            interval = self.rule.interval(forecast)
            ends[:, row] = interval
            self._row += 1
            heappush(self._waiting, (int(then[row]), self._row, interval.ticket, float(outcomes[row])))
        return ends[0], ends[1]

    def settle(self, now: float) -> None:
        """Learn the outcomes that are known by now."""
        while self._waiting and self._waiting[0][0] <= now:
            _, _, ticket, outcome = heappop(self._waiting)
            self.rule.update(ticket, outcome)
            self._note()

    def around(self, forecast: float) -> tuple[float, float]:
        """The interval of a row that has no outcome."""
        interval = self.rule.interval(forecast)
        self.rule.update(interval.ticket, np.nan)
        return interval[0], interval[1]

    def _note(self) -> None:
        """Put down a point if one is due."""
        ledger = self.rule.ledger_
        if ledger.rounds % self._stride == 0:
            self.points.append((ledger.rounds, ledger.misses))
        if len(self.points) > MOST:
            self._stride *= 2
            self.points = [point for point in self.points if point[0] % self._stride == 0]

    # With the model.

    def describe(self) -> dict[str, Any]:
        """All of it as JSON values; the radius of the whole line is None."""
        return {
            "state": self.rule.state_dict(),
            "waiting": [list(one) for one in sorted(self._waiting)],
            "row": self._row,
            "stride": self._stride,
            "points": [list(point) for point in self.points],
            "radii": [None if isinf(radius) else radius for radius in self.radii],
        }

    @classmethod
    def read(cls, described: Mapping[str, Any]) -> RunIntervals:
        """What `describe` gave.

        Raises
        ------
        ModelError
            If the state does not fit together; of the rest a ValueError, a TypeError or a LookupError.
        """
        run = cls(AdaptiveIntervals.from_state(described["state"]))
        run._waiting = [(int(a), int(row), int(ticket), float(y)) for a, row, ticket, y in described["waiting"]]
        heapify(run._waiting)
        if sorted(waiting[2] for waiting in run._waiting) != sorted(run.rule.pending_):
            raise ValueError("other outcomes are waited for than intervals were made")
        run._row, run._stride = count(described["row"], "row"), count(described["stride"], "stride", 1)
        run.points = [(count(rounds, "rounds", 1), count(misses, "misses")) for rounds, misses in described["points"]]
        run.radii.extend(inf if radius is None else one(radius, float, "a radius") for radius in described["radii"])
        return run
