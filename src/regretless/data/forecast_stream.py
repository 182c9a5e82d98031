"""Rounds with forecasts: a row a time step, a column an expert, the outcome beside them, and the order of times."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from ..checks import names_in
from ..errors import DataError, did_you_mean
from .batch import Array
from .messages import listed
from .source import Source, can_be_read_again, name_of

Complain = Callable[[int, str | None, str, str], DataError]
SORTED = "sort the rows by it; if they stand in the order in which outcomes become known, give --delay 1"
UNITS = {"hour": "h", "day": "D", "week": "W", "month": "M"}  # and what numpy calls them
TARGETS = ("target", "y", "outcome", "observed", "observation", "observations", "obs", "actual")
CHOICES = 100  # columns that are listed where one is to be chosen


def moments(values: Sequence[str]) -> Array | None:
    """Times as whole numbers: numbers as they are, dates in microseconds; None if they are neither."""
    numbers = _numbers(values)
    if numbers is None:
        return _dates(values)
    with np.errstate(invalid="ignore"):
        return numbers.astype(np.int64) if (numbers == np.floor(numbers)).all() else None


def _numbers(values: Sequence[str]) -> Array | None:
    try:
        numbers = np.array([float(value) for value in values], dtype=np.float64)
    except (ValueError, OverflowError):
        return None
    return numbers if np.isfinite(numbers).all() else None


def _dates(values: Sequence[str]) -> Array | None:
    """Microseconds; a time zone is taken into account. A bare number is no date, though numpy takes it for a year."""
    if any(value.strip().lstrip("-").isdigit() for value in values):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on time zones, which are read all the same
            dates = np.array([value.strip().removesuffix("Z") for value in values], dtype="datetime64[us]")
    except ValueError:
        return None
    return None if np.isnat(dates).any() else dates.astype(np.int64)


KINDS = {"a number": _numbers, "a date": _dates}


class TimeBlocks:
    """Rows of one time are a block: their outcomes are known once a row of a later time comes.

    The clock of a row is the number of its block's first row, counted from 1. Numbers and dates must not go back. Other
    text has no order: equal neighbours are a block.

    Parameters
    ----------
    column : str
        What messages call the times.
    unit : {"hour", "day", "week", "month"}, optional
        Rows of one such stretch are a block, instead of those of one time; the times are dates then.

    Attributes
    ----------
    largest : int
        Rows of the largest block so far.
    """

    def __init__(self, column: str, unit: str | None = None) -> None:
        self._column, self._unit = column, unit
        self._kind: str | None = None  # a key of KINDS, or "text"; known once there is a row
        self._rows = self._first = 0  # rows so far, and the number of the block's first row
        self.largest = 0
        self._last: tuple[object, str] | None = None  # the last row's time, as it is compared and as it is written

    def mark(self, words: Sequence[str], complain: Complain) -> tuple[Array, DataError | None]:
        """The clock of the next rows, up to one that cannot be used; and the error to raise after them.

        Parameters
        ----------
        words : sequence of str
            Their times.
        complain : callable
            As `ForecastBatch.error`.
        """
        if not words:
            return np.zeros(0, dtype=np.int64), None
        keys, error = self._keys(words, complain)
        if self._kind != "text" and len(keys):
            before = keys[:1] if self._last is None else np.array([self._last[0]], dtype=keys.dtype)
            back = np.flatnonzero(keys < np.concatenate([before, keys[:-1]]))
            if len(back):
                row = int(back[0])
                past = words[row - 1] if row or self._last is None else self._last[1]
                fault = f"{self._column!r} goes back, from {past} to {words[row]}"
                keys, error = keys[:row], complain(row, self._column, fault, SORTED)
        return self._clock(keys, words), error

    def _keys(self, words: Sequence[str], complain: Complain) -> tuple[Array, DataError | None]:
        """Times as they are compared, up to the first that is of another kind than the first of all."""
        if self._kind is None and self._unit is not None:
            self._kind = "a date"
        if self._kind is None:
            self._kind = next((kind for kind, read in KINDS.items() if read(words) is not None), "text")
        if self._kind == "text":
            return np.array(words, dtype=object), None
        read = KINDS[self._kind]
        keys = read(words)
        if keys is not None:
            return keys, None
        row = next(row for row, word in enumerate(words) if read([word]) is None)
        fault = f"{self._column!r} holds {words[row]!r}" if words[row] else f"{self._column!r} has no value"
        why = "as in the rows before" if self._unit is None else f"for blocks of one {self._unit}"
        error = complain(row, self._column, fault, f"{self._kind} is expected, {why}")
        return read(words[:row]) if row else np.zeros(0), error  # type: ignore[return-value]

    def _clock(self, keys: Array, words: Sequence[str]) -> Array:
        rows = len(keys)
        if not rows:  # the first of them could not be used
            return np.zeros(0, dtype=np.int64)
        last = keys[:1] if self._last is None else np.array([self._last[0]], dtype=keys.dtype)
        blocks = self._blocks(np.concatenate([last, keys]))
        begins = blocks[1:] != blocks[:-1]
        begins[0] |= self._last is None
        numbers = self._rows + 1 + np.arange(rows, dtype=np.int64)
        clock: Array = np.maximum.accumulate(np.where(begins, numbers, self._first))
        self.largest = max(self.largest, int((numbers - clock).max()) + 1)
        self._rows, self._first, self._last = self._rows + rows, int(clock[-1]), (keys[-1], words[rows - 1])
        return clock

    def _blocks(self, keys: Array) -> Array:
        """Which block each time is of."""
        if self._unit is None:
            return keys
        return keys.astype("datetime64[us]").astype(f"datetime64[{UNITS[self._unit]}]")


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
        return self.where(~np.isnan(self.outcomes))

    def where(self, chosen: Array) -> ForecastBatch:
        """The rows that are chosen, by a truth value each."""
        places = np.flatnonzero(chosen)
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
class Terms:
    """What messages call a table's columns and cells, and the option that chooses among the columns."""

    column: str
    cell: str
    cells: str
    option: str

    @property
    def otherwise(self) -> str:
        """What else to do about a column that cannot be used."""
        return f"or name the {self.column}s with {self.option}"


