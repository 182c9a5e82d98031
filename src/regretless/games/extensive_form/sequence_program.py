"""Games in sequence form by linear programming: HiGHS.

The row player's plan x is a best one exactly if it solves, with one number u for each of the column player's
information sets and one for the empty sequence,

    maximise u_0   subject to   F'u <= A'x,   E x = e,   x >= 0,

and the multipliers of the first inequalities are a best plan of the column player (Koller, Megiddo and von Stengel
1994; von Stengel 1996).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..raw_solution import RawSolution, Vector
from ..solvers.linear_program import solved_in_slices
from .sequence_form import SequenceForm
from .treeplex import Treeplex

# The most payoffs for which HiGHS' simplex method is faster than its interior point with crossover.
SIMPLEX_PAYOFFS = 8000
SOLVERS = {"highs-ds": "dual simplex", "highs-ipm": "interior point"}


def linear_program(
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

    Returns
    -------
    RawSolution
    """
    program = _program(game)
    solver = "highs-ds" if game.payoffs.nnz <= SIMPLEX_PAYOFFS else "highs-ipm"
    answer, iterations = solved_in_slices(program, solver, seconds=seconds, on_progress=on_progress, stop=stop)
    if answer is None:
        return _unsolved(game, iterations, "interrupted", "asked to stop")
    if answer.status != 0:
        return _unsolved(game, iterations, str(answer.message), None)
    row = _plan(game.row, answer.x[: len(game.row)])
    column = _plan(game.column, -answer.ineqlin.marginals)
    return RawSolution(row, column, "linear-programming", iterations, note=f"HiGHS, {SOLVERS[solver]}")


def _unsolved(game: SequenceForm, iterations: int, note: str, stopped: str | None) -> RawSolution:
    row, column = game.row.uniform(), game.column.uniform()
    return RawSolution(row, column, "linear-programming", iterations, note=note, stopped=stopped)


def _program(game: SequenceForm) -> dict[str, Any]:
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
