"""The simplex method on a condensed tableau, with refinement to the accuracy of floats."""

from __future__ import annotations

from collections.abc import Callable
from math import nan

import numpy as np

from ... import _core
from ..payoffs import Payoffs
from ..raw_solution import RawSolution, Vector

# Cells that are changed between two calls of `stop`, and checks of Ctrl-C: some tens of milliseconds.
_CELLS = 50_000_000
# The largest gap of an ill-conditioned optimal basis, as a share of the payoffs' range.
_OPTIMAL = 1e-10


def simplex(
    payoffs: Payoffs,
    *,
    on_progress: Callable[[int, float], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> RawSolution:
    """An equilibrium at a vertex.

    It never cycles: a lexicographic rule replaces Dantzig's where that stalls, and pivots are limited. The solution is
    refined by the inverse in the tableau to a gap at the level of rounding.

    Parameters
    ----------
    payoffs : Payoffs
        Dense or sparse.
    on_progress : callable, optional
        Called at intervals with the number of pivots and NaN, as the gap is not known before the end; not for games
        that are solved at once.
    stop : callable, optional
        Called as often; once it returns true, uniform strategies are returned, with `stopped`.

    Returns
    -------
    RawSolution
        With ``basis = (rows, columns)``, equally many of both. Its claim is the gap that the tableau computed.
    """
    rows, columns = payoffs.shape
    if payoffs.high == payoffs.low:
        return RawSolution(
            _uniform(rows), _uniform(columns), "simplex", 0, 0.0, "all payoffs are equal", basis=([0], [0])
        )
    tableau = _core.GameTableau(payoffs.dense(), payoffs.low, payoffs.high)
    row, column = np.empty(rows), np.empty(columns)
    limit = max(1, _CELLS // (rows * columns))
    while not tableau.solve(limit, row, column):
        if on_progress is not None:
            on_progress(tableau.pivots, nan)
        if stop is not None and stop():
            return RawSolution(_uniform(rows), _uniform(columns), "simplex", tableau.pivots, stopped="asked to stop")
    gap = tableau.gap
    note = "no optimal basis" if gap > _OPTIMAL else ""
    return RawSolution(
        row, column, "simplex", tableau.pivots, max(gap, 0.0) * payoffs.spread, note, basis=tableau.basis()
    )


def _uniform(count: int) -> Vector:
    return np.full(count, 1 / count)
