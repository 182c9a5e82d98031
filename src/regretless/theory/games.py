"""The theorems about every solution of a zero-sum game, and those of each method, of matrices and of sequence forms.

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

**Boosting is a game**: one player mixes hypotheses, the other weighs the examples.

margins[h, x] = y_x h(x), at most 1 in absolute value, is how right hypothesis h is on example x. Votes v, which are
not negative and sum to 1, have the margin sum_h v_h margins[h, x] on x; under weights q of the examples, h has the
edge sum_x q_x margins[h, x]. For any votes and weights

    min_x (margin of v on x)  <=  value of the game  <=  max_h (edge of h under q),

so that the best least margin is the least best edge (Freund and Schapire 1996; weak duality says the inequality, and
von Neumann's theorem that there is equality): every weighting of the examples leaves some hypothesis an edge of gamma
or more if and only if some votes have a margin of gamma or more on all examples.

**Hedge** on the examples, which loses margins[h_t, x] in the round in which h_t has the largest edge gamma_t, has the
regret

    sum_t gamma_t - min_x sum_t margins[h_t, x]  <=  ln n / eta + eta D^2 T / 8,

with D the range of the margins. The votes that give every h_t a share of 1 / T therefore have a least margin of at
least the mean edge, which is no less than the value, less ln n / (eta T) + eta D^2 / 8.

**AdaBoost** gives h_t the vote alpha_t = ln((1 + gamma_t) / (1 - gamma_t)) / 2 and the weights the rate alpha_t. For
|z| <= 1, exp(-alpha z) <= (1 + z) / 2 exp(-alpha) + (1 - z) / 2 exp(alpha), whose mean under the weights is sqrt(1 -
gamma_t^2). So the mean of exp(-sum_t alpha_t margins[h_t, x]) over the examples is at most the product of these, and
the mean is at least the share of examples whose margin is not above 0 (Freund and Schapire 1997).

Edges and margins are computed in floats, and every bound is raised by what rounding may have to do with that.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, isnan, log, nan, sqrt
from typing import Any

import numpy as np

from ..certificate import Most
from ..comparator import GameComparator
from ..facts import Facts
from ..ledger import GameLedger
from ..theorem import Theorem, theorem
from .game_facts import (
    KNOWN,
    MATRIX_RULES,
    PLAYED,
    SQUARES,
    TREE_RULES,
    ZERO_SUM,
    GameFacts,
    gain,
    gap,
    lost_in_turns,
    root,
    rule_of,
    weight_share,
)
from .self_play import HEDGE, MATCHING, OPTIMISTIC, matching, optimistic, regret_identity, von_neumann


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
    """For any two strategies the value of the game lies between what the one wins at least and what the
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
} | {
    name: (weak_duality, *(OPTIMISTIC if rule.predicts else HEDGE))
    if rule.exponential
    else (weak_duality, regret_identity, *MATCHING)
    for name, rule in MATRIX_RULES.items()
}
BEFOREHAND = (von_neumann, optimistic, matching)  # what is known before the first round


def gains_by_turns(learner: GameFacts) -> bool:
    """Whether it is known beforehand that taking turns costs nothing, where they are taken."""
    rule = rule_of(learner)
    steady = not rule.exponential or not isnan(learner.column_rate)
    return not learner.alternate or (steady and not rule.predicts)


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
    book, comparator = GameLedger(rounds=rounds, weight=1.0, last_weight=1.0), GameComparator()
    for one in BY_METHOD.get(learner.method, OTHERS):
        if one in BEFOREHAND and one.obstacle(book, comparator, learner) is None:
            return one.title, one.value(book, comparator, learner)
    return None


