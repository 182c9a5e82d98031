"""A run of a learner over a stream: curve, checkpoints, resuming."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.batch import Batch
from ..data.sample import Sample
from ..data.stream import Stream
from ..errors import DataError, RowError
from ..ledger import FIELDS
from ..linear.base import OnlineClassifier
from ..linear.progressive import Progressive
from ..persist.validation import fits
from .base import StreamRun, refuse_other_stream

if TYPE_CHECKING:
    from .calibration import RunCalibration
    from .tracing import RowTracer

ROUNDS = FIELDS.index("rounds")
SAME = 1e-9  # the share of a sum by which its order may change it
SHORT, TOGETHER = 1 << 12, 64  # the scores of stretches that wait to be counted, and how many of them wait at most
POINTS_AN_OCTAVE = 10  # of the curve: 420 of them reach past 10^12 rounds

Point = tuple[int, int, int]


def _curve_points() -> Iterator[int]:
    last = 0
    for step in range(60 * POINTS_AN_OCTAVE):
        point = ceil(2 ** (step / POINTS_AN_OCTAVE) - 1e-9)
        if point > last:
            yield point
            last = point


CURVE_POINTS = tuple(_curve_points())  # the round counts at which the curve is drawn, powers of two among them


@dataclass
class Place:
    """Where in a stream a run stands.

    Attributes
    ----------
    number : int
        The pass, from 0.
    rows, nonzeros : int
        What of this pass is learned; in sparse rows every value that is stored counts.
    updates : int
        How many updates there had been before this pass.
    """

    number: int = 0
    rows: int = 0
    nonzeros: int = 0
    updates: int = 0


@dataclass
class Run(StreamRun):
    """One learner, one stream.

    Attributes
    ----------
    learner : OnlineClassifier
    stream : Stream
    passes : int
        How often to go over the stream.
    save : path or None
        Where checkpoints and the finished model go.
    checkpoint_every : int or None
        The model is saved whenever the number of rounds is a multiple of this.
    curve : list of (rounds, mistakes, updates)
        At the round counts of `CURVE_POINTS`.
    snapshots : list of dict
        What the learner says of itself at the same rounds, if it does.
    place : Place
        Where the run stands; at first, where it begins.
    on_first : callable
        Called with the first batch before it is learned; what it raises ends the run.
    on_point : callable
        Called with each point of the curve as it is reached.
    on_rounds : callable
        Called after each batch with the number of rounds that have been played.
    stop : callable
        Called before each batch, and a few times a second within one; true stops the run.
    waiting : bool
        Whether the next batch is being read. What is raised then (by a signal, say) finds the learner between two
        rounds.
    saved : int
        How many rounds the model had when this run last saved it; 0 if it never did.
    first : Batch or None
        The first batch that was read.
    last : str or None
        By what the row is known that was learned last before this run.
    calibration : RunCalibration or None
        Probabilities that are learned from scores, if they are wanted.
    progressive : Progressive
        How the rows of the first pass were predicted before they were learned.
    sample : Sample or None
        Of the rows of the first pass, where one is wanted.
    tracer : RowTracer or None
        Takes down the first rows one by one, where that is wanted.
    constant : bool
        Whether the size of the constant feature went by the first row.
    first_rows : dict of label to int
        In which row of the stream each class came first that this run met, counted from 1.
    again : bool
        Whether the rows of this run are, for all that is known of them, those that a finished one had learned before.
    """

    learner: OnlineClassifier
    stream: Stream
    passes: int = 1
    save: str | os.PathLike[str] | None = None
    checkpoint_every: int | None = None
    curve: list[Point] = field(default_factory=list)
    snapshots: list[dict[str, Any]] = field(default_factory=list)
    place: Place = field(default_factory=Place)
    on_first: Callable[[Batch], None] = lambda batch: None
    on_point: Callable[[Point], None] = lambda point: None
    on_rounds: Callable[[int], None] = lambda rounds: None
    stop: Callable[[], bool] = lambda: False
    waiting: bool = False
    saved: int = 0
    first: Batch | None = None
    last: str | None = None
    progressive: Progressive = field(default_factory=Progressive)
    calibration: RunCalibration | None = None
    sample: Sample | None = None
    tracer: RowTracer | None = None
    constant: bool = False
    first_rows: dict[Any, int] = field(default_factory=dict, init=False)
    again: bool = field(default=False, init=False)
    _newest: bytes | None = field(default=None, init=False, repr=False)  # what the row holds that was learned last
    _watched: list[tuple[Any, ...]] = field(default_factory=list, init=False, repr=False)  # by `_watch`, to be counted
    # The squared length of the first row, where the ledger leaves out the first round.
    _left_out: float = field(default=0.0, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.learner.scores_are_log_odds and not self.progressive.rounds:
            self.progressive.log_loss = 0.0

    def play(self) -> None:
        """As any run does, in all passes; and find out whether the rows were learned before.

        Raises
        ------
        DataError
            If several passes are asked for over what can be read once.
        """
        if self.passes > 1 and not self.stream.rereadable:
            fault = f"this can be read once only, not {self.passes} times"
            raise DataError(self.stream.name, None, None, fault, "keep what is read with --cache FILE")
        known = None if self.place.rows else self._before()
        super().play()
        self.again = known is not None and self._is_again(*known)

    def _before(self) -> tuple[float, float, str | None] | None:
        """What is known of the rows that were learned: how many, their squared lengths added up, the last of them."""
        if not self.rounds:
            return None
        ledger = self.learner.ledger_
        return ledger.rounds, ledger.total_norm2, self._print()

    def _is_again(self, rounds: float, norm2: float, last: str | None) -> bool:
        """Whether those that were learned before are these rows, once or several times."""
        ledger = self.learner.ledger_
        played, more = ledger.rounds - rounds, ledger.total_norm2 - norm2
        norm2 += self._left_out
        alike = abs(more * rounds - norm2 * played) <= SAME * norm2 * played
        return last == self._print() and rounds % self.place.rows == 0 and alike

    def _print(self) -> str | None:
        """By what the row is known that was learned last; `hashlib` takes longer to load than a few rows to learn."""
        return self.last if self._newest is None else _hashed(self._newest)

    @property
    def rounds(self) -> int:
        """Rounds played so far, by this run and those before it."""
        # The last book is that of the whole; reading it all would be felt in a stream of small batches.
        return int(self.learner.state_.books[-1, ROUNDS]) if hasattr(self.learner, "classes_") else 0

    @property
    def earlier(self) -> int:
        """Of a run that is over, how many rounds had been played before those of this stream."""
        return self.rounds - (self.place.number + 1) * self.place.rows

    @property
    def point(self) -> Point:
        """Rounds, mistakes and updates so far."""
        if not hasattr(self.learner, "classes_"):
            return 0, 0, 0
        ledger = self.learner.ledger_
        return int(ledger.rounds), int(ledger.mistakes), int(ledger.updates)

    @property
    def whole_curve(self) -> list[Point]:
        """The curve to its very end."""
        return self.curve if self.curve and self.curve[-1][0] == self.rounds else [*self.curve, self.point]

    @property
    def whole_snapshots(self) -> list[dict[str, Any]]:
        """The snapshots that the learner gave on the way, and its last one."""
        last = self.learner.snapshot() if self.rounds else None
        if last is None or (self.snapshots and self.snapshots[-1]["rounds"] == self.rounds):
            return self.snapshots
        return [*self.snapshots, last]

    def _go_to_the_end(self) -> None:
        first = self.place.number
        for number in range(first, self.passes):
            if number > first:
                self.place = Place(number, updates=self.point[2])
                self.learner.repeats()
            self.learner.on_scores = self._watch if number == 0 else None
            try:
                self._go_over(self.stream.batches(self.place.rows))
            finally:
                self.learner.on_scores = None
                self._count_watched()
            if not self.place.rows:
                raise DataError(self.stream.name, None, None, "no rows", "there is nothing to learn from")
            if self.learner.until_clean and self.point[2] == self.place.updates:
                break

    def _watch(self, scores: Any, codes: Any, classes: Any, tie: float, votes: Any = None) -> None:
        """Take in rounds of the first pass, each predicted before it was learned."""
        if votes is None and scores.size <= SHORT and len(self._watched) < TOGETHER:
            # A copy, for they are a slice of an array over all rows of a piece, which would stay for each new class.
            self._watched.append((scores.copy(), codes, classes, tie))
        else:
            self._count_watched()
            self.progressive(scores, codes, classes, tie, votes)
        if self.calibration is not None:
            self.calibration(scores, codes, classes, votes)
        if self.tracer is not None:
            self.tracer.watch(scores, codes, classes, tie)

    def _batch(self, batch: Batch) -> None:
        if self.first is None:
            self.on_first(batch)
            self.first = batch
        first, last, done = self.rounds, self.rounds + len(batch), 0
        points, checkpoints = points_within(first, last), self._checkpoints_within(first, last)
        for halt in sorted({*points, *checkpoints, *self._traced_within(first, last), last}):
            tracer = self.tracer if self._traced_within(first + done, halt) else None
            if tracer is not None:
                tracer.begin(self.learner)
            for begin, end in self._pieces(done, halt - first):
                self._observe(batch, begin, end)
            done = halt - first
            if tracer is not None:
                tracer.take(self.learner, batch, done - 1, self.stream.schema())
            if halt in points:
                self.curve.append(self.point)
                if (snapshot := self.learner.snapshot()) is not None:
                    self.snapshots.append(snapshot)
                self.on_point(self.curve[-1])
            if halt in checkpoints:
                self._write(unfinished=True)
        self._count_watched()

    def _count_watched(self) -> None:
        """Count the rounds of many short stretches at once, which takes hardly longer than one of them."""
        for _, same in groupby(self._watched, key=lambda one: len(one[2])):
            scores, codes, classes, ties = zip(*same, strict=True)
            self.progressive(np.concatenate(scores), np.concatenate(codes), classes[0], ties[0])
        self._watched.clear()

    def _traced_within(self, first: int, last: int) -> range:
        """The round counts first < t <= last at which a row is taken down."""
        left = 0 if self.tracer is None or self.place.number else self.tracer.left
        return range(first + 1, min(first + left, last) + 1)

    def _observe(self, batch: Batch, begin: int, end: int) -> None:
        before = self.rounds
        known = len(getattr(self.learner, "classes_", ()))
        try:
            rows = batch if (begin, end) == (0, len(batch)) else batch.slice(begin, end)
            self.learner.observe(rows)
            if self.sample is not None and self.place.number == 0:
                self.sample.take(rows)
        except RowError as error:
            raise self.stream.refused(error, self.place.rows) from error
        finally:
            learned = self.rounds - before
            if len(getattr(self.learner, "classes_", ())) > known:
                self._note_classes(batch, begin, begin + learned)
            self.place.rows += learned
            self.place.nonzeros += _nonzeros(batch, begin, begin + learned)
            if learned:
                self._newest = _content(batch, begin + learned - 1)

    def _note_classes(self, batch: Batch, begin: int, end: int) -> None:
        """Where the classes of some rows came first, if they are new."""
        labels, rows = np.unique(np.asarray(batch.labels)[begin:end], return_index=True)
        for label, row in zip(labels.tolist(), rows.tolist(), strict=True):
            self.first_rows.setdefault(label, self.place.rows + row + 1)

    def describe(self, *, unfinished: bool) -> dict[str, Any]:
        """What goes into the model file; where the run stands only while it is not finished, so that a model does not
        depend on the stops on the way to it."""
        self._count_watched()
        here = self.place
        stands = {
            "pass": here.number,
            "row": here.rows,
            "nonzeros": here.nonzeros,
            "updates": here.updates,
            "passes": self.passes,
            "source": os.path.basename(self.stream.name),
        }
        return {
            "schema": self.stream.schema(),
            "curve": [list(point) for point in self.curve],
            **({"snapshots": self.snapshots} if self.snapshots else {}),
            "progressive": self.progressive.describe(),
            **({} if self.calibration is None else {"calibration": self.calibration.describe()}),
            "unfinished": stands if unfinished else None,
            "last": self._print(),
        }


def print_of(batch: Batch, row: int) -> str:
    """By what a row is known again, in whatever format and precision it is read."""
    return _hashed(_content(batch, row))


def _hashed(content: bytes) -> str:
    from hashlib import sha256

    return sha256(content).hexdigest()


def _content(batch: Batch, row: int) -> bytes:
    if batch.starts is None or batch.indices is None:
        values = batch.values[row]
        columns = np.arange(len(values))
    else:
        entries = slice(int(batch.starts[row]), int(batch.starts[row + 1]))
        values, columns = batch.values[entries], batch.indices[entries]
    there = np.flatnonzero(values)
    content: bytes = columns[there].astype("<i8").tobytes() + values[there].astype("<f8").tobytes()
    return content


@dataclass(frozen=True)
class Continuation:
    """How a run that was saved goes on.

    Attributes
    ----------
    schema : dict or None
        Of the stream that was learned from, by which the next one builds the same columns.
    curve : list of (rounds, mistakes, updates)
        So far.
    snapshots : list of dict
        What the learner said of itself on the way.
    place : Place or None
        Where an unfinished run stopped; a finished one goes on with the first row of whatever comes next.
    passes : int or None
        How many an unfinished run was to make.
    source : str or None
        The stream that an unfinished run stopped in, without its folder.
    last : str or None
        By what the row is known that was learned last.
    calibration : RunCalibration or None
        Probabilities that are learned from scores, if they are wanted.
    progressive : Progressive or Forecasts
        How rows were predicted before they were learned.
    """

    schema: dict[str, Any] | None = None
    curve: tuple[Point, ...] = ()
    place: Place | None = None
    passes: int | None = None
    source: str | None = None
    last: str | None = None
    progressive: Any = field(default_factory=Progressive)
    calibration: RunCalibration | None = None
    snapshots: tuple[dict[str, Any], ...] = ()

    @classmethod
    def read(cls, extra: Mapping[str, Any], counts: Any = Progressive) -> Continuation:
        """What `Run.describe` wrote, or nothing at all.

        Parameters
        ----------
        extra : mapping
        counts : type, default=Progressive
            `Forecasts` of learners of numbers.

        Raises
        ------
        ModelError
            If it does not fit together.
        """
        progressive, number = counts.read(extra.get("progressive")), counts.NUMBER
        calibration = _calibration_of(extra)
        with fits("what the model says of its run"):
            schema = None if extra.get("schema") is None else dict(extra["schema"])
            curve: Any = tuple((int(r), number(m), number(u)) for r, m, u in extra.get("curve", ()))
            snapshots = tuple(dict(one) for one in extra.get("snapshots", ()))
            stands, last = extra.get("unfinished"), extra.get("last")
            if stands is None:
                return cls(
                    schema, curve, last=last, progressive=progressive, calibration=calibration, snapshots=snapshots
                )
            counts = [int(stands[key]) for key in ("pass", "row", "nonzeros", "updates")]
            passes = int(stands["passes"])
            if min(counts) < 0 or counts[0] >= passes:
                raise ValueError(f"pass {counts[0] + 1} of {passes}, row {counts[1]}")
            place, source = Place(*counts), str(stands["source"])
            return cls(schema, curve, place, passes, source, last, progressive, calibration, snapshots)

    def refuse_other(self, stream: Stream) -> None:
        """An unfinished run goes on in the stream that it stopped in.

        Raises
        ------
        RegretlessError
            If this one has another name.
        """
        if self.place is not None:
            refuse_other_stream(stream.name, self.source, self.place.rows)


def _calibration_of(extra: Mapping[str, Any]) -> RunCalibration | None:
    """Probabilities that are learned from scores, if there are any."""
    if extra.get("calibration") is None:
        return None
    from .calibration import RunCalibration

    return RunCalibration.read(extra["calibration"])


def points_within(first: int, last: int) -> tuple[int, ...]:
    """The points of a curve at round counts first < t <= last."""
    return CURVE_POINTS[bisect_right(CURVE_POINTS, first) : bisect_right(CURVE_POINTS, last)]


def _nonzeros(batch: Batch, begin: int, end: int) -> int:
    if batch.starts is None:
        return int(np.count_nonzero(batch.values[begin:end]))
    return int(batch.starts[end] - batch.starts[begin])
