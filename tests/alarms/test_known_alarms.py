"""Alarms at numbers known by hand, and what is false of them."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest

from regretless.alarms import EDetector, VilleAlarm
from regretless.errors import ParameterError
from regretless.textbook import alarms
from regretless.theory import confidence
from regretless.theory.alarms import (
    BETS,
    PLAYED,
    AlarmLedger,
    DetectorFacts,
    VilleFacts,
    false_alarms,
    fixed_start,
)
from regretless.theory.confidence import NOT_ALL, BettingLedger, Confidence, constant_mean
from regretless.verify.formulas import FORMULAS

from ..known import Assumes, Breaks, Known, first_of_each, known, refuses, says_its_number

MEANS = np.array([0.25, 0.5, 0.75])
# ln (2 / 0.25) = 2.079: more than 1/4 and less than 3/4 is not refused, and the average is 0.4.
BETS_MADE = BettingLedger(10, 4, MEANS, np.array([2.1, 2.0, -3.0]), np.array([-3.0, 2.0, 2.1]), 0.0, 1.0, 2.0)
CASES = [
    Known(false_alarms, AlarmLedger(500, 3), None, DetectorFacts(1000.0), 0.5, 3),
    Known(fixed_start, AlarmLedger(500, 0, -1.25), None, VilleFacts(exp(-3)), 3.0, -1.25),
    Known(constant_mean, BETS_MADE, None, Confidence(0.25), 0.7),
]
ASSUMES: Assumes = [
    ((false_alarms, fixed_start), (PLAYED,)),
    ((constant_mean,), (confidence.PLAYED, NOT_ALL)),
]
BREAKS: Breaks = {PLAYED[0]: [{"ledger.rounds": 0}], NOT_ALL[0]: [{"ledger.low": 0.5, "ledger.high": 0.5}]}


@known(CASES)
def test_a_theorem_says_its_number(case: Known) -> None:
    """500 rounds at one alarm in 1,000 are half an alarm; three nats of evidence are allowed at exp(-3); of a range of
    width 2, between means of 1/4 and 3/4, none is farther than 0.7 from the average."""
    says_its_number(case)


@known(first_of_each(CASES))
def test_an_assumption_that_fails_is_named(case: Known) -> None:
    """Without rounds there is no number, nor of a mean where all means are refused."""
    refuses(case, ASSUMES, BREAKS)


def test_the_ends_of_an_earlier_grid_count() -> None:
    """What was refused before the grid was laid anew stays refused."""
    narrow = CASES[2].changed({"ledger.low": 0.35, "ledger.high": 0.6})
    assert narrow.theorem.bound(narrow.ledger, None, narrow.learner) == pytest.approx(2 * 0.2)


def test_the_second_formulas_agree() -> None:
    """`verify` computes the same bounds from the numbers of a report."""
    for case in CASES:
        constants = case.theorem.certify(case.ledger, [None], case.learner).constants
        assert constants is not None
        again = FORMULAS[case.theorem.name](*(constants[of] for of in ("ledger", "comparator", "learner")))
        assert again == pytest.approx(case.bound, rel=1e-12)
        assert FORMULAS[case.theorem.name].kind == case.theorem.kind


@pytest.mark.parametrize("reference", [0.01, 0.1, 0.5, 0.9])
def test_a_bet_gains_nothing_on_losses_as_expected(reference: float) -> None:
    """The factor of each bet has a mean of 1 for losses of 0 and 1 with the reference as mean, less below it, and is
    never negative."""
    for bet in BETS:
        lost, won = 1 - bet, 1 - bet + bet / reference
        for mean in (0.0, reference / 2, reference):
            assert (1 - mean) * lost + mean * won <= 1 + 1e-12
        assert lost > 0


def test_the_bets_are_the_textbook_s() -> None:
    """Both bet a half, a quarter and so on, to a 256th; and without evidence a fixed start has a logarithm of 0."""
    assert list(BETS) == alarms.BETS
    assert BETS[-1] == 1 / 256
    assert AlarmLedger(1, 0).log_evidence == 0


def test_a_bet_on_the_distance_alone_would_be_false() -> None:
    """With p in place of the largest distance 1 - p in x - p over max(p, 1 - p), a capital may be negative: a stake of
    1 / (1 - p) on x - p is too much where p is above a half, and that of 1 / p is not."""
    p, bet = 0.9, 0.5
    assert 1 + bet / (1 - p) * (0 - p) < 0 < 1 + bet / p * (0 - p)


def test_a_detector_that_adds_two_a_round_raises_too_many_alarms() -> None:
    """On the sequence that always loses as much as the reference, M grows by 1 a round and the alarm is at N exactly:
    one that began at 2 a round, or asked for N / 2, would be raised at half of that."""
    mean_rounds = 40
    for step, expected in ((1.0, 40), (2.0, 20)):
        grown, t = np.zeros(len(BETS)), 0
        while grown.mean() < mean_rounds:
            grown, t = (grown + step) * [1 - bet + bet * 1.0 for bet in BETS], t + 1
        assert t == expected
    assert false_alarms.bound(AlarmLedger(80, 2), None, DetectorFacts(mean_rounds)) == 2


def test_a_reference_too_near_the_end_of_the_range_is_refused():
    """A level whose reciprocal is no float would raise false alarms; evidence beyond floats is infinite."""
    with pytest.raises(ParameterError, match="1e-100 of the range"):
        EDetector(0.1, value_range=(0, 1e308), mean_rounds=100)
    alarm = VilleAlarm(1e-90, alpha=1e-300)
    assert alarm.play([0.5] * 10)[-1] == np.inf
