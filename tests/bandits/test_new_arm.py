"""Arms that come while a bandit runs: as if they had been asleep until then, in play, in bounds and in files."""

from __future__ import annotations

from itertools import pairwise, product
from math import inf, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import regretless
from regretless.bandits import EXP3S, Exp3, Exp3IX, Exp4, Hedge
from regretless.bandits.new_arm import mean_of_inverse_squares, mean_of_weights
from regretless.bandits.state import ESTIMATES, WEIGHTS
from regretless.catalogue import BANDITS, bandit_class
from regretless.errors import ParameterError, RegretlessError
from regretless.theory.bandit_weights import sequence_information

from ..catalogue import needed_by


def advice_for(learner, rounds, arms):
    """Shares by three experts, where the learner takes them."""
    return np.random.default_rng(rounds).dirichlet(np.ones(arms), (rounds, 3)) if learner.info.advised else None


def draw_of(learner):
    """A draw among all arms."""
    advice = advice_for(learner, 1, learner.n_arms_)
    return learner.draw(advice=None if advice is None else advice[0])


def grown(name, **more):
    """A bandit of three arms after 40 rounds and two draws that wait, with a fourth arm."""
    learner = bandit_class(name)(3, seed=5, **needed_by(name, horizon=1000) | more)
    learner.play(np.random.default_rng(1).random((40, 3)), advice=advice_for(learner, 40, 3))
    draws = draw_of(learner), draw_of(learner)
    assert learner.add_arm() == 3
    return learner, draws


def settle(learner, draw):
    """Its loss, or those of all arms that there were."""
    learner.update(draw, [0.25, 0.5, 0.75, np.nan] if learner.info.informed else 0.5)


def the_rest(learner):
    """What a bandit does next, to the bit."""
    for ticket in reversed(learner.pending_):
        learner.update(ticket=ticket, loss=[0.25, 0.5, 0.75, 1.0] if learner.info.informed else 0.5)
    play = learner.play(np.random.default_rng(7).random((60, 4)), advice=advice_for(learner, 60, 4))
    return play.arms.tolist(), [array.tobytes() for array in learner._known().arrays().values()]


@pytest.mark.parametrize("name", [name for name in BANDITS if name != "exp4"])
def test_the_books_say_that_a_new_arm_was_asleep(name):
    """Rounds and losses before it came, those of draws that waited then included, are none of a new arm's."""
    learner, draws = grown(name)
    for draw in draws:
        settle(learner, draw)
    before = learner.ledger_
    learner.play(np.random.default_rng(2).random((10, 4)), advice=advice_for(learner, 10, 4))
    book = learner.ledger_
    assert (before.asleep[3], book.asleep[3], book.rounds) == (42, 42, 52)
    assert before.missed[3] == pytest.approx(before.loss)
    assert book.missed[3] == pytest.approx(before.loss)
    assert not before.draws[3]
    assert (book.reach, book.restricted) == (42 * 3 + 10 * 4, 42)


@pytest.mark.parametrize("name", ["exp3", "exp3-ix", "exp3-p", "exp3-s", "hedge", "tsallis-inf"])
def test_a_new_arm_begins_with_the_mean_of_the_weights(name):
    """It is drawn with probability 1 / (K + 1) at the rate of the last draw."""
    more = {"rate": 0.1} if name in ("exp3", "exp3-ix", "hedge") else {}
    learner, _ = grown(name, **more)
    assert learner.probabilities_[3] == pytest.approx(1 / 4, abs=1e-9)


@pytest.mark.parametrize("name", BANDITS)
def test_a_model_goes_on_with_arms_that_came_and_draws_that_wait(name, tmp_path):
    """A bandit that was saved after an arm came, with draws from before it, goes on to the same bits."""
    learner, _ = grown(name)
    learner.save(tmp_path / "m.rgl")
    again = regretless.load(tmp_path / "m.rgl")
    assert (again.n_arms_, again.pending_) == (4, learner.pending_)
    assert the_rest(again) == the_rest(learner)
    assert repr(again.facts()) == repr(learner.facts())


