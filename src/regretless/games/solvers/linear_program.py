"""Games by linear programming: HiGHS, the independent check of our own methods, and the one that knows sparse payoffs.

The row player's strategy p is a best one exactly if it solves

    maximise v   subject to   (p'A)_j >= v for every column j,   sum_i p_i = 1,   p >= 0,

and the multipliers of the columns' constraints are a best strategy of the column player.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..payoffs import Payoffs
from ..raw_solution import RawSolution, Vector
from .highs import solved_in_slices


def linear_program(
    payoffs: Payoffs,
    *,
    start: tuple[Vector, Vector] | None = None,
    solver: str = "highs",
    seconds: float | None = None,
    on_progress: Callable[[int, float], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> RawSolution:
    """Both players' strategies from one linear program and its dual.

    Parameters
    ----------
    payoffs : Payoffs
    start : pair of ndarray, optional
        What is handed back if it is stopped; HiGHS itself begins afresh.
    solver : {"highs", "highs-ds", "highs-ipm"}
        Which of scipy's methods.
    seconds, on_progress, stop
        As of :func:`solved_in_slices`.

    Returns
    -------
    RawSolution
    """
    rows, columns = payoffs.shape
    program = _program(payoffs)
    row, column = (np.full(rows, 1 / rows), np.full(columns, 1 / columns)) if start is None else start
    answer, iterations = solved_in_slices(program, solver, seconds=seconds, on_progress=on_progress, stop=stop)
    if answer is None:
        return RawSolution(row, column, "linear-programming", iterations, note="interrupted", stopped="asked to stop")
    if answer.status != 0:
        return RawSolution(row, column, "linear-programming", iterations, note=str(answer.message))
    row = _strategy(answer.x[:rows])
    column = _strategy(-answer.ineqlin.marginals)
    note = f"HiGHS, on {np.count_nonzero(row)} x {np.count_nonzero(column)}"
    return RawSolution(row, column, "linear-programming", iterations, note=note)


def _program(payoffs: Payoffs) -> dict[str, Any]:
    """The program for scipy's linprog, the payoffs scaled to a range of 1, and shifted where they are many anyway."""
    from scipy.sparse import csr_array, hstack  # type: ignore[import-untyped, unused-ignore]

    rows, columns = payoffs.shape
    spread = payoffs.spread or 1.0
    if payoffs.kind == "sparse":
        inequalities = hstack([-payoffs.values.T / spread, csr_array(np.ones((columns, 1)))], format="csc")
    else:
        middle = payoffs.low / 2 + payoffs.high / 2
        inequalities = np.empty((columns, rows + 1))
        np.subtract(middle, payoffs.values.T, out=inequalities[:, :rows], dtype=np.float64)
        inequalities[:, :rows] /= spread
        inequalities[:, rows] = 1.0
    return {
        "c": np.append(np.zeros(rows), -1.0),
        "A_ub": inequalities,
        "b_ub": np.zeros(columns),
        "A_eq": np.append(np.ones(rows), 0.0)[None],
        "b_eq": [1.0],
        "bounds": [(0, None)] * rows + [(None, None)],
    }


def _strategy(weights: Vector) -> Vector:
    """Probabilities from what is one but for the solver's tolerance."""
    positive = np.maximum(weights, 0.0)
    total = float(positive.sum())
    if not total > 0 or not np.isfinite(total):
        return np.full(len(positive), 1 / len(positive))
    return np.asarray(positive / total, dtype=np.float64)
