"""Ridge regressions in hindsight, about: vectors that comparators are chosen among."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np

from ..data.batch import Array
from ..rows.state import dot

MOST_STEPS, CLOSE = 200, 1e-4  # of each regression, and the part of the first slope at which it ends


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
