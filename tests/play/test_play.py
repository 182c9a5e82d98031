"""Learners against environments: what is counted, what is promised, and what is certified."""

from __future__ import annotations

from dataclasses import replace
from inspect import signature
from itertools import pairwise

import numpy as np
import pytest

from regretless.bandits import Exp3, Exp3IX, Exp4, Hedge
from regretless.bandits.simulation import runner, simulate
from regretless.catalogue import (
    EXPERT_LEARNERS,
    LEARNERS,
    expert_class,
    learner_class,
)
from regretless.certificate import Certificate
from regretless.environments import (
    AgnosticTree,
    Bernoulli,
    Dyadic,
    Exponential,
    FairCoins,
    FairLabels,
    LabelFlipping,
    LikeliestLoses,
    MostDrawnLoses,
    OneBetterArm,
    Orthonormal,
    RandomTarget,
    Separable,
    ShatteredTree,
    SparseTarget,
    Table,
    WrittenPoints,
)
from regretless.environments.asker import Asker
from regretless.environments.labels import Labels
from regretless.environments.lower_bounds import LowerBound
from regretless.environments.points import WorstCaseLabels
from regretless.environments.registry import ENVIRONMENTS, entry_of, make
from regretless.errors import RegretlessError
from regretless.experts import AdaHedge, MLPoly, RandomizedWeightedMajority, Ridge, WeightedMajority
from regretless.experts import Hedge as Combiner
from regretless.finite_classes import Consistent, FiniteClass, Halving, RandomizedOptimal, StandardOptimal
from regretless.ledger import ClassLedger
from regretless.linear import AROW, AveragedPerceptron, MulticlassPerceptron, Perceptron, PNormPerceptron, Winnow
from regretless.play import bandits, play, trace
from regretless.play.bandits import replayed
from regretless.play.compatibility import environments_for, fits, resolve
from regretless.play.player import LabelPlayer
from regretless.play.players import LinearPlayer
from regretless.play.result import CheckedLowerBound, check_lower_bound, joined
from regretless.play.run import again, player_of
from regretless.theorem import theorem

THRESHOLDS = FiniteClass.named("thresholds:7")


class InTurn(Labels):
    """The rounds of another environment, for learners that see one at a time."""

    def __init__(self, environment):
        self.name = environment.name  # by which certificates call its rows
        super().__init__(environment.columns, environment.rounds, environment.names, environment.finite_class)
        self._environment, self.votes = environment, environment.votes

    def begin(self, run: int = 0) -> Asker:
        asker = self._environment.begin(run)
        asker.settled = False
        return asker


def combiner(name):
    """A combiner that can meet votes."""
    more = {
        "randomized-weighted-majority": {"beta": 0.5, "random_state": 3},
        "weighted-majority": {},
        "ridge": {},
        "aggregating": {"value_range": (0, 1)},
    }
    return expert_class(name)(**more.get(name, {"loss": "absolute", "value_range": (0, 1)}))


# What is counted.


@pytest.mark.parametrize("name", LEARNERS)
def test_linear_learners_make_the_same_mistakes_in_blocks_and_in_turn(name):
    """An environment that is read ahead costs a linear learner what it costs when each round is asked for by itself."""
    environment = SparseTarget(columns=12, relevant=3, noise=0.1, seed=4)
    whole, turns = (play(learner_class(name)(), one, 150) for one in (environment, InTurn(environment)))
    assert [point.count for point in whole.curve] == [point.count for point in turns.curve]
    assert [point.more for point in whole.curve] == [point.more for point in turns.curve]
    assert whole.quantities == turns.quantities
    assert [one.describe() for one in whole.certificates] == [one.describe() for one in turns.certificates]


@pytest.mark.parametrize("name", EXPERT_LEARNERS)
def test_combiners_lose_the_same_in_blocks_and_in_turn(name):
    """An environment that is read ahead costs a combiner what it costs when every round is asked for by itself."""
    environment = RandomTarget(THRESHOLDS, noise=0.2, seed=2)
    whole, turns = (play(combiner(name), one, 90) for one in (environment, InTurn(environment)))
    assert whole.totals == pytest.approx(turns.totals, rel=1e-12)
    for quantity, values in whole.quantities.items():
        assert values == pytest.approx(turns.quantities[quantity], rel=1e-12), quantity
    assert [one.best for one in whole.curve] == [one.best for one in turns.curve]


@pytest.mark.parametrize("learner", [Consistent, Halving, StandardOptimal])
def test_class_learners_make_the_same_mistakes_in_blocks_and_in_turn(learner):
    """Blocks of points are no other game than points one by one."""
    finite_class = FiniteClass.named("thresholds:40")
    environment = RandomTarget(finite_class, target=finite_class.hypotheses - 1, seed=9)
    whole, turns = (play(learner(finite_class), one, 60) for one in (environment, InTurn(environment)))
    assert whole.count >= 3
    assert whole.curve == turns.curve
    assert whole.count == whole.learner.ledger_.mistakes
    assert whole.quantities == turns.quantities


