"""Long runs: weights of the simplex and of the trees stay weights, and bounds hold, as far as sums can go.

Left out of `make test`; `make soak` runs them. Rounds beyond what a machine plays in minutes are stood for by rounds
that count more: cumulated losses of 1e9 times the rate come from losses, or rates, that are large.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from regretless.bandits import EXP3S, Exp3, Exp3IX, Exp3P, Exp4, Hedge, TsallisINF
from regretless.catalogue import expert_class
from regretless.experts import EG, AdaHedge, ExponentiallyWeightedAverage, FixedShare
from regretless.experts import Hedge as Combiner

from ..catalogue import OWN_RATES

pytestmark = pytest.mark.soak

ROWS = 1 << 16
LONG, FAR = 1 << 23, 1e9  # rounds that are played, and the sums times the rate that are reached


def rows(seed: int = 0, arms: int = 4) -> Any:
    """Coins, of which one falls a little better."""
    losses = (np.random.default_rng(seed).random((ROWS, arms)) < 0.5).astype(float)
    losses[::50, 0] = 0
    return losses


def is_weights(p: Any) -> bool:
    """Finite, not negative, and of sum one."""
    return bool(np.isfinite(p).all() and (p >= 0).all() and abs(p.sum() - 1) < 1e-9)


def sound(certificates: Any) -> bool:
    """Whether numbers are numbers, and no sure bound is broken."""
    applying = [one for one in certificates if one.applies]
    return bool(applying) and not any(one.violated or np.isnan(one.bound) for one in applying)


COMBINERS = {
    "hedge": lambda: Combiner(loss=None, value_range=(0, 1), horizon=LONG),
    "hedge anytime": lambda: Combiner(loss=None, value_range=(0, 1)),
    "adahedge": lambda: AdaHedge(loss=None),
    "fixed-share": lambda: FixedShare(loss=None, value_range=(0, 1), eta=0.1, alpha=1e-6),
    **{name: partial(expert_class(name), loss=None) for name in OWN_RATES},
}


@pytest.mark.parametrize("name", COMBINERS)
def test_a_combiner_keeps_weights_over_millions_of_rounds(name):
    """After 2^23 rounds weights are weights, the books are the sums of what was played, and bounds hold."""
    learner, losses = COMBINERS[name](), rows()
    for _ in range(LONG // ROWS):
        learner.play(losses)
    assert learner.ledger_.rounds == LONG
    assert learner.ledger_.losses == pytest.approx(losses.sum(0) * (LONG // ROWS), rel=1e-12)
    assert is_weights(np.asarray(learner.predict()))
    assert sound(learner.certify())


@pytest.mark.parametrize("eta", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("name", ["hedge", "share", "ewa", "eg"])
def test_exponential_weights_hold_where_the_rate_times_the_losses_is_vast(name, eta):
    """With eta times the cumulated losses at 1e9 and far beyond, weights are weights and the bound holds."""
    scale = FAR / ROWS / min(eta, 1.0)
    losses = rows() * scale
    made = {
        "hedge": lambda: Combiner(loss=None, value_range=(0, scale), eta=eta),
        "share": lambda: FixedShare(loss=None, value_range=(0, scale), eta=eta, alpha=1e-3),
        "ewa": lambda: ExponentiallyWeightedAverage(loss=None, value_range=(0, scale), eta=eta),
        "eg": lambda: EG(loss="absolute", value_range=(0, scale), eta=eta / scale),
    }
    learner = made[name]()
    for _ in range(8):
        if name == "eg":
            learner.play(losses, losses[:, 0])
            predictions = learner.predict(losses[0])
            assert is_weights(np.asarray(learner.waiting(predictions).weights))
            learner.update(predictions, losses[0, 0])
        else:
            learner.play(losses)
            assert is_weights(np.asarray(learner.predict()))
            learner.update(losses[0])
    assert sound(learner.certify())


BANDITS = {
    "exp3": lambda rate: Exp3(4, seed=1, rate=rate),
    "exp3 anytime": lambda rate: Exp3(4, seed=1),
    "exp3 each round": lambda rate: Exp3(4, seed=1, epochs=False),
    "exp3-ix": lambda rate: Exp3IX(4, seed=1, rate=rate),
    "exp3-s": lambda rate: EXP3S(4, seed=1, rate=rate or 1e-4, share=1e-7),
    "exp3-p": lambda rate: Exp3P(4, seed=1, rate=rate or 1e-4, beta=1e-4, explore=0.01),
    "tsallis-inf": lambda rate: TsallisINF(4, seed=1),
    "hedge": lambda rate: Hedge(4, seed=1, rate=rate),
}


@pytest.mark.parametrize("rate", [1e-4, 1e6])
@pytest.mark.parametrize("name", BANDITS)
def test_a_bandit_keeps_probabilities_over_millions_of_rounds(name, rate):
    """After 2^20 rounds, and at a rate that makes sums of 1e9 and more of them, draws have probabilities."""
    learner, losses, rounds = BANDITS[name](rate), rows(), LONG >> 3
    for _ in range(rounds // ROWS):
        learner.play(losses, arms=False)
        assert is_weights(learner.probabilities_)
    assert learner.rounds_ == rounds
    assert np.isfinite(learner.estimates_).all()
    table = np.tile(losses, (rounds // ROWS, 1))
    assert sound(learner.certify(table))


@pytest.mark.parametrize("arms", [2, 17, 5000])
@pytest.mark.parametrize("kind", [Exp3, Exp3IX])
def test_trees_of_many_arms_draw_by_weights_that_are_a_function_of_the_estimates(kind, arms):
    """After 2^16 rounds the tree's probabilities are those of its estimates, found anew: no error has piled up."""
    learner = kind(arms, seed=1, rate=0.01)
    losses = (np.random.default_rng(0).random((1 << 12, arms)) < 0.5).astype(float)
    for _ in range(1 << 4):
        learner.play(losses, arms=False)
    estimates = learner.estimates_
    weights = np.exp(-learner.rate_ * (estimates - estimates.min()))
    assert learner.probabilities_ == pytest.approx(weights / weights.sum(), rel=1e-9, abs=1e-18)


def test_exp4_keeps_weights_of_its_experts():
    """After 2^20 rounds the weights of four experts are weights, and the bound on their regret is a number."""
    learner, losses = Exp4(4, n_experts=4, seed=1, rate=0.5), rows()
    advice = np.tile(np.arange(4), (ROWS, 1))
    for _ in range(16):
        learner.play(losses, advice=advice, arms=False)
        assert is_weights(learner.expert_weights_)
    assert all(one.bound is None or np.isfinite(one.bound) for one in learner.certify())
