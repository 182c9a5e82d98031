"""Means of numbers in [0, 1], within intervals that hold at any time.

Let x_1, x_2, ... lie in [0, 1], each drawn in whatever way from the past, with conditional means m_1, m_2, ..., and
let g_t be any guess of x_t that is made before it. For a rate 0 <= lam < 1, with psi(lam) = -ln(1 - lam) - lam, the
product of exp(lam (x_t - m_t) - psi(lam) (x_t - g_t)^2) is a supermartingale. For with d = x_t - g_t, which is at
least -1, exp(lam d - psi(lam) d^2) <= 1 + lam d (Fan, Grama & Liu 2015, Lemma 4.1), whose expectation is 1 + lam
(m_t - g_t), and that is at most exp(lam (m_t - g_t)). The mean over several rates is a supermartingale too, and
reaches 1 / alpha at any time with probability at most alpha (Ville). It grows with the sum of x_t - m_t, so that it
bounds this sum; of 1 - x_t and 1 - g_t the squares are the same.

The means may differ from round to round, and depend on all that came before: what is bounded is their average so
far. For a mean that stays the same the intersection of all intervals so far holds too; for an average that moves, it
may fail. By how much the losses of one predictor exceed those of another is such a mean: of (1 + first - second) / 2.

**A mean that does not change**, by bets against it.

Let x_1, x_2, ... lie in [0, 1] with E_{t-1}[x_t] = m for all t. The capital of a bet that x_t will be above m is
multiplied by 1 + l_t (x_t - m), and that of a bet that it will be below by 1 - l_t (x_t - m), with stakes l_t that
depend on earlier rounds alone and are at most c / m, and c / (1 - m), for a c < 1. Both stay positive and are
martingales where m is the mean, so that neither reaches 2 / alpha at any time but with probability alpha (Ville). So m
is refused for good once one of the two does. This is the hedged capital of Waudby-Smith & Ramdas 2024 (Thm 3). With V_t
the sum of (x_s - g_s)^2, g_s the mean of 1/2 and all x before it,

    l_t = sqrt(2 ln(2 / alpha) / (v_t t ln(1 + t))),  v_t = (1/4 + V_{t-1}) / t.

The capital of bets on more falls with m, and that of bets on less grows with it: the means that are not refused are an
interval. It is followed on a grid of means: its ends are points of the grid that are refused, and so are all beyond
them. When t is a power of two and the interval spans at most half of the grid, the grid is refined: put between its
ends. A new point takes the capital of its old neighbour which has less of it: for bets on more, that of the next point
above; for bets on less, that of the next one below. It is then never more than the capital would be, and none is
refused too early.

Where the mean changes, every mean may be refused in the end; that says that it changed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, log, log1p, nan
from typing import Any

import numpy as np

from ..certificate import Most
from ..facts import Facts
from ..theorem import theorem

Array = np.ndarray[Any, np.dtype[np.float64]]

RATES = (0.75, *(2.0**-k for k in range(1, 17)))  # the least of them for billions of rounds
PRICES = tuple(-log1p(-rate) - rate for rate in RATES)  # psi
HALVINGS = 60


def log_evidence(excess: Any, variance: Any) -> Array:
    """Logarithm of the mean of the supermartingales, where x_t exceeded their means by so much in all.

    Parameters
    ----------
    excess : array-like
        Sum of x_t - m_t, for the means that are doubted.
    variance : array-like, of the same shape
        Sum of (x_t - g_t)^2.
    """
    above, spread = (np.asarray(one, dtype=np.float64)[..., None] for one in (excess, variance))
    return log_mean(above * np.array(RATES) - spread * np.array(PRICES))


def log_mean(powers: Array) -> Array:
    """Logarithm of the mean of exp(powers) over the last axis."""
    most = powers.max(axis=-1)
    return np.asarray(most + np.log(np.exp(powers - most[..., None]).mean(axis=-1)))


def deviation(variance: Any, alpha: float) -> Array:
    """How far the sum of x_t exceeds that of its means at most, but for a probability of alpha that it ever does.

    Parameters
    ----------
    variance : array-like
        Sum of (x_t - g_t)^2, up to each of the times of interest.
    alpha : float
        In (0, 1): of this side alone.

    Returns
    -------
    ndarray
        The excess at which the mean of the supermartingales is 1 / alpha, to the last digits from above.
    """
    spread = np.asarray(variance, dtype=np.float64)[..., None]
    costs = spread * np.array(PRICES) / np.array(RATES)
    # At the true excess the largest supermartingale is between 1 / alpha and as many times that as there are rates.
    low = (costs + log(1 / alpha) / np.array(RATES)).min(axis=-1)
    high = (costs + log(len(RATES) / alpha) / np.array(RATES)).min(axis=-1)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        enough = log_evidence(middle, variance) >= -log(alpha)
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.asarray(high)


def interval(rounds: Any, totals: Any, variances: Any, alpha: float) -> tuple[Array, Array]:
    """The ends of the interval for the mean after so many rounds, cut off at 0 and 1.

    Parameters
    ----------
    rounds, totals, variances : array-like
        At the times of interest; at least one round each.
    alpha : float
        How probable it may be that the average of the conditional means is ever outside, half of it for each end.
    """
    count, total = np.asarray(rounds, dtype=np.float64), np.asarray(totals, dtype=np.float64)
    radius = deviation(variances, alpha / 2)
    return np.maximum((total - radius) / count, 0.0), np.minimum((total + radius) / count, 1.0)


# ---- Theorems.


@dataclass(frozen=True, slots=True)
class Confidence(Facts):
    """The level of confidence.

    Attributes
    ----------
    delta : float
        The probability that the bound ever fails, at most.
    """

    delta: float


def conditional_mean(*_: object) -> float:
    """Not observed: the average of the conditional means, which the mean of the numbers estimates."""
    return nan


PLAYED = ("there must be rounds", lambda ledger, _, __: ledger.rounds > 0)


@dataclass(frozen=True, slots=True)
class MeanLedger:
    """The sums of numbers in a range.

    Attributes
    ----------
    rounds : float
    total : float
        Sum of x_t, the numbers on the scale from 0 to 1.
    variance : float
        Sum of (x_t - g_t)^2, where g_t is the mean of 1/2 and all x before it.
    width : float
        Of the range, in the unit of the numbers.
    """

    rounds: float
    total: float
    variance: float
    width: float


def farthest(ledger: Any, *_: object) -> Most:
    """No mean is farther from another than the ends of the range are."""
    return Most(ledger.width, "the width of the range")


@theorem(
    title="Mean loss",
    quantity="error of the mean loss",
    counts=conditional_mean,
    formula=r"\left|\frac{1}{T}\sum_{t=1}^{T} (\ell_t - E_{t-1}[\ell_t])\right| \le \frac{w s}{T},\quad "
    r"\frac{1}{J}\sum_{j=1}^{J} e^{\lambda_j s - \psi(\lambda_j) V_T} = \frac{2}{\delta},\quad "
    r"V_T = \sum_{t=1}^{T}(x_t - g_t)^2",
    source="Howard, Ramdas, McAuliffe & Sekhon 2021, Thm 4, with a mixture over J rates",
    kind="probable",
    assumes=[PLAYED],
    whole=False,
    most=farthest,
    compares=False,
)
def mean_loss(ledger: MeanLedger, comparator: None, learner: Confidence) -> float:
    """Let losses lie in a range of width w, drawn in whatever way from the past. With probability 1 - delta, for all T
    at once, their average differs from the average of what was to be expected of each, given those before, by at most
    w s / T, half of delta for each side. The expectations may change from round to round."""
    return ledger.width * float(deviation(ledger.variance, learner.delta / 2)) / ledger.rounds


def of_rewards(theorem: Any) -> Any:
    """A theorem on the mean of losses, which is one on the mean of any numbers, in the words of rewards."""
    title, quantity = (text.replace("loss", "reward") for text in (theorem.title, theorem.quantity))
    return replace(theorem, title=title, quantity=quantity)


@dataclass(frozen=True, slots=True)
class ComparisonLedger:
    """The sums of the losses of two predictors.

    Attributes
    ----------
    rounds : float
    excess : float
        Sum over the rounds of the first one's loss less the second one's.
    variance : float
        Sum of the squared errors of x_t = (1 + first loss - second loss) / 2, guessed by the mean of 1/2 and all x
        before it.
    """

    rounds: float
    excess: float
    variance: float


@dataclass(frozen=True, slots=True)
class Rivals:
    """Whose losses are compared.

    Attributes
    ----------
    first, second : str
        The one whose losses are bounded, and the one that it is compared with.
    """

    first: str
    second: str

    @property
    def label(self) -> str:
        """As a certificate is read against it."""
        return f"{self.second}, for {self.first}"

    def describe(self) -> dict[str, str]:
        """Both names."""
        return {"first": self.first, "second": self.second}


def _largest(*_: object) -> Most:
    return Most(1.0, "1, the largest difference of two losses")


@theorem(
    title="Excess loss",
    quantity="average excess loss",
    counts=conditional_mean,
    formula=r"\frac{1}{T}\sum_{t=1}^{T} E_{t-1}[a_t - b_t]"
    r" \le \frac{1}{T}\sum_{t=1}^{T}(a_t - b_t) + \frac{2s}{T},\quad "
    r"\frac{1}{J}\sum_{j=1}^{J} e^{\lambda_j s - \psi(\lambda_j) V_T} = \frac{1}{\delta},\quad "
    r"V_T = \sum_{t=1}^{T}(x_t - g_t)^2",
    source="Howard, Ramdas, McAuliffe & Sekhon 2021, Thm 4, with a mixture over J rates; for two forecasters Choe & "
    "Ramdas 2024, Thm 2",
    kind="probable",
    assumes=[PLAYED],
    whole=False,
    most=_largest,
)
def excess_loss(ledger: ComparisonLedger, comparator: Rivals, learner: Confidence) -> float:
    """Let a_t and b_t be losses in [0, 1] of two predictors that know the rounds before round t alone. With
    probability 1 - delta, for all T at once, the average of what was to be expected of a_t - b_t, given the rounds
    before, is at most the average of a_t - b_t plus 2 s / T. Nothing is assumed of how the rounds come about."""
    return ledger.excess / ledger.rounds + 2 * float(deviation(ledger.variance, learner.delta)) / ledger.rounds


@dataclass(frozen=True, slots=True)
class BettingLedger:
    """The sums of bets on numbers in a range.

    Attributes
    ----------
    rounds : float
    total : float
        Sum of x_t, the numbers on the scale from 0 to 1.
    means, gains, losses : ndarray
        The grid, and the logarithms of the capitals of bets on more and on less than each mean.
    low, high : float
        The ends of the interval so far.
    width : float
        Of the range, in the unit of the numbers.
    """

    rounds: float
    total: float
    means: Array
    gains: Array
    losses: Array
    low: float
    high: float
    width: float


def _means_left(ledger: BettingLedger, *_: Any) -> bool:
    return ledger.low < ledger.high


NOT_ALL = ("every mean is refused: either it changed, or what is improbable happened", _means_left)


@theorem(
    title="Constant mean",
    quantity="error of the mean loss",
    counts=conditional_mean,
    formula=r"\left|\frac{1}{T}\sum_{t=1}^{T} \ell_t - E[\ell]\right| \le w \max\left(\bar{x} - \max\{m: "
    r"K^+_T(m) \ge \tfrac{2}{\delta}\}, \min\{m: K^-_T(m) \ge \tfrac{2}{\delta}\} - \bar{x}\right),\quad "
    r"K^\pm_T(m) = \prod_{t=1}^{T} (1 \pm \lambda_t (x_t - m))",
    source="Waudby-Smith & Ramdas 2024, Thm 3",
    kind="probable",
    assumes=[PLAYED, NOT_ALL],
    whole=False,
    most=farthest,
    compares=False,
)
def constant_mean(ledger: BettingLedger, comparator: None, learner: Confidence) -> float:
    """Let losses lie in a range of width w, and let what is to be expected of each, given those before, be the same
    number in all rounds. With probability 1 - delta, for all T at once, it is between the largest mean that is refused
    by who bets on more, and the least one that is refused by who bets on less; so it is no farther from the average of
    the losses than these are."""
    enough = log(2 / learner.delta)
    low = max(ledger.means[ledger.gains >= enough], default=-inf)
    high = min(ledger.means[ledger.losses >= enough], default=inf)
    mean = ledger.total / ledger.rounds
    reach = max(mean - max(low, ledger.low), min(high, ledger.high) - mean)
    return float(ledger.width * reach)
