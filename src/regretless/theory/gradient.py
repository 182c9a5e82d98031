"""How much more than the best fixed vector can gradient descent pay, and how often do passive-aggressive learners err?

Gradient descent first.

One inequality, summed: for a step of rate eta_t along the gradient g_t, followed or not by the projection on a convex
set, eta_t <g_t, w_t - u> <= (|w_t - u|^2 - |w_{t+1} - u|^2 + eta_t^2 |g_t|^2) / 2. Rounds without a gradient do not
count. Each round may have a convex loss of its own: nothing is asked of the losses together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from ..certificate import Most
from ..comparator import Comparator
from ..ledger import Ledger
from ..theorem import Check, theorem
from .facts import PLAYED, SEPARATES, LinearFacts, count_mistakes, sqrt
from .margin_losses import MARGIN_LOSSES
from .rounding import of_posterior


def _lost(comparator: Comparator) -> float:
    return 0.0 if comparator.loss is None else comparator.loss


def _regret(ledger: Ledger, comparator: Comparator) -> float:
    return ledger.loss - _lost(comparator)


def _most(ledger: Ledger, _: Comparator, __: LinearFacts) -> Most:
    """No vector loses less than nothing under any of these losses."""
    return Most(ledger.loss, "the learner's own loss")


def _knows_loss(_: Ledger, comparator: Comparator, __: LinearFacts) -> bool:
    return comparator.loss is not None


def _inside(_: Ledger, comparator: Comparator, learner: LinearFacts) -> bool:
    return comparator.norm <= learner.radius * (1 + 1e-12)


def _bounded(_: Ledger, __: Comparator, learner: LinearFacts) -> bool:
    constant = learner.schedule == "constant" and MARGIN_LOSSES[learner.loss].limit < inf
    return constant or (learner.radius < inf and learner.schedule in PRIOR)


def _costs(_: Ledger, __: Comparator, learner: LinearFacts) -> bool:
    return MARGIN_LOSSES[learner.loss].of_a_mistake > 0


COSTS = ("a wrong round must cost something, and under the perceptron's loss a score of 0 costs nothing", _costs)
INSIDE = ("the comparator must lie in the learner's ball, and this one does not", _inside)
KNOWS_LOSS = ("the comparator's own loss must be known", _knows_loss)
BOUNDED = (
    "before the run a bound needs a ball (radius=) and a schedule that does not wait for the rows to know their size, "
    "unless the rate is constant and the slopes bounded",
    _bounded,
)


def _posterior(ledger: Ledger, comparator: Comparator, learner: LinearFacts) -> float:
    if ledger.first_rate == 0:  # there was no gradient yet
        return 0.0
    start = comparator.norm**2 / (2 * ledger.first_rate)
    reach = comparator.norm + sqrt(ledger.reach2)
    slowing = reach**2 / 2 * max(0.0, 1 / ledger.last_rate - 1 / ledger.first_rate)
    return start + slowing + ledger.step2 / 2


@theorem(
    title="Posterior regret",
    quantity="regret",
    counts=_regret,
    formula=r"R \le \frac{\lVert u \rVert^2}{2\eta_1} + \frac{(\lVert u \rVert + W)^2}{2}"
    r"\left(\frac{1}{\eta_T} - \frac{1}{\eta_1}\right) + \frac{1}{2}\sum_t \eta_t \lVert g_t \rVert^2",
    source="Zinkevich 2003; Shalev-Shwartz & Ben-David 2014, Thm 21.15, for rates that never grow",
    assumes=(*PLAYED, KNOWS_LOSS, INSIDE),
    whole=False,
    most=_most,
)
def posterior_regret(ledger: Ledger, comparator: Comparator, learner: LinearFacts) -> float:
    """Against every u, the regret is at most |u|^2 / (2 eta_1), plus (|u| + W)^2 / 2 times the growth of 1 / eta where
    W is the largest length the weights had, plus half the sum of the rates times the squared gradients, all as
    observed."""
    return _posterior(ledger, comparator, learner)


@theorem(
    title="Prior regret",
    quantity="regret",
    counts=_regret,
    formula=r"R \le \frac{\lVert u \rVert^2}{2\eta} + \frac{\eta}{2} G^2 T \ \text{(constant)},"
    r"\quad \left(\frac{D^2}{2c} + c G^2\right)\sqrt{T} \ (c/\sqrt{t}),\quad"
    r" \left(\frac{D^2}{2c} + c\right) G \sqrt{T} \ \text{(self-tuned)}",
    source="Zinkevich 2003, Thm 1; Streeter & McMahan 2010 for the self-tuned rate",
    assumes=(*PLAYED, KNOWS_LOSS, INSIDE, BOUNDED),
    whole=False,
    most=_most,
)
def prior_regret(ledger: Ledger, comparator: Comparator, learner: LinearFacts) -> float:
    """With gradients of at most G and every comparator within D of every iterate, the regret after T rounds is at most
    |u|^2 / (2 eta) + eta G^2 T / 2 for a constant rate eta, (D^2 / (2c) + c G^2) sqrt(T) for c / sqrt(t), and
    (D^2 / (2c) + c) G sqrt(T) for c / sqrt(sum of squared gradients); all known before the run but r and T."""
    longest, rounds, c = sqrt(ledger.max_norm2), ledger.rounds, learner.rate
    loss = MARGIN_LOSSES[learner.loss]
    slope = loss.limit if loss.limit < inf else loss.steepest(learner.radius * longest)
    gradient = slope * longest
    diameter = comparator.norm + learner.radius
    return PRIOR[learner.schedule](comparator.norm, diameter, c, gradient, rounds)


# By schedule, of |u|, D, c, G and T; of others nothing is known before the run.
PRIOR: dict[str, Callable[[float, float, float, float, float], float]] = {
    "constant": lambda norm, _, c, gradient, rounds: norm**2 / (2 * c) + c / 2 * gradient**2 * rounds,
    "inverse-sqrt": lambda _, diameter, c, gradient, rounds: (diameter**2 / (2 * c) + c * gradient**2) * sqrt(rounds),
    "self-tuned": lambda _, diameter, c, gradient, rounds: (diameter**2 / (2 * c) + c) * gradient * sqrt(rounds),
}


@theorem(
    title="Mistakes from regret",
    quantity="mistakes",
    counts=count_mistakes,
    formula=r"M \le \frac{1}{\ell_0}\left(\sum_t \ell_t(u) + R\right)",
    source="the posterior regret; a wrong round costs at least the loss of a score of 0",
    assumes=(*PLAYED, COSTS, KNOWS_LOSS, INSIDE),
)
def mistakes_from_regret(ledger: Ledger, comparator: Comparator, learner: LinearFacts) -> float:
    """A round that is predicted wrongly costs at least the loss of a score of 0, so the mistakes are at most the loss
    of any comparator plus the regret against it, over that loss."""
    lost = _lost(comparator) + _posterior(ledger, comparator, learner)
    return lost / MARGIN_LOSSES[learner.loss].of_a_mistake


GRADIENT_DESCENT = (posterior_regret, prior_regret, mistakes_from_regret)


# ---- How much can a passive-aggressive learner lose?
#
# With l its hinge loss in a round and l* that of any vector v in the same round, a step tau y x brings w closer to v:
# |w - v|^2 shrinks by at least tau (2 l - tau |x|^2 - 2 l*), so that these sum to at most |v|^2. The three variants
# choose tau = l / |x|^2, the same but at most C, and l / (|x|^2 + 1 / (2C)). A wrong prediction has l >= 1. All sums
# are over all rounds; a row of zeros moves nothing and costs everybody a loss of 1, so that it breaks no bound.


@dataclass(frozen=True, slots=True)
class AggressiveFacts(LinearFacts):
    """One target of a passive-aggressive learner.

    Attributes
    ----------
    limit : float
        C of PA-I and PA-II.
    variant : {"PA", "PA-I", "PA-II", ""}
        Which of the three it is; empty where that is not known.
    """

    limit: float = 1.0
    variant: str = ""


def _squared_losses(ledger: Ledger, _: Comparator) -> float:
    return ledger.slope2


def _is(variant: str) -> tuple[str, Check]:
    def check(_: Ledger, __: Comparator, learner: AggressiveFacts) -> bool:
        return learner.variant == variant

    return f"it is about {variant}", check


def _shortest2(ledger: Ledger) -> float:
    """A lower bound of |x|^2 of any round: what is left when all other rows are as long as the longest."""
    return ledger.total_norm2 * (1 + 1e-12) - (ledger.rounds - 1) * ledger.max_norm2


def _one_length(ledger: Ledger, _: Comparator, __: LinearFacts) -> bool:
    return _shortest2(ledger) > 0.5 * ledger.max_norm2


PLAIN, LIMITED, DAMPED = _is("PA"), _is("PA-I"), _is("PA-II")
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
OF_VARIANT = {"PA": PA, "PA-I": PA_I, "PA-II": PA_II}
PASSIVE_AGGRESSIVE = (*PA, *PA_I, *PA_II)
