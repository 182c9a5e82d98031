"""Many runs at a time: each is a function of seed and number alone, and what is reported of them is what happened."""

from __future__ import annotations

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.bandits import EXP3S, Exp3, Exp3IX, Exp3P, Exp4, Hedge, TsallisINF
from regretless.bandits.comparators import hindsight
from regretless.bandits.simulation import Pulls, Stopped, simulate
from regretless.bandits.state import Scale
from regretless.bandits.validation import LossError
from regretless.environments import (
    Adaptive,
    Bernoulli,
    Drifting,
    FairCoins,
    LikeliestLoses,
    MostDrawnLoses,
    Oblivious,
    OneBetterArm,
    Switching,
    Table,
)
from regretless.errors import RegretlessError
from regretless.report import pull_page

ROUNDS, ARMS = 400, 4
RNG = np.random.default_rng(7)
PLAIN = RNG.random((ROUNDS, ARMS))
ASLEEP = np.where(RNG.random(PLAIN.shape) < 0.3, np.nan, PLAIN)
ASLEEP[:, 1] = 0.5
SHARES = RNG.dirichlet(np.ones(ARMS), (ROUNDS, 3))
PICKS = RNG.integers(0, ARMS, (ROUNDS, 3))

LEARNERS = {
    "exp3": lambda **more: Exp3(ARMS, seed=3, **more),
    "exp3-ix": lambda **more: Exp3IX(ARMS, seed=3, horizon=ROUNDS, **more),
    "exp3-p": lambda **more: Exp3P(ARMS, seed=3, horizon=ROUNDS, **more),
    "tsallis": lambda **more: TsallisINF(ARMS, seed=3, **more),
    "reduced": lambda **more: TsallisINF(ARMS, seed=3, estimator="reduced", **more),
    "exp3-s": lambda **more: EXP3S(ARMS, seed=3, horizon=ROUNDS, switches=3, **more),
    "hedge": lambda **more: Hedge(ARMS, seed=3, **more),
    "exp4": lambda **more: Exp4(ARMS, seed=3, **more),
}
ADVICE = {"exp4": SHARES}


class Sawtooth(Oblivious):
    """A table that somebody else thought of."""

    def block(self, begin, end, run=0):
        return (np.arange(begin, end)[:, None] * np.arange(1, self.arms + 1)) % 7 / 6


WORLDS = {
    "table": Table(PLAIN),
    "asleep": Table(ASLEEP),
    "bernoulli": Bernoulli([0.2, 0.4, 0.6, 0.8], seed=1, rounds=ROUNDS),
    "switching": Switching(np.eye(4)[:2], [0, 100], rounds=ROUNDS),
    "drifting": Drifting([0.0, 1.0, 0.5, 0.5], [1.0, 0.0, 0.5, 0.5], ROUNDS),
    "one better": OneBetterArm(ARMS, ROUNDS),
    "sawtooth": Sawtooth(ARMS, ROUNDS),
    "likeliest": LikeliestLoses(ARMS, ROUNDS),
    "most drawn": MostDrawnLoses(ARMS, ROUNDS),
}


def same(one: Pulls, other: Pulls) -> None:
    """Everything that depends on the runs has the same bits."""
    names = ("numbers", "losses", "regrets", "loss_curve", "regret_curve", "certificate_curve", "draws", "shares")
    for name in names:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    assert str(one.certificates()) == str(other.certificates())


@pytest.mark.parametrize(("learner", "world"), [*product(["exp3-ix", "tsallis"], WORLDS), ("exp3-p", "table")])
def test_runs_do_not_depend_on_the_workers(learner, world):
    """Any number of threads gives the same bits, in every environment."""
    one, two = (simulate(LEARNERS[learner](), WORLDS[world], runs=70, workers=workers) for workers in (1, 3))
    same(one, two)


@pytest.mark.parametrize("world", WORLDS)
def test_a_run_can_be_seen_once_more_alone(world):
    """Run 5 of ten is run 5 alone, whatever is marked on the way."""
    learner = LEARNERS["exp3-ix"]()
    many = simulate(learner, WORLDS[world], runs=10)
    alone = simulate(learner, WORLDS[world], first=5, marks=[7, 11])
    assert many.losses[5] == alone.losses[0]
    assert many.regrets[5] == alone.regrets[0]
    assert many.certificate_curve[5, -1] == alone.certificate_curve[0, -1]
    assert alone.marks.tolist() == [7, 11, ROUNDS]
    assert alone.numbers.tolist() == [5]


def paid(table, arms):
    return table[np.arange(len(arms)), arms]


