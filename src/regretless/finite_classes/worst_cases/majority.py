"""Worst cases of those who follow the hypotheses that are left: compiled, in slices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _core
from ..dimensions.budget import MEMORY, Watch
from ..finite_class import FiniteClass, Words, transposed
from ..learners.consistent import Consistent
from ..learners.halving import Halving
from .result import WorstCase, rounds

# Words that are looked at between two looks at the clock: a moment at first, then some hundredths of a second.
_FIRST_SLICE, _SLICE = 1 << 16, 1 << 25


def of_followers(learner: Consistent | Halving, finite_class: FiniteClass, watch: Watch) -> WorstCase:
    """How often the majority can be wrong, or the first in order."""
    order = learner._board.order
    search = _core.WorstCaseSearch(
        _in_order(finite_class, order),
        finite_class.hypotheses,
        first=order is not None,
        tie=getattr(learner, "tie", 1),
        lazy=getattr(learner, "prune", "always") == "mistake",
    )
    lower, upper, steps, full = search.run(1)
    ended, size = None, _FIRST_SLICE
    while lower < upper and ended is None:
        lower, upper, steps, full = search.run(size)
        ended = MEMORY if full else watch.end(steps, lower, upper)
        size = min(2 * size, _SLICE)
    points, labels, place = search.trace()
    hypothesis = place if order is None else int(order[place])
    why = ended if lower < upper else None
    return WorstCase(lower, upper, *rounds(points, labels), hypothesis, watch.seconds, steps, why)


def _in_order(finite_class: FiniteClass, order: np.ndarray[Any, Any] | None) -> Words:
    """The columns of the class whose hypotheses stand in another order."""
    if order is None or np.array_equal(order, np.arange(finite_class.hypotheses)):
        return finite_class.columns
    return transposed(finite_class.rows[order], finite_class.points)
