"""The proof that no hyperplane separates some rows: nonnegative weights that combine them to exactly nothing (Gordan's
alternative, 1873), from weights that do so but for rounding."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm

import numpy as np

from ...data.batch import Array
from .signed_rows import UNDERFLOW

MOST_EXACT_VALUES = 500_000
MOST_EXACT_WORK = 4e6  # multiplications of whole numbers of a few dozen digits: seconds


def exact_weights(rows: Array, weights: Array, most: float = MOST_EXACT_WORK) -> tuple[bool | None, Array]:
    """Whether the rows combine to exactly nothing, and weights rounded from those that do it.

    Parameters
    ----------
    rows : ndarray, shape (rows, columns)
        Rows of which none is superfluous, and no column of zeros.
    weights : ndarray, shape (rows,)
        Positive, with sum 1, and about right.
    most : float
        How many multiplications of whole numbers of a few dozen digits it may take.

    Returns
    -------
    proved : bool or None
        False when these rows provably do not, with nonnegative weights; None when the numbers are too many to tell.
    weights : ndarray, shape (rows,)
        Those given, where nothing is proved.
    """
    exact = _enclosed_weights(rows, weights)
    if exact is not None:
        return True, exact
    proved, exact = _exact_solution(rows, weights, most)
    return proved, weights if exact is None else exact


def _enclosed_weights(rows: Array, weights: Array) -> Array | None:
    """The weights, or corrected ones, if exact positive ones provably stand close by.

    Of all that correct the weights a of the rows Z, the shortest one is at most |Z' a| / s long, where s is the least
    singular value of Z.
    """
    if len(rows) <= rows.shape[1]:
        return None
    rows = np.ldexp(rows, -np.frexp(np.abs(rows).max(axis=0))[1])  # an equation times a power of two says the same
    unit, gram = 2 * (len(rows) + 4) * 2.0**-53, rows.T @ rows
    for _ in range(2):
        point, rounding, least = weights @ rows, unit * (np.abs(weights) @ np.abs(rows)), float(weights.min())
        rounding += UNDERFLOW  # which small numbers of a column with large ones suffer too
        nothing = least > 0 and bool((np.abs(point) <= rounding).all())
        if nothing and _stretches(gram, 4 * float(np.linalg.norm(rounding)) / least, unit):
            return weights / float(weights.sum())
        try:
            weights = weights - rows @ np.linalg.solve(gram, point)
        except np.linalg.LinAlgError:
            return None
    return None


def _stretches(gram: Array, least: float, unit: float) -> bool:
    """Whether every vector comes out of a system E at least so many times as long, provably, by the product E'E: the
    method of Cholesky, which errs by some units of the trace, goes through though that many times the square is taken
    off (Rump 2006)."""
    gram = gram.copy()
    gram[np.diag_indices(len(gram))] -= least * least + 4 * unit * gram.trace()
    try:
        np.linalg.cholesky(gram)
    except np.linalg.LinAlgError:
        return False
    return True


def _exact_solution(rows: Array, weights: Array, most: float) -> tuple[bool | None, Array | None]:
    """The same by the whole numbers that the rows are multiples of."""
    from scipy.linalg import qr

    count = len(rows)
    if rows.size > min(MOST_EXACT_VALUES, most):
        return None, None
    equations, digits = _equations(rows)
    positive = [equation if next(filter(None, equation)) > 0 else -equation for equation in equations]
    several = list({tuple(equation): place for place, equation in enumerate(positive)}.values())
    if len(several) < len(equations):
        exact = _enclosed_weights(rows[:, several], weights)
        if exact is not None:
            return True, exact
    if count**3 * (1 + count * digits / 2000) > most:
        return None, None
    # Equations that do not depend on one another are enough to find the solution; it is tried on all.
    order = np.asarray(qr(rows / np.abs(rows).max(axis=0), mode="r", pivoting=True)[1])
    solution = _null_vector(equations[order[: count - 1]])
    if solution is None:
        return None, None
    if min(solution) < 0 or (equations @ np.array(solution, dtype=object)).any():
        return False, None
    total = sum(solution)
    return True, np.array([float(Fraction(weight, total)) for weight in solution])


def _equations(rows: Array) -> tuple[Array, int]:
    """The columns as equations with the smallest whole coefficients, and the most binary digits of any."""
    whole = np.ldexp(rows, 53 - np.frexp(np.abs(rows).max(axis=0))[1]).T  # exact, or infinite, or 0 of what is not
    if (np.rint(whole) == whole).all() and np.isfinite(whole).all() and ((whole == 0) == (rows.T == 0)).all():
        numbers = whole.astype(np.int64)
        numbers //= np.gcd.reduce(numbers, axis=1)[:, None]
        return numbers.astype(object), int(np.abs(numbers).max()).bit_length()
    return _equations_of_any(rows)


def _equations_of_any(rows: Array) -> tuple[Array, int]:
    """The same of numbers of very different sizes."""
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


def _null_vector(equations: Array) -> list[int] | None:
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
        pivot, rest = table[place, place], table[place + 1 :, place + 1 :]
        rest[:] = (pivot * rest - np.outer(table[place + 1 :, place], table[place, place + 1 :])) // before
        before = pivot
    solution = [0] * (count - 1) + [before]
    for place in reversed(range(count - 1)):
        known = table[place, place + 1 :] @ np.array(solution[place + 1 :], dtype=object)
        solution[place] = -known // table[place, place]
    solution[free], solution[-1] = solution[-1], solution[free]
    return [-number for number in solution] if solution[free] < 0 else solution
