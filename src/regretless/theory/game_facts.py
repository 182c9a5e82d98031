"""What a theorem may ask of two players besides their ledger, and what all of these theorems share.

The row player wins p'Aq with p and q. With T rounds of weights w_t that sum to W,

    p = sum w_t p_t / W,    q = sum w_t q_t / W

are the average strategies, and gap = max_i (A q)_i - min_j (p' A)_j is what both players together could gain by
answering them. Regrets are weighted sums: R1 = max_i sum w_t ((A q_t)_i - p_t' A q_t) of the row player, and R2 of
the column player likewise. If it moves second, it meets p_t with q'_t = q_{t-1} and only then moves to q_t, which p_t
meets.

What was observed is computed afresh, in floats, and so are the sums in a ledger. Every bound on it is raised by what
rounding may have to do with that, `rounding` of the comparator, so that no line prints a false inequality.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isnan, nan, sqrt
from typing import NamedTuple

from ..comparator import GameComparator
from ..facts import Facts
from ..ledger import GameLedger
from ..theorem import Check

SMALLEST, LARGEST = 2.0**-400, 2.0**400


class PlayRule(NamedTuple):
    """A rule by which players learn from each other.

    Attributes
    ----------
    exponential : bool
        Whether weights are exponentials of sums of payoffs; else they match regrets.
    predicts : bool
        Whether the last payoffs, or regrets, are expected again.
    clips : bool
        Whether regrets below 0 are forgotten. Such players take turns and count later rounds for more, unless the user
        says otherwise.
    """

    exponential: bool
    predicts: bool
    clips: bool


MATRIX_RULES = {
    "hedge": PlayRule(exponential=True, predicts=False, clips=False),
    "optimistic-hedge": PlayRule(exponential=True, predicts=True, clips=False),
    "rm": PlayRule(exponential=False, predicts=False, clips=False),
    "rm+": PlayRule(exponential=False, predicts=False, clips=True),
    "prm+": PlayRule(exponential=False, predicts=True, clips=True),
}
"""Of players of a matrix."""
TREE_RULES = {
    "cfr": PlayRule(exponential=False, predicts=False, clips=False),
    "cfr+": PlayRule(exponential=False, predicts=False, clips=True),
    "pcfr+": PlayRule(exponential=False, predicts=True, clips=True),
}
"""Of players with such a rule in every information set."""
NO_RULE = PlayRule(exponential=False, predicts=False, clips=False)


@dataclass(frozen=True, slots=True)
class GameFacts(Facts):
    """Two players as they stand after their last round, or a solver after its last step.

    Attributes
    ----------
    rows, columns : int
        How many strategies there are.
    method : str
        One of `MATRIX_RULES` or `TREE_RULES` of self-play, or the name of another method.
    alternate : bool
        Whether the column player moves second.
    power : int
        The weight of round t in the average is t to this power.
    row_rate, column_rate : float
        Constant rates of exponential weights; NaN if they fall as 2 sqrt(ln m / t) over the spread.
    row_information, column_information : float
        -ln of the least probability that exponential weights begin with; NaN where they begin uniformly.
    row_spread, column_spread : float
        By how much two payoffs of the row player, and of the column player, may differ; NaN where that is unknown.
    zero_sum : bool
        Whether the column player loses what the row player wins.
    claim : float or None
        What the solver itself measured of the gap of the strategies that it returned; true but for rounding.
    basic : bool
        Whether the strategies are a basic solution of the game's linear program.
    """

    rows: int
    columns: int
    method: str = ""
    alternate: bool = False
    power: int = 0
    row_rate: float = nan
    column_rate: float = nan
    row_information: float = nan
    column_information: float = nan
    row_spread: float = nan
    column_spread: float = nan
    zero_sum: bool = True
    claim: float | None = None
    basic: bool = False


def rule_of(learner: GameFacts) -> PlayRule:
    """The rule of the players; of another method `NO_RULE`."""
    return MATRIX_RULES.get(learner.method) or TREE_RULES.get(learner.method, NO_RULE)


def weight_share(rounds: float, power: int) -> float:
    """What the last of so many rounds weighs in the average, of weights t to that power."""
    if power == 0:
        return 1 / rounds
    if power == 1:
        return 2 / (rounds + 1)
    return 6 * rounds / ((rounds + 1) * (2 * rounds + 1))


def root(sum_of_squares: float) -> float:
    """A square root of what rounding may have left below zero."""
    return sqrt(max(0.0, sum_of_squares))


def lost_in_turns(ledger: GameLedger) -> float:
    """What taking turns cost per round, if it did cost anything."""
    return max(0.0, ledger.turn) / ledger.weight


def gap(ledger: GameLedger, _: GameComparator) -> float:
    """The duality gap of the answer."""
    return ledger.gap


def _played(ledger: GameLedger, _: GameComparator, __: GameFacts) -> bool:
    return ledger.rounds >= 1 and ledger.weight > 0


def _alike(_: GameLedger, __: GameComparator, learner: GameFacts) -> bool:
    return learner.power == 0


def _at_once(_: GameLedger, __: GameComparator, learner: GameFacts) -> bool:
    return not learner.alternate


def _known(_: GameLedger, __: GameComparator, learner: GameFacts) -> bool:
    return 0 <= learner.row_spread < inf and 0 <= learner.column_spread < inf


def _zero_sum(_: GameLedger, __: GameComparator, learner: GameFacts) -> bool:
    return learner.zero_sum


def _squares(ledger: GameLedger, _: GameComparator, learner: GameFacts) -> bool:
    spreads = learner.row_spread, learner.column_spread
    if not any(isnan(spread) for spread in spreads):
        return all(SMALLEST < spread < LARGEST for spread in spreads if spread > 0)
    # The size of payoffs is not known: the sums show whether any of them was lost.
    sums = [ledger.row_square] * (ledger.row_norm > 0) + [ledger.column_square] * (ledger.column_norm > 0)
    rule = rule_of(learner)
    if rule.exponential and rule.predicts:
        sums += [ledger.row_shift] * (learner.rows > 1) + [ledger.column_shift] * (learner.columns > 1)
    return all(SMALLEST**2 < total < LARGEST**2 for total in sums)


Assumption = tuple[str, Check]

PLAYED: Assumption = ("no round has been played yet", _played)
ALIKE: Assumption = ("it is about averages in which every round counts alike, and later ones counted for more", _alike)
AT_ONCE: Assumption = ("it is about players who move at once, and these took turns", _at_once)
KNOWN: Assumption = ("it needs to know by how much payoffs may differ, and of these only products are known", _known)
ZERO_SUM: Assumption = ("it is about zero-sum games, and in this one both may win", _zero_sum)
SQUARES: Assumption = ("the squares of payoffs as large or small as these have no room in floats", _squares)


def gain(_: GameLedger, comparator: GameComparator) -> float:
    """What the player who gains more by answering the other's strategy gains by it."""
    return float(max(comparator.detail["row_gain"], comparator.detail["column_gain"]))
