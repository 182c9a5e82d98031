"""A linear learner against an environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..certify import certify_stream
from ..data.arrays import ArrayStream
from ..data.batch import Batch
from ..data.stream import Stream
from ..errors import RegretlessError
from ..info import info_of
from .player import LabelPlayer, Point, Turn

if TYPE_CHECKING:
    from ..certificate import Certificate
    from ..environments.labels import Labels, ObliviousLabels
    from ..linear.base import OnlineClassifier

Array = np.ndarray[Any, Any]
LABELS = (-1.0, 1.0)
MOST_KEPT = 1 << 27  # numbers in rows that answer to the learner, which have to be kept for the certificates
TOGETHER = 1 << 13  # numbers for which room is made at once
LONG = 1 << 20  # numbers in rows that are not read again once the run was stopped


class LinearPlayer(LabelPlayer):
    """It meets rows of numbers with labels -1 and 1, both of which it knows beforehand.

    Parameters
    ----------
    learner : OnlineClassifier
        One that has learned nothing.
    environment : Labels
    run : int
    """

    more = "updates"

    def __init__(self, learner: OnlineClassifier, environment: Labels, run: int) -> None:
        self.learner = learner
        learner.checked()
        learner.n_features_in_ = environment.columns
        learner._expect(np.array(LABELS), environment.columns)
        super().__init__(environment, run)
        self._history = _History(environment.columns)

    @property
    def blocks(self) -> bool:
        """Where mistakes are not those of the ledger, each round has to be predicted."""
        return info_of(self.learner).predicts_by not in ("average", "vote")

    def say(self, row: Array, point: int | None) -> tuple[int, float | None]:
        """Predict the row."""
        scores = self.learner.scores_one(row)
        self._said = int(self.learner.labels(scores)[0])
        self._score = float(scores[0, 0]) if scores.size == 1 else None
        return self._said, None

    def hear(self, row: Array, label: int) -> tuple[int, float]:
        """Tell the learner."""
        self.learner.update_one(row, float(label))
        self._history.add(row, label)
        wrong = int(self._said != label)
        return wrong, wrong

    def take(self, rows: Array, points: Array | None, labels: Array) -> tuple[int, float]:
        """Play them all."""
        before = self.learner.ledger_.mistakes
        self.learner.observe(Batch(np.ascontiguousarray(rows), labels, rows.shape[1]))
        if self._asker is not None:
            for row, label in zip(rows, labels.tolist(), strict=True):
                self._history.add(row, label)
        wrong = int(self.learner.ledger_.mistakes - before)
        return wrong, wrong

    def after(self, turn: Turn) -> dict[str, Any]:
        """The score that the row had when it was predicted."""
        return {"score": self._score}

    def observed(self) -> dict[str, float]:
        """Its updates too, which are more than its mistakes where a margin is asked for."""
        return super().observed() | {"updates": float(self.learner.ledger_.updates)}

    def point(self) -> Point:
        """Mistakes and updates."""
        return Point(self.rounds, float(self.tally.mistakes or 0), self.tally.best, self.learner.ledger_.updates)

    @property
    def is_long(self) -> bool:
        """Whether its certificates, for which the rows are read several times, take more than a moment."""
        return self.rounds * self.environment.columns > LONG

    def certificates(self) -> list[Certificate]:
        """Those of the learner, read against the very rounds that it met."""
        return certify_stream(self.learner, self._met())

    def cheaply(self) -> list[Certificate]:
        """The same without looking for good comparators."""
        from .quick_certificates import read_cheaply

        return read_cheaply(self.learner, self._met())

    def _met(self) -> Stream:
        if self._asker is None:
            return cast("ObliviousLabels", self.environment).stream(self.rounds, self.run)
        return ArrayStream(self._history.batches(), name=self.environment.name, check=False)


class _History:
    """Rows that answered to the learner, and their labels.

    Parameters
    ----------
    columns : int
    """

    def __init__(self, columns: int) -> None:
        self._columns, self._count = columns, 0
        self._step = max(1, TOGETHER // columns)
        self._rows: list[Array] = []
        self._labels: list[Array] = []

    def add(self, row: Array, label: int) -> None:
        """One more."""
        place = self._count % self._step
        if not place:
            if self._count * self._columns > MOST_KEPT:
                raise RegretlessError(f"there is no room for more than {self._count:,} rows, which certificates need")
            self._rows.append(np.empty((self._step, self._columns)))
            self._labels.append(np.empty(self._step))
        self._rows[-1][place], self._labels[-1][place] = row, label
        self._count += 1

    def batches(self) -> list[Batch]:
        """All of them."""
        ends = [min(self._step, self._count - first) for first in range(0, self._count, self._step)]
        parts = zip(self._rows, self._labels, ends, strict=True)
        return [Batch(rows[:end], labels[:end], self._columns) for rows, labels, end in parts]
