"""The theorems of bandits that draw by features: known numbers, a hunt for violations, wrong formulas."""

from __future__ import annotations

from dataclasses import replace
from math import exp, inf, log, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.contextual import EpsilonGreedy, FastCB, LinThompson, LinUCB, SquareCB
from regretless.errors import ParameterError
from regretless.ledger import ContextualLedger
from regretless.textbook import contextual as book
from regretless.theory import contextual as theory

from ..known import Assumes, Known, first_of_each, known, refuses, says_its_number

# The settings of the rule of the textbook that each draws by as it comes, which its runs are compared with.
RULES: dict[str, dict[str, Any]] = {
    "epsilon-greedy": {"epsilon": 0.05},
    "square-cb": {"scale": None, "schedule": "root"},
    "fast-cb": {"scale": 10.0},
    "lin-ucb": {"width": 0.03, "delta": 0.05, "norm": 1.0, "prior": 0.01},
    "lin-thompson": {"width": 0.03, "delta": 0.05, "norm": 1.0, "prior": 0.01},
}
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
    reach=3.5,
    most=2,
    taught=0,
    width=2,
    draws=np.array([6.0, 4.0]),
    losses=np.array([3.0, 2.0]),
    missed=np.array([1.0, 0.0]),
    asleep=np.array([2.0, 0.0]),
    estimates=np.array([[3.0, 4.5]]),
    advised=np.array([[2.0, 5.5]]),
)
FACTS = theory.ContextualFacts(arms=2, delta=2 / exp(2), width=2.0, implicit=(0.5,), least=1.25, penalty=0.25)
# M = 2 - 1.25 + 0.25 + 1 = 2. With delta = 5 / e^8 the five are (2 eta + 8) / (1 - exp(-eta + eta^2 / 2)), and the
# first is the least.
SURE = replace(FACTS, delta=5 / exp(8))
CASES = [
    # 5 + 1 - 1 - 3 + 2 = 4 of the first arm, 5 + 1 - 4.5 + 2 = 3.5 of the second one.
    Known(theory.observable_by_features, BOOK, None, FACTS, 8.0),
    Known(theory.observable_by_features, BOOK, None, replace(FACTS, arms=1), 0.0),
    # 5 + 1 - 2 + 2 = 6 of the first policy.
    Known(theory.observable_by_policies, BOOK, None, FACTS, 12.0),
    Known(theory.realised_square_cb, BOOK, None, SURE, 2 * (1.5 + 3 * 10 / (1 - exp(-0.5)))),
    # M = 2 - 1.25 + ln(1 + e^8), with a doubt of 4 (2 - ln 2).
    Known(
        theory.realised_fast_cb,
        BOOK,
        None,
        FACTS,
        2 * (1.5 + 3 * (2 * (0.75 + 8.000335406372897) + 4 * (2 - log(2)))),
    ),
    Known(theory.realised_fast_cb, replace(BOOK, lost=0, settled=10, error=0), None, replace(FACTS, least=9.0), 3.0),
    Known(theory.realised_ellipsoids, replace(BOOK, lost=0), None, replace(FACTS, size=2.0), 7.0),
]
PLAYED, LEAST, DECLARED, IN_ORDER, NAMED = (
    ("no arm has been drawn yet", None),
    ("it needs the least penalised loss, which regressions with a full matrix alone know", None),
    ("it assumes that sizes of features were declared (size=), and that none was larger", None),
    ("it assumes that each loss is known before the next decision, and some came late, never, or from a log", None),
    ("no policy was named (policies=)", None),
)
OWN = ("it assumes that no decision of another policy was learned", None)
ASSUMES: Assumes = [
    ([*theory.OF_SQUARE_CB, theory.realised_ellipsoids, theory.realised_fast_cb], [PLAYED]),
    ([theory.observable_by_policies], [NAMED]),
    ([theory.realised_square_cb, theory.realised_fast_cb], [LEAST]),
    ([theory.realised_fast_cb], [OWN]),
    ([theory.realised_ellipsoids], [DECLARED, IN_ORDER]),
]
BREAKS = {
    NAMED[0]: [{"ledger.advised": np.zeros((1, 0))}],
    OWN[0]: [{"ledger.taught": 1}],
    PLAYED[0]: [{"ledger.rounds": 0}],
    LEAST[0]: [{"learner.least": nan}],
    DECLARED[0]: [{"ledger.most": 2.5}, {"learner.size": inf}],
    IN_ORDER[0]: [
        {"ledger.late": 1},
        {"ledger.lost": 1},
        {"ledger.taught": 1},
        {"ledger.settled": 8},
        {"learner.overtaken": 1},
    ],
}


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


