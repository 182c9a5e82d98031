"""Off-policy evaluation: estimates are right on average, and intervals hold the truth as often as they say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from math import exp, log, prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from regretless.bandits import Exp3, Exp3IX, Exp3P, Exp4, Hedge, Stated, TsallisINF
from regretless.bandits.off_policy import evaluate_learner, evaluate_policy
from regretless.bandits.off_policy import evaluation as module
from regretless.bandits.off_policy.estimates import Estimate, Evidence, cautious
from regretless.bandits.off_policy.policies import Replays
from regretless.data.logged import Log
from regretless.errors import DataError, RegretlessError
from regretless.info import BanditInfo

Array = np.ndarray[Any, Any]
ROUNDS = 800
LOGS = 150
DELTA = 0.1
UNLIKELY = 1e-3  # that a test fails though intervals hold as often as they say

MEANS = np.array([[0.7, 0.2, 0.5], [0.1, 0.6, 0.4]])  # of rewards, by situation and action
SITUATIONS = np.array([0.4, 0.6])
LOGGING = np.array([[0.5, 0.2, 0.3], [0.25, 0.25, 0.5]])
POLICY = np.array([[0.8, 0.1, 0.1], [0.0, 0.7, 0.3]])
VALUE = float(SITUATIONS @ (POLICY * MEANS).sum(axis=1))


def drawn(seed: int, rounds: int = ROUNDS, logging: Array = LOGGING, means: Array = MEANS) -> Log:
    """A log of rounds with situations, by these propensities."""
    generator = np.random.default_rng(seed)
    contexts = generator.choice(2, rounds, p=SITUATIONS)
    actions = (generator.random(rounds)[:, None] > logging.cumsum(axis=1)[contexts, :2]).sum(axis=1)
    rewards = (generator.random(rounds) < means[contexts, actions]).astype(float)
    return Log.of([f"a{action}" for action in actions], logging[contexts, actions], rewards, contexts=contexts)


def plain(seed: int, chances: Sequence[float], means: Sequence[float], rounds: int = ROUNDS) -> Log:
    """A log without situations."""
    generator = np.random.default_rng(seed)
    actions = generator.choice(len(chances), rounds, p=chances)
    rewards = (generator.random(rounds) < np.array(means)[actions]).astype(float)
    return Log.of([f"a{action}" for action in actions], np.array(chances)[actions], rewards)


def holds_often(misses: int, of: int, delta: float = DELTA) -> bool:
    """Whether so many misses are likely enough if each has a probability of delta at most."""
    return bool(binom.sf(misses - 1, of, delta) > UNLIKELY)


class TestOnAverage:
    """Every log that there can be, each with its probability."""

    def logs(self, rounds: int) -> Iterator[tuple[float, Log]]:
        """All logs of two situations, two actions and two rewards that have both situations and actions in them."""
        means, logging = MEANS[:, :2], np.array([[0.3, 0.7], [0.6, 0.4]])
        cells = list(product(range(2), range(2), (0.0, 1.0)))
        chance = {
            (x, a, r): SITUATIONS[x] * logging[x, a] * (means[x, a] if r else 1 - means[x, a]) for x, a, r in cells
        }
        for rows in product(cells, repeat=rounds):
            contexts, actions, rewards = (np.array(column) for column in zip(*rows, strict=True))
            propensities = logging[contexts, actions]
            yield (
                prod(chance[row] for row in rows),
                Log("log", actions, ["a", "b"], propensities, rewards, (0.0, 1.0), False, contexts, ["x", "y"], 0.3),
            )

    def test_weighted_and_doubly_robust_estimates_of_a_policy_are_right_on_average(self):
        """Over all logs of three rounds the means of ips and dr are the value of the policy, to the last digits."""
        policy = np.array([[0.9, 0.1], [0.2, 0.8]])
        value = float(SITUATIONS @ (policy * MEANS[:, :2]).sum(axis=1))
        total, sums = 0.0, dict.fromkeys(("ips", "dr", "snips"), 0.0)
        for chance, one in self.logs(3):
            total += chance
            estimates = evaluate_policy(one, policy).estimates
            for name in sums:
                sums[name] += chance * estimates[name].value
        assert total == pytest.approx(1)
        assert sums["ips"] == pytest.approx(value, abs=1e-12)
        assert sums["dr"] == pytest.approx(value, abs=1e-12)
        assert sums["snips"] != pytest.approx(value, abs=1e-4)  # which is why it is not called unbiased

    @pytest.mark.parametrize("uneven", [False, True])
    def test_estimates_of_a_learner_are_right_on_average_over_logs_and_draws(self, uneven):
        """Over all logs and all draws of a learner, ips and dr are the mean value of its policies, and so is replay."""
        rounds, chances = 3, (0.3, 0.7) if uneven else (0.5, 0.5)
        means = np.array([0.8, 0.3])
        errors = dict.fromkeys(("ips", "dr", "replay"), 0.0)
        cells = list(product(range(2), (0.0, 1.0)))
        for rows in product(cells, repeat=rounds):
            actions, rewards = (np.array(column) for column in zip(*rows, strict=True))
            some, propensities, alike = np.zeros(rounds, int), np.array(chances)[actions], ["a", "b"]
            one = Log("log", actions, alike, propensities, rewards, (0.0, 1.0), False, some, [""], min(chances))
            likely = prod(chances[a] * (means[a] if r else 1 - means[a]) for a, r in rows)
            for script in product(range(2), repeat=rounds + 1):
                learner = Scripted(script)
                estimates = evaluate_learner(one, learner).estimates
                weight = likely * learner.made[0].weight / 2 ** (rounds + 1)
                again = Replays(one, Scripted(script), 1)
                policies, _, accepted = again.block(0, rounds)
                worth = policies @ means
                errors["ips"] += weight * (estimates["ips"].value - worth.mean())
                errors["dr"] += weight * (estimates["dr"].value - worth.mean())
                errors["replay"] += weight * float((accepted * (rewards - worth)).sum())
        assert errors["ips"] == pytest.approx(0, abs=1e-12)
        assert errors["dr"] == pytest.approx(0, abs=1e-12)
        if not uneven:  # else the coins that thin the log have to be averaged too
            assert errors["replay"] == pytest.approx(0, abs=1e-12)


class Scripted:
    """Draws the arms of a list, with the probabilities of a learner that follows what it earned."""

    info = BanditInfo(
        name="scripted",
        default_of="",
        summary="",
        draws=True,
        advised=False,
        informed=False,
        needs_horizon=False,
        twin="",
    )
    rewards = True
    value_range = (0.0, 1.0)
    seed_, run, name = 5, 0, "scripted"

    def __init__(self, script: Sequence[int]) -> None:
        self.script, self.made = script, []
        self.earned, self.made_draws, self.weight = np.zeros(2), 0, 1.0

    def names(self) -> list[str]:
        """Its arms."""
        return ["a", "b"]

    def clone(self, **_: Any) -> Scripted:
        """Another one, to be looked at."""
        self.made.append(Scripted(self.script))
        return self.made[-1]

    def bare(self) -> Scripted:
        """Its own core."""
        return self

    def _known(self) -> Scripted:
        return self

    def arrays(self) -> dict[str, Array]:
        """Its state."""
        return {"earned": self.earned}

    def adopt(self, arrays: dict[str, Array]) -> None:
        """Take a state back."""
        self.earned = arrays["earned"]

    def probabilities(self) -> Array:
        """Of the next draw."""
        share = 1 / (1 + exp(self.earned[1] - self.earned[0]))
        return np.array([share, 1 - share])

    def draw(self) -> int:
        """The next arm of the script."""
        arm = self.script[self.made_draws]
        self.weight *= 2 * self.probabilities()[arm]
        self.made_draws += 1
        return arm

    def update(self, arm: int, reward: float) -> None:
        """Follow what was earned."""
        self.earned[arm] += 2 * reward - 0.7


class TestIntervals:
    """How often intervals hold the truth, over many logs."""

    @pytest.mark.parametrize("runs", [1, 20])
    def test_those_of_a_policy_hold_its_value_as_often_as_they_say(self, runs):
        """Each of the intervals of a policy misses its value in no more logs than delta allows."""
        misses = dict.fromkeys(("replay", "ips", "snips", "dr", "anytime", "cautious"), 0)
        for seed in range(LOGS):
            estimates = evaluate_policy(drawn(seed), POLICY, runs=runs, delta=DELTA, seed=seed).estimates
            for name, one in estimates.items():
                assert one.enough
                misses[name] += not one.low <= VALUE <= one.high
            low, high = estimates["ips"].cautious
            misses["cautious"] += not low <= VALUE <= high
        assert all(holds_often(count, LOGS) for count in misses.values()), misses
        assert misses["ips"] > 0  # not for being too wide

    @pytest.mark.parametrize("runs", [1, 20])
    def test_those_of_rewards_that_are_not_two_hold_as_often_too(self, runs):
        """With rewards spread over [-6, 7] intervals are normal but for one, and keep their promise."""
        misses = dict.fromkeys(("replay", "ips", "snips", "dr", "anytime", "logged"), 0)
        means = 8 * MEANS - 3
        value = float(SITUATIONS @ (POLICY * means).sum(axis=1))
        logged = float(SITUATIONS @ (LOGGING * means).sum(axis=1))
        for seed in range(LOGS):
            one = drawn(seed)
            spread = np.random.default_rng(seed).uniform(-0.5, 0.5, len(one))
            here = one.contexts, one.actions
            rewards = means[here] + 3 * (one.rewards - MEANS[here]) + spread
            wide = replace(one, rewards=rewards, value_range=(-6.0, 7.0))
            evaluation = evaluate_policy(wide, POLICY, runs=runs, delta=DELTA, seed=seed)
            methods = {one.method for one in evaluation.estimates.values()}
            assert methods == {"normal", "normal, delta method", "bets, at any time"}
            assert evaluation.logged.enough
            for name, estimate in evaluation.estimates.items():
                misses[name] += not estimate.low <= value <= estimate.high
            misses["logged"] += not evaluation.logged.low <= logged <= evaluation.logged.high
        assert all(holds_often(count, LOGS) for count in misses.values()), misses

    @pytest.mark.parametrize("runs", [1, 5])
    @pytest.mark.parametrize("chances", [(0.25, 0.25, 0.25, 0.25), (0.4, 0.3, 0.2, 0.1)])
    def test_those_of_a_learner_hold_what_its_policies_were_worth_as_often_as_they_say(self, runs, chances):
        """Each interval of a learner misses the mean value of its policies in no more logs than delta allows."""
        means = np.array([0.3, 0.5, 0.4, 0.8])
        misses = dict.fromkeys(("replay", "ips", "snips", "dr", "anytime", "cautious"), 0)
        for seed in range(LOGS):
            one = plain(seed, chances, means)
            learner = Exp3(arms=one.names, rewards=True, rate=0.05, seed=seed)
            estimates = evaluate_learner(one, learner, runs=runs, delta=DELTA).estimates
            walks = [Replays(one, learner.clone(run=run), 1).block(0, len(one)) for run in range(runs)]
            overall = float(np.mean([policies @ means for policies, _, _ in walks]))
            played = sum(accepted @ (policies @ means) for policies, _, accepted in walks)
            replayed = float(played / sum(accepted.sum() for _, _, accepted in walks))
            for name, estimate in estimates.items():
                truth = replayed if name == "replay" else overall
                misses[name] += not estimate.low <= truth <= estimate.high
            low, high = estimates["ips"].cautious
            misses["cautious"] += not low <= overall <= high
        assert all(holds_often(count, LOGS) for count in misses.values()), misses

    @pytest.mark.parametrize("losses", [False, True])
    @pytest.mark.parametrize("rounds", [1, 2, 5, 60])
    def test_those_of_a_policy_hold_its_estimate(self, rounds, losses):
        """Whatever the range and however large the weights are, no estimate of a policy is outside its interval."""
        generator = np.random.default_rng(rounds)
        for _ in range(100):
            actions = generator.choice(2, rounds, p=[0.9, 0.1])
            rewards = 100 + (generator.random(rounds) < 0.9)
            one = Log.of(actions, np.array([0.9, 0.1])[actions], rewards, value_range=(100, 101), losses=losses)
            for estimate in evaluate_policy(one, {"0": 0.1, "1": 0.9}).estimates.values():
                assert estimate.low <= estimate.value <= estimate.high
                assert estimate.cautious is None or estimate.cautious[0] <= estimate.value <= estimate.cautious[1]

    def test_those_of_a_range_far_from_0_are_those_of_one_at_0(self):
        """Rewards that are all 100 higher are estimated as 100 more, with intervals as wide."""
        one = plain(3, [0.9, 0.1], [0.3, 0.6], 300)
        far = replace(one, rewards=one.rewards + 100, value_range=(100.0, 101.0))
        near, result = (evaluate_policy(log, [0.1, 0.9]).estimates for log in (one, far))
        for name, estimate in near.items():
            assert [result[name].value, result[name].low, result[name].high] == pytest.approx(
                [100 + end for end in (estimate.value, estimate.low, estimate.high)]
            )

    def test_that_of_the_log_holds_what_the_logging_policy_is_worth(self):
        """The interval of the log's own mean misses its expectation in no more logs than delta allows."""
        value = float(SITUATIONS @ (LOGGING * MEANS).sum(axis=1))
        estimates = [evaluate_policy(drawn(seed, 200), POLICY, delta=DELTA).logged for seed in range(LOGS)]
        assert holds_often(sum(not one.low <= value <= one.high for one in estimates), LOGS)

    def test_the_cautious_one_holds_where_the_normal_one_fails(self):
        """With few rounds and rare rewards the cautious interval keeps its promise, and the normal one breaks it."""
        rare = MEANS * 0.05
        value = float(SITUATIONS @ (POLICY * rare).sum(axis=1))
        normal = careful = 0
        for seed in range(LOGS):
            ips = evaluate_policy(drawn(seed, 40, means=rare), POLICY, delta=DELTA).estimates["ips"]
            assert not ips.enough
            normal += not ips.low <= value <= ips.high
            careful += not ips.cautious[0] <= value <= ips.cautious[1]
        assert holds_often(careful, LOGS)
        assert not holds_often(normal, LOGS)

    @given(st.floats(-1, 50), st.floats(0.001, 0.99))
    def test_the_lemma_of_the_cautious_one(self, step, rate):
        """exp(s z - psi(s) z^2) <= 1 + s z for z >= -1 and 0 <= s < 1."""
        assert exp(rate * step - (-log(1 - rate) - rate) * step**2) <= 1 + rate * step + 1e-12

    def test_the_cautious_one_narrows_with_the_rounds(self):
        """With a hundred times the rounds the cautious interval is at least six times as narrow."""

        def width(rounds: int) -> float:
            weights = np.tile([0.5, 1.5], rounds // 2)
            rewards = np.resize([0.0, 0.0, 1.0], rounds)
            zeros = np.zeros(rounds)
            low, high = cautious(Evidence(rewards, weights, zeros, zeros, zeros, 1, (0.0, 1.0), 2.0), 0.05)
            return high - low

        assert width(100_000) < width(1_000) / 6


class TestReplay:
    """The rounds that a learner meets."""

    def test_it_is_the_learner_itself_on_the_rounds_that_agree(self):
        """A replay by hand, with tickets, gives the same book, draw for draw."""
        one = plain(3, [0.25] * 4, [0.3, 0.5, 0.4, 0.8])
        evaluation = evaluate_learner(one, Exp3IX(arms=one.names, rewards=True, seed=7))
        learner = Exp3IX(arms=one.names, rewards=True, seed=7)
        rounds = iter(zip(one.actions.tolist(), one.rewards.tolist(), strict=True))
        rewards = []
        while True:
            draw = learner.draw()
            reward = next((reward for action, reward in rounds if action == draw), None)
            if reward is None:
                learner.withdraw(draw)
                break
            learner.update(draw, reward)
            rewards.append(reward)
        assert evaluation.estimates["replay"].n == len(rewards)
        assert evaluation.estimates["replay"].value == pytest.approx(np.mean(rewards))
        book, by_hand = evaluation.learners[0].ledger_, learner.ledger_
        assert (book.rounds, book.settled, book.loss) == (by_hand.rounds - 1, by_hand.settled, by_hand.loss)
        assert book.estimates.tolist() == by_hand.estimates.tolist()
        assert book.unsettled == 0

    @pytest.mark.parametrize("learner", [Exp3IX, Exp3, TsallisINF])
    @pytest.mark.parametrize("chances", [(0.5, 0.5), (0.8, 0.2)])
    def test_blocks_change_nothing(self, monkeypatch, learner, chances):
        """A log that is gone through in small blocks gives the same estimates as in one."""
        one = plain(4, chances, [0.3, 0.6], 500)
        made = learner(arms=one.names, rewards=True, seed=1)
        whole = evaluate_learner(one, made, runs=3)
        monkeypatch.setattr(module, "ENTRIES", 2 * 37)
        parts = evaluate_learner(one, made, runs=3)
        assert same(whole.estimates, parts.estimates)
        for left, right in zip(whole.learners, parts.learners, strict=True):
            assert left.ledger_.estimates.tolist() == right.ledger_.estimates.tolist()

    def test_runs_are_those_of_their_numbers(self):
        """The weighted estimate of three runs is the mean of those of runs 0, 1 and 2, each on its own."""
        one = plain(5, [0.2, 0.3, 0.5], [0.2, 0.4, 0.6])
        made = Exp3(arms=one.names, rewards=True, seed=11)
        together = evaluate_learner(one, made, runs=3).estimates["ips"].value
        alone = [evaluate_learner(one, made.clone(run=run)).estimates["ips"].value for run in range(3)]
        assert together == pytest.approx(np.mean(alone), rel=1e-12)

    def test_thinning_leaves_each_arm_as_often_as_the_learner_draws_it(self):
        """From a log that prefers one arm by nine to one, a learner at rest replays either arm equally often."""
        one = plain(6, [0.9, 0.1], [0.5, 0.5], 20_000)
        evaluation = evaluate_learner(one, Exp3(arms=one.names, rewards=True, rate=1e-9, seed=0))
        played = evaluation.learners[0].counts_
        assert binomtest(int(played[0]), int(played.sum()), 0.5).pvalue > UNLIKELY
        assert binomtest(int(played.sum()), len(one), 0.1).pvalue > UNLIKELY
        assert evaluation.estimates["replay"].n == played.sum()
        assert "least propensity is 0.1" in evaluation.notes[0]

    def test_rounds_of_the_own_policy_are_all_accepted(self):
        """The policy that made a log is estimated by the log's own mean, from every round, all weights being 1."""
        one = plain(7, [0.5, 0.5], [0.3, 0.6])
        evaluation = evaluate_policy(one, [0.5, 0.5])
        for name in ("replay", "ips", "snips"):
            assert evaluation.estimates[name].value == pytest.approx(evaluation.logged.value)
            assert evaluation.estimates[name].n == len(one)
        assert (evaluation.effective, evaluation.largest) == (pytest.approx(len(one)), 1.0)

    def test_losses_are_rewards_upside_down(self):
        """A log of losses, 1 less each reward, is replayed in the same rounds and estimated as 1 less."""
        one = plain(8, [0.5, 0.5], [0.3, 0.6])
        other = replace(one, rewards=1 - one.rewards, losses=True)
        first = evaluate_learner(one, Exp3IX(arms=one.names, rewards=True, seed=2)).estimates
        second = evaluate_learner(other, Exp3IX(arms=one.names, seed=2)).estimates
        for name in first:
            assert first[name].value == pytest.approx(1 - second[name].value)
            assert first[name].n == second[name].n
        assert first["ips"].cautious == pytest.approx([1 - end for end in reversed(second["ips"].cautious)])

    def test_a_learner_that_learns_is_seen_to(self):
        """Where one arm is much better, the estimates of a learner lie above the log's own interval."""
        one = plain(9, [0.25] * 4, [0.1, 0.1, 0.1, 0.9], 8_000)
        evaluation = evaluate_learner(one, Exp3IX(arms=one.names, rewards=True, horizon=2_000, seed=3))
        assert all(estimate.low > evaluation.logged.high for estimate in evaluation.estimates.values())
        assert evaluation.draws[3] > 0.6


def same(left: dict[str, Estimate], right: dict[str, Estimate]) -> bool:
    """Whether two sets of estimates agree to the last digits."""
    return left.keys() == right.keys() and all(
        (one.value, one.low, one.high) == pytest.approx((right[name].value, right[name].low, right[name].high))
        and one.n == right[name].n
        for name, one in left.items()
    )


class TestDoubts:
    """What cannot be estimated, and is not passed over in silence."""

    def test_actions_that_the_log_never_took_are_noted(self):
        """A policy that wants what was never logged is refused with its probability."""
        one = plain(1, [0.5, 0.5], [0.3, 0.6]).among(["new"])
        evaluation = evaluate_policy(one, [0.5, 0.25, 0.25])
        assert evaluation.notes[0].startswith(
            "with probability 0.25 the policy takes an action that the log never took"
        )

    @pytest.mark.parametrize("losses", [False, True])
    def test_actions_that_the_log_never_took_count_as_the_worst_value(self, losses):
        """A policy that does only what the log never did is worth the worst value of the range, by ips."""
        one = Log.of(["a"] * 50, 0.5, np.arange(50) % 2 + 100, value_range=(100, 101), losses=losses)
        evaluation = evaluate_policy(one, {"new": 1.0})
        assert evaluation.estimates["ips"].value == (101 if losses else 100)
        assert f"the worst value of the range for it, {101 if losses else 100}" in evaluation.notes[0]

    def test_a_policy_may_name_its_actions(self):
        """A mapping by name gives what the same probabilities in the log's order give, wherever an action stands."""
        one = plain(1, [0.5, 0.3, 0.2], [0.3, 0.6, 0.1])
        names = one.names
        by_name = evaluate_policy(one, {names[2]: 0.9, names[0]: 0.1})
        assert same(by_name.estimates, evaluate_policy(one, [0.1, 0.0, 0.9]).estimates)

    def test_a_policy_that_the_log_never_follows_has_no_replay(self):
        """Where every weight is 0, replay and snips are left out, and ips doubts itself."""
        one = Log.of(["a"] * 50, 0.5, [0, 1] * 25).among(["b"])
        evaluation = evaluate_policy(one, [0, 1])
        assert set(evaluation.estimates) == {"ips", "dr", "anytime"}
        assert not evaluation.estimates["ips"].enough
        assert any("no round was replayed" in note for note in evaluation.notes)

    def test_few_outcomes_are_noted(self):
        """Five clicks in ten thousand rounds are too few for a normal interval, and 500 are enough."""
        for clicks, enough in ((5, False), (500, True)):
            rewards = np.zeros(10_000)
            rewards[:: 10_000 // clicks] = 1
            one = Log.of(np.resize(["a", "b", "b"], 10_000), np.resize([1 / 3, 2 / 3, 2 / 3], 10_000), rewards)
            evaluation = evaluate_policy(one, [0.5, 0.5])
            assert evaluation.estimates["ips"].enough is enough
            assert bool(evaluation.notes) is not enough

    def test_propensities_that_contradict_the_log_are_noted(self):
        """Of a log that draws two actions alike 1/2 is believed, and 1 or 1/3 is not, nor are the two the wrong way."""
        actions, rewards = ["a", "b"] * 500, np.resize([0.0, 1.0, 1.0], 1000)
        for chances, right in ((0.5, True), (1.0, False), (1 / 3, False)):
            notes = evaluate_policy(Log.of(actions, chances, rewards), [0.5, 0.5]).notes
            assert any("are these the probabilities" in note for note in notes) is not right
        alone = Log.of(actions, 1 / 3, rewards)  # the weights of the log's own policy are 1 whatever it says
        assert (
            "has a mean of 3, more than the 2 actions" in evaluate_policy(alone, Stated(alone.propensities)).notes[-1]
        )
        skewed = plain(2, [0.8, 0.2], [0.5, 0.5])
        learner = Exp3IX(arms=skewed.names, rewards=True, seed=0)
        assert not any("are these" in note for note in evaluate_learner(skewed, learner).notes)
        swapped = replace(skewed, propensities=1 - skewed.propensities)
        assert any("are these" in note for note in evaluate_learner(swapped, learner).notes)

    def test_a_short_log_of_many_actions_contradicts_nothing(self):
        """Fifty rounds of two hundred actions alike show but some of them, and 1 / p is as many as there are."""
        some = Log.of(np.random.default_rng(0).integers(0, 200, 50), 1 / 200, [0.0, 1.0] * 25)
        assert not any("are these" in note for note in evaluate_policy(some, Stated(some.propensities)).notes)

    @pytest.mark.parametrize(
        ("probabilities", "expected"),
        [([0.5, 0.6], "sum to 1"), ([1.5, -0.5], "sum to 1"), ([1.0], "shape"), ([[0.5, 0.5]] * 2, "shape")],
    )
    def test_what_is_no_policy_is_refused(self, probabilities, expected):
        """Probabilities of another shape or sum are an error that says what is expected."""
        with pytest.raises(RegretlessError, match=expected):
            evaluate_policy(plain(1, [0.5, 0.5], [0.3, 0.6]), probabilities)

    @pytest.mark.parametrize(
        ("learner", "expected"),
        [
            (Hedge(arms=["a0", "a1"], rewards=True), "hedge needs more than a log has"),
            (Exp4(arms=["a0", "a1"], rewards=True, n_experts=3), "exp4 needs more than a log has"),
            (Exp3IX(2, rewards=True), "arms=log.names"),
            (Exp3IX(arms=["a0", "a1"]), "make the learner for these"),
            (Exp3IX(arms=["a0", "a1"], rewards=True, value_range=(0, 2)), "make the learner for these"),
        ],
    )
    def test_a_learner_that_does_not_fit_the_log_is_refused(self, learner, expected):
        """Other arms, another range, losses for rewards, or a need for more than the log holds: each is an error."""
        with pytest.raises(RegretlessError, match=expected):
            evaluate_learner(plain(1, [0.5, 0.5], [0.3, 0.6]), learner)

    def test_a_delta_that_is_none_is_refused(self):
        """An interval with certainty cannot be had."""
        with pytest.raises(RegretlessError, match="delta"):
            evaluate_policy(plain(1, [0.5, 0.5], [0.3, 0.6]), [0.5, 0.5], delta=0.0)

    def test_arrays_that_are_no_log_are_refused_by_row(self):
        """Log.of names the row of the first propensity or reward that cannot be."""
        for chances, rewards, expected in (
            ([0.5, 0.0], [0, 1], "in row 1 .* the propensity is 0"),
            ([0.5, 1.1], [0, 1], "in row 1 .* the propensity is 1.1"),
            ([np.nan, 0.5], [0, 1], "in row 0 .* the propensity is nan"),
            ([0.5, 0.5], [0, 2], "in row 1 .* the reward is 2"),
            ([0.5, 0.5], [0], "2 actions, 2 propensities, 1 rewards"),
        ):
            with pytest.raises(DataError, match=expected):
                Log.of(["a", "b"], chances, rewards)


def test_other_learners_can_be_evaluated_too():
    """Exp3.P is replayed with its bonuses, and its last draw, which no round settled, is taken back with its bonus."""
    one = plain(10, [0.5, 0.5], [0.3, 0.6], 400)
    made = Exp3P(arms=one.names, rewards=True, horizon=400, seed=4)
    evaluation = evaluate_learner(one, made)
    again = made.clone()
    core = again.bare()
    rounds = iter(zip(one.actions.tolist(), one.rewards.tolist(), strict=True))
    for _ in range(evaluation.estimates["replay"].n):
        arm = core.draw()
        core.update(arm, next(reward for action, reward in rounds if action == arm))
    assert again.ledger_.estimates.tolist() == evaluation.learners[0].ledger_.estimates.tolist()
    assert again.ledger_.rounds == evaluation.learners[0].ledger_.rounds


def test_what_the_cautious_interval_assumes_is_reported_unless_it_is_declared():
    """A rare action that was not drawn leaves no trace in a log: its interval names the least propensity that it goes
    by, and with the one that is true declared it holds the policy's value, which it missed."""
    generator = np.random.default_rng(0)
    chances = np.where(np.arange(200) % 2, 0.0005, 0.5)
    drawn = generator.random(200) < chances
    actions, propensities = np.where(drawn, "b", "a"), np.where(drawn, chances, 1 - chances)
    rewards = (drawn & (chances < 0.5)).astype(float)
    bare, limited = (Log.of(actions, propensities, rewards, least=least) for least in (None, 0.0005))
    result, sound = (evaluate_policy(log, {"b": 1.0}).estimates["ips"] for log in (bare, limited))
    assert result.cautious[1] < 0.5 < sound.cautious[1]
    assert result.assuming == "no action could have a propensity below 0.5, the least of the log"
    assert result.describe()["assuming"] == result.assuming
    assert sound.assuming is None
