"""The minimax regret: known values, an independent computation, and its place between what else is known."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb, log, sqrt

import numpy as np
import pytest
from scipy.optimize import linprog

from regretless.errors import RegretlessError
from regretless.experts import Hedge, minimax_regret
from regretless.experts.minimax import by_games
from regretless.theory.expert_facts import lower_bound


def test_two_experts_cost_what_fair_coins_do():
    """Of two experts the minimax regret is T C(T - 1, floor((T - 1) / 2)) / 2^T, exactly."""
    for rounds in range(1, 9):
        assert by_games(2, rounds) == minimax_regret(2, rounds)
        assert minimax_regret(2, rounds) == Fraction(rounds * comb(rounds - 1, (rounds - 1) // 2), 2**rounds)


def test_values_that_are_known_by_hand():
    """One expert costs nothing, and one round of N experts 1 - 1 / N: all lose but one who is drawn."""
    assert minimax_regret(1, 7) == 0
    assert [minimax_regret(experts, 1) for experts in (2, 3, 4, 5)] == [1 - Fraction(1, n) for n in (2, 3, 4, 5)]


def by_linear_programs(losses: tuple[int, ...], left: int) -> float:
    """The same in floats, with every loss vector and nothing thought of as alike."""
    if left == 0:
        return -float(min(losses))
    experts = len(losses)
    columns = list(product((0, 1), repeat=experts))
    after = [by_linear_programs(tuple(np.add(losses, column).tolist()), left - 1) for column in columns]
    constraints = np.column_stack([np.array(columns, dtype=float), -np.ones(len(columns))])
    program = linprog(
        [*[0.0] * experts, 1.0], constraints, [-value for value in after], [[1.0] * experts + [0.0]], [1.0],
        bounds=[*[(0, 1)] * experts, (None, None)],
    )  # fmt: skip
    return float(program.fun)


def test_linear_programs_give_the_same():
    """Induction over all losses, each game a linear program, gives the exact values to nine digits."""
    for experts, rounds in ((2, 3), (3, 2)):
        assert by_linear_programs((0,) * experts, rounds) == pytest.approx(float(minimax_regret(experts, rounds)))


def test_it_lies_between_what_coins_force_and_what_hedge_promises():
    """It is no less than the regret that coins force on everybody, no more than the bound of a tuned Hedge, and Hedge
    itself is forced to pay more by some losses of 0 and 1 in three rounds."""
    for experts, rounds in ((2, 5), (3, 5), (4, 3), (5, 2)):
        value = float(minimax_regret(experts, rounds))
        assert lower_bound(rounds, experts) <= value <= sqrt(rounds * log(experts) / 2)
    worst = 0.0
    for losses in product(product((0, 1), repeat=3), repeat=3):
        table = np.array(losses, dtype=float)
        played = Hedge(horizon=3, value_range=(0, 1)).play(table)
        worst = max(worst, float(played.losses.sum() - table.sum(0).min()))
    assert float(minimax_regret(3, 3)) < worst <= sqrt(3 * log(3) / 2)


def test_games_that_would_take_for_ever_are_refused():
    """Numbers of experts and rounds whose games are too many are refused, with both numbers and what is expected."""
    with pytest.raises(RegretlessError, match=r"10 experts over 10 rounds make 92,378 games .* are expected"):
        minimax_regret(10, 10)
    with pytest.raises(RegretlessError, match="rounds"):
        minimax_regret(3, 0)
