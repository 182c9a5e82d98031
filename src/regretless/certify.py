"""Certificates of a learner that has gone over a stream: the same rounds are read again, as often as is needed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .blas import one_thread
from .certificate import NOT_REPRODUCED, Certificate, Certificates, summed
from .data.batch import Array, Batch
from .data.sample import Sample, coded, joined
from .data.stream import Stream
from .errors import RegretlessError, RowError
from .linear.base import OnlineClassifier
from .linear.certificates import CertifiedLearner, certify_at_hand, weights_by_class
from .linear.labels import codes_of
from .linear.replay import reproduces
from .theory.facts import SEPARATES

if TYPE_CHECKING:  # or a run on labels would load what learns numbers, and one of the default learner what searches
    from .linear.comparators.evaluate import Vector
    from .linear.comparators.question import Question
    from .linear.comparators.rays import Direction
    from .regression.base import OnlineRegressor


SCALES = tuple(2.0**power for power in range(-4, 9))  # of a length that brings margins to about 1
FEW = 1 << 15  # numbers in rows among which the largest margin is searched: that ends before any limit on its time
ROUNDING = 1e-9

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
        except RowError as error:
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

    def weights(self) -> Array | None:
        """What the rounds of a small stream weigh by their classes, where that makes them other rows; None if 1."""
        return weights_by_class(self._learner, np.concatenate([codes for _, codes in self._sample]))

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


@one_thread()
def certify_stream(
    learner: OnlineClassifier,
    stream: Stream,
    *,
    against: Any = None,
    svm: bool = False,
    deep: bool = False,
    trusted: bool = True,
    sample: Sample | None = None,
) -> Certificates:
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
        Whether searches may cost much more than a few passes, and the certificates say how much tighter that made them.
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
        return Certificates(learner.declined(ONCE.format(name=stream.name)))
    replay = Replay(stream, learner, sample)
    weights = replay.weights() if replay.small else None
    if not (trusted or reproduces(learner, replay, weights)):
        return Certificates(learner.declined(NOT_REPRODUCED.format(name=stream.name)))
    how: dict[str, Any] = {"svm": svm, "against": against, "deep": deep}
    call = partial(_call_rows, stream)
    if replay.small:
        ((batch, codes),) = replay()
        return Certificates(certify_at_hand(learner, batch, codes, weights, call=call, **how))
    question = learner.question(replay, replay.rows, in_memory=False, **how)
    question = replace(question, call=call, sample=replay.sample, counts=replay.counts)
    return Certificates(learner.certify_rounds(question))


def _call_rows(stream: Stream, places: Array) -> str:
    """What some rows of a stream are called: by their lines, where these are known, else as its messages do."""
    rows = (places + 1).tolist()
    lines = stream.lines_of(rows)
    if None in lines:
        return f"{stream.call_rows(*rows)}{stream.counted} of {stream.name}"
    if len(lines) == 1:
        return f"the row in line {lines[0]:,} of {stream.name}"
    return f"the rows in lines {lines[0]:,} and {lines[1]:,} of {stream.name}"


def certify_outcomes(
    learner: OnlineRegressor, stream: Stream, *, against: Any = None, trusted: bool = True
) -> Certificates:
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
        return Certificates(learner.declined(ONCE.format(name=stream.name)))

    again = partial(_outcomes, learner, stream)
    if not (trusted or learner.gives(again)):
        return Certificates(learner.declined(NOT_REPRODUCED.format(name=stream.name)))
    return Certificates(learner.certify_rounds(again, against))


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


@one_thread()
def read_cheaply(learner: OnlineClassifier, stream: Stream) -> Certificates:
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
    from .linear.comparators.directions import all_directions
    from .linear.comparators.margins import margin_directions

    replay = Replay(stream, learner)
    few = replay.small and replay.rows * learner.n_features_in_ <= FEW
    question = learner.question(replay, replay.rows, in_memory=few, svm=False, against=None)
    question = replace(question, call=partial(_call_rows, stream))
    per_target = []
    for target, directions in enumerate(all_directions(question)):
        more, inseparable = margin_directions(question, target) if few else ([], None)
        per_target.append(_of_target(question, target, [*directions, *more], inseparable))
    if len(per_target) == 1:
        return Certificates(per_target[0])
    return Certificates(summed(parts) for parts in zip(*per_target, strict=True))


def _of_target(
    question: Question, target: int, directions: list[Direction], inseparable: str | None
) -> list[Certificate]:
    from .linear.comparators.search import read

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
    from .linear.comparators.evaluate import Vector
    from .linear.comparators.search import read

    units = [Vector(one.name, one.vector, one.bias) for one in directions]
    yield Vector("v = 0", np.zeros_like(units[0].vector), 0.0)
    for unit, seen in zip(units, read(question, target, units), strict=True):
        parting = [(1 + ROUNDING) / seen.least] if seen.least > ROUNDING else []
        for scale in (*SCALES, *parting):
            yield Vector(unit.name, scale * unit.vector, scale * unit.bias)
