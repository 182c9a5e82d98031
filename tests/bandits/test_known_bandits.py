"""Games on which the theorems of bandits must say numbers that are known by hand."""

from __future__ import annotations

from dataclasses import replace
from math import inf, log, nan, sqrt
from typing import Any

import numpy as np
import pytest

from regretless.comparator import BanditComparator
from regretless.ledger import BanditLedger
from regretless.theory import bandit_estimates as estimates
from regretless.theory import bandit_facts as bs
from regretless.theory import bandit_weights as weights
from regretless.theory import bandits
from regretless.theory.bandits import bound_at, expected_ledger

from ..known import Assumes, Change, Known, first_of_each, known, refuses, says_its_number
from .bandit_runs import facts_of

# Twenty draws of three arms; a unit of loss is worth 2.5. The second arm lost 6 of the learner's 9.
K, DOUBT = log(3), log(60)  # ln(K / delta) at delta = 0.05
NOTHING = np.zeros(3)
BOOK = BanditLedger(
    rounds=20.0, settled=20.0, loss=9.0, mixed=8.5, swing=12.0, rates=5.0, reach=55.0, first_rate=0.5, last_rate=0.25,
    last_gamma=0.125, restricted=0.0, late=0.0, lost=0.0, width=2.5, draws=NOTHING, losses=NOTHING, missed=NOTHING,
    asleep=NOTHING, estimates=np.array([11.0, 12.0, 9.0]), implicit=np.array([5.5, 6.5, 8.0]),
)  # fmt: skip
ARM = BanditComparator("arm", "2", loss=6.0, faced=9.0, rounds=20.0, place=1)
BEST = replace(ARM, name="best_arm", place=None)
EXPERT = replace(ARM, name="expert")
SEQUENCE = replace(BEST, name="best_sequence", switches=2)


def rule(name: str, schedule: str = "anytime", **more: Any) -> bs.BanditFacts:
    return facts_of(**{"arms": 3, "comparators": 3, "delta": 0.05, "width": 2.5} | more, rule=name, schedule=schedule)


def case(theorem, learner, bound, observed=7.5, changes: Change | None = None, against=ARM) -> Known:
    return Known(theorem, BOOK, against, learner, bound, observed).changed(changes or {})


TWO_LOST = {"ledger.settled": 18.0}
ASLEEP = {
    "ledger.restricted": 4.0, "ledger.asleep": np.array([0.0, 4, 0]), "ledger.missed": np.array([0.0, 2, 0]),
    "comparator.rounds": 16.0, "comparator.faced": 7.0,
}  # fmt: skip
ONE = {"learner.arms": 1}
EXP3, IX, SHARE, EXP4 = rule("exp3"), rule("exp3-ix"), rule("exp3-s", share=0.1), rule("exp4", comparators=5)
TUNED = rule("exp3-ix", "constant", rate=sqrt(2 * K / 96), horizon=32)
STAY = -log(1 - 0.1 * 2 / 3)
EXPONENTIAL = [
    case(weights.exp3_pseudo_regret, EXP3, 2.5 * (4 * K + 6)),
    case(weights.exp3_pseudo_regret, EXP3, 2.5 * (4 * K + 8), changes=TWO_LOST),
    case(weights.exp3_ix, IX, 2.5 * (4 * K + 12 + 5 * DOUBT)),
    case(weights.exp3_ix, IX, 2.5 * (4 * K + 14 + 5 * DOUBT), changes=TWO_LOST),
    case(weights.exp3_ix_book, IX, 2.5 * (4 * sqrt(60 * K) + (2 * sqrt(60 / K) + 1) * log(40))),
    case(weights.exp3_ix_book, IX, 2.5 * (4 * sqrt(60 * K) + (2 * sqrt(60 / K) + 1) * log(40) + 2), changes=TWO_LOST),
    case(weights.exp3_ix_book, TUNED, 2.5 * (2 * sqrt(192 * K) + (sqrt(192 / K) + 1) * log(40))),
    case(weights.exp3_ix_expected, IX, 2.5 * (4 * K + 12)),
    case(weights.exp3_ix_expected, IX, 2.5 * (4 * K + 14), changes=TWO_LOST),
    case(weights.exp3_ix_expected, replace(IX, oblivious=False), 2.5 * (9 * K + 12), against=BEST),
    case(weights.exp3_s, SHARE, 2.5 * (4 * (K + 2 * log(30) + 17 * STAY) + 6), against=SEQUENCE),
    case(weights.exp3_s, SHARE, 2.5 * (4 * (K + 19 * STAY) + 8), changes=TWO_LOST),
    case(weights.exp3_s, replace(SHARE, share=0.0), 2.5 * (4 * K + 6)),
    case(weights.exp3_s, SHARE, 2.5 * (4 * (K + 2 * log(30)) + 6), against=SEQUENCE,
         changes={"ledger.rounds": 2.0, "ledger.settled": 2.0, "comparator.rounds": 2.0}),
    case(weights.exp4, EXP4, 2.5 * (4 * log(5) + 6), against=EXPERT),
    case(weights.exp4, EXP4, 2.5 * (4 * log(5) + 8), changes=TWO_LOST, against=EXPERT),
    case(weights.exp4, replace(EXP4, comparators=1), 5.0, changes=TWO_LOST, against=EXPERT),
    case(estimates.observable, IX, 2.5 * (2.5 + 4 * DOUBT)),
    case(estimates.observable, IX, 2.5 * (3.5 + 4 * DOUBT), against=BEST),
    case(estimates.observable, IX, 2.5 * (4.5 + 4 * DOUBT), changes=TWO_LOST),
    case(estimates.observable, IX, 2.5 * (0.5 + 4 * DOUBT), 2.5, changes=ASLEEP),
    case(estimates.observable, EXP4, 2.5 * (2.5 + 4 * log(100)), against=EXPERT,
         changes={"ledger.missed": np.ones(3)}),
]  # fmt: skip

