"""Tables of losses: a row a round, a column an arm or what else loses.

Those of arms are played many times, and stay in memory as a whole. Those that are watched are read row by row, from a
table or from a pipe as they come.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np

from ..checks import names_in
from ..errors import DataError, ParameterError
from .archives import NUMBERS, array_of, open_arrays
from .arrays import ENTRIES, slices
from .batch import Array
from .forecast_stream import ColumnRoles, Complain, ForecastBatch, Terms
from .forecast_tables import CLOCKLIKE, ForecastSelection, TableForecasts
from .formats import COLUMNS, LOSSES, refuse_array
from .messages import listed
from .named_columns import open_columns
from .source import Source
from .table_chunk import Chunk

TABLES = ("losses", "loss", "costs", "cost", "rewards", "reward", "gains", "payoffs")
FAR = 2.0  # so many times as far below the others as these are apart
LOGGED = ("action", "arm", "reward", "click", "propensity", "propensity_score", "pscore", "probability")
WORDS = Terms("arm", "loss", "losses", "--arms"), Terms("arm", "reward", "rewards", "--arms")


@dataclass(frozen=True)
class LossTable:
    """What every arm costs, or yields, in every round.

    Attributes
    ----------
    name : str
        The file, as messages call it.
    values : ndarray of float32 or float64, shape (rounds, arms)
        C-contiguous; nan where an arm is asleep.
    arms : list of str
    notes : list of str
        What a user should know of the columns.
    """

    name: str
    values: Array
    arms: list[str]
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Wanted:
    """What is to be taken from a file, and what it may hold.

    Attributes
    ----------
    arms : sequence of str or None
        The columns, by default all of numbers.
    array : str or None
        Of an archive, the array.
    missing : float or None
        The number that stands for an arm that is asleep, besides nan and empty cells.
    low, high : float
        Where all values lie.
    rewards : bool
        Whether they are rewards instead of losses.
    """

    arms: Sequence[str] | None = None
    array: str | None = None
    missing: float | None = None
    low: float = 0.0
    high: float = 1.0
    rewards: bool = False

    def __post_init__(self) -> None:
        if self.arms is not None:
            names_in("arms", self.arms)

    @property
    def words(self) -> Terms:
        """What messages call the values."""
        return WORDS[self.rewards]

    def asleep_as_nan(self, values: Array) -> Array:
        """Put nan for the number that stands for an arm asleep, in place."""
        if self.missing is not None:
            values[values == values.dtype.type(self.missing)] = np.nan
        return values


def read_losses(path: str | os.PathLike[str], wanted: Wanted | None = None, *, format: str | None = None) -> LossTable:
    """Read a table of losses.

    Parameters
    ----------
    path : path or "-"
        The file; ``-`` is standard input. Text may be compressed (.gz, .xz, .zst, .bz2).
    wanted : Wanted, optional
    format : str, optional
        One of `formats.LOSSES`; by default chosen by the suffix, and csv if that says nothing.

    Raises
    ------
    DataError
        If something cannot be used: it names the first such row.
    RegretlessError
        If the options do not fit each other or the format.
    """
    wanted = wanted or Wanted()
    chosen = LOSSES.choose(path, format)
    if wanted.arms is not None and len(set(wanted.arms)) < len(wanted.arms):
        raise ParameterError("arms", ",".join(wanted.arms), "one of them is named twice", ": ")
    if chosen in ("npz", "npy"):
        return _read_array(path, wanted, archive=chosen == "npz")
    refuse_array(wanted.array, chosen)
    return _LossReader(path, wanted, chosen).read()


class Inspection:
    """Looks for rows that cannot be played, while a table is read part by part.

    The whole table is looked at, for a value outside of the declared range is answered with the range there is.

    Parameters
    ----------
    name : str
        The file, as messages call it.
    wanted : Wanted
    """

    def __init__(self, name: str, wanted: Wanted) -> None:
        self._name, self._wanted = name, wanted
        self._ever_awake: Array | None = None
        self._first: DataError | None = None
        self._outside = self._rounded = False
        self._ends: Array = np.zeros(0)  # the outermost values, and those next to them where some lie outside

    def look(self, values: Array, arms: Sequence[str], error: Complain) -> None:
        """Look at the next rows; `error` makes the complaint about one of them."""
        self._look_for_ends(values)
        awake = ~np.isnan(values)
        awake_here = np.asarray(awake.any(axis=0))
        self._ever_awake = awake_here if self._ever_awake is None else np.logical_or(self._ever_awake, awake_here)
        if self._first is not None:
            return
        low, high = np.float64(self._wanted.low), np.float64(self._wanted.high)  # not rounded as the table may be
        outside = awake & ~((values >= low) & (values <= high))
        if outside.any():
            almost = outside & (_is_single(values, low) | _is_single(values, high))
            self._rounded = self._rounded or bool(almost.any())
            outside &= ~almost
        bad = outside.any(axis=1) | ~awake.any(axis=1)
        if not bad.any():
            return
        row = int(bad.argmax())
        self._outside = bool(outside[row].any())
        if self._outside:
            place = int(outside[row].argmax())
            fault = f"arm {arms[place]!r} has the {self._wanted.words.cell} {digits(float(values[row, place]))}"
            self._first = error(row, arms[place], fault, "")
        else:
            advice = "at least one must be awake in every round: leave the row out"
            self._first = error(row, None, "no arm has a value", advice)

    def refuse(self, arms: Sequence[str]) -> None:
        """Raise the first complaint, if there is one. An arm that is never awake is a mistake in the table, too."""
        first = self._first
        if first is not None:
            advice = self._range() or first.advice
            raise DataError(first.path, first.line, first.column, first.fault, advice + loglike(arms))
        if self._ever_awake is not None and not self._ever_awake.all():
            fault = f"arm {arms[int(self._ever_awake.argmin())]!r} has no value in any row"
            raise DataError(self._name, None, None, fault, f"remove it, {self._wanted.words.otherwise}")

    def settled(self, table: Array) -> Array:
        """The table; ends of the range that were rounded to single precision are as they were declared."""
        if not self._rounded:
            return table
        result: Array = table.astype(np.float64)
        return np.clip(result, self._wanted.low, self._wanted.high, out=result)

    def _look_for_ends(self, values: Array) -> None:
        finite = np.isfinite(values)
        where: Any = True if finite.all() else finite  # a mask makes it several times as slow
        least = float(values.min(where=where, initial=inf))
        largest = float(values.max(where=where, initial=-inf))
        if least > largest:
            return
        inside = self._wanted.low <= least and largest <= self._wanted.high
        ends = np.array([least, largest]) if inside else np.unique(values[finite])
        known = np.unique(np.concatenate([self._ends, ends.astype(np.float64)]))
        self._ends = known if len(known) < 4 else known[[0, 1, -2, -1]]

    def _range(self) -> str:
        """What to do about a value outside of the declared range."""
        if not self._outside:
            return ""
        wanted, cells = self._wanted, self._wanted.words.cells
        if not len(self._ends) or (self._ends[0] >= wanted.low and self._ends[-1] <= wanted.high):
            return "only finite numbers can be used"
        least, largest = digits(float(self._ends[0])), digits(float(self._ends[-1]))
        declare = f"declare with --range LO HI where {cells} can lie, or say with --arms which columns are arms"
        has = f"{cells} from {digits(wanted.low)} to {digits(wanted.high)} are expected, but this table has {least} to "
        has += largest
        if wanted.missing is not None:
            return f"{has}: {declare}"
        marker = self._marker()
        if marker is None:
            return f"{has}: {declare}, with --missing which number stands for none"
        return f"{has}: if {marker} stands for an arm that sleeps, say --missing {_as_argument(marker)}; else {declare}"

    def _marker(self) -> str | None:
        """A whole number far below all others, which is rather a code than a loss."""
        if len(self._ends) < 3:
            return None
        low, next_low, high = (float(one) for one in self._ends[[0, 1, -1]])
        far = low < self._wanted.low and next_low - low > FAR * (high - next_low)
        return digits(low) if far and low.is_integer() else None


def _is_single(values: Array, end: float) -> Array:
    """Where this end of a range stands as a number of single precision, which may be a little beyond it."""
    with np.errstate(over="ignore"):
        single = np.float64(np.float32(end))
    return np.asarray(values == single) & bool(np.isfinite(single))


def loglike(arms: Sequence[str]) -> str:
    """What to say of columns that look like those of a log of draws instead of arms."""
    results = [name for name in arms if name.casefold() in LOGGED]
    if len(results) < 2:
        return ""
    return f"; {' and '.join(map(repr, results[:2]))} look like columns of a log of draws, which is read with --logged"


def digits(number: float) -> str:
    """A number in the fewest digits that give it back."""
    return str(number).removesuffix(".0")


def _as_argument(number: str) -> str:
    """Numbers such as -1e-05 are options to argparse; written out they are none."""
    return np.format_float_positional(float(number), trim="-") if "e" in number and number.startswith("-") else number


class _LossReader(TableForecasts):
    """Losses in a table of named columns, read as forecasts of which there is no outcome."""

    def __init__(self, path: Source, wanted: Wanted, format: str) -> None:
        super().__init__(path, ColumnRoles(experts=wanted.arms, need_target=False, words=wanted.words), format)
        self._wanted = wanted
        self._counting: list[int] = []

    def read(self) -> LossTable:
        """The whole table."""
        inspection = Inspection(self.name, self._wanted)
        parts: list[Array] = []
        arms: list[str] = []
        for batch in self.batches():
            values = self._wanted.asleep_as_nan(batch.advice)
            if not parts:
                arms = [name for place, name in enumerate(self.experts) if place not in self._counting]
            if self._counting:
                values = np.delete(values, self._counting, axis=1)
            inspection.look(values, arms, batch.error)
            parts.append(values)
        inspection.refuse(arms)
        if (hint := loglike(arms)) and self._wanted.arms is None:
            self._note(f"{self.name}: {hint.removeprefix('; ')}")
        return LossTable(self.name, inspection.settled(np.concatenate(parts)), arms, self.notes)

    def _suspect_clocks(self, advice: Array) -> None:
        """A column that counts the rows is no arm, unless the user says so; one that only grows hardly is."""
        if len(advice) < CLOCKLIKE or self._wanted.arms is not None:
            return
        steps = np.diff(advice, axis=0)
        whole = (advice == np.floor(advice)).all(axis=0)
        counts = whole & (steps == 1).all(axis=0) & ((advice[0] == 0) | (advice[0] == 1))
        if counts.all():
            return
        self._counting = np.flatnonzero(counts).tolist()
        self._ignored([self.experts[place] for place in self._counting], "it counts the rows (--arms takes it)")
        for place in np.flatnonzero((steps > 0).all(axis=0) & whole & ~counts).tolist():
            fault = f"{self.experts[place]!r} grows from row to row like a date, and is taken for an arm"
            self._note(f"{self.name}: {fault}; if it is none, name the arms with --arms")


# Arrays.


def _read_array(path: Source, wanted: Wanted, *, archive: bool) -> LossTable:
    """The table of losses in a .npz archive, or in a .npy file.

    Of an archive it is the array that is wanted, else the only one of rows and columns, else the only one of these that
    is called like one of `TABLES`. An array of as many strings as there are columns names the arms.
    """
    with open_arrays(path, archive=archive, array=wanted.array) as (file, opened):
        if opened is None:
            return _table(file, array_of(file), None, wanted)
        expected = "a row a round, a column an arm is expected"
        member = opened.member(wanted.array or opened.table(TABLES, "the table", "choose it with --array", expected))
        _refuse_shape(file, member.shape, member.dtype)
        return _table(file, member.all(), opened.strings(member.shape[1]), wanted)


def _refuse_shape(path: str, shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> None:
    if len(shape) == 2 and shape[0] == 0:
        raise DataError(path, None, None, "there are no rows", "at least one round is expected")
    if len(shape) != 2 or 0 in shape or dtype.kind not in NUMBERS or dtype.itemsize > 8:
        advice = "numbers in rows (rounds) and columns (arms) are expected"
        raise DataError(path, None, None, f"an array of shape {shape} and type {dtype}", advice)


def _table(path: str, values: Array, names: list[str] | None, wanted: Wanted) -> LossTable:
    _refuse_shape(path, values.shape, values.dtype)
    arms = names or [str(place) for place in range(values.shape[1])]
    if wanted.arms is not None:
        places = _places(path, arms, wanted.arms)
        values, arms = values[:, places], list(wanted.arms)
    table = np.asarray(values, dtype=_floating(values.dtype), order="C")
    inspection = Inspection(path, wanted)
    for begin, end in slices(len(table), table.size, ENTRIES):
        inspection.look(wanted.asleep_as_nan(table[begin:end]), arms, _complain(path, begin))
    inspection.refuse(arms)
    return LossTable(path, inspection.settled(table), arms)


def _places(path: str, arms: list[str], wanted: Sequence[str]) -> list[int]:
    places = {name: place for place, name in enumerate(arms)}
    if lacking := [name for name in wanted if name not in places]:
        raise DataError(path, None, None, f"there is no arm {listed(lacking)}", f"the arms are {listed(arms)}")
    return [places[name] for name in wanted]


def _floating(dtype: np.dtype[np.generic]) -> np.dtype[np.generic]:
    """The smaller of the types that hold all its values."""
    return np.dtype(np.float32) if np.can_cast(dtype, np.float32, "safe") else np.dtype(np.float64)


def _complain(path: str, first: int) -> Complain:
    def error(row: int, _: str | None, fault: str, advice: str) -> DataError:
        return DataError(path, None, None, f"in row {first + row} (counted from 0), {fault}", advice)

    return error


COLUMN_WORDS = Terms("column", "loss", "losses", "--column")


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
        roles = ColumnRoles(experts=columns, time=time, need_target=False, words=COLUMN_WORDS)
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
