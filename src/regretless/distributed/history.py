"""The counts of each epoch, and their sums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.batch import Array
from ..ledger import Ledger
from ..rows.state import BaseState
from ..theory.mixing_facts import MixedLedger
from .messages import Count


@dataclass(frozen=True, slots=True, eq=False)
class EpochResult:
    """The counts of an epoch.

    Attributes
    ----------
    groups : list of tuple of Count
        Of each group of shards that were mixed together, in their order.
    clock : ndarray
        What the rates of the next epoch go by.
    """

    groups: list[tuple[Count, ...]]
    clock: Array

    @property
    def counts(self) -> list[Count]:
        """The counts of all shards, in their order."""
        return [count for group in self.groups for count in group]

    @property
    def mu(self) -> list[float]:
        """The weights mu of all shards; those of each group sum to 1, unless nothing has moved there."""
        return [share for group in self.groups for share in shares_of(group)]


@dataclass(frozen=True, slots=True)
class Epoch:
    """One epoch over all shards.

    Attributes
    ----------
    number : int
        From 1.
    rounds, mistakes, updates : int
        Of all shards.
    weighted_updates : float
        The sum of mu times the updates of each shard: what the theorems bound.
    least, most : float
        Smallest and largest mu, what a shard counts in the mean.
    mixings : int
        How often weights were mixed: 1, unless shards are taken in groups.
    seconds : float or None
        From its begin to its end; None of an epoch that was read from a file.
    cpu, reading : float or None
        Seconds of CPU time of all shards together, and the part of them that was spent in reading.
    bytes_down, bytes_up : int or None
        What travelled to the shards and back, pickled.
    """

    number: int
    rounds: int
    mistakes: int
    updates: int
    weighted_updates: float
    least: float
    most: float
    mixings: int = 1
    seconds: float | None = None
    cpu: float | None = None
    reading: float | None = None
    bytes_down: int | None = None
    bytes_up: int | None = None

    @property
    def clean(self) -> bool:
        """Whether no shard had an update."""
        return self.updates == 0

    def to_list(self) -> list[float]:
        """The numbers of a model file: nothing that depends on machines."""
        whole = [self.rounds, self.mistakes, self.updates, self.mixings]
        return [*whole, self.weighted_updates, self.least, self.most]

    @classmethod
    def read(cls, number: int, values: Sequence[float]) -> Epoch:
        """The epoch of what `to_list` gave.

        Parameters
        ----------
        number : int
            From 1.
        values : sequence of float
        """
        rounds, mistakes, updates, mixings = (int(one) for one in values[:4])
        weighted, least, most = (float(one) for one in values[4:])
        return cls(number, rounds, mistakes, updates, weighted, least, most, mixings)

    def describe(self) -> dict[str, Any]:
        """All of it as JSON values."""
        return {name: getattr(self, name) for name in self.__slots__}


def shares_of(counts: Sequence[Count]) -> list[float]:
    """The weight mu of each shard in the mean, in their order; all zero if nothing has moved."""
    total = 0.0
    for count in counts:
        total += count.weight
    return [count.weight / total if total > 0 else 0.0 for count in counts]


def epoch_of(number: int, played: EpochResult, **measured: Any) -> Epoch:
    """The record of an epoch, from the counts of its shards."""
    counts, mu, weighted = played.counts, played.mu, 0.0
    for share, count in zip(mu, counts, strict=True):
        weighted += share * count.updates
    return Epoch(
        number,
        sum(count.rounds for count in counts),
        sum(count.mistakes for count in counts),
        sum(count.updates for count in counts),
        weighted,
        min(mu),
        max(mu),
        len(played.groups),
        cpu=sum(count.cpu for count in counts),
        reading=sum(count.reading for count in counts),
        **measured,
    )


def ledgers_of(state: BaseState, counts: Sequence[Count]) -> tuple[list[list[Ledger]], list[Ledger]]:
    """The ledgers of an epoch: of each target those of all shards, and those of the whole.

    Parameters
    ----------
    state : BaseState
        Of the learner, whose kind says how books are read.
    counts : sequence of Count
        Of each shard.

    Returns
    -------
    targets : list of list of Ledger
        Of each target those of the shards, in their order.
    whole : list of Ledger
        Of each shard.
    """
    twin = state.blank(0, state.targets)
    targets: list[list[Ledger]] = [[] for _ in range(state.targets)]
    whole: list[Ledger] = []
    for count in counts:
        twin.books = count.books
        whole.append(twin.ledger())
        for listed, ledger in zip(targets, twin.ledgers(), strict=True):
            listed.append(ledger)
    return targets, whole


@dataclass(frozen=True, slots=True, eq=False)
class MixingSums:
    """Sums over the epochs of a mixed run.

    Attributes
    ----------
    mixed : tuple of MixedLedger
        One a target.
    whole : MixedLedger
        With several targets, that of the class that is predicted.
    shares : ndarray, shape (shards,)
        The sum of mu of each shard over the epochs.
    rounds, nonzeros : ndarray of int64, shape (shards,)
        Rows of each shard, and their values that are not zero (or are stored).
    norms2 : ndarray, shape (shards,)
        The sum of the squared lengths of its rows.
    """

    mixed: tuple[MixedLedger, ...]
    whole: MixedLedger
    shares: Array
    rounds: Array
    nonzeros: Array
    norms2: Array

    @classmethod
    def none(cls, targets: int, shards: int) -> MixingSums:
        """Those of no epoch at all.

        Parameters
        ----------
        targets, shards : int
            How many there are.
        """
        counts, zeros = np.zeros(shards, np.int64), np.zeros(shards)
        return cls((MixedLedger(),) * targets, MixedLedger(), zeros, counts, counts, zeros)

    def after(self, state: BaseState, played: EpochResult, *, together: int, passes: int) -> MixingSums:
        """The sums with one more epoch.

        Parameters
        ----------
        state : BaseState
            Of the learner, whose kind says how books are read.
        played : EpochResult
            The counts of the epoch.
        together : int
            How many shards began from the same weights.
        passes : int
            How often a shard was gone over.
        """
        counts, mu = played.counts, played.mu
        targets, whole = ledgers_of(state, counts)
        first = [ledger.total_norm2 / passes for ledger in whole]
        return MixingSums(
            tuple(book.after(mu, ours, together) for book, ours in zip(self.mixed, targets, strict=True)),
            self.whole.after(mu, whole, together),
            self.shares + np.array(mu),
            np.array([count.rounds // passes for count in counts], np.int64),
            np.array([count.nonzeros // passes for count in counts], np.int64),
            np.array(first) if self.whole.epochs == 0 else self.norms2,
        )

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON values."""
        return {
            "books": [book.array().tolist() for book in (*self.mixed, self.whole)],
            **{name: getattr(self, name).tolist() for name in ("shares", "rounds", "nonzeros", "norms2")},
        }

    @classmethod
    def read(cls, values: dict[str, Any]) -> MixingSums:
        """The sums of what `to_dict` gave.

        Raises
        ------
        KeyError, TypeError, ValueError
            If it does not fit together.
        """
        *mixed, whole = (MixedLedger.read(np.array(book, dtype=np.float64)) for book in values["books"])
        arrays = [np.array(values[name], dtype=np.float64) for name in ("shares", "norms2")]
        rounds, nonzeros = (np.array(values[name], dtype=np.int64) for name in ("rounds", "nonzeros"))
        if len({array.shape for array in (*arrays, rounds, nonzeros)}) > 1 or arrays[0].ndim != 1:
            raise ValueError("there are not as many sums as shards")
        return cls(tuple(mixed), whole, arrays[0], rounds, nonzeros, arrays[1])
