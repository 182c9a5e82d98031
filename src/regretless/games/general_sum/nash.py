"""What strategies on two matrices gain by deviating, in exact arithmetic: equilibria, joint distributions, dominance.

All numbers are whole multiples of a unit, so that sums of their products are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, inf, lcm, nextafter
from numbers import Rational
from typing import Any, Literal

import numpy as np

from ...errors import ParameterError, RegretlessError
from ..payoffs import Array, Payoffs, Vector, strategy_of

# The largest gain at an equilibrium in floats, as a share of the range of the player's payoffs.
SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class Incentives:
    """Payoffs of both players, and the gain of each by its best deviation: exact; gains are never negative.

    Attributes
    ----------
    row_payoff, column_payoff : Fraction
    row_gain, column_gain : Fraction
    """

    row_payoff: Fraction
    column_payoff: Fraction
    row_gain: Fraction
    column_gain: Fraction


def is_nash(A: Any, B: Any, p: Any, q: Any, tolerance: float | None = None) -> bool:
    """Whether no player gains more than the tolerance by deviating, in exact arithmetic.

    Parameters
    ----------
    A, B : array or sequence, shape (rows, columns)
        Payoffs of the row and of the column player. Floats count at their exact values.
    p, q : array or sequence
        Probabilities of the rows and of the columns. Floats are divided by their sum; fractions must sum to 1.
    tolerance : float, optional
        In payoffs. By default 0 if the payoffs and the probabilities are all fractions or whole numbers, else, for each
        player, 1e-9 times the range of its payoffs.

    Returns
    -------
    bool

    Raises
    ------
    RegretlessError
        If the shapes differ, or these are no payoffs or no probabilities.

    Examples
    --------
    >>> from fractions import Fraction
    >>> A, B = [[2, 0], [0, 1]], [[1, 0], [0, 2]]  # he prefers the first, she the second, and both to be together
    >>> is_nash(A, B, [Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 3), Fraction(2, 3)])
    True
    >>> is_nash(A, B, [0.6, 0.4], [0.4, 0.6]), is_nash(A, B, [0.6, 0.4], [0.4, 0.6], tolerance=0.2)
    (False, True)
    """
    row, column = two_payoffs(A, B)
    gains = incentives(row, column, p, q)
    if tolerance is None:
        exact = row.is_exact and column.is_exact and is_exact(p) and is_exact(q)
        return within(gains, row, column, 0.0 if exact else SLACK)
    if not tolerance >= 0:
        raise ParameterError("tolerance", None, f"{tolerance}; a number that is not negative is expected")
    return max(gains.row_gain, gains.column_gain) <= tolerance


def incentives(A: Payoffs, B: Payoffs, p: Any, q: Any) -> Incentives:
    """Payoffs of both players, and the gain of each by its best deviation."""
    row, column = whole_strategy(p, A.shape[0], "p"), whole_strategy(q, A.shape[1], "q")
    return exact_incentives(whole_payoffs(A), whole_payoffs(B), row, column)


def exact_incentives(A: Whole, B: Whole, p: Whole, q: Whole) -> Incentives:
    """The same from whole multiples of units, the probabilities with sum 1."""
    rows, columns = A.values @ q.values, p.values @ B.values
    row_unit, column_unit = A.unit * q.unit, B.unit * p.unit
    row_payoff = (p.values @ rows) * row_unit * p.unit
    column_payoff = (columns @ q.values) * column_unit * q.unit
    best = rows.max() * row_unit, columns.max() * column_unit
    return Incentives(row_payoff, column_payoff, best[0] - row_payoff, best[1] - column_payoff)


def within(value: Incentives, A: Payoffs, B: Payoffs, share: float) -> bool:
    """Whether neither gain is above a share of the range of that player's payoffs."""
    return value.row_gain <= share * A.spread and value.column_gain <= share * B.spread


def two_payoffs(A: Any, B: Any) -> tuple[Payoffs, Payoffs]:
    """Both players' payoffs.

    Raises
    ------
    RegretlessError
        If their shapes differ, or one is a linear operator.
    """
    row, column = Payoffs(A, "A"), Payoffs(B, "B")
    if row.shape != column.shape:
        raise RegretlessError(
            f"A is {row.shape[0]} x {row.shape[1]}, B is {column.shape[0]} x {column.shape[1]}; "
            "both players' payoffs have one row for each row and one column for each column"
        )
    for payoffs in (row, column):
        payoffs.dense()
    return row, column


