"""Classes of hypotheses in tables of text: 0 or 1 in every cell, and names of rows and columns where there are any."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from io import BufferedReader
from typing import Any, cast

import numpy as np

from ..errors import DataError
from ..memory import refuse_large
from .csv_blocks import Block
from .csv_cells import shown
from .exact_numbers import looks_like_number
from .game_tables import Names
from .source import Source, name_of, open_bytes, stored_size
from .table_chunk import Array
from .whole_text import decoded, lines_of

COMMENT = b"#"
WORDS = {"0": 0, "1": 1, "false": 0, "true": 1}
DECIMAL = re.compile(r"(?:\+?1|[-+]?0)(?:\.0*)?(?:[eE][-+]?0+)?", re.ASCII)
MINUS_ONE = re.compile(r"-1(?:\.0*)?(?:[eE][-+]?0+)?", re.ASCII)
ANSWERS = ("yes", "no", "y", "n", "t", "f", "on", "off", "+", "-")
CORNERS = ("", "hypothesis", "hypotheses", "name", "names", "id", "index")
COUNTING = 3  # so many numbers from 0, or from 1, are taken for names rather than for what a hypothesis says
WHERE = "--names says where names stand"
MIXED = "write 0 and 1 in all cells, or -1 and 1 in all cells"
SIGNS = "every entry is -1 or 1; -1 is taken for 0"


@dataclass(frozen=True)
class ClassTable:
    """What a table holds.

    Attributes
    ----------
    matrix : ndarray of bool, shape (rows, columns)
    rows, columns : list of str or None
        Their names, where the table has some.
    notes : list of str
        What a user should know of them.
    """

    matrix: Array
    rows: list[str] | None
    columns: list[str] | None
    notes: list[str] = field(default_factory=list)


def read_class_table(path: Source, *, delimiter: str = ",", names: Names | None = None) -> ClassTable:
    """Read a table of 0 and 1, or of -1 and 1 alone.

    Parameters
    ----------
    path : path or "-"
        It may be compressed (.gz, .xz, .zst, .bz2).
    delimiter : str
        What stands between cells.
    names : {"both", "rows", "columns", "none"}, optional
        What the table has names of; by default it is seen from its cells.

    Raises
    ------
    DataError
        If a cell is neither 0 nor 1, or rows are of different lengths.
    """
    return _Reader(name_of(path), delimiter, names).read(path)


@dataclass(slots=True)
class _Record:
    """A row of cells, and where it stands in the file."""

    cells: list[str]
    line: int
    raw: bytes


class _Reader:
    """Reads one table: rows of single digits at once, all others cell by cell."""

    def __init__(self, name: str, delimiter: str, names: Names | None) -> None:
        self._name, self._delimiter, self._names = name, delimiter, names
        self._line = self._comments = self._size = 0
        self._rows: dict[str, None] = {}
        self._notes: list[str] = []
        self._digits = bytearray()
        self._signs = False  # whether -1 stands for 0

    def read(self, path: Source) -> ClassTable:
        """The whole table."""
        self._size = stored_size(path)
        with open_bytes(path) as opened:
            lines = self._lines(BufferedReader(cast(Any, opened), 1 << 18))
            first, second = self._record(lines), self._record(lines)
            if first is None:
                found = "no row has anything in it" if self._line else "the file is empty"
                raise DataError(self._name, None, None, found, "rows of 0 and 1 are expected")
            for record in (first, second):
                self._refuse_foreign(record)
            header, named = self._layout(first, second)
            columns = self._header(first, named, second) if header else None
            body = [record for record in (None if header else first, second) if record is not None]
            if not body:
                advice = "a row of 0 and 1 is expected below them (no hypotheses have dimensions of -1 by convention)"
                raise DataError(self._name, first.line, None, "names alone, and no hypotheses", advice)
            width = len(body[0].cells) - named
            for record in body:
                self._take(record, named, width, body[0].line)
            self._take_all(lines, named, width, body[0].line)
        return self._table(columns, width, named)

    def _lines(self, file: BufferedReader) -> Iterator[bytes]:
        """The lines that are neither blank nor comments."""
        for raw in lines_of(file, self._name):
            self._line += 1
            if raw.lstrip().startswith(COMMENT):
                self._comments += 1
            elif raw.strip():
                yield raw

    def _record(self, lines: Iterator[bytes]) -> _Record | None:
        """The next row that has anything in it."""
        for raw in lines:
            record = self._parsed(raw, lines)
            if any(cell.strip() for cell in record.cells):
                return record
        return None

    def _parsed(self, raw: bytes, lines: Iterator[bytes]) -> _Record:
        """The row that a line begins, which a quote may lead over several."""
        begun, taken = self._line, [raw]

        def text() -> Iterator[str]:
            yield decoded(raw, self._name, begun)
            for further in lines:
                taken.append(further)
                yield decoded(further, self._name, self._line)

        try:
            cells = next(csv.reader(text(), delimiter=self._delimiter, strict=True))
        except csv.Error as error:
            advice = "cells in rows are expected, quotes closed, every row on a line of its own"
            found = f"this is no table ({str(error).partition(' - ')[0]})"
            raise DataError(self._name, begun, None, found, advice) from error
        return _Record(cells, begun, b"".join(taken))

    def _refuse_foreign(self, record: _Record | None) -> None:
        """A single cell that holds several labels is a row of another kind of table."""
        if record is None or len(record.cells) > 1 or _bit(record.cells[0]) is not None:
            return
        text = record.cells[0].strip()
        if set(text) <= set("01"):
            advice = f"{self._delimiter!r} is to stand between what it says of one point and of the next"
            raise DataError(self._name, record.line, None, f"one cell only, {shown(text)}", advice)
        other = next((sign for sign in ("\t", ";", "|", ",", " ") if sign in text), None)
        parts = text.split(other)
        named = len(parts) > 2 and _bit(parts[0]) is None
        if other is not None and all(_bit(part) is not None for part in parts[named:]):
            advice = f"{self._delimiter!r} is to separate cells, not {other!r} (for tabs pass --format tsv)"
            raise DataError(self._name, record.line, None, f"one cell only, {shown(text)}", advice)

    # Which cells are names.

    def _layout(self, first: _Record, second: _Record | None) -> tuple[bool, bool]:
        """Whether the first row, and whether the first column, holds names."""
        if self._names is not None:
            return self._names in ("both", "columns"), self._names in ("both", "rows")
        header = self._is_header(first, second)
        if not header:
            return False, not _is_label(first.cells[0])
        if second is None:
            return True, False
        corner = first.cells[0].strip().lower()
        shorter = len(second.cells) == len(first.cells) + 1  # without a corner, as R writes tables
        return True, shorter or corner in CORNERS or not _is_label(second.cells[0])

    def _is_header(self, first: _Record, second: _Record | None) -> bool:
        cells = first.cells
        bits = [_is_label(cell) for cell in cells]
        if second is not None and cells[0].strip().lower() in CORNERS:
            return True
        if _counting(cells) or _counting(cells[1:]) or not any(bits):
            return True
        place = next((place for place, bit in enumerate(bits) if place and not bit), None)
        if place is None and not bits[0] and second is not None and _is_label(second.cells[0]):
            place = 0
        if place is not None:
            raise self._error(first, place, f"{_found(cells[place])} beside 0 and 1", _advice(cells[place], hint=True))
        return False

    def _header(self, first: _Record, named: bool, second: _Record | None) -> list[str]:
        shorter = second is not None and len(second.cells) == len(first.cells) + 1
        skipped = int(named and not shorter)
        names = [cell.strip() for cell in first.cells[skipped:]]
        for place, name in enumerate(names):
            self._refuse_name(first, place + skipped, name)
        if len(set(names)) < len(names):
            first_places = {name: place for place, name in reversed(list(enumerate(names)))}
            place = next(place for place, name in enumerate(names) if first_places[name] < place)
            found = f"the name {shown(names[place])} stands here again"
            raise self._error(first, place + skipped, found, "every name stands once")
        return names

    def _refuse_name(self, record: _Record, place: int, name: str) -> None:
        if not name:
            raise self._error(record, place, "an empty cell", "a name is expected")

    # What hypotheses say.

    def _take_all(self, lines: Iterator[bytes], named: bool, width: int, begun: int) -> None:
        marks = self._delimiter.encode()
        between, length = marks * (width - 1), 2 * width - 1
        for raw in lines:
            refuse_large(self._name, len(self._digits), "a table of 0 and 1", line=self._line, file_size=self._size)
            name, _, said = raw.partition(marks) if named else (b"", b"", raw)
            said = said.rstrip(b"\r\n").replace(b" ", b"")
            digits = said[::2]
            expected = b"1" if self._signs else b"01"
            plain = len(said) == length and said[1::2] == between and not digits.translate(None, expected)
            called = decoded(name, self._name, self._line).strip()
            if plain and '"' not in called and (not named or self._is_new(called)):
                self._digits += digits
            else:
                self._take(self._parsed(raw, lines), named, width, begun)

    def _take(self, record: _Record, named: bool, width: int, begun: int) -> None:
        cells = record.cells
        if not any(cell.strip() for cell in cells):
            return
        if len(cells) - named != width:
            found, expected = f"a row of {len(cells)} cells", f"{width + named} are expected, as in line {begun}"
            raise DataError(self._name, record.line, None, found, expected)
        if width < 1:
            advice = "what it says of some points is expected beside it"
            raise DataError(self._name, record.line, None, "a name alone", advice)
        if named:
            self._refuse_name(record, 0, name := cells[0].strip())
            if not self._is_new(name):
                found = f"the name {shown(name)} stands here again"
                raise self._error(record, 0, found, "every name stands once")
        for place in range(int(named), len(cells)):
            self._digits.append(self._label(record, place))

    def _label(self, record: _Record, place: int) -> int:
        """What a cell says, where all others say 0 and 1, or -1 and 1."""
        cell = record.cells[place]
        bit = _bit(cell)
        if MINUS_ONE.fullmatch(cell.strip()):
            if not self._signs and self._digits.translate(None, b"1\1"):
                raise self._error(record, place, f"{_found(cell)} beside 0", MIXED)
            self._signs = True
            return 0
        if bit is None:
            raise self._error(record, place, _found(cell), _advice(cell, hint=place == 0))
        if bit == 0 and self._signs:
            raise self._error(record, place, f"{_found(cell)} beside -1", MIXED)
        return bit

    def _is_new(self, name: str) -> bool:
        """Take the name of a row, if it is one and has not been there before."""
        count = len(self._rows)
        if name:
            self._rows[name] = None
        return len(self._rows) > count

    def _table(self, columns: list[str] | None, width: int, named: bool) -> ClassTable:
        if columns is not None and len(columns) != width:
            found = f"{len(columns)} names of columns above rows of {width} cells"
            raise DataError(self._name, None, None, found, "as many are expected")
        self._tell(columns)
        matrix = np.frombuffer(self._digits, np.uint8).reshape(-1, width) & 1  # digits of text are even and odd, too
        return ClassTable(matrix.view(np.bool_), list(self._rows) if named else None, columns, self._notes)

    def _tell(self, columns: list[str] | None) -> None:
        """Note what a user may have meant otherwise."""
        if self._comments:
            lines = "1 line, which begins" if self._comments == 1 else f"{self._comments:,} lines, which begin"
            self._notes.append(f"{self._name}: passed over as comments: {lines} with #")
        if self._signs:
            self._notes.append(f"{self._name}: {SIGNS}")
        if self._names is None and columns is not None and all(map(looks_like_number, columns)):
            self._notes.append(f"{self._name}: the numbers in row 1 are taken for names of its columns ({WHERE})")

    def _error(self, record: _Record, place: int, found: str, advice: str) -> DataError:
        block = Block(record.raw, record.line, self._delimiter.encode())
        line, column = block.position((0, len(record.raw)), place)
        return DataError(self._name, line, column, found, advice)


def _bit(cell: str) -> int | None:
    """What a cell says: 0, 1, their like in words or decimals, or nothing of the kind."""
    text = cell.strip()
    found = WORDS.get(text)
    if found is None and DECIMAL.fullmatch(text):
        return int("1" in text.partition(".")[0])
    return WORDS.get(text.lower()) if found is None else found


def _is_label(cell: str) -> bool:
    return _bit(cell) is not None or MINUS_ONE.fullmatch(cell.strip()) is not None


def _counting(cells: Sequence[str]) -> bool:
    """Whether they are the numbers from 0, or from 1."""
    names = [cell.strip() for cell in cells]
    counted = any(names == [str(place + begin) for place in range(len(names))] for begin in (0, 1))
    return counted and len(names) >= COUNTING


def _found(cell: str) -> str:
    return f"found {shown(cell)}" if cell.strip() else "found an empty cell"


def _advice(cell: str, *, hint: bool) -> str:
    """What to write instead; the hint is for what may be a name."""
    if cell.strip().lower() in ANSWERS:
        return "write 1 for yes and 0 for no"
    return f"0 or 1 is expected ({WHERE})" if hint else "0 or 1 is expected"
