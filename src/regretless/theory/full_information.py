"""How much more than the best arm can Hedge lose, which draws one arm and sees the losses of all?

The weights never learn which arm was drawn: what they mix, <p_t, l_t>, has the regret of exponential weights, whatever
the losses are, and the loss of the draw differs from it by luck alone, which is 0 in expectation. So even where losses
answer to earlier draws the expected regret against the best arm in hindsight is bounded: no arm need be fixed
beforehand. With arms asleep that is another matter, as each is compared with draws of other rounds.
"""

from __future__ import annotations

from math import log, sqrt

from ..comparator import BanditComparator
from ..ledger import BanditLedger
from ..theorem import theorem
from .bandit_facts import (
    ALL_AWAKE,
    FALLING,
    FIXED,
    FIXED_IF_SLEPT,
    IN_TIME,
    PLAYED,
    REALISED,
    SAME_ROUNDS,
    SETTLED,
    BanditFacts,
    failure,
    regret,
)


def _mixed_regret(ledger: BanditLedger, comparator: BanditComparator) -> float:
    return ledger.width * (ledger.mixed - comparator.loss)


def _of_the_mix(ledger: BanditLedger, learner: BanditFacts) -> float:
    """A gap <p, c> + ln(sum p exp(-eta c)) / eta is at most eta / 8 for charges in [0, 1] (Hoeffding)."""
    return log(learner.arms) / ledger.last_rate + ledger.rates / 8


SEEN = (PLAYED, FALLING, IN_TIME, SETTLED)


@theorem(
    title="Regret of the mixed draws",
    quantity="mixed regret",
    counts=_mixed_regret,
    formula=r"\sum_t \langle p_t, \ell_t \rangle - L_j \le \frac{\ln K}{\eta_T} + \frac{1}{8} \sum_t \eta_t",
    source="Cesa-Bianchi & Lugosi 2006, Thm 2.2, for rates that never grow",
    assumes=(*SEEN, ALL_AWAKE, FIXED, SAME_ROUNDS),
    whole=False,
)
def hedge_mixed(ledger: BanditLedger, comparator: BanditComparator, learner: BanditFacts) -> float:
    """The losses as the probabilities of the draws mix them exceed those of every arm by at most ln K over the last
    rate plus an eighth of the sum of the rates, in every run and whatever the losses."""
    if learner.arms == 1:
        return 0.0
    return learner.width * _of_the_mix(ledger, learner)


@theorem(
    title="Expected regret of Hedge",
    quantity="expected regret",
    counts=regret,
    formula=r"\mathbb{E} R_T \le \frac{\ln K}{\eta_T} + \frac{1}{8} \sum_t \eta_t",
    source="Cesa-Bianchi & Lugosi 2006, Thm 2.2; sleeping arms: Freund, Schapire, Singer & Warmuth 1997",
    kind="expected",
    assumes=(*SEEN, FIXED, FIXED_IF_SLEPT, SAME_ROUNDS),
    whole=False,
)
def hedge_expected(ledger: BanditLedger, comparator: BanditComparator, learner: BanditFacts) -> float:
    """The expected regret, against the best arm in hindsight even where losses answer to the draws, is at most ln K
    over the last rate plus an eighth of the sum of the rates: sqrt(T ln K / 2) at the constant rate for T rounds. With
    arms asleep it is that against an arm that is fixed beforehand, over the rounds in which it was awake."""
    if learner.arms == 1:
        return 0.0
    return learner.width * _of_the_mix(ledger, learner)


@theorem(
    title="Regret of the draws",
    quantity="regret",
    counts=regret,
    formula=r"R_T \le \frac{\ln K}{\eta_T} + \frac{1}{8} \sum_t \eta_t + \sqrt{\tfrac{1}{2} T \ln\tfrac{1}{\delta}}"
    r"\ \left(\ln\tfrac{K}{\delta}\ \text{if arms sleep}\right)",
    source="Cesa-Bianchi & Lugosi 2006, Thm 2.2; Azuma 1967; Hoeffding 1963",
    kind="probable",
    assumes=(*SEEN, *REALISED),
    whole=False,
    at_once=lambda _: False,
)
def hedge_sampled(ledger: BanditLedger, comparator: BanditComparator, learner: BanditFacts) -> float:
    """With probability 1 - delta, for a number of rounds fixed beforehand, the regret of the draws themselves is at
    most sqrt(T ln(1 / delta) / 2) more than that of what they mix; where arms slept, and each is compared over rounds
    of its own, sqrt(T ln(K / delta) / 2)."""
    if learner.arms == 1:
        return 0.0
    events = learner.arms if ledger.restricted else 1
    luck = sqrt(ledger.rounds * log(events / failure(learner)) / 2)
    return learner.width * (_of_the_mix(ledger, learner) + luck)
