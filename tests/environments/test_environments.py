"""Environments: what they give is what the compiled loop meets, and what their theorems say."""

from __future__ import annotations

from fractions import Fraction
from math import comb, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.bandits import Exp3IX
from regretless.bandits.simulation import simulate
from regretless.environments import (
    Adaptive,
    Bernoulli,
    Drifting,
    Environment,
    FairCoins,
    LikeliestLoses,
    MostDrawnLoses,
    OneBetterArm,
    Opponent,
    Switching,
    Table,
    reversal,
)
from regretless.environments.stochastic import key_of_run, uniforms
from regretless.errors import RegretlessError

WORD = 2**64


def one_uniform(key: int, t: int, arm: int, arms: int) -> float:
    """The same by whole numbers of Python."""
    bits = (key + (t * arms + arm + 1) * 0x9E3779B97F4A7C15) % WORD
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB % WORD
    return ((bits ^ (bits >> 31)) >> 11) / 2**53


seeds = st.integers(0, WORD - 1)


@given(seeds, st.integers(0, 2**50), st.integers(1, 5), st.integers(1, 4))
def test_noise_is_a_function_of_key_round_and_arm_alone(key, first, rounds, arms):
    """Any block of noise is the finaliser of splitmix64 at each of its places, wherever the block begins."""
    noise = uniforms(key, first, first + rounds, arms)
    expected = [[one_uniform(key, first + t, arm, arms) for arm in range(arms)] for t in range(rounds)]
    assert noise.tolist() == expected


def test_noise_of_key_0_is_splitmix64():
    """The first numbers of key 0 are the published first outputs of splitmix64 with seed 0, cut to 53 bits."""
    published = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert uniforms(0, 0, 1, 3)[0].tolist() == [(bits >> 11) / 2**53 for bits in published]


@given(seeds, st.integers(0, 2), st.booleans(), st.data())
def test_the_compiled_loop_meets_the_losses_that_a_world_of_chance_gives(seed, run, rewards, data):
    """Playing the table that a stochastic environment gives is playing the environment, bit for bit."""
    arms = data.draw(st.integers(1, 9))
    means = data.draw(st.lists(st.lists(st.floats(0, 1), min_size=arms, max_size=arms), min_size=1, max_size=3))
    starts = [0, *sorted(data.draw(st.lists(st.integers(1, 99), unique=True, min_size=2, max_size=2)))][: len(means)]
    world = Switching(means, starts, seed, rewards=rewards)
    learner = Exp3IX(arms, seed=1, rewards=rewards)
    chance = simulate(learner, world, rounds=100, first=run)
    table = simulate(learner, Table(world.block(0, 100)), first=run)
    np.testing.assert_array_equal(chance.loss_curve, table.loss_curve)
    np.testing.assert_array_equal(chance.certificate_curve, table.certificate_curve)
    np.testing.assert_array_equal(chance.draws, table.draws)


def test_worlds_that_differ_from_run_to_run_are_met_as_they_are():
    """Each run of an environment with noise of its own meets the very losses that `block` gives for that run."""
    learner = Exp3IX(seed=1)
    for world in (OneBetterArm(3, 500, seed=2), FairCoins(500, seed=2)):
        pulls = simulate(learner, world, runs=4)
        alone = [simulate(learner, Table(world.block(0, 500, run)), first=run) for run in range(4)]
        assert pulls.losses.tolist() == [one.losses[0] for one in alone]
        assert len({world.block(0, 500, run).tobytes() for run in range(4)}) == 4


def test_frequencies_are_the_means_in_each_stretch():
    """Losses of a switching world come as often as the means of the stretch say, to four standard deviations."""
    means = np.array([[0.1, 0.5, 1.0], [0.9, 0.25, 0.0]])
    block = Switching(means, [0, 40_000], seed=3, rounds=80_000).block(0, 80_000)
    for result, mean in zip((block[:40_000], block[40_000:]), means, strict=True):
        assert (np.abs(result.mean(0) - mean) <= 4 * np.sqrt(mean * (1 - mean) / 40_000)).all()
    assert np.abs(np.corrcoef(block[:40_000, :2].T)[0, 1]) <= 4 / sqrt(40_000)


