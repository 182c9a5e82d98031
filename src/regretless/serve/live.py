"""The model as it stands after so many predictions and labels, and what is counted of them: a function of the first
model and the log alone."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import groupby
from math import frexp
from typing import Any, Self

from ..alarms.column import ColumnAlarm
from ..catalogue import NOUNS
from ..errors import ModelError
from ..persist.model import model_bytes, read_bytes
from ..persist.validation import fits
from .alarm import ALARM, LiveAlarm
from .served import SERVING, Served
from .shadow import SHADOW, Shadow
from .store import EXPIRED, LEARNT, PROMOTED, SHADOWED, WATCHED, Event, Snapshot, StoreError
from .wire import write_json

BESIDE = (SHADOWED, PROMOTED, WATCHED)  # no predictions
UNLABELLED = (EXPIRED, *BESIDE)
UNANSWERED = "unanswered"  # the key in what stands for an answer where the label came with its input
PIECE = 256  # labels that are learned at once
CURVE = 500  # points of the curve at most, before every other one is dropped
ERRORS = 20  # of the latest mistakes
MOST_UNLEARNT = 10_000  # events without a learned label whose places are remembered
LONGEST = 40  # the last power of 2 of the histogram: 2^40 seconds, or rounds


@dataclass
class ServiceTally:
    """Sums over the events that were settled since the model has been served, in the order of their labels.

    Attributes
    ----------
    base_rounds, base_mistakes, base_loss : number
        Of the learner's ledger when serving began.
    learnt, expired, refused : int
        Events with a label that was learned; without one in time; with one that the learner could not take.
    substituted : int
        Of the expired ones, those in whose place a default was learned.
    unlearnt : list of int
        The places of the latest events that were settled without learning a label.
    unanswered : int
        Labels that came with their inputs: what was answered is not known, and they are judged by what was predicted
        when they came.
    judged, mistakes : int
        Of how many predicted labels it is known whether they were right, and how many were wrong, as they were
        answered.
    loss : float or None
        What predictions lost as they were answered; None once it could not be read off an answer.
    late : int
        How many labels came after other labels had been learned since the prediction.
    rounds_late, most_late : int
        How many labels were learned between predictions and their labels, in all and at most: exactly, unless more than
        10,000 events without one came between.
    seconds : float
        The time between predictions and their labels, in all.
    delays : list of int
        How many labels came within 1, 2, 4, 8, ... seconds, each counted once.
    curve : list of (learnt, mistakes, loss, mistakes in order, loss in order)
        In even steps, which are doubled when there are too many points.
    errors : list of dict
        The latest wrong predictions: id, answer and label.
    since, before : int
        The learner has learned the labels of the log after the first `since` ones, and `before` rounds before them.
    promoted : int
        The sequence number by which it began to answer; 0 if it did from the start.
    """

    base_rounds: int = 0
    base_mistakes: float = 0.0
    base_loss: float = 0.0
    learnt: int = 0
    expired: int = 0
    refused: int = 0
    substituted: int = 0
    unlearnt: list[int] = field(default_factory=list)
    unanswered: int = 0
    judged: int = 0
    mistakes: int = 0
    loss: float | None = 0.0
    late: int = 0
    rounds_late: int = 0
    most_late: int = 0
    seconds: float = 0.0
    delays: list[int] = field(default_factory=lambda: [0] * (LONGEST + 1))
    step: int = 1
    curve: list[list[float | None]] = field(default_factory=list)
    errors: list[dict[str, Any]] = field(default_factory=list)
    since: int = 0
    before: int = 0
    promoted: int = 0

    def settle(self, event: Event, mistake: bool | None, loss: float | None, answered: bool = True) -> None:
        """Count an event that was learned, is expired or was refused.

        Parameters
        ----------
        event : Event
        mistake : bool or None
            Whether the answer was wrong; None where that is not the question.
        loss : float or None
            What the answer lost.
        answered : bool, default=True
            Whether this was the answer; if not, it was predicted when the label came.
        """
        if event.state != LEARNT:
            if event.state == EXPIRED:
                self.expired += 1
                self.substituted += event.label is not None
            else:
                self.refused += 1
            self.pass_over(event)
            return
        self.learnt += 1
        if mistake is not None:
            self.judged += 1
            self.mistakes += mistake
            if mistake:
                self.errors = [
                    *self.errors[1 - ERRORS :],
                    {"id": event.id, "number": event.number, "label": event.label},
                ]
        self.loss = None if self.loss is None or loss is None else self.loss + loss
        if answered:
            self._delayed(event)
        else:
            self.unanswered += 1

    def pass_over(self, event: Event) -> None:
        """Remember the place of an event by which no label was learned."""
        self.unlearnt.append(event.sequence or 0)
        del self.unlearnt[:-MOST_UNLEARNT]

    def _delayed(self, event: Event) -> None:
        """Count how late a label was."""
        passed = len(self.unlearnt) - bisect_right(self.unlearnt, event.version)
        between = (event.sequence or 0) - 1 - event.version - passed
        self.late += between > 0
        self.rounds_late += between
        self.most_late = max(self.most_late, between)
        waited = max(0.0, (event.settled or 0.0) - event.time)
        self.seconds += waited
        self.delays[min(LONGEST, max(0, frexp(waited)[1]))] += 1

    @property
    def due(self) -> bool:
        """Whether the curve has a point here."""
        return self.learnt % self.step == 0

    def point(self, mistakes: float, loss: float) -> None:
        """Add a point to the curve, with what the ledger counts in the order of labels."""
        self.curve.append([self.learnt, self.mistakes, self.loss, mistakes, loss])
        if len(self.curve) >= CURVE:
            self.step *= 2
            self.curve = [point for point in self.curve if (point[0] or 0) % self.step == 0]

    def describe(self) -> dict[str, Any]:
        """All of it as JSON values."""
        return asdict(self)

    @classmethod
    def read(cls, described: Mapping[str, Any]) -> Self:
        """What `describe` gave.

        Raises
        ------
        ModelError
            If it does not fit together.
        """
        with fits("what the model says of its serving"):
            known = {one.name for one in fields(cls)}
            if set(described) != known:
                raise ValueError(f"{sorted(set(described) ^ known)}")
            return cls(**described)


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
