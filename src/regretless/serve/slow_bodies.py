"""Requests whose bodies do not come in time are ended; one look at all of them costs less than a timer for each."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .asked import RequestError

LOOKS = 4  # in the time that is allowed


class SlowBodies:
    """The tasks that wait for bodies.

    Parameters
    ----------
    seconds : float
        In which a body must have come, and hardly more.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._began: dict[asyncio.Task[Any], float] = {}
        self._ended: set[asyncio.Task[Any]] = set()
        self._looking = False

    @contextmanager
    def watched(self) -> Iterator[None]:
        """While the current task waits for its body.

        Raises
        ------
        RequestError
            If that does not come in time.
        """
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        self._began[task] = loop.time()
        if not self._looking:
            self._looking = True
            loop.call_later(self._seconds / LOOKS, self._look, loop)
        try:
            yield
        except asyncio.CancelledError:
            if task not in self._ended:
                raise
            task.uncancel()
            raise RequestError(408, f"the body did not come within {self._seconds:g} seconds") from None
        finally:
            del self._began[task]
            self._ended.discard(task)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        late = loop.time() - self._seconds
        for task in [task for task, began in self._began.items() if began <= late and task not in self._ended]:
            self._ended.add(task)
            task.cancel()
        self._looking = bool(self._began)
        if self._looking:
            loop.call_later(self._seconds / LOOKS, self._look, loop)