def test_rewards_are_drawn_with_the_means_that_were_passed():
    """With rewards=True an arm of mean 1 wins always, one of mean 0 never, and others as often as their mean says."""
    block = Bernoulli([1.0, 0.0, 0.3], seed=1, rewards=True).block(0, 40_000)
    assert block[:, 0].all()
    assert not block[:, 1].any()
    assert abs(block[:, 2].mean() - 0.3) <= 4 * sqrt(0.21 / 40_000)


@pytest.mark.parametrize(
    "world",
    [
        Table(np.random.default_rng(0).random((60, 3))),
        Bernoulli([0.1, 0.5, 0.9], seed=4, rounds=60),
        Switching([[0.1, 0.9], [0.9, 0.1]], [0, 17], seed=4, rounds=60),
        Drifting([0.0, 1.0], [1.0, 0.0], 60, steps=7),
        FairCoins(60),
        OneBetterArm(4, 60),
    ],
)
def test_oblivious_worlds_can_be_read_from_any_place(world):
    """A block is its rows one by one, an opponent recites them, and the best arm is the one of the least sum."""
    whole = world.block(0, 60, run=3)
    np.testing.assert_array_equal(whole[20:41], world.block(20, 41, run=3))
    np.testing.assert_array_equal(whole, [world.losses(t, run=3) for t in range(60)])
    opponent = world.begin(run=3)
    np.testing.assert_array_equal(whole, [opponent.losses().copy() for _ in range(60)])
    with pytest.raises(RegretlessError, match="all were played"):
        opponent.losses()
    assert world.best(run=3)[0] == whole.sum(0).argmin()
    assert world.best(10, 3, rewards=True)[1] == pytest.approx(whole[:10].sum(0).max())


def test_drifting_means_go_from_the_first_to_the_last_in_even_steps():
    """Means of the first stretch are those at the start, of the last one those at the end, and steps are equal."""
    world = Drifting([0.0, 0.8], [1.0, 0.2], rounds=1000, steps=11).world()
    np.testing.assert_allclose(np.diff(world.means, axis=0), np.tile([0.1, -0.06], (10, 1)))
    assert world.means[0].tolist() == [0.0, 0.8]
    assert world.means[-1].tolist() == [1.0, 0.2]
    assert set(np.diff([*world.starts, 1000]).tolist()) == {90, 91}


def test_the_regret_of_fair_coins_is_the_mean_distance_of_a_binomial():
    """It is E|heads - T/2|, at least sqrt(T/8)."""
    for rounds in (1, 2, 3, 10, 51):
        exact = sum(comb(rounds, k) * abs(k - rounds / 2) for k in range(rounds + 1)) / 2**rounds
        assert FairCoins.regret(rounds) == pytest.approx(exact, rel=1e-12)
        assert exact >= sqrt(rounds / 8) * (1 - 1e-12)
    assert [FairCoins.regret(rounds) for rounds in (1, 2, 3, 4)] == [0.5, 0.5, 0.75, 0.75]


def test_the_regret_of_fair_coins_is_exact():
    """Up to 5,000 rounds it is the fraction to the last digits; two rounds more than 2m make it 1 + 1/(2m) times."""
    exact = Fraction(1, 2)
    for m in range(1, 2501):
        assert abs(Fraction(FairCoins.regret(2 * m)) / exact - 1) < Fraction(1, 10**15)
        assert FairCoins.regret(2 * m - 1) == FairCoins.regret(2 * m)
        exact *= 1 + Fraction(1, 2 * m)
    for m in (10**4, 10**8, 5 * 10**11, 10**15):
        assert FairCoins.regret(2 * m + 2) / FairCoins.regret(2 * m) == pytest.approx(1 + 1 / (2 * m), rel=1e-15)
        # Wallis: m C(2m, m) / 4^m lies between sqrt(m/pi) (1 - 1/(8m)) and sqrt(m/pi).
        assert (1 - 1 / (8 * m)) * (1 - 4e-16) <= FairCoins.regret(2 * m) / sqrt(m / pi) <= 1


