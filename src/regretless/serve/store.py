"""What is written down of predictions and labels, and the interface of the database that has it."""

from __future__ import annotations

import os
import socket
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from operator import attrgetter
from typing import Any, Literal

from ..errors import RegretlessError

COLUMNS = "number, id, time, input, answer, ticket, propensity, version, state, label, sequence, settled"
INSERT = f"INSERT INTO events ({COLUMNS}) VALUES ({', '.join('?' * 12)})"
SETTLE = "UPDATE events SET state = ?, label = ?, sequence = ?, settled = ? WHERE number = ? AND state = 'pending'"
REFUSE = "UPDATE events SET state = 'refused' WHERE number = ?"
BY_SEQUENCE = f"SELECT {COLUMNS} FROM events WHERE sequence > ? ORDER BY sequence LIMIT ?"
BY_NUMBER = f"SELECT {COLUMNS} FROM events WHERE number > ? ORDER BY number LIMIT ?"
# The first by their numbers are the oldest: no event is before an earlier one, and pending ones are indexed by number.
OLDEST = f"SELECT {COLUMNS} FROM events WHERE state = 'pending' ORDER BY number LIMIT ?"
# Each by its own index; of times the last is the largest. Of a pruned log the snapshots may know more than the events.
ENDS = (
    "SELECT coalesce((SELECT max(number) FROM events), 0), coalesce((SELECT max(number) FROM snapshots), 0), "
    "coalesce((SELECT max(sequence) FROM events), 0), coalesce((SELECT max(version) FROM snapshots), 0), "
    "coalesce((SELECT time FROM events ORDER BY number DESC LIMIT 1), 0.0), "
    "coalesce((SELECT settled FROM events WHERE sequence IS NOT NULL ORDER BY sequence DESC LIMIT 1), 0.0), "
    "coalesce((SELECT max(time) FROM snapshots WHERE version > 0), 0.0)"
)
PENDING_ONES = "SELECT count(*), min(time) FROM events WHERE state = 'pending'"
SNAPSHOTS = "SELECT version, number, time, model FROM snapshots ORDER BY version, number"
PLACES = "SELECT version, number FROM snapshots ORDER BY version, number"
SAVE = (
    "INSERT INTO snapshots VALUES (?, ?, ?, ?) ON CONFLICT (version, number) DO UPDATE SET time = excluded.time, "
    "model = excluded.model"
)
DROP = "DELETE FROM snapshots WHERE version = ? AND number = ?"
FIRST = "SELECT version FROM snapshots ORDER BY version, number LIMIT 1"
LAST_BEFORE = (
    "SELECT sequence, settled FROM events WHERE sequence IS NOT NULL AND settled < ? ORDER BY sequence DESC LIMIT 1"
)
NUMBER_AT = "SELECT max(number) FROM events WHERE version < ?"
ORIGIN = "SELECT digest FROM origin"
SET_ORIGIN = "INSERT INTO origin VALUES (?)"
FORGET_SNAPSHOTS = "DELETE FROM snapshots WHERE version < ?"
FORGET_EVENTS = "DELETE FROM events WHERE sequence <= ?"
KEEP = 2  # snapshots beside the first one

State = Literal["pending", "learnt", "expired", "refused", "shadowed", "promoted", "watched"]
PENDING: State = "pending"
LEARNT: State = "learnt"
EXPIRED: State = "expired"
SHADOWED: State = "shadowed"
PROMOTED: State = "promoted"
WATCHED: State = "watched"