def regret(table, arms, advice=None):
    """Against the best arm, over the rounds in which it was awake, or the best expert; by the definition."""
    mine = paid(table, arms)
    if advice is None:
        awake = ~np.isnan(table)
        return max((mine - table[:, arm])[awake[:, arm]].sum() for arm in np.flatnonzero(awake.any(0)))
    if advice.ndim == 2:
        return max(mine.sum() - paid(table, picks).sum() for picks in advice.T)
    return max(
        mine.sum() - np.einsum("tk,tk", advice[:, expert], np.nan_to_num(table)) for expert in range(advice.shape[1])
    )


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("kind", ["plain", "asleep", "float32", "rewards", "range"])
def test_what_is_reported_of_a_run_is_what_its_learner_does(name, kind):
    """Loss, regret and curves of a run are those of a learner that plays the table by itself, by their definitions."""
    table, more, sign, advice = PLAIN, {}, 1.0, ADVICE.get(name)
    if kind == "asleep":
        if name == "exp4":
            advice = np.where(np.isnan(ASLEEP)[:, None, :], 0.0, SHARES)
            advice /= advice.sum(2, keepdims=True)
        table = ASLEEP
    elif kind == "float32":
        table = PLAIN.astype(np.float32)
    elif kind in ("rewards", "range"):
        table, more = 20 * PLAIN - 5, {"value_range": (-5.0, 15.0), "rewards": kind == "rewards"}
        sign = -1.0 if kind == "rewards" else 1.0
    learner = LEARNERS[name](**more)
    pulls = simulate(learner, table, runs=4, advice=advice, marks=9)
    alone = learner.clone(run=2)
    arms = alone.play(table, advice=advice).arms
    losses = sign * table.astype(np.float64)
    total = pulls.losses[2] if kind != "rewards" else -pulls.rewards[2]
    assert total == pytest.approx(paid(losses, arms).sum(), rel=1e-10)
    for place, mark in enumerate(pulls.marks):
        row_advice = None if advice is None else advice[:mark]
        assert pulls.regret_curve[2, place] == pytest.approx(regret(losses[:mark], arms[:mark], row_advice), abs=1e-8)
    assert pulls.regrets[2] == pulls.regret_curve[2, -1]
    np.testing.assert_array_equal(pulls.ledgers[2].draws, np.bincount(arms, minlength=ARMS))
    for many, mine in zip(pulls.certificates(), alone.certify(table, advice=advice), strict=True):
        assert many.applies == mine.applies or many.theorem.kind == "expected"


def test_experts_may_name_arms():
    """Advice as one arm for each expert gives the regret against the best of them."""
    pulls = simulate(Exp4(ARMS, seed=1), PLAIN, advice=PICKS, runs=2)
    arms = Exp4(ARMS, seed=1, run=1).play(PLAIN, advice=PICKS).arms
    assert pulls.regrets[1] == pytest.approx(regret(PLAIN, arms, PICKS))
    # An arm that no expert names is never drawn: the probabilities are by the advice of the round.
    named = np.isin(np.arange(ARMS), PICKS[-1])
    assert (pulls.shares[-1][~named] == 0).all()
    assert pulls.shares.sum(axis=1) == pytest.approx(1)
    early = simulate(Exp4(ARMS, seed=1), PLAIN, advice=PICKS, rounds=100)
    assert early.losses == simulate(Exp4(ARMS, seed=1), PLAIN[:100], advice=PICKS[:100]).losses


@pytest.mark.parametrize("kind", ["plain", "asleep"])
def test_the_observable_certificate_at_the_last_mark_is_the_theorems(kind):
    """The curve ends, run by run, where the theorem of that name stands, arms asleep or not."""
    table = PLAIN if kind == "plain" else ASLEEP
    for learner in (LEARNERS["exp3-ix"](), LEARNERS["exp3"](), LEARNERS["tsallis"](value_range=(-1.0, 3.0))):
        pulls = simulate(learner, table, first=4)
        observable = next(one for one in pulls.certificates() if one.theorem.title == "Observable regret")
        assert pulls.certificate_curve[0, -1] == pytest.approx(observable.bound, rel=1e-12)


def test_regret_by_means_comes_from_draw_counts(monkeypatch):
    """In a world of chance the regret by means is what a run's draws cost on average, stretch by stretch."""
    means, starts = np.array([[0.1, 0.7, 0.4], [0.9, 0.2, 0.4]]), [0, 150]
    world = Switching(means, starts, seed=5, rounds=ROUNDS)
    learner = Exp3IX(3, seed=2)
    looked = simulate(learner, world, runs=3)
    monkeypatch.setattr("regretless.bandits.simulation.runner.MOST_REALISED", 10)
    pulls = simulate(learner, world, runs=3)
    arms = learner.clone(run=1).play(world.block(0, ROUNDS)).arms
    of_round = np.repeat(means, [150, ROUNDS - 150], axis=0)
    for place, mark in enumerate(pulls.marks):
        expected = paid(of_round[:mark], arms[:mark]).sum() - of_round[:mark].sum(0).min()
        assert pulls.regret_curve[1, place] == pytest.approx(expected, abs=1e-9)
    assert pulls.by_means
    assert not looked.by_means
    np.testing.assert_array_equal(pulls.mean_regrets, looked.mean_regrets)
    np.testing.assert_array_equal(pulls.mean_regrets, pulls.regrets)
    assert simulate(learner, PLAIN[:, :3]).mean_regrets is None
    assert simulate(Exp4(3, seed=1), world, advice=PICKS % 3).mean_regrets is None
    expected = [150, ROUNDS - 150] @ means
    assert pulls.best_arm == str(expected.argmin())
    assert pulls.best_arm_loss == pytest.approx(expected.min())


