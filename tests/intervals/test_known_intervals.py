"""Games on which the theorems on coverage must say numbers that are known by hand."""

from __future__ import annotations

import pytest

from regretless.ledger import IntervalLedger
from regretless.theory import intervals as chapter
from regretless.theory.intervals import IntervalFacts, adaptive_coverage, decaying_coverage, tracker_coverage

from ..known import Assumes, Breaks, Known, first_of_each, known, refuses, says_its_number

LEDGER = IntervalLedger(alpha=0.25, rounds=40, misses=12, outstanding=3, growth=0.5, zero=4)
CASES = [
    Known(adaptive_coverage, LEDGER, None, IntervalFacts(start=0.25, gamma=0.1), (0.75 + 0.4) / 4, 0.05),
    Known(adaptive_coverage, LEDGER, None, IntervalFacts(start=0.875, gamma=0.1), (0.875 + 0.4) / 4, 0.05),
    Known(tracker_coverage, LEDGER, None, IntervalFacts(c=0.1), (14 * 1.5 + 1) / 40, 0.05),
    # K_T = 8 + 4 * 2 and V = 5 + 4 * 0.25 in units of the last step
    Known(
        decaying_coverage,
        LEDGER,
        None,
        IntervalFacts(reach=8.0, longest=2.0, varied=5.0, late=0.25),
        (16 + 6 + 1) / 40,
        0.05,
    ),
]
ASSUMES: Assumes = [((adaptive_coverage, tracker_coverage, decaying_coverage), (chapter.PLAYED,))]
BREAKS: Breaks = {chapter.PLAYED[0]: [{"ledger.rounds": 0}]}


@known(CASES)
def test_a_theorem_says_its_number(case):
    """On this game a theorem says the number that was found by hand."""
    says_its_number(case)


@known(first_of_each(CASES))
def test_an_assumption_that_fails_is_named(case):
    """Without a round there is no number, and the certificate says why."""
    refuses(case, ASSUMES, BREAKS)


def test_a_bound_that_says_nothing_is_called_vacuous():
    """A bound above what misses alone would give is vacuous, and one below is not."""
    for rounds, vacuous in ((4, True), (400, False)):
        ledger = IntervalLedger(alpha=0.1, rounds=rounds, misses=rounds // 10)
        certificate = adaptive_coverage.certify(ledger, [None], IntervalFacts(start=0.1, gamma=0.02))
        assert certificate.vacuous is vacuous
        assert certificate.bound == pytest.approx(46 / rounds)
