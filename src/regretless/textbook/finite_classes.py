"""Finite classes of hypotheses, realizable: what they cost, who learns them, and the most that it can cost a learner.

A hypothesis is the tuple of its labels, 0 or 1, of points 0, 1, ...; a class is a set of such tuples. A learner is a
function of those that it keeps and of a point, and answers with a label.
"""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, product

Hypothesis = tuple[int, ...]
Class = frozenset[Hypothesis]
Learner = Callable[[Class, int], int]


def points(H: Class) -> range:
    """The points that the hypotheses speak of."""
    return range(len(next(iter(H))))


def agreeing(H: Class, x: int, y: int) -> Class:
    """The hypotheses that say y of x."""
    return frozenset(h for h in H if h[x] == y)


def vc_dimension(H: Class) -> int:
    """The size of the largest set of points of which the hypotheses say everything."""
    d = 0
    while any(len({tuple(h[x] for x in S) for h in H}) == 2 ** (d + 1) for S in combinations(points(H), d + 1)):
        d += 1
    return d


@cache
def littlestone_dimension(H: Class) -> int:
    """How deep a tree of points is of which every path has a hypothesis; -1 of none."""
    if not H:
        return -1
    sides = [[littlestone_dimension(agreeing(H, x, y)) for y in (0, 1)] for x in splitting(H)]
    return max((1 + min(below) for below in sides), default=0)


def splitting(H: Class) -> list[int]:
    """The points of which the hypotheses do not all say the same."""
    return [x for x in points(H) if len({h[x] for h in H}) == 2]


@cache
def randomized_littlestone_dimension(H: Class) -> Fraction:
    """The mistakes in expectation that some labels of a hypothesis force on every learner that draws its labels."""
    best = Fraction(0)
    for x in splitting(H):
        low, high = sorted(randomized_littlestone_dimension(agreeing(H, x, y)) for y in (0, 1))
        best = max(best, high, (1 + low + high) / 2)
    return best


def consistent(order: Iterable[Hypothesis]) -> Learner:
    """Whatever the first hypothesis says that is left."""
    ranks = {h: rank for rank, h in enumerate(order)}
    return lambda V, x: min(V, key=ranks.__getitem__)[x]


def halving(V: Class, x: int, tie: int = 1) -> int:
    """What most of those say that are left."""
    ones = len(agreeing(V, x, 1))
    return tie if 2 * ones == len(V) else int(2 * ones > len(V))


def standard_optimal(V: Class, x: int, tie: int = 1) -> int:
    """The label that leaves the larger Littlestone dimension, so that the other one, if it comes, leaves less."""
    zero, one = (littlestone_dimension(agreeing(V, x, y)) for y in (0, 1))
    return tie if zero == one else int(one > zero)


def randomized_optimal(V: Class, x: int) -> Fraction:
    """The probability of 1 at which both labels cost the same, expected mistakes and what they leave taken together."""
    sides = [agreeing(V, x, y) for y in (0, 1)]
    if not all(sides):
        return Fraction(int(bool(sides[1])))
    zero, one = (randomized_littlestone_dimension(side) for side in sides)
    return min(max((1 + one - zero) / 2, Fraction(0)), Fraction(1))


def play(
    learner: Learner, H: Class, xs: Sequence[int], ys: Sequence[int], lazy: bool = False
) -> tuple[list[int], Class]:
    """Predictions, and the hypotheses that are kept at the end; a lazy learner drops some only when it errs."""
    predictions = []
    for x, y in zip(xs, ys, strict=True):
        predictions.append(learner(H, x))
        if predictions[-1] != y or not lazy:
            H = agreeing(H, x, y)
    return predictions, H


def worst_case(learner: Learner, H: Class, lazy: bool = False) -> int:
    """The most mistakes on any labels with which some hypothesis agrees."""

    @cache
    def most(voters: Class, alive: Class) -> int:
        best = 0
        for x, y in product(points(H), (0, 1)):
            wrong = learner(voters, x) != y
            then = agreeing(voters, x, y) if wrong or not lazy else voters, agreeing(alive, x, y)
            if then[1] and then != (voters, alive):
                best = max(best, wrong + most(*then))
        return best

    return most(H, H)
