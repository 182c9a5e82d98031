"""The theorems about games, hunted for violations: by self-play, by adversaries, and where an assumption fails."""

from __future__ import annotations

from dataclasses import fields, replace
from fractions import Fraction
from itertools import product
from math import isnan, log, nan, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from regretless.comparator import GameComparator
from regretless.games import MatrixGame
from regretless.games.certificates import GameCertificate, certificates, coarse_certificates, facts, gap_bound
from regretless.games.payoffs import Payoffs
from regretless.games.play import self_play
from regretless.games.solution import RawSolution
from regretless.ledger import GameLedger
from regretless.textbook.games import gap, regret_matching, regret_matching_plus, von_neumann
from regretless.textbook.games import self_play as textbook_play
from regretless.theory.game_facts import GameFacts, weight_share
from regretless.theory.games import BEFOREHAND, BY_METHOD, basic_support, complementary, gap_at, weak_duality
from regretless.theory.self_play import (
    COARSE,
    ExponentialPlayer,
    changes,
    coarse,
    final_regrets,
    matching,
    optimistic,
    players,
    prior_regrets,
    regret_identity,
    squares,
)
from regretless.theory.self_play import von_neumann as by_hedge

from .game_duels import METHODS, POWERS, TURNS, learner, moves, slow
from .game_duels import changes as shifts
from .game_duels import length_of as held

SCHEDULES = ("tuned", "falling", 0.1, 1.0)
NOBODY = GameComparator()


@st.composite
def games(draw, most=4):
    """Small matrices of whole numbers, often with saddle points, ties and rows alike."""
    shape = draw(st.tuples(st.integers(1, most), st.integers(1, most)))
    return draw(arrays(np.int8, shape, elements=st.integers(-3, 3))).astype(float)


def case(oracles, name):
    return next(one for one in oracles if one["id"] == name)


# ---- the kernel keeps the books that the theorems read


@pytest.mark.kernel
@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("alternate", TURNS)
@pytest.mark.parametrize("method", METHODS)
def test_the_compiled_ledger_is_that_of_the_textbook(method, alternate, power):
    """Every field of the compiled ledger, and both averages, are those of the textbook's learners."""
    A = np.random.default_rng(3).uniform(-1, 2, (5, 7))
    average = ("uniform", "linear", "quadratic")[power]
    ours = self_play(Payoffs(A), method, rounds=40, average=average, alternate=alternate)
    theirs = slow(A, method, 40, alternate=alternate, power=power)
    np.testing.assert_allclose(ours.row, theirs.row, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ours.column, theirs.column, rtol=1e-9, atol=1e-12)
    for field in fields(GameLedger):
        fast, slowly = getattr(ours.ledger, field.name), getattr(theirs.ledger, field.name)
        if field.name.endswith("_shift"):
            continue  # the first change may be counted from any constant
        assert fast == pytest.approx(slowly, rel=1e-8, abs=1e-10), field.name
    read = facts(ours, Payoffs(A))
    for name in ("alternate", "power", "row_spread", "column_spread", "zero_sum"):
        assert getattr(read, name) == getattr(theirs.facts, name)
    if method in ("hedge", "optimistic-hedge"):
        assert read.row_rate == pytest.approx(theirs.facts.row_rate)


@pytest.mark.kernel
def test_the_compiled_changes_are_half_ranges():
    """What optimistic Hedge keeps of its changes does not depend on where payoffs begin."""
    A = np.random.default_rng(0).uniform(-1, 1, (4, 5))
    near, far = (self_play(Payoffs(A + shift), "optimistic-hedge", rounds=30).ledger for shift in (0.0, 1000.0))
    theirs = slow(A, "optimistic-hedge", 30).ledger
    assert near.row_shift == pytest.approx(theirs.row_shift, rel=1e-9)
    assert far.row_shift == pytest.approx(near.row_shift, rel=1e-6)
    assert far.column_shift == pytest.approx(theirs.column_shift, rel=1e-6)


# ---- no self-play breaks a theorem


