"""Games in sequence form in fractions: guessed from floats, verified in exact arithmetic.

The probabilities of a basic solution are fractions, of small games fractions with small denominators: the nearest ones
to the floats are tried, with ever larger denominators, until what both plans guarantee is the same number.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ..found import Vector
from ..solution import Exact
from .treeplex import Treeplex

if TYPE_CHECKING:
    from .sequence import SequenceGame

Plan = list[Fraction]
LARGEST = (10, 100, 1000, 10**4, 10**5, 10**6, 10**7)


def solve_exactly(game: SequenceGame, row: Vector, column: Vector) -> Exact | None:
    """The solution in fractions, verified; None if the plans, which are in the kernels' order, do not lead to it."""
    entries = game.fractions()
    steps = game.row.behaviour(row).tolist(), game.column.behaviour(column).tolist()
    for largest in LARGEST:
        x, y = _plan(game.row, steps[0], largest), _plan(game.column, steps[1], largest)
        lower = -_best(game.column, _against(x, ((j, i, -value) for i, j, value in entries), len(game.column)))
        if lower == _best(game.row, _against(y, entries, len(game.row))):
            return Exact(lower, _outward(game.row, x), _outward(game.column, y))
    return None


def _plan(tree: Treeplex, behaviour: list[float], largest: int) -> Plan:
    plan = [Fraction(1)] + [Fraction(step).limit_denominator(largest) for step in behaviour[1:]]
    for place, parent in enumerate(tree.parent.tolist()):
        begin, end = tree.first[place], tree.first[place + 1]
        total = sum(plan[begin:end])
        plan[begin:end] = [plan[parent] * step / total for step in plan[begin:end]]
    return plan


def _against(plan: Plan, entries: Iterable[tuple[int, int, Fraction]], count: int) -> Plan:
    """What each of a player's sequences wins against a plan of the other."""
    earned = [Fraction()] * count
    for own, other, value in entries:
        earned[own] += value * plan[other]
    return earned


def _best(tree: Treeplex, earned: Plan) -> Fraction:
    """What the best answer wins."""
    for place in range(len(tree.parent) - 1, -1, -1):
        earned[tree.parent[place]] += max(earned[tree.first[place] : tree.first[place + 1]])
    return earned[0]


def _outward(tree: Treeplex, plan: Plan) -> Plan:
    """The plan in the user's order."""
    return [plan[place] for place in np.argsort(tree.order).tolist()]
