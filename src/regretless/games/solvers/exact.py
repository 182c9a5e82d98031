"""Equilibria in fractions, checked in exact arithmetic.

**Of a matrix.** The basis of a solution in floats is solved in whole numbers.

**In sequence form.** Candidates come from floats. The probabilities of a basic solution are fractions, with small
denominators in small games: the nearest fractions to the floats are tried, with growing denominators, until both plans
guarantee the same number. Else the equations of the vertices near the plans are solved in whole numbers. Where
differences below the precision of floats decide, both may fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import gcd, lcm
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from ..extensive_form.treeplex import Entries, Treeplex, vertex
from ..methods import SolverStopped, StopCheck, stop_check
from ..payoffs import Payoffs, Vector
from ..solution import ExactSolution, RawSolution
from .lifting import Integers, lifted
from .linear_program import simplex, tree_program

if TYPE_CHECKING:
    from ..extensive_form.sequence_form import SequenceForm


def solve_exactly(payoffs: Payoffs, raw: RawSolution, *, stop: Callable[[], bool] | None = None) -> ExactSolution:
    """The value and optimal strategies of a game, in fractions and proved.

    Payoffs count as the user wrote them, floats at their exact values. The basic rows and columns are those of
    the simplex method, of which `raw` may have one; their equations are solved in whole numbers, and the strategies
    are checked against every row and column in exact arithmetic. Where the basis of the floats is not
    optimal, exact pivots go on from it, by a method that needs no feasible basis.

    Parameters
    ----------
    payoffs : Payoffs
        Dense or sparse.
    raw : RawSolution
        A solution in floats.
    stop : callable, optional
        Called at intervals; once it returns true, the solver ends.

    Raises
    ------
    SolverStopped
        If `stop` returns true.
    """
    basis = raw.basis if raw.basis is not None else simplex(payoffs, stop=stop).basis
    if basis is None:
        raise SolverStopped
    game = _Integers(payoffs.fractions())
    rows, columns = basis
    row, column = _solved(game.cells, rows, columns, stop_check(stop))
    total = sum(row)
    return ExactSolution(
        game.payoff(Fraction(int(min(row @ game.cells)), total)),
        [Fraction(int(weight), total) for weight in row],
        [Fraction(int(weight), sum(column)) for weight in column],
    )


def _solved(cells: Integers, rows: Any, columns: Any, check_stop: StopCheck) -> tuple[Integers, Integers]:
    """Optimal weights, from a basis that is probably optimal."""
    weights = _of_basis(cells, rows, columns, check_stop)
    if weights is None or not _optimal(cells, *weights):
        weights = _pivoted(cells, rows, columns, check_stop)
        if not _optimal(cells, *weights):
            raise AssertionError("exact strategies are not optimal")
    return weights


class _Integers:
    """Payoffs as whole numbers from 1 on: ``(scale * payoff - low) / unit + 1``."""

    def __init__(self, payoffs: list[list[Fraction]]) -> None:
        self.scale = lcm(*{payoff.denominator for row in payoffs for payoff in row})
        whole = [[payoff.numerator * (self.scale // payoff.denominator) for payoff in row] for row in payoffs]
        self.low = min(map(min, whole))
        self.unit = gcd(*{number - self.low for row in whole for number in row}) or 1
        self.cells: Integers = np.array([[(n - self.low) // self.unit + 1 for n in row] for row in whole], dtype=object)

    def payoff(self, cell: Fraction) -> Fraction:
        return ((cell - 1) * self.unit + self.low) / self.scale


class _Tableau:
    """A condensed tableau of whole numbers over one positive denominator (Edmonds, Bareiss).

    All of its numbers are minors of the matrix, so that every division is exact and no number is long. Variable j is
    the weight of column j, variable columns + i the slack of row i; the numbers of the last row belong to the sum of
    all weights, and those in the columns of basic rows are these rows' weights.
    """

    def __init__(self, cells: Integers, check_stop: StopCheck) -> None:
        rows, columns = cells.shape
        self.check_stop = check_stop
        self.cells = np.full((rows + 1, columns + 1), 0, dtype=object)
        self.cells[:rows, :columns] = cells
        self.cells[:rows, columns] = 1
        self.cells[rows, :columns] = -1
        self.denominator = 1
        self.basic, self.free = np.arange(columns, columns + rows), np.arange(columns)

    def exchange(self, row: int, column: int) -> None:
        """Pivot on a number that is not zero."""
        pivot, line, factors = self.cells[row, column], self.cells[row].copy(), self.cells[:, column].copy()
        for place, factor in enumerate(factors):
            self.check_stop()
            self.cells[place] = (self.cells[place] * pivot - factor * line) // self.denominator
        self.cells[row], self.cells[:, column] = line, -factors
        self.cells[row, column] = self.denominator
        self.denominator = pivot
        if pivot < 0:
            self.cells, self.denominator = -self.cells, -pivot
        self.basic[row], self.free[column] = self.free[column], self.basic[row]

    def put_in_play(self, rows: Any, columns: Any) -> None:
        """Pivot to a basis, as far as possible."""
        left = list(rows)
        for column in columns:
            row = next((row for row in left if self.cells[row, column] != 0), None)
            if row is not None:
                self.exchange(row, column)
                left.remove(row)

    def weights(self) -> tuple[Integers, Integers]:
        """Weights of the rows and of the columns."""
        rows, columns = len(self.basic), len(self.free)
        row, column = np.full(rows, 0, dtype=object), np.full(columns, 0, dtype=object)
        for place, variable in enumerate(self.free):
            if variable >= columns:
                row[variable - columns] = self.cells[-1, place]
        for place, variable in enumerate(self.basic):
            if variable < columns:
                column[variable] = self.cells[place, -1]
        return row, column


def _of_basis(cells: Integers, rows: Any, columns: Any, check_stop: StopCheck) -> tuple[Integers, Integers] | None:
    """Weights that equalise all basic rows and all basic columns; None if they are not unique."""
    if len(rows) != len(columns):
        return None
    block = cells[np.ix_(rows, columns)]
    row, column = np.full(cells.shape[0], 0, dtype=object), np.full(cells.shape[1], 0, dtype=object)
    for weights, places, matrix in ((column, columns, block), (row, rows, block.T)):
        solution = lifted(matrix, check_stop)
        if solution is None:
            return None
        weights[places] = solution
    return row, column


def _optimal(cells: Integers, row: Integers, column: Integers) -> bool:
    """Whether both players' weights guarantee the same value."""
    if min(row) < 0 or min(column) < 0 or sum(row) <= 0 or sum(column) <= 0:
        return False
    return bool(min(row @ cells) * sum(column) == max(cells @ column) * sum(row))


