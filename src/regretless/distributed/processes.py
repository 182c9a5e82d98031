"""A pool of processes of this machine, which are gone at its end, however it ends."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from multiprocessing.synchronize import Event
from threading import Thread, current_thread, main_thread
from time import monotonic

from ..errors import EngineError
from .broadcast import remove_file

GRACE = 1.0  # seconds that a process has to end by itself
GUARD = 'a script must start processes under `if __name__ == "__main__":`, for each of them imports it'


@contextmanager
def workers(count: int) -> Iterator[ProcessPoolExecutor]:
    """A pool of processes, which are gone at its end: within moments if it ends by an exception.

    They are spawned. A fork would copy the locks that other threads hold at that moment (those of the pool itself, of a
    library for linear algebra), and nothing in the copy would ever release them. Spawned processes begin in the same
    way on every system; it costs each of them the import of numpy, once in a run.

    They import the script that is run, which must begin its work under ``if __name__ == "__main__":``.

    Raises
    ------
    EngineError
        If they cannot be started.
    """
    context = get_context("spawn")
    gate = context.Event()
    pool = ProcessPoolExecutor(count, mp_context=context, initializer=_begin_process, initargs=(gate,))
    started: list[BaseProcess] = []
    try:
        try:
            _start_processes(pool, count, gate, started)
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            _end_processes(started)
            raise
    finally:
        pool.shutdown(cancel_futures=True)


def _start_processes(pool: ProcessPoolExecutor, count: int, gate: Event, started: list[BaseProcess]) -> None:
    """Have a pool start all its processes, which are noted as they stand at the end, be it in error.

    Raises
    ------
    EngineError
        If one cannot be started.
    """
    try:
        with _without_interrupts():
            try:  # a process is started when there is something to do, and all others are busy
                first = [pool.submit(os.getpid) for _ in range(count)]
            finally:
                gate.set()  # in error too, or those that are started would wait there for ever
                started += pool._processes.values()
        for one in first:
            one.result()
    except OSError as error:
        raise EngineError(f"{count} processes could not be started ({error.strerror or error})") from error
    except BrokenExecutor as error:
        raise EngineError(f"processes were gone before they began (killed, or out of memory); {GUARD}") from error


def _end_processes(started: list[BaseProcess]) -> None:
    """End processes: those that do not end by themselves within a moment are killed."""
    try:
        _running(started, GRACE)
    finally:
        for process in _running(started, 0.0):
            process.terminate()
        for process in _running(started, GRACE):
            process.kill()


def _running(started: list[BaseProcess], seconds: float) -> list[BaseProcess]:
    """The processes that are still there after so many seconds, or sooner if there is none."""
    left, deadline = started, monotonic() + seconds
    while left and (ended := wait([process.sentinel for process in left], max(0.0, deadline - monotonic()))):
        left = [process for process in left if process.sentinel not in ended]
    return left


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Keep Ctrl-C, which a terminal sends to all processes, from those that are started now.

    This process gets it a moment later, and ends them. They are started with the signal blocked, for until they could
    ignore it themselves they would have begun to import, with a traceback. Blocking does not keep it from other threads
    of this process (those of a library for linear algebra); so it is noted here, and raised once no process is half
    started.
    """
    signals: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    notes = current_thread() is main_thread() and callable(before)
    masks = hasattr(signal, "pthread_sigmask")
    if notes:
        signal.signal(signal.SIGINT, lambda number, _: signals.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if masks else set()
    try:
        yield
    finally:
        if masks:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if notes:
            signal.signal(signal.SIGINT, before)
        if signals:
            signal.raise_signal(signal.SIGINT)


def _begin_process(gate: Event) -> None:
    """The first thing that a process of the pool does; then it waits until all of them are started."""
    for number in (signal.SIGINT, getattr(signal, "SIGHUP", signal.SIGINT)):  # a terminal sends them to all
        signal.signal(number, signal.SIG_IGN)
    if not sys.warnoptions:
        warnings.simplefilter("ignore")
    Thread(target=_end_with_parent, daemon=True).start()
    gate.wait()


def _end_with_parent() -> None:
    """End this process when the one that wants its work is gone, killed perhaps: a pool would wait for ever."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        remove_file()
        os._exit(1)
