"""A binary tree over neighbours, whose shape depends on the number of leaves alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


def pairs(leaves: int) -> list[list[tuple[int, ...]]]:
    """Which nodes become one, level by level.

    Parameters
    ----------
    leaves : int
        At least 1.

    Returns
    -------
    list of list of tuple of int
        Of each level the nodes that it merges, by their place in the level below: two neighbours, or an odd one alone,
        which goes up as it is. The last level has one node; a single leaf needs no level.
    """
    levels = []
    while leaves > 1:
        levels.append([tuple(range(i, min(i + 2, leaves))) for i in range(0, leaves, 2)])
        leaves = len(levels[-1])
    return levels


class Tree(Generic[T]):
    """Merges leaves as they come, in whatever order, always in the same shape.

    Two siblings are merged as soon as both are there. Leaves that come in their order leave no more than one node
    waiting on each level.

    Parameters
    ----------
    leaves : int
        How many there will be, at least 1.
    merge : callable
        Of two siblings, the left one first.
    """

    def __init__(self, leaves: int, merge: Callable[[T, T], T]) -> None:
        if leaves < 1:
            raise ValueError("a tree has a leaf")
        self._leaves, self._merge = leaves, merge
        self._waiting: dict[tuple[int, int], T] = {}
        self._seen: set[int] = set()
        self._root: list[T] = []

    def add(self, place: int, value: T) -> None:
        """Take in a leaf, counted from 0.

        Raises
        ------
        ValueError
            If there is no such leaf, or it was there already.
        """
        if not 0 <= place < self._leaves or place in self._seen:
            raise ValueError(f"leaf {place} of {self._leaves} is none or came twice")
        self._seen.add(place)
        level, nodes = 0, self._leaves
        while nodes > 1:
            sibling = place ^ 1
            if sibling < nodes:
                if (level, sibling) not in self._waiting:
                    self._waiting[level, place] = value
                    return
                other = self._waiting.pop((level, sibling))
                value = self._merge(other, value) if sibling < place else self._merge(value, other)
            level, place, nodes = level + 1, place // 2, (nodes + 1) // 2
        self._root.append(value)

    @property
    def waiting(self) -> int:
        """How many nodes wait for their siblings."""
        return len(self._waiting)

    @property
    def result(self) -> T:
        """The merge of all leaves.

        Raises
        ------
        ValueError
            While some are missing.
        """
        if not self._root:
            raise ValueError(f"{self._leaves - len(self._seen)} of {self._leaves} leaves are missing")
        return self._root[0]
