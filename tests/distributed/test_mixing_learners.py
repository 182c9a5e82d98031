"""Every learner that can be mixed beside plain numpy, and why the others cannot."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regretless.catalogue import DEFAULT_OVER_SHARDS, LEARNERS, learner_class
from regretless.distributed.learner_adapter import make_start, refuse
from regretless.distributed.state_weights import columns_seen_of, reach_of
from regretless.errors import RegretlessError
from regretless.ledger import FIELDS
from regretless.linear import (
    AROW,
    AggregatedClassifier,
    AveragedPerceptron,
    KernelPerceptron,
    MarginPerceptron,
    MulticlassPerceptron,
    OnlineGradientDescent,
    PassiveAggressive,
    Perceptron,
    PNormPerceptron,
    SecondOrderPerceptron,
    VotedPerceptron,
    Winnow,
)
from regretless.textbook.linear import LOSSES
from regretless.textbook.mixing import mixed_average, mixing, perceptron_from

from .mixed_runs import cut, mixed

seeds = st.integers(0, 2**32 - 1)
weightings = st.sampled_from(["uniform", "updates", "rows"])


def test_what_is_taken_over_shards_can_be_mixed() -> None:
    """The learner that is taken over shards where none is named is one whose weights can be mixed."""
    refuse(learner_class(DEFAULT_OVER_SHARDS)())


few = settings(max_examples=20)


def rows(seed: int, classes: int = 2) -> tuple[list[Any], np.ndarray]:
    """Some shards of different sizes, and how many columns they have."""
    random = np.random.default_rng(seed)
    count, columns = int(random.integers(8, 50)), int(random.integers(2, 7))
    X = random.normal(size=(count, columns))
    best = (X @ random.normal(size=(columns, classes)) + 0.5 * random.normal(size=(count, classes))).argmax(axis=1)
    at = [0, *sorted(set(random.integers(1, count, size=int(random.integers(0, 6))).tolist())), count]
    y = 2 * best - 1 if classes == 2 else best
    return [(X[a:b], y[a:b]) for a, b in pairwise(at)], np.zeros(columns)


def close(result: Any, expected: Any) -> bool:
    return np.allclose(result, expected, rtol=1e-9, atol=1e-9)


@few
@given(seeds, weightings, st.integers(1, 4))
def test_the_perceptron(seed: int, weighting: Any, epochs: int) -> None:
    """The mixed perceptron has the weights, the updates and the shares of the book's."""
    shards, zero = rows(seed)
    learner, outcomes = mixed(Perceptron(), shards, epochs, weighting=weighting)
    weights, updates, shares = mixing(shards, perceptron_from, epochs, zero, weighting)
    assert close(learner.coef_[0], weights[-1])
    assert [[count.updates for count in outcome.counts] for outcome in outcomes] == updates
    for outcome, share in zip(outcomes, shares, strict=True):
        counted = np.array([count.weight for count in outcome.counts])
        assert not counted.any() or close(counted / counted.sum(), share)


@few
@given(seeds, weightings, st.integers(1, 3), st.sampled_from(["before", "after"]))
def test_the_averaged_perceptron(seed: int, weighting: Any, epochs: int, when: str) -> None:
    """Its mean is that of all the weights of all shards and epochs, before each round or after it."""
    shards, _ = rows(seed)
    learner, _ = mixed(AveragedPerceptron(average=when), shards, epochs, weighting=weighting, alone=False)
    assert close(learner.coef_[0], mixed_average(shards, epochs, when, weighting))
    plain, _ = mixed(Perceptron(), shards, epochs, weighting=weighting)
    assert learner.last_coef_.tobytes() == plain.coef_.tobytes()


@few
@given(seeds, st.sampled_from(["before", "after"]))
def test_a_mean_goes_on_behind_the_mix(seed: int, when: str) -> None:
    """Rounds that follow the mix join the mean as if all had been one run."""
    shards, zero = rows(seed)
    learner, _ = mixed(AveragedPerceptron(average=when), shards, 2, alone=False)
    X, y = shards[0]
    rounds = 2 * sum(len(b) for _, b in shards)
    later, _ = perceptron_from(mixing(shards, perceptron_from, 2, zero)[0][-1], X, y)
    later = later[:-1] if when == "before" else later[1:]
    expected = (rounds * mixed_average(shards, 2, when) + np.sum(later, axis=0)) / (rounds + len(y))
    assert close(learner.partial_fit(X, y).coef_[0], expected)


