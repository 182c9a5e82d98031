"""How much more than the best sequence of experts can fixed share lose?

It is exponential weights over sequences: the first expert is drawn from the prior, and after every round another draw
is made with probability alpha.
"""

from __future__ import annotations

from math import inf, log

from ..comparator import ExpertComparator
from ..ledger import ExpertLedger
from ..theorem import theorem
from .expert_facts import (
    BEFOREHAND,
    DECLARED,
    IN_SPAN,
    MIXES,
    SAME_ROUNDS,
    ExpertFacts,
    delay_cost,
    divided,
    log_experts,
    most_regret,
    regret,
)
from .mixability_gaps import anytime_gaps, anytime_inverse, constant_gaps, self_tuned_gaps


def _sequence(_: ExpertLedger, comparator: ExpertComparator, __: ExpertFacts) -> bool:
    return comparator.expert is not None or comparator.switches is not None


def _in_order(_: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> bool:
    return comparator.expert is not None or not learner.delayed


def _dealt(_: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> bool:
    return learner.alpha > 0 or (learner.schedule == "constant" and not comparator.switches)


SEQUENCE = ("it is about one expert, or a sequence of experts with its switches counted", _sequence)
IN_ORDER = (
    "switches must be counted in the order in which outcomes came, and some came late, perhaps after later ones",
    _in_order,
)
DEALT = ("it asks for a share alpha > 0; 0 is enough against one expert at a constant rate", _dealt)
SHIFTING = (MIXES, SEQUENCE, IN_ORDER, DEALT, SAME_ROUNDS)


def _smallest(learner: ExpertFacts) -> float:
    return float(learner.prior.min())


def _rare(chance: float) -> float:
    return inf if chance <= 0 else -log(chance)  # a product of a share and a prior may vanish


def _information(rounds: float, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """How improbable the sequence was: first expert, switches, stays."""
    switches = comparator.switches or 0
    first = learner.prior[comparator.expert] if comparator.expert is not None else _smallest(learner)
    stays = max(0.0, rounds - 1 - switches)
    stay = _rare(1 - learner.alpha * (1 - _smallest(learner)))
    switch = _rare(learner.alpha * _smallest(learner))
    return _rare(first) + (switches * switch if switches else 0.0) + (stays * stay if stays else 0.0)


def _information_at_falling_rates(rounds: float, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """The same where every stretch is counted from scratch.

    In a stretch with expert k, m_t - c_k <= (phi_t - phi_{t+1} + stay) / eta_t with phi = -ln u_k, and phi_b / eta_b in
    its last round. Rates never grow and phi <= -ln(alpha pi_k) after the first round, so that the stretch costs at most
    that much over its last rate, beside its stays.
    """
    switches = comparator.switches or 0
    share = learner.prior[comparator.expert] if comparator.expert is not None else _smallest(learner)
    stays = max(0.0, rounds - 1 - switches)
    stay = _rare(1 - learner.alpha * (1 - _smallest(learner)))
    return (switches + 1) * _rare(learner.alpha * share) + (stays * stay if stays else 0.0)


def _surprise(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    count = _information if learner.schedule == "constant" else _information_at_falling_rates
    return count(ledger.rounds, comparator, learner)


@theorem(
    title="Posterior regret against a sequence",
    quantity="regret",
    counts=regret,
    formula=r"R \le \frac{I_m}{\eta_T} + \sum_t \delta_t + D,\quad"
    r" I_m = \ln\frac{1}{\pi} + m \ln\frac{1}{\alpha\pi} + (T - m - 1) \ln\frac{1}{1 - \alpha(1 - \pi)}"
    r" \ \text{(constant } \eta \text{)},\quad \text{with } (m + 1) \ln\frac{1}{\alpha\pi}"
    r" \ \text{for the first two if } \eta_t \text{ falls},\quad \pi = \min_i \pi_i",
    source="Herbster & Warmuth 1998; Cesa-Bianchi & Lugosi 2006, Thm 5.2; each stretch by itself for falling rates",
    assumes=SHIFTING,
    whole=False,
    most=most_regret,
)
def share_posterior(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """Against every sequence of experts with m switches the regret is at most how improbable the
    sequence was (I) over the last rate, plus the mixability gaps as observed, plus what late outcomes cost (D, the
    delay)."""
    if learner.experts == 1:
        return delay_cost(ledger, comparator)
    return (
        divided(_surprise(ledger, comparator, learner), ledger.last_rate) + ledger.gap + delay_cost(ledger, comparator)
    )


def share_numerator(learner: ExpertFacts) -> float:
    """What the self-tuned rate of fixed share divides by the gaps: ln(N / alpha)."""
    return log_experts(learner) - log(learner.alpha)


def _share_gaps(ledger: ExpertLedger, learner: ExpertFacts) -> float:
    if learner.schedule == "constant":
        return constant_gaps(ledger, learner)
    if learner.schedule == "anytime":
        return anytime_gaps(ledger, learner)
    span = learner.span or 0.0
    return self_tuned_gaps(share_numerator(learner), span, span**2 * ledger.rounds)


def _share_inverse(ledger: ExpertLedger, learner: ExpertFacts) -> float:
    if learner.schedule == "constant":
        return 1 / learner.rate
    if learner.schedule == "anytime":
        return anytime_inverse(ledger, learner)
    return _share_gaps(ledger, learner) / share_numerator(learner)


@theorem(
    title="Prior regret against a sequence",
    quantity="regret",
    counts=regret,
    formula=r"R \le I_m E + \Delta,\quad (E, \Delta) = \left(\tfrac{1}{\eta}, \tfrac{\eta s^2 T}{8}\right)"
    r" \ \text{(constant)},\ \left(\tfrac{s}{2}\sqrt{T / \ln N}, \tfrac{s}{2}\sqrt{T \ln N}\right)"
    r" \ \text{(anytime)},\ \left(\tfrac{\Delta}{\kappa}, \tfrac{s}{2}(1 + \sqrt{1 + \kappa T})\right),"
    r"\ \kappa = \ln\tfrac{N}{\alpha} \ \text{(self-tuned)}",
    source="Herbster & Warmuth 1998; Cesa-Bianchi & Lugosi 2006, Thm 5.2",
    assumes=(BEFOREHAND, DECLARED, IN_SPAN, *SHIFTING),
    whole=False,
    most=most_regret,
)
def share_prior(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """With charges that differ by at most s, the regret against every sequence with m switches is at most its
    improbability I over the smallest rate, plus the most that the gaps can add up to; for a constant rate I / eta + eta
    s^2 T / 8."""
    if learner.experts == 1:
        return 0.0
    start = _surprise(ledger, comparator, learner) * _share_inverse(ledger, learner)
    return start + _share_gaps(ledger, learner)


FIXED_SHARE = (share_posterior, share_prior)
