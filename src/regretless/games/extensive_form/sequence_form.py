"""The sequence form of a zero-sum game: both players' sequences, payoffs, and the interval that plans guarantee."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf, nextafter
from typing import Any, Literal

import numpy as np

from ... import _core
from ...checks import one_of
from ...errors import InputError, RegretlessError
from ...report.formatting import fraction_text
from ..payoffs import Vector, unit_of
from ..solution import Solution
from .treeplex import Treeplex

# Sums of larger payoffs may overflow.
LARGEST = 1e290
# Smaller floats are subnormal: fractions are rounded by more than half a unit of their last place.
NORMAL = 2.0**-1022
STEP = 2.0**-1074


class SequenceForm:
    """The part of a `SequenceGame` that methods use; the parameters are documented there."""

    def __init__(
        self,
        payoffs: Any,
        row_constraints: Any,
        column_constraints: Any,
        rows: Sequence[str] | None = None,
        cols: Sequence[str] | None = None,
        row_infosets: Sequence[str] | None = None,
        col_infosets: Sequence[str] | None = None,
        *,
        row_actions: Sequence[str] | None = None,
        col_actions: Sequence[str] | None = None,
        total: float = 0.0,
        exact_payoffs: Mapping[tuple[int, int], Fraction] | None = None,
    ) -> None:
        self.payoffs = sparse(payoffs, "A")
        self.row = Treeplex(sparse(row_constraints, "E"), "E", rows, row_infosets, row_actions)
        self.column = Treeplex(sparse(column_constraints, "F"), "F", cols, col_infosets, col_actions)
        if self.payoffs.shape != (len(self.row), len(self.column)):
            raise InputError(
                f"A: shape {self.payoffs.shape}",
                f"E has {len(self.row)} sequences and F {len(self.column)}, so that"
                f" {(len(self.row), len(self.column))} is expected",
            )
        if (largest := float(np.abs(self.payoffs.data).max(initial=0.0))) > LARGEST:
            raise InputError(f"A: {largest:.3g} is in it", f"payoffs up to {LARGEST:.0e} are expected")
        self.total, self._exact = float(total), exact_payoffs
        self._rounded = exact_payoffs is not None and _differ(self.payoffs, exact_payoffs)
        self._rough = sum(0 < abs(payoff) < NORMAL for payoff in (exact_payoffs or {}).values())
        self.unit = unit_of(largest)

    @property
    def rows(self) -> list[str]:
        """Names of the row player's sequences."""
        return self.row.names

    @property
    def cols(self) -> list[str]:
        """Names of the column player's sequences."""
        return self.column.names

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of sequences of both players, with the empty ones."""
        return len(self.row), len(self.column)

    @cached_property
    def range(self) -> tuple[float, float]:
        """An interval that contains all expected payoffs of the row player; possibly too wide."""
        sides = self.reaches(True), self.reaches(False)
        return max(float(low[0]) for low, _ in sides), min(float(high[0]) for _, high in sides)

    @property
    def spread(self) -> float:
        """The width of `range`."""
        low, high = self.range
        return high - low

    def interval(self, row: Any, column: Any) -> tuple[float, float]:
        """The interval that two plans guarantee: it contains the value, rounding errors included.

        Parameters
        ----------
        row, column : array or sequence
            Plans: the probability of each sequence, up to rounding. Their ratios are the probabilities of actions,
            which are uniform at information sets of probability 0.

        Returns
        -------
        (float, float)
            The least that `row` wins and the most that `column` pays.
        """
        return self._enclose(self.row.inward_plan(row), self.column.inward_plan(column))

    def gap(self, row: Any, column: Any) -> float:
        """Duality gap of two strategies: the sum of what both players gain by a best response."""
        lower, upper = self.interval(row, column)
        return upper - lower

    def reaches(self, row: bool) -> tuple[Vector, Vector]:
        """Bounds on the expected payoff after each sequence of a player, whatever both do later.

        In the kernels' order; in the row player's payoffs for the row player, and in the column player's losses for the
        other. The bounds may be too wide.
        """
        own = self.row if row else self.column
        low, high = np.empty(len(own)), np.empty(len(own))
        self._tree.reaches(row, low, high)
        return low * self.unit, high * self.unit

    @cached_property
    def size(self) -> float:
        """The largest expected absolute payoff, whatever both do: rounding errors are proportional to it."""
        tree = self._compiled(abs(self.inward))
        worth = []
        for row, own in ((True, self.row), (False, self.column)):
            low, high = np.empty(len(own)), np.empty(len(own))
            tree.reaches(row, low, high)
            worth.append(float(high[0]))
        return min(worth) * self.unit

    def fractions(self) -> list[tuple[int, int, Fraction]]:
        """The exact payoffs, or the exact values of the floats, with their places in the kernels' order."""
        entries = self.inward.tocoo()
        fractions = []
        for row, column, value in zip(entries.row.tolist(), entries.col.tolist(), entries.data.tolist(), strict=True):
            place = int(self.row.order[row]), int(self.column.order[column])
            fractions.append((row, column, Fraction(value) if self._exact is None else self._exact[place]))
        return fractions

    def _enclose(self, row: Vector, column: Vector) -> tuple[float, float]:
        """The interval of plans in the kernels' order."""
        lower, upper = self._tree.enclose(row, column, self._rounded)
        off = STEP * self._rough
        return -_at_least(-lower, self.unit, off), _at_least(upper, self.unit, off)

    @cached_property
    def inward(self) -> Any:
        """The payoffs in the kernels' order, row by row."""
        return _sorted(self.payoffs[self.row.order][:, self.column.order])

    @cached_property
    def _tree(self) -> _core.Tree:
        return self._compiled(self.inward)

    def _compiled(self, by_row: Any) -> _core.Tree:
        """The compiled core of the game with these payoffs, in units; it gets its own copies of the arrays."""
        by_column = _sorted(by_row.T.tocsr())
        sides = {"row": (self.row, by_row), "column": (self.column, by_column)}
        arrays: dict[str, Any] = {}
        for name, (tree, payoffs) in sides.items():
            arrays[f"{name}_first"], arrays[f"{name}_parent"] = tree.first.copy(), tree.parent.copy()
            arrays[f"{name}_starts"] = payoffs.indptr.astype(np.int64)
            arrays[f"{name}_columns"] = payoffs.indices.astype(np.int32)
            arrays[f"{name}_values"] = payoffs.data / self.unit
        return _core.Tree(**arrays)

    def __getstate__(self) -> dict[str, Any]:
        """The state without the compiled core, which refers to arrays."""
        return {name: value for name, value in self.__dict__.items() if name != "_tree"}


