"""The store in PostgreSQL 15 or newer: one schema a model, and a lock of the session that writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from time import monotonic, sleep
from typing import Any

from ..errors import MissingError
from .store import COLUMNS, Change, Event, Held, Store, StoreError, holder

PATIENCE, MOMENT = 2.0, 0.05  # seconds in all, and between two attempts to take the lock
LONGEST = 63  # bytes of a name
OLDEST_VERSION = 150_000  # of the server, as it says it
# A connection whose other end is gone is given up, and its lock with it, within about half a minute.
ALIVE: dict[str, Any] = {"connect_timeout": 5, "keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3}
SETTINGS = "-c statement_timeout=30000 -c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"
TABLES = """
CREATE TABLE IF NOT EXISTS events (
    number BIGINT PRIMARY KEY, id TEXT NOT NULL UNIQUE, time DOUBLE PRECISION NOT NULL, input BYTEA NOT NULL,
    answer BYTEA NOT NULL, ticket BIGINT, propensity DOUBLE PRECISION, version BIGINT NOT NULL, state TEXT NOT NULL,
    label TEXT, sequence BIGINT UNIQUE, settled DOUBLE PRECISION
);
CREATE INDEX IF NOT EXISTS waiting ON events (number) WHERE state = 'pending';
CREATE TABLE IF NOT EXISTS snapshots (
    version BIGINT, number BIGINT, time DOUBLE PRECISION NOT NULL, model BYTEA NOT NULL, PRIMARY KEY (version, number)
);
CREATE TABLE IF NOT EXISTS holder (one BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (one), name TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS origin (digest TEXT NOT NULL);
"""
HOLD = "INSERT INTO holder (name) VALUES (%s) ON CONFLICT (one) DO UPDATE SET name = excluded.name"


class PostgresStore(Store):
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
        key = int.from_bytes(sha256(self._schema.encode()).digest()[:8], "big", signed=True)
        self._key, self._connection = key, None
        if not model:
            raise StoreError("the address of a log in PostgreSQL ends with # and the name of the model")

    _connection: Any

    def open(self) -> None:
        """Connect, take the lock, and make the tables where there are none."""
        try:
            import psycopg
        except ImportError as error:
            raise MissingError("PostgreSQL needs psycopg: pip install 'regretless[postgres]'") from error
        self.close()
        self._error = psycopg.Error
        try:
            self._connection = psycopg.connect(self._url, autocommit=True, options=SETTINGS, **ALIVE)
            self._begin(self._connection)
        except psycopg.Error as error:
            self.close()
            raise StoreError(f"{self.name}: {_line(error)}") from error
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
            raise Held(f"{self.name}: {self._other(db, schema)} serves this model; stop that server first")
        db.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(schema))
        db.execute(sql.SQL("SET search_path TO {}").format(schema))
        db.execute(TABLES)
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
        except self._error:  # it is just about to write it
            row = None
        return "another process" if row is None else str(row[0])

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        if self._connection is None:
            raise StoreError(f"{self.name}: there is no connection")
        try:
            yield self._connection
        except self._error as error:
            raise StoreError(f"{self.name}: {_line(error)}") from error

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

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None


def _schema_of(model: str) -> str:
    """The schema of a model; PostgreSQL would cut a name that is too long, and two models could share one."""
    name = f"regretless_{model}"
    if len(name.encode()) <= LONGEST:
        return name
    return f"{name.encode()[: LONGEST - 17].decode(errors='ignore')}_{sha256(name.encode()).hexdigest()[:16]}"


def _own(statement: str) -> str:
    """A statement as psycopg writes it."""
    return statement.replace("?", "%s")


def _line(error: Exception) -> str:
    """What an error says, in one line."""
    return " ".join(str(error).split()) or type(error).__name__
