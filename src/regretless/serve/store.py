"""Where events and snapshots are kept: one interface, and the statements that both databases understand."""

from __future__ import annotations

import os
import socket
from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any

from ..errors import RegretlessError
from .events import Event, Snapshot, State

COLUMNS = "number, id, time, input, answer, ticket, propensity, version, state, label, sequence, settled"
INSERT = f"INSERT INTO events ({COLUMNS}) VALUES ({', '.join('?' * 12)})"
SETTLE = "UPDATE events SET state = ?, label = ?, sequence = ?, settled = ? WHERE number = ? AND state = 'pending'"
REFUSE = "UPDATE events SET state = 'refused' WHERE number = ?"
BY_SEQUENCE = f"SELECT {COLUMNS} FROM events WHERE sequence > ? ORDER BY sequence LIMIT ?"
BY_NUMBER = f"SELECT {COLUMNS} FROM events WHERE number > ? ORDER BY number LIMIT ?"
# The first by their numbers are the oldest: no event is before an earlier one, and pending ones are indexed by number.
OLDEST = f"SELECT {COLUMNS} FROM events WHERE state = 'pending' ORDER BY number LIMIT ?"
# Each by its own index; of times the last is the largest.
ENDS = (
    "SELECT coalesce((SELECT max(number) FROM events), 0), coalesce((SELECT max(sequence) FROM events), 0), "
    "coalesce((SELECT time FROM events ORDER BY number DESC LIMIT 1), 0.0), "
    "coalesce((SELECT settled FROM events WHERE sequence IS NOT NULL ORDER BY sequence DESC LIMIT 1), 0.0)"
)
PENDING_ONES = "SELECT count(*), min(time) FROM events WHERE state = 'pending'"
SNAPSHOTS = "SELECT version, number, time, model FROM snapshots"
ROW = attrgetter(*Event.__slots__)
KEEP = 2  # snapshots beside the first one


class StoreError(RegretlessError):
    """The database refused something or cannot be reached; nothing of what was asked is in it."""


class Held(StoreError):
    """Another server writes to this store; the message names it."""


def holder() -> str:
    """By what this process is named to others."""
    return f"process {os.getpid()} on {socket.gethostname()}, since {datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC"


def event_of(row: Sequence[Any]) -> Event:
    """An event as a database gives its row."""
    values = list(row)
    values[3], values[4] = bytes(values[3]), bytes(values[4])
    return Event(*values)


def row_of(event: Event) -> tuple[Any, ...]:
    """The row of an event."""
    row: tuple[Any, ...] = ROW(event)
    return row


def settlement_of(event: Event) -> tuple[State, str | None, int | None, float | None, int]:
    """What changes of a row when its event is settled."""
    return event.state, event.label, event.sequence, event.settled, event.number


class Store(ABC):
    """The log of one model. Only one process writes to it at a time; any number may read.

    Every method may raise a `StoreError`; what was asked is not in the store then.
    """

    name: str  # of the database, as messages call it
    writes: bool  # whether it was opened to be written to

    @abstractmethod
    def open(self) -> None:
        """Connect, make the tables where there are none, and become the one that writes.

        Raises
        ------
        Held
            If another process is.
        """

    @abstractmethod
    def commit(self, events: Sequence[Event], settled: Sequence[Event]) -> None:
        """Write new events, and what became of earlier ones, all of it or nothing; durable when this returns."""

    @abstractmethod
    def refuse(self, numbers: Sequence[int]) -> None:
        """Mark events whose label was written down and could not be learned."""

    @abstractmethod
    def find(self, ids: Sequence[str]) -> dict[str, Event]:
        """The events of some ids; those that there are."""

    @abstractmethod
    def read(self, statement: str, *values: Any) -> list[Event]:
        """The events that one of the statements of this module selects."""

    @abstractmethod
    def ends(self) -> tuple[int, int, float]:
        """The last number, the last sequence number and the last time; zeros of an empty log."""

    @abstractmethod
    def pending(self) -> tuple[int, float | None]:
        """How many events wait for their labels, and when the oldest of them was predicted."""

    @abstractmethod
    def save(self, snapshot: Snapshot) -> None:
        """Keep a snapshot; the first one and the last `KEEP` are kept."""

    @abstractmethod
    def snapshots(self) -> list[Snapshot]:
        """Those that are kept, the earliest first."""

    @abstractmethod
    def close(self) -> None:
        """Let others write."""
