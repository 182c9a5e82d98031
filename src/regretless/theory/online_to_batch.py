"""From rounds to risk: what a run says of rounds that are still to come, if all are drawn from one distribution.

The hypothesis h_t that meets round t depends on the rounds before it alone. So if the rounds are independent draws, the
loss of round t is, given the past, an unbiased estimate of the risk of h_t, and what is observed in one pass over fresh
rounds is near the average risk of h_1, ..., h_T: by martingale bounds, with a probability that is chosen beforehand.
Only a first pass counts, for in a later one h_t has met the round already.

What this speaks of is the average over the hypotheses of the pass, which is the expected risk of one drawn from them at
random; of the vote of all of them; and, for a convex loss, of their mean. The last hypothesis is one of many and gets
no guarantee of its own.

**Leaving one row out** is the other way: what do the rows that were never needed say of the next one?

Let a learner be such that a round without an update leaves it as it was. A row that caused no update can be left out
without changing anything, so its leave-one-out error is that of the final hypothesis on it, and after a clean pass
there is none. Hence the errors are among the support rows, those that caused an update, and these are at most the
updates.

For m + 1 independent draws, the mean leave-one-out error is the risk of what m of them teach (the draws can be
exchanged), which makes each of these bounds one on the expected risk.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, exp, expm1, inf, log, log1p, nan, sqrt

from ..certificate import Most
from ..comparator import Comparator
from ..facts import Facts
from ..ledger import Ledger
from ..theorem import theorem

RATES = tuple(2.0**k for k in range(-6, 6))  # the grid over which the small-loss bound is taken
HALVINGS = 200


@dataclass(frozen=True, slots=True)
class Declared(Facts):
    """What the user vouches for: that the rounds were drawn independently from one distribution.

    Attributes
    ----------
    delta : float
        How improbable it may be that a bound fails.
    width : float
        Upper end of the losses, from 0, as known before the run.
    regret : float
        Upper bound of the regret against every vector of the class, on the rounds that were played.
    before : bool
        Whether a mean is that of the hypotheses before each round, h_1, ..., h_T.
    """

    delta: float
    width: float = 1.0
    regret: float = inf
    before: bool = True


def small_loss_grid(losses: float, rounds: float, delta: float) -> float:
    """Upper bound of the average risk after `rounds` losses in [0, 1] that add up to `losses`: the best of the grid.

    For one rate lam and c = 1 - exp(-lam), the product of exp(-lam loss_t) / (1 - c risk_t) is a supermartingale, for
    exp is convex. It exceeds J / delta at any time with probability at most delta / J (Ville), and by the means of
    arithmetic and geometry the product of the denominators is at most (1 - c average)^T.

    Parameters
    ----------
    losses, rounds : float
        What was lost, and in how many rounds; 1 if there were none.
    delta : float
        In (0, 1): how improbable it may be that the bound ever fails.

    Returns
    -------
    float
        In [0, 1].
    """
    if rounds <= 0:
        return 1.0
    start = log(len(RATES) / delta)
    return min(1.0, *(expm1(-(rate * losses + start) / rounds) / expm1(-rate) for rate in RATES))


def small_loss(losses: float, rounds: float, delta: float) -> float:
    """The same from the mean of the J supermartingales instead of the largest, which is never larger.

    The mean is a supermartingale too, so it may be held against 1 / delta at once: no union bound is paid. The bound is
    the p at which the mean, with (1 - c p)^T for the products of the denominators, reaches 1 / delta.

    Parameters
    ----------
    losses, rounds, delta : float
        As in `small_loss_grid`.

    Returns
    -------
    float
        In [0, 1].
    """
    low, high = 0.0, small_loss_grid(losses, rounds, delta)
    if _evidence(high, losses, rounds) < -log(delta):
        return high  # it is 1: nothing is ruled out
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        if _evidence(middle, losses, rounds) < -log(delta):
            low = middle
        else:
            high = middle
    return high


def _evidence(risk: float, losses: float, rounds: float) -> float:
    """Logarithm of the mean of the supermartingales, were the average risk this."""
    powers = [-rate * losses - rounds * log1p(risk * expm1(-rate)) for rate in RATES]
    most = max(powers)
    return most + log(sum(exp(power - most) for power in powers) / len(powers))


def deviation(width: float, rounds: float, delta: float) -> float:
    """How far the mean of martingale differences that each lie in an interval of this width strays upwards, but for a
    probability of delta (Hoeffding, Azuma).

    Parameters
    ----------
    width : float
        Of the intervals, in the units of the differences.
    rounds : float
        Above 0, and fixed beforehand.
    delta : float
        In (0, 1).
    """
    return width * sqrt(log(1 / delta) / (2 * rounds))


def _error_rate(ledger: Ledger, _: object) -> float:
    return ledger.mistakes / ledger.rounds


def _twice_the_error_rate(ledger: Ledger, _: object) -> float:
    return min(1.0, 2 * ledger.mistakes / ledger.rounds)


def _average_loss(ledger: Ledger, _: object) -> float:
    return ledger.loss / ledger.rounds


def _unobserved(_: object, __: object) -> float:
    return nan  # the run shows no estimate of it


def most_risk(*_: object) -> Most:
    """A risk is a probability."""
    return Most(1.0, "1, the largest risk")


def _most_loss(_: object, __: object, learner: Declared) -> Most:
    return Most(learner.width, "the largest loss")


PLAYED = ("there must be rounds that are known to be of the first pass", lambda ledger, _, __: ledger.rounds > 0)
BEFORE = (
    "it speaks of the mean of the hypotheses before each round, and this is the mean of those after it",
    lambda _, __, learner: learner.before,
)
BOUNDED = (
    "it needs losses within an interval that is known before the run: a ball for the weights (radius=) and a bound on "
    "the length of the rows",
    lambda _, __, learner: learner.width < inf,
)
REGRETFUL = ("it needs a bound on the regret, and there is none", lambda _, __, learner: learner.regret < inf)

_SMALL_LOSS = (
    r"\frac{1}{J}\sum_{j=1}^{J} \frac{e^{-\lambda_j L_T}}{\left(1 - p\,(1 - e^{-\lambda_j})\right)^T}"
    r" = \frac{1}{\delta}"
)


@theorem(
    title="Future error",
    quantity="average risk, estimated",
    counts=_error_rate,
    formula=r"\frac{1}{T}\sum_{t=1}^{T} R(h_t) \le p,\quad " + _SMALL_LOSS,
    source="Ville 1939, for the mean of exponential supermartingales; fresh rounds of the first pass",
    kind="probable",
    assumes=(PLAYED,),
    whole=False,
    most=most_risk,
    event="small losses",
)
def average_risk(ledger: Ledger, comparator: object, learner: Declared) -> float:
    """If the rounds are independent draws from one distribution, then with probability 1 - delta, for all T at once,
    the risk of a hypothesis drawn at random from the T that the first pass went through, h_1, ..., h_T, is at most p.
    The risk is the probability of a wrong label on a new round; the error rate of the pass is its estimate."""
    return small_loss(ledger.mistakes, ledger.rounds, learner.delta)


@theorem(
    title="Future error of the vote",
    quantity="risk of the vote, estimated at most",
    counts=_twice_the_error_rate,
    formula=r"R(\mathrm{vote}) \le \frac{2}{T}\sum_{t=1}^{T} R(h_t) \le 2p,\quad " + _SMALL_LOSS,
    source="Markov's inequality: where the vote is wrong, so are half of the hypotheses",
    kind="probable",
    assumes=(PLAYED,),
    whole=False,
    most=most_risk,
    event="small losses",
)
def voted_risk(ledger: Ledger, comparator: object, learner: Declared) -> float:
    """If the rounds are independent draws from one distribution, then with probability 1 - delta, for all T at once and
    together with the bound on the average, the label that most of h_1, ..., h_T predict is wrong with a risk of at
    most 2p: where it is wrong, at least half of them are."""
    return min(1.0, 2 * small_loss(ledger.mistakes, ledger.rounds, learner.delta))


@theorem(
    title="Risk of the mean",
    quantity="risk of the mean, estimated at most",
    counts=_average_loss,
    formula=r"R\left(\frac{1}{T}\sum_t w_t\right) \le \frac{1}{T}\sum_t \ell_t(w_t) + B\sqrt{\frac{\ln(1/\delta)}{2T}}",
    source="Cesa-Bianchi, Conconi & Gentile 2004, with the range B of the differences; Jensen's inequality",
    kind="probable",
    assumes=(PLAYED, BEFORE, BOUNDED),
    whole=False,
    most=_most_loss,
    at_once=lambda _: False,
)
def mean_risk(ledger: Ledger, comparator: object, learner: Declared) -> float:
    """For a convex loss in [0, B] and independent rounds, with probability 1 - delta the expected loss of the mean of
    w_1, ..., w_T is at most the average loss of the pass plus B sqrt(ln(1 / delta) / (2T)), for a T that was fixed
    beforehand."""
    return ledger.loss / ledger.rounds + deviation(learner.width, ledger.rounds, learner.delta)


@theorem(
    title="Risk of the mean, small losses",
    quantity="risk of the mean, estimated at most",
    counts=_average_loss,
    formula=r"R\left(\frac{1}{T}\sum_t w_t\right) \le B\,p,\quad " + _SMALL_LOSS.replace("L_T", r"L_T / B"),
    source="Ville 1939, for the mean of exponential supermartingales; Jensen's inequality",
    kind="probable",
    assumes=(PLAYED, BEFORE, BOUNDED),
    whole=False,
    most=_most_loss,
)
def mean_small_loss(ledger: Ledger, comparator: object, learner: Declared) -> float:
    """For a convex loss in [0, B] and independent rounds, with probability 1 - delta, for all T at once, the expected
    loss of the mean of w_1, ..., w_T is at most B p."""
    return learner.width * small_loss(ledger.loss / learner.width, ledger.rounds, learner.delta)


@theorem(
    title="Excess risk of the mean",
    quantity="excess risk of the mean",
    counts=_unobserved,
    formula=r"R\left(\frac{1}{T}\sum_t w_t\right) - \inf_{u} R(u) \le \frac{\mathrm{Regret}_T}{T}"
    r" + B\sqrt{\frac{2\ln(2/\delta)}{T}}",
    source="Cesa-Bianchi, Conconi & Gentile 2004, with the range B of the differences on both sides",
    kind="probable",
    assumes=(PLAYED, BEFORE, BOUNDED, REGRETFUL),
    whole=False,
    most=_most_loss,
    at_once=lambda _: False,
)
def mean_excess(ledger: Ledger, comparator: object, learner: Declared) -> float:
    """For a convex loss in [0, B] and independent rounds, with probability 1 - delta, for a T that was fixed
    beforehand, the expected loss of the mean of w_1, ..., w_T exceeds that of the best vector of the class by at most
    the regret bound over T plus twice B sqrt(ln(2 / delta) / (2T)). No run observes it."""
    return learner.regret / ledger.rounds + 2 * deviation(learner.width, ledger.rounds, learner.delta / 2)


@dataclass(frozen=True, slots=True)
class Survival:
    """Result of the search for a hypothesis that survives.

    Attributes
    ----------
    mistakes : float
        M, the most updates that there can be.
    updates : float
        How many there were.
    survived : float
        Rounds since the last of them.
    needed : float
        How many a hypothesis must survive.
    epsilon : float
        The risk that was asked for.
    classes : float
        How many have come.
    """

    mistakes: float
    updates: float
    survived: float
    needed: float
    epsilon: float
    classes: float


def survivals(mistakes: int, epsilon: float, delta: float) -> int:
    """How many rounds a hypothesis must survive, if there are at most so many updates.

    Parameters
    ----------
    mistakes : int
        The most updates, at least 1.
    epsilon, delta : float
        In (0, 1): the risk that a survivor may have, and how improbable it may be that it has more.
    """
    return ceil(log(mistakes / delta) / epsilon)


@theorem(
    title="Longest survivor",
    quantity="risk of the survivor",
    counts=_unobserved,
    formula=r"R(h) \le \varepsilon,\quad k = \left\lceil \frac{\ln(M/\delta)}{\varepsilon} \right\rceil,\quad n = Mk",
    source="Blum's lecture on the perceptron: each of M hypotheses survives k rounds with a risk above epsilon at most "
    "with probability (1 - epsilon)^k <= delta / M",
    kind="probable",
    assumes=(
        (
            "the rounds ended before a hypothesis had survived long enough; within n of them it does, or the last "
            "update is made, and what that leaves must survive as long",
            lambda ledger, _, __: ledger.survived >= ledger.needed,
        ),
        (
            "only one class has come, and what tells it from another has not been tried",
            lambda ledger, _, __: ledger.classes > 1,
        ),
    ),
    whole=False,
    most=most_risk,
)
def longest_survivor(ledger: Survival, comparator: object, learner: Declared) -> float:
    """If the rounds are independent draws and the learner can make at most M updates on such rounds, then with
    probability 1 - delta the first hypothesis that survives k rounds without an update has a risk of at most epsilon.
    Within n rounds, if two classes come in them, one survives or M updates are made; what these leave can make none any
    more, and survives as well, unless the learner can make more than M. No run observes the risk."""
    return ledger.epsilon


FUTURE = (average_risk, voted_risk)
MEAN = (mean_risk, mean_small_loss, mean_excess)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What was counted when each row was left out once.

    Attributes
    ----------
    rows : float
        How many rows there are.
    errors : float
        Rows that are mistaken by what the others teach.
    support : float
        Rows that caused an update when all were played.
    residual : float
        Rows that caused none and that the final hypothesis mistakes all the same; there are none after a clean pass.
    """

    rows: float
    errors: float
    support: float
    residual: float


