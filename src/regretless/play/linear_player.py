"""A linear learner against an environment, with certificates in full and, of many runs, without a search.

It stands apart, for what certifies takes long to load, and no other player needs it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..certificate import Certificate, summed
from ..certify import Replay, certify_stream
from ..data.arrays import ArrayStream
from ..data.batch import Batch
from ..data.stream import Stream
from ..errors import RegretlessError
from ..linear.certificates import CertifiedLearner
from ..linear.comparators.evaluate import Vector
from ..linear.comparators.line_search import Direction
from ..linear.comparators.question import Question
from ..linear.comparators.search import all_directions, margin_directions, read
from ..theory.facts import SEPARATES
from .player import CurvePoint, LabelPlayer, LabelRound

if TYPE_CHECKING:
    from ..environments.labels import Labels, ObliviousLabels
    from ..linear.base import OnlineClassifier

Array = np.ndarray[Any, Any]
LABELS = (-1.0, 1.0)
MOST_STORED = 1 << 27  # numbers in rows of adaptive environments, which are stored for the certificates
TOGETHER = 1 << 13  # numbers for which room is made at once
SCALES = tuple(2.0**power for power in range(-4, 9))  # of a length that brings margins to about 1
FEW = 1 << 15  # numbers in rows among which the largest margin is searched: that ends before any limit on its time
ROUNDING = 1e-9
LONG = 1 << 20  # numbers in rows that are not read again once the run was stopped


class LinearPlayer(LabelPlayer):
    """Rows of numbers with labels -1 and 1, both of which the learner knows beforehand.

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
        return self.learner.predicted_by not in ("average", "vote")

    def predict(self, row: Array, point: int | None) -> tuple[int, float | None]:
        """Predict the row."""
        scores = self.learner.scores_one(row)
        self._prediction = int(self.learner.labels(scores)[0])
        self._score = float(scores[0, 0]) if scores.size == 1 else None
        return self._prediction, None

    def update(self, row: Array, label: int) -> tuple[int, float]:
        """Let the learner learn the label."""
        self.learner.update_one(row, float(label))
        self._history.add(row, label)
        wrong = int(self._prediction != label)
        return wrong, wrong

    def play_block(self, rows: Array, points: Array | None, labels: Array) -> tuple[int, float]:
        """Play them all."""
        before = self.learner.ledger_.mistakes
        self.learner.observe(Batch(np.ascontiguousarray(rows), labels, rows.shape[1]))
        if self._asker is not None:
            for row, label in zip(rows, labels.tolist(), strict=True):
                self._history.add(row, label)
        wrong = int(self.learner.ledger_.mistakes - before)
        return wrong, wrong

    def after(self, turn: LabelRound) -> dict[str, Any]:
        """The score that the row had when it was predicted."""
        return {"score": self._score}

    def observed(self) -> dict[str, float]:
        """Its updates too, which are more than its mistakes where a margin is asked for."""
        return super().observed() | {"updates": float(self.learner.ledger_.updates)}

    def point(self) -> CurvePoint:
        """Mistakes and updates."""
        return CurvePoint(self.rounds, float(self.tally.mistakes or 0), self.tally.best, self.learner.ledger_.updates)

    @property
    def is_long(self) -> bool:
        """Whether its certificates, for which the rows are read several times, take more than a moment."""
        return self.rounds * self.environment.columns > LONG

    def certificates(self) -> list[Certificate]:
        """Those of the learner, read against the rounds of this run."""
        return certify_stream(self.learner, self._stream())

    def cheaply(self) -> list[Certificate]:
        """The same without looking for good comparators."""
        return read_cheaply(self.learner, self._stream())

    def _stream(self) -> Stream:
        if self._asker is None:
            return cast("ObliviousLabels", self.environment).stream(self.rounds, self.run)
        return ArrayStream(self._history.batches(), name=self.environment.name, check=False)


class _History:
    """Rows that depend on the predictions, and their labels."""

    def __init__(self, columns: int) -> None:
        self._columns, self._count = columns, 0
        self._step = max(1, TOGETHER // columns)
        self._rows: list[Array] = []
        self._labels: list[Array] = []

    def add(self, row: Array, label: int) -> None:
        """One more."""
        place = self._count % self._step
        if not place:
            if self._count * self._columns > MOST_STORED:
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


# ---- certificates without a search: of many runs those that are not shown


def read_cheaply(learner: OnlineClassifier, stream: Stream) -> list[Certificate]:
    """Each theorem read against a few multiples of the vectors that `certify_stream` looks along, and against v = 0.

    Any vector gives a valid certificate. There is no search for the multiple that makes it smallest, which takes
    longest. A learner that measures in another way than by vectors is certified in full.

    Parameters
    ----------
    learner : OnlineClassifier
        After its run over the stream.
    stream : Stream
    """
    if type(learner).judge is not CertifiedLearner.judge:
        return certify_stream(learner, stream)
    replay = Replay(stream, learner)
    few = replay.small and replay.rows * learner.n_features_in_ <= FEW
    question = learner.question(replay, replay.rows, in_memory=few, svm=False, against=None)
    per_target = []
    for target, directions in enumerate(all_directions(question)):
        more, inseparable = margin_directions(question, target) if few else ([], None)
        per_target.append(_of_target(question, target, [*directions, *more], inseparable))
    return per_target[0] if len(per_target) == 1 else [summed(parts) for parts in zip(*per_target, strict=True)]


def _of_target(
    question: Question, target: int, directions: list[Direction], inseparable: str | None
) -> list[Certificate]:
    ledger, facts = question.state.ledgers()[target], question.target_facts[target]
    comparators = read(question, target, list(_vectors(question, target, directions)))
    certificates: list[Certificate] = []
    for theorem in question.theorems:
        # There is one regret: against the comparator of the first theorem.
        first = certificates[0].comparator if certificates and theorem.quantity == "regret" else None
        certificate = theorem.certify(ledger, comparators if first is None else [first], facts)
        if certificate.why == SEPARATES[0] and inseparable is not None:
            certificate = replace(certificate, why=inseparable)
        certificates.append(certificate)
    return certificates


def _vectors(question: Question, target: int, directions: list[Direction]) -> Iterator[Vector]:
    units = [Vector(one.name, one.vector, one.bias) for one in directions]
    yield Vector("v = 0", np.zeros_like(units[0].vector), 0.0)
    for unit, seen in zip(units, read(question, target, units), strict=True):
        parting = [(1 + ROUNDING) / seen.least] if seen.least > ROUNDING else []
        for scale in (*SCALES, *parting):
            yield Vector(unit.name, scale * unit.vector, scale * unit.bias)
