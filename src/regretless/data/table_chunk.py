"""Part of a table as it was read, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import DataError
from .batch import Array

Explain = Callable[[int], tuple[str, str]]


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
    table : pyarrow.Table
        Columns of float64, bool, dictionary-encoded text or null.
    error : callable
        Makes the error for (row, column or None, what was found, what to do).
    places : ndarray or None
        Which of the rows that were read the rows of the table are, when faulty ones have been left out.
    faults : Faults
        What was wrong with those; rows are counted as they were read.
    """

    table: Any
    error: Callable[[int, str | None, str, str], DataError]
    places: Array | None = None
    faults: Faults = field(default_factory=Faults)

    def fault(self, rows: Array, column: str, value: Callable[[int], str], advice: str) -> None:
        """Note that these rows of the table cannot be used; `value` says of each what stands there."""
        read = self.read()
        self.faults.add(read[rows], column, lambda row: (value(int(np.searchsorted(read, row))), advice))

    def read(self) -> Array:
        """Which of the rows that were read the rows of the table are."""
        return np.arange(self.table.num_rows) if self.places is None else self.places
