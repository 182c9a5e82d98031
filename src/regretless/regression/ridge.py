"""Ridge regressions in hindsight, about: vectors that comparators are chosen among."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any

import numpy as np

from ..data.batch import Array
from ..rows.state import dot

MOST_STEPS, CLOSE = 200, 1e-4  # of each regression, and the part of the first slope at which it ends


def ridge_regressions(rows: Any, z: Array, damps: Sequence[float]) -> list[Array]:
    """The minimisers u of |X u - z|^2 + damp |u|^2, about, one a damp.

    They solve (X'X + damp) u = X'z; where rows are fewer than columns u = X'a is looked for, with (X X' + damp) a = z.
    Neither matrix is made: their equations are solved by conjugate gradients (Hestenes & Stiefel 1952), of which slopes
    are divided by the diagonal, from the largest damp on, each from where the one before ended.

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
    squares = rows.data * rows.data
    if few:
        diagonal = np.bincount(np.repeat(np.arange(len(z)), np.diff(rows.indptr)), squares, len(z))
    else:
        diagonal = np.bincount(rows.indices, squares, rows.shape[1])
    wanted = missed if few else rows.T @ missed
    solution, rest, before, each = np.zeros(len(wanted)), wanted.copy(), 0.0, []
    for damp in reversed(damps):
        rest += (before - damp) * solution
        _solve(
            lambda v: rows @ (rows.T @ v) if few else rows.T @ (rows @ v),
            damp,
            diagonal + damp,
            solution,
            rest,
            CLOSE * CLOSE * dot(wanted, wanted / (diagonal + damp)),
        )
        each.append(unit * (rows.T @ solution if few else solution))
        before = damp
    return each[::-1]


def _solve(
    product: Callable[[Array], Array], damp: float, diagonal: Array, solution: Array, rest: Array, enough: float
) -> None:
    """Go on from a solution of some equations, of which so much is left; both are changed in place."""
    step = its = rest / diagonal
    square = dot(rest, its)
    for _ in range(MOST_STEPS):
        if not square > enough:
            break
        image = product(step) + damp * step
        length = square / dot(step, image)
        solution += length * step
        rest -= length * image
        its = rest / diagonal
        before, square = square, dot(rest, its)
        step = its + square / before * step