def test_mistakes_and_regret_are_those_of_the_labels():
    """Mistakes, and those of the best column, are what a count by hand gives."""
    points, labels = [0, 6, 3, 3, 2, 5, 1], [0, 1, 0, 1, 0, 1, 1]
    environment = WrittenPoints(THRESHOLDS, points, labels)
    game = play(Perceptron(), environment)
    rows, truths = environment.block(0, 7)
    learner, mistakes = Perceptron().partial_fit(rows[:1], truths[:1], classes=[-1.0, 1.0]), int(truths[0] != 1)
    for row, truth in zip(rows[1:], truths[1:], strict=True):
        mistakes += int(learner.predict_one(row) != truth)
        learner.update_one(row, truth)
    best = min(int(np.count_nonzero(column != truths)) for column in rows.T)
    assert best > 0
    assert (game.count, game.best, game.regret) == (mistakes, best, mistakes - best)
    assert game.quantities["regret"] == [mistakes - best]


def test_averaged_weights_are_counted_by_what_they_predict():
    """An averaged perceptron is fooled in every round, though its last weights, that the ledger counts, are not."""
    game = play(AveragedPerceptron(), LabelFlipping(), 60)
    assert game.count == 60
    assert game.learner.ledger_.mistakes < 60


def test_a_forecaster_is_charged_the_probability_of_the_wrong_label():
    """Of a combiner with the absolute loss the loss is the sum of what it gives to the wrong labels."""
    game = play(combiner("ewa"), FairLabels(seed=1), 200)
    assert game.quantities["expected mistakes"] == pytest.approx(game.totals)
    assert game.quantities["expected regret in mistakes"] == pytest.approx(game.regret)


def test_weights_to_act_by_are_a_forecast_of_the_absolute_loss():
    """Hedge that gets bare losses loses what Hedge with the absolute loss does, and says no labels of its own."""
    environment = RandomTarget(THRESHOLDS, noise=0.1, seed=5)
    bare, named = (play(Combiner(eta=0.3, loss=loss), environment, 80) for loss in (None, "absolute"))
    turns = play(Combiner(eta=0.3), InTurn(environment), 80)
    assert bare.count == pytest.approx(named.count) == pytest.approx(turns.count)
    assert "mistakes" not in bare.quantities
    assert "mistakes" not in turns.quantities
    assert bare.quantities["regret"] == pytest.approx(turns.quantities["regret"])


def test_a_drawn_expert_is_judged_by_what_it_said():
    """Randomized weighted majority errs when the expert that it drew did; expected is what its weights were."""
    game = play(RandomizedWeightedMajority(beta=0.5, random_state=1), RandomTarget(THRESHOLDS, noise=0.3), 300)
    ledger = game.learner.ledger_
    assert game.quantities["mistakes"] == ledger.sampled
    assert game.quantities["expected mistakes"] == pytest.approx(ledger.expected)
    assert ledger.sampled != ledger.expected


def test_exp4_draws_labels_as_hypotheses_say():
    """Its regret is that against the hypothesis which erred least, and its bound on it is read."""
    environment = RandomTarget(THRESHOLDS, noise=0.2, seed=3)
    game = play(Exp4(2, horizon=400, seed=1), environment, 400, runs=3)
    for run in range(3):
        rows, labels = environment.block(0, 400, run)
        best = int(np.count_nonzero(rows != labels[:, None], axis=0).min())
        assert game.quantities["regret"][run] == game.totals[run] - best
    bounds = {one.theorem.name: one for one in game.certificates}
    assert all(one.applies for one in bounds.values())
    assert not game.violated


def test_an_arm_is_a_hypothesis():
    """A bandit that meets points of a class loses what it does on the table of the hypotheses' mistakes."""
    environment = RandomTarget(THRESHOLDS, seed=3)
    rows, labels = environment.block(0, 100)
    game = play(Exp3IX(horizon=100, seed=5), environment, 100)
    pulls = simulate(Exp3IX(horizon=100, seed=5), Table((rows != labels[:, None]).astype(float)))
    assert game.totals.tolist() == pulls.losses.tolist()
    assert game.regret == pulls.regrets[0]


def test_combiners_meet_arms():
    """A combiner of losses plays an environment of arms as it plays its table."""
    world = Bernoulli([0.3, 0.5, 0.7], seed=2)
    game = play(AdaHedge(loss=None), world, 500)
    learner = AdaHedge(loss=None)
    learner.play(world.block(0, 500))
    assert game.count == pytest.approx(learner.ledger_.loss, rel=1e-12)
    assert game.best == learner.comparators()[0].loss
    assert game.learner.names() == ["0", "1", "2"]


def test_an_adversary_of_arms_sees_weights_and_draws():
    """The likeliest arm loses against weights, and the arm that was drawn most against one that draws."""
    weights = play(Combiner(eta=0.5, value_range=(0, 1)), LikeliestLoses(4), 40)
    assert weights.count >= 10
    drawn = play(RandomizedWeightedMajority(beta=0.5, loss=None, random_state=1), MostDrawnLoses(3), 60)
    assert drawn.best <= 60 - drawn.best


