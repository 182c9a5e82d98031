"""Keeping what can be read only once, so that it can be read again."""

from __future__ import annotations

import os
from io import RawIOBase
from pathlib import Path
from typing import Any, BinaryIO, cast

from ..atomic_write import Replacement
from ..errors import DataError, ParameterError
from .source import Input, Source, name_of, open_bytes


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
        self._source, self._cache = source, Path(cache)
        self._begun = self._done = False
        if not self._cache.absolute().parent.is_dir():
            raise ParameterError("cache", repr(os.fspath(cache)), "there is no such folder to keep it in", ": ")

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


class _Copying(RawIOBase):
    """A file that writes what is read from it to another, under a temporary name until the end is reached."""

    def __init__(self, file: BinaryIO, cache: Path, finish: Any) -> None:
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
