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

from math import log
from typing import Any

import numpy as np

from ..comparator import BanditComparator
from ..ledger import BanditLedger
from ..theorem import theorem
from .bandit_facts import EXPLORES, PLAYED, REALISED, BanditFacts, failure, one_rate, regret

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
