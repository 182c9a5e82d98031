"""How much does AdaNormalHedge regret?

Let r_i be the regrets of a round in units of the largest that one can be, R_i their sum, C_i the sum of |r_i|, and

    Phi(R, C) = exp(max(R, 0)^2 / 3C),    Phi(0, 0) = 1,    w(R, C) = (Phi(R + 1, C + 1) - Phi(R - 1, C + 1)) / 2.

The weights are in proportion to pi_i w(R_i, C_i), among the awake experts, so that sum pi_i w_i r_i = 0.

**At the end.** For every u with KL(u || pi) finite, sum u_i ln Phi_i <= KL(u || pi) + ln W, W = sum pi_i Phi_i (Donsker
and Varadhan), which is sum u_i max(R_i, 0)^2 / 3C_i <= KL(u || pi) + ln W. By Cauchy and Schwarz

    sum u_i R_i <= sqrt(3 sum u_i C_i (KL(u || pi) + ln W)).

That asks nothing of how the weights were chosen: W is observed.

**Before the run.** max(x, 0)^2 / y is convex in (x, y), and so is exp of it. Along r from 0 to 1, and from 0 to -1,
Phi(R + r, C + |r|) is therefore no more than on the chord, so that in both cases

    Phi(R + r, C + |r|) <= Phi(R, C) + w(R, C) r + |r| h,
    h = (Phi(R + 1, C + 1) + Phi(R - 1, C + 1)) / 2 - Phi(R, C).

For |R| <= C, h (C + 1) < 1/2, as e^x - 1 <= x (e^b - 1) / b for 0 <= x <= b:
- R <= -1: h = 0;
- -1 < R <= 0: h = (e^x - 1) / 2 with x = (R + 1)^2 / 3(C + 1) <= 1/3, so that h (C + 1) is at most 1.2 / 6;
- 0 < R < 1: h = (e^x - 1) / 2 - (e^a - 1) with a = R^2 / 3C and x = (R + 1)^2 / 3(C + 1) <= 2/3, as C >= R. There
  e^x - 1 <= x (1 + 0.64 x), and a (C + 1) >= (1 + 1 / (C + 1)) R^2 / 3, so that h (C + 1) is at most
  (1 + 2 R - R^2) / 6 + (0.0356 (R + 1)^4 - R^2 / 3) / (C + 1), and as C + 1 >= R + 1 at most 1/3 + 0.12;
- R >= 1, and so C >= 1: cosh z <= exp(z^2 / 2) makes h at most e^a (e^x - 1) with a = R^2 / 3C and
  x (C + 1) = 1/3 - a (1 - 2 C / 3(C + 1)) <= (1 - a) / 3. Where x > 0 it is at most 1/6, and then
  h (C + 1) <= 1.09 e^a (1 - a) / 3 <= 0.37.

With c = C + 1 before a round, |r| / c = |r| / (c + |r|) + r^2 / c (c + |r|), which is at most
ln((c + |r|) / c) + 1 / c - 1 / (c + |r|). So the sum of |r| / (C + 1) over the rounds is at most
ln(1 + C_T) + C_T / (1 + C_T), and

    W <= 1 + sum pi_i (ln(1 + C_i) + C_i / (1 + C_i)) / 2.

Luo and Schapire have 3 times that sum, 1 in place of C / (1 + C), and ln(1 + ln N) more beside the divergence. Where an
outcome came late, the weights were others by then, and only the bound that is read off W holds.
"""

from __future__ import annotations

from math import log1p, nan, sqrt

import numpy as np

from ..comparator import ExpertComparator
from ..ledger import ExpertLedger
from ..theorem import theorem
from .expert_facts import IN_TIME, PRIOR, REGRET, Array, ExpertFacts, divergence, mixture, most_regret, regret
from .second_order import RATES, SMALLEST


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
