"""Times of rows with forecasts: what order they have, and which rows are of one time."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

import numpy as np

from ..errors import DataError
from .table_chunk import Array

Complain = Callable[[int, str | None, str, str], DataError]
SORTED = "sort the rows by it; if they stand in the order in which outcomes become known, give --delay 1"


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
UNITS = {"hour": "h", "day": "D", "week": "W", "month": "M"}  # and what numpy calls them


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
