"""Certificates of many runs of a bandit, and of regrets that nobody saw."""

from __future__ import annotations

from dataclasses import replace
from math import log, nan

import numpy as np
import pytest

from regretless.bandits.certificates import BanditCertificate, certificates
from regretless.comparator import BanditComparator
from regretless.ledger import BanditLedger
from regretless.report import summary
from regretless.theory.bandit_estimates import EXP3_P, observable
from regretless.theory.bandit_weights import (
    EXP3_IX,
    HEDGE,
    exp3_ix,
    exp3_ix_expected,
    exp3_pseudo_regret,
    hedge_mixed,
)
from regretless.theory.bandits import expected_ledger

from .bandit_runs import (
    BY_RULE,
    a_run,
    a_setting,
    facts_of,
    play,
)


def test_a_regret_that_nobody_saw_is_bounded_all_the_same():
    """Without the losses of the other arms the line says that the regret was not observed, and holds."""
    runs = a_run("exp3-ix")
    book = runs.ledger(0)
    unseen = BanditComparator("best_arm", "the best arm", nan, book.loss, book.rounds)
    for one in certificates(EXP3_IX, runs.facts, [book], [[unseen]]):
        assert one.applies
        assert one.holds
        assert not one.violated
        assert one.observed is None
        assert one.bound > 0
        assert "regret (not observed) <=" in str(one)
        assert "against the best arm" in str(one)
        record = one.describe()
        assert record["observed"] is None
        assert record["applies"] is True
        assert record["comparator"]["regret"] is None
        assert "runs" not in record
    assert exp3_ix.slack(book, unseen, runs.facts) == float("inf")


def test_of_bounds_on_unseen_regrets_the_median_is_shown():
    """Of five runs whose regret nobody saw the one with the middle bound stands for all, and none is said to exceed."""
    facts = facts_of(2, 2, "exp3-ix", rate=0.1, gamma=0.05, delta=0.1)
    books = [book_with(50.0 + more) for more in (4.0, 0.0, 1.0, 3.0, 2.0)]
    unseen = [[BanditComparator("best_arm", "the best arm", nan, book.loss, book.rounds)] for book in books]
    (one,) = certificates([observable], facts, books, unseen)
    assert one.bound == pytest.approx(52.0 + log(2 / 0.1) / 0.1)
    assert one.observed is None
    assert one.holds
    assert one.runs["exceeded"] is None
    assert "exceeded" not in str(one)


def book_with(loss, rounds=100.0, **changes):
    book = expected_ledger(facts_of(2, 2, "exp3-ix", rate=0.1, gamma=0.05, delta=0.1), int(rounds))
    return replace(book, loss=loss, **changes)


def alike(regrets, delta=0.1, theorem=exp3_ix):
    """One certificate for runs with these regrets and one bound."""
    facts = facts_of(2, 2, "exp3-ix", rate=0.1, gamma=0.05, delta=delta)
    books = [book_with(50.0 + regret) for regret in regrets]
    own = [[BanditComparator("best_arm", "arm 0", 50.0, book.loss, 100.0, 0)] for book in books]
    (one,) = certificates([theorem], facts, books, own)
    return one


def test_a_probable_bound_holds_if_and_only_if_few_enough_runs_exceed_it():
    """Of 20 runs with delta = 0.1 two may exceed their bound; with three the certificate says so."""
    bound = alike([0.0] * 20).bound
    for exceeding in range(5):
        one = alike([2 * bound] * exceeding + [1.0] * (20 - exceeding))
        assert one.runs["exceeded"] == exceeding
        assert one.runs["of"] == 20
        assert one.holds == (exceeding <= 2)
        assert one.confidence == pytest.approx(0.9)
        assert f"({exceeding} of 20 runs exceeded it)" in str(one)
        assert one.describe()["runs"]["bound"] == pytest.approx(dict.fromkeys(("q05", "q50", "q95"), bound))
    assert alike([0.0, 1.0, 2.0, 3.0]).observed == 3.0  # the tightest of four runs: none of them may exceed
    assert alike(range(10)).observed == 8.0  # one of ten may, so the second tightest is shown


def test_the_bound_of_an_expectation_is_read_on_the_mean():
    """Of an expected bound both sides are means over the runs, and the comparator's losses too."""
    one = alike([1.0, 2.0, 6.0], theorem=exp3_ix_expected)
    assert one.observed == pytest.approx(3.0)
    assert one.confidence is None
    assert one.comparator.regret == pytest.approx(3.0)
    assert "runs exceeded" not in str(one)
    assert one.bound == pytest.approx(log(2) / 0.1 + 0.1 * 2 * 100)


