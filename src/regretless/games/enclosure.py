"""The interval that two strategies guarantee, rounding errors included."""

from __future__ import annotations

from math import inf, isnan, nextafter

import numpy as np

from .. import _core
from ..errors import RegretlessError
from .payoffs import Payoffs
from .raw_solution import Vector

# Twice the distance from 1 to the next float, for every product and addition.
_UNIT = 2.0**-52
# The smallest float: products and quotients below the normal ones may be off by half of it.
_LEAST = 5e-324


def enclose(payoffs: Payoffs, row: Vector, column: Vector) -> tuple[float, float]:
    """An interval that contains the value of the game: the least that ``row`` wins and the most that ``column`` pays.

    Both ends hold for the exact strategies ``row / sum(row)`` and ``column / sum(column)`` and are rounded outwards,
    so that ``lower <= value <= upper`` always holds, and the gap is never negative. Products are summed in twice the
    digits with a bound on their error, which is zero where nothing was rounded: the interval is as narrow as floats
    allow, and the same for every instruction set. The difference between fractions and their floats is included.

    The products with a linear operator are the user's. They are trusted to be as accurate as plain sums of as many
    terms, each no larger than the declared payoffs, or else than the largest product. Products outside of the
    declared range are an error.

    Parameters
    ----------
    payoffs : Payoffs
    row, column : ndarray of float64
        Weights, not all zero.

    Returns
    -------
    (float, float)

    Raises
    ------
    RegretlessError
        If products with a linear operator cannot be those of one matrix, or of one with such payoffs.
    """
    row, column = np.ascontiguousarray(row, dtype=np.float64), np.ascontiguousarray(column, dtype=np.float64)
    values = payoffs.values
    if payoffs.kind == "dense":
        lower, upper = _core.enclose(values, payoffs.size, row, column)
    elif payoffs.kind == "sparse":
        lower, upper = _core.enclose(values.data, payoffs.size, row, column, values.indices, values.indptr)
    else:
        return _trusted(payoffs, row, column)
    off = payoffs.rounding
    return (nextafter(lower - off, -inf), nextafter(upper + off, inf)) if off else (lower, upper)


def trusted_to(payoffs: Payoffs, largest: float) -> float:
    """The largest error of a linear operator's product, of payoffs up to `largest`."""
    return (max(payoffs.shape) + 8) * (_UNIT * largest + _LEAST)


def _trusted(payoffs: Payoffs, row: Vector, column: Vector) -> tuple[float, float]:
    won, paid = payoffs.times(column) / column.sum(), payoffs.left(row) / row.sum()
    if not (np.isfinite(won).all() and np.isfinite(paid).all()):
        raise RegretlessError("a product with the linear operator is not finite")
    largest = payoffs.size
    if isnan(largest):
        largest = max(float(np.abs(won).max()), float(np.abs(paid).max()))
    lower, upper = float(paid.min()), float(won.max())
    off = trusted_to(payoffs, largest)
    for product in (won, paid):
        least, most = float(product.min()), float(product.max())
        if least < payoffs.low - off or most > payoffs.high + off:  # never of NaN, where nothing was declared
            raise RegretlessError(
                f"payoff_range: from {payoffs.low:.9g} to {payoffs.high:.9g} was declared of the row player's payoffs, "
                f"but the linear operator's products go from {least:.9g} to {most:.9g}"
            )
    # Products that contradict each other by more than that are no products of one matrix.
    if lower - off > upper + off:
        raise RegretlessError(
            f"the linear operator's products contradict each other: a row wins at least {lower:.9g} and a column pays "
            f"at most {upper:.9g}; rmatvec must be the transpose of matvec"
        )
    return nextafter(lower - off, -inf), nextafter(upper + off, inf)
