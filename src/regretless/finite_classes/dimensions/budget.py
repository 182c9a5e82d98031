"""The time limit of a search, and its progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

from ...errors import ParameterError

Progress = Callable[[int, Any, Any], None]
Stop = Callable[[], bool]

# Why a search ended before it was done.
TIME, STOPPED, MEMORY = "the time was over", "it was stopped", "memory ran out"

# Words of bits to be looked at before the first look at the clock, and seconds between later ones.
FIRST_SLICE = 1 << 16
BETWEEN_LOOKS = 0.02


class Watch:
    """When a search looks at the clock, tells how far it is, and is ended.

    Parameters
    ----------
    limit : float, optional
        Seconds after which it must end.
    on_progress : callable, optional
        Called at every look with the number of steps and what is no less and no more than what is searched for.
    stop : callable, optional
        Called at every look; once it returns true, the search must end.
    """

    def __init__(
        self, *, limit: float | None = None, on_progress: Progress | None = None, stop: Stop | None = None
    ) -> None:
        if limit is not None and not limit >= 0:
            raise ParameterError("limit", repr(limit), "it must be a number of seconds >= 0")
        self._began = perf_counter()
        self._limit, self._on_progress, self._stop = limit, on_progress, stop

    @property
    def seconds(self) -> float:
        """Since it began."""
        return perf_counter() - self._began

    def slices(self, first: int = FIRST_SLICE) -> Iterator[int]:
        """How much to do before the next look, which goes by how long the last slice took."""
        slice_ = first
        while True:
            began = self.seconds
            yield slice_
            if self.seconds - began < BETWEEN_LOOKS:
                slice_ *= 2
            elif slice_ > 1:
                slice_ //= 2

    def end(self, steps: int, lower: Any, upper: Any) -> str | None:
        """Tell how far the search is; why it must end now, or None."""
        if self._on_progress is not None:
            self._on_progress(steps, lower, upper)
        return self.over()

    def over(self) -> str | None:
        """Why it must end now, or None."""
        if self._limit is not None and self.seconds >= self._limit:
            return TIME
        return STOPPED if self._stop is not None and self._stop() else None
