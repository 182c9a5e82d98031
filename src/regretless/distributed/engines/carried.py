"""What all shards are given: as it is in this process, and unpickled once in every other."""

from __future__ import annotations

import os
import pickle
import tempfile
from collections.abc import Callable
from contextlib import suppress
from threading import Lock
from typing import Any, Self
from uuid import uuid4

from ...errors import Interrupted


class Carried:
    """A value that is pickled once, whatever number of tasks are given it.

    Processes of this machine read it from a file, others get it with every task; either way each of them unpickles it
    once.

    Parameters
    ----------
    value : object
    by_file : bool
        Whether all who want it can read this machine's files.

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
        self._path: str | None = None
        self._sent, self._ended = 0, False

    def __enter__(self) -> Self:
        if self._by_file:  # now, so that a value that cannot be pickled is an error of this call
            packed = self._pickled()
            file, self._path = tempfile.mkstemp(prefix="regretless-", suffix=".start")
            with open(file, "wb") as writing:
                writing.write(packed)
        return self

    def __exit__(self, *_: object) -> None:
        self._ended = True
        if self._path is not None:
            with suppress(OSError):
                os.unlink(self._path)

    def ended(self) -> bool:
        """Whether nobody waits for the work any more."""
        return self._ended

    def sent(self, processes: int) -> int:
        """How many bytes went down, if so many processes had a part in the work."""
        return processes * len(self._packed or b"") if self._by_file else self._sent

    def __reduce__(self) -> tuple[Callable[..., Received | Gone], tuple[Any, ...]]:
        if self._path is not None:
            return from_file, (self._token, self._path)
        packed = self._pickled()
        self._sent += len(packed)
        return from_bytes, (self._token, packed)

    def _pickled(self) -> bytes:
        with self._lock:
            if self._packed is None:
                self._packed = pickle.dumps(self.value, pickle.HIGHEST_PROTOCOL)
            return self._packed


class Received:
    """The value in another process.

    Attributes
    ----------
    value : object
    token : str
        Tells one value from the next.
    """

    here = False

    def __init__(self, token: str, packed: bytes, path: str | None = None) -> None:
        self.token, self._path = token, path
        self.value = pickle.loads(packed)

    def ended(self) -> bool:
        """Whether nobody waits for the work any more, as far as can be seen from here."""
        return self._path is not None and not os.path.exists(self._path)


class Gone:
    """What stands for a value that nobody waits for any more.

    A task is unpickled by the pool itself, which an exception there would break; so it is raised where the task asks
    for the value.
    """

    here = False

    @property
    def value(self) -> Any:
        """Nothing: whoever asks for it is told that all is over."""
        raise Interrupted("interrupted")

    def ended(self) -> bool:
        """Whether nobody waits for the work any more."""
        return True


_last: list[Received] = []


def from_bytes(token: str, packed: bytes) -> Received:
    """The value out of what came with a task, or the same that came with the task before."""
    if not _last or _last[0].token != token:
        _last[:] = [Received(token, packed)]
    return _last[0]


def from_file(token: str, path: str) -> Received | Gone:
    """The value out of a file, or the same as for the task before; if the file is gone, nobody waits for the work."""
    if not _last or _last[0].token != token:
        try:
            with open(path, "rb") as file:
                packed = file.read()
        except FileNotFoundError:
            return Gone()
        _last[:] = [Received(token, packed, path)]
    return _last[0]
