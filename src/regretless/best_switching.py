"""The best sequence of experts with few switches, updated round by round."""

from __future__ import annotations

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
        costs = np.where(np.isnan(own), np.inf, own)
        if not self._played and len(costs):
            self.losses += costs[0]
            self._played, costs = 1, costs[1:]
        if self._stayed is None or self._leaders is None:
            self._forget(costs)
        else:
            self._remember(costs, self._stayed[self._played :, 1:], self._leaders[self._played :, 1:])
        self._played += len(costs)

    # Rounds cannot be taken together: sums in another order would break ties between sequences at random. What is
    # left is to make few calls a round, on views and into rooms that are there already.

    def _forget(self, costs: Array) -> None:
        losses, before, after = self.losses, self.losses[:-1], self.losses[1:]
        least = np.empty(len(before))
        switched = least[:, None]
        for row in costs:
            np.minimum.reduce(before, axis=1, out=least)
            np.minimum(after, switched, out=after)
            np.add(losses, row, out=losses)

    def _remember(self, costs: Array, stayed: Any, leaders: Any) -> None:
        losses, before, after, flat = self.losses, self.losses[:-1], self.losses[1:], self.losses.reshape(-1)
        places, least = np.arange(len(before)) * losses.shape[1], np.empty(len(before))
        switched, leading, places_before = (
            least[:, None],
            np.empty(len(before), dtype=np.intp),
            np.empty(len(before), dtype=np.intp),
        )
        for row, stays, leads in zip(costs, stayed, leaders, strict=False):
            before.argmin(1, out=leading)
            np.add(leading, places, out=places_before)
            flat.take(places_before, out=least, mode="clip")  # any other mode takes a detour
            np.less_equal(after, switched, out=stays)
            leads[:] = leading
            np.minimum(after, switched, out=after)
            np.add(losses, row, out=losses)

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
        stretches: list[tuple[int, int, int]] = []
        for t in range(self._played - 1, 0, -1):
            if not self._stayed[t, used, expert]:
                stretches.append((expert, t, last))
                expert, last, used = int(self._leaders[t, used]), t - 1, used - 1
        return [(expert, 0, last), *reversed(stretches)]