def test_certificates_in_a_world_of_chance_are_about_the_losses_that_came():
    """Certificates, regrets and curves are those on the table that was met, whichever arm has the best mean."""
    world = Bernoulli([0.5, 0.47], seed=5, rounds=ROUNDS)
    learner = Exp3IX(2, seed=0, horizon=ROUNDS)
    chance, table = (simulate(learner, game, runs=50) for game in (world, world.block(0, ROUNDS)))
    assert [str(one) for one in chance.certificates()] == [str(one) for one in table.certificates()]
    for name in ("regrets", "regret_curve", "pseudo_regret", "best_arm", "best_arm_loss"):
        np.testing.assert_array_equal(getattr(chance, name), getattr(table, name), err_msg=name)
    assert chance.best_arm == "0"
    assert chance.mean_regrets.mean() > chance.pseudo_regret + 2
    own = OneBetterArm(3, ROUNDS, seed=1)
    alone = [simulate(Exp3IX(3, seed=0), own.block(0, ROUNDS, run), first=run).regrets[0] for run in range(4)]
    np.testing.assert_array_equal(simulate(Exp3IX(3, seed=0), own, runs=4).regrets, alone)


def test_bounds_in_expectation_hold_on_the_noise_that_was_met_and_not_by_means():
    """With one noise for all runs the regret by means is above the bound for some noise, that on its table for none."""
    learner, above = Hedge(2, horizon=200, seed=0), 0
    for seed in range(40):
        pulls = simulate(learner, Bernoulli([0.5, 0.42], seed=seed), rounds=200, runs=200)
        bound = pulls.bounds()["Expected regret of Hedge"][-1]
        assert pulls.pseudo_regret <= bound + 3 * pulls.regrets.std(ddof=1) / np.sqrt(200)
        above += pulls.mean_regrets.mean() > bound
        assert all(one.holds for one in pulls.certificates() if one.theorem.kind != "probable")
    assert above >= 2


def test_a_world_of_chance_without_end_is_judged_by_its_means(monkeypatch):
    """Where the losses are too many to be made again, no bound is set beside or drawn above a regret by means."""
    monkeypatch.setattr("regretless.bandits.simulation.runner.MOST_REALISED", 10)
    pulls = simulate(Exp3IX(2, seed=2), Bernoulli([0.3, 0.5], seed=5), rounds=ROUNDS, runs=5)
    assert all(one.applies and one.observed is None for one in pulls.certificates())
    assert np.isnan(pulls.pseudo_regret)
    assert pulls.bounds() == {}
    report = pulls.report("title", {})
    assert (report.against, report.pseudo_regret) == ("the arm with the best mean, by means", None)
    assert tuple(report.course.certificate) == ()
    assert "the regret against the arm with the best mean, by means, was" in pull_page.lead(report)
    assert report.course.regret["q50"][-1] == pytest.approx(np.median(pulls.mean_regrets))


def test_a_mean_over_noise_of_each_runs_own_is_set_beside_bounds_in_expectation(monkeypatch):
    """Where every run has noise of its own the mean regret by means is observed, and no other one."""
    monkeypatch.setattr("regretless.bandits.simulation.runner.MOST_REALISED", 10)
    pulls = simulate(Exp3IX(3, seed=2), OneBetterArm(3, ROUNDS), runs=20)
    for one in pulls.certificates():
        expected = one.theorem.kind == "expected"
        assert one.observed == (pytest.approx(pulls.mean_regrets.mean()) if expected else None)
        assert not expected or one.standard_error == pytest.approx(pulls.mean_regrets.std(ddof=1) / np.sqrt(20))
    assert pulls.best_arm is None


