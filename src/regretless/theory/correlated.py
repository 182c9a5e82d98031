"""What learners that play a general game together come to: coarse correlated equilibria.

Each player has payoffs of its own, and what one wins the other need not lose. If both move at once, and round t counts
by its weight w_t, the joint distribution of what they played is sigma = sum w_t p_t q_t' / W. Drawing from it, a player
wins sum w_t p_t'A q_t / W, and with a fixed row i against the other's part of it sum w_t (A q_t)_i / W. So

    what the player would gain by the best fixed strategy  =  its regret / W,

and sigma is an epsilon-coarse correlated equilibrium with epsilon the larger of the two: no player that is asked
beforehand gains more than epsilon by refusing to follow a draw from sigma. Where regrets grow more slowly than W,
epsilon goes to 0 (Moulin and Vial 1978; Hart and Mas-Colell 2000). The average strategies need not come near an
equilibrium of the game: that they do is what is special about zero-sum games.
"""

from __future__ import annotations

from ..comparator import GameComparator
from ..ledger import GameLedger
from ..theorem import Theorem, theorem
from .game_facts import ALIKE, AT_ONCE, KNOWN, PLAYED, SQUARES, GameFacts, weight_share
from .games import gain
from .regret_matching import WEIGHTS, prior_regrets
from .self_play import CONSTANT, EVERYWHERE, players


@theorem(
    title="Coarse correlated equilibrium",
    quantity="gain by a fixed strategy",
    counts=gain,
    formula=r"\varepsilon = \frac{\max(R_1, R_2)}{W}",
    source="Moulin & Vial 1978; Hart & Mas-Colell 2000",
    assumes=(PLAYED, AT_ONCE),
    whole=False,
)
def coarse(ledger: GameLedger, comparator: GameComparator, learner: GameFacts) -> float:
    """By any fixed strategy neither player gains more over what was played together than the larger regret over the sum
    of the weights: the joint distribution of what was played is that near to the coarse correlated equilibria."""
    return max(ledger.row_regret, ledger.column_regret) / ledger.weight + comparator.rounding


@theorem(
    title="Hedge and coarse correlated equilibria",
    quantity="gain by a fixed strategy",
    counts=gain,
    formula=r"\varepsilon \le \max\left(\frac{\ln m}{\eta_1 T} + \frac{\eta_1 D_1^2}{8},"
    r" \frac{\ln n}{\eta_2 T} + \frac{\eta_2 D_2^2}{8}\right)",
    source="Cesa-Bianchi & Lugosi 2006, Thm 2.2; Bubeck 2011, Thm 2.4",
    assumes=(PLAYED, AT_ONCE, ALIKE, KNOWN, EVERYWHERE),
    whole=False,
)
def coarse_hedge(ledger: GameLedger, comparator: GameComparator, learner: GameFacts) -> float:
    """After T rounds of Hedge neither player gains more by any fixed strategy than ln m / (eta T) + eta D^2 / 8, with
    its own number of strategies m, rate eta and range of payoffs D; D sqrt(ln m / T) at the rates that fall."""
    return max(player.hedge(ledger.rounds) for player in players(ledger, learner)) / ledger.rounds + comparator.rounding


@theorem(
    title="Regret matching and coarse correlated equilibria",
    quantity="gain by a fixed strategy",
    counts=gain,
    formula=r"\varepsilon \le \frac{w_T \sqrt{T}}{W} \max\left(D_1 \sqrt{m - 1}, D_2 \sqrt{n - 1}\right)"
    r"\ \left(\text{twice that if predictive}\right)",
    source="after Hart & Mas-Colell 2000; m - 1 in place of m",
    assumes=(PLAYED, AT_ONCE, WEIGHTS, KNOWN),
    whole=False,
)
def coarse_matching(ledger: GameLedger, comparator: GameComparator, learner: GameFacts) -> float:
    """After T rounds of RM or RM+ neither player gains more by any fixed strategy than D sqrt(m - 1) / sqrt(T), with
    its own number of strategies m and range of payoffs D; of RM+ with weights t or t^2 at most 2 or 3 times that, and
    of predictive RM+ twice as much."""
    return max(prior_regrets(learner, ledger.rounds)) * weight_share(ledger.rounds, learner.power) + comparator.rounding


@theorem(
    title="What optimistic Hedge saw",
    quantity="gain by a fixed strategy",
    counts=gain,
    formula=r"\varepsilon \le \frac{1}{T} \left(\frac{\ln m}{\eta}"
    r" + \frac{\eta}{4} \sum_t \mathrm{range}(u_t - u_{t-1})^2"
    r" - \frac{1}{4 \eta} \sum_t \lVert p_t - p_{t-1} \rVert_1^2\right)",
    source="Syrgkanis, Agarwal, Luo & Schapire 2015, Prop. 7, before the changes are bounded",
    assumes=(PLAYED, AT_ONCE, ALIKE, CONSTANT, EVERYWHERE, SQUARES),
    whole=False,
)
def coarse_changes(ledger: GameLedger, comparator: GameComparator, learner: GameFacts) -> float:
    """After T rounds of optimistic Hedge neither player gains more by any fixed strategy than what its own changes and
    moves bound its regret by, over T."""
    return max(player.seen() for player in players(ledger, learner)) / ledger.rounds + comparator.rounding


@theorem(
    title="Regrets that are kept",
    quantity="gain by a fixed strategy",
    counts=gain,
    formula=r"\varepsilon \le \frac{w_T}{W} \max(\lvert Q^1_T \rvert_2, \lvert Q^2_T \rvert_2)",
    source="Tammelin, Burch, Johanson & Bowling 2015, before anything is bounded",
    assumes=(PLAYED, AT_ONCE, WEIGHTS),
    whole=False,
)
def coarse_kept(ledger: GameLedger, comparator: GameComparator, learner: GameFacts) -> float:
    """By any fixed strategy neither player gains more than the last weight over the sum of the weights times the length
    of what the regret matcher keeps at the end, whichever is longer."""
    return ledger.last_weight * max(ledger.row_norm, ledger.column_norm) / ledger.weight + comparator.rounding


MATCHED = (coarse, coarse_matching, coarse_kept)
COARSE: dict[str, tuple[Theorem, ...]] = {
    "hedge": (coarse, coarse_hedge),
    "optimistic-hedge": (coarse, coarse_changes),
    "rm": MATCHED,
    "rm+": MATCHED,
    "prm+": MATCHED,
}