def _pivoted(cells: Integers, rows: Any, columns: Any, check_stop: StopCheck) -> tuple[Integers, Integers]:
    """Optimal weights by the parametric self-dual simplex method (Dantzig 1963), from any basis on.

    Random numbers that are positive, times mu, are added to the last column and to the last row. For a mu large enough
    the basis is optimal; mu is lowered to where the basis stops to be optimal, and a pivot makes it so again. As both
    programs have solutions for mu = 0 they have some for every larger mu, so that there is always a pivot. Only ties,
    which have probability zero, leave mu unchanged: else no basis occurs twice. After more pivots than any game
    should need the numbers are drawn anew.
    """
    tableau = _Tableau(cells, check_stop)
    tableau.put_in_play(rows, columns)
    parametric = _Parametric(tableau)
    while not parametric.run(50 * sum(cells.shape) + 1000):
        pass
    return tableau.weights()


class _Parametric:
    """A tableau with one more column and row, of random numbers, before the last ones."""

    def __init__(self, tableau: _Tableau) -> None:
        self.tableau = tableau
        self.chance = Random(0)
        cells = tableau.cells
        self.rows, self.columns = cells.shape[0] - 1, cells.shape[1] - 1
        tableau.cells = np.insert(np.insert(cells, self.rows, 0, axis=0), self.columns, 0, axis=1)

    def run(self, limit: int) -> bool:
        """Pivot with new numbers; whether the basis is optimal after at most `limit` pivots."""
        cells, rows, columns = self.tableau.cells, self.rows, self.columns
        cells[rows, columns:] = cells[rows:, columns] = 0
        cells[:rows, columns] = self._numbers(rows)
        cells[rows, :columns] = self._numbers(columns)
        return any(not self.step() for _ in range(limit))

    def _numbers(self, count: int) -> list[int]:
        """Random multiples of the denominator, as integers of the first tableau would be now."""
        return [self.tableau.denominator * self.chance.randrange(1 << 30, 1 << 31) for _ in range(count)]

    def step(self) -> bool:
        """One pivot; False if the basis is optimal."""
        cells, rows, columns = self.tableau.cells, self.rows, self.columns
        # A basic variable, or a reduced cost, is number + mu * slope; slopes of negative ones are positive.
        ends = [(cells[r, -1], cells[r, -2], r, -1) for r in range(rows) if cells[r, -1] < 0]
        ends += [(cells[-1, c], cells[-2, c], -1, c) for c in range(columns) if cells[-1, c] < 0]
        if not ends:
            return False
        number, slope, row, column = _least(ends)
        # What is left of the others there, times the slope, limits the pivot.
        if row >= 0:
            left = cells[-1, :columns] * slope - cells[-2, :columns] * number
            limits = [(left[c], -cells[row, c], row, c) for c in range(columns) if cells[row, c] < 0]
        else:
            left = cells[:rows, -1] * slope - cells[:rows, -2] * number
            limits = [(left[r], cells[r, column], r, column) for r in range(rows) if cells[r, column] > 0]
        self.tableau.exchange(*_least(limits)[2:])
        return True


