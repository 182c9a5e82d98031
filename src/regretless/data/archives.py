"""Arrays as numpy stores them, .npy files and .npz archives, read from front to back.

Nothing is mapped: what another process cuts short while it is mapped ends this one by a signal, and what is cut short
while it is read is an error like others.
"""

from __future__ import annotations

import math
import os
import zipfile
import zlib
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from errno import EINVAL
from io import BytesIO
from tokenize import TokenError
from typing import Any, BinaryIO, cast

import numpy as np

from ..errors import DataError
from ..memory import refuse_large
from .batch import Array
from .messages import listed
from .source import Source, whole_file

UNREADABLE = (ValueError, EOFError, OSError, RuntimeError, zipfile.BadZipFile, zlib.error, OverflowError)
MAGIC = b"\x93NUMPY"
LONGEST_HEADER = 1 << 16
LARGEST = 1 << 62
PIECE = 1 << 20  # bytes that are read at a time
AGAIN = "write or fetch the file again (arrays of objects are never unpickled)"
NUMBERS = "fiub"
NAMES = ("names", "arms", "arm", "algorithms", "algorithm", "columns", "experts", "expert")


@contextmanager
def damage_as_error(path: str, fault: str = "", advice: str = AGAIN) -> Iterator[None]:
    """Errors of a library that reads a damaged file become errors of the file."""
    try:
        yield
    except UNREADABLE as error:
        # A damaged archive may send its reader to a place before the file's begin.
        if isinstance(error, DataError) or (isinstance(error, OSError) and error.errno not in (None, EINVAL)):
            raise
        raise DataError(path, None, None, fault or f"this cannot be read ({error})", advice) from error


class Stored:
    """One array of a file, read from its first row on.

    Parameters
    ----------
    path : str
        What messages call the file.
    file : binary file
        At the first byte of the array's header.
    size : int
        Bytes from there to the end of the array.
    stored : int
        Bytes of the file on the disk.
    random : bool
        Whether the file can be read here and there.

    Attributes
    ----------
    shape : tuple of int
    dtype : numpy.dtype
    """

    def __init__(self, path: str, file: BinaryIO, size: int, stored: int, *, random: bool) -> None:
        self._path, self._file, self._stored = path, file, stored
        self.shape, self._fortran, self.dtype, begin = _header(file)
        self._begin = begin if random else None
        if self.dtype.hasobject:
            raise ValueError("it holds objects")
        if self.dtype.itemsize == 0:
            raise ValueError(f"it holds values of type {self.dtype}, which have no size")
        self._rows = 0  # that were read
        self._whole: Array | None = None
        # A length of 0 must not hide another that no array can have.
        if math.prod(length for length in self.shape if length) * self.dtype.itemsize > LARGEST:
            raise ValueError(f"an array has the shape {self.shape}")
        if math.prod(self.shape) * self.dtype.itemsize > size - begin:
            sizes = f"its header says shape {self.shape} and type {self.dtype}, and {size - begin} bytes follow"
            raise EOFError(f"an array is cut short: {sizes}")

    def all(self) -> Array:
        """The array as a whole, writable."""
        flat = self._take(math.prod(self.shape))
        return flat.reshape(self.shape, order="F" if self._fortran else "C")

    def read(self, rows: int) -> Array:
        """The next so many rows."""
        self._rows += rows
        if not self._fortran:
            return self._take(rows * math.prod(self.shape[1:])).reshape(rows, *self.shape[1:])
        if self._begin is not None and len(self.shape) == 2:
            return self._columns(self._rows - rows, rows)
        if self._whole is None:  # columns that are packed cannot be read side by side
            self._whole = self.all()
        return self._whole[self._rows - rows : self._rows]

    def _columns(self, first: int, rows: int) -> Array:
        """Some rows of an array that is stored column by column."""
        assert self._begin is not None
        columns: Array = np.empty((self.shape[1], rows), self.dtype)
        for column, values in enumerate(columns):
            self._file.seek(self._begin + (column * self.shape[0] + first) * self.dtype.itemsize)
            _fill(self._file, values)
        return columns.T

    def _take(self, count: int) -> Array:
        size = count * self.dtype.itemsize
        refuse_large(self._path, size, "what is to be read at once", file_size=self._stored)
        result: Array = np.empty(count, self.dtype)
        _fill(self._file, result)
        return result


