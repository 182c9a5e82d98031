"""The rank of a class: how many labels of points it takes, at most, until all others follow by adding them up."""

from __future__ import annotations

import numpy as np

from .. import _core
from .finite_class import FiniteClass, Words

MOST_STEPS = 2**31  # words that elimination may touch: a second or so


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
    if alive is None or np.array_equal(alive, finite_class.everybody):
        return finite_class.remembered("rank", lambda: _eliminated(finite_class, finite_class.everybody))
    return _eliminated(finite_class, alive)


def _eliminated(finite_class: FiniteClass, alive: Words) -> int | None:
    words, rows = len(alive), finite_class.points + 1
    if words * rows * min(rows, finite_class.hypotheses) > MOST_STEPS:
        return None
    return _core.rank_of_bits(np.vstack([alive[None, :], finite_class.columns & alive])) - 1
