"""A trial: rows of which the losses of all arms are known, played as if only the drawn arm's were."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..bandits.validation import LossError, complaint, table_of
from ..errors import RegretlessError

if TYPE_CHECKING:
    from .base import ContextualBandit

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """A table that was played.

    Attributes
    ----------
    actions : ndarray of int, shape (rounds,)
        The arms that were drawn.
    probabilities : ndarray, shape (rounds,)
        With which each of them was drawn.
    losses : ndarray, shape (rounds,)
        What each of them lost, or earned, as it was reported.
    """

    actions: Array
    probabilities: Array
    losses: Array

    @property
    def total(self) -> float:
        """What the drawn arms lost, or earned."""
        return float(self.losses.sum())

    def __repr__(self) -> str:
        return f"Trial(rounds={len(self.losses)}, total={self.total:.6g})"


def played(learner: ContextualBandit, X: Any, losses: Any) -> Trial:
    """Play the rows of a table in their order.

    Raises
    ------
    LossError
        If a row cannot be played; those before it are learned.
    """
    rows = np.ascontiguousarray(X, dtype=np.float64)
    table, _ = table_of(losses, learner.arm_names_, learner.n_arms_)
    if rows.ndim != 2 or len(rows) != len(table):
        raise RegretlessError(f"rows of shape {rows.shape}, and losses of {len(table)} rounds: a row for each round")
    actions, probabilities, seen = np.empty(len(rows), np.int64), np.empty(len(rows)), np.empty(len(rows))
    for place, (row, lost) in enumerate(zip(rows, table, strict=True)):
        there = ~np.isnan(lost)
        _refuse_round(learner, place, row, lost, there)
        ticket = learner.act(row, None if there.all() else there)
        learner.learn(ticket, lost[ticket.action])
        actions[place], probabilities[place], seen[place] = ticket.action, ticket.probability, lost[ticket.action]
    return Trial(actions, probabilities, seen)


def _refuse_round(learner: ContextualBandit, place: int, row: Array, lost: Array, there: Array) -> None:
    """Refuse a round that cannot be played, before anything is drawn."""
    low, high = learner.value_range
    if not np.isfinite(row).all():
        column = int(np.argmin(np.isfinite(row)))
        raise LossError(place, None, f"feature {column} is {row[column]:g}", "a finite number is expected")
    if not there.any():
        raise complaint("asleep", place, -1, learner.names(), (low, high), learner.rewards)
    bad = there & ~((lost >= low) & (lost <= high))
    if bad.any():
        arm = int(np.argmax(bad))
        raise complaint("out of range", place, arm, learner.names(), (low, high), learner.rewards)
