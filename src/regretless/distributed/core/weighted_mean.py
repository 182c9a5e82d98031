"""Weighted means of weights over some shards, whole or of the touched rows alone: the same bits in both forms."""

from __future__ import annotations

import numpy as np

from ...data.batch import Array
from .messages import Part
from .second_order import add_matrices

CROWDED = 32  # of how many rows one must be held, for a table of all to be quicker than a search


def pack(start: Array, weights: Array, sums: Array | None, weight: float, rounds: float) -> Part:
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
    rows = rows_to_send(moved, sums is not None)
    if rows is None:
        return Part(size, None, weights, sums, weight, rounds)
    return Part(size, rows, weights[rows], None if sums is None else sums[rows], weight, rounds)


def rows_to_send(moved: Array, summed: bool) -> Array | None:
    """The rows that have moved, or None if naming them takes more room than giving all of them.

    Parameters
    ----------
    moved : ndarray of bool, shape (size, targets)
    summed : bool
        Whether there are sums.
    """
    rows = np.flatnonzero(moved[:, 0] if moved.shape[1] == 1 else moved.any(axis=1))
    return None if _too_many(len(rows), len(moved), moved.shape[1], summed) else rows


def merge_parts(start: Array, left: Part, right: Part) -> Part:
    """The mean over the shards of both.

    Row by row it is a + (b - a) * (weight of b / weight of both): where both are the same nothing is rounded, so that a
    row that no shard has touched keeps its bits. A part of weight 0 gives way to the other as it is. Matrices and what
    goes with them add up, whatever the weights.

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
    if left.matrices is not None and right.matrices is not None:
        matrices, weight = add_matrices(left.matrices, right.matrices), left.weight + right.weight
        return Part(size, None, left.weights, None, weight, left.rounds + right.rounds, matrices=matrices)
    rows = _united(left.rows, right.rows, size)
    if rows is not None and _too_many(len(rows), size, start.shape[1], left.sums is not None):
        rows = None
    places = [_places(part, rows, size) for part in (left, right)]
    weight = left.weight + right.weight
    if weight == 0:
        weights = _from_start(start, rows, size)
    elif 0 in (left.weight, right.weight):
        weights = _held(start, *((left, places[0]) if left.weight else (right, places[1])), rows, size)
    else:
        first, second = (_held(start, *each, rows, size) for each in zip((left, right), places, strict=True))
        with np.errstate(over="ignore", invalid="ignore"):  # the caller looks whether it is finite
            weights = second - first
            weights *= right.weight / weight
            weights += first
    sums = None
    if left.sums is not None and right.sums is not None:
        sums = _sums(left, places[0], rows, size, fresh=True)
        sums += _sums(right, places[1], rows, size)
    return Part(size, rows, weights, sums, weight, left.rounds + right.rounds)


def unpack(start: Array, part: Part) -> tuple[Array, Array | None]:
    """The whole weights and the whole sums, shape (size, targets) each.

    Parameters
    ----------
    start : ndarray, shape (rows, targets)
        What all shards began with.
    part : Part
        Of all of them.
    """
    places = _places(part, None, part.size)
    weights = _held(start, part, places, None, part.size)
    return weights, None if part.sums is None else _sums(part, places, None, part.size)


def _too_many(rows: int, size: int, targets: int, summed: bool) -> bool:
    """Whether naming so many rows takes more room than giving all of them."""
    width = 2 * targets if summed else targets
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


def _held(start: Array, part: Part, places: Array | slice | None, rows: Array | None, size: int) -> Array:
    """The part's weights in these rows."""
    if places is None:
        return part.weights
    weights = _from_start(start, rows, size)
    weights[places] = part.weights
    return weights


def _sums(part: Part, places: Array | slice | None, rows: Array | None, size: int, *, fresh: bool = False) -> Array:
    """The part's sums in these rows; an array of their own if they are to be changed."""
    assert part.sums is not None
    if places is None:
        return part.sums.copy() if fresh else part.sums
    sums = np.zeros((size if rows is None else len(rows), part.sums.shape[1]))
    sums[places] = part.sums
    return sums


def _places(part: Part, rows: Array | None, size: int) -> Array | slice | None:
    """Where the part's rows stand among these, which hold them; None if it has just these."""
    if part.rows is None:
        return None if rows is None and part.size == size else slice(0, part.size)
    if rows is None:
        return part.rows
    if len(rows) == len(part.rows):
        return None
    if CROWDED * len(part.rows) < size:
        return np.searchsorted(rows, part.rows)
    place = np.empty(size, dtype=np.intp)
    place[rows] = np.arange(len(rows))
    return place[part.rows]