@pytest.mark.parametrize("falls", [False, True])
@given(
    table=st.lists(st.lists(st.floats(0, 1), min_size=4, max_size=4), min_size=1, max_size=40),
    first=st.integers(0, 40),
    second=st.integers(0, 40),
)
def test_what_hedge_mixes_has_the_regret_of_sleepers(falls, table, first, second):
    """Against each arm over its own rounds the mixed losses are within ln K over the last rate and rates / 8."""
    learner = Hedge(2, seed=0, **({} if falls else {"rate": 0.7}))
    ahead, comes = np.zeros(4), sorted((first, second))
    for t, row in enumerate(np.array(table)):
        for when in comes:
            if t == when:
                learner.add_arm()
        arms = learner.n_arms_
        mixed = learner.probabilities_ @ row[:arms]
        ahead[:arms] += mixed - row[:arms]
        learner.update(learner.draw(), row[:arms])
    book = learner.ledger_
    assert ahead.max() <= log(learner.n_arms_) / book.last_rate + book.rates / 8 + 1e-9


def test_a_new_arm_that_begins_as_if_nothing_had_been_lost_breaks_the_bound():
    """With the estimate 0 in place of the mean of the weights, a bad new arm costs more than the bound allows."""
    regrets = {}
    for begins in ("mean", "zero"):
        learner = Hedge(2, rate=0.2, seed=0)
        for _ in range(200):
            learner.update(learner.draw(), [0.5, 0.5])
        learner.add_arm()
        if begins == "zero":
            learner._known().state[ESTIMATES][2] = 0.0
            learner._known().core.rebuild()
        mixed = 0.0
        for _ in range(100):
            mixed += learner.probabilities_ @ [0.0, 0.0, 1.0]
            learner.update(learner.draw(), [0.0, 0.0, 1.0])
        book = learner.ledger_
        regrets[begins] = mixed, log(3) / 0.2 + book.rates / 8
    assert regrets["mean"][0] <= regrets["mean"][1]
    assert regrets["zero"][0] > regrets["zero"][1]


@given(seed=st.integers(0, 1000), comes=st.integers(1, 6), share=st.floats(0.01, 0.9))
def test_sequences_that_take_up_a_new_arm_are_no_less_probable(seed, comes, share):
    """What EXP3.S mixes loses at most the estimates of any sequence and its information over the rate."""
    learner = EXP3S(2, rate=0.3, share=share, seed=seed)
    losses = np.random.default_rng(seed).random((7, 3))
    charges, mixed = np.full((7, 3), inf), 0.0
    for t, row in enumerate(losses):
        if t == comes:
            learner.add_arm()
        weights = learner._known().state[WEIGHTS].copy() if t else np.full(2, 0.5)
        draw = learner.draw()
        charge = np.zeros(len(weights))
        charge[draw] = row[draw] / draw.probability
        mixed -= np.log(weights @ np.exp(-0.3 * charge)) / 0.3
        charges[t, : len(weights)] = charge
        learner.update(draw, row[draw])
    for path in product(range(3), repeat=7):
        switches = sum(one != other for one, other in pairwise(path))
        lost = charges[range(7), path].sum()
        assert mixed <= lost + sequence_information(7, switches, learner.facts()) / 0.3 + 1e-9


def test_bounds_of_arms_that_came_hold_over_many_runs():
    """Of 60 runs in which a better arm comes halfway, no mean regret against it is above the bound, and no luck is."""
    bounds, regrets, exceeded = [], [], 0
    for seed in range(60):
        learner = Exp3IX(2, horizon=600, seed=seed)
        table = (np.random.default_rng(seed).random((600, 3)) < [0.5, 0.6, 0.1]).astype(float)
        learner.play(table[:300, :2])
        learner.add_arm()
        learner.play(table[300:])
        table[:300, 2] = np.nan
        by_title = {one.theorem.title: one for one in learner.certify(table)}
        sharp, expected = by_title["Regret of Exp3-IX"], by_title["Expected regret of Exp3-IX"]
        exceeded += not sharp.holds
        regrets.append(expected.observed)
        bounds.append(expected.bound)
        assert sharp.at_once is False
        assert not by_title["Regret of Exp3-IX as printed"].applies
    assert exceeded <= 6
    assert np.mean(regrets) <= np.mean(bounds)


