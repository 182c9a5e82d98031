"""Classes of hypotheses in files: tables of text and arrays of 0 and 1, and the points that halfspaces are to part."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import DataError, ParameterError
from .class_tables import SIGNS, read_class_table
from .forecasts import listed
from .game_tables import NAMES, Names
from .loss_arrays import Archive, damage_told, of_file
from .source import Source, name_of, suffixes, whole_file
from .stored import open_archive
from .table_chunk import Array

FORMATS = {"csv": (".csv",), "tsv": (".tsv", ".tab"), "npz": (".npz",), "npy": (".npy",)}
TABLES = ("matrix", "class", "table", "labels", "points", "x")
HYPOTHESES = ("hypotheses", "hypothesis_names", "names")
POINTS = ("points", "point_names")
ROWS, COLUMNS = ("rows",), ("columns", "cols")
NAMING = (*HYPOTHESES, *POINTS, *ROWS, *COLUMNS)


@dataclass(frozen=True)
class ClassFile:
    """A class as a file has it.

    Attributes
    ----------
    name : str
        The file, as messages call it.
    matrix : ndarray of bool, shape (hypotheses, points)
    hypotheses, points : list of str or None
        What they are called, where the file says so.
    notes : list of str
        What a user should know of how the file was understood.
    """

    name: str
    matrix: Array
    hypotheses: list[str] | None = None
    points: list[str] | None = None
    notes: list[str] = field(default_factory=list)

    def transposed(self) -> ClassFile:
        """The class of a file whose rows are points."""
        return ClassFile(self.name, self.matrix.T, self.points, self.hypotheses, self.notes)


@dataclass(frozen=True)
class PointFile:
    """Points as a file has them.

    Attributes
    ----------
    name : str
        The file, as messages call it.
    values : list of list
        Their coordinates: whole numbers, fractions or floats.
    names : list of str or None
    axes : list of str or None
        What the coordinates are called.
    notes : list of str
    """

    name: str
    values: list[list[Any]]
    names: list[str] | None = None
    axes: list[str] | None = None
    notes: list[str] = field(default_factory=list)


def read_class(
    path: Source,
    *,
    format: str | None = None,
    array: str | None = None,
    names: Names | None = None,
    transpose: bool = False,
) -> ClassFile:
    """Read a class: rows are hypotheses, columns are points, and every entry is 0 or 1.

    Where every entry is -1 or 1, -1 is taken for 0, and a note says so.

    Parameters
    ----------
    path : path or "-"
        The file; ``-`` is standard input. Text may be compressed (.gz, .xz, .zst, .bz2).
    format : {"csv", "tsv", "npz", "npy"}, optional
        By default chosen by the suffix, and csv if that says nothing.
    array : str, optional
        Of an archive, the array of the class.
    names : {"both", "rows", "columns", "none"}, optional
        What a table has names of; by default it is seen from its cells.
    transpose : bool
        Whether rows are points and columns are hypotheses.

    Raises
    ------
    DataError
        If something cannot be used: it names the place.
    RegretlessError
        If the options do not fit each other or the format.
    """
    chosen = _format_of(path, format, array, names)
    if chosen in ("npz", "npy"):
        found = _class_of_arrays(path, chosen == "npz", array, transpose)
    else:
        table = read_class_table(path, delimiter=_delimiter(chosen), names=names)
        found = ClassFile(name_of(path), table.matrix, table.rows, table.columns, table.notes)
    found = found.transposed() if transpose else found
    _refuse_same_names(found)
    return found


def read_points(path: Source, *, format: str | None = None, names: Names | None = None) -> PointFile:
    """Read points: a row for each, a column for each coordinate; numbers of tables are taken as they are written.

    Raises
    ------
    DataError
        If something cannot be used: it names the place.
    RegretlessError
        If the options do not fit the format.
    """
    chosen = _format_of(path, format, None, names)
    if chosen in ("npz", "npy"):
        return _points_of_arrays(path, chosen == "npz")
    from .game_tables import read_table

    table = read_table(path, delimiter=_delimiter(chosen), exact=True, names=names, what="coordinates")
    return PointFile(name_of(path), table.values.tolist(), table.rows, table.columns, table.notes)


def _format_of(path: Source, format: str | None, array: str | None, names: Names | None) -> str:
    last = suffixes(path)[-1:]
    chosen = format or next((name for name, known in FORMATS.items() if last and last[0] in known), "csv")
    if chosen not in FORMATS:
        raise ParameterError("format", repr(chosen), f"classes are read from {', '.join(FORMATS)}", ": ")
    if array is not None and chosen != "npz":
        raise ParameterError("array", array, f"it is for .npz archives, and this is read as {chosen}", ": ")
    if names is not None and chosen not in ("csv", "tsv"):
        raise ParameterError("names", str(names), f"it is for tables of text, and this is read as {chosen}", ": ")
    if names not in (None, *NAMES):
        raise ParameterError("names", repr(names), f"{', '.join(NAMES)} are expected", ": ")
    return chosen


def _delimiter(format: str) -> str:
    return "," if format == "csv" else "\t"


def _refuse_same_names(found: ClassFile) -> None:
    for what, names in (("hypotheses", found.hypotheses), ("points", found.points)):
        if names is not None and len(set(names)) < len(names):
            twice = next(name for name, count in Counter(names).items() if count > 1)
            raise DataError(found.name, None, None, f"two {what} are called {twice!r}", "every name stands once")


# Arrays.


def _class_of_arrays(path: Source, archive: bool, array: str | None, transpose: bool) -> ClassFile:
    file, values, strings = _arrays(path, archive, array)
    if values.ndim != 2 or 0 in values.shape or values.dtype.kind not in "biuf":
        advice = "0 and 1 in rows (hypotheses) and columns (points) are expected"
        raise DataError(file, None, None, f"an array of shape {values.shape} and type {values.dtype}", advice)
    signs = values.dtype.kind in "if" and bool((np.abs(values) == 1).all() and (values < 0).any())
    matrix = np.asarray(values) > 0 if signs else np.asarray(values) != 0
    wrong = np.argwhere(values != matrix)
    if len(wrong) and not signs:
        row, column = (int(place) for place in wrong[0])
        found = f"found {values[row, column]!s} in row {row}, column {column} (counted from 0)"
        raise DataError(file, None, None, found, "0 and 1 are expected, or -1 and 1 alone")
    kinds = (POINTS, HYPOTHESES) if transpose else (HYPOTHESES, POINTS)
    rows = _naming(file, strings, (*kinds[0], *ROWS), "row", matrix.shape[0])
    columns = _naming(file, strings, (*kinds[1], *COLUMNS), "column", matrix.shape[1])
    return ClassFile(file, matrix, rows, columns, [f"{file}: {SIGNS}"] if signs else [])


def _points_of_arrays(path: Source, archive: bool) -> PointFile:
    file, values, strings = _arrays(path, archive, None)
    if values.ndim != 2 or 0 in values.shape or values.dtype.kind not in "biuf":
        advice = "numbers in rows (points) and columns (coordinates) are expected"
        raise DataError(file, None, None, f"an array of shape {values.shape} and type {values.dtype}", advice)
    wrong = np.argwhere(~np.isfinite(values))
    if len(wrong):
        row, column = (int(place) for place in wrong[0])
        found = f"found {values[row, column]!s} in row {row}, column {column} (counted from 0)"
        raise DataError(file, None, None, found, "coordinates are finite numbers")
    names = _naming(file, strings, (*POINTS, *ROWS, "names"), "row", len(values))
    return PointFile(file, values.tolist(), names)


def _arrays(path: Source, archive: bool, array: str | None) -> tuple[str, Array, dict[str, list[str]]]:
    """The file, its array of numbers, and its lists of strings."""
    file = whole_file(path, "an array")
    with damage_told(file):
        if not archive:
            return file, of_file(file), {}
        with open_archive(file) as opened:
            held = Archive(file, opened)
            name = array or _chosen(held)
            if name not in held.names:
                found = f"there is no array {name!r}"
                raise DataError(file, None, None, found, f"the arrays are {listed(held.names)}")
            named = {name: member for name, member in held.shaped(1, "USiu").items() if name in NAMING}
            strings = {name: _texts(member.all()) for name, member in named.items()}
            return file, held[name].all(), strings


def _chosen(held: Archive) -> str:
    """The array of numbers, if it is clear which one is meant."""
    tables = list(held.shaped(2, "biuf"))
    called = [name for name in tables if name.casefold() in TABLES]
    if len(tables) == 1 or len(called) == 1:
        return called[0] if called else tables[0]
    if tables:
        raise DataError(
            held.path, None, None, f"any of the arrays {listed(tables)} may be meant", "choose with --array"
        )
    found = f"no array of numbers in rows and columns is among {listed(held.names)}"
    raise DataError(held.path, None, None, found, "rows of hypotheses and columns of points are expected")


def _texts(strings: Array) -> list[str]:
    return [str(one) for one in (np.char.decode(strings, "utf-8") if strings.dtype.kind == "S" else strings)]


def _naming(
    file: str, strings: dict[str, list[str]], known: tuple[str, ...], what: str, count: int
) -> list[str] | None:
    """The list of names of rows or columns, by what it is called."""
    name = next((name for name in known if name in strings), None)
    if name is not None and len(strings[name]) != count:
        found = f"the array {name!r} has {len(strings[name])} names"
        raise DataError(file, None, None, found, f"{count} are expected, one for each {what}")
    return None if name is None else strings[name]
