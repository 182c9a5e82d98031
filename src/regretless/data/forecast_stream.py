"""Rounds with forecasts: a row a time step, a column an expert, and the outcome beside them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import DataError
from .messages import listed
from .source import Source, can_be_read_again, name_of
from .table_chunk import Array

TARGETS = ("target", "y", "outcome", "observed", "observation", "observations", "obs", "actual")
Complain = Callable[[int, str | None, str, str], DataError]


@dataclass(frozen=True, slots=True)
class ForecastBatch:
    """Consecutive rows.

    Attributes
    ----------
    advice : ndarray of float64, shape (rows, experts)
        C-contiguous; nan where an expert is silent.
    outcomes : ndarray of float64, shape (rows,), or None
        nan in the last rows of the file, if these are to be forecast; None where there are none.
    times : list of str or None
        What the time column holds.
    clock, arrivals : ndarray of int64, shape (rows,), or None
        When outcomes are known: that of a row is, as soon as the clock of a later one has reached its arrival. Where
        there is no time column the clock is None, and counts rows from 1.
    error : callable
        Makes the error for (row of this batch, column or None, what was found, what to do).
    """

    advice: Array
    outcomes: Array | None
    times: list[str] | None
    clock: Array | None
    arrivals: Array | None
    error: Complain

    def __len__(self) -> int:
        return len(self.advice)

    @property
    def known(self) -> int:
        """How many rows there are before the first whose outcome is missing."""
        if self.outcomes is None:
            return len(self)
        missing = np.isnan(self.outcomes)
        return int(missing.argmax()) if missing.any() else len(self)

    def slice(self, begin: int, end: int) -> ForecastBatch:
        """Some of the rows."""

        def error(row: int, column: str | None, fault: str, advice: str) -> DataError:
            return self.error(begin + row, column, fault, advice)

        cut = slice(begin, end)
        columns = {name: getattr(self, name) for name in ("outcomes", "times", "clock", "arrivals")}
        parts = {name: None if column is None else column[cut] for name, column in columns.items()}
        return replace(self, advice=self.advice[cut], error=error, **parts)


@dataclass(frozen=True)
class Words:
    """What messages call a table's columns and cells, and the option that chooses among the columns."""

    column: str
    cell: str
    cells: str
    option: str

    @property
    def otherwise(self) -> str:
        """What else to do about a column that cannot be used."""
        return f"or name the {self.column}s with {self.option}"


FORECASTS = Words("expert", "forecast", "forecasts", "--experts")


@dataclass(frozen=True)
class Columns:
    """Which columns are what, as far as the user says.

    Attributes
    ----------
    target, time, arrivals : str or None
        Columns by name.
    experts : sequence of str or None
        The experts' columns; by default all numeric ones that are nothing else.
    names : sequence of str or None
        The experts of a model that this goes on with, to be found in whatever order they stand.
    need_target : bool
        Whether there must be a column of outcomes. If not, there is none.
    words : Words
        What messages call them.
    """

    target: str | None = None
    time: str | None = None
    arrivals: str | None = None
    experts: Sequence[str] | None = None
    names: Sequence[str] | None = None
    need_target: bool = True
    words: Words = FORECASTS

    def apart(self) -> list[str]:
        """The columns that are no experts, as far as they are named."""
        return [name for name in (self.target, self.time, self.arrivals) if name is not None]