class Member(Stored):
    """One array of an archive.

    Parameters
    ----------
    archive : zipfile.ZipFile
    name : str
        Without its suffix.

    Raises
    ------
    ValueError
        If there is none of this name, or it cannot be read.
    """

    def __init__(self, archive: zipfile.ZipFile, name: str) -> None:
        try:
            info = archive.getinfo(f"{name}.npy")
        except KeyError as error:
            raise ValueError(f"there is no array {name!r}") from error
        file = cast(BinaryIO, archive.open(info))
        super().__init__(str(archive.filename), file, info.file_size, info.compress_size, random=False)


class Archive:
    """The arrays of a .npz archive, whose shapes and types are known before they are read.

    Attributes
    ----------
    path : str
    names : list of str

    Raises
    ------
    DataError
        If there is no array in it.
    """

    def __init__(self, path: str) -> None:
        self.path, self._file = path, zipfile.ZipFile(path)
        self.names = [name.removesuffix(".npy") for name in self._file.namelist()]
        if not self.names:
            self._file.close()
            raise self._error("the archive is empty", "arrays are expected in it")

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __getitem__(self, name: str) -> Member:
        """The array of this name; a damaged one is one of `UNREADABLE`."""
        return Member(self._file, name)

    def member(self, name: str) -> Member:
        """The array of a name that a user gave.

        Raises
        ------
        DataError
            If there is none of this name.
        """
        if name not in self.names:
            raise self._error(f"there is no array {name!r}", f"the arrays are {listed(self.names)}")
        return self[name]

    def shaped(self, dimensions: int, kinds: str) -> dict[str, Member]:
        """The arrays of so many dimensions and one of these kinds of types."""
        members = {name: self._readable(name) for name in self.names}
        return {
            name: member
            for name, member in members.items()
            if member is not None and len(member.shape) == dimensions and member.dtype.kind in kinds
        }

    def table(self, called: Collection[str], several: str, choose: str, expected: str) -> str:
        """The array of numbers in rows and columns, if it is clear which one is meant.

        Parameters
        ----------
        called : collection of str
            In lower case, what such an array is called where there are several.
        several, choose : str
            The message about several, and what to do about them.
        expected : str
            What to do where there is none.

        Raises
        ------
        DataError
            If there is none, or it is open which one.
        """
        tables = list(self.shaped(2, NUMBERS))
        known = [name for name in tables if name.casefold() in called]
        if len(tables) == 1 or len(known) == 1:
            return known[0] if known else tables[0]
        if tables:
            raise self._error(f"any of the arrays {listed(tables)} may be {several}", choose)
        raise self._error(f"no array of numbers in rows and columns is among {listed(self.names)}", expected)

    def strings(self, count: int) -> list[str] | None:
        """An array of so many strings that names columns, if it is clear which one does."""
        fitting = {name: member for name, member in self.shaped(1, "US").items() if member.shape == (count,)}
        called = [name for name in NAMES if name in fitting]
        chosen = called[0] if called else next(iter(fitting)) if len(fitting) == 1 else None
        return None if chosen is None else self.names_in(chosen, "each")

    def names_in(self, array: str, each: str) -> list[str]:
        """An array of strings that are names.

        Parameters
        ----------
        array : str
        each : str
            What messages call one of those that they name.

        Raises
        ------
        DataError
            If they are no text, or one is empty or stands there twice.
        """
        try:
            names = texts(self.member(array).all())
        except UnicodeDecodeError as error:
            raise self._error(f"the names in {array!r} are no text in UTF-8", "save strings") from error
        if len(set(names)) < len(names) or "" in names:
            twice = next((name for name, count in Counter(names).items() if count > 1), "")
            what = "an empty name" if "" in names else f"{twice!r} twice"
            raise self._error(f"the array {array!r} has {what}", f"{each} needs a name of its own")
        return names

    def _readable(self, name: str) -> Member | None:
        """Other members of an archive, and arrays of objects, are passed over unless they are asked for."""
        try:
            return self[name]
        except ValueError:
            return None

    def _error(self, fault: str, advice: str) -> DataError:
        return DataError(self.path, None, None, fault, advice)


