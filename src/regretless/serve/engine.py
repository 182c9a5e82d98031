"""One model in production: predictions are written down before they are answered, labels before they are learned.

All of it runs on one event loop, so that every prediction is made by the weights after a known number of labels. What
a request does goes to the database in the order in which it happened; when it is durable, labels are learned, in the
order of the log, and requests are answered. After a write that failed the model is built again from the log.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from random import Random, SystemRandom
from typing import Any

from ..errors import RegretlessError
from .alerts import tell
from .events import EXPIRED, LEARNT, PENDING, PROMOTED, Event, State
from .live import Live, restored
from .logs import ServiceLog
from .served import Refused
from .settings import Settings
from .store import OLDEST, Held, StoreError
from .store_thread import StoreThread
from .wire import write_json

AGAIN = 1.0  # seconds between two attempts to reach a database that is gone
EXPIRY = 1.0  # seconds between two looks for events that are to be given up
REST = 20  # times as long as it takes to make a snapshot is waited for the next: nothing is answered meanwhile
LONGEST_ID = 200  # characters
UNAVAILABLE, CONFLICT, GONE, UNKNOWN, UNFIT = 503, 409, 410, 404, 422


class RequestError(RegretlessError):
    """What a request is answered that cannot be done.

    Parameters
    ----------
    status : int
        Of HTTP.
    words : str
    again : float, optional
        Seconds after which to try again.
    """

    def __init__(self, status: int, words: str, again: float | None = None) -> None:
        self.status, self.again = status, again
        super().__init__(words)


@dataclass(slots=True)
class Asked:
    """A row to be predicted."""

    id: str | None
    value: Any


@dataclass(slots=True)
class Reported:
    """A label; with the input where the prediction was not written down."""

    id: str | None
    label: Any
    value: Any = None
    with_input: bool = False


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


class ModelEngine:
    """A model, its log, and what requests may ask of them.

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
        self._refused: dict[str, str] = {}  # by their ids, labels that were written down and could not be learned

    async def start(self) -> None:
        """Look at what is pending, and begin to give up what is too old."""
        _, _, self._last = await self._thread.call(self._thread.store.ends)
        self.outstanding, self.oldest = await self._thread.call(self._thread.store.pending)
        if self.settings.expire is not None:
            self._do(self._expire_for_ever())

    async def close(self) -> None:
        """Finish what is waiting, save a snapshot, and let others write."""
        self.closing = True
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self.down is None and (self.live.version, self.live.number) != self._saved:
            try:
                await self._snapshot()
            except Exception as error:
                self._log.error("snapshot failed", model=self.name, reason=str(error))
        try:
            await self._thread.call(self._thread.store.close)
        finally:
            await self._thread.stop()

    # ---- predictions

    async def predict(self, asked: Sequence[Asked]) -> list[bytes]:
        """The answers to rows; a row with the id of an earlier one gets the very bytes of that answer.

        Raises
        ------
        RequestError
            If a row cannot be predicted, the id was used for another row, or there is too much to do.
        """
        with self._admitted(len(asked)):
            return await self._predict(asked)

    async def _predict(self, asked: Sequence[Asked]) -> list[bytes]:
        inputs = [self._read(one.value) for one in asked]
        ids = [_checked(one.id) for one in asked if one.id is not None]
        if not self.settings.log_predictions:
            made = [one.id or self._new_id() for one in asked]
            return [event.answer for event in self._unlogged(made, inputs)]
        if not ids:
            return await self._predict_new([self._new_id() for _ in asked], inputs)
        if len(set(ids)) < len(ids):
            raise RequestError(400, "an id stands twice in one request")
        await self._ids.take(ids)
        try:
            known = await self._found(ids)
            return await self._predict_known(asked, inputs, known)
        finally:
            self._ids.give(ids)

    async def _predict_known(self, asked: Sequence[Asked], inputs: list[bytes], known: dict[str, Event]) -> list[bytes]:
        for one, stored in zip(asked, inputs, strict=True):
            if one.id in known and known[one.id].input != stored:
                raise RequestError(CONFLICT, f"the id {one.id} was used for another input")
        new = [place for place, one in enumerate(asked) if one.id not in known]
        ids = [asked[place].id or self._new_id() for place in new]
        answers = await self._predict_new(ids, [inputs[place] for place in new]) if new else []
        made = dict(zip(new, answers, strict=True))
        return [made[place] if place in made else known[str(one.id)].answer for place, one in enumerate(asked)]

    async def _predict_new(self, ids: list[str], inputs: list[bytes]) -> list[bytes]:
        self._refuse_if_down()
        events = self._predicted(ids, inputs)
        await self._write(events, [])
        return [event.answer for event in events]

    def _predicted(self, ids: list[str], inputs: list[bytes], *, answers: bool = True) -> list[Event]:
        number = self.live.number
        try:
            return self.live.predict(ids, inputs, self.now(), answers=answers)
        except Exception as error:
            self.live.number = number
            if self.live.served.moves:  # some may have been drawn
                self._fail(str(error))
            if not isinstance(error, RegretlessError):
                raise
            raise RequestError(UNFIT, str(error)) from error

    def _unlogged(self, ids: list[str], inputs: list[bytes]) -> list[Event]:
        """Predictions that are not written down: they leave no number."""
        number = self.live.number
        try:
            return self.live.predict(ids, inputs, 0.0)
        finally:
            self.live.number = number

    # ---- labels

    async def label(self, reported: Sequence[Reported]) -> list[dict[str, Any]]:
        """Learn labels; what became of each, in their order.

        Raises
        ------
        RequestError
            If there is too much to do, or the database cannot be reached.
        """
        ids = [_checked(one.id) for one in reported if one.id is not None]
        if len(set(ids)) < len(ids):
            raise RequestError(400, "an id stands twice in one request")
        with self._admitted(len(reported)):
            await self._ids.take(ids)
            try:
                known = await self._found(ids) if ids else {}
                self._refuse_if_down()
                return await self._label_known(reported, known)
            finally:
                self._ids.give(ids)

    async def _label_known(self, reported: Sequence[Reported], known: dict[str, Event]) -> list[dict[str, Any]]:
        new: list[Event] = []
        settled: list[Event] = []
        number = self.live.number
        try:
            results = [self._labelled(one, known, new, settled) for one in reported]
        except BaseException:
            self.live.number = number  # nothing of it will be in the log
            raise
        if settled:
            await self._write(new, settled)
            self._complete(results, settled)
        return results

    def _labelled(
        self, one: Reported, known: dict[str, Event], new: list[Event], settled: list[Event]
    ) -> dict[str, Any]:
        """What becomes of a label; where it is to be learned, its event is among those to be settled."""
        try:
            event = known.get(one.id or "")
            if event is None:
                event = self._predicted_now(one)
                new.append(replace(event))  # as it is before its label
            elif one.with_input and event.input != self._read(one.value):
                raise RequestError(CONFLICT, f"the id {one.id} was used for another input")
            elif event.state != PENDING:
                return self._settled_before(event, one.label)
            label = self.live.served.read_label(one.label, event)
        except Refused as error:
            return {"id": one.id, "status": "error", "code": UNFIT, "reason": str(error)}
        except RequestError as error:
            return {"id": one.id, "status": "error", "code": error.status, "reason": str(error)}
        self._settle(event, LEARNT, label)
        settled.append(event)
        return {"id": event.id, "status": "learnt"}

    def _predicted_now(self, one: Reported) -> Event:
        """The event of a label that comes with its input."""
        if not one.with_input:
            raise RequestError(UNKNOWN, f"no prediction has the id {one.id}")
        if self.live.served.moves:
            raise RequestError(
                UNKNOWN, f"no prediction has the id {one.id}, and what was not predicted cannot be learned"
            )
        stored = self._read(one.value)
        blank = Event(0, one.id or "", 0.0, stored, b"", None, None, 0)
        self.live.served.read_label(one.label, blank)  # refused before anything is predicted
        (event,) = self._predicted([one.id or self._new_id()], [stored], answers=False)
        return event

    def _settled_before(self, event: Event, label: Any) -> dict[str, Any]:
        if event.state == EXPIRED:
            raise RequestError(GONE, f"the prediction {event.id} was given up before its label came")
        if event.label == _text(self.live.served.read_label(label, event)):
            again = {"id": event.id, "status": "learnt", "sequence": event.sequence, "repeated": True}
            return again if event.state == LEARNT else again | {"status": "refused"}
        raise RequestError(CONFLICT, f"the prediction {event.id} has the label {event.label} already")

    def _complete(self, results: list[dict[str, Any]], settled: list[Event]) -> None:
        """Say the place of each label in the order, and which ones the learner could not take."""
        places = {event.id: event.sequence for event in settled}
        for result in results:
            if result["id"] in places:
                result["sequence"] = places[result["id"]]
            reason = self._refused.pop(result["id"], None) if self._refused else None
            if reason is not None:
                result.update(status="error", code=UNFIT, reason=f"written down, but not learned: {reason}")

    def _settle(self, event: Event, state: State, label: Any) -> None:
        event.state, event.label = state, None if label is None and state == EXPIRED else _text(label)
        event.settled = self.now()

    # ---- the second learner

    async def promote(self, name: str) -> dict[str, Any]:
        """Let the second learner answer from here on, and the other one learn beside it.

        Parameters
        ----------
        name : str
            Of the second learner, so that a request that comes twice does not change them back.

        Raises
        ------
        RequestError
            If there is none of this name.
        """
        key = "\x00promote"  # no id of a client's
        with self._admitted(1):
            await self._ids.take([key])
            try:
                return await self._promote(name)
            finally:
                self._ids.give([key])

    async def _promote(self, name: str) -> dict[str, Any]:
        shadow = self.live.shadow
        if shadow is None or name not in shadow.comparison.names:
            raise RequestError(CONFLICT, f"no second learner has the name {name}; --shadow says which one there is")
        if name != shadow.name:
            return {"promoted": name, "sequence": self.live.tally.promoted or None, "repeated": True}
        self.live.number += 1
        event = Event(
            self.live.number, f"promote-{self._new_id()}", self.now(), b"", b"{}", None, None, self.live.version
        )
        new = replace(event)
        self._settle(event, PROMOTED, None)
        await self._write([new], [event])
        return {"promoted": name, "sequence": event.sequence, "repeated": False}

    # ---- what never comes

    async def expire(self, limit: int = 500) -> int:
        """Give up events that are older than they may be; how many they were."""
        assert self.settings.expire is not None
        before = self.now() - self.settings.expire
        if self.oldest is None or self.oldest >= before:
            return 0
        events: list[Event] = await self._thread.call(lambda: self._thread.store.read(OLDEST, limit))
        ids = [event.id for event in events if event.time < before]
        if not ids:
            return 0
        await self._ids.take(ids)
        try:
            known = await self._found(ids)
            self._refuse_if_down()
            settled = [known[id] for id in ids if known[id].state == PENDING]
            for event in settled:
                self._settle(event, EXPIRED, self.settings.default_loss)
            if settled:
                await self._write([], settled)
                self._log.info("expired", model=self.name, count=len(settled))
            return len(settled)
        finally:
            self._ids.give(ids)

    async def _expire_for_ever(self) -> None:
        while True:
            try:
                while self.down is None and await self.expire():
                    pass
            except Exception as error:  # whatever it is, the next look may do
                self._log.error("expiry failed", model=self.name, reason=str(error))
            await asyncio.sleep(EXPIRY)

    # ---- inside

    @contextmanager
    def _admitted(self, rows: int) -> Iterator[None]:
        """Count the rows of a request until it is answered, unless there is too much to do."""
        if rows > self.settings.rows:
            raise RequestError(413, f"{rows} rows in one request; at most {self.settings.rows} are taken")
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

    def _read(self, value: Any) -> bytes:
        try:
            return self.live.served.read(value)
        except Refused as error:
            raise RequestError(UNFIT, str(error)) from error

    async def _found(self, ids: Sequence[str]) -> dict[str, Event]:
        try:
            known = await self._thread.find(ids)
        except StoreError as error:
            self._fail(str(error))
            raise RequestError(UNAVAILABLE, str(error), 5) from error
        return {id: replace(known[id]) for id in ids if id in known}

    async def _write(self, events: list[Event], settled: list[Event]) -> None:
        """Write events down, those that are settled with the next places in the order; and learn them."""
        for event in settled:  # only here: a place that is never written would be a gap
            self._sequence += 1
            event.sequence = self._sequence
        try:
            await self._thread.write(events, settled, lambda: self._durable(events, settled))
        except Exception as error:
            self._fail(str(error))
            if not isinstance(error, RegretlessError):
                raise
            raise RequestError(UNAVAILABLE, str(error), 5) from error

    def _durable(self, events: list[Event], settled: list[Event]) -> None:
        """Learn what has become durable."""
        self._count(events, settled)
        if settled:
            try:
                self.live.settle(settled)
            except Exception as error:  # half of them may be learned
                self._fail(str(error))
                raise
            self._tell_alarms()
            if self.live.refused:
                numbers = list(self.live.refused)
                refused = self.live.refused
                self._refused |= {event.id: refused[event.number] for event in settled if event.number in refused}
                self._thread.refuse(numbers).add_done_callback(self._marked)
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
        elif self.oldest is None:
            self.oldest = events[0].time
        elif settled and (self._older or min(event.time for event in settled) <= self.oldest):
            self._older += 1
            if self._older == 1:
                self._do(self._look_for_oldest())

    async def _look_for_oldest(self) -> None:
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

    def now(self) -> float:
        """The time in seconds since 1970, never before what was written down."""
        self._last = max(self._last, self._clock())
        return self._last

    def _new_id(self) -> str:
        """An id that sorts by its time, so that neighbours stand together in the index of the database."""
        return f"{int(self._clock() * 1000):012x}{self._random.getrandbits(64):016x}"

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
        self.live, self._sequence, self._refused = live, live.version, {}
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


def _text(label: Any) -> str:
    """A label as it is written down."""
    return write_json(label).decode("ascii")


def _checked(id: Any) -> str:
    if type(id) is not str or not 0 < len(id) <= LONGEST_ID or "\x00" in id:
        raise RequestError(400, f"an id is a text of 1 to {LONGEST_ID} characters")
    return id


def label_of(event: Event) -> Any:
    """The label of an event as JSON value."""
    return None if event.label is None else json.loads(event.label)