SHARES = st.lists(st.floats(1e-3, 0.999), min_size=2, max_size=6).map(np.array)


@given(SHARES, st.floats(2, 1000), st.lists(st.floats(0, 1), min_size=6, max_size=6), st.integers(0, 5))
def test_no_mean_losses_cost_more_than_the_price_of_triangles(f, gamma, means, best):
    """For any f* >= 0, sum p (f* - min f*) is at most the price plus gamma sum p (f - f*)^2 / (f + f*); at the f* of
    the proof it is that price, and the price is what the compiled rule adds up."""
    p, best, means = book.fast_cb(f, gamma), best % len(f), np.array(means[: len(f)])
    r = (1 - p[best]) / p[best]
    at = f * (2 * np.sqrt(gamma / (gamma - 1)) - 1)
    at[best] = f[best] * max(0.0, 2 * np.sqrt(gamma / (gamma + r)) - 1)
    others = (p @ f - p[best] * f[best]) * (4 * gamma - 1 - 4 * np.sqrt(gamma * (gamma - 1)))
    own = 4 * gamma + r - 4 * np.sqrt(gamma * (gamma + r)) if r <= 3 * gamma else -gamma
    price, rounding = book.price_of_triangles(f, p, gamma), 1e-9 * (1 + gamma)
    for mean, least in ((at, best), (means, int(means.argmin()))):
        regret = p @ mean - mean[least] - gamma * p @ ((f - mean) ** 2 / (f + mean))
        assert regret <= price + rounding
        assert mean is means or regret == pytest.approx(others + p[best] * f[best] * own, rel=1e-6, abs=rounding)
    bandit = FastCB(len(f), seed=0, scale=gamma)
    core = bandit.core
    core.act(f)
    assert bandit.ledger_.price == pytest.approx(price, rel=1e-6, abs=rounding)
    assert price <= (2 + 1 / gamma) * len(f) * f.min() / gamma + rounding


def test_the_constant_of_triangles_cannot_be_halved():
    """With gamma / 2 in the place of gamma before the triangles the price would not do: the misprint is noticed."""
    f = np.array([0.01, 1.0])
    p = book.fast_cb(f, 1000.0)
    mean = np.array([0.01, 0.0])
    regret = p @ mean - 0.0
    triangles = p @ ((f - mean) ** 2 / (f + mean))
    price = book.price_of_triangles(f, p, 1000.0)
    assert regret <= price + 1000 * triangles
    assert regret > price + 500 * triangles


@given(st.floats(1e-3, 0.999), st.floats(1e-6, 1 - 1e-6), st.floats(0.01, 1))
def test_an_excess_of_log_losses_is_not_small_by_luck(forecast, mean, part):
    """E exp(-m / 2) is at most exp(-triangle / 4) for losses of two values with that mean; with half the triangle it is
    not, even for coins."""
    losses = mean + part * np.array([-mean, 1 - mean])  # the second with probability `mean`
    m = -losses * log(forecast / mean) - (1 - losses) * log((1 - forecast) / (1 - mean))
    assert np.exp(-m / 2) @ [1 - mean, mean] <= exp(-((forecast - mean) ** 2) / (forecast + mean) / 4) + 1e-12
    assert exp(-0.01 / 0.5 / 2) < (0.2 * 0.3) ** 0.5 + (0.8 * 0.7) ** 0.5


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