@pytest.mark.parametrize("horizon", [None, 100])
@pytest.mark.parametrize(("arms", "experts"), [(2, 1), (1, 3), (1, 1)])
def test_certificates_of_one_expert_or_one_arm_are_those_of_the_theorem(arms, experts, horizon):
    """One expert who mixes arms leaves luck to be certified, one arm does not, in the curve as in the line."""
    advice = np.full((100, experts, arms), 1 / arms)
    table = np.eye(2)[np.random.default_rng(0).integers(2, size=100)][:, :arms]
    pulls = simulate(Exp4(arms, seed=1, horizon=horizon), table, advice=advice, runs=50)
    certificates = {one.theorem.name: one for one in pulls.certificates()}
    assert certificates["exp4"].bound == pulls.bounds()[certificates["exp4"].theorem.title][-1] == 0 or experts == 3
    assert all(one.holds and one.applies for one in certificates.values())
    assert (pulls.regrets <= pulls.certificate_curve[:, -1]).mean() >= 0.9
    assert (pulls.certificate_curve[:, -1] > 0).all() == (arms > 1)
    alone = simulate(Exp4(arms, seed=1, horizon=horizon), table, advice=advice)
    observable = next(one for one in alone.certificates() if one.theorem.name == "observable")
    assert observable.bound == pytest.approx(alone.certificate_curve[0, -1])


def test_curves_of_bounds_are_about_the_regret_that_they_are_drawn_with():
    """Bounds for an arm fixed beforehand are not drawn where the best of each run depends on luck; others are."""
    for world in (ASLEEP, MostDrawnLoses(ARMS, ROUNDS)):
        assert simulate(LEARNERS["exp3"](), world, runs=2).bounds() == {}
        ix = simulate(LEARNERS["exp3-ix"](), world, runs=2)
        plain = simulate(LEARNERS["exp3-ix"](), PLAIN, runs=2).bounds()
        assert list(ix.bounds()) == list(plain)
        assert ix.bounds()["Expected regret of Exp3-IX"][-1] > plain["Expected regret of Exp3-IX"][-1] + 10
    title = "Expected regret of Hedge"
    assert title in simulate(LEARNERS["hedge"](), MostDrawnLoses(ARMS, ROUNDS)).bounds()
    asleep, plain = (simulate(LEARNERS["hedge"](), world).bounds() for world in (ASLEEP, PLAIN))
    assert list(asleep) == ["Regret of the draws"]
    assert asleep["Regret of the draws"][-1] > plain["Regret of the draws"][-1]
    assert set(simulate(LEARNERS["tsallis"](), ASLEEP).bounds()) == set()


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("world", WORLDS)
def test_every_learner_plays_in_every_world(name, world):
    """A run's last certificate is never below its regret by more than luck allows, and both are finite."""
    advice = ADVICE.get(name)
    if advice is not None and world == "asleep":
        advice = np.broadcast_to(np.eye(ARMS)[1], SHARES.shape)
    pulls = simulate(LEARNERS[name](delta=1e-6), WORLDS[world], runs=2, advice=advice)
    assert np.isfinite(pulls.regret_curve).all()
    assert (pulls.regret_curve <= pulls.certificate_curve).all()
    assert pulls.draws.sum() == pytest.approx(1)
    for one in pulls.certificates():
        assert one.holds or one.theorem.kind == "expected" or not one.applies


def test_pseudo_regret_is_against_one_arm_for_all_runs():
    """Against an adversary that watches, it is the mean loss less the least mean of an arm, not the mean regret."""
    learner, world = Exp3IX(3, seed=1), MostDrawnLoses(3, 200)
    pulls = simulate(learner, world, runs=30)
    sums, lost = np.zeros(3), []
    for run in range(30):
        alone, opponent, total = learner.clone(run=run), world.begin(), 0.0
        for _ in range(200):
            row, arm = opponent.losses().copy(), alone.draw()
            alone.update(arm, row[arm])
            opponent.see(arm)
            sums += row
            total += row[arm]
        lost.append(total)
    np.testing.assert_allclose(pulls.losses, lost)
    assert pulls.pseudo_regret == pytest.approx(np.mean(lost) - sums.min() / 30)
    assert pulls.pseudo_regret < pulls.regrets.mean()
    expected = [one for one in pulls.certificates() if one.theorem.kind == "expected"]
    assert expected[0].observed == pytest.approx(pulls.pseudo_regret)
    each = [comparators[-1].regret for comparators in pulls.comparators()]
    assert expected[0].standard_error == pytest.approx(np.std(each, ddof=1) / np.sqrt(30))
    assert expected[0].standard_error > 0


def test_with_arms_asleep_bounds_in_expectation_are_about_one_arm():
    """Which arm is best may differ from run to run then; the mean is that against the arm that is best on average."""
    learner = LEARNERS["exp3"]()
    pulls = simulate(learner, ASLEEP, runs=40)
    regrets = []
    for run in range(40):
        arms = learner.clone(run=run).play(ASLEEP).arms
        regrets.append([np.nansum(paid(ASLEEP, arms) - ASLEEP[:, arm]) for arm in range(ARMS)])
    mean = np.mean(regrets, axis=0)
    assert pulls.pseudo_regret == pytest.approx(mean.max())
    assert pulls.best_arm == str(mean.argmax())
    for one in pulls.certificates():
        if one.theorem.kind == "expected":
            assert one.observed == pytest.approx(mean.max())


