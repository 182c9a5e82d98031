r"""The log loss of probabilities from scores beside that of every scaling, and the calibration error of bins.

**Platt's scaling** (Platt 1999). A round has a score s and a label; the loss of log odds q is l(q) = ln(1 + e^q) - q
[the label is the larger one]. Log odds are kept within +-R. With g the slope at p, and f(q) = ln(1 + e^q), let

    c = min over the ends q = R, -R of (f(q) - f(p) - f'(p) (q - p)) / (q - p)^2, of f''(q) / 2 where q is next to p.

Then l(q) >= l(p) + g (q - p) + c (q - p)^2 for every q within +-R: the difference K of both sides has K = K' = 0 at p
and K'' = f''(q) - 2 c. Let p >= 0. Above p, f'' falls, so that the quotient does, whose limit at p is f''(p) / 2; it is
least at R, and that is at most f''(p) / 2. Below p, f'' rises up to 0 and falls from there: K'' is at least 0 up to
some place and below 0 after it, so that K is convex from 0 at p and then concave up to -R, where K >= 0 by the choice
of c. For p < 0 it is the same from the other side.

The steps are those of Newton: (a, b) is the minimiser of F_t(a, b) = lambda (M^2 a^2 + b^2) + sum_{s < t} g_s (q_s -
p_s) + c_s (q_s - p_s)^2, q_s = a s + b, M the largest score so far (Hazan, Agarwal & Kale 2007). As for numbers
(`theory.regression`), for every (a, b) whose log odds stay within +-R in all rounds

    L - L(a, b) <= lambda (M^2 a^2 + b^2) - min F_{T+1},

and the minimum is known from the state.

**Offsets of bins.** A probability p is in bin k of K, between (k - 1) / K and k / K; the corrected forecast is
p + theta_k, clipped to [0, 1], and theta_k grows by eta (1[the label is the larger one] - the forecast), from 0. So in
each bin

    sum (1[...] - forecast) = theta_k / eta.

theta_k grows only where the forecast is below 1, thus below 1 - (k - 1) / K, and by eta at most; it shrinks only where
the forecast is above 0. So |theta_k| <= max(1 - (k - 1) / K, k / K) + eta. Whatever the sequence, the sum over the bins
of the distance of forecasts from labels is at most the sum of these over eta (a case of what Angelopoulos, Jordan &
Tibshirani 2025 call gradient equilibrium).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, isfinite, log1p, nan

from ..certificate import Most
from ..facts import Facts
from ..ledger import Ledger
from ..theorem import theorem
from .aggregated import MemberComparator


@dataclass(frozen=True, slots=True)
class CalibrationFacts(Facts):
    """What theorems may ask of a calibration besides its ledger.

    Attributes
    ----------
    energy : float
        Of Platt's scaling: by how much the least penalised sum of lower bounds is below 0.
    reach : float
        How far from 0 its log odds may be.
    offsets : float
        Of bins: the sum over those that had rounds of how far their offsets may be from 0.
    rate : float
        By what share of an error an offset moves.
    """

    energy: float = nan
    reach: float = nan
    offsets: float = nan
    rate: float = nan


def _loss(ledger: Ledger, _: MemberComparator | None) -> float:
    return ledger.loss


def _most(ledger: Ledger, _: MemberComparator | None, learner: CalibrationFacts) -> Most:
    worst = learner.reach + log1p(exp(-learner.reach))
    return Most(ledger.rounds * worst, "the largest loss within reach, in every round")


def _played(ledger: Ledger, _: MemberComparator | None, __: CalibrationFacts) -> bool:
    return ledger.rounds > 0


def _same(ledger: Ledger, comparator: MemberComparator, _: CalibrationFacts) -> bool:
    return comparator.rounds == ledger.rounds


def _within(_: Ledger, comparator: MemberComparator, learner: CalibrationFacts) -> bool:
    return comparator.largest <= learner.reach


def _finite(_: Ledger, comparator: MemberComparator, __: CalibrationFacts) -> bool:
    return isfinite(comparator.loss)


PLAYED = ("there was no round", _played)
SAME = ("the rounds are not those that were played", _same)
WITHIN = ("the log odds of the comparator must stay within reach in all rounds, and do not", _within)
FINITE = ("the loss of the comparator must be a float, and it is none", _finite)


@theorem(
    title="Against every scaling",
    quantity="calibrated log loss",
    counts=_loss,
    formula=r"L \le L(a, b) + \lambda (M^2 a^2 + b^2) + \frac{1}{4} \sum_t g_t^2 \, x_t^\top A_{t+1}^{-1} x_t + C",
    source="Platt 1999, by the steps of Hazan, Agarwal & Kale 2007, as the run had it",
    assumes=(PLAYED, SAME, FINITE, WITHIN),
    whole=False,
    most=_most,
)
def against_every_scaling(ledger: Ledger, comparator: MemberComparator, learner: CalibrationFacts) -> float:
    """The log loss is at most that of every scaling a s + b whose log odds stay within reach, plus lambda (M^2 a^2 +
    b^2), plus by how much the least penalised sum of lower bounds is below 0: a quarter of the sum of g^2 x' A^-1 x,
    and what clipping cost or gained."""
    return comparator.loss + comparator.regularised + learner.energy


def _error(ledger: Ledger, _: None) -> float:
    return ledger.loss / ledger.rounds


def _all(_: Ledger, __: None, ___: CalibrationFacts) -> Most:
    return Most(1.0, "forecast probabilities and observed frequencies lie between 0 and 1")


@theorem(
    title="Calibration error on any sequence",
    quantity="calibration error",
    counts=_error,
    formula=r"\frac{1}{T} \sum_k \Big|\sum_{t \in k} (y_t - p_t)\Big| \le \frac{1}{\eta T} \sum_k"
    r" \left(\max\left(1 - \tfrac{k-1}{K}, \tfrac{k}{K}\right) + \eta\right)",
    source="after Angelopoulos, Jordan & Tibshirani 2025, for offsets of bins",
    assumes=(PLAYED,),
    whole=False,
    most=_all,
    compares=False,
)
def binned_calibration(ledger: Ledger, _: None, learner: CalibrationFacts) -> float:
    """The distance of forecast probabilities from observed frequencies, added up over the bins that had rounds, is at
    most how far their offsets can be from 0, over their step and the rounds."""
    return learner.offsets / (learner.rate * ledger.rounds)
