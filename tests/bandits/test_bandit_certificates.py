"""Certificates of the compiled bandits: what is promised, what the books give, and how often it fails."""

from __future__ import annotations

from dataclasses import replace
from inspect import signature
from math import log
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from regretless.bandits import simulate
from regretless.bandits.certificates import NO_SAY, PRESUMED, certificates
from regretless.catalogue import BANDITS, bandit_class
from regretless.environments import Bernoulli, MostDrawnLoses
from regretless.theory.bandits import AFTERWARDS, bound_at, expected_ledger

ROUNDS, ARMS = 400, 3
GENERATOR = np.random.default_rng(5)
COINS = (GENERATOR.random((ROUNDS, ARMS)) < [0.3, 0.5, 0.6]) * 1.0
TRAP = np.ones((ROUNDS, ARMS))
TRAP[: ROUNDS // 2, 0], TRAP[ROUNDS // 2 :, 1] = 0, 0
ADVICE = np.concatenate(
    [GENERATOR.dirichlet(np.ones(ARMS), (ROUNDS, 3)), np.tile(np.eye(ARMS)[1], (ROUNDS, 1, 1))], axis=1
)
# Settings that are tried besides the plain ones, which every bandit is tried with.
MORE: dict[str, list[dict[str, Any]]] = {
    "exp3-ix": [{"horizon": ROUNDS}, {"rate": 0.05}],
    "exp3": [{"horizon": ROUNDS}, {"rate": 0.05}],
    "exp3-p": [{"rate": 0.01, "beta": 0.05, "explore": 0.2}],
    "tsallis-inf": [{"estimator": "reduced"}],
    "exp3-s": [{"rate": 0.05, "share": 0.01}],
    "exp4": [{"horizon": ROUNDS}],
    "hedge": [{"horizon": ROUNDS}],
}
TUNED = {"horizon": ROUNDS, "switches": 1}
PLAIN = {
    name: {key: TUNED[key] for key in signature(bandit_class(name)).parameters if key in TUNED}
    if entry.info.needs_horizon
    else {}
    for name, entry in BANDITS.items()
}
EACH = [(name, settings) for name in BANDITS for settings in (PLAIN[name], *MORE.get(name, []))]


def made(name, settings, **more):
    return bandit_class(name)(ARMS, seed=11, **(settings | more))


def advice_of(name):
    return ADVICE if name == "exp4" else None


def applying(lines):
    """The certificates that apply; a bound for tuned parameters need not if these are others, nor one for a prior if
    means were set."""
    assert all(one.applies or "tuned" in one.why or "set beforehand" in one.why for one in lines)
    return [one for one in lines if one.applies]


def test_the_facts_of_every_bandit_name_the_theorems_that_it_is_certified_by():
    """Every bandit is certified by the theorems of its facts, in their order, and settings are those of a bandit."""
    assert set(MORE) <= set(BANDITS)
    for name in BANDITS:
        bandit = made(name, PLAIN[name])
        bandit.play(COINS, advice=advice_of(name))
        lines = bandit.certify(COINS, advice=advice_of(name))
        assert [one.theorem for one in lines] == list(bandit.facts().theorems)


@pytest.mark.parametrize(("name", "settings"), EACH)
def test_the_compiled_books_are_those_that_are_promised(name, settings):
    """The rates and their sums are what the theory expects, so that each prior bound is the promised one."""
    bandit = made(name, settings)
    bandit.play(COINS, advice=advice_of(name))
    book, expected = bandit.ledger_, expected_ledger(bandit.facts(), ROUNDS)
    assert book.rates == pytest.approx(expected.rates, rel=1e-12)
    assert (book.first_rate, book.last_rate) == pytest.approx((expected.first_rate, expected.last_rate), rel=1e-12)
    for one in applying(bandit.certify(COINS, advice=advice_of(name))):
        if name != "exp4" and one.theorem not in AFTERWARDS:
            promised = bound_at(bandit.facts(), ROUNDS, one.comparator.switches or 0)
            assert one.bound == pytest.approx(promised[one.theorem.title], rel=1e-12)
    if name == "exp4":
        reach = ADVICE.max(1).sum(1)
        assert book.reach == pytest.approx(reach.sum(), rel=1e-12)
        assert book.swing <= expected.swing


@pytest.mark.parametrize(("name", "settings"), EACH)
def test_no_more_runs_exceed_a_bound_than_may(name, settings):
    """Of 120 compiled runs in each of two games no more exceed a bound than delta = 0.3 allows, and no mean does."""
    for table in (COINS, TRAP):
        pulls = simulate(made(name, settings, delta=0.3), table, runs=120, advice=advice_of(name))
        for one in applying(pulls.certificates()):
            assert one.holds
            if one.theorem.kind == "probable":
                assert binom.sf(one.runs["exceeded"] - 1, one.runs["of"], 0.3) > 1e-6


@pytest.mark.parametrize("name", [name for name in BANDITS if name != "exp4"])
def test_an_adversary_who_answers_breaks_no_bound_that_applies(name):
    """Against one who watches the draws the bounds hold, most in expectation against an arm fixed beforehand."""
    pulls = simulate(made(name, PLAIN[name], delta=0.3), MostDrawnLoses(ARMS), rounds=ROUNDS, runs=60)
    lines = pulls.certificates()
    assert any(one.applies for one in lines if one.theorem.kind == "probable")
    for one in lines:
        assert one.holds or (one.theorem.presumes and not one.applies), str(one)
        fixed = not one.applies or one.comparator.name == "arm"
        assert one.theorem.kind != "expected" or name in ("exp3-ix", "hedge") or fixed


@pytest.mark.parametrize(("name", "settings"), [(name, settings) for name, settings in EACH if name != "exp4"])
def test_chance_breaks_no_bound(name, settings):
    """Against losses by chance, for which means stand, every bound that applies holds."""
    pulls = simulate(made(name, settings), Bernoulli([0.2, 0.5, 0.5], seed=3), rounds=ROUNDS, runs=50)
    assert all(one.holds for one in applying(pulls.certificates()))


NEEDED = {
    "exp3": {"exp3_pseudo_regret": 0.5, "observable": 0.4},
    "exp3-ix": {"exp3_ix": 0.3, "exp3_ix_book": 0.25, "exp3_ix_expected": 0.5, "observable": 0.5},
    "exp3-p": {"exp3_p": 0.33, "exp3_p_book": 0.25, "exp3_p_observable": 0.5, "observable": 0.5},
    "exp3-s": {"exp3_s": 0.4, "observable": 0.4},
    "tsallis-inf": {"tsallis": 0.4, "tsallis_book": 0.3, "observable": 0.25},
    "hedge": {"hedge_mixed": 0.5, "hedge_expected": 0.5, "hedge_sampled": 0.3},
}


@pytest.mark.parametrize("name", NEEDED)
def test_much_smaller_bounds_would_be_broken(name):
    """A bound times the factor that stands here is exceeded by fifty arms of which a perfect one comes late."""
    rounds, arms = 2000, 50
    table = np.tile(np.where(np.arange(arms) == 0, 0.5, 1.0), (rounds, 1))
    table[rounds // 4 :, 2] = 0
    settings = {"exp3-s": {"horizon": rounds, "switches": 1}, "tsallis-inf": {}}.get(name, {"horizon": rounds})
    pulls = simulate(bandit_class(name)(arms, seed=5, delta=0.1, **settings), table, runs=40)
    lines = {one.theorem.name: one for one in pulls.certificates()}
    for theorem, factor in NEEDED[name].items():
        assert factor * lines[theorem].bound < lines[theorem].observed <= lines[theorem].bound


def test_losses_late_lost_and_asleep_are_certified_as_they_should_be():
    """With draws that wait, draws that are withdrawn and arms asleep, only what allows for them applies."""
    table = np.tile([0.0, 0.5, 1.0], (60, 1))
    late = made("exp3-ix", {})
    waiting = [(t, late.draw()) for t in range(60)]
    for t, arm in reversed(waiting[5:]):
        late.update(arm, table[t, arm])
    lines = {one.theorem.name: one for one in late.certify(table)}
    assert [name for name, one in lines.items() if one.applies] == ["observable"]
    book = late.ledger_
    doubt = log(ARMS / 0.05) / (2 * book.last_gamma)
    assert book.unsettled == 5
    assert lines["observable"].bound == pytest.approx(book.loss + 5 - book.implicit.min() + doubt)

    lost = made("exp3", {"horizon": 60})
    for t in range(60):
        arm = lost.draw()
        if t % 10:
            lost.update(arm, table[t, arm])
        else:
            lost.withdraw(arm)
    prior, _ = lost.certify()
    assert prior.applies
    assert prior.observed is None
    assert prior.bound == pytest.approx(bound_at(lost.facts(), 60)[prior.theorem.title] + 6)

    sleepy = made("exp3-ix", {})
    for t in range(60):
        arm = sleepy.draw(available=[0, 1, 2] if t % 2 else [1, 2])
        sleepy.update(arm, table[t, arm])
    table[::2, 0] = np.nan
    assert all(one.applies and one.holds for one in sleepy.certify(table) if one.theorem.name != "exp3_ix_book")
    assert sleepy.ledger_.swing < bound_at(sleepy.facts(), 60)["Regret of Exp3-IX"]


@pytest.mark.parametrize("name", ["exp3", "exp3-ix", "exp3-s", "tsallis-inf"])
def test_bounds_in_expectation_assume_that_draws_have_no_say_in_which_losses_come(name):
    """Where losses are taken to be fixed beforehand, so is which of them come, also if all came: where a draw decides,
    the expected number of those that do not is another one than was seen. Of losses that are known to be fixed it is
    said where some did not come."""
    for hidden in (False, True):
        learner = bandit_class(name)(2, seed=1, **({"rate": 0.05, "share": 0.01} if name == "exp3-s" else {}))
        for t in range(20):
            draw = learner.draw()
            if hidden and t > 5:
                learner.expire(1)
            else:
                learner.update(draw, float(draw))
        expected = [one for one in learner.certify() if one.theorem.kind == "expected" and one.applies]
        assert {one.assuming for one in expected} == {PRESUMED}
        known = replace(learner.facts(), presumed=False)
        for one in expected:
            (again,) = certificates([one.theorem], known, [learner.ledger_], [[one.read[1]]])
            assert again.assuming == (NO_SAY if hidden else None)


def test_many_runs_with_sleeping_arms_are_read_against_one_arm_for_all():
    """Where an arm sleeps, the mean over the runs is against an arm that is the same in all of them, and is bounded."""
    table = COINS.copy()
    table[::3, 0] = np.nan
    for name in ("exp3", "exp3-ix", "hedge"):
        pulls = simulate(made(name, {}), table, runs=50)
        lines = {one.theorem.kind: one for one in pulls.certificates() if one.applies}
        assert lines["expected"].holds
        assert name == "exp3-ix" or lines["expected"].comparator.name == "arm"
        assert lines["probable"].comparator.name == "best_arm"


@pytest.mark.parametrize("rewards", [False, True])
def test_certificates_speak_the_users_units(rewards):
    """With numbers from -2 to 8 bounds and regrets are ten times those of the same losses from 0 to 1."""
    unit, wide = made("exp3-ix", {}), made("exp3-ix", {}, value_range=(-2.0, 8.0), rewards=rewards)
    table = 8 - 10 * COINS if rewards else 10 * COINS - 2
    unit.play(COINS)
    wide.play(table)
    for small, large in zip(unit.certify(COINS), wide.certify(table), strict=True):
        assert large.bound == pytest.approx(10 * small.bound)
        assert large.observed == pytest.approx(10 * small.observed)
        assert large.comparator.regret == pytest.approx(large.observed)
        best = table[:, large.comparator.place].sum()
        assert large.comparator.loss == pytest.approx(8 * ROUNDS - best if rewards else best)
