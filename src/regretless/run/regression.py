"""A run of a learner of numbers over a stream: forecasts beside outcomes, intervals, checkpoints, resuming."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, ClassVar, Self

import numpy as np

from ..data.batch import Array, Batch
from ..data.messages import shown
from ..errors import DataError, RowError
from ..persist.validation import count, fits, one
from ..regression.base import OnlineRegressor
from .intervals import RunIntervals
from .linear import Run

TAIL = 2000  # forecasts that are kept beside their outcomes
SUMS = ("squared", "absolute", "mean", "previous")


@dataclass
class Forecasts:
    """Sums over a stream, each row forecast before it is learned; the first, whose outcome others are measured from, is
    not among them.

    Two rules are counted beside the learner: the mean of the outcomes so far, and the outcome of the row before.

    Attributes
    ----------
    rounds : int
        Rows that were forecast.
    squared, absolute : float
        The learner's squared and absolute losses.
    mean, previous : float
        The squared losses of the two rules.
    tail : deque of (round, forecast, outcome)
        The last ones.
    intervals : RunIntervals or None
        Those around the forecasts, if they are wanted.
    """

    NUMBER: ClassVar[type] = float  # of what a curve has beside rounds

    rounds: int = 0
    squared: float = 0.0
    absolute: float = 0.0
    mean: float = 0.0
    previous: float = 0.0
    tail: deque[tuple[int, float, float]] = field(default_factory=lambda: deque(maxlen=TAIL))
    intervals: RunIntervals | None = None
    first: float | None = None
    last: float = 0.0
    total: float = 0.0

    def __call__(self, forecasts: Array, outcomes: Array) -> None:
        """Take in rounds that were played."""
        if not len(outcomes):
            return
        if self.first is None:
            self.first = self.last = float(outcomes[0])
            forecasts, outcomes = forecasts[1:], outcomes[1:]
            if not len(outcomes):
                return
        z = outcomes - self.first
        # One after the other, so that sums are the same in whatever pieces rows come: `sum` adds them in pairs.
        before = np.cumsum(np.append(self.total, z))
        seen = np.arange(self.rounds + 1, self.rounds + 1 + len(z))
        missed = {
            "squared": (outcomes - forecasts) ** 2,
            "absolute": np.abs(outcomes - forecasts),
            "mean": (z - before[:-1] / seen) ** 2,
            "previous": (outcomes - np.append(self.last, outcomes[:-1])) ** 2,
        }
        for name, losses in missed.items():
            setattr(self, name, float(np.cumsum(np.append(getattr(self, name), losses))[-1]))
        if self.intervals is not None:
            self.intervals.play(forecasts, outcomes, None)
        keep = max(0, len(z) - TAIL)
        places = range(self.rounds + 2 + keep, self.rounds + 2 + len(z))
        self.tail.extend(zip(places, forecasts[keep:].tolist(), outcomes[keep:].tolist(), strict=True))
        self.rounds += len(z)
        self.total, self.last = float(before[-1]), float(outcomes[-1])

    def summary(self) -> dict[str, Any]:
        """The sums as JSON values."""
        return {
            "rows": self.rounds,
            "squared_loss": self.squared,
            "absolute_loss": self.absolute,
            "mean_so_far_squared_loss": self.mean,
            "previous_outcome_squared_loss": self.previous,
        }

    def describe(self) -> dict[str, Any]:
        """What it takes to go on, as JSON values."""
        return {
            "rounds": self.rounds,
            "sums": [getattr(self, name) for name in SUMS],
            "ends": [self.first, self.last, self.total],
            "tail": [list(one) for one in self.tail],
            **({} if self.intervals is None else {"intervals": self.intervals.describe()}),
        }

    @classmethod
    def read(cls, described: Mapping[str, Any] | None) -> Self:
        """What `describe` gave; nothing yet if it gave nothing.

        Raises
        ------
        ModelError
            If it does not fit together.
        """
        result = cls()
        if described is None:
            return result
        with fits("what the model says of its forecasts"):
            result.rounds = count(described["rounds"], "rounds")
            for name, value in zip(SUMS, described["sums"], strict=True):
                setattr(result, name, one(value, float, name))
            first, last, total = described["ends"]
            result.first = None if first is None else one(first, float, "the first outcome")
            result.last, result.total = one(last, float, "the last outcome"), one(total, float, "the sum of outcomes")
            result.tail.extend((count(r, "round"), float(p), float(y)) for r, p, y in described["tail"])
            if not all(isfinite(getattr(result, name)) for name in (*SUMS, "last", "total")):
                raise ValueError("a sum is no finite number")
            if described.get("intervals") is not None:
                result.intervals = RunIntervals.read(described["intervals"])
        return result


@dataclass
class RegressionRun(Run):
    """One learner of numbers, one stream, once.

    Attributes
    ----------
    progressive : Forecasts
        How the rows were forecast before they were learned.
    """

    learner: OnlineRegressor  # type: ignore[assignment]
    progressive: Forecasts = field(default_factory=Forecasts)  # type: ignore[assignment]

    def __post_init__(self) -> None:
        self.passes = 1

    @property
    def rounds(self) -> int:
        """Rounds played so far, by this run and those before it."""
        return int(self.learner.state_.books[0, 0]) if hasattr(self.learner, "state_") else 0

    @property
    def point(self) -> Any:
        """Rounds, the learner's loss, and the squared loss of the mean of the outcomes so far, each known before its
        round."""
        if not self.rounds:
            return 0, 0.0, 0.0
        return self.rounds, self.learner.ledger_.loss, self.progressive.mean

    def _go_to_the_end(self) -> None:
        self.learner.on_forecasts = self._watch_forecasts
        try:
            self._go_over(self.stream.batches(self.place.rows))
        finally:
            self.learner.on_forecasts = None
        if not self.place.rows:
            raise DataError(self.stream.name, None, None, "no rows", "there is nothing to learn from")

    def _watch_forecasts(self, forecasts: Array, outcomes: Array) -> None:
        """Take in rounds, each forecast before it was learned."""
        self.progressive(forecasts, outcomes)
        if self.tracer is not None:
            self.tracer.forecast(forecasts, outcomes)

    def _batch(self, batch: Batch) -> None:
        self._refuse_words(batch.labels)
        if self.first is None and len(batch):
            row = batch.slice(0, 1).values.astype(np.float64).ravel()
            self._left_out = float(row @ row) + self.learner.rules().intercept ** 2
        super()._batch(batch)

    def _refuse_words(self, outcomes: Array | None) -> None:
        """Refuse words where numbers were learned before, by the first of them and its line."""
        if outcomes is None or outcomes.dtype.kind != "U" or not self.rounds:
            return
        words = ((text, row) for row, text in enumerate(outcomes.tolist()) if not _is_number(text))
        word, row = next(words, (str(outcomes[0]), 0))
        fault, advice = f"has the label {shown(word)}", "a number is expected, as the model has learned numbers"
        raise self.stream.refused(RowError(f"row {row} {fault}", 0, row, fault, advice), self.place.rows)


def _is_number(text: str) -> bool:
    with suppress(ValueError):
        return isfinite(float(text))
    return False


class OutcomeSums:
    """What forecasts lose in all by the outcomes that are known.

    Parameters
    ----------
    lost_by : callable
        The losses of forecasts by outcomes, as the learner counts them.
    half : float
        Half the width of intervals; nan where there are none.

    Attributes
    ----------
    known : int
        Outcomes.
    inside : int
        How many of them are in their intervals.
    """

    def __init__(self, lost_by: Callable[[Array, Array], Array], half: float) -> None:
        self.lost_by, self.half = lost_by, half
        self.known, self.inside, self._origin = 0, 0, 0.0
        self._own = self._squared = self._absolute = 0.0
        self._outcomes = self._squares = 0.0  # of outcomes, measured from the first

    def add(self, forecasts: Array, outcomes: Array) -> None:
        """The next of both."""
        if not self.known and len(outcomes):
            self._origin = float(outcomes[0])
        missed, z = outcomes - forecasts, outcomes - self._origin
        sizes = abs(missed)
        self._squared += (missed**2).sum()
        self._absolute += sizes.sum()
        self._own += self.lost_by(forecasts, outcomes).sum()
        self._outcomes += z.sum()
        self._squares += (z**2).sum()
        self.known += len(outcomes)
        self.inside += int((sizes <= self.half).sum())  # no outcome is in what is cut off below 0

    def describe(self) -> dict[str, float | None]:
        """The sums as JSON values; None where no outcome is known."""
        known = self.known
        spread = self._squares - self._outcomes**2 / known if known else 0.0
        return {
            "loss": float(self._own) if known else None,
            "squared_loss": float(self._squared) if known else None,
            "absolute_loss": float(self._absolute) if known else None,
            "best_constant_squared_loss": float(spread) if known else None,
            "r2": float(1 - self._squared / spread) if spread > 0 else None,
        }
