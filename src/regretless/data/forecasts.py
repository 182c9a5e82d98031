"""Tables of forecasts, in any of their formats; archives of them are read here."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

import numpy as np

from ..errors import DataError, ParameterError, RegretlessError
from .archives import NUMBERS, Archive, Member, damage_as_error
from .arrays import ENTRIES, slices
from .batch import Array
from .forecast_stream import ColumnRoles, ForecastBatch, ForecastStream, moments
from .forecast_tables import TableForecasts
from .formats import FORECASTS
from .messages import listed
from .source import Source, cached, whole_file

TABLES = ("experts", "relatives")
OUTCOMES = ("outcome", "outcomes", "obs", "load", "y", "target", "observed", "actual")


def open_forecasts(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    target: str | None = None,
    time: str | None = None,
    experts: Sequence[str] | None = None,
    arrivals: str | None = None,
    names: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    need_target: bool = True,
    blocks: bool = False,
    block: str | None = None,
    cache: str | os.PathLike[str] | None = None,
) -> ForecastStream:
    """Open a table of forecasts.

    Parameters
    ----------
    path : path or "-"
        The file; ``-`` is standard input. Text may be compressed (.gz, .xz, .zst, .bz2).
    format : str, optional
        One of `formats.FORECASTS`; by default chosen by the suffix, and csv if that says nothing.
    target : str, optional
        The column of outcomes (.npz: the array), by default the only one that is called like one of
        `forecast_stream.TARGETS`.
    time : str, optional
        The column that says when each row was.
    experts : sequence of str, optional
        The columns of the experts; by default all numeric ones that are nothing else. .npz: one of them may name the
        array of forecasts.
    arrivals : str, optional
        The column that says when each outcome is known, in the terms of `time`, else as a row counted from 1.
    names : sequence of str, optional
        The experts of the model that goes on with this table. Their columns may stand in any order, among others.
    ignore : sequence of str
        Columns that are not used, as if the table did not have them.
    need_target : bool
        Whether outcomes are needed; otherwise none are read.
    blocks : bool
        Whether rows of one time are a block, whose outcomes are known once a row of a later time comes. The times must
        not go back.
    block : {"hour", "day", "week", "month"}, optional
        Rows of one such stretch of time are a block instead of those of one time.
    cache : path, optional
        What can be read only once is copied there, so that it can be read again.

    Raises
    ------
    DataError
        If there is no such file; everything else that may be wrong with it shows when it is read.
    RegretlessError
        If the options do not fit each other.
    """
    chosen = FORECASTS.choose(path, format)
    columns = ColumnRoles(target, time, arrivals, experts, names, need_target, blocks, block, ignore=ignore)
    _refuse_contradictions(columns)
    source = cached(path, cache)
    if chosen == "npz":
        return NpzForecasts(source, columns)
    return TableForecasts(source, columns, chosen)


def _refuse_contradictions(columns: ColumnRoles) -> None:
    apart = columns.apart()
    if len(set(apart)) < len(apart):
        raise RegretlessError(f"{listed(apart)}: outcome, time and arrival are three columns")
    if used := [name for name in columns.ignore if name in (*apart, *(columns.experts or ()), *(columns.names or ()))]:
        raise ParameterError("ignore", ",".join(columns.ignore), f"{listed(used)} is used", ": ")
    if columns.experts is None:
        return
    if len(set(columns.experts)) < len(columns.experts):
        raise ParameterError("experts", ",".join(columns.experts), "one of them is named twice", ": ")
    if both := [name for name in columns.experts if name in apart]:
        raise ParameterError("experts", ",".join(columns.experts), f"{listed(both)} is something else already", ": ")


class NpzForecasts(ForecastStream):
    """Forecasts in a .npz archive, read row by row.

    It holds an array ``experts`` or ``relatives`` of rows and columns, or one that is named among the experts; arrays
    of outcomes, times and arrivals, one value a row; and perhaps ``names``, those of the columns.
    """

    def __init__(self, path: Source, columns: ColumnRoles) -> None:
        self._path = whole_file(path, "an array")
        super().__init__(self._path, columns)

    def _batches(self) -> Iterator[ForecastBatch]:
        with damage_as_error(self._path), Archive(self._path) as archive:
            yield from self._read(archive)

    def _read(self, archive: Archive) -> Iterator[ForecastBatch]:
        table = archive[self._table(archive.names)]
        if len(table.shape) != 2 or 0 in table.shape or table.dtype.kind not in NUMBERS:
            advice = "numbers in rows and columns, an expert each, are expected"
            raise self._error(f"forecasts of shape {table.shape} and type {table.dtype}", advice)
        places = self._places(archive, table.shape[1])
        beside = self._beside(archive, table.shape[0])
        spoke = np.zeros(len(places), dtype=bool)
        for begin, end in slices(table.shape[0], table.shape[0] * table.shape[1], ENTRIES):
            forecasts = np.ascontiguousarray(table.read(end - begin)[:, places], dtype=np.float64)
            spoke |= ~np.isnan(forecasts).all(axis=0)
            if end == table.shape[0]:
                self._refuse_silent(spoke)
            yield self._batch(forecasts, {role: member.read(end - begin) for role, member in beside.items()}, begin)

    def _batch(self, advice: Array, columns: dict[str, Array], first: int) -> ForecastBatch:
        def error(row: int, _: str | None, fault: str, hint: str) -> DataError:
            return DataError(self.name, None, None, f"in row {first + row} (counted from 0), {fault}", hint)

        outcomes = columns["target"].astype(np.float64) if "target" in columns else None
        if self._columns.need_target and outcomes is None:
            outcomes = np.full(len(advice), np.nan)
        times = [str(one) for one in columns["time"].tolist()] if "time" in columns else None
        arrivals = None
        if "arrivals" in columns:
            arrivals = self._whole(str(self._columns.arrivals), [str(one) for one in columns["arrivals"].tolist()])
        clock = None if arrivals is None or times is None else self._whole(str(self._columns.time), times)
        return ForecastBatch(advice, outcomes, times, clock, arrivals, error)

    def _whole(self, name: str, words: list[str]) -> Array:
        result = moments(words)
        if result is None:
            raise self._error(
                f"the array {name!r} holds other things than times", "whole numbers or dates are expected"
            )
        return result

    def _table(self, names: list[str]) -> str:
        wanted = [name for name in TABLES if name in names]
        experts = self._columns.experts or ()
        if not wanted and len(experts) == 1 and experts[0] in names:
            return experts[0]
        if not wanted:
            advice = f"an array 'experts' or 'relatives' is expected, or --experts NAME among {listed(names)}"
            raise self._error("there is no array of forecasts", advice)
        return wanted[0]

    def _places(self, archive: Archive, count: int) -> list[int]:
        """The columns of the experts, whose names become those of the stream."""
        called = [str(place) for place in range(count)]
        if "names" in archive.names:
            called = [str(name) for name in archive["names"].all().ravel().tolist()]
            if len(called) != count or len(set(called)) < count:
                raise self._error(f"{len(set(called)):,} names for {count:,} experts", "each needs a name of its own")
        experts = self._columns.experts
        if experts is not None and set(experts).isdisjoint(called) and list(experts) == [self._table(archive.names)]:
            experts = None
        self._refuse_missing(self._columns.ignore, called)
        wanted = [name for name in self._columns.names or experts or called if name not in self._columns.ignore]
        places = {name: place for place, name in enumerate(called)}
        self._refuse_missing(wanted, called)
        if self._columns.names is not None:
            known = set(wanted)
            self._ignored([name for name in called if name not in known], "not known to the model")
        self.experts = wanted
        return [places[name] for name in wanted]

    def _refuse_missing(self, wanted: Sequence[str], called: Sequence[str]) -> None:
        if lacking := [name for name in wanted if name not in set(called)]:
            raise self._error(f"there is no expert {listed(lacking)}", f"the experts are {listed(list(called))}")

    def _beside(self, archive: Archive, rows: int) -> dict[str, Member]:
        """The arrays of one value a row."""
        roles = {"time": self._columns.time, "arrivals": self._columns.arrivals}
        if self._columns.need_target:
            roles["target"] = self.target = self.find_target(archive.names, OUTCOMES)
        result = {}
        for role, name in roles.items():
            if name is None:
                continue
            member = result[role] = archive.member(name)
            if member.shape != (rows,):
                raise self._error(
                    f"{name!r} is of shape {member.shape}", f"one value for each of {rows:,} rows is expected"
                )
        if "target" in result and result["target"].dtype.kind not in NUMBERS:
            raise self._error(f"{self.target!r} holds no numbers", f"the arrays are {listed(archive.names)}")
        return result

    def _refuse_silent(self, spoke: Array) -> None:
        silent = [name for name, any_value in zip(self.experts, spoke, strict=True) if not any_value]
        if silent and self._columns.names is None:
            raise self._error(f"expert {silent[0]!r} has no value in any row", "leave it out with --experts")
