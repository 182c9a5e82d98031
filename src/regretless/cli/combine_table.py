"""The table of a combiner: how it does beside the best expert, while the rounds go by."""

from __future__ import annotations

from collections.abc import Callable

Point = tuple[int, float, float, float]

HEADER = "{:>12} {:>14} {:>14} {:>14} {:>14}".format("rounds", "mean loss", "since last", "best expert", "regret")


class RegretTable:
    """Rows at doubling round counts, and one at the end.

    Parameters
    ----------
    write : callable
        Takes a line.
    last : (rounds, loss, the best expert's mean loss, regret)
        Where the first row counts from.
    """

    def __init__(self, write: Callable[[str], None], last: Point) -> None:
        self._write, self._last, self._headed = write, last, False

    def point(self, point: Point) -> None:
        """Told of every doubling."""
        self._row(point)

    def end(self, point: Point) -> None:
        """The last row, unless it is there."""
        if point[0] > self._last[0]:
            self._row(point)

    def _row(self, point: Point) -> None:
        if not self._headed:
            self._write(HEADER)
            self._headed = True
        rounds, loss, best, regret = point
        recent = (loss - self._last[1]) / (rounds - self._last[0])
        self._write(f"{rounds:>12} {loss / rounds:>14.6g} {recent:>14.6g} {best:>14.6g} {regret:>14.6g}")
        self._last = point
