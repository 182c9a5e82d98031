"""Weighted means of weights over some shards, whole or of the touched rows alone: the same bits in both forms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...data.batch import Array
from .schema import ShardSchema

CROWDED = 32  # of how many rows one must be held, for a table of all to be quicker than a search


@dataclass(frozen=True, slots=True, eq=False)
class Count:
    """What was counted on one shard in one epoch.

    Attributes
    ----------
    name : str
        Of the shard.
    rounds, updates, mistakes : int
    weight : float
        What its weights count in the mean.
    books : ndarray
        Of each target, and of the whole where there are several; without what the clock began with.
    columns, nonzeros : int
        How many features are known at its end, and how many values were read that are not zero, or are stored.
    cpu, reading : float
        Seconds of CPU time in all, and in reading.
    clock : ndarray
        Shaped as the books: what rates go by, as it stood at the end.
    fresh : (int, int)
        Rounds and mistakes of the first pass.
    met, reach : ndarray, shape (targets,), or None
        Of learners of mirror steps: up to which feature rounds have shown any, and the largest norm of an update's row.
    skipped : int
        Rows that were passed over.
    first_errors : tuple of str
        What was wrong with the first of them.
    """

    name: str
    rounds: int
    updates: int
    mistakes: int
    weight: float
    books: Array
    columns: int
    nonzeros: int
    clock: Array
    fresh: tuple[int, int]
    cpu: float = 0.0
    reading: float = 0.0
    met: Array | None = None
    reach: Array | None = None
    skipped: int = 0
    first_errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ShardResult:
    """What came of an epoch on some shards.

    Attributes
    ----------
    part : Part or None
        None where something was found.
    counts : tuple of Count
        In the order of the shards; those where something was found have none.
    found : ShardSchema or None
    """

    part: Part | None
    counts: tuple[Count, ...]
    found: ShardSchema | None = None


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
    rows = held(moved, sums is not None)
    if rows is None:
        return Part(size, None, weights, sums, weight, rounds)
    return Part(size, rows, weights[rows], None if sums is None else sums[rows], weight, rounds)


def held(moved: Array, summed: bool) -> Array | None:
    """The rows that have moved, or None if naming them takes more room than giving all of them.

    Parameters
    ----------
    moved : ndarray of bool, shape (size, targets)
    summed : bool
        Whether there are sums.
    """
    rows = np.flatnonzero(moved[:, 0] if moved.shape[1] == 1 else moved.any(axis=1))
    return None if _too_many(len(rows), len(moved), moved.shape[1], summed) else rows


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
        with np.errstate(over="ignore", invalid="ignore"):  # whoever takes the mix looks whether it is finite
            weights = second - first
            weights *= right.weight / weight
            weights += first
    sums = None
    if left.sums is not None and right.sums is not None:
        sums = _sums(left, places[0], rows, size, fresh=True)
        sums += _sums(right, places[1], rows, size)
    return Part(size, rows, weights, sums, weight, left.rounds + right.rounds)


def placed(start: Array, part: Part) -> tuple[Array, Array | None]:
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
