"""Equilibria of a bimatrix game: each verified by itself, and facts about all of them together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, overload

import numpy as np

from ..formatting import written
from ..raw_solution import Vector
from .exact_integers import above
from .nash import Incentives


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
class Equilibrium:
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
            "row_strategy": _named(self.rows, equilibrium.row.tolist(), float),
            "column_strategy": _named(self.columns, equilibrium.column.tolist(), float),
            "row_payoff": equilibrium.row_payoff,
            "column_payoff": equilibrium.column_payoff,
            "row_gain": equilibrium.row_gain,
            "column_gain": equilibrium.column_gain,
        }
        if self.is_exact and (exact := equilibrium.exact) is not None:
            record["exact"] = {
                "row_strategy": _named(self.rows, exact.row, written),
                "column_strategy": _named(self.columns, exact.column, written),
                "row_payoff": written(exact.row_payoff),
                "column_payoff": written(exact.column_payoff),
            }
        return record

    def __repr__(self) -> str:
        return f"<Equilibria: {len(self)}, {self.method}>"


def _named(names: Sequence[str], strategy: Sequence[Any], shown: Any) -> dict[str, Any]:
    return {name: shown(chance) for name, chance in zip(names, strategy, strict=True) if chance > 0}