def pure_equilibria(A: Any, B: Any) -> list[tuple[int, int]]:
    """All pure equilibria, as pairs of a row and a column, counted from 0."""
    row, column = (whole_payoffs(payoffs).values for payoffs in two_payoffs(A, B))
    best = (row == row.max(axis=0)) & (column == column.max(axis=1)[:, None])
    return [(int(i), int(j)) for i, j in np.argwhere(best.astype(bool))]


@dataclass(frozen=True, slots=True, eq=False)
class Whole:
    """An array of Python integers, each of which is a multiple of a unit.

    Attributes
    ----------
    values : ndarray of int
    unit : Fraction
        Positive.
    """

    values: Array
    unit: Fraction


def whole_payoffs(payoffs: Payoffs) -> Whole:
    """All payoffs exactly: as the user wrote them, or the exact value of each float."""
    return whole_fractions(payoffs.fractions()) if payoffs.is_exact else _whole_floats(payoffs.dense())


def whole_fractions(values: Any) -> Whole:
    """Nested lists of fractions or whole numbers as whole multiples of one unit."""
    table = np.array(values, dtype=object)
    fractions = [Fraction(value) for value in table.flat]
    denominator = lcm(*(value.denominator for value in fractions))
    return _reduced(_objects([int(value * denominator) for value in fractions], table.shape), Fraction(1, denominator))


def whole_strategy(probabilities: Any, count: int, what: str) -> Whole:
    """Probabilities in a unit in which their sum is exactly 1; fractions must sum to 1.

    Raises
    ------
    RegretlessError
        If there are not as many as strategies, one is negative, or their sum is not 1.
    """
    floats = strategy_of(probabilities, count, what)
    if not is_exact(probabilities):
        whole = _whole_floats(floats)
        return Whole(whole.values, Fraction(1, int(whole.values.sum())))
    if sum(map(Fraction, probabilities)) != 1:
        raise RegretlessError(f"{what}: the fractions sum to {sum(map(Fraction, probabilities))}; 1 is expected")
    return whole_fractions(list(probabilities))


def is_exact(strategy: Any) -> bool:
    """Whether all probabilities are fractions or whole numbers."""
    if isinstance(strategy, np.ndarray) and strategy.dtype.kind in "iu":
        return True
    return isinstance(strategy, Sequence | np.ndarray) and all(isinstance(chance, Rational) for chance in strategy)


def above(value: Fraction) -> float:
    """The number rounded up to a float."""
    near = float(value)
    return near if near >= value else nextafter(near, inf)


def _whole_floats(values: Array) -> Whole:
    mantissas, exponents = np.frexp(np.asarray(values, dtype=np.float64))
    digits = (mantissas * 2.0**53).astype(np.int64)
    if not digits.any():
        return Whole(digits.astype(object), Fraction(1))
    least = int(exponents[digits != 0].min())
    shifts = np.where(digits != 0, exponents - least, 0)
    return _reduced(digits.astype(object) << shifts.astype(object), Fraction(2) ** (least - 53))


