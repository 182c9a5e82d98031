"""Columns of a table that are picked by name, each as words or as numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import DataError, ParameterError
from .arrow import ArrowStream
from .csv import CsvStream
from .forecasts import FORMATS as FORECASTS
from .source import Source, suffixes
from .table import TableStream
from .table_chunk import Array, Chunk

FORMATS = {name: known for name, known in FORECASTS.items() if name != "npz"}


@dataclass(frozen=True, slots=True)
class Part:
    """Consecutive rows; checks add their faults to `chunk`, and `refuse` raises the first."""

    chunk: Chunk
    words: dict[str, tuple[Array, list[str]]]
    numbers: dict[str, Array]

    def refuse(self) -> None:
        """Raise what is wrong with the first row that cannot be used, if there is one."""
        bad = self.chunk.faults.rows()
        if len(bad):
            column, found, advice = self.chunk.faults.first(bad[0])
            raise self.chunk.error(int(bad[0]), column, found, advice.partition("; pass --categorical")[0])


def read_picked(
    path: Source, words: Sequence[str] | None, numbers: Sequence[str], format: str | None = None
) -> Iterator[Part]:
    """The picked columns of a table, part by part; no cell of them may be empty.

    Parameters
    ----------
    path : path or "-"
        The table; text may be compressed (.gz, .xz, .zst, .bz2).
    words, numbers : sequence of str
        Columns by name. True and False are numbers too, 1 and 0. Of words, None stands for all columns.
    format : str, optional
        One of `FORMATS`; by default by the suffix, and csv if that says nothing.

    Raises
    ------
    DataError
        If a column is lacking, or the file cannot be read. What is wrong with cells waits for `Part.refuse`.
    """
    last = suffixes(path)[-1:]
    chosen = format or next((name for name, known in FORMATS.items() if last and last[0] in known), "csv")
    if chosen not in FORMATS:
        raise ParameterError("format", repr(chosen), f"such a table is {', '.join(FORMATS)}", ": ")
    table: _Picked
    if chosen in ("csv", "tsv"):
        table = _PickedText(path, delimiter="\t" if chosen == "tsv" else ",")
    else:
        table = _PickedArrow(path, kind="Parquet" if chosen == "parquet" else "Arrow")
    table.words, table.numbers = None if words is None else tuple(words), tuple(numbers)
    empty = True
    for chunk in table.chunks():
        empty = False
        yield Part(
            chunk,
            {name: _codes(chunk, name) for name in (chunk.table.column_names if words is None else words)},
            {name: _numbers(chunk, name) for name in numbers},
        )
    if empty:
        raise DataError(table.name, None, None, "no rows", "give a file with at least one row")


class _Picked(TableStream):
    """A table of which only some columns are read, whose kinds are known beforehand."""

    words: tuple[str, ...] | None
    numbers: tuple[str, ...]

    def chunks(self) -> Iterator[Chunk]:
        """The table, part by part."""
        self._kinds: dict[str, str] = {}
        return (chunk for chunk in self._chunks() if chunk.table.num_rows or len(chunk.faults.rows()))

    def _choose(self, names: list[str]) -> list[str]:
        self._refuse_names(names)
        if self.words is None:
            return names
        wanted = [*self.words, *self.numbers]
        self._refuse_missing(wanted, names)
        return wanted

    def _kind(self, name: str) -> str:
        return "text" if self._is_word(name) else self._kinds.get(name, "empty")

    def _is_word(self, name: str) -> bool:
        return self.words is None or name in self.words

    def _settle(self, kinds: dict[str, str]) -> None:
        self._kinds |= kinds


class _PickedText(_Picked, CsvStream):
    """Delimited text."""

    def _kind_of(self, name: str, column: Any) -> str:
        from pyarrow import types

        # What is no number is not taken for a category: reading it as one says in which line it stands.
        if types.is_null(column.type) or types.is_boolean(column.type):
            return super()._kind_of(name, column)
        return "number"


class _PickedArrow(_Picked, ArrowStream):
    """Parquet and Arrow."""

    def _kind_of(self, name: str, found: Any) -> str:
        kind = "text" if self._is_word(name) else super()._kind_of(name, found)
        if kind == "text" and not self._is_word(name):
            raise self._error(f"column {name!r} is of type {found}", "numbers are expected")
        return kind


def _numbers(chunk: Chunk, name: str) -> Array:
    column = chunk.table[name].cast("double")
    _refuse_missing(chunk, name, column)
    values: Array = np.asarray(column.to_numpy(), dtype=np.float64)  # what is missing becomes nan
    return values


def _codes(chunk: Chunk, name: str) -> tuple[Array, list[str]]:
    """Which of the listed words each row holds (-1 for none), and the words."""
    column = chunk.table[name]
    _refuse_missing(chunk, name, column)
    if column.null_count == len(column):
        return np.full(len(column), -1, np.int32), []
    array = column.unify_dictionaries().combine_chunks()
    return array.indices.fill_null(-1).to_numpy(), array.dictionary.to_pylist()


def _refuse_missing(chunk: Chunk, name: str, column: Any) -> None:
    if column.null_count:
        missing = np.flatnonzero(column.is_null().to_numpy())
        chunk.fault(missing, name, lambda _: f"column {name!r} has no value", "every row needs one")
