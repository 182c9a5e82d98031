"""AdaNormalHedge, and games on which its theorems must say numbers that are known by hand."""

from __future__ import annotations

from dataclasses import replace
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.comparator import ExpertComparator
from regretless.experts import AdaNormalHedge
from regretless.textbook.experts import ada_normal_hedge, combine
from regretless.theory import expert_facts as es
from regretless.theory.second_order import (
    ADA_NORMAL_HEDGE,
    RATES,
    normal_hedge_posterior,
    normal_hedge_prior,
    normal_hedge_sizes,
)

from ..known import Assumes, first_of_each, known, refuses, says_its_number
from .test_known_experts import BREAKS, HALVES, LN4, OWN, case

LINEAR = replace(OWN, linear=True)
# Sizes 0.1, 0.7, 0.2, 0.4 of regrets, in a span of 3: the mean of ln(1 + C / 3) + C / (3 + C), and a half of it.
SIZES = log(1 + (log(3.1 * 3.7 * 3.2 * 3.4 / 81) + 0.1 / 3.1 + 0.7 / 3.7 + 0.2 / 3.2 + 0.4 / 3.4) / 8)
ROUNDS = log(1 + (log(10) + 0.9) / 2)
CASES = [
    case(normal_hedge_posterior, OWN, sqrt(4 * (LN4 + 0.3)), 2),
    case(normal_hedge_posterior, LINEAR, sqrt(3 * (log(2) + 0.3)), 1.5, against=HALVES),
    case(normal_hedge_posterior, replace(OWN, log_potential=-0.1), sqrt(4 * LN4), 2),  # its sum is 1 at least
    case(normal_hedge_sizes, OWN, sqrt(6.3 * (LN4 + SIZES)), 2),  # 3 * 3 * 0.7
    case(normal_hedge_sizes, LINEAR, sqrt(3.6 * (log(2) + SIZES)), 1.5, against=HALVES),
    case(normal_hedge_prior, OWN, 3 * sqrt(27 * (LN4 + ROUNDS)), 2),
    case(normal_hedge_prior, LINEAR, 3 * sqrt(27 * (log(2) + ROUNDS)), 1.5, against=HALVES),
]
ASSUMES: Assumes = [
    (ADA_NORMAL_HEDGE, (RATES, es.MIXES, es.COMBINATION, es.WITHIN_REACH, es.ALWAYS_SPOKE, es.SAME_ROUNDS)),
    (ADA_NORMAL_HEDGE[1:], (es.IN_TIME, es.DECLARED, es.IN_SPAN)),
]


@known(CASES)
def test_a_theorem_says_its_number(case):
    """On this game a theorem says the number that was found by hand."""
    says_its_number(case)


@known(first_of_each(CASES))
def test_an_assumption_that_fails_is_named(case):
    """Each assumption fails alone on a game, and then there is no number."""
    refuses(case, ASSUMES, BREAKS)


LOST = [{"learner.rates": np.full(4, 1e300)}, {"learner.span": 1e-150}, {"learner.span": 1e150}]


@pytest.mark.parametrize("change", LOST)
def test_numbers_that_have_lost_their_digits_give_no_bound(change):
    """Rates and spans whose squares are no floats of full precision make no bound, rather than a false one."""
    theorem = normal_hedge_posterior if "learner.rates" in change else normal_hedge_prior
    (game,) = [one for one in first_of_each(CASES) if one.theorem is theorem]
    game = game.changed(change)
    assert not theorem.certify(game.ledger, [game.comparator], game.learner).applies


def phi(regret: np.ndarray, size: float) -> np.ndarray:
    return np.exp(np.maximum(regret, 0) ** 2 / (3 * size)) if size else np.ones_like(regret)


@pytest.mark.parametrize("size", [*np.linspace(0, 20, 81), 1e2, 1e3, 1e5])
def test_the_potential_grows_by_less_than_half_of_what_is_allowed(size):
    """At regrets of any size the mean of both next potentials exceeds the present one by less than 1 / 2(C + 1)."""
    regrets = np.linspace(-size, min(size, 5 * sqrt(size + 1)), 4001)
    growth = (phi(regrets + 1, size + 1) + phi(regrets - 1, size + 1)) / 2 - phi(regrets, size)
    assert (growth * (size + 1)).max() < 0.5


