"""Zero-sum games that are played move by move, given by their sequence form."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import inf, nextafter
from typing import Any

import numpy as np

from ... import _core
from ...errors import RegretlessError
from ..raw_solution import Vector
from ..scaling import unit_of
from .sequence_matrix import from_file, sparse
from .sequence_solution import SequenceSolution
from .treeplex import Treeplex

# Sums of larger ones may have no floats.
LARGEST = 1e290
# Below this floats are so far from each other that fractions are rounded by more than half a unit of their last place.
NORMAL = 2.0**-1022
STEP = 2.0**-1074


class SequenceGame:
    """A zero-sum game of two players with perfect recall, in sequence form.

    A sequence is what a player must do for the play to come to some point. The row player wins x'Ay, where x and y are
    the probabilities of both players' sequences, with E x = e and F y = e, e being 1 in the first place and else 0.

    Parameters
    ----------
    payoffs : array, sparse matrix or (rows, columns, values, shape)
        A: for each pair of sequences the sum over the ends of play that they lead to of what the row player wins there,
        times the probability of all that chance did on the way.
    row_constraints, column_constraints : array, sparse matrix or (rows, columns, values, shape)
        E and F: -1 where an information set is entered, 1 at each sequence that ends in it; sequence 0 is empty.
    rows, cols : sequence of str, optional
        Names of the sequences, the empty one first; by default their numbers from 0.
    row_infosets, col_infosets : sequence of str, optional
        Names of the information sets in the order of E's and F's rows, without the row of the empty sequence; by
        default their numbers from 1.
    row_actions, col_actions : sequence of str, optional
        What the last action of each sequence is called in its information set; by default the sequences' names.
    total : float
        What both players win together, if that is not 0 but the same at every end.
    stated : mapping of (int, int) to Fraction, optional
        What the payoffs are exactly, by their places in A, where floats only come near: intervals allow for it, and
        exact solutions are about these.

    Attributes
    ----------
    row, column : Treeplex
        The players' sequences and information sets.
    payoffs : csr_array
    unit : float
        A power of two; of very large or small payoffs what the compiled core has them in multiples of, else 1.

    Raises
    ------
    RegretlessError
        If the matrices are no sequence form.

    Examples
    --------
    >>> from regretless.games import SequenceGame
    >>> pennies = [[0, 0, 0], [0, 1, -1], [0, -1, 1]]  # what is won if both do nothing, heads or tails
    >>> choice = [[1, 0, 0], [-1, 1, 1]]
    >>> game = SequenceGame(pennies, choice, choice, rows=["", "heads", "tails"])
    >>> game.solve().behaviour("row")
    {'1': {'heads': 0.5, 'tails': 0.5}}
    """

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
        stated: Mapping[tuple[int, int], Fraction] | None = None,
    ) -> None:
        self.payoffs = sparse(payoffs, "A")
        self.row = Treeplex(sparse(row_constraints, "E"), "E", rows, row_infosets, row_actions)
        self.column = Treeplex(sparse(column_constraints, "F"), "F", cols, col_infosets, col_actions)
        if self.payoffs.shape != (len(self.row), len(self.column)):
            raise RegretlessError(
                f"A: shape {self.payoffs.shape}; E has {len(self.row)} sequences and F {len(self.column)}, so that"
                f" {(len(self.row), len(self.column))} is expected"
            )
        if (largest := float(np.abs(self.payoffs.data).max(initial=0.0))) > LARGEST:
            raise RegretlessError(f"A: {largest:.3g} in it; payoffs up to {LARGEST:.0e} are expected")
        self.total, self._stated = float(total), stated
        self._rounded = stated is not None and _differ(self.payoffs, stated)
        self._rough = 0 if stated is None else sum(0 < abs(payoff) < NORMAL for payoff in stated.values())
        self.unit = unit_of(largest)
        self._solved: SequenceSolution | None = None

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any], **names: Any) -> SequenceGame:
        """A game from the arrays of an ``.npz`` file: ``A_row, A_col, A_val, A_shape``, and the same of E and F."""
        return cls(*(from_file(arrays, letter) for letter in "AEF"), **names)

    def __repr__(self) -> str:
        sequences, sets = (len(self.row), len(self.column)), (len(self.row.sets), len(self.column.sets))
        counts = f"{sequences[0]} and {sequences[1]} sequences, {sets[0]} and {sets[1]} information sets"
        return f"<SequenceGame: {counts}>"

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
        """How many sequences the players have, the empty ones counted."""
        return len(self.row), len(self.column)

    def solve(
        self,
        method: str = "auto",
        tolerance: float | None = None,
        *,
        exact: bool = False,
        rounds: int | None = None,
        start: tuple[Any, Any] | None = None,
        average: str | None = None,
        alternate: bool | None = None,
        on_progress: Callable[[int, float], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> SequenceSolution:
        """Find strategies of both players from which neither gains much by deviating.

        Parameters
        ----------
        method : str
            ``"linear-programming"`` (HiGHS) ends at an equilibrium; ``"pcfr+"``, ``"cfr+"`` and ``"cfr"`` let two
            learners play each other, each with a regret matcher in every information set. ``"auto"`` chooses by size
            and tolerance.
        tolerance : float, optional
            The duality gap to end with, in payoffs; by default 1e-9 times the range of expected payoffs. Self-play with
            `rounds` and without a tolerance plays so many.
        exact : bool
            Also find the value and the plans in fractions, verified in exact arithmetic; of small games.
        rounds : int, optional
            Of self-play: how many at most.
        start : pair of array, optional
            Of self-play: plans to begin with.
        average : {"uniform", "linear", "quadratic"}, optional
            Of self-play: how much a later round counts in the averages; by default all alike for ``"cfr"``, else
            quadratically.
        alternate : bool, optional
            Of self-play: whether the column player moves second; by default of all but ``"cfr"``.
        on_progress : callable, optional
            Called now and then with the number of iterations and the gap.
        stop : callable, optional
            Asked now and then; if it says so, the solution so far is returned, with `stopped`.

        Returns
        -------
        SequenceSolution

        Raises
        ------
        SolveError
            If the tolerance is not reached, or no fractions are found; it carries the interval that was.
        RegretlessError
            If a parameter has no meaning.
        """
        from .sequence_solving import solve

        return solve(
            self,
            method,
            tolerance,
            exact=exact,
            rounds=rounds,
            start=start,
            average=average,
            alternate=alternate,
            on_progress=on_progress,
            stop=stop,
        )

    @property
    def value(self) -> float:
        """The value of the game, by the default method to its default tolerance; kept once it is known."""
        if self._solved is None:
            self._solved = self.solve()
        return self._solved.value

    @cached_property
    def range(self) -> tuple[float, float]:
        """Between what numbers the row player's expected payoff lies, whatever both do; the truth may lie within."""
        sides = self.reaches(True), self.reaches(False)
        return max(float(low[0]) for low, _ in sides), min(float(high[0]) for _, high in sides)

    @property
    def spread(self) -> float:
        """By how much the expected payoffs of two ways to play may differ at most."""
        low, high = self.range
        return high - low

    def interval(self, row: Any, column: Any) -> tuple[float, float]:
        """What two strategies guarantee: an interval that contains the value, rounding errors allowed for.

        Parameters
        ----------
        row, column : array or sequence
            Plans: the probability of each sequence. They need not be right to the last bit; meant are the probabilities
            of the actions that their ratios give, all the same where a player never comes.

        Returns
        -------
        (float, float)
            What `row` wins at least and what `column` pays at most.
        """
        return self._enclose(self.row.given(row), self.column.given(column))

    def gap(self, row: Any, column: Any) -> float:
        """Duality gap of two strategies: what both players together could gain by answering the other's best."""
        lower, upper = self.interval(row, column)
        return upper - lower

    def reaches(self, row: bool) -> tuple[Vector, Vector]:
        """The least and the most that each sequence of a player may come to be worth, whatever anybody does later.

        In the kernels' order; in the row player's payoffs for the row player, and in the column player's losses for the
        other. The truth may lie within.
        """
        own = self.row if row else self.column
        low, high = np.empty(len(own)), np.empty(len(own))
        self._tree.reaches(row, low, high)
        return low * self.unit, high * self.unit

    @cached_property
    def size(self) -> float:
        """What payoffs without their signs come to at most, whatever both do: rounding errors are in proportion."""
        tree = self._compiled(abs(self.inward))
        worth = []
        for row, own in ((True, self.row), (False, self.column)):
            low, high = np.empty(len(own)), np.empty(len(own))
            tree.reaches(row, low, high)
            worth.append(float(high[0]))
        return min(worth) * self.unit

    def fractions(self) -> list[tuple[int, int, Fraction]]:
        """The payoffs exactly, as they were stated or as the floats are, with their places in the kernels' order."""
        entries = self.inward.tocoo()
        found = []
        for row, column, value in zip(entries.row.tolist(), entries.col.tolist(), entries.data.tolist(), strict=True):
            place = int(self.row.order[row]), int(self.column.order[column])
            found.append((row, column, Fraction(value) if self._stated is None else self._stated[place]))
        return found

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
        """The compiled core of the game with such payoffs, in units; it checks arrays once, so that it has its own."""
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
        """Everything but the compiled core, which borrows arrays."""
        return {name: value for name, value in self.__dict__.items() if name != "_tree"}


def _differ(payoffs: Any, stated: Mapping[tuple[int, int], Fraction]) -> bool:
    """Whether not every stated payoff is a float.

    Raises
    ------
    RegretlessError
        If they are not the payoffs at all.
    """
    entries = payoffs.tocoo()
    floats = dict(zip(zip(entries.row.tolist(), entries.col.tolist(), strict=True), entries.data.tolist(), strict=True))
    if {place: float(value) for place, value in stated.items() if float(value)} != floats:
        raise RegretlessError("stated: these are not the payoffs of A")
    return any(floats.get(place, 0.0) != value for place, value in stated.items())


def _at_least(value: float, unit: float, off: float) -> float:
    """A float that is no less than so many units and `off` more, and is this number if it is a float."""
    found = value * unit
    if found / unit < value:  # there are few floats near 0
        found = nextafter(found, inf)
    return nextafter(found + off, inf) if off else found


def _sorted(matrix: Any) -> Any:
    matrix.sort_indices()
    return matrix
