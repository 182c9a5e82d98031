"""Environments that ask for labels: what they promise is what every learner meets."""

from __future__ import annotations

from fractions import Fraction
from inspect import signature
from math import log, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.bandits import Exp3, simulate
from regretless.environments import (
    AgnosticTree,
    DriftingTarget,
    Dyadic,
    Exponential,
    FairCoins,
    FairLabels,
    LabelFlipping,
    Labels,
    LearnerDescription,
    LikeliestLoses,
    LowerBound,
    OneBetterArm,
    Orthonormal,
    RandomizedTree,
    RandomTarget,
    Separable,
    ShatteredTree,
    SparseTarget,
    WrittenPoints,
    make,
)
from regretless.errors import RegretlessError
from regretless.finite_classes import FiniteClass, MistakeTree
from regretless.finite_classes.finite_class import packed
from regretless.linear import AveragedPerceptron, KernelPerceptron, Perceptron, VotedPerceptron, Winnow

from ..docs.documents import examples
from ..finite_classes.small_classes import random_class

CLASS = LearnerDescription("class")
DRAWS = LearnerDescription("class", deterministic=False)
PERCEPTRON = LearnerDescription("linear", "perceptron")
THRESHOLDS = FiniteClass([[1] * ones + [0] * (7 - ones) for ones in range(8)])  # hypothesis h says 1 of points below h
DEEP = MistakeTree(np.array([3, 1, 5, 0, 2, 4, 6]), np.arange(8))  # a binary search

LUCKY = {
    "random-target": lambda: RandomTarget(THRESHOLDS, noise=0.2, seed=3),
    "fair-coins": lambda: FairLabels(seed=3),
    "agnostic-tree": lambda: AgnosticTree(THRESHOLDS, 1000, seed=3),
    "sparse-target": lambda: SparseTarget(9, relevant=3, noise=0.2, seed=3),
    "separable": lambda: Separable(6, margin=0.2, noise=0.2, seed=3),
    "drifting-target": lambda: DriftingTarget(6, margin=0.2, turn=0.01, noise=0.2, seed=3),
}


