"""How much more than the best expert can exponential weights lose?

One lemma: whatever the charges are, if the rates never grow, the mix losses -ln(sum q exp(-eta c)) / eta add up to at
most u.L + KL(u || prior) / eta_T, with eta_T the last rate. What is left of the regret are the gaps, the charges of the
rule less the mix losses, which are observed.
"""

from __future__ import annotations

from math import isclose, sqrt

from ..comparator import ExpertComparator
from ..ledger import ExpertLedger
from ..theorem import theorem
from .expert_facts import (
    BEFOREHAND,
    PRIOR,
    REGRET,
    UNIFORM,
    ExpertFacts,
    delay_cost,
    divided,
    log_experts,
    most_regret,
    regret,
    scheduled,
)
from .mixability_gaps import anytime_gaps, anytime_inverse, constant_gaps, self_tuned_gaps
from .mixable import constant_regret

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
    differences between the largest and the smallest charge of each round, plus what late outcomes cost (D, the
    delay)."""
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
