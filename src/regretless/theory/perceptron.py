"""How often can the perceptron be wrong, of two classes, of several, and in the space of a kernel?

Every bound here is on its *updates*, which are never fewer than its mistakes. With v any vector, H(v) the sum of its
hinge losses max(0, 1 - y <v, x>) over **all** rounds, r the largest length of a row and a = r |v|, each follows from
M <= H(v) + |v| |w|: the update rounds alone satisfy it, and adding the other rounds to H only helps. Sums over the
update rounds alone would make the bounds empty (their smallest value is M itself). An update never points along the
weights, so that |w|^2 is at most U, the sum of the squared lengths of the rows that were updates, and U <= r^2 M; and
the hinge losses of the updates sum to at most sqrt(M) |L|, by Cauchy and Schwarz.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf

import numpy as np

from ..comparator import Comparator
from ..ledger import Ledger
from ..theorem import Check, Theorem, theorem
from .facts import PLAYED, SEPARATES, UNTIL_CLEAN, LinearFacts, count_updates, rounds_until_clean, sqrt
from .rounding import EPSILON, of_hinge, of_posterior, of_product


def _length(ledger: Ledger, comparator: Comparator) -> float:
    return sqrt(ledger.max_norm2) * comparator.norm


@theorem(
    title="Separable data",
    quantity="updates",
    counts=count_updates,
    formula=r"M \le \frac{r^2}{\rho^2},\quad r = \max_t \lVert x_t \rVert,"
    r"\ \rho = \min_t \frac{y_t \langle v, x_t \rangle}{\lVert v \rVert}",
    source="Novikoff 1962; Block 1962",
    assumes=(*PLAYED, SEPARATES),
)
def separable(ledger: Ledger, comparator: Comparator, learner: LinearFacts) -> float:
    """If some v has y <v, x> / |v| >= rho > 0 in every round, in whatever order and over any number of passes, the
    perceptron makes at most (r / rho)^2 updates."""
    return ledger.max_norm2 / comparator.margin**2


@theorem(
    title="Sharp hinge bound",
    quantity="updates",
    counts=count_updates,
    formula=r"M \le \left(\frac{a + \sqrt{a^2 + 4H}}{2}\right)^2,\quad a = r \lVert v \rVert,"
    r"\ H = \sum_t \max(0, 1 - y_t \langle v, x_t \rangle)",
    source="Shalev-Shwartz & Ben-David 2014, Thm 21.16, solved for M, with the hinge losses of all rounds",
    assumes=PLAYED,
)
def sharp(ledger: Ledger, comparator: Comparator, learner: LinearFacts) -> float:
    """For every vector v, M <= H + a sqrt(M), where H is the sum of the hinge losses of v over all rounds and a = r
    |v|; so M is at most the square of the larger root."""
    a = _length(ledger, comparator)
    return ((a + sqrt(a * a + 4 * comparator.hinge)) / 2) ** 2


@theorem(
    title="Squared-hinge bound",
    quantity="updates",
    counts=count_updates,
    formula=r"M \le \left(a + \lVert L \rVert_2\right)^2,\quad L_t = \max(0, 1 - y_t \langle v, x_t \rangle)",
    source="Freund & Schapire 1999, Thm 2, with the losses of all rounds",
    assumes=PLAYED,
)
def squared_hinge(ledger: Ledger, comparator: Comparator, learner: LinearFacts) -> float:
    """For every vector v, M is at most (a + |L|)^2, where |L| is the Euclidean length of the hinge losses of v over all
    rounds and a = r |v|."""
    return (_length(ledger, comparator) + sqrt(comparator.squared_hinge)) ** 2


@theorem(
    title="Total distance",
    quantity="updates",
    counts=count_updates,
    formula=r"M \le a^2 + 2H",
    source="Blum's lecture on the perceptron: the sharp bound and a sqrt(M) <= (a^2 + M) / 2",
    assumes=PLAYED,
)
def total_distance(ledger: Ledger, comparator: Comparator, learner: LinearFacts) -> float:
    """For every vector v, M is at most (r / gamma)^2 + 2 TD / gamma, where gamma = 1 / |v| and TD is the total distance
    by which rows would have to move to have margin gamma."""
    return _length(ledger, comparator) ** 2 + 2 * comparator.hinge


@theorem(
    title="Lengths of the updates",
    quantity="updates",
    counts=count_updates,
    formula=r"M \le H + \lVert v \rVert \sqrt{U},\quad U = \sum_I \lVert x_t \rVert^2",
    source="Mohri & Rostamizadeh 2013, Thm 3, its first form, with the hinge losses of all rounds",
    assumes=PLAYED,
)
def lengths(ledger: Ledger, comparator: Comparator, learner: LinearFacts) -> float:
    """For every vector v, M is at most H + |v| sqrt(U), where H is the sum of the hinge losses of v over all rounds and
    U the sum of the squared lengths of the rows that were updates."""
    exact = comparator.hinge + comparator.norm * sqrt(ledger.update_norm2)
    return exact + of_posterior(ledger, comparator, learner)


@theorem(
    title="Lengths of the updates, squared hinge",
    quantity="updates",
    counts=count_updates,
    formula=r"M \le \left(\frac{\lVert L \rVert_2"
    r" + \sqrt{\lVert L \rVert_2^2 + 4 \lVert v \rVert \sqrt{U}}}{2}\right)^2",
    source="Freund & Schapire 1999, Thm 2, before the lengths are bounded by r, with the losses of all rounds",
    assumes=PLAYED,
)
def squared_lengths(ledger: Ledger, comparator: Comparator, learner: LinearFacts) -> float:
    """For every vector v, M <= |L| sqrt(M) + |v| sqrt(U), where |L| is the Euclidean length of the hinge losses of v
    over all rounds and U the sum of the squared lengths of the rows that were updates; so M is at most the square of
    the larger root."""
    reached = comparator.norm * sqrt(ledger.update_norm2) + of_product(ledger, comparator, learner)
    losses = sqrt(comparator.squared_hinge) + of_hinge(comparator, learner)
    return ((losses + sqrt(losses * losses + 4 * reached)) / 2) ** 2


@theorem(
    title="Posterior bound",
    quantity="updates",
    counts=count_updates,
    formula=r"M \le H + \lVert v \rVert \frac{\lVert w_{T+1} \rVert}{\eta}",
    source="the perceptron's proof before |w| is bounded: M <= H + <v, w> / eta",
    assumes=PLAYED,
)
def posterior(ledger: Ledger, comparator: Comparator, learner: LinearFacts) -> float:
    """For every vector v, M is at most H + |v| |w| / eta, where w are the weights that the run ended with and eta is
    the length of its steps."""
    exact = comparator.hinge + comparator.norm * learner.norm / learner.rate
    return exact + of_posterior(ledger, comparator, learner)


@theorem(
    title="Rounds until clean",
    quantity="rounds",
    counts=lambda ledger, comparator: ledger.rounds,
    formula=r"T \le m \left(\left\lfloor r^2 / \rho^2 \right\rfloor + 1\right)",
    source="each pass over the m rows but the last has an update, and Novikoff 1962 counts those",
    assumes=(UNTIL_CLEAN, *separable.assumes),
    whole=False,
)
def clean_pass(ledger: Ledger, comparator: Comparator, learner: LinearFacts) -> float:
    """If some v has y <v, x> / |v| >= rho > 0 in every row, a run that goes over m rows until a pass has no update ends
    after at most (r / rho)^2 + 1 passes."""
    return rounds_until_clean(ledger.max_norm2 / comparator.margin**2, ledger, learner)


PERCEPTRON = (separable, sharp, squared_hinge, total_distance, lengths, squared_lengths, posterior)


# ---- How often can the perceptron of several classes be wrong?
#
# A comparator is a matrix V with a vector v_c for each class, |V| is the root of the sum of its squares and H(V) the
# sum over all rounds of max(0, 1 - (<v_y, x> - largest other <v_c, x>)). An update adds x to one class and takes it
# from another: a step of squared length 2 |x|^2, which never points along W and gains at least 1 - h along V. So M <=
# H(V) + |V| |W| and |W|^2 <= 2 r^2 M.


CLASSES_SEPARATE = (
    "no matrix was found that puts every round's class above all others with a margin",
    SEPARATES[1],
)


@theorem(
    title="Separable classes",
    quantity="updates",
    counts=count_updates,
    formula=r"M \le \frac{2 r^2}{\rho^2},\quad"
    r"\ \rho = \min_t \frac{\langle v_{y_t}, x_t \rangle - \max_{c \ne y_t} \langle v_c, x_t \rangle}{\lVert V \rVert}",
    source="Crammer & Singer 2003; Collins 2002, Thm 1",
    assumes=(*PLAYED, CLASSES_SEPARATE),
)
def classes_separable(ledger: Ledger, comparator: Comparator, learner: LinearFacts) -> float:
    """If some matrix V gives every round's class a score that is at least rho |V| above all others, in whatever order
    and over any number of passes, the perceptron of several classes makes at most 2 (r / rho)^2 updates."""
    return 2 * ledger.max_norm2 / comparator.margin**2


@theorem(
    title="Sharp hinge bound for classes",
    quantity="updates",
    counts=count_updates,
    formula=r"M \le \left(\frac{a + \sqrt{a^2 + 4H}}{2}\right)^2,\quad a = \sqrt{2}\, r \lVert V \rVert",
    source="the same proof with the hinge losses of all rounds, solved for M",
    assumes=PLAYED,
)
def classes_sharp(ledger: Ledger, comparator: Comparator, learner: LinearFacts) -> float:
    """For every matrix V, M <= H + a sqrt(M), where H is the sum over all rounds of max(0, 1 - the lead of the round's
    class over the best other) and a = sqrt(2) r |V|; so M is at most the square of the larger root."""
    a = sqrt(2 * ledger.max_norm2) * comparator.norm
    return ((a + sqrt(a * a + 4 * comparator.hinge)) / 2) ** 2


@theorem(
    title="Posterior bound for classes",
    quantity="updates",
    counts=count_updates,
    formula=r"M \le H + \lVert V \rVert \frac{\lVert W_{T+1} \rVert}{\eta}",
    source="the same proof before |W| is bounded",
    assumes=PLAYED,
)
def classes_posterior(ledger: Ledger, comparator: Comparator, learner: LinearFacts) -> float:
    """For every matrix V, M is at most H + |V| |W| / eta, where W are the weights of all classes that the run ended
    with and eta is the length of its steps."""
    exact = comparator.hinge + comparator.norm * learner.norm / learner.rate
    return exact + 2 * of_posterior(ledger, comparator, learner)  # of differences of two vectors, at most sqrt(2) |V|


@theorem(
    title="Rounds until clean, for classes",
    quantity="rounds",
    counts=lambda ledger, comparator: ledger.rounds,
    formula=r"T \le m \left(\left\lfloor 2 r^2 / \rho^2 \right\rfloor + 1\right)",
    source="each pass over the m rows but the last has an update, and the bound for separable classes counts those",
    assumes=(UNTIL_CLEAN, *classes_separable.assumes),
    whole=False,
)
def classes_clean_pass(ledger: Ledger, comparator: Comparator, learner: LinearFacts) -> float:
    """If some matrix V gives every row's class a score that is at least rho |V| above all others, a run that goes over
    m rows until a pass has no update ends after at most 2 (r / rho)^2 + 1 passes."""
    return rounds_until_clean(classes_separable.bound(ledger, comparator, learner), ledger, learner)


MULTICLASS = (classes_separable, classes_sharp, classes_posterior, classes_clean_pass)


# ---- The perceptron's theorems in the space of functions f = sum a_s K(x_s, .).
#
# A kernel that is positive semidefinite is an inner product of features, so every theorem about the perceptron holds
# with the length of a row read as sqrt(K(x, x)), the comparator as a function v of that space with <v, x> = v(x), and
# its length as |v|^2 = sum b_s b_t K(x_s, x_t). It is enough that K is one on the rows that f and v are made of. They
# assume that nothing which was learned is ever removed.
#
# With a budget, parts are removed, and one theorem is still sure. Let I be the update rounds, u = sum over I of y K(x,
# .), and v any function. Where y v(x) >= 1 - L, summing over I gives M <= H + <v, u>. Whatever was removed, and
# however it was chosen, u is the function that is left plus all removed parts, so <v, u> <= |v| (|f| + sum of the
# lengths of these parts).


@dataclass(frozen=True, slots=True)
class KernelFacts(LinearFacts):
    """One target of a kernel perceptron after its last round.

    Attributes
    ----------
    norm : float
        Length of its function, in the space of the kernel.
    removed : float
        Sum of the lengths of what a budget took from it.
    removals : float
        How often it did.
    """

    removed: float = 0.0
    removals: float = 0.0


def _nothing_removed(_: Ledger, __: Comparator, learner: KernelFacts) -> bool:
    return learner.removals == 0


NOTHING_REMOVED: tuple[str, Check] = (
    "it assumes that nothing is forgotten, and the budget took parts of the function away",
    _nothing_removed,
)

KERNEL_PERCEPTRON: tuple[Theorem, ...] = PERCEPTRON
UNFORGETTING: tuple[Theorem, ...] = tuple(replace(one, assumes=(*one.assumes, NOTHING_REMOVED)) for one in PERCEPTRON)


@theorem(
    title="Budget bound",
    quantity="updates",
    counts=count_updates,
    formula=r"M \le H + \lVert v \rVert \left(\lVert f_{T+1} \rVert + \sum_t \lVert g_t \rVert\right)",
    source="the perceptron's proof with what was removed, g_t, added back: sum of y K(x, .) = f + sum of g",
    assumes=PLAYED,
)
def budget(ledger: Ledger, comparator: Comparator, learner: KernelFacts) -> float:
    """For every function v and whatever is removed by whatever rule, M is at most H + |v| (|f| + the sum of the lengths
    of all that was removed), where f is the function that the run ended with."""
    return comparator.hinge + comparator.norm * (learner.norm + learner.removed)


BUDGET = (budget, *UNFORGETTING)


# ---- Weights that do not begin at zero.
#
# The theorems above are about w_1 = 0, and are false without it: from w_1 = -n, rows x = 1 of the label 1 take n
# updates before a score is above 0, where (r / rho)^2 is 1. With any w_1, over the M updates of steps eta,
#
#     <v, w_{T+1}> >= <v, w_1> + eta (M - H),        |w_{T+1}|^2 <= |w_1|^2 + eta^2 r^2 M,
#
# H being the sum of the hinge losses of v over all rounds. The first line alone says M <= H + <v, w_{T+1} - w_1> / eta;
# both together M <= h + sqrt(b^2 + a^2 M) with a = r |v|, b = |v| |w_1| / eta and h = H - <v, w_1> / eta, so that M is
# at most the larger root. From w_1 = 0 these are the posterior and the sharp bound.


@dataclass(frozen=True, slots=True)
class StartFacts(LinearFacts):
    """One target whose weights did not begin at zero, after its last round.

    Attributes
    ----------
    start : float
        Length of the weights that it began with.
    moved : float
        How far its weights are from these now.
    """

    start: float = 0.0
    moved: float = 0.0


def _product_known(_: Ledger, comparator: Comparator, __: StartFacts) -> bool:
    return abs(comparator.product) <= inf  # false of NaN alone, and true or false of each of many


STARTED = (*PLAYED, ("the comparator's product with the first weights must be known", _product_known))


def _rounding_from_start(ledger: Ledger, comparator: Comparator, learner: StartFacts) -> float:
    """By how much H - <v, w_1> / eta and the way of the weights may be wrong: each update rounds them once more."""
    start = comparator.norm * learner.start / learner.rate
    return of_posterior(ledger, comparator, learner) + EPSILON * (ledger.updates + learner.width + 4) * start


@theorem(
    title="Sharp hinge bound, from any start",
    quantity="updates",
    counts=count_updates,
    formula=r"M \le h + \frac{a^2}{2} + \sqrt{a^2 h + \frac{a^4}{4} + b^2},\quad a = r \lVert v \rVert,"
    r"\ b = \frac{\lVert v \rVert \lVert w_1 \rVert}{\eta},\ h = H - \frac{\langle v, w_1 \rangle}{\eta}",
    source="the proof of the sharp bound with w_1 in both of its lines, solved for M",
    assumes=STARTED,
)
def sharp_from_start(ledger: Ledger, comparator: Comparator, learner: StartFacts) -> float:
    """For every vector v, M <= h + sqrt(b^2 + a^2 M), where a = r |v|, b = |v| |w_1| / eta and h is the sum of the
    hinge losses of v over all rounds less <v, w_1> / eta; so M is at most the larger root."""
    a2 = ledger.max_norm2 * comparator.norm**2
    b = comparator.norm * learner.start / learner.rate
    h = comparator.hinge - comparator.product / learner.rate + _rounding_from_start(ledger, comparator, learner)
    return h + a2 / 2 + sqrt(np.maximum(0.0, a2 * h + a2 * a2 / 4 + b * b))


@theorem(
    title="Posterior bound, from any start",
    quantity="updates",
    counts=count_updates,
    formula=r"M \le H + \lVert v \rVert \frac{\lVert w_{T+1} - w_1 \rVert}{\eta}",
    source="the perceptron's proof before lengths are bounded: eta M <= eta H + <v, w - w_1>",
    assumes=STARTED,
)
def posterior_from_start(ledger: Ledger, comparator: Comparator, learner: StartFacts) -> float:
    """For every vector v, M is at most H + |v| |w - w_1| / eta, where w_1 are the weights that the run began with, w
    those that it ended with, and eta is the length of its steps."""
    exact = comparator.hinge + comparator.norm * learner.moved / learner.rate
    return exact + _rounding_from_start(ledger, comparator, learner)


FROM_START = (sharp_from_start, posterior_from_start)