def test_with_arms_asleep_sequences_are_still_compared():
    """EXP3.S is certified against sequences of awake arms, which are fixed beforehand, each over all rounds."""
    pulls = simulate(LEARNERS["exp3-s"](), ASLEEP, runs=5)
    best = hindsight(ASLEEP, Scale(0, 1, False), list("0123"), switches=3)
    expected = next(one for one in pulls.certificates() if one.theorem.kind == "expected")
    assert {one.name for comparators in pulls.comparators() for one in comparators} == {
        "best_arm",
        "best_sequence",
        "arm",
    }
    assert best.sequence(0.0, list("0123")).loss == pytest.approx(pulls.comparators()[0][1].loss)
    assert expected.applies


def test_adaptive_worlds_may_put_arms_to_sleep():
    """An arm that sleeps after each of its draws is never drawn twice in a row, and its regret skips those rounds."""

    def function(drawn):
        row = np.array([0.2, 0.4, 0.6])
        if len(drawn):
            row[drawn[-1]] = np.nan
        return row

    rows = []
    world = Adaptive(lambda drawn: rows.append(function(drawn)) or rows[-1], 3, 300)
    pulls = simulate(Exp3IX(3, seed=1), world)
    table = np.array(rows)
    arms = Exp3IX(3, seed=1).play(table).arms
    assert (np.diff(arms) != 0).all()
    assert pulls.regrets[0] == pytest.approx(regret(table, arms))


@given(st.integers(1, 8), st.integers(1, 3), st.integers(0, 3), st.booleans(), st.randoms())
def test_the_best_sequence_is_the_best_of_all(rounds, arms, switches, sleepy, random):
    """No sequence of awake arms with at most so many switches loses less than the one that is found."""
    table = np.array([[random.choice([0.0, 0.25, 1.0]) for _ in range(arms)] for _ in range(rounds)])
    if sleepy and arms > 1:
        table[np.arange(rounds), [random.randrange(arms) for _ in range(rounds)]] = np.nan
    hindsight_best = hindsight(table, Scale(0, 1, False), [str(arm) for arm in range(arms)], switches=switches)
    costs = [
        paid(table, np.array(arms))
        for arms in product(range(arms), repeat=rounds)
        if np.count_nonzero(np.diff(arms)) <= switches
    ]
    least = min((cost.sum() for cost in costs if not np.isnan(cost).any()), default=None)
    best = hindsight_best.sequence(1.0, [str(arm) for arm in range(arms)])
    assert (None if best is None else best.loss) == (least if least is None else pytest.approx(least))


def test_a_table_is_refused_before_anything_is_played():
    """A number outside the range or a dark row is refused with its row and column, however late it stands."""
    table = np.tile(0.5, (100_000, 3))
    table[99_999, 2] = 1.25
    calls = []
    with pytest.raises(
        LossError, match=r"row 99999 \(from 0\), arm 2: .* outside \[0, 1\] \(1.25 was found\)"
    ) as error:
        simulate(Exp3IX(3), table, runs=10, on_rounds=calls.append)
    assert (error.value.row, error.value.column, calls) == (99_999, 2, [])
    table[50_000] = np.nan
    with pytest.raises(LossError, match=r"row 50000 .* no arm is awake"):
        simulate(Exp3IX(3), table)
    simulate(Exp3IX(3), table, rounds=50_000)


def test_experts_who_advise_sleeping_arms_are_refused():
    """The first of them is named, with the row and the arm."""
    with pytest.raises(LossError, match=r"expert 0 .* advises it, and it is asleep"):
        simulate(Exp4(ARMS, seed=1), ASLEEP, advice=SHARES)
    with pytest.raises(LossError, match="advises it, and it is asleep"):
        simulate(Exp4(ARMS, seed=1), ASLEEP, advice=PICKS)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: simulate(Exp3IX(3), PLAIN), "an environment of 4 arms, for a learner of 3"),
        (lambda: simulate(Exp3IX(), PLAIN, rounds=ROUNDS + 1), "the environment has 400"),
        (lambda: simulate(Exp3IX(), Bernoulli([0.5])), "goes on for ever"),
        (lambda: simulate(Exp3IX(rewards=True), Bernoulli([0.5]), rounds=9), "gives losses, and the learner takes"),
        (lambda: simulate(Exp3IX(rewards=True), FairCoins(9)), "gives losses, and the learner takes rewards"),
        (lambda: simulate(Exp3IX(value_range=(0, 2)), Bernoulli([0.5]), rounds=9), r"value_range=\(0, 1\)"),
        (lambda: simulate(Exp4(ARMS), PLAIN), "advice= is missing"),
        (lambda: simulate(Exp3(ARMS), PLAIN, advice=SHARES), "no experts"),
        (lambda: simulate(Exp3(ARMS), PLAIN, runs=0), "runs=0"),
        (lambda: simulate(Exp3(ARMS), PLAIN, first=-1), "first=-1"),
        (lambda: simulate(Exp3(ARMS), PLAIN, workers=0), "workers=0"),
        (lambda: simulate(Exp3(ARMS), PLAIN, marks=[0, 5]), "from 1 to 400"),
        (lambda: simulate(Exp3(ARMS), PLAIN, marks=[1.5]), "from 1 to 400"),
        (lambda: simulate(Exp3(2), Adaptive(lambda drawn: [0, 2], 2, 9)), "row 0 .*, arm 1: the loss lies outside"),
        (lambda: simulate(Exp3(2), Adaptive(lambda drawn: [0], 2, 9)), "one for each of 2 arms"),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    """The message says what was found and what is expected."""
    with pytest.raises(RegretlessError, match=message):
        call()


