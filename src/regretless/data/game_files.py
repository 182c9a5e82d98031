"""Games in files: matrices in tables and arrays, sequence forms, and Gambit's games in strategic and extensive form."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..errors import DataError
from .archives import NUMBERS, Archive, array_of, open_arrays
from .batch import Array
from .formats import GAMES, Names, delimiter_of, refuse_array, refuse_names
from .labelled_matrix import read_numbers
from .messages import listed
from .source import Source, name_of

if TYPE_CHECKING:
    from .gambit_efg import GameTree
    from .gambit_nfg import StrategicForm


Kind = Literal["matrix", "bimatrix", "sequence", "extensive"]
MATRIX, OTHER = "A", "B"
TABLES = ("a", "payoffs", "payoff", "matrix", "game", "losses", "loss")
ROWS = ("rows", "row_names", "row", "agents", "names")
COLUMNS = ("cols", "columns", "column_names", "col_names", "col", "tasks", "names")
SPARSE = ("data", "indices", "indptr", "shape", "format")
FORMS = ("A", "E", "F")
PARTS = ("row", "col", "val", "shape")
LARGEST = 10_000_000  # rows or columns of a sparse matrix, which a few bytes may claim


@dataclass(frozen=True)
class Triplets:
    """A matrix by its entries.

    Attributes
    ----------
    rows, columns : ndarray of int64
        Where the entries stand, from 0.
    values : ndarray of float64
    shape : (int, int)
    """

    rows: Array
    columns: Array
    values: Array
    shape: tuple[int, int]


@dataclass(frozen=True)
class GameFile:
    """A game of two players as a file has it.

    Attributes
    ----------
    name : str
        The file, as messages call it.
    kind : {"matrix", "bimatrix", "sequence", "extensive"}
        One matrix of payoffs; one for each player; a sequence form; a tree.
    payoffs : list
        One matrix, or two: ndarrays of floats or whole numbers, of objects where these are exact, or sparse. None of a
        sequence form or a tree.
    rows, columns : list of str or None
        What the strategies are called, where the file says so.
    players : list of str
        What the players are called.
    title : str
    triplets : dict of Triplets
        The matrices ``A``, ``E`` and ``F`` of a sequence form.
    tree : GameTree or None
    notes : list of str
        What a user should know of how the file was understood.
    """

    name: str
    kind: Kind
    payoffs: list[Any] = field(default_factory=list)
    rows: list[str] | None = None
    columns: list[str] | None = None
    players: list[str] = field(default_factory=lambda: ["row player", "column player"])
    title: str = ""
    triplets: dict[str, Triplets] = field(default_factory=dict)
    tree: GameTree | None = None
    notes: list[str] = field(default_factory=list)


def read_game(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    array: str | None = None,
    exact: bool = False,
    names: Names | None = None,
) -> GameFile:
    """Read a game.

    Parameters
    ----------
    path : path or "-"
        The file; ``-`` is standard input. Text may be compressed (.gz, .xz, .zst, .bz2).
    format : str, optional
        One of `formats.GAMES`; by default chosen by the suffix, and csv if that says nothing.
    array : str, optional
        Of an archive, the array of payoffs.
    exact : bool
        Keep the numbers of a table as they are written, rather than as floats; Gambit's always are.
    names : {"both", "rows", "columns", "none"}, optional
        What a table has names of; by default it is seen from its cells.

    Raises
    ------
    DataError
        If something cannot be used: it names the place.
    RegretlessError
        If the options do not fit each other or the format.
    """
    chosen = GAMES.choose(path, format)
    if chosen not in ("npz", "npy"):
        refuse_array(array, chosen)
    refuse_names(names, chosen)
    if chosen in ("csv", "tsv"):
        return _of_table(path, delimiter_of(chosen), exact, names)
    if chosen in ("npz", "npy"):
        return _of_arrays(path, chosen == "npz", array)
    return _of_strategic_form(path) if chosen == "nfg" else _of_tree(path)


def _of_table(path: Source, delimiter: str, exact: bool, names: Names | None) -> GameFile:
    table = read_numbers(path, delimiter=delimiter, exact=exact, names=names)
    return GameFile(name_of(path), "matrix", [table.values], table.rows, table.columns, notes=table.notes)


def _of_strategic_form(path: Source) -> GameFile:
    from .gambit_nfg import read_nfg

    return of_strategic_form(read_nfg(path))


def of_strategic_form(form: StrategicForm) -> GameFile:
    """A game of two players from Gambit's strategic form.

    Raises
    ------
    DataError
        If it has not two players.
    """
    _refuse_others(form)
    payoffs = [_array(form.matrix(player)) for player in range(2)]
    notes = [f"{form.name}: {note}; they are distinguished by numbers" for note in form.notes]
    rows, columns = form.strategies
    return GameFile(form.name, "bimatrix", payoffs, rows, columns, _called(form.players), form.title, notes=notes)


def _refuse_others(form: StrategicForm) -> None:
    """Refuse games for one player, or for more than two."""
    if len(form.players) != 2:
        count = "1 player" if len(form.players) == 1 else f"{len(form.players)} players"
        raise DataError(form.name, None, None, f"a game of {count}", "games of two players alone can be solved")


def _called(players: list[str]) -> list[str]:
    """What the players are called; those without a name by their place."""
    places = ("row player", "column player")
    results = [" ".join(name.split()) or place for name, place in zip(players, places, strict=True)]
    return list(places) if results[0] == results[1] else results


def _array(rows: list[list[Any]]) -> np.ndarray[Any, Any]:
    """Whole numbers and fractions as an array of objects."""
    result = np.empty((len(rows), len(rows[0])), dtype=object)
    for place, row in enumerate(rows):
        result[place] = row
    return result


def _of_tree(path: Source) -> GameFile:
    from .gambit_efg import read_efg_file

    tree = read_efg_file(path)
    return GameFile(name_of(path), "extensive", players=list(tree.players), title=tree.title, tree=tree)


def _of_arrays(path: Source, archive: bool, array: str | None) -> GameFile:
    """Payoffs from a .npz archive, or from a .npy file, which has no array to be chosen by name."""
    with open_arrays(path, archive=archive, array=array) as (file, opened):
        return _of_one_array(file) if opened is None else _Archived(opened).read(array)


def _of_one_array(path: str) -> GameFile:
    """One matrix; or two, one above the other."""
    result = array_of(path)
    if result.ndim == 3 and result.shape[0] == 2:
        both = zip(("the first matrix", "the second matrix"), result, strict=True)
        return GameFile(path, "bimatrix", [_matrix(path, what, one) for what, one in both])
    return GameFile(path, "matrix", [_matrix(path, "the array", result)])


class _Archived:
    """Looks for a game among the arrays of an archive."""

    def __init__(self, archive: Archive) -> None:
        self._path, self._archive = archive.path, archive
        self._names = set(archive.names)

    def read(self, wanted: str | None) -> GameFile:
        """The game."""
        if wanted is None:
            if any(f"A_{part}" in self._names for part in PARTS):
                return self._sequence_form()
            if self._names.issuperset(SPARSE):
                return self._named([self._sparse()])
        name = wanted or self._chosen()
        matrices = [self._matrix(name)]
        if wanted is None and name == MATRIX and OTHER in self._names:
            matrices.append(self._matrix(OTHER))
            if matrices[0].shape != matrices[1].shape:
                fault = f"the shapes of A and B are {matrices[0].shape} and {matrices[1].shape}"
                advice = "payoffs of both players have one shape (for a zero-sum game, --array A)"
                raise self._error(fault, advice)
        return self._named(matrices)

    def _chosen(self) -> str:
        """The matrix, if it is clear which one it is."""
        if MATRIX in self._names:
            return MATRIX
        expected = "payoffs are expected in an array A, a sequence form in A_row, A_col, A_val, A_shape"
        return self._archive.table(TABLES, "the payoffs", "choose with --array", expected)

    def _matrix(self, name: str) -> Array:
        return _matrix(self._path, f"the array {name!r}", self._member(name))

    def _member(self, name: str) -> Array:
        return self._archive.member(name).all()

    # Names.

    def _named(self, matrices: list[Any]) -> GameFile:
        """The matrices with the names of their rows and columns, where it is clear what these are."""
        rows, columns = matrices[0].shape
        strings = {name: member.shape[0] for name, member in self._archive.shaped(1, "US").items()}
        if "names" in self._names and "names" not in strings:
            raise self._error("the array 'names' is no list of strings", "save it with dtype=str, not as objects")
        chosen = [_naming(strings, known, count) for known, count in ((ROWS, rows), (COLUMNS, columns))]
        if rows != columns:  # elsewhere one list of names might stand for either
            fitting = [[name for name, count in strings.items() if count == wanted] for wanted in (rows, columns)]
            chosen = [name or (one[0] if len(one) == 1 else None) for name, one in zip(chosen, fitting, strict=True)]
        results = [None if name is None else self._archive.names_in(name, "every strategy") for name in chosen]
        kind: Kind = "matrix" if len(matrices) == 1 else "bimatrix"
        return GameFile(self._path, kind, matrices, results[0], results[1])

    # Sparse matrices.

    def _sparse(self) -> Any:
        """A matrix as ``scipy.sparse.save_npz`` writes it."""
        from scipy import sparse

        known = {"csr": sparse.csr_array, "csc": sparse.csc_array}
        written = self._member("format").item()
        kind = known.get(written.decode() if isinstance(written, bytes) else written)
        if kind is None:
            raise self._error(f"a sparse matrix in the format {written!r}", "save it as csr or csc")
        parts = self._list("data"), self._whole("indices"), self._whole("indptr")
        result = kind(parts, shape=self._shape("shape"))
        result.check_format(full_check=True)
        return result

    def _sequence_form(self) -> GameFile:
        lacking = [f"{form}_{part}" for form in FORMS for part in PARTS if f"{form}_{part}" not in self._names]
        if lacking:
            fault = f"a sequence form without {listed(lacking)}"
            raise self._error(fault, "each of A, E and F is expected as _row, _col, _val and _shape")
        triplets = {form: self._triplets(form) for form in FORMS}
        shapes = {form: one.shape for form, one in triplets.items()}
        if shapes["A"] != (shapes["E"][1], shapes["F"][1]):
            listing = ", ".join(f"{form}_shape is {list(shape)}" for form, shape in shapes.items())
            raise self._error(listing, "A is expected to have a row for each column of E, a column for each of F")
        return GameFile(self._path, "sequence", triplets=triplets)

    def _triplets(self, form: str) -> Triplets:
        rows, columns = self._whole(f"{form}_row"), self._whole(f"{form}_col")
        values = self._list(f"{form}_val").astype(np.float64)
        shape = self._shape(f"{form}_shape")
        if not len(rows) == len(columns) == len(values):
            sizes = f"{len(rows):,}, {len(columns):,} and {len(values):,}"
            fault = f"{form}_row, {form}_col and {form}_val have {sizes} entries"
            raise self._error(fault, "as many are expected in each")
        for name, places, count in ((f"{form}_row", rows, shape[0]), (f"{form}_col", columns, shape[1])):
            outside = (places < 0) | (places >= count)
            if outside.any():
                place = int(outside.argmax())
                fault = f"{name} has {int(places[place])} at entry {place + 1}"
                raise self._error(fault, f"a number from 0 to {count - 1} is expected, for {form}_shape is {shape}")
        return Triplets(rows, columns, values, shape)

    def _shape(self, name: str) -> tuple[int, int]:
        result = self._whole(name).tolist()
        if len(result) != 2 or not all(1 <= size <= LARGEST for size in result):
            shown = result if len(result) <= 4 else f"a list of {len(result):,} numbers"
            advice = f"a number of rows and one of columns are expected, each from 1 to {LARGEST:,}"
            raise self._error(f"{name} is {shown}", advice)
        return result[0], result[1]

    def _list(self, name: str) -> Array:
        """A list of finite numbers."""
        what = f"the array {name!r}"
        return _finite(self._path, what, _numbers(self._path, what, self._member(name), 1))

    def _whole(self, name: str) -> Array:
        """A list of whole numbers."""
        result = self._member(name)
        if result.ndim != 1 or result.dtype.kind not in "iu":
            what = f"the array {name!r} has shape {result.shape} and type {result.dtype}"
            raise self._error(what, "a list of whole numbers is expected")
        if result.dtype.kind == "u" and len(result) and int(result.max()) > np.iinfo(np.int64).max:
            raise self._error(f"the array {name!r} has {int(result.max())}", "smaller numbers are expected")
        return result.astype(np.int64)

    def _error(self, fault: str, advice: str) -> DataError:
        return DataError(self._path, None, None, fault, advice)


def _naming(strings: dict[str, int], known: tuple[str, ...], count: int) -> str | None:
    """The array that names so many strategies, by what it is called."""
    return next((name for name in known if strings.get(name) == count), None)


def _matrix(path: str, what: str, value: Array) -> Array:
    """The array, if it can be a matrix of payoffs."""
    value = _numbers(path, what, np.asarray(value), 2)
    if math.prod(value.shape) == 0:
        advice = "at least one row and one column are expected"
        raise DataError(path, None, None, f"{what} has shape {value.shape}", advice)
    return _finite(path, what, value.astype(np.int8) if value.dtype.kind == "b" else value)


def _numbers(path: str, what: str, value: Array, dimensions: int) -> Array:
    if value.ndim != dimensions or value.dtype.kind not in NUMBERS or value.dtype.itemsize > 8:
        expected = "numbers in rows and columns are expected" if dimensions == 2 else "a list of numbers is expected"
        raise DataError(path, None, None, f"{what} has shape {value.shape} and type {value.dtype}", expected)
    return value


def _finite(path: str, what: str, value: Array) -> Array:
    """The array, if all its numbers are finite."""
    ends = value.min(initial=0), value.max(initial=0)  # nan if there is one
    if np.isfinite(ends).all():
        return value
    place = tuple(int(one) for one in np.argwhere(~np.isfinite(value))[0])
    where = f"row {place[0] + 1}, column {place[1] + 1}" if len(place) == 2 else f"entry {place[0] + 1}"
    raise DataError(path, None, None, f"{what} has {value[place]} in {where}", "payoffs are finite numbers")
