"""How much more than the best arm can Tsallis-INF lose?

It follows the regularised leader: p_t minimises <w, L_{t-1}> - 4 sum sqrt(w_i) / eta_t over the simplex. Rates that
fall to eta_T cost 4 (sqrt K - 1) / eta_T, as -4 sqrt K <= -4 sum sqrt(w_i) <= -4 in between. Besides, a round costs at
most the largest <p - w, c> - D(w, p) over all w >= 0, for charges c = lhat - x with any x that is the same for all
arms. Arm i adds (2 sqrt(p_i) / eta) a^2 / (1 + a), a = eta sqrt(p_i) c_i / 2 > -1, and no more than p_i c_i if c_i is
not negative.

Importance weights, x = 0: the mean over the draw is at most eta sqrt(p_i) l_i^2 / 2, in all eta sqrt(K) / 2 = sqrt(K /
t); and <p, lhat> <= 1. So the rounds cost min(1, sqrt(K / t)), no more than 2 sqrt(K T) - K if T >= K.

Reduced variance: as long as eta_t^2 = 16 / t >= 1 there is no guess, and a round costs at most 1. Later x = 1/2. An
arm with p >= eta^2 has c = (l - 1/2) / p if drawn, else 0, and |a| <= eta / (4 sqrt p) <= 1/4: eta sqrt(p) / 8 + eta^2
/ 24 in the mean, as 1 / (1 + a) <= 1 + 4 |a| / 3 there. Any other arm has c between -1/2 and 1 / p if drawn, else -1/2.
The former costs at most eta^2 / (4 y (1 + y)) <= eta^2 / 3 in the mean, with y = eta / (2 sqrt p) >= 1/2, the latter at
most eta^4 / 6, as a >= -1/4. All arms and rounds from 17 to T together cost at most the sum of sqrt(K / t) / 2 +
K (16 / (3 t) + 128 / (3 t^2)).
"""

from __future__ import annotations

from math import log, sqrt

from ..comparator import BanditComparator
from ..ledger import BanditLedger
from ..theorem import theorem
from .bandit_facts import ALL_AWAKE, EXPECTED, IN_TIME, BanditFacts, regret


def _excused(ledger: BanditLedger, _: BanditComparator, learner: BanditFacts) -> bool:
    return learner.estimator == "importance" or ledger.unsettled == 0


EXCUSED = ("estimates with reduced variance want every loss, and some never came", _excused)
LEARNT = (EXCUSED, ALL_AWAKE, IN_TIME, *EXPECTED)


def _importance(arms: int, rounds: float) -> float:
    shaken = rounds if rounds <= arms else 2 * sqrt(arms * rounds) - arms
    return 2 * (sqrt(arms) - 1) * sqrt(rounds) + shaken


def _reduced(arms: int, rounds: float) -> float:
    if rounds <= 16:
        return rounds
    shaken = sqrt(arms) * (sqrt(rounds) - 4) + arms * (16 / 3 * log(rounds / 16) + 128 / 3 * (1 / 16 - 1 / rounds))
    return (sqrt(arms) - 1) * sqrt(rounds) + 16 + shaken


@theorem(
    title="Pseudo-regret of Tsallis-INF",
    quantity="pseudo-regret",
    counts=regret,
    formula=r"\bar{R}_T \le 4\sqrt{KT} - 2\sqrt{T} - K + U \ \text{(} T \ge K \text{)},\quad"
    r" (2\sqrt{K} - 1)\sqrt{T} + 16 - 4\sqrt{K} + \tfrac{16}{3} K \ln\tfrac{T}{16}"
    r" + \tfrac{8}{3} K \left(1 - \tfrac{16}{T}\right) \ \text{(reduced, } T \ge 16 \text{)}",
    source="the proof of Zimmert & Seldin 2021, Thm 1, with its sums in full",
    kind="expected",
    assumes=LEARNT,
    whole=False,
)
def tsallis(ledger: BanditLedger, comparator: BanditComparator, learner: BanditFacts) -> float:
    """Against every arm the expected regret is at most 4 sqrt(K T) - 2 sqrt(T) - K by importance weights, from K rounds
    on, where each of U draws whose loss never came adds 1; with reduced variance it is at most (2 sqrt(K) - 1) sqrt(T)
    + 16 - 4 sqrt(K) + 16/3 K ln(T / 16) + 8/3 K (1 - 16 / T), from 16 rounds on."""
    if learner.arms == 1:
        return 0.0
    cost = _importance if learner.estimator == "importance" else _reduced
    return learner.width * (cost(learner.arms, ledger.rounds) + ledger.unsettled)


@theorem(
    title="Pseudo-regret of Tsallis-INF as printed",
    quantity="pseudo-regret",
    counts=regret,
    formula=r"\bar{R}_T \le 4\sqrt{KT} + 1 + U,\quad 2\sqrt{KT} + 10 K \ln T + 16 \ \text{(reduced)}",
    source="Zimmert & Seldin 2021, Thm 1",
    kind="expected",
    assumes=LEARNT,
    whole=False,
)
def tsallis_book(ledger: BanditLedger, comparator: BanditComparator, learner: BanditFacts) -> float:
    """Against every arm the expected regret is at most 4 sqrt(K T) + 1 by importance weights, where each of U draws
    whose loss never came adds 1, and 2 sqrt(K T) + 10 K ln T + 16 with reduced variance."""
    if learner.arms == 1:
        return 0.0
    reach = learner.arms * ledger.rounds
    if learner.estimator == "importance":
        return learner.width * (4 * sqrt(reach) + 1 + ledger.unsettled)
    return learner.width * (2 * sqrt(reach) + 10 * learner.arms * log(ledger.rounds) + 16)
