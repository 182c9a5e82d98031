"""Shards that a command line names, the engine that goes over them, and `certify` with both."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..distributed.checkpoint import SavedRun
from ..distributed.engines.engine import Engine, Here
from ..distributed.engines.pools import engine_of
from ..distributed.result import Mixture
from ..distributed.rows.shards import FileShard, Shard
from ..distributed.rows.sources import files
from ..errors import Interrupted
from . import options
from .console import Console
from .exit_codes import UsageError
from .files import refuse_overwriting
from .output import many

if TYPE_CHECKING:
    from ..linear.base import OnlineClassifier
    from ..theorem import Certificate
    from .arguments import CertifyingOptions, CertifyOptions


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


def opened(
    arguments: CertifyingOptions, kept: SavedRun | None = None, schema: dict[str, Any] | None = None
) -> list[Shard]:
    """The shards, the first of which could be opened.

    Parameters
    ----------
    arguments : CertifyingOptions
    kept : SavedRun, optional
        The run that they were in before: they are read as they were then, where the command line says nothing else.
    schema : dict, optional
        The columns that they are read to, if a model says.

    Raises
    ------
    UsageError
        If an option has no meaning for their format.
    RegretlessError
        If there are none, or the first is missing.
    """
    # What is as by default is as the model has it, if there is one to go on with.
    given = {name: value for name, value in options.reading(arguments).items() if value not in ([], "raise")}
    if arguments.pieces is not None:
        given["pieces"] = arguments.pieces
    known = (kept.reading if kept is not None else None) or {}
    with options.told_as_options(given):
        shards = files(arguments.files, **{**known, **given})
        first = shards[0]
        if not isinstance(first, FileShard) or arguments.dask is None or os.path.exists(first.path):
            first.open(schema)  # on a cluster it may be where this process cannot see it
    if len(shards) == 1 and arguments.workers != 1:
        raise UsageError(f"{first.name} alone is one shard, which leaves others nothing to do: cut it with --pieces N")
    return shards


def certify_over_shards(
    arguments: CertifyOptions, learner: OnlineClassifier, extra: dict[str, Any], against: Any
) -> list[Certificate]:
    """Certify a model, mixed or not, over shards.

    Raises
    ------
    RegretlessError
        If these are other shards, or one cannot be read.
    """
    from ..distributed.certificates.certify import certify_shards
    from ..run.linear import Continuation
    from .read_model import known_schema

    kept = None if extra.get("mixing") is None else SavedRun.of(extra)
    schema = known_schema(learner, Continuation.read(extra).schema)
    shards = opened(arguments, kept, schema)
    refuse_overwriting([getattr(shard, "path", shard.name) for shard in shards], [arguments.save_comparators])
    how = {"against": against, "svm": arguments.svm, "trusted": False}
    console = Console(quiet=arguments.json)
    try:
        with engine(arguments, len(shards), console) as attended:
            attended.begin("certificates")
            if kept is not None:
                return Mixture.read(arguments.model, shards).certify(attended, **how)
            return certify_shards(learner, shards, attended, schema=schema, **how)
    finally:
        console.settle()