GAINS = rule("exp3-p", beta=0.05, rate=0.02, explore=0.2)
PRINTED = rule("exp3-p", beta=sqrt(DOUBT / 96), rate=0.95 * sqrt(K / 96), explore=1.05 * sqrt(3 * K / 32), horizon=32)
REDUCED = rule("tsallis-inf", estimator="reduced")
FEW, TEN = ({"ledger.rounds": n, "ledger.settled": n, "comparator.rounds": n} for n in (2.0, 10.0))
ROOT = sqrt(60)  # of K T
OTHERS = [
    case(estimates.exp3_p, GAINS, 2.5 * (3 + 0.263 * 20 + 20 * DOUBT + 50 * K)),  # 0.2 + 1.05 * 0.02 * 3 = 0.263
    case(estimates.exp3_p_book, PRINTED, 2.5 * 5.15 * sqrt(96 * DOUBT)),
    case(estimates.exp3_p_observable, GAINS, 2.5 * (1 + 20 * DOUBT)),
    case(estimates.exp3_p_observable, GAINS, 2.5 * (1 + 20 * DOUBT), against=BEST),
    case(estimates.exp3_p_observable, GAINS, 2.5 * (3 + 20 * DOUBT), 2.5, changes=ASLEEP),  # 12 - (16 - 7)
    case(weights.hedge_mixed, rule("hedge"), 2.5 * (4 * K + 0.625), 6.25),
    case(weights.hedge_expected, rule("hedge"), 2.5 * (4 * K + 0.625)),
    case(weights.hedge_sampled, rule("hedge"), 2.5 * (4 * K + 0.625 + sqrt(10 * log(20)))),
    case(weights.hedge_sampled, rule("hedge"), 2.5 * (4 * K + 0.625 + sqrt(10 * DOUBT)), 2.5, ASLEEP),
    case(bandits.tsallis, rule("tsallis-inf"), 2.5 * (4 * ROOT - 2 * sqrt(20) - 3)),
    case(bandits.tsallis, rule("tsallis-inf"), 2.5 * (4 * ROOT - 2 * sqrt(20) - 1), changes=TWO_LOST),
    case(bandits.tsallis, rule("tsallis-inf"), 2.5 * (2 * (sqrt(3) - 1) * sqrt(2) + 2), changes=FEW),
    case(bandits.tsallis, REDUCED, 2.5 * (2 * ROOT - sqrt(20) + 16 - 4 * sqrt(3) + 16 * log(1.25) + 1.6)),
    case(bandits.tsallis, REDUCED, 25.0, changes=TEN),
    case(bandits.tsallis_book, rule("tsallis-inf"), 2.5 * (4 * ROOT + 1)),
    case(bandits.tsallis_book, rule("tsallis-inf"), 2.5 * (4 * ROOT + 3), changes=TWO_LOST),
    case(bandits.tsallis_book, REDUCED, 2.5 * (2 * ROOT + 30 * log(20) + 16)),
]
ALONE = [replace(one.changed(ONE), bound=0.0) for one in first_of_each([*EXPONENTIAL, *OTHERS])]
CASES = [*EXPONENTIAL, *OTHERS, *ALONE]

