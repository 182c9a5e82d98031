"""Where rounds come from: batches of rows that can be read again from the start."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import numpy as np

from ..errors import COUNTED, DataError, RegretlessError, RowError
from .batch import Array, Batch

REMEMBERED_ERRORS = 20
KEY = "normalize"  # of the schema

AHEAD = 2  # batches that are ready or being read by another thread, besides the one in use

T = TypeVar("T")


class Stream(ABC):
    """A source of rounds.

    Parameters
    ----------
    name : str

    Attributes
    ----------
    name : str
        What messages call it: the path, or ``<stdin>``.
    rereadable : bool
        Whether a second call of `batches` gives the same rounds again.
    skipped : int
        Bad rows passed over in the current or last reading.
    first_errors : list of str
        What was wrong with the first of them.
    notes : list of str
        What the user should know of how the rows are read, once that is decided.
    threads : int
        With 2 a file is read ahead by a thread of its own. The batches are the same.
    """

    name: str
    rereadable: bool = True
    threads: int = 1
    _first_number: int = 1  # of rows in messages: as of lines, or 0 as of arrays

    def __init__(self, name: str) -> None:
        self.name = name
        self.skipped = 0
        self.first_errors: list[str] = []
        self.notes: list[str] = []
        self._passed: deque[int] | None = None

    @abstractmethod
    def batches(self, skip: int = 0) -> Iterator[Batch]:
        """Read from the start, passing over the first `skip` good rows."""

    @abstractmethod
    def schema(self) -> dict[str, Any]:
        """All that a later reading needs to build the same columns, as JSON values."""

    def feature_names(self) -> list[str] | None:
        """Names of the columns known so far; None when columns are called by their number."""
        return None

    def watch(self) -> deque[int]:
        """From the next reading on, which rows are passed over, counted from 0 among all rows; the caller
        may take them out. Those before a row, and between the rows of a batch, are there when its batch is."""
        self._passed = deque()
        return self._passed

    def _read_ahead(self, items: Generator[T, None, None]) -> Generator[T, None, None]:
        """Parts of the file, which do not depend on what is done with those before them, read ahead if that is wanted.

        A pipe is never read ahead: nobody knows how long it takes until something comes.
        """
        if self.threads < 2 or not self.rereadable:
            return items
        return read_ahead(items)

    def _mark(self, rows: Array) -> None:
        """Note which rows are passed over, if anybody wants to know."""
        if self._passed is not None:
            self._passed.extend(rows.tolist())

    def _line_of(self, row: int) -> int | None:
        """The line on which a row begins, both from 1, passed over or not, if rows are lines of text."""
        return None

    def refused(self, error: RowError, before: int) -> DataError:
        """The message about a row that cannot be played, in a batch before which so many rows were read."""
        row = before + error.row + 1
        return error.in_file(self.name, self.line_of(row), self.call_rows(row), self.skipped)

    def place_of(self, row: int) -> str:
        """Where a row stands, of those that are not passed over, counted from 1: its line where that is known."""
        (line,) = self.lines_of([row])
        return f"{self.call_rows(row)}{self.counted}" if line is None else f"line {line:,}"

    @property
    def counted(self) -> str:
        """What to say behind the numbers of rows where others are passed over."""
        return COUNTED if self.skipped else ""

    def call_rows(self, *rows: int) -> str:
        """What messages call rows, here counted from 1: as lines are counted, or as arrays are, who have none."""
        numbers = " and ".join(f"row {row - 1 + self._first_number:,}" for row in rows)
        return numbers if self._first_number else f"{numbers} (counted from 0)"

    def line_of(self, row: int) -> int | None:
        """The line on which a row begins, of those that are not passed over, both from 1; None where nobody knows."""
        if self.rereadable and not self.skipped:
            with suppress(OSError, RegretlessError):  # it is another file by now
                return self._line_of(row)
        return None

    def lines_of(self, rows: Sequence[int]) -> list[int | None]:
        """`line_of` of several rows once a reading is over, also where rows were passed over: all are read again to
        find which."""
        if not (self.rereadable and self.skipped):
            return [self.line_of(row) for row in rows]
        with suppress(OSError, RegretlessError):  # it is another file by now
            passed = self.watch()
            for _ in self.batches():
                pass
            gaps = np.sort(np.array(passed, dtype=np.int64))
            before = np.searchsorted(gaps - np.arange(len(gaps)), np.asarray(rows) - 1, side="right")
            return [self._line_of(int(row)) for row in rows + before]
        return [None] * len(rows)

    def _forget_errors(self) -> None:
        self.skipped, self.first_errors = 0, []
        if self._passed is not None:
            self._passed.clear()

    def _error(self, fault: str, advice: str) -> DataError:
        return DataError(self.name, None, None, fault, advice)

    def _note(self, text: str) -> None:
        """Note something once, however often the rows are read."""
        if text not in self.notes:
            self.notes.append(text)

    def _pass_over(self, message: str) -> None:
        self.skipped += 1
        if len(self.first_errors) < REMEMBERED_ERRORS:
            self.first_errors.append(message)


def past(batches: Iterator[Batch], skip: int) -> Iterator[Batch]:
    """The batches without their first `skip` rows."""
    for batch in batches:
        if skip >= len(batch):
            skip -= len(batch)
            continue
        yield batch.slice(skip, len(batch)) if skip else batch
        skip = 0


class WrappedStream(Stream):
    """The rows of another stream, in some other form: its columns and what it passes over are those of that one."""

    def __init__(self, inner: Stream) -> None:
        super().__init__(inner.name)
        self.rereadable, self._inner, self.notes = inner.rereadable, inner, inner.notes
        self._first_number = inner._first_number
        self.categorical: frozenset[str] = getattr(inner, "categorical", frozenset())

    def schema(self) -> dict[str, Any]:
        """That of the other stream."""
        return self._inner.schema()

    def feature_names(self) -> list[str] | None:
        """Those of the other stream."""
        return self._inner.feature_names()

    def watch(self) -> deque[int]:
        return self._inner.watch()

    def _line_of(self, row: int) -> int | None:
        return self._inner._line_of(row)

    def _counted(self, batches: Iterator[Batch]) -> Generator[Batch, None, None]:
        """The same batches of the other stream; with each, this one knows what was passed over."""
        try:
            for batch in batches:
                self._count()
                yield batch
        finally:
            self._count()

    def _count(self) -> None:
        self.skipped, self.first_errors = self._inner.skipped, self._inner.first_errors


class NormalizedStream(WrappedStream):
    """The rows of another stream, each divided by its Euclidean length; a row of zeros stays one."""

    def batches(self, skip: int = 0) -> Iterator[Batch]:
        """Read from the start, passing over the first `skip` good rows."""
        for batch in self._counted(self._inner.batches(skip)):
            yield normalized(batch)

    def schema(self) -> dict[str, Any]:
        """That of the other stream, and that rows are divided."""
        return {**super().schema(), KEY: True}


class BegunStream(WrappedStream):
    """The same stream; a first reading from the start goes on behind the batch that was looked at, which it begins
    with.

    Attributes
    ----------
    first : Batch or None
        The first batch; None of a stream without rows.
    """

    def __init__(self, inner: Stream) -> None:
        super().__init__(inner)
        self._begun: Iterator[Batch] | None = self._counted(inner.batches())
        self.first = next(self._begun, None)

    def batches(self, skip: int = 0) -> Iterator[Batch]:
        """Read from the start, passing over the first `skip` good rows."""
        begun, self._begun = self._begun, None
        if begun is None or skip or self.first is None:
            yield from self._counted(self._inner.batches(skip))
            return
        first, self.first = self.first, None
        yield first
        yield from begun


def read_ahead(items: Iterator[T]) -> Generator[T, None, None]:
    """The same items in the same order, read in another thread while those before them are used.

    What reading one raises is raised in its place. When nothing more is wanted the thread has ended before this
    returns, so that what it reads from may be closed.
    """
    from queue import SimpleQueue
    from threading import Semaphore, Thread

    ready: SimpleQueue[tuple[T | None, BaseException | None]] = SimpleQueue()
    room, wanted = Semaphore(AHEAD), True

    def read() -> None:
        try:
            while True:
                room.acquire()
                if not wanted:
                    return
                ready.put((next(items), None))
        except BaseException as error:  # StopIteration among them: the reader is to raise it
            ready.put((None, error))

    thread = Thread(target=read, name="read ahead", daemon=True)
    thread.start()
    try:
        while True:
            item, error = ready.get()
            if isinstance(error, StopIteration):
                return
            if error is not None:
                raise error
            room.release()
            yield item  # type: ignore[misc]
    finally:
        wanted = False
        room.release()
        thread.join()


def normalized(batch: Batch) -> Batch:
    """The batch with every row divided by its length, which is found without overflow."""
    values: Array = batch.values
    if not values.size:
        return batch
    if batch.starts is None:
        largest = np.abs(values).max(axis=1, keepdims=True).astype(np.float64)
        scaled = values / np.where(largest > 0, largest, 1)
        rows = np.repeat(np.arange(len(batch)), values.shape[1])
        # Added up in order, as below, so that a dense row is divided by the same bits as its sparse twin.
        lengths = np.sqrt(np.bincount(rows, np.square(scaled).ravel(), len(batch)))[:, None]
        result = scaled / np.where(lengths > 0, lengths, 1)
        return Batch(result.astype(values.dtype), batch.labels, batch.columns)
    starts = np.asarray(batch.starts)
    rows = np.repeat(np.arange(len(batch)), np.diff(starts))
    largest = np.zeros(len(batch))
    np.maximum.at(largest, rows, np.abs(values))
    scaled = values / np.where(largest > 0, largest, 1)[rows]
    lengths = np.sqrt(np.bincount(rows, np.square(scaled), len(batch)))
    result = scaled / np.where(lengths > 0, lengths, 1)[rows]
    return Batch(result.astype(values.dtype), batch.labels, batch.columns, batch.indices, batch.starts)