def test_triangles_exceed_the_excess_of_log_losses_as_rarely_as_it_says():
    """Of 500 runs V exceeds 2 M + 4 ln(1 / delta) at some time in a share delta at most; without the doubt in most."""
    random, delta = np.random.default_rng(8), 0.2
    mean, forecast = random.uniform(0.02, 0.4, (500, 60, 2)), random.uniform(0.02, 0.4, (500, 60, 2))
    p = random.dirichlet([1, 1], (500, 60))
    arm = (random.random((500, 60, 1)) > p[..., :1]).astype(int)
    truth, predictions = np.take_along_axis(mean, arm, 2)[..., 0], np.take_along_axis(forecast, arm, 2)[..., 0]
    loss = random.random((500, 60)) < truth
    m = np.where(loss, np.log(truth / predictions), np.log((1 - truth) / (1 - predictions)))
    ahead = ((p * (forecast - mean) ** 2 / (forecast + mean)).sum(2) - 2 * m).cumsum(1).max(1)
    assert (ahead > 4 * log(1 / delta)).mean() <= delta
    assert (ahead > 0).mean() > 0.5


def test_mean_regret_is_below_the_bound_of_fast_cb():
    """Of 10 runs with log odds that are linear the mean regret never exceeds the realised bound at delta 1 / 2, and no
    such mean losses have a smaller log loss than the bound takes for the least."""
    random = np.random.default_rng(4)
    for seed in range(10):
        X = random.uniform(-1, 1, (60, 2))
        weights = np.vstack([np.full(3, -1.0), random.uniform(-1, 1, (2, 3))])
        bandit, regret, least = FastCB(3, seed=seed, delta=0.5, scale=0.5, norm=3**0.5), 0.0, 0.0
        for x, mean in zip(X, 1 / (1 + np.exp(-np.hstack([np.ones((60, 1)), X]) @ weights)), strict=True):
            regret += float(bandit.probabilities(x) @ (mean - mean.min()))
            ticket = bandit.act(x)
            loss = float(random.random() < mean[ticket.action])
            bandit.learn(ticket, loss)
            least -= log(mean[ticket.action] if loss else 1 - mean[ticket.action])
        assert bandit.facts().least <= least
        assert regret <= bandit.certify()[1].bound


def test_the_least_log_loss_is_that_of_a_gradient_at_the_first_round():
    """After one loss of 1 at a feature of 3, slopes are -1/2, all scores 0: ln 2 - norm / 2 times the root of 2."""
    bandit = FastCB(1, seed=0, norm=0.5)
    bandit.learn(bandit.act([3.0]), 1.0)
    assert bandit.facts().least == pytest.approx(log(2) - 0.5 * 0.5 * 2**0.5)
    assert bandit.ledger_.error == pytest.approx(log(2))


def test_the_doubt_counts_every_estimate():
    """The union bound is over G K estimates: with K alone the number would be smaller."""
    two = replace(FACTS, implicit=(0.5, 0.25))
    double = replace(BOOK, estimates=np.array([[3.0, 4.5], [0.0, 0.0]]))
    assert theory.observable_by_features.value(double, None, two) == pytest.approx(8 + 2 * log(2))


@pytest.mark.parametrize("kind", [LinUCB, LinThompson])
def test_the_reach_is_that_of_the_ellipsoids_of_the_paper(kind):
    """The summed reach is that of intervals from inverted matrices, whatever draws; mean losses lie in all of them."""
    random = np.random.default_rng(3)
    X = random.uniform(-1, 1, (40, 2))
    weights = np.vstack([np.full(2, 0.5), random.uniform(-0.2, 0.2, (2, 2))])  # two arms; the first row is the middle
    bandit, reach = kind(2, seed=1, size=1.0, norm=0.5), 0.0
    prior = np.full(3, 0.01)
    A, b = np.array([np.diag(prior)] * 2), np.zeros((2, 3))
    for x in X:
        row, mean = np.append(1.0, x), np.append(1.0, x) @ weights
        shares = bandit.probabilities(x)
        plain = np.array([0.5 + np.linalg.solve(A[a], b[a]) @ row for a in range(2)])
        wide = np.array([book.ellipsoid(row, A[a], prior, 0.05, 2, 0.1 * 0.5) for a in range(2)])
        assert (np.abs(plain - mean) <= wide).all()
        reach += float(shares @ np.minimum(1, plain + wide) - max(0.0, (plain - wide).min()))
        ticket = bandit.act(x)
        loss = float(random.random() < mean[ticket.action])
        bandit.learn(ticket, loss)
        A[ticket.action] += np.outer(row, row)
        b[ticket.action] += (loss - 0.5) * row
    assert bandit.ledger_.reach == pytest.approx(reach, rel=1e-6)
    (certificate,) = [one for one in bandit.certify() if one.theorem is theory.realised_ellipsoids]
    assert certificate.applies
    assert certificate.bound == bandit.ledger_.reach


