"""Rows divided by their length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .batch import Array, Batch
from .stream import Stream

KEY = "normalize"  # of the schema


class NormalizedStream(Stream):
    """The rows of another stream, each divided by its Euclidean length; a row of zeros stays one.

    Parameters
    ----------
    inner : Stream
    """

    def __init__(self, inner: Stream) -> None:
        super().__init__(inner.name)
        self.rereadable, self._inner, self.notes = inner.rereadable, inner, inner.notes
        self.categorical = getattr(inner, "categorical", frozenset[str]())

    def batches(self, skip: int = 0) -> Iterator[Batch]:
        try:
            for batch in self._inner.batches(skip):
                self._count()
                yield normalized(batch)
        finally:
            self._count()

    def schema(self) -> dict[str, Any]:
        return {**self._inner.schema(), KEY: True}

    def feature_names(self) -> list[str] | None:
        return self._inner.feature_names()

    def _line_of(self, row: int) -> int | None:
        return self._inner._line_of(row)

    def _count(self) -> None:
        self.skipped, self.first_errors = self._inner.skipped, self._inner.first_errors


def normalized(batch: Batch) -> Batch:
    """The batch with every row divided by its length, which is found without overflow."""
    values: Array = batch.values
    if not values.size:
        return batch
    if batch.starts is None:
        largest = np.abs(values).max(axis=1, keepdims=True).astype(np.float64)
        scaled = values / np.where(largest > 0, largest, 1)
        lengths = np.sqrt(np.square(scaled).sum(axis=1, keepdims=True))
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