# Promises.


@pytest.mark.parametrize("name", ["perceptron", "winnow", "arow", "p-norm-perceptron", "voted-perceptron"])
@pytest.mark.parametrize("environment", [LabelFlipping(), Dyadic(), Orthonormal(20), ShatteredTree(THRESHOLDS)])
def test_environment_keeps_its_promises_to_linear_learners(name, environment):
    """Whatever such an environment is sure to force upon a deterministic learner, it does."""
    game = play(learner_class(name)(), environment, min(50, environment.rounds or 50))
    assert game.lower_bounds
    assert all(one.observed is not None and one.holds for one in game.lower_bounds)
    assert not game.violated


def test_the_optimal_learner_attains_what_the_tree_forces():
    """Against the shattered tree StandardOptimal errs as often as the Littlestone dimension says, not once more."""
    game = play(StandardOptimal(THRESHOLDS), ShatteredTree(THRESHOLDS), 30)
    assert game.count == 3
    assert game.lower_bounds[0].observed == game.lower_bounds[0].lower_bound.least == 3
    assert min(one.bound for one in game.certificates if one.applies) == 3
    assert [(point.rounds, point.count) for point in game.curve] == [
        (1, 1),
        (2, 2),
        (4, 3),
        (8, 3),
        (16, 3),
        (30, 3),
    ]


def test_a_learner_that_draws_pays_half():
    """The tree is promised half as many expected mistakes of a learner that draws, and these are counted."""
    game = play(RandomizedOptimal(THRESHOLDS, random_state=1), ShatteredTree(THRESHOLDS), 30)
    assert game.lower_bounds[0].lower_bound.quantity == "expected mistakes"
    assert game.lower_bounds[0].lower_bound.least == 1.5
    assert 1.5 <= game.lower_bounds[0].observed <= 3
    assert not game.violated


def test_fair_coins_cost_every_learner_their_exact_regret():
    """The mean regret over many runs is the number of the theorem, but for luck."""
    game = play(WeightedMajority(), FairLabels(seed=1), 64, runs=400)
    promise = next(one for one in game.lower_bounds if one.lower_bound.quantity == "regret in mistakes")
    assert promise.lower_bound.least == FairCoins.regret(64)
    assert promise.observed == pytest.approx(promise.lower_bound.least, abs=4 * promise.standard_error)
    assert all(one.holds for one in game.lower_bounds)


PLAYING = {
    "halving": lambda environment: Halving(environment.finite_class),
    "randomized-optimal": lambda environment: RandomizedOptimal(environment.finite_class, random_state=1),
    "perceptron": lambda environment: Perceptron(),
    "hedge": lambda environment: Combiner(loss="absolute", horizon=60),
    "table": lambda environment: Combiner(horizon=60),
    "ridge": lambda environment: Ridge(),
    "drawing": lambda environment: RandomizedWeightedMajority(horizon=60, random_state=1),
    "majority": lambda environment: WeightedMajority(),
    "bandit": lambda environment: Exp3IX(seed=1, horizon=60),
    "arms": lambda environment: Hedge(seed=1, horizon=60),
    "advised": lambda environment: Exp4(2, horizon=60, seed=1),
}


@pytest.mark.parametrize("environment", [LabelFlipping(), FairLabels(seed=1), AgnosticTree(THRESHOLDS, 60, seed=1)])
@pytest.mark.parametrize("learner", PLAYING)
def test_one_name_is_one_number(learner, environment):
    """What a promise calls regret, mistakes or loss is the very number that the table calls so."""
    game = play(PLAYING[learner](environment), environment, 60)
    named = {game.counts: game.count, "regret": game.regret}
    shown = {name: values[0] for name, values in game.quantities.items() if name in named}
    assert shown == {name: pytest.approx(named[name]) for name in shown}
    assert "regret" in shown
    assert all(one.observed == game.quantities[one.lower_bound.quantity][0] for one in game.lower_bounds)


def test_a_combiner_has_a_regret_in_its_loss_and_one_in_mistakes():
    """Hedge on flipped labels regrets at least half of the rounds in mistakes, and far less in the absolute loss."""
    game = play(Combiner(loss="absolute", horizon=60), LabelFlipping(), 60)
    assert [(one.lower_bound.quantity, one.observed) for one in game.lower_bounds][1] == ("regret in mistakes", 30)
    assert game.regret == game.quantities["regret"][0] < 5


def test_the_perceptron_needs_exponentially_many_updates():
    """So many updates are promised and made, and its own theorems allow them."""
    game = play(Perceptron(), Exponential(4), 1000)
    promise = next(one for one in game.lower_bounds if one.lower_bound.quantity == "updates")
    assert promise.observed == promise.lower_bound.least == (4**4 - 1) / 3
    assert not game.violated


