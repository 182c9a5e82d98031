"""What alarms share: losses of a declared range on the scale from 0 to 1, a reference in it, and the rounds so far."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from math import isfinite, nan
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..arrays import numbers
from ..certificate import Certificates, CertifiedState
from ..errors import ParameterError, RegretlessError, RowError
from ..persist.json_state import JsonState
from ..persist.validation import count, one
from ..theorem import Theorem
from ..theory.alarms import BETS, AlarmLedger

LEAST_LEVEL = 1e-100  # of a reference, in parts of the range: its reciprocal times a capital is a float

Array = np.ndarray[Any, np.dtype[np.float64]]
Range = tuple[float, float]


def checked_range(value: Any) -> Range:
    """The range of losses.

    Raises
    ------
    ParameterError
        If it is no pair of finite numbers, the first below the second.
    """
    ends = tuple(value) if isinstance(value, Sequence | np.ndarray) else ()
    if len(ends) != 2 or not all(isinstance(end, Real) and isfinite(end) for end in ends) or not ends[0] < ends[1]:
        raise ParameterError("value_range", repr(value), "it must be a number and a larger one, both finite")
    low, high = float(ends[0]), float(ends[1])
    if not isfinite(high - low):
        raise ParameterError("value_range", repr(value), "it is too wide for floats")
    return low, high


def outside(loss: float, value_range: Range) -> tuple[str, str]:
    """The fault of a loss outside the range, and the advice."""
    low, high = value_range
    return f"the loss is {loss!r}", f"a number from {low:g} to {high:g} is expected: declare the range of all losses"


def scaled(losses: Any, value_range: Range) -> Array:
    """Losses on the scale from 0 to 1.

    Raises
    ------
    RowError
        If one is missing, infinite or out of the range; it names the row, from 0.
    RegretlessError
        If they are no column of numbers.
    """
    column = np.ascontiguousarray(numbers(losses, "losses"), dtype=np.float64)
    if column.ndim != 1:
        raise RegretlessError(f"losses of shape {column.shape}: one number a round is expected")
    low, high = value_range
    refused = np.flatnonzero(~((column >= low) & (column <= high)))
    if len(refused):
        row = int(refused[0])
        fault, advice = outside(float(column[row]), value_range)
        raise RowError(f"row {row} (from 0): {fault}; {advice}", 0, row, fault, advice)
    return np.asarray((column - low) / (high - low))


class Raised(NamedTuple):
    """An alarm.

    Attributes
    ----------
    round : int
        Counted from 1.
    evidence : float
    since : int or None
        Since which round losses have been worse, as estimated without a guarantee; None from a fixed start.
    """

    round: int
    evidence: float
    since: int | None


@dataclass(eq=False)
class Alarm(CertifiedState, JsonState):
    """Watches losses, and raises an alarm once there is evidence that they got worse than a reference.

    Parameters
    ----------
    reference : float
        The largest expected loss that is no alarm, inside `value_range`.
    value_range : (float, float)
        Where all losses lie.
    """

    reference: float
    _: KW_ONLY
    value_range: Range = (0.0, 1.0)

    theorem: ClassVar[Theorem]
    _kind = "alarm"

    def __post_init__(self) -> None:
        self.value_range = checked_range(self.value_range)
        self._factors: list[tuple[float, float]] = []
        self.renew(self.reference)
        self._rounds: int = 0
        self._alarms: int = 0
        self._last: int | None = None
        self._raised: list[Raised] = []

    # The rule.

    @property
    @abstractmethod
    def threshold(self) -> float:
        """The evidence at which an alarm is raised."""

    @property
    @abstractmethod
    def evidence(self) -> float:
        """The evidence so far that losses exceed the reference; after an alarm, that of the next one."""

    @abstractmethod
    def _run(self, values: Array) -> Array:
        """Take further losses on the scale from 0 to 1, and note alarms; the evidence after each of them."""

    @abstractmethod
    def facts(self) -> Any:
        """What theorems may ask."""

    def renew(self, reference: float) -> None:
        """Go on with another reference: that of the rounds to come, of which it must not depend.

        Parameters
        ----------
        reference : float
            Inside `value_range`.

        Raises
        ------
        ParameterError
            If it is not, or so near its lower end that evidence is no float. Nothing has changed then.
        """
        low, high = self.value_range
        if not (isinstance(reference, Real) and low < reference < high):
            inside = f"it must lie between {low:g} and {high:g}, the range of losses"
            raise ParameterError("reference", repr(reference), inside)
        level = (float(reference) - low) / (high - low)
        if level < LEAST_LEVEL:
            above = f"it must be above {low:g} by {LEAST_LEVEL:g} of the range, which ends at {high:g}"
            raise ParameterError("reference", repr(reference), above)
        self.reference = float(reference)
        self._factors = [(1 - bet, bet / level) for bet in BETS]  # by 1 - b + (b / p) x a capital is multiplied

    # Rounds.

    def update(self, loss: float) -> bool:
        """Take the loss of a round; whether an alarm is raised.

        Parameters
        ----------
        loss : float
            In `value_range`.

        Raises
        ------
        RegretlessError
            If it is not. Nothing has changed then.
        """
        low, high = self.value_range
        try:
            value = float(loss)
        except (TypeError, ValueError, OverflowError):
            value = nan
        if not low <= value <= high:
            raise RegretlessError("; ".join(outside(loss, self.value_range)))
        self._raised = []
        self._run(np.array([(value - low) / (high - low)]))
        return bool(self._raised)

    def play(self, losses: Any) -> Array:
        """Take the losses of many rounds.

        Parameters
        ----------
        losses : array-like, shape (rounds,)
            In `value_range`.

        Returns
        -------
        evidence : ndarray, shape (rounds,)
            After each round; where it reaches `threshold` an alarm was raised.

        Raises
        ------
        RowError
            If a loss is missing, infinite or out of the range; it names the row, from 0. Nothing has changed then.
        """
        values = scaled(losses, self.value_range)
        self._raised = []
        return self._run(values)

    @property
    def ledger_(self) -> AlarmLedger:
        """The rounds and alarms so far."""
        return AlarmLedger(self._rounds, self._alarms)

    @property
    def raised_(self) -> list[Raised]:
        """The alarms that the last call of `update` or `play` raised."""
        return self._raised

    @property
    def last_alarm_(self) -> int | None:
        """The round of the last alarm, counted from 1; None before there is one."""
        return self._last

    def certify(self) -> Certificates:
        """The bound for losses that are not worse than the reference, beside the count."""
        words = f"that no loss is above {self.reference:.6g} in expectation, given those before"
        stated = self.theorem.certify(self.ledger_, [None], self.facts())
        # Of one run, which may exceed what is expected of many.
        runs = {"of": 1, "exceeded": None} if self.theorem.kind == "expected" else {}
        return Certificates([replace(stated, assuming=words, runs=runs)])

    def _raise(self, raised: Raised) -> None:
        """Note an alarm."""
        self._alarms, self._last = self._alarms + 1, raised.round
        self._raised.append(raised)

    # In a file.

    @abstractmethod
    def _rule_state(self) -> dict[str, Any]:
        """The state of the rule, as JSON values."""

    @abstractmethod
    def _restore_rule(self, state: Mapping[str, Any]) -> None:
        """Restore a `_rule_state`; the counts are restored already."""

    def _state_values(self) -> dict[str, Any]:
        return {"rounds": self._rounds, "alarms": self._alarms, "last_alarm": self._last, **self._rule_state()}

    def _restore(self, state: Mapping[str, Any]) -> None:
        self._alarms, self._rounds = count(state["alarms"], "alarms"), count(state["rounds"], "rounds")
        last = state["last_alarm"]
        self._last = None if last is None else count(last, "last_alarm", 1)
        if (last is None) != (self._alarms == 0) or max(last or 0, self._alarms) > self._rounds:
            raise ValueError("it has other alarms than rounds")
        self._restore_rule(state)


def capitals(described: Any) -> list[float]:
    """A finite number for each bet.

    Raises
    ------
    ValueError
        If it is something else.
    """
    values = [one(value, float, "a capital") for value in one(described, list, "capitals")]
    if len(values) != len(BETS) or not all(map(isfinite, values)):
        raise ValueError("it has other bets than such an alarm")
    return values
