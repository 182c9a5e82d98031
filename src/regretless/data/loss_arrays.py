"""Losses in arrays: .npz archives and .npy files."""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from errno import EINVAL

import numpy as np

from ..errors import DataError
from .arrays import ENTRIES, slices
from .forecasts import Complain, listed
from .losses import Inspection, LossTable, Wanted
from .source import Source, whole_file
from .stored import UNREADABLE, File, Member, open_archive
from .table_chunk import Array

TABLES = ("losses", "loss", "costs", "cost", "rewards", "reward", "gains", "payoffs")
WHOLE = "write or fetch the file again (arrays of objects are never unpickled)"
NAMES = ("names", "arms", "arm", "algorithms", "algorithm", "columns", "experts", "expert")


def read_array(path: Source, wanted: Wanted, *, archive: bool) -> LossTable:
    """Read the table of losses in a .npz archive, or in a .npy file.

    Of an archive it is the array that is wanted, else the only one of rows and columns, else the only one of these that
    is called like one of `TABLES`. An array of as many strings as there are columns names the arms.

    Raises
    ------
    DataError
        If something cannot be used.
    """
    file = whole_file(path, "an array")
    if not archive and wanted.array is not None:
        raise DataError(file, None, None, "a .npy file holds one array without a name", "leave --array away")
    with damage_told(file):
        values, names = _of_archive(file, wanted.array) if archive else (of_file(file), None)
        return _table(file, values, names, wanted)


@contextmanager
def damage_told(path: str, found: str = "", advice: str = WHOLE) -> Iterator[None]:
    """Errors of whatever takes a damaged file apart become those of the file."""
    try:
        yield
    except UNREADABLE as error:
        # A damaged archive may send its reader to a place before the file's begin.
        if isinstance(error, DataError) or (isinstance(error, OSError) and error.errno not in (None, EINVAL)):
            raise
        raise DataError(path, None, None, found or f"this cannot be read ({error})", advice) from error


class Archive:
    """The arrays of an archive, whose shapes and types are known before they are read."""

    def __init__(self, path: str, archive: zipfile.ZipFile) -> None:
        self.path = path
        self.names = [name.removesuffix(".npy") for name in archive.namelist()]
        self._archive = archive

    def __getitem__(self, name: str) -> Member:
        return Member(self._archive, name)

    def strings(self, count: int) -> list[str] | None:
        """An array of so many strings that names columns, if it is clear which one does."""
        found = {}
        for name in self.names:
            member = self._readable(name)
            if member is not None and member.shape == (count,) and member.dtype.kind in "US":
                found[name] = member
        called = [name for name in NAMES if name in found]
        chosen = called[0] if called else next(iter(found)) if len(found) == 1 else None
        if chosen is None:
            return None
        strings = found[chosen].all()
        names = [str(one) for one in (np.char.decode(strings, "utf-8") if strings.dtype.kind == "S" else strings)]
        if len(set(names)) < count or "" in names:
            twice = next((name for name, count in Counter(names).items() if count > 1), "")
            what = "an empty name" if "" in names else f"{twice!r} twice"
            raise DataError(self.path, None, None, f"the array {chosen!r} has {what}", "each needs a name of its own")
        return names

    def shaped(self, dimensions: int, kinds: str) -> dict[str, Member]:
        """The arrays of so many dimensions and one of these kinds of types."""
        members = {name: self._readable(name) for name in self.names}
        return {
            name: member
            for name, member in members.items()
            if member is not None and len(member.shape) == dimensions and member.dtype.kind in kinds
        }

    def _readable(self, name: str) -> Member | None:
        """Other members of an archive, and arrays of objects, are passed over unless they are asked for."""
        try:
            return self[name]
        except ValueError:
            return None


def of_file(path: str) -> Array:
    """The array of a .npy file."""
    with File(path) as array:
        return array.all()


def _of_archive(path: str, wanted: str | None) -> tuple[Array, list[str] | None]:
    with open_archive(path) as file:
        archive = Archive(path, file)
        name = wanted or _chosen(archive)
        if name not in archive.names:
            found = f"there is no array {name!r}"
            raise DataError(path, None, None, found, f"the arrays are {listed(archive.names)}")
        member = archive[name]
        _refuse_shape(path, member.shape, member.dtype)
        return member.all(), archive.strings(member.shape[1])


def _chosen(archive: Archive) -> str:
    """The array of losses, if it is clear which one it is."""
    tables = list(archive.shaped(2, "fiub"))
    called = [name for name in tables if name.casefold() in TABLES]
    if len(tables) == 1 or len(called) == 1:
        return called[0] if called else tables[0]
    if tables:
        raise DataError(
            archive.path, None, None, f"any of the arrays {listed(tables)} may be the table", "choose it with --array"
        )
    found = f"no array of numbers in rows and columns is among {listed(archive.names)}"
    raise DataError(archive.path, None, None, found, "a row a round, a column an arm is expected")


def _refuse_shape(path: str, shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> None:
    if len(shape) == 2 and shape[0] == 0:
        raise DataError(path, None, None, "there are no rows", "at least one round is expected")
    if len(shape) != 2 or 0 in shape or dtype.kind not in "fiub" or dtype.itemsize > 8:
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
        inspection.look(wanted.woken(table[begin:end]), arms, _complain(path, begin))
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
    def error(row: int, _: str | None, found: str, advice: str) -> DataError:
        return DataError(path, None, None, f"in row {first + row} (counted from 0), {found}", advice)

    return error
