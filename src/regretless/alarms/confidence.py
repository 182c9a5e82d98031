"""The mean of losses inside an interval that holds at any time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from ..certificate import Certificate
from ..checks import one_of, share
from ..persist.json_state import JsonState
from ..persist.validation import count, one
from ..theory.betting import GRID, BettingLedger, HedgedCapital, constant_mean
from ..theory.confidence import Confidence, Increments, MeanLedger, interval, mean_loss
from .base import Array, Range, checked_range, scaled

METHODS = ("bernstein", "betting")


@dataclass(eq=False)
class ConfidenceSequence(JsonState):
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
        RowRefused
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
        RowRefused
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

    def certify(self) -> list[Certificate]:
        """The largest distance of the mean loss from its expectation."""
        low, high = self.value_range
        sums, width, confidence = self.sums, high - low, Confidence(1 - self.level)
        if self._capital is None:
            return [mean_loss.certify(MeanLedger(sums.rounds, sums.total, sums.variance, width), [None], confidence)]
        bets = self._capital
        ledger = BettingLedger(
            sums.rounds, sums.total, bets.means, bets.gains, bets.losses, bets.low, bets.high, width
        )  # fmt: skip
        return [constant_mean.certify(ledger, [None], confidence)]

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