def test_winnow_wins_where_few_votes_count():
    """Among many votes of which three count, Winnow errs less often than a perceptron."""
    environment = SparseTarget(columns=400, relevant=3, seed=1)
    assert play(Winnow(), environment, 2000).count < 0.7 * play(Perceptron(), environment, 2000).count


def promised(least: float, kind: str = "sure", quantity: str = "mistakes") -> LowerBound:
    return LowerBound("A rule", quantity, least, "somebody", kind)


def test_a_sure_promise_that_is_broken_in_one_run_is_broken():
    """It is read on the run that comes nearest to breaking it, and the line says so."""
    check = check_lower_bound(promised(3.0), {"mistakes": np.array([5.0, 2.0])})
    assert (check.observed, check.holds, check.violated) == (2.0, False, True)
    assert "FALLS SHORT OF 3" in str(check)


def test_a_promise_in_expectation_is_about_the_mean():
    """It is no violation when luck is better, and nothing is concluded from few runs."""
    few = check_lower_bound(promised(10.0, "expected"), {"mistakes": np.full(29, 1.0)})
    many = check_lower_bound(promised(10.0, "expected"), {"mistakes": np.full(30, 1.0)})
    near = check_lower_bound(promised(10.0, "expected"), {"mistakes": np.array([9.0, 10.5] * 15)})
    assert (few.holds, many.holds, near.holds, many.violated) == (True, False, True, False)
    assert "expected to be at least 10" in str(few)
    assert "FALLS SHORT" in str(many)
    assert "by less than 3 standard errors" in str(near)


def test_what_nobody_saw_is_not_judged():
    """A promise about a quantity that this learner does not have is shown without a number."""
    check = check_lower_bound(promised(3.0, quantity="updates"), {"mistakes": np.zeros(1)})
    assert (check.observed, check.holds) == (None, True)
    assert "not observed" in str(check)
    assert CheckedLowerBound(promised(1.0, "expected"), 2.0).describe()["observed"] == 2.0


def test_the_worst_case_is_one_of_its_own_learner():
    """Its rounds cost its learner what they are said to, and promise nothing to others or before they are over."""
    environment = WorstCaseLabels(Consistent(THRESHOLDS))
    assert environment.most.exact
    assert play(Consistent(THRESHOLDS), environment).count == environment.most.mistakes == 7
    assert play(Consistent(THRESHOLDS), environment).lower_bounds[0].observed == 7
    assert play(Halving(THRESHOLDS), environment).lower_bounds == []
    assert play(Consistent(THRESHOLDS, order=list(range(8))[::-1]), environment).lower_bounds == []
    assert play(Consistent(THRESHOLDS), environment, 3).lower_bounds == []
    with pytest.raises(RegretlessError, match="no labels of a hypothesis force a mistake"):
        WorstCaseLabels(Halving(FiniteClass([[0, 1]])))


# Runs.


@pytest.mark.parametrize(
    ("learner", "environment"),
    [
        (Perceptron(), Separable(columns=3, noise=0.1, seed=2)),
        (WeightedMajority(), FairLabels(seed=2)),
        (RandomizedWeightedMajority(beta=0.5, random_state=4), FairLabels(seed=2)),
        (Halving(THRESHOLDS), RandomTarget(THRESHOLDS, seed=2)),
        (RandomizedOptimal(THRESHOLDS, random_state=4), RandomTarget(THRESHOLDS, seed=2)),
        (Exp3(seed=4), RandomTarget(THRESHOLDS, seed=2)),
        (Exp4(2, seed=4), FairLabels(seed=2)),
        (Hedge(seed=4), LabelFlipping()),
        (MLPoly(loss=None), FairCoins(seed=2)),
    ],
    ids=lambda one: one.name if hasattr(one, "name") else type(one).__name__,
)
def test_a_run_is_the_same_alone_and_among_others(learner, environment):
    """Run r depends on its number and the seeds, not on how many there are; and the learner itself plays nothing."""
    together = play(learner, environment, 60, runs=3)
    alone = [play(learner, environment, 60, first=run) for run in range(3)]
    assert together.totals.tolist() == [one.totals[0] for one in alone]
    assert together.count == pytest.approx(np.mean([one.count for one in alone]))
    assert together.curve[-1].count == pytest.approx(together.count)
    assert not hasattr(learner, "classes_")
    assert not getattr(learner, "rounds_", 0)


def test_points_come_as_the_rounds_go_by():
    """Points of the first run are reported at doubling round counts and at the end, and rounds as they add up."""
    points, rounds = [], []
    game = play(Perceptron(), LabelFlipping(), 1000, runs=2, on_point=points.append, on_rounds=rounds.append)
    assert [point.rounds for point in points] == [*(1 << power for power in range(10)), 1000]
    assert points == game.curve  # both runs are alike
    assert rounds == sorted(rounds)
    assert rounds[-1] == 2000


