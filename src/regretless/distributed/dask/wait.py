"""Waits for tasks on a Dask cluster; errors name their shard."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any, NoReturn

from ...errors import EngineError, Interrupted, RegretlessError
from ..shards import few_of

TICK = 0.1  # seconds between two looks whether to stop
LOOK = 1.0  # seconds between two looks whether there are workers
PATIENCE = 60.0  # seconds that there may be none
ROOT = -1
ENDED = ("finished", "error", "cancelled")


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
