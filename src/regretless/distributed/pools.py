"""The engine for any executor of Python: pools of processes and threads, loky's, Dask's."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import closing
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, TypeVar

from ..checks import whole
from ..errors import EngineError, Interrupted, ParameterError, RegretlessError
from .broadcast import Broadcast
from .engine import Engine, Here, Named, run_guarded, watch
from .processes import GUARD
from .shards import few_of

C = TypeVar("C")
T = TypeVar("T")

TICK = 0.1  # seconds between two questions whether to stop
AHEAD = 2  # tasks that wait for each worker, so that none has to wait for this process
OF_THIS_MACHINE = ("concurrent.futures.process", "loky", "joblib.externals.loky")  # modules of their executors


def engine_of(executor: Any) -> Engine:
    """The engine that an executor is.

    Parameters
    ----------
    executor : None, Executor or Engine
        None: this process. Any `concurrent.futures.Executor`: process and thread pools, loky's reusable executor; a
        Dask client or its ``get_executor()``. It is used and not shut down.

    Raises
    ------
    RegretlessError
        If it is something else.
    """
    if executor is None:
        return Here()
    if isinstance(executor, Engine):
        return executor
    if type(executor).__module__.partition(".")[0] == "distributed":
        from .dask.engine import engine_for  # a client at hand says that Dask is installed

        return engine_for(executor)
    if isinstance(executor, Executor):
        return OnExecutor(executor)
    raise ParameterError(
        "executor",
        repr(executor),
        "None, a concurrent.futures.Executor or an engine of regretless.distributed is expected",
        ": ",
    )


class OnExecutor(Engine):
    """Any `concurrent.futures.Executor`.

    Processes of this machine get what all shards need through a file; no more tasks are submitted than keep all
    workers busy; what comes back is merged as it comes. The executor is used and not shut down.

    Parameters
    ----------
    executor : Executor
    workers : int, optional
        How many tasks it can run at a time. By default what Python's own pools and those like them know of themselves;
        of others, as many as this machine has processors.
    """

    def __init__(self, executor: Executor, workers: int | None = None) -> None:
        self.executor = executor
        self.workers = _workers(executor) if workers is None else whole("workers", workers)
        self._answered = False  # whether anything ever came back

    def _answers(
        self, work: Callable[[C, Any], T], common: C, shards: Sequence[Named], stop: Callable[[], bool] | None
    ) -> Generator[tuple[int, T]]:
        """The result of each shard, as it comes."""
        up, processes = 0, set[int]()
        with (
            Broadcast(common, by_file=_of_this_machine(self.executor)) as broadcast,
            closing(self._results(work, broadcast, shards, stop)) as answers,
        ):
            for place, answer in answers:
                if isinstance(answer, PickledResult):
                    up += len(answer.result)
                    processes.add(answer.process)
                    yield place, pickle.loads(answer.result)
                else:
                    yield place, answer
            self.moved = broadcast.bytes_sent(len(processes)), up

    def _results(
        self, work: Any, broadcast: Broadcast, shards: Sequence[Named], stop: Callable[[], bool] | None
    ) -> Generator[tuple[int, Any]]:
        """The results as they were sent."""
        most = (1 + AHEAD) * self.workers
        finished: SimpleQueue[Future[Any]] = SimpleQueue()
        left = iter(range(len(shards)))
        pending: dict[Future[Any], int] = {}
        try:
            while True:
                for place in islice(left, most - len(pending)):
                    future = self._submit(work, broadcast, shards[place])
                    pending[future] = place
                    future.add_done_callback(finished.put)
                if not pending:
                    return
                ended = _finished_tasks(finished)
                if stop is not None and stop():
                    raise Interrupted("interrupted")
                for future in sorted(ended, key=pending.__getitem__):
                    answer = self._answer(future, shards, pending)
                    yield pending.pop(future), answer
        finally:
            for future in pending:
                future.cancel()

    def _submit(self, work: Any, broadcast: Broadcast, shard: Named) -> Future[Any]:
        sent = PickledShard.of(shard) if _of_python(self.executor) else shard
        try:
            return self.executor.submit(_task, work, broadcast, sent)
        except BrokenExecutor as error:
            raise EngineError(f"a process of the executor is gone (killed, or out of memory){self._hint()}") from error
        except RuntimeError as error:  # it is shut down
            raise EngineError(f"the executor takes no work ({error})") from error

    def _answer(self, future: Future[Any], shards: Sequence[Named], pending: dict[Future[Any], int]) -> Any:
        """The result of a task, or a clear error."""
        try:
            answer = future.result()
        except BrokenExecutor as error:
            names = few_of(shards[place].name for place in sorted(pending.values()))
            fault = f"a process of the executor is gone (killed, or out of memory) while it had {names} to play"
            raise EngineError(f"{fault}{self._hint()}") from error
        except CancelledError as error:
            raise EngineError("the executor was shut down and has given up its tasks") from error
        except pickle.PicklingError as error:
            raise _unfit(shards[pending[future]].name, error) from error
        self._answered = True
        return answer

    def _hint(self) -> str:
        """Why processes may never have begun, if they import the user's script and nothing ever came from them."""
        context = getattr(self.executor, "_mp_context", None)
        imports = _of_python(self.executor) and context is not None and context.get_start_method() != "fork"
        return f"; if it never began: {GUARD}" if imports and not self._answered else ""


