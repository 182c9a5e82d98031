"""What theorems of mixing are about: the books of shards, weighted by what each counts in the mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from ..ledger import FIELDS, Ledger


@dataclass(frozen=True, slots=True)
class MixedLedger:
    """Running totals of a learner whose weights are mixed.

    In a mixing some shards play from the same weights, and the next mixing begins with the weighted mean of what they
    ended with; mu is what a shard counts in the mean. In an epoch every shard is part of one mixing.

    Attributes
    ----------
    mixed : Ledger
        The sum over mixings and shards of mu times each book: what the theorems of mixing bound. Extremes are those of
        all rounds.
    plain : Ledger
        The sum of the same books as they are.
    shards, together : int
        How many there are, and how many at most are mixed together.
    epochs, mixings : int
    busy : int
        Epochs in which some shard had an update.
    path : float
        Rounds along the longest path: the sum over the mixings of the largest number of rounds of a shard.
    opening, slowing, closing : float
        Of the learning rates. With f and l the rates of the first and the last update of a shard in a mixing, and means
        weighted by mu over its shards: `opening` is the mean of 1 / f in the first mixing with an update; `slowing` the
        sum over the mixings of the mean of 1 / l - 1 / f, and of what the mean of 1 / f exceeds 1 / `closing` by, where
        it does; `closing` the mean of l in the last mixing with an update. A shard without an update takes no part in
        these means.
    """

    mixed: Ledger = field(default_factory=Ledger)
    plain: Ledger = field(default_factory=Ledger)
    shards: int = 0
    together: int = 0
    epochs: int = 0
    mixings: int = 0
    busy: int = 0
    path: float = 0.0
    opening: float = 0.0
    slowing: float = 0.0
    closing: float = 0.0

    def after(self, shares: Sequence[float], ledgers: Sequence[Ledger], together: int | None = None) -> MixedLedger:
        """The book one epoch later.

        Parameters
        ----------
        shares : sequence of float
            mu of each shard: they sum to 1 over the shards of a mixing, or are all 0 where none of them moved.
        ledgers : sequence of Ledger
            What each shard observed in this epoch, in the same order.
        together : int, optional
            How many neighbours are mixed; None: all shards.
        """
        size, count = together or max(len(ledgers), 1), len(ledgers)
        book = self
        for begin in range(0, count, size):
            book = book._after_mixing(shares[begin : begin + size], ledgers[begin : begin + size])
        busy = self.busy + any(ledger.updates > 0 for ledger in ledgers)
        most = max(self.together, min(size, count))
        return replace(book, shards=count, together=most, epochs=self.epochs + 1, busy=busy)

    def _after_mixing(self, shares: Sequence[float], ledgers: Sequence[Ledger]) -> MixedLedger:
        mixed, plain = self.mixed, self.plain
        for share, ledger in zip(shares, ledgers, strict=True):
            mixed, plain = mixed + ledger.scaled(float(share)), plain + ledger
        opening, slowing, closing = self._rates(shares, ledgers)
        return replace(
            self,
            mixed=mixed,
            plain=plain,
            mixings=self.mixings + 1,
            path=self.path + max(ledger.rounds for ledger in ledgers),
            opening=opening,
            slowing=slowing,
            closing=closing,
        )

    def _rates(self, shares: Sequence[float], ledgers: Sequence[Ledger]) -> tuple[float, float, float]:
        moved = [(float(mu), one) for mu, one in zip(shares, ledgers, strict=True) if mu > 0 and one.last_rate > 0]
        if not moved:
            return self.opening, self.slowing, self.closing
        total = sum(mu for mu, _ in moved)
        idle = max(0.0, 1 - total)
        closing = sum(mu * one.last_rate for mu, one in moved) / total
        # A shard without updates has no rate: with `closing` it drops out of the mean.
        first, last = (
            sum(mu / rate for mu, rate in rates) + idle / closing
            for rates in ([(mu, one.first_rate) for mu, one in moved], [(mu, one.last_rate) for mu, one in moved])
        )
        slowing = self.slowing + max(0.0, last - first)
        if self.opening == 0:
            return first, slowing, closing
        return self.opening, slowing + max(0.0, first - 1 / self.closing), closing

    def array(self) -> np.ndarray[Any, Any]:
        """All of it in one array of floats, which `read` takes."""
        rest = [getattr(self, name) for name in MIXED_FIELDS]
        return np.concatenate([self.mixed.array(), self.plain.array(), np.array(rest, dtype=np.float64)])

    @classmethod
    def read(cls, array: np.ndarray[Any, Any]) -> MixedLedger:
        """The ledger that `array` wrote."""
        size = len(FIELDS)
        rest = dict(zip(MIXED_FIELDS, np.asarray(array[2 * size :], dtype=np.float64).tolist(), strict=True))
        counts = {name: int(rest.pop(name)) for name in _MIXED_COUNTS}
        return cls(Ledger.read(array[:size]), Ledger.read(array[size : 2 * size]), **counts, **rest)


MIXED_FIELDS = tuple(one.name for one in fields(MixedLedger))[2:]
_MIXED_COUNTS = ("shards", "together", "epochs", "mixings", "busy")
