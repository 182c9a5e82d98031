"""Arrays as numpy stores them, read from front to back.

Nothing is mapped: what another process cuts short while it is mapped ends this one by a signal, and what is cut short
while it is read is an error like others.
"""

from __future__ import annotations

import math
import os
import zipfile
import zlib
from io import BytesIO
from tokenize import TokenError
from typing import Any, BinaryIO, cast

import numpy as np

from ..errors import DataError
from ..memory import refuse_large
from .batch import Array

UNREADABLE = (ValueError, EOFError, OSError, RuntimeError, zipfile.BadZipFile, zlib.error, OverflowError)
MAGIC = b"\x93NUMPY"
LONGEST_HEADER = 1 << 16
LARGEST = 1 << 62
PIECE = 1 << 20  # bytes that are read at a time


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
        Bytes of the file as it is kept.
    random : bool
        Whether the file can be read here and there.

    Attributes
    ----------
    shape : tuple of int
    dtype : numpy.dtype
    """

    def __init__(self, path: str, file: BinaryIO, size: int, stored: int, *, random: bool) -> None:
        self._path, self._file, self._kept = path, file, stored
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
            said = f"its header says shape {self.shape} and type {self.dtype}, and {size - begin} bytes follow"
            raise EOFError(f"an array is cut short: {said}")

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
        found: Array = np.empty((self.shape[1], rows), self.dtype)
        for column, values in enumerate(found):
            self._file.seek(self._begin + (column * self.shape[0] + first) * self.dtype.itemsize)
            _fill(self._file, values)
        return found.T

    def _take(self, count: int) -> Array:
        size = count * self.dtype.itemsize
        refuse_large(self._path, size, "what is to be read at once", file_size=self._kept)
        found: Array = np.empty(count, self.dtype)
        _fill(self._file, found)
        return found


class Member(Stored):
    """One array of an archive."""

    def __init__(self, archive: zipfile.ZipFile, name: str) -> None:
        try:
            info = archive.getinfo(f"{name}.npy")
        except KeyError as error:
            raise ValueError(f"there is no array {name!r}") from error
        file = cast(BinaryIO, archive.open(info))
        super().__init__(str(archive.filename), file, info.file_size, info.compress_size, random=False)


def open_archive(path: str) -> zipfile.ZipFile:
    """An archive of arrays.

    Raises
    ------
    DataError
        If there is none in it.
    """
    archive = zipfile.ZipFile(path)
    if not archive.namelist():
        archive.close()
        raise DataError(path, None, None, "the archive is empty", "arrays are expected in it")
    return archive


class File(Stored):
    """The array of a .npy file; it is closed when the block is left."""

    def __init__(self, path: str) -> None:
        self._opened = open(path, "rb", buffering=0)  # noqa: SIM115 (closed by `__exit__`)
        try:
            begins = self._opened.read(len(MAGIC))
            if begins != MAGIC:
                found, advice = "this is no .npy file", "name the format that it has with --format"
                raise DataError(path, None, None, found, advice)
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
    found = file.read(size)
    if len(found) < size:
        raise EOFError("an array is cut short in its header")
    return found


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
