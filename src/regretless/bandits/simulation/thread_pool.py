"""Many runs at a time: threads, and the wish to stop."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Lock
from typing import Generic, TypeVar

from ...checks import whole
from .one_run import Halted

T = TypeVar("T")
PATIENCE = 0.05  # seconds between two looks at the clock


def processors() -> int:
    """How many this process may use."""
    known = getattr(os, "sched_getaffinity", None)
    return len(known(0)) if known is not None else os.cpu_count() or 1


class Crowd(Generic[T]):
    """Tasks that threads do, each of them a function of its place alone, taken up in their order.

    Parameters
    ----------
    workers : int, optional
        How many threads; by default one a processor.
    on_rounds : callable, optional
        Told now and then how many rounds have been played in all.
    stop : callable, optional
        Asked now and then whether to stop.
    """

    def __init__(
        self,
        workers: int | None = None,
        on_rounds: Callable[[int], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> None:
        self.workers = processors() if workers is None else whole("workers", workers)
        self.halted = self.interrupted = False
        self._on_rounds, self._stop = on_rounds, stop
        self._lock, self._rounds, self._told = Lock(), 0, 0

    def tell(self, rounds: int) -> None:
        """So many more rounds were played: what every thread says between two pieces.

        Raises
        ------
        Halted
            If somebody wished to stop.
        """
        with self._lock:
            self._rounds += rounds
        if self.halted:
            raise Halted

    def each(self, tasks: Sequence[Callable[[], T]]) -> Iterator[T]:
        """What the tasks give, in their order; those that have not begun when somebody wishes to stop never do.

        The first Ctrl-C is a wish to stop. Whatever else is raised, by a task or here, comes after all threads have
        stopped.
        """
        self._look()
        pool = ThreadPoolExecutor(min(self.workers, len(tasks)), thread_name_prefix="regretless")
        try:
            waiting = [pool.submit(task) for task in tasks]
            waiting.reverse()  # so that what is taken up can be forgotten
            while waiting:
                self._wait(waiting[-1])
                if self.halted:
                    waiting = [task for task in waiting if not task.cancel()]
                while waiting and waiting[-1].done():
                    yield waiting.pop().result()
        except BaseException:
            self.halted = True
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=self.halted)

    def _wait(self, task: Future[T]) -> None:
        try:
            self._look()
            wait([task], PATIENCE)
            self._look()
        except KeyboardInterrupt:
            if self.interrupted:
                raise
            self.interrupted = self.halted = True

    def _look(self) -> None:
        if self._on_rounds is not None and self._rounds > self._told:
            self._told = self._rounds
            self._on_rounds(self._told)
        if self._stop is not None and not self.halted and self._stop():
            self.halted = True
