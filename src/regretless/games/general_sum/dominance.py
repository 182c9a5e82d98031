"""Strict dominance: a mixture of other strategies is better against every strategy of the other player."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ...errors import RegretlessError
from ..payoffs import Array, Payoffs
from ..raw_solution import Vector
from .exact_integers import Whole, whole_payoffs, whole_strategy
from .nash import two_payoffs
from .verify import scaled

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
