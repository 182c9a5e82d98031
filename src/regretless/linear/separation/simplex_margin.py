"""The largest margin of nonnegative weights that sum to 1: the value of a zero-sum game.

For rows z = y x, any v on the simplex of features and any q on the simplex of rows enclose it,

    min_t <v, z_t>  <=  rho*  =  max_v min_t <v, z_t>  =  min_q max_i (sum_t q_t z_t)_i  <=  max_i (sum_t q_t z_t)_i,

the game in which one player mixes features and the other picks the hardest rows. It is positive if and only if some
vector without negative entries separates the rows. Balanced, each feature x has its opposite -x beside it, and the
value, if positive, is the margin in the sum of absolute weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...data.batch import Array, Batch
from ...errors import RegretlessError
from ...games.methods import RELATIVE
from ...games.payoffs import Payoffs, enclose
from ...games.solution import RawSolution
from ...games.solvers.interior_point import interior_point
from ...games.solvers.linear_program import CELLS, linear_program, simplex
from ..comparators.candidates import matrix_of, with_constant
from .budget import SPARSE, Budget, entries_of, newton_work
from .signed_rows import read_signs

SIMPLEX_WORK = 3e7  # rows, features and the fewer of both, multiplied: up to there the simplex method is the fastest
INTERIOR_STEPS = 20  # of the method of interior points
PROGRAM = 100.0  # multiplications in the time that a pivot of linear programming takes for an entry
FINE = 1e-12  # of the range of entries: the gap to aim at, which costs a step or two more than what must be


@dataclass(frozen=True, slots=True)
class SimplexMargin:
    """An interval that contains the largest margin over the simplex, and what proves each of its ends.

    Attributes
    ----------
    lower, upper : float
        lower <= rho* <= upper, rounding errors allowed for; they may be negative.
    weights : ndarray
        Of sum 1 and without negative entries; balanced, of absolute sum 1, or 0 where that has no positive margin.
        Their margin is `lower`. With an intercept, the last one is the weight of the constant feature.
    examples : ndarray
        Weights of the rows, with sum 1: under them no feature, nor its opposite if balanced, has an edge above `upper`.
    """

    lower: float
    upper: float
    weights: Array
    examples: Array

    @property
    def gap(self) -> float:
        """Width of the interval."""
        return self.upper - self.lower


def max_margin_simplex(
    X: Any, y: Any, *, balanced: bool = False, intercept: float = 0.0, max_seconds: float | None = None
) -> SimplexMargin:
    """Find the largest margin of weights on the simplex, as an interval that contains it.

    Parameters
    ----------
    X : array, sequence, sparse matrix or table, shape (rows, features)
    y : array or sequence, shape (rows,)
        Two labels, of which the larger one is +1. One label alone is +1 if it is a string or positive, else -1.
    balanced : bool, default=False
        Whether weights may be negative, their absolute values summing to 1.
    intercept : float, default=0.0
        Size of a constant feature that every row is given; 0 for none.
    max_seconds : float, optional
        Return a wider interval after about so much processor time.

    Returns
    -------
    SimplexMargin

    Raises
    ------
    RegretlessError
        If X or y cannot be used, or there are more than two classes.

    Examples
    --------
    >>> from regretless.linear import max_margin_simplex
    >>> margin = max_margin_simplex([[1, 1, -1], [1, -1, 1]], [1, 1])
    >>> round(margin.lower, 9), round(margin.upper, 9), (margin.weights + 0.0).round(9).tolist()
    (1.0, 1.0, [1.0, 0.0, 0.0])
    """
    batch, signs = read_signs(X, y)
    budget = Budget(max_seconds)
    return max_margin_simplex_signed(batch, signs, balanced=balanced, intercept=intercept, budget=budget)


def max_margin_simplex_signed(
    batch: Batch, signs: Array, *, balanced: bool, intercept: float, budget: Budget | None = None
) -> SimplexMargin:
    """:func:`max_margin_simplex` for signs -1 and 1.

    Parameters
    ----------
    batch : Batch
        The rows x.
    signs : ndarray, shape (rows,)
        -1 or 1.
    balanced, intercept
        As of :func:`max_margin_simplex`.
    budget : Budget, optional
        Return a wider interval once it is spent.

    Returns
    -------
    SimplexMargin

    Raises
    ------
    RegretlessError
        If a value is not finite, or there are no rows or no columns.
    """
    rows = with_constant(matrix_of(batch), intercept)
    rows, signs = rows.astype(np.float64), signs.astype(np.float64)
    values = rows if isinstance(rows, np.ndarray) else rows.data
    if not np.isfinite(values).all():
        raise RegretlessError("X holds NaN or infinity; a margin is one of finite rows")
    if rows.shape[1] == 0 or rows.shape[0] == 0:
        raise RegretlessError("there is no margin without rows and features")
    weights, examples = _solve(rows, signs, balanced, Budget() if budget is None else budget)
    if balanced and (signs * (rows @ weights)).min() <= 0:
        weights = np.zeros(rows.shape[1])  # each feature's two weights alike: a margin of 0 is always there
    scores = signs * (rows @ weights)
    edges = (signs * examples) @ rows
    # A sum of n products is off by less than (n + 4) units of rounding times the sum of their sizes, which is at most
    # the largest entry, as weights sum to 1; that they do is as near to true.
    unit = 2.0**-52 * float(abs(rows).max())
    top = float(np.abs(edges).max() if balanced else edges.max())
    return SimplexMargin(
        lower=float(scores.min()) - (rows.shape[1] + 8) * unit if weights.any() else 0.0,
        upper=top + (rows.shape[0] + 8) * unit,
        weights=weights,
        examples=examples,
    )


def program_work(batch: Batch, balanced: bool) -> float:
    """About how many multiplications the margin over the simplex takes, which has about as many pivots as the fewer of
    rows and features."""
    features = 2 * batch.columns if balanced else batch.columns
    fewer = min(len(batch), features)
    if len(batch) * features * fewer <= SIMPLEX_WORK:
        return float(len(batch) * features * fewer)
    if batch.starts is None:
        return INTERIOR_STEPS * newton_work(batch.values)
    return PROGRAM * batch.entries * fewer


def _solve(rows: Any, signs: Array, balanced: bool, budget: Budget) -> tuple[Array, Array]:
    """Weights of the features and of the rows: both players' strategies."""
    count, width = rows.shape
    features = 2 * width if balanced else width
    if not isinstance(rows, np.ndarray) and count * features * min(count, features) <= SIMPLEX_WORK:
        rows = rows.toarray()
    if isinstance(rows, np.ndarray):
        # Seen by the one who picks rows, so that nothing need be transposed.
        against = -signs[:, None] * rows
        picked, mixed = _dense(Payoffs(np.concatenate([against, -against], axis=1) if balanced else against), budget)
    else:
        mixed, picked = _sparse(Payoffs(_mirrored((rows.T * signs).tocsr(), balanced)), budget)
    weights = mixed[:width] - mixed[width:] if balanced else mixed
    # What stands on both sides of a pair says nothing, and a vector of absolute sum 1 has the larger margin without it.
    return _of_sum_one(weights, np.eye(1, width)[0]), picked


