"""Bytes and text of plain files, compressed files and standard input."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import stat
import sys
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from io import BufferedReader, FileIO, RawIOBase
from select import select
from typing import Any, BinaryIO, cast

from ..atomic_write import Replacement
from ..errors import DataError, ParameterError
from ..memory import TIMES as TIMES_A_FILE
from ..memory import refuse_large

STDIN = "<stdin>"
LONGEST_ROW = 1 << 26  # bytes
TIMES = 16  # so many times its own size a text takes, once it is understood
PACKED = {"gzip": b"\x1f\x8b", "xz": b"\xfd7zXZ\0", "zstd": b"\x28\xb5\x2f\xfd", "bzip2": b"BZh"}

# A damaged file shows itself in as many ways as there are libraries; EOFError is the truncated one.
DAMAGE = (EOFError, OSError, zlib.error, lzma.LZMAError)


class Input(ABC):
    """Something other than a path that bytes can be read from.

    Attributes
    ----------
    name : str
        What messages call it.
    rereadable : bool
        Whether it can be opened again for the same bytes.
    """

    name: str
    rereadable: bool

    @abstractmethod
    def open(self) -> BinaryIO:
        """Begin to read."""


Source = str | os.PathLike[str] | Input


def open_bytes(source: Source) -> BinaryIO:
    """Open a file for reading with `readinto`, decompressed by its suffix; ``-`` is standard input, by its first bytes.

    Plain files are unbuffered: their readers bring a block of their own.

    Raises
    ------
    DataError
        If there is nothing to open, or, while reading, if the compressed data are damaged or cut short.
    """
    if isinstance(source, Input):
        return source.open()
    path = os.fspath(source)
    if path == "-":
        return _piped()
    decompressor = DECOMPRESSORS.get(_suffix(path))
    try:
        file = open(path, "rb", buffering=0)  # noqa: SIM115 (the caller closes it)
    except IsADirectoryError as error:
        raise DataError(path, None, None, "this is a folder", "name a file in it") from error
    except FileNotFoundError as error:
        raise DataError(path, None, None, "there is no such file", "check its name") from error
    except PermissionError as error:
        raise DataError(path, None, None, "this file may not be read", "check its permissions") from error
    if decompressor is None:
        return cast(BinaryIO, file)
    return cast(BinaryIO, _Decompressed(path, decompressor, file))


def name_of(source: Source) -> str:
    """What messages call the source."""
    if isinstance(source, Input):
        return source.name
    path = os.fspath(source)
    return STDIN if path == "-" else path


def can_be_read_again(source: Source) -> bool:
    """Whether a second opening gives the same bytes; a pipe or a terminal does not."""
    if isinstance(source, Input):
        return source.rereadable
    if os.fspath(source) == "-":
        return False
    try:
        mode = os.stat(source).st_mode
    except OSError:
        return True  # opening it says what is wrong
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


def _suffix(path: str | os.PathLike[str]) -> str:
    return os.path.splitext(os.fspath(path))[1].lower()


def suffixes(source: Source) -> list[str]:
    """The suffixes of a path in lower case, without the last one when it names a compression."""
    if isinstance(source, Input):
        return []
    # By hand, for pathlib takes its time to import.
    result = [f".{part.lower()}" for part in os.path.basename(os.fspath(source)).lstrip(".").split(".")[1:]]
    return result[:-1] if result and result[-1] in DECOMPRESSORS else result


class LiveInput(Input):
    """Standard input from which rows are taken as they come, for someone who waits for the answers.

    Its `readinto` waits for bytes once, and then gives None where it would have to wait again.
    """

    name = STDIN
    rereadable = False

    def open(self) -> BinaryIO:
        """Begin to read."""
        file = _standard_input()
        return cast(BinaryIO, _Ready(file, sys.stdin.fileno())) if _has_descriptor(sys.stdin) else file


def read_ready(file: BinaryIO, size: int) -> tuple[bytes, bool | None]:
    """Exactly `size` bytes, or what is left: pipes and decompressors give less at a time than they are asked.

    Returns
    -------
    block : bytes
    ended : bool or None
        Whether that is the end; None where the file has nothing more now, and may have later.
    """
    if not isinstance(file, FileIO):
        return _filled(file, size)
    block = file.read(size) or b""  # without a copy
    if len(block) == size:
        return block, False
    rest, ended = _filled(file, size - len(block))
    return block + rest, ended


def _filled(file: Any, size: int) -> tuple[bytes, bool | None]:
    """The same of a file that has `readinto`."""
    block = bytearray(size)
    view, done = memoryview(block), 0
    ended: bool | None = False
    while done < size and not ended:
        count = file.readinto(view[done:])
        if count is None and done:
            ended = None
            break
        done += count or 0
        ended = count == 0
    view.release()
    del block[done:]
    return bytes(block), ended


class _Decompressed(RawIOBase):
    """A decompressor whose errors are each a `DataError` with the file's name."""

    def __init__(self, path: str, decompressor: Callable[[BinaryIO], BinaryIO], file: Any) -> None:
        self._path, self._file = path, file
        self._inner: Any = decompressor(file)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            return int(self._inner.readinto(buffer))
        except DAMAGE as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise
            advice = "fetch or compress the file again"
            fault = f"the compressed data are damaged ({error})"
            raise DataError(self._path, None, None, fault, advice) from error

    def close(self) -> None:
        if not self.closed:
            self._inner.close()
            self._file.close()
        super().close()


