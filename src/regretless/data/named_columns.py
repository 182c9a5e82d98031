"""Tables of named columns: which of them are read, and as what, is for a `Selection` to say."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import DataError
from .arrow import ArrowStream
from .batch import Array
from .columns import Codes
from .csv import CsvStream
from .formats import COLUMNS, delimiter_of
from .source import Source, name_of
from .table import TableStream
from .table_chunk import Chunk, Columns

Usual = Callable[[str, Any], str]


class Selection(ABC):
    """Which columns of a table are read, and what they hold: number, boolean, text, or empty while that is open."""

    @abstractmethod
    def choose(self, names: list[str]) -> list[str]:
        """The columns to read of those that a file has."""

    @abstractmethod
    def kind(self, name: str) -> str:
        """What a column holds, as far as it is known."""

    @abstractmethod
    def settle(self, kinds: dict[str, str]) -> None:
        """Take note of the kinds of columns that had none."""

    def apart(self) -> Collection[str]:
        """Columns of numbers that are wanted by themselves, and not beside the others."""
        return ()

    @abstractmethod
    def kind_of_text(self, name: str, column: Any, usual: Usual) -> str:
        """What a column of delimited text holds, by its first cells; `usual` says it of columns of features."""

    @abstractmethod
    def kind_of_type(self, name: str, type: Any, usual: Usual) -> str:
        """What a column of Parquet or Arrow holds, by its type."""


class NamedColumns(TableStream):
    """A table whose columns are chosen by a `Selection`."""

    selection: Selection

    def chunks(self) -> Iterator[Chunk]:
        """The table, part by part."""
        return self._chunks()

    def _choose(self, names: list[str]) -> list[str]:
        self._refuse_names(names)
        chosen = self.selection.choose(names)
        self._refuse_missing(chosen, names)
        return chosen

    def _kind(self, name: str) -> str:
        return self.selection.kind(name)

    def _settle(self, kinds: dict[str, str]) -> None:
        self.selection.settle(kinds)

    def _apart(self) -> Collection[str]:
        return self.selection.apart()


class _Text(NamedColumns, CsvStream):
    """Delimited text."""

    def _with_names(self, cells: list[str], rows: list[list[str]]) -> list[str]:
        return cells

    def _kind_of(self, name: str, column: Any) -> str:
        return self.selection.kind_of_text(name, column, super()._kind_of)


class _Arrow(NamedColumns, ArrowStream):
    """Parquet and Arrow."""

    _leaves_out_dates = False  # the selection says what is done with them

    def _kind_of(self, name: str, value: Any) -> str:
        return self.selection.kind_of_type(name, value, super()._kind_of)


def open_columns(path: Source, format: str, selection: Selection, header: bool | None = True) -> NamedColumns:
    """A table of one of the formats `COLUMNS`; of text `header` says whether the first line names the columns, and None
    that it is as it looks."""
    table: NamedColumns
    if format in ("csv", "tsv"):
        table = _Text(path, delimiter=delimiter_of(format), header=header)
    else:
        table = _Arrow(path, kind="Parquet" if format == "parquet" else "Arrow")
    table.selection = selection
    return table


# Words and numbers.


@dataclass(frozen=True, slots=True)
class PickedRows:
    """Consecutive rows; checks add their faults to `chunk`, and `refuse` raises the first.

    Attributes
    ----------
    chunk : Chunk
    words : dict of str to (ndarray of int32, list of str)
        For each column of words, which of the listed ones each row holds (-1 for none), and the list.
    numbers : dict of str to ndarray of float64, shape (rows,)
    """

    chunk: Chunk
    words: dict[str, Codes]
    numbers: dict[str, Array]

    def refuse(self) -> None:
        """Raise what is wrong with the first row that cannot be used, if there is one."""
        bad = self.chunk.faults.rows()
        if len(bad):
            column, fault, advice = self.chunk.faults.first(bad[0])
            raise self.chunk.error(int(bad[0]), column, fault, advice.partition("; pass --categorical")[0])


def read_picked(
    path: Source, words: Sequence[str] | None, numbers: Sequence[str], format: str | None = None
) -> Iterator[PickedRows]:
    """The picked columns of a table, part by part; no cell of them may be empty.

    Parameters
    ----------
    path : path or "-"
        The table; text may be compressed (.gz, .xz, .zst, .bz2).
    words, numbers : sequence of str
        Columns by name. True and False are numbers too, 1 and 0. Of words, None stands for all columns.
    format : str, optional
        One of `formats.COLUMNS`; by default by the suffix, and csv if that says nothing.

    Raises
    ------
    DataError
        If a column is lacking, or the file cannot be read. What is wrong with cells waits for `PickedRows.refuse`.
    """
    table = open_columns(path, COLUMNS.choose(path, format), _Picked(name_of(path), words, numbers))
    empty = True
    for chunk in table.chunks():
        if not (chunk.columns.rows or len(chunk.faults.rows())):
            continue
        empty = False
        yield PickedRows(
            chunk,
            {name: _filled(chunk, name).codes(name) for name in (chunk.columns.names if words is None else words)},
            {name: _filled(chunk, name).floats(name) for name in numbers},
        )
    if empty:
        raise DataError(table.name, None, None, "no rows", "give a file with at least one row")


class _Picked(Selection):
    """Columns whose kinds are known beforehand."""

    def __init__(self, name: str, words: Sequence[str] | None, numbers: Sequence[str]) -> None:
        self._name, self._words, self._numbers = name, words, numbers
        self._kinds: dict[str, str] = {}

    def choose(self, names: list[str]) -> list[str]:
        return names if self._words is None else [*self._words, *self._numbers]

    def kind(self, name: str) -> str:
        return "text" if self._is_word(name) else self._kinds.get(name, "empty")

    def settle(self, kinds: dict[str, str]) -> None:
        self._kinds |= kinds

    def apart(self) -> Collection[str]:
        return self._numbers

    def kind_of_text(self, name: str, column: Any, usual: Usual) -> str:
        from pyarrow import types

        # What is no number is not taken for a category: reading it as one says in which line it stands.
        if types.is_null(column.type) or types.is_boolean(column.type):
            return usual(name, column)
        return "number"

    def kind_of_type(self, name: str, type: Any, usual: Usual) -> str:
        kind = "text" if self._is_word(name) else usual(name, type)
        if kind == "text" and not self._is_word(name):
            raise DataError(self._name, None, None, f"column {name!r} is of type {type}", "numbers are expected")
        return kind

    def _is_word(self, name: str) -> bool:
        return self._words is None or name in self._words


def _filled(chunk: Chunk, name: str) -> Columns:
    """The columns of a chunk, once the empty cells of one are faults."""
    if len(missing := chunk.columns.missing(name)):
        chunk.fault(missing, name, f"column {name!r} has no value", "every row needs one")
    return chunk.columns
