"""Losses so curved that the regret against an expert does not grow at all.

A loss is mixable at eta if some forecast loses at most -ln(sum p exp(-eta l)) / eta whatever happens. Then sum pi
exp(-eta L) falls in every round by a factor of exp(-eta loss) at least, silent experts being charged what the learner
loses.

The square loss against linear combinations of the forecasts: with A_t = a I + sum x x' and s_t = x_t' A_t^-1 x_t, the
present round included, the forecaster loses min_u (a |u|^2 + L(u)) + sum (y_t^2 s_t - yhat_t^2 s_t / (1 - s_t)),
exactly; and the s_t add up to ln det(A_T / a) at most.
"""

from __future__ import annotations

from math import inf, isnan, nan, sqrt

import numpy as np

from ..comparator import ExpertComparator
from ..ledger import ExpertLedger
from ..theorem import theorem
from .expert_facts import (
    ALL_SPEAK,
    SAME_ROUNDS,
    SINGLE,
    Array,
    ExpertFacts,
    delay_cost,
    divided,
    mixture,
    most_own_loss,
    most_regret,
    regret,
    scheduled,
)
from .rounding import EPSILON

# The largest rate times the span of the losses, (b - a)^2, at which the square loss is mixed by substitution, and at
# which the mean of the forecasts does.
SUBSTITUTED, AVERAGED = 2.0, 0.5
# Where rounding may do more than this part of the numbers at hand, there is no bound.
DROWNED = 1e-3


def _mixable(_: ExpertLedger, __: ExpertComparator, learner: ExpertFacts) -> bool:
    rate = learner.rate * (1 - 1e-9)
    if learner.linear or learner.experts < 1:
        return False
    if learner.loss == "log":
        return rate <= 1
    if learner.loss != "square" or learner.span is None:
        return False
    return rate * learner.span <= (SUBSTITUTED if learner.substitutes else AVERAGED)


def _one_number_in_range(ledger: ExpertLedger, _: ExpertComparator, learner: ExpertFacts) -> bool:
    return learner.span is None or ledger.highest <= learner.span * (1 + 1e-9)


