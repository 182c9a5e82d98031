"""The progressive-validation table: how a learner did on rounds before it learned from them."""

from __future__ import annotations

from collections.abc import Callable

Point = tuple[int, int, int]

HEADER = "{:>12} {:>12} {:>12} {:>12} {:>12}".format("rounds", "mistakes", "rate so far", "since last", "updates")


def doubling(rounds: int) -> bool:
    """Whether a round count has a row: powers of two do."""
    return rounds & (rounds - 1) == 0


class Table:
    """Rows at doubling round counts, and one at the end.

    Parameters
    ----------
    write : callable
        Takes a line.
    last : (rounds, mistakes, updates)
        Where the first row counts from.
    """

    def __init__(self, write: Callable[[str], None], last: Point = (0, 0, 0)) -> None:
        self._write, self._last, self._headed = write, last, False

    def point(self, point: Point) -> None:
        """Told of every point of the curve."""
        if doubling(point[0]):
            self._row(point)

    def end(self, point: Point) -> None:
        """The last row, unless it is there."""
        if point[0] > self._last[0]:
            self._row(point)

    def _row(self, point: Point) -> None:
        if not self._headed:
            self._write(HEADER)
            self._headed = True
        rounds, mistakes, updates = point
        recent = (mistakes - self._last[1]) / (rounds - self._last[0])
        self._write(f"{rounds:>12} {mistakes:>12} {mistakes / rounds:>12.6f} {recent:>12.6f} {updates:>12}")
        self._last = point
