"""Runs an engine over shards, with progress output and handling of Ctrl-C."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..distributed.engines.engine import Engine, Here
from ..distributed.engines.pools import engine_of
from ..errors import Interrupted
from .console import Console
from .output import many

if TYPE_CHECKING:
    from .arguments import CertifyingOptions


class Attended(Engine):
    """An engine that says how far it is, and may be stopped while it waits for others.

    Attributes
    ----------
    waiting : bool
        Whether this process does the work by itself, so that it may be stopped by what a signal's handler raises: the
        learner is between two epochs. Whoever has it done by others asks `stop` a few times a second, and may hold
        locks that such an exception would leave locked.
    stop : callable
        Asked now and then whether to stop.
    """

    def __init__(self, engine: Any, shards: int, console: Console) -> None:
        self._engine, self._shards, self._console = engine_of(engine), shards, console
        self._doing, self._done = "", set[int]()
        self.waiting = False
        self.stop: Callable[[], bool] = lambda: False

    def fold(
        self, work: Any, merge: Any, common: Any, shards: Sequence[Any], *, done: Any = None, stop: Any = None
    ) -> Any:
        """What comes of the work, as the engine does it."""
        tell = self.done if done is None and len(shards) == self._shards else done  # else one is looked at alone
        self.waiting = isinstance(self._engine, Here)
        try:
            if self.stop():  # asked once waiting, or a wish between the two would be overlooked
                raise Interrupted("interrupted")
            return self._engine.fold(work, merge, common, shards, done=tell, stop=stop or self.stop)
        finally:
            self.waiting = False
            self.moved = self._engine.moved

    def begin(self, doing: str) -> None:
        """Say what all shards are gone over for."""
        self._doing = doing
        self._done.clear()
        self._tell()

    def done(self, place: int) -> None:
        """Say that the work on a shard is done; if it was before, all of them are gone over anew."""
        if place in self._done:
            self._done.clear()
        self._done.add(place)
        self._tell()

    def _tell(self) -> None:
        self._console.parts(f"{self._doing}: {len(self._done):,} of {many(self._shards, 'shard')}")


@contextmanager
def engine(arguments: CertifyingOptions, shards: int, console: Console) -> Iterator[Attended]:
    """Whoever goes over the shards: this process, more of them on this machine (one a shard at most), or a cluster.

    Raises
    ------
    RegretlessError
        If nobody answers.
    """
    if arguments.dask is not None:
        from ..distributed.dask import connected

        with _unlogged(), connected(arguments.dask) as cluster:
            yield Attended(cluster, shards, console)
        return
    count = min(arguments.workers or 1, shards)
    if count == 1:
        yield Attended(None, shards, console)
        return
    from ..distributed.engines.processes import workers

    with workers(count) as pool:
        yield Attended(pool, shards, console)


@contextmanager
def _unlogged() -> Iterator[None]:
    """Nothing is logged meanwhile: Dask logs tracebacks of what is then said in one line."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)
