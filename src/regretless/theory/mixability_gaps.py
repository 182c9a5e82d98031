"""The most that the mixability gaps of a rule can add up to, for each way to set its rate.

A gap, the charge of the rule less the mix loss -ln(sum q exp(-eta c)) / eta, is at most eta s^2 / 8 (Hoeffding) and at
most s, with s the spread of the charges of its round. Where the learner's own loss is charged, which is no larger than
the mix of the charges, it is at most that too, if it counts at all: gaps below zero count as none.

Where the span of the charges is not declared, rates are set by the largest spread S seen before. A round that exceeds
it has a gap of at most eta S^2 / 8 + s - S, since the gap as a function of the scale of the charges grows no faster
than s; so all these excesses together cost the largest spread at most.
"""

from __future__ import annotations

from math import sqrt

from ..ledger import ExpertLedger
from .expert_facts import ExpertFacts, log_experts


def anytime_gaps(ledger: ExpertLedger, learner: ExpertFacts) -> float:
    """The most that the gaps of a rate 2 sqrt(ln N / t) / s add up to."""
    if learner.span is not None:
        return learner.span * sqrt(ledger.rounds * log_experts(learner)) / 2
    return ledger.spread * (sqrt(ledger.rounds * log_experts(learner)) / 2 + 1)


def anytime_inverse(ledger: ExpertLedger, learner: ExpertFacts) -> float:
    """The most that 1 / rate is at the end."""
    span = ledger.spread if learner.span is None else learner.span
    return span * sqrt(ledger.rounds / log_experts(learner)) / 2


def constant_gaps(ledger: ExpertLedger, learner: ExpertFacts) -> float:
    """The most that those of a constant rate add up to, with a declared span."""
    return learner.rate / 8 * (learner.span or 0.0) ** 2 * ledger.rounds


def self_tuned_gaps(numerator: float, spread: float, spread2: float) -> float:
    """The most that the gaps of the rate numerator / (gaps so far) add up to.

    With Delta their sum and delta_t <= min(s_t, eta_t s_t^2 / 8), Delta_t^2 - Delta_{t-1}^2 = 2 delta_t Delta_{t-1} +
    delta_t^2 <= numerator s_t^2 / 4 + S delta_t, so Delta^2 <= numerator / 4 sum s_t^2 + S Delta.
    """
    return (spread + sqrt(spread**2 + numerator * spread2)) / 2
