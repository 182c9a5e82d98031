"""Payoffs, or other numbers, in a table of text: a number in every cell."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from math import isfinite
from typing import Any

import numpy as np

from ..errors import DataError
from ..memory import refuse_large
from .exact_numbers import exact_number, looks_like_number
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

MIXED = "names stand in the first row, or in the first column, for all or for none (--names says where)"
# What looks like a number to people, and is none here, or stands where names do: 1,000 and 0x10, 5 % and 2019.
NUMERIC = re.compile(
    r"[-+]?\s*[$€£]?\s*(?:0x[0-9a-f]+|[0-9.,'_ ]*[0-9][0-9.,'_ ]*(?:e[-+]?[0-9]+)?\s*%?)", re.IGNORECASE
)
OBJECT = 64  # bytes of an exact number


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
    return _Reader(path, delimiter, names, exact, what).read()


class _Reader(MatrixReader):
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
            if corner and below is not None:
                raise self._records.error(first, 0, f"the number {shown(first.cells[0])} stands among names", MIXED)
            return not corner, below is False or not first.cells[0].strip()
        if not top:
            return not corner, False
        if not all(top):
            place = top.index(False) + 1
            raise self._records.error(first, place, f"{_found(first.cells[place])} among numbers", MIXED)
        return (False, False) if corner else self._labelled(first, below)

    def _labelled(self, first: Record, below: bool | None) -> tuple[bool, bool]:
        """The layout of a table whose first row is no number and then numbers alone."""
        if not first.cells[0].strip():
            self._notes.append(f"{self._name}: its first cell is empty, so that row 1 and column 1 are taken for names")
            return True, True
        if below is True:
            raise self._records.error(
                first, 0, f"{_found(first.cells[0])} among numbers", f"a number is expected; {MIXED}"
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


def _found(cell: str) -> str:
    return f"{shown(cell)} stands" if cell.strip() else "an empty cell stands"
