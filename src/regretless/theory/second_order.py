"""Regrets that grow with how much an expert differs from the learner, not with the number of rounds.

Each rule keeps a potential of the regrets R_i = sum r_i, r_i = <p, c> - c_i with p the weights that were played, that
does not grow, or grows by a little that is known, because its weights make sum p_i r_i zero. V_i sums r_i^2. Where an
outcome came late the rule had other weights q by then, and sum q_i r_i = <p - q, c>, which is observed: ML-Poly's Q
counts it, and the potential of the others is read off at the end. Bounds that are known before the run need outcomes
in time.
"""

from __future__ import annotations

from math import e, inf, isnan, log, log1p, nan, sqrt

import numpy as np

from ..comparator import ExpertComparator
from ..ledger import ExpertLedger
from ..theorem import theorem
from .expert_facts import IN_TIME, PRIOR, REGRET, Array, ExpertFacts, divergence, mixture, most_regret, regret

SMALLEST = 1e-290  # a float of full precision, and its products with what is not small as well


def _has_rates(_: ExpertLedger, __: ExpertComparator, learner: ExpertFacts) -> bool:
    return learner.rates is not None


def _has_grid(_: ExpertLedger, __: ExpertComparator, learner: ExpertFacts) -> bool:
    return learner.grid is not None and len(learner.grid[0]) > 0


RATES = ("it is about a rule with a rate for each expert", _has_rates)
GRID = ("it is about a rule with a prior on rates, and none of its rates is in use", _has_grid)


def _squared_span(learner: ExpertFacts) -> float:
    """The square of the declared span; NaN if it is no float of full precision and gives no bound."""
    square = (learner.span or 0.0) ** 2
    return square if square > SMALLEST else nan


# ML-Poly: the potential sum pi_i eta_i (R_i)_+^2 with eta_i = 1 / (B + V_i) grows by sum pi_i eta_i r_i^2 at most,
# since (R + r)_+^2 <= R_+^2 + 2 R_+ r + r^2 and the weights are in proportion to pi_i eta_i (R_i)_+; eta never grows. A
# late outcome adds 2 <p - q, c> times the sum of pi_i eta_i (R_i)_+ over the awake experts.
# Where all (R_i)_+ are zero the potential is zero at every eta, so that the B of the very round may be used. With r^2
# <= B and a_t = B + V_t, sum r_t^2 / a_{t-1} = sum (a_t - a_{t-1}) / a_t + sum (a_t - a_{t-1}) (1 / a_{t-1} - 1 / a_t)
# is at most ln(a_T / B) + B / B.


def _poly(growth: float, slack: Array, weights: Array, prior: Array) -> float:
    """sum u_i R_i when sum pi_i (R_i)_+^2 / slack_i is at most `growth` (Cauchy and Schwarz)."""
    if not (prior > SMALLEST * slack).all():  # the sums that the rule uses have lost some of their terms
        return nan
    used = weights > 0
    return sqrt(max(0.0, growth) * float((weights[used] ** 2 * slack[used] / prior[used]).sum()))