def _fixed(_: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> bool:
    return comparator.expert is not None or comparator.weights is not None


def _begins(_: ExpertLedger, __: ExpertComparator, learner: ExpertFacts) -> bool:
    return learner.start is not None


def _growth_known(ledger: ExpertLedger, _: ExpertComparator, __: ExpertFacts) -> bool:
    return ledger.gap != 0 or ledger.max_outcome2 == 0


def _prompt(_: ExpertLedger, __: ExpertComparator, learner: ExpertFacts) -> bool:
    return learner.substitutes or not learner.delayed


PROMPT = ("it is about means of forecasts whose outcomes are known before the next, and some came late", _prompt)
MIXABLE = ("the loss must be so curved that this rate mixes it, and it is not", _mixable)
CONSTANT = ("it is about a constant rate", scheduled("constant"))
IN_RANGE = ("a loss was larger than the declared range allows", _one_number_in_range)
FIXED = ("it is about the same weights in all rounds", _fixed)
BEGINS = ("it is not known which linear weights it began with", _begins)
GROWTH_KNOWN = ("what the rounds added to the bound was not kept", _growth_known)
LINEAR = (BEGINS, ALL_SPEAK, FIXED, SAME_ROUNDS)


@theorem(
    title="Constant regret",
    quantity="regret",
    counts=regret,
    formula=r"R_i \le \frac{1}{\eta} \ln \frac{1}{\pi_i} + D,\quad \eta = 1 \ \text{(log loss)},\ "
    r"\frac{2}{(b - a)^2} \ \text{(square loss on}\ [a, b]\text{)},\ "
    r"\frac{1}{2 (b - a)^2} \ \text{(square loss of the mean)}",
    source="Vovk 1990, 1998; Kivinen & Warmuth 1999",
    assumes=(CONSTANT, MIXABLE, IN_RANGE, PROMPT, SINGLE, SAME_ROUNDS),
    whole=False,
    most=most_regret,
)
def constant_regret(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """For a loss that is mixable at the rate eta, the regret against expert i is at most ln(1 / prior_i) / eta, ln N /
    eta among equals, however many rounds there are; late outcomes add what they cost (D, the delay)."""
    return divided(comparator.divergence, learner.rate) + delay_cost(ledger, comparator)


AGGREGATING = (constant_regret,)


def _away(comparator: ExpertComparator, learner: ExpertFacts) -> Array:
    return np.asarray(mixture(comparator, learner.experts) - learner.start)


def _rounded_up(value: float, ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """A bound of ridge regression with what rounding may have done to the identity; nan where that drowns it.

    Let r_t be what the rotations of round t leave of its target. In exact numbers M(u) = a |u - u_0|^2 + L(u) is the
    sum of r_t^2 and a square, and r_t^2 = (y_t - yhat_t)^2 - g_t, where g_t is what the round adds to the bound.

    - The forecasts, and g_t, come of a triangle as badly conditioned as the forecasts are. But (y_t - yhat_t)^2 - r_t^2
      - g_t can be computed; the sum of its sizes is `missed`, and no condition number enters.
    - A rotation is as good as an exact one of columns that were moved by a small multiple of N units of rounding times
      their lengths (Higham 2002, section 19.6), which only grow. So T of them take at most d = 3 EPSILON (N + 3) (T +
      1) times (sum of |u - u_0|_j + |u_0|_j times the length of column j, and sqrt(T) Y) from sqrt(M(u)), the targets'
      own rounding included: the sum of r_t^2 is at most M(u) + 2 d sqrt(M(u)) + d^2.
    """
    if learner.sizes is None or learner.start is None:
        return value
    away = _away(comparator, learner)
    columns = float((np.abs(away) + np.abs(learner.start)) @ learner.sizes) + sqrt(ledger.rounds * ledger.max_outcome2)
    moved = 3 * EPSILON * (learner.experts + 3) * (ledger.rounds + 1) * columns
    lost = columns**2 if isnan(comparator.loss) else comparator.loss  # at most that, by Cauchy and Schwarz
    least = learner.ridge * float(away @ away) + lost
    off = learner.missed + moved * (2 * sqrt(least) + moved)
    return value + off if off <= DROWNED * (value + comparator.faced) < inf else nan


@theorem(
    title="Posterior regret",
    quantity="regret",
    counts=regret,
    formula=r"R_u \le a \lVert u - u_0 \rVert^2 + \sum_t s_t \left(y_t^2 - \frac{\hat y_t^2}{1 - s_t}\right) + D,\quad"
    r" s_t = x_t^\top A_t^{-1} x_t,\ A_t = a I + \sum_{r \le t} x_r x_r^\top",
    source="Vovk 2001; Azoury & Warmuth 2001, the identity before the bound",
    assumes=(GROWTH_KNOWN, *LINEAR),
    whole=False,
    most=most_own_loss,
)
def ridge_posterior(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """Against every linear combination u of the forecasts, the regret is at most a |u - u_0|^2 plus what the rounds
    added, as observed, outcomes and predictions being counted from those of u_0; it is exactly that against the u that
    minimises a |u - u_0|^2 + L(u). Late outcomes add what they cost (D, the delay)."""
    away = _away(comparator, learner)
    value = learner.ridge * float(away @ away) + ledger.gap + ledger.delay
    return _rounded_up(value, ledger, comparator, learner)


@theorem(
    title="Regret by the determinant",
    quantity="regret",
    counts=regret,
    formula=r"R_u \le a \lVert u - u_0 \rVert^2 + Y^2 \ln \det\left(I + \frac{1}{a} \sum_t x_t x_t^\top\right) + D,"
    r"\quad Y = \max_t |y_t - \langle u_0, x_t \rangle|",
    source="Vovk 2001; Azoury & Warmuth 2001",
    assumes=LINEAR,
    whole=False,
    most=most_own_loss,
)
def ridge_determinant(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> float:
    """Against every linear combination u of the forecasts x, the regret is at most a |u - u_0|^2 + Y^2 ln det(I + sum x
    x' / a), with Y the largest distance of an outcome from the forecast of u_0: of the order of N ln T. Late outcomes
    add what they cost (D, the delay)."""
    away = _away(comparator, learner)
    value = learner.ridge * float(away @ away) + ledger.max_outcome2 * learner.log_det + ledger.delay
    return _rounded_up(value, ledger, comparator, learner)


RIDGE = (ridge_posterior, ridge_determinant)
