"""The best sequence of experts with few switches, found while the rounds go by."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]
MOST_CELLS = 10_000_000  # of the table that remembers where each sequence came from


class Shifting:
    """Least losses of sequences of experts by their number of switches.

    Parameters
    ----------
    experts, switches : int
    rounds : int
        How many there will be; sequences are named in the end if a table for all of them is not too large.
    """

    def __init__(self, experts: int, switches: int, rounds: int) -> None:
        self.losses = np.zeros((switches + 1, experts))  # of the best sequence with so many switches that ends so
        self.losses[1:] = np.inf
        remembered = rounds * experts * (switches + 1) <= MOST_CELLS
        self._stayed = np.ones((rounds, switches + 1, experts), dtype=bool) if remembered else None
        self._leaders = np.zeros((rounds, switches + 1), dtype=np.int32) if remembered else None
        self._played = 0

    def add(self, own: Array) -> None:
        """The losses of a block of rounds, shape (rounds, experts); nan where an expert is silent."""
        for row in np.where(np.isnan(own), np.inf, own):
            self._add(row)

    def _add(self, row: Array) -> None:
        if self._played:
            before = self.losses[:-1]
            leaders = before.argmin(1)
            came = before[np.arange(len(leaders)), leaders][:, None]
            if self._stayed is not None and self._leaders is not None:
                self._stayed[self._played, 1:] = self.losses[1:] <= came
                self._leaders[self._played, 1:] = leaders
            self.losses[1:] = np.minimum(self.losses[1:], came)
        self.losses += row
        self._played += 1

    def best(self, switches: int) -> tuple[float, int, list[tuple[int, int, int]] | None]:
        """Loss of the best sequence with at most so many switches, how many it has, and its stretches.

        A stretch is an expert with its first and last round; None if they were too many to remember. The loss is
        infinite if there is no such sequence.
        """
        least = self.losses.min(1)
        used = int(np.argmin(least[: switches + 1]))
        return float(least[used]), used, self._stretches(used) if np.isfinite(least[used]) else None

    def _stretches(self, used: int) -> list[tuple[int, int, int]] | None:
        if self._stayed is None or self._leaders is None:
            return None
        expert, last = int(self.losses[used].argmin()), self._played - 1
        found: list[tuple[int, int, int]] = []
        for t in range(self._played - 1, 0, -1):
            if not self._stayed[t, used, expert]:
                found.append((expert, t, last))
                expert, last, used = int(self._leaders[t, used]), t - 1, used - 1
        return [(expert, 0, last), *reversed(found)]


def shifting(blocks: Iterable[Array], experts: int, switches: int, rounds: int) -> Shifting:
    """The same for blocks of losses."""
    table = Shifting(experts, switches, rounds)
    for own in blocks:
        table.add(own)
    return table
