"""Part of a table as it was read, and what is wrong with it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._core import side_by_side
from ..errors import DataError
from .arrow_arrays import TextCells, cells_of, floats, missing_in, numpy_of
from .batch import ABSENT, Array
from .columns import Codes

Explain = Callable[[int], tuple[str, str]]


class Columns(ABC):
    """Columns of consecutive rows, by name.

    Attributes
    ----------
    rows : int
    names : sequence of str
    finite : bool
        Whether all numbers are known to be finite, but for those that are missing.
    """

    rows: int
    names: Sequence[str]
    finite = False

    @abstractmethod
    def floats(self, name: str) -> Array:
        """A column of numbers or booleans, float64; what is missing is nan. It may not be written to."""

    @abstractmethod
    def codes(self, name: str) -> Codes:
        """Which of the listed values each row of a column of text holds (-1 for none), and the values."""

    @abstractmethod
    def missing(self, name: str) -> Array:
        """The rows in which a column has no value."""

    @abstractmethod
    def cells(self, name: str) -> TextCells:
        """The cells of a column of words."""

    def matrix(self, names: Sequence[str], dtype: np.dtype[Any]) -> Array:
        """Columns of numbers side by side, shape (rows, names), to keep and to write to; what is missing is nan."""
        columns = [np.ascontiguousarray(self.floats(name)) for name in names]
        with np.errstate(over="ignore"):
            return np.asarray(side_by_side(columns, self.rows)).astype(dtype, copy=False)


class ArrowColumns(Columns):
    """Columns of pyarrow: of float64, bool, dictionary-encoded text, text or null."""

    def __init__(self, table: Any) -> None:
        self._table, self.rows, self.names = table, table.num_rows, table.column_names

    def floats(self, name: str) -> Array:
        return floats(self._table[name])

    def codes(self, name: str) -> Codes:
        column = self._table[name]
        if column.null_count == len(column):
            return np.full(len(column), ABSENT, np.int32), []
        array = column.unify_dictionaries().combine_chunks()
        codes = numpy_of(array.indices, np.dtype(np.int32))
        if column.null_count:
            codes = codes.copy()
            codes[missing_in(array.indices)] = ABSENT
        return codes, array.dictionary.to_pylist()

    def missing(self, name: str) -> Array:
        return missing_in(self._table[name])

    def cells(self, name: str) -> TextCells:
        return cells_of(self._table[name])


class TextColumns(Columns):
    """Columns that the compiled reader of delimited text has read.

    Parameters
    ----------
    inside : sequence of str
        The columns of `matrix`.
    matrix : ndarray of float64, shape (rows, columns)
    apart : dict of str to ndarray of float64
        Other columns of numbers.
    codes : dict of str to Codes
        The columns of text.
    cells : dict of str to TextCells
        The columns of words.
    gaps : dict of str to int
        How many cells of each column are missing.
    """

    finite = True

    def __init__(
        self,
        inside: Sequence[str],
        matrix: Array,
        apart: dict[str, Array],
        codes: dict[str, Codes],
        cells: dict[str, TextCells],
        gaps: dict[str, int],
    ) -> None:
        self._inside, self._matrix, self._apart, self._codes, self._gaps = inside, matrix, apart, codes, gaps
        self._cells = cells
        self.rows, self.names = len(matrix), list(gaps)

    def floats(self, name: str) -> Array:
        if name in self._apart:
            return self._apart[name]
        if name not in self._inside:  # it is empty so far
            return np.full(self.rows, np.nan)
        values: Array = self._matrix[:, self._inside.index(name)]
        return values

    def codes(self, name: str) -> Codes:
        return self._codes.get(name, (np.full(self.rows, ABSENT, np.int32), []))

    def missing(self, name: str) -> Array:
        if not self._gaps[name]:
            return np.empty(0, np.intp)
        if self._gaps[name] == self.rows:
            return np.arange(self.rows)
        if name in self._cells:
            return self._cells[name].missing
        if name in self._codes:
            return np.flatnonzero(self._codes[name][0] == ABSENT)
        return np.flatnonzero(np.isnan(self.floats(name)))

    def cells(self, name: str) -> TextCells:
        return self._cells[name]

    def matrix(self, names: Sequence[str], dtype: np.dtype[Any]) -> Array:
        if list(names) == list(self._inside) and dtype == self._matrix.dtype:
            return self._matrix
        return super().matrix(names, dtype)


@dataclass
class Faults:
    """Rows that cannot be used: in which column, and what to say of each (what was found, what to do)."""

    entries: list[tuple[Array, str | None, Explain]] = field(default_factory=list)

    def add(self, rows: Array, column: str | None, explain: Explain) -> None:
        """Note that these rows (in ascending order) cannot be used for what stands in a column."""
        if len(rows):
            self.entries.append((rows, column, explain))

    def rows(self) -> Array:
        """All these rows, each once, in ascending order."""
        result = [rows for rows, _, _ in self.entries]
        return np.unique(np.concatenate(result)) if result else np.empty(0, np.intp)

    def first(self, row: int) -> tuple[str | None, str, str]:
        """The first fault of a row: the column, what was found, what to do."""
        column, explain = next((column, explain) for rows, column, explain in self.entries if row in rows)
        return column, *explain(row)


@dataclass
class Chunk:
    """Consecutive rows of a table.

    Attributes
    ----------
    columns : Columns
    error : callable
        Makes the error for (row, column or None, what was found, what to do).
    places : ndarray or None
        Which of the rows that were read the rows of the table are, when faulty ones have been left out.
    faults : Faults
        What was wrong with those; rows are counted as they were read.
    """

    columns: Columns
    error: Callable[[int, str | None, str, str], DataError]
    places: Array | None = None
    faults: Faults = field(default_factory=Faults)

    def fault(self, rows: Array, column: str, value: str | Callable[[int], str], advice: str) -> None:
        """Note that these rows of the table cannot be used; `value` says what stands there, or of each what does."""
        read = self.read()

        def explain(row: int) -> tuple[str, str]:
            return value if isinstance(value, str) else value(int(np.searchsorted(read, row))), advice

        self.faults.add(read[rows], column, explain)

    def read(self) -> Array:
        """Which of the rows that were read the rows of the table are."""
        return np.arange(self.columns.rows) if self.places is None else self.places

    def refuse_not_finite(self, names: Sequence[str], values: Array, zero: str = "") -> None:
        """Note the rows that hold infinity or NaN in columns of these names; `zero` is what to do of NaN alone."""
        finite = np.isfinite(values)
        if finite.all():
            return
        for place in np.flatnonzero(~finite.all(axis=0)).tolist():
            name, column = names[place], values[:, place]
            bad = np.flatnonzero(~finite[:, place])
            more = f"; {zero}" if zero and np.isnan(column[bad]).all() else ""
            self.fault(bad, name, _holds(name, column), f"only finite numbers can be used{more}")


def _holds(name: str, column: Array) -> Callable[[int], str]:
    return lambda row: f"column {name!r} holds {column[row]}"
