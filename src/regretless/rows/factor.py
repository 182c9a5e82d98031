"""The unit upper triangular U of an inverse U D U', as it lies in the memory of the kernels.

Columns come by fours, and of each four columns the rows by fours, of which those of the first column come first.
"""

from __future__ import annotations

import numpy as np

from ..data.batch import Array


def upper_of(factor: Array, size: int) -> Array:
    """U of so many features, column after column.

    Parameters
    ----------
    factor : ndarray, shape (numbers,)
        As many as `_core.factor_size(size)`.
    """
    upper = np.zeros((size + 3, size + 3), order="F")
    for first in range(0, size, 4):
        upper[: first + 4, first : first + 4] = _four(factor, first).transpose(0, 2, 1).reshape(-1, 4)
    upper = upper[:size, :size]
    np.fill_diagonal(upper, 1)
    return upper


def put_upper(factor: Array, upper: Array) -> None:
    """Store what is above the diagonal of U."""
    size = len(upper)
    filled = np.zeros((size + 3, size + 3))
    filled[:size, :size] = np.triu(upper, 1)
    for first in range(0, size, 4):
        _four(factor, first)[:] = filled[: first + 4, first : first + 4].reshape(-1, 4, 4).transpose(0, 2, 1)


def _four(factor: Array, first: int) -> Array:
    """Four columns, a view of the shape (rows / 4, columns, rows)."""
    begin, rows = 2 * (first // 4) * (first + 4), first + 4
    return factor[begin : begin + 4 * rows].reshape(-1, 4, 4)