@pytest.mark.parametrize("learner", [Perceptron(), Halving(FiniteClass([[0], [1]])), Exp3(seed=1), Exp4(2, seed=1)])
def test_what_was_played_when_somebody_wished_to_stop_is_certified(learner):
    """A run that is cut short is a run of so many rounds: its books, theorems and promises are about these."""
    calls = []

    def stop() -> bool:
        calls.append(1)
        return len(calls) > 12

    if isinstance(learner, Halving):
        learner = Halving(LabelFlipping().finite_class)
    game = play(learner, LabelFlipping(), 10**9, stop=stop)
    assert game.stopped
    assert 0 < game.rounds < 10**8
    assert game.curve[-1].rounds == game.rounds
    assert not game.violated
    assert game.lower_bounds[0].lower_bound.least in (game.rounds, game.rounds / 2)
    assert game.certificates


def test_certificates_of_many_runs_do_not_depend_on_the_load(monkeypatch):
    """On a machine that is much slower the lines about several runs are the same."""
    lines = [str(one) for one in play(Perceptron(), Separable(columns=4, seed=2), 20, runs=3).certificates]
    clock = iter(range(10**9))
    monkeypatch.setattr("regretless.linear.separation.budget.time.process_time", lambda: next(clock) / 4)
    assert [str(one) for one in play(Perceptron(), Separable(columns=4, seed=2), 20, runs=3).certificates] == lines


def test_a_long_run_that_is_stopped_is_not_read_again():
    """Rows of more than a million numbers are not certified once the run was stopped; those of fewer are."""
    events = []
    stop = lambda: len(events) > 0 and events[-1] > 200_000  # noqa: E731
    game = play(Perceptron(), Separable(columns=10), 10**9, on_rounds=events.append, stop=stop)
    assert game.stopped
    assert game.rounds * 10 > 1 << 20
    assert game.certificates == []
    whole = play(Perceptron(), Separable(columns=10), game.rounds)
    assert whole.certificates
    assert whole.count == game.count


def test_runs_that_are_not_over_do_not_count():
    """Of several runs those are given back that were over when somebody wished to stop."""
    played = []
    halt = lambda: bool(played) and played[-1] > 250  # noqa: E731
    game = play(Perceptron(), LabelFlipping(), 100, runs=50, on_rounds=played.append, stop=halt)
    assert (game.runs, game.rounds, game.stopped) == (2, 100, True)


def test_a_wish_to_stop_before_the_first_round_leaves_nothing():
    """There is nothing to tell then."""
    with pytest.raises(RegretlessError, match="before the first round"):
        play(Perceptron(), LabelFlipping(), 100, stop=lambda: True)


@pytest.mark.parametrize("environment", [RandomTarget(THRESHOLDS, seed=1), LabelFlipping(), MostDrawnLoses(3)])
@pytest.mark.parametrize("learner", [Exp3IX(horizon=70, seed=3), Hedge(horizon=70, seed=3)])
def test_a_bandit_can_be_had_as_a_run_has_left_it(learner, environment):
    """The learner that is replayed has drawn and lost what the run did."""
    game = play(learner, environment, 70, first=2)
    outcome = replayed(learner, environment, 70, 2)
    assert outcome.rounds_ == 70
    assert outcome.ledger_.loss == game.count


# Certificates of many runs.


def counted(observed: float, bound: float, kind: str = "sure") -> Certificate:
    @theorem(
        title="T",
        quantity="mistakes",
        counts=lambda ledger, one: observed,
        formula="",
        source="s",
        kind=kind,
        whole=False,
    )
    def limit(ledger, one, learner):
        """A bound."""
        return bound

    return Certificate(limit, observed, bound, None, None, 0.8 if kind == "probable" else None)


def test_many_runs_are_shown_by_the_one_nearest_to_its_bound():
    """The least slack is shown, and how many exceeded; one that always holds is violated if any run is."""
    shown = joined([[counted(1, 5)], [counted(4, 4.5)], [counted(0, 9)]])[0]
    assert (shown.observed, shown.bound, shown.holds) == (4, 4.5, True)
    assert shown.runs["of"] == 3
    assert shown.runs["exceeded"] == 0
    assert "(0 of 3 runs exceeded it)" in str(shown)
    broken = joined([[counted(1, 5)], [counted(6, 4.5)]])[0]
    assert broken.violated
    assert broken.describe()["runs"]["exceeded"] == 1


def test_of_a_probable_bound_a_share_of_the_runs_may_exceed_it():
    """With confidence 80% one run of five may be above; the next one is shown."""
    shown = joined([[counted(observed, 4, "probable")] for observed in (1, 2, 3, 6, 0)])[0]
    assert (shown.observed, shown.holds, shown.runs["exceeded"]) == (3, True, 1)


def test_a_bound_in_expectation_is_read_on_means():
    """Both sides are means; from ten runs on, three standard errors are allowed to luck."""
    few = joined([[counted(9, 4, "expected")]] * 9)[0]
    many = joined([[counted(observed, 4, "expected")] for observed in (9, 8) * 5])[0]
    near = joined([[counted(observed, 4, "expected")] for observed in (1, 8) * 5])[0]
    assert (few.holds, many.holds, near.holds) == (True, False, True)
    assert (many.observed, many.bound, many.violated) == (8.5, 4, False)


