"""A stream of which the first batch was looked at, to find out what it is about."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

from ..errors import DataError, RowRefused
from .batch import Batch
from .stream import Stream


class BegunStream(Stream):
    """The same stream; a first reading from the start goes on behind the batch that was looked at, which it begins
    with.

    Parameters
    ----------
    stream : Stream

    Attributes
    ----------
    first : Batch or None
        The first batch; None of a stream without rows.
    """

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._begun: Iterator[Batch] | None = stream.batches()
        self.first = next(self._begun, None)

    def batches(self, skip: int = 0) -> Iterator[Batch]:
        """Read from the start, passing over the first `skip` good rows."""
        begun, self._begun = self._begun, None
        if begun is None or skip or self.first is None:
            yield from self._stream.batches(skip)
            return
        first, self.first = self.first, None
        yield first
        yield from begun

    def schema(self) -> dict[str, Any]:
        """All that a later reading needs to build the same columns, as JSON values."""
        return self._stream.schema()

    def feature_names(self) -> list[str] | None:
        """Names of the columns known so far."""
        return self._stream.feature_names()

    def watch(self) -> deque[int]:
        """Which rows are passed over from the next reading on."""
        return self._stream.watch()

    def place_of(self, row: int) -> str:
        """Where a row stands."""
        return self._stream.place_of(row)

    def refused(self, error: RowRefused, before: int) -> DataError:
        """The message about a row that cannot be played."""
        return self._stream.refused(error, before)

    @property
    def name(self) -> str:  # type: ignore[override]
        """What messages call it."""
        return self._stream.name

    @property
    def rereadable(self) -> bool:  # type: ignore[override]
        """Whether it can be read again."""
        return self._stream.rereadable

    @property
    def skipped(self) -> int:  # type: ignore[override]
        """Bad rows passed over in the current or last reading."""
        return self._stream.skipped

    @property
    def first_errors(self) -> list[str]:  # type: ignore[override]
        """What was wrong with the first of them."""
        return self._stream.first_errors

    @property
    def notes(self) -> list[str]:  # type: ignore[override]
        """What the user should know of how the rows are read."""
        return self._stream.notes
