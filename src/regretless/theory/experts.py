"""How much more than the best expert, or than a sequence of experts, can exponential weights lose?"""

from __future__ import annotations

from math import inf, isclose, log, sqrt

from ..comparator import ExpertComparator
from ..ledger import ExpertLedger
from ..theorem import theorem
from .expert_facts import (
    BEFOREHAND,
    DECLARED,
    IN_SPAN,
    MIXES,
    PRIOR,
    REGRET,
    SAME_ROUNDS,
    UNIFORM,
    ExpertFacts,
    delay_cost,
    divided,
    log_experts,
    most_regret,
    regret,
    scheduled,
)
from .mixable import constant_regret

# ---- The most that the mixability gaps of a rule can add up to, for each way to set its rate.
#
# A gap, the charge of the rule less the mix loss -ln(sum q exp(-eta c)) / eta, is at most eta s^2 / 8 (Hoeffding) and
# at most s, with s the spread of the charges of its round. Where the learner's own loss is charged, which is no larger
# than the mix of the charges, it is at most that too, if it counts at all: gaps below zero count as none.
#
# Where the span of the charges is not declared, rates are set by the largest spread S seen before. A round that
# exceeds it has a gap of at most eta S^2 / 8 + s - S, since the gap as a function of the scale of the charges grows no
# faster than s; so all these excesses together cost the largest spread at most.


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


# ---- How much more than the best expert can exponential weights lose?
#
# One lemma: whatever the charges are, if the rates never grow, the mix losses -ln(sum q exp(-eta c)) / eta add up to
# at most u.L + KL(u || prior) / eta_T, with eta_T the last rate. What is left of the regret are the gaps, the charges
# of the rule less the mix losses, which are observed.


CONSTANT = ("it is about a constant rate", scheduled("constant"))
COUNTED = (
    "it is about a rate that is constant or set by the number of rounds",
    scheduled("constant", "anytime"),
)
SELF_TUNED = ("it is about the self-tuned rate", scheduled("self-tuned"))


def _learnt(_: ExpertLedger, __: ExpertComparator, learner: ExpertFacts) -> bool:
    return learner.schedule == "anytime" and learner.span is None


def _tuned(ledger: ExpertLedger, _: ExpertComparator, learner: ExpertFacts) -> bool:
    if learner.horizon is None or learner.span is None or ledger.rounds > learner.horizon:
        return False
    return isclose(learner.rate * learner.span, sqrt(8 * log_experts(learner) / learner.horizon), rel_tol=1e-9)


LEARNT = ("it is about the rate set by the number of rounds and the largest spread so far", _learnt)
TUNED = ("the rate must be tuned for at least this many rounds, and it was not", _tuned)


