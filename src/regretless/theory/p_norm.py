"""How often can a p-norm perceptron be wrong?

The bounds are those of the perceptron with two norms in place of one: |x|_p of the rows and |v|_q of the comparator,
1 / p + 1 / q = 1. Half the squared p-norm is smooth: |theta + a|_p^2 <= |theta|_p^2 + 2 <w, a> + (p - 1) |a|_p^2, w
being its gradient, so that M updates, at each of which y <w, x> <= 0, leave |theta|_p <= eta R_p sqrt((p - 1) M).
With M <= H + <v, theta> / eta and <v, theta> <= |v|_q |theta|_p every bound below follows. H sums the hinge losses
max(0, 1 - y <v, x>) over **all** rounds; R_p is the largest |x|_p of the rounds that were updates (of all rounds
would do)."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from ..comparator import Comparator
from ..ledger import Ledger
from ..theorem import theorem
from .facts import PLAYED, SEPARATES, UNTIL_CLEAN, LinearFacts, rounds_until_clean
from .rounding import of_posterior
from .winnow import KEPT


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


def _updates(ledger: Ledger, _: Comparator) -> float:
    return ledger.updates


@theorem(
    title="Separable data",
    quantity="updates",
    counts=_updates,
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
    counts=_updates,
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
    counts=_updates,
    formula=r"M \le H + \frac{\langle v, \theta_{T+1} \rangle}{\eta}",
    source="the proof before |theta| is bounded: <v, theta> is at most |v|_q |theta|_p",
    assumes=(*PLAYED, KEPT),
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
