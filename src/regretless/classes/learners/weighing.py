"""Which of two parts of a class is costlier to learn; what a search knows of one after some time."""

from __future__ import annotations

from time import monotonic
from typing import Any, Protocol

from ..finite_class import Words

FIRST, LAST = 1 << 10, 1 << 17  # steps between looks at the clock and at Ctrl-C
PATIENCE = 10.0  # seconds for the dimensions that certificates ask for


class Search(Protocol):
    """A search for Littlestone dimensions that goes on where it stood."""

    def run(self, alive: Any, steps: int, /) -> tuple[int, int, int]:
        """Numbers between which the dimension lies, and how many steps that took."""


def compared(search: Search, one: Words, other: Words) -> int:
    """1, 0 or -1: whether the dimension of one part is larger than that of the other, the same, or smaller.

    No more is found out of either than that takes.
    """
    steps = FIRST
    least, most = search.run(one, steps)[:2]
    other_least, other_most = search.run(other, steps)[:2]
    while other_least <= most and least <= other_most and (least < most or other_least < other_most):
        steps = min(2 * steps, LAST)
        if least < most:
            least, most = search.run(one, steps)[:2]
        if other_least < other_most:
            other_least, other_most = search.run(other, steps)[:2]
    return (least > other_most) - (most < other_least)


def standing_of(search: Search, part: Words | None) -> tuple[int, int]:
    """Numbers between which the dimension lies: one number, unless the search loses its patience."""
    until, steps = monotonic() + PATIENCE, FIRST
    least, most = search.run(part, steps)[:2]
    while least < most and monotonic() < until:
        steps = min(2 * steps, LAST)
        least, most = search.run(part, steps)[:2]
    return least, most