def _least(quotients: list[tuple[int, int, int, int]]) -> tuple[int, int, int, int]:
    """The quotient with the least value; denominators are positive."""
    least = quotients[0]
    for quotient in quotients[1:]:
        if quotient[0] * least[1] < least[0] * quotient[1]:
            least = quotient
    return least


Plan = list[int]  # each divided by the first one
LARGEST = (10, 100, 1000, 10**4, 10**5, 10**6, 10**7)


def solve_tree_exactly(
    game: SequenceForm, raw: RawSolution, *, stop: Callable[[], bool] | None = None
) -> ExactSolution | None:
    """The solution in fractions, verified.

    Parameters
    ----------
    game : SequenceForm
    raw : RawSolution
        Plans in the kernels' order, near an equilibrium.
    stop : callable, optional
        Called at intervals; once it returns true, the solver ends.

    Returns
    -------
    ExactSolution or None
        None if no candidate is a solution.

    Raises
    ------
    SolverStopped
        If `stop` returns true.
    """
    payoffs = game.fractions()
    scale = lcm(*{value.denominator for _, _, value in payoffs})
    won = [(i, j, value.numerator * (scale // value.denominator)) for i, j, value in payoffs]
    paid = [(j, i, -value) for i, j, value in won]
    check_stop = stop_check(stop)
    for x, y in _candidates(game, raw, won, paid, stop):
        check_stop()
        least = -_best(game.column, _against(x, paid, len(game.column)))
        if least * y[0] == _best(game.row, _against(y, won, len(game.row))) * x[0]:
            return ExactSolution(Fraction(least, x[0] * scale), _outward(game.row, x), _outward(game.column, y))
    return None


def _candidates(
    game: SequenceForm, raw: RawSolution, won: Entries, paid: Entries, stop: Callable[[], bool] | None
) -> Iterator[tuple[Plan, Plan]]:
    """Candidates for an equilibrium in whole numbers, the simplest ones first."""
    steps = game.row.behaviour(raw.row).tolist(), game.column.behaviour(raw.column).tolist()
    for largest in LARGEST:
        yield _near(game.row, steps[0], largest), _near(game.column, steps[1], largest)
    check_stop = stop_check(stop)
    yield from _vertices(game, raw.row, raw.column, won, paid, check_stop)
    if raw.method != "linear-programming":
        solved = tree_program(game, stop=stop)
        if solved.stopped is not None:
            raise SolverStopped
        yield from _vertices(game, solved.row, solved.column, won, paid, check_stop)


def _vertices(
    game: SequenceForm, row: Vector, column: Vector, won: Entries, paid: Entries, check_stop: StopCheck
) -> Iterator[tuple[Plan, Plan]]:
    x = vertex(game.row, game.column, paid, row, check_stop)
    y = None if x is None else vertex(game.column, game.row, won, column, check_stop)
    if x is not None and y is not None:
        yield x, y


def _near(tree: Treeplex, behaviour: list[float], largest: int) -> Plan:
    """The plan of the nearest fractions with denominators up to the largest."""
    plan = [Fraction(1)] + [Fraction(step).limit_denominator(largest) for step in behaviour[1:]]
    for place, parent in enumerate(tree.parent.tolist()):
        begin, end = tree.first[place], tree.first[place + 1]
        total = sum(plan[begin:end])
        plan[begin:end] = [plan[parent] * step / total for step in plan[begin:end]]
    common = lcm(*{step.denominator for step in plan})
    return [step.numerator * (common // step.denominator) for step in plan]


def _against(plan: Plan, entries: Entries, count: int) -> list[int]:
    """The payoff of each of a player's sequences against a plan of the other."""
    earned = [0] * count
    for own, other, value in entries:
        earned[own] += value * plan[other]
    return earned


def _best(tree: Treeplex, earned: list[int]) -> int:
    """The payoff of the best response."""
    for place in range(len(tree.parent) - 1, -1, -1):
        earned[tree.parent[place]] += max(earned[tree.first[place] : tree.first[place + 1]])
    return earned[0]


def _outward(tree: Treeplex, plan: Plan) -> list[Fraction]:
    """The plan in the user's order."""
    return [Fraction(plan[place], plan[0]) for place in np.argsort(tree.order).tolist()]
