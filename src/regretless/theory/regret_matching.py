"""What regret matchers keep bounds their regret, and the gap of the game that they play against each other.

A player of m strategies meets payoffs u_t that differ by at most D, and r_t = u_t - <p_t, u_t> are the regrets of a
round. **RM** plays in proportion to the positive part of R_t = R_{t-1} + r_t, **RM+** to Q_t = [Q_{t-1} + r_t]_+, and
**PRM+** to z_t = [Q_{t-1} + v_t]_+, where v_t is the r_{t-1} of the round before, 0 at first; where nothing is
positive, any strategy will do. In each case <what p_t is in proportion to, r_t> = 0.

**One round.** |[w + r]_+|^2 <= |w|^2 + 2 <w, r> + |r|^2 for w >= 0, and for RM with w the positive part of R, whose
negative entries only help. With <w, r_t> = 0: |Q_t|^2 <= |Q_{t-1}|^2 + |r_t|^2. For PRM+, with z = [w + v]_+ and each
entry,

    [w + r]_+^2  <=  w^2 + 2 z r + (r - v)^2.

If w + v >= 0, the right side is (w + r)^2 + v^2. If not, z = 0, and where w + r > 0 it is r - v > w + r > 0. So
|Q_t|^2 <= |Q_{t-1}|^2 + |r_t - v_t|^2: the sqrt 2 of Farina, Kroer and Sandholm (2021) is not needed.

**Regrets of a round.** |r_t|^2 is convex in u_t, so largest if every entry is at one of the two ends: k of them at
the upper one, to which p_t gives the probability P. Then it is D^2 (k (1 - P)^2 + (m - k) P^2), convex in P: k D^2 at
P = 0, where k < m, or (m - k) D^2 at P = 1, where k > 0. Hence **|r_t|^2 <= (m - 1) D^2**, not only m D^2, and |r_t -
r_{t-1}|^2 <= 4 (m - 1) D^2 from the second round on.

**Weights.** Q_t >= Q_{t-1} + r_t and Q_{t-1} >= 0, so that with weights that never fall w_t r_t <= w_t Q_t - w_t
Q_{t-1} <= w_t Q_t - w_{t-1} Q_{t-1}, and sum w_t r_t <= w_T Q_T: the regret is at most w_T times the largest entry.
RM remembers negative regrets and has no such bound but for equal weights.

**Turns.** For every entry [w + x]_+ x >= [w]_+ x. So a second mover whose regrets are r has <Q_t, r_t> >= <Q_{t-1},
r_t> = 0: it moves to what it would have liked better against p_t, and turn <= 0 for RM and RM+ (Burch, Moravcik and
Schmid 2019). If nothing is positive after a round, nothing was before (else r_t would be negative wherever it played,
and on average 0), and it stays where it was. For PRM+ this is not so: it moves by what it expects.
"""

from __future__ import annotations

from math import sqrt

from ..comparator import GameComparator
from ..ledger import GameLedger
from ..theorem import theorem
from .game_facts import KNOWN, PLAYED, SQUARES, ZERO_SUM, GameFacts, gap, lost_in_turns, root, weight_share


def prior_regrets(learner: GameFacts, rounds: float) -> tuple[float, float]:
    """The most that what each player keeps can be after so many rounds."""
    most = sqrt(4 * rounds - 3 if learner.method == "prm+" else rounds)
    return (
        most * learner.row_spread * sqrt(learner.rows - 1),
        most * learner.column_spread * sqrt(learner.columns - 1),
    )


def _remembers_nothing_negative(_: GameLedger, __: GameComparator, learner: GameFacts) -> bool:
    return learner.power == 0 or learner.method != "rm"


WEIGHTS = (
    "regrets that may be negative bound only averages in which every round counts alike",
    _remembers_nothing_negative,
)


@theorem(
    title="Regret matching",
    quantity="duality gap",
    counts=gap,
    formula=r"\mathrm{gap} \le \frac{w_T \sqrt{T}}{W} D \left(\sqrt{m - 1} + \sqrt{n - 1}\right)"
    r"\ \left(\text{twice that if predictive}\right)",
    source="after Hart & Mas-Colell 2000; Tammelin, Burch, Johanson & Bowling 2015; m - 1 in place of m",
    assumes=(PLAYED, ZERO_SUM, WEIGHTS, KNOWN),
    whole=False,
)
def matching(ledger: GameLedger, comparator: GameComparator, learner: GameFacts) -> float:
    """After T rounds of RM or RM+, at once or in turns, the gap of the average strategies is at most D (sqrt(m - 1) +
    sqrt(n - 1)) / sqrt(T), and of RM+ with weights t or t^2 at most 2 or 3 times that; of predictive RM+ twice as much,
    and what taking turns cost, if it did."""
    most = sum(prior_regrets(learner, ledger.rounds))
    return most * weight_share(ledger.rounds, learner.power) + lost_in_turns(ledger) + comparator.rounding


@theorem(
    title="Regrets of the rounds",
    quantity="duality gap",
    counts=gap,
    formula=r"\lvert Q_T \rvert \le \sqrt{\textstyle\sum_t \lvert r_t - v_t \rvert_2^2}",
    source="Blackwell 1956; Farina, Kroer & Sandholm 2021, without their sqrt 2",
    assumes=(PLAYED, ZERO_SUM, WEIGHTS, SQUARES),
    whole=False,
)
def squares(ledger: GameLedger, comparator: GameComparator, learner: GameFacts) -> float:
    """What a regret matcher keeps is no longer than the square root of the sum of the squared regrets of the rounds,
    less what was predicted of them if it is predictive. For both players, times the last weight over the sum of the
    weights, and with what taking turns was worth, that bounds the gap."""
    lengths = root(ledger.row_square) + root(ledger.column_square)
    return (ledger.last_weight * lengths + ledger.turn) / ledger.weight + comparator.rounding


@theorem(
    title="Regrets that are kept",
    quantity="duality gap",
    counts=gap,
    formula=r"W \cdot \mathrm{gap} \le w_T \left(\lvert Q^1_T \rvert_2 + \lvert Q^2_T \rvert_2\right) + \mathrm{turn}",
    source="Tammelin, Burch, Johanson & Bowling 2015, before anything is bounded",
    assumes=(PLAYED, ZERO_SUM, WEIGHTS),
    whole=False,
)
def kept(ledger: GameLedger, comparator: GameComparator, learner: GameFacts) -> float:
    """The gap of the average strategies is at most the last weight over the sum of the weights times the lengths of
    what both regret matchers keep at the end, with what taking turns was worth."""
    lengths = ledger.row_norm + ledger.column_norm
    return (ledger.last_weight * lengths + ledger.turn) / ledger.weight + comparator.rounding


MATCHING = (matching, squares, kept)
