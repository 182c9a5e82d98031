"""The mean of numbers in [0, 1] that does not change, by bets against it.

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

from dataclasses import dataclass
from math import inf, log
from typing import Any

from ..theorem import theorem
from .confidence import PLAYED, Array, Confidence, conditional_mean, farthest


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
