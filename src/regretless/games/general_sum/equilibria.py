"""Equilibria of a bimatrix game, each verified by itself, and facts about all of them together.

A solver's strategies in floats become a verified equilibrium: in fractions where that is possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, overload

import numpy as np

from ...html import Recorded
from ...report.formatting import fraction_text
from ..payoffs import Array, Payoffs, Vector
from ..solution import named_chances
from .nash import (
    SLACK,
    Incentives,
    Whole,
    above,
    exact_incentives,
    scaled,
    whole_fractions,
    whole_payoffs,
    whole_strategy,
    within,
)


@dataclass(frozen=True, slots=True, eq=False)
class ExactEquilibrium:
    """An equilibrium in fractions, verified in exact arithmetic; floats among the payoffs count at their exact values.

    Attributes
    ----------
    row, column : list of Fraction
    row_payoff, column_payoff : Fraction
    """

    row: list[Fraction]
    column: list[Fraction]
    row_payoff: Fraction
    column_payoff: Fraction


@dataclass(frozen=True, slots=True, eq=False)
class Equilibrium(Recorded):
    """Two strategies from which no player gains by deviating more than `row_gain` and `column_gain`.

    Attributes
    ----------
    row, column : ndarray
        The probabilities of the rows and of the columns.
    row_payoff, column_payoff : float
        Expected payoffs.
    row_gain, column_gain : float
        The gain of each player's best deviation: computed exactly from `row` and `column`, rounded upwards.
    exact : ExactEquilibrium or None
        The equilibrium that the floats are rounded from, where it is known.
    """

    row: Vector
    column: Vector
    row_payoff: float
    column_payoff: float
    row_gain: float
    column_gain: float
    exact: ExactEquilibrium | None = None

    @classmethod
    def of(cls, row: Vector, column: Vector, checked: Incentives, exact: ExactEquilibrium | None = None) -> Equilibrium:
        """Two strategies and their payoffs and gains."""
        payoffs = float(checked.row_payoff), float(checked.column_payoff)
        return cls(row, column, *payoffs, above(checked.row_gain), above(checked.column_gain), exact)

    @property
    def support(self) -> tuple[list[int], list[int]]:
        """The rows and the columns of positive probability, counted from 0."""
        return np.flatnonzero(self.row).tolist(), np.flatnonzero(self.column).tolist()

    @property
    def pure(self) -> bool:
        """Whether each player plays one strategy."""
        return all(len(played) == 1 for played in self.support)

    def same(self, other: Equilibrium) -> bool:
        """Whether both are the same equilibrium: compared exactly where both are exact, else within rounding."""
        if self.exact is not None and other.exact is not None:
            return (self.exact.row, self.exact.column) == (other.exact.row, other.exact.column)
        apart = max(np.abs(self.row - other.row).max(), np.abs(self.column - other.column).max())
        return bool(apart <= 1e-7) and self.support == other.support

    def plot(self) -> Any:
        """A matplotlib figure: the probabilities of both strategies, the largest first; `MissingError` without
        matplotlib.
        """
        from ...plot import figure_of_bars

        return figure_of_bars([("Rows", None, self.row), ("Columns", None, self.column)])

    def __repr__(self) -> str:
        shown = ", ".join(np.array2string(side, precision=6, separator=", ") for side in (self.row, self.column))
        return f"<Equilibrium: {shown}; payoffs {self.row_payoff:.9g}, {self.column_payoff:.9g}>"


@dataclass(frozen=True, slots=True, eq=False)
class Equilibria(Sequence[Equilibrium]):
    """A list of equilibria, and facts about the list.

    Attributes
    ----------
    equilibria : list of Equilibrium
        At least one, no two the same.
    rows, columns : sequence of str
        The strategies' names.
    method : str
        The method that found them.
    complete : bool or None
        Whether these are all extreme equilibria, of which all others are mixtures; None if they are all equilibria
        unless the game is degenerate, and that is not known.
    degenerate : bool or None
        Whether some strategy has more pure best responses than it mixes strategies; None if that is not known.
    subsets : list of list of int, or None
        Where all are known, the maximal Nash subsets, as places in `equilibria`: any mixture of the row strategies of
        one with any mixture of its column strategies is an equilibrium, and there are no others.
    components : list of list of int, or None
        The components that such mixtures connect; a component of one is an isolated equilibrium.
    seconds : float
        Running time.
    note : str
        Further details of the search.
    is_exact : bool
        Whether all payoffs are whole numbers or fractions, as the user wrote them.
    """

    equilibria: list[Equilibrium]
    rows: Sequence[str]
    columns: Sequence[str]
    method: str
    complete: bool | None
    degenerate: bool | None
    subsets: list[list[int]] | None = None
    components: list[list[int]] | None = None
    seconds: float = 0.0
    note: str = ""
    is_exact: bool = False

    @property
    def has_mixtures(self) -> bool:
        """Whether mixtures of some equilibria are equilibria too, as far as is known."""
        return bool(self.degenerate) and (self.subsets is None or any(len(subset) > 1 for subset in self.subsets))

    def __len__(self) -> int:
        return len(self.equilibria)

    def __iter__(self) -> Iterator[Equilibrium]:
        return iter(self.equilibria)

    @overload
    def __getitem__(self, place: int) -> Equilibrium: ...
    @overload
    def __getitem__(self, place: slice) -> list[Equilibrium]: ...
    def __getitem__(self, place: int | slice) -> Equilibrium | list[Equilibrium]:
        return self.equilibria[place]

    def describe(self) -> dict[str, Any]:
        """The result as JSON values; strategies of probability 0 are left out, indices count from 0."""
        return {
            "rows": len(self.rows),
            "columns": len(self.columns),
            "method": self.method,
            "complete": self.complete,
            "degenerate": self.degenerate,
            "equilibria": [self._one(equilibrium) for equilibrium in self.equilibria],
            "subsets": self.subsets,
            "components": self.components,
            "seconds": self.seconds,
            "note": self.note or None,
        }

    def _one(self, equilibrium: Equilibrium) -> dict[str, Any]:
        record: dict[str, Any] = {
            "row_strategy": named_chances(self.rows, equilibrium.row.tolist(), float),
            "column_strategy": named_chances(self.columns, equilibrium.column.tolist(), float),
            "row_payoff": equilibrium.row_payoff,
            "column_payoff": equilibrium.column_payoff,
            "row_gain": equilibrium.row_gain,
            "column_gain": equilibrium.column_gain,
        }
        if self.is_exact and (exact := equilibrium.exact) is not None:
            record["exact"] = {
                "row_strategy": named_chances(self.rows, exact.row, fraction_text),
                "column_strategy": named_chances(self.columns, exact.column, fraction_text),
                "row_payoff": fraction_text(exact.row_payoff),
                "column_payoff": fraction_text(exact.column_payoff),
            }
        return record

    def __repr__(self) -> str:
        return f"<Equilibria: {len(self)}, {self.method}>"


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
