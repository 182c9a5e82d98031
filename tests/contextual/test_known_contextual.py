"""The theorems of bandits that draw by features: known numbers, a hunt for violations, wrong formulas."""

from __future__ import annotations

from dataclasses import replace
from math import exp, inf, log, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.ledger import ContextualLedger
from regretless.textbook import contextual as book
from regretless.theory import contextual as theory

from ..known import Assumes, Known, first_of_each, known, refuses, says_its_number

# Two arms, ten decisions, one of them without a loss. With g = 1/2 and delta = 2 / e^2, two estimates have the doubt 2.
BOOK = ContextualLedger(
    rounds=10,
    settled=9,
    lost=1,
    loss=5,
    late=0,
    restricted=2,
    price=1.5,
    gamma=3,
    error=2,
    width=2,
    draws=np.array([6.0, 4.0]),
    losses=np.array([3.0, 2.0]),
    missed=np.array([1.0, 0.0]),
    asleep=np.array([2.0, 0.0]),
    estimates=np.array([[3.0, 4.5]]),
)
FACTS = theory.ContextualFacts(arms=2, delta=2 / exp(2), width=2.0, implicit=(0.5,), least=1.25, penalty=0.25)
# M = 2 - 1.25 + 0.25 + 1 = 2. With delta = 5 / e^8 the five are (2 eta + 8) / (1 - exp(-eta + eta^2 / 2)), and the
# first is the least.
SURE = replace(FACTS, delta=5 / exp(8))
CASES = [
    # 5 + 1 - 1 - 3 + 2 = 4 of the first arm, 5 + 1 - 4.5 + 2 = 3.5 of the second one.
    Known(theory.observable_by_features, BOOK, None, FACTS, 8.0),
    Known(theory.observable_by_features, BOOK, None, replace(FACTS, arms=1), 0.0),
    Known(theory.realised_square_cb, BOOK, None, SURE, 2 * (1.5 + 3 * 10 / (1 - exp(-0.5)))),
]
PLAYED, LEAST = (
    ("no arm has been drawn yet", None),
    ("it needs the least penalised loss, which regressions with a full matrix alone know", None),
)
ASSUMES: Assumes = [
    ([theory.observable_by_features, theory.realised_square_cb], [PLAYED]),
    ([theory.realised_square_cb], [LEAST]),
]
BREAKS = {PLAYED[0]: [{"ledger.rounds": 0}], LEAST[0]: [{"learner.least": nan}]}


@known(CASES)
def test_a_theorem_says_its_number(case):
    """On these games the bounds are numbers that are computed by hand."""
    says_its_number(case)


@known(first_of_each(CASES))
def test_a_theorem_refuses_what_it_assumes_away(case):
    """Each assumption alone can fail, and then there is no number."""
    refuses(case, ASSUMES, BREAKS)


FORECASTS = st.lists(st.floats(0, 1), min_size=2, max_size=6).map(np.array)


@given(FORECASTS, st.floats(0.1, 1000), st.lists(st.floats(-1, 2), min_size=6, max_size=6))
def test_no_mean_losses_cost_more_than_the_price(f, gamma, means):
    """For any f*, sum p (f* - min f*) is at most (2 K - 1 - lambda) / (4 gamma) + gamma sum p (f - f*)^2."""
    p, means = book.square_cb(f, gamma), np.array(means[: len(f)])
    price = (2 * len(f) - 1 - 1 / p.max()) / (4 * gamma)
    assert p @ (means - means.min()) <= price + gamma * p @ (f - means) ** 2 + 1e-9 * (1 + gamma)


@given(FORECASTS, st.floats(0.5, 100))
def test_the_price_is_attained(f, gamma):
    """At the f* of the proof both sides agree, so that half the price, or a larger lambda, would be wrong."""
    p, best = book.square_cb(f, gamma), int(f.argmin())
    means = f + 1 / (2 * gamma)
    means[best] = f[best] - (1 - p[best]) / (2 * gamma * p[best])
    price = (2 * len(f) - 1 - 1 / p.max()) / (4 * gamma)
    regret = p @ (means - means[best]) - gamma * p @ (f - means) ** 2
    assert regret == pytest.approx(price, rel=1e-6, abs=1e-9)


