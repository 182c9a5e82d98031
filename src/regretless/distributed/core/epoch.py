"""One epoch of one shard, and how two of them become one: all that an engine has to run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import thread_time

import numpy as np

from ...data.batch import Batch
from ...data.stream import Stream
from ...errors import DataError, ParameterError, RegretlessError, RowRefused
from ...linear.base import OnlineClassifier
from ...linear.labels import encode
from ..rows.shards import Shard
from .discovery import ID_ZERO, has_news, merge_schemas, survey
from .learner_adapter import books_of_epoch, learner_at, part_of, rate_clock
from .messages import Count, ShardResult, Start
from .state_weights import met_of, reach_of
from .weighted_mean import merge_parts


def epoch(start: Start, shard: Shard) -> ShardResult:
    """Play the rows of a shard from the mixed weights.

    Parameters
    ----------
    start : Start
        Where all shards begin.
    shard : Shard
        Opened here.

    Returns
    -------
    ShardResult
        Its part and its count; or its schema alone, where it has labels or columns that the start does not know: then
        nothing was learned.

    Raises
    ------
    DataError, RegretlessError
        If the shard cannot be read, or its rows cannot be played. The message names it.
    """
    try:
        return _played(start, shard)
    except RegretlessError as error:
        if type(error) not in (RegretlessError, ParameterError):
            raise  # it names the shard, or is no fault of it
        text = str(error)
        raise RegretlessError(text if text.startswith(shard.name) else f"{shard.name}: {text}") from error


def merge(start: Start, left: ShardResult, right: ShardResult) -> ShardResult:
    """The results of neighbouring shards in one."""
    counts = (*left.counts, *right.counts)
    if left.part is not None and right.part is not None:
        return ShardResult(merge_parts(start.weights, left.part, right.part), counts)
    if left.schema is None or right.schema is None:
        return ShardResult(None, counts, left.schema or right.schema)
    return ShardResult(None, counts, merge_schemas(start, left.schema, right.schema))


@dataclass(slots=True)
class _Reading:
    """The passes over a shard, and their counts."""

    start: Start
    shard: Shard
    rows: int = 0
    nonzeros: int = 0
    seconds: float = 0.0
    fresh: tuple[int, int] = (0, 0)
    skipped: int = 0
    first_errors: tuple[str, ...] = ()

    def play(self, learner: OnlineClassifier) -> bool:
        """Make all passes, as long as there is nothing that the start does not know; whether there was not."""
        for number in range(self.start.passes):
            if not self._pass(learner):
                return False
            if number == 0:
                self.fresh = self.rows, int(learner.ledger_.mistakes)
        return True

    def _pass(self, learner: OnlineClassifier) -> bool:
        stream, before = self.shard.open(self.start.schema), self.rows
        for batch in self._batches(stream):
            if not len(batch):
                continue
            if batch.labels is None:
                raise DataError(self.shard.name, None, None, "rows without labels", "they teach nothing")
            codes, known = encode(batch.labels, self.start.classes)
            if not known.all():
                return False
            try:
                learner.play_encoded(batch, codes)
            except RowRefused as error:
                if not self.shard.of_file:  # arrays, whose rows are counted as Python does
                    raise RegretlessError(error.why) from error  # nothing of a shard that fails is learned
                raise stream.refused(error, self.rows - before) from error
            self.rows += len(batch)
            self.nonzeros += batch.entries if batch.sparse else int(np.count_nonzero(batch.values))
        if self.rows == before:
            raise DataError(self.shard.name, None, None, "no rows", "give a shard with at least one labelled row")
        self.skipped, self.first_errors = stream.skipped, tuple(stream.first_errors)
        return not has_news(self.start.schema, stream.schema())

    def _batches(self, stream: Stream) -> Iterator[Batch]:
        """The batches, the time that reading takes being measured."""
        batches = iter(stream.batches())
        while True:
            began = thread_time()
            batch = next(batches, None)
            self.seconds += thread_time() - began
            if batch is None:
                return
            yield batch


def _played(start: Start, shard: Shard) -> ShardResult:
    began = thread_time()
    learner, reading = learner_at(start), _Reading(start, shard)
    try:
        known = reading.play(learner)
    except DataError as error:
        if not error.found.startswith(ID_ZERO):
            raise
        known = False  # ids begin at 0 here, or the file is bad: the survey says which
    if not known:
        return ShardResult(None, (), survey(start, shard))
    clock, state = rate_clock(learner), learner.state_
    state.books[:] = books_of_epoch(learner, start)
    ledger = learner.ledger_
    weight = {"uniform": 1.0, "updates": ledger.updates, "rows": float(reading.rows)}[start.weighting]
    part = part_of(learner, start, weight, float(reading.rows))
    count = Count(
        name=shard.name,
        rounds=reading.rows,
        updates=int(ledger.updates),
        mistakes=int(ledger.mistakes),
        weight=weight,
        books=state.books,
        columns=state.columns,
        nonzeros=reading.nonzeros,
        clock=clock,
        fresh=reading.fresh,
        cpu=thread_time() - began,
        reading=reading.seconds,
        met=met_of(state),
        reach=reach_of(state),
        skipped=reading.skipped,
        first_errors=reading.first_errors,
    )
    return ShardResult(part, (count,))