def of_hinge(step: Any) -> Any:
    """A play whose steps are made where a margin is below 1."""

    def play(w: np.ndarray, X: Any, y: Any) -> tuple[list[np.ndarray], int]:
        history, updates = [w], 0
        for x, label in zip(X, y, strict=True):
            loss = max(0.0, 1 - label * (w @ x))
            if loss:
                w, updates = w + step(loss, x) * label * x, updates + 1
            history.append(w)
        return history, updates

    return play


AGGRESSIVE = {
    "PA": lambda loss, x: loss / (x @ x),
    "PA-I": lambda loss, x: min(0.4, loss / (x @ x)),
    "PA-II": lambda loss, x: loss / (x @ x + 1 / 0.8),
}


@few
@given(seeds, weightings, st.sampled_from(list(AGGRESSIVE)))
def test_passive_aggressive(seed: int, weighting: Any, variant: str) -> None:
    """All variants have the mixed weights of their steps in plain numpy."""
    shards, zero = rows(seed)
    learner, _ = mixed(PassiveAggressive(variant=variant, C=0.4), shards, 3, weighting=weighting)
    assert close(learner.coef_[0], mixing(shards, of_hinge(AGGRESSIVE[variant]), 3, zero, weighting)[0][-1])


class Descent:
    """Gradient descent whose clock goes along the longest path."""

    def __init__(self, loss: str, schedule: str, radius: float) -> None:
        self.loss, self.schedule, self.radius = loss, schedule, radius
        self.clock, self.ends = np.zeros(3), []  # rounds, squared gradients, longest row

    def __call__(self, w: np.ndarray, X: Any, y: Any) -> tuple[list[np.ndarray], int]:
        slope = LOSSES[self.loss][1]
        (rounds, squares, longest), history, updates = self.clock, [w], 0
        for x, label in zip(X, y, strict=True):
            gradient = slope(label * (w @ x)) * label * x
            rounds, squares, longest = rounds + 1, squares + gradient @ gradient, max(longest, x @ x)
            slower = {"inverse-sqrt": rounds, "self-tuned": squares, "scale-free": squares * longest}[self.schedule]
            if gradient.any():
                w, updates = w - gradient / np.sqrt(slower), updates + 1
            w = w * min(1, self.radius / (np.linalg.norm(w) or 1))
            history.append(w)
        self.ends.append((rounds, squares, longest))
        return history, updates


@few
@given(
    seeds,
    st.sampled_from(["hinge", "logistic", "squared-hinge", "square"]),
    st.sampled_from(["inverse-sqrt", "self-tuned", "scale-free"]),
    st.sampled_from([None, 0.6]),
)
def test_gradient_descent(seed: int, loss: str, schedule: str, radius: float | None) -> None:
    """All losses and schedules, in a ball or not, have the mixed weights of plain numpy whose clock goes by the longest
    path."""
    shards, w = rows(seed)
    learner = OnlineGradientDescent(loss=loss, schedule=schedule, rate=1.0, radius=radius)
    learner, _ = mixed(learner, shards, 3, alone=False)
    play = Descent(loss, schedule, radius or np.inf)
    for _ in range(3):
        w = mixing(shards, play, 1, w)[0][-1]
        play.clock, play.ends = np.max(play.ends, axis=0), []
    assert close(learner.coef_[0], w)
    assert radius is None or np.linalg.norm(learner.coef_) <= radius * (1 + 1e-12)


@few
@given(seeds, weightings)
def test_one_against_the_rest(seed: int, weighting: Any) -> None:
    """With three classes, what a shard counts comes from the updates of all targets together."""
    shards, zero = rows(seed, classes=3)

    def play(w: np.ndarray, X: Any, y: Any) -> tuple[list[np.ndarray], int]:
        ends = [perceptron_from(w[c], X, np.where(y == c, 1, -1)) for c in range(3)]
        return [np.array([history[-1] for history, _ in ends])], sum(count for _, count in ends)

    learner, _ = mixed(Perceptron(), shards, 3, classes=[0, 1, 2], weighting=weighting)
    assert close(learner.coef_, mixing(shards, play, 3, np.zeros((3, len(zero))), weighting)[0][-1])


