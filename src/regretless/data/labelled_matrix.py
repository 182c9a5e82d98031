"""Matrices in tables of text: rows of cells, and names of rows and columns where there are any."""

from __future__ import annotations

import csv
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from io import BufferedReader
from typing import Any, cast

from ..errors import DataError
from .csv_blocks import BOM, Block
from .formats import Names
from .messages import shown
from .source import Source, name_of, open_bytes, stored_size
from .table_chunk import Array
from .whole_text import decoded, lines_of

COMMENT = b"#"
SEPARATORS = ("\t", ";", "|", ",", " ")
COUNTING = 3  # so many numbers from 1, or from 0, are taken for names rather than for values


@dataclass(slots=True)
class Record:
    """A row of cells, and where it stands in the file."""

    cells: list[str]
    line: int
    raw: bytes


class Records:
    """The rows of a table of text, without blank lines and comments, which begin with #.

    Parameters
    ----------
    path : path or "-"
        It may be compressed (.gz, .xz, .zst, .bz2).
    delimiter : str
        What stands between cells.
    expected : str
        What to do about what is no table.

    Attributes
    ----------
    name : str
        The file, as messages call it.
    line, comments : int
        How many lines were read, and how many of them were comments.
    """

    def __init__(
        self,
        path: Source,
        delimiter: str,
        expected: str = "cells in rows are expected, quotes closed, every row on a line of its own",
    ) -> None:
        self.name, self.delimiter = name_of(path), delimiter
        self.line = self.comments = 0
        self._path, self._expected = path, expected
        self._next: bytes | None = None
        self._taken: list[bytes] = []
        self._cells = csv.reader(self._text(), delimiter=delimiter, strict=True)

    def lines(self) -> Iterator[bytes]:
        """The lines in which rows begin."""
        with open_bytes(self._path) as opened:
            self._file = lines_of(BufferedReader(cast(Any, opened), 1 << 18), self.name)
            for raw in self._file:
                self.line += 1
                begins = raw.removeprefix(BOM) if self.line == 1 else raw
                if stripped := begins.lstrip():
                    if stripped.startswith(COMMENT):
                        self.comments += 1
                    else:
                        yield begins

    def parsed(self, raw: bytes) -> Record:
        """The row that the last line begins, which a quote may lead over several."""
        begun = self.line
        self._next = raw
        self._taken.clear()
        try:
            cells = next(self._cells)
        except csv.Error as error:
            fault = f"this is no table ({str(error).partition(' - ')[0]})"
            raise DataError(self.name, begun, None, fault, self._expected) from error
        return Record(cells, begun, b"".join(self._taken))

    def _text(self) -> Iterator[str]:
        """The line that is to be parsed, and those after it as long as a quote is open."""
        while True:
            raw, self._next = self._next, None
            if raw is None:
                if (raw := next(self._file, None)) is None:
                    return
                self.line += 1
            self._taken.append(raw)
            if raw.lstrip().startswith(COMMENT):
                self.comments += 1
                yield "\n"
            else:
                yield decoded(raw, self.name, self.line)

    def filled(self, lines: Iterable[bytes]) -> Iterator[Record]:
        """The rows that have anything in them."""
        for raw in lines:
            record = self.parsed(raw)
            if any(map(str.strip, record.cells)):
                yield record

    def error(self, record: Record, place: int, fault: str, advice: str) -> DataError:
        """The error that a cell is."""
        block = Block(record.raw, record.line, self.delimiter.encode())
        line, column = block.position((0, len(record.raw)), place)
        return DataError(self.name, line, column, fault, advice)


@dataclass(frozen=True)
class LabelledMatrix:
    """What a table holds.

    Attributes
    ----------
    values : ndarray, shape (rows, columns)
    rows, columns : list of str or None
        Their names, where the table has some.
    notes : list of str
        What a user should know of them.
    """

    values: Array
    rows: list[str] | None
    columns: list[str] | None
    notes: list[str] = field(default_factory=list)