@given(st.integers(0, 10_000), st.sampled_from([1, 2, 5, 9]), st.booleans(), st.booleans())
def test_the_learner_is_that_of_the_textbook(seed, experts, declared, sleep):
    """The compiled learner plays the weights of the algorithm as a book would print it."""
    rng = np.random.default_rng(seed)
    advice, outcomes = rng.random((200, experts)) * rng.random(experts), rng.random(200)
    if sleep and experts > 1:
        advice[rng.random(advice.shape) < 0.3] = np.nan
        advice[:, 0] = rng.random(200)
    prior = rng.random(experts) + 0.1
    prior /= prior.sum()
    learner = AdaNormalHedge(prior=prior, value_range=(0, 1) if declared else None)
    weights = learner.play(advice, outcomes, weights=True).weights
    rule = ada_normal_hedge(prior, 2.0 if declared else 0.0)
    square = lambda a, y: (a - y) ** 2  # noqa: E731
    _, _, history = combine(rule, advice, outcomes, square, lambda p, y: 2 * (p - y))
    np.testing.assert_allclose(weights, history, rtol=1e-7, atol=1e-10)


def test_rates_and_the_potential_are_what_the_theorem_says():
    """The rate of an expert is 1 / 3 s C, and W the mean of the potentials, before the first round 1."""
    rng = np.random.default_rng(3)
    learner = AdaNormalHedge(n_experts=4, loss=None)
    before = learner.facts()
    assert (before.log_potential, before.rates.tolist()) == (0.0, [1.0] * 4)
    learner.play(rng.random((50, 4)) * [1.0, 0.5, 2.0, 1.5])
    ledger, facts = learner.ledger_, learner.facts()
    scale = learner._known().memory[5]
    np.testing.assert_allclose(facts.rates, 1 / (3 * scale * ledger.drags), rtol=1e-12)
    each = np.exp(np.maximum(ledger.regrets, 0) ** 2 * facts.rates)
    assert facts.log_potential == pytest.approx(log(each.mean()), rel=1e-12)
    assert facts.log_potential > 0.01


def test_long_one_sided_play_leaves_weights():
    """After ten thousand rounds that one expert wins, exponents beyond all floats still give weights."""
    losses = np.tile([0.0, 1.0, 1.0], (10_000, 1))
    learner = AdaNormalHedge(loss=None, value_range=(0, 1), prior=[1e-6, 0.5, 0.5])
    played = learner.play(losses, weights=True)
    np.testing.assert_allclose(played.weights.sum(axis=1), 1, rtol=1e-12)
    assert played.weights[-1, 0] > 0.999


@given(
    seed=st.integers(0, 10_000),
    experts=st.sampled_from([1, 2, 3, 20]),
    shape=st.sampled_from(["random", "one-sided", "adverse", "leaders"]),
    scale=st.sampled_from([1e-6, 1.0, 1e6]),
)
def test_no_run_exceeds_a_bound(seed, experts, shape, scale):
    """Against every expert and mixtures of them, on random, one-sided and adverse losses, bounds hold."""
    rng = np.random.default_rng(seed)
    losses = rng.random((300, experts)) < rng.random(experts)
    if shape == "one-sided":
        losses = np.tile(np.arange(experts) % 2, (300, 1))
    if shape == "leaders":  # one falls behind after the other
        losses = (np.arange(300)[:, None] // 25) % experts == np.arange(experts)
    learner = AdaNormalHedge(n_experts=experts, loss=None, value_range=(0, scale))
    for row in losses * scale:
        weights = np.asarray(learner.predict())
        learner.update(np.where(weights == weights.max(), scale, 0.0) if shape == "adverse" else row)
    certificates = learner.certify()
    assert [one.applies for one in certificates] == [True, True, True]
    assert all(one.holds for one in certificates)
    assert certificates[0].bound <= certificates[1].bound * (1 + 1e-9) <= certificates[2].bound * (1 + 2e-9)


def test_many_good_experts_make_the_bound_smaller():
    """Against the mixture of fifty equal experts of a hundred the bound is that of ln 2, and not of ln 100."""
    rng = np.random.default_rng(0)
    outcomes = rng.random(500)
    forecasts = np.column_stack([np.tile(outcomes[:, None], 50), rng.random((500, 50))])
    learner = AdaNormalHedge(value_range=(0, 1))
    learner.play(forecasts, outcomes)
    lost = float(learner.ledger_.loss)
    half, one = (
        ExpertComparator("best_convex", "", 0.0, lost, 500.0, weights=weights, divergence=information)
        for weights, information in ((np.repeat([0.02, 0.0], 50), log(2)), (np.eye(100)[0], log(100)))
    )
    shared, alone = (learner.certify(comparators=[against])[0] for against in (half, one))
    assert shared.holds
    assert alone.holds
    assert shared.bound < 0.75 * alone.bound