@settings(max_examples=60, deadline=None)
@given(
    A=games(),
    rounds=st.integers(1, 40),
    alternate=st.booleans(),
    power=st.sampled_from(POWERS),
    schedule=st.sampled_from(SCHEDULES),
)
def test_no_self_play_breaks_a_theorem(A, rounds, alternate, power, schedule):
    """Whatever the game, the rates, the turns and the weights, every theorem that applies holds without any slack."""
    for method in METHODS:
        run = slow(A, method, rounds, alternate=alternate, power=power, schedule=schedule)
        for theorem in BY_METHOD[method]:
            certificate = run.certify(theorem)
            if certificate.applies:
                rounding = 1e-14 * rounds * (1 + np.abs(A).max())
                assert certificate.observed <= certificate.bound * (1 + 1e-12) + rounding, (method, theorem.title)
        assert run.certify(regret_identity).bound == pytest.approx(run.ledger.gap, abs=1e-11)


@settings(max_examples=40, deadline=None)
@given(
    A=games(3),
    B=arrays(np.int8, (3, 3), elements=st.integers(-3, 3)),
    rounds=st.integers(1, 30),
    power=st.sampled_from(POWERS),
    schedule=st.sampled_from(SCHEDULES),
)
def test_no_play_of_two_matrices_breaks_a_theorem(A, B, rounds, power, schedule):
    """What two learners play together is as near to a coarse correlated equilibrium as their theorems say."""
    B = B[: A.shape[0], : A.shape[1]].astype(float)
    for method in METHODS:
        run = slow(A, method, rounds, power=power, schedule=schedule, B=B)
        for theorem in COARSE[method]:
            certificate = run.certify(theorem)
            if certificate.applies:
                assert certificate.observed <= certificate.bound * (1 + 1e-12) + 1e-12 * rounds, (method, theorem.title)
        assert run.certify(coarse).bound == pytest.approx(run.certify(coarse).observed, abs=1e-11)


@settings(max_examples=60, deadline=None)
@given(
    gains=arrays(np.int8, st.tuples(st.integers(1, 25), st.integers(1, 4)), elements=st.integers(0, 2)),
    power=st.sampled_from(POWERS),
    schedule=st.sampled_from(SCHEDULES),
)
def test_no_payoffs_break_a_bound_on_one_player(gains, power, schedule):
    """The bounds on one player's regret hold for payoffs that no game would bring, and so do those on what is kept."""
    gains = gains.astype(float)
    (rounds, count), spread = gains.shape, float(np.ptp(gains))
    w = np.arange(1.0, rounds + 1) ** power
    for method in METHODS:
        rate, expected = rates_of(method, count, spread, rounds, schedule)
        strategies = answers_of(learner(method, count, rate), gains)
        values = (strategies * gains).sum(1)
        regret = float((w @ gains).max() - w @ values)
        length, square = held(method, gains, strategies)
        if method in ("hedge", "optimistic-hedge"):
            one = ExponentialPlayer(count, spread, expected, log(count), shifts(gains), moves(strategies))
            bound = one.hedge(rounds) if method == "hedge" else one.seen()
            if power == 0:
                assert regret <= bound * (1 + 1e-12) + 1e-11
            continue
        alone = GameFacts(count, 1, method, power=power, row_spread=spread, column_spread=0.0)
        if power == 0 or method != "rm":
            assert regret <= w[-1] * length + 1e-9
        assert length <= sqrt(square) * (1 + 1e-12)
        assert sqrt(square) <= prior_regrets(alone, rounds)[0] * (1 + 1e-12)


def rates_of(method, count, spread, rounds, schedule):
    from .game_duels import rates

    return rates(method, count, spread, rounds, schedule)


def answers_of(one, gains):
    """What a learner plays against payoffs that do not answer to it."""
    strategies = [next(one)]
    for row in gains:
        strategies.append(one.send(row))
    return np.array(strategies[:-1])


@settings(max_examples=60, deadline=None)
@given(
    losses=arrays(np.int8, st.tuples(st.integers(1, 25), st.integers(1, 4)), elements=st.integers(-2, 2)),
    rate=st.sampled_from([0.05, 0.5, 3.0]),
)
def test_moving_second_gains_whatever_comes(losses, rate):
    """Hedge at a constant rate, RM and RM+ move, after each round, to what would have lost no more in it."""
    for method in ("hedge", "rm", "rm+"):
        one = learner(method, losses.shape[1], lambda t: rate)
        before = next(one)
        for row in -losses.astype(float):
            after = one.send(row)
            assert after @ row >= before @ row - 1e-12
            before = after


