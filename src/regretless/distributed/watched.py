"""An engine that says how far it is, and that may be stopped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..errors import Interrupted
from ..report.terminal import many
from .engine import Engine, Here
from .pools import engine_of


class WatchedEngine(Engine):
    """An engine that says how far it is, and may be stopped while it waits for others.

    Parameters
    ----------
    engine : Any
        As `engine_of` takes it.
    shards : int
        How many there are.
    say : callable
        Takes a text, whenever more is done.

    Attributes
    ----------
    waiting : bool
        Whether this process does the work by itself, so that it may be stopped by what a signal's handler raises: the
        learner is between two epochs. An engine of other processes asks `stop` a few times a second, and may hold
        locks that such an exception would leave locked.
    stop : callable
        Asked now and then whether to stop.
    """

    def __init__(self, engine: Any, shards: int, say: Callable[[str], None]) -> None:
        self._engine, self._shards, self._say = engine_of(engine), shards, say
        self._doing, self._done = "", set[int]()
        self.waiting = False
        self.stop: Callable[[], bool] = lambda: False

    def fold(
        self, work: Any, merge: Any, common: Any, shards: Sequence[Any], *, done: Any = None, stop: Any = None
    ) -> Any:
        """The result of the work, as the engine does it."""
        tell = self.done if done is None and len(shards) == self._shards else done  # else a single shard is asked
        self.waiting = isinstance(self._engine, Here)
        try:
            if self.stop():  # asked once waiting, or a signal between the two would be overlooked
                raise Interrupted("interrupted")
            return self._engine.fold(work, merge, common, shards, done=tell, stop=stop or self.stop)
        finally:
            self.waiting = False
            self.moved = self._engine.moved

    def begin(self, doing: str) -> None:
        """Say what is done with all shards."""
        self._doing = doing
        self._done.clear()
        self._tell()

    def done(self, place: int) -> None:
        """Say that the work on a shard is done; if it was done before, a new pass has begun."""
        if place in self._done:
            self._done.clear()
        self._done.add(place)
        self._tell()

    def _tell(self) -> None:
        self._say(f"{self._doing}: {len(self._done):,} of {many(self._shards, 'shard')}")
