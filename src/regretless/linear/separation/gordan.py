"""Gordan's alternative, proved: nonnegative weights that combine given rows to exactly nothing."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm

import numpy as np

from ...data.batch import Array

MOST_VALUES = 500_000
MOST_WORK = 4e6  # multiplications of whole numbers of a few dozen digits: seconds


def exact_weights(rows: Array, weights: Array) -> tuple[bool | None, Array]:
    """Whether the rows combine to exactly nothing, and weights rounded from those that do it.

    Parameters
    ----------
    rows : ndarray, shape (rows, columns)
        Rows of which none is superfluous, and no column of zeros.
    weights : ndarray, shape (rows,)
        Positive, with sum 1, and about right.

    Returns
    -------
    proved : bool or None
        False when these rows provably do not, with nonnegative weights; None when the numbers are too many to tell.
    weights : ndarray, shape (rows,)
        Those given, where nothing is proved.
    """
    exact = _enclosed(rows, weights)
    proved, exact = _whole(rows) if exact is None else (True, exact)
    return proved, weights if exact is None else exact


def _enclosed(rows: Array, weights: Array) -> Array | None:
    """The weights corrected, if exact positive ones provably stand close by: a square system, its solution enclosed.

    For an approximate inverse B of the system E, no entry of E^-1 f is further from a than max |B (f - E a)| / (1 - q),
    where q < 1 bounds the row sums of |I - B E| (Rump 1983).
    """
    count = len(rows)
    if rows.shape[1] != count - 1:
        return None
    rows = np.ldexp(rows, -np.frexp(np.abs(rows).max(axis=0))[1])  # an equation times a power of two says the same
    system = np.vstack([rows.T, np.ones(count)])
    aim = np.append(np.zeros(count - 1), 1.0)
    try:
        inverse: Array = np.linalg.inv(system)
    except np.linalg.LinAlgError:
        return None
    weights = weights + inverse @ (aim - system @ weights)
    unit = 2 * (count + 4) * 2.0**-53
    product = np.abs(inverse) @ np.abs(system)
    defect = (np.abs(np.eye(count) - inverse @ system) + unit * (product + 1)).sum(axis=1).max()
    lack = np.abs(aim - system @ weights) + unit * (np.abs(system) @ np.abs(weights) + aim)
    if not defect < 0.5 or weights.min() <= 2 * (np.abs(inverse) @ lack).max() / (1 - defect):
        return None
    return weights


def _whole(rows: Array) -> tuple[bool | None, Array | None]:
    """The same in the whole numbers that the rows are multiples of."""
    from scipy.linalg import qr

    count = len(rows)
    if count**3 > MOST_WORK or rows.size > MOST_VALUES:
        return None, None
    equations, digits = _equations(rows)
    if count**3 * (1 + count * digits / 2000) > MOST_WORK:
        return None, None
    # Equations that do not depend on one another are enough to find the solution; it is tried on all.
    order = np.asarray(qr(rows / np.abs(rows).max(axis=0), mode="r", pivoting=True)[1])
    solution = _kernel(equations[order[: count - 1]])
    if solution is None:
        return None, None
    if min(solution) < 0 or (equations @ np.array(solution, dtype=object)).any():
        return False, None
    total = sum(solution)
    return True, np.array([float(Fraction(weight, total)) for weight in solution])


def _equations(rows: Array) -> tuple[Array, int]:
    """The columns as equations with the smallest whole coefficients, and the most binary digits of any."""
    equations = np.empty(rows.T.shape, dtype=object)
    digits = 1
    for place, column in enumerate(rows.T):
        ratios = [value.as_integer_ratio() for value in column.tolist()]
        common = lcm(*(denominator for _, denominator in ratios))
        numbers = [numerator * (common // denominator) for numerator, denominator in ratios]
        divisor = gcd(*numbers)
        equations[place] = [number // divisor for number in numbers]
        digits = max(digits, *(number.bit_length() for number in equations[place]))
    return equations, digits


def _kernel(equations: Array) -> list[int] | None:
    """The whole numbers, unique up to a factor, that solve one equation less than there are of them.

    By elimination without fractions: every division leaves no remainder (Bareiss 1968).
    """
    table, count = equations.copy(), equations.shape[1]
    if len(table) != count - 1:
        return None
    before, free = 1, count - 1
    for place in range(count - 1):
        pivots = np.flatnonzero(table[place:, place])
        if not len(pivots) and free == count - 1:
            # This unknown depends on those before it: it takes the last place, which stays free.
            free = place
            table[:, [place, count - 1]] = table[:, [count - 1, place]]
            pivots = np.flatnonzero(table[place:, place])
        if not len(pivots):
            return None
        table[[place, place + pivots[0]]] = table[[place + pivots[0], place]]
        pivot = table[place, place]
        others = np.arange(count - 1) != place
        table[others] = (pivot * table[others] - table[others, place][:, None] * table[place]) // before
        before = pivot
    solution = [-number for number in table[:, -1]] + [before]
    solution[free], solution[-1] = solution[-1], solution[free]
    return [-number for number in solution] if solution[free] < 0 else solution
