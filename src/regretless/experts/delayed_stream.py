"""Rows whose outcomes come later: predictions wait for theirs, block after block."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heapify, heappop, heappush
from math import inf
from typing import Any, Protocol

from ..errors import RegretlessError
from .base import ExpertLearner
from .errors import AdviceError, complaint
from .forecast import Round
from .result import Play
from .validation import Array

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
    settled : callable
        Told after every outcome.

    Attributes
    ----------
    row : int
        The number of the last row, counted from 1 over all rows ever predicted.
    """

    def __init__(
        self,
        learner: ExpertLearner,
        delay: int | None,
        waiting: Iterable[Waiting] = (),
        settled: Callable[[], None] = lambda: None,
    ) -> None:
        self._learner, self._delay, self._settled = learner, delay, settled
        self._waiting = list(waiting)
        heapify(self._waiting)
        self.row = learner.rounds_ + len(self._waiting)
        self._judge: Any = None

    def play(self, rows: Rows, out: Play) -> None:
        """Predict rows into `out`, settling whatever is due before each.

        Raises
        ------
        AdviceError
            If a row cannot be played, or its outcome is said to come before the row itself. The rows before it are.
        """
        for place in range(len(rows)):
            now, then = self._times(rows, place)
            self._settle(now)
            try:
                forecast = self._learner.predict(rows.advice[place])
            except AdviceError as error:
                raise AdviceError(place, error.expert, error.found, error.advice, error.column) from error
            rest = self._learner.waiting(forecast.ticket)
            outcome = 0.0 if rows.outcomes is None else float(rows.outcomes[place])
            out.losses[place] = self._foreseen(place, forecast.ticket, rest, outcome)
            out.predictions[place] = forecast
            if out.weights is not None:
                out.weights[place] = rest.weights
            self.row += 1
            heappush(self._waiting, (then, self.row, forecast.ticket, outcome))

    def arrive(self, rows: Rows, ahead: int) -> None:
        """Settle what is due before the prediction of a first row that has no outcome, so many rows ahead."""
        if self._delay is not None or rows.clock is None:
            self._settle(self.row + ahead + 1)
        else:
            self._settle(int(rows.clock[0]))

    def _times(self, rows: Rows, place: int) -> tuple[int, int]:
        row = self.row + 1
        if self._delay is not None:
            return row, row + self._delay
        now, then = row if rows.clock is None else int(rows.clock[place]), int(rows.arrivals[place])
        if then <= now:
            raise AdviceError(
                place, None, "the outcome arrives before the row is over", "an outcome comes after its forecast"
            )
        return now, then

    def _foreseen(self, place: int, ticket: int, pending: Round, outcome: float) -> float:
        """The loss that the outcome will bring; what is wrong with it is said at once, of the row where it stands."""
        if self._judge is None:
            board = self._learner._known()
            self._judge = self._learner._make(board.prior, board.width)
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
