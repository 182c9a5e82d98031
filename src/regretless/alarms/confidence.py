"""The mean of losses inside an interval that holds at any time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite, log
from typing import Any

import numpy as np

from ..certificate import Certificates, CertifiedState
from ..checks import one_of, share
from ..persist.json_state import JsonState
from ..persist.validation import count, one
from ..theory.confidence import BettingLedger, Confidence, MeanLedger, constant_mean, interval, mean_loss
from .base import Array, Range, checked_range, scaled

METHODS = ("bernstein", "betting")
FIRST_GUESS = 0.5
GRID = 100  # means that are followed, as many as a report holds
SHARE = 0.5  # c
FIRST_ZOOM = 64  # rounds
BLOCK = 1024  # rounds at once


class Increments:
    """The sums over rounds that give an interval, the same bits for parts of any size.

    Attributes
    ----------
    rounds : int
    total : float
        Sum of x_t.
    variance : float
        Sum of (x_t - g_t)^2, where g_t is the mean of 1/2 and all x before it.
    """

    def __init__(self) -> None:
        self.rounds, self.total, self.variance = 0, 0.0, 0.0

    def add(self, values: Array) -> tuple[Array, Array]:
        """Add further numbers; the sums after each of them.

        Parameters
        ----------
        values : ndarray, shape (rounds,)
            In [0, 1].

        Returns
        -------
        totals, variances : ndarray, shape (rounds,)
        """
        # One number after the other onto the last sum, so that parts of any size have the same bits.
        totals = np.cumsum(np.concatenate([[self.total], values]))[1:]
        before = np.arange(self.rounds, self.rounds + len(values))
        guesses = (FIRST_GUESS + totals - values) / (1 + before)
        variances = np.cumsum(np.concatenate([[self.variance], np.square(values - guesses)]))[1:]
        if len(values):
            self.rounds += len(values)
            self.total, self.variance = float(totals[-1]), float(variances[-1])
        return totals, variances


class HedgedCapital:
    """The capitals of bets against means, round by round (see `regretless.theory.confidence`).

    Parameters
    ----------
    alpha : float
        The probability that the interval ever fails, at most; half of it for each end.

    Attributes
    ----------
    means : ndarray, shape (GRID,)
    gains, losses : ndarray, shape (GRID,)
        Logarithms of the capitals of bets on more than each mean, and on less.
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
        """Add further numbers, as to `Increments`; the lower and the upper end of the interval after each of them."""
        parts, done = [(np.empty(0), np.empty(0))], 0
        while done < len(values):
            rounds = self.sums.rounds
            zoom = max(FIRST_ZOOM, 1 << rounds.bit_length())
            here = values[done : done + min(BLOCK, zoom - rounds)]
            parts.append(self._add(here))
            done += len(here)
            if self.sums.rounds == zoom:
                self._refine()
        low, high = zip(*parts, strict=True)
        return np.concatenate(low), np.concatenate(high)

    def _add(self, values: Array) -> tuple[Array, Array]:
        stakes, threshold = self._stakes(values), log(2 / self.alpha)
        with np.errstate(divide="ignore"):
            most = SHARE / self.means, SHARE / (1 - self.means)
        excess = values[:, None] - self.means
        gains = np.log1p(np.minimum(stakes[:, None], most[0]) * excess)
        losses = np.log1p(np.minimum(stakes[:, None], most[1]) * -excess)
        gains[0] += self.gains
        losses[0] += self.losses
        gains, losses = np.cumsum(gains, axis=0, out=gains), np.cumsum(losses, axis=0, out=losses)
        self.gains, self.losses = gains[-1].copy(), losses[-1].copy()
        below, above = gains >= threshold, losses >= threshold
        low = np.where(below.any(axis=1), self.means[GRID - 1 - below[:, ::-1].argmax(axis=1)], self.low)
        high = np.where(above.any(axis=1), self.means[above.argmax(axis=1)], self.high)
        low = np.maximum.accumulate(np.maximum(low, self.low))
        high = np.minimum.accumulate(np.minimum(high, self.high))
        self.low, self.high = float(low[-1]), float(high[-1])
        return low, high

    def _stakes(self, values: Array) -> Array:
        """The stake of each of these rounds, a function of the rounds before it."""
        rounds, before = self.sums.rounds, self.sums.variance
        _, variances = self.sums.add(values)
        spread = 0.25 + np.concatenate([[before], variances[:-1]])  # t v_t
        ages = np.arange(rounds + 1, rounds + 1 + len(values), dtype=np.float64)
        return np.asarray(np.sqrt(2 * log(2 / self.alpha) / (spread * np.log1p(ages))))

    def _refine(self) -> None:
        """Put the grid between the ends of the interval, if that is at most half as wide."""
        if not 0 < self.high - self.low <= (self.means[-1] - self.means[0]) / 2:
            return
        means = np.linspace(self.low, self.high, GRID)
        self.gains = self.gains[np.searchsorted(self.means, means, side="left")]
        self.losses = self.losses[np.searchsorted(self.means, means, side="right") - 1]
        self.means = means


