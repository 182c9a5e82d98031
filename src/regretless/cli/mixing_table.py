"""The table of epochs: how a learner over shards did before each row was learned from."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .output import number_text

if TYPE_CHECKING:
    from ..distributed.history import Epoch

HEADER = "{:>6} {:>12} {:>12} {:>12} {:>12} {:>12} {:>14}".format(
    "epoch", "rounds", "mistakes", "rate so far", "this epoch", "updates", "weighted"
)


class EpochTable:
    """A row an epoch: rounds, mistakes, updates and weighted updates so far, and the rate of mistakes.

    Parameters
    ----------
    write : callable
        Takes a line.
    """

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write, self._headed = write, False
        self._rounds = self._mistakes = self._updates = 0
        self._weighted = 0.0

    def begin(self, history: list[Epoch]) -> None:
        """Take up what was counted before."""
        for epoch in history:
            self._add(epoch)

    def epoch(self, epoch: Epoch) -> None:
        """Told of every epoch that is over."""
        self._add(epoch)
        if not self._headed:
            self._write(HEADER)
            self._headed = True
        rate, recent = self._mistakes / self._rounds, epoch.mistakes / epoch.rounds
        self._write(
            f"{epoch.number:>6} {self._rounds:>12} {self._mistakes:>12} {rate:>12.6f} {recent:>12.6f} "
            f"{self._updates:>12} {number_text(self._weighted).replace(',', ''):>14}"
        )

    def _add(self, epoch: Epoch) -> None:
        self._rounds += epoch.rounds
        self._mistakes += epoch.mistakes
        self._updates += epoch.updates
        self._weighted += epoch.weighted_updates
