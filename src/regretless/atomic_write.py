"""Files that are written whole or not at all.

A file is written under a temporary name beside the one that it is to have, ``.NAME.HOST.PID.RANDOM.tmp``, and gets its
name once it is whole. The writer holds a lock on it, which ends with the process however that ends: a temporary
file without a lock is left over from a process that was killed, and is removed by the next that writes the same file
on the same machine. Of other machines the locks may not be seen.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # this system has no such locks, and nothing is ever removed
    fcntl = None  # type: ignore[assignment, unused-ignore]

LONGEST = 100  # bytes of a name that temporary ones repeat: all of them may have 255
HOST = re.sub(r"[^A-Za-z0-9-]", "-", os.uname().nodename[:60]) if fcntl is not None else ""
_tidied: set[str] = set()  # files beside which this process has looked for what was left over


class Replacement:
    """A file that takes the place of the one at `path` once it is whole.

    What is no regular file (a pipe, a terminal) is written to as it is. A new file gets the permissions that the umask
    leaves, one that is replaced keeps its own, and its owner and group where the system lets us; no other user can read
    what takes its place before that. A symbolic link is followed.

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
        with self._naming():
            if os.path.basename(self.path) in ("", os.curdir, os.pardir):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            self._old = _old(self.path)
            self._direct = self._old is not None and not stat.S_ISREG(self._old.st_mode)
            # The real path of a pipe by one of its names (/dev/stdout) leads nowhere.
            self._target = self.path if self._direct else os.path.realpath(self.path)
            if not self._direct:
                _tidy(self._target)
            self.file: BinaryIO = (
                open(self._target, "wb")  # noqa: SIM115 (closed where the block ends)
                if self._direct
                else _temporary(self._target, private=self._old is not None)
            )

    def finish(self) -> None:
        """Give the file its name, once its bytes are on the disk."""
        try:
            with self._naming():
                self.file.flush()
                if not self._direct:
                    if self._old is not None:
                        _take_after(self.file, self._old)
                    os.fsync(self.file.fileno())
                    # Before it is closed: a file without a lock may be taken for something left over.
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

    def _naming(self) -> AbstractContextManager[None]:
        return naming(self.path)


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Errors have the name that the user knows: they may have that of the temporary file, or none."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), path) from error


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


def _old(path: str) -> os.stat_result | None:
    """What is known of the file that will be replaced, if there is one."""
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _take_after(file: BinaryIO, old: os.stat_result) -> None:
    """Give it the permissions of the file that it replaces, and the owner and group if that is allowed."""
    with suppress(OSError, AttributeError):  # there are systems without
        os.fchown(file.fileno(), old.st_uid, old.st_gid)
    os.chmod(file.fileno() if os.chmod in os.supports_fd else file.name, stat.S_IMODE(old.st_mode))


def _stem(target: str) -> str:
    """How the names begin under which a file is written on this machine."""
    return f".{os.path.basename(target).encode('utf-8', 'ignore')[:LONGEST].decode('utf-8', 'ignore')}.{HOST}."


def _temporary(target: str, *, private: bool) -> BinaryIO:
    """A new file beside the other, for only there can it be renamed in one step; held."""

    def opened(path: str, flags: int) -> int:
        return os.open(path, flags, 0o600 if private else 0o666)

    while True:
        name = f"{_stem(target)}{os.getpid()}.{os.urandom(8).hex()}.tmp"
        file = open(os.path.join(os.path.dirname(target), name), "xb", opener=opened)  # noqa: SIM115 (for the caller)
        if fcntl is None:
            return file
        with suppress(OSError):  # a file system without locks: there nothing takes it for something left over
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
