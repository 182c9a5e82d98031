"""The agnostic tree: every learner's regret against the best hypothesis, whatever it does."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.environments import AgnosticTree, FairCoins, LearnerDescription
from regretless.errors import RegretlessError
from regretless.experts import Hedge, WeightedMajority
from regretless.finite_classes import FiniteClass, MistakeTree

THRESHOLDS = FiniteClass.named("thresholds:7")
DEEP = MistakeTree(np.array([3, 1, 5, 0, 2, 4, 6]), np.arange(8))  # a binary search, if hypothesis h says 1 below h
BELOW = FiniteClass([[1] * ones + [0] * (7 - ones) for ones in range(8)])


def least(environment: AgnosticTree, rounds: int) -> dict[str, float]:
    """What is promised, by quantity."""
    return {one.quantity: one.least for one in environment.lower_bounds(rounds, LearnerDescription("experts"))}


class Enumerated(AgnosticTree):
    """Run r has the binary digits of r for coins."""

    def _heads(self, begin: int, end: int, run: int) -> np.ndarray:
        return (run >> np.arange(begin, end)) & 1 == 1


@pytest.mark.parametrize("rounds", [1, 2, 3, 5, 8, 10])
@pytest.mark.parametrize("name", ["thresholds:7", "intervals:4", "singletons:5"])
def test_the_regret_of_the_agnostic_tree_is_exact_over_all_coins(name: str, rounds: int) -> None:
    """Over all 2^T coins the mean regret against the leaf is the promise, and against the best one no less."""
    environment = Enumerated(FiniteClass.named(name), rounds)
    promised, leaf, best, wrong = least(environment, rounds), 0, 0, 0
    for run in range(2**rounds):
        rows, labels = environment.block(0, rounds, run)
        errors = (rows != labels[:, None]).sum(0)
        wrong += np.count_nonzero(labels != np.where(rows.sum(1) > 0, 1, -1))  # a majority vote
        leaf += errors[environment.target_of(run)]
        best += errors.min()
    assert wrong == 2**rounds * rounds / 2 == 2**rounds * promised["mistakes"]
    assert (wrong - leaf) / 2**rounds == pytest.approx(promised["regret in mistakes"], abs=1e-12)
    assert best <= leaf
    depth = environment.tree.depth
    assert rounds < depth or promised["regret in mistakes"] >= sqrt(depth * rounds / 8) - 1e-12


@given(st.integers(1, 60), st.integers(1, 3000))
def test_no_split_of_the_rounds_falls_below_the_root(depth: int, rounds: int) -> None:
    """However unevenly d divides T >= d, the regrets of the levels add up to sqrt(d T / 8) or more."""
    rounds = max(rounds, depth)
    short, more = divmod(rounds, depth)
    total = more * FairCoins.regret(short + 1) + (depth - more) * FairCoins.regret(short)
    assert total >= sqrt(depth * rounds / 8) * (1 - 1e-12)


def test_the_agnostic_tree_goes_down_by_majorities() -> None:
    """Each level has its share of the rounds at one point, the next point is that of the majority; a tie goes to 0."""
    environment = AgnosticTree(BELOW, 50, DEEP, seed=4)
    names = set()
    for run in range(40):
        points, (rows, labels) = environment.points(0, 50, run), environment.block(0, 50, run)
        node = 0
        for begin, end in ((0, 17), (17, 34), (34, 50)):
            assert set(points[begin:end].tolist()) == {int(DEEP.points[node])}
            node = 2 * node + (2 if labels[begin:end].sum() > 0 else 1)
        assert environment.target_of(run) == node - 7
        names.add(environment.target_of(run))
        assert (rows == 2.0 * BELOW.matrix[:, points].T - 1).all()
    assert len(names) == 8
    ends = least(environment, 20)["regret in mistakes"]  # of 17 rounds and 3
    assert ends == FairCoins.regret(17) + FairCoins.regret(3)
    assert Enumerated(BELOW, 2, DEEP).points(0, 2, run=0).tolist() == [3, 1]  # where two levels have a round each
    alone = AgnosticTree(FiniteClass([[0, 1]]), 5)
    assert alone.points(0, 5).tolist() == [0] * 5
    assert least(alone, 5) == {"mistakes": 2.5, "regret in mistakes": 0.0}
    with pytest.raises(RegretlessError):
        AgnosticTree(BELOW, 5, MistakeTree(np.array([0, 1, 2]), np.arange(4)))


@pytest.mark.parametrize(
    "learner", [Hedge(loss="absolute", horizon=40, value_range=(0, 1)), WeightedMajority(beta=0.5)]
)
def test_combiners_meet_what_the_agnostic_tree_promises(learner: Any) -> None:
    """Over 400 runs the mean loss is T/2 and the mean regret the sum of the levels or more, within 5 errors."""
    environment = AgnosticTree(THRESHOLDS, 40, seed=11)
    losses, regrets = [], []
    for run in range(400):
        rows, labels = environment.block(0, 40, run)
        played = learner.clone().play((rows + 1) / 2, (labels + 1) / 2)
        losses.append(played.losses.sum())
        regrets.append(losses[-1] - (rows != labels[:, None]).sum(0).min())
    promised = least(environment, 40)
    assert abs(np.mean(losses) - promised["mistakes"]) < 5 * np.std(losses) / sqrt(400)
    assert np.mean(regrets) > promised["regret in mistakes"] - 5 * np.std(regrets) / sqrt(400)
