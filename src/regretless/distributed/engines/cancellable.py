"""A shard whose reading can be told to stop, between two batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...data.batch import Batch
from ...data.stream import Stream
from ...errors import Interrupted
from ..rows.shards import Shard


class Watched(Shard):
    """A shard that asks before each batch whether to stop.

    Parameters
    ----------
    shard : Shard
    stop : callable
        What it asks.
    """

    def __init__(self, shard: Shard, stop: Callable[[], bool]) -> None:
        self.name, self._shard, self._stop = shard.name, shard, stop
        self.of_file = shard.of_file

    def open(self, schema: dict[str, Any] | None) -> Stream:
        """The rows of the shard; reading them raises `Interrupted` once the answer is yes."""
        return _WatchedStream(self._shard.open(schema), self._stop)


class _WatchedStream(Stream):
    def __init__(self, inner: Stream, stop: Callable[[], bool]) -> None:
        super().__init__(inner.name)
        self.rereadable, self._inner, self._stop = inner.rereadable, inner, stop
        self.categorical: frozenset[str] = getattr(inner, "categorical", frozenset())

    def batches(self, skip: int = 0) -> Iterator[Batch]:
        batches = self._inner.batches(skip)
        try:
            while True:
                if self._stop():
                    raise Interrupted("interrupted")
                batch = next(batches, None)
                self.skipped, self.first_errors = self._inner.skipped, self._inner.first_errors
                if batch is None:
                    return
                yield batch
        finally:
            close = getattr(batches, "close", None)
            if close is not None:
                close()

    def schema(self) -> dict[str, Any]:
        return self._inner.schema()

    def feature_names(self) -> list[str] | None:
        return self._inner.feature_names()

    def _line_of(self, row: int) -> int | None:
        return self._inner._line_of(row)
