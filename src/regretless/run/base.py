"""What runs over a stream share: batches, stopping, saving, and going on from a saved model."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from time import monotonic
from typing import Any, TypeVar

from ..errors import DataError, Interrupted, RegretlessError
from ..persist.model import write

PACE = 256  # rows that are played at first between two calls of `stop`
MOMENT = 0.05  # seconds that this should take later on

B = TypeVar("B")


class StreamRun(ABC):
    """One learner that goes over a stream and can be stopped between two batches.

    A kind of run says which batches are left (`_go_to_the_end`), how one is learned (`_batch`) and what goes into the
    model file (`describe`).

    Attributes
    ----------
    learner : object
    save : path or None
        Where checkpoints and the finished model go.
    checkpoint_every : int or None
        The model is saved whenever the number of rounds is a multiple of this.
    on_rounds : callable
        Called after each batch with the number of rounds that have been played.
    stop : callable
        Called before each batch, and a few times a second within one; true stops the run.
    waiting : bool
        Whether the next batch is being read. What is raised then (by a signal, say) leaves the learner between two
        rounds.
    saved : int
        How many rows the model had when this run last saved it; 0 if it never did.
    """

    learner: Any
    save: str | os.PathLike[str] | None
    checkpoint_every: int | None
    on_rounds: Callable[[int], None]
    stop: Callable[[], bool]
    waiting: bool
    saved: int
    unsaved: Exception | None = None  # why what was learned last could not be saved, if it could not
    _pace: int = PACE

    @property
    @abstractmethod
    def rounds(self) -> int:
        """Rounds learned, by this run and those before it."""

    @property
    def rows(self) -> int:
        """Rows taken, by this run and those before it; more than rounds while outcomes are to come."""
        return self.rounds

    @abstractmethod
    def describe(self, *, unfinished: bool) -> dict[str, Any]:
        """What goes into the model file."""

    def play(self) -> None:
        """Go over the stream; save the model at the end, and also when something stops it.

        Raises
        ------
        Interrupted
            If `stop` was true.
        Exception
            If a row cannot be used or read. The rows before it are learned, and saved if there is a place for them.
        """
        self._with_rescue(self._go_to_the_end)
        self._write(unfinished=False)

    @abstractmethod
    def _go_to_the_end(self) -> None:
        """Learn all batches that are left."""

    @abstractmethod
    def _batch(self, batch: Any) -> None:
        """Learn a batch."""

    def _with_rescue(self, work: Callable[[], None]) -> None:
        """Do the work; save the model if something stops it after some rows."""
        before = self.rows
        try:
            work()
        except Exception:
            if self.rows > before:
                self._rescue()
            raise

    def _go_over(self, batches: Iterator[Any]) -> None:
        while (batch := self._next(batches)) is not None:
            self._batch(batch)
            self.on_rounds(self.rounds)

    def _pieces(self, begin: int, end: int) -> Iterator[tuple[int, int]]:
        """These rows of a batch in pieces, after each of which a request to stop is noticed; a learner may be slow."""
        while begin < end:
            if self.stop():
                raise Interrupted("interrupted")
            cut, since = min(end, begin + self._pace), monotonic()
            yield begin, cut
            took = monotonic() - since
            if took > MOMENT:
                self._pace = max(1, self._pace // 2)
            elif cut - begin == self._pace and took < MOMENT / 4:
                self._pace *= 2
            begin = cut

    def _checkpoints_within(self, first: int, last: int) -> range:
        """The round counts first < t <= last at which to save."""
        every = self.checkpoint_every
        if self.save is None or every is None:
            return range(0)
        return range((first // every + 1) * every, last + 1, every)

    def _rescue(self) -> None:
        """Save what was learned before something went wrong; a full disk must not hide the first error."""
        try:
            self._write(unfinished=True)
        except (OSError, RegretlessError) as error:
            self.unsaved = error

    def _write(self, *, unfinished: bool) -> None:
        """Save the model, if there is a place for it and something to save."""
        if self.save is None or self.rows == 0:
            return
        write(self.save, self.learner, self.describe(unfinished=unfinished))
        self.saved = self.rows

    def _next(self, batches: Iterator[B]) -> B | None:
        self.waiting = True
        try:
            if self.stop():  # called once waiting is set, so that no signal between the two is lost
                raise Interrupted("interrupted")
            return next(batches, None)
        finally:
            self.waiting = False


def refuse_other_stream(stream_name: str, source: str | None, row: int) -> None:
    """An unfinished run goes on in the stream that it stopped in.

    Parameters
    ----------
    stream_name : str
        Of the stream that the run is to go on in.
    source : str or None
        The one that it stopped in, without its folder.
    row : int
        Where it stopped there.

    Raises
    ------
    DataError
        If this one has another name.
    """
    if source != os.path.basename(stream_name):
        fault = f"the model stopped in row {row:,} of {source}"
        raise DataError(stream_name, None, None, f"{fault}, not of this", "give the same data to finish that run")
