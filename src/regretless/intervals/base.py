"""What all intervals share: an interval before each outcome, and the books of how they did."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from math import inf, isinf, isnan, nan
from typing import Any, ClassVar, Self

import numpy as np

from ..arrays import numbers
from ..certificate import Certificate
from ..checks import share
from ..errors import RegretlessError, RowRefused
from ..experts.result import Schedule, schedule
from ..ledger import IntervalLedger
from ..persist.validation import count, fits, one
from ..theorem import Theorem
from ..theory.intervals import IntervalFacts

Array = np.ndarray[Any, np.dtype[np.float64]]
STRETCH = 500  # rounds in a row; of all such stretches the worst is noted
LARGEST = 1e300  # score; the ends of an interval are to be floats


class Interval(tuple[float, float]):
    """The ends of an interval, ``low, high = interval``; both are NaN where it holds nothing, or there was no forecast.

    Attributes
    ----------
    ticket : int
        Names the round where several wait for their outcomes.
    """

    ticket: int


@dataclass(eq=False)
class Intervals(ABC):
    """Intervals around forecasts, of which a share of `coverage` holds the outcome on any sequence.

    The share is over the rounds, and not for each kind of them: a rule that is very wide most of the time and empty in
    the rest has it too. So the ledger has the widths and the worst stretch beside it.

    Parameters
    ----------
    coverage : float
        The share of outcomes that is to be inside, between 0 and 1.
    """

    coverage: float = 0.9

    theorem: ClassVar[Theorem]

    def __post_init__(self) -> None:
        self.coverage = share("coverage", self.coverage)
        self.alpha = 1 - self.coverage
        self._books = IntervalLedger(self.alpha)
        self._recent: deque[bool] = deque(maxlen=STRETCH)
        self._recent_misses = 0
        self._pending: dict[int, tuple[float, float]] = {}  # forecast and radius by ticket
        self._tickets = self._waiting = 0  # drawn so far; pending rounds that had a forecast

    # The rule.

    @abstractmethod
    def _radius(self) -> float:
        """Half the width of the next interval: below 0 of one that holds nothing, infinite of the whole line."""

    @abstractmethod
    def _learn(self, score: float, missed: bool) -> None:
        """A round is over; the books have it already."""

    @property
    def _least(self) -> float:
        """Scores above 0 and below this are too small for floats."""
        return 0.0

    @abstractmethod
    def facts(self) -> IntervalFacts:
        """What theorems may ask."""

    @abstractmethod
    def _rule_state(self) -> dict[str, Any]:
        """What the rule has learned, as JSON values."""

    @abstractmethod
    def _go_on(self, state: Mapping[str, Any]) -> None:
        """Take up what `_rule_state` gave; the books are there already."""

    # One round after the other.

    def interval(self, forecast: float) -> Interval:
        """The interval of a round, before its outcome.

        Parameters
        ----------
        forecast : float
            NaN: there is none. Then the ends are NaN, and the outcome will change nothing.

        Returns
        -------
        Interval
            ``low, high``, in the unit of the forecast, and the `ticket` of the round.

        Raises
        ------
        RegretlessError
            If the forecast is infinite or no number.
        """
        value, radius = _number("forecast", forecast), self._radius()
        result = Interval(_ends(value, radius))
        result.ticket = self._tickets
        self._pending[self._tickets] = value, radius
        self._tickets += 1
        self._waiting += not isnan(value)
        return result

    def update(self, *report: Any) -> None:
        """Learn an outcome: ``update(outcome)``, or ``update(ticket, outcome)`` where several rounds wait.

        Parameters
        ----------
        outcome : float
            NaN: it will never be known. Then the round changes nothing.

        Raises
        ------
        RegretlessError
            If the outcome is infinite, no number, or too far from its forecast for floats, or if it is not clear which
            round it belongs to. The round goes on waiting.
        """
        if len(report) not in (1, 2):
            raise RegretlessError("give an outcome, or a ticket and an outcome")
        if len(report) == 1 and len(self._pending) != 1:
            fault = f"{len(self._pending)} intervals wait" if self._pending else "no interval waits"
            raise RegretlessError(
                f"{fault} for an outcome; ask for one first, and name the ticket if there are several"
            )
        ticket = report[0] if len(report) == 2 else next(iter(self._pending))
        if ticket not in self._pending:
            raise RegretlessError(f"no interval with the ticket {ticket!r} waits for an outcome")
        forecast, radius = self._pending[ticket]
        outcome = _number("outcome", report[-1])
        if not (isnan(outcome) or isnan(forecast)) and not self._sound(abs(outcome - forecast)):
            raise RegretlessError(f"outcome {outcome:g} after the forecast {forecast:g}: {self._advice()}")
        del self._pending[ticket]
        self._settle(forecast, radius, outcome)

    # A whole table.

    def play(self, forecasts: Any, outcomes: Any, *, arrivals: Any = None) -> tuple[Array, Array]:
        """The intervals of many rounds, each before its outcome.

        Parameters
        ----------
        forecasts, outcomes : array-like of shape (rounds,)
            NaN: there is no forecast, or no outcome. Such a round changes nothing.
        arrivals : int or array-like of shape (rounds,), optional
            When each outcome was known: before the interval of that row (from 0), at the earliest of the next one; a
            single number k means k rows later. All that arrive after the last row are learned at the end.

        Returns
        -------
        low, high : ndarray of shape (rounds,)
            NaN where an interval holds nothing, or there was no forecast.

        Raises
        ------
        RegretlessError
            If a number is infinite or too large; the message says in which row (from 0). Then nothing is learned.
        """
        if self._pending:
            raise RegretlessError("intervals wait for their outcomes: report these first")
        centres, known = _column("forecasts", forecasts), _column("outcomes", outcomes)
        if centres.shape != known.shape:
            raise RegretlessError(
                f"{len(centres)} forecasts and {len(known)} outcomes: one of each a round is expected"
            )
        with np.errstate(over="ignore"):
            scores = np.abs(known - centres)
        unsound = np.flatnonzero((scores > LARGEST) | ((scores > 0) & (scores < self._least)))
        if len(unsound):
            row = int(unsound[0])
            fault = f"outcome {known[row]:g} after the forecast {centres[row]:g}"
            raise RowRefused(f"row {row} (from 0): {fault}: {self._advice()}", 0, row, fault, self._advice())
        radii = self._radii(centres.tolist(), known.tolist(), schedule(arrivals, len(centres)))
        with np.errstate(invalid="ignore"):
            radii = np.where(radii < 0, nan, radii)
            return centres - radii, centres + radii

    def _radii(self, forecasts: list[float], outcomes: list[float], plan: Schedule | None) -> Array:
        radii: list[float] = []
        if plan is None:
            for forecast, outcome in zip(forecasts, outcomes, strict=True):
                radius = self._radius()
                radii.append(radius)
                self._waiting += not isnan(forecast)
                self._settle(forecast, radius, outcome)
            return np.array(radii, dtype=np.float64)
        order, starts = plan.settle.tolist(), plan.starts.tolist()
        for row in range(len(forecasts) + 1):
            for came in order[starts[row] : starts[row + 1]]:
                self._settle(forecasts[came], radii[came], outcomes[came])
            if row < len(forecasts):
                radii.append(self._radius())
                self._waiting += not isnan(forecasts[row])
        return np.array(radii, dtype=np.float64)

    # The books.

    def _settle(self, forecast: float, radius: float, outcome: float) -> None:
        """Note how an interval did, and learn from it."""
        if isnan(forecast):
            return
        self._waiting -= 1
        if isnan(outcome):
            return
        score, books = abs(outcome - forecast), self._books
        missed = score > radius
        books.rounds += 1
        books.misses += missed
        if self._waiting > books.outstanding:
            books.outstanding = self._waiting
        if radius == inf:
            books.infinite += 1
        else:
            half = radius if radius > 0 else 0.0
            books.empty += radius < 0
            books.width += 2 * half
            books.winkler += 2 * half + (2 / self.alpha * (score - half) if missed else 0.0)
        recent = self._recent
        self._recent_misses += missed - (len(recent) == STRETCH and recent[0])
        recent.append(missed)
        if self._recent_misses > books.worst:
            books.worst = self._recent_misses
        self._learn(score, missed)

    def _sound(self, score: float) -> bool:
        return score <= LARGEST and not 0 < score < self._least

    def _advice(self) -> str:
        return f"distances are to be 0, or from {self._least:g} to {LARGEST:g}; scale the numbers"

    @property
    def ledger_(self) -> IntervalLedger:
        """What was observed so far."""
        return replace(self._books)

    @property
    def pending_(self) -> list[int]:
        """The tickets of the rounds that wait for their outcomes."""
        return list(self._pending)

    def certify(self) -> list[Certificate]:
        """The theorem on the coverage, with the numbers of this run."""
        return [self.theorem.certify(self._books, [None], self.facts())]

    # In a file.

    def state_dict(self) -> dict[str, Any]:
        """The parameters and all that was learned, as JSON values; `from_state` makes the same intervals of it."""
        waiting = [[ticket, _or_none(value), _or_none(radius)] for ticket, (value, radius) in self._pending.items()]
        return {
            "parameters": {each.name: getattr(self, each.name) for each in fields(self)},
            "ledger": asdict(self._books),
            "recent": "".join("01"[missed] for missed in self._recent),
            "tickets": self._tickets,
            "pending": waiting,
            "rule": self._rule_state(),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """Intervals that go on where those of `state_dict` stood.

        Raises
        ------
        ModelError
            If the state does not fit together.
        """
        with fits("the state of the intervals"):
            made = cls(**state["parameters"])
            if set(state["ledger"]) != set(asdict(made._books)) or state["ledger"]["alpha"] != made.alpha:
                raise ValueError("its ledger is of other intervals")
            for name, value in state["ledger"].items():
                kind = type(getattr(made._books, name))
                setattr(made._books, name, _finite(one(value, kind, name), name))
            made._recent.extend(bool("01".index(digit)) for digit in one(state["recent"], str, "recent"))
            made._recent_misses = sum(made._recent)
            if len(made._recent) != min(made._books.rounds, STRETCH):
                raise ValueError("it has not as many recent rounds as rounds")
            made._tickets = count(state["tickets"], "tickets")
            for ticket, value, radius in state["pending"]:
                forecast = nan if value is None else _finite(one(value, float, "a forecast"), "a forecast", -inf)
                half = inf if radius is None else _finite(one(radius, float, "a radius"), "a radius", -inf)
                made._pending[count(ticket, "a ticket")] = forecast, half
                made._waiting += not isnan(forecast)
            if any(ticket >= made._tickets for ticket in made._pending):
                raise ValueError("a ticket waits that was never drawn")
            made._go_on(state["rule"])
        return made


def _ends(forecast: float, radius: float) -> tuple[float, float]:
    return (forecast - radius, forecast + radius) if radius >= 0 else (nan, nan)


def _number(what: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise RegretlessError(f"{what} {value!r}: a number is expected") from error
    if isinf(number):
        raise RegretlessError(f"{what} {number}: a finite number is expected, or NaN where there is none")
    return number


def _column(what: str, values: Any) -> Array:
    column = np.ascontiguousarray(numbers(values, what), dtype=np.float64)
    if column.ndim != 1:
        raise RegretlessError(f"{what} of shape {column.shape}: one number a round is expected")
    infinite = np.flatnonzero(np.isinf(column))
    if len(infinite):
        row = int(infinite[0])
        fault = "a finite number is expected, or NaN where there is none"
        raise RegretlessError(f"{what}: row {row} (from 0) is {column[row]}: {fault}")
    return column


def _or_none(value: float) -> float | None:
    return None if isnan(value) or isinf(value) else value


def _finite(value: Any, what: str, least: float = 0.0) -> Any:
    if not least <= value < inf:
        raise ValueError(f"{what} is {value}")
    return value
