"""Rows whose outcomes come later: predictions wait for theirs, block after block."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heapify, heappop, heappush
from math import inf
from typing import Any, Protocol

import numpy as np

from ..errors import RegretlessError
from .base import ExpertLearner
from .losses import TABLE
from .online import Round
from .result import CombinerPlay
from .validation import AdviceError, Array, complaint

Waiting = tuple[int, int, int, float]  # arrival, row, ticket, outcome


class Rows(Protocol):
    """Consecutive rows, and by what clock their outcomes come."""

    @property
    def advice(self) -> Array: ...
    @property
    def outcomes(self) -> Any: ...
    @property
    def clock(self) -> Any: ...
    @property
    def arrivals(self) -> Any: ...
    def __len__(self) -> int: ...


class Late:
    """Plays rows in their order and settles them in the order in which their outcomes come.

    Parameters
    ----------
    learner : ExpertLearner
    delay : int or None
        The outcome of a row is known before the prediction so many rows later; None: when the rows' arrivals say, by
        the clock of the rows, or by the number of the row (from 1) if they have none.
    waiting : iterable of (arrival, row, ticket, outcome)
        Of rows that were predicted before.
    row : int
        The number of the last row, counted from 1 over all rows ever predicted.
    settled : callable
        Called after every outcome, or after several that no stop was between.
    next_stop : callable
        The number of rounds after which `settled` must be called next, from the number of rounds now.

    Attributes
    ----------
    row : int
        As above.
    """

    def __init__(
        self,
        learner: ExpertLearner,
        delay: int | None,
        waiting: Iterable[Waiting],
        row: int,
        settled: Callable[[], None],
        next_stop: Callable[[int], int],
    ) -> None:
        self._learner, self._delay, self._settled, self._next_stop = learner, delay, settled, next_stop
        self._waiting = list(waiting)
        heapify(self._waiting)
        self.row = row
        self._judge: Any = None

    def play(self, rows: Rows, out: CombinerPlay) -> None:
        """Predict rows into `out`, settling whatever is due before each.

        Raises
        ------
        AdviceError
            If a row cannot be played, or its outcome is said to come before the row itself. The rows before it are.
        """
        now, then = self.times(rows)
        early = np.flatnonzero(then <= now)
        sound = int(early[0]) if len(early) else len(rows)
        # rows before which all earlier outcomes have come
        complete = np.flatnonzero(np.maximum.accumulate(then[:-1]) <= now[1:]) + 1
        place = 0
        while place < sound:
            self._settle(int(now[place]))
            limit = min(sound, place + self._next_stop(self._learner.rounds_) - self._learner.rounds_)
            last = int(np.searchsorted(complete, limit, side="right")) - 1
            end = place if self._waiting or last < 0 else int(complete[last])
            if end > place + 1 and self._at_once(rows, place, end, now, then, out):
                place = end
            else:
                self._one(rows, place, int(then[place]), out)
                place += 1
        if sound < len(rows):
            raise AdviceError(
                sound, None, "the outcome arrives before the row is over", "an outcome comes after its forecast"
            )

    def _at_once(self, rows: Rows, begin: int, end: int, now: Array, then: Array, out: CombinerPlay) -> bool:
        """Play rows whose outcomes all come before the row after them; false, and nothing, if one cannot be played."""
        cut = slice(begin, end)
        undo = bookmark(self._learner)
        outcomes = None if rows.outcomes is None else rows.outcomes[cut]
        arrivals = np.searchsorted(now[cut], then[cut])
        try:
            played = self._learner.play(rows.advice[cut], outcomes, arrivals=arrivals, weights=out.weights is not None)
        except AdviceError:
            undo()
            return False
        out.losses[cut], out.predictions[cut] = played.losses, played.predictions
        if out.weights is not None:
            out.weights[cut] = played.weights
        self.row += end - begin
        self._settled()
        return True

    def _one(self, rows: Rows, place: int, then: int, out: CombinerPlay) -> None:
        try:
            forecast = self._learner.predict(rows.advice[place])
        except AdviceError as error:
            raise error.at(place) from error
        rest = self._learner.waiting(forecast.ticket)
        outcome = 0.0 if rows.outcomes is None else float(rows.outcomes[place])
        out.losses[place] = self._foreseen(place, forecast.ticket, rest, outcome)
        out.predictions[place] = forecast
        if out.weights is not None:
            out.weights[place] = rest.weights
        self.row += 1
        heappush(self._waiting, (then, self.row, forecast.ticket, outcome))

    def times(self, rows: Rows) -> tuple[Array, Array]:
        """When each row is predicted, and when its outcome is known."""
        numbers = self.row + 1 + np.arange(len(rows), dtype=np.int64)
        if self._delay is not None:
            return numbers, numbers + self._delay
        return numbers if rows.clock is None else rows.clock, rows.arrivals

    def now(self, rows: Rows, ahead: int) -> int:
        """When a first row that has no outcome is predicted, so many rows ahead."""
        return self.row + ahead + 1 if self._delay is not None or rows.clock is None else int(rows.clock[0])

    def pass_over(self, rows: Rows) -> None:
        """Settle what is due before the prediction of a first row that has no outcome, and never will."""
        self.arrive(rows, 0)
        self.row += 1

    def arrive(self, rows: Rows, ahead: int) -> None:
        """Settle what is due before the prediction of a first row that has no outcome, so many rows ahead."""
        self._settle(self.now(rows, ahead))

    def _foreseen(self, place: int, ticket: int, pending: Round, outcome: float) -> float:
        """The loss that the outcome will bring; what is wrong with it is said at once, of the row where it stands."""
        if self._judge is None:
            state = self._learner._known()
            self._judge = self._learner._make(state.prior, state.width)
        loss, why, column = self._judge.core.settle(pending.advice, pending.weights, pending.prediction, outcome)
        if why is not None:
            self._learner.withdraw(ticket)
            raise complaint(why, place, column, self._learner.names(), self._learner._loss)
        return float(loss)

    def _settle(self, now: float) -> None:
        while self._waiting and self._waiting[0][0] <= now:
            _, row, ticket, outcome = heappop(self._waiting)
            try:
                self._learner.update(ticket, outcome)
            except RegretlessError as error:
                raise RegretlessError(f"the outcome of row {row} cannot be learned: {error}") from error
            self._settled()

    def settle_all(self) -> None:
        """What is known after the last row."""
        self._settle(inf)

    def waiting(self) -> list[Waiting]:
        """What waits, in the order of arrival."""
        return sorted(self._waiting)


def bookmark(learner: ExpertLearner) -> Callable[[], None]:
    """What takes a learner back to where it stands."""
    state, generator = learner._state, getattr(learner, "generator_", None)
    arrays = {} if state is None else {name: array.copy() for name, array in state.arrays().items()}
    draws = None if generator is None else generator.bit_generator.state

    def undo() -> None:
        learner._state = state
        if state is not None:
            state.adopt(arrays)
        if generator is not None:
            generator.bit_generator.state = draws

    return undo


def can_wait(learner: ExpertLearner) -> bool:
    """Whether outcomes may come late: not where an expert is drawn in every round, or losses come by themselves."""
    return not learner.info.draws and learner._loss.name != TABLE