BREAKS: dict[str, list[Change]] = {
    bs.PLAYED[0]: [{"ledger.rounds": 0.0, "ledger.settled": 0.0}],
    bs.FIXED[0]: [{"comparator.switches": 1}],
    bs.ARMS[0]: [{"comparator.name": "expert"}, {"comparator.name": "best_expert"}],
    bs.FIXED_BEFOREHAND[0]: [{"comparator.name": "best", "learner.oblivious": False}],
    bs.FIXED_IF_SLEPT[0]: [{"comparator.name": "best_arm", "ledger.restricted": 1.0}],
    bs.SAME_ROUNDS[0]: [{"comparator.rounds": 19.0}, {"ledger.asleep": np.array([0.0, 4, 0])}],
    bs.AS_SUFFERED[0]: [{"comparator.faced": 8.99}],
    bs.IN_TIME[0]: [{"ledger.late": 1.0}, {"ledger.late": 3.0}],
    bs.SETTLED[0]: [{"ledger.settled": 19.0}],
    bs.ALL_AWAKE[0]: [{"ledger.restricted": 1.0}, {"ledger.restricted": 3.0}],
    bs.CONFIDENT[0]: [{"learner.delta": None}, {"learner.delta": 0.0}, {"learner.delta": 1.0}],
    bs.FALLING[0]: [{"ledger.last_rate": 0.0}, {"ledger.last_rate": 0.51}, {"ledger.first_rate": inf}],
    bs.EXPLORES[0]: [{"ledger.last_gamma": 0.0}],
    weights.TWICE[0]: [{"ledger.last_gamma": 0.125 * (1 + 1e-8)}],
    weights.TUNED[0]: [
        {"learner.schedule": "constant", "learner.horizon": horizon, "learner.rate": rate}
        for horizon, rate in ((None, TUNED.rate), (19, TUNED.rate), (32, TUNED.rate * (1 + 1e-8)))
    ],
    weights.HELD[0]: [{"learner.arms": 2000, "learner.delta": 0.99}],
    weights.DEALT[0]: [{"learner.share": 0.0, "comparator": SEQUENCE}],
    weights.SHARES[0]: [{"learner.share": -0.001}, {"learner.share": 1.001}],
    estimates.BONUS[0]: [{"learner.beta": 0.0}, {"learner.beta": 1.001}],
    estimates.ENOUGH[0]: [{"learner.explore": 0.0629}, {"learner.explore": 0.501}, {"learner.rate": 0.0}],
    estimates.TUNED[0]: [
        {"learner.horizon": None},
        {"ledger.rounds": 33.0},
        *({f"learner.{name}": getattr(PRINTED, name) * (1 + 1e-8)} for name in ("beta", "rate", "explore")),
    ],
    bandits.EXCUSED[0]: [{"learner.estimator": "reduced", "ledger.settled": 19.0}],
}
EXPERTS = {
    bs.FIXED[0]: [{"comparator.name": "arm"}, {"comparator.switches": 1}],
    bs.FIXED_BEFOREHAND[0]: [{"comparator.name": "best_expert", "learner.oblivious": False}],
    bs.SAME_ROUNDS[0]: [{"comparator.rounds": 19.0}],
}
SEQUENCES = {bs.SAME_ROUNDS[0]: [{"comparator.rounds": 19.0}]}

