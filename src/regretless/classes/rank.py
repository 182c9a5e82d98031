"""The rank of a class: how many labels of points it takes, at most, until all others follow by adding them up."""

from __future__ import annotations

import numpy as np

from .finite_class import FiniteClass, Words, packed

MOST_STEPS = 2**31  # words that elimination may touch: some seconds


def rank(finite_class: FiniteClass, alive: Words | None = None) -> int | None:
    """The rank over GF(2) of the table with a column of ones, less 1; None if elimination would take long.

    It is 0 of a single hypothesis, at most the number of points, and less than the number of hypotheses. No learner
    that predicts what some hypothesis says that agrees with all labels so far makes more mistakes than this.

    Parameters
    ----------
    finite_class : FiniteClass
    alive : ndarray of uint64, shape (words,), optional
        Which hypotheses count, one bit for each; all by default.
    """
    everyone = packed(np.ones((1, finite_class.hypotheses), dtype=bool))[0] if alive is None else alive
    table = np.vstack([everyone[None, :], finite_class.columns & everyone])
    # The one of all alive comes first, so that it is a pivot unless none is.
    return None if table.size * min(len(table), finite_class.hypotheses) > MOST_STEPS else _eliminated(table) - 1


def _eliminated(table: Words) -> int:
    """How many rows of bits are left that are not sums of others."""
    found = 0
    for word in range(table.shape[1]):
        while len(table):
            bits = table[:, word]
            rows = np.flatnonzero(bits)
            if not len(rows):
                break
            pivot = table[rows[0]]
            lowest = bits[rows[0]] & (~bits[rows[0]] + np.uint64(1))
            touched = rows[(bits[rows] & lowest) != 0]
            table[touched] ^= pivot
            table = np.delete(table, rows[0], axis=0)
            found += 1
    return found
