"""What is added up while rounds are read again: sums that may be weighted, added and sent, wherever the rounds are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Protocol, Self

import numpy as np

from ...data.batch import Array, Batch

MOST_TOGETHER = 64  # directions whose tables are kept at once


class Sums(Protocol):
    """The sums over the rounds that were read."""

    def scaled(self, weight: float) -> Self:
        """The same as if every round were so many."""

    def __add__(self, other: Self) -> Self: ...


class Tally(ABC):
    """Adds something up over the rounds of one target.

    Attributes
    ----------
    target : int
        Whose rounds these are.
    size : int
        How much it keeps, in directions.
    """

    target: int
    size: int = 1

    @abstractmethod
    def take(self, times: int, batch: Batch, codes: Array) -> None:
        """Count some rounds, each so many times.

        Raises
        ------
        RegretlessError
            If a row cannot be used.
        """

    @abstractmethod
    def sums(self) -> Any:
        """What it has come to."""

    @abstractmethod
    def fresh(self) -> Self:
        """Another one that has taken nothing yet, which shares what is only read."""


@dataclass(frozen=True, slots=True)
class Span:
    """Which rounds of a stream a learner played: `passes` times all of its rows, but for the first `skip` of the first
    pass. A one-against-rest learner begins where its class is first met.
    """

    rows: int
    passes: int
    skip: int

    @classmethod
    def of(cls, rows: int, played: float) -> Span:
        """The span that ends with the last row and is so many rounds long."""
        passes = max(1, ceil(played / rows)) if rows else 1
        return cls(rows, passes, max(0, passes * rows - int(played)))

    def within(self, before: int, rows: int) -> Span:
        """The part of it that is in some of the rows, with so many rows before them."""
        return Span(rows, self.passes, min(max(self.skip - before, 0), rows))

    def times(self, done: int, rows: int) -> Array:
        """How often each of the next rows after `done` others was played."""
        times = np.full(rows, float(self.passes))
        times[: max(self.skip - done, 0)] -= 1
        return times

    def cut(self, done: int, batch: Batch, signs: Array) -> Iterator[tuple[int, Batch, Array]]:
        """The next rounds after `done` others, each with how many times it was played."""
        head = min(max(self.skip - done, 0), len(batch))
        if head and self.passes > 1:
            yield self.passes - 1, batch.slice(0, head), signs[:head]
        if head < len(batch):
            yield self.passes, batch.slice(head, len(batch)) if head else batch, signs[head:]

    def parts(self, rounds: Iterable[tuple[Batch, Array]]) -> Iterator[tuple[int, Batch, Array]]:
        """The rounds, each with how many times it was played."""
        done = 0
        for batch, signs in rounds:
            yield from self.cut(done, batch, signs)
            done += len(batch)


def taken(tallies: Sequence[Tally], rounds: Iterable[tuple[Batch, Array]], spans: Sequence[Span]) -> list[Any]:
    """What some tallies come to in one reading of some rounds; `spans` says of each target what it played."""
    done = 0
    for batch, codes in rounds:
        for tally in tallies:
            for times, part, its_codes in spans[tally.target].cut(done, batch, codes):
                tally.take(times, part, its_codes)
        done += len(batch)
    return [tally.sums() for tally in tallies]


def together(tallies: Sequence[Tally]) -> Iterator[list[Tally]]:
    """The tallies in their order, as many at once as have room."""
    group: list[Tally] = []
    for tally in tallies:
        if group and sum(one.size for one in group) + tally.size > MOST_TOGETHER:
            yield group
            group = []
        group.append(tally)
    if group:
        yield group


def signed(codes: Array, target: int, targets: int) -> Array:
    """The signs of one target from what the kernel plays."""
    return codes if targets == 1 else np.where(codes == target, 1, -1).astype(np.int32)