class Odd(Oblivious):
    """Gives lists of whole numbers, or the wrong ones."""

    def __init__(self, rows):
        super().__init__(2, 20)
        self.rows = rows

    def block(self, begin, end, run=0):
        return self.rows(begin, end)


def test_worlds_of_ones_own_are_looked_at():
    """Whole numbers in lists are losses like any others; rows that are missing or out of range are refused."""
    learner = Exp3(seed=0)
    listed = simulate(learner, Odd(lambda begin, end: [[t % 2, 1] for t in range(begin, end)]))
    table = simulate(learner, [[t % 2, 1] for t in range(20)])
    assert listed.losses == table.losses
    assert listed.regrets == table.regrets
    with pytest.raises(RegretlessError, match=r"Odd gave losses of shape \(1, 2\), for 20 rounds of 2 arms"):
        simulate(learner, Odd(lambda begin, end: [[0, 1]]))
    with pytest.raises(LossError, match=r"row 3 \(from 0\), arm 1: the loss lies outside"):
        simulate(learner, Odd(lambda begin, end: [[0, t / 2] for t in range(begin, end)]))


def test_regret_with_sleep_is_known_at_the_end_whatever_is_stored(monkeypatch):
    """Where sums at all marks are too many to be kept, the regret at the last one is the same."""
    full = simulate(LEARNERS["exp3"](), ASLEEP, runs=2)
    monkeypatch.setattr("regretless.bandits.comparators.MOST_STORED", 10)
    few = simulate(LEARNERS["exp3"](), ASLEEP, runs=2)
    np.testing.assert_array_equal(full.regrets, few.regrets)
    assert np.isnan(few.regret_curve[:, :-1]).all()


def test_what_an_adversary_raises_comes_through():
    """An error in the function of an adaptive environment is neither hidden nor waited for."""
    with pytest.raises(ZeroDivisionError):
        simulate(Exp3(2), Adaptive(lambda drawn: [0, 1 / (7 - len(drawn))], 2, 20), runs=5, workers=2)


def test_a_wish_to_stop_leaves_the_runs_that_are_over():
    """They are as they would have been, and all that is reported is about them."""
    table = np.random.default_rng(0).random((50_000, 4))
    learner, queries = Exp3IX(4, seed=1), []
    pulls = simulate(learner, table, runs=5000, stop=lambda: queries.append(0) or len(queries) > 4)
    assert 0 < pulls.runs < 5000
    assert len(pulls.losses) == len(pulls.regret_curve) == len(pulls.ledgers) == pulls.runs
    assert pulls.draws.sum() == pytest.approx(1)
    np.testing.assert_allclose(pulls.shares.sum(1), 1)
    last = int(pulls.numbers[-1])
    assert simulate(learner, table, first=last).losses[0] == pulls.losses[-1]
    with pytest.raises(RegretlessError, match="before the first run was over"):
        simulate(learner, table, runs=5000, stop=lambda: True)


def test_a_long_run_is_left_soon_after_the_wish():
    """A run of a thousand million rounds hears the wish to stop between two pieces."""
    calls = []
    with pytest.raises(RegretlessError, match="stopped"):
        simulate(Exp3(2), Bernoulli([0.1, 0.9]), rounds=10**9, stop=lambda: calls.append(0) or len(calls) > 2)
    assert len(calls) <= 5


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_hands_over_the_runs_that_are_over():
    """The interruption is raised when all threads have stopped, and holds what can be used."""
    table = np.random.default_rng(0).random((50_000, 4))
    pressed = []

    def press(rounds):
        if rounds > 10**6 and not pressed:
            pressed.append(rounds)
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(Stopped) as error:
        simulate(Exp3IX(4, seed=1), table, runs=100_000, on_rounds=press)
    assert isinstance(error.value, KeyboardInterrupt)
    assert 0 < error.value.pulls.runs < 100_000
    assert error.value.pulls.certificates()
    assert not [one for one in threading.enumerate() if one.name.startswith("regretless")]