EXPECTED = (bs.PLAYED, bs.FIXED, bs.FIXED_BEFOREHAND, bs.SAME_ROUNDS)
REALISED = (bs.PLAYED, bs.CONFIDENT, bs.FIXED, bs.SAME_ROUNDS, bs.AS_SUFFERED)
FALLS = (bs.FALLING, bs.IN_TIME)
GATHERED = (bs.ALL_AWAKE, bs.IN_TIME, bs.SETTLED)
SEEN = (bs.PLAYED, bs.FALLING, bs.IN_TIME, bs.SETTLED)
ASSUMES: Assumes = [
    ((weights.exp3_pseudo_regret, weights.exp4), (*FALLS, *EXPECTED)),
    ((weights.exp3_ix, weights.exp3_ix_book), (*FALLS, weights.TWICE, *REALISED)),
    ((weights.exp3_ix_book,), (weights.TUNED, weights.HELD)),
    ((weights.exp3_ix_expected,), (*FALLS, weights.TWICE, bs.PLAYED, bs.FIXED, bs.SAME_ROUNDS)),
    (
        (weights.exp3_s,),
        (*FALLS, weights.SHARES, weights.DEALT, bs.PLAYED, bs.ARMS, bs.FIXED_BEFOREHAND, bs.SAME_ROUNDS),
    ),
    ((estimates.observable,), (bs.EXPLORES, *REALISED)),
    ((estimates.exp3_p,), (estimates.BONUS, estimates.ENOUGH, *GATHERED, *REALISED)),
    ((estimates.exp3_p_book,), (estimates.TUNED, *GATHERED, *REALISED)),
    ((estimates.exp3_p_observable,), (estimates.BONUS, bs.SETTLED, *REALISED)),
    ((weights.hedge_mixed,), (*SEEN, bs.ALL_AWAKE, bs.FIXED, bs.SAME_ROUNDS)),
    ((weights.hedge_expected,), (*SEEN, bs.FIXED, bs.FIXED_IF_SLEPT, bs.SAME_ROUNDS)),
    ((weights.hedge_sampled,), (*SEEN, *REALISED)),
    ((bandits.tsallis, bandits.tsallis_book), (bandits.EXCUSED, bs.ALL_AWAKE, bs.IN_TIME, *EXPECTED)),
]

FIRST = {one.theorem.name: one for one in first_of_each(CASES)}
UNKNOWN = {"comparator.loss": nan, "comparator.faced": 0.0}
HELD: list[tuple[str, Change]] = [
    ("exp3_pseudo_regret", {"ledger.last_rate": 0.5}),
    ("exp3_pseudo_regret", {"comparator": BEST}),
    ("exp3_pseudo_regret", {"comparator": BEST, "learner.oblivious": False, "comparator.loss": nan}),
    ("exp3_pseudo_regret", {"learner.oblivious": False}),
    ("exp3_pseudo_regret", TWO_LOST | {"comparator.rounds": 18.0}),
    ("exp3_ix", {"ledger.last_gamma": 0.125 * (1 + 9e-10)}),
    ("exp3_ix", UNKNOWN),
    ("exp3_ix", {"comparator.faced": 9 * (1 + 9e-8)}),
    ("exp3_ix", {"comparator": replace(BEST, faced=1.0), "ledger.restricted": 1.0}),
    ("exp3_ix", TWO_LOST | {"comparator.faced": 1.0}),
    ("exp3_ix_book", {"learner.arms": 2000, "learner.delta": 0.9}),
    ("exp3_ix_book", {"learner": TUNED, "ledger.rounds": 32.0, "ledger.settled": 32.0, "comparator.rounds": 32.0}),
    ("exp3_ix_book", {"learner": TUNED, "learner.rate": TUNED.rate * (1 + 9e-10)}),
    ("exp3_ix_book", {"learner": TUNED, "learner.horizon": None, "learner.arms": 1}),
    ("exp3_s", {"learner.share": 1.0}),
    ("exp3_s", {"learner.share": 0.0, "comparator": BEST}),
    ("exp4", {"ledger.asleep": np.ones(3), "comparator.name": "best_expert"}),
    ("exp3_p", {"learner.explore": 0.063}),
    ("exp3_p", {"learner.explore": 0.5}),
    ("exp3_p", {"learner.beta": 1.0, "learner.explore": 0.3}),
    ("exp3_p", {"learner.rate": 0.0, "learner.arms": 1}),
    ("exp3_p_book", {"ledger.rounds": 32.0, "ledger.settled": 32.0, "comparator.rounds": 32.0}),
    ("exp3_p_book", {"learner.beta": PRINTED.beta * (1 + 9e-10)}),
    ("exp3_p_book", {"learner.horizon": None, "learner.arms": 1}),
    ("hedge_expected", ASLEEP),
    ("tsallis", {"ledger.settled": 19.0}),
]


