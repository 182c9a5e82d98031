"""Vectors in hindsight: ridge regressions, about, that comparators are chosen among, and the scores of rows for some at
once, with the same bits dense and sparse."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any

import numpy as np

from .. import _core
from ..data.batch import Array, Batch
from ..errors import RegretlessError
from ..ledger import FIELDS
from ..rows.state import Rules, dot

MOST_STEPS, CLOSE = 200, 1e-4  # of each regression, and the part of the first slope at which it ends
BLOCK = 4096  # columns of which all vectors are written at once


def ridge_regressions(rows: Any, z: Array, damps: Sequence[float]) -> list[Array]:
    """The minimisers u of |X u - z|^2 + damp |u|^2, about, one a damp.

    By conjugate gradients (Hestenes & Stiefel 1952) from the largest damp on, each from where the one before ended.
    Matrices of products are not made. Slopes are divided by the diagonal of X'X + damp; where rows are fewer than
    columns, u = X'a is kept as a, and slopes are as they are.

    Parameters
    ----------
    rows : csr_array, shape (rows, columns)
        X, without zeros.
    z : ndarray, shape (rows,)
    damps : sequence of float
        Ascending, > 0.
    """
    unit = float(np.abs(z).max(initial=0.0))
    if not 0 < unit < inf:
        return [np.zeros(rows.shape[1]) for _ in damps]
    few, missed = rows.shape[0] < rows.shape[1], z / unit  # outcomes may be so large that their squares are not floats
    solution, each = np.zeros(min(rows.shape)), []
    for damp in reversed(damps):
        solve = _by_rows if few else _by_columns
        missed = solve(rows, z / unit, damp, solution, missed)
        each.append(unit * (rows.T @ solution if few else solution))
    return each[::-1]


def _by_columns(rows: Any, z: Array, damp: float, u: Array, missed: Array) -> Array:
    """Go on from a solution, which is changed in place and misses z by so much; what it misses then."""
    diagonal = np.bincount(rows.indices, rows.data * rows.data, rows.shape[1]) + damp
    first = rows.T @ z
    enough = CLOSE * CLOSE * dot(first, first / diagonal)
    slope = rows.T @ missed - damp * u
    step = its = slope / diagonal
    square = dot(slope, its)
    for _ in range(MOST_STEPS):
        if not square > enough:
            break
        moved = rows @ step
        length = square / (dot(moved, moved) + damp * dot(step, step))
        u += length * step
        missed = missed - length * moved
        slope = rows.T @ missed - damp * u
        its = slope / diagonal
        before, square = square, dot(slope, its)
        step = its + square / before * step
    return missed


def _by_rows(rows: Any, z: Array, damp: float, a: Array, missed: Array) -> Array:
    """The same for u = X'a: slopes and steps are kept as coefficients of the rows, and as their products with them."""
    first = rows.T @ z
    enough = CLOSE * CLOSE * dot(first, first)
    step = slope = missed - damp * a
    moved = rows @ (rows.T @ slope)
    square = dot(slope, moved)
    for _ in range(MOST_STEPS):
        if not square > enough:
            break
        length = square / (dot(moved, moved) + damp * dot(step, moved))
        a += length * step
        missed = missed - length * moved
        slope = missed - damp * a
        image = rows @ (rows.T @ slope)
        before, square = square, dot(slope, image)
        step = slope + square / before * step
        moved = image + square / before * moved
    return missed


def scorer(vectors: Sequence[Array], intercept: float) -> Callable[[Batch], Array]:
    """What gives the scores of rows, shape (rows, vectors).

    Parameters
    ----------
    vectors : sequence of ndarray, shape (1 + columns,)
        The constant feature first.
    intercept : float
        Size of the constant feature.
    """
    some = [k for k, vector in enumerate(vectors) if vector[1:].any()]  # others give all rows the same
    constants = np.array([intercept * vector[0] for vector in vectors])
    room = max(4, -(-len(some) // 4) * 4)  # the kernel takes four at once
    weights, memory = np.zeros((len(vectors[0]) - 1, room)), np.zeros((room, _core.MEMORY_SIZE))
    for begin in range(0, len(weights), BLOCK):
        for place, k in enumerate(some):
            part = vectors[k][1 + begin : 1 + begin + BLOCK]
            weights[begin : begin + len(part), place] = part
    memory[:, 0], memory[: len(some), 2] = 1, [vectors[k][0] for k in some]  # the scale, and the bias
    books, rules = np.zeros((room + 1, len(FIELDS))), Rules(intercept=intercept)
    player = _core.Player(
        weights,
        memory,
        books,
        np.zeros(4 * room),
        geometry=rules.geometry,
        loss=rules.loss,
        rate=rules.rate,
        intercept=rules.intercept,
    )

    def score(batch: Batch) -> Array:
        scores = np.empty((len(batch), room))
        row, why = player.score(batch.values, batch.indices, batch.starts, scores)
        if why is not None:
            raise RegretlessError(f"row {row} of the rounds to certify against is {why}")
        each = np.repeat(constants[None], len(batch), axis=0)
        each[:, some] = scores[:, : len(some)]
        return each

    return score