@theorem(
    title="Posterior regret",
    quantity="regret",
    counts=regret,
    formula=r"R_u \le \frac{\mathrm{KL}(u \Vert \pi)}{\eta_T} + \sum_t \delta_t + D,"
    r"\quad \delta_t = \langle q_t, c_t \rangle + \frac{1}{\eta_t} \ln \sum_i q_{t,i} e^{-\eta_t c_{t,i}}",
    source="Cesa-Bianchi & Lugosi 2006, Thm 2.2, before its gaps are bounded; de Rooij et al. 2014, Lemma 1",
    assumes=REGRET,
    whole=False,
    most=most_regret,
)
def hedge_posterior(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """Against every expert, and every convex combination u if charges are linearised, the regret is at most KL(u ||
    prior), ln N for an expert among equals, over the last rate, plus the mixability gaps as observed, plus what late
    outcomes cost (D, the delay). No range of losses is needed."""
    if learner.experts == 1:
        return delay_cost(ledger, comparator)
    return divided(comparator.divergence, ledger.last_rate) + ledger.gap + delay_cost(ledger, comparator)


@theorem(
    title="Regret by the spreads",
    quantity="regret",
    counts=regret,
    formula=r"R_u \le \frac{\mathrm{KL}(u \Vert \pi)}{\eta} + \frac{\eta}{8} \sum_t s_t^2 + D,"
    r"\quad s_t = \max_i c_{t,i} - \min_i c_{t,i}",
    source="Cesa-Bianchi & Lugosi 2006, Thm 2.2, with the spread of each round",
    assumes=(CONSTANT, *REGRET),
    whole=False,
    most=most_regret,
)
def hedge_spreads(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """At a constant rate eta the regret is at most KL(u || prior) / eta plus eta / 8 times the sum of the squared
    differences between the largest and the smallest charge of each round, plus what late outcomes cost (D, the delay).
    These differences are at most twice the largest size of a charge, so that this is no more than KL / eta plus eta / 2
    times the sum of the squares of the largest sizes: mirror descent with the entropy (Beck & Teboulle 2003)."""
    if learner.experts == 1:
        return delay_cost(ledger, comparator)
    data = comparator.divergence / learner.rate + learner.rate / 8 * ledger.spread2
    return data + delay_cost(ledger, comparator)


@theorem(
    title="Prior regret",
    quantity="regret",
    counts=regret,
    formula=r"R_u \le \frac{\mathrm{KL}(u \Vert \pi)}{\eta} + \frac{\eta}{8} s^2 T \ \text{(constant)},"
    r"\quad \frac{s\sqrt{T}}{2} \left(\frac{\mathrm{KL}(u \Vert \pi)}{\sqrt{\ln N}} + \sqrt{\ln N}\right)"
    r"\ \text{(}2\sqrt{\ln N / t} / s\text{)}",
    source="Cesa-Bianchi & Lugosi 2006, Thm 2.2; Bubeck 2011, Thm 2.4",
    assumes=(COUNTED, BEFOREHAND, *PRIOR),
    whole=False,
    most=most_regret,
)
def hedge_prior(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """With charges that differ by at most s, the regret after T rounds is at most KL / eta + eta s^2 T / 8 for the
    constant rate eta that was used, whatever T it was meant for, and s sqrt(T ln N) against every expert of N equals
    for the rate 2 sqrt(ln N / t) / s."""
    if learner.experts == 1:
        return 0.0
    if learner.schedule == "constant":
        return comparator.divergence / learner.rate + constant_gaps(ledger, learner)
    return comparator.divergence * anytime_inverse(ledger, learner) + anytime_gaps(ledger, learner)


@theorem(
    title="Regret of a tuned rate",
    quantity="regret",
    counts=regret,
    formula=r"R_u \le s \sqrt{\tfrac{1}{2} T_0 \ln N},\quad \eta = \frac{1}{s} \sqrt{8 \ln N / T_0},\ T \le T_0",
    source="Cesa-Bianchi & Lugosi 2006, Thm 2.2, at the rate that suits T_0 rounds",
    assumes=(CONSTANT, UNIFORM, TUNED, BEFOREHAND, *PRIOR),
    whole=False,
    most=most_regret,
)
def hedge_tuned(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """A rate tuned for T_0 rounds, with equal prior weights and charges that differ by at most s, keeps the regret
    within s sqrt(T_0 ln N / 2) for as long as the rounds are no more than T_0."""
    return (learner.span or 0.0) * sqrt((learner.horizon or 0) * log_experts(learner) / 2)


@theorem(
    title="Regret by the largest spread",
    quantity="regret",
    counts=regret,
    formula=r"R_u \le \frac{S\sqrt{T}}{2} \left(\frac{\mathrm{KL}(u \Vert \pi)}{\sqrt{\ln N}} + \sqrt{\ln N}\right)"
    r" + S + D,\quad \eta_t = \frac{2}{S_{t-1}} \sqrt{\frac{\ln N}{t}},\ S_t = \max_{r \le t} s_r",
    source="Bubeck 2011, Thm 2.4; a round that exceeds all spreads before it costs the excess, once",
    assumes=(LEARNT, *REGRET),
    whole=False,
    most=most_regret,
)
def hedge_largest_spread(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """With the rate 2 sqrt(ln N / t) over the largest spread so far, not known before the run, the regret against
    every expert of N equals is at most S sqrt(T ln N) + S, where S is the largest spread of all; late outcomes add what
    they cost (D, the delay)."""
    if learner.experts == 1:
        return delay_cost(ledger, comparator)
    value = comparator.divergence * anytime_inverse(ledger, learner) + anytime_gaps(ledger, learner)
    return value + delay_cost(ledger, comparator)


HEDGE = (hedge_posterior, hedge_spreads, hedge_prior, hedge_tuned, hedge_largest_spread, constant_regret)
# The exponentiated gradient algorithm is the same on linearised charges.
EG = (hedge_posterior, hedge_spreads, hedge_prior)


@theorem(
    title="Posterior regret",
    quantity="regret",
    counts=regret,
    formula=r"R_u \le \frac{\mathrm{KL}(u \Vert \pi)}{\eta_T} + \sum_t \delta_t + D"
    r" \le \left(1 + \frac{\mathrm{KL}(u \Vert \pi)}{\ln N}\right) \sum_t \delta_t + D",
    source="de Rooij, van Erven, Grünwald & Koolen 2014, Lemma 3, with the learner's own loss in the gaps",
    assumes=(SELF_TUNED, *REGRET),
    whole=False,
    most=most_regret,
)
def adahedge_posterior(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """The regret against every expert of N equals is at most the sum of the mixability gaps as observed and ln N over
    the last rate, which is that sum without the last one; late outcomes add what they cost (D, the delay). Neither a
    range of losses nor a number of rounds is needed."""
    if learner.experts == 1:
        return delay_cost(ledger, comparator)
    return divided(comparator.divergence, ledger.last_rate) + ledger.gap + delay_cost(ledger, comparator)


@theorem(
    title="Regret by the spreads",
    quantity="regret",
    counts=regret,
    formula=r"R_u \le \frac{1}{2} \left(1 + \frac{\mathrm{KL}(u \Vert \pi)}{\ln N}\right)"
    r"\left(S + \sqrt{S^2 + \ln N \sum_t s_t^2}\right) + D,\quad S = \max_t s_t",
    source="after de Rooij et al. 2014, Cor. 17, with smaller constants: the gaps are at most s and eta s^2 / 8",
    assumes=(SELF_TUNED, *REGRET),
    whole=False,
    most=most_regret,
)
def adahedge_spreads(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """The regret against every expert of N equals is at most sqrt(ln N sum of squared spreads) + 2 S, where S is the
    largest spread of the charges of a round; late outcomes add what they cost (D, the delay)."""
    if learner.experts == 1:
        return delay_cost(ledger, comparator)
    gaps = self_tuned_gaps(log_experts(learner), ledger.spread, ledger.spread2)
    return (1 + comparator.divergence / log_experts(learner)) * gaps + delay_cost(ledger, comparator)


@theorem(
    title="Prior regret",
    quantity="regret",
    counts=regret,
    formula=r"R_u \le \frac{s}{2} \left(1 + \frac{\mathrm{KL}(u \Vert \pi)}{\ln N}\right)"
    r"\left(1 + \sqrt{1 + T \ln N}\right)",
    source="the same with the declared span of the charges",
    assumes=(SELF_TUNED, BEFOREHAND, *PRIOR),
    whole=False,
    most=most_regret,
)
def adahedge_prior(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """With charges that differ by at most s, the regret after T rounds against every expert of N equals is at most s (1
    + sqrt(1 + T ln N))."""
    if learner.experts == 1:
        return 0.0
    span = learner.span or 0.0
    gaps = self_tuned_gaps(log_experts(learner), span, span**2 * ledger.rounds)
    return (1 + comparator.divergence / log_experts(learner)) * gaps


ADAHEDGE = (adahedge_posterior, adahedge_spreads, adahedge_prior)


# ---- How much more than the best expert can one lose who follows the leader?
#
# The leaders are the experts with the least sum of charges so far, L*. A round in which all of them lead on charges
# each of them, and so their mix, what L* grows by; any other one charges the mix at most S more, the difference of the
# largest and the smallest charge: L* grows by the smallest charge at least. So the regret is at most S times the
# number of rounds in which a leader leads no more. Silent experts are charged the mix, as everywhere.


LEADS = ("it is about a rate that is infinite, by which the leader is followed", scheduled("leader"))


@theorem(
    title="Regret by changes of the leader",
    quantity="regret",
    counts=regret,
    formula=r"R_u \le S C_T + D,\quad C_T = \left|\{t : \exists i\ L_{t-1,i} = L^*_{t-1},\ L_{t,i} > L^*_t\}\right|",
    source="de Rooij, van Erven, Grunwald & Koolen 2014, Lemma 10; Kalai & Vempala 2005",
    assumes=(LEADS, *REGRET),
    whole=False,
    most=most_regret,
)
def leader_changes(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """The regret is at most the largest difference S of two charges of a round times the number of rounds in which a
    leader, an expert with the least sum of charges, leads no more, plus what late outcomes cost (D, the delay). Where
    experts take turns that is every round, and it says nothing."""
    return ledger.spread * ledger.changes + delay_cost(ledger, comparator)


FOLLOW_THE_LEADER = (hedge_posterior, leader_changes)


# ---- How much more than the best sequence of experts can fixed share lose?
#
# It is exponential weights over sequences: the first expert is drawn from the prior, and after every round another
# draw is made with probability alpha.


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
