"""Tables of forecasts: delimited text, Parquet, Arrow and Feather."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from ..errors import DataError, did_you_mean
from .batch import Array
from .columns import NUMERIC, Codes
from .csv import share_of_numbers
from .forecast_stream import TARGETS, ColumnRoles, ForecastBatch, ForecastStream, moments
from .messages import listed
from .named_columns import Selection, Usual, open_columns
from .source import Source
from .table_chunk import Chunk

NEVER = np.iinfo(np.int64).max
HALF = 0.5
FAR_AWAY = 1.0  # so many times the spread of the outcomes
CLOCKLIKE = 12  # rows over which whole numbers that grow are no coincidence


class TableForecasts(ForecastStream):
    """Forecasts in a table of named columns.

    Cells that are empty or NA are missing forecasts. A column of text that is not the time is left out, and so are
    columns that a model does not know, which a note says.

    Parameters
    ----------
    path : path or "-"
    columns : ColumnRoles
    format : {"csv", "tsv", "parquet", "arrow", "feather"}
    """

    def __init__(self, path: Source, columns: ColumnRoles, format: str) -> None:
        super().__init__(path, columns)
        self._path, self._format = path, format

    def _batches(self) -> Iterator[ForecastBatch]:
        choice = ForecastSelection(self._columns, self)
        spoke = np.zeros(0, dtype=bool)
        for chunk, last in _marked(self._chunks(choice)):
            spoke = spoke if len(spoke) else np.zeros(len(self.experts), dtype=bool)
            batch, error = self._batch(chunk, choice)
            if not spoke.any():
                self._suspect_clocks(batch.advice)
                self._suspect_strangers(batch)
            spoke |= ~np.isnan(batch.advice).all(axis=0)
            if last and error is None:
                self._refuse_silent(spoke)
            yield batch
            if error is not None:
                raise error

    def _chunks(self, choice: ForecastSelection) -> Iterator[Chunk]:
        for chunk in open_columns(self._path, self._format, choice).chunks():
            choice.decide()
            yield chunk

    def _batch(self, chunk: Chunk, choice: ForecastSelection) -> tuple[ForecastBatch, DataError | None]:
        """The rows that can be used, up to the first that cannot, and the error to raise after them."""
        columns = chunk.columns
        advice = columns.matrix(self.experts, np.dtype(np.float64))
        outcomes = None if choice.target is None else columns.floats(choice.target)
        if self._columns.need_target and outcomes is None:
            outcomes = np.full(len(advice), np.nan)
        times = None if self._columns.time is None else _words(columns.codes(self._columns.time))
        clock, arrivals = self._moments(chunk, times, outcomes)
        read = chunk.read()

        def complain(row: int, column: str | None, fault: str, advice: str) -> DataError:
            return chunk.error(int(read[row]), column, fault, advice)

        batch = ForecastBatch(advice, outcomes, times, clock, arrivals, complain)
        bad = chunk.faults.rows()
        if not len(bad):
            return batch, None
        column, fault, hint = chunk.faults.first(bad[0])
        otherwise = "" if column == self.target else self._columns.words.otherwise
        error = chunk.error(bad[0], column, fault, _without_categorical(hint, otherwise))
        return batch.slice(0, int(np.searchsorted(read, bad[0]))), error

    def _moments(
        self, chunk: Chunk, times: list[str] | None, outcomes: Array | None
    ) -> tuple[Array | None, Array | None]:
        """The clock and the arrivals, where arrivals are wanted."""
        name = self._columns.arrivals
        if name is None:
            return None, None
        words = _words(chunk.columns.codes(name))
        rows = [row for row, word in enumerate(words) if word or outcomes is None or not np.isnan(outcomes[row])]
        arrivals = np.full(len(words), NEVER)
        arrivals[rows] = self._whole(chunk, name, words, rows)
        if times is None:
            return None, arrivals
        return self._whole(chunk, str(self._columns.time), times, range(len(times))), arrivals

    def _whole(self, chunk: Chunk, name: str, words: list[str], rows: Sequence[int]) -> Array:
        result = moments([words[row] for row in rows])
        if result is not None:
            return result
        bad = next((row for row in rows if moments([words[row]]) is None), rows[0])
        what = f"column {name!r} holds {words[bad]!r}" if words[bad] else f"column {name!r} has no value"
        raise chunk.error(int(chunk.read()[bad]), name, what, "a whole number, or a date as 2030-12-31, is expected")

    def _suspect_clocks(self, advice: Array) -> None:
        """A column of whole numbers that only ever grows is rather a date than a forecast, and the user should know."""
        columns = self._columns
        if len(advice) < CLOCKLIKE or columns.experts is not None or columns.names is not None:
            return
        grows = (np.diff(advice, axis=0) > 0).all(axis=0) & (advice == np.floor(advice)).all(axis=0)
        for place in np.flatnonzero(grows).tolist():
            fault = f"{self.experts[place]!r} grows from row to row like a date, and is taken for an expert"
            self._note(f"{self.name}: {fault}; if it is none, name it with --time, {columns.words.otherwise}")

    def _suspect_strangers(self, batch: ForecastBatch) -> None:
        """A flag, or a column far from all outcomes, is rather a fact about the row than a forecast."""
        columns, outcomes = self._columns, batch.with_outcomes().outcomes
        if outcomes is None or len(outcomes) < CLOCKLIKE or columns.experts is not None or columns.names is not None:
            return
        for place, name in enumerate(self.experts):
            values = batch.advice[:, place]
            fault = _strange(values[~np.isnan(values)], outcomes)
            if fault is not None:
                advice = f"if it is no {columns.words.cell}, leave it out with --ignore"
                self._note(f"{self.name}: {name!r} {fault}, and is taken for an {columns.words.column}; {advice}")

    def _refuse_silent(self, spoke: Array) -> None:
        """Experts without a single forecast are a mistake in a table, but not in one that a model goes on with."""
        silent = [name for name, any_value in zip(self.experts, spoke, strict=True) if not any_value]
        if silent and self._columns.names is None and self._columns.experts is None:
            fault = f"column {listed(silent[:1])} has no value in any row"
            raise self._error(fault, f"remove it, {self._columns.words.otherwise}")


class ForecastSelection(Selection):
    """Decides which columns are read and what they are, while their kinds become known.

    Parameters
    ----------
    columns : ColumnRoles
    stream : TableForecasts
        It gets the experts, the target and the notes.

    Attributes
    ----------
    kinds : dict of str to str
        Of the columns that are read: number, boolean, text, or empty while a column has had no value.
    target : str or None
        The column of outcomes.
    dates : set of str
        Columns that are taken for text because they hold dates or times.
    """

    def __init__(self, columns: ColumnRoles, stream: TableForecasts) -> None:
        self._columns, self._stream = columns, stream
        self.kinds: dict[str, str] = {}
        self.target: str | None = None
        self.dates: set[str] = set()
        self._experts: list[str] | None = None  # None while it is open which columns they are
        self._wanted: list[str] = []

    def choose(self, names: list[str]) -> list[str]:
        """The columns to read. The list becomes shorter when columns of text are found in it."""
        self._refuse_missing(self._columns.ignore, names)
        names = [name for name in names if name not in self._columns.ignore]
        if self.target is None and self._columns.need_target:
            self.target = self._stream.target = self._stream.find_target(names, TARGETS)
        apart = [name for name in (self.target, self._columns.time, self._columns.arrivals) if name is not None]
        known = self._experts or self._columns.names or self._columns.experts
        self._refuse_missing([*(known or ()), *apart], names)
        if known is None:
            self._wanted = [name for name in names if name not in apart] + apart
        else:
            self._wanted = [*known, *apart]
            if self._columns.names is not None:
                wanted = set(self._wanted)
                self._leave_out([name for name in names if name not in wanted], "not known to the model")
        return self._wanted

    def settle(self, kinds: dict[str, str]) -> None:
        """Take note of the kinds of columns that had none."""
        named = {*(self._columns.names or self._columns.experts or ()), *(self._experts or ())}
        text = [name for name, kind in kinds.items() if kind == "text" and not self._is_word(name)]
        left_out = set(text)
        self.kinds |= {name: kind for name, kind in kinds.items() if name not in left_out}
        for name in text:
            if name == self.target or name in named:
                self._refuse_text(name)
        self._wanted[:] = [name for name in self._wanted if name not in left_out]  # the reader holds this very list
        dates = [name for name in text if name in self.dates]
        self._leave_out(dates, f"dates and times are no {self._columns.words.cells}")
        self._leave_out([name for name in text if name not in dates], f"text is no {self._columns.words.cell}")

    def decide(self) -> None:
        """Fix the experts, once the first rows are read."""
        if self._experts is None:
            apart = {self.target, self._columns.time, self._columns.arrivals}
            self._experts = [name for name in self._wanted if name not in apart]
            if not self._experts:
                besides = listed([name for name in apart if name])
                fault = "there is no column of numbers" + (f" besides {besides}" if besides else "")
                raise self._stream._error(fault, f"every {self._columns.words.column} is a column of numbers")
            self._stream.experts = self._experts

    def _expects(self, name: str) -> bool:
        """Whether the user, or the model, says that this column holds numbers."""
        named = (*(self._columns.experts or ()), *(self._columns.names or ()))
        return name == self.target or name in named

    def kind(self, name: str) -> str:
        """What a column holds; times and arrivals are taken as they are written."""
        return "text" if self._is_word(name) else self.kinds.get(name, "empty")

    def apart(self) -> Collection[str]:
        """The outcomes stand beside the forecasts and not among them."""
        return () if self.target is None else (self.target,)

    def kind_of_text(self, name: str, column: Any, usual: Usual) -> str:
        """What a column of delimited text holds."""
        from pyarrow import types

        if types.is_temporal(column.type):
            self.dates.add(name)
            return "text"
        kind = usual(name, column)
        # A column of numbers with slips in it is not to be left out in silence: reading it says where they are.
        return "number" if kind == "text" and (self._expects(name) or share_of_numbers(column) >= HALF) else kind

    def kind_of_type(self, name: str, type: Any, usual: Usual) -> str:
        """What a column of Parquet or Arrow holds."""
        from pyarrow import types

        plain = types.is_null(type) or types.is_dictionary(type) or types.is_boolean(type) or types.is_decimal(type)
        number = types.is_integer(type) or types.is_floating(type)
        if types.is_temporal(type):
            self.dates.add(name)
        return usual(name, type) if plain or number else "text"

    def _is_word(self, name: str) -> bool:
        return name in (self._columns.time, self._columns.arrivals)

    def _refuse_missing(self, wanted: Sequence[str], names: Sequence[str]) -> None:
        there = set(names)
        if lacking := [name for name in wanted if name not in there]:
            fault = f"there is no column {listed(lacking)}"
            raise self._stream._error(fault, f"{did_you_mean(lacking[0], names)}the columns are {listed(list(names))}")

    def _refuse_text(self, name: str) -> None:
        if name in (self._experts or ()) and name not in (self._columns.experts or ()):
            fault = f"column {name!r} holds text, and nothing in the first rows"
            raise self._stream._error(fault, f"remove it, {self._columns.words.otherwise}")
        numeric = [one for one, kind in self.kinds.items() if kind in NUMERIC and one != self.target]
        advice = f"the columns of numbers are {listed(numeric)}" if numeric else "numbers are expected"
        what = "dates or times" if name in self.dates else "text"
        raise self._stream._error(f"column {name!r} holds {what}", advice)

    def _leave_out(self, names: Sequence[str], why: str) -> None:
        self._stream._ignored(names, why)


def _marked(chunks: Iterator[Chunk]) -> Iterator[tuple[Chunk, bool]]:
    """Each chunk, and whether it is the last one; an error that comes instead of a next one leaves that open."""
    before = next(chunks, None)
    while before is not None:
        error: Exception | None = None
        try:
            after = next(chunks, None)
        except Exception as caught:
            after, error = None, caught
        yield before, after is None and error is None
        if error is not None:
            raise error
        before = after


def _strange(values: Array, outcomes: Array) -> str | None:
    """Why values are hardly forecasts of these outcomes; None if they may be."""
    low, high, middle = (
        float(outcomes.min()),
        float(outcomes.max()),
        float(np.median(values)) if len(values) else np.nan,
    )
    if max(low - middle, middle - high) > FAR_AWAY * (high - low):
        here = f"({values.min():.4g} to {values.max():.4g})"
        return f"lies far {here} from all outcomes of the first rows ({low:.4g} to {high:.4g})"
    if np.array_equal(np.unique(values), [0, 1]) and not np.isin(outcomes, (0, 1)).all():
        return "is 0 or 1 in all of the first rows, as a flag is, while outcomes are not"
    return None


def _words(codes: Codes) -> list[str]:
    code, values = codes
    words = [*values, ""]  # which the code of none picks
    return [words[place] for place in code.tolist()]


def _without_categorical(advice: str, otherwise: str) -> str:
    head, advised, _ = advice.partition("; pass --categorical")
    return f"{head}, {otherwise}" if advised and otherwise else head
