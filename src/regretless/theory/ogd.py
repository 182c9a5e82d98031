"""How much more than the best fixed vector can online gradient descent pay?

One inequality, summed: for a step of rate eta_t along the gradient g_t, followed or not by the projection on a convex
set, eta_t <g_t, w_t - u> <= (|w_t - u|^2 - |w_{t+1} - u|^2 + eta_t^2 |g_t|^2) / 2. Rounds without a gradient do not
count.
"""

from __future__ import annotations

from math import inf, log, sqrt

from ..certificate import Most
from ..comparator import Comparator
from ..ledger import Ledger
from ..theorem import theorem
from .facts import PLAYED, LinearFacts, count_mistakes

LIPSCHITZ = ("hinge", "logistic")
# The smallest loss of a round whose label was not predicted, by loss.
LOSS_OF_A_MISTAKE = {"hinge": 1.0, "squared-hinge": 1.0, "logistic": log(2), "square": 1.0}


def _regret(ledger: Ledger, comparator: Comparator) -> float:
    return ledger.loss - (comparator.loss or 0.0)


def _most(ledger: Ledger, _: Comparator, __: LinearFacts) -> Most:
    """No vector loses less than nothing under any of these losses."""
    return Most(ledger.loss, "the learner's own loss")


def _knows_loss(_: Ledger, comparator: Comparator, __: LinearFacts) -> bool:
    return comparator.loss is not None


def _inside(_: Ledger, comparator: Comparator, learner: LinearFacts) -> bool:
    return comparator.norm <= learner.radius * (1 + 1e-12)


def _bounded(_: Ledger, __: Comparator, learner: LinearFacts) -> bool:
    constant = learner.schedule == "constant" and learner.loss in LIPSCHITZ
    return constant or (learner.radius < inf and learner.schedule != "scale-free")


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
    slope = 1.0 if learner.loss in LIPSCHITZ else 2 * (1 + learner.radius * longest)
    gradient = slope * longest
    diameter = comparator.norm + learner.radius
    if learner.schedule == "constant":
        return comparator.norm**2 / (2 * c) + c / 2 * gradient**2 * rounds
    if learner.schedule == "inverse-sqrt":
        return (diameter**2 / (2 * c) + c * gradient**2) * sqrt(rounds)
    return (diameter**2 / (2 * c) + c) * gradient * sqrt(rounds)


@theorem(
    title="Mistakes from regret",
    quantity="mistakes",
    counts=count_mistakes,
    formula=r"M \le \frac{1}{\ell_0}\left(\sum_t \ell_t(u) + R\right)",
    source="the posterior regret; a wrong round costs at least the loss of a score of 0",
    assumes=(*PLAYED, KNOWS_LOSS, INSIDE),
)
def mistakes_from_regret(ledger: Ledger, comparator: Comparator, learner: LinearFacts) -> float:
    """A round that is predicted wrongly costs at least the loss of a score of 0, so the mistakes are at most the loss
    of any comparator plus the regret against it, over that loss."""
    return ((comparator.loss or 0.0) + _posterior(ledger, comparator, learner)) / LOSS_OF_A_MISTAKE[learner.loss]


GRADIENT_DESCENT = (posterior_regret, prior_regret, mistakes_from_regret)