@dataclass(frozen=True, slots=True)
class Lazy(Facts):
    """What is known of the learner.

    Attributes
    ----------
    lazy : bool
        Whether a round without an update leaves it as it was.
    clean : bool
        Whether its last pass over all rows was without an update.
    additive : bool
        Whether it adds its mistaken rows, so that the perceptron's bound is one on its updates.
    """

    lazy: bool
    clean: bool
    additive: bool


def _errors(ledger: LeftOut, _: object) -> float:
    return ledger.errors


def _left_out_rate(ledger: LeftOut, _: object) -> float:
    return ledger.errors / ledger.rows


def _most_errors(ledger: LeftOut, _: object, __: object) -> Most:
    return Most(ledger.rows, "the number of rows")


LAZY = (
    "it needs a learner that a round without an update leaves as it was, and this one is not known to be so",
    lambda _, __, learner: learner.lazy,
)
CLEAN = (
    "it needs a run whose last pass was without an update (until_clean=True), and this was none",
    lambda _, __, learner: learner.clean,
)
ADDITIVE = (
    "it needs a learner that adds the rows it mistakes, with steps of one length",
    lambda _, __, learner: learner.additive,
)
SEPARATES = (
    "no vector was found that has every row on its right side with a margin",
    lambda _, comparator, __: comparator is not None and comparator.least > 0 and comparator.norm > 0,
)
SAME_ROWS = (
    "the comparator must be read on the very rows that were left out",
    lambda ledger, comparator, __: comparator is not None and comparator.rounds == ledger.rows,
)