def played(environment: Labels, say: Any, rounds: int, run: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, predictions and labels of a game in which ``say(t, row)`` predicts."""
    asker = environment.begin(run)
    rows, messages, labels = [], [], []
    for t in range(rounds):
        rows.append(asker.row())
        messages.append(say(t, rows[-1]))
        labels.append(asker.label(messages[-1]))
    return np.array(rows), np.array(messages), np.array(labels)


def least(environment: Any, rounds: int, opposed: LearnerDescription) -> dict[str, float]:
    """What is promised, by quantity."""
    return {one.quantity: one.least for one in environment.lower_bounds(rounds, opposed)}


def linear(learner: Any, environment: Labels, rounds: int, run: int = 0) -> Any:
    """A linear learner once it has met an environment."""
    for batch in environment.against(learner, rounds, run).batches():
        learner.observe(batch)
    return learner


# The tree.


@given(st.lists(st.sampled_from([-1, 1]), min_size=40, max_size=40), st.integers(1, 40))
def test_every_deterministic_learner_errs_as_often_as_the_tree_is_deep(says: list[int], rounds: int) -> None:
    """Whatever is predicted, the tree of depth 3 costs min(T, 3) mistakes, and all labels are a hypothesis's."""
    environment = ShatteredTree(THRESHOLDS, DEEP)
    rows, predictions, labels = played(environment, lambda t, row: says[t], rounds)
    assert (predictions != labels).sum() >= least(environment, rounds, CLASS)["mistakes"] == min(rounds, 3)
    assert (predictions != labels)[:3].all()
    assert (rows == labels[:, None]).all(0).any()


@given(st.lists(st.floats(0, 1), min_size=12, max_size=12))
def test_a_learner_that_draws_errs_half_as_often_in_expectation(chances: list[float]) -> None:
    """Against any probabilities the sum of those of being wrong is at least 3 / 2, and labels stay a hypothesis's."""
    environment = ShatteredTree(THRESHOLDS, DEEP)
    asker, wrong, rows, labels = environment.begin(), 0.0, [], []
    for chance in chances:
        rows.append(asker.row())
        labels.append(asker.label(1, chance))
        wrong += chance if labels[-1] < 0 else 1 - chance
    assert wrong >= least(environment, 12, DRAWS)["expected mistakes"] == 1.5
    assert (np.array(rows) == np.array(labels)[:, None]).all(0).any()


@given(st.integers(0, 10**6), st.lists(st.sampled_from([-1, 1]), min_size=30, max_size=30))
def test_every_class_keeps_its_promise_and_goes_on_below_the_tree(seed: int, says: list[int]) -> None:
    """In random classes mistakes reach the dimension, labels stay realizable, and until one is left none is right."""
    finite_class = random_class(2 + seed % 20, 3 + seed % 5, seed)
    environment = ShatteredTree(finite_class)
    rows, predictions, labels = played(environment, lambda t, row: says[t], 30)
    assert (predictions != labels).sum() >= least(environment, 30, CLASS)["mistakes"] == environment.tree.depth
    agree = np.cumprod(rows == labels[:, None], axis=0)
    assert agree[-1].any()
    left = np.append(finite_class.hypotheses, agree.sum(1))[:-1]
    assert (predictions != labels)[left > 1].all()
    assert (np.diff(left)[left[:-1] > 1] < 0).all()


def test_points_are_those_of_the_rows() -> None:
    """The point that an asker names is the column of the class that the row shows."""
    asker = ShatteredTree(THRESHOLDS, DEEP).begin()
    for _ in range(12):
        row = asker.row()
        assert (row == 2.0 * THRESHOLDS.matrix[:, asker.point] - 1).all()
        asker.label(1)


def test_a_tree_that_the_class_does_not_shatter_is_refused() -> None:
    """A tree of another class is no adversary."""
    with pytest.raises(RegretlessError):
        ShatteredTree(THRESHOLDS, MistakeTree(np.array([0, 1, 2]), np.arange(4)))


def test_a_class_of_one_hypothesis_costs_nothing() -> None:
    """The tree of a single hypothesis has no node, and its labels are the hypothesis's."""
    environment = ShatteredTree(FiniteClass([[0, 1, 1]]))
    _, _, labels = played(environment, lambda t, row: 1, 6)
    assert labels.tolist() == [-1, 1, 1, -1, 1, 1]
    assert least(environment, 6, CLASS) == {"mistakes": 0.0}


@given(st.integers(0, 10**6), st.lists(st.floats(0, 1), min_size=14, max_size=14))
def test_every_learner_that_draws_errs_as_often_as_chance_allows(seed: int, chances: list[float]) -> None:
    """Against any probabilities those of being wrong add up to RL(H), and against the optimal ones to no more."""
    finite_class = random_class(2 + seed % 12, 1 + seed % 6, seed)
    environment = RandomizedTree(finite_class)
    rounds = max(1, finite_class.hypotheses - 1)
    promised = least(environment, rounds, DRAWS)["expected mistakes"]
    assert promised == float(environment.value)
    for optimal in (False, True):
        asker, alive, wrong = environment.begin(), np.ones(finite_class.hypotheses, dtype=bool), 0.0
        for chance in chances[:rounds]:
            row = asker.row()
            says_one = best(environment, alive, row) if optimal else chance
            label = asker.label(1 if says_one >= 0.5 else -1, says_one)
            wrong += says_one if label < 0 else 1 - says_one
            alive &= row == label
            assert alive.any()
        assert wrong >= promised - 1e-12
        assert not optimal or wrong <= promised + 1e-12


def best(environment: RandomizedTree, alive: np.ndarray, row: np.ndarray) -> float:
    """The optimal probability of saying 1."""
    zeros, ones = (packed((alive & (row == side))[None])[0] for side in (-1, 1))
    if not (zeros.any() and ones.any()):
        return float(ones.any())
    return float(min(1, max(0, (1 + environment.dimension(ones) - environment.dimension(zeros)) / 2)))


def test_chance_is_worth_half_of_thresholds_and_hardly_anything_of_singletons() -> None:
    """RL of 8 thresholds is 3/2 and of 8 singletons 127/128; a deterministic learner errs a whole number of times."""
    for name, value, whole in (("thresholds:7", 1.5, 2.0), ("singletons:8", 127 / 128, 1.0)):
        environment = RandomizedTree(FiniteClass.named(name))
        assert least(environment, 7, DRAWS) == {"expected mistakes": value}
        assert least(environment, 7, CLASS) == {"mistakes": whole}
        assert least(environment, 7, LearnerDescription("experts")) == {
            "expected mistakes": value
        }  # whose forecasts are told
        assert least(environment, 6, DRAWS) == {}
        _, predictions, labels = played(environment, lambda t, row: 1, 7)
        assert (predictions != labels).sum() >= whole


def test_a_search_that_takes_too_long_is_refused() -> None:
    """Within no time at all not all is known of a large class of few ones, and the message says how much."""
    few = np.random.default_rng(0).random((300, 40)) < 0.1
    with pytest.raises(RegretlessError, match=r"limit=0\.0: .* is not known by then"):
        RandomizedTree(FiniteClass(few), limit=0.0)


# Environments with luck.


@pytest.mark.parametrize("name", LUCKY)
def test_rounds_are_a_function_of_seed_run_and_number_alone(name: str) -> None:
    """Blocks cut anywhere, askers and streams give the same rounds; another run or seed gives others."""
    environment = LUCKY[name]()
    rows, labels = environment.block(0, 500)
    for begin, end in ((0, 1), (3, 17), (250, 500)):
        some, called = environment.block(begin, end)
        assert (some == rows[begin:end]).all()
        assert (called == labels[begin:end]).all()
    predictions, _, message = played(environment, lambda t, row: 1, 500)
    assert (predictions == rows).all()
    assert (message == labels).all()
    batches = list(environment.stream(500).batches(skip=100))
    assert (np.concatenate([batch.labels for batch in batches]) == labels[100:]).all()
    assert (np.concatenate([batch.values for batch in batches]) == rows[100:]).all()
    assert (environment.block(0, 500, run=1)[1] != labels).any()
    assert set(np.unique(labels)) == {-1, 1}


@pytest.mark.parametrize("name", LUCKY)
def test_rows_are_votes_if_and_only_if_they_say_so(name: str) -> None:
    """Where votes is set all entries are -1 or 1, and only there can the columns be arms."""
    environment = LUCKY[name]()
    assert (np.abs(environment.block(0, 100)[0]) == 1).all() == environment.votes
    if not environment.votes:
        with pytest.raises(RegretlessError, match="no votes"):
            environment.as_losses()


def test_a_random_target_labels_all_points_but_for_noise() -> None:
    """Without noise the target is right in all rounds; with noise 0.2 it errs in about a fifth of them."""
    clean, noisy = (RandomTarget(THRESHOLDS, noise=noise, seed=5) for noise in (0.0, 0.2))
    for run in range(5):
        target = clean.target_of(run)
        rows, labels = clean.block(0, 1000, run)
        assert (rows[:, target] == labels).all()
        rows, labels = noisy.block(0, 10000, run)
        assert abs((rows[:, target] != labels).mean() - 0.2) < 0.02
    assert len({clean.target_of(run) for run in range(40)}) > 4
    assert RandomTarget(THRESHOLDS, target=3).target_of(7) == 3
    assert set(clean.points(0, 1000).tolist()) == set(range(7))


def test_noise_costs_every_learner_its_share() -> None:
    """With noise the promise is expected of everybody, without it there is none; half of all is too much."""
    assert least(RandomTarget(THRESHOLDS, noise=0.1), 200, CLASS) == {"mistakes": pytest.approx(20)}
    assert Separable().lower_bounds(200, CLASS) == []
    assert Separable(noise=0.1).lower_bounds(200, CLASS)[0].kind == "expected"
    with pytest.raises(RegretlessError, match=r"noise=0\.5"):
        SparseTarget(noise=0.5)


def test_written_points_are_played_as_given() -> None:
    """Points and labels come in their order, and end; labels other than 0 and 1 are refused."""
    environment = WrittenPoints(THRESHOLDS, [3, 5, 4], [0, 1, 1])
    asker = environment.begin()
    for point, label in ((3, -1), (5, 1), (4, 1)):
        asker.row()
        assert asker.point == point
        assert asker.label(1) == label
    with pytest.raises(RegretlessError, match="3 rounds, and all were played"):
        asker.row()
    with pytest.raises(RegretlessError, match="0 or 1"):
        WrittenPoints(THRESHOLDS, [3], [-1])
    assert WrittenPoints(FiniteClass.named("conjunctions:2"), ["01", 3], [0, 1]).points(0, 2).tolist() == [1, 3]


# Two constants.


@given(st.lists(st.sampled_from([-1, 1]), min_size=1, max_size=50))
def test_label_flipping_makes_a_fool_of_every_deterministic_learner(says: list[int]) -> None:
    """Each round is a mistake, and the better of two constant experts is wrong in at most half of them."""
    environment = LabelFlipping()
    rows, predictions, labels = played(environment, lambda t, row: says[t], len(says))
    errors, best = (predictions != labels).sum(), (rows != labels[:, None]).sum(0).min()
    promised = least(environment, len(says), CLASS)
    assert errors == promised["mistakes"] == len(says)
    assert errors - best >= promised["regret in mistakes"] >= len(says) / 2
    assert least(environment, 10, DRAWS) == {"expected mistakes": 5.0}


def test_fair_labels_are_fair_coins() -> None:
    """As losses of arms the labels are the very coins of FairCoins, and their regret is its number."""
    environment = FairLabels(seed=9)
    rows, labels = environment.block(5, 300, run=2)
    assert ((rows != labels[:, None]) == FairCoins(seed=9).block(5, 300, run=2)).all()
    assert (environment.as_losses().block(5, 300, 2) == FairCoins(seed=9).block(5, 300, 2)).all()
    assert least(environment, 4, CLASS) == {"mistakes": 2.0, "regret in mistakes": 0.75}
    assert least(FairCoins(), 4, LearnerDescription("bandits")) == {"loss": 2.0, "regret": 0.75}


def test_regret_on_fair_labels_is_what_is_promised_to_the_mean() -> None:
    """Over 4,000 runs of 16 rounds a learner that says 1 always has the exact regret, within 5 standard errors."""
    environment, regrets = FairLabels(seed=1), []
    for run in range(4000):
        rows, labels = environment.block(0, 16, run)
        regrets.append((labels != 1).sum() - (rows != labels[:, None]).sum(0).min())
    promised = least(environment, 16, CLASS)["regret in mistakes"]
    assert abs(np.mean(regrets) - promised) < 5 * np.std(regrets) / sqrt(4000)


# Votes as losses.


def test_arms_meet_the_rounds_of_the_labels() -> None:
    """An oblivious environment's arms lose 1 exactly where their vote is not the label, in every run."""
    environment = RandomTarget(THRESHOLDS, seed=5, rounds=60)
    arms = environment.as_losses()
    for run in range(3):
        rows, labels = environment.block(0, 60, run)
        assert (arms.block(0, 60, run) == (rows != labels[:, None])).all()
    assert arms.rounds == 60
    assert arms.arms == 8
    report = simulate(Exp3(seed=1), arms, rounds=60, runs=3)
    assert report is not None


def test_an_adversary_knows_the_arms_probabilities() -> None:
    """A learner that draws one arm for sure loses in each round of the tree, and one that mixes at least half of it."""
    arms = ShatteredTree(THRESHOLDS, DEEP).as_losses()
    sure, mixed = np.eye(8)[2], np.full(8, 1 / 8)
    for weights, share in ((sure, 1.0), (mixed, 0.5)):
        opponent = arms.begin()
        losses = [float(opponent.losses(weights) @ weights) for _ in range(3)]
        assert min(losses) >= share
    with pytest.raises(RegretlessError, match="probabilities"):
        arms.begin().losses()
    simulate(Exp3(seed=1), arms, rounds=30, runs=2)


# Halfspaces.


@given(st.lists(st.sampled_from([-1, 1]), min_size=52, max_size=52))
def test_the_dyadic_game_errs_for_ever_and_stays_separable(says: list[int]) -> None:
    """All 52 rounds are mistakes, and (-1, a) with the a of the labels, a float, has every label exactly."""
    environment = Dyadic()
    rows, predictions, labels = played(environment, lambda t, row: says[t], 52)
    assert (predictions != labels).all()
    middle = environment.threshold(labels.tolist())
    assert Fraction(float(middle)) == middle
    for (place, one), label in zip(rows.tolist(), labels.tolist(), strict=True):
        assert one == 1.0
        assert (middle - Fraction(place) > 0) == (label > 0)
        assert middle != Fraction(place)


def test_the_dyadic_game_ends_where_floats_do() -> None:
    """A perceptron errs in all 52 rounds; a 53rd is refused, when it is asked for and when it is played."""
    learner = linear(Perceptron(), Dyadic(), 52)
    assert learner.ledger_.updates == 52 == least(Dyadic(), 52, PERCEPTRON)["mistakes"]
    with pytest.raises(RegretlessError, match="rounds=53"):
        Dyadic(rounds=53)
    asker = Dyadic(rounds=2).begin()
    for _ in range(2):
        asker.row()
        asker.label(1)
    with pytest.raises(RegretlessError, match="2 rounds"):
        asker.row()


@given(st.integers(1, 12), st.lists(st.sampled_from([-1, 1]), min_size=40, max_size=40))
def test_orthonormal_rows_attain_novikoffs_bound(columns: int, says: list[int]) -> None:
    """The first N rounds are mistakes, later labels are those of the first, and y separates with margin 1/sqrt N."""
    environment = Orthonormal(columns)
    rows, predictions, labels = played(environment, lambda t, row: says[t], 40)
    assert (predictions != labels)[:columns].all()
    assert (labels * (rows @ labels[:columns])).min() == 1
    assert least(environment, 40, PERCEPTRON) == {"mistakes": columns, "updates": columns}
    slow = LearnerDescription("linear", "averaged-perceptron", parameters={"rate": 0.1})
    assert least(environment, 40, slow) == {"mistakes": columns, "updates": columns}
    longer = LearnerDescription("linear", "perceptron", parameters={"intercept": 1.0})
    assert least(environment, 40, longer) == {"mistakes": columns}


@pytest.mark.parametrize("make_learner", [Perceptron, AveragedPerceptron, VotedPerceptron, KernelPerceptron])
@pytest.mark.parametrize("rate", [0.1, 0.7, 1e-9, 3.0])
def test_orthonormal_rows_cost_perceptrons_of_any_rate_as_many_updates(make_learner: Any, rate: float) -> None:
    """Scores of new directions are 0 exactly, whatever the steps: N updates, and none on rows that come again."""
    more = {"kernel": "linear"} if make_learner is KernelPerceptron else {}
    takes = {"rate": rate} if "rate" in signature(make_learner).parameters else {}
    learner = linear(make_learner(**takes, **more), Orthonormal(9), 30)
    assert learner.ledger_.updates == 9


def test_a_perceptron_makes_as_many_updates_as_orthonormal_rows_promise() -> None:
    """On e_1 to e_9 the perceptron makes 9 updates, the bound that its own certificate has."""
    learner = linear(Perceptron(), Orthonormal(9), 30)
    assert learner.ledger_.updates == 9
    assert (np.abs(learner.coef_[0]) == 1).all()


@pytest.mark.parametrize(("columns", "updates"), [(1, 1), (2, 5), (3, 21), (4, 85), (5, 341), (6, 1365)])
def test_the_exponential_rows_cost_a_perceptron_a_third_of_four_to_the_n(columns: int, updates: int) -> None:
    """(4^N + 2) / 6 passes have (4^N - 1) / 3 updates, as promised, and the pass after them is clean."""
    environment = Exponential(columns)
    passes = (4**columns + 2) // 6
    for more in (0, 1):
        learner = Perceptron()
        for batch in environment.stream((passes + more) * columns).batches():
            learner.observe(batch)
        assert learner.ledger_.updates == updates == environment.updates
    assert least(environment, passes * columns, PERCEPTRON) == {"updates": updates}
    assert learner.coef_[0].tolist() == [2.0**place for place in range(columns)]


@given(st.integers(1, 5), st.integers(1, 700))
def test_the_exponential_promise_holds_at_any_time(columns: int, rounds: int) -> None:
    """After any number of rounds a perceptron has made at least the updates that were promised."""
    environment, learner = Exponential(columns), Perceptron()
    for batch in environment.stream(rounds).batches():
        learner.observe(batch)
    assert learner.ledger_.updates >= least(environment, rounds, PERCEPTRON)["updates"]


def test_the_exponential_rows_are_those_of_the_worked_cases(oracles: list[dict[str, Any]]) -> None:
    """Rows and labels are the exercise's."""
    cases = [case for case in oracles if case["id"].startswith("perceptron/exponential")]
    assert cases
    for case in cases:
        table = np.array(case["input"]["X"], dtype=float)
        rows, labels = Exponential(len(table)).block(0, len(table))
        assert (rows == table).all()
        assert labels.tolist() == case["input"]["y"]


def test_only_a_perceptron_is_promised_the_perceptrons_worst_case() -> None:
    """Winnow, a perceptron with an intercept, or one that goes by ties is promised no updates."""
    environment = Exponential(4)
    assert environment.lower_bounds(1000, LearnerDescription("linear", "winnow")) == []
    for other in ({"intercept": 1.0}, {"ties": 1}, {"class_weight": {1: 2.0}}, {"rate": 0.1}):
        assert environment.lower_bounds(1000, LearnerDescription("linear", "perceptron", parameters=other)) == []
    assert environment.lower_bounds(1000, LearnerDescription("linear", "kernel-perceptron")) == []
    linear = LearnerDescription("linear", "kernel-perceptron", parameters={"kernel": "linear"})
    assert environment.lower_bounds(1000, linear)
    assert environment.lower_bounds(1000, LearnerDescription("linear", "perceptron", parameters={"rate": 0.25}))
    with pytest.raises(RegretlessError, match="columns=27"):
        Exponential(27)


# Targets.


@pytest.mark.parametrize("relevant", [1, 3, 5])
def test_winnow_wins_where_the_target_is_sparse(relevant: int) -> None:
    """On 400 columns Winnow makes at most 2 k^2 ln N updates, and fewer than half of the perceptron's."""
    environment = SparseTarget(400, relevant=relevant, seed=2)
    winnow, perceptron = (
        linear(learner, environment, 4000).ledger_.updates for learner in (Winnow(rate=1 / relevant), Perceptron())
    )
    assert winnow <= 2 * relevant**2 * log(400)
    assert winnow < perceptron / 2


def test_a_sparse_target_is_the_majority_of_its_columns() -> None:
    """k columns, drawn for each run, decide every label with a margin of at least 1 / k; k is odd and at most N."""
    environment = SparseTarget(30, relevant=5, seed=4)
    rows, labels = environment.block(0, 2000, run=1)
    margins = labels * rows[:, environment.target(1)].sum(1) / 5
    assert margins.min() >= 1 / 5
    assert environment.target(1).tolist() != environment.target(2).tolist()
    assert abs(rows.mean()) < 0.02
    for relevant in (2, 31):
        with pytest.raises(RegretlessError, match="relevant="):
            SparseTarget(30, relevant=relevant)


@given(st.integers(2, 40), st.floats(1e-15, 1 - 1e-8), st.integers(0, 2**32))
def test_rows_are_in_the_ball_and_keep_their_margin(columns: int, margin: float, seed: int) -> None:
    """No row is longer than 1, and each is as far from the hyperplane of its round as was said, rounding included."""
    for environment in (Separable(columns, margin, seed=seed), DriftingTarget(columns, margin, turn=0.01, seed=seed)):
        rows, labels = environment.block(50, 250, run=3)
        targets = environment.targets(50, 250, run=3)
        assert np.abs((targets**2).sum(1) - 1).max() < 1e-12
        assert (labels * (rows * targets).sum(1)).min() >= margin
        assert (rows**2).sum(1).max() <= 1


def test_a_perceptron_makes_no_more_updates_than_the_margin_allows() -> None:
    """On separable rows with margin 0.1 there are at most 100 updates, in 3 or in 300 columns."""
    for columns in (3, 300):
        learner = Perceptron()
        for batch in Separable(columns, margin=0.1, seed=6).stream(5000).batches():
            learner.observe(batch)
        assert learner.ledger_.updates <= 100


def test_a_margin_of_next_to_everything_is_refused() -> None:
    """A margin so near 1 that rounding would eat it is none, and neither are 0 and 1."""
    for margin in (0.0, 1.0, 1 - 1e-10):
        with pytest.raises(RegretlessError, match="margin="):
            Separable(margin=margin)


def test_noise_turns_its_share_of_labels_round() -> None:
    """With noise 0.25 about a quarter of the labels are on the wrong side."""
    environment = Separable(5, noise=0.25, seed=8)
    rows, labels = environment.block(0, 20000)
    assert abs((labels * (rows @ environment.target()) < 0).mean() - 0.25) < 0.015


def test_a_target_drifts_by_its_turn() -> None:
    """After a quarter of a turn it is at right angles to where it began, and without a turn it stays."""
    environment = DriftingTarget(4, turn=0.001, seed=2)
    begun, later = environment.targets(0, 1)[0], environment.targets(250, 251)[0]
    assert abs(begun @ later) < 1e-12
    assert np.allclose(environment.targets(1000, 1001)[0], begun)
    still = DriftingTarget(4, turn=0.0, seed=2)
    assert all(
        (one == other).all() for one, other in zip(still.block(0, 50), Separable(4, seed=2).block(0, 50), strict=True)
    )
    with pytest.raises(RegretlessError, match="columns=1"):
        DriftingTarget(1)


# Arms.


def test_environments_of_arms_promise_what_is_proven_of_them() -> None:
    """The likeliest arm's loss, the gap's regret for learners that see one arm; the others promise nothing."""
    bandit, sure = LearnerDescription("bandits", "exp3", deterministic=False), LearnerDescription("bandits")
    assert least(LikeliestLoses(4), 100, bandit) == {"loss": 25.0}
    assert least(LikeliestLoses(3), 100, sure) == {"loss": 100.0, "regret": 67.0}
    assert least(OneBetterArm(4, 100), 100, bandit) == {"regret": 1.0}
    assert OneBetterArm(4, 100).lower_bounds(50, bandit) == []  # the gap is that for 100 rounds
    assert OneBetterArm(4, 100).lower_bounds(100, LearnerDescription("bandits", "hedge", deterministic=False)) == []
    assert make("most-drawn-loses").lower_bounds(100, bandit) == []


def test_how_many_rounds_there_are_is_known_or_asked_for() -> None:
    """An environment without an end wants a number of rounds, and one with an end gives no more."""
    with pytest.raises(RegretlessError, match="goes on for ever"):
        Separable().stream()
    with pytest.raises(RegretlessError, match="rounds=7: separable has 5"):
        Separable(rounds=5).stream(7)
    assert sum(len(batch) for batch in Separable(rounds=5).stream().batches()) == 5
    assert LowerBound("One", "mistakes", 1.0, "here").describe()["kind"] == "sure"
    assert repr(Separable(3, rounds=5)) == "<Separable: 3 columns, 5 rounds>"


def test_a_stream_against_a_function_is_a_new_game_each_time() -> None:
    """Whatever can be called may predict, and a second reading asks it again."""
    stream = Orthonormal(3).against(lambda row: 1.0, rounds=4)
    for _ in range(2):
        assert [float(batch.labels[0]) for batch in stream.batches()] == [-1, -1, -1, -1]
    assert len(list(stream.batches(skip=3))) == 1
    assert not stream.rereadable
    assert stream.feature_names() is None
    assert stream.schema()["environment"] == "orthonormal"


def test_the_examples_of_the_document_give_what_stands_below_them() -> None:
    """Every line of Python in docs/environments.md gives the answer that stands below it."""
    doctests = examples("environments")
    assert doctests.attempted > 35
    assert doctests.failed == 0
