"""What a log proves of a policy at all times: numbers known by hand, the second formulas, and what would be false."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.bandits import Choices, Exp3, Randomised, Stated, evaluate_learner, evaluate_policy
from regretless.bandits.off_policy.anytime import Guessed, PolicyBets, WeightedRounds
from regretless.data.logged import Log
from regretless.errors import RegretlessError
from regretless.textbook import off_policy as textbook
from regretless.theory.confidence import PLAYED, Confidence, Rivals, log_mean
from regretless.theory.off_policy import (
    NOT_ALL,
    NOT_REFUTED,
    POSSIBLE,
    RATES,
    WEIGHT_RATES,
    ExcessLedger,
    ValueLedger,
    least_mean,
    means_left,
    policy_excess,
    policy_value,
    value_interval,
    weights_refused,
)
from regretless.verify.formulas import FORMULAS

from ..known import Assumes, Breaks, Known, first_of_each, known, refuses, says_its_number

Array = np.ndarray[Any, Any]


def refused_up_to(mean: float, evidence: float, rounds: int = 10) -> Array:
    """Sums with which every bet has so much evidence against this mean, and so less against those above it."""
    return rounds * np.log1p(RATES * mean) + np.log(evidence)


# 2 / 0.1 = 20 refuses up to 1/4 and from 1 - 3/8 on; 3 / 0.1 = 30 refuses that A is better by less than 1/4.
WEIGHTS = 10 * np.log1p(WEIGHT_RATES)  # all of them 1
VALUE = ValueLedger(10, 0.5, refused_up_to(0.25, 20), refused_up_to(0.375, 20), 2.0, WEIGHTS)
EXCESS = ExcessLedger(10, refused_up_to(1.25, 30), 3, 2.0)
CASES = [
    Known(policy_value, VALUE, None, Confidence(0.1), 0.5),
    Known(policy_value, replace(VALUE, estimate=0.25), None, Confidence(0.1), 0.75),
    Known(policy_excess, EXCESS, Rivals("a", "b"), Confidence(0.1), -0.5),
]
ASSUMES: Assumes = [((policy_value,), (PLAYED, POSSIBLE, NOT_ALL)), ((policy_excess,), (PLAYED, NOT_REFUTED))]
BREAKS: Breaks = {
    PLAYED[0]: [{"ledger.rounds": 0}],
    POSSIBLE[0]: [{"ledger.weights": WEIGHTS + np.log(10.001)}],
    NOT_ALL[0]: [
        {"ledger.gains": refused_up_to(0.7, 20)},
        {"ledger.gains": refused_up_to(1.0, 21), "ledger.losses": np.zeros(len(RATES))},
        {"ledger.gains": np.zeros(len(RATES)), "ledger.losses": refused_up_to(1.0, 21)},
    ],
    NOT_REFUTED[0]: [{"ledger.refuted": True}, {"ledger.sums": refused_up_to(2.0, 31)}],
}


@known(CASES)
def test_a_theorem_says_its_number(case: Known) -> None:
    """Of a range of width 2 an estimate of 1/2 is at most 1/4 of it from ends at 1/4 and 5/8, one of 1/4 at most 3/8;
    and a policy that is better by at least 1/4 has an excess of at most -1/2."""
    says_its_number(case)


@known(first_of_each(CASES))
def test_an_assumption_that_fails_is_named(case: Known) -> None:
    """Without rounds there is no number, nor where weights are too large, the ends have crossed, or one refuses
    where the other stops."""
    refuses(case, ASSUMES, BREAKS)


def test_the_second_formulas_agree() -> None:
    """`verify` computes the same bounds from the numbers of a report."""
    for case in CASES:
        constants = case.theorem.certify(case.ledger, [case.comparator], case.learner).constants
        assert constants is not None
        again = FORMULAS[case.theorem.name](*(constants[of] for of in ("ledger", "comparator", "learner")))
        assert again == pytest.approx(case.bound, rel=1e-9)
        assert FORMULAS[case.theorem.name].kind == case.theorem.kind


def some_rounds(size: int, seed: int = 0) -> WeightedRounds:
    """Rounds of three actions, with a control variate that no weight of 5 exceeds."""
    generator = np.random.default_rng(seed)
    chances, policy, means = np.array([0.2, 0.3, 0.5]), np.array([0.7, 0.3, 0.0]), np.array([0.8, 0.5, 0.3])
    actions = generator.choice(3, size, p=chances)
    rewards = (generator.random(size) < means[actions]).astype(float)
    guesses = tuple(
        Guessed(np.full(size, policy @ guess), guess[actions], np.full(size, guess.max()))
        for guess in (means, 1 - means)
    )
    return WeightedRounds(
        rewards, policy[actions] / chances[actions], actions, chances[actions], (guesses[0], guesses[1])
    )


def part(rounds: WeightedRounds, here: slice) -> WeightedRounds:
    """Some of them."""
    guesses = rounds.guesses and tuple(
        Guessed(one.expected[here], one.logged[here], one.largest[here]) for one in rounds.guesses
    )
    whole = (getattr(rounds, name)[here] for name in ("rewards", "weights", "actions", "propensities"))
    return WeightedRounds(*whole, guesses, None if rounds.situations is None else rounds.situations[here])


def test_the_interval_is_that_of_the_textbook() -> None:
    """The ends are those of the printed products after each round, without a control variate."""
    rounds = replace(some_rounds(30), guesses=None)
    bets, ends = PolicyBets("p", "abc"), []
    for t in range(30):
        bets.add(part(rounds, slice(t, t + 1)))
        ends.append(bets.interval(0.2))
    np.testing.assert_allclose(ends, textbook.policy_interval(rounds.rewards, rounds.weights, 0.2), atol=1e-12)


def test_the_control_variate_is_that_of_the_textbook() -> None:
    """The lower end with a control variate is that of the printed products of the terms of each rate."""
    rounds = some_rounds(40)
    assert rounds.guesses is not None
    mine = rounds.guesses[0]
    terms = [
        textbook.controlled(*map(float, one), 5.0)
        for one in zip(rounds.rewards, rounds.weights, mine.logged, mine.expected, mine.largest, strict=True)
    ]
    bets = PolicyBets("p", "abc", most_weight=5.0)
    bets.add(rounds)
    low = textbook.largest_refused(np.array(terms).T.tolist(), 1.0, 0.1)
    assert bets.interval(0.2)[0] == pytest.approx(low, abs=1e-12)


@pytest.mark.parametrize("least", [None, 0.2])
def test_parts_of_any_size_have_the_same_bits(least) -> None:
    """The sums after three parts are those after one."""
    rounds = replace(some_rounds(200), situations=np.arange(200) % 3)
    whole, parts = (PolicyBets("p", "abcd", most_weight=5.0, least=least, situations=3) for _ in range(2))
    whole.add(rounds)
    for here in (slice(0, 7), slice(7, 150), slice(150, None)):
        parts.add(part(rounds, here))
    for name in ("gains", "falls", "over_log", "over_actions"):
        assert np.array_equal(getattr(whole, name), getattr(parts, name)), name
    assert whole.course(0.1) == parts.course(0.1)


@pytest.mark.parametrize("known", [False, True])
def test_comparisons_with_actions_are_the_printed_products(known) -> None:
    """The sums against each action are those of the terms of the proof, round by round: with the guess of what an
    action lacks where it came before in the situation, and no factor is below 1/4."""
    rounds = replace(some_rounds(40), situations=np.arange(40) % 2)
    rounds = rounds if known else replace(rounds, guesses=None)
    bets = PolicyBets("p", "abcd", most_weight=5.0, least=0.2, situations=2)
    bets.add(rounds)
    names, missed, sums = set(), [], np.zeros((4, len(RATES)))
    for t, (r, w, a, p) in enumerate(
        zip(rounds.rewards, rounds.weights, rounds.actions, rounds.propensities, strict=True)
    ):
        guess = (sum(missed) + 0.5) / (t + 1)
        mine = rounds.guesses[0] if rounds.guesses else Guessed(*np.zeros((3, 40)))
        for k, u in ((k, u) for k in range(4) for u in RATES):
            v, share = (a == k) / p, min(1.0, 0.75 / (u * (5.0 * mine.largest[t] + guess / 0.2)))
            control = mine.expected[t] - w * mine.logged[t] + guess - v * guess if (t % 2, k) in names else 0.0
            factor = 1 + u * (w * r + v * (1 - r) + share * control)
            assert factor >= 0.25
            sums[k, list(RATES).index(u)] += np.log(factor)
        names.add((t % 2, a))
        missed.append(1 - r)
    np.testing.assert_allclose(bets.over_actions, sums, rtol=1e-9, atol=1e-11)


def test_nothing_is_guessed_of_an_action_that_never_came() -> None:
    """An action that the log never draws has the sums that it has without a guess: with one they would be larger, and
    claim more than the log can know."""
    rounds = some_rounds(300)
    plain, guessed = (PolicyBets("p", "abcd", most_weight=5.0, least=least) for least in (None, 0.2))
    plain.add(rounds)
    guessed.add(rounds)
    np.testing.assert_allclose(guessed.over_actions[3], plain.over_actions[3])
    assert (guessed.over_actions[2] > plain.over_actions[2]).any()
    assert (guessed._others > plain.over_actions[3]).all()


def test_comparisons_with_rare_rewards_hold_and_say_something() -> None:
    """Of 50 logs with rewards of 0.02 for each of five actions, at most 5 have a line at 0.1 that the truth exceeds,
    and on average the line is lower by 0.1 than without a guess."""
    bounds, chances = [], np.array([0.1, 0.1, 0.2, 0.3, 0.3])
    for seed in range(50):
        generator = np.random.default_rng(seed)
        actions = generator.choice(5, 300, p=chances)
        rewards = (generator.random(300) < 0.02).astype(float)
        each = [PolicyBets("p", "abcde", least=least) for least in (0.1, None)]
        for one in each:
            one.add(WeightedRounds(rewards, 0.2 / chances[actions], actions, chances[actions]))
        least = least_mean([one.over_actions for one in each], [[300] * 5] * 2, 2.0, 0.1 / 5)
        bounds.append(1 - least.min(axis=1))
    mine, plain = np.array(bounds).T
    assert (mine < 0).sum() <= 5
    assert mine.mean() < plain.mean() - 0.1


@pytest.mark.parametrize("losses", [False, True])
def test_each_look_of_the_course_is_the_interval_of_that_time(losses) -> None:
    """The course has the interval that there was after so many rounds, and says whether the policy was better."""
    rounds, whole = some_rounds(300), PolicyBets("p", "abc", (-1.0, 1.0), losses=losses, most_weight=5.0)
    whole.add(rounds)
    course = whole.course(0.1)
    assert [course[0].rounds, course[-1].rounds] == [4, 300]
    for look in (course[3], course[-4], course[-1]):
        then = PolicyBets("p", "abc", (-1.0, 1.0), losses=losses, most_weight=5.0)
        then.add(part(rounds, slice(0, look.rounds)))
        assert (look.low, look.high) == pytest.approx(then.interval(0.1))
        assert look.better is (then.certify(0.1)[1].bound < 0)
    assert course[-1].better
    assert not course[0].better


@given(
    st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(1, 1000), st.floats(0.001, 1)
)  # fmt: skip
def test_no_factor_is_negative_whatever_is_guessed(reward, guess, share, most_weight, largest) -> None:
    """With a control variate 1 + u x is at least 1/4 at each rate, though its share is 1 at the small rates."""
    guess, weight = guess * largest, share * most_weight
    terms = textbook.controlled(reward, weight, guess, 0.0, largest, most_weight)
    assert min(1 + u * x for u, x in zip(RATES, terms, strict=True)) >= 0.25 - 1e-12
    smallest = weight * reward - weight * guess
    assert terms[-1] == pytest.approx(smallest, abs=1e-9)


def test_the_whole_control_variate_at_each_rate_would_lose_more_than_there_is() -> None:
    """With a share of 1 at the largest rate a weight of 5 makes the factor of a round negative."""
    assert 1 + RATES[0] * (5 * 0.0 - 5 * 0.8) < 0 <= 1 + RATES[0] * textbook.controlled(0, 5, 0.8, 0, 0.8, 5)[0]


@pytest.mark.parametrize("chances", [[0.25, 0.25, 0.5], [0.25, 0.75, 0.0]])
def test_a_control_variate_changes_no_expectation(chances) -> None:
    """Over actions and rewards of 0 and 1 the mean of x at each rate is that of the weighted reward, also where the log
    never draws an action of the policy, of which 0 is guessed."""
    policy, means = np.array([0.2, 0.4, 0.4]), np.array([0.9, 0.3, 0.6])
    guesses = np.where(np.array(chances) > 0, [0.8, 0.1, 0.7], 0.0)
    expected, plain = np.zeros(len(RATES)), 0.0
    for action in np.flatnonzero(chances).tolist():
        weight = policy[action] / chances[action]
        for reward, chance in ((1.0, means[action]), (0.0, 1 - means[action])):
            likely = chances[action] * chance
            terms = textbook.controlled(reward, weight, guesses[action], float(policy @ guesses), guesses.max(), 1.6)
            expected += likely * np.array(terms)
            plain += likely * weight * reward
    assert expected == pytest.approx(np.full(len(RATES), plain), abs=1e-12)


def test_the_average_of_means_that_move_is_bounded_and_not_one_of_them() -> None:
    """The capital against the average of means that differ is at most that against the means themselves."""
    means = np.array([0.1, 0.9, 0.2, 0.6])
    against = np.log1p(RATES * means[:, None]).sum(axis=0)
    assert (against <= 4 * np.log1p(RATES * means.mean()) + 1e-12).all()
    assert (against > 4 * np.log1p(RATES * means.min())).all()


def left_at_some_time(runs: int, rounds: int, least: float, alpha: float) -> int:
    """In how many runs the interval of a policy with weights of up to 1 / least ever misses its value, 1/2."""
    generator = np.random.default_rng(5)
    chances = np.array([least, 0.3, 0.7 - least])
    policy, means = np.array([0.25, 0.5, 0.25]), np.array([0.8, 0.4, 0.4])
    actions = generator.choice(3, (runs, rounds), p=chances)
    rewards = generator.random((runs, rounds)) < means[actions]
    weights = (policy / chances)[actions]
    refused = np.zeros(runs, dtype=bool)
    times = np.arange(1, rounds + 1)[:, None]
    for run in range(runs):
        for good, mean in ((rewards[run], 0.5), (~rewards[run], 0.5)):
            sums = np.cumsum(np.log1p(RATES * (weights[run] * good)[:, None]), axis=0)
            refused[run] |= bool((log_mean(sums - times * np.log1p(RATES * mean)) >= -np.log(alpha / 2)).any())
    return int(refused.sum())


def test_the_interval_is_left_at_some_time_in_no_more_runs_than_alpha() -> None:
    """With weights of up to 1,000 the value is refused at one of 400 looks in at most 20 % of 150 runs."""
    assert left_at_some_time(150, 400, 0.00025, 0.2) <= 30


def logged(size: int = 2000, seed: int = 1, losses: bool = False, least: float | None = None) -> Log:
    """A log of two situations, in which b is better in the first and a in the second."""
    generator = np.random.default_rng(seed)
    places, chances = generator.integers(0, 2, size), np.array([0.5, 0.5])
    actions = generator.choice(2, size, p=chances)
    good = generator.random(size) < np.array([[0.2, 0.8], [0.8, 0.2]])[places, actions]
    rewards = (1 - good) if losses else good
    return Log.of(np.array(["a", "b"])[actions], 0.5, rewards, contexts=places, losses=losses, least=least)


@pytest.mark.parametrize("losses", [False, True])
def test_a_policy_that_is_better_is_shown_to_be(losses) -> None:
    """By the situation the right action gives 0.8, against 0.5 of the log's policy and of each action alone: both
    lines are below 0, and no less than what is true."""
    evaluation = evaluate_policy(logged(losses=losses), [[0, 1], [1, 0]], name="best")
    value, over_log, over_actions = evaluation.certify()
    assert value.at_once
    assert -0.3 <= over_log.bound < -0.2
    assert -0.3 <= over_actions.bound < -0.15
    shown = [line.partition(",")[0] for line in evaluation.better_than()]
    assert shown[0] == f"best {'loses less' if losses else 'earns more'} than the policy of the log"
    assert "than always the same action (that is nearest: " in shown[1]


def test_losses_are_rewards_upside_down() -> None:
    """The interval of losses is that of rewards, from 1 downwards."""
    low, high = evaluate_policy(logged(), {"a": 1.0}).bets.interval(0.05)
    assert evaluate_policy(logged(losses=True), {"a": 1.0}).bets.interval(0.05) == pytest.approx((1 - high, 1 - low))


def test_a_bound_on_weights_narrows_the_interval() -> None:
    """With the least propensity declared the doubly robust terms enter, and the interval is narrower by a tenth."""
    widths = []
    for least in (None, 0.5):
        anytime = evaluate_policy(logged(least=least), [[0, 1], [1, 0]]).estimates["anytime"]
        widths.append(anytime.high - anytime.low)
    assert widths[1] < 0.9 * widths[0]


def test_several_policies_share_delta() -> None:
    """Of four policies each interval is at a quarter of delta, and so are its lines."""
    four, one = (evaluate_policy(logged(), {"a": 1.0}, delta=delta, together=n) for delta, n in ((0.2, 4), (0.05, 1)))
    assert four.estimates["anytime"] == one.estimates["anytime"]
    assert {line.confidence for line in four.certify()} == {0.95}


def test_the_policy_of_the_log_is_that_of_its_propensities() -> None:
    """As its own policy each round has a weight of 1, and it is compared with always the same action alone."""
    log = logged()
    evaluation = evaluate_policy(log, Stated(log.propensities), name="the policy of the log")
    assert evaluation.estimates["ips"].value == pytest.approx(log.rewards.mean())
    assert "dr" not in evaluation.estimates
    assert [one.theorem.name for one in evaluation.certify()] == ["policy_value", "policy_excess"]


def test_choices_are_a_policy_of_zeros_and_ones() -> None:
    """A policy that names its action in each round has the estimates of the table that says the same."""
    log = logged()
    names = ["b" if place == 0 else "a" for place in log.contexts]
    named, table = (evaluate_policy(log, one, seed=3).estimates for one in (Choices(names), [[0, 1], [1, 0]]))
    assert named == table


def test_an_interval_of_a_policy_made_of_these_very_rounds_fails() -> None:
    """A policy that knows which draws were rewarded seems to earn all: its interval lies above what it earns, 1/2."""
    generator = np.random.default_rng(0)
    actions, rewards = generator.integers(0, 2, 500), generator.integers(0, 2, 500)
    log = Log.of(actions, 0.5, rewards)
    peeking = Choices(np.where(rewards == 1, actions, 1 - actions))
    assert evaluate_policy(log, peeking).bets.interval(0.01)[0] > 0.7


def test_what_the_log_never_took_may_give_anything() -> None:
    """Of an action that never came the interval is the whole range, though weights are bounded."""
    evaluation = evaluate_policy(logged(least=0.4), {"c": 1.0})
    assert evaluation.bets.interval(0.05) == (0.0, 1.0)


def test_propensities_that_are_too_small_are_refused() -> None:
    """A log whose actions were drawn with twice the propensities that it states has weights that are refused."""
    log = logged(4000)
    wrong = replace(log, propensities=log.propensities / 2)
    value = evaluate_policy(wrong, {"a": 1.0}).certify()[0]
    assert value.why == POSSIBLE[0]


def test_the_average_over_a_learner_s_policies_is_what_is_bounded() -> None:
    """Of a learner the interval holds the mean over the rounds of what its policies were worth there."""
    log = logged()
    learner = Exp3(arms=log.names, rewards=True, rate=0.05, seed=2)
    low, high = evaluate_learner(log, learner).bets.interval(0.05)
    assert low < 0.5 < high


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (Choices(["a"] * 1999 + ["z"]), r"in row 1999 \(counted from 0\), the policy takes 'z'"),
        (Randomised([[0.5, 0.6]] * 2000), r"in row 0 \(counted from 0\), these are no probabilities"),
        (Choices(["a"]), "1 actions; the log has 2,000 rounds"),
        (Stated([0.5] * 1999 + [1.5]), r"in row 1999 \(counted from 0\), the probability is 1.5"),
        (Stated([0.5]), "1 probabilities; the log has 2,000 rounds"),
    ],
)
def test_what_is_no_policy_is_refused_by_row(policy, expected) -> None:
    """An action that the log never took, a probability above 1, and too few of either are errors."""
    with pytest.raises(RegretlessError, match=expected):
        evaluate_policy(logged(), policy)


def test_the_least_mean_of_one_round_is_found_where_capitals_fall_slowly():
    """After one round with x = 5 the capital at the least mean is what alpha allows, though it falls by less than the
    mean grows there."""
    gained = np.log1p(RATES * 5.0)
    least = least_mean(gained, 1, 10.0, 0.9)
    assert log_mean(gained - np.log1p(RATES * least)) == pytest.approx(-np.log(0.9), rel=1e-12)


def test_ends_are_the_range_before_the_first_round() -> None:
    """Without rounds nothing is refused."""
    assert PolicyBets("p", "ab", (-1.0, 3.0)).interval(0.1) == (-1.0, 3.0)
    assert value_interval(ValueLedger(0, 0.5, np.zeros(len(RATES)), np.zeros(len(RATES)), 1.0, 0 * WEIGHTS), 0.1) == (
        0.0,
        1.0,
    )
    assert least_mean(np.zeros((2, len(RATES))), 0, 2.0, 0.1).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(("chance", "reward"), [(0.5, 1.0), (0.25, 0.6)])
def test_where_every_mean_is_refused_nothing_is_reported_as_better(chance: float, reward: float) -> None:
    """Of 300 rounds all but one took the same action, of a propensity that is far too small: no line applies, neither
    where the lower end stops at 1 nor where the ends cross, of this policy or compared with it."""
    log = Log.of(["a"] * 300 + ["b"], chance, [reward] * 300 + [1.0])
    evaluation = evaluate_policy(log, {"a": 1.0})
    assert [one.why for one in evaluation.certify()] == [POSSIBLE[0], NOT_REFUTED[0], NOT_REFUTED[0]]
    assert not means_left(evaluation.bets._value_ledger(0.5), 0.05)
    assert evaluation.better_than() == []
    logged_policy = evaluate_policy(log, Stated(log.propensities))
    assert logged_policy.certify()[-1].why == NOT_REFUTED[0]


def uniform_log(propensity: Any, size: int = 600) -> Log:
    """Rounds of three actions, each taken with 1/3, whatever the log says; c earns more often."""
    generator = np.random.default_rng(4)
    actions = generator.choice(3, size)
    rewards = (generator.random(size) < np.array([0.1, 0.1, 0.4])[actions]).astype(float)
    return Log.of(np.array(list("abc"))[actions], propensity, rewards)


@pytest.mark.parametrize("propensity", [1 / 30, np.where(np.arange(600) == 300, 1e-9, 1 / 3)])
@pytest.mark.parametrize("policy", [{"a": 1 / 3, "b": 1 / 3, "c": 1 / 3}, {"c": 0.9, "a": 0.1}])
def test_nothing_is_reported_by_propensities_that_are_too_small(propensity, policy) -> None:
    """Where all propensities are a tenth of the true ones, or one of them is 1e-9, the policy's value is refused, there
    is no estimate at any time, and it is better than nothing."""
    evaluation = evaluate_policy(uniform_log(propensity), policy)
    assert evaluation.refuted is not None
    assert evaluation.refuted.startswith("the weights have a mean above 1")
    assert "anytime" not in evaluation.estimates
    assert evaluation.better_than() == []
    assert evaluate_policy(uniform_log(1 / 3), policy).refuted is None


def test_no_action_is_beaten_by_propensities_that_are_too_small() -> None:
    """The policy of the log has weights of 1 whatever they are; it is compared with no action by refused weights."""
    wrong, right = (
        evaluate_policy(uniform_log(one), Stated(np.full(600, one)), name="the policy of the log").certify()[-1]
        for one in (1 / 30, 1 / 3)
    )
    assert [wrong.why, right.why] == [NOT_REFUTED[0], None]


def test_right_propensities_are_seldom_refused() -> None:
    """Of 400 logs with a weight of 20 once in twenty rounds no more are refused than delta = 1/5 lets be."""
    refused = 0
    for seed in range(400):
        weights = 20.0 * (np.random.default_rng(seed).random(200) < 0.05)
        sums = np.cumsum(np.log1p(WEIGHT_RATES * weights[:, None]), axis=0)
        refused += any(weights_refused(sums[t - 1], t, 0.2) for t in (1, 2, 5, 20, 100, 200))
    assert 0 < refused < 0.2 * 400
