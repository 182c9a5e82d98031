"""Payoffs in a table of text: a number in every cell, and names of rows and columns where there are any."""

from __future__ import annotations

import csv
import re
from array import array
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from io import BufferedReader
from math import isfinite
from typing import Any, Literal, cast

import numpy as np

from ..errors import DataError
from ..memory import refuse_large
from .csv_blocks import Block
from .csv_cells import shown
from .exact_numbers import exact_number, looks_like_number
from .source import Source, name_of, open_bytes, stored_size
from .table_chunk import Array
from .whole_text import decoded, lines_of

Names = Literal["both", "rows", "columns", "none"]
NAMES: tuple[Names, ...] = ("both", "rows", "columns", "none")
MIXED = "names stand in the first row, or in the first column, for all or for none (--names says where)"
COMMENT = b"#"
# What looks like a number to people, and is none here, or stands where names do: 1,000 and 0x10, 5 % and 2019.
NUMERIC = re.compile(
    r"[-+]?\s*[$€£]?\s*(?:0x[0-9a-f]+|[0-9.,'_ ]*[0-9][0-9.,'_ ]*(?:e[-+]?[0-9]+)?\s*%?)", re.IGNORECASE
)
OBJECT = 64  # bytes of a number that is kept exactly
COUNTING = 3  # so many numbers from 1, or from 0, are taken for a header rather than for payoffs


@dataclass(frozen=True)
class PayoffTable:
    """What a table holds.

    Attributes
    ----------
    values : ndarray, shape (rows, columns)
        float64; of objects, whole numbers and fractions, where they were to be kept exactly.
    rows, columns : list of str or None
        Their names, where the table has some.
    notes : list of str
        What a user should know of them.
    """

    values: Array
    rows: list[str] | None
    columns: list[str] | None
    notes: list[str] = field(default_factory=list)


def read_table(
    path: Source, *, delimiter: str = ",", exact: bool = False, names: Names | None = None, what: str = "payoffs"
) -> PayoffTable:
    """Read a table of payoffs, or of other numbers.

    Parameters
    ----------
    path : path or "-"
        It may be compressed (.gz, .xz, .zst, .bz2).
    delimiter : str
        What stands between cells.
    exact : bool
        Keep whole numbers, decimals and fractions as they are written, rather than as floats.
    names : {"both", "rows", "columns", "none"}, optional
        What the table has names of; by default it is seen from its cells.
    what : str
        What messages call the numbers.

    Raises
    ------
    DataError
        If a cell holds no number, or rows are of different lengths.
    """
    return _Reader(name_of(path), delimiter, exact, names, what).read(path)


@dataclass(slots=True)
class _Record:
    """A row of cells, and where it stands in the file."""

    cells: list[str]
    line: int
    raw: bytes