def test_no_learner_expects_another_regret_from_fair_coins():
    """The mean regret over 4,000 runs is that of the theorem, to four standard errors."""
    pulls = simulate(Exp3IX(2, seed=0), FairCoins(100, seed=1), runs=4000, marks=1)
    error = pulls.regrets.std() / sqrt(4000)
    assert abs(pulls.regrets.mean() - FairCoins.regret(100)) <= 4 * error


def test_one_better_arm_costs_every_learner_what_its_theorem_says():
    """The mean regret over many runs is at least min(T, sqrt(KT)) / 20, and every arm is the better one at times."""
    world = OneBetterArm(5, 400, seed=1)
    pulls = simulate(Exp3IX(5, seed=0, horizon=400), world, runs=500, marks=1)
    assert pulls.regrets.mean() >= OneBetterArm.regret(5, 400) == sqrt(2000) / 20
    assert {world.better(run) for run in range(100)} == set(range(5))
    assert world.gap == sqrt(5 / 400) / 4


def test_late_reversals_hurt_exp3_more_than_implicit_exploration():
    """Where the better arm changes at half time, Exp3's worst regret in a hundred runs is above that of Exp3-IX."""
    from regretless.bandits import Exp3

    table = reversal(4000)
    worst = [simulate(make(2, seed=0, horizon=4000), table, runs=200).quantiles(0.99)[0] for make in (Exp3, Exp3IX)]
    assert worst[0] > 1.2 * worst[1]


def test_an_adaptive_world_sees_every_earlier_arm_and_nothing_else():
    """Before round t its function has the t arms that were drawn, in their order, and cannot write to them."""
    events = []

    def function(drawn):
        events.append(drawn.copy())
        assert not drawn.flags.writeable
        return [0.5, 0.25, 1.0]

    learner = Exp3IX(3, seed=5)
    simulate(learner, Adaptive(function, 3), rounds=200)
    arms = learner.clone(seed=5, run=0).play(np.tile([0.5, 0.25, 1.0], (200, 1))).arms
    assert [len(one) for one in events] == list(range(200))
    np.testing.assert_array_equal(events[-1], arms[:199])


class Spy(Opponent):
    """The likeliest arm loses, and what was likely is remembered."""

    def __init__(self, inner, history):
        self.inner, self.history = inner, history

    def losses(self, probabilities=None):
        self.history.append(probabilities)
        return self.inner.losses(probabilities)


class Watched(Environment):
    """Tells what its opponents saw."""

    foresees = True
    history: list

    def begin(self, run=0):
        self.history = []
        return Spy(LikeliestLoses(self.arms).begin(), self.history)


def test_adversaries_that_foresee_see_the_probabilities_of_the_coming_draw():
    """They sum to one and are those that a learner has who plays the same rounds by itself."""
    world, learner = Watched(3), Exp3IX(3, seed=2)
    simulate(learner, world, rounds=50)
    alone = learner.clone(seed=2)
    for chances in world.history:
        np.testing.assert_allclose(chances, alone.probabilities_, rtol=1e-12)
        arm = alone.draw()
        alone.update(arm, float(arm == np.argmax(chances)))


@pytest.mark.parametrize("world", [LikeliestLoses(3), MostDrawnLoses(3)])
def test_who_follows_the_leader_loses_every_round(world):
    """A learner that always draws the arm with the least losses so far loses 1 a round, the best arm a third of it."""
    opponent, sums, lost = world.begin(), np.zeros(3), 0.0
    counts = np.zeros(3)
    for _ in range(300):
        arm = int(np.argmin(sums)) if world.foresees else int(np.argmax(counts))
        row = opponent.losses(np.eye(3)[arm] if world.foresees else None).copy()
        opponent.see(arm)
        sums += row
        counts[arm] += 1
        lost += row[arm]
    assert lost == 300
    assert sums.min() <= 100