# ---- lemmas, and that their constants are the best


@pytest.mark.parametrize("count", [2, 3, 4])
def test_the_regrets_of_a_round_are_shorter_than_the_root_of_all_but_one(count):
    """Over all payoffs 0 and 1 and a grid of strategies |r|^2 is at most m - 1, and is that."""
    steps = np.array([p for p in product(range(5), repeat=count) if sum(p) == 4]) / 4
    worst = max(((u - p @ u) ** 2).sum() for u in np.array(list(product((0.0, 1.0), repeat=count))) for p in steps)
    assert worst == count - 1


@given(w=st.floats(0, 9), r=st.floats(-9, 9), v=st.floats(-9, 9))
def test_predictions_cost_only_what_they_missed(w, r, v):
    """[w + r]_+^2 <= w^2 + 2 [w + v]_+ r + (r - v)^2, the step of the proof for predictive RM+."""
    assert max(0.0, w + r) ** 2 <= w * w + 2 * max(0.0, w + v) * r + (r - v) ** 2 + 1e-12 * (1 + w * w + r * r + v * v)


def test_the_constant_of_hedge_is_an_eighth():
    """Payoffs that take turns and then stay leave Hedge a regret that a ninth in place of the eighth would forbid."""
    rate, rounds = 0.05, 30_000
    gains = np.zeros((rounds, 2))
    gains[np.arange(rounds), np.arange(rounds) % 2] = 1
    gains[-400:] = [1, 0]
    won = np.cumsum(np.vstack([np.zeros(2), gains[:-1]]), axis=0)
    p = 1 / (1 + np.exp(rate * (won[:, 1] - won[:, 0])))
    regret = gains.sum(0).max() - (p * gains[:, 0] + (1 - p) * gains[:, 1]).sum()
    one = ExponentialPlayer(2, 1.0, rate, log(2), 0.0, 0.0)
    assert log(2) / rate + rate * rounds / 9 < regret <= one.hedge(rounds)
    assert regret > 0.98 * one.hedge(rounds)


def test_what_a_regret_matcher_keeps_can_be_as_long_as_the_regrets_of_its_rounds():
    """Where the player with fewer rounds wins, what is kept is longer than nine tenths of the bound on it."""
    for method in ("rm", "rm+"):
        one, gains, play = learner(method, 2, lambda t: 1.0), [], []
        p = next(one)
        for _ in range(20):  # the one that is played less wins
            gains.append([float(p[0] <= p[1]), float(p[0] > p[1])])
            play.append(p)
            p = one.send(np.array(gains[-1]))
        length, square = held(method, np.array(gains), np.array(play))
        assert length > 0.9 * sqrt(square)


def test_optimistic_hedge_comes_near_its_bound():
    """Against a row that wins everything the gap times the rounds is more than nine tenths of what the theorem has."""
    A = np.array([[1.0], [0.0], [0.0], [0.0]])
    run = slow(A, "optimistic-hedge", 60, schedule=0.1)
    certificate = run.certify(optimistic)
    assert 0.9 * certificate.bound < certificate.observed <= certificate.bound


# ---- the numbers that the statements name


def at(method, m, n, rounds, **known):
    known_facts = GameFacts(m, n, method, row_spread=3.0, column_spread=3.0, **known)
    return gap_at(known_facts, rounds)


def test_the_promises_are_the_numbers_of_the_statements():
    """Tuned, falling and optimistic rates, and regret matching, promise what their statements say in closed form."""
    D, m, n, T = 3.0, 5, 9, 400
    tuned = {"row_rate": sqrt(8 * log(m) / T) / D, "column_rate": sqrt(8 * log(n) / T) / D}
    roots = sqrt(log(m)) + sqrt(log(n))
    assert at("hedge", m, n, T, **tuned)[1] == pytest.approx(D * roots / sqrt(2 * T))
    assert at("hedge", m, n, T)[1] == pytest.approx(D * roots / sqrt(T))
    fast = at("optimistic-hedge", m, n, T, row_rate=1 / D, column_rate=1 / D)
    assert fast[1] == pytest.approx(D * (log(m) + log(n) + 0.5) / T)
    lengths = D * (sqrt(m - 1) + sqrt(n - 1)) / sqrt(T)
    assert at("rm", m, n, T, alternate=True)[1] == pytest.approx(lengths)
    assert at("rm+", m, n, T, power=1)[1] == pytest.approx(2 * lengths * T / (T + 1))
    assert 2.98 * lengths < at("rm+", m, n, T, alternate=True, power=2)[1] < 3 * lengths
    assert 1.99 * lengths < at("prm+", m, n, T)[1] < 2 * lengths


