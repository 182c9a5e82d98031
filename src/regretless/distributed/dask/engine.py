"""A fold as one graph of Dask: work where the data are, merges as a tree, and the client waits for the root alone."""

from __future__ import annotations

import pickle
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any, NoReturn

from ...errors import EngineError, Interrupted, RegretlessError
from ..engine import Engine, pairs, run_answering
from ..shards import few_of

RETRIES = 2
TICK = 0.1  # seconds between two looks whether to stop
LOOK = 1.0  # seconds between two looks whether there are workers
PATIENCE = 60.0  # seconds that there may be none
ROOT = -1
ENDED = ("finished", "error", "cancelled")
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


class Waiting:
    """Waits for the root of one graph.

    Parameters
    ----------
    client : distributed.Client
    names : mapping
        What the shard of a task is called, by its key, in the order of the shards.
    done, stop : callable, optional
        See `Engine.fold`.
    """

    def __init__(
        self,
        client: Any,
        names: Mapping[Any, str],
        done: Callable[[int], None] | None,
        stop: Callable[[], bool] | None,
    ) -> None:
        self._client, self._names, self._done, self._stop = client, names, done, stop
        self._events: SimpleQueue[int] = SimpleQueue()
        self._checked = self._seen = monotonic()  # when workers were looked for, and when there were some

    def holders(self, futures: Sequence[Any]) -> dict[Any, Sequence[str]]:
        """Wait for some futures; the workers that hold the result of each."""
        if not futures:
            return {}
        for future in futures:
            future.add_done_callback(lambda _: self._events.put(ROOT))
        while any(future.status not in ENDED for future in futures):
            self._next()
        return dict(self.ask(self._client.who_has, list(futures)))

    def ask(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """Make a call that waits for Dask in a thread of its own, so that it can be stopped here.

        Raises
        ------
        Interrupted
            If `stop` was true.
        EngineError
            If the connection is lost.
        """
        answers: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()

        def put_answer() -> None:
            try:
                answers.put((call(*arguments), None))
            except BaseException as error:  # it is raised where the answer is waited for
                answers.put((None, error))

        Thread(target=put_answer, name="regretless-asks-dask", daemon=True).start()
        while True:
            self._refuse_to_wait()
            try:
                answer, error = answers.get(timeout=TICK)
            except Empty:
                continue
            if error is not None:
                self._refuse_to_wait()
                if isinstance(error, OSError):
                    raise EngineError("the connection to Dask's scheduler was lost") from error
                raise error
            return answer

    def result(self, submit: Callable[[list[Any]], list[Any]], root: Any, leaves: Sequence[Any]) -> Any:
        """Submit a graph and wait for its root.

        Parameters
        ----------
        submit : callable
            From keys to their futures.
        root : key
        leaves : sequence of keys
            Of the shards' tasks.
        """
        futures = submit([root, *leaves])
        try:
            self._watch(futures[0], futures[1:])
            if futures[0].status != "finished":
                self._explain(futures[0], dict(zip(leaves, futures[1:], strict=True)))
            return self.ask(futures[0].result)
        finally:
            # What is no longer wanted is not begun, and what is being made is thrown away. To cancel would be no
            # better, and Dask's scheduler does not survive it where a merge is waited for by another merge alone.
            for future in futures:
                future.release()

    def _watch(self, root: Any, leaves: list[Any]) -> None:
        """Wait until the root is finished or has failed; the result of a leaf is released as soon as it is there."""
        for place, future in enumerate([root, *leaves], ROOT):
            future.add_done_callback(lambda _, place=place: self._events.put(place))
        missing = set(range(len(leaves)))
        while root.status not in ENDED:  # it may be lost with its worker, and is made again
            place = self._next()
            if place != ROOT and leaves[place].status == "finished":
                missing.discard(place)
                leaves[place].release()
                self._report(place)
        if root.status == "finished":
            for place in sorted(missing):
                self._report(place)

    def _report(self, place: int) -> None:
        if self._done is not None:
            self._done(place)

    def _next(self) -> int:
        """The place of the next future that is ready; ROOT also if none was for a tick."""
        self._refuse_to_wait()
        try:
            return self._events.get(timeout=TICK)
        except Empty:
            if monotonic() - self._checked >= LOOK:
                self._look_for_workers()
            return ROOT

    def _refuse_to_wait(self) -> None:
        if self._stop is not None and self._stop():
            raise Interrupted("interrupted")
        if self._client.status == "closed":
            raise EngineError("the connection to Dask's scheduler was lost")

    def _look_for_workers(self) -> None:
        """Refuse to wait for workers that do not come back."""
        there = self.ask(self._client.nthreads)
        self._checked = monotonic()
        if there:
            self._seen = self._checked
        elif self._checked - self._seen >= PATIENCE:
            fault = f"Dask's scheduler has had no workers for {PATIENCE:.0f} seconds"
            raise EngineError(f"{fault}; start some, and see in their logs why the others are gone")

    def _explain(self, root: Any, leaves: Mapping[Any, Any]) -> NoReturn:
        """Say why there is no root."""
        if root.status != "error":
            raise EngineError("Dask's scheduler has given up the run: it was cancelled, or the connection was lost")
        error = root.exception()
        if isinstance(error, RegretlessError):
            raise error.with_traceback(None) from None
        failed = [self._names[key] for key, leaf in leaves.items() if leaf.status == "error"] or ["a merge"]
        if type(error).__name__ == "KilledWorker":
            # Dask suspects all that a worker had before it when it died, not only what it was at.
            died = f"{error.allowed_failures + 1} workers died while they played this or had it before them"
            raise EngineError(f"{few_of(failed)}: {died}; is there memory enough for one shard?") from error
        raise EngineError(f"{failed[0]}: {type(error).__name__}: {error}") from error


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
        answer: TaskResult = (get_scheduler() or get)(graph, fold.root)
    return answer


@contextmanager
def _large(size: int) -> Iterator[None]:
    """Raise the size at which Dask warns of large graphs, which often hold data: ours hold the weights."""
    import dask
    from dask.utils import parse_bytes

    name = "distributed.admin.large-graph-warning-threshold"
    with dask.config.set({name: parse_bytes(dask.config.get(name)) + size}):
        yield


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