def test_adversaries_can_be_played_by_hand():
    """Losses of an opponent go to a live learner one round at a time, as in the documentation."""
    bandit, opponent = Exp3IX(2, seed=0), MostDrawnLoses(2).begin()
    for _ in range(20):
        arm = bandit.draw()
        bandit.update(arm, opponent.losses()[arm])
        opponent.see(arm)
    assert bandit.rounds_ == 20


class TestTables:
    """Tables come as users have them."""

    losses = np.random.default_rng(1).random((30, 2))

    def test_an_array_of_floats_is_used_where_it_is(self, tmp_path):
        """Neither an array in memory nor one that is mapped from a file is copied."""
        np.save(tmp_path / "losses.npy", self.losses.astype(np.float32))
        mapped = np.load(tmp_path / "losses.npy", mmap_mode="r")
        assert np.shares_memory(Table(self.losses).table, self.losses)
        assert np.shares_memory(Table(mapped).table, mapped)

    @pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
    def test_columns_of_frames_name_the_arms(self, kind):
        """A pandas or polars frame and an Arrow table give their numbers, and their columns' names to the arms."""
        module = pytest.importorskip(kind)
        columns = {"left": self.losses[:, 0], "right": self.losses[:, 1]}
        table = Table(module.table(columns) if kind == "pyarrow" else module.DataFrame(columns))
        assert table.names == ["left", "right"]
        np.testing.assert_array_equal(table.table, self.losses)

    def test_columns_in_another_order_are_put_in_the_learners(self):
        """A learner that knows the arms by name plays the same game whatever the order of a frame's columns."""
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame(self.losses, columns=["a", "b"])
        learner = Exp3IX(arms=["a", "b"], seed=1)
        straight, turned = simulate(learner, frame), simulate(learner, frame[["b", "a"]])
        assert straight.losses == turned.losses
        assert straight.best_arm == turned.best_arm
        with pytest.raises(RegretlessError, match="the learner's are a, b"):
            simulate(learner, frame.rename(columns={"a": "c"}))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Table([1.0, 2.0]), "a row for each round"),
        (lambda: Table([["x", "y"]]), "numbers are expected"),
        (lambda: Table([[1.0, 2.0]], names=["a", "a"]), "1 names for 2 arms"),
        (lambda: Bernoulli([0.5, 1.5]), "a mean of 1.5"),
        (lambda: Bernoulli([]), "of shape"),
        (lambda: Bernoulli([0.5], seed=-1), "seed=-1"),
        (lambda: Switching([[0.5]], [1]), "the first of them 0"),
        (lambda: Switching([[0.5], [0.5]], [0]), "of each of 2 stretches"),
        (lambda: Switching([[0.5], [0.5]], [0, 9], rounds=9), "begins at round 9"),
        (lambda: Drifting([0.5], [0.5, 0.5], 9), "1 means at the start and 2 at the end"),
        (lambda: OneBetterArm(1, 10), "at least 2"),
        (lambda: OneBetterArm(3, 10, gap=0.7), "at most 0.5"),
        (lambda: reversal(10, early=1.5), "between 0 and 1"),
        (lambda: LikeliestLoses(2).begin().losses(), "wants to know the probabilities"),
        (lambda: Adaptive(lambda drawn: [0.0], 2).begin().losses(), "one for each of 2 arms"),
        (lambda: Bernoulli([0.5]).best(), "goes on for ever"),
        (lambda: Table([[0.5]]).best(2), "the environment has 1"),
        (lambda: Table([[np.nan]]).best(), "asleep at times"),
    ],
)
def test_what_has_no_meaning_is_refused(make, message):
    """Environments that cannot be are refused with a message that says what is expected."""
    with pytest.raises(RegretlessError, match=message):
        make()


@given(seeds, st.integers(0, 2**40), st.integers(0, 2**40))
def test_runs_have_keys_of_their_own(seed, run, other):
    """Two runs of one seed have the same key only if they are the same run."""
    assert (key_of_run(seed, run) == key_of_run(seed, other)) == (run == other)
