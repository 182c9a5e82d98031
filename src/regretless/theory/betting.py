"""The mean of numbers in [0, 1] that does not change, by those who bet that it is another.

Let x_1, x_2, ... lie in [0, 1] with E_{t-1}[x_t] = m for all t. Who doubts that m is the mean, and bets that x_t will
be above it, has a capital that is multiplied by 1 + l_t (x_t - m), and who bets that it will be below one that is
multiplied by 1 - l_t (x_t - m), with stakes l_t that depend on earlier rounds alone and are at most c / m, and c / (1 -
m), for a c < 1. Both stay positive and are martingales where m is the mean, so that neither reaches 2 / alpha at any
time but with probability alpha (Ville). So m is refused for good once one of the two does. This is the hedged capital
of Waudby-Smith & Ramdas 2024 (Thm 3). With V_t the sum of the (x_s - g_s)^2 that `confidence.Increments` has,

    l_t = sqrt(2 ln(2 / alpha) / (v_t t ln(1 + t))),  v_t = (1/4 + V_{t-1}) / t.

The capital of who bets on more falls with m, and that of who bets on less grows with it: what is not refused is an
interval. It is followed on a grid of means: its ends are points of the grid that are refused, and so are all beyond
them. When t is a power of two and the interval spans at most half of the grid, the grid is laid anew between its ends.
A new point takes the capital of its old neighbour which has less of it: who bets on more, that of the next point above;
on less, that of the next one below. It is then never more than the capital would be, and none is refused too early.

Where the mean changes, every mean may be refused in the end; that says that it changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log
from typing import Any

import numpy as np

from ..theorem import theorem
from .confidence import PLAYED, Array, Confidence, Increments, farthest, nobody_sees

GRID = 100  # means that are followed, as many as a report holds
SHARE = 0.5  # c
FIRST_ZOOM = 64  # rounds
BLOCK = 1024  # rounds at once


class HedgedCapital:
    """The capital of those who doubt means, round by round.

    Parameters
    ----------
    alpha : float
        How improbable it may be that the interval ever fails, half of it for each end.

    Attributes
    ----------
    means : ndarray, shape (GRID,)
    gains, losses : ndarray, shape (GRID,)
        Logarithm of the capital of who bets on more than each mean, and on less.
    low, high : float
        The ends of the interval so far; the lower is above the upper one once all means are refused.
    sums : Increments
    """

    def __init__(self, alpha: float) -> None:
        self.alpha, self.sums = alpha, Increments()
        self.means = np.linspace(0.0, 1.0, GRID)
        self.gains, self.losses = np.zeros(GRID), np.zeros(GRID)
        self.low, self.high = 0.0, 1.0

    def add(self, values: Array) -> tuple[Array, Array]:
        """Take in further numbers; the ends of the interval after each of them.

        Parameters
        ----------
        values : ndarray, shape (rounds,)
            In [0, 1].

        Returns
        -------
        low, high : ndarray, shape (rounds,)
        """
        parts, done = [(np.empty(0), np.empty(0))], 0
        while done < len(values):
            rounds = self.sums.rounds
            zoom = max(FIRST_ZOOM, 1 << rounds.bit_length())
            here = values[done : done + min(BLOCK, zoom - rounds)]
            parts.append(self._add(here))
            done += len(here)
            if self.sums.rounds == zoom:
                self._lay_anew()
        low, high = zip(*parts, strict=True)
        return np.concatenate(low), np.concatenate(high)

    def _add(self, values: Array) -> tuple[Array, Array]:
        stakes, enough = self._stakes(values), log(2 / self.alpha)
        with np.errstate(divide="ignore"):
            most = SHARE / self.means, SHARE / (1 - self.means)
        excess = values[:, None] - self.means
        gains = np.log1p(np.minimum(stakes[:, None], most[0]) * excess)
        losses = np.log1p(np.minimum(stakes[:, None], most[1]) * -excess)
        gains[0] += self.gains
        losses[0] += self.losses
        gains, losses = np.cumsum(gains, axis=0, out=gains), np.cumsum(losses, axis=0, out=losses)
        self.gains, self.losses = gains[-1].copy(), losses[-1].copy()
        below, above = gains >= enough, losses >= enough
        low = np.where(below.any(axis=1), self.means[GRID - 1 - below[:, ::-1].argmax(axis=1)], self.low)
        high = np.where(above.any(axis=1), self.means[above.argmax(axis=1)], self.high)
        low = np.maximum.accumulate(np.maximum(low, self.low))
        high = np.minimum.accumulate(np.minimum(high, self.high))
        self.low, self.high = float(low[-1]), float(high[-1])
        return low, high

    def _stakes(self, values: Array) -> Array:
        """What is staked in each of these rounds, by what was known before it."""
        rounds, before = self.sums.rounds, self.sums.variance
        _, variances = self.sums.add(values)
        spread = 0.25 + np.concatenate([[before], variances[:-1]])  # t v_t
        ages = np.arange(rounds + 1, rounds + 1 + len(values), dtype=np.float64)
        return np.asarray(np.sqrt(2 * log(2 / self.alpha) / (spread * np.log1p(ages))))

    def _lay_anew(self) -> None:
        """Lay the grid between the ends of the interval, if that is at most half as wide."""
        if not 0 < self.high - self.low <= (self.means[-1] - self.means[0]) / 2:
            return
        means = np.linspace(self.low, self.high, GRID)
        self.gains = self.gains[np.searchsorted(self.means, means, side="left")]
        self.losses = self.losses[np.searchsorted(self.means, means, side="right") - 1]
        self.means = means


@dataclass(frozen=True, slots=True)
class BettingLedger:
    """What was counted of numbers in a range by those who bet on them.

    Attributes
    ----------
    rounds : float
    total : float
        Sum of x_t, the numbers on the scale from 0 to 1.
    means, gains, losses : ndarray
        As those of `HedgedCapital`.
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
    counts=nobody_sees,
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