def test_without_a_declared_size_ellipsoids_say_nothing():
    """A feature above the size that was declared, or none declared, and the theorem does not apply."""
    for more, row in (({}, [0.5]), ({"size": 1.0}, [1.5])):
        bandit = LinUCB(2, seed=0, **more)
        bandit.learn(bandit.act(row), 1.0)
        assert not bandit.certify()[1].applies


def test_the_schedule_of_the_theorem_makes_its_bound_smaller():
    """On coins with linear means the realised bound of SquareCB is less with gamma as the theorem wants it."""
    random = np.random.default_rng(4)
    X = random.uniform(-1, 1, (400, 2))
    losses = (random.random((400, 3)) < 0.5 + X @ random.uniform(-0.2, 0.2, (2, 3))).astype(float)
    bounds = []
    for schedule in ("root", "theorem"):
        bandit = SquareCB(3, seed=0, schedule=schedule)
        bandit.play(X, losses)
        bounds.append(bandit.certify()[1].bound)
    assert bounds[1] < 0.2 * bounds[0]


def test_the_regret_against_policies_exceeds_its_bound_as_often_as_it_says():
    """Of 100 runs the regret against the best of two named policies exceeds the observable bound in a share delta."""
    random, failures = np.random.default_rng(6), 0
    for seed in range(100):
        X = random.uniform(-1, 1, (60, 1))
        losses = (random.random((60, 2)) < np.hstack([0.5 + X / 2, 0.5 - X / 2])).astype(float)
        advice = np.hstack([(X > 0).astype(int), random.integers(0, 2, (60, 1))])
        bandit = EpsilonGreedy(2, seed=seed, epsilon=0.5, delta=0.2, policies=["by sign", "coins"])
        regret = bandit.play(X, losses, advice=advice).total - losses[np.arange(60)[:, None], advice].sum(0).min()
        (certificate,) = [one for one in bandit.certify() if one.theorem is theory.observable_by_policies]
        failures += regret > certificate.bound
    assert failures <= 20


def test_a_loss_that_is_overtaken_by_other_decisions_is_not_known_in_time():
    """While the loss of the last decision alone is waited for, ellipsoids say their number, and no more once another
    decision was made before it came, though that one is settled."""
    bandit = LinUCB(2, size=1.0, seed=0)
    bandit.learn(bandit.act([1.0]), 0.5)
    bandit.act([1.0])
    assert {one.theorem.name: one for one in bandit.certify()}["realised_ellipsoids"].applies
    assert all("with probability 95% at any time" in str(one) for one in bandit.certify() if one.applies)
    bandit.learn(bandit.act([1.0]), 0.5)
    assert {one.theorem.name: one for one in bandit.certify()}["realised_ellipsoids"].why == IN_ORDER[0]


@pytest.mark.parametrize(
    ("kind", "name"), [(SquareCB, "scale"), (FastCB, "scale"), (LinUCB, "width"), (LinThompson, "width")]
)
def test_a_scale_beyond_floats_is_refused(kind, name):
    """With the largest scale that is taken all probabilities are numbers that add up to 1; beyond it is an error, where
    it was probabilities that are none."""
    bandit = kind(3, **{name: 1e200}, seed=0)
    for _ in range(5):
        bandit.learn(bandit.act([1.0]), 0.5)
    assert bandit.probabilities([1.0]).sum() == pytest.approx(1)
    assert all(np.isfinite(one.bound) for one in bandit.certify() if one.applies)
    with pytest.raises(ParameterError, match="it must be 1e-200 at least"):
        kind(3, **{name: 1e308})
