"""From strategies in floats, as solvers give them, to a verified equilibrium: in fractions where they can be had."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..payoffs import Array, Payoffs
from ..raw_solution import Vector
from .equilibria import Equilibrium, ExactEquilibrium
from .exact_integers import Whole, whole_fractions, whole_payoffs, whole_strategy
from .nash import SLACK, Incentives, exact_incentives, within


def kernel_vector(matrix: Array, look: Callable[[], None]) -> list[int] | None:
    """The one vector, but for a factor, that a matrix of whole numbers takes to zero; None if there is not just one.

    Elimination without fractions (Bareiss 1968): every number is a minor of the matrix, and every division is exact.
    """
    table = np.array(matrix, dtype=object)
    rank, last, pivots, free = 0, 1, [], -1
    for column in range(table.shape[1]):
        look()
        below = np.flatnonzero(table[rank:, column])
        if not below.size:
            if free >= 0:
                return None
            free = column
            continue
        place = rank + int(below[0])
        table[[rank, place]] = table[[place, rank]]
        pivot, row = table[rank, column], table[rank].copy()
        table = (table * pivot - table[:, column, None] * row) // last
        table[rank] = row
        rank, last = rank + 1, pivot
        pivots.append(column)
    if free < 0:
        return None
    vector = [0] * table.shape[1]
    vector[free] = last
    for place, column in enumerate(pivots):
        vector[column] = -table[place, free]
    return vector


# Beyond so many equations elimination in whole numbers takes seconds.
_EXACT_SIZE = 60
# What is taken for zero, the first that helps: probabilities, and what a best response may lack of payoffs from 0 to 1.
_SMALL = (1e-7, 1e-11)


@dataclass(frozen=True, slots=True, eq=False)
class Verifier:
    """Both players' payoffs, in floats and exactly.

    Attributes
    ----------
    A, B : Payoffs
    exact_A, exact_B : Whole
    look : callable
        Called now and then; ends the work by an exception.
    """

    A: Payoffs
    B: Payoffs
    exact_A: Whole
    exact_B: Whole
    look: Callable[[], None]

    @classmethod
    def of(cls, A: Payoffs, B: Payoffs, look: Callable[[], None]) -> Verifier:
        """With the exact payoffs made."""
        return cls(A, B, whole_payoffs(A), whole_payoffs(B), look)

    def exact(self, row: list[Fraction], column: list[Fraction]) -> Equilibrium | None:
        """Strategies in fractions, if neither player can gain at all."""
        checked = exact_incentives(self.exact_A, self.exact_B, whole_fractions(row), whole_fractions(column))
        if checked.row_gain > 0 or checked.column_gain > 0:
            return None
        rounded = np.array(row, dtype=np.float64), np.array(column, dtype=np.float64)
        shown = self._floats(*rounded)
        return Equilibrium.of(*rounded, shown, ExactEquilibrium(row, column, checked.row_payoff, checked.column_payoff))

    def near(self, row: Vector, column: Vector) -> Equilibrium | None:
        """The equilibrium that strategies in floats stand for; None if they are not even near one."""
        A, B = scaled(self.A), scaled(self.B)
        candidates: list[tuple[Vector | None, Vector | None]] = [(_cleaned(row, 0.0), _cleaned(column, 0.0))]
        for small in _SMALL:
            p, q = _cleaned(row, small), _cleaned(column, small)
            played = np.flatnonzero(p), np.flatnonzero(q)
            best = _best(A @ q, p, small), _best(p @ B, q, small)
            if max(map(len, best)) <= _EXACT_SIZE and (equilibrium := self._solved(best, played)) is not None:
                return equilibrium
            solved = _least_squares(B.T, best[1], played[0]), _least_squares(A, best[0], played[1])
            candidates += [(p, q), solved]
        return self._nearest(candidates)

    def degenerate_at(self, equilibrium: Equilibrium) -> bool:
        """Whether a player has more pure best responses than the other mixes strategies, which shows degeneracy."""
        if (exact := equilibrium.exact) is None:
            return False
        rows = self.exact_A.values @ whole_fractions(exact.column).values
        columns = whole_fractions(exact.row).values @ self.exact_B.values
        mixed = tuple(map(len, equilibrium.support))
        return bool((rows == rows.max()).sum() > mixed[1] or (columns == columns.max()).sum() > mixed[0])

    def _solved(self, best: tuple[Array, Array], played: tuple[Array, Array]) -> Equilibrium | None:
        """The strategies that make the best responses, or those of them that are played, worth exactly the same."""
        for rows, columns in (best, played):
            p = self._indifferent(self.exact_B.values.T, columns, played[0])
            q = self._indifferent(self.exact_A.values, rows, played[1])
            if p is not None and q is not None and (equilibrium := self.exact(p, q)) is not None:
                return equilibrium
        return None

    def _indifferent(self, answers: Array, best: Array, played: Array) -> list[Fraction] | None:
        """The mixture of strategies against which some answers are worth the same, if there is exactly one."""
        system = np.hstack([answers[np.ix_(best, played)], np.full((len(best), 1), -1, dtype=object)])
        vector = kernel_vector(system, self.look)
        total = 0 if vector is None else sum(vector[:-1])
        if vector is None or total == 0:
            return None
        mixture = [Fraction(0)] * answers.shape[1]
        for place, entry in zip(played.tolist(), vector[:-1], strict=True):
            mixture[place] = Fraction(entry, total)
        return mixture if min(mixture) >= 0 else None

    def _nearest(self, candidates: list[tuple[Vector | None, Vector | None]]) -> Equilibrium | None:
        """The candidate from which least is gained by deviating, if that is within rounding."""
        equilibria = []
        for row, column in candidates:
            if row is not None and column is not None:
                checked = self._floats(row, column)
                if within(checked, self.A, self.B, SLACK):
                    equilibria.append(Equilibrium.of(row, column, checked))
        return min(equilibria, key=lambda one: one.row_gain + one.column_gain, default=None)

    def _floats(self, row: Vector, column: Vector) -> Incentives:
        p, q = whole_strategy(row, len(row), "row"), whole_strategy(column, len(column), "column")
        return exact_incentives(self.exact_A, self.exact_B, p, q)


def scaled(payoffs: Payoffs) -> Vector:
    """Payoffs moved and stretched to lie from 0 to 1, which changes no equilibrium."""
    values = payoffs.dense().astype(np.float64)
    return (values - payoffs.low) / (payoffs.spread or 1.0)


def _cleaned(strategy: Vector, small: float) -> Vector:
    weights = np.where(strategy > small, strategy, 0.0)
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def _best(payoffs: Vector, strategy: Vector, small: float) -> Array:
    """Answers that are worth as much as the best one, and those that are played."""
    return np.flatnonzero((payoffs >= payoffs.max() - small) | (strategy > 0))


def _least_squares(answers: Array, best: Array, played: Array) -> Vector | None:
    """In floats what `_indifferent` finds exactly."""
    top = np.hstack([answers[np.ix_(best, played)], np.full((len(best), 1), -1.0)])
    sums = np.append(np.ones(len(played)), 0.0)
    solved = np.linalg.lstsq(np.vstack([top, sums]), np.append(np.zeros(len(best)), 1.0), rcond=None)[0][:-1]
    if not np.isfinite(solved).all() or not (solved >= 0).all():
        return None
    mixture = np.zeros(answers.shape[1])
    mixture[played] = solved / solved.sum()
    return mixture