@few
@given(seeds, weightings)
def test_the_multiclass_perceptron(seed: int, weighting: Any) -> None:
    """The perceptron of all classes at once counts rounds that moved two classes as one update each."""
    shards, zero = rows(seed, classes=3)

    def play(w: np.ndarray, X: Any, y: Any) -> tuple[list[np.ndarray], int]:
        w, updates = w.copy(), 0
        for x, label in zip(X, y, strict=True):
            scores = w @ x
            rival = max((c for c in range(3) if c != label), key=lambda c: scores[c])
            if scores[label] <= scores[rival]:
                w[label], w[rival], updates = w[label] + x, w[rival] - x, updates + 1
        return [w], updates

    learner, outcomes = mixed(MulticlassPerceptron(), shards, 3, classes=[0, 1, 2], weighting=weighting)
    weights, updates, _ = mixing(shards, play, 3, np.zeros((3, len(zero))), weighting)
    assert close(learner.coef_, weights[-1])
    assert [[count.updates for count in outcome.counts] for outcome in outcomes] == updates


def of_duals(link: Any, rate: float) -> Any:
    """A play in dual coordinates."""

    def play(theta: np.ndarray, X: Any, y: Any) -> tuple[list[np.ndarray], int]:
        updates = 0
        for x, label in zip(X, y, strict=True):
            if label * (link(theta) @ x) <= 0:
                theta, updates = theta + rate * label * x, updates + 1
        return [theta], updates

    return play


def simplex(theta: np.ndarray) -> np.ndarray:
    w = np.exp(theta - theta.max())
    return np.asarray(w / w.sum())


def balanced(theta: np.ndarray) -> np.ndarray:
    both = simplex(np.concatenate([theta, -theta]))
    return np.asarray(both[: len(theta)] - both[len(theta) :])


def power(theta: np.ndarray) -> np.ndarray:
    return np.asarray(np.sign(theta) * np.abs(theta) ** 2)


MIRRORS = {
    "winnow": (Winnow(rate=0.3), of_duals(simplex, 0.3)),
    "balanced winnow": (Winnow(rate=0.3, balanced=True), of_duals(balanced, 0.3)),
    "p-norm": (PNormPerceptron(p=3.0), of_duals(power, 1.0)),
}


@few
@given(seeds, weightings, st.sampled_from(list(MIRRORS)))
def test_dual_coordinates_are_mixed(seed: int, weighting: Any, which: str) -> None:
    """Winnow and the p-norm perceptron mix their dual coordinates, and their weights follow from the mix."""
    shards, zero = rows(seed)
    template, play = MIRRORS[which]
    learner, outcomes = mixed(type(template)(**template.get_params()), shards, 3, weighting=weighting, alone=False)
    theta, updates, _ = mixing(shards, play, 3, zero, weighting)
    assert close(learner.state_.duals(0)[0], theta[-1])
    assert [[count.updates for count in outcome.counts] for outcome in outcomes] == updates
    assert close(np.abs(learner.coef_).sum(), 1.0) or which != "winnow"
    X = np.concatenate([A for A, _ in shards])
    scores = X @ learner.coef_[0]
    assert close(learner.decision_function(X), scores)


def test_what_mirror_learners_have_met_and_reached() -> None:
    """The largest entry of an update's row, and the last feature shown, are those of all shards and epochs."""
    shards = [(np.array([[1.0, 0.0, 0.0]]), [-1]), (np.array([[0.0, 7.0, 0.0]]), [-1])]
    learner, outcomes = mixed(Winnow(balanced=True), shards, 2)
    assert [count.updates for count in outcomes[1].counts] == [0, 0]
    assert [count.reach.tolist() for count in outcomes[0].counts if count.reach is not None] == [[1.0], [7.0]]
    assert columns_seen_of(learner.state_).tolist() == [2.0]
    assert reach_of(learner.state_).tolist() == [7.0]
    assert learner.target_facts()[0].reach == 7.0


