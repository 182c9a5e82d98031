"""Each theorem about calibration with a number that is known, and each of its assumptions broken alone."""

from __future__ import annotations

from regretless.ledger import Ledger
from regretless.theory import calibration as theory
from regretless.theory.aggregated import MemberComparator
from regretless.theory.calibration import CalibrationFacts

from ..known import Assumes, Known, known, refuses, says_its_number

LEDGER = Ledger(rounds=8, loss=5.0)
FACTS = CalibrationFacts(energy=1.5, reach=2.0, offsets=3.0, rate=0.25)
SCALING = MemberComparator("yours", "yours", 8, 3.0, regularised=0.5, largest=2.0)
CASES = [
    Known(theory.against_every_scaling, LEDGER, SCALING, FACTS, 5.0, 5.0),
    Known(theory.binned_calibration, LEDGER, None, FACTS, 1.5, 0.625),
]
ASSUMES: Assumes = [
    ((theory.against_every_scaling,), (theory.PLAYED, theory.SAME, theory.FINITE, theory.WITHIN)),
    ((theory.binned_calibration,), (theory.PLAYED,)),
]
BREAKS = {
    theory.PLAYED[0]: [{"ledger.rounds": 0, "comparator.rounds": 0}],
    theory.SAME[0]: [{"comparator.rounds": 7}],
    theory.FINITE[0]: [{"comparator.loss": float("inf")}],
    theory.WITHIN[0]: [{"comparator.largest": 2.1}],
}


@known(CASES)
def test_a_theorem_says_its_number(case):
    """On this game a theorem says the number that was computed by hand."""
    says_its_number(case)


@known(CASES)
def test_an_assumption_that_fails_is_named(case):
    """Each assumption fails alone on a game, and then there is no number."""
    breaks = BREAKS | ({theory.PLAYED[0]: [{"ledger.rounds": 0}]} if case.comparator is None else {})
    refuses(case, ASSUMES, breaks)
