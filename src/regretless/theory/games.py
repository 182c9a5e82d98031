"""The theorems about every solution of a zero-sum game, and those of each method.

**Weak duality.** For any strategies p and q, min_j (p'A)_j <= p'Aq <= max_i (Aq)_i. The left side is what p wins at
least, whatever the other does, so it is at most the value of the game; the right side is what q pays at most, so the
value is at most that. Hence the value lies between the two, and p, q are an equilibrium if and only if the gap is 0.
That the row player gains max_i (Aq)_i - p'Aq by deviating, and the column player p'Aq - min_j (p'A)_j, splits the gap
in two parts, neither of which is negative.

**Complementary slackness.** As p and q sum to 1, for every l and u

    u - l  =  sum_i p_i (u - (Aq)_i) + sum_j q_j ((p'A)_j - l).

At u = max_i (Aq)_i and l = min_j (p'A)_j no factor is negative, and the gap is what these products add up to: at an
optimal basis they are all 0. Floats come only so near to that, the less near the worse the basis is conditioned. So a
method claims what is left of the strategies that it returns, which it measures itself: u - l, or the products.

**Basic solutions.** At a vertex of {(p, v): (p'A)_j >= v for all j, p on the simplex} the k probabilities above 0,
and v, are the only solution of the equations of those columns that hold with equality, and of the sum. k + 1 unknowns
need k + 1 equations, so at least k columns are tight, and k <= n. Likewise for q: no support has more than min(m, n)
strategies (Shapley and Snow 1950).
"""

from __future__ import annotations

from math import isnan

from ..comparator import GameComparator
from ..ledger import GameLedger
from ..theorem import Theorem, theorem
from .game_facts import ZERO_SUM, GameFacts, gap
from .regret_matching import MATCHING, matching
from .self_play import HEDGE, OPTIMISTIC, optimistic, regret_identity, von_neumann


def gain(_: GameLedger, comparator: GameComparator) -> float:
    """What the player who gains more by answering the other's strategy gains by it."""
    return float(max(comparator.detail["row_gain"], comparator.detail["column_gain"]))


def _support(_: GameLedger, comparator: GameComparator) -> float:
    return float(max(comparator.detail["row_support"], comparator.detail["column_support"]))


def _claimed(_: GameLedger, __: GameComparator, learner: GameFacts) -> bool:
    return learner.claim is not None


def _basic(_: GameLedger, __: GameComparator, learner: GameFacts) -> bool:
    return learner.basic


@theorem(
    title="Weak duality",
    quantity="gain by deviating",
    counts=gain,
    formula=r"\min_j (p^\top A)_j \le v^* \le \max_i (A q)_i",
    source="von Neumann 1928; von Neumann & Morgenstern 1944, section 17",
    assumes=(ZERO_SUM,),
    whole=False,
)
def weak_duality(ledger: GameLedger, comparator: GameComparator, learner: GameFacts) -> float:
    """Whoever found the two strategies: the value of the game lies between what the one wins at least and what the
    other pays at most, and neither player gains more than the gap between the two by any other strategy."""
    return ledger.gap


@theorem(
    title="Complementary slackness",
    quantity="duality gap",
    counts=gap,
    formula=r"u - l = \sum_i p_i (u - (A q)_i) + \sum_j q_j ((p^\top A)_j - l)",
    source="Dantzig 1951; Goldman & Tucker 1956",
    assumes=(ZERO_SUM, ("the method makes no claim of its own", _claimed)),
    whole=False,
)
def complementary(ledger: GameLedger, comparator: GameComparator, learner: GameFacts) -> float:
    """The gap is what the products of each probability and what its strategy falls short of the best by add up to, and
    no larger than what the method itself measured of them for the strategies that it returned, rounding added: no more
    than rounding at an optimal basis, as far as floats can tell it."""
    return float(learner.claim or 0.0) + comparator.rounding


@theorem(
    title="Support of a basic solution",
    quantity="strategies in a support",
    counts=_support,
    formula=r"\max(\lvert \mathrm{supp}\, p \rvert, \lvert \mathrm{supp}\, q \rvert) \le \min(m, n)",
    source="Shapley & Snow 1950",
    assumes=(ZERO_SUM, ("it is about basic solutions, and the method need not end at one", _basic)),
    whole=False,
)
def basic_support(ledger: GameLedger, comparator: GameComparator, learner: GameFacts) -> float:
    """At a basic solution no player mixes more strategies than the player who has fewer of them has."""
    return float(min(learner.rows, learner.columns))


SOLVED = (weak_duality, complementary)
OTHERS = (weak_duality,)
BY_METHOD: dict[str, tuple[Theorem, ...]] = {
    "simplex": (*SOLVED, basic_support),
    "interior-point": SOLVED,
    "linear-programming": OTHERS,
    "constant": SOLVED,
    "hedge": (weak_duality, *HEDGE),
    "optimistic-hedge": (weak_duality, *OPTIMISTIC),
    "rm": (weak_duality, regret_identity, *MATCHING),
    "rm+": (weak_duality, regret_identity, *MATCHING),
    "prm+": (weak_duality, regret_identity, *MATCHING),
}
BEFOREHAND = (von_neumann, optimistic, matching)  # what is known before the first round


def gains_by_turns(learner: GameFacts) -> bool:
    """Whether it is known beforehand that taking turns costs nothing, where they are taken."""
    constant = learner.method == "hedge" and not isnan(learner.column_rate)
    return not learner.alternate or constant or learner.method in ("rm", "rm+")


def gap_at(learner: GameFacts, rounds: float) -> tuple[str, float] | None:
    """What is promised of the gap before the first of so many rounds, by its title; None where nothing is.

    Parameters
    ----------
    learner : GameFacts
        Two players as they would stand.
    rounds : float
        At least 1.

    Returns
    -------
    (str, float) or None
    """
    if not gains_by_turns(learner):
        return None
    book, nobody = GameLedger(rounds=rounds, weight=1.0, last_weight=1.0), GameComparator()
    for one in BY_METHOD.get(learner.method, OTHERS):
        if one in BEFOREHAND and one.obstacle(book, nobody, learner) is None:
            return one.title, one.value(book, nobody, learner)
    return None