# ---- What regret matchers in every information set bound, for games that are played move by move.
#
# In round t the row player holds a plan x_t: in each information set I it plays action a with probability b_I(a), and
# comes to I, as far as that depends on itself, with the probability x_t(I) of the sequence that leads there. Against
# the other's plan each action of I is worth u_I(a): what it wins until the end of play, or until the player moves
# again, and then what the player's own plan wins from there. The matcher of I learns from r_I = u_I - <b_I, u_I>.
#
# **Every plan is compared, set by set.** Take the sets from the last to the first. For any plan x* with actions b*,
#
#     (x* - x_t)' A y_t  =  sum over I of x*(I) <b*_I - b_I, u_I>  =  sum over I of x*(I) <b*_I, r_I>,
#
# as at each I the values below it are those of x_t already, and the difference made there is weighed by how often x*
# comes there. So with R_I the weighted sums of r_I the regret is at most
#
#     max over plans x of  sum over I of x(I) max(0, max_a R_I(a))  <=  sum over I of max(0, max_a R_I(a))
#
# (Zinkevich, Johanson, Bowling and Piccione 2007, Theorem 3, is the right side). On the left only those sets count
# which one plan can come to: the most is found going backwards through the sets, and is attained at a pure plan.
#
# **What is kept.** As in one game, the regret of a set is at most the last weight w_T times the length |Q_I| of what
# its matcher keeps, if that is never negative, and |Q_I|^2 is at most the sum of |r_I - v_I|^2 over the rounds. If no
# plan comes to more than K sets, the sum of |Q_I| over those that one comes to is at most sqrt(K sum |Q_I|^2). CFR's
# matchers, which remember negative regrets, let what they have fade by w_{t-1} / w_t before each round: they keep 1 /
# w_T of the weighted sum, so that the same holds of them, and their squares enter by (w_t / w_T)^2.
#
# **Before the first round.** u_I(a) lies between the least and the most that the sequence may come to be worth,
# whatever anybody does, chance counted by its probabilities. If D_I is the range of these over the actions of I, then
# |r_I|^2 <= (k - 1) D_I^2 with k actions, as in one game.
#
# **Turns.** Moving from y' to y changes what a second mover wins against x_t by sum over I of y(I) <b_I, r_I>, by the
# same identity, with the regrets r_I of y'. Each matcher that is not predictive moves such that <b_I, r_I> >= 0. So
# turn <= 0.


Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class SequenceFacts(GameFacts):
    """Two players of a game in sequence form as they stand after their last round.

    `rows` and `columns` count sequences, and spreads are those of expected payoffs.

    Attributes
    ----------
    row_reach, column_reach : float
        The most that sqrt(k - 1) D_I adds up to over the information sets that one plan of the player comes to, with k
        actions that differ by D_I at most.
    row_sets, column_sets : float
        To how many information sets one plan of the player comes at most.
    started : bool
        Whether the players began with plans that were given to them.
    """

    row_reach: float = nan
    column_reach: float = nan
    row_sets: float = nan
    column_sets: float = nan
    started: bool = False


def most_of_a_plan(first: Array, parent: Array, worth: Array) -> float:
    """The most that numbers of information sets add up to over those that one plan comes to.

    Parameters
    ----------
    first : ndarray of int, shape (sets + 1,)
        ``first[i]`` to ``first[i + 1] - 1`` are the sequences that end in set i, which comes after the one that leads
        there.
    parent : ndarray of int, shape (sets,)
        The sequence that leads to each set.
    worth : ndarray, shape (sets,)
        A number of each set, not negative.
    """
    sums = np.zeros(int(first[-1]) if len(first) else 1)
    for place in range(len(parent) - 1, -1, -1):
        sums[parent[place]] += worth[place] + sums[first[place] : first[place + 1]].max()
    return float(sums[0])


def reach(first: Array, parent: Array, low: Array, high: Array) -> tuple[float, float]:
    """Of a player whose sequences may be worth between `low` and `high`, the row_reach and row_sets of the facts.

    Parameters
    ----------
    first : ndarray of int, shape (sets + 1,)
    parent : ndarray of int, shape (sets,)
        As in `most_of_a_plan`.
    low, high : ndarray, shape (sequences,)
        The least and the most that each sequence may come to be worth, in the units of payoffs.

    Returns
    -------
    reach, sets : float
        The most that one plan comes to, of sqrt(k - 1) times the range for a set of k actions, and of sets.
    """
    if not len(parent):
        return 0.0, 0.0
    begins = first[:-1]
    ranges = np.maximum.reduceat(high, begins) - np.minimum.reduceat(low, begins)
    scales = np.sqrt(np.diff(first) - 1.0)
    return most_of_a_plan(first, parent, scales * ranges), most_of_a_plan(first, parent, np.ones(len(parent)))


def plans_gain_by_turns(learner: SequenceFacts) -> bool:
    """Whether it is known beforehand that taking turns costs nothing, where they are taken."""
    return not learner.alternate or (not rule_of(learner).predicts and not learner.started)


