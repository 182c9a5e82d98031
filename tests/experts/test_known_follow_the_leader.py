"""Follow the leader, and games on which its theorem must say numbers that are known by hand."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import regretless
from regretless.experts import FollowTheLeader
from regretless.textbook.experts import combine, follow_the_leader
from regretless.theory import expert_facts as es
from regretless.theory.experts import LEADS, leader_changes

from ..known import Assumes, first_of_each, known, refuses, says_its_number
from .test_known_experts import BREAKS, HALVES, case, hedge

LEADER = hedge("leader", None)
CHANGES = {"ledger.changes": 3.0}
CASES = [
    case(leader_changes, LEADER, 6.5, 2, CHANGES),  # 3 * 2 and the delay of the expert
    case(leader_changes, replace(LEADER, linear=True), 6.3, 1.5, CHANGES, HALVES),
]
ASSUMES: Assumes = [
    ([leader_changes], (LEADS, es.MIXES, es.COMBINATION, es.WITHIN_REACH, es.ALWAYS_SPOKE, es.SAME_ROUNDS)),
]


@known(CASES)
def test_a_theorem_says_its_number(case):
    """On this game the theorem says the number that was found by hand."""
    says_its_number(case)


@known(first_of_each(CASES))
def test_an_assumption_that_fails_is_named(case):
    """Each assumption fails alone on a game, and then there is no number."""
    refuses(case, ASSUMES, BREAKS | {LEADS[0]: [{"learner.schedule": "anytime"}]})


def test_changes_are_counted_as_by_hand():
    """All lead at first; the third falls behind in round 1, the second in round 2, and the first never does."""
    losses = np.array([[0.0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 0, 0], [0.5, 0.5, 0.5]])
    learner = FollowTheLeader(loss=None)
    played = learner.play(losses, weights=True)
    np.testing.assert_allclose(played.weights[:4], [[1 / 3] * 3, [0.5, 0.5, 0], [1, 0, 0], [1, 0, 0]])
    # After round 4 the sums are 2, 2, 2: the leader still leads, with the others beside it.
    assert learner.ledger_.changes == 2
    np.testing.assert_allclose(played.weights[4], [1 / 3] * 3)
    posterior, changes = learner.certify(losses)
    assert (changes.bound, changes.observed) == (2, pytest.approx(1 / 3 + 0.5))
    assert posterior.bound == pytest.approx(1 / 3 + 0.5)


def test_two_experts_that_are_right_in_turn_make_it_err_always():
    """After the first round it loses 1 in every one, twice as much as either, and each changes the leader."""
    losses = np.array([[0.5, 0.0], *[[0.0, 1.0], [1.0, 0.0]] * 50])
    learner = FollowTheLeader(loss=None)
    learner.play(losses)
    assert learner.ledger_.loss == 100.25
    assert learner.ledger_.changes == 101
    assert all(one.holds for one in learner.certify(losses))
    # A bound with a third as many changes would be broken.
    assert learner.certify(losses)[1].observed > learner.ledger_.changes / 3


@given(st.integers(0, 10_000), st.sampled_from([1, 2, 5, 9]), st.booleans(), st.booleans())
def test_the_learner_is_that_of_the_textbook(seed, experts, sleep, whole):
    """The compiled learner plays the weights of the algorithm as a book would print it, ties and silence included."""
    rng = np.random.default_rng(seed)
    advice, outcomes = rng.integers(0, 9, (100, experts)) / 8, rng.integers(0, 2, 100) * 1.0
    if not whole:
        advice = rng.random((100, experts))
    if sleep and experts > 1:
        advice[rng.random(advice.shape) < 0.3] = np.nan
        advice[:, 0] = rng.random(100)
    prior = rng.random(experts) + 0.1
    prior /= prior.sum()
    learner = FollowTheLeader(prior=prior, loss="absolute")
    weights = learner.play(advice, outcomes, weights=True).weights
    absolute = lambda a, y: abs(a - y)  # noqa: E731
    _, _, history = combine(follow_the_leader(prior), advice, outcomes, absolute)
    if not sleep:  # a silent expert is charged a mix, whose last digit may make a tie of what is none
        np.testing.assert_allclose(weights, history, rtol=1e-9, atol=1e-12)
    else:
        assert (np.abs(weights - history).max(axis=1) > 1e-9).mean() < 0.1


@given(
    seed=st.integers(0, 10_000),
    experts=st.sampled_from([1, 2, 3, 20]),
    grain=st.sampled_from([1, 4, 10**9]),
    silent=st.sampled_from([0.0, 0.4]),
    scale=st.sampled_from([1e-6, 1.0, 1e6]),
)
def test_no_run_exceeds_a_bound(seed, experts, grain, silent, scale):
    """Losses of few values, on which experts tie, silent experts and late losses break no bound."""
    rng = np.random.default_rng(seed)
    losses = scale * rng.integers(0, grain + 1, (150, experts)) / grain
    losses[:, 1:][rng.random((150, experts - 1)) < silent] = np.nan
    learner = FollowTheLeader(n_experts=experts, loss=None)
    learner.play(losses)
    for one in learner.certify(losses):
        assert one.holds is not False, str(one)
    assert learner.ledger_.last_rate in (inf, 1.0)


def test_a_model_keeps_the_changes(tmp_path):
    """A learner that was saved goes on counting, to the same bits."""
    losses = np.random.default_rng(0).random((40, 3))
    whole, first = FollowTheLeader(loss=None), FollowTheLeader(loss=None)
    whole.play(losses)
    first.play(losses[:17])
    first.save(tmp_path / "m.rgl")
    again = regretless.load(tmp_path / "m.rgl")
    again.play(losses[17:])
    assert again.ledger_.changes == whole.ledger_.changes > 0
    assert again.weights.tolist() == whole.weights.tolist()
