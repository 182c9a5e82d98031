r"""What is known of a combiner's regret over all rounds, if it saw the outcome of each with probability epsilon?

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

from dataclasses import dataclass
from math import log, nan, sqrt
from typing import Any

import numpy as np

from ..comparator import ExpertComparator
from ..facts import Facts
from ..ledger import ExpertLedger
from ..theorem import Check, theorem

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
