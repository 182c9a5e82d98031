"""Engines, which run a function on every shard, and the tree in which results are merged."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from ..data.batch import Batch
from ..data.stream import Stream, WrappedStream
from ..errors import DataError, Interrupted, RegretlessError
from .shards import Shard

C = TypeVar("C")
T = TypeVar("T")


class StoppableShard(Shard):
    """A shard that calls `stop` before each batch.

    Parameters
    ----------
    shard : Shard
    stop : callable
        Whether to stop.
    """

    def __init__(self, shard: Shard, stop: Callable[[], bool]) -> None:
        self.name, self._shard, self._stop = shard.name, shard, stop
        self.of_file = shard.of_file

    def open(self, schema: dict[str, Any] | None) -> Stream:
        """The rows of the shard; reading them raises `Interrupted` once it is true."""
        return _StoppableStream(self._shard.open(schema), self._stop)


class _StoppableStream(WrappedStream):
    def __init__(self, inner: Stream, stop: Callable[[], bool]) -> None:
        super().__init__(inner)
        self._stop = stop

    def batches(self, skip: int = 0) -> Iterator[Batch]:
        with closing(self._counted(self._inner.batches(skip))) as batches:
            while True:
                if self._stop():
                    raise Interrupted("interrupted")
                if (batch := next(batches, None)) is None:
                    return
                yield batch


def pairs(leaves: int) -> list[list[tuple[int, ...]]]:
    """Which nodes become one, level by level.

    Parameters
    ----------
    leaves : int
        At least 1.

    Returns
    -------
    list of list of tuple of int
        Of each level the nodes that it merges, by their place in the level below: two neighbours, or an odd one alone,
        which goes up as it is. The last level has one node; a single leaf needs no level.
    """
    levels = []
    while leaves > 1:
        levels.append([tuple(range(i, min(i + 2, leaves))) for i in range(0, leaves, 2)])
        leaves = len(levels[-1])
    return levels


class MergeTree(Generic[T]):
    """Merges leaves as they come, in whatever order, always in the same shape.

    Two siblings are merged as soon as both are there. Leaves that come in their order leave no more than one node
    waiting on each level.

    Parameters
    ----------
    leaves : int
        How many there will be, at least 1.
    merge : callable
        Of two siblings, the left one first.
    """

    def __init__(self, leaves: int, merge: Callable[[T, T], T]) -> None:
        if leaves < 1:
            raise ValueError("a tree has a leaf")
        self._leaves, self._merge = leaves, merge
        self._waiting: dict[tuple[int, int], T] = {}
        self._seen: set[int] = set()
        self._root: list[T] = []

    def add(self, place: int, value: T) -> None:
        """Take in a leaf, counted from 0.

        Raises
        ------
        ValueError
            If there is no such leaf, or it was there already.
        """
        if not 0 <= place < self._leaves or place in self._seen:
            raise ValueError(f"leaf {place} of {self._leaves} is none or came twice")
        self._seen.add(place)
        level, nodes = 0, self._leaves
        while nodes > 1:
            sibling = place ^ 1
            if sibling < nodes:
                if (level, sibling) not in self._waiting:
                    self._waiting[level, place] = value
                    return
                other = self._waiting.pop((level, sibling))
                value = self._merge(other, value) if sibling < place else self._merge(value, other)
            level, place, nodes = level + 1, place // 2, (nodes + 1) // 2
        self._root.append(value)

    @property
    def waiting(self) -> int:
        """How many nodes wait for their siblings."""
        return len(self._waiting)

    @property
    def result(self) -> T:
        """The merge of all leaves.

        Raises
        ------
        ValueError
            While some are missing.
        """
        if not self._root:
            raise ValueError(f"{self._leaves - len(self._seen)} of {self._leaves} leaves are missing")
        return self._root[0]


class Named(Protocol):
    """What work is done on: a shard of rows, or something else with a name."""

    @property
    def name(self) -> str:
        """What messages call it."""


class Engine:
    """Runs work on shards, and merges the results over a tree whose shape depends on the number of shards alone.

    An engine says by `_answers` how work is done, or has a `fold` of its own if its workers merge by themselves.

    Attributes
    ----------
    moved : tuple of (down, up)
        Bytes that went to where the shards are played and came back in the last `fold`, as they were pickled; zero
        where nothing travels. The descriptions of the shards are not counted.
    """

    moved: tuple[int, int] = (0, 0)

    def fold(
        self,
        work: Callable[[C, Any], T],
        merge: Callable[[C, T, T], T],
        common: C,
        shards: Sequence[Named],
        *,
        done: Callable[[int], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> T:
        """Run ``work(common, shard)`` on every shard and merge the results of neighbours.

        Parameters
        ----------
        work, merge : callable
            Importable by name: they may run elsewhere.
        common : object
            What all of them need.
        shards : sequence of Shard, or of something else with a name
        done : callable, optional
            Called with the place of each shard whose work is done.
        stop : callable, optional
            Called now and then; true stops the work.

        Raises
        ------
        Interrupted
            If `stop` was true.
        EngineError
            If a process that played a shard is gone.
        RegretlessError
            If a shard cannot be used; it is named.
        """
        tree: MergeTree[T] = MergeTree(len(shards), partial(merge, common))
        with closing(self._answers(work, common, shards, stop)) as answers:  # what is left is cancelled at once
            for place, answer in answers:
                tree.add(place, answer)
                if done is not None:
                    done(place)
        return tree.result

    def _answers(
        self, work: Callable[[C, Any], T], common: C, shards: Sequence[Named], stop: Callable[[], bool] | None
    ) -> Generator[tuple[int, T]]:
        """The place of each shard and its result, in any order."""
        raise NotImplementedError


class Here(Engine):
    """This process, one shard after another: what every other engine must agree with, bit for bit."""

    def _answers(
        self, work: Callable[[C, Any], T], common: C, shards: Sequence[Named], stop: Callable[[], bool] | None
    ) -> Generator[tuple[int, T]]:
        for place, shard in enumerate(shards):
            if stop is not None and stop():
                raise Interrupted("interrupted")
            yield place, run_guarded(work, common, watch(shard, stop))


def run_guarded(work: Callable[[C, Any], T], common: C, shard: Named) -> T:
    """Do the work on a shard; every error names it.

    Every engine calls this where the shard is played.

    Parameters
    ----------
    work : callable
        As of `Engine.fold`.
    common : object
    shard : Shard, or something else with a name

    Raises
    ------
    RegretlessError
        Whatever was wrong with the shard.
    """
    try:
        return work(common, shard)
    except Interrupted:
        raise
    except DataError as error:
        if str(error).startswith(shard.name):
            raise
        place = f"{shard.name}: {error.path}"
        raise DataError(place, error.line, error.column, error.fault, error.advice, error.more) from error
    except RegretlessError as error:
        if str(error).startswith(shard.name):
            raise
        raise RegretlessError(f"{shard.name}: {error}") from error
    except OSError as error:
        fault = f"this cannot be read ({error.strerror or error})"
        raise DataError(shard.name, None, None, fault, "it must be there where it is played") from error


def run_answering(work: Callable[[C, Any], T], common: C, shard: Named) -> tuple[T | None, RegretlessError | None]:
    """The result of a shard, or what is wrong with its data: an answer too, where a task that fails is tried again.

    A disk or a network that failed is raised, for another attempt may go well.

    Parameters
    ----------
    work, common, shard
        As of `run_guarded`.

    Returns
    -------
    result : object or None
    error : RegretlessError or None
        What is wrong with the data.

    Raises
    ------
    RegretlessError
        If a disk or a network failed.
    """
    try:
        return run_guarded(work, common, shard), None
    except RegretlessError as error:
        if isinstance(error.__cause__, OSError):
            raise
        return None, error


def watch(shard: Named, stop: Callable[[], bool] | None) -> Named:
    """The shard, which calls `stop` between its batches; what is no shard of rows stays as it is."""
    return shard if stop is None or not isinstance(shard, Shard) else StoppableShard(shard, stop)
