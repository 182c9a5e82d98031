"""Who solves zero-sum games beside us in bench_games.py: peers that are installed, each through its own front door."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from regretless.games import MatrixGame, SolveError

Matrix = np.ndarray[Any, np.dtype[np.float64]]
Strategies = tuple[Any, Any]
Player = Callable[[Matrix], Strategies]


def ours(matrix: Matrix, method: str = "auto", tolerance: float | None = None) -> Strategies:
    """Our solver through the public front door, the game's construction included."""
    try:
        solution = MatrixGame(matrix).solve(method, tolerance)
    except SolveError:
        return uniform(matrix)
    return solution.row, solution.column


def uniform(matrix: Matrix) -> Strategies:
    """No answer."""
    rows, columns = matrix.shape
    return np.full(rows, 1 / rows), np.full(columns, 1 / columns)


def scipy_linprog(matrix: Matrix, method: str) -> Strategies:
    """The textbook's linear program through scipy's HiGHS."""
    from scipy.optimize import linprog

    rows, columns = matrix.shape
    solution = linprog(
        np.append(np.zeros(rows), -1.0),
        A_ub=np.hstack([-matrix.T, np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=np.append(np.ones(rows), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * rows + [(None, None)],
        method=method,
    )
    return solution.x[:rows], -solution.ineqlin.marginals


def quantecon(matrix: Matrix) -> Strategies:
    """quantecon's simplex method for zero-sum games."""
    from quantecon.optimize import minmax

    _, row, column = minmax(matrix)
    return row, column


def nashpy(matrix: Matrix) -> Strategies:
    """nashpy's linear programs."""
    import nashpy as package

    row, column = package.Game(matrix).linear_program()
    return row, column


def open_spiel(matrix: Matrix) -> Strategies:
    """OpenSpiel's linear program for zero-sum matrix games."""
    import pyspiel
    from open_spiel.python.algorithms import lp_solver

    game = pyspiel.create_matrix_game(matrix.tolist(), (-matrix).tolist())
    row, column, *_ = lp_solver.solve_zero_sum_matrix_game(game)
    return np.ravel(row), np.ravel(column)


def pygambit(matrix: Matrix) -> Strategies:
    """Gambit's linear program for constant-sum games, in floats."""
    import pygambit as package

    game = package.Game.from_arrays(matrix, -matrix)
    profile = package.nash.lp_solve(game, rational=False).equilibria[0]
    row, column = ([float(profile[strategy]) for strategy in player.strategies] for player in game.players)
    return np.array(row), np.array(column)


def pdlp(matrix: Matrix, tolerance: float) -> Strategies:
    """HiGHS's first-order method for linear programs."""
    import highspy

    rows, columns = matrix.shape
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("solver", "pdlp")
    solver.setOptionValue("presolve", "off")
    for option in ("pdlp_optimality_tolerance", "kkt_tolerance"):
        solver.setOptionValue(option, tolerance)
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = rows + 1, columns + 1
    program.col_cost_ = np.append(np.zeros(rows), -1.0)
    program.col_lower_ = np.append(np.zeros(rows), -highspy.kHighsInf)
    program.col_upper_ = np.full(rows + 1, highspy.kHighsInf)
    program.row_lower_ = np.append(np.zeros(columns), 1.0)
    program.row_upper_ = np.append(np.full(columns, highspy.kHighsInf), 1.0)
    # Column by column: (p'A)_j - v >= 0, and the sum of p.
    body = np.vstack([np.hstack([matrix.T, np.full((columns, 1), -1.0)]), np.append(np.ones(rows), 0.0)[None]])
    program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    program.a_matrix_.start_ = np.arange(rows + 2) * (columns + 1)
    program.a_matrix_.index_ = np.tile(np.arange(columns + 1), rows + 1)
    program.a_matrix_.value_ = body.T.ravel()
    solver.passModel(program)
    solver.run()
    solution = solver.getSolution()
    return np.maximum(solution.col_value[:rows], 0), np.abs(np.array(solution.row_dual[:columns]))


def importable(name: str) -> bool:
    """Whether a package is installed, and all that it needs."""
    try:
        import_module(name)
    except ImportError:
        return False
    return True


OURS = "regretless"

EXACT: dict[str, tuple[str, Player]] = {
    OURS: ("regretless", ours),
    "HiGHS": ("scipy", partial(scipy_linprog, method="highs")),
    "HiGHS interior point": ("scipy", partial(scipy_linprog, method="highs-ipm")),
    "quantecon": ("quantecon", quantecon),
    "nashpy": ("nashpy", nashpy),
    "OpenSpiel": ("open_spiel.python.algorithms.lp_solver", open_spiel),
    "pygambit": ("pygambit", pygambit),
}


def coarse(tolerance: float) -> dict[str, tuple[str, Player]]:
    """Who stops at a tolerance: ours at such a gap, HiGHS's PDLP at such a relative error, as it counts."""
    return {
        OURS: ("regretless", partial(ours, tolerance=tolerance)),
        "HiGHS PDLP": ("highspy", partial(pdlp, tolerance=tolerance)),
    }


def exact_players() -> dict[str, Player]:
    """Those who are installed."""
    return {name: player for name, (package, player) in EXACT.items() if importable(package)}


def coarse_players(tolerance: float) -> dict[str, Player]:
    """Those who are installed and stop at a gap."""
    return {name: player for name, (package, player) in coarse(tolerance).items() if importable(package)}


def missing() -> list[str]:
    """Peers that are not there."""
    players = {**EXACT, **coarse(1e-3)}
    return [name for name, (package, _) in players.items() if not importable(package)]