def test_a_horizon_that_was_missed_is_not_promised():
    """Rates tuned for 100 rounds promise less after 400 than rates tuned for 400 do."""
    rate = sqrt(8 * log(5) / 100)
    late = by_hedge.bound(GameLedger(400.0, 400.0), NOBODY, GameFacts(5, 5, "hedge", **both(rate), **wide(1.0)))
    assert late == pytest.approx(2 * (log(5) / rate / 400 + rate / 8))
    assert late > 2 * sqrt(log(5) / 800)


def both(rate):
    return {"row_rate": rate, "column_rate": rate}


def wide(spread):
    return {"row_spread": spread, "column_spread": spread}


def test_the_share_of_the_last_round_is_its_weight_over_all():
    """1, 2 / (T + 1) and 6 T / ((T + 1)(2 T + 1)) are the last weights over their sums."""
    for power in POWERS:
        for rounds in (1, 2, 7, 100):
            weights = np.arange(1, rounds + 1) ** power
            assert weight_share(rounds, power) == pytest.approx(weights[-1] / weights.sum())


def test_nothing_is_promised_of_turns_that_may_cost():
    """Predictive players, and Hedge at falling rates, who take turns are promised nothing before the first round."""
    assert at("prm+", 3, 3, 10, alternate=True) is None
    assert at("hedge", 3, 3, 10, alternate=True) is None
    assert at("optimistic-hedge", 3, 3, 10, alternate=True, **both(0.1)) is None
    assert at("hedge", 3, 3, 10, alternate=True, **both(0.1)) is not None
    assert at("simplex", 3, 3, 10) is None


def test_what_turns_cost_is_added():
    """A bound beforehand of a run in which taking turns cost something is larger by that, per round."""
    known_facts = GameFacts(3, 4, "prm+", alternate=True, **wide(2.0))
    book = GameLedger(10.0, 10.0, 1.0)
    for cost in (-5.0, 0.0, 5.0):
        value = matching.bound(replace(book, turn=cost), NOBODY, known_facts)
        assert value == pytest.approx(matching.bound(book, NOBODY, known_facts) + max(0.0, cost) / 10)


# ---- where an assumption fails, so may the bound, and the certificate says so


def why(method, theorem, book=None, **known):
    known_facts = GameFacts(**({"rows": 3, "columns": 4, "method": method} | wide(2.0) | known))
    book = book or GameLedger(10.0, 10.0, 1.0)
    return theorem.certify(book, [GameComparator(detail={"row_gain": 0.0, "column_gain": 0.0})], known_facts).why or ""


def test_a_theorem_whose_assumption_fails_says_which():
    """No rounds, weights, unknown ranges, zero starts, fast rates, and games that are not zero-sum are each named."""
    assert "no round" in why("rm", regret_identity, GameLedger())
    assert "alike" in why("hedge", by_hedge, power=1)
    assert "may differ" in why("hedge", by_hedge, row_spread=nan)
    assert "may differ" in why("rm+", matching, column_spread=nan)
    assert "no weight" in why("hedge", by_hedge, row_information=float("inf"))
    assert "at most 1 over" in why("optimistic-hedge", optimistic, **both(0.6))
    assert why("optimistic-hedge", optimistic, **both(0.5)) == ""
    assert "constant rates" in why("optimistic-hedge", optimistic)
    assert "negative" in why("rm", matching, power=2)
    assert "negative" in why("rm", final_regrets, power=1)
    assert "zero-sum" in why("rm", squares, zero_sum=False)
    assert "no room" in why("rm", squares, **wide(1e-200))
    assert "no room" in why("optimistic-hedge", changes, **(both(1.0) | wide(1e200)))
    assert "no claim" in why("linear-programming", complementary)
    assert "basic" in why("interior-point", basic_support)
    assert "at once" in why("rm", coarse, alternate=True)


