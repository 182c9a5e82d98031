r"""What is proved of learners that ask for few labels: a perceptron that asks where it is unsure, and combiners.

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

**A combiner** that sees the outcome of each round with probability epsilon: what is known of its regret?

Let r_t be how much more the learner lost in round t than one fixed expert, |r_t| <= s, and Z_t = 1 if the outcome was
asked, with probability epsilon whatever came before. Nothing is learned where it was not. The forecast of a round is
made before Z_t is drawn, so that the expectation of Z_t r_t / epsilon, given the past, is r_t: the regret over the
asked rounds, over epsilon, is an unbiased estimate of that over all rounds.

In expectation: exponential weights of a constant rate eta have over m asked rounds a regret of at most ln N / eta +
eta s^2 m / 8, and of the anytime rate of at most s sqrt(m ln N); m is epsilon T on average, and the root is concave.
With eta = sqrt(8 ln N / (epsilon T)) / s both terms make T s sqrt(ln N / (2 epsilon T)), which is half of the bound
that is printed in the source: charges of asked rounds lie within s, and Hoeffding's lemma takes them as they are.

With probability: the differences r_t - Z_t r_t / epsilon have a variance of at most s^2 (1 / epsilon - 1), and are at
most b = s max(1, 1 / epsilon - 1), so that by Bernstein's inequality for martingales (Freedman 1975) their sum over T
rounds exceeds sqrt(2 T s^2 (1 / epsilon - 1) L) + b L / 3 with probability at most exp(-L); ln(N / delta) as L is
enough for all experts at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log, nan, sqrt
from typing import Any

import numpy as np

from ..certificate import Most
from ..comparator import Comparator, ExpertComparator
from ..facts import Facts
from ..ledger import LAST, ExpertLedger, Ledger
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


Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True, eq=False)
class AskedLedger:
    """The books of a learner that asks.

    Attributes
    ----------
    rounds, asked : float
        All rounds, and those whose outcome was asked and is known.
    waiting : float
        Outcomes that were asked and are not known, or never will be.
    share : float
        The probability to ask.
    learned : ExpertLedger
        Of the asked rounds.
    regrets : ndarray or None, shape (experts,)
        How much more the learner lost than each expert over all rounds; None where nobody knows all outcomes.
    loss : float or None
        What the learner lost over all rounds, likewise.
    """

    rounds: float
    asked: float
    waiting: float
    share: float
    learned: ExpertLedger
    regrets: Array | None = None
    loss: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class AskingFacts(Facts):
    """A combiner that asks, as it stands after its last round.

    Attributes
    ----------
    experts : int
    schedule : str
        "constant" or "anytime" of exponential weights with equal ones at the start; else empty.
    rate : float
        A constant rate.
    span : float or None
        The largest difference between two charges of a round, if it was declared.
    mixes : bool
        Whether charges are the experts' losses, and what it loses is at most their mean by its weights.
    delta : float
        How improbable a failure of the probable bound may be.
    """

    experts: int
    schedule: str
    rate: float
    span: float | None
    mixes: bool
    delta: float = 0.05


def _settled(ledger: AskedLedger, _: ExpertComparator, __: AskingFacts) -> bool:
    return ledger.waiting == 0


def _of_one_expert(_: AskedLedger, comparator: ExpertComparator, __: AskingFacts) -> bool:
    return comparator.expert is not None


def _declared(_: AskedLedger, __: ExpertComparator, learner: AskingFacts) -> bool:
    return learner.span is not None and learner.mixes


def _exponential(_: AskedLedger, __: ExpertComparator, learner: AskingFacts) -> bool:
    return learner.schedule != ""


SETTLED: tuple[str, Check] = ("outcomes that were asked are not known", _settled)
OF_ONE_EXPERT: tuple[str, Check] = ("it is about single experts", _of_one_expert)
DECLARED: tuple[str, Check] = (
    "it needs a declared range of losses, value_range=, that are charged as they are",
    _declared,
)
EXPONENTIAL: tuple[str, Check] = (
    "it is about exponential weights, equal at the start, of a constant rate or one set by the number of rounds",
    _exponential,
)


def _estimated(ledger: AskedLedger, comparator: ExpertComparator) -> float:
    return comparator.regret / ledger.share


def _over_all(ledger: AskedLedger, comparator: ExpertComparator) -> float:
    return nan if ledger.regrets is None or comparator.expert is None else float(ledger.regrets[comparator.expert])


@theorem(
    title="Label-efficient forecasting",
    quantity="estimated regret",
    counts=_estimated,
    formula=r"\mathbb{E} R_i \le \frac{\ln N}{\varepsilon \eta} + \frac{\eta s^2 T}{8},\quad"
    r" \text{or } s \sqrt{\frac{T \ln N}{\varepsilon}} \text{ at } \eta_m = 2 \sqrt{\ln N / m} / s",
    source="Cesa-Bianchi, Lugosi & Stoltz 2005, Thm 1, with Hoeffding's lemma for the charges of asked rounds",
    kind="expected",
    assumes=(SETTLED, DECLARED, EXPONENTIAL, OF_ONE_EXPERT),
    whole=False,
    presumes="which outcomes are asked does not change the forecasts and outcomes that come",
)
def label_efficient(ledger: AskedLedger, comparator: ExpertComparator, learner: AskingFacts) -> float:
    """Of exponential weights that see each outcome with probability epsilon, the expected regret over all T rounds,
    which that over the asked rounds over epsilon estimates, is at most ln N / (epsilon eta) + eta s^2 T / 8 for a
    constant rate eta, and at most s sqrt(T ln N / epsilon) for the rate 2 sqrt(ln N / m) / s after m asked rounds."""
    span, experts = learner.span or 0.0, log(learner.experts)
    if learner.schedule == "anytime":
        return span * sqrt(ledger.rounds * experts / ledger.share)
    return experts / (ledger.share * learner.rate) + learner.rate * span**2 * ledger.rounds / 8


@theorem(
    title="Regret over all rounds",
    quantity="regret over all rounds",
    counts=_over_all,
    formula=r"R_i \le \frac{1}{\varepsilon} \sum_{t: Z_t = 1} r_{t,i}"
    r" + s \sqrt{2 T \left(\tfrac{1}{\varepsilon} - 1\right) \ln \tfrac{N}{\delta}}"
    r" + \tfrac{s}{3} \max\left(1, \tfrac{1}{\varepsilon} - 1\right) \ln \tfrac{N}{\delta}",
    source="Cesa-Bianchi, Lugosi & Stoltz 2005, Thm 2, its step from the asked rounds to all, by Freedman 1975",
    kind="probable",
    assumes=(SETTLED, DECLARED, OF_ONE_EXPERT),
    whole=False,
    at_once=lambda learner: False,
)
def regret_over_all(ledger: AskedLedger, comparator: ExpertComparator, learner: AskingFacts) -> float:
    """Whatever the combiner is, the regret over all rounds against each expert is at most that over the asked rounds
    over epsilon, and s sqrt(2 T (1 / epsilon - 1) ln(N / delta)) + s max(1, 1 / epsilon - 1) ln(N / delta) / 3, with
    probability 1 - delta for all N experts together."""
    span, logarithm, odds = learner.span or 0.0, log(learner.experts / learner.delta), 1 / ledger.share - 1
    off = sqrt(2 * ledger.rounds * odds * logarithm) + max(1.0, odds) * logarithm / 3
    return comparator.regret / ledger.share + span * off


LABEL_EFFICIENT = (label_efficient, regret_over_all)
