"""Verification of equilibria: each player's gain by deviating, in exact arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ...errors import ParameterError, RegretlessError
from ..payoffs import Payoffs
from .exact_integers import Whole, is_exact, whole_payoffs, whole_strategy

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
