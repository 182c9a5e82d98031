"""Classes of hypotheses in files: tables of text and arrays of 0 and 1, and the points that halfspaces are to part."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import DataError
from ..memory import refuse_large
from .archives import NUMBERS, array_of, open_arrays, texts
from .batch import Array
from .exact_numbers import looks_like_number
from .formats import CLASSES, Names, delimiter_of, refuse_array, refuse_names
from .labelled_matrix import (
    COUNTING,
    SEPARATORS,
    LabelledMatrix,
    MatrixReader,
    counting,
    read_numbers,
    without_corner,
)
from .messages import shown
from .records import Record
from .source import Source, decoded, name_of

TABLES = ("matrix", "class", "table", "labels", "points", "x")
HYPOTHESES = ("hypotheses", "hypothesis_names", "names")
POINTS = ("points", "point_names")
ROWS, COLUMNS = ("rows",), ("columns", "cols")
NAMING = (*HYPOTHESES, *POINTS, *ROWS, *COLUMNS)
WORDS = {"0": 0, "1": 1, "false": 0, "true": 1}
DECIMAL = re.compile(r"(?:\+?1|[-+]?0)(?:\.0*)?(?:[eE][-+]?0+)?", re.ASCII)
MINUS_ONE = re.compile(r"-1(?:\.0*)?(?:[eE][-+]?0+)?", re.ASCII)
ANSWERS = ("yes", "no", "y", "n", "t", "f", "on", "off", "+", "-")
CORNERS = ("", "hypothesis", "hypotheses", "name", "names", "id", "index")
WHERE = "--names says where names stand"
MIXED_BITS = "write 0 and 1 in all cells, or -1 and 1 in all cells"
SIGNS = "every entry is -1 or 1; -1 is taken for 0"


@dataclass(frozen=True)
class ClassFile:
    """A class as a file has it.

    Attributes
    ----------
    name : str
        The file, as messages call it.
    matrix : ndarray of bool, shape (hypotheses, points)
    hypotheses, points : list of str or None
        What they are called, where the file says so.
    notes : list of str
        What a user should know of how the file was understood.
    """

    name: str
    matrix: Array
    hypotheses: list[str] | None = None
    points: list[str] | None = None
    notes: list[str] = field(default_factory=list)

    def transposed(self) -> ClassFile:
        """The class of a file whose rows are points."""
        return ClassFile(self.name, self.matrix.T, self.points, self.hypotheses, self.notes)


@dataclass(frozen=True)
class PointFile:
    """Points as a file has them.

    Attributes
    ----------
    name : str
        The file, as messages call it.
    values : list of list
        Their coordinates: whole numbers, fractions or floats.
    names : list of str or None
    axes : list of str or None
        What the coordinates are called.
    notes : list of str
    """

    name: str
    values: list[list[Any]]
    names: list[str] | None = None
    axes: list[str] | None = None
    notes: list[str] = field(default_factory=list)


def read_class(
    path: Source,
    *,
    format: str | None = None,
    array: str | None = None,
    names: Names | None = None,
    transpose: bool = False,
) -> ClassFile:
    """Read a class: rows are hypotheses, columns are points, and every entry is 0 or 1.

    Where every entry is -1 or 1, -1 is taken for 0, and a note says so.

    Parameters
    ----------
    path : path or "-"
        The file; ``-`` is standard input. Text may be compressed (.gz, .xz, .zst, .bz2).
    format : {"csv", "tsv", "npz", "npy"}, optional
        By default chosen by the suffix, and csv if that says nothing.
    array : str, optional
        Of an archive, the array of the class.
    names : {"both", "rows", "columns", "none"}, optional
        What a table has names of; by default it is seen from its cells.
    transpose : bool
        Whether rows are points and columns are hypotheses.

    Raises
    ------
    DataError
        If something cannot be used: it names the place.
    RegretlessError
        If the options do not fit each other or the format.
    """
    chosen = _format_of(path, format, array, names)
    if chosen in ("npz", "npy"):
        result = _class_of_arrays(path, chosen == "npz", array, transpose)
    else:
        table = _BitReader(path, delimiter_of(chosen), names).read()
        result = ClassFile(name_of(path), table.values, table.rows, table.columns, table.notes)
    result = result.transposed() if transpose else result
    _refuse_same_names(result)
    return result


def read_points(path: Source, *, format: str | None = None, names: Names | None = None) -> PointFile:
    """Read points: a row for each, a column for each coordinate; numbers of tables are taken as they are written.

    Raises
    ------
    DataError
        If something cannot be used: it names the place.
    RegretlessError
        If the options do not fit the format.
    """
    chosen = _format_of(path, format, None, names)
    if chosen in ("npz", "npy"):
        return _points_of_arrays(path, chosen == "npz")
    table = read_numbers(path, delimiter=delimiter_of(chosen), exact=True, names=names, what="coordinates")
    return PointFile(name_of(path), table.values.tolist(), table.rows, table.columns, table.notes)


def _format_of(path: Source, format: str | None, array: str | None, names: Names | None) -> str:
    chosen = CLASSES.choose(path, format)
    if chosen != "npz":
        refuse_array(array, chosen)
    refuse_names(names, chosen)
    return chosen


def _refuse_same_names(value: ClassFile) -> None:
    for what, names in (("hypotheses", value.hypotheses), ("points", value.points)):
        if names is not None and len(set(names)) < len(names):
            twice = next(name for name, count in Counter(names).items() if count > 1)
            raise DataError(value.name, None, None, f"two {what} are called {twice!r}", "every name stands once")


# Arrays.


def _class_of_arrays(path: Source, archive: bool, array: str | None, transpose: bool) -> ClassFile:
    file, values, strings = _arrays(path, archive, array)
    if values.ndim != 2 or 0 in values.shape or values.dtype.kind not in NUMBERS:
        advice = "0 and 1 in rows (hypotheses) and columns (points) are expected"
        raise DataError(file, None, None, f"an array of shape {values.shape} and type {values.dtype}", advice)
    signs = values.dtype.kind in "if" and bool((np.abs(values) == 1).all() and (values < 0).any())
    matrix = np.asarray(values) > 0 if signs else np.asarray(values) != 0
    wrong = np.argwhere(values != matrix)
    if len(wrong) and not signs:
        row, column = (int(place) for place in wrong[0])
        fault = f"found {values[row, column]!s} in row {row}, column {column} (counted from 0)"
        raise DataError(file, None, None, fault, "0 and 1 are expected, or -1 and 1 alone")
    kinds = (POINTS, HYPOTHESES) if transpose else (HYPOTHESES, POINTS)
    rows = _naming(file, strings, (*kinds[0], *ROWS), "row", matrix.shape[0])
    columns = _naming(file, strings, (*kinds[1], *COLUMNS), "column", matrix.shape[1])
    return ClassFile(file, matrix, rows, columns, [f"{file}: {SIGNS}"] if signs else [])


def _points_of_arrays(path: Source, archive: bool) -> PointFile:
    file, values, strings = _arrays(path, archive, None)
    if values.ndim != 2 or 0 in values.shape or values.dtype.kind not in NUMBERS:
        advice = "numbers in rows (points) and columns (coordinates) are expected"
        raise DataError(file, None, None, f"an array of shape {values.shape} and type {values.dtype}", advice)
    wrong = np.argwhere(~np.isfinite(values))
    if len(wrong):
        row, column = (int(place) for place in wrong[0])
        fault = f"found {values[row, column]!s} in row {row}, column {column} (counted from 0)"
        raise DataError(file, None, None, fault, "coordinates are finite numbers")
    names = _naming(file, strings, (*POINTS, *ROWS, "names"), "row", len(values))
    return PointFile(file, values.tolist(), names)


def _arrays(path: Source, archive: bool, array: str | None) -> tuple[str, Array, dict[str, list[str]]]:
    """The file, its array of numbers, and its lists of strings."""
    with open_arrays(path, archive=archive) as (file, opened):
        if opened is None:
            return file, array_of(file), {}
        expected = "rows of hypotheses and columns of points are expected"
        name = array or opened.table(TABLES, "meant", "choose with --array", expected)
        table = opened.member(name)
        named = {name: member for name, member in opened.shaped(1, "USiu").items() if name in NAMING}
        strings = {name: texts(member.all()) for name, member in named.items()}
        return file, table.all(), strings


def _naming(
    file: str, strings: dict[str, list[str]], known: tuple[str, ...], what: str, count: int
) -> list[str] | None:
    """The list of names of rows or columns, by what it is called."""
    name = next((name for name in known if name in strings), None)
    if name is not None and len(strings[name]) != count:
        fault = f"the array {name!r} has {len(strings[name]):,} names"
        raise DataError(file, None, None, fault, f"{count:,} are expected, one for each {what}")
    return None if name is None else strings[name]


class _BitReader(MatrixReader):
    """Reads a table of 0 and 1, or of -1 and 1 alone, as bools: rows of digits at once, all others cell by cell."""

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
                first, place, f"{_cell_fault(cells[place])} beside 0 and 1", _advice(cells[place], hint=True)
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
            name, _, cells = raw.partition(marks) if named else (b"", b"", raw)
            cells = cells.rstrip(b"\r\n").replace(b" ", b"")
            digits = cells[::2]
            expected = b"1" if self._signs else b"01"
            plain = len(cells) == length and cells[1::2] == between and not digits.translate(None, expected)
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
                raise self._records.error(record, place, f"{_cell_fault(cell)} beside 0", MIXED_BITS)
            self._signs = True
            return 0
        if bit is None:
            raise self._records.error(record, place, _cell_fault(cell), _advice(cell, hint=place == 0))
        if bit == 0 and self._signs:
            raise self._records.error(record, place, f"{_cell_fault(cell)} beside -1", MIXED_BITS)
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


def _cell_fault(cell: str) -> str:
    return f"found {shown(cell)}" if cell.strip() else "found an empty cell"


def _advice(cell: str, *, hint: bool) -> str:
    """What to write instead; the hint is for what may be a name."""
    if cell.strip().lower() in ANSWERS:
        return "write 1 for yes and 0 for no"
    return f"0 or 1 is expected ({WHERE})" if hint else "0 or 1 is expected"
