"""Rounds from a data frame in memory, whose columns may be text or categories."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np

from ..errors import DataError, RegretlessError
from .arrow import ENTRIES, ArrowStream
from .batch import Batch
from .normalized import KEY, normalized
from .source import Input
from .table_chunk import Chunk


class _Memory(Input):
    name = "X"
    rereadable = True

    def open(self) -> BinaryIO:
        raise NotImplementedError


class FrameStream(ArrowStream):
    """A stream over a frame of pandas, or whatever offers ``__arrow_c_stream__``; all columns are features.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame, pyarrow.Table or the like
    schema : dict, optional
        The schema of an earlier stream, whose features this one continues.
    frozen : bool
        Whether values that the schema does not know contribute nothing.
    """

    def __init__(self, frame: Any, schema: dict[str, Any] | None = None, *, frozen: bool = False) -> None:
        super().__init__(_Memory(), kind="Arrow", schema=schema, frozen=frozen)
        self._table = _table_of(frame)

    def _find_target(self, names: list[str]) -> str | None:
        return None

    def _chunks(self) -> Iterator[Chunk]:
        wanted = self._decide(self._table.schema)
        first, rows = 0, max(ENTRIES // len(wanted), 1)
        for batch in self._table.select(wanted).to_batches(max_chunksize=rows):
            yield self._chunk(self.name, batch, wanted, first)
            first += batch.num_rows


def encoded(frame: Any, schema: dict[str, Any] | None, *, frozen: bool) -> tuple[Batch, FrameStream]:
    """All rows of a frame as the command line reads a table, and the stream that knows the features now.

    Raises
    ------
    RegretlessError
        If a column cannot be used.
    """
    stream = FrameStream(frame, schema, frozen=frozen)
    try:
        batch = _joined(list(stream.batches()))
    except DataError as error:
        raise RegretlessError(f"X: {error.found}; {_without_options(error.advice)}") from error
    return (normalized(batch) if (schema or {}).get(KEY) else batch), stream


def _without_options(advice: str) -> str:
    """Advice without what can be said on the command line alone."""
    advice = advice.partition("; to pass over such rows")[0].partition("; pass --")[0]
    if "--missing" in advice:
        return "fill or drop its missing values"
    return "convert it or leave it out" if "--" in advice else advice


def _table_of(frame: Any) -> Any:
    import pyarrow as pa

    pandas = sys.modules.get("pandas")
    try:
        if pandas is not None and isinstance(frame, pandas.DataFrame):
            return pa.Table.from_pandas(frame, preserve_index=False)
        return pa.RecordBatchReader.from_stream(frame).read_all()
    except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError) as error:
        raise RegretlessError(f"X cannot be read as a table ({error}); give each column values of one type") from error


def _joined(batches: list[Batch]) -> Batch:
    last = batches[-1]
    if len(batches) == 1:
        return last
    values = np.concatenate([batch.values for batch in batches])
    if last.starts is None:
        return Batch(values, None, last.columns)
    indices = np.concatenate([np.asarray(batch.indices) for batch in batches])
    lengths = np.concatenate([np.diff(np.asarray(batch.starts)) for batch in batches])
    return Batch(values, None, last.columns, indices, np.concatenate([[0], np.cumsum(lengths)]))
