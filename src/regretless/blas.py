"""Sums of products by numpy and scipy in one thread: the last bits of sums over several depend on how many there are,
and over small matrices threads wait for one another longer than they work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from sys import modules
from threading import Lock
from typing import Any


class _Limit:
    """The limit of all calls that are inside it now. The numbers of threads are the process's: the last call to leave
    puts them back, for one that left earlier would do so under the others, and these would then put the limit back."""

    def __init__(self) -> None:
        self._lock, self._inside = Lock(), 0
        self._undo, self._limited = ExitStack(), set[bool]()

    def enter(self) -> None:
        """Limit the libraries that are loaded by now."""
        scipy = "scipy.linalg" in modules
        with self._lock:
            if scipy not in self._limited:
                self._undo.enter_context(_libraries(scipy).limit(limits=1, user_api="blas"))
                self._limited.add(scipy)
            self._inside += 1

    def leave(self) -> None:
        """Put the numbers of threads back, if nobody else is inside."""
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._undo.close()
                self._limited.clear()


_LIMIT = _Limit()


@contextmanager
def one_thread() -> Iterator[None]:
    """One thread for the libraries of linear algebra in the whole process, its other threads too; for a block or, as
    a decorator, for a function."""
    _LIMIT.enter()
    try:
        yield
    finally:
        _LIMIT.leave()


@cache
def _libraries(scipy: bool) -> Any:
    """What sets the threads of the libraries that are loaded, with scipy's linear algebra or without it: to look for
    them takes a millisecond."""
    from threadpoolctl import ThreadpoolController  # which takes its time, and not all make certificates

    return ThreadpoolController()
