"""The simplex method on a condensed tableau: an optimal basis, then as accurate as floats can be."""

from __future__ import annotations

from collections.abc import Callable
from math import nan

import numpy as np

from ... import _core
from ..payoffs import Payoffs
from ..raw_solution import RawSolution, Vector

# Cells that are changed between two looks at `stop` and at Ctrl-C: some tens of milliseconds.
_CELLS = 50_000_000
# What ill-conditioned bases may leave of the gap, in units of the payoffs' range; beyond, the basis is not optimal.
_OPTIMAL = 1e-10


def simplex(
    payoffs: Payoffs,
    *,
    on_progress: Callable[[int, float], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> RawSolution:
    """An equilibrium at a vertex.

    It never cycles: Dantzig's rule gives way to a lexicographic one where it stalls, and the pivots are counted; what
    it ends with is refined by the inverse that the tableau holds, to gaps at the level of rounding.

    Parameters
    ----------
    payoffs : Payoffs
        Dense or sparse.
    on_progress : callable, optional
        Called now and then with the number of pivots and a NaN, as the gap is not known before the end; not at all of a
        game that is solved at once.
    stop : callable, optional
        Asked as often; if it says so, uniform strategies are returned, with `stopped`.

    Returns
    -------
    RawSolution
        With ``basis = (rows, columns)``: those in play, as many of the one as of the other. Its claim is what
        the tableau measured of the gap itself.
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