def _reduced(values: Array, unit: Fraction) -> Whole:
    divisor = gcd(*values.flat)
    return Whole(values // divisor, unit * divisor) if divisor > 1 else Whole(values, unit)


def _objects(values: list[int], shape: tuple[int, ...]) -> Array:
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects.reshape(shape)


def joint_of(probabilities: Any, shape: tuple[int, int]) -> Array:
    """A table of probabilities of pairs of a row and a column: floats or fractions.

    Raises
    ------
    RegretlessError
        If its shape is not that of the payoffs.
    """
    table = probabilities if isinstance(probabilities, np.ndarray) else np.array(probabilities, dtype=object)
    if table.shape != shape:
        raise RegretlessError(f"joint: shape {table.shape}; one probability for each of {shape[0]} x {shape[1]} pairs")
    return table


def joint_gains(A: Payoffs, B: Payoffs, joint: Array, coarse: bool) -> tuple[Fraction, Fraction]:
    """The gain of each player by its best deviation from the joint distribution.

    Coarse: a deviation is one fixed strategy, chosen before the draw; the gain is negative if each of them is worse
    than following. Else a deviation replaces each recommended strategy by another one, or the same; the gain is that
    of the best replacements together.
    """
    table = whole_strategy(joint.ravel().tolist(), joint.size, "joint")
    drawn = Whole(table.values.reshape(joint.shape), table.unit)
    gain = _fixed if coarse else _swapped
    return gain(whole_payoffs(A), drawn), gain(_transposed(whole_payoffs(B)), _transposed(drawn))


def _fixed(payoffs: Whole, drawn: Whole) -> Fraction:
    answers = payoffs.values @ drawn.values.sum(axis=0)
    gain = answers.max() - (payoffs.values * drawn.values).sum()
    return Fraction(gain) * payoffs.unit * drawn.unit


def _swapped(payoffs: Whole, drawn: Whole) -> Fraction:
    answers = payoffs.values @ drawn.values.T  # payoff of row i where row k was recommended: row i, column k
    return Fraction((answers.max(axis=0) - answers.diagonal()).sum()) * payoffs.unit * drawn.unit


def _transposed(table: Whole) -> Whole:
    return Whole(table.values.T, table.unit)


def scaled(payoffs: Payoffs) -> Vector:
    """Payoffs scaled affinely to [0, 1], which changes no equilibrium."""
    values = payoffs.dense().astype(np.float64)
    return (values - payoffs.low) / (payoffs.spread or 1.0)


Player = Literal["row", "column"]


@dataclass(frozen=True, slots=True, eq=False)
class Domination:
    """A strategy, and a mixture that is better against all remaining strategies of the other player.

    Attributes
    ----------
    player : {"row", "column"}
    strategy : int
        Counted from 0.
    by : ndarray
        Probabilities of this player's strategies.
    margin : float
        The least advantage of `by`, in payoffs; positive in exact arithmetic.
    """

    player: Player
    strategy: int
    by: Vector
    margin: float


def dominated(A: Any, B: Any) -> list[Domination]:
    """Iterated elimination of strictly dominated strategies; the result does not depend on the order.

    A dominance by less than about 1e-9 of the range of payoffs may be missed; each one listed is certain.
    """
    sides = _sides(*two_payoffs(A, B))
    left = [np.arange(len(side.floats)) for side in sides]
    dominations: list[Domination] = []
    quiet = 0
    while quiet < 2:
        turn = quiet
        one = _first(sides[turn], left[turn], left[1 - turn])
        if one is None:
            quiet += 1
            continue
        quiet = 0
        left[turn] = left[turn][left[turn] != one.strategy]
        dominations.append(one)
    return dominations


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """One player's payoffs, a row for each of its strategies: scaled to [0, 1], and exact."""

    player: Player
    floats: Vector
    exact: Whole


def _sides(row: Payoffs, column: Payoffs) -> tuple[_Side, _Side]:
    turned = whole_payoffs(column)
    return (
        _Side("row", scaled(row), whole_payoffs(row)),
        _Side("column", scaled(column).T, Whole(turned.values.T, turned.unit)),
    )


def _first(side: _Side, own: Array, other: Array) -> Domination | None:
    """The first remaining strategy that is dominated."""
    payoffs = side.exact.values[np.ix_(own, other)]
    for strategy in own[~(payoffs == payoffs.max(axis=0)).any(axis=1)].tolist():
        others = own[own != strategy]
        by = np.zeros(len(side.floats))
        by[others] = _best_mixture(side.floats[np.ix_(others, other)] - side.floats[strategy, other])
        mixture = whole_strategy(by, len(by), "by")
        ahead = (mixture.values @ side.exact.values)[other] * mixture.unit - side.exact.values[strategy, other]
        margin = ahead.min() * side.exact.unit
        if margin > 0:
            return Domination(side.player, strategy, by, float(margin))
    return None


def _best_mixture(ahead: Array) -> Vector:
    """The mixture of rows that maximises the least column."""
    from scipy.optimize import linprog  # type: ignore[import-untyped, unused-ignore]

    rows, columns = ahead.shape
    optimum = linprog(
        np.append(np.zeros(rows), -1.0),
        A_ub=np.hstack([-ahead.T, np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=np.append(np.ones(rows), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * rows + [(None, None)],
        method="highs",
    )
    if optimum.x is None:
        raise RegretlessError(f"dominated: HiGHS gave up: {optimum.message}")
    mixture = np.maximum(optimum.x[:-1], 0.0)
    return np.asarray(mixture / mixture.sum(), dtype=np.float64)
