"""How near the average strategies of two learners that play each other are to an equilibrium, by what each regrets."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, isnan, log, sqrt

from ..comparator import GameComparator
from ..ledger import GameLedger
from ..theorem import Theorem, theorem
from .game_facts import (
    ALIKE,
    AT_ONCE,
    KNOWN,
    MATRIX_RULES,
    PLAYED,
    SQUARES,
    ZERO_SUM,
    GameFacts,
    gain,
    gap,
    lost_in_turns,
    root,
    rule_of,
    weight_share,
)

# ---- Regret matching: what matchers keep bounds their regret, and the gap of the game that they play.
#
# A player of m strategies meets payoffs u_t that differ by at most D, and r_t = u_t - <p_t, u_t> are the regrets of a
# round. **RM** plays in proportion to the positive part of R_t = R_{t-1} + r_t, **RM+** to Q_t = [Q_{t-1} + r_t]_+,
# and **PRM+** to z_t = [Q_{t-1} + v_t]_+, where v_t is the r_{t-1} of the round before, 0 at first; where nothing is
# positive, any strategy will do. In each case <what p_t is in proportion to, r_t> = 0.
#
# **One round.** |[w + r]_+|^2 <= |w|^2 + 2 <w, r> + |r|^2 for w >= 0, and for RM with w the positive part of R, whose
# negative entries only help. With <w, r_t> = 0: |Q_t|^2 <= |Q_{t-1}|^2 + |r_t|^2. For PRM+, with z = [w + v]_+ and
# each entry,
#
#     [w + r]_+^2  <=  w^2 + 2 z r + (r - v)^2.
#
# If w + v >= 0, the right side is (w + r)^2 + v^2. If not, z = 0, and where w + r > 0 it is r - v > w + r > 0. So
# |Q_t|^2 <= |Q_{t-1}|^2 + |r_t - v_t|^2: the sqrt 2 of Farina, Kroer and Sandholm (2021) is not needed.
#
# **Regrets of a round.** |r_t|^2 is convex in u_t, so largest if every entry is at one of the two ends: k of them at
# the upper one, to which p_t gives the probability P. Then it is D^2 (k (1 - P)^2 + (m - k) P^2), convex in P: k D^2
# at P = 0, where k < m, or (m - k) D^2 at P = 1, where k > 0. Hence **|r_t|^2 <= (m - 1) D^2**, not only m D^2, and
# |r_t - r_{t-1}|^2 <= 4 (m - 1) D^2 from the second round on.
#
# **Weights.** Q_t >= Q_{t-1} + r_t and Q_{t-1} >= 0, so that with weights that never fall w_t r_t <= w_t Q_t - w_t
# Q_{t-1} <= w_t Q_t - w_{t-1} Q_{t-1}, and sum w_t r_t <= w_T Q_T: the regret is at most w_T times the largest entry.
# RM remembers negative regrets and has no such bound but for equal weights.
#
# **Turns.** For every entry [w + x]_+ x >= [w]_+ x. So a second mover whose regrets are r has <Q_t, r_t> >= <Q_{t-1},
# r_t> = 0: it moves to what it would have liked better against p_t, and turn <= 0 for RM and RM+ (Burch, Moravcik and
# Schmid 2019). If nothing is positive after a round, nothing was before (else r_t would be negative wherever it
# played, and on average 0), and it stays where it was. For PRM+ this is not so: it moves by what it expects.


def prior_regrets(learner: GameFacts, rounds: float) -> tuple[float, float]:
    """The most that what each player keeps can be after so many rounds."""
    most = sqrt(4 * rounds - 3 if rule_of(learner).predicts else rounds)
    return (
        most * learner.row_spread * sqrt(learner.rows - 1),
        most * learner.column_spread * sqrt(learner.columns - 1),
    )


def _remembers_nothing_negative(_: GameLedger, __: GameComparator, learner: GameFacts) -> bool:
    return learner.power == 0 or rule_of(learner).clips


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
    title="Final regrets",
    quantity="duality gap",
    counts=gap,
    formula=r"W \cdot \mathrm{gap} \le w_T \left(\lvert Q^1_T \rvert_2 + \lvert Q^2_T \rvert_2\right) + \mathrm{turn}",
    source="Tammelin, Burch, Johanson & Bowling 2015, before anything is bounded",
    assumes=(PLAYED, ZERO_SUM, WEIGHTS),
    whole=False,
)
def final_regrets(ledger: GameLedger, comparator: GameComparator, learner: GameFacts) -> float:
    """The gap of the average strategies is at most the last weight over the sum of the weights times the lengths of
    what both regret matchers keep at the end, with what taking turns was worth."""
    lengths = ledger.row_norm + ledger.column_norm
    return (ledger.last_weight * lengths + ledger.turn) / ledger.weight + comparator.rounding


MATCHING = (matching, squares, final_regrets)


# ---- The regret identity, and exponential weights.
#
# **Regret identity.** R1 = W max_i (A q)_i - sum w_t p_t'A q_t and R2 = sum w_t p_t'A q'_t - W min_j (p'A)_j, where
# q'_t is q_t if both move at once. Their sum is W gap less turn = sum w_t (p_t'A q_t - p_t'A q'_t), which is 0 at
# once:
#
#     W gap  =  R1 + R2 + turn.
#
# So whatever bounds both regrets bounds the gap, and as the gap is never negative and learners exist whose regret
# grows more slowly than T, max_p min_j (p'A)_j = min_q max_i (Aq)_i: von Neumann's theorem. One player's regret alone
# would not do: the gap is what *both* could gain.
#
# **Hedge.** With payoffs that differ by at most D in each round, exponential weights at the constant rate eta have R
# <= I / eta + eta D^2 T / 8 (Hoeffding), where I = -ln of the least probability that they begin with, ln m if
# uniformly. At the rates 2 sqrt(ln m / t) / D, which fall, R <= I / eta_T + D^2 / 8 sum eta_t, and the sum is at most
# 4 sqrt(T ln m) / D. A second mover at a constant rate moves to q_t in proportion to q'_t exp(-eta (p_t'A)_j): what
# falls in (p_t'A)_j gives less weight to larger ones, so p_t'A q_t <= p_t'A q'_t and turn <= 0. At rates that fall,
# q_t is drawn to the start besides, and this is not so.
#
# **Optimistic Hedge** plays p_t in proportion to exp(eta (U_{t-1} + u_{t-1})), with u_t = A q_t, U_t = u_1 + .. + u_t
# and u_0 = 0: it expects the last payoffs to come again. Let Phi(U) = ln(mean of exp(eta U)) / eta, which is at least
# max U - I / eta; g_t the gradient at U_{t-1}; and x_t = u_t - u_{t-1}. Since a Bregman divergence of Phi is a
# Kullback-Leibler divergence over eta, of the gradients in the other order,
#
#     Phi(U_t) - Phi(U_{t-1})  =  <p_t, u_t>  +  <g_{t+1} - p_t, x_t>  -  (KL(g_{t+1}, p_t) + KL(p_t, g_t)) / eta.
#
# KL >= |.|_1^2 / 2 (Pinsker), and g_{t+1} and p_t differ by at most eta |x_t| in |.|_1, with |x| half the range of x,
# as adding a number to x changes nothing. Adding up, and with |p_t - p_{t-1}|^2 <= 2 |p_t - g_t|^2 + 2 |g_t -
# p_{t-1}|^2,
#
#     R  <=  I / eta + eta sum |x_t|^2 - sum_{t >= 2} |p_t - p_{t-1}|_1^2 / (4 eta).
#
# As <g_{t+1}, x_t> - KL(g_{t+1}, p_t) / eta = ln(sum p_t exp(eta x_t)) / eta <= <p_t, x_t> + eta |x_t|^2 / 2
# (Hoeffding), R <= I / eta + eta / 2 sum |x_t|^2 holds too. Now take any two rows: their difference has a range of at
# most 2 D, and its product with q_t - q_{t-1}, which sums to 0, is at most half of that times |q_t - q_{t-1}|_1. So
# x_t = A (q_t - q_{t-1}) has |x_t| <= D / 2 |q_t - q_{t-1}|_1, and |x_1| <= D / 2. So if eta1 eta2 D^2 <= 1, what one
# player's payoffs change by is paid for by what the other is known to have moved, and of the sum of both regrets there
# remain I1 / eta1 + I2 / eta2 and the first rounds, eta D^2 / 4 each. If they take turns, the row player meets the
# column player's next strategy, so that the last change that it sees, of |x_T| <= D, has not moved anything yet: by
# Hoeffding it costs eta1 D^2 / 2. And turn is added, which need not be negative here, though in no run that was tried
# it was above 0.


@dataclass(frozen=True, slots=True)
class ExponentialPlayer:
    """One player who plays exponential weights.

    Attributes
    ----------
    count : int
        Of its strategies.
    spread : float
        The range of its payoffs.
    rate : float
        NaN if it falls as the rounds go on.
    information : float
        -ln of the least probability that it begins with; ln count where it begins uniformly.
    shift, move : float
        As in `GameLedger`.
    """

    count: int
    spread: float
    rate: float
    information: float
    shift: float
    move: float

    def hedge(self, rounds: float) -> float:
        """The most that the regret of Hedge is."""
        if self.count == 1:
            return 0.0
        if isnan(self.rate):
            held = self.spread * sqrt(rounds / log(self.count)) / 2
            return self.information * held + self.spread * sqrt(rounds * log(self.count)) / 2
        return self.information / self.rate + self.rate * self.spread * self.spread * rounds / 8

    def seen(self) -> float:
        """The most that the regret of optimistic Hedge is, from what was seen of the run."""
        if self.count == 1:
            return 0.0
        spent = min(self.rate * self.shift - self.move / (4 * self.rate), self.rate * self.shift / 2)
        return self.information / self.rate + spent

    def share(self) -> float:
        """What optimistic Hedge has to pay for itself where the other pays for the changes."""
        return 0.0 if self.count == 1 else self.information / self.rate + self.rate * self.spread * self.spread / 4


def players(ledger: GameLedger, learner: GameFacts) -> tuple[ExponentialPlayer, ExponentialPlayer]:
    """Both players."""
    return (
        ExponentialPlayer(
            learner.rows,
            learner.row_spread,
            learner.row_rate,
            log(learner.rows) if isnan(learner.row_information) else learner.row_information,
            ledger.row_shift,
            ledger.row_move,
        ),
        ExponentialPlayer(
            learner.columns,
            learner.column_spread,
            learner.column_rate,
            log(learner.columns) if isnan(learner.column_information) else learner.column_information,
            ledger.column_shift,
            ledger.column_move,
        ),
    )


def _everywhere(ledger: GameLedger, _: GameComparator, learner: GameFacts) -> bool:
    return all(player.information < inf for player in players(ledger, learner))


def _constant(_: GameLedger, __: GameComparator, learner: GameFacts) -> bool:
    return isfinite(learner.row_rate) and isfinite(learner.column_rate)


def _slow(_: GameLedger, __: GameComparator, learner: GameFacts) -> bool:
    product = (learner.row_rate * learner.row_spread) * (learner.column_rate * learner.column_spread)
    return min(learner.rows, learner.columns) == 1 or product <= 1 + 1e-9


EVERYWHERE = (
    "a strategy that begins with no weight is never played, and nothing bounds the regret for it",
    _everywhere,
)
CONSTANT = ("it is about constant rates", _constant)


@theorem(
    title="Regret identity",
    quantity="duality gap",
    counts=gap,
    formula=r"W \cdot \mathrm{gap} = R_1 + R_2 + \textstyle\sum_t w_t\, p_t^\top A (q_t - q'_t)",
    source="Freund & Schapire 1996, in their proof of von Neumann's theorem; turns: Burch, Moravcik & Schmid 2019",
    assumes=(PLAYED, ZERO_SUM),
    whole=False,
)
def regret_identity(ledger: GameLedger, comparator: GameComparator, learner: GameFacts) -> float:
    """The gap of the average strategies is the sum of both players' regrets over the sum of the weights, and, where the
    column player moves second, of what it gained by that."""
    return (ledger.row_regret + ledger.column_regret + ledger.turn) / ledger.weight + comparator.rounding


@theorem(
    title="Von Neumann by Hedge",
    quantity="duality gap",
    counts=gap,
    formula=r"\mathrm{gap} \le \frac{1}{T} \left(\frac{\ln m}{\eta_1} + \frac{\ln n}{\eta_2}\right)"
    r" + \frac{(\eta_1 + \eta_2) D^2}{8};\quad \eta_t = \frac{2}{D} \sqrt{\frac{\ln m}{t}}:"
    r"\ D\, \frac{\sqrt{\ln m} + \sqrt{\ln n}}{\sqrt{T}}",
    source="Freund & Schapire 1999, with the constants of Cesa-Bianchi & Lugosi 2006, Thm 2.2; Bubeck 2011, Thm 2.4",
    assumes=(PLAYED, ZERO_SUM, ALIKE, KNOWN, EVERYWHERE),
    whole=False,
)
def von_neumann(ledger: GameLedger, comparator: GameComparator, learner: GameFacts) -> float:
    """After T rounds of Hedge against Hedge at constant rates the gap of the average strategies is at most (ln m /
    eta1 + ln n / eta2) / T + (eta1 + eta2) D^2 / 8, D being the range of the payoffs: D (sqrt(ln m) + sqrt(ln n)) /
    sqrt(2 T) at the rates sqrt(8 ln m / T) / D; at rates 2 sqrt(ln m / t) / D, which fall, it is at most D (sqrt(ln
    m) + sqrt(ln n)) / sqrt(T). Taking turns at constant rates costs nothing; at rates that fall, what it cost, if it
    did, is added."""
    row, column = players(ledger, learner)
    regrets = row.hedge(ledger.rounds) + column.hedge(ledger.rounds)
    return regrets / ledger.rounds + lost_in_turns(ledger) + comparator.rounding


@theorem(
    title="Fast rate of optimistic Hedge",
    quantity="duality gap",
    counts=gap,
    formula=r"\mathrm{gap} \le \frac{1}{T} \left(\frac{\ln m}{\eta_1} + \frac{\ln n}{\eta_2}"
    r" + \frac{(\eta_1 + \eta_2) D^2}{4}\right),\quad \eta_1 \eta_2 D^2 \le 1",
    source="after Rakhlin & Sridharan 2013; Syrgkanis, Agarwal, Luo & Schapire 2015, Prop. 7, with payoffs of range D",
    assumes=(
        PLAYED,
        ZERO_SUM,
        ALIKE,
        KNOWN,
        CONSTANT,
        EVERYWHERE,
        ("it needs rates whose product is at most 1 over the squared range of the payoffs", _slow),
    ),
    whole=False,
)
def optimistic(ledger: GameLedger, comparator: GameComparator, learner: GameFacts) -> float:
    """After T rounds of optimistic Hedge against optimistic Hedge with eta1 eta2 D^2 <= 1 the gap of the average
    strategies is at most (ln m / eta1 + ln n / eta2 + (eta1 + eta2) D^2 / 4) / T: at eta = 1 / D it is D (ln m + ln n
    + 1/2) / T, which falls as 1 / T. If they take turns, eta1 D^2 / (2 T) is added, and what that cost, if it did."""
    row, column = players(ledger, learner)
    unpaid = row.rate * row.spread * row.spread / 2 if learner.alternate and row.count > 1 else 0.0
    return (row.share() + column.share() + unpaid) / ledger.rounds + lost_in_turns(ledger) + comparator.rounding


@theorem(
    title="Changes and moves",
    quantity="duality gap",
    counts=gap,
    formula=r"R \le \frac{\ln m}{\eta} + \frac{\eta}{4} \sum_t \mathrm{range}(u_t - u_{t-1})^2"
    r" - \frac{1}{4 \eta} \sum_t \lVert p_t - p_{t-1} \rVert_1^2",
    source="Syrgkanis, Agarwal, Luo & Schapire 2015, Prop. 7, before the changes are bounded",
    assumes=(PLAYED, ZERO_SUM, ALIKE, CONSTANT, EVERYWHERE, SQUARES),
    whole=False,
)
def changes(ledger: GameLedger, comparator: GameComparator, learner: GameFacts) -> float:
    """The regret of optimistic Hedge is at most ln m / eta plus eta times the sum of the squared half ranges of the
    changes of its payoffs from round to round, less the sum of its squared moves over 4 eta; half the changes without
    the moves would do. Both regrets, and what taking turns was worth, bound the gap."""
    row, column = players(ledger, learner)
    return (row.seen() + column.seen() + ledger.turn) / ledger.rounds + comparator.rounding


HEDGE = (regret_identity, von_neumann)
OPTIMISTIC = (regret_identity, optimistic, changes)


# ---- What learners that play a general game together come to: coarse correlated equilibria.
#
# Each player has payoffs of its own, and what one wins the other need not lose. If both move at once, and round t
# counts by its weight w_t, the joint distribution of what they played is sigma = sum w_t p_t q_t' / W. Drawing from
# it, a player wins sum w_t p_t'A q_t / W, and with a fixed row i against the other's part of it sum w_t (A q_t)_i / W.
# So
#
#     what the player would gain by the best fixed strategy  =  its regret / W,
#
# and sigma is an epsilon-coarse correlated equilibrium with epsilon the larger of the two: no player that is asked
# beforehand gains more than epsilon by refusing to follow a draw from sigma. Where regrets grow more slowly than W,
# epsilon goes to 0 (Moulin and Vial 1978; Hart and Mas-Colell 2000). The average strategies need not come near an
# equilibrium of the game: that they do is what is special about zero-sum games.


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
    title="Final regrets",
    quantity="gain by a fixed strategy",
    counts=gain,
    formula=r"\varepsilon \le \frac{w_T}{W} \max(\lvert Q^1_T \rvert_2, \lvert Q^2_T \rvert_2)",
    source="Tammelin, Burch, Johanson & Bowling 2015, before anything is bounded",
    assumes=(PLAYED, AT_ONCE, WEIGHTS),
    whole=False,
)
def coarse_final_regrets(ledger: GameLedger, comparator: GameComparator, learner: GameFacts) -> float:
    """By any fixed strategy neither player gains more than the last weight over the sum of the weights times the length
    of what the regret matcher keeps at the end, whichever is longer."""
    return ledger.last_weight * max(ledger.row_norm, ledger.column_norm) / ledger.weight + comparator.rounding


MATCHED = (coarse, coarse_matching, coarse_final_regrets)
COARSE: dict[str, tuple[Theorem, ...]] = {
    name: (coarse, coarse_changes if rule.predicts else coarse_hedge) if rule.exponential else MATCHED
    for name, rule in MATRIX_RULES.items()
}
