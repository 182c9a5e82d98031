"""What no algorithm can avoid, held against distances from the middle that are counted one by one."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb, pi, prod, sqrt

import pytest

from regretless.theory.expert_facts import lower_bound


def farthest(rounds: int, pairs: int) -> float:
    """The mean of the largest distance of so many counts of heads from the middle, over all their values."""
    total = Fraction(0)
    for heads in product(range(rounds + 1), repeat=pairs):
        distance = max(abs(Fraction(count) - Fraction(rounds, 2)) for count in heads)
        total += distance * prod(comb(rounds, count) for count in heads)
    return float(total / 2 ** (rounds * pairs))


@pytest.mark.parametrize("experts", [2, 3, 4, 5, 6, 7])
@pytest.mark.parametrize("rounds", [1, 2, 3, 4, 7, 8])
def test_the_lower_bound_is_that_of_fair_coins(rounds, experts):
    """Half of the experts and their opposites make the mean largest distance of fair counts unavoidable."""
    assert lower_bound(rounds, experts) == pytest.approx(farthest(rounds, experts // 2), rel=1e-12)


@pytest.mark.parametrize(("rounds", "experts"), [(0, 2), (0, 4), (5, 1), (5, 0), (1, 1)])
def test_nothing_is_unavoidable_of_one_expert_or_no_round(rounds, experts):
    """Who has one expert, or no round, need not regret anything."""
    assert lower_bound(rounds, experts) == 0


@pytest.mark.parametrize("rounds", [999, 1000, 1001, 1002, 1003, 5000, 5001])
def test_two_experts_over_many_rounds(rounds):
    """For two experts it is T C(T - 1, (T - 1) / 2) / 2^T, from below where that is too long to count."""
    exact = Fraction(rounds * comb(rounds - 1, (rounds - 1) // 2), 2**rounds)
    assert float(exact) * (1 - 1e-9) <= lower_bound(rounds, 2) <= float(exact) * (1 + 1e-15)


def test_four_experts_over_a_billion_rounds():
    """The mean of the larger of two |Z| is 2 / sqrt(pi) and of its square 1 + 2 / pi: all but three parts in ten
    thousand of what follows is told, and never more."""
    exact = sqrt(1e9) / 2 * 2 / sqrt(pi) - 1 - (1 + 2 / pi) / 8
    assert exact * (1 - 3e-4) <= lower_bound(10**9, 4) <= exact
    assert lower_bound(10**7, 4) == pytest.approx(sqrt(1e7) / sqrt(pi), rel=1e-3)
    assert lower_bound(10**7 + 1, 4) >= lower_bound(10**7, 4)
