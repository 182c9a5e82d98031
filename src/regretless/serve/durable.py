"""A model and its log: what is written down is learned once it is durable, and after a failure read again.

All of it runs on one event loop, so that every prediction is made by the weights after a known number of labels. What
a request does goes to the database in the order in which it happened; when it is durable, labels are learned, in the
order of the log, a few at a time, so that predictions are answered in between. After a write that failed the model is
built again from the log.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random, SystemRandom
from typing import Any

from ..errors import RegretlessError
from .alarm import tell
from .live import Live
from .logs import ServiceLog
from .replay import restored
from .requests import UNAVAILABLE, RequestError
from .settings import Settings
from .store import OLDEST, Event, Held, StoreError
from .store_thread import StoreThread

AGAIN = 1.0  # seconds between two attempts to reach a database that is gone
SLICE = 0.002  # seconds, about, that labels are learned before other requests have their turn
FEW, MANY = 32, 1024  # labels of the first slice, and of one at most
AGAIN_LATER = "what was written down is read again"
REST = 20  # times as long as it takes to make a snapshot is waited for the next: nothing is answered meanwhile


class Ids:
    """Ids that requests are at work on: of those that share one, the second waits until the first is done."""

    def __init__(self) -> None:
        self._held: set[str] = set()
        self._waiting: list[asyncio.Future[None]] = []

    async def take(self, ids: Sequence[str]) -> None:
        """Wait until all of them are free, and take them."""
        while not self._held.isdisjoint(ids):
            waiting = asyncio.get_running_loop().create_future()
            self._waiting.append(waiting)
            await waiting
        self._held.update(ids)

    def give(self, ids: Sequence[str]) -> None:
        """Let others have them."""
        self._held.difference_update(ids)
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            if not one.done():
                one.set_result(None)


@dataclass(slots=True)
class Lesson:
    """Labels that are written down, to be learned by the model that there was then; done once they are learned."""

    live: Live
    settled: Sequence[Event]
    done: asyncio.Future[None]


class DurableModel:
    """A model, its log, and the task that writes one and reads the other.

    Parameters
    ----------
    name : str
    live : Live
        As the log has it.
    thread : StoreThread
    settings : Settings
    log : ServiceLog
    where : path or str
        The address of the store, for those that only read.
    rows : str, optional
        The file of the rows that the model had learned before, for certificates.
    clock : callable
        The time in seconds since 1970. It may go back: what is written down never does.
    """

    def __init__(
        self,
        name: str,
        live: Live,
        thread: StoreThread,
        settings: Settings,
        log: ServiceLog,
        where: Any = None,
        rows: str | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.name, self.live, self.settings = name, live, settings
        self.where, self.rows = where, rows
        self.certified: tuple[int, asyncio.Future[Any]] | None = None  # of which version, for `certificates`
        self.certified_last: Any = None  # what came last of it
        self._thread, self._log, self._clock = thread, log, clock
        self._ids, self._random = Ids(), Random(SystemRandom().getrandbits(256))
        self._sequence, self._last = live.version, 0.0
        self._saved = (live.version, live.number)
        self._rested = 0.0  # when the next snapshot may be made
        self.waiting = self.outstanding = 0
        self.oldest: float | None = None
        self._older = 0  # settled since the oldest was asked for, while that is not known
        self.down: str | None = None  # why requests are not served now
        self.closing = False
        self._tasks: set[asyncio.Future[None]] = set()
        self._lessons: deque[Lesson] = deque()
        self._few = FEW  # labels of a slice
        self._learning: asyncio.Future[None] | None = None

    async def start(self) -> None:
        """Look at what is pending."""
        _, _, self._last = await self._thread.call(self._thread.store.ends)
        self.outstanding, self.oldest = await self._thread.call(self._thread.store.pending)

    async def close(self) -> None:
        """Finish what is waiting, save a snapshot, and let others write."""
        self.closing = True
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._learning is not None:
            await self._learning
        if self.down is None and (self.live.version, self.live.number) != self._saved:
            try:
                await self._snapshot()
            except Exception as error:
                self._log.error("snapshot failed", model=self.name, reason=str(error))
        try:
            await self._thread.call(self._thread.store.close)
        finally:
            await self._thread.stop()

    # ---- requests

    @contextmanager
    def _admitted(self, rows: int) -> Iterator[None]:
        """Count the rows of a request until it is answered, unless there is too much to do."""
        if rows > self.settings.rows:
            raise RequestError(413, f"{rows:,} rows in one request; at most {self.settings.rows:,} are taken")
        if self.closing:
            raise RequestError(UNAVAILABLE, "the server is stopping", 5)
        self._refuse_if_down()
        if self.waiting + rows > self.settings.queue:
            raise RequestError(UNAVAILABLE, f"{self.waiting} rows wait for the disk already", 1)
        self.waiting += rows
        try:
            yield
        finally:
            self.waiting -= rows

    def _refuse_if_down(self) -> None:
        if self.down is not None:
            raise RequestError(UNAVAILABLE, f"nothing can be written down now: {self.down}", 5)

    def now(self) -> float:
        """The time in seconds since 1970, never before what was written down."""
        self._last = max(self._last, self._clock())
        return self._last

    def _new_id(self) -> str:
        """An id that sorts by its time, so that neighbours stand together in the index of the database."""
        return f"{int(self._clock() * 1000):012x}{self._random.getrandbits(64):016x}"

    # ---- the log

    async def _events_of(self, ids: Sequence[str]) -> dict[str, Event]:
        try:
            known = await self._thread.find(ids)
        except StoreError as error:
            self._fail(str(error))
            raise RequestError(UNAVAILABLE, str(error), 5) from error
        return {id: known[id] for id in ids if id in known}  # nobody else has these: the ids are taken

    async def _write(self, events: list[Event], settled: list[Event]) -> None:
        """Write events down, those that are settled with the next places in the order; and learn them."""
        for event in settled:  # only here: a place that is never written would be a gap
            self._sequence += 1
            event.sequence = self._sequence
        lessons: list[Lesson] = []
        try:
            await self._thread.write(events, settled, lambda: lessons.extend(self._durable(events, settled)))
            for lesson in lessons:
                await lesson.done
        except RequestError:
            raise
        except Exception as error:
            self._fail(str(error))
            if not isinstance(error, RegretlessError):
                raise
            raise RequestError(UNAVAILABLE, str(error), 5) from error

    # ---- learning

    def _durable(self, events: list[Event], settled: list[Event]) -> list[Lesson]:
        """Learn what has become durable; where that takes its time, what is still to be learned."""
        self._count(events, settled)
        if not settled or (not self._lessons and len(settled) <= self._few):
            self._learn(settled)
            self._save_if_due()
            return []
        lesson = Lesson(self.live, settled, asyncio.get_running_loop().create_future())
        self._lessons.append(lesson)
        if self._learning is None:
            self._learning = asyncio.ensure_future(self._learn_on())
        return [lesson]

    async def _learn_on(self) -> None:
        """Learn lessons in their order, a slice at a time."""
        while self._lessons:
            lesson = self._lessons[0]
            try:
                await self._learn_in_slices(lesson)
            except Exception as error:
                _end(lesson, error)
            else:
                _end(lesson, None)
            self._lessons.popleft()
            self._save_if_due()
        self._learning = None

    async def _learn_in_slices(self, lesson: Lesson) -> None:
        begin = 0
        while begin < len(lesson.settled):
            if self.live is not lesson.live:  # the one that was read from the log since has learned them all
                raise RequestError(UNAVAILABLE, AGAIN_LATER, 1)
            some, began = lesson.settled[begin : begin + self._few], time.perf_counter()
            self._learn(some)
            begin += len(some)
            took = time.perf_counter() - began
            if took > SLICE:
                self._few = max(1, self._few // 2)
            elif took < SLICE / 2 and len(some) == self._few:
                self._few = min(MANY, 2 * self._few)
            await asyncio.sleep(0)

    def _learn(self, settled: Sequence[Event]) -> None:
        if not settled:
            return
        try:
            self.live.settle(settled)
        except Exception as error:  # half of them may be learned
            self._fail(str(error))
            raise
        self._tell_alarms()
        if self.live.refused:
            numbers = list(self.live.refused)
            refused = self.live.refused
            for event in settled:  # whose request says so, if it still waits
                event.unlearned = refused.get(event.number)
            self._thread.refuse(numbers).add_done_callback(self._marked)

    def _save_if_due(self) -> None:
        version, number = self._saved
        moved = self.live.version - version + (self.live.number - number if self.live.served.moves else 0)
        if moved >= self.settings.snapshot_every and time.monotonic() >= self._rested:
            self._saved = self.live.version, self.live.number
            try:
                self._do(self._snapshot())
            except Exception as error:  # the labels are durable all the same
                self._log.error("snapshot failed", model=self.name, reason=str(error))

    def _tell_alarms(self) -> None:
        """Say in the log of the server, and to the address that wants to know, that an alarm was raised."""
        for alarm in self.live.raised:
            facts = {"label": alarm.round, "since": alarm.since, "evidence": alarm.evidence}
            self._log.error("alarm", model=self.name, **facts)
            if self.settings.alert_url is not None:
                self._do(tell(self.settings.alert_url, {"model": self.name, **facts}, self._log))

    def _count(self, events: list[Event], settled: list[Event]) -> None:
        """Count those that wait for their labels, and look for the oldest when that is another one."""
        self.outstanding += len(events) - len(settled)
        if not self.outstanding:
            self.oldest = None
        elif self.oldest is None and events:
            self.oldest = events[0].time
        elif (
            settled and self.oldest is not None and (self._older or min(event.time for event in settled) <= self.oldest)
        ):
            self._older += 1
            if self._older == 1:
                self._do(self._look_for_oldest())

    async def _look_for_oldest(self) -> None:
        """Read which one is the oldest, again while others were settled meanwhile."""
        seen = 0
        try:
            while seen < self._older:
                seen = self._older
                first = await self._thread.call(lambda: self._thread.store.read(OLDEST, 1))
                if self.outstanding and first:
                    self.oldest = first[0].time
        finally:
            self._older = 0

    def _marked(self, done: asyncio.Future[None]) -> None:
        if not done.cancelled() and (error := done.exception()) is not None:
            self._fail(str(error))

    def _snapshot(self) -> asyncio.Future[None]:
        """Save the model as it stands, after all that is on its way to the log."""
        began = time.monotonic()
        snapshot = self.live.snapshot(self.now())
        self._rested = time.monotonic() + REST * (time.monotonic() - began)
        self._saved = snapshot.version, snapshot.number
        self._log.info("snapshot", model=self.name, version=snapshot.version, bytes=len(snapshot.model))
        return self._thread.save(snapshot)

    # ---- after a failure

    def _fail(self, why: str) -> None:
        """Serve nothing until the model is built again from the log, once the database can be reached."""
        if self.down is None:
            self.down = why
            self._log.error("database failed", model=self.name, reason=why)
            self._do(self._recover())

    async def _recover(self) -> None:
        while True:
            await asyncio.sleep(AGAIN)
            try:
                await self._thread.mend()
                live = await self._thread.call(lambda: restored(self._thread.store))
                _, _, last = await self._thread.call(self._thread.store.ends)
                outstanding, oldest = await self._thread.call(self._thread.store.pending)
            except Exception as error:  # whatever it is, the next attempt may do
                self._log.error("database still fails", model=self.name, reason=str(error))
                if isinstance(error, Held):
                    self.down = str(error)
                continue
            break
        self.live, self._sequence = live, live.version
        self._last, self.outstanding, self.oldest = max(self._last, last), outstanding, oldest
        self.down = None
        self._log.info("database is back", model=self.name, version=live.version)

    def _do(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._over)

    def _over(self, task: asyncio.Future[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._log.error("background work failed", model=self.name, reason=repr(error))


def _end(lesson: Lesson, error: Exception | None) -> None:
    """Say that a lesson is over, unless nobody waits any more."""
    if lesson.done.done():
        return
    if error is None:
        lesson.done.set_result(None)
    else:
        lesson.done.set_exception(error)