def test_progress_tells_rounds_of_all_runs_and_never_less():
    """Numbers grow, and none is above what there is to play."""
    calls: list[int] = []
    simulate(Exp3IX(4, seed=1), np.random.default_rng(0).random((100_000, 4)), runs=150, on_rounds=calls.append)
    assert calls == sorted(calls)
    assert calls[-1] == 15_000_000


def test_books_are_stored_of_as_many_runs_as_there_is_room_for(monkeypatch):
    """With many arms certificates speak of the first runs, sums and regrets of all."""
    monkeypatch.setattr("regretless.bandits.simulation.statistics.LEDGER_CELLS", 30 * 6 * ARMS)
    monkeypatch.setattr("regretless.bandits.simulation.statistics.MOST_CURVES", 20 * 10)
    full = simulate(LEARNERS["exp3"](), PLAIN, runs=80, marks=range(40, 401, 40))
    assert len(full.ledgers) == 30
    assert len(full.regret_curve) == 20
    assert len(full.regrets) == 80
    assert np.isfinite(full.regrets).all()
    monkeypatch.setattr("regretless.bandits.simulation.statistics.FEW", 0)
    trimmed = simulate(LEARNERS["exp3"](), PLAIN, runs=30)
    assert trimmed.ledgers[0].missed is trimmed.ledgers[1].missed
    assert [str(one) for one in full.certificates()] == [str(one) for one in trimmed.certificates()]


def test_more_arms_than_can_be_watched_have_no_probabilities():
    """Above 200 arms, or if they are not wanted, probabilities are left out; draws are reported all the same."""
    table = np.random.default_rng(0).random((50, 201))
    assert simulate(Exp3IX(seed=1), table).shares is None
    assert simulate(Exp3IX(seed=1), table[:, :200]).shares.shape[1] == 200
    assert simulate(Exp3IX(seed=1), table[:, :9], shares=False).shares is None
    assert simulate(Exp3IX(seed=1), table).draws.sum() == pytest.approx(1)


def test_means_of_probabilities_are_those_before_the_next_draw():
    """At each mark they are the mean over the runs of what a learner has after so many rounds."""
    learner = LEARNERS["exp3"]()
    pulls = simulate(learner, PLAIN, runs=5, marks=[10, 100])
    mean = np.zeros(ARMS)
    for run in range(5):
        alone = learner.clone(run=run)
        alone.play(PLAIN[:100])
        mean += alone.probabilities_ / 5
    np.testing.assert_allclose(pulls.shares[1], mean, rtol=1e-10)


def test_marks_are_spread_over_all_orders_of_magnitude():
    """They grow, begin with the first round and end with the last one, and are about as many as were asked for."""
    pulls = simulate(Exp3IX(4, seed=1), Bernoulli([0.1] * 4), rounds=1_000_000)
    assert pulls.marks[0] == 1
    assert pulls.marks[-1] == 1_000_000
    assert (np.diff(pulls.marks) > 0).all()
    assert 50 <= len(pulls.marks) <= 60


@pytest.mark.parametrize(("learner", "world"), [("exp3-ix", "table"), ("tsallis", "bernoulli"), ("hedge", "asleep")])
def test_bounds_and_quantiles_make_a_report(learner, world):
    """A report has quantiles of the regret and promises of theorems at each mark, and shares that sum to one."""
    pulls = simulate(LEARNERS[learner](), WORLDS[world], runs=20)
    report = pulls.report("title", {"path": "x"})
    marks = len(pulls.marks)
    assert [len(values) for values in report.course.regret.values()] == [marks] * 5
    assert report.course.regret["q50"][-1] == pytest.approx(np.median(pulls.regrets))
    assert all(len(values) == marks for values in report.course.bounds.values())
    assert report.course.certificate[-1] == pytest.approx(np.median(pulls.certificate_curve[:, -1]))
    assert sum(values[-1] for values in report.course.probabilities.values()) == pytest.approx(1)
    assert sum(report.draws.values()) == pytest.approx(1)
    assert report.pulls.loss == pytest.approx(pulls.losses.mean())
    assert report.pulls.runs == 20


def test_reports_of_rewards_tell_rewards():
    """Earned is the highest reward for every round, less the loss, for the learner and for the best arm."""
    learner = LEARNERS["exp3-ix"](value_range=(-5.0, 15.0), rewards=True)
    table = 20 * PLAIN - 5
    pulls = simulate(learner, table, runs=3)
    report = pulls.report("title", {})
    assert pulls.reward == pytest.approx(15 * ROUNDS - pulls.loss)
    assert report.pulls.best_arm_reward == pytest.approx(table.sum(0).max())
    assert report.pulls.best_arm == str(table.sum(0).argmax())
    assert report.pulls.best_arm_loss == pytest.approx(15 * ROUNDS - table.sum(0).max())


