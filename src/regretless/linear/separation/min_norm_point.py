"""The point of a convex hull of few rows that is nearest to the origin, to the last digit that float64 can hold.

Lawson and Hanson's least squares with nonnegative weights a, for ``sum a z = 0, sum a = 1``, finds the weights of that
point, and of the origin itself if the hull contains it; they end up on rows of which none is superfluous. Where the
vector ``sum a z`` is short it loses digits to cancellation, so the shortest w with <w, z> = 1 on those rows is solved
for afresh.

C. L. Lawson and R. J. Hanson, Solving least squares problems (1974), chapter 23.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...data.batch import Array

MOST_VALUES = 1 << 22  # of a matrix that is worth making dense
MOST_ROWS = 1000
NEGLIGIBLE = 1e-9


def dense(rows: Any) -> Array | None:
    """The rows without the columns in which all are zero; None when that is too large."""
    if isinstance(rows, np.ndarray):
        return rows[:, rows.any(axis=0)] if rows.size <= MOST_VALUES else None
    columns = np.unique(rows.indices)
    if rows.shape[0] * len(columns) > MOST_VALUES:
        return None
    full: Array = rows.tocsc()[:, columns].toarray()
    return full[:, full.any(axis=0)]


def nearest_weights(rows: Any) -> Array | None:
    """The weights, with sum 1, of the nearest point; None when there are too many rows or the iteration fails."""
    table = dense(rows) if 0 < rows.shape[0] <= MOST_ROWS else None
    if table is None:
        return None
    from scipy.optimize import nnls

    norms = np.sqrt((table * table).sum(axis=1))
    scale = float(np.median(norms))
    if scale == 0:  # so short that their squares are
        return None
    sizes = np.maximum(norms / scale, 1)
    system = np.vstack([table.T / (scale * sizes), 1 / sizes])
    aim = np.zeros(len(system))
    aim[-1] = 1
    if len(system) > 2 * len(table):  # more equations than unknowns: a triangle says the same
        basis, system = np.linalg.qr(system)
        aim = basis[-1]
    try:
        solution = nnls(system, aim, maxiter=30 * len(table))[0] / sizes
    except (RuntimeError, ValueError):  # too many steps, or lengths too different for numbers of this size
        return None
    return _without_specks(table, solution / solution.sum()) if solution.any() else None


def nothing_weights(rows: Any, weights: Array) -> Array:
    """Weights that combine many rows to nothing, corrected by least squares until rounding errors remain."""
    from scipy.sparse import csr_array, vstack
    from scipy.sparse.linalg import lsqr

    weights = weights / weights.sum()
    system: Any = vstack([csr_array(rows.T), csr_array(np.ones((1, rows.shape[0])))], format="csr")
    for _ in range(3):
        lack = -(system @ weights)
        lack[-1] += 1
        change: Array = lsqr(system, lack, atol=1e-15, btol=1e-15, iter_lim=1000)[0]
        weights = np.maximum(weights + change, 0)
    total = float(weights.sum())
    return weights / total


def level(rows: Any) -> Array | None:
    """The shortest w with <w, z> = 1 for every row, which must not depend on one another."""
    table = rows if isinstance(rows, np.ndarray) else rows.toarray()
    basis, triangle = np.linalg.qr(table.T)
    wide, w = table.astype(np.longdouble), np.zeros(table.shape[1])
    for _ in range(3):
        lack = (1 - wide @ w.astype(np.longdouble)).astype(np.float64)
        try:
            w = w + basis @ np.linalg.solve(triangle.T, lack)
        except (np.linalg.LinAlgError, ValueError):  # dependent rows, more rows than columns
            return None
    return w if bool(np.isfinite(w).all() and w.any()) else None


def _without_specks(table: Array, weights: Array) -> Array:
    """The weights without those that rounding errors may have left, where the point comes no further."""
    clipped = np.where(weights > NEGLIGIBLE * weights.max(), weights, 0.0)
    clipped /= clipped.sum()
    size = float(np.sqrt((table * table).sum(axis=1).max()))
    worst = max(2 * float(np.linalg.norm(weights @ table)), 1e-15 * size)
    return clipped if float(np.linalg.norm(clipped @ table)) <= worst else weights
