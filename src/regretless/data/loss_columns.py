"""Columns of losses that are watched row by row, from a table or from a pipe as they come."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import DataError
from .batch import Array
from .forecast_stream import ColumnRoles, ForecastBatch, Terms
from .forecast_tables import ForecastSelection, TableForecasts
from .formats import COLUMNS
from .named_columns import open_columns
from .source import Source
from .table_chunk import Chunk

TERMS = Terms("column", "loss", "losses", "--column")


@dataclass(frozen=True)
class LossRows:
    """Consecutive rows.

    Attributes
    ----------
    losses : ndarray of float64, shape (rows, columns)
    times : list of str or None
        What the time column holds.
    places : ndarray of int, shape (rows,)
        Which rows of the file they are, counted from 0.
    """

    losses: Array
    times: list[str] | None
    places: Array


class LossColumns(TableForecasts):
    """Losses in the columns of a table.

    Parameters
    ----------
    path : path or "-" or Input
        Text may be compressed (.gz, .xz, .zst, .bz2).
    columns : sequence of str or None
        Those that are read, by default all columns of numbers.
    value_range : (float, float)
        Where all losses lie.
    time : str, optional
        The column that says when each row was.
    format : str, optional
        One of `formats.COLUMNS`; by default by the suffix, and csv if that says nothing.
    header : bool, optional
        Of text, whether the first line names the columns; by default what it looks like.
    skip_missing : bool
        Whether to pass over rows in which a loss is missing, or nan.

    Attributes
    ----------
    read, skipped : int
        Rows so far, and how many of them were passed over.
    """

    def __init__(
        self,
        path: Source,
        columns: Sequence[str] | None,
        value_range: tuple[float, float],
        *,
        time: str | None = None,
        format: str | None = None,
        header: bool | None = None,
        skip_missing: bool = False,
    ) -> None:
        roles = ColumnRoles(experts=columns, time=time, need_target=False, words=TERMS)
        super().__init__(path, roles, COLUMNS.choose(path, format))
        self._range, self._header, self._skips = value_range, header, skip_missing
        self.read = self.skipped = 0

    def rows(self) -> Iterator[LossRows]:
        """All rows, part by part, as soon as they are there.

        Raises
        ------
        DataError
            If a row cannot be used, or a loss is missing or out of the range; the rows before it have been given.
        """
        for batch in self.batches():
            good, error = self._usable(batch)
            before, self.read = self.read, self.read + len(good)
            there = np.flatnonzero(~np.isnan(good.advice).any(axis=1))
            self.skipped += len(good) - len(there)
            if len(there):
                times = None if good.times is None else [good.times[row] for row in there]
                yield LossRows(good.advice[there], times, before + there)
            if error is not None:
                raise error

    def _usable(self, batch: ForecastBatch) -> tuple[ForecastBatch, DataError | None]:
        """The rows up to the first loss that is none, and the error to raise after them."""
        low, high = self._range
        bad = ~((batch.advice >= low) & (batch.advice <= high))
        if self._skips:
            bad &= ~np.isnan(batch.advice)
        if not bad.any():
            return batch, None
        row = int(bad.any(axis=1).argmax())
        name, value = self.experts[int(bad[row].argmax())], float(batch.advice[row][bad[row]][0])
        if np.isnan(value):
            return batch.slice(0, row), batch.error(
                row, name, f"column {name!r} has no value", "every row needs a loss; --missing skip passes over others"
            )
        fault = f"column {name!r} holds {value!r}, and losses from {low:g} to {high:g} are expected"
        advice = "declare with --range LO HI where losses can lie, or say with --column which columns hold them"
        return batch.slice(0, row), batch.error(row, name, fault, advice)

    # No row waits for the next one: somebody may wait for the alarm.
    def _batches(self) -> Iterator[ForecastBatch]:
        choice = ForecastSelection(self._columns, self)
        for chunk in self._chunks(choice):
            batch, error = self._batch(chunk, choice)
            yield batch
            if error is not None:
                raise error

    def _chunks(self, choice: ForecastSelection) -> Iterator[Chunk]:
        table: Any = open_columns(self._path, self._format, choice, self._header)
        for chunk in table.chunks():
            choice.decide()
            for note in table.notes:
                self._note(f"{self.name}: {note}")
            yield chunk
