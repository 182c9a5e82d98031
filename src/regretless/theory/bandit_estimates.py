"""What a bandit can certify of its regret with the losses of the drawn arms alone.

Estimates L~_c add up what was lost over the probability of the draw plus gamma_t: too small on average, and therefore
hardly ever much too large. For an arm or expert c to whom the advice gives arm i with probability xi(i), 1 or 0 for an
arm, exp(2 g xi l / (p + gamma_t)) <= 1 + 2 g xi l / p whenever g <= gamma_t, since z / (1 + z / 2) <= ln(1 + z). The
mean of that over the draw is 1 + 2 g l_c <= exp(2 g l_c): with g = gamma_T, which no gamma_t is below, exp(2 gamma_T
(L~_c - L_c)) is a supermartingale, and L~_c > L_c + ln(C / delta) / (2 gamma_T) for some c of C with probability delta
at most (Neu 2015, Lemma 1). No rule of play is assumed: p_t may be anything that was fixed before the draw. Losses may
come late or out of order, and a missing one is an estimate of 0, which is no larger; so it is counted as lost. What an
arm lost while it slept is in neither sum.

T, or the epoch of gamma_T, must not depend on luck. With one gamma for all rounds it may: supermartingales stop.
"""

from __future__ import annotations

from math import isclose, log, sqrt
from typing import Any

import numpy as np

from ..comparator import BanditComparator
from ..ledger import BanditLedger
from ..theorem import theorem
from .bandit_facts import (
    ALL_AWAKE,
    CONFIDENT,
    EXPLORES,
    IN_TIME,
    PLAYED,
    REALISED,
    SETTLED,
    BanditFacts,
    failure,
    fixed_arms,
    one_rate,
    regret,
)

Array = np.ndarray[Any, Any]


def read_off(ahead: Array, comparator: BanditComparator) -> float:
    """The largest of what holds for all at once, or that of the one that is asked for."""
    return float(ahead.max() if comparator.name not in ("arm", "expert") else ahead[comparator.place])


@theorem(
    title="Observable regret",
    quantity="regret",
    counts=regret,
    formula=r"R_T \le \max_c \left(\sum_{t: c\ \text{awake}} \ell_{t,I_t} - \tilde{L}_c\right) + U"
    r" + \frac{\ln(C / \delta)}{2\gamma_T},\quad"
    r" \tilde{L}_c = \sum_t \frac{\xi_{t,c}(I_t)\, \ell_{t,I_t}}{p_{t,I_t} + \gamma_t}",
    source="Neu 2015, Lemma 1, before anything is bounded",
    kind="probable",
    assumes=(PLAYED, EXPLORES, *REALISED),
    whole=False,
    at_once=one_rate,
)
def observable(ledger: BanditLedger, comparator: BanditComparator, learner: BanditFacts) -> float:
    """With probability 1 - delta, for a number of rounds fixed beforehand (at a constant rate for all at once), the
    regret against all C arms, or experts, is at most what was lost, less the least of their estimated losses, plus ln(C
    / delta) / (2 gamma), each arm over the rounds in which it was awake. The losses of arms that were not drawn need
    not be known; each of U draws whose loss is unknown counts as lost."""
    if learner.arms == 1:
        return 0.0
    away = 0.0 if learner.advised else ledger.missed
    ahead = ledger.loss + ledger.unsettled - away - ledger.implicit
    doubt = log(learner.comparators / failure(learner)) / (2 * ledger.last_gamma)
    return learner.width * (read_off(ahead, comparator) + doubt)


# ---- How much more than the best arm can Exp3.P lose? It estimates gains g = 1 - loss, and keeps the estimates high.
#
# G~_j adds up (g 1[I = j] + beta) / p_j. As exp(x) <= 1 + x + x^2 for x <= 1, the mean of exp(beta (g_j - g_j 1[I = j]
# / p_j)) over the draw is at most 1 + beta^2 / p_j, if beta <= 1, so that exp(beta (G_j - G~_j)) is a supermartingale:
# with probability 1 - delta no G~_j is below G_j by more than ln(K / delta) / beta. Any p_t that is fixed before the
# draw will do, late losses do no harm, and what an arm gained while it slept is in neither sum. A gain that never
# becomes known is not harmless: if the best arm's gains all get lost, nothing tells how good it would have been.
#
# For the prior bound, w are the weights before they are mixed, p = (1 - explore) w + explore / K. Where eta (1 + beta)
# K <= explore, no eta g~ is above 1, so that max_j G~_j - ln K / eta <= sum of <w, g~> + eta <w, g~^2>. With <p, g~> =
# g_I + K beta and p_i g~_i <= 1 + beta that is at most (sum of g_I + K beta T + eta (1 + beta) K max_j G~_j) / (1 -
# explore).


def _confidence_bonus(_: BanditLedger, __: BanditComparator, learner: BanditFacts) -> bool:
    return 0 < learner.beta <= 1


def _enough(_: BanditLedger, __: BanditComparator, learner: BanditFacts) -> bool:
    if learner.arms == 1:
        return True
    needed = (1 + learner.beta) * learner.rate * learner.arms
    return 0 < needed <= learner.explore * (1 + 1e-12) and learner.explore <= 0.5


