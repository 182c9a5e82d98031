"""The one thread that talks to the database: what waits for it is committed together, in the order it came."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Condition, Thread
from typing import Any

from .store import Event, Snapshot, Store, StoreError

MOST = 2000  # events of one transaction
BROKEN = "an earlier write failed, and the log is being read again"
Learn = Callable[[], None]


@dataclass(slots=True)
class Write:
    """New events and settled ones, of which some may be new; `then` is called on the loop once they are durable, in the
    order of the log."""

    events: Sequence[Event]
    settled: Sequence[Event]
    then: Learn
    answer: asyncio.Future[Any]


@dataclass(slots=True)
class Lookup:
    """Ids to look for."""

    ids: Sequence[str]
    answer: asyncio.Future[Any]


@dataclass(slots=True)
class Call:
    """Any other work, by itself."""

    work: Callable[[], Any]
    answer: asyncio.Future[Any]


Job = Write | Lookup | Call


class StoreThread:
    """Runs a store's methods in a thread of their own, for coroutines of one loop.

    After a write that failed, all later ones fail until `mend`: the numbers that they bear follow on those of it.

    Parameters
    ----------
    store : Store
        Opened.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self._loop = asyncio.get_running_loop()
        self._jobs: deque[Job | None] = deque()
        self._wake = Condition()
        self._broken = False
        self._sequence: int | None = None  # the last one of the log, once it was asked for
        self._thread = Thread(target=self._work, name="store", daemon=True)
        self._thread.start()

    # ---- on the loop

    def write(self, events: Sequence[Event], settled: Sequence[Event], then: Learn) -> asyncio.Future[None]:
        """Write events; the result is there when they are durable and `then` has run."""
        return self._add(Write(events, settled, then, self._loop.create_future()))

    def find(self, ids: Sequence[str]) -> asyncio.Future[dict[str, Event]]:
        """The events of some ids."""
        return self._add(Lookup(ids, self._loop.create_future()))

    def call(self, work: Callable[[], Any]) -> asyncio.Future[Any]:
        """Any other work, after what was asked before it."""
        return self._add(Call(work, self._loop.create_future()))

    def save(self, snapshot: Snapshot) -> asyncio.Future[None]:
        """Keep a snapshot, if all that it stands on has been written."""

        def saved() -> None:
            if self._broken:
                raise StoreError(BROKEN)
            self.store.save(snapshot)

        return self.call(saved)

    def refuse(self, numbers: Sequence[int]) -> asyncio.Future[None]:
        """Mark events whose labels could not be learned; unless that is done, nothing more is written."""
        return self.call(lambda: self._or_broken(lambda: self.store.refuse(numbers)))

    def mend(self) -> asyncio.Future[None]:
        """Open the store again after a failure; writes go on once this is done."""

        def again() -> None:
            self.store.open()
            self._broken, self._sequence = False, None

        return self.call(again)

    async def stop(self) -> None:
        """End the thread once all that was asked is done."""
        with self._wake:
            self._jobs.append(None)
            self._wake.notify()
        await asyncio.to_thread(self._thread.join)

    def _add(self, job: Job) -> asyncio.Future[Any]:
        with self._wake:
            self._jobs.append(job)
            self._wake.notify()
        return job.answer

    # ---- in the thread

    def _work(self) -> None:
        going = True
        while going:
            with self._wake:
                while not self._jobs:
                    self._wake.wait()
                jobs = self._next()
            going = None not in jobs
            self._do([job for job in jobs if job is not None])

    def _next(self) -> list[Job | None]:
        """What is done at once: looks and writes, or a call by itself."""
        jobs: list[Job | None] = []
        rows = 0
        while self._jobs and rows < MOST:
            if isinstance(self._jobs[0], Call) and jobs:
                break
            job = self._jobs.popleft()
            jobs.append(job)
            if job is None or isinstance(job, Call):
                break
            rows += len(job.events) + len(job.settled) if isinstance(job, Write) else len(job.ids)
        return jobs

    def _do(self, jobs: list[Job]) -> None:
        done: list[tuple[Job, Any]] = []
        looks = [job for job in jobs if isinstance(job, Lookup)]
        if looks:
            known = self._tried(lambda: self.store.find([one for job in looks for one in job.ids]))
            done += [(job, known) for job in looks]
        writes = [job for job in jobs if isinstance(job, Write)]
        if writes:
            result = self._tried(lambda: self._commit(writes))
            done += [(job, result) for job in writes]
        done += [(job, self._tried(job.work)) for job in jobs if isinstance(job, Call)]
        if done:
            self._loop.call_soon_threadsafe(_give, done)

    def _commit(self, writes: list[Write]) -> None:
        if self._broken:
            raise StoreError(BROKEN)
        events = [event for job in writes for event in job.events]
        settled = [event for job in writes for event in job.settled]
        self._or_broken(lambda: self._commit_in_order(events, settled))

    def _commit_in_order(self, events: list[Event], settled: list[Event]) -> None:
        """Commit, unless that would leave a gap in the log, which could not be read again."""
        if self._sequence is None:
            self._sequence = self.store.ends()[1]
        end = self._sequence + len(settled)
        if [event.sequence for event in settled] != list(range(self._sequence + 1, end + 1)):
            raise StoreError(f"{self.store.name}: labels do not follow on label {self._sequence}; nothing was written")
        new = set(map(id, events))
        self.store.commit(events, [event for event in settled if id(event) not in new])
        self._sequence = end

    def _or_broken(self, work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException:
            self._broken = True
            raise

    def _tried(self, work: Callable[[], Any]) -> Any:
        try:
            return work()
        except Exception as error:
            return error


def _give(done: list[tuple[Job, Any]]) -> None:
    """Hand results to those who wait; what is durable is learned first, in the order of the log."""
    for job, result in done:
        if isinstance(job, Write) and not isinstance(result, BaseException):
            try:
                job.then()
            except Exception as error:
                result = error
        if job.answer.done():  # nobody waits any more
            continue
        if isinstance(result, BaseException):
            job.answer.set_exception(result)
        else:
            job.answer.set_result(result)
