"""How often can Winnow, and the p-norm perceptron, be wrong?

Winnow first.

Every bound is on its *updates*, which are never fewer than its mistakes. v is any vector that the weights can be near:
without a negative entry, unless the learner is balanced. Write |v| for the sum of its absolute entries, rho = 1 / |v|,
KL for the divergence of |v_i| / |v| from the uniform start over all N weights, H for the sum of the hinge losses
max(0, 1 - y <v, x>) over **all** rounds, and r for the largest |x_i| of the rounds that were updates (of all rounds
would do). One update changes the divergence from v by ln Z - eta y <v, x> / |v|, and as y <w, x> <= 0,

    Z = sum w_i exp(eta y x_i) <= cosh(eta r) + y <w, x> sinh(eta r) / r <= cosh(eta r).

Divergences are not negative, so that the sum over the updates gives every bound below. The constant feature counts as a
feature, and features that a stream has revealed late count from the start: nothing was learned of them before.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import atanh, exp, inf, isclose, log, log1p
from typing import Any

import numpy as np

from ..comparator import Comparator
from ..ledger import Ledger
from ..theorem import Check, theorem
from .facts import PLAYED, SEPARATES, UNTIL_CLEAN, LinearFacts, count_updates, rounds_until_clean, sqrt
from .rounding import of_hinge, of_posterior

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class WinnowFacts(LinearFacts):
    """One target of a learner of mirror steps as it stands after its last round.

    Attributes
    ----------
    reach : float
        Largest |x_i| of any update round, the constant feature included.
    weights : int
        How many weights there are: N.
    gamma, radius : float
        The margin and the largest |x_i| that the rate was made for; a gamma of 0 if it was made for none.
    """

    reach: float = 0.0
    weights: int = 1
    gamma: float = 0.0
    radius: float = 1.0


def log_cosh(x: float) -> float:
    """ln cosh(x), also of what has no cosh among floats."""
    x = abs(x)
    return log1p(np.sinh(x / 2) ** 2 * 2) if x < 1 else x + log1p(exp(-2 * x)) - log(2)


def binary(s: float) -> float:
    """(1 + s) ln(1 + s) + (1 - s) ln(1 - s) for 0 <= s <= 1: about s^2, and 2 ln 2 at 1."""
    return (1 + s) * log1p(s) + ((1 - s) * log1p(-s) if s < 1 else 0.0)


def _margin(comparator: Comparator) -> float:
    if isinstance(comparator.own, np.ndarray) or 0 < comparator.own < inf:  # of many, no number at v = 0
        return comparator.least / comparator.own
    return 0.0


def _allowed(_: Ledger, comparator: Comparator, __: LinearFacts) -> bool:
    return comparator.own < inf


def _near(_: Ledger, comparator: Comparator, learner: WinnowFacts) -> bool:
    return learner.rate > comparator.own * log_cosh(learner.rate * learner.reach)


def _slow(_: Ledger, comparator: Comparator, learner: WinnowFacts) -> bool:
    return learner.rate * _margin(comparator) > log_cosh(learner.rate * learner.reach)


def _quadratic(_: Ledger, comparator: Comparator, learner: WinnowFacts) -> bool:
    return comparator.own * learner.rate * learner.reach * learner.reach / 2 < 1


def _tuned(_: Ledger, __: Comparator, learner: WinnowFacts) -> bool:
    return learner.gamma > 0 and isclose(
        learner.rate, atanh(learner.gamma / learner.radius) / learner.radius, rel_tol=1e-12
    )


def _within(_: Ledger, __: Comparator, learner: WinnowFacts) -> bool:
    return learner.reach <= learner.radius


def _wide(_: Ledger, comparator: Comparator, learner: WinnowFacts) -> bool:
    return _margin(comparator) >= learner.gamma * (1 - 1e-12)


def _finite(_: Ledger, comparator: Comparator, __: LinearFacts) -> bool:
    return abs(comparator.product) < inf


ALLOWED: tuple[str, Check] = ("a comparator with negative weights asks for balanced=True", _allowed)
FINITE: tuple[str, Check] = ("the comparator's product with the dual coordinates is no number", _finite)
RATE = "the rate is too large for the margin of every vector that was tried"


@theorem(
    title="Separable data",
    quantity="updates",
    counts=count_updates,
    formula=r"M \le \frac{\mathrm{KL}(v \Vert w_1)}{\eta \rho - \ln\cosh(\eta r)},"
    r"\quad \rho = \min_t \frac{y_t \langle v, x_t \rangle}{\lVert v \rVert_1}",
    source="Littlestone 1988; Kivinen & Warmuth 1997, with cosh in place of its quadratic bound",
    assumes=(*PLAYED, ALLOWED, SEPARATES, (RATE, _slow)),
)
def winnow_separable(ledger: Ledger, comparator: Comparator, learner: WinnowFacts) -> float:
    """If some v (without negative weights, unless balanced) has y <v, x> / |v|_1 >= rho in every round and eta rho > ln
    cosh(eta r), Winnow makes at most KL(v, w_1) / (eta rho - ln cosh(eta r)) updates, in whatever order and over any
    number of passes; KL is at most the logarithm of the number of weights."""
    return comparator.divergence / (learner.rate * _margin(comparator) - log_cosh(learner.rate * learner.reach))


@theorem(
    title="Rate made for the margin",
    quantity="updates",
    counts=count_updates,
    formula=r"M \le \frac{2 \ln N}{(1 + s) \ln(1 + s) + (1 - s) \ln(1 - s)},\quad s = \gamma / R",
    source="the separable bound at eta = artanh(gamma / R) / R, its best rate; known before the run",
    assumes=(
        *PLAYED,
        ALLOWED,
        ("the rate was not made for a margin: give gamma", _tuned),
        ("a row has an entry larger than the radius that the rate was made for", _within),
        SEPARATES,
        ("no vector was found that has the margin gamma which the rate was made for", _wide),
    ),
)
def winnow_tuned(ledger: Ledger, comparator: Comparator, learner: WinnowFacts) -> float:
    """If some v (without negative weights, unless balanced) has y <v, x> / |v|_1 >= gamma in every round, no entry of x
    exceeds R, and the rate is artanh(s) / R with s = gamma / R, Winnow makes at most 2 ln N / ((1 + s) ln(1 + s) + (1
    - s) ln(1 - s)) updates, which is at most 2 (R / gamma)^2 ln N; as s goes to 1 it is log2 N, what halving
    makes."""
    return 2 * log(learner.weights) / binary(learner.gamma / learner.radius)


@theorem(
    title="Hinge bound",
    quantity="updates",
    counts=count_updates,
    formula=r"M \le \frac{\mathrm{KL}(v \Vert w_1) + \eta \rho H}{\eta \rho - \ln\cosh(\eta r)},"
    r"\quad \rho = \frac{1}{\lVert v \rVert_1}",
    source="the proof of the separable bound with the hinge losses of all rounds",
    assumes=(*PLAYED, ALLOWED, (RATE, _near)),
)
def winnow_hinge(ledger: Ledger, comparator: Comparator, learner: WinnowFacts) -> float:
    """For every v (without negative weights, unless balanced) with rho = 1 / |v|_1 and eta rho > ln cosh(eta r), M is
    at most (KL(v, w_1) + eta rho H) / (eta rho - ln cosh(eta r)), where H sums the hinge losses of v over all rounds.
    With a single weight and entries of 1 it is the bound of weighted majority."""
    rate, own, hinge = learner.rate, comparator.own, comparator.hinge + of_hinge(comparator, learner)
    return (comparator.divergence * own + rate * hinge) / (rate - own * log_cosh(rate * learner.reach))


@theorem(
    title="Textbook bound",
    quantity="updates",
    counts=count_updates,
    formula=r"M \le \frac{\ln N + \eta \rho H}{\eta \rho - \eta^2 r^2 / 2}",
    source="Mohri, Rostamizadeh & Talwalkar 2012, Thm 7.12, with the hinge losses of all rounds",
    assumes=(*PLAYED, ALLOWED, (RATE, _quadratic)),
)
def winnow_textbook(ledger: Ledger, comparator: Comparator, learner: WinnowFacts) -> float:
    """For every v (without negative weights, unless balanced) with rho = 1 / |v|_1 > eta r^2 / 2, M is at most (ln N
    + eta rho H) / (eta rho - eta^2 r^2 / 2); without hinge losses and with eta = rho / r^2 it is 2 (r / rho)^2 ln
    N."""
    rate, own, hinge = learner.rate, comparator.own, comparator.hinge + of_hinge(comparator, learner)
    return (log(learner.weights) * own + rate * hinge) / (rate - own * (rate * learner.reach) ** 2 / 2)


@theorem(
    title="Posterior bound",
    quantity="updates",
    counts=count_updates,
    formula=r"M \le H + \frac{\langle v, \theta_{T+1} \rangle}{\eta} = H + \frac{\mathrm{KL}(v \Vert w_1)"
    r" - \mathrm{KL}(v \Vert w_{T+1}) + \sum_I \ln Z_t}{\eta \rho}",
    source="the proof before ln Z is bounded: the dual coordinates are eta times the sum of y x over the updates",
    assumes=(*PLAYED, FINITE),
)
def winnow_posterior(ledger: Ledger, comparator: Comparator, learner: WinnowFacts) -> float:
    """For every vector v, M is at most H + <v, theta> / eta, where theta are the dual coordinates that the run ended
    with (w_i in proportion to exp(theta_i)) and H sums the hinge losses of v over all rounds."""
    return comparator.hinge + comparator.product / learner.rate + of_posterior(ledger, comparator, learner)


@theorem(
    title="Rounds until clean",
    quantity="rounds",
    counts=lambda ledger, comparator: ledger.rounds,
    formula=r"T \le m \left(\left\lfloor \frac{\mathrm{KL}(v \Vert w_1)}{\eta \rho - \ln\cosh(\eta r)} \right\rfloor"
    r" + 1\right)",
    source="each pass over the m rows but the last has an update, and the separable bound counts those",
    assumes=(UNTIL_CLEAN, *winnow_separable.assumes),
    whole=False,
)
def winnow_clean_pass(ledger: Ledger, comparator: Comparator, learner: WinnowFacts) -> float:
    """A run that goes over m rows until a pass has no update ends after at most one pass more than the separable bound
    has updates."""
    return rounds_until_clean(winnow_separable.bound(ledger, comparator, learner), ledger, learner)


WINNOW = (winnow_separable, winnow_tuned, winnow_hinge, winnow_textbook, winnow_posterior)


# ---- How often can a p-norm perceptron be wrong?
#
# The bounds are those of the perceptron with two norms in place of one: |x|_p of the rows and |v|_q of the comparator,
# 1 / p + 1 / q = 1. Half the squared p-norm is smooth: |theta + a|_p^2 <= |theta|_p^2 + 2 <w, a> + (p - 1) |a|_p^2, w
# being its gradient, so that M updates, at each of which y <w, x> <= 0, leave |theta|_p <= eta R_p sqrt((p - 1) M).
# With M <= H + <v, theta> / eta and <v, theta> <= |v|_q |theta|_p every bound below follows. H sums the hinge losses
# max(0, 1 - y <v, x>) over **all** rounds; R_p is the largest |x|_p of the rounds that were updates (of all rounds
# would do).


@dataclass(frozen=True, slots=True)
class PNormFacts(LinearFacts):
    """One target of a p-norm perceptron as it stands after its last round.

    Attributes
    ----------
    p : float
    reach : float
        Largest |x|_p of any update round, the constant feature included.
    """

    p: float = 2.0
    reach: float = 0.0


@theorem(
    title="Separable data",
    quantity="updates",
    counts=count_updates,
    formula=r"M \le (p - 1) \frac{R_p^2}{\rho^2},"
    r"\quad \rho = \min_t \frac{y_t \langle v, x_t \rangle}{\lVert v \rVert_q}",
    source="Grove, Littlestone & Schuurmans 2001; Gentile 2003",
    assumes=(*PLAYED, SEPARATES),
)
def p_norm_separable(ledger: Ledger, comparator: Comparator, learner: PNormFacts) -> float:
    """If some v has y <v, x> / |v|_q >= rho > 0 in every round, in whatever order and over any number of passes, the
    p-norm perceptron makes at most (p - 1) (R_p / rho)^2 updates. At p = 2 this is Novikoff's bound; at p = 2 ln d,
    it is of the order of ln d times the squared ratio of the largest entry to the margin, as for Winnow."""
    return (learner.p - 1) * (learner.reach * comparator.own / comparator.least) ** 2


@theorem(
    title="Sharp hinge bound",
    quantity="updates",
    counts=count_updates,
    formula=r"M \le \left(\frac{a + \sqrt{a^2 + 4H}}{2}\right)^2,\quad a = \sqrt{p - 1}\, R_p \lVert v \rVert_q",
    source="Gentile 2003, solved for M, with the hinge losses of all rounds",
    assumes=PLAYED,
)
def p_norm_sharp(ledger: Ledger, comparator: Comparator, learner: PNormFacts) -> float:
    """For every vector v, M <= H + a sqrt(M), where H is the sum of the hinge losses of v over all rounds and a =
    sqrt(p - 1) R_p |v|_q; so M is at most the square of the larger root."""
    a = sqrt(learner.p - 1) * learner.reach * comparator.own
    return ((a + sqrt(a * a + 4 * comparator.hinge)) / 2) ** 2


@theorem(
    title="Posterior bound",
    quantity="updates",
    counts=count_updates,
    formula=r"M \le H + \frac{\langle v, \theta_{T+1} \rangle}{\eta}",
    source="the proof before |theta| is bounded: <v, theta> is at most |v|_q |theta|_p",
    assumes=(*PLAYED, FINITE),
)
def p_norm_posterior(ledger: Ledger, comparator: Comparator, learner: PNormFacts) -> float:
    """For every vector v, M is at most H + <v, theta> / eta, where theta are the dual coordinates that the run ended
    with and eta is the length of its steps."""
    return comparator.hinge + comparator.product / learner.rate + of_posterior(ledger, comparator, learner)


@theorem(
    title="Rounds until clean",
    quantity="rounds",
    counts=lambda ledger, comparator: ledger.rounds,
    formula=r"T \le m \left(\left\lfloor (p - 1) R_p^2 / \rho^2 \right\rfloor + 1\right)",
    source="each pass over the m rows but the last has an update, and the separable bound counts those",
    assumes=(UNTIL_CLEAN, *p_norm_separable.assumes),
    whole=False,
)
def p_norm_clean_pass(ledger: Ledger, comparator: Comparator, learner: PNormFacts) -> float:
    """A run that goes over m rows until a pass has no update ends after at most one pass more than the separable bound
    has updates."""
    return rounds_until_clean(p_norm_separable.bound(ledger, comparator, learner), ledger, learner)


P_NORM = (p_norm_separable, p_norm_sharp, p_norm_posterior)
