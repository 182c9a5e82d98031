"""Files that are written whole or not at all.

A file is written under a temporary name beside the one that it is to have, ``.NAME.PID.RANDOM.tmp``, and gets its name
once it is whole. Whoever writes holds a lock on it, which ends with the process however that ends: a temporary file
that nobody holds is left over from a process that was killed, and is removed by the next that writes the same file.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # this system has no such locks, and nothing is ever removed
    fcntl = None  # type: ignore[assignment, unused-ignore]

LONGEST = 100  # bytes of a name that temporary ones repeat: all of them may have 255
_tidied: set[str] = set()  # files beside which this process has looked for what was left over


class Replacement:
    """A file that takes the place of the one at `path` once it is whole.

    What is no regular file (a pipe, a terminal) is written to as it is. A new file gets the permissions that the umask
    leaves, one that is replaced keeps its own; a symbolic link is followed.

    Attributes
    ----------
    file : binary file
        To be written.

    Raises
    ------
    OSError
        If nothing can be written there; it names `path`, as all errors of this class do.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._target = os.path.realpath(path)
        with self._naming():
            self._mode = _mode(self._target)
            self._direct = self._mode is not None and not stat.S_ISREG(self._mode)
            if not self._direct:
                _tidy(self._target)
            self.file: BinaryIO = open(self._target, "wb") if self._direct else _temporary(self._target)  # noqa: SIM115

    def finish(self) -> None:
        """Give the file its name, once its bytes are on the disk."""
        try:
            with self._naming():
                self.file.flush()
                if not self._direct:
                    os.fsync(self.file.fileno())
                    if self._mode is not None:
                        os.chmod(self.file.name, stat.S_IMODE(self._mode))
                    # Before it is closed: what nobody holds may be taken for something left over.
                    os.replace(self.file.name, self._target)
        except BaseException:
            self.discard()
            raise
        with self._naming():
            self.file.close()
            if not self._direct:
                _sync_folder(os.path.dirname(self._target))

    def discard(self) -> None:
        """Leave the old file as it is, and nothing else."""
        if not self._direct:
            with suppress(OSError):
                os.unlink(self.file.name)
        with suppress(OSError):  # what still waits to be written may find no room
            self.file.close()

    @contextmanager
    def _naming(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:  # it may name the temporary file, which nobody knows
            raise OSError(error.errno, error.strerror or str(error), self.path) from error


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to be written that takes the place of the one at `path` once it is whole, which stays if anything fails.

    Raises
    ------
    OSError
        If it cannot be written; it names `path`.
    """
    replacement = Replacement(path)
    try:
        with replacement._naming():
            yield replacement.file
    except BaseException:
        replacement.discard()
        raise
    replacement.finish()


def _mode(target: str) -> int | None:
    """The kind and permissions of the file that will be replaced, if there is one."""
    try:
        return os.stat(target).st_mode
    except FileNotFoundError:
        return None


def _stem(target: str) -> str:
    """How the names begin under which a file is written."""
    return f".{os.path.basename(target).encode('utf-8', 'ignore')[:LONGEST].decode('utf-8', 'ignore')}."


def _temporary(target: str) -> BinaryIO:
    """A new file beside the other, for only there can it be renamed in one step; held."""
    while True:
        name = f"{_stem(target)}{os.getpid()}.{os.urandom(8).hex()}.tmp"
        file = open(os.path.join(os.path.dirname(target), name), "xb")  # noqa: SIM115
        if fcntl is None:
            return file
        with suppress(OSError):  # a file system without locks: there nobody can take it for something left over
            fcntl.flock(file, fcntl.LOCK_EX)
        if os.path.exists(file.name):  # nobody has removed it before it was held
            return file
        file.close()


def _tidy(target: str) -> None:
    """Remove what processes that were killed left over beside this file; once a process, for folders may be long."""
    if fcntl is None or target in _tidied:
        return
    _tidied.add(target)
    folder, stem = os.path.dirname(target), _stem(target)
    with suppress(OSError), os.scandir(folder) as entries:
        for name in [entry.name for entry in entries if entry.name.startswith(stem) and entry.name.endswith(".tmp")]:
            digits, _, rest = name[len(stem) : -len(".tmp")].partition(".")
            if digits.isdecimal() and len(rest) == 16:
                _remove_unheld(os.path.join(folder, name))


def _remove_unheld(path: str) -> None:
    with suppress(OSError), open(path, "rb") as file:  # what is held cannot be locked, and stays
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(path)


def _sync_folder(folder: str) -> None:
    """Make the new name outlast a power failure, where the system can do that for folders."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EACCES):
            raise