def test_an_arm_that_comes_before_the_first_draw_is_one_of_the_first():
    """Nothing was drawn yet, so that rates and play are those of a bandit that was made with all arms."""
    learner = Exp3(arms=["a", "b"], seed=3)
    assert (learner.add_arm("c"), learner.arms, learner.facts().added) == (2, ["a", "b", "c"], 0)
    table = np.random.default_rng(0).random((100, 3))
    assert learner.play(table).arms.tolist() == Exp3(3, seed=3).play(table).arms.tolist()


def test_rates_stay_those_of_the_first_arms():
    """Two arms to which eight come have the rate of two arms, which falls, and would grow with the arms of Hedge."""
    learner = Hedge(2, seed=0, epochs=False)
    rates = []
    for t in range(10):
        learner.update(learner.draw(), np.zeros(learner.n_arms_))
        rates.append(learner.ledger_.last_rate)
        if t < 8:
            learner.add_arm()
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] == pytest.approx(2 * np.sqrt(log(2) / 10))


def test_experts_may_advise_an_arm_that_came():
    """Exp4 takes advice about the new arm from then on, and the draws that waited settle without it."""
    learner = Exp4(arms=["a", "b"], n_experts=2, seed=0)
    first = learner.draw(advice=["a", "b"])
    shares = learner.draw(advice=[[0.5, 0.5], [1.0, 0.0]])
    learner.add_arm("c")
    learner.update(first, 0.5)
    learner.update(shares, 0.5)
    assert learner.draw(advice=["c", "c"]).name == "c"


def test_the_best_arm_is_none_that_has_only_been_there_for_a_short_time():
    """An arm that came a moment ago is not the best one because it has lost nothing yet."""
    learner = Exp3IX(2, seed=0)
    learner.play(np.tile([0.1, 0.9], (500, 1)))
    learner.add_arm()
    learner.play(np.tile([0.1, 0.9, 0.9], (100, 1)))
    assert learner.best_arm_ == 0


def test_what_cannot_be_added_is_refused():
    """Names where there are none, none where there are, one that is there already, a second arm after draws of one."""
    named, numbered = Exp3(arms=["a", "b"], seed=0), Exp3(2, seed=0)
    with pytest.raises(ParameterError, match="name= is missing: the arms have names, such as a"):
        named.add_arm()
    with pytest.raises(RegretlessError, match="'a' stands there twice"):
        named.add_arm("a")
    with pytest.raises(RegretlessError, match="a list of names is expected"):
        named.add_arm(3)
    with pytest.raises(ParameterError, match="the arms have numbers, and no names; the new one is 2"):
        numbered.add_arm("c")
    alone = Exp3(1, seed=0)
    alone.update(alone.draw(), 0.5)
    with pytest.raises(RegretlessError, match="one arm has learned nothing"):
        alone.add_arm()


def test_a_bare_core_goes_no_further_than_its_arms():
    """A draw that is open stands in the way, and a core from before an arm came plays no rounds that are lost."""
    learner = Exp3(2, seed=0)
    core = learner.bare()
    arm = core.draw()
    with pytest.raises(RegretlessError, match="a draw is open, number 1"):
        learner.add_arm()
    core.update(arm, 0.5)
    learner.add_arm()
    with pytest.raises(ValueError, match="memory is damaged"):
        core.draw()
    assert learner.rounds_ == 1


def test_the_estimate_of_a_new_arm_is_a_mean_of_weights():
    """By hand: of weights 1 and 1/3 the mean is 2/3; of two equal arms Tsallis-INF gives a third the same estimate."""
    assert mean_of_weights(np.array([0.0, log(3)]), 1.0) == pytest.approx(log(1.5))
    assert mean_of_weights(np.array([0.0, -log(3)]), -1.0) == pytest.approx(-log(1.5))
    assert mean_of_inverse_squares(np.array([2.0, 2.0]), 0.5) == pytest.approx(2.0)