@given(st.floats(0, 1), st.floats(0, 1), st.sampled_from(theory.RATES))
def test_an_excess_of_squares_is_not_small_by_luck(mean, forecast, eta):
    """For coins, the worst of losses, E exp(-eta m) is at most exp(-c D^2); with 2 c in the place of c it is not."""
    c, gap = 1 - exp(-eta + eta * eta / 2), (forecast - mean) ** 2
    m = np.array([forecast**2 - mean**2, (1 - forecast) ** 2 - (1 - mean) ** 2])
    assert np.exp(-eta * m) @ [1 - mean, mean] <= exp(-c * gap) + 1e-12
    wrong = np.exp(-eta * np.array([0.25 - 0.16, 0.25 - 0.36])) @ [0.6, 0.4]
    assert wrong > exp(-2.5 * c * 0.01)


def test_the_first_eta_alone_is_the_constant_of_the_paper():
    """Where little is known, V is at most 2.542 (M + ln 5 + ln(1 / delta)); where M is large, little more than M."""
    assert theory.variance_from(0.0, 5 / exp(1)) == pytest.approx(2.541494, rel=1e-6)
    assert 1.06 < theory.variance_from(1e6, 0.05) / 1e6 < 1.08
    assert theory.variance_from(-inf, 0.05) == 0


def test_observed_regret_is_below_the_bound_as_often_as_it_says():
    """Of 200 runs of a rule that draws as it likes, the regret exceeds the bound in a share delta at most."""
    random, failures, delta, implicit = np.random.default_rng(0), 0, 0.2, np.array([0.5, 0.125, 0.03125])
    facts = replace(FACTS, arms=3, delta=delta, width=1.0, implicit=tuple(implicit.tolist()))
    for _ in range(200):
        losses = (random.random((120, 3)) < random.random(3)).astype(float)
        p = random.dirichlet([0.3, 0.3, 0.3], 120) * 0.9 + 0.1 / 3
        arms = (random.random((120, 1)) > p.cumsum(1)[:, :2]).sum(1)
        lost, drawn = losses[range(120), arms], p[range(120), arms]
        estimates = np.array([[np.sum((lost / (drawn + g))[arms == a]) for a in range(3)] for g in implicit])
        zero = np.zeros(3)
        ledger = replace(BOOK, rounds=120, settled=120, loss=lost.sum(), missed=zero, estimates=estimates)
        failures += theory.observable_by_features.value(ledger, None, facts) < lost.sum() - losses.sum(0).min()
    assert failures <= delta * 200


def test_mean_regret_is_below_the_bound_of_square_cb():
    """Of 20 runs with linear means the mean regret never exceeds the realised bound at delta 1 / 2."""
    from regretless.contextual import SquareCB

    random = np.random.default_rng(1)
    for seed in range(20):
        X = random.uniform(-1, 1, (60, 2))
        means = 0.5 + X @ random.uniform(-0.2, 0.2, (2, 3))
        bandit, regret = SquareCB(3, seed=seed, delta=0.5, scale=1.0), 0.0
        for x, mean in zip(X, means, strict=True):
            regret += float(bandit.probabilities(x) @ (mean - mean.min()))
            ticket = bandit.act(x)
            bandit.learn(ticket, float(random.random() < mean[ticket.action]))
        assert regret <= bandit.certify()[1].bound


def test_the_doubt_counts_every_estimate():
    """The union bound is over G K estimates: with K alone the number would be smaller."""
    two = replace(FACTS, implicit=(0.5, 0.25))
    double = replace(BOOK, estimates=np.array([[3.0, 4.5], [0.0, 0.0]]))
    assert theory.observable_by_features.value(double, None, two) == pytest.approx(8 + 2 * log(2))