_MARGIN = r"\frac{r^2}{\rho^2},\quad r = \max_i \lVert x_i \rVert"
_SOURCE = "Freund & Schapire 1999, Cor. 1; Vapnik & Chervonenkis 1974; with r from the origin"


@theorem(
    title="Support rows",
    quantity="leave-one-out errors",
    counts=_errors,
    formula=r"\#\mathrm{errors} \le \#\mathrm{support} + \#\{i\ \text{not among them}: h(x_i) \ne y_i\}",
    source="a row that caused no update changes nothing by its absence",
    assumes=(LAZY,),
    most=_most_errors,
)
def support_rows(ledger: LeftOut, comparator: object, learner: Lazy) -> float:
    """Only a support row, or a row that the final hypothesis mistakes anyway, can be a leave-one-out error."""
    return ledger.support + ledger.residual


@theorem(
    title="Support rows by the margin",
    quantity="leave-one-out errors",
    counts=_errors,
    formula=r"\#\mathrm{errors} \le \#\mathrm{support} \le M \le " + _MARGIN,
    source=_SOURCE,
    assumes=(LAZY, CLEAN, ADDITIVE, SEPARATES, SAME_ROWS),
    most=_most_errors,
)
def support_by_margin(ledger: LeftOut, comparator: Comparator, learner: Lazy) -> float:
    """After a clean pass the leave-one-out errors are at most the support rows, these at most the updates, and these at
    most (r / rho)^2, where r is the length of the longest row and rho the margin of any vector on all rows."""
    return comparator.max_norm2 / comparator.margin**2