@dataclass(eq=False)
class ConfidenceSequence(CertifiedState, JsonState):
    """The mean of losses, and an interval that holds after all numbers of rounds at once, so that one may stop any
    time.

    ``bernstein`` is about the average of the conditional expectations of the losses so far, given those before, which
    may change from round to round: an empirical Bernstein bound, mixed over rates. ``betting`` is about an expectation
    that is the same number in all rounds: it holds the means against which no bet gained much, and is narrower while
    rounds are few. Rounds may depend on each other in any way in both.

    Parameters
    ----------
    level : float
        The interval holds with this probability, between 0 and 1, after all numbers of rounds at once.
    method : {"bernstein", "betting"}
    value_range : (float, float)
        Where all losses lie.

    Attributes
    ----------
    sums : Increments
        Of the losses on the scale from 0 to 1.

    References
    ----------
    Howard, Ramdas, McAuliffe & Sekhon 2021, Theorem 4; Waudby-Smith & Ramdas 2024, Theorem 3.

    Examples
    --------
    >>> from regretless.alarms import ConfidenceSequence
    >>> sequence = ConfidenceSequence(method="betting")
    >>> low, high = sequence.play([0, 1] * 50)
    >>> float(low[-1].round(3)), sequence.mean_, float(high[-1].round(3))
    (0.33, 0.5, 0.66)
    """

    level: float = 0.95
    method: str = "bernstein"
    value_range: Range = (0.0, 1.0)

    _kind = "confidence sequence"

    def __post_init__(self) -> None:
        self.level, self.value_range = share("level", self.level), checked_range(self.value_range)
        one_of("method", self.method, METHODS)
        self._capital = HedgedCapital(1 - self.level) if self.method == "betting" else None
        self.sums = Increments() if self._capital is None else self._capital.sums

    @property
    def rounds_(self) -> int:
        """Rounds so far."""
        return self.sums.rounds

    @property
    def mean_(self) -> float | None:
        """The mean of the losses so far; None before the first."""
        return self._at(self.sums.total / self.sums.rounds) if self.sums.rounds else None

    @property
    def interval_(self) -> tuple[float, float]:
        """The ends of the interval; the whole range before the first round. By betting the lower one is above the upper
        one once every mean is refused, as it changed."""
        if not self.sums.rounds:
            return self.value_range
        if self._capital is not None:
            return self._at(self._capital.low), self._at(self._capital.high)
        low, high = interval(self.sums.rounds, self.sums.total, self.sums.variance, 1 - self.level)
        return self._at(float(low)), self._at(float(high))

    def update(self, loss: Any) -> None:
        """Add the loss of a round, or the losses of several.

        Parameters
        ----------
        loss : float, or array-like of shape (rounds,)
            In `value_range`.

        Raises
        ------
        RowError
            If one is missing, infinite or out of the range; it names the row, from 0. Nothing has changed then.
        """
        self._take(scaled(np.atleast_1d(loss), self.value_range))

    def play(self, losses: Any) -> tuple[Array, Array]:
        """The ends of the interval after each of many rounds.

        Parameters
        ----------
        losses : array-like, shape (rounds,)
            In `value_range`.

        Returns
        -------
        low, high : ndarray, shape (rounds,)

        Raises
        ------
        RowError
            If a loss is missing, infinite or out of the range; it names the row, from 0. Nothing has changed then.
        """
        values = scaled(losses, self.value_range)
        before = self.sums.rounds
        low, high = self._take(values)
        if self._capital is None:
            rounds = before + 1 + np.arange(len(values))
            low, high = interval(rounds, low, high, 1 - self.level)
        return self._at(low), self._at(high)

    def _take(self, values: Array) -> tuple[Array, Array]:
        """The ends by betting, else the sums that they are made of."""
        return self.sums.add(values) if self._capital is None else self._capital.add(values)

    def _at(self, value: Any) -> Any:
        """A number on the scale from 0 to 1 in the unit of the losses."""
        low, high = self.value_range
        return low + value * (high - low)

    def certify(self) -> Certificates:
        """The largest distance of the mean loss from its expectation."""
        low, high = self.value_range
        sums, width, confidence = self.sums, high - low, Confidence(1 - self.level)
        if self._capital is None:
            book = MeanLedger(sums.rounds, sums.total, sums.variance, width)
            return Certificates([mean_loss.certify(book, [None], confidence)])
        bets = self._capital
        ledger = BettingLedger(
            sums.rounds, sums.total, bets.means, bets.gains, bets.losses, bets.low, bets.high, width
        )  # fmt: skip
        return Certificates([constant_mean.certify(ledger, [None], confidence)])

    def plot(self) -> Any:
        """A matplotlib figure of the mean loss between the ends of its interval; `MissingError` without matplotlib."""
        from ..plot import figure_of_bars

        low, high = self.interval_
        values = {"high": high, "mean": self.mean_, "low": low}
        numbers = {name: float(value) for name, value in values.items() if value is not None}
        return figure_of_bars([("Mean loss, and its interval", list(numbers), np.array(list(numbers.values())))])

    # In a file.

    def _state_values(self) -> dict[str, Any]:
        bets = {}
        if (capital := self._capital) is not None:
            grid = {name: getattr(capital, name).tolist() for name in ("means", "gains", "losses")}
            bets = {"low": capital.low, "high": capital.high, **grid}
        sums = self.sums
        return {"rounds": sums.rounds, "total": sums.total, "variance": sums.variance, "bets": bets}

    def _restore(self, state: Mapping[str, Any]) -> None:
        sums = self.sums
        sums.rounds = count(state["rounds"], "rounds")
        sums.total, sums.variance = one(state["total"], float, "total"), one(state["variance"], float, "variance")
        if not (0 <= sums.total <= sums.rounds and 0 <= sums.variance <= sums.rounds):
            raise ValueError("its sums are not those of so many rounds")
        if (capital := self._capital) is not None:
            capital.low, capital.high = (one(state["bets"][end], float, end) for end in ("low", "high"))
            for name in ("means", "gains", "losses"):
                setattr(capital, name, _grid(state["bets"][name], name))
            if not (np.diff(capital.means) > 0).all():
                raise ValueError("its means do not ascend")


def _grid(values: Any, what: str) -> Array:
    grid = np.array([one(value, float, what) for value in one(values, list, what)], dtype=np.float64)
    if len(grid) != GRID or not all(map(isfinite, grid)):
        raise ValueError(f"{what} is not of {GRID} finite numbers")
    return grid