def test_reports_say_who_slept_and_what_regret_is_against():
    """Rounds asleep are reported for every arm that was, and another comparator than the best arm is named."""
    asleep = simulate(LEARNERS["exp3"](), ASLEEP).report("title", {})
    assert asleep.asleep == {str(arm): float(np.isnan(ASLEEP[:, arm]).sum()) for arm in range(ARMS)}
    assert simulate(LEARNERS["exp3"](), PLAIN).report("title", {}).asleep == {}
    values = [
        simulate(learner, world, advice=advice).report("title", {}).against
        for learner, world, advice in [
            (LEARNERS["exp3"](), PLAIN, None),
            (LEARNERS["exp4"](), PLAIN, SHARES),
        ]
    ]
    assert values == [None, "the best expert in hindsight"]


def test_runs_draw_themselves():
    """A figure of runs has a picture each of regret, probabilities, draws and ends."""
    pytest.importorskip("matplotlib")
    pulls = simulate(LEARNERS["exp3"](), PLAIN, runs=3)
    assert len(pulls.plot().axes) == 4
    assert repr(pulls).startswith("<Pulls: 3 runs of 400 rounds, Exp3, mean regret ")


def test_a_run_of_one_arm_has_no_regret():
    """With a single arm there is nothing to regret, and every certificate says so."""
    pulls = simulate(Exp3IX(seed=1), PLAIN[:, :1], runs=3)
    np.testing.assert_allclose(pulls.regrets, 0, atol=1e-9)
    assert all(one.holds for one in pulls.certificates() if one.applies)
    assert (pulls.certificate_curve == 0).all()


def test_probable_bounds_fail_no_more_often_than_they_may():
    """Of 400 runs no more exceed the bounds of Exp3-IX at delta 0.2 than a binomial may at one in a million."""
    pulls = simulate(
        Exp3IX(3, seed=0, horizon=300, delta=0.2), Bernoulli([0.4, 0.5, 0.5], seed=3), rounds=300, runs=400
    )
    for one in pulls.certificates():
        if one.theorem.kind == "probable":
            assert one.runs["exceeded"] <= 400 * 0.2 + 4.9 * np.sqrt(400 * 0.16)


def test_tables_of_algorithms_are_played(data):
    """On the real costs of solvers the regret is within the observable certificate, as often as it must be."""
    path = data / "bandits" / "aslib_sat11_hand.npz"
    if not path.is_file():
        pytest.skip("no such table here")
    with np.load(path) as archive:
        costs, names = archive["cost"], [str(name) for name in archive["algorithm"]]
    learner = Exp3IX(value_range=(0.0, float(costs.max())), seed=0, horizon=len(costs))
    pulls = simulate(learner, Table(costs, names), runs=200)
    assert pulls.best_arm == names[int(costs.sum(0).argmin())]
    assert pulls.best_arm_loss == pytest.approx(costs.sum(0).min())
    assert np.mean(pulls.regrets > pulls.certificate_curve[:, -1]) <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / 200)


def test_jokes_that_nobody_rated_are_asleep(data):
    """Users who left jokes unrated are played with these asleep, and regret skips the rounds in which an arm was."""
    path = data / "bandits" / "jester5k.npz"
    if not path.is_file():
        pytest.skip("no such table here")
    with np.load(path) as archive:
        ratings = archive["ratings_x100"][:500]
    table = np.where(ratings == -32768, np.nan, ratings / 100)
    pulls = simulate(Exp3IX(value_range=(-10.0, 10.0), rewards=True, seed=0, horizon=500), table, runs=3)
    arms = Exp3IX(value_range=(-10.0, 10.0), rewards=True, seed=0, horizon=500, run=1).play(table).arms
    assert pulls.regrets[1] == pytest.approx(regret(-table, arms))


def test_what_is_raised_while_groups_are_handed_out_ends_those_that_have_begun(monkeypatch):
    """Ctrl-C before all groups are submitted waits for no run, however long."""
    from regretless.bandits.simulation import runner

    class Pool(ThreadPoolExecutor):
        submitted = 0

        def submit(self, *call, **named):
            Pool.submitted += 1
            if Pool.submitted == 3:
                raise KeyboardInterrupt
            return super().submit(*call, **named)

    over = []
    play = runner.Work.play

    def played(work, places):
        parcel = play(work, places)
        over.append(int(parcel.noted["_over"].sum()))
        return parcel

    monkeypatch.setattr(runner, "ThreadPoolExecutor", Pool)
    monkeypatch.setattr(runner.Work, "play", played)
    with pytest.raises(KeyboardInterrupt):
        simulate(Exp3IX(3, seed=1), Bernoulli([0.1, 0.5, 0.5]), rounds=10_000_000, runs=12, workers=1)
    assert sum(over) == 0