class _StandardInput(RawIOBase):
    """Standard input that stays open when the reader is done with it."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        # What one read gives: to fill the buffer would take several, and a signal between two would have to wait.
        return int(self._file.readinto1(buffer))


class _Ready(RawIOBase):
    """Standard input that returns None where it has nothing, after it has returned something."""

    def __init__(self, file: Any, descriptor: int) -> None:
        self._file, self._descriptor, self._gave = file, descriptor, False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        if self._gave and not select([self._descriptor], [], [], 0)[0]:
            self._gave = False
            return None
        count = int(self._file.readinto(buffer))
        self._gave = count > 0
        return count


def _has_descriptor(file: Any) -> bool:
    """Whether the operating system knows the file, and can say whether anything waits there."""
    try:
        descriptor = file.fileno()
        select([descriptor], [], [], 0)
    except (AttributeError, OSError, ValueError):  # a closed one; a file of Python's own; a pipe on Windows
        return False
    return True


def _standard_input() -> BinaryIO:
    if sys.stdin is None:
        raise DataError(STDIN, None, None, "standard input is closed", "give a file or a pipe")
    return cast(BinaryIO, _StandardInput(sys.stdin.buffer))


def _gzip(file: BinaryIO) -> BinaryIO:
    return cast(BinaryIO, gzip.GzipFile(fileobj=file))


def _zstd(file: BinaryIO) -> BinaryIO:
    import pyarrow

    return cast(BinaryIO, pyarrow.CompressedInputStream(pyarrow.PythonFile(file, mode="r"), "zstd"))


DECOMPRESSORS: dict[str, Callable[[BinaryIO], BinaryIO]] = {
    ".gz": _gzip,
    ".xz": cast(Callable[[BinaryIO], BinaryIO], lzma.LZMAFile),
    ".bz2": cast(Callable[[BinaryIO], BinaryIO], bz2.BZ2File),
    ".zst": _zstd,
}


def _piped() -> BinaryIO:
    """Standard input, decompressed where it begins as compressed data do."""
    file = _standard_input()
    begin = sys.stdin.buffer.peek(6) if isinstance(sys.stdin.buffer, BufferedReader) else b""
    for kind, suffix in {"gzip": ".gz", "xz": ".xz", "zstd": ".zst"}.items():  # a text may begin as bzip2 does
        if begin.startswith(PACKED[kind]):
            return cast(BinaryIO, _Decompressed(STDIN, DECOMPRESSORS[suffix], file))
    return file


def stored_size(source: Source) -> int:
    """The bytes of a file on the disk; 0 of what comes through a pipe."""
    try:
        return 0 if isinstance(source, Input) else os.stat(source).st_size
    except OSError:
        return 0


def whole_file(source: Source, kind: str) -> str:
    """The path of a file that is read here and there, and therefore neither piped nor compressed."""
    name = name_of(source)
    if isinstance(source, Input) or not can_be_read_again(source):
        raise DataError(name, None, None, f"{kind} cannot be read from a pipe", "save it in a file first")
    path = os.fspath(source)
    if _suffix(path) in DECOMPRESSORS:
        raise DataError(name, None, None, f"{kind} cannot be read compressed", "decompress the file first")
    open_bytes(path).close()
    if os.path.getsize(path) == 0:
        raise DataError(name, None, None, "the file is empty", f"{kind} is expected")
    return path


class Cached(Input):
    """A source that is copied to a file while it is read for the first time; later readings read the file.

    Parameters
    ----------
    source : path or "-"
        What can be read only once.
    cache : path
        The file to write. It appears when the source has been read to its end, and only then.
    """

    rereadable = True

    def __init__(self, source: Source, cache: str | os.PathLike[str]) -> None:
        self.name = name_of(source)
        self._source, self._cache = source, os.fspath(cache)
        self._begun = self._done = False
        if not os.path.isdir(os.path.dirname(os.path.abspath(self._cache))):
            raise ParameterError("cache", repr(self._cache), "there is no such folder to keep it in", ": ")

    def open(self) -> BinaryIO:
        if self._done:
            return cast(BinaryIO, open(self._cache, "rb", buffering=0))
        if self._begun:
            fault = f"this was not read to its end, so that {self._cache} was not written"
            raise DataError(self.name, None, None, fault, "begin again")
        self._begun = True
        return cast(BinaryIO, _Copying(open_bytes(self._source), self._cache, self._finish))

    def _finish(self) -> None:
        self._done = True


def cached(path: Source, cache: str | os.PathLike[str] | None) -> Source:
    """The source, copied to a file if one is named and it can be read only once."""
    return path if cache is None or can_be_read_again(path) else Cached(path, cache)


class _Copying(RawIOBase):
    """A file that writes what is read from it to another, under a temporary name until the end is reached."""

    def __init__(self, file: BinaryIO, cache: str, finish: Any) -> None:
        self._file, self._finish = file, finish
        self._copy: Replacement | None = Replacement(cache)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = int(cast(Any, self._file).readinto(buffer))
        if self._copy is not None:
            if count:
                self._copy.file.write(memoryview(buffer)[:count])
            else:
                self._copy.finish()
                self._copy = None
                self._finish()
        return count

    def close(self) -> None:
        if not self.closed:
            self._file.close()
            if self._copy is not None:
                self._copy.discard()
        super().close()


def read_text(source: Source) -> str:
    """The text of a file, decompressed by its suffix; ``-`` is standard input.

    Raises
    ------
    DataError
        If it cannot be opened, or is no text in UTF-8.
    """
    name, stored, size = name_of(source), stored_size(source), 0
    with open_bytes(source) as file:
        parts = []
        while part := file.read(1 << 20):
            parts.append(part)
            size += len(part)
            # A text that is not packed is as large as its file, and may have what it takes.
            refuse_large(name, TIMES * size, "what this text says", file_size=TIMES // TIMES_A_FILE * stored)
    return decoded(b"".join(parts), name)


def lines_of(file: BufferedReader, name: str) -> Iterator[bytes]:
    """The lines of a file, none of which fills the memory.

    Raises
    ------
    DataError
        If one is too long.
    """
    number = 0
    while raw := file.readline(LONGEST_ROW):
        number += 1
        if len(raw) == LONGEST_ROW:
            fault = f"a line of more than {LONGEST_ROW >> 20} MiB begins here"
            raise DataError(name, number, None, fault, "rows on lines of their own are expected")
        yield raw


def decoded(data: bytes, name: str, line: int = 1) -> str:
    """Bytes as text; `line` is the number of the first line among them.

    Raises
    ------
    DataError
        If they are no text in UTF-8.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if (packed := next((kind for kind, begin in PACKED.items() if data.startswith(begin)), None)) and line == 1:
            advice = "decompress it first, or give the file the suffix that says so"
            raise DataError(name, None, None, f"this is compressed ({packed})", advice) from error
        place = line + data.count(b"\n", 0, error.start)
        raise DataError(name, place, None, "this is no text in UTF-8", "save the file as UTF-8 text") from error
    if (zero := text.find("\0")) >= 0:
        place = line + text.count("\n", 0, zero)
        raise DataError(name, place, None, "this is no text", "name the format with --format")
    return text
