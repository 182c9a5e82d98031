"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to be written that takes the place of the one at `path` once it is whole, which stays if anything fails.

    What is no regular file (a pipe, a terminal) is written to as it is.

    Raises
    ------
    OSError
        If it cannot be written; it names `path`.
    """
    target = os.path.realpath(path)
    regular = not os.path.exists(target) or stat.S_ISREG(os.stat(target).st_mode)
    written = os.path.join(os.path.dirname(target), f".regretless-{os.urandom(8).hex()}.tmp") if regular else target
    try:
        with open(written, "xb" if regular else "wb") as file:
            yield file
            file.flush()
            if regular:
                os.fsync(file.fileno())
        if regular:
            os.replace(written, target)
    except BaseException as error:
        if regular:
            with suppress(OSError):
                os.unlink(written)
        if isinstance(error, OSError):  # nobody knows the temporary file by name
            raise OSError(error.errno, error.strerror, os.fspath(path)) from error
        raise
