"""What the line of a certificate says besides its numbers: what it takes for granted, when it holds, and what of it."""

from __future__ import annotations

from dataclasses import replace
from math import isnan, log, nan, sqrt

import numpy as np
import pytest

from regretless.bandits import Exp3, Exp3IX, Exp3P, Hedge, TsallisINF
from regretless.bandits.certificates import PRESUMED
from regretless.batch import average, pac_run
from regretless.certificate import joint_confidence, together
from regretless.data.arrays import ArrayStream
from regretless.environments import Bernoulli, MostDrawnLoses
from regretless.experts import RandomizedWeightedMajority
from regretless.linear import OnlineGradientDescent, Perceptron
from regretless.play import play

LOSSES = np.random.default_rng(0).random((300, 3))
ALONE = "with probability 95% for this number of rounds alone"


def certified(bandit, losses=LOSSES, **more):
    """The certificates of a run over the table, by their theorems' names."""
    bandit.play(LOSSES)
    return {one.theorem.name: one for one in bandit.certify(losses, **more)}


@pytest.mark.parametrize("losses", [LOSSES, None])
@pytest.mark.parametrize(
    ("bandit", "presuming"),
    [
        (Exp3(3, seed=1), {"exp3_pseudo_regret"}),
        (Exp3IX(3, seed=1), {"exp3_ix_expected"}),
        (TsallisINF(3, seed=1), {"tsallis", "tsallis_book"}),
        (Hedge(3, seed=1), set()),
    ],
)
def test_bounds_in_expectation_name_the_environment_that_they_assume(bandit, presuming, losses):
    """Those that would be other numbers, or none, if losses answered to the draws say that they assume they do not."""
    certificate = certified(bandit.clone(), losses)
    assert {name for name, one in certificate.items() if one.assuming} == presuming
    for name in presuming:
        assert f"assuming {PRESUMED}" in str(certificate[name])
        assert certificate[name].describe()["assuming"] == PRESUMED


def test_nothing_is_assumed_of_losses_that_were_seen_to_be_fixed():
    """An environment that is known, and a user who says that losses answer, leave nothing to take for granted."""
    assert not any(one.assuming for one in certified(Exp3IX(3, seed=1), oblivious=False).values())
    for environment in (Bernoulli([0.2, 0.4], rounds=60), MostDrawnLoses(2, rounds=60)):
        assert not any(one.assuming for one in play(Exp3IX(seed=1), environment, 60).certificates)


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        (lambda *_: sqrt(-1.0), nan),
        (lambda *_: log(0.0), nan),
        (lambda *_: 1e200**2, nan),
        (lambda *_: 1 / 0.0, nan),
        (lambda *_: np.ones(2) @ np.ones(3), ValueError),
        (lambda *_: int("x"), ValueError),
    ],
)
def test_a_fault_of_a_formula_is_not_reported_as_one_of_its_numbers(formula, value):
    """What floats cannot hold is NaN, and any other ValueError of a bound is raised."""
    broken = replace(certified(Exp3(3, seed=1))["exp3_pseudo_regret"].theorem, bound=formula)
    if value is ValueError:
        with pytest.raises(ValueError, match=r"size|invalid literal"):
            broken.value(None, None, None)
    else:
        assert isnan(broken.value(None, None, None))


@pytest.mark.parametrize("kind", [Exp3, Exp3IX])
def test_falling_rates_hold_after_one_number_of_rounds(kind):
    """At a constant rate the observable bound holds at all rounds at once, at rates that fall at this one alone."""
    falling, constant = (certified(one) for one in (kind(3, seed=1), kind(3, seed=1, horizon=300)))
    for name, one in falling.items():
        if one.confidence is not None:
            assert (one.at_once, constant[name].at_once) == (False, True)
            assert (ALONE in str(one), ALONE in str(constant[name])) == (True, False)
            assert one.describe()["at_once"] is False


def test_azuma_holds_after_one_number_of_rounds():
    """The draws of Hedge, and of a randomised majority, are near what is mixed after one number of rounds."""
    assert ALONE in str(certified(Hedge(3, seed=1, horizon=300))["hedge_sampled"])
    learner = RandomizedWeightedMajority(loss=None, horizon=300, random_state=1)
    learner.play(np.round(LOSSES))
    assert ALONE in str(next(one for one in learner.certify() if one.theorem.name == "sampled_loss"))


def test_the_luck_of_the_draws_is_against_nobody():
    """No expert enters what the draws lost beyond what the weights expected, and none is named."""
    learner = RandomizedWeightedMajority(loss=None, horizon=300, random_state=1)
    learner.play(np.round(LOSSES))
    luck = next(one for one in learner.certify() if one.theorem.name == "sampled_loss")
    assert (luck.applies, luck.comparator, luck.describe()["comparator"]) == (True, None, None)
    assert "against" not in str(luck)


def test_what_no_run_observes_is_not_observed():
    """The risk of a survivor and an excess risk have bounds and no observation, in words and in JSON."""
    X = np.random.default_rng(0).uniform(-1, 1, size=(3000, 2))
    y = np.sign(X @ [0.6, 0.8])
    clear = np.abs(X @ [0.6, 0.8]) >= 0.4
    survivor = pac_run(Perceptron(), ArrayStream(X[clear], y[clear]), epsilon=0.1, margin=0.4, radius=1.5).certificate
    learner = OnlineGradientDescent(loss="logistic", schedule="inverse-sqrt", radius=2.0)
    excess = average(learner, X, y, longest=1.5).certificates[-1]
    for one in (survivor, excess):
        assert (one.applies, one.observed, one.describe()["observed"]) == (True, None, None)
        assert "(not observed) <= " in str(one)
        assert "at least" not in str(one)


def test_lines_that_may_fail_hold_together_with_less():
    """Two events that each fail with 5 % leave 90 % for both; lines on one event, or a line alone, keep its own."""
    certificate = certified(Exp3P(3, seed=1, horizon=300))
    three = [certificate[name] for name in ("exp3_p", "exp3_p_book", "exp3_p_observable")]
    assert joint_confidence(three) == pytest.approx(0.95)
    assert joint_confidence(list(certificate.values())) == pytest.approx(0.9)
    assert joint_confidence([*certificate.values(), *certified(Exp3P(3, seed=1, delta=0.9, horizon=300)).values()]) == 0
    assert joint_confidence(three[:1]) is None
    assert together(three[:1]) is None
    assert together(list(certificate.values())).endswith(
        "all 4 such lines hold together with at least 90% (union bound)"
    )


def test_a_union_bound_is_no_tighter_than_what_happens():
    """Over 400 runs all lines with a probability held together at least as often as is said."""
    held = 0
    for run in range(400):
        bandit = Exp3IX(3, seed=1, run=run, horizon=40, delta=0.3)
        bandit.play(LOSSES[:40])
        lines = [one for one in bandit.certify(LOSSES[:40]) if one.confidence is not None]
        held += all(one.holds for one in lines)
    assert held / 400 >= joint_confidence(lines) == pytest.approx(0.4)
