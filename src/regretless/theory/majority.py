"""What majorities of experts pay: deterministic ones in mistakes, randomised ones in expectation.

Both proofs weigh the experts: the weight of expert i is at the end prior_i beta^m_i, and the total falls by (1 + beta)
/ 2 with every mistake of the majority, or to at most 1 - (1 - beta) p.l when losses in [0, 1] are drawn by p, since
beta^l <= 1 - (1 - beta) l.
"""

from __future__ import annotations

from math import isclose, log, sqrt

from ..comparator import ExpertComparator
from ..ledger import ExpertLedger
from ..theorem import theorem
from .expert_facts import (
    ALL_SPEAK,
    BEFOREHAND,
    DECLARED,
    IN_SPAN,
    IN_TIME,
    PRIOR,
    REGRET,
    SAME_ROUNDS,
    SINGLE,
    UNIFORM,
    ExpertFacts,
    delay_cost,
    divided,
    log_experts,
    most_regret,
    most_rounds,
    regret,
)


def _mistakes(ledger: ExpertLedger, _: ExpertComparator) -> float:
    return ledger.mistakes


def _expected_loss(ledger: ExpertLedger, _: ExpertComparator) -> float:
    return ledger.expected


def _sampled_loss(ledger: ExpertLedger, _: ExpertComparator) -> float:
    return ledger.sampled


def _right_or_wrong(_: ExpertLedger, __: ExpertComparator, learner: ExpertFacts) -> bool:
    return learner.loss == "zero-one"


def _in_unit_interval(ledger: ExpertLedger, _: ExpertComparator, __: ExpertFacts) -> bool:
    return 0 <= ledger.lowest <= ledger.highest <= 1