@dataclass(slots=True)
class Event:
    """A prediction, and what became of it.

    Attributes
    ----------
    number : int
        Its place among all predictions, from 1.
    id : str
        By which its label is reported: the client's, or ours.
    time : float
        When it was made, in seconds since 1970; never before that of an earlier one.
    input : bytes
        What was predicted; see `Served.read`.
    answer : bytes
        The answer as it was sent, a JSON object.
    ticket : int or None
        By which a learner whose predictions move it knows the prediction.
    propensity : float or None
        The probability with which an arm was drawn.
    version : int
        How many events were settled when it was predicted.
    state : {"pending", "learnt", "expired", "refused", "shadowed", "promoted", "watched"}
        The last three are no predictions. From here on another learner, whose model file is the input, learns beside
        the one that answers, or none if that is empty; here the two change places; here an alarm begins, with the
        settings in the answer, or none if these are null.
    label : str or None
        The label as JSON text; of an expired event what was learned in its place, if anything was.
    sequence : int or None
        Its place in the order in which events were settled, from 1 without gaps.
    settled : float or None
        When that was.
    unlearned : str or None
        Why its label, which is written down, could not be learned. It is not written down itself.
    """

    number: int
    id: str
    time: float
    input: bytes
    answer: bytes
    ticket: int | None
    propensity: float | None
    version: int
    state: State = PENDING
    label: str | None = None
    sequence: int | None = None
    settled: float | None = None
    unlearned: str | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The bytes of a model file, and where in the log it stands.

    Attributes
    ----------
    version : int
        How many events were settled.
    number : int
        How many predictions were made.
    time : float
    model : bytes
    """

    version: int
    number: int
    time: float
    model: bytes


class StoreError(RegretlessError):
    """The database refused something or cannot be reached; nothing of what was asked is in it."""


class Held(StoreError):
    """Another server writes to this store; the message names it."""


def holder() -> str:
    """By what this process is named to others."""
    return f"process {os.getpid()} on {socket.gethostname()}, since {datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC"


def digest(model: bytes) -> str:
    """By what a model file is known."""
    return sha256(model).hexdigest()


def event_of(row: Sequence[Any]) -> Event:
    """An event as a database gives its row."""
    values = list(row)
    values[3], values[4] = bytes(values[3]), bytes(values[4])
    return Event(*values)


ROW = attrgetter(*COLUMNS.split(", "))


def row_of(event: Event) -> tuple[Any, ...]:
    """The row of an event."""
    row: tuple[Any, ...] = ROW(event)
    return row


def settlement_of(event: Event) -> tuple[State, str | None, int | None, float | None, int]:
    """What changes of a row when its event is settled."""
    return event.state, event.label, event.sequence, event.settled, event.number


Change = Callable[[str, Iterable[Sequence[Any]]], int]


class Store(ABC):
    """The log of one model. Only one process writes to it at a time; any number may read.

    Every method may raise a `StoreError`; what was asked is not in the store then.
    """

    name: str  # of the database, as messages call it
    writes: bool  # whether it was opened to be written to

    # ---- what each database does in its own way

    @abstractmethod
    def open(self) -> None:
        """Connect, make the tables where there are none, and become the one that writes.

        Raises
        ------
        Held
            If another process is.
        """

    @abstractmethod
    def close(self) -> None:
        """Let others write."""

    @abstractmethod
    def find(self, ids: Sequence[str]) -> dict[str, Event]:
        """The events of some ids; those that there are."""

    @abstractmethod
    def rows(self, statement: str, *values: Any) -> list[Sequence[Any]]:
        """The rows that a statement selects."""

    @abstractmethod
    def transaction(self) -> AbstractContextManager[Change]:
        """What is changed in it is changed together or not at all, and durable at its end.

        It gives a function that runs a statement for each row of values, and returns how many rows it changed.
        """

    # ---- the same for all

    def commit(self, events: Sequence[Event], settled: Sequence[Event]) -> None:
        """Write new events, and what became of earlier ones, all of it or nothing; durable when this returns."""
        with self.transaction() as change:
            change(INSERT, map(row_of, events))
            changed = change(SETTLE, map(settlement_of, settled))
            if changed != len(settled):
                raise StoreError(f"{self.name}: of {len(settled):,} events {changed} still waited for their labels")

    def refuse(self, numbers: Sequence[int]) -> None:
        """Mark events whose label was written down and could not be learned."""
        with self.transaction() as change:
            change(REFUSE, [(number,) for number in numbers])

    def read(self, statement: str, *values: Any) -> list[Event]:
        """The events that one of the statements of this module selects."""
        return [event_of(row) for row in self.rows(statement, *values)]

    def ends(self) -> tuple[int, int, float]:
        """The last number, the last sequence number and the last time; zeros of an empty log."""
        ((number, of_snapshot, sequence, version, *times),) = self.rows(ENDS)
        return int(max(number, of_snapshot)), int(max(sequence, version)), float(max(times))

    def pending(self) -> tuple[int, float | None]:
        """How many events wait for their labels, and when the oldest of them was predicted."""
        ((count, oldest),) = self.rows(PENDING_ONES)
        return int(count), oldest

    def save(self, snapshot: Snapshot) -> None:
        """Keep a snapshot; the first one and the last `KEEP` are kept."""
        with self.transaction() as change:
            change(SAVE, [(snapshot.version, snapshot.number, snapshot.time, snapshot.model)])
            change(DROP, self.rows(PLACES)[1:-KEEP])

    def snapshots(self) -> list[Snapshot]:
        """Those that are kept, the earliest first."""
        return [Snapshot(version, number, time, bytes(model)) for version, number, time, model in self.rows(SNAPSHOTS)]

    # ---- a log that was pruned

    def begins_after(self) -> int:
        """The last sequence number before the log begins: above 0 once it was pruned."""
        rows = self.rows(FIRST)
        return int(rows[0][0]) if rows else 0

    def origin(self) -> str | None:
        """The digest of the model that the log began with, if it was pruned since."""
        rows = self.rows(ORIGIN)
        return str(rows[0][0]) if rows else None

    def last_before(self, time: float) -> tuple[int, int, float]:
        """The last sequence number before a time, how many predictions had been made, and when it was; or zeros."""
        rows = self.rows(LAST_BEFORE, time)
        if not rows:
            return 0, 0, 0.0
        ((sequence, settled),), ((number,),) = rows, self.rows(NUMBER_AT, rows[0][0])
        return int(sequence), int(number), float(settled)

    def forget(self, base: Snapshot, origin: str) -> None:
        """Let the log begin with a snapshot, and forget what was settled before; all of it or nothing.

        Parameters
        ----------
        base : Snapshot
        origin : str
            The digest of the model that it begins with now.
        """
        with self.transaction() as change:
            if not self.rows(ORIGIN):
                change(SET_ORIGIN, [(origin,)])
            change(SAVE, [(base.version, base.number, base.time, base.model)])
            change(FORGET_SNAPSHOTS, [(base.version,)])
            change(FORGET_EVENTS, [(base.version,)])
