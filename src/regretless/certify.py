"""Certificates of a learner that has gone over a stream: the same rounds are read again, as often as is needed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .certificate import NOT_REPRODUCED, Certificate
from .data.batch import Array, Batch
from .data.sample import Sample, coded, joined
from .data.stream import Stream
from .errors import RegretlessError, RowRefused
from .linear.base import OnlineClassifier
from .linear.certificates import reproduces
from .linear.labels import codes_of

if TYPE_CHECKING:  # or a run on labels would load what learns numbers
    from .regression.base import OnlineRegressor

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


class Replay:
    """The rounds of a stream, again and again; small streams are kept in memory.

    Parameters
    ----------
    stream : Stream
        One that can be read again.
    learner : OnlineClassifier
        Tells what the kernel plays for each label, and how many columns there are.
    sample : Sample, optional
        Of the same stream, if it was taken when it was read last; else the stream is read for it.

    Attributes
    ----------
    rows : int
        How many rounds there are.
    small : bool
        Whether all of them are in memory.
    counts : ndarray, shape (targets,)
        How many of them are of each target's class.
    """

    def __init__(self, stream: Stream, learner: OnlineClassifier, sample: Sample | None = None) -> None:
        self._stream, self._learner = stream, learner
        self._sample = joined(self._read_sample() if sample is None else self._coded(sample))

    def __call__(self) -> Iterator[tuple[Batch, Array]]:
        yield from self._sample if self.small else self._read()

    def sample(self) -> Iterator[tuple[Batch, Array]]:
        """The rounds that are in memory, evenly spread over all."""
        yield from self._sample

    def _read(self) -> Iterator[tuple[Batch, Array]]:
        yield from played(self._stream, self._learner.state_.columns, self._learner.classes_)

    def _count(self, sample: Sample, codes: dict[int, int]) -> None:
        self.rows, self.small = sample.rows, sample.whole
        targets = self._learner.state_.targets
        self.counts = np.array([codes.get(1, 0)] if targets == 1 else [codes.get(c, 0) for c in range(targets)], float)

    def _read_sample(self) -> list[tuple[Batch, Array]]:
        sample = Sample()
        for batch, codes in self._read():
            sample.take(replace(batch, labels=codes))
        self._count(sample, sample.labels)
        return coded(sample)

    def _coded(self, sample: Sample) -> list[tuple[Batch, Array]]:
        classes, labels = self._learner.classes_, np.array(list(sample.labels))
        self._count(sample, dict(zip(codes_of(labels, classes).tolist(), sample.labels.values(), strict=True)))
        return [
            (replace(piece, labels=None), codes_of(piece.labels, classes))
            for piece in sample.pieces
            if piece.labels is not None
        ]


def certify_stream(
    learner: OnlineClassifier,
    stream: Stream,
    *,
    against: Any = None,
    svm: bool = False,
    deep: bool = False,
    trusted: bool = True,
    sample: Sample | None = None,
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
    deep : bool
        Whether searches may cost much more than a few passes.
    trusted : bool
        Whether these are known to be the rounds that the learner played. If not, they are played again from the start,
        and the certificates do not apply unless that gives the same learner, bit for bit.
    sample : Sample, optional
        Of the rows of the stream, if it was taken when they were learned.

    Raises
    ------
    RegretlessError
        If the stream holds features or labels that the learner has never met.
    """
    if not stream.rereadable:
        return learner.declined(ONCE.format(name=stream.name))
    replay = Replay(stream, learner, sample)
    if not (trusted or reproduces(learner, replay)):
        return learner.declined(NOT_REPRODUCED.format(name=stream.name))
    question = learner.question(replay, replay.rows, in_memory=replay.small, svm=svm, against=against, deep=deep)
    if not replay.small:
        question = replace(question, sample=replay.sample, counts=replay.counts)
    return learner.certify_rounds(question)


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

    again = partial(_outcomes, learner, stream)
    if not (trusted or learner.gives(again)):
        return learner.declined(NOT_REPRODUCED.format(name=stream.name))
    return learner.certify_rounds(again, against)


def _outcomes(learner: OnlineRegressor, stream: Stream) -> Iterator[Batch]:
    """The rounds of a stream, as a learner of numbers can have played them."""
    for batch in stream.batches():
        if batch.labels is None:
            raise RegretlessError(f"{stream.name}: certificates need the outcomes, and there are none")
        if batch.columns > learner.state_.columns:
            raise RegretlessError(f"{stream.name}: {UNKNOWN}")
        yield batch


def gives(learner: Any, stream: Stream) -> bool:
    """Whether the rounds of a stream, played from the start, give a learner of rows, bit for bit.

    Parameters
    ----------
    learner : OnlineClassifier or OnlineRegressor
    stream : Stream
        One that can be read again.

    Raises
    ------
    RegretlessError
        If there are no labels, or there are labels or features that the learner has never met.
    """
    if learner.kind == "linear":
        return reproduces(learner, Replay(stream, learner))
    return bool(learner.gives(partial(_outcomes, learner, stream)))
