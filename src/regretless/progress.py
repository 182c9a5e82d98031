"""A line that says how far something has come, for notebooks and terminals: what `on_rounds` and `on_progress` call."""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import monotonic
from types import TracebackType
from typing import Self

__all__ = ["Bar"]

WIDTH = 30
PAUSE = 0.1  # seconds between two looks


class Bar:
    """A bar on stderr, drawn again at most ten times a second; it ends its line when it is left.

    Parameters
    ----------
    total : int, optional
        How much there is to do; without it a bar counts what is done.
    unit : str

    Examples
    --------
    >>> from regretless.bandits import Exp3, simulate
    >>> from regretless.environments import Bernoulli
    >>> with Bar(20 * 1000) as bar:
    ...     pulls = simulate(Exp3(2, seed=0), Bernoulli([0.3, 0.6]), rounds=1000, runs=20, on_rounds=bar)
    >>> pulls.runs
    20
    """

    def __init__(
        self, total: int | None = None, unit: str = "rounds", *, _clock: Callable[[], float] = monotonic
    ) -> None:
        self._total, self._unit, self._clock = total, unit, _clock
        self._begun = self._clock()
        self._next, self._shown, self._last = 0.0, 0, ""

    def __call__(self, done: int, state: float | None = None) -> None:
        """So much is done; `state` is what a solver says of itself besides, such as a gap."""
        self._last = self._line(done, state)
        if (now := self._clock()) >= self._next:
            self._next = now + PAUSE
            self._draw()

    def __enter__(self) -> Self:
        self._begun = self._clock()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self._last:
            self._draw()
            self._write("\n")
        self._last, self._shown = "", 0

    def _line(self, done: int, state: float | None) -> str:
        took = self._clock() - self._begun
        speed = f", {done / took:,.0f} a second" if took > 0 else ""
        besides = "" if state is None else f", {state:.3g}"
        if not self._total:
            return f"{done:,} {self._unit}{speed}{besides}"
        share = min(done / self._total, 1.0)
        full = int(WIDTH * share)
        return f"{'█' * full}{'░' * (WIDTH - full)} {share:4.0%} of {self._total:,} {self._unit}{speed}{besides}"

    def _draw(self) -> None:
        self._write(f"\r{self._last.ljust(self._shown)}")
        self._shown = len(self._last)

    def _write(self, text: str) -> None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except (OSError, ValueError, AttributeError, UnicodeEncodeError):
            pass  # nothing to write to, or nothing that it can show; the work goes on