def test_a_theorem_that_does_not_apply_to_all_runs_says_to_how_many():
    """One run without a hypothesis left is enough to have no bound for all."""
    idle = replace(counted(1, 2), observed=None, bound=None, why="none was left")
    assert joined([[counted(1, 2)], [idle]])[0].why == "in 1 of 2 runs: none was left"
    assert joined([[idle], [idle]])[0].why == "none was left"
    assert joined([[idle]]) == [idle]


def test_no_hypothesis_left_is_no_certificate():
    """With noise the class dies; its learner plays on, and no theorem is read."""
    game = play(Halving(THRESHOLDS), RandomTarget(THRESHOLDS, noise=0.3, seed=1), 200)
    assert isinstance(game.learner.ledger_, ClassLedger)
    assert game.learner.died_
    assert not any(one.applies for one in game.certificates)
    assert "the last one died in round" in game.certificates[0].why
    assert game.regret is not None


# What runs are told of.


@pytest.fixture
def little_room(monkeypatch):
    """Losses of few runs alone may be looked at together."""
    for module in (bandits, runner):
        monkeypatch.setattr(module, "MOST_REALISED", 16 * 3 * 50)


def test_runs_are_looked_at_however_many_there_are(little_room):
    """Regret and theorems of many runs by chance are about the losses that came, part by part or all at once."""
    learner, environment = Exp3(seed=1, horizon=50), OneBetterArm(3, rounds=50, seed=2)
    parts = play(learner, environment, 50, runs=70)
    each = [play(learner, environment, 50, first=run) for run in range(70)]
    assert parts.totals.tolist() == [one.totals[0] for one in each]
    assert parts.quantities["regret"].tolist() == [one.quantities["regret"][0] for one in each]
    assert parts.curve[-1].count == pytest.approx(parts.count)
    observable = next(one for one in parts.certificates if one.theorem.title == "Observable regret")
    assert observable.observed is not None
    assert observable.runs["of"] == 70
    assert observable.runs["exceeded"] is not None


def test_runs_that_were_over_at_a_stop_are_looked_at(little_room):
    """When many runs are stopped, those that were over are reported with their losses."""
    calls = []
    stop = lambda: bool(calls) and calls[-1] >= 20 * 50  # noqa: E731
    game = play(Exp3(seed=1), OneBetterArm(3, rounds=50), 50, runs=100_000, on_rounds=calls.append, stop=stop)
    assert game.stopped
    assert 16 < game.runs < 100_000
    assert calls == sorted(calls)
    observable = next(one for one in game.certificates if one.theorem.title == "Observable regret")
    assert "(not observed)" not in str(observable)
    assert f"of {game.runs} runs exceeded it" in str(observable)


def test_games_that_end_are_played_to_their_end():
    """Without a number of rounds a game is as long as it has something to say."""
    assert play(StandardOptimal(THRESHOLDS), ShatteredTree(THRESHOLDS)).rounds == 7
    assert play(Perceptron(), Orthonormal(9)).count == 9


@pytest.mark.parametrize(
    ("learner", "environment"),
    [
        (Halving(THRESHOLDS), RandomTarget(THRESHOLDS, seed=2)),
        (StandardOptimal(THRESHOLDS), ShatteredTree(THRESHOLDS)),
        (RandomizedOptimal(THRESHOLDS, random_state=4), ShatteredTree(THRESHOLDS)),
        (AveragedPerceptron(), LabelFlipping()),
        (Winnow(), Separable(columns=3, noise=0.1, seed=2)),
        (RandomizedWeightedMajority(beta=0.5, random_state=4), FairLabels(seed=2)),
        (Exp4(2, seed=4), FairLabels(seed=2)),
    ],
    ids=lambda one: getattr(one, "name", ""),
)
def test_a_trace_is_the_run_that_was_played(learner, environment):
    """Its mistakes are those of the run, round by round, and what is left at its end is what was left."""
    game, steps = play(learner, environment, 40, first=2), trace(learner, environment, 40, run=2)
    assert [step.round for step in steps] == list(range(1, 41))
    assert sum(step.wrong for step in steps) == game.quantities["mistakes"][0]
    chances = [abs(step.probability - max(step.label, 0)) for step in steps if step.probability is not None]
    assert sum(chances) == pytest.approx(game.quantities["expected mistakes"][0]) or not chances
    assert all(step.wrong == (step.prediction != step.label) for step in steps)
    if game.kind == "class":
        assert steps[-1].alive == game.curve[-1].more
        assert {step.point for step in steps} <= {str(point) for point in range(1, 8)} | {*"0123456789"}
    assert (steps[-1].score is not None) == (game.kind == "linear")


def test_the_score_of_a_trace_is_what_was_predicted_by():
    """It is that of the row before its label was known: whose sign is the prediction."""
    steps = trace(Perceptron(), Separable(columns=3, noise=0.2, seed=5), 60)
    assert all(step.prediction == (1 if step.score > 0 else -1) for step in steps if step.score)
    assert len({step.score for step in steps}) > 50
    assert all(len(step.row) == 3 for step in steps)


