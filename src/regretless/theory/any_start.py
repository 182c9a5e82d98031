"""How often can the perceptron be wrong whose weights do not begin at zero?

Its theorems are about w_1 = 0, and are false without it: from w_1 = -n, rows x = 1 of the label 1 take n updates before
a score is above 0, where (r / rho)^2 is 1. With any w_1, over the M updates of steps eta,

    <v, w_{T+1}> >= <v, w_1> + eta (M - H),        |w_{T+1}|^2 <= |w_1|^2 + eta^2 r^2 M,

H being the sum of the hinge losses of v over all rounds. The first line alone says M <= H + <v, w_{T+1} - w_1> / eta;
both together M <= h + sqrt(b^2 + a^2 M) with a = r |v|, b = |v| |w_1| / eta and h = H - <v, w_1> / eta, so that M is at
most the larger root. From w_1 = 0 these are the posterior and the sharp bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, sqrt

from ..comparator import Comparator
from ..ledger import Ledger
from ..theorem import theorem
from .facts import PLAYED, LinearFacts, count_updates
from .rounding import EPSILON, of_posterior


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


def _known(_: Ledger, comparator: Comparator, __: StartFacts) -> bool:
    return not isnan(comparator.product)


STARTED = (*PLAYED, ("the comparator's product with the first weights must be known", _known))


def _rounding(ledger: Ledger, comparator: Comparator, learner: StartFacts) -> float:
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
    h = comparator.hinge - comparator.product / learner.rate + _rounding(ledger, comparator, learner)
    return h + a2 / 2 + sqrt(max(0.0, a2 * h + a2 * a2 / 4 + b * b))


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
    return exact + _rounding(ledger, comparator, learner)


FROM_START = (sharp_from_start, posterior_from_start)
