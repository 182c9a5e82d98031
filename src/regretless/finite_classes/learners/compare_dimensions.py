"""Which of two parts of a class is costlier to learn; what a search finds out of one with so much work."""

from __future__ import annotations

from typing import Any, Protocol

from ... import _core
from ..finite_class import FiniteClass, Words

FIRST, LAST = 1 << 18, 1 << 24  # words of bits between looks at Ctrl-C
LOOKS = 64  # at the whole class, between two of those, where it is large: a search gets on by some looks at a time
# Words for each dimension that certificates ask for: some seconds at most. No clock says what they certify.
PATIENCE = 1 << 30


class Search(Protocol):
    """A search for Littlestone dimensions that goes on where it stood."""

    def run(self, alive: Any, words: int, /) -> tuple[int, int, int]:
        """Numbers between which the dimension lies, after a look at so many words, and how many steps that took."""


def most_words(finite_class: FiniteClass) -> int:
    """How many words a search of a class looks at between looks at Ctrl-C."""
    return max(LAST, LOOKS * finite_class.columns.size)


def compared(search: Search, one: Words, other: Words, most_at_once: int = LAST) -> int:
    """1, 0 or -1: whether the dimension of one part is larger than that of the other, the same, or smaller.

    No more is found out of either than that takes.
    """
    words = FIRST
    least, most = search.run(one, words)[:2]
    other_least, other_most = search.run(other, words)[:2]
    while other_least <= most and least <= other_most and (least < most or other_least < other_most):
        words = min(2 * words, most_at_once)
        if least < most:
            least, most = search.run(one, words)[:2]
        if other_least < other_most:
            other_least, other_most = search.run(other, words)[:2]
    return (least > other_most) - (most < other_least)


def dimension_bounds(finite_class: FiniteClass, part: Words | None) -> tuple[int, int]:
    """Numbers between which the dimension of a part of a class lies: one number, unless the search loses its patience.

    The search knows nothing when it begins, so that it tells the same whatever was found out before, and by whom.
    """
    search: Search = _core.Littlestone(finite_class.columns, finite_class.hypotheses)
    left, words, most_at_once = PATIENCE, FIRST, most_words(finite_class)
    least, most, _ = search.run(part, words)
    while least < most and left > 0:
        words = min(2 * words, most_at_once)
        left -= words
        least, most, _ = search.run(part, words)
    return least, most