def test_weights_would_break_the_bounds_that_refuse_them():
    """RM and Hedge with later rounds counting for more leave gaps above the bounds for equal weights."""
    run = slow([[0, 2], [1, 0], [1, 1]], "rm", 29, power=1)
    assert not run.certify(final_regrets).applies
    assert run.ledger.gap > 3 * final_regrets.bound(run.ledger, run.answers, run.facts)
    run = slow([[-2, -1], [0, -2]], "hedge", 39, power=2, schedule=0.5)
    assert not run.certify(by_hedge).applies
    assert run.ledger.gap > 1.1 * by_hedge.bound(run.ledger, run.answers, run.facts)


def test_turns_belong_into_the_identity():
    """With turns both regrets alone are not the gap: they exceed it by what moving second was worth."""
    run = slow([[1, 2, -1], [2, -2, 2], [-1, 2, -1]], "rm+", 40, alternate=True)
    regrets = (run.ledger.row_regret + run.ledger.column_regret) / run.ledger.weight
    assert run.ledger.turn < -1
    assert regrets > run.ledger.gap + 0.1
    assert run.certify(regret_identity).bound == pytest.approx(run.ledger.gap, abs=1e-10)


# ---- misprints of the notes


def test_the_printed_equilibrium_is_not_one_of_the_printed_game(oracles):
    """By Definition 8.2 player 1 loses M, at least 2; the inequalities of 8.4 hold at another pair, worth 3."""
    one = case(oracles, "game/Def 8.4 sign clash")
    M = np.array(one["input"]["M"], float)
    game = MatrixGame.from_losses(M)
    p, q = (np.array(side, float) for side in one["expected"]["equilibrium_8_2"])
    assert game.value == pytest.approx(one["expected"]["min_p_max_q"])
    assert game.gap(p, q) == pytest.approx(0)
    wrong_p, wrong_q = (np.array(side, float) for side in one["expected"]["equilibrium_printed_8_4"])
    assert (wrong_p @ M @ wrong_q) >= (M @ wrong_q).max()  # what 8.4 asks of player 1 with M, and of player 2 with -M
    assert (-wrong_p @ M @ wrong_q) >= (-wrong_p @ M).max()
    assert game.gap(wrong_p, wrong_q) > 1
    assert MatrixGame(M).value == pytest.approx(one["expected"]["max_p_min_q"])


def test_the_regret_of_one_player_does_not_bound_the_gap():
    """The printed proof has one regret; the gap is the sum of both, and larger than either."""
    run = slow([[0, 1], [1, 0.25]], "hedge", 4, schedule=0.5)
    assert run.ledger.gap > run.ledger.row_regret / 4 + 0.01
    assert run.ledger.gap > run.ledger.column_regret / 4 + 0.01
    assert run.ledger.gap == pytest.approx((run.ledger.row_regret + run.ledger.column_regret) / 4)


def test_payoffs_outside_the_unit_interval_need_their_range():
    """At the rate for losses in [0, 1] the printed bound fails for losses up to 20; the one with their range holds."""
    A, T = np.array([[20.0, 0.0], [0.0, 11.0]]), 50
    rate = sqrt(8 * log(2) / T)
    run = slow(A, "hedge", T, schedule=rate * 20)
    assert run.facts.row_rate == pytest.approx(rate)
    as_printed = 2 * sqrt(log(2) / (2 * T))
    assert run.ledger.gap > 2 * as_printed
    assert run.certify(by_hedge).holds


def test_the_worked_self_play_comes_out(oracles):
    """Four rounds of Hedge: averages, both ends, the gap and both regrets are those worked out by hand."""
    one = case(oracles, "game/hedge selfplay 2x2 T4")
    M, expected = np.array(one["input"]["M"]), one["expected"]
    p, q, lower, upper = von_neumann(M, one["input"]["T"], one["input"]["eta"])
    np.testing.assert_allclose(p, expected["avg_p"], rtol=1e-12)
    np.testing.assert_allclose(q, expected["avg_q"], rtol=1e-12)
    assert (lower, upper) == pytest.approx((expected["lower"], expected["upper"]), rel=1e-12)
    run = slow(-M, "hedge", one["input"]["T"], schedule=one["input"]["eta"])
    regrets = {run.ledger.row_regret, run.ledger.column_regret}
    assert sorted(regrets) == pytest.approx(sorted([expected["reg1"], expected["reg2"]]), rel=1e-12)
    assert run.certify(regret_identity).bound == pytest.approx(expected["gap"], rel=1e-9)


