"""Lines on stderr, and one that changes while work goes on."""

from __future__ import annotations

import sys
from time import monotonic

from ..printable import printable

ON_TERMINAL = 0.1  # seconds between two looks of the changing line
ELSEWHERE = 2.0


class Console:
    """Lines and progress on stderr.

    Parameters
    ----------
    quiet : bool
        Whether to say nothing at all.
    progress : bool or None
        Whether to show a changing line; None on terminals only. Where nothing can change, new lines are written.
    """

    def __init__(self, *, quiet: bool, progress: bool | None = None) -> None:
        self._out = None if quiet else sys.stderr
        self._terminal = self._out is not None and self._out.isatty()
        self._shows = self._terminal if progress is None else progress
        self._begun = self._next = monotonic()
        self._first: int | None = None
        self._shown = 0

    def line(self, text: str) -> None:
        """Write a line."""
        self._write(self._cleared() + printable(text) + "\n")

    def rounds(self, rounds: int, done: str = "", unit: str = "rounds") -> None:
        """Show how far the work has come; `done` says it in other words, before the rounds or whatever is counted."""
        if not self._shows or (now := monotonic()) < self._next:
            return
        if self._first is None:
            self._first, self._begun = rounds, now
            return
        speed = (rounds - self._first) / (now - self._begun) if now > self._begun else 0
        self._change(f"{done}{rounds:,} {unit}, {speed:,.0f} a second", now)

    def parts(self, text: str) -> None:
        """Show the progress of work that is done in parts."""
        if self._shows and (now := monotonic()) >= self._next:
            self._change(printable(text), now)

    def doing(self, text: str) -> None:
        """Show what takes its time, where a line can change."""
        if self._terminal and self._shows:
            self._write(self._cleared() + text)
            self._shown = len(text)

    def settle(self) -> None:
        """Take the changing line away."""
        self._write(self._cleared())

    def _change(self, text: str, now: float) -> None:
        self._next = now + (ON_TERMINAL if self._terminal else ELSEWHERE)
        self._write(f"{self._cleared()}{text}" if self._terminal else f"{text}\n")
        self._shown = len(text) if self._terminal else 0

    def _cleared(self) -> str:
        blank = f"\r{' ' * self._shown}\r" if self._shown else ""
        self._shown = 0
        return blank

    def _write(self, text: str) -> None:
        if self._out is None or not text:
            return
        try:
            self._out.write(text)
            self._out.flush()
        except (OSError, ValueError):
            self._out = None  # stderr is closed; the work goes on
