"""The theorems about games in turns: against the slow way, against adversaries, and what they promise."""

from __future__ import annotations

from itertools import product
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regretless.comparator import GameComparator
from regretless.games.certificates import sequence_certificates, sequence_facts, sequence_gap_bound
from regretless.games.extensive_form.extensive import ExtensiveGame, read_efg
from regretless.games.extensive_form.sequence import SequenceGame
from regretless.games.play import tree_play
from regretless.ledger import GameLedger
from regretless.textbook.games import counterfactual as textbook
from regretless.textbook.games import self_play
from regretless.theory.games import (
    OF_SEQUENCES,
    SequenceFacts,
    counterfactual,
    most_of_a_plan,
    reach,
    weighted_root,
)

from ..finite_classes.trees import Draw, kuhn

SEEDS = st.integers(0, 2**32 - 1)
AVERAGES = ("uniform", "linear", "quadratic")


def pure_plans(first, parent):
    """All plans of probabilities 0 and 1."""
    sets = len(parent)
    for choice in product(*(range(first[i], first[i + 1]) for i in range(sets))):
        plan = np.zeros(first[-1])
        plan[0] = 1
        for place, chosen in enumerate(choice):
            plan[chosen] = plan[parent[place]]
        yield plan


def two_levels():
    """Two sets at the start, one of which a choice leads on from: 0 | 1 2 | 3 4 5 | 6 7 after 4."""
    return np.array([1, 3, 6, 8]), np.array([0, 0, 4])


def test_the_most_of_a_plan_is_over_the_sets_that_it_comes_to():
    """Numbers of sets add up where one plan comes to them, and the largest sum is over all pure plans."""
    first, parent = two_levels()
    worth = np.array([1.0, 2.0, 5.0])
    sums = [sum(worth[i] * plan[parent[i]] for i in range(3)) for plan in pure_plans(first, parent)]
    assert most_of_a_plan(first, parent, worth) == max(sums) == 8.0
    low, high = np.zeros(8), np.array([0, 1, 1, 3, 3, 3, 2, 2.0])
    assert reach(first, parent, low, high) == (1 + 3 * sqrt(2) + 2, 3.0)
    assert reach(np.array([1]), np.empty(0, int), np.zeros(1), np.ones(1)) == (0.0, 0.0)


def test_sets_that_exclude_each_other_count_once():
    """After either of two choices comes a set: a plan comes to one of them, and that is what is counted."""
    first, parent = np.array([1, 3, 5, 7]), np.array([0, 1, 2])
    assert most_of_a_plan(first, parent, np.array([1.0, 4.0, 5.0])) == 6.0
    assert most_of_a_plan(first, parent, np.ones(3)) == 2.0


@settings(max_examples=60, deadline=None)
@given(seed=SEEDS, rounds=st.integers(1, 12), plus=st.booleans())
def test_regret_is_at_most_what_the_sets_keep(seed, rounds, plus):
    """Against any payoffs the regret of every plan is within what is kept, and that within the squares."""
    random = np.random.default_rng(seed)
    first, parent = two_levels()
    one, gains, plans = textbook(first, parent, plus=plus), [], []
    plan = next(one)
    for _ in range(rounds):
        gains.append(random.integers(-2, 3, 8).astype(float))
        plans.append(plan)
        plan = one.send(gains[-1])
    gains, plans = np.array(gains), np.array(plans)
    regret = max(gains.sum(0) @ pure for pure in pure_plans(first, parent)) - (gains * plans).sum()
    rest, squares = kept_in_sets(first, parent, gains, plans, plus)
    lengths = np.array([np.linalg.norm(np.maximum(rest[first[i] : first[i + 1]], 0)) for i in range(3)])
    assert regret <= most_of_a_plan(first, parent, lengths) + 1e-9
    assert most_of_a_plan(first, parent, lengths) <= lengths.sum() + 1e-12
    assert most_of_a_plan(first, parent, lengths) <= sqrt(3 * squares) + 1e-9


def kept_in_sets(first, parent, gains, plans, plus):
    """What each matcher keeps at the end, and the sum of the squared regrets of all rounds and sets."""
    sums, squares = np.zeros(first[-1]), 0.0
    for gain, plan in zip(gains, plans, strict=True):
        worth = gain.copy()
        for place in range(len(parent) - 1, -1, -1):
            own = slice(first[place], first[place + 1])
            reached = plan[parent[place]]
            steps = plan[own] / reached if reached > 0 else matched(sums[own])
            value = steps @ worth[own]
            worth[parent[place]] += value
            regret = worth[own] - value
            squares += float(regret @ regret)
            sums[own] = np.maximum(sums[own] + regret, 0) if plus else sums[own] + regret
    return sums, squares


def matched(regrets):
    positive = np.maximum(regrets, 0)
    return positive / positive.sum() if positive.any() else np.full(len(regrets), 1 / len(regrets))