def weighted_root(rounds: float, learner: GameFacts) -> float:
    """The root of the sum of the squared weights over the sum of the weights, where the weights are those of the
    regrets; else the last weight, times the root of the number of rounds, over that sum."""
    if rule_of(learner).clips or learner.power == 0:
        return weight_share(rounds, learner.power) * sqrt(rounds)
    if learner.power == 1:
        return sqrt(2 * (2 * rounds + 1) / (3 * rounds * (rounds + 1)))
    squares = (3 * rounds**2 + 3 * rounds - 1) / 5  # the sum of t^4 over the sum of t^2
    return sqrt(squares / (rounds * (rounds + 1) * (2 * rounds + 1) / 6))


@theorem(
    title="Counterfactual regret",
    quantity="duality gap",
    counts=gap,
    formula=r"\mathrm{gap} \le \frac{w_T \sqrt{T}}{W} \sum_{\text{players}} \max_x \sum_I x(I)\, D_I \sqrt{k_I - 1}",
    source="after Zinkevich, Johanson, Bowling & Piccione 2007, Thms 3 and 4, over the sets that one plan comes to",
    assumes=(PLAYED, ZERO_SUM, KNOWN),
    whole=False,
)
def counterfactual(ledger: GameLedger, comparator: GameComparator, learner: SequenceFacts) -> float:
    """After T rounds of a regret matcher in every information set the gap of the average plans is at most the sum
    over both players of the most that D_I sqrt(k - 1) adds up to over the sets I which one plan comes to, over
    sqrt(T); with weights t or t^2 at most 2 or 3 times that; of predictive ones twice as much. Predictive ones may
    lose by taking turns, and so may those that begin with given plans: what that cost, if it did, is added. k is the
    number of actions of I, and D_I the range of what they may be worth, the probabilities of coming there of the
    other and of chance counted."""
    expected = sqrt(4 - 3 / ledger.rounds) if rule_of(learner).predicts else 1.0
    reaches = expected * (learner.row_reach + learner.column_reach)
    return reaches * weighted_root(ledger.rounds, learner) + lost_in_turns(ledger) + comparator.rounding


@theorem(
    title="Regrets of the rounds",
    quantity="duality gap",
    counts=gap,
    formula=r"\sum_I x(I)\, \lvert Q_I \rvert \le \sqrt{K \textstyle\sum_t \sum_I \lvert r_{I,t} - v_{I,t} \rvert_2^2}",
    source="Blackwell 1956, in each information set; Farina, Kroer & Sandholm 2021, without their sqrt 2",
    assumes=(PLAYED, ZERO_SUM, SQUARES),
    whole=False,
)
def sequence_squares(ledger: GameLedger, comparator: GameComparator, learner: SequenceFacts) -> float:
    """Each player's regret is at most the last weight times the square root of K times the sum of the squared regrets
    of all rounds and information sets, less what was predicted of them, where one plan comes to K sets at most. Both,
    and what taking turns was worth, bound the gap."""
    lengths = root(learner.row_sets * ledger.row_square) + root(learner.column_sets * ledger.column_square)
    return (ledger.last_weight * lengths + ledger.turn) / ledger.weight + comparator.rounding


@theorem(
    title="Final regrets",
    quantity="duality gap",
    counts=gap,
    formula=r"W \cdot \mathrm{gap} \le w_T \sum_{\text{players}} \max_x \sum_I x(I)\, \lvert Q_I \rvert_2"
    r" + \mathrm{turn}",
    source="Zinkevich, Johanson, Bowling & Piccione 2007, Thm 3; Tammelin, Burch, Johanson & Bowling 2015",
    assumes=(PLAYED, ZERO_SUM),
    whole=False,
)
def sequence_final_regrets(ledger: GameLedger, comparator: GameComparator, learner: SequenceFacts) -> float:
    """The gap of the average plans is at most the last weight over the sum of the weights times the most that the
    lengths of what the matchers keep at the end add up to over the information sets that one plan of a player comes to,
    of both players, with what taking turns was worth."""
    lengths = ledger.row_norm + ledger.column_norm
    return (ledger.last_weight * lengths + ledger.turn) / ledger.weight + comparator.rounding


CFR = (weak_duality, regret_identity, counterfactual, sequence_squares, sequence_final_regrets)
OF_SEQUENCES: dict[str, tuple[Theorem, ...]] = {
    "linear-programming": OTHERS,
    **dict.fromkeys(TREE_RULES, CFR),
}


@dataclass(frozen=True, slots=True)
class BoostLedger:
    """What a run of boosting came to.

    Attributes
    ----------
    rounds : float
    mean_edge, least_edge : float
        Of the best hypothesis of each round.
    product : float
        Of sqrt(1 - edge^2) over the rounds.
    margin : float
        The least margin of the votes on any example.
    wrong : float
        The share of the examples on which it is not above 0.
    """

    rounds: float
    mean_edge: float
    least_edge: float
    product: float
    margin: float
    wrong: float


