"""How often can the perceptron of several classes be wrong?

A comparator is a matrix V with a vector v_c for each class, |V| is the root of the sum of its squares and H(V) the sum
over all rounds of max(0, 1 - (<v_y, x> - largest other <v_c, x>)). An update adds x to one class and takes it from
another: a step of squared length 2 |x|^2, which never points along W and gains at least 1 - h along V. So M <= H(V) +
|V| |W| and |W|^2 <= 2 r^2 M.
"""

from __future__ import annotations

from math import sqrt

from ..comparator import Comparator
from ..ledger import Ledger
from ..theorem import theorem
from .facts import PLAYED, UNTIL_CLEAN, LinearFacts, rounds_until_clean
from .rounding import of_posterior


def _updates(ledger: Ledger, _: Comparator) -> float:
    return ledger.updates


def _separates(_: Ledger, comparator: Comparator, __: LinearFacts) -> bool:
    return comparator.least > 0 and comparator.norm > 0


SEPARATES = ("no matrix was found that puts every round's class above all others with a margin", _separates)


@theorem(
    title="Separable classes",
    quantity="updates",
    counts=_updates,
    formula=r"M \le \frac{2 r^2}{\rho^2},\quad"
    r"\ \rho = \min_t \frac{\langle v_{y_t}, x_t \rangle - \max_{c \ne y_t} \langle v_c, x_t \rangle}{\lVert V \rVert}",
    source="Crammer & Singer 2003; Collins 2002, Thm 1",
    assumes=(*PLAYED, SEPARATES),
)
def classes_separable(ledger: Ledger, comparator: Comparator, learner: LinearFacts) -> float:
    """If some matrix V gives every round's class a score that is at least rho |V| above all others, in whatever order
    and over any number of passes, the perceptron of several classes makes at most 2 (r / rho)^2 updates."""
    return 2 * ledger.max_norm2 / comparator.margin**2


@theorem(
    title="Sharp hinge bound for classes",
    quantity="updates",
    counts=_updates,
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
    counts=_updates,
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
