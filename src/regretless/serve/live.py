"""The model as it stands after so many predictions and labels: a function of the first model and the log alone."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from ..alarms.column import ColumnAlarm
from ..catalogue import NOUNS
from ..errors import ModelError
from ..persist.model import model_bytes, read_bytes
from .alarm import ALARM, LiveAlarm
from .served import SERVING, Served
from .shadow import SHADOW, Shadow
from .store import EXPIRED, LEARNT, PROMOTED, SHADOWED, WATCHED, Event, Snapshot, StoreError
from .tally import ServiceTally
from .wire import write_json

BESIDE = (SHADOWED, PROMOTED, WATCHED)  # no predictions
UNLABELLED = (EXPIRED, *BESIDE)
UNANSWERED = "unanswered"  # the key in what stands for an answer where the label came with its input
PIECE = 256  # labels that are learned at once


class Live:
    """A learner with what is counted of it.

    Attributes
    ----------
    served : Served
    tally : ServiceTally
    version : int
        How many events were settled.
    number : int
        How many predictions were made.
    refused : dict of int to str
        By their numbers, events whose label the learner could not take, and why; of the last call of `settle`.
    shadow : Shadow or None
        A second learner of the same labels.
    alarm : LiveAlarm or None
    raised : list of ColumnAlarm
        The alarms of the last call of `settle`.
    """

    def __init__(
        self, model: Served, tally: ServiceTally, version: int, number: int, shadow: Shadow | None = None
    ) -> None:
        self.served, self.tally, self.version, self.number = model, tally, version, number
        self.shadow, self.alarm = shadow, None  # type: Shadow | None, LiveAlarm | None
        model.answers_since = tally.promoted
        self.raised: list[ColumnAlarm] = []
        self.refused: dict[int, str] = {}

    @classmethod
    def of(cls, snapshot: Snapshot, name: str) -> Live:
        """The model of a snapshot.

        Raises
        ------
        ModelError
            If it is damaged, or cannot be served.
        """
        learner, extra = read_bytes(snapshot.model, name)
        model = served(learner, extra, name)
        if extra.get(SERVING) is None or snapshot.version == snapshot.number == 0:  # it may have been served before
            rounds, mistakes, loss = model.sums()
            return cls(model, ServiceTally(rounds, mistakes, loss, before=rounds), snapshot.version, snapshot.number)
        shadow = None if extra.get(SHADOW) is None else Shadow.read(extra[SHADOW])
        live = cls(model, ServiceTally.read(extra[SERVING]), snapshot.version, snapshot.number, shadow)
        live.alarm = None if extra.get(ALARM) is None else LiveAlarm.read(extra[ALARM])
        return live

    def snapshot(self, time: float) -> Snapshot:
        """The model as it stands."""
        schema = getattr(self.served.learner, "schema_", self.served.schema)  # to which words may have been added
        extra = {"schema": schema, SERVING: self.tally.describe()}
        if self.shadow is not None:
            extra[SHADOW] = self.shadow.describe()
        if self.alarm is not None:
            extra[ALARM] = self.alarm.describe()
        return Snapshot(self.version, self.number, time, model_bytes(self.served.learner, extra))

    # ---- what moves it

    def predict(self, ids: Sequence[str], inputs: Sequence[bytes], time: float, *, answers: bool = True) -> list[Event]:
        """Predict some inputs, to be answered or because their labels have come."""
        events = []
        more = {} if answers else {UNANSWERED: True}
        for id, stored, answer in zip(ids, inputs, self.served.predict(inputs), strict=True):
            self.number += 1
            body = write_json({"id": id, **answer.values, "version": self.version, **more})
            events.append(Event(self.number, id, time, stored, body, answer.ticket, answer.propensity, self.version))
        return events

    def predict_again(self, event: Event) -> None:
        """Predict what a log says was predicted; what is no prediction has a number, too.

        Raises
        ------
        StoreError
            If the answer is another one.
        """
        if event.state in BESIDE:
            self.number += 1
            return
        (again,) = self.predict([event.id], [event.input], event.time)
        if (again.number, again.answer, again.ticket) != (event.number, event.answer, event.ticket):
            raise StoreError(
                f"event {event.number} ({event.id}): predicted again, the answer is {again.answer!r}, and the log has "
                f"{event.answer!r}; the log was changed, or another version of regretless wrote it"
            )

    def settle(self, events: Sequence[Event]) -> None:
        """Learn labels, or give events up, in the order of their sequence numbers.

        Raises
        ------
        StoreError
            If that is not the order in which they come.
        """
        if [event.sequence for event in events] != list(range(self.version + 1, self.version + 1 + len(events))):
            raise StoreError(f"the log has a gap, or the same label twice, after label {self.version}")
        self.refused, self.raised = {}, []
        for learnt, group in groupby(events, key=lambda event: event.state not in UNLABELLED):
            some = list(group)
            while learnt and some:
                some = some[self._learn(some) :]
            for event in some:
                self._settle_without_label(event)
                self.version += 1

    def _settle_without_label(self, event: Event) -> None:
        """Give an event up, or let begin or end what is beside the learner, or change places with it."""
        if event.state in BESIDE:
            self.tally.pass_over(event)
        if event.state == SHADOWED:
            self.shadow = Shadow.begun(event, self.served) if event.input else None
        elif event.state == WATCHED:
            self.alarm = LiveAlarm.begun(event)
        elif event.state == PROMOTED:
            self._promote(event)
        else:
            self.served.expire(event, None if event.label is None else json.loads(event.label))
            self.tally.settle(event, None, None)

    def _promote(self, event: Event) -> None:
        """Let the two learners change places; what is counted of the one that answers begins anew."""
        shadow = self.shadow
        if shadow is None:
            raise StoreError(f"event {event.number}: the log promotes a second learner, and there is none")
        self.served.step_back()
        self.served, shadow.served = shadow.served, self.served
        rounds, mistakes, loss = self.served.sums()
        promoted = event.sequence or 0
        since, before = (promoted, rounds) if shadow.uneven else (shadow.since, shadow.before)
        shadow.since, shadow.before, shadow.answering = self.tally.since, self.tally.before, 1 - shadow.answering
        self.served.answers_since = promoted
        passed = self.tally.unlearnt
        self.tally = ServiceTally(
            rounds, mistakes, loss, since=since, before=before, promoted=promoted, unlearnt=passed
        )

    def _learn(self, events: list[Event]) -> int:
        """Learn the first events, up to where the curve has its next point; how many they were."""
        tally = self.tally
        some = events[: min(PIECE, tally.step - tally.learnt % tally.step)]
        rounds = [(event, json.loads(event.label or "null")) for event in some]
        answers = [json.loads(event.answer) for event in some]
        judged = [
            self.served.judge(event, answer, label) for (event, label), answer in zip(rounds, answers, strict=True)
        ]
        refused = self.served.learn(rounds) if self.shadow is None else self.shadow.learn(self.served, rounds)
        for place, (event, judgement) in enumerate(zip(some, judged, strict=True)):
            event.state = "refused" if place in refused else LEARNT
            tally.settle(event, judgement.mistake, judgement.loss, answered=UNANSWERED not in answers[place])
            if place in refused:
                self.refused[event.number] = refused[place]
        if self.alarm is not None:
            charges = [one.charge for place, one in enumerate(judged) if place not in refused]
            self.raised += self.alarm.add([charge for charge in charges if charge is not None])
        self.version += len(some)
        if tally.due and len(refused) < len(some):
            _, mistakes, loss = self.served.sums()
            tally.point(mistakes - tally.base_mistakes, loss - tally.base_loss)
        return len(some)


def served(learner: Any, extra: Mapping[str, Any], name: str) -> Served:
    """A learner as it is served.

    Raises
    ------
    RegretlessError
        If learners of its kind do not go on one round at a time.
    """
    from .rows import ServedClassifier, ServedRegressor
    from .tickets import ServedBandit, ServedCombiner, ServedContextual

    kinds: dict[str, type[Served]] = {
        "linear": ServedClassifier,
        "regression": ServedRegressor,
        "experts": ServedCombiner,
        "bandits": ServedBandit,
        "contextual": ServedContextual,
    }
    if learner.kind not in kinds:
        served_kinds = "learners of rows, combiners and bandits are"
        raise ModelError(f"{name}: a {NOUNS[learner.kind]} is not served; {served_kinds}")
    if extra.get("mixing") is not None:
        raise ModelError(f"{name}: a model that mixes shards goes on with them; learn one without --workers")
    return kinds[learner.kind](learner, extra)
