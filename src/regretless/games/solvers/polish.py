"""From nearly optimal strategies to optimal ones: the equations of the supports, solved at once.

At an equilibrium with supports I and J every row of I wins the value v against q, every column of J costs v against p,

    A_IJ q_J = v 1,   sum q_J = 1,      A_IJ' p_I = v 1,   sum p_I = 1.

If the equilibrium is the only one, I and J are as large as each other and these bordered systems, each the transpose of
the other, have one solution. Else there is a face of solutions, of which the nearest one is taken.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..payoffs import Vector

Array = np.ndarray[Any, Any]
Pair = tuple[Vector, Vector]

# Negative probabilities, and payoffs above the value, up to this size are rounding.
NEGATIVE = 1e-13
# The most strategies on the wrong side of the supports, and the most repairs.
MOST_MISTAKEN, REPAIRS = 8, 4
CERTAIN = 1e100
# Singular values below this share of the largest one count as zero.
RANK = 1e-10
# The most equations of a face: the cost is cubic in their number.
LARGEST_FACE = 1200


def solved_supports(payoffs: Array, row_signs: Vector, column_signs: Vector) -> tuple[Pair, int] | None:
    """Both strategies from the supports' equations, and the size of the supports.

    The equations are solved again after strategies that they show to be on the wrong side have changed it.

    Parameters
    ----------
    payoffs : ndarray, shape (m, n)
    row_signs, column_signs : ndarray
        The probability of each strategy over its slack, each on its own scale; those above 1 are the support.

    Returns
    -------
    (pair of ndarray, int) or None
        None if an equation is singular, or a probability would be negative.
    """
    rows, columns = row_signs > 1, column_signs > 1
    fewest = MOST_MISTAKEN + 1
    for _ in range(REPAIRS):
        _as_many(rows, row_signs, columns, column_signs)
        solved = _bordered(payoffs, np.flatnonzero(rows), np.flatnonzero(columns))
        if solved is None:
            return None
        row, column, value = solved
        wrong_rows = np.where(rows, row < -NEGATIVE, payoffs @ column > value + NEGATIVE)
        wrong_columns = np.where(columns, column < -NEGATIVE, row @ payoffs < value - NEGATIVE)
        mistaken = int(wrong_rows.sum() + wrong_columns.sum())
        if mistaken == 0:
            return _proper(row, column), int(rows.sum())
        if mistaken >= fewest:
            return None
        fewest = mistaken
        rows, columns = rows ^ wrong_rows, columns ^ wrong_columns
        # A repaired strategy does not change sides again.
        row_signs = np.where(wrong_rows, np.where(rows, CERTAIN, 1 / CERTAIN), row_signs)
        column_signs = np.where(wrong_columns, np.where(columns, CERTAIN, 1 / CERTAIN), column_signs)
    return None


def _as_many(rows: Array, row_signs: Vector, columns: Array, column_signs: Vector) -> None:
    """Make the supports equally large: the least certain strategies of either player change sides."""
    more = int(rows.sum()) - int(columns.sum())
    if more == 0:
        return
    large, large_signs, small, small_signs = rows, row_signs, columns, column_signs
    if more < 0:
        large, large_signs, small, small_signs = columns, column_signs, rows, row_signs
    leaving, entering = np.flatnonzero(large), np.flatnonzero(~small)
    doubtful = np.argsort(np.concatenate((large_signs[leaving], 1 / small_signs[entering])))[: abs(more)]
    large[leaving[doubtful[doubtful < len(leaving)]]] = False
    small[entering[doubtful[doubtful >= len(leaving)] - len(leaving)]] = True


def _bordered(payoffs: Array, rows: Array, columns: Array) -> tuple[Vector, Vector, float] | None:
    """The strategies and the value that equalise all rows and all columns, by one factorisation, refined once."""
    from scipy.linalg import lapack  # type: ignore[import-untyped, unused-ignore]

    count = len(rows)
    if count == 0:
        return None
    matrix = np.zeros((count + 1, count + 1), order="F")
    matrix[:count, :count] = payoffs[np.ix_(rows, columns)]
    matrix[:count, count], matrix[count, :count] = -1.0, 1.0
    factor, pivots, info = lapack.dgetrf(matrix)
    if info != 0:
        return None
    one = np.zeros(count + 1)
    one[count] = 1.0
    of_columns = _refined(matrix, lapack.dgetrs, factor, pivots, one, 0)
    of_rows = _refined(matrix.T, lapack.dgetrs, factor, pivots, -one, 1)
    if not (np.isfinite(of_columns).all() and np.isfinite(of_rows).all()):
        return None
    row, column = np.zeros(payoffs.shape[0]), np.zeros(payoffs.shape[1])
    row[rows], column[columns] = of_rows[:count], of_columns[:count]
    return row, column, float(of_columns[count])


def _refined(matrix: Array, solve: Any, factor: Array, pivots: Array, target: Vector, trans: int) -> Vector:
    """The solution of a factorised system, its error corrected once."""
    solution, _ = solve(factor, pivots, target, trans=trans)
    error, _ = solve(factor, pivots, target - matrix @ solution, trans=trans)
    return np.asarray(solution + error, dtype=np.float64)


def nearest_on_face(payoffs: Array, rows: Array, columns: Array, row: Vector, column: Vector) -> Pair | None:
    """Both strategies moved onto the supports' equations by the smallest relative changes.

    Parameters
    ----------
    payoffs : ndarray, shape (m, n)
    rows, columns : ndarray of int
        The supports.
    row, column : ndarray
        The current strategies.

    Returns
    -------
    (ndarray, ndarray) or None
        None if there are too many equations, or a probability would be negative.
    """
    if not 0 < len(rows) <= LARGEST_FACE or not 0 < len(columns) <= LARGEST_FACE:
        return None
    inner = payoffs[np.ix_(rows, columns)]
    mixed_column = _moved(inner, column[columns])
    mixed_row = _moved(inner.T, row[rows])
    if mixed_column is None or mixed_row is None:
        return None
    whole_row, whole_column = np.zeros(payoffs.shape[0]), np.zeros(payoffs.shape[1])
    whole_row[rows], whole_column[columns] = mixed_row, mixed_column
    return whole_row, whole_column


def _moved(matrix: Array, mixture: Vector) -> Vector | None:
    """Probabilities that make all entries of matrix @ probabilities equal, near the mixture."""
    from scipy.linalg import LinAlgError, lstsq  # type: ignore[import-untyped, unused-ignore]

    mixture = mixture / mixture.sum()
    for _ in range(2):
        # All rows less their mean: those are to win nothing. Changes are counted relative to the probabilities.
        wins = matrix @ mixture
        equations = np.vstack([(matrix - matrix.mean(axis=0)) * mixture, mixture])
        wanted = np.append(wins.mean() - wins, 0.0)
        try:
            change = lstsq(equations, wanted, cond=RANK, lapack_driver="gelsy", check_finite=False)[0]
        except (LinAlgError, ValueError):
            return None
        mixture = mixture * (1.0 + change)
        if not (mixture > -NEGATIVE).all():
            return None
        mixture = np.maximum(mixture, 0.0)
        mixture /= mixture.sum()
    return np.asarray(mixture, dtype=np.float64)


def _proper(row: Vector, column: Vector) -> Pair:
    """Strategies that are none but for rounding."""
    row, column = np.maximum(row, 0.0), np.maximum(column, 0.0)
    return row / row.sum(), column / column.sum()


def true_gap(payoffs: Array, row: Vector, column: Vector) -> float:
    """Duality gap of two strategies in plain floats."""
    return float((payoffs @ column).max() - (row @ payoffs).min())