def test_one_run_or_a_few_cannot_exceed_a_bound_in_expectation():
    """Of fewer than ten runs the line tells what they lost and what is expected of it, and never EXCEEDS."""
    bound = log(2) / 0.1 + 0.1 * 2 * 100 / 2
    for many, called in ((1, "regret of this run 80,"), (9, "mean regret of 9 runs 80 ± 0,")):
        one = alike([80.0] * many, theorem=exp3_pseudo_regret)
        assert one.bound == pytest.approx(bound)
        assert one.holds
        assert one.quantity in called
        assert f"{called} expected to be <= 16.9315, against arm 0" in str(one)
        assert one.describe()["quantity"] == one.quantity
        assert "pseudo-regret" not in str(one)
        assert "EXCEEDS" not in str(one)
    assert alike([80.0], theorem=exp3_pseudo_regret).standard_error is None
    assert "standard_error" not in alike([80.0], theorem=exp3_pseudo_regret).describe()
    alone = alike([80.0] * 10, theorem=exp3_pseudo_regret)
    assert not alone.holds
    assert "pseudo-regret 80 ± 0 EXCEEDS 16.9315" in str(alone)


def test_a_mean_exceeds_a_bound_in_expectation_by_three_standard_errors_or_not_at_all():
    """The standard error stands beside the mean, and luck of three of them does not break a bound."""
    bound = log(2) / 0.1 + 0.1 * 2 * 100 / 2
    error = 5 * np.sqrt(100 / 99) / 10  # of a hundred runs, half of them 5 above and half 5 below the mean
    for above, holds in ((-1.0, True), (2.9 * error, True), (3.1 * error, False)):
        one = alike([bound + above + 5, bound + above - 5] * 50, theorem=exp3_pseudo_regret)
        assert one.standard_error == pytest.approx(error)
        assert one.describe()["standard_error"] == one.standard_error
        assert one.holds == holds
        assert not one.violated
        assert " ± 0.5 " in str(one)
        assert ("EXCEEDS" in str(one)) != holds
        assert ("above 16.9315 by less than 3 standard errors," in str(one)) == (holds and above > 0)


def test_a_page_shows_a_run_above_a_bound_in_expectation_as_it_is():
    """Its row has both numbers and more than 100% used, and does not call the bound exceeded."""
    row = summary.row(alike([80.0], theorem=exp3_pseudo_regret), "")
    assert (row.quantity, row.observed, row.bound, row.over) == ("regret of this run", "80", "16.93", False)
    assert row.share.startswith("47")
    assert summary.row(alike([80.0] * 10, theorem=exp3_pseudo_regret), "").over


def test_no_run_that_was_picked_has_a_guarantee_of_its_own():
    """Of many runs the line says that a probable bound holds for each with its probability, of one as it is."""
    assert "EXCEEDS" not in str(alike([1.0] * 20))
    assert ", of each run with probability 90%" in str(alike([1.0] * 20))
    assert ", with probability 90%" in str(alike([1.0]))
    assert "of each run" not in str(alike([1.0]))


def test_bounds_above_all_that_can_be_lost_say_so():
    """A bound of no less than the range times the rounds is no better than that, and says so in its line."""
    small, large = alike([1.0] * 20, delta=0.9), alike([1.0] * 20, delta=1e-3)
    assert small.bound < 100 <= large.bound
    assert not small.vacuous
    assert large.vacuous
    assert [one.describe()["vacuous"] for one in (small, large)] == [False, True]
    assert [summary.row(one, "").empty for one in (small, large)] == [False, True]
    assert "no better than" not in str(small)
    assert "no better than the number of rounds, of each run with" in str(large)
    facts = facts_of(2, 2, "exp3-ix", rate=0.1, gamma=0.05, delta=0.9, width=10.0)
    own = BanditComparator("best_arm", "arm 0", 50.0, 50.0, 100.0, 0)
    (wide,) = certificates([exp3_ix], facts, [book_with(50.0, width=10.0)], [[own]])
    assert 100 < wide.bound < 1000
    assert not wide.vacuous
    (worse,) = certificates([exp3_ix], replace(facts, delta=1e-3), [book_with(50.0, width=10.0)], [[own]])
    assert "no better than the range times the number of rounds, with probability" in str(worse)


