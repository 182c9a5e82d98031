"""Classes of hypotheses in tables of text: 0 or 1 in every cell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from ..errors import DataError
from ..memory import refuse_large
from .exact_numbers import looks_like_number
from .formats import Names
from .labelled_matrix import (
    COUNTING,
    SEPARATORS,
    LabelledMatrix,
    MatrixReader,
    Record,
    counting,
    without_corner,
)
from .messages import shown
from .source import Source
from .whole_text import decoded

WORDS = {"0": 0, "1": 1, "false": 0, "true": 1}
DECIMAL = re.compile(r"(?:\+?1|[-+]?0)(?:\.0*)?(?:[eE][-+]?0+)?", re.ASCII)
MINUS_ONE = re.compile(r"-1(?:\.0*)?(?:[eE][-+]?0+)?", re.ASCII)
ANSWERS = ("yes", "no", "y", "n", "t", "f", "on", "off", "+", "-")
CORNERS = ("", "hypothesis", "hypotheses", "name", "names", "id", "index")
WHERE = "--names says where names stand"
MIXED = "write 0 and 1 in all cells, or -1 and 1 in all cells"
SIGNS = "every entry is -1 or 1; -1 is taken for 0"


def read_class_table(path: Source, *, delimiter: str = ",", names: Names | None = None) -> LabelledMatrix:
    """Read a table of 0 and 1, or of -1 and 1 alone; its values are bools.

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
    return _Reader(path, delimiter, names).read()


class _Reader(MatrixReader):
    """Reads one table: rows of single digits at once, all others cell by cell."""

    what, cells, body = "0 and 1", "cells", "hypotheses"
    below = "a row of 0 and 1 is expected below them (no hypotheses have dimensions of -1 by convention)"
    alone, beside = "a name alone", "what it says of some points is expected beside it"

    def __init__(self, path: Source, delimiter: str, names: Names | None) -> None:
        super().__init__(path, delimiter, names)
        self._rows: dict[str, None] = {}
        self._digits = bytearray()
        self._signs = False  # whether -1 stands for 0

    def _refuse_foreign(self, first: Record, second: Record | None) -> None:
        for record in (first, second):
            self._refuse_joined(record)

    def _refuse_joined(self, record: Record | None) -> None:
        """A single cell that holds several labels is a row of another kind of table."""
        if record is None or len(record.cells) > 1 or _bit(record.cells[0]) is not None:
            return
        text = record.cells[0].strip()
        if set(text) <= set("01"):
            advice = f"{self._records.delimiter!r} is to stand between what it says of one point and of the next"
            raise DataError(self._name, record.line, None, f"one cell only, {shown(text)}", advice)
        other = next((sign for sign in SEPARATORS if sign in text), None)
        parts = text.split(other)
        named = len(parts) > 2 and _bit(parts[0]) is None
        if other is not None and all(_bit(part) is not None for part in parts[named:]):
            self._refuse_separator(record, other)

    def _seen(self, first: Record, second: Record | None) -> tuple[bool, bool]:
        header = self._is_header(first, second)
        if not header:
            return False, not _is_label(first.cells[0])
        if second is None:
            return True, False
        corner = first.cells[0].strip().lower()
        return True, without_corner(first, second) or corner in CORNERS or not _is_label(second.cells[0])

    def _is_header(self, first: Record, second: Record | None) -> bool:
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
            raise self._records.error(
                first, place, f"{_found(cells[place])} beside 0 and 1", _advice(cells[place], hint=True)
            )
        return False

    def _take_all(self, body: list[Record], lines: Iterator[bytes]) -> None:
        for record in body:
            self._take(record)
        records, width, named = self._records, self._width, self._named
        marks = records.delimiter.encode()
        between, length = marks * (width - 1), 2 * width - 1
        for raw in lines:
            refuse_large(self._name, len(self._digits), "a table of 0 and 1", line=records.line, file_size=self._size)
            name, _, said = raw.partition(marks) if named else (b"", b"", raw)
            said = said.rstrip(b"\r\n").replace(b" ", b"")
            digits = said[::2]
            expected = b"1" if self._signs else b"01"
            plain = len(said) == length and said[1::2] == between and not digits.translate(None, expected)
            called = decoded(name, self._name, records.line).strip()
            if plain and '"' not in called and (not named or self._is_new(called)):
                self._digits += digits
            else:
                self._take(records.parsed(raw))

    def _take(self, record: Record) -> None:
        if not any(map(str.strip, record.cells)):
            return
        self._refuse_width(record)
        if self._named:
            name = record.cells[0].strip()
            self._refuse_name(record, 0, name, again=not self._is_new(name))
        for place in range(int(self._named), len(record.cells)):
            self._digits.append(self._label(record, place))

    def _label(self, record: Record, place: int) -> int:
        """What a cell says, where all others say 0 and 1, or -1 and 1."""
        cell = record.cells[place]
        bit = _bit(cell)
        if MINUS_ONE.fullmatch(cell.strip()):
            if not self._signs and self._digits.translate(None, b"1\1"):
                raise self._records.error(record, place, f"{_found(cell)} beside 0", MIXED)
            self._signs = True
            return 0
        if bit is None:
            raise self._records.error(record, place, _found(cell), _advice(cell, hint=place == 0))
        if bit == 0 and self._signs:
            raise self._records.error(record, place, f"{_found(cell)} beside -1", MIXED)
        return bit

    def _is_new(self, name: str) -> bool:
        """Take the name of a row, if it is one and has not been there before."""
        count = len(self._rows)
        if name:
            self._rows[name] = None
        return len(self._rows) > count

    def _matrix(self, columns: list[str] | None) -> LabelledMatrix:
        if self._signs:
            self._notes.append(f"{self._name}: {SIGNS}")
        if self._names is None and columns is not None and all(map(looks_like_number, columns)):
            self._notes.append(f"{self._name}: the numbers in row 1 are taken for names of its columns ({WHERE})")
        digits = np.frombuffer(self._digits, np.uint8).reshape(-1, self._width) & 1  # of text even and odd, too
        return LabelledMatrix(digits.view(np.bool_), list(self._rows) if self._named else None, columns, self._notes)


def _bit(cell: str) -> int | None:
    """What a cell says: 0, 1, their like in words or decimals, or nothing of the kind."""
    text = cell.strip()
    result = WORDS.get(text)
    if result is None and DECIMAL.fullmatch(text):
        return int("1" in text.partition(".")[0])
    return WORDS.get(text.lower()) if result is None else result


def _is_label(cell: str) -> bool:
    return _bit(cell) is not None or MINUS_ONE.fullmatch(cell.strip()) is not None


def _counting(cells: Sequence[str]) -> bool:
    return len(cells) >= COUNTING and counting([cell.strip() for cell in cells])


def _found(cell: str) -> str:
    return f"found {shown(cell)}" if cell.strip() else "found an empty cell"


def _advice(cell: str, *, hint: bool) -> str:
    """What to write instead; the hint is for what may be a name."""
    if cell.strip().lower() in ANSWERS:
        return "write 1 for yes and 0 for no"
    return f"0 or 1 is expected ({WHERE})" if hint else "0 or 1 is expected"