@pytest.mark.kernel
@settings(max_examples=40, deadline=None)
@given(seed=SEEDS, alternate=st.booleans(), power=st.sampled_from((0, 1, 2)))
def test_compiled_counterfactual_regret_is_the_textbooks(seed, alternate, power):
    """CFR+ on a random tree has the textbook's average plans, in turns or at once and for every weight."""
    game = ExtensiveGame(Draw(seed).tree).sequence_form()
    solution = tree_play(game, "cfr+", rounds=12, average=AVERAGES[power], alternate=alternate)
    A = game.inward.toarray()
    row, column = (textbook(tree.first, tree.parent) for tree in (game.row, game.column))
    x, y = self_play(A, row, column, 12, alternate=alternate, power=power)
    # The textbook divides by the sum of all entries, of which the empty sequence has 1.
    np.testing.assert_allclose(solution.row, x / x[0], atol=1e-10)
    np.testing.assert_allclose(solution.column, y / y[0], atol=1e-10)


@settings(max_examples=60, deadline=None)
@given(
    seed=SEEDS,
    method=st.sampled_from(("cfr", "cfr+", "pcfr+")),
    average=st.sampled_from(AVERAGES),
    alternate=st.booleans(),
    rounds=st.integers(1, 60),
)
def test_no_random_game_breaks_a_theorem(seed, method, average, alternate, rounds):
    """Whatever the tree, the weights and the turns, every theorem applies, and no line prints a false inequality."""
    game = ExtensiveGame(Draw(seed).tree).sequence_form()
    solution = tree_play(game, method, rounds=rounds, average=average, alternate=alternate)
    certificates = sequence_certificates(game, solution, *game._enclose(solution.row, solution.column))
    assert [one.theorem for one in certificates] == list(OF_SEQUENCES[method])
    assert all(one.applies for one in certificates)
    for one in certificates:
        assert one.observed <= one.bound, one


def test_kuhn_poker_is_promised_what_its_sets_allow():
    """In Kuhn's poker one plan comes to six sets of two actions, and the promise falls as the root of the rounds."""
    game = read_efg(kuhn()).sequence_form()
    solution = tree_play(game, "cfr", rounds=500)
    facts = sequence_facts(game, solution)
    assert (facts.row_sets, facts.column_sets) == (6.0, 6.0)
    title, after = sequence_gap_bound(game, solution)
    assert title == counterfactual.title
    assert after(400) == pytest.approx((facts.row_reach + facts.column_reach) / 20)
    assert solution.ledger.gap < after(500)
    low, high = game.reaches(True)
    assert facts.row_reach <= sum(np.ptp([low, high]) for _ in range(6))


def test_weights_of_plain_counterfactual_regret_are_those_of_its_regrets():
    """CFR's regrets fade as its weights grow, so that it is promised the root of the squared weights over their sum."""
    for power in (0, 1, 2):
        w = np.arange(1.0, 51) ** power
        faded = weighted_root(50, SequenceFacts(3, 3, "cfr", power=power))
        assert faded == pytest.approx(sqrt((w**2).sum()) / w.sum())
        assert faded <= weighted_root(50, SequenceFacts(3, 3, "cfr+", power=power)) * (1 + 1e-12)


def test_what_may_cost_is_not_promised_and_is_added():
    """Predictive players in turns, and given starts in turns, are promised nothing; what it cost is in the bound."""
    game = read_efg(kuhn()).sequence_form()
    predictive = tree_play(game, "pcfr+", rounds=50, alternate=True)
    assert sequence_gap_bound(game, predictive) is None
    start = tuple(tree.outward(tree.uniform()) for tree in (game.row, game.column))
    started = tree_play(game, "cfr+", rounds=50, alternate=True, start=start)
    assert sequence_gap_bound(game, started) is None
    assert sequence_facts(game, started).started
    facts = sequence_facts(game, predictive)
    book = GameLedger(10.0, 10.0, 1.0)
    costly = GameLedger(10.0, 10.0, 1.0, turn=2.0)
    more = counterfactual.bound(costly, GameComparator(), facts) - counterfactual.bound(book, GameComparator(), facts)
    assert more == pytest.approx(0.2)


def test_a_start_may_make_moving_second_costly():
    """Who begins with the best answer regrets nothing, falls back to equal chances, and loses by moving second."""
    game = SequenceGame([[0, 0, 1]], [[1]], [[1, 0, 0], [-1, 1, 1]])
    solution = tree_play(game, "cfr+", rounds=1, alternate=True, start=([1], [1, 1, 0]))
    assert solution.ledger.turn == pytest.approx(0.5)
    certificates = sequence_certificates(game, solution, *game._enclose(solution.row, solution.column))
    assert all(one.observed <= one.bound for one in certificates)


def test_linear_programming_is_certified_too():
    """An equilibrium by linear programming has weak duality, and its gap is within rounding."""
    game = read_efg(kuhn()).sequence_form()
    solution = game.solve("linear-programming")
    assert solution.certificates[0].theorem.name == "weak_duality"
    assert not any(one.violated for one in solution.certificates)
    assert solution.certificates[0].bound == pytest.approx(solution.gap)
    assert all(one.applies for one in solution.certificates)
