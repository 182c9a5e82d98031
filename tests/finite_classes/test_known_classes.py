"""Plays on which the theorems of finite classes must say numbers that are known by hand."""

from __future__ import annotations

from fractions import Fraction
from math import log

import pytest

from regretless.comparator import ClassComparator
from regretless.ledger import ClassLedger
from regretless.theory import finite_classes as fc

from ..known import Assumes, Change, Known, first_of_each, known, refuses, says_its_number

# Thirty rounds with 22 hypotheses, of which 3 agree with all labels and 5 still vote.
BOOK = ClassLedger(rounds=30, mistakes=4, expected=2.5, alive=3, voters=5)
RIGHT = ClassComparator(2, "h", 30.0)
LEARNER = fc.ClassFacts(
    "standard-optimal", 22, place=7, rank=6, rank_left=2, littlestone=(3, 4), littlestone_left=(1, 2),
    randomized=(1.5, Fraction(2)), randomized_left=(Fraction(1, 2), 0.75), delta=0.05,
)  # fmt: skip


def case(theorem, bound, observed, changes: Change | None = None) -> Known:
    return Known(theorem, BOOK, RIGHT, LEARNER, bound, observed).changed(changes or {})


def poisson(mean: float, delta: float) -> float:
    """The a above the mean with a ln(a / mean) - a + mean = ln(1 / delta), by Newton's steps."""
    a = 4 * (mean + log(1 / delta))
    for _ in range(100):
        a -= (a * log(a / mean) - a + mean - log(1 / delta)) / log(a / mean)
    return a


CASES = [
    case(fc.first_in_order, 7, 4),
    case(fc.rank, 4, 4),
    case(fc.rank, 6, 4, {"learner.rank_left": None}),
    case(fc.left, 19, 4),
    case(fc.consistent, 21, 4),
    case(fc.halvings, 2, 4),  # 22 / 5 = 4.4
    case(fc.halvings, 1, 4, {"ledger.voters": 6}),  # 22 / 6 = 3.7
    case(fc.halving, 4, 4),
    case(fc.halving, 5, 4, {"learner.hypotheses": 32}),
    case(fc.dimension_spent, 3, 4),
    case(fc.dimension_spent, 4, 4, {"learner.littlestone_left": None}),
    case(fc.dimension_spent, 4, 4, {"learner.littlestone_left": (-1, 0)}),
    case(fc.dimension_spent, 4, 4, {"learner.littlestone_left": (0, 2)}),
    case(fc.dimension, 4, 4),
    case(fc.optimal_by_size, 4, 4),
    case(fc.randomized_spent, 1.5, 2.5),
    case(fc.randomized_spent, 2, 2.5, {"learner.randomized_left": None}),
    case(fc.randomized, 2, 2.5),
    case(fc.half_the_bits, 2.1875, 2.5),  # (3 + 22 / 16) / 2
    case(fc.half_the_bits, 0, 2.5, {"learner.hypotheses": 1}),
    case(fc.drawn, poisson(2, 0.05), 4),
    case(fc.drawn, 0, 4, {"learner.randomized": (0, 0)}),
]

BREAKS: dict[str, list[Change]] = {
    fc.REALIZABLE[0]: [{"ledger.died": 5}, {"ledger.alive": 0}],
    fc.PLACE[0]: [{"learner.place": None}],
    fc.RANK[0]: [{"learner.rank": None}],
    fc.LITTLESTONE[0]: [{"learner.littlestone": None}],
    fc.RANDOMIZED[0]: [{"learner.randomized": None}],
}
ASSUMES: Assumes = [
    (tuple(case.theorem for case in CASES), (fc.REALIZABLE,)),
    ((fc.first_in_order,), (fc.PLACE,)),
    ((fc.rank,), (fc.RANK,)),
    ((fc.dimension_spent, fc.dimension), (fc.LITTLESTONE,)),
    ((fc.randomized_spent, fc.randomized, fc.drawn), (fc.RANDOMIZED,)),
]


@known(CASES)
def test_a_theorem_of_classes_says_the_number_that_is_known(case):
    """Each theorem of finite classes says the number that its formula gives by hand on thirty rounds."""
    says_its_number(case)


@known(first_of_each(CASES))
def test_a_theorem_of_classes_refuses_what_it_assumes_not(case):
    """Each assumption, where it alone fails, is what the certificate says, which then has no number."""
    refuses(case, ASSUMES, BREAKS)


def test_one_hypothesis_alive_is_enough():
    """Labels are realizable as long as one hypothesis agrees with them."""
    assert CASES[0].changed({"ledger.alive": 1}).obstacle is None


@pytest.mark.parametrize(("count", "half"), [(1, 0), (2, 0.5), (3, 0.75), (4, 1), (6, 1.25), (7, 1.375), (8, 1.5)])
def test_half_the_bits_of_small_classes(count, half):
    """Half of log2 n at powers of two, and straight between them."""
    assert fc.half_the_bits_of(count) == half
    assert (
        fc.floor_log2(count) == int(2 * half)
        if count & (count - 1) == 0
        else fc.floor_log2(count) == len(bin(count)) - 3
    )


def test_labels_that_nobody_agrees_with_give_the_round():
    """Where the last hypothesis died no theorem applies, and each says in which round it was."""
    dead = ClassLedger(rounds=30, mistakes=4, expected=2.5, alive=0, voters=1, died=7)
    for certificate in fc.certified(fc.CONSISTENT, dead, [RIGHT], LEARNER):
        assert (certificate.bound, certificate.applies) == (None, False)
        assert certificate.why is not None
        assert certificate.why.endswith("in round 7")
    assert [one.bound for one in fc.certified(fc.CONSISTENT, BOOK, [RIGHT], LEARNER)] == [7, 4, 19, 21]