def test_the_worked_regret_matching_comes_out(oracles):
    """Five rounds of regret matching are those worked out in fractions."""
    one = case(oracles, "game/regret matching T5")
    M, expected = np.array(one["input"]["M"], float), one["expected"]
    p, q = textbook_play(-M, regret_matching(3), regret_matching(3), one["input"]["T"])
    np.testing.assert_allclose(p, [float(Fraction(x)) for x in expected["avg_p"]], rtol=1e-12)
    np.testing.assert_allclose(q, [float(Fraction(x)) for x in expected["avg_q"]], rtol=1e-12)
    assert (p @ M).max() == pytest.approx(float(Fraction(expected["upper"])))


def test_the_textbook_closes_in_on_an_equilibrium():
    """After a thousand rounds RM+ in turns with quadratic weights has a gap below a thousandth, and RM has not."""
    A = np.random.default_rng(0).uniform(-1, 1, (8, 6))
    fast = textbook_play(A, regret_matching_plus(8), regret_matching_plus(6), 1000, alternate=True, power=2)
    plain = textbook_play(A, regret_matching(8), regret_matching(6), 1000)
    assert gap(A, *fast) < 1e-3 < gap(A, *plain)


# ---- what is said of solutions


def test_every_solution_has_weak_duality():
    """Of strategies that nobody vouches for the larger gain by deviating is still bounded by the gap, and attained."""
    A = np.random.default_rng(1).normal(size=(4, 6))
    p, q = np.array([1.0, 0, 0, 0]), np.full(6, 1 / 6)
    lower, upper = float((p @ A).min()), float((A @ q).max())
    (one,) = certificates(RawSolution(p, q, "by hand", 0), Payoffs(A), lower, upper)
    assert one.theorem is weak_duality
    gains = upper - p @ A @ q, p @ A @ q - lower
    assert one.observed == pytest.approx(max(gains))
    assert one.bound == pytest.approx(sum(gains))
    assert one.describe()["comparator"]["detail"]["row_gain"] == pytest.approx(gains[0])


def test_an_optimal_basis_claims_nothing_but_rounding():
    """The line of an exact method is true as it is printed, and its supports are no larger than the smaller side."""
    A = np.random.default_rng(2).normal(size=(30, 8))
    solution = MatrixGame(A).solve("simplex")
    lines = {one.theorem.name: one for one in solution.certificates}
    assert lines["complementary"].observed <= lines["complementary"].bound < 1e-12
    assert lines["basic_support"].observed <= 8
    assert all(one.applies and one.holds for one in solution.certificates)


def test_a_false_claim_is_found_out():
    """Strategies that are said to be optimal and are not violate the certificate."""
    A = np.array([[1.0, -1.0], [-1.0, 1.0]])
    claimed = RawSolution(np.array([0.9, 0.1]), np.array([0.5, 0.5]), "simplex", 1, 0.0)
    by_name = {one.theorem.name: one for one in certificates(claimed, Payoffs(A), -0.8, 0.0)}
    assert by_name["complementary"].violated
    assert not by_name["weak_duality"].violated


def test_small_payoffs_are_no_excuse():
    """Of payoffs of 1e-13 a claim that is below the gap is found out as well."""
    A = 1e-13 * np.array([[1.0, -1.0], [-1.0, 1.0]])
    claimed = RawSolution(np.array([0.9, 0.1]), np.array([0.5, 0.5]), "simplex", 1, 0.3e-13)
    by_name = {one.theorem.name: one for one in certificates(claimed, Payoffs(A), -0.8e-13, 0.0)}
    assert by_name["complementary"].violated
    assert "8e-14 EXCEEDS 3e-14" in str(by_name["complementary"])


def test_a_linear_program_makes_no_claim():
    """The message about a solution by HiGHS is weak duality alone."""
    solution = MatrixGame([[1.0, -1.0], [-1.0, 1.0]]).solve("linear-programming")
    assert [one.theorem for one in solution.certificates] == [weak_duality]


