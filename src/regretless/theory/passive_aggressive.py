"""How much can a passive-aggressive learner lose?

With l its hinge loss in a round and l* that of any vector v in the same round, a step tau y x brings w closer to v:
|w - v|^2 shrinks by at least tau (2 l - tau |x|^2 - 2 l*), so that these sum to at most |v|^2. The three variants
choose tau = l / |x|^2, the same but at most C, and l / (|x|^2 + 1 / (2C)). A wrong prediction has l >= 1. All sums are
over all rounds; a row of zeros moves nothing and costs everybody a loss of 1, so that it breaks no bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from ..comparator import Comparator
from ..ledger import Ledger
from ..theorem import Check, theorem
from .facts import PLAYED, SEPARATES, LinearFacts, count_mistakes
from .rounding import of_posterior


@dataclass(frozen=True, slots=True)
class AggressiveFacts(LinearFacts):
    """One target of a passive-aggressive learner.

    Attributes
    ----------
    limit : float
        C of PA-I and PA-II.
    """

    limit: float = 1.0


def _squared_losses(ledger: Ledger, _: Comparator) -> float:
    return ledger.slope2


def _is(schedule: str) -> tuple[str, Check]:
    def check(_: Ledger, __: Comparator, learner: AggressiveFacts) -> bool:
        return learner.schedule == schedule

    return f"it is about {schedule.upper().replace('-1', '-I').replace('-2', '-II')}", check


def _shortest2(ledger: Ledger) -> float:
    """A lower bound of |x|^2 of any round: what is left when all other rows are as long as the longest."""
    return ledger.total_norm2 * (1 + 1e-12) - (ledger.rounds - 1) * ledger.max_norm2


def _one_length(ledger: Ledger, _: Comparator, __: LinearFacts) -> bool:
    return _shortest2(ledger) > 0.5 * ledger.max_norm2


PLAIN, LIMITED, DAMPED = _is("pa"), _is("pa-1"), _is("pa-2")
ONE_LENGTH = ("it needs rows of one length, and theirs differ (normalize them)", _one_length)


def _damped(ledger: Ledger, comparator: Comparator, learner: AggressiveFacts) -> float:
    losses = comparator.norm**2 + 2 * learner.limit * comparator.squared_hinge
    return (ledger.max_norm2 + 1 / (2 * learner.limit)) * losses


@theorem(
    title="PA, separable data",
    quantity="squared losses",
    counts=_squared_losses,
    formula=r"\sum_t \ell_t^2 \le \frac{r^2}{\rho^2},\quad r = \max_t \lVert x_t \rVert,"
    r"\ \rho = \min_t \frac{y_t \langle v, x_t \rangle}{\lVert v \rVert}",
    source="Crammer et al. 2006, Thm 2",
    assumes=(PLAIN, *PLAYED, SEPARATES),
    whole=False,
)
def aggressive_separable(ledger: Ledger, comparator: Comparator, learner: AggressiveFacts) -> float:
    """If some v has y <v, x> / |v| >= rho > 0 in every round, the squared hinge losses of PA sum to at most (r /
    rho)^2."""
    return ledger.max_norm2 / comparator.margin**2


@theorem(
    title="PA, mistakes on separable data",
    quantity="mistakes",
    counts=count_mistakes,
    formula=r"M \le \sum_t \ell_t^2 \le \frac{r^2}{\rho^2}",
    source="Crammer et al. 2006, Thm 2; a mistake has a loss of at least 1",
    assumes=(PLAIN, *PLAYED, SEPARATES),
)
def aggressive_mistakes(ledger: Ledger, comparator: Comparator, learner: AggressiveFacts) -> float:
    """If some v has y <v, x> / |v| >= rho > 0 in every round, PA makes at most (r / rho)^2 mistakes."""
    return ledger.max_norm2 / comparator.margin**2


@theorem(
    title="PA, any data, rows of one length",
    quantity="squared losses",
    counts=_squared_losses,
    formula=r"\sum_t \ell_t^2 \le \left(U + \sqrt{U^2 + r^2 \lVert v \rVert^2}\right)^2,\quad"
    r"\ U^2 = \sum_t \max(0, 1 - y_t \langle v, x_t \rangle)^2,\ \lVert x_t \rVert = r",
    source="Crammer et al. 2006, Thm 3, with the root of the quadratic; for |x| = r instead of 1",
    assumes=(PLAIN, *PLAYED, ONE_LENGTH),
    whole=False,
)
def aggressive_agnostic(ledger: Ledger, comparator: Comparator, learner: AggressiveFacts) -> float:
    """If all rows have the same length r, then for every v the squared hinge losses of PA sum to at most (U + sqrt(U^2
    + r^2 |v|^2))^2, where U^2 is the sum of the squared hinge losses of v. For rows of different lengths that is false.
    Where rounding makes them differ a little, U grows by the quotient of the largest length and the smallest."""
    theirs = comparator.squared_hinge * ledger.max_norm2 / min(ledger.max_norm2, _shortest2(ledger))
    return (sqrt(theirs) + sqrt(theirs + ledger.max_norm2 * comparator.norm**2)) ** 2


@theorem(
    title="PA-I, mistakes",
    quantity="mistakes",
    counts=count_mistakes,
    formula=r"M \le \max(r^2, 1/C)\left(\lVert v \rVert^2 + 2CH\right),\quad"
    r"\ H = \sum_t \max(0, 1 - y_t \langle v, x_t \rangle)",
    source="Crammer et al. 2006, Thm 4",
    assumes=(LIMITED, *PLAYED),
)
def limited_mistakes(ledger: Ledger, comparator: Comparator, learner: AggressiveFacts) -> float:
    """For every v, PA-I makes at most max(r^2, 1/C) (|v|^2 + 2 C H) mistakes, where H is the sum of the hinge losses of
    v over all rounds."""
    losses = comparator.norm**2 + 2 * learner.limit * comparator.hinge
    return max(ledger.max_norm2, 1 / learner.limit) * losses


@theorem(
    title="PA-I, posterior bound",
    quantity="mistakes",
    counts=count_mistakes,
    formula=r"M \le \max(r^2, 1/C)\left(CH + \lVert v \rVert \lVert w_{T+1} \rVert\right)",
    source="<v, w> is at least the sum of tau (1 - l*), and tau at least min(1/r^2, C) in a mistake, at most C",
    assumes=(LIMITED, *PLAYED),
)
def limited_posterior(ledger: Ledger, comparator: Comparator, learner: AggressiveFacts) -> float:
    """For every v, PA-I makes at most max(r^2, 1/C) (C H + |v| |w|) mistakes, where w are the weights that the run
    ended with."""
    steps = learner.limit * comparator.hinge + comparator.norm * learner.norm
    steps += learner.limit * of_posterior(ledger, comparator, learner)
    return max(ledger.max_norm2, 1 / learner.limit) * steps


@theorem(
    title="PA-II, squared losses",
    quantity="squared losses",
    counts=_squared_losses,
    formula=r"\sum_t \ell_t^2 \le \left(r^2 + \frac{1}{2C}\right)\left(\lVert v \rVert^2 + 2C U^2\right),\quad"
    r"\ U^2 = \sum_t \max(0, 1 - y_t \langle v, x_t \rangle)^2",
    source="Crammer et al. 2006, Thm 5",
    assumes=(DAMPED, *PLAYED),
    whole=False,
)
def damped_losses(ledger: Ledger, comparator: Comparator, learner: AggressiveFacts) -> float:
    """For every v, the squared hinge losses of PA-II sum to at most (r^2 + 1/(2C)) (|v|^2 + 2 C U^2), where U^2 is the
    sum of those of v."""
    return _damped(ledger, comparator, learner)


@theorem(
    title="PA-II, mistakes",
    quantity="mistakes",
    counts=count_mistakes,
    formula=r"M \le \sum_t \ell_t^2 \le \left(r^2 + \frac{1}{2C}\right)\left(\lVert v \rVert^2 + 2C U^2\right)",
    source="Crammer et al. 2006, Thm 5; a mistake has a loss of at least 1",
    assumes=(DAMPED, *PLAYED),
)
def damped_mistakes(ledger: Ledger, comparator: Comparator, learner: AggressiveFacts) -> float:
    """For every v, PA-II makes at most (r^2 + 1/(2C)) (|v|^2 + 2 C U^2) mistakes, where U^2 is the sum of the squared
    hinge losses of v."""
    return _damped(ledger, comparator, learner)


PA = (aggressive_separable, aggressive_mistakes, aggressive_agnostic)
PA_I = (limited_mistakes, limited_posterior)
PA_II = (damped_losses, damped_mistakes)
OF_VARIANT = {"pa": PA, "pa-1": PA_I, "pa-2": PA_II}
PASSIVE_AGGRESSIVE = (*PA, *PA_I, *PA_II)
