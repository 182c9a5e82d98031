"""What users give a bandit that draws by features, checked and brought into one form; and tables, played."""

from __future__ import annotations

import reprlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..bandits.state import Scale
from ..bandits.validation import LossError, arm_of, complaint, mask_of, number_of, outside, table_of
from ..data.batch import Batch
from ..errors import ParameterError, RegretlessError
from ..html import Recorded
from ..picture import figure_by_arm
from ..rows.faults import fault_of
from ..rows.one_row import crossed_row, hashed_row, row_in_order
from ..rows.validation import ascending, read_rows
from .state import Ticket

Array = np.ndarray[Any, Any]


class Asked(ABC):
    """A bandit as far as it has to do with what users give."""

    shared: bool
    hash_bits: int | None
    rewards: bool
    n_arms_: int
    arm_names_: list[str] | None
    policy_names_: list[str]
    _scale: Scale
    _models: list[Any]
    _pending: dict[int, Ticket]

    @property
    @abstractmethod
    def n_features_in_(self) -> int:
        """How many features rows have; 0 before the first."""

    @abstractmethod
    def _begun(self, columns: int) -> Any:
        """The regression of an arm that has learned nothing."""

    @property
    def _regressions(self) -> int:
        return 1 if self.shared else self.n_arms_

    def _asked(self, x: Any, available: Any) -> tuple[Array, Array | None]:
        """A row, or one an arm, as the loops take them, and who can be drawn; copies, that can wait for a loss."""
        mask = None if available is None else mask_of(available, self.arm_names_, self.n_arms_)
        x = self._hashed(x)
        if not self.shared:
            return self._row(x), mask
        rows = _numbers(x)
        if rows.ndim != 2 or not 1 <= len(rows) <= self.n_arms_:
            raise RegretlessError(
                f"a row for each of at most {self.n_arms_:,} arms is expected; the shape is {rows.shape}"
            )
        self._stand(rows.shape[1])
        if rows.shape[1] != self.n_features_in_:
            raise RegretlessError(f"rows of {rows.shape[1]:,} features; there were {self.n_features_in_:,} before")
        if len(rows) < self.n_arms_:
            there = np.arange(self.n_arms_) < len(rows)
            mask = there if mask is None else mask & there
            rows = np.vstack([rows, np.zeros((self.n_arms_ - len(rows), rows.shape[1]))])
        return (rows[0] if self.n_arms_ == 1 else rows), mask

    def _hashed(self, x: Any) -> Any:
        """Values by their names as a row, or as one an arm, crossed with those of the decision; else what it is."""
        context, each = x if isinstance(x, tuple) and len(x) == 2 and isinstance(x[0], Mapping) else (None, x)
        by_name = isinstance(each, list | tuple) and len(each) > 0 and all(isinstance(one, Mapping) for one in each)
        if not (isinstance(x, Mapping) or by_name):
            return x
        if self.hash_bits is None:
            raise RegretlessError("values by their names need a hash of these; make the bandit with hash_bits=8, say")
        if isinstance(x, Mapping) == self.shared:
            expected = "a list of them, one an arm" if self.shared else "one mapping, as arms have no features"
            raise RegretlessError(f"of values by their names {expected} is expected")
        if isinstance(x, Mapping):
            return hashed_row(x, self.hash_bits)
        rows = [hashed_row(one, self.hash_bits) for one in each]
        if context is not None:
            ours = hashed_row(context, self.hash_bits)
            rows = [crossed_row(ours, row, self.hash_bits) for row in rows]
        return np.stack(rows)

    def _row(self, x: Any) -> Array:
        """A row as the loops take it; a copy. The first says how many features there are."""
        row = np.array(x, dtype=np.float64) if type(x) is np.ndarray else _numbers(x)
        if not self._models:
            if row.ndim != 1:
                raise RegretlessError(f"a row of numbers is expected, and its shape is {row.shape}")
            self._stand(len(row))
        return row if row.shape == (self.n_features_in_,) else row_in_order(row, self.n_features_in_)

    def rows_of(self, X: Any) -> Batch:
        """Rows as the loop takes them; the first say how many features there are."""
        if self.hash_bits is not None and isinstance(X, list):
            X = [self._hashed(x) for x in X]
        if self.shared:
            X = _rows_of_arms(X, self.n_arms_)
        batch = X if isinstance(X, Batch) else read_rows(X, learner=SimpleNamespace(), reset=True, in_order=False)
        self._stand(batch.columns)
        if batch.columns != self.n_features_in_:
            raise RegretlessError(f"rows of {batch.columns:,} features; there were {self.n_features_in_:,} before")
        return batch

    def _stand(self, columns: int) -> None:
        """Have a regression for each arm."""
        if self.hash_bits is not None and columns != 1 << self.hash_bits:
            raise RegretlessError(
                f"rows of {columns:,} features; a hash of {self.hash_bits} bits has 2^{self.hash_bits}"
            )
        if not self._models:
            self._models = [self._begun(columns) for _ in range(self._regressions)]

    def _advised(self, advice: Any, mask: Array | None) -> Array | None:
        """The arm that each policy would draw."""
        if (advice is None) != (not self.policy_names_):
            missing = "is missing: the arm that each policy would draw"
            what = missing if advice is None else "is for policies that were named"
            raise ParameterError("advice", "", f"{what} (policies={self.policy_names_})", " ")
        if advice is None:
            return None
        arms = [arm_of(one, self.arm_names_, self.n_arms_) for one in advice]
        if len(arms) != len(self.policy_names_):
            raise RegretlessError(f"advice of {len(arms):,} policies; there are {len(self.policy_names_):,}")
        asleep = next((place for place, arm in enumerate(arms) if mask is not None and not mask[arm]), None)
        if asleep is not None:
            name = self.policy_names_[asleep]
            raise RegretlessError(f"policy {name} names arm {arms[asleep]}, which cannot be drawn in this decision")
        return np.array(arms)

    def advice_of(self, advice: Any, losses: Array) -> list[Any] | None:
        """The arms that policies would draw in the rounds of a table."""
        if advice is None and not self.policy_names_:
            return None
        if advice is not None and len(advice) != len(losses):
            raise RegretlessError(f"advice of {len(advice):,} rounds, and losses of {len(losses):,}")
        each = [None] * len(losses) if advice is None else advice
        return [self._advised(one, ~np.isnan(lost)) for one, lost in zip(each, losses, strict=True)]

    def _waiting(self, ticket: Any) -> Ticket:
        """The ticket that is meant, of those that wait."""
        if isinstance(ticket, Ticket) and self._pending.get(ticket.number) is ticket:
            return ticket
        number = ticket.number if isinstance(ticket, Ticket) else ticket
        if isinstance(number, bool | np.bool_) or not hasattr(number, "__index__"):
            raise ParameterError("ticket", repr(ticket), "what act() returned is expected, or its number", ": ")
        waiting = self._pending.get(int(number))
        if waiting is None or (isinstance(ticket, Ticket) and waiting.row is not ticket.row):
            raise RegretlessError(f"ticket {int(number)} does not wait for a loss; {self._open()}")
        return waiting

    def _open(self) -> str:
        waiting = [str(number) for number in list(self._pending)[:10]]
        more = f" and {len(self._pending) - 10} more" if len(self._pending) > 10 else ""
        return f"waiting are {', '.join(waiting)}{more}" if waiting else "none does: act first"

    def _units(self, name: str, loss: Any) -> float:
        """A loss in units of the declared range, checked."""
        low, high = self._scale.low, self._scale.high
        number = number_of(loss, "reward" if self.rewards else "loss", name)
        if not low <= number <= high:
            fault, advice = outside((low, high), self.rewards)
            raise RegretlessError(f"arm {name}: {fault} ({number:g} was found); {advice}")
        return (high - number) / (high - low) if self.rewards else (number - low) / (high - low)