def test_single_precision_is_read_in_blocks(monkeypatch):
    """What float32 strategies are worth against each other is the same in blocks of rows as in one piece."""
    A = np.random.default_rng(13).uniform(-1, 1, (90, 70)).astype(np.float32)
    solution = self_play(Payoffs(A), "rm+", rounds=20)
    interval = MatrixGame(A).interval(solution.row, solution.column)
    gains = []
    for block in (1, 1000, 1 << 22):
        monkeypatch.setattr("regretless.games.certificates.BLOCK", block)
        lines = certificates(solution, Payoffs(A), *interval)
        assert not any(one.violated for one in lines)
        gains.append(lines[0].observed)
    worth = solution.row @ A.astype(np.float64) @ solution.column
    expected = max(interval[1] - worth, worth - interval[0])
    assert gains == pytest.approx([expected] * 3, rel=1e-9)


def test_products_too_small_for_squares_are_reported_by_the_run():
    """Of a linear operator with payoffs of 1e-200 squares that were lost are not relied on."""
    from scipy.sparse.linalg import aslinearoperator

    A = np.random.default_rng(14).uniform(-1, 1, (6, 8))
    for scale, has_room in ((1e-200, False), (1e-30, True), (1e30, True)):
        for method in ("rm", "rm+", "prm+"):
            for one in MatrixGame(aslinearoperator(scale * A)).solve(method, rounds=3).certificates:
                assert not one.violated, str(one)
                if one.theorem.name == "squares":
                    assert one.applies == has_room


@pytest.mark.parametrize("method", METHODS)
def test_a_self_play_is_certified(method):
    """Of a compiled self-play all theorems that apply hold, among them the identity, and the gap is computed afresh."""
    A = np.random.default_rng(4).uniform(-1, 1, (12, 9))
    solution = MatrixGame(A).solve(method, rounds=300)
    assert [one.theorem for one in solution.certificates] == list(BY_METHOD[method])
    assert all(one.applies and one.holds for one in solution.certificates)
    identity = next(one for one in solution.certificates if one.theorem is regret_identity)
    assert identity.observed == solution.gap
    assert identity.bound == pytest.approx(solution.gap, rel=1e-6)


def test_few_rounds_say_nothing_and_that_is_reported():
    """A bound that is no smaller than the range of the payoffs is marked as vacuous, in words and in JSON."""
    A = np.random.default_rng(5).uniform(-1, 1, (12, 9))
    payoffs = Payoffs(A)
    solution = self_play(payoffs, "rm+", rounds=3)
    lines = certificates(solution, payoffs, *MatrixGame(A).interval(solution.row, solution.column))
    early = next(one for one in lines if one.theorem is matching)
    assert isinstance(early, GameCertificate)
    assert early.vacuous
    assert early.describe()["vacuous"]
    assert "no better than the range of the payoffs" in str(early)
    late = self_play(payoffs, "rm+", rounds=3000)
    lines = certificates(late, payoffs, *MatrixGame(A).interval(late.row, late.column))
    assert not any(one.vacuous for one in lines)


def test_the_line_of_a_picture_is_the_theorem():
    """The promise after any number of rounds is what the certificate of a run of that length says."""
    payoffs = Payoffs(np.random.default_rng(6).uniform(-1, 1, (5, 6)))
    for method in METHODS:
        solution = self_play(payoffs, method, rounds=50)
        line = gap_bound(solution, payoffs)
        certificate = next((one for one in certificates(solution, payoffs, 0, 0) if one.theorem in BEFOREHAND), None)
        if method == "prm+":
            assert line is None
            continue
        title, after = line
        assert title == certificate.theorem.title
        assert after(50) == pytest.approx(certificate.bound, rel=1e-9)
        assert after(10) > after(50) or method == "hedge"
    assert gap_bound(RawSolution(np.ones(5) / 5, np.ones(6) / 6, "simplex", 1), payoffs) is None


