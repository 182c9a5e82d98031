"""What shards hold, when they are read again: how large they are, and all their rounds where these are few."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ...certify import SMALL, bytes_of, joined, owned, played
from ...data.batch import Array, Batch
from ...errors import RegretlessError
from ...linear.base import OnlineClassifier
from ...linear.comparators.evaluate import norms2
from ..engines.engine import Engine
from ..rows.shards import Shard

Rounds = list[tuple[Batch, Array]]


@dataclass(frozen=True, slots=True)
class Reading:
    """How a shard is read again.

    Attributes
    ----------
    schema : dict or None
        The columns that all shards are read to.
    columns : int
        How many the model knows.
    classes : ndarray
    """

    schema: dict[str, Any] | None
    columns: int
    classes: Array

    def rounds(self, shard: Shard) -> Iterator[tuple[Batch, Array]]:
        """The rounds of a shard with what the kernel plays for their labels."""
        return played(shard.open(self.schema), self.columns, self.classes)


@dataclass(frozen=True, slots=True, eq=False)
class Size:
    """What one shard holds: its rows, the sum of their squared lengths, and about how many bytes."""

    name: str
    rows: int
    norms2: float
    bytes: int


def measure(common: tuple[Reading, float], shard: Shard) -> tuple[Size, ...]:
    """Read a shard to see how large it is."""
    reading, intercept = common
    rows, total, size = 0, 0.0, 0
    for batch, _ in reading.rounds(shard):
        rows += len(batch)
        total += float(norms2(batch).sum()) + len(batch) * intercept**2
        size += bytes_of(batch.entries, len(batch))
    return (Size(shard.name, rows, total, size),)


def concatenate(_: Any, left: tuple[Any, ...], right: tuple[Any, ...]) -> tuple[Any, ...]:
    """The results of neighbours, one after the other."""
    return left + right


def sizes_of(learner: OnlineClassifier, shards: Sequence[Shard], engine: Engine, reading: Reading) -> tuple[Size, ...]:
    """How large each shard is, in one reading."""
    return engine.fold(measure, concatenate, (reading, learner.played_rules().intercept), shards)


def bring(reading: Reading, shard: Shard) -> tuple[tuple[str, Rounds], ...]:
    """All rounds of a small shard."""
    return ((shard.name, joined([(owned(batch), codes) for batch, codes in reading.rounds(shard)])),)


def gather(
    sizes: Sequence[Size], shards: Sequence[Shard], engine: Engine, reading: Reading
) -> dict[str, Rounds] | None:
    """The rounds of all shards by their names; None if they are too many, or some are sparse and others are not."""
    if sum(size.bytes for size in sizes) > SMALL:
        return None
    result: tuple[tuple[str, Rounds], ...] = engine.fold(bring, concatenate, reading, shards)
    local_rounds = dict(result)
    return local_rounds if len({batch.sparse for rounds in local_rounds.values() for batch, _ in rounds}) < 2 else None


def rounds_at_hand(local_rounds: dict[str, Rounds] | None, sizes: Sequence[Size]) -> Any:
    """How a question reads all rounds, in the order of the shards: those at hand, in one batch."""
    if local_rounds is None:

        def none() -> Iterator[tuple[Batch, Array]]:
            raise RegretlessError("the rounds of all shards are too many to be at hand")

        return none
    result = joined([part for size in sizes for part in widen(local_rounds, size.name)])

    def again() -> Iterator[tuple[Batch, Array]]:
        yield from result

    return again


def widen(local_rounds: dict[str, Rounds], name: str) -> Rounds:
    """The rounds of a shard, with as many columns as any shard has."""
    columns = max((batch.columns for rounds in local_rounds.values() for batch, _ in rounds), default=0)
    return [
        (batch if batch.starts is None else Batch(batch.values, None, columns, batch.indices, batch.starts), codes)
        for batch, codes in local_rounds[name]
    ]
