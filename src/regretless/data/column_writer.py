"""Columns that are written while they come into being, and appear as a file when they are complete."""

from __future__ import annotations

import csv
import io
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, BinaryIO

import numpy as np

from ..atomic_write import Replacement, naming
from .batch import Array

PARQUET = (".parquet", ".pq")
GROUP = 1 << 18  # cells that are put together in a row group


class ColumnsOut:
    """A table that is written block by block: Parquet by its suffix, else comma-separated text.

    The file gets its name when `finish` is called, and not before; what had that name is replaced as a whole.

    Parameters
    ----------
    path : path-like
        What is no regular file (a pipe, a terminal) is written to as it is.
    names : callable
        Gives the columns' names, the one of the times first; asked when the first rows are written.
    """

    def __init__(self, path: str | os.PathLike[str], names: Callable[[], Sequence[str]]) -> None:
        self.path = os.fspath(path)
        self._names = names
        self._replacement: Replacement | None = None
        self._rows: _RowsOut | None = None
        self._spoilt = False

    def write(self, times: Sequence[Any], columns: Sequence[Array]) -> None:
        """Some rows: when they were, and a column of numbers for each of the other names; nan is a missing value.

        Raises
        ------
        OSError
            If they cannot be written; it names the file.
        """
        try:
            with naming(self.path):
                self._begun().write(times, columns)
        except BaseException:
            self._spoilt = True
            self.discard()
            raise

    def finish(self) -> None:
        """Complete the file; without rows it has none, but its header. One that could not be written is deleted.

        Raises
        ------
        OSError
            If it cannot be written; it names the file.
        """
        if self._spoilt:
            return
        with naming(self.path):
            self._begun().close()
            if self._replacement is not None:
                self._replacement.finish()
        self._rows = self._replacement = None

    def discard(self) -> None:
        """Delete what was written."""
        if self._rows is not None:
            self._rows.discard()
        if self._replacement is not None:
            self._replacement.discard()
        self._rows = self._replacement = None

    def _begun(self) -> _RowsOut:
        if self._rows is None:
            make = _ParquetRows if os.path.splitext(self.path)[1].lower() in PARQUET else _TextRows
            names = list(self._names())
            self._replacement = Replacement(self.path)
            self._rows = make(self._replacement.file, names)
        return self._rows


class _RowsOut(ABC):
    """What both formats share."""

    def __init__(self, file: BinaryIO, names: list[str]) -> None:
        self.file, self.names = file, names

    def table(self, times: Sequence[Any], columns: Sequence[Array]) -> Any:
        """The rows as pyarrow has them."""
        import pyarrow as pa

        numbers = [pa.array(column, pa.float64(), from_pandas=True) for column in columns]
        return pa.Table.from_arrays([pa.array([str(time) for time in times], pa.string()), *numbers], self.names)

    @abstractmethod
    def write(self, times: Sequence[Any], columns: Sequence[Array]) -> None:
        """Some rows."""

    @abstractmethod
    def close(self) -> None:
        """No more rows will come."""

    @abstractmethod
    def discard(self) -> None:
        """Delete what was written."""


class _TextRows(_RowsOut):
    def __init__(self, file: BinaryIO, names: list[str]) -> None:
        super().__init__(file, names)
        self._text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
        self._writer = csv.writer(self._text, lineterminator="\n")
        self._writer.writerow(names)

    def write(self, times: Sequence[Any], columns: Sequence[Array]) -> None:
        cells = [["" if value != value else value for value in column.tolist()] for column in columns]
        self._writer.writerows(zip(times, *cells, strict=True))

    def close(self) -> None:
        """Nothing waits to be written."""

    def discard(self) -> None:
        """Nothing waits to be written."""


class _ParquetRows(_RowsOut):
    """Blocks may be of a row or two; row groups should not."""

    def __init__(self, file: BinaryIO, names: list[str]) -> None:
        super().__init__(file, names)
        from pyarrow import parquet

        self._writer = parquet.ParquetWriter(file, self.table([], [np.empty(0)] * (len(names) - 1)).schema)
        self._waiting: list[Any] = []
        self._rows, self._size = 0, max(1, GROUP // len(names))

    def write(self, times: Sequence[Any], columns: Sequence[Array]) -> None:
        self._waiting.append(self.table(times, columns))
        self._rows += len(times)
        while self._rows >= self._size:  # of one size, however rows come: they come as time allows
            self._put(self._size)

    def close(self) -> None:
        if self._rows:
            self._put(self._rows)
        self._writer.close()

    def discard(self) -> None:
        """Keep the writer from ending a file that is closed by then."""
        self._writer.is_open = False

    def _put(self, rows: int) -> None:
        import pyarrow as pa

        table = pa.concat_tables(self._waiting).combine_chunks()
        self._writer.write_table(table.slice(0, rows))
        self._waiting, self._rows = [table.slice(rows)], self._rows - rows