def test_a_sure_bound_is_read_on_the_tightest_run():
    """A single run of a hundred that breaks a sure bound is shown, and the certificate is violated."""
    facts = facts_of(2, 2, "hedge", rate=0.1, gamma=0.05, delta=0.5)
    books = [book_with(50.0, mixed=50.0 + (90.0 if r == 7 else 0.0)) for r in range(100)]
    own = [[BanditComparator("best_arm", "arm 0", 50.0, 50.0, 100.0, 0)]] * 100
    one = certificates([hedge_mixed], facts, books, own)[0]
    assert one.violated
    assert one.observed == 90.0
    assert one.runs["exceeded"] == 1


def test_numbers_are_shown_in_the_users_own_scale():
    """With losses from 2 to 12 a regret of 3 units is 30, and 50 units in 100 rounds are a loss of 700."""
    facts = facts_of(2, 2, "exp3", rate=0.1, gamma=0.05, delta=0.1, width=10.0, low=2.0)
    book = book_with(53.0, width=10.0)
    (one,) = certificates(
        [exp3_pseudo_regret], facts, [book], [[BanditComparator("best_arm", "arm 0", 50.0, 53.0, 100.0, 0)]]
    )
    assert one.observed == pytest.approx(30.0)
    assert one.bound == pytest.approx(10 * (log(2) / 0.1 + 0.1 * 2 * 100 / 2))
    assert one.comparator.loss == pytest.approx(700.0)
    assert one.comparator.regret == pytest.approx(30.0)
    assert one.describe()["comparator"]["loss"] == pytest.approx(700.0)


def test_the_comparator_of_least_slack_is_shown():
    """Of two arms in every run, the one with more regret is the one that the bound is read against."""
    runs = play(a_setting("exp3-ix", 3, 30), np.tile([0.0, 0.5, 1.0], (30, 1)), 5)
    books = [runs.ledger(r) for r in range(5)]
    each = [[runs.arm(r, 2), runs.arm(r, 0)] for r in range(5)]
    (one,) = certificates([exp3_ix_expected], runs.facts, books, each)
    assert one.comparator.place == 0
    sequences = [[runs.sequence(r, np.arange(30) % 3), *each[r]] for r in range(5)]
    assert certificates([exp3_ix], runs.facts, books, sequences)[0].applies
    (one,) = certificates([exp3_ix], runs.facts, books, [[own[0]] for own in sequences])
    assert not one.applies
    assert "one arm for all rounds" in str(one)
    assert certificates([exp3_ix], runs.facts, books, [[]] * 5)[0].why == "there is no comparator to read it against"


def test_best_arms_that_differ_between_runs_are_not_called_by_one_name():
    """If the best arm is another one in each run, the mean is against the best of each run."""
    facts = facts_of(2, 2, "exp3", rate=0.1, gamma=0.05)
    books = [book_with(50.0), book_with(50.0)]
    own = [[BanditComparator("best_arm", f"arm {place}", 45.0, 50.0, 100.0, place)] for place in range(2)]
    (one,) = certificates([exp3_pseudo_regret], facts, books, own)
    assert one.comparator.place is None
    assert "against the best of each run" in str(one)


def test_ledgers_add_up():
    """The sum of two books has their sums, the first rate of the first and the last rate of the second."""
    first, second = book_with(3.0, late=1.0), replace(book_with(4.0, rounds=50), first_rate=0.08, last_rate=0.05)
    both = first + second
    assert isinstance(both, BanditLedger)
    assert (both.loss, both.rounds, both.late) == (7.0, 150.0, 1.0)
    assert (both.first_rate, both.last_rate) == (0.1, 0.05)
    assert both.unsettled == 0
    np.testing.assert_array_equal(both.implicit, first.implicit + second.implicit)


def test_every_theorem_has_a_statement():
    """Each theorem has a statement, a formula and a source, and its name stands once among those of its learner."""
    for theorems in BY_RULE.values():
        assert len({one.title for one in theorems}) == len(theorems)
        for one in theorems:
            assert one.statement.endswith(".")
            assert one.formula
            assert one.source
    assert isinstance(alike([0.0, 1.0]), BanditCertificate)
    assert {one.name for one in (*EXP3_P, *HEDGE)} >= {"exp3_p_observable", "hedge_sampled", "observable"}