def test_of_products_alone_no_range_is_known():
    """Where only products are known the bounds beforehand do not apply, and those read from the run do."""
    from scipy.sparse.linalg import aslinearoperator

    A = np.random.default_rng(7).uniform(-1, 1, (6, 5))
    solution = MatrixGame(aslinearoperator(A)).solve("rm+", tolerance=1e-2)
    by_name = {one.theorem.name: one for one in solution.certificates}
    assert "may differ" in by_name["matching"].why
    assert by_name["final_regrets"].holds
    assert by_name["regret_identity"].holds
    assert not any(one.violated for one in solution.certificates)


def test_single_precision_is_allowed_for():
    """No certificate is violated by a ledger of products in less than double precision."""
    A = np.random.default_rng(8).uniform(-1, 1, (300, 200)) + 1
    payoffs = Payoffs(A)
    solution = self_play(payoffs, "rm+", rounds=400, single=True)
    lower, upper = MatrixGame(A).interval(solution.row, solution.column)
    lines = certificates(solution, payoffs, lower, upper)
    assert not any(one.violated for one in lines)
    assert all(one.observed <= one.bound for one in lines)


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e30, 1e150])
@pytest.mark.parametrize("method", METHODS)
def test_no_unit_of_payoffs_breaks_a_certificate(method, scale):
    """In units in which squares have no room in floats the same theorems hold, but for those that read squares."""
    A = np.random.default_rng(12).uniform(-1, 1, (6, 7))
    plain, scaled = (MatrixGame(A * unit).solve(method, rounds=60) for unit in (1.0, scale))
    for one, other in zip(plain.certificates, scaled.certificates, strict=True):
        assert one.theorem is other.theorem
        if other.applies:
            assert other.observed <= other.bound
            assert other.bound == pytest.approx(one.bound * scale, rel=1e-6)
        else:
            assert "no room" in other.why


def test_a_start_is_counted_by_its_least_probability():
    """Hedge that begins with a given strategy pays for the least of its probabilities, and keeps to its bound."""
    A = np.random.default_rng(9).uniform(-1, 1, (4, 4))
    start = np.array([0.97, 0.01, 0.01, 0.01]), np.array([0.25, 0.25, 0.25, 0.25])
    payoffs = Payoffs(A)
    solution = self_play(payoffs, "hedge", rounds=200, start=start)
    known_facts = facts(solution, payoffs)
    assert known_facts.row_information == pytest.approx(-log(0.01))
    assert isnan(known_facts.column_information) or known_facts.column_information == pytest.approx(log(4))
    assert players(solution.ledger, known_facts)[0].information == pytest.approx(-log(0.01))
    assert all(
        one.holds for one in certificates(solution, payoffs, *MatrixGame(A).interval(solution.row, solution.column))
    )


@pytest.mark.parametrize("method", METHODS)
def test_play_of_two_matrices_is_certified(method):
    """Of a compiled play in which both may win the gains afresh from the joint distribution are within every bound."""
    rng = np.random.default_rng(10)
    A, B = rng.uniform(-1, 1, (4, 5)), rng.uniform(-2, 1, (4, 5))
    joint = np.zeros((4, 5))
    solution = self_play(Payoffs(A), method, rounds=200, column_payoffs=Payoffs(B), joint=joint)
    row_gain = float((A @ joint.sum(0)).max() - (A * joint).sum())
    column_gain = float((joint.sum(1) @ B).max() - (B * joint).sum())
    lines = coarse_certificates(solution, Payoffs(A), Payoffs(B), row_gain, column_gain)
    assert [one.theorem for one in lines] == list(COARSE[method])
    assert all(one.applies and one.holds for one in lines)
    assert lines[0].bound == pytest.approx(lines[0].observed, rel=1e-6)
    assert coarse_certificates(RawSolution(A[:, 0], A[0], "simplex", 1), Payoffs(A), Payoffs(B), 0.0, 0.0) == []


def test_optimistic_players_are_certified_by_what_they_saw():
    """The bound by changes and moves is at most that by changes alone, and below the one beforehand."""
    A = np.random.default_rng(11).uniform(-1, 1, (6, 6))
    run = slow(A, "optimistic-hedge", 200)
    observed = run.certify(changes).bound
    D = run.facts.row_spread
    halves = (run.ledger.row_shift + run.ledger.column_shift) / (2 * D)
    assert observed <= (2 * D * log(6) + halves) / 200 + 1e-9
    assert run.ledger.gap <= observed <= run.certify(optimistic).bound
