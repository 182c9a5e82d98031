"""The solution of homogeneous linear equations in whole numbers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..payoffs import Array


def kernel_vector(matrix: Array, look: Callable[[], None]) -> list[int] | None:
    """The one vector, but for a factor, that a matrix of whole numbers takes to zero; None if there is not just one.

    Elimination without fractions (Bareiss 1968): every number is a minor of the matrix, and every division is exact.
    """
    table = np.array(matrix, dtype=object)
    rank, last, pivots, free = 0, 1, [], -1
    for column in range(table.shape[1]):
        look()
        below = np.flatnonzero(table[rank:, column])
        if not below.size:
            if free >= 0:
                return None
            free = column
            continue
        place = rank + int(below[0])
        table[[rank, place]] = table[[place, rank]]
        pivot, row = table[rank, column], table[rank].copy()
        table = (table * pivot - table[:, column, None] * row) // last
        table[rank] = row
        rank, last = rank + 1, pivot
        pivots.append(column)
    if free < 0:
        return None
    found = [0] * table.shape[1]
    found[free] = last
    for place, column in enumerate(pivots):
        found[column] = -table[place, free]
    return found