def _tuned(ledger: BanditLedger, _: BanditComparator, learner: BanditFacts) -> bool:
    if learner.arms == 1:
        return True
    if learner.horizon is None or learner.delta is None or ledger.rounds > learner.horizon:
        return False
    return all(
        isclose(own, best, rel_tol=1e-9)
        for own, best in zip(
            (learner.beta, learner.rate, learner.explore),
            tuned_parameters(learner.arms, learner.horizon, learner.delta),
            strict=True,
        )
    )


def tuned_parameters(arms: int, horizon: int, delta: float) -> tuple[float, float, float]:
    """The beta, the rate and the exploration that are meant for so many rounds, no more than they may be.

    Parameters
    ----------
    arms : int
        At least 2.
    horizon : int
        The number of rounds to come.
    delta : float
        In (0, 1): how improbable it may be that the bound fails.

    Returns
    -------
    beta, rate, explore : float
        beta at most 1, explore at most 1/2.
    """
    k, reach = log(arms), horizon * arms
    beta = sqrt(log(arms / delta) / reach)
    return min(beta, 1.0), 0.95 * sqrt(k / reach), min(1.05 * sqrt(arms * k / horizon), 0.5)


BONUS = ("the bonus beta must be above 0 and at most 1", _confidence_bonus)
ENOUGH = ("it assumes (1 + beta) K rate <= explore <= 1/2", _enough)
TUNED = ("the parameters must be tuned for at least this many rounds and this delta, and they were not", _tuned)


@theorem(
    title="Regret of Exp3.P",
    quantity="regret",
    counts=regret,
    formula=r"R_T \le \beta K T + \left(\gamma + (1 + \beta) \eta K\right) T"
    r" + \frac{1}{\beta} \ln\frac{K}{\delta} + \frac{\ln K}{\eta}",
    source="Bubeck & Cesa-Bianchi 2012, Thm 3.2, before its parameters are put in",
    kind="probable",
    assumes=(BONUS, ENOUGH, ALL_AWAKE, IN_TIME, SETTLED, *REALISED),
    whole=False,
    event="exp3-p",
)
def exp3_p(ledger: BanditLedger, comparator: BanditComparator, learner: BanditFacts) -> float:
    """With probability 1 - delta the regret is at most beta K T + (explore + (1 + beta) rate K) T + ln(K / delta) /
    beta + ln K / rate, for whatever parameters explore enough, (1 + beta) K rate <= explore <= 1/2."""
    if learner.arms == 1:
        return 0.0
    k, rounds = learner.arms, ledger.rounds
    # The share that is lost goes with the gains of the best arm, T at most, and 1 - share with ln(K / delta) / beta.
    share = learner.explore + (1 + learner.beta) * learner.rate * k
    doubt = log(k / failure(learner)) / learner.beta
    return learner.width * (learner.beta * k * rounds + share * rounds + doubt + log(k) / learner.rate)


@theorem(
    title="Regret of Exp3.P as printed",
    quantity="regret",
    counts=regret,
    formula=r"R_T \le 5.15 \sqrt{T_0 K \ln(K / \delta)},\quad \beta = \sqrt{\frac{\ln(K / \delta)}{T_0 K}},"
    r"\ \eta = 0.95 \sqrt{\frac{\ln K}{T_0 K}},\ \gamma = 1.05 \sqrt{\frac{K \ln K}{T_0}},\ T \le T_0",
    source="Bubeck & Cesa-Bianchi 2012, Thm 3.2",
    kind="probable",
    assumes=(CONFIDENT, TUNED, ALL_AWAKE, IN_TIME, SETTLED, *REALISED),
    whole=False,
    event="exp3-p",
)
def exp3_p_book(ledger: BanditLedger, comparator: BanditComparator, learner: BanditFacts) -> float:
    """With parameters tuned for T_0 rounds the regret of T <= T_0 rounds is with probability 1 - delta at most 5.15
    sqrt(T_0 K ln(K / delta)). Where that is less than T_0, explore is below 1/4 and beta below 1/10; where it is not,
    it says nothing."""
    if learner.arms == 1:
        return 0.0
    reach = (learner.horizon or 0) * learner.arms
    return learner.width * 5.15 * sqrt(reach * log(learner.arms / failure(learner)))


@theorem(
    title="Observable regret by gains",
    quantity="regret",
    counts=regret,
    formula=r"R_T \le \max_j \left(\tilde{G}_j - \sum_{t: j\ \text{awake}} g_{t,I_t}\right)"
    r" + \frac{\ln(K / \delta)}{\beta}",
    source="Bubeck & Cesa-Bianchi 2012, Lemma 3.1, before anything is bounded",
    kind="probable",
    assumes=(BONUS, SETTLED, *REALISED),
    whole=False,
    at_once=fixed_arms,
    event="exp3-p",
)
def exp3_p_observable(ledger: BanditLedger, comparator: BanditComparator, learner: BanditFacts) -> float:
    """With probability 1 - delta the regret against all arms is at most the largest of their estimated gains, less what
    was gained, plus ln(K / delta) / beta, each arm over the rounds in which it was awake. The losses of arms that were
    not drawn need not be known, but all others must be."""
    if learner.arms == 1:
        return 0.0
    gained = (ledger.rounds - ledger.asleep) - (ledger.loss - ledger.missed)
    doubt = log(learner.arms / failure(learner)) / learner.beta
    return learner.width * (read_off(ledger.estimates - gained, comparator) + doubt)


EXP3_P = (exp3_p, exp3_p_book, exp3_p_observable, observable)
