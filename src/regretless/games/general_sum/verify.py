"""From a solver's strategies in floats to a verified equilibrium: in fractions where that is possible."""

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


def kernel_vector(matrix: Array, check_stop: Callable[[], None]) -> list[int] | None:
    """A basis vector of the kernel of an integer matrix; None unless the kernel has dimension one.

    Fraction-free elimination (Bareiss 1968): every number is a minor of the matrix, and every division is exact.
    """
    table = np.array(matrix, dtype=object)
    rank, last, pivots, free = 0, 1, [], -1
    for column in range(table.shape[1]):
        check_stop()
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


# The most equations for elimination in whole numbers; more take seconds.
_EXACT_SIZE = 60
# Thresholds below which probabilities, and losses of best responses of payoffs in [0, 1], count as zero; tried in turn.
_SMALL = (1e-7, 1e-11)


@dataclass(frozen=True, slots=True, eq=False)
class Verifier:
    """Both players' payoffs, in floats and exactly.

    Attributes
    ----------
    A, B : Payoffs
    exact_A, exact_B : Whole
    check_stop : callable
        Called at intervals; an exception ends the work.
    """

    A: Payoffs
    B: Payoffs
    exact_A: Whole
    exact_B: Whole
    check_stop: Callable[[], None]

    @classmethod
    def of(cls, A: Payoffs, B: Payoffs, check_stop: Callable[[], None]) -> Verifier:
        """A verifier with the exact payoffs computed."""
        return cls(A, B, whole_payoffs(A), whole_payoffs(B), check_stop)

    def exact(self, row: list[Fraction], column: list[Fraction]) -> Equilibrium | None:
        """The equilibrium of strategies in fractions; None if a player gains by deviating."""
        checked = exact_incentives(self.exact_A, self.exact_B, whole_fractions(row), whole_fractions(column))
        if checked.row_gain > 0 or checked.column_gain > 0:
            return None
        rounded = np.array(row, dtype=np.float64), np.array(column, dtype=np.float64)
        shown = self._floats(*rounded)
        return Equilibrium.of(*rounded, shown, ExactEquilibrium(row, column, checked.row_payoff, checked.column_payoff))

    def near(self, row: Vector, column: Vector) -> Equilibrium | None:
        """The equilibrium near strategies in floats; None if there is none near."""
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
        """Whether a player has more pure best responses than the other mixes strategies: a sign of degeneracy."""
        if (exact := equilibrium.exact) is None:
            return False
        rows = self.exact_A.values @ whole_fractions(exact.column).values
        columns = whole_fractions(exact.row).values @ self.exact_B.values
        mixed = tuple(map(len, equilibrium.support))
        return bool((rows == rows.max()).sum() > mixed[1] or (columns == columns.max()).sum() > mixed[0])

    def _solved(self, best: tuple[Array, Array], played: tuple[Array, Array]) -> Equilibrium | None:
        """The strategies that make all best responses, or else the supports, exactly indifferent."""
        for rows, columns in (best, played):
            p = self._indifferent(self.exact_B.values.T, columns, played[0])
            q = self._indifferent(self.exact_A.values, rows, played[1])
            if p is not None and q is not None and (equilibrium := self.exact(p, q)) is not None:
                return equilibrium
        return None

    def _indifferent(self, answers: Array, best: Array, played: Array) -> list[Fraction] | None:
        """The unique mixture against which some answers have equal payoffs, or None."""
        system = np.hstack([answers[np.ix_(best, played)], np.full((len(best), 1), -1, dtype=object)])
        vector = kernel_vector(system, self.check_stop)
        total = 0 if vector is None else sum(vector[:-1])
        if vector is None or total == 0:
            return None
        mixture = [Fraction(0)] * answers.shape[1]
        for place, entry in zip(played.tolist(), vector[:-1], strict=True):
            mixture[place] = Fraction(entry, total)
        return mixture if min(mixture) >= 0 else None

    def _nearest(self, candidates: list[tuple[Vector | None, Vector | None]]) -> Equilibrium | None:
        """The candidate with the smallest gains, if these are within rounding."""
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
    """Payoffs scaled affinely to [0, 1], which changes no equilibrium."""
    values = payoffs.dense().astype(np.float64)
    return (values - payoffs.low) / (payoffs.spread or 1.0)


def _cleaned(strategy: Vector, small: float) -> Vector:
    weights = np.where(strategy > small, strategy, 0.0)
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def _best(payoffs: Vector, strategy: Vector, small: float) -> Array:
    """Best responses up to `small`, and the support."""
    return np.flatnonzero((payoffs >= payoffs.max() - small) | (strategy > 0))


def _least_squares(answers: Array, best: Array, played: Array) -> Vector | None:
    """The same as `_indifferent`, in floats by least squares."""
    top = np.hstack([answers[np.ix_(best, played)], np.full((len(best), 1), -1.0)])
    sums = np.append(np.ones(len(played)), 0.0)
    solved = np.linalg.lstsq(np.vstack([top, sums]), np.append(np.zeros(len(best)), 1.0), rcond=None)[0][:-1]
    if not np.isfinite(solved).all() or not (solved >= 0).all():
        return None
    mixture = np.zeros(answers.shape[1])
    mixture[played] = solved / solved.sum()
    return mixture
