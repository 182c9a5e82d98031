"""How often can the perceptron be wrong?

Every bound here is on its *updates*, which are never fewer than its mistakes. With v any vector, H(v) the sum of its
hinge losses max(0, 1 - y <v, x>) over **all** rounds, r the largest length of a row and a = r |v|, each follows from
M <= H(v) + |v| |w|: the update rounds alone satisfy it, and adding the other rounds to H only helps. Sums over the
update rounds alone would make the bounds empty (their smallest value is M itself).
"""

from __future__ import annotations

from math import sqrt

from ..comparator import Comparator
from ..ledger import Ledger
from ..theorem import theorem
from .facts import PLAYED, SEPARATES, UNTIL_CLEAN, LinearFacts, rounds_until_clean
from .rounding import of_posterior


def _updates(ledger: Ledger, _: Comparator) -> float:
    return ledger.updates


def _length(ledger: Ledger, comparator: Comparator) -> float:
    return sqrt(ledger.max_norm2) * comparator.norm


@theorem(
    title="Separable data",
    quantity="updates",
    counts=_updates,
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
    counts=_updates,
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
    counts=_updates,
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
    counts=_updates,
    formula=r"M \le a^2 + 2H",
    source="Blum's lecture on the perceptron: the sharp bound and a sqrt(M) <= (a^2 + M) / 2",
    assumes=PLAYED,
)
def total_distance(ledger: Ledger, comparator: Comparator, learner: LinearFacts) -> float:
    """For every vector v, M is at most (r / gamma)^2 + 2 TD / gamma, where gamma = 1 / |v| and TD is the total distance
    by which rows would have to move to have margin gamma."""
    return _length(ledger, comparator) ** 2 + 2 * comparator.hinge


@theorem(
    title="Posterior bound",
    quantity="updates",
    counts=_updates,
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


PERCEPTRON = (separable, sharp, squared_hinge, total_distance, posterior)
