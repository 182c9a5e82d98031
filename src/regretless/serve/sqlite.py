"""The store in an SQLite file: a write-ahead log that waits for the disk at every commit."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import MissingError
from .store import COLUMNS, Change, Event, Held, Store, StoreError, holder

try:
    import fcntl
except ImportError:  # a system without locks on files
    fcntl = None  # type: ignore[assignment, unused-ignore]

OURS = 0x52474C31  # "RGL1", by which a database is known as a log
MANY = 500  # ids in one statement
TABLES = """
CREATE TABLE IF NOT EXISTS events (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, time REAL NOT NULL, input BLOB NOT NULL, answer BLOB NOT NULL,
    ticket INTEGER, propensity REAL, version INTEGER NOT NULL, state TEXT NOT NULL, label TEXT, sequence INTEGER UNIQUE,
    settled REAL
);
CREATE INDEX IF NOT EXISTS waiting ON events (number) WHERE state = 'pending';
CREATE TABLE IF NOT EXISTS snapshots (
    version INTEGER, number INTEGER, time REAL NOT NULL, model BLOB NOT NULL, PRIMARY KEY (version, number)
);
CREATE TABLE IF NOT EXISTS origin (digest TEXT NOT NULL);
"""


class SqliteStore(Store):
    """A store in a file, beside which stand ``-wal`` and ``-shm`` of SQLite and the lock, ``-lock``.

    Parameters
    ----------
    path : Path
    writes : bool
    """

    def __init__(self, path: Path, *, writes: bool = True) -> None:
        self.name, self._path, self.writes = str(path), path, writes
        self._lock: Any = None
        self._connection: sqlite3.Connection | None = None

    def open(self) -> None:
        """Lock the file, connect, and make the tables where there are none."""
        if not self.writes and not self._path.is_file():
            raise StoreError(f"{self.name}: there is no such file; give the database of a model that was served")
        try:
            if self.writes and self._lock is None:
                self._take_lock()
            with self._said():
                self._connect()
        except BaseException:
            self.close()
            raise

    def _connect(self) -> None:
        if self._connection is not None:
            self._connection.close()
        target = str(self._path) if self.writes else f"{self._path.resolve().as_uri()}?mode=ro"
        self._connection = sqlite3.connect(
            target, uri=not self.writes, isolation_level=None, check_same_thread=False, timeout=5.0
        )
        if self.writes:
            self._refuse_foreign(self._connection)
            for setting in ("journal_mode = WAL", "synchronous = FULL", f"application_id = {OURS}"):
                self._connection.execute(f"PRAGMA {setting}")
            self._connection.executescript(TABLES)
        else:
            self._refuse_foreign(self._connection)

    def _refuse_foreign(self, db: sqlite3.Connection) -> None:
        """Refuse a database that is somebody else's, or of a newer version."""
        ours = db.execute("PRAGMA application_id").fetchone()[0] == OURS
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if not ours and (not self.writes or db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]):
            raise StoreError(f"{self.name}: this database is no log of a served model; name another with --store")
        if version:
            raise StoreError(f"{self.name}: the log was written by a newer version; install that")

    def _take_lock(self) -> None:
        if fcntl is None:
            raise MissingError("serving needs locks on files, which this system lacks; use --store postgresql://...")
        try:
            lock = open(f"{self._path}-lock", "a+")  # noqa: SIM115 (it stays open as long as the store)
        except OSError as error:
            raise StoreError(f"{self.name}: the lock cannot be written ({error})") from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            lock.seek(0)
            other = lock.read().strip() or "another process"
            lock.close()
            raise Held(f"{self.name}: {other} serves this model; stop that server first") from error
        lock.truncate(0)
        lock.write(holder())
        lock.flush()
        self._lock = lock

    @contextmanager
    def _said(self) -> Iterator[None]:
        """What SQLite complains of, with the name of the file."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"{self.name}: {error}") from error

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        if self._connection is None:
            raise StoreError(f"{self.name}: the database is closed")
        with self._said():
            yield self._connection

    def find(self, ids: Sequence[str]) -> dict[str, Event]:
        events: list[Event] = []
        for begin in range(0, len(ids), MANY):
            part = ids[begin : begin + MANY]
            events += self.read(f"SELECT {COLUMNS} FROM events WHERE id IN ({', '.join('?' * len(part))})", *part)
        return {event.id: event for event in events}

    def rows(self, statement: str, *values: Any) -> list[Sequence[Any]]:
        with self._connected() as db:
            return db.execute(statement, values).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[Change]:
        with self._connected() as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                yield lambda statement, rows: max(0, db.executemany(statement, rows).rowcount)
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None
        if self._lock is not None:
            os.ftruncate(self._lock.fileno(), 0)
            self._lock.close()
        self._lock = None