class PickledResult(NamedTuple):
    """A result from another process.

    Attributes
    ----------
    process : int
        Its number.
    result : bytes
    """

    process: int
    result: bytes


class PickledShard(NamedTuple):
    """A shard on its way to a process of Python's own pool, which dies of what it cannot unpickle."""

    name: str
    shard: bytes

    @classmethod
    def of(cls, shard: Named) -> PickledShard:
        """The shard, pickled.

        Raises
        ------
        RegretlessError
            If it cannot be.
        """
        try:
            return cls(shard.name, pickle.dumps(shard, pickle.HIGHEST_PROTOCOL))
        except Exception as error:  # a user's object may fail in any way
            raise _unfit(shard.name, error) from error

    def open(self) -> Named:
        """The shard, where it has arrived.

        Raises
        ------
        RegretlessError
            If it cannot be made again.
        """
        try:
            shard: Named = pickle.loads(self.shard)
        except Exception as error:
            raise _unfit(self.name, error) from error
        return shard


def _task(work: Callable[[Any, Any], T], broadcast: Broadcast, sent: Named) -> T | PickledResult:
    """The task of a worker; the result is pickled here, so that its size is known."""
    shard = sent.open() if isinstance(sent, PickledShard) else sent
    result = run_guarded(work, broadcast.value, watch(shard, broadcast.ended))
    return result if broadcast.here else PickledResult(os.getpid(), pickle.dumps(result, pickle.HIGHEST_PROTOCOL))


def _unfit(name: str, error: Exception) -> RegretlessError:
    """The message about a shard that cannot travel."""
    advice = "let its function stand at the top of a module that the processes can import, or use threads"
    return RegretlessError(f"{name}: this cannot be sent to another process ({error}); {advice}")


def _finished_tasks(finished: SimpleQueue[Future[Any]]) -> list[Future[Any]]:
    """The tasks that have ended, after a tick at the latest.

    A queue can be waited at without harm when a signal's handler raises there. `concurrent.futures.wait` takes the
    locks of all futures one by one, and would not give back those that it had taken.
    """
    ended = []
    try:
        ended.append(finished.get(timeout=TICK))
        while True:
            ended.append(finished.get_nowait())
    except Empty:
        return ended


def _of_python(executor: Executor) -> bool:
    """Whether it is the pool of processes that comes with Python."""
    return any(kind.__module__ == OF_THIS_MACHINE[0] for kind in type(executor).__mro__)


def _of_this_machine(executor: Executor) -> bool:
    """Whether these are processes that can read what this one writes."""
    modules = [f"{kind.__module__}." for kind in type(executor).__mro__]
    return any(module.startswith(f"{known}.") for module in modules for known in OF_THIS_MACHINE)


def _workers(executor: Any) -> int:
    """How many tasks an executor can run at a time, as far as it says so."""
    many = getattr(executor, "_max_workers", None)
    return max(1, many if isinstance(many, int) else os.cpu_count() or 1)