@dataclass(frozen=True, slots=True)
class BoostFacts(Facts):
    """A booster.

    Attributes
    ----------
    examples : int
        How many it weighs.
    spread : float
        The range of the margins.
    rate : float or None
        Of Hedge; None of AdaBoost.
    """

    examples: int
    spread: float
    rate: float | None


def _boosted(ledger: BoostLedger, _: GameComparator, __: BoostFacts) -> bool:
    return ledger.rounds >= 1


def _hedges(_: BoostLedger, __: GameComparator, learner: BoostFacts) -> bool:
    return learner.rate is not None and isfinite(learner.rate) and learner.rate > 0


def _known(_: BoostLedger, __: GameComparator, learner: BoostFacts) -> bool:
    return isfinite(learner.spread)


def _adapts(_: BoostLedger, __: GameComparator, learner: BoostFacts) -> bool:
    return learner.rate is None


def _most_shortfall(_: BoostLedger, __: GameComparator, learner: BoostFacts) -> Most:
    return Most(learner.spread, "the range of the margins")


def _most_share(*_: object) -> Most:
    return Most(1.0, "1, all examples")


BOOSTED = ("no round has been played yet", _boosted)


@theorem(
    title="Margins and edges",
    quantity="least margin",
    counts=lambda ledger, _: ledger.margin,
    formula=r"\min_x \sum_h v_h\, m_{h,x} \le v^* \le \max_h \sum_x q_x\, m_{h,x}",
    source="Freund & Schapire 1996; weak duality",
    assumes=(BOOSTED,),
    whole=False,
)
def margins_and_edges(ledger: BoostLedger, comparator: GameComparator, learner: BoostFacts) -> float:
    """No votes have a larger least margin than the least edge that a best hypothesis had in any round; the value of the
    game lies between the two."""
    return ledger.least_edge + comparator.rounding


@theorem(
    title="Boosting by Hedge",
    quantity="mean edge less least margin",
    counts=lambda ledger, _: ledger.mean_edge - ledger.margin,
    formula=r"\frac{1}{T} \sum_t \gamma_t - \min_x \sum_h v_h\, m_{h,x} \le \frac{\ln n}{\eta T} + \frac{\eta D^2}{8}",
    source="Freund & Schapire 1996; 1999, with the constant of Cesa-Bianchi & Lugosi 2006, Thm 2.2",
    assumes=(
        BOOSTED,
        ("it is about Hedge at a constant rate, and AdaBoost sets its own", _hedges),
        ("it needs to know by how much margins may differ, and of these only products are known", _known),
    ),
    whole=False,
    most=_most_shortfall,
)
def boosting_by_hedge(ledger: BoostLedger, comparator: GameComparator, learner: BoostFacts) -> float:
    """After T rounds in which the hypothesis with the largest edge gets a vote and Hedge weighs the n examples anew,
    no example's margin is farther below the mean edge than ln n / (eta T) + eta D^2 / 8: D sqrt(ln n / (2 T)) at the
    rate sqrt(8 ln n / T) / D, D being the range of the margins, 2 of hypotheses that answer -1 or 1. Where every edge
    exceeds that, every example is voted right."""
    if learner.rate is None or learner.examples == 1:
        return comparator.rounding
    spent = learner.rate * learner.spread * learner.spread / 8
    return log(learner.examples) / (learner.rate * ledger.rounds) + spent + comparator.rounding


@theorem(
    title="AdaBoost",
    quantity="share of wrong examples",
    counts=lambda ledger, _: ledger.wrong,
    formula=r"\frac{1}{n} \lvert \{x : \textstyle\sum_h v_h\, m_{h,x} \le 0\} \rvert \le \prod_t \sqrt{1 - \gamma_t^2}",
    source="Freund & Schapire 1997, Thm 6; Schapire & Singer 1999, Cor. 1",
    assumes=(BOOSTED, ("it is about AdaBoost, which sets its own rates", _adapts)),
    whole=False,
    most=_most_share,
)
def adaboost(ledger: BoostLedger, comparator: GameComparator, learner: BoostFacts) -> float:
    """The share of the examples on which AdaBoost's votes are wrong, or undecided, is at most the product of sqrt(1 -
    edge^2) over the rounds."""
    return min(1.0, ledger.product * (1 + comparator.rounding))


BOOSTING = (margins_and_edges, boosting_by_hedge, adaboost)
