"""What the theorems about bandits assume: each assumption fails somewhere, and says so."""

from __future__ import annotations

from dataclasses import replace
from math import log, nan

import numpy as np
import pytest

from regretless.comparator import BanditComparator
from regretless.theory.bandit_estimates import exp3_p, exp3_p_book, exp3_p_observable, observable
from regretless.theory.bandit_weights import (
    EXP3,
    EXP3_IX,
    exp3_ix,
    exp3_ix_book,
    exp3_ix_expected,
    exp3_pseudo_regret,
    exp3_s,
    exp4,
    hedge_expected,
    hedge_mixed,
    hedge_sampled,
)
from regretless.theory.bandits import AFTERWARDS, tsallis, tsallis_book

from .bandit_runs import (
    BY_RULE,
    a_run,
    judged,
    one_arm,
    play,
)


@pytest.mark.parametrize("rule", ["exp3", "exp3-ix", "exp3-p", "tsallis-inf", "exp3-s", "hedge"])
def test_a_single_arm_is_never_regretted(rule):
    """With one arm every bound that applies is 0, and so is the regret."""
    runs = play(one_arm(rule, 10), np.random.default_rng(0).random((10, 1)), 2)
    certificates = judged(runs)
    for one in certificates.values():
        assert not one.applies or (one.bound == 0 and one.holds)
    assert certificates["observable"].applies


def why(theorem, runs, comparator=None, *, facts=None, **changes):
    """Why a theorem does not apply to the run with changes."""
    book = replace(runs.ledger(0), **changes)
    own = comparator or (runs.arm(0) if runs.setting.advice is None else runs.expert(0))
    return str(theorem.obstacle(book, own, replace(runs.facts, **(facts or {}))))


EACH = [pytest.param(name, one, id=f"{name}/{one.name}") for name, theorems in BY_RULE.items() for one in theorems]
EACH = [
    each for each in EACH if not BY_RULE[each.values[0]][0].presumes
]  # the others: test_known_stochastic_bandits.py


@pytest.mark.parametrize(("name", "one"), EACH)
def test_every_theorem_refuses_what_it_assumes_away(name, one):
    """Nothing drawn, other rounds, another kind of comparator, no delta, other losses: each has its words."""
    runs = a_run(name)
    own = runs.arm(0) if runs.setting.advice is None else runs.expert(0)
    assert why(one, runs) == "None"
    assert "drawn yet" in why(one, runs, rounds=0.0, settled=0.0)
    assert "very rounds" in why(one, runs, replace(own, rounds=299.0))
    other = BanditComparator("best_arm" if name == "exp4" else "best_expert", "", 1.0, own.faced, 300.0, 0)
    assert "it is about" in why(one, runs, other)
    if one.kind == "probable":
        assert "none was asked for" in why(one, runs, facts={"delta": None})
        assert "as they were suffered" in why(one, runs, replace(own, faced=own.faced + 1))
    if one.name != "exp3_s":
        assert "one arm for all rounds" in why(one, runs, replace(own, switches=2))
    if one is hedge_expected:
        assert why(one, runs, facts={"oblivious": False}) == "None"
        assert "fixed beforehand" in why(one, runs, restricted=1.0)
        assert why(one, runs, replace(own, name="arm"), restricted=1.0) == "None"
    elif one.kind == "expected" and one is not exp3_ix_expected:
        assert "fixed beforehand" in why(one, runs, facts={"oblivious": False})
        slept = why(one, runs, restricted=1.0)
        assert slept == "None" if name == "exp4" else "fixed beforehand" in slept or one in (tsallis, tsallis_book)
        assert why(one, runs, replace(own, name=own.name[5:]), facts={"oblivious": False}) == "None"
        assert why(one, runs, replace(own, loss=nan), facts={"oblivious": False}) == "None"
    if one not in AFTERWARDS:
        assert "came late" in why(one, runs, late=1.0)
    else:
        assert why(one, runs, late=1.0) == "None"