def _numbers(x: Any) -> Array:
    """What a user gave, as numbers."""
    try:
        return np.array(list(x), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise RegretlessError(f"a row of numbers is expected, and {reprlib.repr(x)} was found") from error


@contextmanager
def refused(rows: Array | None = None) -> Iterator[None]:
    """What the core refuses is an error of ours, which names what is no number in these rows."""
    try:
        yield
    except ValueError as error:
        if rows is not None and not np.isfinite(rows).all():
            raise RegretlessError(without_number(rows)) from error
        raise RegretlessError(f"the decision was not made: {error}") from error


def without_number(rows: Array) -> str:
    """The first feature that is not finite, in words."""
    place = np.argwhere(~np.isfinite(rows))[0].tolist()
    of = f" of arm {place[0]} (counted from 0)" if len(place) > 1 else ""
    return f"feature {place[-1]} (counted from 0){of} is {rows[tuple(place)]:g}; a finite number is expected"


def _rows_of_arms(X: Any, arms: int) -> Array:
    """Rows of shape (rounds, arms, features) one below the other."""
    rows = np.asarray(X, dtype=np.float64)
    if rows.ndim != 3 or rows.shape[1] != arms:
        raise RegretlessError(f"rows of shape {rows.shape}: (rounds, {arms} arms, features) is expected")
    return np.ascontiguousarray(rows.reshape(-1, rows.shape[2]))


def policy_names(policies: Any) -> list[str]:
    """The names of policies, each once; none where none is named.

    Raises
    ------
    ParameterError
        If they are none.
    """
    if policies is None:
        return []
    each = list(policies) if hasattr(policies, "__iter__") and not isinstance(policies, str) else []
    if not each or len(set(each)) < len(each) or not all(isinstance(name, str) and name for name in each):
        raise ParameterError("policies", repr(policies), "a list of names is expected, each once", ": ")
    return each


AT_A_TIME = 10_000  # rounds


@dataclass(frozen=True, slots=True, eq=False)
class Trial(Recorded):
    """A table that was played.

    Attributes
    ----------
    actions : ndarray of int, shape (rounds,)
        The arms that were drawn.
    probabilities : ndarray, shape (rounds,)
        With which each of them was drawn.
    losses : ndarray, shape (rounds,)
        What each of them lost, or earned, as it was reported.
    regret : float or None
        By how much these losses exceed those of the best single arm, or these rewards fall short of its own: what
        certificates bound. None where an arm could not be drawn in some round.
    """

    actions: Array
    probabilities: Array
    losses: Array
    regret: float | None = None

    @property
    def total(self) -> float:
        """What the drawn arms lost, or earned."""
        return float(self.losses.sum())

    def plot(self) -> Any:
        """A matplotlib figure of how often each arm was drawn, and of what it lost, or earned, in all; `MissingError`
        without matplotlib.
        """
        return figure_by_arm(self.actions, self.losses)

    def __repr__(self) -> str:
        return f"Trial(rounds={len(self.losses)}, total={self.total:.6g})"


def played(learner: Any, X: Any, losses: Any, advice: Any) -> Trial:
    """Let a contextual bandit play the rows of a table in their order.

    Raises
    ------
    LossError
        If a row cannot be played; those before it are learned.
    """
    table, _ = table_of(losses, learner.arm_names_, learner.n_arms_)
    table = np.ascontiguousarray(table, dtype=np.float64)
    batch = learner.rows_of(X)
    rounds = len(batch) // learner.n_arms_ if learner.shared else len(batch)
    if rounds != len(table):
        raise RegretlessError(f"{rounds:,} rows, and losses of {len(table):,} rounds: a row for each round")
    advised = learner.advice_of(advice, table)
    actions, probabilities, done = np.empty(len(table), np.int64), np.empty(len(table)), 0
    while done < len(table):
        end = min(done + AT_A_TIME, len(table))  # it comes back now and then, so that a request to stop is noticed
        rows = (batch.values, batch.indices, batch.starts)
        begin = done
        done, why, column = learner.core.play(*rows, table, actions, probabilities, begin, end)
        for t, one in enumerate(advised[begin:done] if advised else (), begin):
            learner.credit(one, int(actions[t]), float(probabilities[t]), float(table[t, actions[t]]))
        if why == "unsorted":
            batch = ascending(batch)
        elif why is not None:
            raise _complaint(learner, batch, done, why, column, table)
    own = np.take_along_axis(table, actions[:, None], 1)[:, 0]
    return Trial(actions, probabilities, own, _regret(own, table, learner.rewards))


def _regret(own: Array, table: Array, rewards: bool) -> float | None:
    """Against the best single arm, where all could be drawn in all rounds."""
    totals = table.sum(axis=0)
    if np.isnan(totals).any():
        return None
    return float(totals.max() - own.sum() if rewards else own.sum() - totals.min())


def _complaint(learner: Any, batch: Batch, row: int, why: str, column: int, table: Array) -> LossError:
    """The error for what the kernel refused."""
    scale = learner.value_range, learner.rewards
    if why == "asleep":
        return complaint("asleep", row, -1, learner.names(), *scale)
    if why == "loss":
        fault, advice = outside(*scale)
        what = f"{fault} ({table[row, column]:g} was found)"
        return LossError(row, learner.names()[column], what, advice, column=column)
    if why == "not finite" and (bad := _without_number(batch, row)) is not None:
        return LossError(row, None, bad, "a finite number is expected")
    return LossError(row, None, *fault_of(batch, row, why))


def _without_number(batch: Batch, row: int) -> str | None:
    """The first feature of a row that is not finite, in words."""
    part = slice(None) if batch.starts is None else slice(batch.starts[row], batch.starts[row + 1])
    values = batch.values[row] if batch.starts is None else batch.values[part]
    bad = np.flatnonzero(~np.isfinite(values))
    if not len(bad):
        return None
    column = int(bad[0]) if batch.indices is None else int(batch.indices[part][bad[0]])
    return f"feature {column} is {values[bad[0]]:g}"
