"""The databases that have a log: a file of SQLite, which waits for the disk at every commit, or PostgreSQL 15 or newer.

In PostgreSQL a model has a schema of its own, and the session that writes a lock.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from ..errors import MissingError
from .store import COLUMNS, Change, Event, Held, Store, StoreError, holder

try:
    import fcntl
except ImportError:  # a system without locks on files
    fcntl = None  # type: ignore[assignment, unused-ignore]

TABLES = """
CREATE TABLE IF NOT EXISTS events (
    number {integer} PRIMARY KEY, id TEXT NOT NULL UNIQUE, time {real} NOT NULL, input {bytes} NOT NULL,
    answer {bytes} NOT NULL, ticket {integer}, propensity {real}, version {integer} NOT NULL, state TEXT NOT NULL,
    label TEXT, sequence {integer} UNIQUE, settled {real}
);
CREATE INDEX IF NOT EXISTS waiting ON events (number) WHERE state = 'pending';
CREATE TABLE IF NOT EXISTS snapshots (
    version {integer}, number {integer}, time {real} NOT NULL, model {bytes} NOT NULL, PRIMARY KEY (version, number)
);
CREATE TABLE IF NOT EXISTS origin (digest TEXT NOT NULL);
"""
STOP = "{other} serves this model; stop that server first"
# Of SQLite.
OURS = 0x52474C31  # "RGL1", by which a database is known as a log
MANY = 500  # ids in one statement
# Of PostgreSQL.
PATIENCE, MOMENT = 2.0, 0.05  # seconds in all, and between two attempts to take the lock
LONGEST = 63  # bytes of a name
OLDEST_VERSION = 150_000  # of the server, as it says it
# A connection whose other end is gone is given up, and its lock with it, within about half a minute.
ALIVE: dict[str, Any] = {"connect_timeout": 5, "keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3}
SETTINGS = "-c statement_timeout=30000 -c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"
HOLDER = "CREATE TABLE IF NOT EXISTS holder (one BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (one), name TEXT NOT NULL);"
HOLD = "INSERT INTO holder (name) VALUES (%s) ON CONFLICT (one) DO UPDATE SET name = excluded.name"


def store_of(where: str | Path, *, writes: bool = True) -> Store:
    """The store of an address, not opened yet.

    Parameters
    ----------
    where : str or Path
        The file of an SQLite database, or ``postgresql://...``, to which the name of the model is added as
        ``#name``.
    writes : bool
        Whether it is to be written to; if not, nothing is locked.
    """
    if str(where).startswith(("postgresql://", "postgres://")):
        return PostgresStore(str(where), writes=writes)
    return SqliteStore(Path(where), writes=writes)


class Database(Store):
    """A store with a connection, whose errors are said in its own name."""

    _connection: Any = None
    _errors: tuple[type[Exception], ...] = ()

    @contextmanager
    def _said(self) -> Iterator[None]:
        """What the database complains of, in one line."""
        try:
            yield
        except self._errors as error:
            raise StoreError(f"{self.name}: {' '.join(str(error).split()) or type(error).__name__}") from error

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        if self._connection is None:
            raise StoreError(f"{self.name}: the database is closed")
        with self._said():
            yield self._connection

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None


class SqliteStore(Database):
    """A store in a file, beside which stand ``-wal`` and ``-shm`` of SQLite and the lock, ``-lock``.

    Parameters
    ----------
    path : Path
    writes : bool
    """

    _errors = (sqlite3.Error, OSError)

    def __init__(self, path: Path, *, writes: bool = True) -> None:
        self.name, self._path, self.writes = str(path), path, writes
        self._lock: Any = None

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
        super().close()
        target = str(self._path) if self.writes else f"{self._path.resolve().as_uri()}?mode=ro"
        self._connection = sqlite3.connect(
            target, uri=not self.writes, isolation_level=None, check_same_thread=False, timeout=5.0
        )
        if self.writes:
            self._refuse_foreign(self._connection)
            for setting in ("journal_mode = WAL", "synchronous = FULL", f"application_id = {OURS}"):
                self._connection.execute(f"PRAGMA {setting}")
            self._connection.executescript(TABLES.format(integer="INTEGER", real="REAL", bytes="BLOB"))
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
            raise Held(f"{self.name}: {STOP.format(other=other)}") from error
        lock.truncate(0)
        lock.write(holder())
        lock.flush()
        self._lock = lock

    def find(self, ids: Sequence[str]) -> dict[str, Event]:
        events: list[Event] = []
        for begin in range(0, len(ids), MANY):
            part = ids[begin : begin + MANY]
            events += self.read(f"SELECT {COLUMNS} FROM events WHERE id IN ({', '.join('?' * len(part))})", *part)
        return {event.id: event for event in events}

    def rows(self, statement: str, *values: Any) -> list[Sequence[Any]]:
        with self._connected() as db:
            rows: list[Sequence[Any]] = db.execute(statement, values).fetchall()
            return rows

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
        super().close()
        if self._lock is not None:
            os.ftruncate(self._lock.fileno(), 0)
            self._lock.close()
        self._lock = None


class PostgresStore(Database):
    """A store in a schema of its own, ``regretless_`` and the name of the model.

    The session that writes holds an advisory lock. It ends with the session, whatever ends that, so that nothing can
    be written by a server that lost the lock.

    Parameters
    ----------
    url : str
        ``postgresql://...#NAME``.
    writes : bool
    """

    def __init__(self, url: str, *, writes: bool = True) -> None:
        self._url, _, model = url.partition("#")
        self.name, self.writes = f"PostgreSQL, model {model}", writes
        self._schema = _schema_of(model)
        self._key = int.from_bytes(sha256(self._schema.encode()).digest()[:8], "big", signed=True)
        if not model:
            raise StoreError("the address of a log in PostgreSQL ends with # and the name of the model")

    def open(self) -> None:
        """Connect, take the lock, and make the tables where there are none."""
        try:
            import psycopg
        except ImportError as error:
            raise MissingError.of_extra("PostgreSQL needs psycopg", "postgres", "'psycopg[binary]'") from error
        self.close()
        self._errors = (psycopg.Error,)
        try:
            with self._said():
                self._connection = psycopg.connect(self._url, autocommit=True, options=SETTINGS, **ALIVE)
                self._begin(self._connection)
        except BaseException:
            self.close()
            raise

    def _begin(self, db: Any) -> None:
        from psycopg import sql

        if db.info.server_version < OLDEST_VERSION:
            raise StoreError(f"{self.name}: the server is older than PostgreSQL 15")
        schema = sql.Identifier(self._schema)
        if not self.writes:
            db.execute(sql.SQL("SET search_path TO {}").format(schema))
            db.execute("SET default_transaction_read_only = on")
            if db.execute("SELECT to_regclass('snapshots')").fetchone()[0] is None:
                raise StoreError(f"{self.name}: there is no such model")
            return
        if not self._locked(db):
            raise Held(f"{self.name}: {STOP.format(other=self._other(db, schema))}")
        db.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(schema))
        db.execute(sql.SQL("SET search_path TO {}").format(schema))
        db.execute(TABLES.format(integer="BIGINT", real="DOUBLE PRECISION", bytes="BYTEA") + HOLDER)
        db.execute(HOLD, (holder(),))

    def _locked(self, db: Any) -> bool:
        """Whether this session holds the lock now; that of a process that was killed ends a moment later."""
        end = monotonic() + PATIENCE
        while not db.execute("SELECT pg_try_advisory_lock(%s)", (self._key,)).fetchone()[0]:
            if monotonic() >= end:
                return False
            sleep(MOMENT)
        return True

    def _other(self, db: Any, schema: Any) -> str:
        from psycopg import sql

        try:
            row = db.execute(sql.SQL("SELECT name FROM {}.holder").format(schema)).fetchone()
        except self._errors:  # it is just about to write it
            row = None
        return "another process" if row is None else str(row[0])

    def find(self, ids: Sequence[str]) -> dict[str, Event]:
        events = self.read(f"SELECT {COLUMNS} FROM events WHERE id = ANY(?)", list(ids))
        return {event.id: event for event in events}

    def rows(self, statement: str, *values: Any) -> list[Sequence[Any]]:
        with self._connected() as db:
            rows: list[Sequence[Any]] = db.execute(_own(statement), values).fetchall()
            return rows

    @contextmanager
    def transaction(self) -> Iterator[Change]:
        with self._connected() as db, db.transaction(), db.cursor() as cursor:

            def change(statement: str, rows: Iterable[Sequence[Any]]) -> int:
                values = list(rows)
                if not values:
                    return 0
                cursor.executemany(_own(statement), values)
                return int(cursor.rowcount)

            yield change


def _schema_of(model: str) -> str:
    """The schema of a model; PostgreSQL would cut a name that is too long, and two models could share one."""
    name = f"regretless_{model}"
    if len(name.encode()) <= LONGEST:
        return name
    return f"{name.encode()[: LONGEST - 17].decode(errors='ignore')}_{sha256(name.encode()).hexdigest()[:16]}"


def _own(statement: str) -> str:
    """A statement as psycopg writes it."""
    return statement.replace("?", "%s")
