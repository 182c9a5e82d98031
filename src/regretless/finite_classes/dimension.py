"""Dimensions with proven bounds, and the clock and the limits of their searches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from time import perf_counter
from typing import Any, Generic, TypeVar

from ..errors import ParameterError, RegretlessError

Number = TypeVar("Number", int, Fraction)
Progress = Callable[[int, Any, Any], None]
Stop = Callable[[], bool]
# Reasons of an early end.
TIME, STOPPED, MEMORY = "the time limit was reached", "it was stopped", "memory ran out"
# Words of bits before the first look at the clock, and seconds between later ones.
FIRST_SLICE = 1 << 16
BETWEEN_LOOKS = 0.02


@dataclass(frozen=True, slots=True)
class Between(Generic[Number]):
    """A number with proven bounds.

    Attributes
    ----------
    name : str
        Name of the number.
    lower, upper : int or Fraction
        Equal unless the search ended early.
    """

    name: str
    lower: Number
    upper: Number

    @property
    def exact(self) -> bool:
        """Whether the bounds are equal."""
        return self.lower == self.upper

    @property
    def value(self) -> Number:
        """The number.

        Raises
        ------
        RegretlessError
            If the bounds differ.
        """
        if not self.exact:
            raise RegretlessError(
                f"{self.name}: it is only known to be from {_shown(self.lower)} to {_shown(self.upper)}"
            )
        return self.lower

    def __str__(self) -> str:
        return str(self.lower) if self.exact else f"{_shown(self.lower)} to {_shown(self.upper)}"


@dataclass(frozen=True, slots=True)
class Dimension(Between[int]):
    """A dimension with proven bounds.

    Equality ignores the times and steps of the searches.

    Attributes
    ----------
    name : str
        "VC dimension" or "Littlestone dimension".
    lower, upper : int
        Equal unless the search ended early.
    witness : object
        A proof of the lower bound: the points of a shattered set, or a `MistakeTree`.
    seconds : float
        Time of the search.
    steps : int
        Number of version spaces, or sets of points, of the search.
    """

    witness: Any = field(hash=False)
    seconds: float = field(default=0.0, compare=False)
    steps: int = field(default=0, compare=False)

    def __int__(self) -> int:
        return self.value


def _shown(number: int | Fraction) -> str:
    return str(number) if isinstance(number, int) else repr(float(number))


class SearchLimits:
    """The clock, callbacks and limits of a search.

    Parameters
    ----------
    limit : float, optional
        Time limit in seconds.
    on_progress : callable, optional
        Called at each look with the number of steps and both bounds.
    stop : callable, optional
        Called at each look; once it returns true, the search ends.
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
        """Seconds since the start."""
        return perf_counter() - self._began

    def slices(self, first: int = FIRST_SLICE) -> Iterator[int]:
        """Sizes of slices of work between looks, adapted to the time of the last slice."""
        slice_ = first
        while True:
            began = self.seconds
            yield slice_
            if self.seconds - began < BETWEEN_LOOKS:
                slice_ *= 2
            elif slice_ > 1:
                slice_ //= 2

    def end(self, steps: int, lower: Any, upper: Any) -> str | None:
        """Report progress; the reason to end now, or None."""
        if self._on_progress is not None:
            self._on_progress(steps, lower, upper)
        return self.over()

    def over(self) -> str | None:
        """The reason to end now, or None."""
        if self._limit is not None and self.seconds >= self._limit:
            return TIME
        return STOPPED if self._stop is not None and self._stop() else None
