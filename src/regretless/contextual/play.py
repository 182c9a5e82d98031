"""A trial: rows of which the losses of all arms are known, played as if only the drawn arm's were."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..bandits.validation import LossError, complaint, outside, table_of
from ..data.batch import Batch
from ..errors import RegretlessError
from ..html import Recorded
from ..rows.faults import fault_of
from ..rows.validation import ascending

Array = np.ndarray[Any, Any]
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
        raise RegretlessError(f"{rounds} rows, and losses of {len(table)} rounds: a row for each round")
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