def test_rates_must_not_grow():
    """A rate that grew, or is none, is refused by every theorem on falling rates."""
    for name, one in (("exp3", exp3_pseudo_regret), ("exp3-ix", exp3_ix), ("exp4", exp4), ("hedge", hedge_mixed)):
        runs = a_run(name)
        assert "never grow" in why(one, runs, last_rate=2 * runs.ledger(0).first_rate)
        assert "never grow" in why(one, runs, last_rate=0.0)


def test_each_other_assumption_has_its_words():
    """Sleep, lost losses, other parameters and other estimates are refused where a theorem does not allow for them."""
    ix, p, inf, hedge, s = (a_run(name) for name in ("exp3-ix", "exp3-p", "tsallis-inf reduced", "hedge", "exp3-s"))
    assert "twice the implicit" in why(exp3_ix, ix, last_gamma=0.9)
    assert "tuned" in why(exp3_ix_book, ix, facts={"horizon": 299})
    assert "tuned" in why(exp3_ix_book, ix, facts={"horizon": None})
    assert "tuned" in why(exp3_ix_book, ix, facts={"rate": 0.5})
    many = {"schedule": "anytime", "arms": 10**7, "delta": 0.9}
    assert "K^(1/10)" in why(exp3_ix_book, ix, facts=many)
    assert "above zero" in why(observable, ix, last_gamma=0.0)
    assert "some could not" in why(exp3_p, p, restricted=1.0)
    assert "becomes known" in why(exp3_p, p, settled=299.0)
    assert "becomes known" in why(exp3_p_observable, p, settled=299.0)
    assert "bonus" in why(exp3_p, p, facts={"beta": 1.5})
    assert "bonus" in why(exp3_p_observable, p, facts={"beta": 0.0})
    assert "explore" in why(exp3_p, p, facts={"explore": 0.01})
    assert "explore" in why(exp3_p, p, facts={"explore": 0.6})
    assert "tuned" in why(exp3_p_book, p, facts={"delta": 0.01})
    assert "tuned" in why(exp3_p_book, p, facts={"horizon": 10})
    assert "never came" in why(tsallis, inf, settled=299.0)
    assert why(tsallis, a_run("tsallis-inf"), settled=299.0) == "None"
    assert "some could not" in why(tsallis, inf, restricted=1.0)
    assert "some could not" in why(hedge_mixed, hedge, restricted=1.0)
    assert "becomes known" in why(hedge_sampled, hedge, settled=299.0)
    assert "share" in why(exp3_s, s, facts={"share": 1.5})


def test_losses_that_answer_to_the_draws_cost_exp3_ix_a_logarithm_more():
    """Where losses answer to the draws, the best arm in hindsight adds (1 + 1 / eta) ln K in expectation."""
    runs = a_run("exp3-ix")
    book, facts = runs.ledger(0), runs.facts
    plain = exp3_ix_expected.value(book, runs.arm(0), facts)
    hindsight = exp3_ix_expected.value(book, runs.arm(0), replace(facts, oblivious=False))
    beforehand = exp3_ix_expected.value(book, runs.arm(0, 1), replace(facts, oblivious=False))
    assert plain == beforehand
    assert hindsight - plain == pytest.approx((1 + 1 / book.last_rate) * log(3))


def test_draws_without_a_loss_count_as_lost():
    """Each unsettled draw adds 1, in the user's scale its width, to every bound that allows for it."""
    for name, theorems in (("exp3", EXP3), ("exp3-ix", EXP3_IX)):
        runs = a_run(name)
        book, own = runs.ledger(0), runs.arm(0)
        for one in theorems:
            more = one.value(replace(book, settled=298.0), own, replace(runs.facts, width=5.0))
            assert more == pytest.approx(5 * (one.value(book, own, runs.facts) + 2))


def test_the_observable_bound_of_one_arm_reads_its_own_estimate():
    """Against an arm that is asked for the bound reads that arm's estimate; for the best arm it is the largest."""
    runs = a_run("exp3-ix")
    book = runs.ledger(0)
    doubt = log(3 / 0.05) / (2 * book.last_gamma)
    each = [observable.value(book, runs.arm(0, place), runs.facts) for place in range(3)]
    np.testing.assert_allclose(each, book.loss - book.implicit + doubt)
    assert observable.value(book, runs.arm(0), runs.facts) == max(each)
