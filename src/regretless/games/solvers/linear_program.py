"""Games as linear programs: by the simplex method on a condensed tableau, and by HiGHS.

The tableau is refined to the accuracy of floats. HiGHS is for sparse payoffs, and an independent check of the other
methods. It cannot be interrupted: it is run with doubled time limits until it ends.

The row player's strategy p is a best one exactly if it solves

    maximise v   subject to   (p'A)_j >= v for every column j,   sum_i p_i = 1,   p >= 0,

and the multipliers of the columns' constraints are a best strategy of the column player.

In sequence form the row player's plan x is a best one exactly if it solves, with one number u for each of the column
player's information sets and one for the empty sequence,

    maximise u_0   subject to   F'u <= A'x,   E x = e,   x >= 0,

and the multipliers of the first inequalities are a best plan of the column player (Koller, Megiddo and von Stengel
1994; von Stengel 1996).
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _core
from ..payoffs import Payoffs, Vector
from ..solution import RawSolution

if TYPE_CHECKING:
    from ..extensive_form.sequence_form import SequenceForm
    from ..extensive_form.treeplex import Treeplex

# The most payoffs for which HiGHS' simplex method is faster than its interior point with crossover.
SIMPLEX_PAYOFFS = 8000
SOLVERS = {"highs-ds": "dual simplex", "highs-ipm": "interior point"}

# The tolerance of HiGHS for payoffs scaled to a range of 1; it accepts no smaller one.
FEASIBLE = 1e-10
# The first time limit with a callback, and without one, where only Ctrl-C can interrupt. A longer run begins afresh,
# and takes up to four times as long.
FIRST_SLICE, FIRST_ALONE = 0.5, 4.0


def linear_program(
    payoffs: Payoffs,
    *,
    start: tuple[Vector, Vector] | None = None,
    solver: str = "highs",
    seconds: float | None = None,
    iterations: int | None = None,
    on_progress: Callable[[int, float], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> RawSolution:
    """Both players' strategies from one linear program and its dual.

    Parameters
    ----------
    payoffs : Payoffs
    start : pair of ndarray, optional
        Returned if the run is stopped or ends without a solution; HiGHS does not use it.
    solver : {"highs", "highs-ds", "highs-ipm"}
        scipy's name of the method.
    iterations : int, optional
        The most that HiGHS may take, which ends at the same place on every machine; without `seconds` and `stop`.
    seconds, on_progress, stop
        As of :func:`solved_in_slices`.
    """
    rows, columns = payoffs.shape
    program = _program(payoffs)
    row, column = (np.full(rows, 1 / rows), np.full(columns, 1 / columns)) if start is None else start
    watched: dict[str, Any] = {"on_progress": on_progress, "stop": stop}
    answer, done = solved_in_slices(program, solver, seconds=seconds, iterations=iterations, **watched)
    if answer is None:
        return RawSolution(row, column, "linear-programming", done, note="interrupted", stopped="asked to stop")
    if answer.status != 0:
        return RawSolution(row, column, "linear-programming", done, note=str(answer.message))
    row = _strategy(answer.x[:rows])
    column = _strategy(-answer.ineqlin.marginals)
    note = f"HiGHS, on {np.count_nonzero(row)} x {np.count_nonzero(column)}"
    return RawSolution(row, column, "linear-programming", done, note=note)


def _program(payoffs: Payoffs) -> dict[str, Any]:
    """Arguments of scipy's linprog, the payoffs scaled to a range of 1, and dense ones centred."""
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
    """Probabilities from a solution up to the solver's tolerance."""
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
    iterations: int | None = None,
    on_progress: Callable[[int, float], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> tuple[Any | None, int]:
    """Solve a linear program in time slices, with callbacks between them.

    Parameters
    ----------
    program : dict
        The program for scipy's linprog.
    solver : {"highs", "highs-ds", "highs-ipm"}
        scipy's name of the method.
    seconds : float, optional
        The first time limit. Each further slice begins afresh, with twice the limit.
    iterations : int, optional
        The most of the one run that is made then, without slices; if it ends by them there is no solution.
    on_progress : callable, optional
        Called between slices with the number of iterations and NaN, as the gap is not known before the end.
    stop : callable, optional
        Called between slices; once it returns true, the run ends.

    Returns
    -------
    (OptimizeResult or None, int)
        None if it was stopped; and the number of iterations of all slices.
    """
    from scipy.optimize import linprog  # type: ignore[import-untyped, unused-ignore]

    if seconds is None:
        seconds = FIRST_ALONE if stop is None and on_progress is None else FIRST_SLICE
    done = 0
    # After presolve the interior point ignores the time limit, and gains little by presolve.
    options: dict[str, Any] = {"presolve": solver != "highs-ipm"}
    options |= {"primal_feasibility_tolerance": FEASIBLE, "dual_feasibility_tolerance": FEASIBLE}
    if iterations is not None:
        answer = linprog(**program, method=solver, options=options | {"maxiter": iterations})
        return answer, int(answer.nit or 0)
    while True:
        answer = linprog(**program, method=solver, options=options | {"time_limit": seconds})
        done += int(answer.nit or 0)
        if answer.status != 1:
            return answer, done
        if on_progress is not None:
            on_progress(done, float("nan"))
        if stop is not None and stop():
            return None, done
        seconds *= 2


# Cells that are changed between two calls of `stop`, and checks of Ctrl-C: some tens of milliseconds.
CELLS = 50_000_000
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
    limit = max(1, CELLS // (rows * columns))
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


# The most cells of a game that is solved in one compiled call, which nothing interrupts: some milliseconds.
_AT_ONCE = 4096


def simplex_at_once(payoffs: Payoffs) -> tuple[RawSolution, float, float] | None:
    """:func:`simplex` of a small dense game, and the interval that its strategies guarantee of the floats.

    Returns
    -------
    (RawSolution, float, float) or None
        None if the game is not so small, its payoffs are all equal or their range is no float, or it needs more pivots
        than such games do.
    """
    values, low, high = payoffs.values, payoffs.low, payoffs.high
    if payoffs.kind != "dense" or values.size > _AT_ONCE or not 0 < high - low < inf:
        return None
    rows, columns = values.shape
    row, column = np.empty(rows), np.empty(columns)
    ended = _core.solve_game(values, low, high, CELLS // _AT_ONCE, row, column)
    if ended is None:
        return None
    lower, upper, pivots, gap, in_rows, in_columns = ended
    note = "no optimal basis" if gap > _OPTIMAL else ""
    claim = max(gap, 0.0) * (high - low)
    basis = in_rows, in_columns
    return RawSolution(row, column, "simplex", pivots, claim, note, None, None, None, basis), lower, upper


def _uniform(count: int) -> Vector:
    return np.full(count, 1 / count)


def tree_program(
    game: SequenceForm,
    *,
    seconds: float | None = None,
    on_progress: Callable[[int, float], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> RawSolution:
    """Both players' plans, in the kernels' order, from a linear program and its dual.

    Parameters
    ----------
    game : SequenceForm
    seconds, on_progress, stop
        As of :func:`solved_in_slices`.
    """
    program = _tree_program(game)
    solver = "highs-ds" if game.payoffs.nnz <= SIMPLEX_PAYOFFS else "highs-ipm"
    answer, iterations = solved_in_slices(program, solver, seconds=seconds, on_progress=on_progress, stop=stop)
    if answer is None:
        return _unsolved_tree(game, iterations, "interrupted", "asked to stop")
    if answer.status != 0:
        return _unsolved_tree(game, iterations, str(answer.message), None)
    row = _plan(game.row, answer.x[: len(game.row)])
    column = _plan(game.column, -answer.ineqlin.marginals)
    return RawSolution(row, column, "linear-programming", iterations, note=f"HiGHS, {SOLVERS[solver]}")


def _unsolved_tree(game: SequenceForm, iterations: int, note: str, stopped: str | None) -> RawSolution:
    row, column = game.row.uniform(), game.column.uniform()
    return RawSolution(row, column, "linear-programming", iterations, note=note, stopped=stopped)


def _tree_program(game: SequenceForm) -> dict[str, Any]:
    """Arguments of scipy's linprog, the payoffs scaled by their range."""
    from scipy.sparse import coo_array, csr_array, hstack

    rows, sets = len(game.row), len(game.column.parent) + 1
    objective = np.zeros(rows + sets)
    objective[rows] = -1.0
    first = np.zeros(len(game.row.parent) + 1)
    first[0] = 1.0
    # The payoff of the empty sequences is constant, and may be large.
    first_alone = coo_array(([1.0], ([0], [0])), shape=game.shape).tocsr()
    payoffs = game.inward - game.inward[0, 0] * first_alone
    # A smaller range is rounding. The inverse of the scale may overflow, so that payoffs are divided by it.
    payoffs.data /= max(game.spread, 2.0**-60 * float(np.abs(payoffs.data).max(initial=0.0))) or 1.0
    return {
        "c": objective,
        "A_ub": hstack([-payoffs.T, _constraints(game.column).T], format="csc"),
        "b_ub": np.zeros(len(game.column)),
        "A_eq": hstack([_constraints(game.row), csr_array((len(first), sets))], format="csc"),
        "b_eq": first,
        "bounds": [(0, None)] * rows + [(None, None)] * sets,
    }


def _constraints(tree: Treeplex) -> Any:
    """E or F in the kernels' order, the empty sequence's row first."""
    from scipy.sparse import coo_array

    sets = len(tree.parent)
    owners = np.repeat(np.arange(1, sets + 1), np.diff(tree.first))
    rows = np.concatenate([[0], owners, np.arange(1, sets + 1)])
    columns = np.concatenate([[0], np.arange(1, len(tree)), tree.parent])
    values = np.concatenate([np.ones(len(tree)), -np.ones(sets)])
    return coo_array((values, (rows, columns)), shape=(sets + 1, len(tree))).tocsr()


def _plan(tree: Treeplex, weights: Vector) -> Vector:
    """A plan from a solution up to the solver's tolerance."""
    positive = np.where(np.isfinite(weights), np.maximum(weights, 0.0), 0.0)
    return tree.plan(tree.behaviour(positive))
