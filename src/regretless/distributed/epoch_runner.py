"""One epoch over all shards, group by group: what one group ends with, the next one begins with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from ..data.batch import Array
from ..errors import Interrupted
from ..linear.base import OnlineClassifier
from .core.broadcast import Start, Weighting
from .core.discovery import both, peek, survey
from .core.epoch import epoch, merge
from .core.learner_adapter import settled, started
from .core.schema import ShardSchema
from .engines.engine import Engine
from .history import EpochResult, Group, shares_of
from .rows.shards import Shard

T = TypeVar("T")


@dataclass
class Player:
    """Who plays epochs.

    Attributes
    ----------
    engine : Engine
    shards : list of Shard
    weights : str
        As in `mix`.
    passes : int
        How often a shard is gone over before weights are mixed.
    together : int
        How many shards begin from the same weights.
    on_shard : callable
        Told the number of the epoch, from 1, and the place of each shard that is done.
    stop : callable
        Asked now and then whether to stop.
    moved : tuple of (down, up)
        Bytes that travelled since this was last set.
    """

    engine: Engine
    shards: list[Shard]
    weights: Weighting
    passes: int
    together: int
    on_shard: Callable[[int, int], None]
    stop: Callable[[], bool]
    moved: tuple[int, int] = field(default=(0, 0))

    def peek(self) -> ShardSchema:
        """What the first rows of the first shard say of labels and columns."""
        return self._fold(peek, _no_neighbours, None, self.shards[:1])

    def play(
        self, learner: OnlineClassifier, schema: dict[str, Any] | None, number: int, clock: Array | None = None
    ) -> EpochResult | ShardSchema:
        """Play an epoch, and leave the learner as it ends.

        If shards meet what the learner does not know, all that they and those behind them hold is found instead; the
        learner is of no use then.

        Parameters
        ----------
        learner : OnlineClassifier
            Announced or settled.
        schema : dict or None
        number : int
            Of the epoch, from 0.
        clock : ndarray, optional
            What came of the epoch before.
        """
        groups: list[Group] = []
        for first, shards in self._groups():
            start = self._start(learner, schema, number, clock, alone=len(shards) == 1)
            outcome = self._fold(epoch, merge, start, shards, partial(self._done, number, first))
            if outcome.found is not None:
                return self._rest(start, outcome.found, first + len(shards))
            clock = settled(learner, start, outcome)
            groups.append(Group(outcome.counts, shares_of(outcome.counts)))
        assert clock is not None
        return EpochResult(groups, clock)

    def _groups(self) -> Iterator[tuple[int, list[Shard]]]:
        for first in range(0, len(self.shards), self.together):
            yield first, self.shards[first : first + self.together]

    def _start(
        self, learner: OnlineClassifier, schema: dict[str, Any] | None, number: int, clock: Array | None, *, alone: bool
    ) -> Start:
        return started(
            learner,
            schema=schema,
            epoch=number,
            weighting=self.weights,
            clock=clock,
            passes=self.passes,
            alone=alone,
        )

    def _rest(self, start: Start, found: ShardSchema, first: int) -> ShardSchema:
        """What shards were found to hold, and what all those hold that come behind them."""
        behind = self.shards[first:]
        return both(start, found, self._fold(survey, both, start, behind)) if behind else found

    def _done(self, number: int, first: int, place: int) -> None:
        self.on_shard(number + 1, first + place)

    def _fold(
        self,
        work: Callable[[Any, Any], T],
        merge: Callable[[Any, T, T], T],
        common: Any,
        shards: Sequence[Shard],
        done: Callable[[int], None] | None = None,
    ) -> T:
        if self.stop():
            raise Interrupted("interrupted")
        self.engine.moved = (0, 0)
        outcome = self.engine.fold(work, merge, common, shards, done=done, stop=self.stop)
        self.moved = (self.moved[0] + self.engine.moved[0], self.moved[1] + self.engine.moved[1])
        return outcome


def _no_neighbours(common: Any, left: T, right: T) -> T:
    raise AssertionError("one shard has no neighbour")