def test_p_is_settled_by_the_columns_known_at_first() -> None:
    """With p="auto" all shards and epochs play with the p of the columns that the driver began with."""
    X = np.eye(40)
    learner, _ = mixed(PNormPerceptron(), [(X[:3, :3], [1, -1, 1]), (X, [1, -1] * 20)], 2, columns=3)
    assert learner.p_ == PNormPerceptron().fit(X[:3, :3], [1, -1, 1]).p_
    assert learner.n_features_in_ == 40


def test_the_worked_case(oracles: Any) -> None:
    """The case found by hand comes out: weights, updates of each shard and epoch, and their weighted sum."""
    (case,) = [one for one in oracles if one["id"] == "ipm/2 shards"]
    X, y = np.array(case["input"]["X"], dtype=float), np.array(case["input"]["y"])
    shards = [(X[places], y[places]) for places in case["input"]["shards"]]
    learner, outcomes = mixed(Perceptron(), shards, 2)
    updates = [[count.updates for count in outcome.counts] for outcome in outcomes]
    assert learner.coef_[0].tolist() == [float(Fraction(weight)) for weight in case["expected"]["w"]]
    assert updates == case["expected"]["updates_per_epoch_and_shard"]
    assert sum(map(sum, updates)) / 2 == case["expected"]["sum_mu_k"]


def test_one_shot_is_not_mixing() -> None:
    """Three passes within one epoch mix once: the weights are the mean of what shards reach apart."""
    shards, _ = rows(3)
    learner, _ = mixed(Perceptron(), shards, 1, passes=3)
    apart = [Perceptron(passes=3).partial_fit(X, y, classes=[-1, 1]) for X, y in shards]
    for one, (X, y) in zip(apart, shards, strict=True):
        one.partial_fit(X, y).partial_fit(X, y)
    assert close(learner.coef_[0], np.mean([one.coef_[0] for one in apart], axis=0))


@pytest.mark.parametrize(
    ("learner", "reason"),
    [
        (MarginPerceptron(), "depends on the length of its weights"),
        (VotedPerceptron(), "votes with all the weights"),
        (KernelPerceptron(), "rows do not travel"),
        (SecondOrderPerceptron(), "solved from a matrix of all update rows"),
        (AROW(), "no bound for a mean"),
        (AggregatedClassifier(), "no bound for a mean of them"),
        (Perceptron(shuffle=True), "shuffle has no meaning over shards"),
        (Perceptron(class_weight="balanced"), "needs all labels before the first round"),
        (Perceptron(rate=-1.0), "rate"),
        (object(), "object cannot be mixed"),
        (type("Mine", (Perceptron,), {})(), "Mine cannot be mixed"),
    ],
    ids=lambda one: one if isinstance(one, str) else type(one).__name__,
)
def test_what_cannot_be_mixed_is_refused_with_the_reason(learner: Any, reason: str) -> None:
    """A learner without a theorem for mixing, or with a parameter that has no meaning over shards, is refused."""
    with pytest.raises(RegretlessError, match=reason):
        refuse(learner)


@pytest.mark.parametrize("name", [name for name, entry in LEARNERS.items() if not entry.info.not_mixed])
def test_every_learner_that_says_it_can_be_mixed_has_theorems_about_it(name: str) -> None:
    """It is not refused, begins an epoch, and there are theorems about its mixed weights."""
    learner = learner_class(name)()
    refuse(learner)
    learner.announce(np.array([0, 1]), 3)
    assert make_start(learner, schema=None, epoch=0, weighting="rows").weights.shape == (4, 1)
    assert learner.mixed_proven()


def test_sums_over_shards_of_a_scale_free_run() -> None:
    """What a shard's books say of the squared gradients is of its own epoch, although rates go by all of them."""
    random = np.random.default_rng(5)
    X, y = random.normal(size=(60, 4)), random.choice([-1, 1], 60)
    _, outcomes = mixed(OnlineGradientDescent(loss="hinge"), cut(X, y, 3), 4)
    for outcome in outcomes:
        for count, (A, _) in zip(outcome.counts, cut(X, y, 3), strict=True):
            book = dict(zip(FIELDS, count.books[0].tolist(), strict=True))
            assert book["slope2"] == pytest.approx(book["update_norm2"], rel=1e-12)  # a hinge's slope is 1
            assert book["total_norm2"] == pytest.approx(float((A**2).sum()))
