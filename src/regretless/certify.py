"""Certificates of a learner that has gone over a stream: the same rounds are read again, as often as is needed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .certificate import Certificate
from .data.batch import Array, Batch
from .data.stream import Stream
from .errors import RegretlessError, RowRefused
from .linear.base import OnlineClassifier
from .linear.certificates import OTHERS, reproduces
from .linear.labels import codes_of
from .regression.base import OnlineRegressor

SMALL = 32 << 20  # bytes of rounds that are kept rather than read again

UNKNOWN = (
    "there are features that the model has never met, so these are not the rounds it played; give the file that it "
    "learned from"
)
ONCE = "the rounds must be read again, and {name} can be read once only"


def played(stream: Stream, columns: int, classes: Array) -> Iterator[tuple[Batch, Array]]:
    """The rounds of a stream with what the kernel plays for their labels.

    Raises
    ------
    RegretlessError
        If there are no labels, or there are labels or more columns of features than a model of these has met.
    """
    rows = 0
    for batch in stream.batches():
        if batch.labels is None:
            raise RegretlessError(f"{stream.name}: certificates need the labels, and there are none")
        if batch.columns > columns:
            raise RegretlessError(f"{stream.name}: {UNKNOWN}")
        try:
            yield batch, codes_of(batch.labels, classes)
        except RowRefused as error:
            raise stream.refused(error, rows) from error
        rows += len(batch)


def bytes_of(entries: int, rows: int) -> int:
    """About what rounds take up in memory."""
    return entries * 12 + rows * 16


class Replay:
    """The rounds of a stream, again and again; small streams are kept in memory.

    Parameters
    ----------
    stream : Stream
        One that can be read again.
    learner : OnlineClassifier
        Tells what the kernel plays for each label, and how many columns there are.
    """

    def __init__(self, stream: Stream, learner: OnlineClassifier) -> None:
        self._stream, self._learner = stream, learner
        self._kept: list[tuple[Batch, Array]] | None = None
        self.rows = 0
        self.small = self._keep()

    def __call__(self) -> Iterator[tuple[Batch, Array]]:
        yield from self._read() if self._kept is None else self._kept

    def _read(self) -> Iterator[tuple[Batch, Array]]:
        yield from played(self._stream, self._learner.state_.columns, self._learner.classes_)

    def _keep(self) -> bool:
        """Count the rounds, and keep them if they are few."""
        batches: list[tuple[Batch, Array]] | None = []
        size = 0
        for batch, codes in self._read():
            self.rows += len(batch)
            size += bytes_of(batch.entries, len(batch))
            if size > SMALL:
                batches = None
            if batches is not None:
                batches.append((owned(batch), codes))
        self._kept = None if batches is None else joined(batches)
        return self._kept is not None


def certify_stream(
    learner: OnlineClassifier,
    stream: Stream,
    *,
    against: Any = None,
    svm: bool = False,
    seconds: float = 10.0,
    trusted: bool = True,
) -> list[Certificate]:
    """Read every theorem of a learner against the rounds of a stream.

    Parameters
    ----------
    learner : OnlineClassifier
        After its run over the stream, in one pass or several.
    stream : Stream
        The same rounds. If it cannot be read again, the certificates say that they do not apply.
    against : array-like or None
        The user's own comparator; see `OnlineClassifier.certify`.
    svm : bool
        Whether to try scikit-learn's linear SVMs, if the rounds fit in memory; importing it takes about two seconds.
        Where it is not installed the certificates say that they were not tried.
    seconds : float
        How much CPU time the search for maximum margins may take, if the rounds fit in memory.
    trusted : bool
        Whether these are known to be the rounds that the learner played. If not, they are played again from the start,
        and the certificates do not apply unless that gives the same learner, bit for bit.

    Raises
    ------
    RegretlessError
        If the stream holds features or labels that the learner has never met.
    """
    if not stream.rereadable:
        return learner.declined(ONCE.format(name=stream.name))
    replay = Replay(stream, learner)
    if not (trusted or reproduces(learner, replay)):
        return learner.declined(OTHERS.format(name=stream.name))
    return learner.judged(
        learner.question(replay, replay.rows, in_memory=replay.small, svm=svm, against=against, seconds=seconds)
    )


def certify_outcomes(
    learner: OnlineRegressor, stream: Stream, *, against: Any = None, trusted: bool = True
) -> list[Certificate]:
    """Read every theorem of a learner of numbers against the rounds of a stream.

    Parameters
    ----------
    learner : OnlineRegressor
        After its run over the stream.
    stream : Stream
        The same rounds. If it cannot be read again, the certificates that need it say that they do not apply.
    against : array-like or None
        The user's own comparator; see `OnlineRegressor.certify`.
    trusted : bool
        Whether these are known to be the rounds that the learner played. If not, they are played again from the start,
        and the certificates do not apply unless that gives the same learner, bit for bit.

    Raises
    ------
    RegretlessError
        If the stream holds features that the learner has never met.
    """
    if not stream.rereadable:
        return learner.declined(ONCE.format(name=stream.name))

    def again() -> Iterator[Batch]:
        for batch in stream.batches():
            if batch.labels is None:
                raise RegretlessError(f"{stream.name}: certificates need the outcomes, and there are none")
            if batch.columns > learner.state_.columns:
                raise RegretlessError(f"{stream.name}: {UNKNOWN}")
            yield batch

    if not (trusted or learner.gives(again)):
        return learner.declined(OTHERS.format(name=stream.name))
    return learner.judged(again, against)


def owned(batch: Batch) -> Batch:
    """A copy, as a stream may use its buffers again; small enough for the 32-bit indices that scikit-learn wants."""
    values, labels, columns = batch.values.copy(), batch.labels, batch.columns
    if batch.starts is None or batch.indices is None:
        return Batch(values, labels, columns)
    wide = np.int32 if columns <= np.iinfo(np.int32).max else np.int64
    return Batch(values, labels, columns, batch.indices.astype(wide), batch.starts.astype(wide))


def joined(rounds: list[tuple[Batch, Array]]) -> list[tuple[Batch, Array]]:
    """All rounds in one batch."""
    if len(rounds) < 2:
        return rounds
    batches = [batch for batch, _ in rounds]
    codes = np.concatenate([codes for _, codes in rounds])
    values, columns = np.concatenate([b.values for b in batches]), batches[-1].columns
    if batches[0].starts is None:
        return [(Batch(values, None, columns), codes)]
    indices = np.concatenate([b.indices for b in batches if b.indices is not None])
    lengths = np.concatenate([np.diff(b.starts) for b in batches if b.starts is not None])
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(indices.dtype)
    return [(Batch(values, None, columns, indices, starts), codes)]
