"""Classes of hypotheses in files: tables of text and arrays of 0 and 1, and the points that halfspaces are to part."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import DataError
from .archives import NUMBERS, Archive, array_of, damage_as_error, texts
from .class_tables import SIGNS, read_class_table
from .formats import CLASSES, Names, delimiter_of, refuse_array, refuse_names
from .number_tables import read_numbers
from .source import Source, name_of, whole_file
from .table_chunk import Array

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
        result = _class_of_arrays(path, chosen == "npz", array, transpose)
    else:
        table = read_class_table(path, delimiter=delimiter_of(chosen), names=names)
        result = ClassFile(name_of(path), table.values, table.rows, table.columns, table.notes)
    result = result.transposed() if transpose else result
    _refuse_same_names(result)
    return result


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
    table = read_numbers(path, delimiter=delimiter_of(chosen), exact=True, names=names, what="coordinates")
    return PointFile(name_of(path), table.values.tolist(), table.rows, table.columns, table.notes)


def _format_of(path: Source, format: str | None, array: str | None, names: Names | None) -> str:
    chosen = CLASSES.choose(path, format)
    if chosen != "npz":
        refuse_array(array, chosen)
    refuse_names(names, chosen)
    return chosen


def _refuse_same_names(value: ClassFile) -> None:
    for what, names in (("hypotheses", value.hypotheses), ("points", value.points)):
        if names is not None and len(set(names)) < len(names):
            twice = next(name for name, count in Counter(names).items() if count > 1)
            raise DataError(value.name, None, None, f"two {what} are called {twice!r}", "every name stands once")


# Arrays.


def _class_of_arrays(path: Source, archive: bool, array: str | None, transpose: bool) -> ClassFile:
    file, values, strings = _arrays(path, archive, array)
    if values.ndim != 2 or 0 in values.shape or values.dtype.kind not in NUMBERS:
        advice = "0 and 1 in rows (hypotheses) and columns (points) are expected"
        raise DataError(file, None, None, f"an array of shape {values.shape} and type {values.dtype}", advice)
    signs = values.dtype.kind in "if" and bool((np.abs(values) == 1).all() and (values < 0).any())
    matrix = np.asarray(values) > 0 if signs else np.asarray(values) != 0
    wrong = np.argwhere(values != matrix)
    if len(wrong) and not signs:
        row, column = (int(place) for place in wrong[0])
        fault = f"found {values[row, column]!s} in row {row}, column {column} (counted from 0)"
        raise DataError(file, None, None, fault, "0 and 1 are expected, or -1 and 1 alone")
    kinds = (POINTS, HYPOTHESES) if transpose else (HYPOTHESES, POINTS)
    rows = _naming(file, strings, (*kinds[0], *ROWS), "row", matrix.shape[0])
    columns = _naming(file, strings, (*kinds[1], *COLUMNS), "column", matrix.shape[1])
    return ClassFile(file, matrix, rows, columns, [f"{file}: {SIGNS}"] if signs else [])


def _points_of_arrays(path: Source, archive: bool) -> PointFile:
    file, values, strings = _arrays(path, archive, None)
    if values.ndim != 2 or 0 in values.shape or values.dtype.kind not in NUMBERS:
        advice = "numbers in rows (points) and columns (coordinates) are expected"
        raise DataError(file, None, None, f"an array of shape {values.shape} and type {values.dtype}", advice)
    wrong = np.argwhere(~np.isfinite(values))
    if len(wrong):
        row, column = (int(place) for place in wrong[0])
        fault = f"found {values[row, column]!s} in row {row}, column {column} (counted from 0)"
        raise DataError(file, None, None, fault, "coordinates are finite numbers")
    names = _naming(file, strings, (*POINTS, *ROWS, "names"), "row", len(values))
    return PointFile(file, values.tolist(), names)


def _arrays(path: Source, archive: bool, array: str | None) -> tuple[str, Array, dict[str, list[str]]]:
    """The file, its array of numbers, and its lists of strings."""
    file = whole_file(path, "an array")
    with damage_as_error(file):
        if not archive:
            return file, array_of(file), {}
        with Archive(file) as opened:
            expected = "rows of hypotheses and columns of points are expected"
            name = array or opened.table(TABLES, "meant", "choose with --array", expected)
            table = opened.member(name)
            named = {name: member for name, member in opened.shaped(1, "USiu").items() if name in NAMING}
            strings = {name: texts(member.all()) for name, member in named.items()}
            return file, table.all(), strings


def _naming(
    file: str, strings: dict[str, list[str]], known: tuple[str, ...], what: str, count: int
) -> list[str] | None:
    """The list of names of rows or columns, by what it is called."""
    name = next((name for name in known if name in strings), None)
    if name is not None and len(strings[name]) != count:
        fault = f"the array {name!r} has {len(strings[name])} names"
        raise DataError(file, None, None, fault, f"{count} are expected, one for each {what}")
    return None if name is None else strings[name]