@known(CASES)
def test_a_theorem_of_bandits_says_the_number_that_is_known(case):
    """Each theorem of bandits says the number that its formula gives by hand on twenty draws."""
    says_its_number(case)


AT_ONCE = {"exp3_ix": "constant", "exp3_ix_book": "constant", "observable": "constant", "hedge_sampled": "never"}


@known([one for one in first_of_each(CASES) if one.theorem.kind == "probable"])
def test_after_which_numbers_of_rounds_a_probable_bound_holds(case):
    """One rate for all rounds makes a bound hold at all times, a falling one at a time fixed beforehand; Exp3.P's holds
    at all times anyway, and a bound from Hoeffding's inequality at none but that."""
    assert case.theorem.compares
    for schedule in ("constant", "anytime"):
        mask = AT_ONCE.get(case.theorem.name, schedule) == schedule
        learner = replace(case.learner, schedule=schedule)
        assert (case.theorem.at_once is None or case.theorem.at_once(learner)) is mask
    certificates = case.theorem.certify(case.ledger, [case.comparator], case.learner)
    assert (certificates.confidence, certificates.at_once) == (0.95, case.theorem.name not in AT_ONCE)
    assert ("for this number of rounds alone" in str(certificates)) is not certificates.at_once


@known([one for one in first_of_each(CASES) if one.theorem.kind != "probable"])
def test_an_expected_bound_has_no_probability(case):
    """A bound in expectation, or one that is sure, tells neither a confidence nor when it holds."""
    certificates = case.theorem.certify(case.ledger, [case.comparator], case.learner)
    assert (certificates.confidence, certificates.at_once) == (None, None)


@known(first_of_each(CASES))
def test_a_theorem_of_bandits_refuses_what_it_assumes_not(case):
    """Each assumption, where it alone fails, is what the certificate says, which then has no number."""
    special = {"exp4": EXPERTS, "exp3_s": SEQUENCES}.get(case.theorem.name, {})
    refuses(case, ASSUMES, BREAKS | special)


@pytest.mark.parametrize(("name", "change"), HELD)
def test_an_assumption_of_bandits_holds_up_to_its_edge(name, change):
    """An assumption that holds exactly, or but for rounding, does not keep the theorem from its number."""
    assert FIRST[name].changed(change).obstacle is None


def test_an_arm_that_slept_is_none_that_was_fixed_beforehand():
    """Where arms slept the best one in hindsight owes something to luck, one that is named does not."""
    slept = FIRST["exp3_pseudo_regret"].changed({"ledger.restricted": 1.0})
    assert slept.obstacle is None
    assert slept.changed({"comparator": BEST}).obstacle == bs.FIXED_BEFOREHAND[0]
    assert FIRST["exp3_ix"].changed(ASLEEP | {"comparator.faced": 7.01}).obstacle == bs.AS_SUFFERED[0]
    small = {"ledger.loss": 1e-3, "comparator.faced": 2e-3}
    assert FIRST["exp3_ix"].changed(small).obstacle == bs.AS_SUFFERED[0]
    assert FIRST["exp3_ix"].changed(TWO_LOST | {"comparator.rounds": 21.0}).obstacle == bs.SAME_ROUNDS[0]


def test_rates_are_held_over_epochs():
    """Epochs begin in rounds 1 to 10, 12, 14, 16, 18 and 20; each holds 1 / sqrt of its first round."""
    assert bs.epoch_starts(21) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20]
    total, last = bs.held_rates(3.0, 13)
    assert total == pytest.approx(3 * (sum(k**-0.5 for k in range(1, 10)) + 2 / sqrt(10) + 2 / sqrt(12)), rel=1e-12)
    assert last == 3 / sqrt(12)
    awake = np.array([0.0, 3, 5, 8])
    assert bs.held_rates(1.0, 3, awake)[0] == pytest.approx(3 + 2 / sqrt(2) + 3 / sqrt(3), rel=1e-12)