class ForecastStream(ABC):
    """A source of rounds with forecasts.

    Attributes
    ----------
    name : str
        What messages call it.
    rereadable : bool
        Whether a second reading gives the same rounds again.
    experts : list of str
        Their names; known once the first batch is.
    target : str or None
        The column of outcomes, once the first batch is known.
    notes : list of str
        What a user should know of the columns, once the first batch is known.
    """

    def __init__(self, path: Source, columns: Columns) -> None:
        self.name = name_of(path)
        self.rereadable = can_be_read_again(path)
        self.experts: list[str] = []
        self.target: str | None = None
        self.notes: list[str] = []
        self._columns = columns
        self._begun = False

    def batches(self, skip: int = 0) -> Iterator[ForecastBatch]:
        """Read from the start, passing over the first `skip` rows.

        Raises
        ------
        DataError
            If something cannot be used; the rows before it have been given.
        """
        if self._begun and not self.rereadable:
            raise self._error("this can be read only once", "keep what is read with --cache FILE")
        self._begun = True
        return self._after(skip)

    def schema(self) -> dict[str, Any]:
        """What the columns were, as JSON values: which ones to look for in the next file."""
        columns = self._columns
        return {
            "target": self.target or columns.target,
            "time": columns.time,
            "arrivals": columns.arrivals,
            "experts": self.experts,
        }

    def _after(self, skip: int) -> Iterator[ForecastBatch]:
        empty, gap = True, Gap()
        for batch in self._batches():
            empty = False
            good, error = gap.before(batch)
            if skip < len(good):
                yield good.slice(skip, len(good)) if skip else good
            skip = max(0, skip - len(good))
            if error is not None:
                raise error
        if empty:
            raise self._error("no rows", f"give a file with at least one row of {self._columns.words.cells}")

    @abstractmethod
    def _batches(self) -> Iterator[ForecastBatch]:
        """All rows from the first on."""

    def find_target(self, names: Sequence[str], called: Sequence[str]) -> str | None:
        """The column of outcomes: the one that is named, else the only one that is called like one.

        A model may go on with a table that has none: then all rows are to be forecast, which a note says.

        Raises
        ------
        DataError
            If it is open which column that is.
        """
        named, model = self._columns.target, self._columns.names
        if named in names:
            return named
        taken = {*self._columns.apart(), *(self._columns.experts or ()), *(model or ())}
        results = [name for name in names if name.casefold() in called and name not in taken]
        if named is None and len(results) == 1:
            return results[0]
        if model is not None and not results:
            self._note(f"{self.name}: there are no outcomes, so that all rows are forecast")
            return None
        if named is not None:
            what = f"there is no column {named!r}"
        else:
            what = f"any of {listed(results)} may be the outcome" if results else "it is not said what the outcome is"
        raise self._error(what, f"choose it with --target among {listed(names)}")

    def _error(self, fault: str, advice: str) -> DataError:
        return DataError(self.name, None, None, fault, advice)

    def _ignored(self, names: Sequence[str], why: str) -> None:
        """Note that columns are left out."""
        if names:
            self._note(f"{self.name}: {listed(names)} {'are' if len(names) > 1 else 'is'} left out: {why}")

    def _note(self, text: str) -> None:
        if text not in self.notes:  # a second reading finds the same
            self.notes.append(text)


class Gap:
    """Watches that outcomes are missing in the last rows alone."""

    def __init__(self) -> None:
        self._first: DataError | None = None

    def before(self, batch: ForecastBatch) -> tuple[ForecastBatch, DataError | None]:
        """The rows before one that must have had an outcome, and the error to raise after them."""
        if batch.outcomes is None:
            return batch, None
        known = ~np.isnan(batch.outcomes)
        if self._first is not None:
            return (batch, None) if not known.any() else (batch.slice(0, 0), self._first)
        begin = batch.known
        if begin == len(batch):
            return batch, None
        advice = "only the last rows may be without one, to be forecast; fill it in or leave the row out"
        self._first = batch.error(begin, None, "the outcome is missing, and there are outcomes after it", advice)
        return (batch, None) if not known[begin:].any() else (batch.slice(0, begin), self._first)


def moments(values: Sequence[str]) -> Array | None:
    """Times as whole numbers: numbers as they are, dates in microseconds; None if they are neither."""
    try:
        numbers = np.array([float(value) for value in values], dtype=np.float64)
        return numbers.astype(np.int64) if (numbers == np.floor(numbers)).all() else None
    except (ValueError, OverflowError):
        pass
    try:
        dates = np.array([value.strip().removesuffix("Z") for value in values], dtype="datetime64[us]")
    except ValueError:
        return None
    return None if np.isnat(dates).any() else dates.astype(np.int64)
