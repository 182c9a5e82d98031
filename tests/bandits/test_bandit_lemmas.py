"""The inequalities that the theorems about bandits rest on: along every run, and over every single draw."""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from regretless.theory.bandit_weights import sequence_information

from .bandit_runs import binary_tables, every_path, play, setting, softmax

SEEDS = st.integers(0, 2**32 - 1)


@st.composite
def games(draw, sleeping=True, most=5):
    """Losses of some rounds and arms; binary, uniform, one-sided or with a trap; some arms asleep."""
    rng = np.random.default_rng(draw(SEEDS))
    rounds, arms = draw(st.integers(1, 25)), draw(st.integers(2, most))
    kind = draw(st.sampled_from(["binary", "uniform", "one-sided", "trap"]))
    table = rng.random((rounds, arms))
    if kind == "binary":
        table = np.round(table)
    if kind == "one-sided":
        table = np.tile((np.arange(arms) > 0) * 1.0, (rounds, 1))
    if kind == "trap":
        table = np.ones((rounds, arms))
        table[rounds // 2 :, 0] = 0
    if sleeping and draw(st.booleans()):
        away = rng.random((rounds, arms)) < 0.4
        away[away.all(1), rng.integers(arms)] = False
        table[away] = np.nan
    return table, rng


RATES = st.sampled_from([None, 0.02, 0.3, 2.0, 20.0])


@given(games(), RATES, st.booleans())
def test_no_run_breaks_the_lemma_of_exponential_weights(game, rate, anytime):
    """Exp3's mixed estimates exceed those of every arm by at most ln K / eta + half the sum of eta <p, l^2>."""
    table, rng = game
    rounds, arms = table.shape
    made = setting("exp3", arms, rounds, rate=rate, anytime=anytime and rate is None)
    runs = play(made, table, 20, int(rng.integers(2**32)))
    bound = log(arms) / made.rates[-1] + (made.rates / 2 * runs.own**2 / runs.p).sum(1)
    assert ((-runs.estimates).max(1) <= bound * (1 + 1e-9) + 1e-9).all()


def test_a_half_is_the_best_constant_of_exponential_weights():
    """For a small charge of an improbable arm <q, c> - m comes within a hundredth of eta <q, c^2> / 2."""
    q, c = 1e-3, 0.01
    mix = -log(q * exp(-c) + 1 - q)
    assert 0.495 * q * c**2 < q * c - mix <= 0.5 * q * c**2


@given(games(), RATES, st.booleans())
def test_no_run_breaks_the_lemma_of_implicit_exploration(game, rate, anytime):
    """What Exp3-IX lost exceeds each arm's estimate by at most ln K / eta + the sum of eta times all estimates."""
    table, rng = game
    rounds, arms = table.shape
    made = setting("exp3-ix", arms, rounds, rate=rate, anytime=anytime and rate is None)
    runs = play(made, table, 20, int(rng.integers(2**32)))
    bound = log(arms) / made.rates[-1] + (made.rates * runs.own / (runs.p + made.gammas)).sum(1)
    faced = runs.own @ (~np.isnan(table)).astype(float)
    assert (faced - runs.implicit <= bound[:, None] * (1 + 1e-9) + 1e-9).all()


SHARES = st.sampled_from([0.0, 0.05, 0.7, 1.0])


@given(games(sleeping=False), st.sampled_from([0.01, 0.2, 3.0]), SHARES, st.sampled_from([0.0, 0.3, 0.8]))
def test_no_sequence_breaks_the_lemma_of_shared_weights(game, rate, share, often):
    """What EXP3.S lost exceeds the estimates along any sequence by its improbability / eta + half of eta <p, l^2>.

    Losses that get lost, depending on the arm or not, change nothing about that.
    """
    table, rng = game
    rounds, arms = table.shape
    made = setting("exp3-s", arms, rounds, rate=rate, share=share)
    runs = play(made, table, 20, int(rng.integers(2**32)), lost=rng.random(table.shape) < often)
    own = runs.own * runs.settled
    estimates = own / runs.p
    stability = (rate / 2 * own**2 / runs.p).sum(1)
    for _ in range(5):
        path = rng.integers(arms, size=rounds) if rng.random() < 0.5 else np.sort(rng.integers(arms, size=rounds))
        path = path if share > 0 else np.full(rounds, path[0])  # no other sequence has a probability
        along = (estimates * (runs.draws == path)).sum(1)
        switches = int((np.diff(path) != 0).sum())
        bound = sequence_information(rounds, switches, made.facts) / rate + stability
        assert (own.sum(1) - along <= bound * (1 + 1e-9) + 1e-9).all()


@given(games(sleeping=False), RATES, st.booleans(), st.integers(1, 6))
def test_no_run_breaks_the_lemma_of_advice(game, rate, whole, experts):
    """What Exp4 lost exceeds each expert's estimate by at most ln N / eta + sum of eta <q, y^2> / 2."""
    table, rng = game
    rounds, arms = table.shape
    shape = (rounds, experts)
    advice = np.eye(arms)[rng.integers(arms, size=shape)] if whole else rng.dirichlet(np.ones(arms), shape)
    made = setting("exp4", arms, rounds, rate=rate or 0.5, advice=advice)
    runs = play(made, table, 20, int(rng.integers(2**32)))
    sums, bound = np.zeros_like(runs.estimates), np.full(20, log(experts) / made.rates[-1])
    for t in range(rounds):
        q = softmax(-made.rates[t] * sums)
        given_to = advice[t, :, runs.draws[:, t]]
        y = given_to * (runs.own[:, t] / runs.p[:, t])[:, None]
        bound += made.rates[t] / 2 * (q * y**2).sum(1)
        sums += y
    assert (runs.own.sum(1)[:, None] - runs.estimates <= bound[:, None] * (1 + 1e-9) + 1e-9).all()


@given(games(sleeping=False), st.sampled_from([0.01, 0.2, 1.0]), st.floats(0.0, 0.5), st.floats(0.1, 1.0))
def test_no_run_breaks_the_lemma_of_explicit_exploration(game, beta, explore, part):
    """What Exp3.P gained is at least (1 - explore - (1 + beta) eta K) max G - beta K T - ln K / eta, if it explores."""
    table, rng = game
    rounds, arms = table.shape
    rate = part * explore / ((1 + beta) * arms)
    assume(rate > 1e-9)
    made = setting("exp3-p", arms, rounds, rate=rate, beta=beta, explore=explore)
    runs = play(made, table, 20, int(rng.integers(2**32)))
    archive = 1 - explore - (1 + beta) * rate * arms
    floor = archive * runs.estimates.max(1) - beta * arms * rounds - log(arms) / rate
    gained = rounds - runs.own.sum(1)
    assert (gained >= floor - 1e-9 * (1 + np.abs(floor))).all()


@given(games(sleeping=False, most=12))
def test_no_run_breaks_the_lemma_of_the_tsallis_entropy(game):
    """What Tsallis-INF lost exceeds each estimate by at most 4 (sqrt K - 1) / eta_T and what the rounds shook it."""
    table, rng = game
    rounds, arms = table.shape
    made = setting("tsallis-inf", arms, rounds)
    runs = play(made, table, 20, int(rng.integers(2**32)))
    shaken = sum(stability(runs.p[:, t], runs.own[:, t] / runs.p[:, t], made.rates[t]) for t in range(rounds))
    bound = 4 * (sqrt(arms) - 1) / made.rates[-1] + shaken
    assert (runs.own.sum(1)[:, None] - runs.estimates <= bound[:, None] * (1 + 1e-9) + 1e-7).all()


def stability(p, charge, eta):
    """The most that (p - w) charge - D(w, p) can be, over w >= 0, for the Tsallis entropy."""
    a = eta * np.sqrt(p) * charge / 2
    return 2 * np.sqrt(p) / eta * a**2 / (1 + a)


@given(st.floats(0.001, 1), st.floats(-0.9, 50), st.floats(0.01, 4))
def test_what_a_round_shakes_is_the_largest_difference(p, a, eta):
    """No weight w has (p - w) c - D(w, p) above (2 sqrt p / eta) a^2 / (1 + a), and p / (1 + a)^2 has just that."""
    charge = 2 * a / (eta * sqrt(p))
    most = stability(p, charge, eta)
    w = np.append(np.linspace(0, 4, 401) * p, p / (1 + a) ** 2)
    differences = (p - w) * charge - 2 / (eta * sqrt(p)) * (np.sqrt(w) - sqrt(p)) ** 2
    assert differences.max() <= most * (1 + 1e-9) + 1e-9
    assert differences[-1] == pytest.approx(most, rel=1e-6, abs=1e-9)


def shaken_by_importance(p, losses, eta):
    """The mean over the draw of what a round shakes, by importance weights."""
    return float((p * stability(p, losses / p, eta)).sum())


def shaken_by_reduced(p, losses, eta):
    """The same with a guess of 1/2 for probable arms, all charges less 1/2."""
    guess = np.where(p >= eta**2, 0.5, 0.0)
    if eta >= 1:
        return shaken_by_importance(p, losses, eta)
    others = stability(p, guess - 0.5, eta)
    drawn = stability(p, guess - 0.5 + (losses - guess) / p, eta)
    return float((p * drawn + (1 - p) * others).sum())


@given(SEEDS, st.integers(2, 30), st.sampled_from([0.3, 1.0, 5.0]), st.floats(0.001, 4))
def test_no_round_shakes_tsallis_inf_more_than_stated(seed, arms, concentration, eta):
    """Over any p and losses the mean is at most eta sqrt(K) / 2, and by guesses eta sqrt(K) / 8 + K eta^2 / 3 + ..."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(arms, concentration)) * (1 - 1e-6) + 1e-6 / arms
    losses = rng.random(arms) if seed % 2 else np.round(rng.random(arms))
    assert shaken_by_importance(p, losses, eta) <= min(1.0, eta * sqrt(arms) / 2) + 1e-12
    if eta < 1:
        assert shaken_by_reduced(p, losses, eta) <= eta * sqrt(arms) / 8 + arms * (eta**2 / 3 + eta**4 / 6) + 1e-12


def test_the_rounds_of_tsallis_inf_attain_their_constants():
    """Equal probabilities and a small rate come within a hundredth of eta sqrt(K) / 2, and of eta sqrt(K) / 8."""
    p, losses, eta = np.full(4, 0.25), np.ones(4), 0.01
    assert shaken_by_importance(p, losses, eta) > 0.99 * eta * sqrt(4) / 2
    assert shaken_by_reduced(p, losses, eta) > 0.99 * eta * sqrt(4) / 8


@given(SEEDS, st.integers(2, 30), st.floats(0.001, 4))
def test_improbable_arms_cost_what_is_stated(seed, arms, eta):
    """An arm with p < eta^2 < 1 adds at most eta^2 / 3 + eta^4 / 6 to what a round shakes."""
    assume(eta < 1)
    p = np.random.default_rng(seed).random() * eta**2 * 0.999
    for loss in (0.0, 0.5, 1.0):
        drawn, others = stability(p, loss / p - 0.5, eta), stability(p, -0.5, eta)
        assert p * drawn + (1 - p) * others <= eta**2 / 3 + eta**4 / 6 + 1e-15


# What estimates exceed the losses by.


def excess(p, weight, gamma, loss=1.0):
    """The mean of exp(weight (estimate - loss)) over the draw of an arm."""
    return (p * exp(weight * loss / (p + gamma)) + 1 - p) * exp(-weight * loss)


@given(st.floats(1e-6, 1), st.floats(1e-4, 2), st.floats(0, 1))
def test_estimates_with_implicit_exploration_make_a_supermartingale(p, gamma, loss):
    """exp(2 gamma (estimate - loss)) has a mean of at most 1, whatever the probability and the loss."""
    assert excess(p, 2 * gamma, gamma, loss) <= 1 + 1e-12


def test_a_larger_weight_makes_none():
    """With 2.1 gamma in the place of 2 gamma the mean exceeds 1: the constant of the certificates is the best."""
    assert excess(1e-3, 2.1e-4, 1e-4) > 1 + 1e-9
    assert excess(1e-2, 2.1e-5, 1e-5) > 1


@given(SEEDS, st.integers(2, 8), st.integers(1, 5), st.floats(1e-3, 2))
def test_estimates_of_experts_make_one_too(seed, arms, experts, gamma):
    """The same holds for the estimated losses of experts who give distributions over the arms."""
    rng = np.random.default_rng(seed)
    p, losses = rng.dirichlet(np.full(arms, 0.3)) * 0.999 + 0.001 / arms, rng.random(arms)
    for advice in rng.dirichlet(np.full(arms, 0.3), experts):
        grown = (p * np.exp(2 * gamma * advice * losses / (p + gamma))).sum()
        assert grown <= exp(2 * gamma * advice @ losses) * (1 + 1e-12)


@given(SEEDS, st.integers(2, 8), st.floats(1e-3, 3), st.floats(1, 10))
def test_the_weights_of_exp3_ix_make_one(seed, arms, last, larger):
    """s (lhat_j + eta_t sum lhat_i) with s = eta_T / (1 + eta_T) grows no faster than by s (l_j + eta_t sum l_i)."""
    rng = np.random.default_rng(seed)
    eta, scale = last * larger, last / (1 + last)
    p, losses = rng.dirichlet(np.full(arms, 0.3)) * 0.999 + 0.001 / arms, rng.random(arms)
    weights = scale * (eta + (np.arange(arms) == 0))
    grown = (p * np.exp(weights * losses / (p + eta / 2))).sum()
    assert grown <= exp(weights @ losses) * (1 + 1e-12)


@given(st.floats(1e-4, 1), st.floats(0, 1), st.floats(0, 1))
def test_bonuses_make_a_supermartingale(p, gain, beta):
    """exp(beta (gain - estimated gain)) has a mean of at most 1 for every beta up to 1."""
    drawn, other = (exp(beta * (gain - (gain * hit + beta) / p)) for hit in (1, 0))
    assert p * drawn + (1 - p) * other <= 1 + 1e-12


def test_larger_bonuses_need_not():
    """With a quarter of the bonus the mean exceeds 1."""
    p, gain, beta = 0.05, 1.0, 0.005
    drawn, other = (exp(beta * (gain - (gain * hit + beta / 4) / p)) for hit in (1, 0))
    assert p * drawn + (1 - p) * other > 1


@pytest.mark.parametrize("rule", ["exp3", "exp3-s", "tsallis-inf"])
def test_estimates_are_right_on_average(rule):
    """Over all draws of three rounds the estimates average to the losses, for every table of zeros and ones."""
    tables = binary_tables(2, 3)
    runs, chances = every_path(setting(rule, 2, 3, share=0.2), tables)
    each = (np.eye(2)[runs.draws] * (runs.own / runs.p)[:, :, None]).sum(1).reshape(len(tables), -1, 2)
    np.testing.assert_allclose((each * chances[:, :, None]).sum(1), tables.sum(1), atol=1e-9)
