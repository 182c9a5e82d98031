"""Environments as streams against a learner, and what is known ahead of rounds that nobody's predictions change."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.bandits import Exp3
from regretless.environments import (
    AgnosticTree,
    Dyadic,
    Exponential,
    LabelFlipping,
    Labels,
    LearnerDescription,
    Orthonormal,
    RandomizedTree,
    RandomTarget,
    Separable,
    ShatteredTree,
    WrittenPoints,
)
from regretless.environments import points as points_module
from regretless.environments.points import votes_of
from regretless.errors import RegretlessError
from regretless.experts import Hedge, RandomizedWeightedMajority, WeightedMajority
from regretless.finite_classes import FiniteClass, Halving, RandomizedOptimal, StandardOptimal
from regretless.linear import Perceptron

from ..finite_classes.small_classes import random_class

CLASS = LearnerDescription("class")
DRAWS = LearnerDescription("class", deterministic=False)
THRESHOLDS = FiniteClass.named("thresholds:7")


def least(environment: Labels, rounds: int, opposed: LearnerDescription) -> dict[str, float]:
    """What is promised, by quantity."""
    return {one.quantity: one.least for one in environment.lower_bounds(rounds, opposed)}


# Streams.


@pytest.mark.parametrize("make_environment", [ShatteredTree, RandomizedTree, RandomTarget])
@pytest.mark.parametrize("learner", [Halving, StandardOptimal, RandomizedOptimal])
def test_learners_of_classes_are_asked_about_points(make_environment: Any, learner: Any) -> None:
    """Each is asked about the point and sees its label, and the result is what the two play by themselves."""
    environment = make_environment(THRESHOLDS)
    settings = {"random_state": 1} if learner is RandomizedOptimal else {}
    playing = learner(THRESHOLDS, **settings)
    batches = list(environment.against(playing, 12).batches())
    again, asker, wrong = learner(THRESHOLDS, **settings), environment.begin(), 0.0
    for batch in batches:
        assert (batch.values == asker.row()).all()
        predictions = again.predict(asker.point)
        chance = getattr(predictions, "probability", float(predictions))
        label = asker.label(1 if chance >= 0.5 else -1, chance if playing.info.draws else None)
        assert batch.labels.tolist() == [label]
        wrong += abs(chance - (label > 0))
        again.update(int(label > 0))
    assert (playing.rounds_, playing.mistakes_) == (12, again.mistakes_)
    assert playing.realizable_
    promised = least(environment, 12, DRAWS if playing.info.draws else CLASS)
    assert wrong >= max(promised.values(), default=0)


@pytest.mark.parametrize(
    "learner",
    [
        Hedge(loss="absolute", horizon=9, value_range=(0, 1)),
        WeightedMajority(beta=0.5),
        RandomizedWeightedMajority(beta=0.5, random_state=1),
    ],
)
def test_combiners_are_asked_about_votes(learner: Any) -> None:
    """Against its forecast, cut at one half, label flipping has every label; one who draws shows its weights alone."""
    batches = list(LabelFlipping().against(learner, 9).batches())
    again = learner.clone()
    assert again.rounds_ == 0
    for batch in batches:
        predictions = again.predict((batch.values[0] + 1) / 2)
        chance = (
            again.waiting(predictions).weights[1]
            if isinstance(again, RandomizedWeightedMajority)
            else float(predictions)
        )
        assert batch.labels.tolist() == [-1 if chance >= 0.5 else 1]
        again.update(predictions, float(batch.labels[0] > 0))
    assert learner.rounds_ == 9


def test_linear_learners_are_asked_about_votes_as_well() -> None:
    """A perceptron learns each batch of the tree before the next one, and errs as often as the tree is deep."""
    learner, wrong = Perceptron(), 0
    for batch in ShatteredTree(THRESHOLDS).against(learner, 10).batches():
        wrong += (learner.predict_one(batch.values[0]) if hasattr(learner, "classes_") else 1) != batch.labels[0]
        learner.observe(batch)
    assert wrong >= 3


@pytest.mark.parametrize(
    ("environment", "learner", "message"),
    [
        (Orthonormal(3), Halving(THRESHOLDS), "orthonormal has no points of a class, and halving"),
        (ShatteredTree(THRESHOLDS), Halving(FiniteClass.named("all:2")), "shattered-tree is of another class than"),
        (Orthonormal(3), Hedge(loss="square"), "the rows of orthonormal are no votes"),
        (LabelFlipping(), Hedge(loss=None), r"learns from losses alone, .* regretless\.play\.play"),
        (LabelFlipping(), Exp3(seed=1), r"Exp3 predicts no single rows: regretless\.play\.play"),
    ],
)
def test_who_cannot_be_asked_is_refused_before_the_first_round(environment: Labels, learner: Any, message: str) -> None:
    """A learner that does not take such rows is refused, with the environments that it takes."""
    with pytest.raises(RegretlessError, match=message):
        environment.against(learner, 5)


def test_who_answers_to_predictions_has_no_stream_of_its_own() -> None:
    """A stream of an environment that watches the learner is refused with a word on against()."""
    with pytest.raises(RegretlessError, match=r"dyadic answers to what is predicted: use against\(learner\)"):
        Dyadic().stream()


# What is settled, and where games end.


def in_blocks(asker: Any, says: list[int], lengths: list[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, labels and points of a game that goes on by blocks as soon as it is settled."""
    rows, labels, points = [], [], []
    for message in says:
        if asker.settled:
            break
        assert asker.ahead(1) is None
        rows.append(asker.row()[None])
        points.append([asker.point])
        labels.append([asker.label(message)])
    for length in lengths:
        some, called, queries = asker.ahead(length)
        rows.append(some)
        labels.append(called)
        points.append([-1] * length if queries is None else queries)
        rows.append(asker.row()[None])  # and one by itself in between
        points.append([asker.point])
        labels.append([asker.label(1)])
    return np.concatenate(rows), np.concatenate(labels), np.concatenate(points)