def test_the_weights_of_a_trace_give_the_next_score():
    """They are those after a round, and its successor is predicted by them; many are not shown."""
    steps = trace(Perceptron(intercept=0.0), Separable(columns=3, noise=0.2, seed=5), 20)
    assert [step.score for step in steps[1:]] == pytest.approx(
        [np.dot(one.weights, after.row) for one, after in pairwise(steps)]
    )
    assert trace(Perceptron(), Separable(columns=17, seed=5), 1)[0].weights is None


def test_draws_of_a_trace_are_those_of_the_run():
    """A bandit's trace loses what its run did, and a learner of weights loses its mean."""
    world = Bernoulli([0.3, 0.6], seed=3)
    game, steps = play(Exp3IX(horizon=80, seed=3), world, 80), trace(Exp3IX(horizon=80, seed=3), world, 80)
    assert sum(step.loss for step in steps) == game.count
    assert {step.arm for step in steps} == {"0", "1"}
    weighed = trace(AdaHedge(loss=None), world, 80)
    assert sum(step.loss for step in weighed) == pytest.approx(play(AdaHedge(loss=None), world, 80).count)
    assert weighed[0].arm is None


# How much it costs.


def test_of_many_runs_those_alone_that_are_shown_are_searched_for_comparators(monkeypatch):
    """A full search takes long: it is made for no more runs than there are certificates."""
    searched = []
    whole = LinearPlayer.certificates
    monkeypatch.setattr(LinearPlayer, "certificates", lambda self: searched.append(self.run) or whole(self))
    game = play(Perceptron(), FairLabels(), 8, runs=50)
    assert len(set(searched)) == len(searched) <= len(game.certificates)
    assert all(one.runs["of"] == 50 for one in game.certificates if one.applies)


@pytest.mark.parametrize("learner", [Perceptron(), Winnow(), AROW(), MulticlassPerceptron(), PNormPerceptron()])
@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_what_is_read_cheaply_is_true_and_no_better_than_what_is_searched_for(learner, noise):
    """The same observation, a bound that holds, and one that a search makes smaller if it makes it other at all."""
    player = player_of(again(learner, 1), Separable(columns=4, noise=noise, seed=3), 1)
    while player.rounds < 120:
        player.play(120 - player.rounds)
    for cheap, whole in zip(player.cheaply(), player.certificates(), strict=True):
        assert cheap.theorem is whole.theorem
        if cheap.applies:
            assert whole.applies
            assert cheap.holds
            if cheap.quantity != "regret":
                assert cheap.bound - cheap.observed >= whole.bound - whole.observed - 1e-6 * abs(whole.bound)


def test_separable_rounds_are_found_out_in_all_runs():
    """A theorem about rounds that can be separated applies if they can in each of the runs."""
    theorems = {one.theorem.title: one for one in play(Perceptron(), Separable(columns=3), 80, runs=8).certificates}
    assert theorems["Separable data"].applies
    noisy = play(Perceptron(), Separable(columns=3, noise=0.2), 80, runs=8).certificates
    assert not next(one for one in noisy if one.theorem.title == "Separable data").applies


@pytest.mark.parametrize(
    ("learner", "environment", "most"),
    [
        (StandardOptimal(THRESHOLDS), RandomTarget(THRESHOLDS, seed=1), 0),
        (StandardOptimal(THRESHOLDS), ShatteredTree(THRESHOLDS), 8),
        (Halving(THRESHOLDS), ShatteredTree(THRESHOLDS), 8),
        (Perceptron(), Orthonormal(8), 8),
    ],
    ids=lambda one: getattr(one, "name", ""),
)
def test_what_does_not_answer_to_the_learner_is_played_in_blocks(monkeypatch, learner, environment, most):
    """Single rounds are played only for as long as what is predicted makes a difference."""
    turns = []
    turn = LabelPlayer.turn
    monkeypatch.setattr(LabelPlayer, "turn", lambda self, asker: turns.append(1) or turn(self, asker))
    game = play(learner, environment, 3000)
    assert len(turns) <= most
    wrong = [step.wrong for step in trace(learner, environment, 3000)]
    assert game.count == sum(wrong)
    assert not game.violated


# What learners say of themselves.


def test_combiners_say_whether_losses_alone_are_enough_for_them():
    """Combiners that need forecasts refuse bare losses, and no others do; those that draw can be seeded."""
    for name, entry in EXPERT_LEARNERS.items():
        assert entry.info.forecasts != takes_losses(name)
        assert not entry.info.draws or "random_state" in signature(expert_class(name)).parameters


def test_environments_say_whether_they_watch_the_draws():
    """An environment of arms watches the draws if, and only if, it is adaptive without asking for probabilities."""
    assert {name for name in ENVIRONMENTS if watches(name)} == {
        name for name, entry in ENVIRONMENTS.items() if entry.watches_draws
    }


