"""The mean of losses inside an interval that may be looked at at any time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import isfinite
from typing import Any, Self

import numpy as np

from ..certificate import Certificate
from ..checks import one_of, share
from ..persist.validation import count, fits, one
from ..theory.betting import GRID, BettingLedger, HedgedCapital, constant_mean
from ..theory.confidence import Confidence, Increments, MeanLedger, interval, mean_loss
from .base import Array, Range, checked_range, scaled

METHODS = ("bernstein", "betting")


@dataclass(eq=False)
class ConfidenceSequence:
    """The mean of losses, and an interval that holds after all numbers of rounds at once, so that one may stop any
    time.

    ``bernstein`` is about the average of what was to be expected of each loss so far, given those before, which may
    change from round to round: an empirical Bernstein bound, mixed over rates. ``betting`` is about what is to be
    expected of a loss where that is the same number in all rounds, the means that nobody gained much by betting
    against; it is narrower while rounds are few. How rounds depend on each other is free in both.

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
        """Take in the loss of a round, or the losses of several.

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
        """What it is in the unit of the losses."""
        low, high = self.value_range
        return low + value * (high - low)

    def certify(self) -> list[Certificate]:
        """How far the mean loss may be from what was to be expected of it."""
        low, high = self.value_range
        sums, width, asked = self.sums, high - low, Confidence(1 - self.level)
        if self._capital is None:
            return [mean_loss.certify(MeanLedger(sums.rounds, sums.total, sums.variance, width), [None], asked)]
        bets = self._capital
        ledger = BettingLedger(
            sums.rounds, sums.total, bets.means, bets.gains, bets.losses, bets.low, bets.high, width
        )  # fmt: skip
        return [constant_mean.certify(ledger, [None], asked)]

    # In a file.

    def state_dict(self) -> dict[str, Any]:
        """The parameters and the sums so far, as JSON values; `from_state` goes on with them."""
        bets = {}
        if (capital := self._capital) is not None:
            grid = {name: getattr(capital, name).tolist() for name in ("means", "gains", "losses")}
            bets = {"low": capital.low, "high": capital.high, **grid}
        return {
            "parameters": {each.name: getattr(self, each.name) for each in fields(self)}
            | {"value_range": list(self.value_range)},
            "rounds": self.sums.rounds,
            "total": self.sums.total,
            "variance": self.sums.variance,
            "bets": bets,
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """A sequence that goes on where that of `state_dict` stood.

        Raises
        ------
        ModelError
            If the state does not fit together.
        """
        with fits("the state of the confidence sequence"):
            made = cls(**state["parameters"])
            sums = made.sums
            sums.rounds = count(state["rounds"], "rounds")
            sums.total, sums.variance = one(state["total"], float, "total"), one(state["variance"], float, "variance")
            if not (0 <= sums.total <= sums.rounds and 0 <= sums.variance <= sums.rounds):
                raise ValueError("its sums are not those of so many rounds")
            if (capital := made._capital) is not None:
                capital.low, capital.high = (one(state["bets"][end], float, end) for end in ("low", "high"))
                for name in ("means", "gains", "losses"):
                    setattr(capital, name, _grid(state["bets"][name], name))
                if not (np.diff(capital.means) > 0).all():
                    raise ValueError("its means do not ascend")
        return made


def _grid(values: Any, what: str) -> Array:
    grid = np.array([one(value, float, what) for value in one(values, list, what)], dtype=np.float64)
    if len(grid) != GRID or not all(map(isfinite, grid)):
        raise ValueError(f"{what} is not of {GRID} finite numbers")
    return grid