class MatrixReader(ABC):
    """Reads one matrix.

    Parameters
    ----------
    path : path or "-"
    delimiter : str
    names : {"both", "rows", "columns", "none"} or None
        What the table has names of; by default it is seen from its cells.

    Attributes
    ----------
    what, cells, body : str
        What messages call its values, its cells, and all that stands below the names of columns.
    below, alone, beside : str
        What is expected below names of columns; what is said of a name of a row alone, and expected beside it.
    """

    what = cells = body = below = alone = beside = ""

    def __init__(self, path: Source, delimiter: str, names: Names | None) -> None:
        self._records = Records(path, delimiter)
        self._name, self._names = self._records.name, names
        self._size = stored_size(path)
        self._notes: list[str] = []

    def read(self) -> LabelledMatrix:
        """The whole table.

        Raises
        ------
        DataError
            If a cell holds no value, or rows are of different lengths.
        """
        lines = self._records.lines()
        filled = self._records.filled(lines)
        first, second = next(filled, None), next(filled, None)
        if first is None:
            fault = "no row has anything in it" if self._records.line else "the file is empty"
            raise DataError(self._name, None, None, fault, f"rows of {self.what} are expected")
        self._refuse_foreign(first, second)
        header, self._named = self._layout(first, second)
        columns = self._header(first, second) if header else None
        body = [record for record in (None if header else first, second) if record is not None]
        if not body:
            raise DataError(self._name, first.line, None, f"names alone, and no {self.body}", self.below)
        self._width, self._begun = len(body[0].cells) - self._named, body[0].line
        self._take_all(body, lines)
        if columns is not None and len(columns) != self._width:
            fault = f"{len(columns)} names of columns above rows of {self._width} {self.cells}"
            raise DataError(self._name, None, None, fault, "as many are expected")
        if comments := self._records.comments:
            said = "1 line, which begins" if comments == 1 else f"{comments:,} lines, which begin"
            self._notes.append(f"{self._name}: passed over as comments: {said} with #")
        return self._matrix(columns)

    @abstractmethod
    def _refuse_foreign(self, first: Record, second: Record | None) -> None:
        """Refuse a row of a single cell that holds what should be several."""

    def _refuse_separator(self, record: Record, fault: str) -> None:
        advice = f"{self._records.delimiter!r} is to separate cells, not {fault!r} (for tabs pass --format tsv)"
        raise DataError(self._name, record.line, None, f"one cell only, {shown(record.cells[0].strip())}", advice)

    # Which cells are names.

    def _layout(self, first: Record, second: Record | None) -> tuple[bool, bool]:
        """Whether the first row, and whether the first column, holds names."""
        if self._names is not None:
            return self._names in ("both", "columns"), self._names in ("both", "rows")
        return self._seen(first, second)

    @abstractmethod
    def _seen(self, first: Record, second: Record | None) -> tuple[bool, bool]:
        """The same, as it is seen from the cells."""

    def _header(self, first: Record, second: Record | None) -> list[str]:
        skipped = int(self._named and not without_corner(first, second))
        names = [cell.strip() for cell in first.cells[skipped:]]
        known: set[str] = set()
        for place, name in enumerate(names):
            self._refuse_name(first, place + skipped, name, again=name in known)
            known.add(name)
        return names

    def _refuse_name(self, record: Record, place: int, name: str, *, again: bool) -> None:
        if not name:
            raise self._records.error(record, place, "an empty cell", "a name is expected")
        if again:
            fault = f"the name {shown(name)} stands here again"
            raise self._records.error(record, place, fault, "every name stands once")

    # Values.

    @abstractmethod
    def _take_all(self, body: list[Record], lines: Iterator[bytes]) -> None:
        """Take the rows: those that were read already, and those that these lines begin."""

    def _refuse_width(self, record: Record) -> None:
        """Refuse a row that is longer or shorter than the first one, or a name alone."""
        count = len(record.cells)
        if count - self._named != self._width:
            result, expected = f"a row of {count} cells", f"{self._width + self._named} are expected"
            raise DataError(self._name, record.line, None, result, f"{expected}, as in line {self._begun}")
        if self._width < 1:
            raise DataError(self._name, record.line, None, self.alone, self.beside)

    @abstractmethod
    def _matrix(self, columns: list[str] | None) -> LabelledMatrix:
        """What was taken; notes what a user may have meant otherwise."""


def without_corner(first: Record, second: Record | None) -> bool:
    """Whether the names of columns stand in a row without a corner, as R writes tables."""
    return second is not None and len(second.cells) == len(first.cells) + 1


def counting(names: Sequence[str]) -> bool:
    """Whether they are the numbers from 0, or from 1."""
    return any(list(names) == [str(place + begin) for place in range(len(names))] for begin in (0, 1))
