"""What is counted of a model in production: its predictions as they were answered, and how late labels came."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from math import frexp
from typing import Any, Self

from ..persist.validation import fits
from .store import EXPIRED, LEARNT, Event

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