FORECASTS = Terms("expert", "forecast", "forecasts", "--experts")


@dataclass(frozen=True)
class ColumnRoles:
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
    words : Terms
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
    words: Terms = FORECASTS
    ignore: Sequence[str] = ()

    def __post_init__(self) -> None:
        for role in ("experts", "names", "ignore"):
            if (value := getattr(self, role)) is not None:
                names_in(role, value)

    def apart(self) -> list[str]:
        """The columns that are no experts, as far as they are named."""
        return [name for name in (self.target, self.time, self.arrivals) if name is not None]


class ForecastStream(ABC):
    """A source of rounds with forecasts.

    Parameters
    ----------
    path : path or "-"
    columns : ColumnRoles

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

    def __init__(self, path: Source, columns: ColumnRoles) -> None:
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
            what, meant = f"there is no column {named!r}", did_you_mean(named, names)
        else:
            meant = ""
            what = f"any of {listed(results)} may be the outcome" if results else "it is not said what the outcome is"
        raise self._error(what, f"{meant}choose it with --target among {listed(names, most=CHOICES)}")

    def _error(self, fault: str, advice: str) -> DataError:
        return DataError(self.name, None, None, fault, advice)

    def _ignored(self, names: Sequence[str], why: str) -> None:
        """Note that columns are left out."""
        if names:
            self._note(f"{self.name}: {listed(names)} {'are' if len(names) > 1 else 'is'} left out: {why}")

    def _note(self, text: str) -> None:
        if text not in self.notes:  # a second reading finds the same
            self.notes.append(text)
