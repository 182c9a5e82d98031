"""All weights that a learner had, stored as rows and steps, and their votes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np

from ..data.batch import Array, Batch, narrow
from ..rows.state import Rules
from .state import BIAS, State

NAMES = ("support_values", "support_indices", "support_starts", "support_moves", "support_rounds")
TYPES = tuple(map(np.dtype, (np.float64, np.int64, np.int64, np.float64, np.int64)))
ROWS_AT_A_TIME = 1 << 14  # scored together, so that making the weights costs little beside it
WEIGHTS_AT_A_TIME = 32  # vectors: what a nonzero of a row meets lies side by side. So many numbers in all of them:
MOST_NUMBERS = 1 << 22


@dataclass(frozen=True, slots=True, eq=False)
class UpdateRows:
    """The rounds that moved some weights, in order.

    Attributes
    ----------
    values, indices, starts : ndarray
        Their rows, compressed.
    moves : ndarray, shape (updates, targets)
        By how much of the row each target moved.
    rounds : ndarray, shape (updates,)
        Which rounds these were, the first one being 1.
    """

    values: Array
    indices: Array
    starts: Array
    moves: Array
    rounds: Array

    @classmethod
    def empty(cls, targets: int) -> Self:
        """No update yet."""
        whole = np.zeros(0, dtype=np.int64)
        return cls(np.zeros(0), whole, np.zeros(1, dtype=np.int64), np.zeros((0, targets)), whole)

    @classmethod
    def of(cls, batch: Batch, rows: Array, moves: Array, rounds: Array) -> Self:
        """Some rows of a batch, zeros left out."""
        if batch.starts is None or batch.indices is None:
            dense = batch.values[rows]
            owners, indices = np.nonzero(dense)
            values = dense[owners, indices]
        else:
            begins, lengths = batch.starts[rows].astype(np.int64), np.diff(batch.starts)[rows].astype(np.int64)
            owners = np.repeat(np.arange(len(rows)), lengths)
            places = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths - begins, lengths)
            filled = batch.values[places] != 0
            owners, places = owners[filled], places[filled]
            values, indices = batch.values[places], batch.indices[places]
        starts = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=len(rows)))]).astype(np.int64)
        return cls(values.astype(np.float64), indices.astype(np.int64), starts, moves, rounds)

    @classmethod
    def joined(cls, parts: list[Self]) -> Self:
        """One after the other."""
        if len(parts) == 1:
            return parts[0]
        lengths = np.concatenate([np.diff(part.starts) for part in parts])
        return cls(
            np.concatenate([part.values for part in parts]),
            np.concatenate([part.indices for part in parts]),
            np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            np.concatenate([part.moves for part in parts]),
            np.concatenate([part.rounds for part in parts]),
        )

    @classmethod
    def read(cls, tensors: Mapping[str, Array], columns: int, targets: int) -> Self:
        """What `tensors` gave.

        Raises
        ------
        KeyError, ValueError
            If it does not fit together.
        """
        support = cls(*(tensors[name] for name in NAMES))
        values, indices, starts, moves, rounds = (tensors[name] for name in NAMES)
        updates = len(rounds)
        if [array.dtype for array in (values, indices, starts, moves, rounds)] != list(TYPES):
            raise ValueError("its updates are kept in arrays of other types")
        shapes = [(updates + 1,), (updates, targets), (updates,)]
        if [array.shape for array in (starts, moves, rounds)] != shapes or not values.ndim == indices.ndim == 1:
            raise ValueError("its updates have other shapes than its classes ask for")
        lengths = np.diff(starts)
        if starts[0] != 0 or (lengths < 0).any() or not len(values) == len(indices) == starts[-1]:
            raise ValueError("the rows of its updates do not fit together")
        fresh = np.zeros(len(indices), dtype=np.bool_)
        fresh[starts[:-1][lengths > 0]] = True
        if (indices < 0).any() or (indices >= columns).any() or not (fresh[1:] | (np.diff(indices) > 0)).all():
            raise ValueError("the rows of its updates name columns that it does not have")
        if not (np.isfinite(values).all() and np.isfinite(moves).all() and (np.diff(rounds, prepend=0) > 0).all()):
            raise ValueError("its updates hold something else than finite numbers, in order")
        return support

    def tensors(self) -> dict[str, Array]:
        """The arrays by name."""
        return dict(zip(NAMES, (self.values, self.indices, self.starts, self.moves, self.rounds), strict=True))

    def of_target(self, target: int) -> UpdateRows:
        """The updates of one target alone."""
        if self.moves.shape[1] == 1:
            return self
        (mine,) = np.nonzero(self.moves[:, target])
        batch = Batch(self.values, None, 0, self.indices, self.starts)
        return UpdateRows.of(batch, mine, self.moves[mine, target : target + 1], self.rounds[mine])


def lifetimes(rounds: Array, played: float, when: str) -> Array:
    """For how many rounds each vector of weights, the initial one first, was there before or after the round.

    Parameters
    ----------
    rounds : ndarray
        Which rounds moved the weights, counted from the first that this target played.
    played : float
        How many it played.
    when : {"before", "after"}
    """
    lengths = np.diff(rounds, prepend=0, append=played).astype(np.float64)
    if when == "after" and len(rounds):
        lengths[0] -= 1
        lengths[-1] += 1
    return lengths


def lifetimes_until(rounds: Array, before: Array, when: str) -> Array:
    """`lifetimes` at several times: after so many rounds each, shape (times, updates + 1)."""
    begins, ends = np.append(0, rounds), np.append(rounds, np.inf)
    lengths: Array = np.clip(np.minimum(ends, before[:, None]) - begins, 0, None)
    if when == "after" and len(rounds):
        now = np.searchsorted(rounds, before, side="right")  # the weights that there are
        moved = now > 0
        lengths[moved, 0] -= 1
        lengths[moved, now[moved]] += 1
    return lengths


def ballot(batch: Batch, support: UpdateRows, votes: Array, rules: Rules, out: Array) -> None:
    """Votes for +1 less votes for -1, of the zero vector and of those that the updates made of it.

    Every vote is by the very score, to the last bit, that the learner had for such a row in its time.

    Parameters
    ----------
    batch : Batch
        Rows to vote on, in order.
    support : UpdateRows
        Updates of one target.
    votes : ndarray, shape (updates + 1,) or (rows, updates + 1)
        How many votes each vector has, for all rows or for each.
    rules : Rules
        Where a score of 0 goes, and the size of the constant feature.
    out : ndarray, shape (rows,)
    """
    for begin in range(0, len(batch), ROWS_AT_A_TIME):
        rows = batch.slice(begin, min(begin + ROWS_AT_A_TIME, len(batch)))
        theirs = votes if votes.ndim == 1 else votes[begin : begin + len(rows)]
        first = np.broadcast_to(theirs[..., 0], len(rows))
        total = np.array(first if rules.tie >= 0 else -first)
        rows, used = (rows, None) if rows.indices is None else narrow(rows)
        done = 1
        for state in _weights(support, used, rows.columns, rules.intercept):
            scores, _ = state.scores(rows, rules)
            positive = scores >= 0 if rules.tie >= 0 else scores > 0
            each = theirs[..., done : done + state.targets]
            agree = positive @ each if each.ndim == 1 else np.einsum("ij,ij->i", positive, each)
            total += 2 * agree - each.sum(axis=-1)
            done += state.targets
        out[begin : begin + len(rows)] = total


def _weights(support: UpdateRows, used: Array | None, columns: int, intercept: float) -> Iterator[State]:
    """The weights after each update, some of them at a time, in those columns that are used."""
    owners = np.repeat(np.arange(len(support.rounds)), np.diff(support.starts))
    places, steps = support.indices, support.moves[owners, 0] * support.values
    if used is not None:
        places = np.minimum(np.searchsorted(used, support.indices), max(len(used) - 1, 0))
        known = used[places] == support.indices if len(used) else np.zeros(len(places), dtype=np.bool_)
        owners, places, steps = owners[known], places[known], steps[known]
    size = max(1, min(WEIGHTS_AT_A_TIME, MOST_NUMBERS // max(columns, 1)))
    weights, bias = np.zeros(columns), 0.0
    state = State(columns, size)
    for begin in range(0, len(support.rounds), size):
        end = min(begin + size, len(support.rounds))
        first, last = np.searchsorted(owners, [begin, end])
        state = state if state.targets == end - begin else State(columns, end - begin)
        state.weights[:] = 0
        state.weights[places[first:last], owners[first:last] - begin] = steps[first:last]
        state.weights[:, 0] += weights
        np.cumsum(state.weights, axis=1, out=state.weights)  # one after the other, as they were learned
        biases = support.moves[begin:end, 0] * intercept
        biases[0] += bias
        state.memory[:, BIAS] = np.cumsum(biases)
        weights, bias = state.weights[:, -1].copy(), float(state.memory[-1, BIAS])
        yield state