@theorem(
    title="Expected risk by support rows",
    quantity="expected risk, estimated",
    counts=_left_out_rate,
    formula=r"\mathbb{E}\,R(h_S) \le \frac{\mathbb{E}\left[\#\mathrm{support} + \#\mathrm{residual}\right]}{m+1},"
    r"\quad |S| = m",
    source="Luntz & Brailovsky 1969; Vapnik & Chervonenkis 1974",
    kind="expected",
    assumes=(LAZY,),
    whole=False,
    most=most_risk,
)
def risk_by_support(ledger: LeftOut, comparator: object, learner: Lazy) -> float:
    """If the m + 1 rows are independent draws from one distribution, the expected risk of what m of them teach is the
    mean leave-one-out error, hence at most the mean share of support rows (and of what the final hypothesis mistakes
    anyway). The numbers are those of this sample; what holds is the inequality of their means."""
    return (ledger.support + ledger.residual) / ledger.rows


@theorem(
    title="Expected risk by the margin",
    quantity="expected risk, estimated",
    counts=_left_out_rate,
    formula=r"\mathbb{E}\,R(h_S) \le \frac{1}{m+1}\,\mathbb{E}\left[" + _MARGIN.split(",", 1)[0] + r"\right],"
    r"\quad r = \max_i \lVert x_i \rVert,\ |S| = m",
    source=_SOURCE,
    kind="expected",
    assumes=(LAZY, CLEAN, ADDITIVE, SEPARATES, SAME_ROWS),
    whole=False,
    most=most_risk,
)
def risk_by_margin(ledger: LeftOut, comparator: Comparator, learner: Lazy) -> float:
    """If the m + 1 rows are independent draws from one distribution that can be separated, the expected risk of what m
    of them teach in a run until a clean pass is at most the mean of (r / rho)^2 / (m + 1). Here r is measured from the
    origin: with the radius of the smallest sphere around the rows the bound is false."""
    return comparator.max_norm2 / comparator.margin**2 / ledger.rows


BY_MARGIN = (support_by_margin, risk_by_margin)
LEAVE_ONE_OUT = (support_rows, support_by_margin, risk_by_support, risk_by_margin)