@given(st.integers(0, 10**6), st.lists(st.sampled_from([-1, 1]), min_size=30, max_size=30))
def test_what_is_settled_is_known_ahead(seed: int, says: list[int]) -> None:
    """Once no prediction matters blocks give the rounds that come one by one, and before that there are none."""
    finite_class = random_class(2 + seed % 20, 3 + seed % 5, seed)
    for environment in (
        ShatteredTree(finite_class),
        RandomizedTree(finite_class),
        Orthonormal(7),
        RandomTarget(finite_class, noise=0.2),
        WrittenPoints(finite_class, [0, 1, 2] * 20, [0, 1, 1] * 20),
    ):
        lengths = [3, 1, 11]
        rows, labels, points = in_blocks(environment.begin(), says, lengths)
        asker = environment.begin()
        for t, (row, label, point) in enumerate(zip(rows, labels, points, strict=True)):
            assert (asker.row() == row).all()
            assert asker.point == point
            assert asker.label(says[t] if t < 30 else 1) == label
        assert asker.settled


def test_a_block_does_not_go_beyond_the_rounds_that_there_are() -> None:
    """Of five written rounds two are played, and four more are refused."""
    asker = WrittenPoints(THRESHOLDS, [0, 1, 2, 3, 4], [0] * 5).begin()
    assert len(asker.ahead(2)[0]) == 2
    with pytest.raises(RegretlessError, match="has 5 rounds, and 2 of them"):
        asker.ahead(4)


def test_games_with_an_end_say_how_long_they_are() -> None:
    """Rounds by default: those that part a class, or go through all directions, passes, digits or rows; else none."""
    wide = FiniteClass.named("all:3")  # 8 hypotheses on 3 points
    for environment, rounds in (
        (ShatteredTree(THRESHOLDS), 7),
        (ShatteredTree(wide), 3),
        (RandomizedTree(wide), 3),
        (ShatteredTree(FiniteClass([[0, 1]])), 1),
        (ShatteredTree(wide, rounds=50), 50),
        (Orthonormal(9), 9),
        (Exponential(5), 855),
        (Exponential(26), None),
        (Exponential(5, rounds=10), 10),
        (Dyadic(), 52),
        (WrittenPoints(THRESHOLDS, [3, 5], [0, 1]), 2),
        (AgnosticTree(THRESHOLDS, 30), 30),
        (LabelFlipping(), None),
        (Separable(), None),
    ):
        assert environment.default_rounds == rounds
    for environment in (ShatteredTree(wide), RandomizedTree(wide)):
        asker = environment.begin()
        for _ in range(3):
            asker.row()
            asker.label(1)
        assert asker.settled
    assert least(RandomizedTree(wide), 3, DRAWS) == {"expected mistakes": 1.5}


def test_rows_that_are_asked_for_again_are_stored_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row is unpacked once while there is room, and whatever was forgotten comes back the same."""
    made = []
    monkeypatch.setattr(points_module, "votes_of", lambda *arguments: made.append(arguments) or votes_of(*arguments))
    for room, rows in ((7 * 8, 7), (3 * 8, 21)):
        monkeypatch.setattr(points_module, "STORED", room)
        made.clear()
        environment = WrittenPoints(THRESHOLDS, [0], [0])
        for point in [*range(7)] * 3:
            assert (environment.votes_on(point) == 2.0 * THRESHOLDS.matrix[:, point] - 1).all()
        assert len(made) == rows
