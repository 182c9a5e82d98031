"""Gordan's alternative: rows that no vector separates can be combined to nothing, and how sure of that one can be."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np

from ..data.batch import Array

MOST_VALUES = 1 << 22  # of a matrix that is worth making dense
MOST_WORK = 4e6  # multiplications of whole numbers of a few dozen digits: seconds
NEGLIGIBLE = 1e-9


def reduce(Z: Any, weights: Array) -> Array:
    """Weights of fewer rows that combine them to nothing, in so far as `weights` does.

    Lawson and Hanson's least squares with nonnegative weights, for ``sum a z = 0, sum a = 1``, ends with rows of which
    none is superfluous. Where that takes too much memory the weights are only corrected.
    """
    places = np.flatnonzero(weights > NEGLIGIBLE * weights.max())
    rows, size = Z[places], np.sqrt(_squares(Z[places]).max())
    result = np.zeros(len(weights))
    result[places] = weights[places] / weights[places].sum()
    if size == 0:
        return result
    dense = _dense(rows)
    better = _corrected(rows / size, result[places]) if dense is None else _fewest(dense / size, result[places])
    if _length(rows, better) <= max(2 * _length(rows, result[places]), 1e-15 * size):
        result[places] = better
    return result


def prove(Z: Any, weights: Array) -> Array | None:
    """The weights rounded from ones that combine the rows to exactly nothing; None when that could not be proved."""
    places = np.flatnonzero(weights)
    dense = _dense(Z[places])
    if dense is None:
        return None
    found = _enclosed(dense, weights[places])
    found = _exact(dense) if found is None else found
    if found is None:
        return None
    result = np.zeros(len(weights))
    result[places] = found
    return result


def _dense(rows: Any) -> Array | None:
    """The rows without the columns in which all are zero."""
    if isinstance(rows, np.ndarray):
        return rows[:, rows.any(axis=0)] if rows.size <= MOST_VALUES else None
    columns = np.unique(rows.indices)
    if rows.shape[0] * len(columns) > MOST_VALUES:
        return None
    dense: Array = rows.tocsc()[:, columns].toarray()
    return dense[:, dense.any(axis=0)]


def _fewest(rows: Array, weights: Array) -> Array:
    from scipy.optimize import nnls

    system = np.vstack([rows.T, np.ones(len(rows))])
    aim = np.zeros(len(system))
    aim[-1] = 1
    if len(system) > 2 * len(rows):  # fewer unknowns than equations: a triangle says the same
        basis, system = np.linalg.qr(system)
        aim = basis[-1]
    try:
        found, _ = nnls(system, aim, maxiter=30 * len(rows))
    except RuntimeError:
        return weights
    return found / found.sum() if found.sum() > 0 else weights  # type: ignore[no-any-return]


def _corrected(rows: Any, weights: Array) -> Array:
    from scipy.sparse import csr_array, vstack
    from scipy.sparse.linalg import lsqr

    system = vstack([rows.T, csr_array(np.ones((1, rows.shape[0])))], format="csr")
    for _ in range(3):
        lack = -(system @ weights)
        lack[-1] += 1
        weights = np.maximum(weights + lsqr(system, lack, atol=1e-15, btol=1e-15, iter_lim=1000)[0], 0)
    return weights / weights.sum()


def _length(rows: Any, weights: Array) -> float:
    return float(np.linalg.norm(rows.T @ weights))


def _squares(rows: Any) -> Array:
    return (rows * rows).sum(axis=1)  # type: ignore[no-any-return]


def box_program(Z: Any) -> tuple[Array | None, Array | None]:
    """max t with <v, z> >= t on every row and no entry of v beyond -1 and 1: v, and the rows' multipliers."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack

    if Z.shape[0] * Z.shape[1] > MOST_VALUES:
        return None, None
    last = np.zeros(Z.shape[1] + 1)
    last[-1] = -1
    table = hstack([-csr_array(Z), csr_array(np.ones((Z.shape[0], 1)))], format="csr")
    bounds = [(-1.0, 1.0)] * Z.shape[1] + [(None, None)]
    found = linprog(last, A_ub=table, b_ub=np.zeros(Z.shape[0]), bounds=bounds, method="highs")
    if found.status != 0:
        return None, None
    multipliers = np.maximum(-found.ineqlin.marginals, 0)
    return found.x[:-1], multipliers if multipliers.any() else None


