"""Forecasts in arrays: .npz archives."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator

import numpy as np

from ..errors import DataError
from .arrays import ENTRIES, slices
from .forecasts import Columns, ForecastBatch, ForecastStream, listed, moments
from .source import Source, whole_file
from .stored import UNREADABLE, Member, open_archive
from .table_chunk import Array

TABLES = ("experts", "relatives")
OUTCOMES = ("outcome", "outcomes", "obs", "load", "y", "target", "observed", "actual")


class NpzForecasts(ForecastStream):
    """Forecasts in a .npz archive, read row by row.

    It holds an array ``experts`` or ``relatives`` of rows and columns, or one that is named among the experts; arrays
    of outcomes, times and arrivals, one value a row; and perhaps ``names``, those of the columns.

    Parameters
    ----------
    path : path
    columns : Columns
    """

    def __init__(self, path: Source, columns: Columns) -> None:
        self._path = whole_file(path, "an array")
        super().__init__(self._path, columns)

    def _batches(self) -> Iterator[ForecastBatch]:
        try:
            with open_archive(self._path) as archive:
                yield from self._read(archive)
        except UNREADABLE as error:
            if isinstance(error, DataError) or (isinstance(error, OSError) and error.errno is not None):
                raise
            advice = "write or fetch the file again (arrays of objects are never unpickled)"
            raise self._error(f"this cannot be read ({error})", advice) from error

    def _read(self, archive: zipfile.ZipFile) -> Iterator[ForecastBatch]:
        names = [name.removesuffix(".npy") for name in archive.namelist()]
        table = Member(archive, self._table(names))
        if len(table.shape) != 2 or 0 in table.shape or table.dtype.kind not in "fiub":
            advice = "numbers in rows and columns, an expert each, are expected"
            raise self._error(f"forecasts of shape {table.shape} and type {table.dtype}", advice)
        places = self._places(archive, names, table.shape[1])
        beside = self._beside(archive, names, table.shape[0])
        heard = np.zeros(len(places), dtype=bool)
        for begin, end in slices(table.shape[0], table.shape[0] * table.shape[1], ENTRIES):
            forecasts = np.ascontiguousarray(table.read(end - begin)[:, places], dtype=np.float64)
            heard |= ~np.isnan(forecasts).all(axis=0)
            if end == table.shape[0]:
                self._refuse_silent(heard)
            yield self._batch(forecasts, {role: member.read(end - begin) for role, member in beside.items()}, begin)

    def _batch(self, advice: Array, columns: dict[str, Array], first: int) -> ForecastBatch:
        def error(row: int, _: str | None, found: str, hint: str) -> DataError:
            return DataError(self.name, None, None, f"in row {first + row} (counted from 0), {found}", hint)

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
        found = moments(words)
        if found is None:
            raise self._error(
                f"the array {name!r} holds other things than times", "whole numbers or dates are expected"
            )
        return found

    def _table(self, names: list[str]) -> str:
        wanted = [name for name in TABLES if name in names]
        given = self._columns.experts or ()
        if not wanted and len(given) == 1 and given[0] in names:
            return given[0]
        if not wanted:
            advice = f"an array 'experts' or 'relatives' is expected, or --experts NAME among {listed(names)}"
            raise self._error("there is no array of forecasts", advice)
        return wanted[0]

    def _places(self, archive: zipfile.ZipFile, names: list[str], count: int) -> list[int]:
        """The columns to take, those of the experts; their names are kept."""
        called = [str(place) for place in range(count)]
        if "names" in names:
            called = [str(name) for name in Member(archive, "names").all().ravel().tolist()]
            if len(called) != count or len(set(called)) < count:
                raise self._error(f"{len(set(called))} names for {count} experts", "each needs a name of its own")
        experts = self._columns.experts
        if experts is not None and set(experts).isdisjoint(called) and list(experts) == [self._table(names)]:
            experts = None
        wanted = list(self._columns.names or experts or called)
        places = {name: place for place, name in enumerate(called)}
        if lacking := [name for name in wanted if name not in places]:
            raise self._error(f"there is no expert {listed(lacking)}", f"the experts are {listed(called)}")
        if self._columns.names is not None:
            known = set(wanted)
            self._ignored([name for name in called if name not in known], "the model does not know them")
        self.experts = wanted
        return [places[name] for name in wanted]

    def _beside(self, archive: zipfile.ZipFile, names: list[str], rows: int) -> dict[str, Member]:
        """The arrays of one value a row."""
        roles = {"time": self._columns.time, "arrivals": self._columns.arrivals}
        if self._columns.need_target:
            roles["target"] = self.target = self.find_target(names, OUTCOMES)
        found = {}
        for role, name in roles.items():
            if name is None:
                continue
            if name not in names:
                raise self._error(f"there is no array {name!r}", f"the arrays are {listed(names)}")
            member = found[role] = Member(archive, name)
            if member.shape != (rows,):
                raise self._error(
                    f"{name!r} is of shape {member.shape}", f"one value for each of {rows} rows is expected"
                )
        if "target" in found and found["target"].dtype.kind not in "fiub":
            raise self._error(f"{self.target!r} holds no numbers", f"the arrays are {listed(names)}")
        return found

    def _refuse_silent(self, heard: Array) -> None:
        silent = [name for name, spoke in zip(self.experts, heard, strict=True) if not spoke]
        if silent and self._columns.names is None:
            raise self._error(f"expert {silent[0]!r} has no value in any row", "leave it out with --experts")
