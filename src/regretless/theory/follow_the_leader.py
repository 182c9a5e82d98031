"""How much more than the best expert can one lose who follows the leader?

The leaders are the experts with the least sum of charges so far, L*. A round in which all of them lead on charges each
of them, and so their mix, what L* grows by; any other one charges the mix at most S more, the difference of the largest
and the smallest charge: L* grows by the smallest charge at least. So the regret is at most S times the number of rounds
in which a leader leads no more. Silent experts are charged the mix, as everywhere.
"""

from __future__ import annotations

from ..comparator import ExpertComparator
from ..ledger import ExpertLedger
from ..theorem import theorem
from .expert_facts import REGRET, ExpertFacts, delay_cost, most_regret, regret, scheduled
from .experts import hedge_posterior

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
