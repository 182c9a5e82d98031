"""Rounds with forecasts: a row a time step, a column an expert, and the outcome beside them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import DataError
from .forecast_times import Complain, TimeBlocks
from .messages import listed
from .source import Source, can_be_read_again, name_of
from .table_chunk import Array

TARGETS = ("target", "y", "outcome", "observed", "observation", "observations", "obs", "actual")
CHOICES = 100  # columns that are listed where one is to be chosen


@dataclass(frozen=True, slots=True)
class ForecastBatch:
    """Consecutive rows.

    Attributes
    ----------
    advice : ndarray of float64, shape (rows, experts)
        C-contiguous; nan where an expert is silent.
    outcomes : ndarray of float64, shape (rows,), or None
        nan where it is missing; None where there are none.
    times : list of str or None
        What the time column holds.
    clock, arrivals : ndarray of int64, shape (rows,), or None
        When outcomes are known: that of a row is, as soon as the clock of a later one has reached its arrival. Where
        there is no time column the clock is None, and counts rows from 1. Where rows of one time are a block, both
        follow from the times.
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

    def with_outcomes(self) -> ForecastBatch:
        """The rows whose outcomes are not missing."""
        if self.outcomes is None or not np.isnan(self.outcomes).any():
            return self
        places = np.flatnonzero(~np.isnan(self.outcomes))
        return self._take(places, places)

    def runs(self) -> Iterator[tuple[int, int, bool]]:
        """Neighbouring rows that all have outcomes, or none of which has one: begin, end, and which."""
        if self.outcomes is None or not len(self):
            yield 0, len(self), True
            return
        known = ~np.isnan(self.outcomes)
        cuts = [0, *(np.flatnonzero(known[1:] != known[:-1]) + 1).tolist(), len(self)]
        for begin, end in pairwise(cuts):
            yield begin, end, bool(known[begin])

    def slice(self, begin: int, end: int) -> ForecastBatch:
        """Some neighbouring rows."""
        return self._take(slice(begin, end), range(begin, end))

    def _take(self, cut: Any, places: Sequence[int] | Array) -> ForecastBatch:
        """Some rows, as an index of arrays and as numbers."""

        def error(row: int, column: str | None, fault: str, advice: str) -> DataError:
            return self.error(int(places[row]), column, fault, advice)

        columns = {name: getattr(self, name) for name in ("outcomes", "clock", "arrivals")}
        parts = {name: None if column is None else column[cut] for name, column in columns.items()}
        times = None if self.times is None else [self.times[row] for row in places]
        return replace(self, advice=self.advice[cut], times=times, error=error, **parts)


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
    ignore : sequence of str
        Columns that are not used at all.
    names : sequence of str or None
        The experts of a model that this goes on with, to be found in whatever order they stand.
    need_target : bool
        Whether there must be a column of outcomes. If not, there is none.
    blocks : bool
        Whether rows of one time are a block, whose outcomes are known once a row of a later time comes.
    block : str or None
        Of which stretch of time rows are a block instead, a unit of `TimeBlocks`.
    words : Words
        What messages call them.
    """

    target: str | None = None
    time: str | None = None
    arrivals: str | None = None
    experts: Sequence[str] | None = None
    names: Sequence[str] | None = None
    need_target: bool = True
    blocks: bool = False
    block: str | None = None
    words: Words = FORECASTS
    ignore: Sequence[str] = ()

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
    largest_block : int
        Of the rows so far, how many are of one time and known together; 1 where rows are no blocks.
    notes : list of str
        What a user should know of the columns, once the first batch is known.
    """

    def __init__(self, path: Source, columns: Columns) -> None:
        self.name = name_of(path)
        self.rereadable = can_be_read_again(path)
        self.experts: list[str] = []
        self.target: str | None = None
        self.largest_block = 1
        self.notes: list[str] = []
        self._columns = columns
        self._begun = False

    @property
    def in_blocks(self) -> bool:
        """Whether rows of one time are a block."""
        return self._columns.blocks

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
            "block": columns.block,
            "experts": self.experts,
        }

    def _after(self, skip: int) -> Iterator[ForecastBatch]:
        empty, blocks = True, TimeBlocks(str(self._columns.time), self._columns.block) if self.in_blocks else None
        for batch in self._batches():
            empty = False
            good, error = (batch, None) if blocks is None else self._marked(batch, blocks)
            if skip < len(good):
                yield good.slice(skip, len(good)) if skip else good
            skip = max(0, skip - len(good))
            if error is not None:
                raise error
        if empty:
            raise self._error("no rows", f"give a file with at least one row of {self._columns.words.cells}")

    def _marked(self, batch: ForecastBatch, blocks: TimeBlocks) -> tuple[ForecastBatch, DataError | None]:
        """The rows whose times can be used, with their clock, and the error to raise after them."""
        clock, error = blocks.mark(batch.times or (), batch.error)
        self.largest_block = max(self.largest_block, blocks.largest)
        good = batch if len(clock) == len(batch) else batch.slice(0, len(clock))
        return replace(good, clock=clock, arrivals=clock + 1), error

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
        taken = {*self._columns.apart(), *self._columns.ignore, *(self._columns.experts or ()), *(model or ())}
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
        raise self._error(what, f"choose it with --target among {listed(names, most=CHOICES)}")

    def _error(self, fault: str, advice: str) -> DataError:
        return DataError(self.name, None, None, fault, advice)

    def _ignored(self, names: Sequence[str], why: str) -> None:
        """Note that columns are left out."""
        if names:
            self._note(f"{self.name}: {listed(names)} {'are' if len(names) > 1 else 'is'} left out: {why}")

    def _note(self, text: str) -> None:
        if text not in self.notes:  # a second reading finds the same
            self.notes.append(text)