def sparse(source: Any, what: str) -> Any:
    """A matrix of floats, sparse, in canonical form and without zeros.

    Parameters
    ----------
    source : array, sparse matrix or (rows, columns, values, shape)
    what : str
        Its name in errors.

    Raises
    ------
    RegretlessError
        If it is no matrix of finite numbers.
    """
    from scipy.sparse import coo_array, csr_array

    try:
        if isinstance(source, tuple) and len(source) == 4:
            rows, columns, values, shape = source
            entries = np.asarray(values, dtype=np.float64), (_places(rows), _places(columns))
            source = coo_array(entries, shape=_shape(shape))
        matrix = csr_array(source if hasattr(source, "tocsr") else np.atleast_2d(np.asarray(source, dtype=np.float64)))
        matrix = matrix.astype(np.float64, copy=True)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{what}: a matrix of numbers is expected ({error})") from error
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise InputError(f"{what}: shape {matrix.shape}", "at least one row and one column are expected")
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    if not np.isfinite(matrix.data).all():
        raise InputError(f"{what}: not all of its entries are finite numbers")
    return matrix


def _places(numbers: Any) -> Any:
    places = np.asarray(numbers)
    if places.size and places.dtype.kind not in "iu":
        raise TypeError("places are whole numbers")
    return places.astype(np.int64)


def _shape(sides: Any) -> tuple[int, int]:
    rows, columns = np.asarray(sides).tolist()
    return int(rows), int(columns)


def _differ(payoffs: Any, exact: Mapping[tuple[int, int], Fraction]) -> bool:
    """Whether some exact payoff is no float.

    Raises
    ------
    RegretlessError
        If they are not the payoffs.
    """
    entries = payoffs.tocoo()
    floats = dict(zip(zip(entries.row.tolist(), entries.col.tolist(), strict=True), entries.data.tolist(), strict=True))
    if {place: float(value) for place, value in exact.items() if float(value)} != floats:
        raise RegretlessError("exact_payoffs: these are not the payoffs of A")
    return any(floats.get(place, 0.0) != value for place, value in exact.items())


def _at_least(value: float, unit: float, off: float) -> float:
    """The number ``value * unit + off`` rounded up to a float; unchanged if it is a float and `off` is 0."""
    least = value * unit
    if least / unit < value:  # there are few floats near 0
        least = nextafter(least, inf)
    return nextafter(least + off, inf) if off else least


def _sorted(matrix: Any) -> Any:
    matrix.sort_indices()
    return matrix


Player = Literal["row", "column"]
PLAYERS: tuple[Player, Player] = ("row", "column")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class SequenceSolution(Solution):
    """Plans of both players, and an interval that contains the value of the game.

    `rows` and `columns` name sequences, the empty ones first, and `row` and `column` are their realisation
    probabilities: the products of the player's own probabilities of actions. All else is as in `Solution`.

    Attributes
    ----------
    row_tree, column_tree : Treeplex
    total : float
        The sum of both players' payoffs.
    """

    row_tree: Treeplex
    column_tree: Treeplex
    total: float = 0.0

    def behaviour(self, player: Player, exact: bool = False) -> dict[str, dict[str, Any]]:
        """A player's probabilities of actions at each information set that its own strategy reaches.

        Parameters
        ----------
        player : {"row", "column"}
        exact : bool
            In fractions; of an exact solution.

        Raises
        ------
        RegretlessError
            If there is no such player, or the solution is not exact.
        """
        one_of("player", player, PLAYERS)
        tree = self.row_tree if player == "row" else self.column_tree
        if not exact:
            return tree.named((self.row if player == "row" else self.column).tolist())
        if self.exact is None:
            raise RegretlessError("exact: the solution has no fractions; solve(exact=True) finds them")
        return tree.named(self.exact.row if player == "row" else self.exact.column)

    def describe(self) -> dict[str, Any]:
        """The solution as JSON values; strategies are by information set; sequences of probability 0 are left out."""
        # A dataclass with slots is another class than the one whose body this is, so that super() without it fails.
        record = Solution.describe(self)
        record["row_sequences"], record["column_sequences"] = record.pop("row_strategy"), record.pop("column_strategy")
        record["information_sets"] = {"row": len(self.row_tree.sets), "column": len(self.column_tree.sets)}
        record["row_strategy"], record["column_strategy"] = self.behaviour("row"), self.behaviour("column")
        record["total"] = self.total
        if self.exact is not None:
            for player in PLAYERS:
                record["exact"][f"{player}_sequences"] = record["exact"].pop(f"{player}_strategy")
                record["exact"][f"{player}_strategy"] = _shown(self.behaviour(player, exact=True))
        return record


def _shown(behaviour: dict[str, dict[str, Any]]) -> dict[str, dict[str, str]]:
    return {name: {action: fraction_text(chance) for action, chance in own.items()} for name, own in behaviour.items()}