@theorem(
    title="Posterior regret",
    quantity="regret",
    counts=regret,
    formula=r"R_u \le \sqrt{Q \sum_i \frac{u_i^2}{\pi_i \eta_i}},\quad \eta_{t,i} = \frac{1}{B_t + V_{t,i}},"
    r"\quad Q = \sum_t \sum_i \pi_i \eta_{t-1,i}"
    r"\left(r_{t,i}^2 + 2 \langle p_t - q_t, c_t \rangle (R_{t-1,i})_+\right)",
    source="Gaillard, Stoltz & van Erven 2014, Thm 5, before its sum is bounded",
    assumes=(RATES, *REGRET),
    whole=False,
    most=most_regret,
)
def poly_posterior(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """Against expert k the regret is at most sqrt(Q / (prior_k eta_k)), where 1 / eta_k is the largest squared regret
    of a round plus the sum of those of k, and Q is how much the potential may have grown, as observed."""
    if learner.rates is None:
        return inf
    weights = mixture(comparator, learner.experts)
    return _poly(ledger.drag, 1 / learner.rates, weights, learner.prior)


@theorem(
    title="Second-order regret",
    quantity="regret",
    counts=regret,
    formula=r"R_u \le \sqrt{\sum_j \pi_j (1 + \ln(1 + V_j / s^2)) \sum_i \frac{u_i^2}{\pi_i} (s^2 + V_i)}",
    source="Gaillard, Stoltz & van Erven 2014, Thm 5, with its logarithm for each expert",
    assumes=(RATES, IN_TIME, *PRIOR),
    whole=False,
    most=most_regret,
)
def poly_squares(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """With charges that differ by at most s, the regret against expert k is at most the square root of (s^2 + V_k) /
    prior_k times the average of 1 + ln(1 + V / s^2) over the experts."""
    largest = _squared_span(learner)
    growth = float(learner.prior @ (1 + np.log1p(ledger.squares / largest)))
    weights = mixture(comparator, learner.experts)
    return _poly(growth, largest + ledger.squares, weights, learner.prior)


@theorem(
    title="Prior regret",
    quantity="regret",
    counts=regret,
    formula=r"R_u \le s \sqrt{(T + 1)(1 + \ln(T + 1)) \sum_i \frac{u_i^2}{\pi_i}}",
    source="Gaillard, Stoltz & van Erven 2014, Thm 5, at its worst",
    assumes=(RATES, IN_TIME, *PRIOR),
    whole=False,
    most=most_regret,
)
def poly_prior(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """With charges that differ by at most s, the regret after T rounds against every expert of N equals is at most s
    sqrt(N (T + 1) (1 + ln(T + 1)))."""
    turns = ledger.rounds + 1
    slack = np.full(learner.experts, _squared_span(learner) * turns)
    weights = mixture(comparator, learner.experts)
    return _poly(1 + log(turns), slack, weights, learner.prior)


ML_POLY = (poly_posterior, poly_squares, poly_prior)


# ML-Prod and BOA: with W = sum pi_i exp(eta_i G_i) at the last rates, eta_k G_k <= ln(W / pi_k) by definition.
#
# Before the run, |r| <= E, K = ln max(N, 2), eta = min(1 / (2E), sqrt(K / (E^2 + V))) = sqrt(K / b) with
# b = max(E^2 + V, 4 K E^2), which grows by at most E^2 a round:
# - exp(eta G) grows as 1 + eta r, which the weights average to nothing, and when the rate falls from eta' to eta by at
#   most (eta' / eta - 1) / e, as y <= y^a + (a - 1) / e for a >= 1. sum (eta' / eta - 1) = sum (sqrt(b / b') - 1) <=
#   1/2 sum (b - b') / b' <= 1/2 (ln(b_T / b_0) + E^2 / b_0), hence W <= 1 + (ln+((1 + T) / 4K) + 1 / 4K) / 2e;
# - each gain is at least r - eta r^2, so R - G <= sum eta' r^2; as b <= b' (1 + 1 / 4K) and r^2 / sqrt(E^2 + V) <=
#   2 (sqrt(E^2 + V) - sqrt(E^2 + V')), that is at most sqrt(4 K + 1) (sqrt(E^2 + V) - E), and at most V / 2E.


def _exponential(log_potential: float, rates: Array, drags: Array, weights: Array, prior: Array) -> float:
    """sum u_i R_i when eta_i (R_i - drag_i) <= ln(W rho_i / pi_i) for some rho that sums to one, at the worst rho."""
    used = weights > 0
    shares = weights[used] / rates[used]
    total = float(shares.sum())
    return total * (divergence(shares / total, prior[used]) + log_potential) + float(weights[used] @ drags[used])


@theorem(
    title="Posterior regret",
    quantity="regret",
    counts=regret,
    formula=r"R_u \le A \left(\mathrm{KL}\left(\tfrac{a}{A} \Vert \pi\right) + \ln W_T\right) + \sum_i u_i (R_i - G_i)"
    r",\quad a_i = \frac{u_i}{\eta_i},\ A = \sum_i a_i,\ W_T = \sum_i \pi_i e^{\eta_i G_i}",
    source="Gaillard, Stoltz & van Erven 2014, Thm 3; Wintenberger 2017, Thm 3.1; before their sums are bounded",
    assumes=(RATES, *REGRET),
    whole=False,
    most=most_regret,
)
def prod_posterior(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """Against expert k the regret is at most ln(W / prior_k) / eta_k, with W the potential at the end, plus what the
    second order took off its gains G, as observed."""
    if learner.rates is None:
        return inf
    weights = mixture(comparator, learner.experts)
    return _exponential(learner.log_potential, learner.rates, ledger.drags, weights, learner.prior)


def prod_log_potential(rounds: float, experts: int) -> float:
    """The most that ln W can be after so many rounds when the span of the charges was declared."""
    k = 4 * log(max(experts, 2))
    return log1p((log(max(1.0, (1 + rounds) / k)) + 1 / k) / (2 * e))


def _prod(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts, squares: Array) -> float:
    if isnan(_squared_span(learner)):
        return nan
    span, k = learner.span or 0.0, log(max(learner.experts, 2))
    slack = np.sqrt(span**2 + squares)
    rates = np.minimum(1 / (2 * span), sqrt(k) / slack)
    drags = np.minimum(squares / (2 * span), sqrt(4 * k + 1) * (slack - span))
    potential = prod_log_potential(ledger.rounds, learner.experts)
    weights = mixture(comparator, learner.experts)
    return _exponential(potential, rates, drags, weights, learner.prior)


@theorem(
    title="Second-order regret",
    quantity="regret",
    counts=regret,
    formula=r"R_k \le \frac{\ln(1/\pi_k) + \Lambda}{\eta_k} + \sqrt{4K + 1}\left(\sqrt{s^2 + V_k} - s\right),\quad"
    r" \Lambda = \ln\left(1 + \tfrac{1}{2e}\left(\ln^+\tfrac{1 + T}{4K} + \tfrac{1}{4K}\right)\right),"
    r"\quad K = \ln \max(N, 2),\quad"
    r" \frac{1}{\eta_k} = \max\left(2s, \sqrt{(s^2 + V_k)/K}\right)",
    source="Gaillard, Stoltz & van Erven 2014, Cor. 4; Wintenberger 2017, Thm 3.2; with smaller constants",
    assumes=(RATES, IN_TIME, *PRIOR),
    whole=False,
    most=most_regret,
)
def prod_squares(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """With charges that differ by at most s, the regret against expert k of N equals is of the order of sqrt(V_k ln N):
    it is small where the learner hardly ever differs from k."""
    return _prod(ledger, comparator, learner, ledger.squares)


@theorem(
    title="Prior regret",
    quantity="regret",
    counts=regret,
    formula=r"\text{the second-order regret at}\ V_i = s^2 T",
    source="Gaillard, Stoltz & van Erven 2014, Cor. 4; Wintenberger 2017, Thm 3.2; at their worst",
    assumes=(RATES, IN_TIME, *PRIOR),
    whole=False,
    most=most_regret,
)
def prod_prior(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """With charges that differ by at most s, the regret after T rounds is at most what the second-order regret would be
    if every expert differed from the learner by s in every round."""
    if learner.experts == 1:
        return 0.0
    return _prod(ledger, comparator, learner, np.full(learner.experts, (learner.span or 0.0) ** 2 * ledger.rounds))


ML_PROD = BOA = (prod_posterior, prod_squares, prod_prior)


# Squint: each term pi_i gamma_j exp(eta_j R_i - eta_j^2 V_i) grows by a factor of 1 + eta_j r_i at most as long as
# eta_j |r_i| <= 1/2, and the weights average that to nothing: W <= 1 if the grid was set by a declared span.


def _squint(learner: ExpertFacts, information: float, squares: float) -> float:
    """The smallest (information + ln(1 / gamma)) / eta + eta V over the grid."""
    if learner.grid is None:
        return inf
    rates, masses = learner.grid
    if rates.max() * sqrt(SMALLEST) > 1:  # the squares of spans whose inverses they are have lost digits
        return nan
    return float(((information - np.log(masses)) / rates + rates * squares).min())


@theorem(
    title="Posterior regret",
    quantity="regret",
    counts=regret,
    formula=r"R_u \le \min_j \left(\frac{\mathrm{KL}(u \Vert \pi) + \ln(1/\gamma_j) + \ln W_T}{\eta_j}"
    r" + \eta_j \sum_i u_i V_i\right)",
    source="Koolen & van Erven 2015, with a prior on a grid of rates",
    assumes=(GRID, *REGRET),
    whole=False,
    most=most_regret,
)
def squint_posterior(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """For every rate eta of the grid, of prior mass gamma, the regret is at most (KL(u || prior) + ln(W / gamma)) /
    eta + eta V_u, with W the potential at the end."""
    squares = float(mixture(comparator, learner.experts) @ ledger.squares)
    return _squint(learner, comparator.divergence + learner.log_potential, squares)


@theorem(
    title="Second-order regret",
    quantity="regret",
    counts=regret,
    formula=r"R_u \le \min_j \left(\frac{\mathrm{KL}(u \Vert \pi) + \ln(1/\gamma_j)}{\eta_j}"
    r" + \eta_j \sum_i u_i V_i\right)",
    source="Koolen & van Erven 2015, with a prior on a grid of rates",
    assumes=(GRID, IN_TIME, *PRIOR),
    whole=False,
    most=most_regret,
)
def squint_squares(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """With the span of the charges declared, for every rate eta of the grid, of prior mass gamma, the regret is at most
    (KL(u || prior) + ln(1 / gamma)) / eta + eta V_u: small where the learner hardly ever differs from u, or where many
    experts are as good."""
    squares = float(mixture(comparator, learner.experts) @ ledger.squares)
    return _squint(learner, comparator.divergence, squares)


@theorem(
    title="Prior regret",
    quantity="regret",
    counts=regret,
    formula=r"R_u \le \min_j \left(\frac{\mathrm{KL}(u \Vert \pi) + \ln(1/\gamma_j)}{\eta_j} + \eta_j s^2 T\right)",
    source="Koolen & van Erven 2015, with a prior on a grid of rates, at its worst",
    assumes=(GRID, IN_TIME, *PRIOR),
    whole=False,
    most=most_regret,
)
def squint_prior(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """With charges that differ by at most s, the regret after T rounds is at most (KL(u || prior) + ln(1 / gamma)) /
    eta + eta s^2 T for every rate eta of the grid, of prior mass gamma."""
    squares = (learner.span or 0.0) ** 2 * ledger.rounds
    return _squint(learner, comparator.divergence, squares)


SQUINT = (squint_posterior, squint_squares, squint_prior)


# ---- How much does AdaNormalHedge regret?
#
# Let r_i be the regrets of a round in units of the largest that one can be, R_i their sum, C_i the sum of |r_i|, and
#
#     Phi(R, C) = exp(max(R, 0)^2 / 3C),    Phi(0, 0) = 1,    w(R, C) = (Phi(R + 1, C + 1) - Phi(R - 1, C + 1)) / 2.
#
# The weights are in proportion to pi_i w(R_i, C_i), among the awake experts, so that sum pi_i w_i r_i = 0.
#
# **At the end.** For every u with KL(u || pi) finite, sum u_i ln Phi_i <= KL(u || pi) + ln W, W = sum pi_i Phi_i
# (Donsker and Varadhan), which is sum u_i max(R_i, 0)^2 / 3C_i <= KL(u || pi) + ln W. By Cauchy and Schwarz
#
#     sum u_i R_i <= sqrt(3 sum u_i C_i (KL(u || pi) + ln W)).
#
# That asks nothing of how the weights were chosen: W is observed.
#
# **Before the run.** max(x, 0)^2 / y is convex in (x, y), and so is exp of it. Along r from 0 to 1, and from 0 to -1,
# Phi(R + r, C + |r|) is therefore no more than on the chord, so that in both cases
#
#     Phi(R + r, C + |r|) <= Phi(R, C) + w(R, C) r + |r| h,
#     h = (Phi(R + 1, C + 1) + Phi(R - 1, C + 1)) / 2 - Phi(R, C).
#
# For |R| <= C, h (C + 1) < 1/2, as e^x - 1 <= x (e^b - 1) / b for 0 <= x <= b:
# - R <= -1: h = 0;
# - -1 < R <= 0: h = (e^x - 1) / 2 with x = (R + 1)^2 / 3(C + 1) <= 1/3, so that h (C + 1) is at most 1.2 / 6;
# - 0 < R < 1: h = (e^x - 1) / 2 - (e^a - 1) with a = R^2 / 3C and x = (R + 1)^2 / 3(C + 1) <= 2/3, as C >= R. There
#   e^x - 1 <= x (1 + 0.64 x), and a (C + 1) >= (1 + 1 / (C + 1)) R^2 / 3, so that h (C + 1) is at most
#   (1 + 2 R - R^2) / 6 + (0.0356 (R + 1)^4 - R^2 / 3) / (C + 1), and as C + 1 >= R + 1 at most 1/3 + 0.12;
# - R >= 1, and so C >= 1: cosh z <= exp(z^2 / 2) makes h at most e^a (e^x - 1) with a = R^2 / 3C and
#   x (C + 1) = 1/3 - a (1 - 2 C / 3(C + 1)) <= (1 - a) / 3. Where x > 0 it is at most 1/6, and then
#   h (C + 1) <= 1.09 e^a (1 - a) / 3 <= 0.37.
#
# With c = C + 1 before a round, |r| / c = |r| / (c + |r|) + r^2 / c (c + |r|), which is at most ln((c + |r|) / c) + 1
# / c - 1 / (c + |r|). So the sum of |r| / (C + 1) over the rounds is at most ln(1 + C_T) + C_T / (1 + C_T), and
#
#     W <= 1 + sum pi_i (ln(1 + C_i) + C_i / (1 + C_i)) / 2.
#
# Luo and Schapire have 3 times that sum, 1 in place of C / (1 + C), and ln(1 + ln N) more beside the divergence. Where
# an outcome came late, the weights were others by then, and only the bound that is read off W holds.


def _bound(weights: Array, prior: Array, slack: Array, log_potential: float) -> float:
    """sum u_i R_i when sum u_i max(R_i, 0)^2 / slack_i <= KL(u || prior) + ln W."""
    return sqrt(float(weights @ slack) * (divergence(weights, prior) + max(0.0, log_potential)))


@theorem(
    title="Posterior regret",
    quantity="regret",
    counts=regret,
    formula=r"R_u \le \sqrt{\sum_i \frac{u_i}{\eta_i} \left(\mathrm{KL}(u \Vert \pi) + \ln W_T\right)},\quad"
    r" \eta_i = \frac{1}{3 s_T C_i},\quad W_T = \sum_i \pi_i e^{\eta_i (R_i)_+^2}",
    source="Luo & Schapire 2015, Thm 1, before the potential is bounded, and without ln(1 + ln N)",
    assumes=(RATES, *REGRET),
    whole=False,
    most=most_regret,
)
def normal_hedge_posterior(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """The regret against a mixture u is at most the square root of 3 s C_u (KL(u || prior) + ln W): s is the largest
    regret of a round, C_u the sum of their sizes, mixed by u, and W the potential at the end."""
    if learner.rates is None or not (learner.rates < 1 / SMALLEST).all():
        return nan
    slack = np.where(ledger.drags > 0, 1 / learner.rates, 0.0)  # an expert that never differed has no rate of its own
    return _bound(mixture(comparator, learner.experts), learner.prior, slack, learner.log_potential)


def _prior(comparator: ExpertComparator, learner: ExpertFacts, sizes: Array) -> float:
    """The bound on W, at regrets whose sizes sum to so much in units of the span."""
    span = learner.span or 0.0
    if not SMALLEST < span**2 < 1 / SMALLEST:
        return nan
    growth = float(learner.prior @ (np.log1p(sizes) + sizes / (1 + sizes))) / 2
    return span * _bound(mixture(comparator, learner.experts), learner.prior, 3 * sizes, log1p(growth))


@theorem(
    title="First-order regret",
    quantity="regret",
    counts=regret,
    formula=r"R_u \le \sqrt{3 s \sum_i u_i C_i \left(\mathrm{KL}(u \Vert \pi) + \ln\left(1 + \tfrac12 \sum_i \pi_i"
    r" \left(\ln(1 + C_i / s) + \tfrac{C_i}{s + C_i}\right)\right)\right)},\quad C_i = \sum_t |r_{t,i}|",
    source="Luo & Schapire 2015, Thm 1; with smaller constants",
    assumes=(RATES, IN_TIME, *PRIOR),
    whole=False,
    most=most_regret,
)
def normal_hedge_sizes(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """With charges that differ by at most s, the regret against a mixture u is of the order of the square root of
    s C_u KL(u || prior): small where the learner hardly ever differs from u, or where many experts are as good."""
    return _prior(comparator, learner, ledger.drags / (learner.span or nan))


@theorem(
    title="Prior regret",
    quantity="regret",
    counts=regret,
    formula=r"R_u \le s \sqrt{3 T \left(\mathrm{KL}(u \Vert \pi)"
    r" + \ln\left(1 + \tfrac12 \ln(1 + T) + \tfrac{T}{2 + 2T}\right)\right)}",
    source="Luo & Schapire 2015, Thm 1, at its worst; with smaller constants",
    assumes=(RATES, IN_TIME, *PRIOR),
    whole=False,
    most=most_regret,
)
def normal_hedge_prior(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """With charges that differ by at most s, the regret after T rounds is at most what the first-order regret would be
    if every expert differed from the learner by s in every round."""
    return _prior(comparator, learner, np.full(learner.experts, ledger.rounds))


ADA_NORMAL_HEDGE = (normal_hedge_posterior, normal_hedge_sizes, normal_hedge_prior)
