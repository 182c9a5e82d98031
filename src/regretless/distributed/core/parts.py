"""Weighted means of weights over some shards, whole or of the touched rows alone: the same bits in both forms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...data.batch import Array


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A weighted mean over some shards.

    Attributes
    ----------
    size : int
        How many rows there are: one more than the features.
    rows : ndarray of int64, or None
        The rows that are held, ascending; the others are as they were at the start. None: all of them.
    weights : ndarray, shape (held, targets)
        The mean.
    sums : ndarray, shape (held, targets), or None
        Of learners that predict by the mean of all the weights they had: by how much these differ from the start's,
        summed over the rounds. Rows that are not held have sums of zero.
    weight : float
        What these shards count in the mean of the weights.
    rounds : float
        How many rounds they played.
    whole : dict of str to ndarray, or None
        All that the learner remembers, where there is one shard only.
    """

    size: int
    rows: Array | None
    weights: Array
    sums: Array | None
    weight: float
    rounds: float
    whole: dict[str, Array] | None = None


def packed(start: Array, weights: Array, sums: Array | None, weight: float, rounds: float) -> Part:
    """The part that one shard hands up, in the shorter form.

    Parameters
    ----------
    start : ndarray, shape (rows, targets)
        What the shard began with; rows that it lacks were zeros.
    weights, sums : ndarray, shape (size, targets)
        What it ended with; it has as many rows as the start, or more.
    """
    size = len(weights)
    moved = weights[: len(start)] != start
    moved = np.concatenate([moved, weights[len(start) :] != 0]) if size > len(start) else moved
    if sums is not None:
        moved |= sums != 0
    rows = np.flatnonzero(moved[:, 0] if moved.shape[1] == 1 else moved.any(axis=1))
    if _too_many(len(rows), size, weights.shape[1], sums):
        return Part(size, None, weights, sums, weight, rounds)
    return Part(size, rows, weights[rows], None if sums is None else sums[rows], weight, rounds)


def merged(start: Array, left: Part, right: Part) -> Part:
    """The mean over the shards of both.

    Row by row it is a + (b - a) * (weight of b / weight of both): where both are the same nothing is rounded, so that a
    row that no shard has touched keeps its bits. A part of weight 0 gives way to the other as it is.

    Parameters
    ----------
    start : ndarray, shape (rows, targets)
        What all shards began with.
    left, right : Part
        Of shards that are neighbours.

    Returns
    -------
    Part
        Sparse only if both are.
    """
    size = max(left.size, right.size)
    rows = _united(left.rows, right.rows, size)
    if rows is not None and _too_many(len(rows), size, start.shape[1], left.sums):
        rows = None
    weight = left.weight + right.weight
    if weight == 0:
        weights = _from_start(start, rows, size)
    elif 0 in (left.weight, right.weight):
        weights = _held(start, left if left.weight else right, rows, size)
    else:
        first, second = _held(start, left, rows, size), _held(start, right, rows, size)
        with np.errstate(over="ignore", invalid="ignore"):  # whoever takes the mix looks whether it is finite
            weights = second - first
            weights *= right.weight / weight
            weights += first
    return Part(size, rows, weights, _added(left, right, rows, size), weight, left.rounds + right.rounds)


def placed(start: Array, part: Part) -> tuple[Array, Array | None]:
    """The whole weights and the whole sums, shape (size, targets) each.

    Parameters
    ----------
    start : ndarray, shape (rows, targets)
        What all shards began with.
    part : Part
        Of all of them.
    """
    weights = _held(start, part, None, part.size)
    return weights, None if part.sums is None else _sums(part, None, part.size)


def _too_many(rows: int, size: int, targets: int, sums: Array | None) -> bool:
    """Whether naming so many rows takes more room than giving all of them."""
    width = targets if sums is None else 2 * targets
    return rows * (1 + width) >= size * width


def _united(left: Array | None, right: Array | None, size: int) -> Array | None:
    if left is None or right is None:
        return None
    held = np.zeros(size, dtype=np.bool_)
    held[left] = True
    held[right] = True
    return np.flatnonzero(held)


def _from_start(start: Array, rows: Array | None, size: int) -> Array:
    """The start's weights in these rows; new ones are zeros."""
    weights = np.zeros((size if rows is None else len(rows), start.shape[1]))
    if rows is None:
        weights[: len(start)] = start
    else:
        known = int(np.searchsorted(rows, len(start)))
        weights[:known] = start[rows[:known]]
    return weights


def _held(start: Array, part: Part, rows: Array | None, size: int) -> Array:
    """The part's weights in these rows."""
    if _same(part, rows, size):
        return part.weights
    weights = _from_start(start, rows, size)
    weights[_places(part, rows)] = part.weights
    return weights


def _sums(part: Part, rows: Array | None, size: int) -> Array:
    assert part.sums is not None
    if _same(part, rows, size):
        return part.sums
    sums = np.zeros((size if rows is None else len(rows), part.sums.shape[1]))
    sums[_places(part, rows)] = part.sums
    return sums


def _added(left: Part, right: Part, rows: Array | None, size: int) -> Array | None:
    if left.sums is None or right.sums is None:
        return None
    return np.asarray(_sums(left, rows, size) + _sums(right, rows, size))


def _same(part: Part, rows: Array | None, size: int) -> bool:
    """Whether the part holds just these rows already."""
    if rows is None or part.rows is None:
        return rows is None and part.rows is None and part.size == size
    return len(rows) == len(part.rows)  # they are among them


def _places(part: Part, rows: Array | None) -> Array | slice:
    """Where the part's rows stand among these."""
    if part.rows is None:
        return slice(0, part.size)
    return part.rows if rows is None else np.searchsorted(rows, part.rows)