# ---- proofs


def _enclosed(rows: Array, weights: Array) -> Array | None:
    """The weights, if exact ones that are positive provably stand close by: a square system and its solution enclosed.

    For an approximate inverse B of the system E, every entry of E^-1 f - a is at most max|B (f - E a)| / (1 - q), where
    q < 1 bounds the row sums of |I - B E| (Rump 1983).
    """
    count = len(rows)
    if rows.shape[1] != count - 1:
        return None
    rows = np.ldexp(rows, -np.frexp(np.abs(rows).max(axis=0))[1])  # whole columns: an equation times a power of two
    system = np.vstack([rows.T, np.ones(count)])
    try:
        inverse = np.linalg.inv(system)
    except np.linalg.LinAlgError:
        return None
    unit = 2 * (count + 4) * 2.0**-53
    aim = np.append(np.zeros(count - 1), 1.0)
    product = np.abs(inverse) @ np.abs(system)
    defect = (np.abs(np.eye(count) - inverse @ system) + unit * (product + 1)).sum(axis=1).max()
    lack = np.abs(aim - system @ weights) + unit * (np.abs(system) @ weights + aim)
    error = (np.abs(inverse) @ lack).max() * (1 + unit) / (1 - defect) if defect < 0.5 else np.inf
    return weights if weights.min() > 2 * error else None


def _exact(rows: Array) -> Array | None:
    """Nonnegative weights from the whole numbers that the rows are multiples of, if they are unique and nonnegative."""
    count = len(rows)
    equations = _whole(rows, count)
    if equations is None:
        return None
    solution = _kernel(equations[_independent(rows)])
    if solution is None or min(solution) < 0 or (equations @ np.array(solution, dtype=object)).any():
        return None
    total = sum(solution)
    return np.array([float(Fraction(weight, total)) for weight in solution])


def _whole(rows: Array, count: int) -> Array | None:
    """The columns as equations with whole coefficients as small as can be; None when solving them takes too long."""
    if count**3 > MOST_WORK or rows.size > MOST_VALUES // 8:
        return None
    equations = np.empty(rows.T.shape, dtype=object)
    digits = 1
    for place, column in enumerate(rows.T):
        ratios = [value.as_integer_ratio() for value in column.tolist()]
        common = lcm(*(denominator for _, denominator in ratios))
        numbers = [numerator * (common // denominator) for numerator, denominator in ratios]
        divisor = gcd(*numbers)
        equations[place] = [number // divisor for number in numbers]
        digits = max(digits, *(number.bit_length() for number in equations[place]))
    return equations if count**3 * (1 + count * digits / 2000) <= MOST_WORK else None


def _independent(rows: Array) -> Array:
    """Columns as many as are needed to tell all but one of the rows apart."""
    from scipy.linalg import qr

    scaled = rows / np.abs(rows).max(axis=0)
    return np.asarray(qr(scaled, mode="r", pivoting=True)[1])[: len(rows) - 1]


def _kernel(equations: Array) -> list[int] | None:
    """The whole numbers, unique up to a factor, that solve count - 1 equations, by elimination without fractions (Bareiss)."""
    table, count = equations.copy(), equations.shape[1]
    if len(table) != count - 1:
        return None
    before = 1
    for place in range(count - 1):
        pivots = np.flatnonzero(table[place:, place])
        if not len(pivots):
            return None
        table[[place, place + pivots[0]]] = table[[place + pivots[0], place]]
        pivot = table[place, place]
        others = np.arange(count - 1) != place
        table[others] = (pivot * table[others] - table[others, place][:, None] * table[place]) // before
        before = pivot
    solution = [-number for number in table[:, -1]] + [before]
    return [-number for number in solution] if solution[-1] < 0 else solution
