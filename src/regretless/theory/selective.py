r"""What does the perceptron guarantee that asks for a label with probability b / (b + gap)?

Let s_t be the scores of a round, and 2 g_t by how much the best one is above the second (of two classes that are each
other's opposite, g_t is the size of the one score). A round is wrong or tied, m_t = 1, if the right class is not above
all others. Its label is asked with probability q_t = b_t / (b_t + g_t), with b_t = b \theta_t R_t^2: R_t is the length
of the longest row so far, and \theta_t, between 0 and 1, is what a budget makes of it before the label is known; 1
without one, and 0 in rounds at which none is left for a question. Let Z_t = 1 if it was asked. As in the perceptron's
proof, for every matrix V and c > 0 an update gains

    (|c V - W_t|^2 - |c V - W_{t+1}|^2) / 2 >= c (1 - h_t) + 2 g_t - |x_t|^2,

where h_t is the hinge loss of V: the best other class is by at least 2 g_t above the right one, which is not the best.
With c = (1 + 2 b) R^2, at least 2 (b_t + g_t) + c (0 - h_t) is left of the right side, so that surely

    sum m_t Z_t 2 (b_t + g_t) <= c H(V) + c^2 |V|^2 / 2,

and the expectation of Z_t (b_t + g_t), before the label is known, is b_t. Divided by 2 b R^2, that is the theorem. With
two classes |V|^2 = |v|^2 / 2, and all rows of length R and without a budget it is that of Cesa-Bianchi, Gentile &
Zaniboni with b R^2 in place of b. They sum the hinge losses of the updates, for which those of all rounds stand here;
of the sure inequality those of the asked rounds alone, where the other labels are not known.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..certificate import Most
from ..comparator import Comparator
from ..ledger import LAST, Ledger
from ..theorem import Check, theorem
from .facts import PLAYED, LinearFacts
from .perceptron import classes_posterior, classes_separable, classes_sharp
from .rounding import EPSILON, of_hinge


@dataclass(frozen=True, slots=True)
class SelectiveLedger(Ledger):
    """Running totals of a play in which labels are asked.

    Updates, losses and their sums are of the labels that were asked; mistakes are of all rounds whose label is known
    to the player, asked or not.

    Attributes
    ----------
    asked : float
        Labels that were asked.
    expected : float
        Sum of the probabilities to ask.
    closed : float
        Rounds at which a budget allowed no question.
    pace : float
        What the budget makes of b in the next round, between 0 and 1.
    unlabelled : float
        Rounds whose label nobody knew.
    weighed : float
        Sum of the reaches, theta_t R_t^2, of the rounds that were wrong or tied.
    learned : float
        The same of those that were asked.
    estimate : float
        Sum over these of 1 / the probability to ask: an unbiased estimate of how many rounds were wrong or tied, where
        no round was closed.
    behind : float
        Sum over these of half of what the best other score was above the right one.
    """

    asked: float = 0.0
    expected: float = 0.0
    closed: float = 0.0
    pace: float = field(default=1.0, metadata=LAST)
    unlabelled: float = 0.0
    weighed: float = 0.0
    learned: float = 0.0
    estimate: float = 0.0
    behind: float = 0.0


@dataclass(frozen=True, slots=True)
class SelectiveFacts(LinearFacts):
    """A learner that asks, after its last round.

    Attributes
    ----------
    b : float
        Its parameter, in units of the squared length of the longest row.
    late : float
        Labels that were learned after others had changed the weights.
    """

    b: float = 1.0
    late: float = 0.0


def _in_time(_: Ledger, __: Comparator, learner: SelectiveFacts) -> bool:
    return learner.late == 0


def _labels_known(ledger: SelectiveLedger, _: Comparator, __: SelectiveFacts) -> bool:
    return ledger.unlabelled == 0


IN_TIME: tuple[str, Check] = (
    "it assumes that a label comes before others change the weights, and some came late",
    _in_time,
)
LABELS_KNOWN: tuple[str, Check] = (
    "it counts the mistakes of all rounds, and of some nobody knew the label",
    _labels_known,
)


def _weighed_mistakes(ledger: SelectiveLedger, _: Comparator) -> float:
    return ledger.weighed / ledger.max_norm2 if ledger.max_norm2 else 0.0


def _weighed_asked(ledger: SelectiveLedger, _: Comparator) -> float:
    return ledger.learned / ledger.max_norm2 if ledger.max_norm2 else 0.0


def _asked_bound(ledger: SelectiveLedger, comparator: Comparator, learner: SelectiveFacts) -> float:
    """c H / (2 b R^2) + c^2 |V|^2 / (4 b R^2) with c = (1 + 2 b) R^2, rounded up."""
    b = learner.b
    hinge = comparator.hinge + 2 * of_hinge(comparator, learner)
    exact = (1 + 1 / (2 * b)) * hinge + ledger.max_norm2 * comparator.norm**2 * (1 + 2 * b) ** 2 / (4 * b)
    return exact * (1 + 4 * EPSILON * (ledger.rounds + 4))


def _all_rounds(_: Ledger, comparator: Comparator, __: SelectiveFacts) -> Most:
    return Most(comparator.played, "the number of rounds")


FORMULA = (
    r"\left(1 + \frac{1}{2b}\right) H + \frac{(1 + 2b)^2}{4b} R^2 \lVert V \rVert^2,\quad"
    r" R = \max_t \lVert x_t \rVert"
)


@theorem(
    title="Selective sampling",
    quantity="weighed mistakes",
    counts=_weighed_mistakes,
    formula=r"\mathbb{E} \sum_t \theta_t \frac{R_t^2}{R^2} m_t \le " + FORMULA,
    source="Cesa-Bianchi, Gentile & Zaniboni 2006, Thm 1, for several classes, any budget and the hinge losses of all "
    "rounds",
    kind="expected",
    assumes=(*PLAYED, LABELS_KNOWN, IN_TIME),
    whole=False,
    most=_all_rounds,
    presumes="rows and labels do not depend on which labels were asked",
)
def selective_mistakes(ledger: SelectiveLedger, comparator: Comparator, learner: SelectiveFacts) -> float:
    """For every matrix V, the expected number of rounds that are wrong or tied, each counted by its pace times the
    squared length of the longest row so far over that of all, and not at all where a budget allowed no question, is at
    most (1 + 1 / (2 b)) H + (1 + 2 b)^2 R^2 |V|^2 / (4 b), where H is the sum of the hinge losses of V over all rounds
    and R the length of the longest row."""
    return _asked_bound(ledger, comparator, learner)


@theorem(
    title="Asked labels",
    quantity="weighed mistakes asked",
    counts=_weighed_asked,
    formula=r"\sum_{t: Z_t = 1} \theta_t \frac{R_t^2}{R^2} m_t \le "
    + FORMULA
    + r" - \frac{1}{b R^2} \sum_{t: Z_t = 1} m_t g_t",
    source="the same proof before the expectation is taken",
    assumes=(*PLAYED, IN_TIME),
    whole=False,
    most=_all_rounds,
)
def selective_asked(ledger: SelectiveLedger, comparator: Comparator, learner: SelectiveFacts) -> float:
    """For every matrix V and whatever labels were asked, the asked rounds that are wrong or tied, counted as for
    selective sampling, are at most as many as its bound says less the sum of half of what their best other class was
    above the right one, over b R^2. Of the rounds that were not asked no label enters but into H, and H may be summed
    over the asked rounds alone."""
    behind = ledger.behind / (learner.b * ledger.max_norm2) if ledger.max_norm2 else 0.0
    return _asked_bound(ledger, comparator, learner) - behind


OF_ASKED = (selective_asked, classes_separable, classes_sharp, classes_posterior)  # true of the asked rounds alone
SELECTIVE = (selective_mistakes, *OF_ASKED)
