"""Games by linear programming: HiGHS, the independent check of our own methods, and the one that knows sparse payoffs.

HiGHS cannot be asked midway to stop: it is run with ever longer time limits.

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

# What HiGHS may overlook, of payoffs scaled to a range of 1; it takes no less.
FEASIBLE = 1e-10
# Seconds until a watcher is first asked whether to stop, and until Ctrl-C is first noticed where there is none:
# what takes longer begins afresh, and may take up to four times as long for it.
FIRST_SLICE, FIRST_ALONE = 0.5, 4.0


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


def solved_in_slices(
    program: dict[str, Any],
    solver: str,
    *,
    seconds: float | None = None,
    on_progress: Callable[[int, float], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> tuple[Any | None, int]:
    """Solve a linear program, looking up now and then.

    Parameters
    ----------
    program : dict
        The program for scipy's linprog.
    solver : {"highs", "highs-ds", "highs-ipm"}
        Which of scipy's methods.
    seconds : float, optional
        When to look up first. It begins afresh each time, with as much time as it had altogether.
    on_progress : callable, optional
        Called with the number of iterations and a NaN, as the gap is not known before the end.
    stop : callable, optional
        Asked after so many seconds, and then whenever as much time has passed as before.

    Returns
    -------
    (OptimizeResult or None, int)
        None if it was stopped; and the number of iterations of all slices.
    """
    from scipy.optimize import linprog  # type: ignore[import-untyped, unused-ignore]

    if seconds is None:
        seconds = FIRST_ALONE if stop is None and on_progress is None else FIRST_SLICE
    iterations = 0
    # An interior point for which presolve leaves no time takes all that it likes, and gains little by it.
    options: dict[str, Any] = {"presolve": solver != "highs-ipm"}
    options |= {"primal_feasibility_tolerance": FEASIBLE, "dual_feasibility_tolerance": FEASIBLE}
    while True:
        answer = linprog(**program, method=solver, options=options | {"time_limit": seconds})
        iterations += int(answer.nit or 0)
        if answer.status != 1:
            return answer, iterations
        if on_progress is not None:
            on_progress(iterations, float("nan"))
        if stop is not None and stop():
            return None, iterations
        seconds *= 2