class _Reader:
    """Reads one table."""

    def __init__(self, name: str, delimiter: str, exact: bool, names: Names | None, what: str) -> None:
        self._name, self._delimiter, self._exact, self._names, self._what = name, delimiter, exact, names, what
        self._rows: list[str] = []
        self._notes: list[str] = []
        self._lines = self._comments = 0
        self._values: Any = [] if exact else array("d")

    def read(self, path: Source) -> PayoffTable:
        """The whole table."""
        with open_bytes(path) as file:
            records = self._records(BufferedReader(cast(Any, file), 1 << 18))
            first, second = next(records, None), next(records, None)
            if first is None:
                found = "no row has anything in it" if self._lines else "the file is empty"
                raise DataError(self._name, None, None, found, f"rows of {self._what} are expected")
            self._refuse_foreign(first)
            header, named = self._layout(first, second)
            columns = self._header(first, header, named, second)
            body = ([] if header else [first]) + ([] if second is None else [second])
            if not body:
                found = f"names alone, and no {self._what}"
                raise DataError(self._name, first.line, None, found, "a row of numbers is expected below them")
            width = len(body[0].cells) - named
            begun = body[0].line
            stored = stored_size(path)
            for record in _chained(body, records):
                self._take(record, named, width, begun)
                size = (OBJECT if self._exact else 8) * len(self._values)
                refuse_large(self._name, size, f"a table of {self._what}", line=record.line, file_size=stored)
        return self._table(columns, width, named)

    def _records(self, file: BufferedReader) -> Iterator[_Record]:
        """The rows that are neither blank nor comments."""
        consumed: list[bytes] = []
        line = 0

        def lines() -> Iterator[str]:
            for raw in lines_of(file, self._name):
                consumed.append(raw)
                self._lines += 1
                if raw.lstrip().startswith(COMMENT):
                    self._comments += 1
                    yield "\n"
                else:
                    yield decoded(raw, self._name, line + len(consumed))

        try:
            for cells in csv.reader(lines(), delimiter=self._delimiter, strict=True):
                if any(cell.strip() for cell in cells):
                    yield _Record(cells, line + 1, b"".join(consumed))
                line += len(consumed)
                consumed.clear()
        except csv.Error as error:
            advice = "cells in rows are expected, quotes closed, every row on a line of its own"
            found = f"this is no table ({str(error).partition(' - ')[0]})"
            raise DataError(self._name, line + 1, None, found, advice) from error

    def _refuse_foreign(self, first: _Record) -> None:
        """A single cell with other separators in it is a table of another kind."""
        text = first.cells[0].strip()
        if len(first.cells) > 1 or looks_like_number(text):
            return
        other = next((sign for sign in ("\t", ";", "|", ",", " ") if sign in text), None)
        if other is not None and all(map(looks_like_number, text.split(other))):
            advice = f"{self._delimiter!r} is to separate cells, not {other!r} (for tabs pass --format tsv)"
            raise DataError(self._name, first.line, None, f"one cell only, {shown(text)}", advice)

    # Which cells are names.

    def _layout(self, first: _Record, second: _Record | None) -> tuple[bool, bool]:
        """Whether the first row, and whether the first column, holds names."""
        if self._names is not None:
            return self._names in ("both", "columns"), self._names in ("both", "rows")
        corner, top = looks_like_number(first.cells[0]), [looks_like_number(cell) for cell in first.cells[1:]]
        below = None if second is None else looks_like_number(second.cells[0])
        if second is not None and len(second.cells) == len(first.cells) + 1 and not (corner or any(top)):
            return True, True  # without a corner, as R writes tables
        if top and not any(top):
            if corner and below is not None:
                raise self._error(first, 0, f"the number {shown(first.cells[0])} stands among names", MIXED)
            return not corner, below is False or not first.cells[0].strip()
        if not top:
            return not corner, False
        if not all(top):
            place = top.index(False) + 1
            raise self._error(first, place, f"{_found(first.cells[place])} among numbers", MIXED)
        return (False, False) if corner else self._labelled(first, below)

    def _labelled(self, first: _Record, below: bool | None) -> tuple[bool, bool]:
        """The layout of a table whose first row is no number and then numbers alone."""
        if not first.cells[0].strip():
            self._notes.append(f"{self._name}: its first cell is empty, so that row 1 and column 1 are taken for names")
            return True, True
        if below is True:
            raise self._error(first, 0, f"{_found(first.cells[0])} among numbers", f"a number is expected; {MIXED}")
        counted = [cell.strip() for cell in first.cells[1:]]
        header = below is False and len(counted) >= COUNTING and _counting(counted)
        if header:
            self._notes.append(f"{self._name}: row 1 counts the columns, and is taken for their names")
        return header, True

    def _header(self, first: _Record, header: bool, named: bool, second: _Record | None) -> list[str] | None:
        if not header:
            return None
        shorter = second is not None and len(second.cells) == len(first.cells) + 1
        skipped = int(named and not shorter)
        names = [cell.strip() for cell in first.cells[skipped:]]
        known: set[str] = set()
        for place, name in enumerate(names):
            self._refuse_name(first, place + skipped, name, known)
            known.add(name)
        return names

    def _refuse_name(self, record: _Record, place: int, name: str, others: Collection[str]) -> None:
        if not name:
            raise self._error(record, place, "an empty cell", "a name is expected")
        if name in others:
            raise self._error(record, place, f"the name {shown(name)} stands here again", "every name stands once")

    # Numbers.

    def _take(self, record: _Record, named: bool, width: int, begun: int) -> None:
        cells = record.cells
        if len(cells) - named != width:
            found, expected = f"a row of {len(cells)} cells", f"{width + named} are expected, as in line {begun}"
            raise DataError(self._name, record.line, None, found, expected)
        if width < 1:
            found = f"a name without {self._what}"
            raise DataError(self._name, record.line, None, found, "numbers are expected beside it")
        if named:
            self._rows.append(cells[0].strip())
            self._refuse_name(record, 0, self._rows[-1], ())
            cells = cells[1:]
        if self._exact or not self._quickly(cells):
            self._values.extend(self._slowly(record, cells, int(named)))

    def _quickly(self, cells: list[str]) -> bool:
        """Take plain decimals, as nearly all cells are; whatever may be something else is looked at one by one."""
        joined = "".join(cells)
        if "_" in joined or not joined.isascii():  # Python has more kinds of numbers than tables have
            return False
        try:
            numbers = array("d", map(float, cells))
        except ValueError:
            return False
        if not isfinite(sum(numbers)):
            return False
        self._values.extend(numbers)
        return True

    def _slowly(self, record: _Record, cells: list[str], skipped: int) -> list[Any]:
        found: list[Any] = []
        for place, cell in enumerate(cells):
            try:
                number = exact_number(cell)
            except ValueError as error:
                what, _, advice = str(error).partition("; ")
                if not cell.strip():
                    what, advice = "an empty cell", "a number is expected in every cell"
                raise self._error(record, place + skipped, what, advice) from None
            found.append(number if self._exact else float(number))
        return found

    def _table(self, columns: list[str] | None, width: int, named: bool) -> PayoffTable:
        if columns is not None and len(columns) != width:
            found = f"{len(columns)} names of columns above rows of {width} numbers"
            raise DataError(self._name, None, None, found, "as many are expected")
        if len(set(self._rows)) < len(self._rows):
            twice = next(name for name, count in _counts(self._rows).items() if count > 1)
            raise DataError(self._name, None, None, f"two rows are called {shown(twice)}", "every name stands once")
        self._tell(columns)
        values = np.array(self._values, dtype=object) if self._exact else np.frombuffer(self._values, np.float64)
        return PayoffTable(values.reshape(-1, width), self._rows if named else None, columns, self._notes)

    def _tell(self, columns: list[str] | None) -> None:
        """Note what a user may have meant otherwise."""
        if self._comments:
            lines = "1 line, which begins" if self._comments == 1 else f"{self._comments:,} lines, which begin"
            self._notes.append(f"{self._name}: passed over as comments: {lines} with #")
        if self._names is not None or any("taken for" in note for note in self._notes):
            return
        for what, names in (("row 1", columns or []), ("column 1", self._rows)):
            odd = next((name for name in names if NUMERIC.fullmatch(name)), None)
            if odd is not None and not _counting(names):
                told = f"{what} is taken for names, though {shown(odd)} looks like a number"
                self._notes.append(f"{self._name}: {told} (--names says where names stand)")

    def _error(self, record: _Record, place: int, found: str, advice: str) -> DataError:
        block = Block(record.raw, record.line, self._delimiter.encode())
        line, column = block.position((0, len(record.raw)), place)
        return DataError(self._name, line, column, found, advice)


def _chained(first: list[_Record], others: Iterator[_Record]) -> Iterator[_Record]:
    yield from first
    yield from others


def _counting(names: Sequence[str]) -> bool:
    """Whether they are the numbers from 0, or from 1."""
    return any(list(names) == [str(place + begin) for place in range(len(names))] for begin in (0, 1))


def _counts(names: Sequence[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for name in names:
        found[name] = found.get(name, 0) + 1
    return found


def _found(cell: str) -> str:
    return f"{shown(cell)} stands" if cell.strip() else "an empty cell stands"
