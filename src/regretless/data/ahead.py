"""Reading ahead in another thread."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TypeVar

T = TypeVar("T")

AHEAD = 2  # that are ready or being read, besides the one in use


def read_ahead(items: Iterator[T]) -> Generator[T, None, None]:
    """The same items in the same order, read in another thread while those before them are used.

    What reading one raises is raised in its place. When nothing more is wanted the thread has ended before this
    returns, so that what it reads from may be closed.
    """
    from queue import SimpleQueue
    from threading import Semaphore, Thread

    ready: SimpleQueue[tuple[T | None, BaseException | None]] = SimpleQueue()
    room, wanted = Semaphore(AHEAD), True

    def read() -> None:
        try:
            while True:
                room.acquire()
                if not wanted:
                    return
                ready.put((next(items), None))
        except BaseException as error:  # StopIteration among them: the reader is to raise it
            ready.put((None, error))

    thread = Thread(target=read, name="read ahead", daemon=True)
    thread.start()
    try:
        while True:
            item, error = ready.get()
            if isinstance(error, StopIteration):
                return
            if error is not None:
                raise error
            room.release()
            yield item  # type: ignore[misc]
    finally:
        wanted = False
        room.release()
        thread.join()