def takes_losses(name: str) -> bool:
    """Whether a combiner takes bare losses."""
    more = {"beta": 0.5, "random_state": 0} if EXPERT_LEARNERS[name].info.draws else {}
    try:
        learner = expert_class(name)(loss=None, **more)
        learner._begin(2, 1)
        learner.play(np.array([[0.0, 1.0]]))
    except (RegretlessError, TypeError):
        return False
    return True


def watches(name: str) -> bool:
    """Whether an environment of arms answers to draws, and does not ask for probabilities."""
    if entry_of(name).gives != "arms":
        return False
    world = make(name, rounds=10)
    return not (world.oblivious or world.foresees)


# Pairs that make no sense.


def test_pairs_without_a_meaning_are_refused():
    """The error says what the environment lacks for this learner."""
    with pytest.raises(RegretlessError, match="no points of a class"):
        play(Halving(THRESHOLDS), Dyadic())
    with pytest.raises(RegretlessError, match="another class"):
        play(Halving(THRESHOLDS), LabelFlipping(), 5)
    with pytest.raises(RegretlessError, match="no votes"):
        play(WeightedMajority(), Dyadic())
    with pytest.raises(RegretlessError, match="no votes"):
        play(Exp4(2), Dyadic())
    with pytest.raises(RegretlessError, match="other numbers than -1 and 1"):
        play(Exp3(seed=1), Dyadic())
    with pytest.raises(RegretlessError, match="cannot play against"):
        play(Perceptron(), FairCoins(), 5)
    with pytest.raises(RegretlessError, match="loss=None"):
        play(Ridge(), FairCoins(), 5)
    with pytest.raises(RegretlessError, match="watches the draws"):
        play(Combiner(), MostDrawnLoses(2), 5)
    with pytest.raises(RegretlessError, match="rewards"):
        play(Combiner(), Bernoulli([0.1, 0.2], rewards=True), 5)
    with pytest.raises(RegretlessError, match="int is no learner"):
        play(7, LabelFlipping(), 5)
    with pytest.raises(RegretlessError, match="rounds"):
        play(Perceptron(), LabelFlipping())
    with pytest.raises(RegretlessError, match="runs"):
        play(Perceptron(), LabelFlipping(), 5, runs=0)


def test_errors_within_a_play_say_who_and_when():
    """What goes wrong after some rounds is said with environment and round."""

    class Broken(InTurn):
        def begin(self, run: int = 0) -> Asker:
            asker = super().begin(run)
            row = asker.row
            rows = iter([row(), row() * np.inf])
            asker.row = lambda: next(rows)
            return asker

    with pytest.raises(RegretlessError, match=r"separable, after 1 rounds: .*not predicted, for it is not finite"):
        play(Perceptron(), Broken(Separable(columns=2)), 5)


def test_names_are_looked_for_in_the_order_of_the_tables():
    """A name in two tables is the first that can play against the environment; a table before it decides."""
    assert resolve("hedge", "label-flipping") == ("experts", "hedge")
    assert resolve("bandits.hedge", "label-flipping") == ("bandits", "hedge")
    assert resolve("hedge", "most-drawn-loses") == ("bandits", "hedge")
    assert resolve("classes.halving", "shattered-tree") == ("class", "halving")
    with pytest.raises(RegretlessError, match=r"no learner called 'linear\.hedge'"):
        resolve("linear.hedge", "label-flipping")
    with pytest.raises(RegretlessError, match="no environment called 'nobody'"):
        resolve("hedge", "nobody")
    with pytest.raises(RegretlessError, match=r"halving cannot play against dyadic: .*; it can .* shattered-tree"):
        resolve("halving", "dyadic")
    with pytest.raises(RegretlessError, match="watches the draws"):
        resolve("ewa", "most-drawn-loses")


def test_every_learner_can_meet_some_environment():
    """And the environments that it is said to meet are those that it fits."""
    for kind, name in [("class", "halving"), ("linear", "winnow"), ("experts", "ridge"), ("bandits", "exp4")]:
        environments = environments_for(kind, name)
        assert environments
        assert all(fits(kind, name, environment) for environment in environments)


def test_hypotheses_are_tallied_by_the_labels_of_their_points():
    """Counting labels for each point gives every hypothesis the mistakes that its votes have."""
    from regretless.play.player import MistakeTally

    finite_class = FiniteClass.named("intervals:6")
    generator = np.random.default_rng(5)
    points, labels = generator.integers(0, 6, 40), 2 * generator.integers(0, 2, 40) - 1
    rows = 2.0 * finite_class.matrix.T[points] - 1
    plain, quick = MistakeTally(finite_class.hypotheses), MistakeTally(finite_class.hypotheses, finite_class)
    for tally in (plain, quick):
        tally.votes(rows[:30], labels[:30], points[:30])
        for row, label, point in zip(rows[30:], labels[30:], points[30:], strict=True):
            tally.vote(row, int(label), int(point))
    wrong = np.count_nonzero(rows != labels[:, None], axis=0)
    assert (plain.best, plain.leader) == (quick.best, quick.leader) == (wrong.min(), wrong.argmin())