class File(Stored):
    """The array of a .npy file; it is closed when the block is left.

    Raises
    ------
    DataError
        If it is no .npy file.
    """

    def __init__(self, path: str) -> None:
        self._opened = open(path, "rb", buffering=0)  # noqa: SIM115 (closed by `__exit__`)
        try:
            begins = self._opened.read(len(MAGIC))
            if begins != MAGIC:
                fault, advice = "this is no .npy file", "name the format that it has with --format"
                raise DataError(path, None, None, fault, advice)
            self._opened.seek(0)
            size = os.fstat(self._opened.fileno()).st_size
            super().__init__(path, cast(BinaryIO, self._opened), size, size, random=True)
        except BaseException:
            self._opened.close()
            raise

    def __enter__(self) -> File:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()


@contextmanager
def open_arrays(source: Source, *, archive: bool, array: str | None = None) -> Iterator[tuple[str, Archive | None]]:
    """What messages call a file of arrays, and the archive that it is; None for a .npy file.

    Parameters
    ----------
    source : path
    archive : bool
        Whether it is an archive.
    array : str, optional
        The array that a user names.

    Raises
    ------
    DataError
        If the file cannot be read, also by what is done with it, or it is no archive and an array is named.
    """
    path = whole_file(source, "an array")
    if not archive and array is not None:
        raise DataError(path, None, None, "a .npy file holds one array without a name", "leave --array away")
    with damage_as_error(path):
        if archive:
            with Archive(path) as opened:
                yield path, opened
        else:
            yield path, None


def array_of(path: str) -> Array:
    """The array of a .npy file."""
    with File(path) as array:
        return array.all()


def texts(strings: Array) -> list[str]:
    """An array of strings, those of bytes decoded from UTF-8."""
    return [str(one) for one in (np.char.decode(strings, "utf-8") if strings.dtype.kind == "S" else strings)]


def _header(file: BinaryIO) -> tuple[tuple[int, ...], bool, np.dtype[Any], int]:
    """The shape, whether columns come first, the type, and how many bytes the header takes."""
    begins = _exactly(file, 8)
    version = (begins[6], begins[7])
    if begins[:6] != MAGIC or version not in ((1, 0), (2, 0), (3, 0)):
        raise ValueError("an array does not begin as numpy begins one")
    width = 2 if version == (1, 0) else 4
    length = _exactly(file, width)
    size = int.from_bytes(length, "little")
    if size > LONGEST_HEADER:
        raise ValueError(f"an array has a header of {size} bytes")
    text = BytesIO(length + _exactly(file, size))
    formats = np.lib.format
    read = formats.read_array_header_1_0 if version == (1, 0) else formats.read_array_header_2_0
    try:
        shape, fortran, dtype = read(text)
    except (
        TypeError,
        SyntaxError,
        TokenError,
        OverflowError,
        RecursionError,
        MemoryError,
        UnicodeDecodeError,
    ) as error:
        raise ValueError("the header of an array is damaged") from error
    if not all(type(length) is int and length >= 0 for length in shape):
        raise ValueError(f"an array has the shape {shape}")
    return shape, fortran, dtype, 8 + width + size


def _exactly(file: BinaryIO, size: int) -> bytes:
    result = file.read(size)
    if len(result) < size:
        raise EOFError("an array is cut short in its header")
    return result


def _fill(file: BinaryIO, values: Array) -> None:
    """Read so many bytes as the array has; a block at a time, for zipfile copies what it is asked for."""
    if not values.size:
        return
    view = values.reshape(-1).view(np.uint8).data
    done = 0
    while done < len(view):
        count = cast(Any, file).readinto(view[done : done + PIECE])
        if not count:
            raise EOFError("an array is cut short")
        done += count
