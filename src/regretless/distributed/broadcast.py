"""A value that all shards need: passed as it is within this process, and unpickled once in every other one."""

from __future__ import annotations

import os
import pickle
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from io import RawIOBase
from threading import Lock
from typing import Any, BinaryIO, Self
from uuid import uuid4

import numpy as np

from ..errors import EngineError

ROOM = 31 << 20  # bytes; of what is larger than 32 MB glibc never keeps the memory


class Broadcast:
    """A value that is pickled once for all tasks.

    Processes of this machine read it from a file, others get it with every task; either way each of them unpickles it
    once.

    Parameters
    ----------
    value : object
    by_file : bool
        Whether all workers can read this machine's files.

    Attributes
    ----------
    here : bool
        Whether this is the process that made it.
    """

    here = True

    def __init__(self, value: Any, *, by_file: bool) -> None:
        self.value, self._by_file = value, by_file
        self._token, self._lock = uuid4().hex, Lock()
        self._packed: bytes | None = None
        self._file = -1
        self._path: str | None = None
        self._sizes: tuple[int, ...] = ()
        self._sent, self._ended = 0, False

    def __enter__(self) -> Self:
        if self._by_file:  # now, so that a value that cannot be pickled is an error of this call
            _reuse_memory()
            buffers: list[pickle.PickleBuffer] = []
            parts: list[Any] = [pickle.dumps(self.value, pickle.HIGHEST_PROTOCOL, buffer_callback=buffers.append)]
            parts += [buffer.raw() for buffer in buffers]  # arrays, from where they are
            self._sizes = tuple(len(part) for part in parts)
            self._file, self._path = _write_file(parts)
        return self

    def __exit__(self, *_: object) -> None:
        self._ended = True
        if self._path is not None:
            with suppress(OSError):
                os.ftruncate(
                    self._file, 0
                )  # a process that has it open sees that nothing waits; a missing file would not show it
            os.close(self._file)
            with suppress(OSError):
                os.unlink(self._path)

    def ended(self) -> bool:
        """Whether nobody waits for the work any more."""
        return self._ended

    def bytes_sent(self, processes: int) -> int:
        """How many bytes were sent to the workers, if so many processes took part."""
        return processes * sum(self._sizes) if self._by_file else self._sent

    def __reduce__(self) -> tuple[Callable[..., ReceivedValue | LostValue], tuple[Any, ...]]:
        if self._path is not None:
            return from_file, (self._token, self._path, self._sizes)
        packed = self._pickle_once()
        self._sent += len(packed)
        return from_bytes, (self._token, packed)

    def _pickle_once(self) -> bytes:
        with self._lock:
            if self._packed is None:
                self._packed = pickle.dumps(self.value, pickle.HIGHEST_PROTOCOL)
            return self._packed


def _write_file(parts: list[Any]) -> tuple[int, str]:
    """Write parts to a new file; the open file and its path.

    Raises
    ------
    EngineError
        If there is no room for it; then nothing of it is left.
    """
    try:
        file, path = tempfile.mkstemp(prefix="regretless-", suffix=".start")
    except OSError as error:
        raise _unwritten("a temporary file", error) from error
    try:
        with open(file, "wb", closefd=False) as writing:
            _fill(writing, parts)
    except BaseException as error:
        os.close(file)
        with suppress(OSError):
            os.unlink(path)
        if isinstance(error, OSError):
            raise _unwritten(path, error) from error
        raise
    return file, path


def _unwritten(place: str, error: OSError) -> EngineError:
    fault = f"what the shards begin with cannot be written to {place} ({error.strerror or error})"
    return EngineError(f"{fault}; make room there, or name another folder in TMPDIR")


def _fill(writing: BinaryIO, parts: list[Any]) -> None:
    for part in parts:
        writing.write(part)


@cache
def _reuse_memory() -> None:
    """Have the C library reuse the memory of freed arrays.

    It asks the system for large ones each by itself, and every page of them costs a fault when it is first touched:
    more than all that is done with them here. From the first large one that is freed it learns to keep them.
    """
    np.empty(ROOM, dtype=np.uint8)


class ReceivedValue:
    """The value in another process.

    Parameters
    ----------
    token : str
        Distinguishes one value from the next.
    value : object
    file : int, optional
        The file that it was read from, if it is to show there that the work is no longer waited for; it is closed with
        this.
    path : str, optional
        Where that stood.

    Attributes
    ----------
    token, value, path
        As above.
    """

    here = False

    def __init__(self, token: str, value: Any, file: int | None = None, path: str | None = None) -> None:
        self.token, self.value, self.path = token, value, path
        self._file = file

    def ended(self) -> bool:
        """Whether nobody waits for the work any more, as far as this process can see."""
        if self._file is not None:
            return os.fstat(self._file).st_size == 0
        return self.path is not None and not os.path.exists(self.path)

    def __del__(self) -> None:
        if self._file is not None:
            os.close(self._file)


class LostValue:
    """Stands for a value whose file was removed: by the end of the work, or by something else.

    A task is unpickled by the pool itself, which an exception there would break; so it is raised where the task asks
    for the value, and not at all if the work has ended.
    """

    here = False

    def __init__(self, path: str) -> None:
        self.path = path

    @property
    def value(self) -> Any:
        """Raise the error that says that the file was removed."""
        advice = "keep it from whatever cleans up temporary files, or name another folder in TMPDIR"
        raise EngineError(f"{self.path}, which the shards begin with, was removed during the run; {advice}")

    def ended(self) -> bool:
        """Whether nobody waits for the work any more."""
        return True


_last: ReceivedValue | None = None


def from_bytes(token: str, packed: bytes) -> ReceivedValue:
    """The value that a task brought with it; if the task before brought the same, its copy is used again."""
    global _last
    received = _last
    if received is None or received.token != token:
        received = _last = ReceivedValue(token, pickle.loads(packed))
    return received


def from_file(token: str, path: str, sizes: tuple[int, ...]) -> ReceivedValue | LostValue:
    """The value in a file; if the task before had the same, its copy is used again.

    Parameters
    ----------
    token, path : str
    sizes : tuple of int
        Of the pickle, and of the arrays that come behind it.
    """
    global _last
    received = _last
    if received is None or received.token != token:
        received = _last = None  # its memory is of use for the next
        _reuse_memory()
        result = _read(path, sizes)
        if result is None:
            return LostValue(path)
        received = _last = ReceivedValue(token, *result, path)
    return received


def _read(path: str, sizes: tuple[int, ...]) -> tuple[Any, int | None] | None:
    """The value, and the file if it stays open; None if the file was removed or emptied."""
    try:
        file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        return None
    stays_open = False
    try:
        parts = [np.empty(size, dtype=np.uint8) for size in sizes]
        with open(file, "rb", buffering=0, closefd=False) as reading:
            if not all(_fill_buffer(reading, part) for part in parts):
                return None
        value = pickle.loads(parts[0].data, buffers=parts[1:])
        stays_open = os.name == "posix"  # elsewhere a file that is open cannot be removed
        return value, file if stays_open else None
    finally:
        if not stays_open:
            os.close(file)


def _fill_buffer(reading: RawIOBase, part: Any) -> bool:
    view = memoryview(part)
    while view:
        count = reading.readinto(view)
        if not count:
            return False
        view = view[count:]
    return True


def remove_file() -> None:
    """Remove the file of the last value: the process that made it was killed, and cannot."""
    received = _last
    if received is not None and received.path is not None:
        with suppress(OSError):
            os.unlink(received.path)
