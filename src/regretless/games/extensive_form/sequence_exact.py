"""Games in sequence form in fractions: guessed from floats, verified in exact arithmetic.

The probabilities of a basic solution are fractions, of small games fractions with small denominators: the nearest ones
to the floats are tried, with ever larger denominators, until what both plans guarantee is the same number. Where they
are not so simple the equations of the vertices that the plans stand at are solved in whole numbers. Where ties are
broken by differences that floats do not see, neither need lead to a solution, and then there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import lcm

import numpy as np

from ..raw_solution import RawSolution, Vector
from ..solution import ExactSolution
from ..solvers.interrupt import Halted, Look, looking
from .sequence_form import SequenceForm
from .sequence_program import linear_program
from .sequence_vertex import Entries, vertex
from .treeplex import Treeplex

Plan = list[int]  # each divided by the first one
LARGEST = (10, 100, 1000, 10**4, 10**5, 10**6, 10**7)


def solve_exactly(
    game: SequenceForm, raw: RawSolution, *, stop: Callable[[], bool] | None = None
) -> ExactSolution | None:
    """The solution in fractions, verified.

    Parameters
    ----------
    game : SequenceForm
    raw : RawSolution
        Plans in the kernels' order, near an equilibrium.
    stop : callable, optional
        Asked now and then.

    Returns
    -------
    ExactSolution or None
        None if nothing leads to one.

    Raises
    ------
    Halted
        If it was stopped.
    """
    payoffs = game.fractions()
    scale = lcm(*{value.denominator for _, _, value in payoffs})
    won = [(i, j, value.numerator * (scale // value.denominator)) for i, j, value in payoffs]
    paid = [(j, i, -value) for i, j, value in won]
    look = looking(stop)
    for x, y in _candidates(game, raw, won, paid, stop):
        look()
        least = -_best(game.column, _against(x, paid, len(game.column)))
        if least * y[0] == _best(game.row, _against(y, won, len(game.row))) * x[0]:
            return ExactSolution(Fraction(least, x[0] * scale), _outward(game.row, x), _outward(game.column, y))
    return None


def _candidates(
    game: SequenceForm, raw: RawSolution, won: Entries, paid: Entries, stop: Callable[[], bool] | None
) -> Iterator[tuple[Plan, Plan]]:
    """Plans in whole numbers that may be an equilibrium, the simplest ones first."""
    steps = game.row.behaviour(raw.row).tolist(), game.column.behaviour(raw.column).tolist()
    for largest in LARGEST:
        yield _near(game.row, steps[0], largest), _near(game.column, steps[1], largest)
    look = looking(stop)
    yield from _vertices(game, raw.row, raw.column, won, paid, look)
    if raw.method != "linear-programming":
        solved = linear_program(game, stop=stop)
        if solved.stopped is not None:
            raise Halted
        yield from _vertices(game, solved.row, solved.column, won, paid, look)


def _vertices(
    game: SequenceForm, row: Vector, column: Vector, won: Entries, paid: Entries, look: Look
) -> Iterator[tuple[Plan, Plan]]:
    x = vertex(game.row, game.column, paid, row, look)
    y = None if x is None else vertex(game.column, game.row, won, column, look)
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
    """What each of a player's sequences wins against a plan of the other."""
    earned = [0] * count
    for own, other, value in entries:
        earned[own] += value * plan[other]
    return earned


def _best(tree: Treeplex, earned: list[int]) -> int:
    """What the best answer wins."""
    for place in range(len(tree.parent) - 1, -1, -1):
        earned[tree.parent[place]] += max(earned[tree.first[place] : tree.first[place + 1]])
    return earned[0]


def _outward(tree: Treeplex, plan: Plan) -> list[Fraction]:
    """The plan in the user's order."""
    return [Fraction(plan[place], plan[0]) for place in np.argsort(tree.order).tolist()]
