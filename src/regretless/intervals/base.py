"""What all intervals share: an interval before each outcome, and the books of how they did."""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from math import inf, isfinite, isinf, isnan, nan
from typing import Any, ClassVar

import numpy as np

from ..arrays import numbers
from ..certificate import Certificates, CertifiedState
from ..checks import share
from ..errors import ParameterError, RegretlessError, RowError
from ..experts.result import Schedule, schedule
from ..ledger import IntervalLedger
from ..persist.json_state import JsonState
from ..persist.validation import count, finite, one
from ..theorem import Theorem
from ..theory.intervals import IntervalFacts

Array = np.ndarray[Any, np.dtype[np.float64]]
STRETCH = 500  # rounds in a row; of all such stretches the worst is noted
LARGEST = 1e300  # score; the ends of an interval are to be floats
NOTHING = -1.7976931348623157e308  # the radius of an interval that holds nothing, of however wide a pair


class Interval(tuple[float, float]):
    """The ends of an interval, ``low, high = interval``; both are NaN where it holds nothing, or there was no forecast.

    Attributes
    ----------
    ticket : int
        Names the round where several wait for their outcomes.
    """

    ticket: int


@dataclass(eq=False)
class Intervals(CertifiedState, JsonState):
    """Intervals around forecasts, of which a share of `coverage` holds the outcome on any sequence.

    The share is over the rounds, and not for each kind of them: a rule that is very wide most of the time and empty in
    the rest has it too. So the ledger has the widths and the worst stretch beside it.

    Parameters
    ----------
    coverage : float
        The share of outcomes that is to be inside, between 0 and 1.
    least : float, optional
        Below this there are no outcomes, 0 of counts: an interval that would begin below it begins there.
    """

    coverage: float = 0.9
    least: float | None = field(default=None, kw_only=True)

    theorem: ClassVar[Theorem]
    _kind = "intervals"
    pairs: ClassVar[bool] = False
    """Whether forecasts may be pairs of quantiles, whose scores are below 0 inside."""

    def __post_init__(self) -> None:
        self.coverage = share("coverage", self.coverage)
        self.alpha = 1 - self.coverage
        if self.least is not None and not isfinite(_number("least", self.least)):
            raise ParameterError("least", repr(self.least), "must be a finite number", " ")
        self._books = IntervalLedger(self.alpha)
        self._recent: deque[bool] = deque(maxlen=STRETCH)
        self._recent_misses = 0
        # by ticket: forecast, or the middle of a pair; half the distance of the pair, 0 of one number; and radius
        self._pending: dict[int, tuple[float, float, float]] = {}
        self._tickets = self._waiting = 0  # drawn so far; pending rounds that had a forecast

    # The rule.

    @abstractmethod
    def _radius(self) -> float:
        """How far the next interval reaches beyond its forecast or, below 0, is inside its pair; infinite of the whole
        line."""

    @abstractmethod
    def _learn(self, score: float, missed: bool) -> None:
        """A round is over; the books have it already."""

    def _follow(self, scores: list[float]) -> list[float]:
        """The radius of each of many rounds, whose outcome comes before the next one; the books have rounds and misses
        then."""
        radii, books = [], self._books
        for score in scores:
            radius = self._radius()
            radii.append(radius)
            missed = score > radius
            books.rounds += 1
            books.misses += missed
            self._learn(score, missed)
        return radii

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
    def _restore_rule(self, state: Mapping[str, Any]) -> None:
        """Take up what `_rule_state` gave; the books are there already."""

    # One round after the other.

    def interval(self, forecast: float | tuple[float, float]) -> Interval:
        """The interval of a round, before its outcome.

        Parameters
        ----------
        forecast : float, or two of them
            NaN: there is none. Then the ends are NaN, and the outcome will change nothing. A pair, where `pairs` says
            so, is of two quantiles: the interval reaches as far below the one as above the other, or is as far inside.

        Returns
        -------
        Interval
            ``low, high``, in the unit of the forecast, and the `ticket` of the round.

        Raises
        ------
        RegretlessError
            If the forecast is infinite or no number.
        """
        radius = self._radius()
        if isinstance(forecast, tuple | list | np.ndarray):
            value, spread = self._pair(forecast)
        else:
            value, spread = _number("forecast", forecast), 0.0
        low, high = _ends(value, spread + radius)
        result = Interval((low if self.least is None else min(max(low, self.least), high), high))
        result.ticket = self._tickets
        self._pending[self._tickets] = value, spread, radius
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
            If the outcome is infinite, no number, below `least`, or too far from its forecast for floats, or if it is
            not clear which round it belongs to. The round goes on waiting.
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
        forecast, spread, radius = self._pending[ticket]
        outcome = _number("outcome", report[-1])
        if not (isnan(outcome) or isnan(forecast)) and not self._sound(abs(outcome - forecast)):
            raise RegretlessError(f"outcome {outcome:g} after the forecast {forecast:g}: {self._advice()}")
        if self.least is not None and outcome < self.least:
            raise RegretlessError(f"outcome {outcome:g}: at least {self.least:g} is expected")
        del self._pending[ticket]
        self._settle(forecast, spread, radius, outcome)

    def _pair(self, forecast: Any) -> tuple[float, float]:
        """The middle of a pair, and half their distance."""
        if not self.pairs:
            raise RegretlessError(f"forecast {forecast!r}: one number is expected by {type(self).__name__}")
        if len(forecast) != 2:
            raise RegretlessError(f"forecast {forecast!r}: a number, or two quantiles are expected")
        low, high = (_number("forecast", end) for end in forecast)
        return low / 2 + high / 2, abs(high / 2 - low / 2)

    # A whole table.

    def play(self, forecasts: Any, outcomes: Any, *, arrivals: Any = None) -> tuple[Array, Array]:
        """The intervals of many rounds, each before its outcome.

        Parameters
        ----------
        forecasts, outcomes : array-like of shape (rounds,)
            NaN: there is no forecast, or no outcome. Such a round changes nothing. Forecasts of shape (rounds, 2) are
            pairs of quantiles, as in `interval`.
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
            If a number is infinite or too large, or an outcome below `least`; the message says in which row (from 0).
            Then nothing is learned.
        """
        if self._pending:
            raise RegretlessError("intervals wait for their outcomes: report these first")
        centres, spreads = self._centres(forecasts)
        known = _column("outcomes", outcomes)
        if centres.shape != known.shape:
            raise RegretlessError(
                f"{len(centres):,} forecasts and {len(known):,} outcomes: one of each a round is expected"
            )
        with np.errstate(over="ignore"):
            distances = np.abs(known - centres)
        self._refuse_unfit(centres, known, distances)
        plan = schedule(arrivals, len(centres), draws=False)
        if plan is None:
            radii = self._at_once(distances - spreads, spreads, centres)
        else:
            radii = self._late(centres.tolist(), spreads.tolist(), known.tolist(), plan)
        return self._ends(centres, spreads + radii)

    def _refuse_unfit(self, centres: Array, known: Array, distances: Array) -> None:
        """Refuse outcomes too far from their forecasts, or below the least there is."""
        unsound = np.flatnonzero((distances > LARGEST) | ((distances > 0) & (distances < self._least)))
        if len(unsound):
            row = int(unsound[0])
            fault, advice = f"outcome {known[row]:g} after the forecast {centres[row]:g}", self._advice()
            raise RowError(f"row {row} (from 0): {fault}: {advice}", 0, row, fault, advice)
        if self.least is not None and (below := known < self.least).any():
            row = int(np.argmax(below))
            fault, advice = f"outcome {known[row]:g}", f"at least {self.least:g} is expected"
            raise RowError(f"row {row} (from 0): {fault}: {advice}", 0, row, fault, advice)

    def _centres(self, forecasts: Any) -> tuple[Array, Array]:
        """The middle of each pair, and half its distance: 0 of single forecasts."""
        table = np.asarray(forecasts)
        if not self.pairs or table.ndim != 2 or table.shape[1] != 2:
            centres = _column("forecasts", forecasts)
            return centres, np.zeros(len(centres))
        low, high = (_column("forecasts", table[:, end]) for end in (0, 1))
        return low / 2 + high / 2, np.abs(high / 2 - low / 2)

    def half_width(self) -> float:
        """How far the next interval of one number reaches from its forecast; infinite of the whole line, NaN where it
        holds nothing."""
        radius = self._radius()
        return radius if radius >= 0 else nan

    def around(self, forecasts: Any) -> tuple[Array, Array]:
        """The intervals of forecasts whose outcomes will not be known, which change nothing.

        Parameters
        ----------
        forecasts : array-like of shape (rounds,)
            Or pairs, as in `play`.

        Returns
        -------
        low, high : ndarray of shape (rounds,)
            NaN where an interval holds nothing, or there was no forecast.
        """
        centres, spreads = self._centres(forecasts)
        return self._ends(centres, spreads + self._radius())

    def _ends(self, centres: Any, halves: Any) -> tuple[Any, Any]:
        with np.errstate(invalid="ignore"):
            halves = np.where(halves < 0, nan, halves)
            low, high = centres - halves, centres + halves
        # No outcome is below `least`, so what is cut off held none: misses, and with them the coverage, stay.
        return low if self.least is None else np.minimum(np.maximum(low, self.least), high), high

    def _widths(self, centres: Any, halves: Any) -> Any:
        """How wide finite intervals are."""
        if self.least is None:
            return 2 * halves
        low, high = self._ends(centres, halves)
        return high - low

    def _at_once(self, scores: Array, spreads: Array, centres: Array) -> Array:
        """Each outcome comes before the next row; rows without a score change nothing."""
        there = ~np.isnan(scores)
        played = scores[there]
        radii = np.array(self._follow(played.tolist()), dtype=np.float64)
        self._note(played, spreads[there], radii, centres[there])
        before = np.cumsum(there) - there  # how many rounds were played before each
        return np.array(np.append(radii, self._radius())[before], dtype=np.float64)

    def _note(self, scores: Array, spreads: Array, radii: Array, centres: Array) -> None:
        """Note how many intervals did, of rounds that `_follow` has counted: sums as one after the other."""
        books, finite, missed = self._books, radii < inf, scores > radii
        halves = np.maximum(radii, -spreads)[finite]
        widths = self._widths(centres[finite], spreads[finite] + halves)
        beyond = np.where(missed[finite], 2 / self.alpha * (scores[finite] - halves), 0.0)
        books.infinite += int(np.count_nonzero(~finite))
        books.empty += int(np.count_nonzero(radii < -spreads))
        books.width = float(np.cumsum(np.append(books.width, widths))[-1])
        books.winkler = float(np.cumsum(np.append(books.winkler, widths + beyond))[-1])
        misses: Any = np.cumsum(np.append(np.array(self._recent, dtype=np.int64), missed))
        stretches = misses - np.append(np.zeros(STRETCH, dtype=np.int64), misses)[: len(misses)]
        books.worst = max(books.worst, int(stretches[len(self._recent) :].max(initial=0)))
        self._recent.extend(missed[-STRETCH:].tolist())
        self._recent_misses = sum(self._recent)

    def _late(self, forecasts: list[float], spreads: list[float], outcomes: list[float], plan: Schedule) -> Array:
        radii: list[float] = []
        order, starts = plan.settle.tolist(), plan.starts.tolist()
        for row in range(len(forecasts) + 1):
            for came in order[starts[row] : starts[row + 1]]:
                self._settle(forecasts[came], spreads[came], radii[came], outcomes[came])
            if row < len(forecasts):
                radii.append(self._radius())
                self._waiting += not isnan(forecasts[row])
        return np.array(radii, dtype=np.float64)

    # The books.

    def _settle(self, forecast: float, spread: float, radius: float, outcome: float) -> None:
        """Note how an interval did, and learn from it."""
        if isnan(forecast):
            return
        self._waiting -= 1
        if isnan(outcome):
            return
        score, books = abs(outcome - forecast) - spread, self._books
        missed = score > radius
        books.rounds += 1
        books.misses += missed
        if self._waiting > books.outstanding:
            books.outstanding = self._waiting
        if radius == inf:
            books.infinite += 1
        else:
            half = radius if radius > -spread else -spread
            books.empty += radius < -spread
            width = float(self._widths(forecast, spread + half))
            books.width += width
            books.winkler += width + (2 / self.alpha * (score - half) if missed else 0.0)
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

    def certify(self) -> Certificates:
        """The theorem on the coverage, with the numbers of this run."""
        return Certificates([self.theorem.certify(self._books, [None], self.facts())])

    # In a file.

    def _parameters(self) -> dict[str, Any]:
        return {name: value for name, value in super()._parameters().items() if value is not None}

    def _state_values(self) -> dict[str, Any]:
        pending = [
            [ticket, _or_none(value), _or_none(radius), spread]
            for ticket, (value, spread, radius) in self._pending.items()
        ]
        return {
            "ledger": asdict(self._books),
            "recent": "".join("01"[missed] for missed in self._recent),
            "tickets": self._tickets,
            "pending": pending,
            "rule": self._rule_state(),
        }

    def _restore(self, state: Mapping[str, Any]) -> None:
        if set(state["ledger"]) != set(asdict(self._books)) or state["ledger"]["alpha"] != self.alpha:
            raise ValueError("its ledger is of other intervals")
        for name, value in state["ledger"].items():
            read = count if type(getattr(self._books, name)) is int else finite
            setattr(self._books, name, read(value, name))
        self._recent.extend(bool("01".index(digit)) for digit in one(state["recent"], str, "recent"))
        self._recent_misses = sum(self._recent)
        if len(self._recent) != min(self._books.rounds, STRETCH):
            raise ValueError("it has not as many recent rounds as rounds")
        self._tickets = count(state["tickets"], "tickets")
        for ticket, value, radius, *pair in state["pending"]:
            forecast = nan if value is None else finite(value, "a forecast", -inf)
            half = inf if radius is None else finite(radius, "a radius", -inf)
            spread = finite(pair[0] if pair else 0.0, "half a pair")
            self._pending[count(ticket, "a ticket")] = forecast, spread, half
            self._waiting += not isnan(forecast)
        if any(ticket >= self._tickets for ticket in self._pending):
            raise ValueError("a ticket waits that was never drawn")
        self._restore_rule(state["rule"])


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
