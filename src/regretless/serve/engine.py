"""What may be asked of one model in production: predictions are written down before they are answered, labels before
they are learned; a label may come late, twice or never.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import RegretlessError
from .durable import DurableModel
from .requests import CONFLICT, GONE, UNFIT, UNKNOWN, LabelReport, RequestError, RowRequest, check_id
from .served import Refused
from .store import EXPIRED, LEARNT, OLDEST, PENDING, PROMOTED, Event, State
from .wire import write_json

EXPIRY = 1.0  # seconds between two looks for events that are to be given up
AT_ONCE = 100  # rows and labels that are checked before other requests have their turn
Fresh = tuple[Event, Any] | RegretlessError  # a prediction and its label; or why there is none
Unpredicted = tuple[bytes, Any]  # an input and its label
Fate = Fresh | dict[str, Any]  # or what is answered, where it had its label before


class ModelEngine(DurableModel):
    """A model, its log, and what requests may ask of them; the parameters are those of `DurableModel`."""

    async def start(self) -> None:
        """Look at what is pending, and begin to give up what is too old."""
        await super().start()
        if self.settings.expire is not None:
            self._do(self._expire_for_ever())

    # ---- predictions

    async def predict(self, asked: Sequence[RowRequest]) -> list[bytes]:
        """The answers to rows; a row with the id of an earlier one gets the very bytes of that answer.

        Raises
        ------
        RequestError
            If a row cannot be predicted, the id was used for another row, or there is too much to do.
        """
        with self._admitted(len(asked)):
            return await self._predict(asked)

    async def _predict(self, asked: Sequence[RowRequest]) -> list[bytes]:
        inputs = []
        for place, one in enumerate(asked, 1):
            inputs.append(self._read(one.value, one.place))
            if place % AT_ONCE == 0:
                await asyncio.sleep(0)
        ids = [check_id(one.id) for one in asked if one.id is not None]
        if not self.settings.log_predictions:
            names = [one.id or self._new_id() for one in asked]
            return [event.answer for event in self._unlogged(names, inputs)]
        if not ids:
            return await self._predict_new([self._new_id() for _ in asked], inputs)
        if len(set(ids)) < len(ids):
            raise RequestError(400, "an id stands twice in one request")
        await self._ids.take(ids)
        try:
            known = await self._events_of(ids)
            return await self._predict_known(asked, inputs, known)
        finally:
            self._ids.give(ids)

    async def _predict_known(
        self, asked: Sequence[RowRequest], inputs: list[bytes], known: dict[str, Event]
    ) -> list[bytes]:
        for one, stored in zip(asked, inputs, strict=True):
            if one.id in known and known[one.id].input != stored:
                raise RequestError(CONFLICT, f"the id {one.id} was used for another input")
        new = [place for place, one in enumerate(asked) if one.id not in known]
        ids = [asked[place].id or self._new_id() for place in new]
        answers = await self._predict_new(ids, [inputs[place] for place in new]) if new else []
        by_place = dict(zip(new, answers, strict=True))
        return [by_place[place] if place in by_place else known[str(one.id)].answer for place, one in enumerate(asked)]

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

    async def label(self, reported: Sequence[LabelReport]) -> list[dict[str, Any]]:
        """Learn labels; what became of each, in their order.

        Raises
        ------
        RequestError
            If there is too much to do, or the database cannot be reached.
        """
        ids = [check_id(one.id) for one in reported if one.id is not None]
        if len(set(ids)) < len(ids):
            raise RequestError(400, "an id stands twice in one request")
        with self._admitted(len(reported)):
            await self._ids.take(ids)
            try:
                known = await self._events_of(ids) if ids else {}
                self._refuse_if_down()
                return await self._label_known(reported, known)
            finally:
                self._ids.give(ids)

    async def _label_known(self, reported: Sequence[LabelReport], known: dict[str, Event]) -> list[dict[str, Any]]:
        fates, read = await self._checked(reported, known)
        self._refuse_if_down()
        settled: list[Event] = []
        number = self.live.number
        try:  # from here to the log nothing may come between
            new = self._predicted_now(reported, read)
            results = [
                self._labelled(one, new[place] if place in new else fates[place], settled)
                for place, one in enumerate(reported)
            ]
        except BaseException:
            self.live.number = number  # nothing of it will be in the log
            raise
        if settled:
            await self._write([one[0] for one in new.values() if type(one) is tuple], settled)
            self._complete(results, settled)
        return results

    async def _checked(
        self, reported: Sequence[LabelReport], known: dict[str, Event]
    ) -> tuple[dict[int, Fate], dict[int, Unpredicted]]:
        """By their places, what becomes of labels whose predictions are known or that are none, and what is to be
        predicted of the others; a few at a time, as other requests wait."""
        fates: dict[int, Fate] = {}
        read: dict[int, Unpredicted] = {}
        for place, one in enumerate(reported):
            try:
                if one.id in known:
                    fates[place] = self._checked_one(one, known[str(one.id)])
                else:
                    read[place] = self._read_new(one)
            except (Refused, RequestError) as error:
                fates[place] = error
            if place % AT_ONCE == AT_ONCE - 1:
                await asyncio.sleep(0)
        return fates, read

    def _checked_one(self, one: LabelReport, event: Event) -> Fate:
        if one.with_input and event.input != self._read(one.value):
            raise RequestError(CONFLICT, f"the id {one.id} was used for another input")
        if event.state != PENDING:
            return self._settled_before(event, one.label)
        return event, self.live.served.read_label(one.label, event)

    def _labelled(self, one: LabelReport, fate: Fate, settled: list[Event]) -> dict[str, Any]:
        """What is answered to a label; where it is to be learned, its event is among those to be settled."""
        if isinstance(fate, dict):
            return fate
        if isinstance(fate, RegretlessError):
            code = fate.status if isinstance(fate, RequestError) else UNFIT
            return {"id": one.id, "status": "error", "code": code, "reason": str(fate)}
        event, label = fate
        self._settle(event, LEARNT, label)
        settled.append(event)
        return {"id": event.id, "status": "learnt"}

    def _predicted_now(self, reported: Sequence[LabelReport], read: Mapping[int, Unpredicted]) -> dict[int, Fresh]:
        """By their places, the events of labels that came with their inputs; or why there is none."""
        rows = [(reported[place].id or self._new_id(), stored) for place, (stored, _) in read.items()]
        events = zip(read.items(), self._predicted_each(rows), strict=True)
        return {place: one if isinstance(one, RequestError) else (one, label) for (place, (_, label)), one in events}

    def _read_new(self, one: LabelReport) -> Unpredicted:
        """The input and the label of a row that was not predicted."""
        if not one.with_input:
            raise RequestError(UNKNOWN, f"no prediction has the id {one.id}")
        if self.live.served.moves:
            raise RequestError(
                UNKNOWN, f"no prediction has the id {one.id}, and what was not predicted cannot be learned"
            )
        stored = self._read(one.value)
        blank = Event(0, one.id or "", 0.0, stored, b"", None, None, 0)
        return stored, self.live.served.read_label(one.label, blank)

    def _predicted_each(self, rows: list[tuple[str, bytes]]) -> Sequence[Event | RequestError]:
        """Predictions of rows by their ids, of which one that cannot be predicted does not keep the others from it."""
        if not rows:
            return []
        try:
            return self._predicted([id for id, _ in rows], [stored for _, stored in rows], answers=False)
        except RequestError as error:
            if len(rows) == 1:
                return [error]
            return [event for one in rows for event in self._predicted_each([one])]

    def _settled_before(self, event: Event, label: Any) -> dict[str, Any]:
        if event.state == EXPIRED:
            raise RequestError(GONE, f"the prediction {event.id} was given up before its label came")
        if event.label == _text(self.live.served.read_label(label, event)):
            again = {"id": event.id, "status": "learnt", "sequence": event.sequence, "repeated": True}
            return again if event.state == LEARNT else again | {"status": "refused"}
        raise RequestError(CONFLICT, f"the prediction {event.id} has the label {event.label} already")

    def _complete(self, results: list[dict[str, Any]], settled: list[Event]) -> None:
        """Say the place of each label in the order, and which ones the learner could not take."""
        events = {event.id: event for event in settled}
        for result in results:
            event = events.get(result["id"])
            if event is None:
                continue
            result["sequence"] = event.sequence
            if event.unlearned is not None:
                result.update(status="error", code=UNFIT, reason=f"written down, but not learned: {event.unlearned}")

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
        self._settle(event, PROMOTED, None)
        await self._write([event], [event])
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
            known = await self._events_of(ids)
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

    def _read(self, value: Any, place: str = "") -> bytes:
        try:
            return self.live.served.read(value)
        except Refused as error:
            raise RequestError(UNFIT, f"{place}{error}") from error


def _text(label: Any) -> str:
    """A label as it is written down."""
    return write_json(label).decode("ascii")


def label_of(event: Event) -> Any:
    """The label of an event as JSON value."""
    return None if event.label is None else json.loads(event.label)
