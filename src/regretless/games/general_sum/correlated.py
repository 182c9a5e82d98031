"""Correlated equilibria: joint distributions from which no player gains by deviating.

A mediator draws a pair of a row and a column and recommends each player its own part. It is a correlated equilibrium if
no player gains by replacing its recommendation (Aumann 1974), a coarse one if no player gains by one fixed strategy,
whatever is drawn (Moulin and Vial 1978). Both sets are polytopes, so that linear programs find the best equilibrium.
Every Nash equilibrium is in both, and play of learners without regret approaches the coarse ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import nan
from time import monotonic
from typing import Any

import numpy as np

from ...errors import ParameterError, RegretlessError
from ...html import Recorded
from ..methods import OBJECTIVES
from ..payoffs import Array, Payoffs, Vector
from .nash import above, joint_gains, joint_of, scaled, two_payoffs

# Presolve takes some programs for infeasible that are not, and the simplex method does not always end where the
# interior point does. The last attempt allows larger errors of the equations; the caller checks its solution.
_WAYS = (("highs", True, 1e-10), ("highs", False, 1e-10), ("highs-ipm", True, 1e-10), ("highs", False, 1e-7))


class Unsolved(RegretlessError):
    """HiGHS found no solution that passes the check, though there is one."""


def optimum(programs: Sequence[dict[str, Any]], seconds: float, check: Callable[[Any], object]) -> Any:
    """The solution of the first program that one of several methods solves.

    Parameters
    ----------
    programs : sequence of dict
        Arguments of `scipy.optimize.linprog`; all but the first are alternatives to the first.
    seconds : float
        Time limit.
    check : callable
        Raises `Unsolved` if the solution is not good enough.

    Returns
    -------
    OptimizeResult
        With the number of its program as `program`.

    Raises
    ------
    Unsolved
        If none was solved.
    """
    from scipy.optimize import linprog  # type: ignore[import-untyped, unused-ignore]

    ends, why = monotonic() + seconds, ""
    for number, program in enumerate(programs):
        for method, presolve, tolerance in _WAYS:
            left = ends - monotonic()
            if why and left <= 0:
                raise Unsolved(why)
            tolerances = {"primal_feasibility_tolerance": tolerance, "dual_feasibility_tolerance": tolerance}
            solved = linprog(**program, method=method, options=tolerances | {"presolve": presolve, "time_limit": left})
            if solved.status != 0 or solved.x is None:
                why = f"HiGHS gave up: {solved.message}"
                continue
            solved.program = number
            try:
                check(solved)
            except Unsolved as error:
                why = str(error)
            else:
                return solved
    raise Unsolved(why)


# The largest gain by deviating from a solution, as a share of the range of the player's payoffs; HiGHS aims at 1e-10.
SLACK = 1e-8
# HiGHS may call a program infeasible in which a probability can change by no more than about its tolerance, and may not
# end with coefficients as small.
TINY = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class CorrelatedEquilibrium(Recorded):
    """A joint distribution from which no player gains by deviating more than `row_gain` and `column_gain`.

    Attributes
    ----------
    joint : ndarray, shape (rows, columns)
        The probability of each pair.
    coarse : bool
        Whether a deviation is one fixed strategy, rather than a replacement of each recommendation.
    objective : str
        The objective that it maximises: "welfare", "row", "column" or "matrix".
    row_payoff, column_payoff : float
        Expected payoffs.
    row_gain, column_gain : float
        The gain of each player's best deviation, at least 0: computed exactly from `joint`, rounded up.
    best : float
        The objective's expectation in `joint`. It may exceed `bound` slightly, as `joint` is an equilibrium up to its
        gains only.
    bound : float
        An upper bound on the objective of all (coarse) correlated equilibria, by weak duality, rounding included.
    """

    joint: Vector
    coarse: bool
    objective: str
    row_payoff: float
    column_payoff: float
    row_gain: float
    column_gain: float
    best: float
    bound: float

    def plot(self) -> Any:
        """A matplotlib figure: the probabilities of the pairs, the largest first, and the payoffs; `MissingError`
        without matplotlib.
        """
        from ...plot import figure_of_bars

        pairs = [f"{row}, {column}" for row, column in np.ndindex(*self.joint.shape)]
        payoffs = np.array([self.row_payoff, self.column_payoff])
        return figure_of_bars([("Row, column", pairs, self.joint.ravel()), ("Payoffs", ["row", "column"], payoffs)])


@dataclass(frozen=True, slots=True, eq=False)
class Distance:
    """The distance from a joint distribution to the (coarse) correlated equilibria.

    Attributes
    ----------
    row_gain, column_gain : float
        The gain of each player's best deviation, at least 0: exact, rounded upwards.
    distance : float
        Sum of the absolute differences from `nearest`; at least either gain over the range of that player's payoffs.
        NaN if HiGHS found no solution in time.
    nearest : ndarray
        The nearest (coarse) correlated equilibrium; all NaN if HiGHS found none.
    coarse : bool
    """

    row_gain: float
    column_gain: float
    distance: float
    nearest: Vector
    coarse: bool

    @property
    def gain(self) -> float:
        """The larger of both gains: the distribution is an equilibrium up to this gain."""
        return max(self.row_gain, self.column_gain)


def correlated(
    A: Any, B: Any, *, coarse: bool = False, objective: Any = "welfare", seconds: float = 60.0
) -> CorrelatedEquilibrium:
    """Find the (coarse) correlated equilibrium that maximises an objective.

    Parameters
    ----------
    A, B : array or sequence, shape (rows, columns)
        Payoffs of the row and of the column player.
    coarse : bool
        Choose among the coarse correlated equilibria, a larger set.
    objective : {"welfare", "row", "column"} or array, shape (rows, columns)
        The quantity whose expectation is maximised: the sum of both payoffs, one player's payoff, or this matrix.
    seconds : float
        Time limit.

    Returns
    -------
    CorrelatedEquilibrium

    Raises
    ------
    RegretlessError
        If these are no payoffs, or HiGHS finds no such equilibrium in time.

    Examples
    --------
    >>> chicken = [[6, 2], [7, 0]], [[6, 7], [2, 0]]
    >>> best = correlated(*chicken)
    >>> best.joint.round(6).tolist(), round(best.best, 6)
    ([[0.5, 0.25], [0.25, 0.0]], 10.5)
    """
    row, column = two_payoffs(A, B)
    aim = _aim(row, column, objective)
    rises = _incentives(scaled(row), scaled(column), coarse)
    programs = [_best_in(aim, rises), _best_in(aim, _without_tiny(rises))]
    try:
        solved = optimum(
            programs, seconds, lambda one: _checked(row, column, _cleaned(one.x).reshape(row.shape), coarse)
        )
    except Unsolved as error:
        raise RegretlessError(f"the best correlated equilibrium was not found: {error}") from error
    joint = _cleaned(solved.x).reshape(row.shape)
    row_gain, column_gain = _checked(row, column, joint, coarse)
    bound = _bound(scaled(aim).ravel(), rises, -np.minimum(solved.ineqlin.marginals, 0.0))
    row_payoff, column_payoff, best = (float(np.vdot(one.dense(), joint)) for one in (row, column, aim))
    most = float(aim.low + bound * (aim.spread or 1.0) + 4 * np.finfo(np.float64).eps * aim.size)
    named = objective if isinstance(objective, str) else "matrix"
    return CorrelatedEquilibrium(joint, coarse, named, row_payoff, column_payoff, row_gain, column_gain, best, most)


def _best_in(aim: Payoffs, rises: Any) -> dict[str, Any]:
    """The linear program of the joint distribution with the largest objective among those without a rise."""
    return {
        "c": -scaled(aim).ravel(),
        "A_ub": rises,
        "b_ub": np.zeros(rises.shape[0]),
        "A_eq": np.ones((1, rises.shape[1])),
        "b_eq": [1],
    }


def distance_to_correlated(A: Any, B: Any, joint: Any, coarse: bool = True, *, seconds: float = 60.0) -> Distance:
    """The distance from a joint distribution, as that of two learners' play, to the (coarse) correlated equilibria.

    Parameters
    ----------
    A, B : array or sequence, shape (rows, columns)
        Payoffs of the row and of the column player.
    joint : array or sequence, shape (rows, columns)
        The probability of each pair.
    coarse : bool
        Whether to measure the distance to the coarse ones.
    seconds : float
        Time limit of the search for the nearest one. The gains are exact and independent of it.

    Returns
    -------
    Distance

    Raises
    ------
    RegretlessError
        If these are no payoffs, or `joint` is no distribution.
    """
    row, column = two_payoffs(A, B)
    table = joint_of(joint, row.shape)
    row_gain, column_gain = (max(gain, Fraction(0)) for gain in joint_gains(row, column, table, coarse))
    here = _cleaned(table.astype(np.float64).ravel())
    try:
        nearest = _nearest(row, column, here, coarse, seconds)
    except Unsolved:
        nearest = np.full(here.size, nan)
    apart = float(np.abs(nearest - here).sum())
    return Distance(above(row_gain), above(column_gain), apart, nearest.reshape(row.shape), coarse)


def _nearest(row: Payoffs, column: Payoffs, here: Vector, coarse: bool, seconds: float) -> Vector:
    """The equilibrium with the least distance to a distribution: here + more - less."""
    rises = _incentives(scaled(row), scaled(column), coarse)
    size = here.size

    def program(here: Vector) -> dict[str, Any]:
        return {
            "c": np.ones(2 * size),
            "A_ub": _beside(rises, -rises),
            "b_ub": -(rises @ here),
            "A_eq": np.append(np.ones(size), -np.ones(size))[None],
            "b_eq": [0],
            "bounds": np.column_stack([np.zeros(2 * size), np.append(np.full(size, np.inf), here)]),
        }

    starts = [here, _cleaned(np.where(here < TINY, 0.0, here))]

    def moved(solved: Any) -> Vector:
        change = solved.x[:size] - solved.x[size:]
        return _cleaned(starts[solved.program] + change)

    def check(solved: Any) -> None:
        _checked(row, column, moved(solved).reshape(row.shape), coarse)

    return moved(optimum([program(start) for start in starts], seconds, check))


def _aim(row: Payoffs, column: Payoffs, objective: Any) -> Payoffs:
    if isinstance(objective, str):
        if objective not in OBJECTIVES:
            raise ParameterError(
                "objective", None, f"{objective!r}; a matrix or one of {', '.join(OBJECTIVES)} is expected"
            )
        total = row.dense().astype(np.float64) + column.dense()
        return {"welfare": Payoffs(total, "A + B"), "row": row, "column": column}[objective]
    aim = Payoffs(objective, "objective")
    if aim.shape != row.shape:
        raise ParameterError("objective", None, f"shape {aim.shape}; that of the payoffs is expected, {row.shape}")
    return aim


def _incentives(A: Vector, B: Vector, coarse: bool) -> Any:
    """One inequality for each deviation: its expected gain is not positive."""
    from scipy.sparse import block_diag, csr_array, vstack  # type: ignore[import-untyped, unused-ignore]

    m, n = A.shape
    if coarse:
        row = (A[:, None, :] - A[None, :, :]).reshape(m, m * n)
        column = (B.T[:, :, None] - B[None, :, :]).reshape(n, m * n)
        return csr_array(np.vstack([row, column]))
    row = block_diag([A - payoffs for payoffs in A], format="csr")
    column = block_diag([B.T - payoffs for payoffs in B.T], format="csr")
    # Its blocks are ordered by the recommended column: pair (i, j) is at j m + i.
    order = np.arange(m * n).reshape(n, m).T.ravel()
    return csr_array(vstack([row, csr_array(column)[:, order]]))


def _without_tiny(table: Any) -> Any:
    """A sparse table of entries in [-1, 1], without those below `TINY`."""
    cleaned = table.copy()
    cleaned.data[np.abs(cleaned.data) < TINY] = 0.0
    cleaned.eliminate_zeros()
    return cleaned


def _beside(left: Any, right: Any) -> Any:
    from scipy.sparse import hstack

    return hstack([left, right], format="csr")


def _cleaned(joint: Array) -> Vector:
    weights = np.maximum(joint, 0.0)
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def _checked(row: Payoffs, column: Payoffs, joint: Vector, coarse: bool) -> tuple[float, float]:
    """Both gains.

    Raises
    ------
    Unsolved
        If one of them is more than rounding.
    """
    gains = [max(gain, Fraction(0)) for gain in joint_gains(row, column, joint, coarse)]
    if gains[0] > SLACK * row.spread or gains[1] > SLACK * column.spread:
        raise Unsolved(f"a deviation from the solution of HiGHS gains {max(map(float, gains)):.3g}")
    return above(gains[0]), above(gains[1])


def _bound(aim: Vector, rises: Any, weights: Vector) -> float:
    """The largest objective of a pair less the weighted gains there: an upper bound for every equilibrium."""
    sizes = np.abs(aim) + abs(rises).T @ weights
    rounding = (rises.shape[0] + 2) * np.finfo(np.float64).eps * sizes
    return float((aim - rises.T @ weights + rounding).max())