def _halves(_: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> bool:
    return learner.beta > 0 or comparator.loss == 0


def _half(_: ExpertLedger, __: ExpertComparator, learner: ExpertFacts) -> bool:
    return learner.beta >= 0.5


def _draws(_: ExpertLedger, __: ExpertComparator, learner: ExpertFacts) -> bool:
    return learner.sampled and learner.delta is not None


def _none_withdrawn(_: ExpertLedger, __: ExpertComparator, learner: ExpertFacts) -> bool:
    return not learner.withdrawn


def _own_losses(_: ExpertLedger, __: ExpertComparator, learner: ExpertFacts) -> bool:
    return not learner.linear


def _tuned(ledger: ExpertLedger, _: ExpertComparator, learner: ExpertFacts) -> bool:
    if learner.horizon is None or ledger.rounds > learner.horizon:
        return False
    return isclose(learner.beta, randomized_beta(learner.experts, learner.horizon), rel_tol=1e-9)


RIGHT_OR_WRONG = ("it counts mistakes, and the loss is not the zero-one loss", _right_or_wrong)
UNIT_LOSSES = ("the losses must lie between 0 and 1, and some did not", _in_unit_interval)
FROM_A_HALF = ("it is about a beta of at least 1/2", _half)
TUNED = ("beta must be tuned for at least this many rounds, and it was not", _tuned)
SOME_SAY = ("with beta = 0 an expert that errs loses all its say, and nothing is promised against it", _halves)
DRAWS = ("no expert was drawn, or no delta was asked for", _draws)
# Who decides which draws are withdrawn may know what was drawn, so that those that are left are not drawn by weight.
NONE_WITHDRAWN = (
    "it counts every draw, and some were withdrawn, which may depend on what was drawn",
    _none_withdrawn,
)
OWN_LOSSES = ("it needs the range of the losses themselves, and charges were linearised", _own_losses)
EVERYBODY = (IN_TIME, ALL_SPEAK, SINGLE, SAME_ROUNDS)


@theorem(
    title="Weighted majority",
    quantity="mistakes",
    counts=_mistakes,
    formula=r"M \le \frac{\ln\frac{1}{\pi_i} + m_i \ln\frac{1}{\beta}}{\ln\frac{2}{1 + \beta}}",
    source="Littlestone & Warmuth 1994; Mohri, Rostamizadeh & Talwalkar 2018, Thm 8.3",
    assumes=(RIGHT_OR_WRONG, *EVERYBODY, SOME_SAY),
)
def weighted_majority(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """Against every expert i, with m_i mistakes, the majority makes at most (ln(1 / prior_i) + m_i ln(1 / beta)) /
    ln(2 / (1 + beta)) mistakes; 1 / prior_i is N among equals. With beta = 0 that is log2 N against an expert that
    never errs, and nothing is promised against others."""
    if learner.beta == 0:
        return comparator.divergence / log(2)
    return (comparator.divergence - comparator.loss * log(learner.beta)) / log(2 / (1 + learner.beta))


WEIGHTED_MAJORITY = (weighted_majority,)


# The vote of learners is wrong where those who said the true label have no more weight than those who said the
# predicted one, so at most half of all: the weight of those that err is at least 1/2, which is the expected loss of the
# round. Rounds whose label nobody could say have an expected loss of 1.


@theorem(
    title="Mistakes of the vote",
    quantity="mistakes",
    counts=_mistakes,
    formula=r"M \le 2 \sum_t \langle p_t, \ell_t \rangle",
    source="where a vote is wrong, so is half of the weight",
    compares=False,
    most=most_rounds,
)
def vote_mistakes(ledger: ExpertLedger, _: None, learner: ExpertFacts) -> float:
    """The vote by weights is wrong in at most twice as many rounds as the expected loss of a member that is drawn by
    its weight, which is that of the run."""
    return 2 * ledger.loss


@theorem(
    title="Randomised majority, sharp",
    quantity="expected loss",
    counts=_expected_loss,
    formula=r"\mathbb{E} L \le \frac{\ln\frac{1}{\pi_i} + L_i \ln\frac{1}{\beta}}{1 - \beta}",
    source="Mohri, Rostamizadeh & Talwalkar 2018, Thm 8.4, a line before its end",
    assumes=(UNIT_LOSSES, *EVERYBODY, SOME_SAY),
    whole=False,
    most=most_rounds,
)
def randomized_majority(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """With losses in [0, 1] and every beta between 0 and 1, the expected loss is at most (ln(1 / prior_i) + L_i ln(1 /
    beta)) / (1 - beta) against every expert i; 1 / prior_i is N among equals."""
    if learner.beta == 0:
        return comparator.divergence
    return (comparator.divergence - comparator.loss * log(learner.beta)) / (1 - learner.beta)


@theorem(
    title="Randomised majority",
    quantity="expected loss",
    counts=_expected_loss,
    formula=r"\mathbb{E} L \le \frac{\ln\frac{1}{\pi_i}}{1 - \beta} + (2 - \beta) L_i",
    source="Mohri, Rostamizadeh & Talwalkar 2018, Thm 8.4",
    assumes=(UNIT_LOSSES, FROM_A_HALF, *EVERYBODY),
    whole=False,
    most=most_rounds,
)
def randomized_majority_simple(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """With losses in [0, 1] and beta from 1/2 to 1, the expected loss is at most ln(1 / prior_i) / (1 - beta) + (2 -
    beta) L_i against every expert i; 1 / prior_i is N among equals."""
    return comparator.divergence / (1 - learner.beta) + (2 - learner.beta) * comparator.loss


def randomized_beta(experts: int, horizon: int) -> float:
    """The beta that suits so many rounds."""
    return max(0.5, 1 - sqrt(log(experts) / horizon))


def randomized_regret(experts: int, horizon: int) -> float:
    """The most that the regret can be at that beta, for losses in [0, 1]."""
    n = log(experts)
    return 2 * sqrt(horizon * n) if sqrt(n / horizon) <= 0.5 else 2 * n + horizon / 2


@theorem(
    title="Randomised majority, tuned",
    quantity="regret",
    counts=regret,
    formula=r"R \le 2 \sqrt{T_0 \ln N} \ \text{if}\ \ln N \le T_0 / 4,\ \text{else}\ 2 \ln N + T_0 / 2,\quad"
    r" \beta = \max\left(\tfrac{1}{2}, 1 - \sqrt{\ln N / T_0}\right),\ T \le T_0",
    source="Mohri, Rostamizadeh & Talwalkar 2018, Thm 8.4",
    assumes=(UNIT_LOSSES, UNIFORM, TUNED, *EVERYBODY),
    whole=False,
    most=most_regret,
)
def randomized_majority_tuned(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """With losses in [0, 1] and beta tuned for T_0 rounds, the expected regret is at most 2 sqrt(T_0 ln N), or 2 ln N +
    T_0 / 2 when there are fewer rounds than 4 ln N, for as long as the rounds are no more than T_0."""
    return randomized_regret(learner.experts, learner.horizon or 0)


@theorem(
    title="Luck of the draws",
    quantity="sampled loss",
    counts=_sampled_loss,
    formula=r"L^{\mathrm{drawn}} \le \mathbb{E} L + s \sqrt{\tfrac{1}{2} T \ln\tfrac{1}{\delta}}",
    source="Azuma 1967; Hoeffding 1963",
    kind="probable",
    assumes=(DRAWS, NONE_WITHDRAWN, OWN_LOSSES, DECLARED, IN_SPAN),
    whole=False,
    most=most_rounds,
    compares=False,
    at_once=lambda _: False,
)
def sampled_loss(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """If the losses of a round differ by at most s and do not depend on whom it drew in that round, and no draw was
    withdrawn, then with probability 1 - delta, for a number of rounds fixed beforehand, what was drawn lost at most s
    sqrt(T ln(1 / delta) / 2) more than the weights expected."""
    failure = learner.delta or 1.0
    return ledger.expected + (learner.span or 0.0) * sqrt(ledger.rounds * log(1 / failure) / 2)


RANDOMIZED_MAJORITY = (randomized_majority, randomized_majority_simple, randomized_majority_tuned, sampled_loss)


# Doubling: exponential weights begun anew after 1, 2, 4, 8, ... rounds, each time tuned for as many as will follow.


def _has_blocks(_: ExpertLedger, __: ExpertComparator, learner: ExpertFacts) -> bool:
    return bool(learner.blocks) and all(
        block.exponential and not block.substitutes and block.schedule == "constant" for _, block in learner.blocks
    )


def _doubles(ledger: ExpertLedger, _: ExpertComparator, learner: ExpertFacts) -> bool:
    *full, (last, _last) = learner.blocks
    lengths = all(block.rounds == 2**k for k, (block, _) in enumerate(full)) and last.rounds <= 2 ** len(full)
    return lengths and all(
        isclose(block.rate * (block.span or 0.0), sqrt(8 * log_experts(learner) / 2**k), rel_tol=1e-9)
        for k, (_, block) in enumerate(learner.blocks)
    )


BLOCKS = ("it is about exponential weights that begin anew from time to time, at constant rates", _has_blocks)
DOUBLES = ("the stretches must be of 1, 2, 4, 8, ... rounds, each with the rate that suits its length", _doubles)


@theorem(
    title="Doubling, posterior regret",
    quantity="regret",
    counts=regret,
    formula=r"R_u \le \sum_k \left(\frac{\mathrm{KL}(u \Vert \pi)}{\eta_k} + \sum_{t \in k} \delta_t\right) + D",
    source="the posterior regret of every stretch",
    assumes=(BLOCKS, *REGRET),
    whole=False,
    most=most_regret,
)
def doubling_posterior(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """Every stretch k between two restarts adds KL(u || prior), ln N for an expert among equals, over its rate, and its
    mixability gaps as observed; late outcomes add what they cost (D, the delay)."""
    if learner.experts == 1:
        return delay_cost(ledger, comparator)
    starts = sum(divided(comparator.divergence, book.last_rate) for book, _ in learner.blocks)
    return starts + sum(book.gap for book, _ in learner.blocks) + delay_cost(ledger, comparator)


@theorem(
    title="Doubling, by the stretches",
    quantity="regret",
    counts=regret,
    formula=r"R_u \le \sum_k \left(\frac{\mathrm{KL}(u \Vert \pi)}{\eta_k} + \frac{\eta_k}{8} s^2 T_k\right)",
    source="Mohri, Rostamizadeh & Talwalkar 2018, Thm 8.7, before its sum is simplified",
    assumes=(BLOCKS, BEFOREHAND, *PRIOR),
    whole=False,
    most=most_regret,
)
def doubling_sharp(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """With charges that differ by at most s, every stretch of T_k rounds at the rate eta_k adds KL / eta_k + eta_k s^2
    T_k / 8, the last one as many rounds as it had."""
    if learner.experts == 1:
        return 0.0
    span = learner.span or 0.0
    return sum(
        comparator.divergence / block.rate + block.rate / 8 * span**2 * book.rounds for book, block in learner.blocks
    )


@theorem(
    title="Doubling",
    quantity="regret",
    counts=regret,
    formula=r"R_u \le s \left(\frac{\sqrt2}{\sqrt2 - 1} \sqrt{\tfrac{1}{2} T \ln N}"
    r" - \frac{1}{\sqrt2 - 1} \sqrt{\tfrac{1}{2} \ln N}\right)",
    source="Mohri, Rostamizadeh & Talwalkar 2018, Thm 8.7",
    assumes=(BLOCKS, DOUBLES, UNIFORM, BEFOREHAND, *PRIOR),
    whole=False,
    most=most_regret,
)
def doubling_printed(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """With charges that differ by at most s and stretches of 1, 2, 4, ... rounds, the regret after T rounds, whatever
    T, is at most s (sqrt(2) sqrt(T ln N / 2) - sqrt(ln N / 2)) / (sqrt(2) - 1)."""
    span, n = learner.span or 0.0, log_experts(learner)
    return span * (sqrt(2) * sqrt(ledger.rounds * n / 2) - sqrt(n / 2)) / (sqrt(2) - 1)


DOUBLING = (doubling_posterior, doubling_sharp, doubling_printed)