def test_the_parameters_of_exp3_p_are_no_more_than_they_may_be():
    """With as many arms as rounds the bonus is 1 and the exploration 1/2 at most."""
    assert estimates.tuned_parameters(3, 1, 0.05)[0::2] == (1.0, 0.5)
    assert estimates.tuned_parameters(3, 32, 0.05) == pytest.approx(
        (PRINTED.beta, PRINTED.rate, PRINTED.explore), rel=1e-12
    )


def fixed(name: str, **more: Any) -> bs.BanditFacts:
    return rule(name, "constant", rate=0.02, gamma=0.01, **more)


def test_what_is_promised_before_the_first_draw():
    """Before a run of twenty rounds each theorem says what it would say of all arms awake and all losses in time."""
    (promised,) = bound_at(fixed("exp3"), 20).values()
    assert promised == pytest.approx(2.5 * (50 * K + 0.6))
    (promised,) = bound_at(fixed("exp3"), 20, reached=np.arange(21) * 2.0).values()
    assert promised == pytest.approx(2.5 * (50 * K + 0.4))
    for switches, information in ((0, K + 19 * STAY), (2, K + 2 * log(30) + 17 * STAY)):
        (promised,) = bound_at(fixed("exp3-s", share=0.1), 20, switches).values()
        assert promised == pytest.approx(2.5 * (50 * information + 0.6))
    (promised,) = bound_at(fixed("exp3-s", share=0.1), 20).values()
    assert promised == pytest.approx(2.5 * (50 * (K + 19 * STAY) + 0.6))
    for experts, reach in ((5, 3), (2, 2)):
        (promised,) = bound_at(fixed("exp4", comparators=experts), 20).values()
        assert promised == pytest.approx(2.5 * (50 * log(experts) + reach * 0.2))
    assert set(bound_at(rule("exp4", comparators=1), 20).values()) == {0.0}
    ix = bound_at(fixed("exp3-ix"), 20)
    assert sorted(ix.values()) == pytest.approx([2.5 * (50 * K + 1.2), 2.5 * (50 * K + 1.2 + 51 * DOUBT)])
    printed = bound_at(rule("tsallis-inf"), 20)
    assert sorted(printed.values()) == pytest.approx([2.5 * (4 * ROOT - 2 * sqrt(20) - 3), 2.5 * (4 * ROOT + 1)])


def test_what_is_promised_of_rates_that_fall():
    """Rates that are held over epochs enter with their sum and their last value, times the arms that can be drawn."""
    total, last = bs.held_rates(1.0, 20)
    (promised,) = bound_at(rule("exp3"), 20).values()
    scale = sqrt(K / 3)
    assert promised == pytest.approx(2.5 * (K / (scale * last) + 1.5 * scale * total))
    weights_of_awake = bs.held_rates(scale, 20, np.arange(21) * 2.0)[0]
    (promised,) = bound_at(rule("exp3"), 20, reached=np.arange(21) * 2.0).values()
    assert promised == pytest.approx(2.5 * (K / (scale * last) + weights_of_awake / 2))
    scale = 2 * sqrt(K)
    mixed = 2.5 * (K / (scale * last) + scale * total / 8)
    luck = 2.5 * sqrt(10 * log(20))
    assert sorted(bound_at(rule("hedge"), 20).values()) == pytest.approx([mixed, mixed, mixed + luck])
    assert list(bound_at(rule("hedge"), 20, slept=True).values()) == pytest.approx([mixed + 2.5 * sqrt(10 * DOUBT)])


@pytest.mark.parametrize(("estimator", "scale"), [("importance", 2.0), ("reduced", 4.0)])
def test_the_rates_that_tsallis_inf_is_expected_to_have(estimator, scale):
    """They are the scale over sqrt(t), in every round: the first is the scale, the last that over sqrt(T)."""
    book = expected_ledger(rule("tsallis-inf", estimator=estimator), 20)
    assert book.rates == pytest.approx(scale * sum(1 / sqrt(t) for t in range(1, 21)))
    assert (book.first_rate, book.last_rate) == (scale, pytest.approx(scale / sqrt(20)))
    assert (book.reach, book.swing, book.settled) == (60, pytest.approx(3 * book.rates), 20)
