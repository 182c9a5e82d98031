"""Matrices in tables of text: rows of cells, names where there are any, and a number in every cell."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import isfinite
from typing import Any

import numpy as np

from ..errors import DataError
from ..memory import refuse_large
from .batch import Array
from .exact_numbers import exact_number, looks_like_number
from .formats import Names
from .messages import shown
from .records import Record, Records
from .source import Source, stored_size

SEPARATORS = ("\t", ";", "|", ",", " ")
COUNTING = 3  # so many numbers from 1, or from 0, are taken for names rather than for values
MIXED = "names stand in the first row, or in the first column, for all or for none (--names says where)"
# What looks like a number to people, and is none here, or stands where names do: 1,000 and 0x10, 5 % and 2019.
NUMERIC = re.compile(
    r"[-+]?\s*[$€£]?\s*(?:0x[0-9a-f]+|[0-9.,'_ ]*[0-9][0-9.,'_ ]*(?:e[-+]?[0-9]+)?\s*%?)", re.IGNORECASE
)
OBJECT = 64  # bytes of an exact number


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
            fault = f"{len(columns):,} names of columns above rows of {self._width:,} {self.cells}"
            raise DataError(self._name, None, None, fault, "as many are expected")
        if comments := self._records.comments:
            commented = "1 line, which begins" if comments == 1 else f"{comments:,} lines, which begin"
            self._notes.append(f"{self._name}: passed over as comments: {commented} with #")
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
            result, expected = f"a row of {count:,} cells", f"{self._width + self._named:,} are expected"
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


def read_numbers(
    path: Source, *, delimiter: str = ",", exact: bool = False, names: Names | None = None, what: str = "payoffs"
) -> LabelledMatrix:
    """Read a table of payoffs, or of other numbers.

    Parameters
    ----------
    path : path or "-"
        It may be compressed (.gz, .xz, .zst, .bz2).
    delimiter : str
        What stands between cells.
    exact : bool
        Keep whole numbers, decimals and fractions as they are written, as objects, rather than as float64.
    names : {"both", "rows", "columns", "none"}, optional
        What the table has names of; by default it is seen from its cells.
    what : str
        What messages call the numbers.

    Raises
    ------
    DataError
        If a cell holds no number, or rows are of different lengths.
    """
    return _NumberReader(path, delimiter, names, exact, what).read()


class _NumberReader(MatrixReader):
    """Reads one table of numbers."""

    cells = "numbers"
    below, beside = "a row of numbers is expected below them", "numbers are expected beside it"

    def __init__(self, path: Source, delimiter: str, names: Names | None, exact: bool, what: str) -> None:
        super().__init__(path, delimiter, names)
        self.what = self.body = what
        self.alone = f"a name without {what}"
        self._exact = exact
        self._rows: list[str] = []
        self._values: Any = [] if exact else array("d")

    def _refuse_foreign(self, first: Record, second: Record | None) -> None:
        text = first.cells[0].strip()
        if len(first.cells) > 1 or looks_like_number(text):
            return
        other = next((sign for sign in SEPARATORS if sign in text), None)
        if other is not None and all(map(looks_like_number, text.split(other))):
            self._refuse_separator(first, other)

    def _seen(self, first: Record, second: Record | None) -> tuple[bool, bool]:
        corner, top = looks_like_number(first.cells[0]), [looks_like_number(cell) for cell in first.cells[1:]]
        below = None if second is None else looks_like_number(second.cells[0])
        if without_corner(first, second) and not (corner or any(top)):
            return True, True
        if top and not any(top):
            if corner and (place := next((at for at, cell in enumerate(first.cells) if _is_nan(cell)), None)):
                fault = f"{shown(first.cells[place])} is no number"
                raise self._records.error(first, place, fault, f"{self.what} are finite numbers")
            if corner and below is not None:
                raise self._records.error(first, 0, f"the number {shown(first.cells[0])} stands among names", MIXED)
            return not corner, below is False or not first.cells[0].strip()
        if not top:
            return not corner, False
        if not all(top):
            place = top.index(False) + 1
            raise self._records.error(first, place, f"{_cell_fault(first.cells[place])} among numbers", MIXED)
        return (False, False) if corner else self._labelled(first, below)

    def _labelled(self, first: Record, below: bool | None) -> tuple[bool, bool]:
        """The layout of a table whose first row is no number and then numbers alone."""
        if not first.cells[0].strip():
            self._notes.append(f"{self._name}: its first cell is empty, so that row 1 and column 1 are taken for names")
            return True, True
        if below is True:
            raise self._records.error(
                first, 0, f"{_cell_fault(first.cells[0])} among numbers", f"a number is expected; {MIXED}"
            )
        counted = [cell.strip() for cell in first.cells[1:]]
        header = below is False and len(counted) >= COUNTING and counting(counted)
        if header:
            self._notes.append(f"{self._name}: row 1 counts the columns, and is taken for their names")
        return header, True

    def _take_all(self, body: list[Record], lines: Iterator[bytes]) -> None:
        size = OBJECT if self._exact else 8
        for record in chain(body, self._records.filled(lines)):
            self._take(record)
            taken = size * len(self._values)
            refuse_large(self._name, taken, f"a table of {self.what}", line=record.line, file_size=self._size)

    def _take(self, record: Record) -> None:
        self._refuse_width(record)
        cells = record.cells
        if self._named:
            self._rows.append(cells[0].strip())
            self._refuse_name(record, 0, self._rows[-1], again=False)  # another may be called so: see `_matrix`
            cells = cells[1:]
        if self._exact or not self._quickly(cells):
            self._values.extend(self._slowly(record, cells, int(self._named)))

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

    def _slowly(self, record: Record, cells: list[str], skipped: int) -> list[Any]:
        results: list[Any] = []
        for place, cell in enumerate(cells):
            try:
                number = exact_number(cell)
            except ValueError as error:
                what, _, advice = str(error).partition("; ")
                if not cell.strip():
                    what, advice = "an empty cell", "a number is expected in every cell"
                raise self._records.error(record, place + skipped, what, advice) from None
            results.append(number if self._exact else float(number))
        return results

    def _matrix(self, columns: list[str] | None) -> LabelledMatrix:
        if len(set(self._rows)) < len(self._rows):
            twice = next(name for name, count in Counter(self._rows).items() if count > 1)
            raise DataError(self._name, None, None, f"two rows are called {shown(twice)}", "every name stands once")
        self._note_numbers(columns)
        values = np.array(self._values, dtype=object) if self._exact else np.frombuffer(self._values, np.float64)
        rows = self._rows if self._named else None
        return LabelledMatrix(values.reshape(-1, self._width), rows, columns, self._notes)

    def _note_numbers(self, columns: list[str] | None) -> None:
        """Note names that may have been meant as numbers."""
        if self._names is not None or any("taken for" in note for note in self._notes):
            return
        for what, names in (("row 1", columns or []), ("column 1", self._rows)):
            odd = next((name for name in names if NUMERIC.fullmatch(name)), None)
            if odd is not None and not counting(names):
                note = f"{what} is taken for names, though {shown(odd)} looks like a number"
                self._notes.append(f"{self._name}: {note} (--names says where names stand)")


def _is_nan(cell: str) -> bool:
    return cell.strip().casefold() == "nan"


def _cell_fault(cell: str) -> str:
    return f"{shown(cell)} stands" if cell.strip() else "an empty cell stands"