def _dense(payoffs: Payoffs, budget: Budget) -> tuple[Array, Array]:
    """The best that the budget allowed; linear programming is the last resort."""
    shape = payoffs.shape
    if payoffs.spread == 0:
        return np.full(shape[0], 1 / shape[0]), np.full(shape[1], 1 / shape[1])
    pivots = shape[0] * shape[1] * min(shape) <= SIMPLEX_WORK
    step = CELLS if pivots else newton_work(payoffs.values)

    def late() -> bool:
        budget.spend(step)
        return budget.late()

    stop = late if budget.limited else None
    solution = simplex(payoffs, stop=stop) if pivots else interior_point(payoffs, FINE * payoffs.spread, stop=stop)
    if solution.stopped is None and _gap(payoffs, solution) > RELATIVE * payoffs.spread:
        solution = min(solution, _program(payoffs, (solution.row, solution.column), budget), key=partial(_gap, payoffs))
    return solution.row, solution.column


def _sparse(payoffs: Payoffs, budget: Budget) -> tuple[Array, Array]:
    """Linear programming knows sparse payoffs; without it there is one feature, which serves all rows alike best."""
    uniform = np.full(payoffs.shape[1], 1 / payoffs.shape[1])
    best = np.eye(1, payoffs.shape[0], int(payoffs.times(uniform).argmax()))[0]
    solution = _program(payoffs, (best, uniform), budget)
    return solution.row, solution.column


def _program(payoffs: Payoffs, otherwise: tuple[Array, Array], budget: Budget) -> RawSolution:
    """What HiGHS finds, or else `otherwise`."""
    if not budget.limited:
        return linear_program(payoffs, start=otherwise)
    if budget.seconds is not None:
        return linear_program(payoffs, start=otherwise, stop=lambda: True, seconds=budget.seconds)
    most = int(max(0.0, budget.left) / (SPARSE * entries_of(payoffs.values)))
    return linear_program(payoffs, start=otherwise, iterations=most)


def _gap(payoffs: Payoffs, solution: RawSolution) -> float:
    lower, upper = enclose(payoffs, solution.row, solution.column)
    return upper - lower


def _mirrored(signed: Any, balanced: bool) -> Any:
    """Features, and below them their opposites if balanced."""
    if not balanced:
        return signed
    from scipy.sparse import vstack  # type: ignore[import-untyped, unused-ignore]

    return vstack([signed, -signed], format="csr")


def _of_sum_one(weights: Array, otherwise: Array) -> Array:
    """Weights whose absolute values sum to 1."""
    total = float(np.abs(weights).sum())
    return weights / total if total > 0 else otherwise
