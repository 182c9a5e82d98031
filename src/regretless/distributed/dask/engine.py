"""A fold as one graph of Dask: work where the data are, merges as a tree, and the client waits for the root alone."""

from __future__ import annotations

import asyncio
import pickle
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from ...errors import EngineError, Interrupted, MissingError, RegretlessError
from ..engine import Engine, pairs, run_answering
from .wait import Waiting

RETRIES = 2
PATIENCE = 10.0  # seconds that a scheduler has to answer
Graph = dict[Any, Any]
Workers = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Common:
    """A value for all tasks, in a box that Dask does not look into."""

    value: Any


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The result of a task, and what had to move for it.

    Attributes
    ----------
    value : object
    size : int
        Bytes of it, pickled.
    at : str
        Address of the worker; empty where there is none.
    moved : int
        Bytes that came from other workers, here and in the tasks before.
    workers : frozenset of str
        Those that took part.
    refused : RegretlessError or None
        What is wrong with the shard. It is no exception of the task, which Dask would try again.
    """

    value: Any
    size: int
    at: str
    moved: int
    workers: frozenset[str]
    refused: RegretlessError | None = None


class DaskEngine(Engine):
    """Folds on the workers of a client, or on Dask's own scheduler of this machine where there is no client.

    `common` is the result of a task, so that Dask copies it from worker to worker, and makes it again from the graph
    that the scheduler keeps where the workers that held it have died. The same is true of all that was made of it:
    nothing is scattered. Partitions that are held by workers are played where they are.

    Parameters
    ----------
    client : distributed.Client, optional
        By default the current one, if there is one.
    retries : int
        How often a task is run again that ends in an error which is none of the data: a disk or a network that failed.

    Attributes
    ----------
    moved : tuple of int
        Bytes that went to the workers with `common` in the last fold, and that came back to other workers or to the
        client, pickled. The scheduler passes on the first copy of `common` and the root, which is not counted twice.
    """

    def __init__(self, client: Any = None, *, retries: int = RETRIES) -> None:
        self.client = current_client() if client is None else client
        if getattr(self.client, "asynchronous", False):
            raise RegretlessError("the client is asynchronous: give one that was made with asynchronous=False")
        self.retries = retries
        self.moved = (0, 0)

    def fold(
        self,
        work: Callable[..., Any],
        merge: Callable[..., Any],
        common: Any,
        shards: Sequence[Any],
        *,
        done: Callable[[int], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> Any:
        """See `Engine.fold`."""
        size = pickled_size(common)
        fold = FoldTasks(work, merge, common, shards)
        root = self._on_cluster(fold, size, done, stop) if self.client else _here(fold, done, stop)
        if root.refused is not None:
            raise root.refused
        travels = self.client is not None
        self.moved = (size * len(root.workers) * travels, (root.moved + root.size) * travels)
        return root.value

    def _on_cluster(self, fold: FoldTasks, size: int, done: Any, stop: Any) -> TaskResult:
        from dask.highlevelgraph import HighLevelGraph, MaterializedLayer

        waiting = Waiting(self.client, fold.names, done, stop)
        where = fold.place(
            waiting.holders(fold.held_futures()), neighbours(waiting.ask(self.client.nthreads), len(fold.leaves))
        )
        layers = {"shared": MaterializedLayer(fold.shared_tasks()), "common": MaterializedLayer(fold.common_task())}
        for workers, tasks in where.items():
            # Others may, if these are gone: to insist would leave the tasks of a dead worker waiting for it.
            manners = {"retries": self.retries, "workers": list(workers), "allow_other_workers": True}
            layers[f"at-{len(layers)}"] = MaterializedLayer(tasks, annotations=manners)
        graph = HighLevelGraph(layers, {name: set(layers) - {name} for name in layers})
        root: TaskResult = waiting.result(partial(self._submit, graph, size), fold.root, fold.leaves)
        return root

    def _submit(self, graph: Any, size: int, keys: list[Any]) -> list[Any]:
        with _large(size):
            return list(self.client.get(graph, keys, sync=False))


class FoldTasks:
    """The tasks of a fold.

    Parameters
    ----------
    work, merge, common, shards
        See `Engine.fold`.
    """

    def __init__(self, work: Callable[..., Any], merge: Callable[..., Any], common: Any, shards: Sequence[Any]) -> None:
        from dask.utils import funcname

        token = uuid.uuid4().hex
        self.work, self.merge, self.value, self.shards = work, merge, common, shards
        self.common = f"common-{token}"
        self.leaves: list[Any] = [(f"{funcname(work)}-{token}", place) for place in range(len(shards))]
        self.names = {key: str(shard.name) for key, shard in zip(self.leaves, shards, strict=True)}
        self._merges = f"{funcname(merge)}-{token}"
        self.root: Any = None

    def common_task(self) -> Graph:
        """The task that gives `common` to all."""
        return {self.common: (_itself, Common(self.value))}

    def place(self, holders: Mapping[Any, Sequence[str]], runs: Sequence[str]) -> dict[Workers, Graph]:
        """The other tasks, by where they belong; then `root` is known.

        Parameters
        ----------
        holders : mapping
            Which workers hold what shards need. What is held is played there.
        runs : sequence of str
            A worker for each of the other shards. A merge belongs where its left part is made.
        """
        result: dict[Workers, Graph] = {}
        nodes: list[tuple[Any, Workers]] = []
        for key, shard, run in zip(self.leaves, self.shards, runs, strict=True):
            needs = list(getattr(shard, "needs", ()))
            where = tuple(sorted({one for need in needs for one in holders.get(need, ())})) or (run,)
            result.setdefault(where, {})[key] = (play_shard, self.work, self.common, Common(shard), needs)
            nodes.append((key, where))
        for level, groups in enumerate(pairs(len(nodes))):
            above = []
            for place, group in enumerate(groups):
                key, where = nodes[group[0]]
                if len(group) > 1:
                    children = key, nodes[group[1]][0]
                    key = (self._merges, level, place)
                    result[where][key] = (merge_results, self.merge, self.common, *children)
                above.append((key, where))
            nodes = above
        self.root = nodes[0][0]
        return result

    def shared_tasks(self) -> Graph:
        """The tasks that several shards need, and the futures of partitions that workers hold."""
        graph: Graph = {}
        for shard in self.shards:
            graph.update(getattr(shard, "shared", {}))
        return graph

    def held_futures(self) -> list[Any]:
        """The futures of partitions that workers hold."""
        return [value for value in self.shared_tasks().values() if hasattr(value, "client") and hasattr(value, "key")]


def neighbours(threads: Mapping[str, int], shards: int) -> list[str]:
    """A worker for each shard, neighbours together, so that few merges are of parts from different workers.

    Left to itself, Dask would play as many shards as it can where `common` is first, and neighbours anywhere.

    Parameters
    ----------
    threads : mapping of str to int
        How many threads each worker has, by its address.
    shards : int

    Returns
    -------
    list of str
        Addresses; empty ones if there are no workers.
    """
    slots = [address for address in sorted(threads) for _ in range(threads[address])]
    return [slots[place * len(slots) // shards] if slots else "" for place in range(shards)]


def play_shard(work: Callable[..., Any], common: Common, shard: Common, needs: list[Any]) -> TaskResult:
    """The task of a shard."""
    one = shard.value.with_values(needs) if needs else shard.value
    value, refused = run_answering(work, common.value, one)
    if refused is not None:
        return TaskResult(None, 0, _address(), 0, frozenset(), refused)
    at = _address()
    return TaskResult(value, pickled_size(value), at, 0, frozenset([at]))


def merge_results(merge: Callable[..., Any], common: Common, left: TaskResult, right: TaskResult) -> TaskResult:
    """The task of a merge.

    Parameters
    ----------
    merge : callable
        As of `Engine.fold`.
    common : Common
    left, right : TaskResult
        Of neighbours.

    Raises
    ------
    RegretlessError
        What is wrong with a shard of either.
    """
    for side in (left, right):
        if side.refused is not None:
            raise side.refused
    value = merge(common.value, left.value, right.value)
    at = _address()
    transferred = sum(side.size for side in (left, right) if side.at != at)
    return TaskResult(
        value, pickled_size(value), at, left.moved + right.moved + transferred, left.workers | right.workers | {at}
    )


def pickled_size(value: Any) -> int:
    """How many bytes an object is, pickled; its arrays are not copied for that."""
    buffers: list[pickle.PickleBuffer] = []
    size = len(pickle.dumps(value, protocol=5, buffer_callback=buffers.append))
    return size + sum(buffer.raw().nbytes for buffer in buffers)


def current_client() -> Any:
    """The current client, or None where there is none."""
    try:
        from distributed import Client

        return Client.current()
    except (ImportError, ValueError):
        return None


def _itself(value: Any) -> Any:
    return value


def _address() -> str:
    if "distributed" not in sys.modules:
        return ""
    from distributed import get_worker

    try:
        return str(get_worker().address)
    except ValueError:
        return ""


def _here(fold: FoldTasks, done: Callable[[int], None] | None, stop: Callable[[], bool] | None) -> TaskResult:
    """The fold on the scheduler that Dask uses without a cluster: threads, unless the user has set another."""
    from dask.base import get_scheduler
    from dask.callbacks import Callback
    from dask.threaded import get

    places = {key: place for place, key in enumerate(fold.leaves)}

    def ended(key: Any, value: Any, *_: Any) -> None:
        if key in places and done is not None and value.refused is None:
            done(places[key])
        if stop is not None and stop():
            raise Interrupted("interrupted")

    graph = {**fold.shared_tasks(), **fold.common_task(), **fold.place({}, [""] * len(fold.leaves))[("",)]}
    with Callback(posttask=ended):
        made: TaskResult = (get_scheduler() or get)(graph, fold.root)
    return made


@contextmanager
def _large(size: int) -> Iterator[None]:
    """Raise the size at which Dask warns of large graphs, which often hold data: ours hold the weights."""
    import dask
    from dask.utils import parse_bytes

    name = "distributed.admin.large-graph-warning-threshold"
    with dask.config.set({name: parse_bytes(dask.config.get(name)) + size}):
        yield


# ---- the engine of a cluster


@contextmanager
def connected(address: str, patience: float = PATIENCE) -> Iterator[DaskEngine]:
    """The engine of a cluster, and a client of it that is closed in the end.

    Parameters
    ----------
    address : str
        Of the scheduler, such as ``tcp://10.0.0.1:8786``.
    patience : float
        How many seconds to wait for an answer.

    Raises
    ------
    EngineError
        If nothing answers, or there is no worker.
    MissingError
        If Dask's `distributed` is not installed.
    """
    try:
        from distributed import Client
        from distributed.comm import get_address_host_port
    except ImportError as error:
        raise MissingError("Dask's distributed is not installed; pip install 'dask[dataframe,distributed]'") from error
    try:
        if not address.startswith("inproc://"):
            get_address_host_port(address)  # a client that finds out by itself that it is none is never closed
        if address.startswith("tcp://") and not _in_a_loop():  # a client would wait for ever for another's server
            asyncio.run(asyncio.wait_for(_greet(address), patience))
        client = Client(address, timeout=patience, set_as_default=False)
    except (TimeoutError, OSError, ValueError) as error:
        advice = "give the address that its scheduler prints, such as tcp://10.0.0.1:8786"
        raise EngineError(f"{address}: no scheduler of Dask answers ({_first_line(error)}); {advice}") from error
    with client:
        if not client.nthreads():
            raise EngineError(f"{address}: the scheduler has no workers; start some with `dask worker {address}`")
        yield DaskEngine(client)


def _in_a_loop() -> bool:
    """Whether this runs within an event loop, as in a notebook: there `asyncio.run` is an error."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def _greet(address: str) -> None:
    """Ask the server at this address for its identity."""
    from distributed.core import rpc

    async with rpc(address) as server:
        await server.identity()


def engine_for(executor: Any) -> DaskEngine:
    """The engine of a client, or of the executor that it gives.

    Raises
    ------
    RegretlessError
        If it is neither.
    """
    client = getattr(executor, "_client", executor)  # `Client.get_executor` has it there, and nowhere else
    if not hasattr(client, "who_has"):
        raise RegretlessError(
            f"{type(executor).__name__} runs nothing; give a distributed.Client or its get_executor()"
        )
    return DaskEngine(client)


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0] or type(error).__name__
