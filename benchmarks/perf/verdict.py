"""Which rows have become slower: what is measured twice before it is believed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import NamedTuple

LIMIT = 1.05
AGAIN = 3  # how often rows that look worse are measured again


class Pair(NamedTuple):
    """Seconds of the same work by two commits, in turns."""

    base: Sequence[float]
    new: Sequence[float]

    def ratio(self) -> float:
        """How many times as long the new one takes: by the best of each or by the median of the turns.

        The smaller one, for noise moves each of them at times: one lucky turn of the base the first, many unlucky turns
        of the new one the second. What is slower in fact moves both.
        """
        best = min(self.new) / min(self.base)
        return min(best, median(new / base for base, new in zip(self.base, self.new, strict=True)))

    def worse(self) -> bool:
        """Whether it takes longer than the limit allows."""
        return self.ratio() > LIMIT

    def joined(self, other: Pair) -> Pair:
        """With the turns of another time."""
        return Pair([*self.base, *other.base], [*self.new, *other.new])


def settled(rows: Sequence[str], measure: Callable[[Sequence[str]], Mapping[str, Pair]]) -> dict[str, Pair]:
    """All rows measured, and those that look worse again and again, until they do not or enough times; all turns count.

    A row that cannot be measured is not in what `measure` returns, and not in the result.
    """
    pairs = dict(measure(rows))
    for _ in range(AGAIN):
        suspects = [name for name, pair in pairs.items() if pair.worse()]
        if not suspects:
            break
        for name, pair in measure(suspects).items():
            pairs[name] = pairs[name].joined(pair)
    return pairs
