"""What goes wrong around a server: each time a clear answer, a server that lives, and nothing lost."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from dataclasses import replace
from io import StringIO
from pathlib import Path
from threading import Event as Flag
from typing import Any

import pytest

from regretless.bandits import Exp3IX
from regretless.linear import AROW
from regretless.serve import durable, engine
from regretless.serve.access import AccessTokens
from regretless.serve.databases import SqliteStore, store_of
from regretless.serve.live import Live
from regretless.serve.logs import ServiceLog
from regretless.serve.replay import replay
from regretless.serve.server import Service
from regretless.serve.settings import Settings
from regretless.serve.startup import open_model
from regretless.serve.store import BY_NUMBER, Event, Held, StoreError
from regretless.serve.store_thread import StoreThread

from .asking import COLUMNS, PATIENCE, Client, Process, begun, served, until
from .postgres_server import Postgres

ROW = [0.5, -1.0, 2.0, 0.25]
IDLE = 10_000 if os.environ.get("HYPOTHESIS_PROFILE") == "soak" else 300  # connections


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A model of two classes that has learned nothing."""
    return begun(tmp_path, AROW(), {"features": COLUMNS, "classes": [0, 1]})


async def until_ready(client: Client) -> None:
    """Wait until requests are served again."""
    async with asyncio.timeout(PATIENCE):
        while (await client.ask("/readyz")).status != 200:
            await asyncio.sleep(0.02)


def acknowledged(where: str | Path) -> tuple[set[str], int, int]:
    """The ids in a log, and how many predictions and labels it has; played again it gives what was served."""
    store = store_of(where, writes=False)
    store.open()
    events = store.read(BY_NUMBER, 0, 10_000)
    live, compared = replay(store)
    store.close()
    assert all(one.same for one in compared)
    return {event.id for event in events}, live.number, live.version


@pytest.mark.parametrize("kind", ["rows", "bandit"])
def test_the_disk_is_full(kind: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While nothing can be written, requests are 503 with Retry-After; then it goes on, with all that was acknowledged
    and nothing else."""
    monkeypatch.setattr(durable, "AGAIN", 0.02)
    pages = [2**30]
    connect = SqliteStore._connect

    def limited(store: SqliteStore) -> None:
        connect(store)
        assert store._connection is not None
        store._connection.execute(f"PRAGMA max_page_count = {pages[0]}")

    monkeypatch.setattr(SqliteStore, "_connect", limited)
    if kind == "bandit":
        path = begun(path.parent, Exp3IX(n_arms=2, seed=0), {"arms": 2}, "bandit")
    sent = ROW if kind == "rows" else None

    async def work(client: Client) -> tuple[set[str], bytes]:
        (one,) = client.service.engines.values()
        store: Any = one._thread.store
        pages[0] = store._connection.execute("PRAGMA page_count").fetchone()[0] + 4
        await one._thread.call(lambda: store._connection.execute(f"PRAGMA max_page_count = {pages[0]}"))
        stored, full = set(), None
        for place in range(400):
            answer = await client.ask("/v1/predict", {"id": f"{place}", "input": sent})
            if answer.status != 200:
                full = answer
                break
            stored.add(f"{place}")
        assert full is not None
        assert (full.status, full.headers["retry-after"]) == (503, "5")
        assert "full" in full.json["error"]
        assert (await client.ask("/healthz")).status == 200
        assert (await client.ask("/readyz")).status == 503
        assert (await client.ask("/v1/label", {"id": "0", "label": 1})).status == 503
        pages[0] = 2**30
        await until_ready(client)
        assert (await client.ask("/v1/label", {"id": "0", "label": 1})).status == 200
        assert (await client.ask("/v1/predict", {"id": "after", "input": sent})).status == 200
        return stored | {"after"}, (await client.ask("/v1/model.rgl")).body

    stored, _ = served(path, work)
    ids, predictions, labels = acknowledged(path.with_suffix(".db"))
    assert ids == stored
    assert (predictions, labels) == (len(stored), 1)


def test_the_database_is_gone(path: Path, postgres: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    """While PostgreSQL is stopped, requests are 503; when it is there again, the server goes on by itself."""
    monkeypatch.setattr(durable, "AGAIN", 0.05)
    where = f"{postgres.url}#gone"

    async def work(client: Client) -> None:
        assert (await client.ask("/v1/predict", {"id": "a", "input": ROW})).status == 200
        await asyncio.to_thread(postgres.stop)
        answers = [await client.ask("/v1/predict", {"id": f"b{place}", "input": ROW}) for place in range(3)]
        assert [one.status for one in answers] == [503, 503, 503]
        assert "retry-after" in answers[-1].headers
        await asyncio.sleep(0.2)
        assert (await client.ask("/readyz")).status == 503
        await asyncio.to_thread(postgres.start)
        await until_ready(client)
        assert (await client.ask("/v1/label", {"id": "a", "label": 1})).status == 200
        assert (await client.ask("/v1/predict", {"id": "b0", "input": ROW})).status == 200

    served(path, work, where=where)
    assert acknowledged(where) == ({"a", "b0"}, 2, 1)


def test_a_lock_that_is_lost(postgres: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two servers on PostgreSQL the second is refused with the name of the first; one whose session has ended writes
    nothing more once another holds the lock."""
    monkeypatch.setattr("regretless.serve.databases.PATIENCE", 0.1)
    where = f"{postgres.url}#lock"
    first, second = store_of(where), store_of(where)
    first.open()
    with pytest.raises(Held, match=r"process \d+ on .* serves this model"):
        second.open()
    assert first._connection is not None  # type: ignore[attr-defined]
    first._connection.close()  # type: ignore[attr-defined]
    second.open()
    event = Event(1, "a", 0.0, b"{}", b"{}", None, None, 0)
    with pytest.raises(StoreError):
        first.commit([event], [])
    with pytest.raises(Held):
        first.open()
    second.commit([event], [])
    assert second.ends() == (1, 0, 0.0)
    second.close()
    first.open()
    first.close()


@pytest.mark.parametrize("where", ["sqlite", "postgres"])
def test_all_or_nothing(where: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """A transaction with an id that is there, or a label for an event that has one, leaves nothing behind."""
    postgres = request.getfixturevalue("postgres") if where == "postgres" else None
    store = store_of(tmp_path / "m.db" if postgres is None else f"{postgres.url}#all")
    store.open()
    one, two, three = (Event(place, f"{place}", 1.0, b"{}", b"{}", None, None, 0) for place in (1, 2, 3))
    settled = replace(one, state="learnt", label="1", sequence=1, settled=2.0)
    store.commit([one], [])
    with pytest.raises(StoreError):
        store.commit([two, replace(three, id="1")], [settled])
    assert (store.ends(), store.pending()) == ((1, 0, 1.0), (1, 1.0))
    store.commit([two], [settled])
    with pytest.raises(StoreError, match="still waited"):
        store.commit([three], [settled])
    assert (store.ends(), store.pending()) == ((2, 1, 2.0), (1, 1.0))
    assert store.find(["1", "2", "3"]) == {"1": settled, "2": two}
    store.refuse([1])
    assert store.find(["1"])["1"].state == "refused"
    store.close()


@pytest.mark.parametrize(("waits", "ids"), [("commit", [None] * 8), ("find", list("abcdefgh")), ("find", ["a"] * 8)])
def test_the_queue_is_full(waits: str, ids: list[str], path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the rows that may wait, for the disk or for their ids, requests are 503 at once and the others are
    answered."""
    free = Flag()
    whole = getattr(SqliteStore, waits)
    monkeypatch.setattr(SqliteStore, waits, lambda store, *rest: (free.wait(PATIENCE), whole(store, *rest))[1])

    async def work(client: Client) -> list[int]:
        bodies = [{"input": ROW} | ({} if id is None else {"id": id}) for id in ids]
        answers = [asyncio.ensure_future(client.ask("/v1/predict", body)) for body in bodies]
        await asyncio.sleep(0.05)
        free.set()
        return sorted(one.status for one in await asyncio.gather(*answers))

    assert served(path, work, Settings(queue=5)) == [200] * 5 + [503] * 3


def test_a_label_that_cannot_be_learned(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A label that the learner refuses after it was written down is said to be so, and keeps its place in the order."""
    huge = [1e150] * COLUMNS  # which can be scored

    async def work(client: Client) -> list[Any]:
        request = {"rows": [{"id": id, "input": row} for id, row in (("a", ROW), ("b", huge), ("c", ROW))]}
        assert (await client.ask("/v1/predict", request)).status == 200
        labels = {"labels": [{"id": id, "label": 1} for id in "abc"]}
        first = (await client.ask("/v1/label", labels)).json["labels"]
        again = (await client.ask("/v1/label", labels)).json["labels"]
        return [[(one.get("sequence"), one.get("code"), one["status"]) for one in some] for some in (first, again)]

    first, again = served(path, work)
    assert first == [(1, None, "learnt"), (2, 422, "error"), (3, None, "learnt")]
    assert again == [(1, None, "learnt"), (2, None, "refused"), (3, None, "learnt")]
    assert acknowledged(path.with_suffix(".db")) == ({"a", "b", "c"}, 3, 3)


@pytest.mark.parametrize("kind", ["rows", "bandit"])
def test_a_fault_of_our_own(kind: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After an error within a prediction or a label the model is built again from the log, which has what was written
    down and nothing else."""
    monkeypatch.setattr(durable, "AGAIN", 0.01)
    if kind == "bandit":
        path = begun(path.parent, Exp3IX(n_arms=2, seed=0), {"arms": 2}, "bandit")
    sent = ROW if kind == "rows" else None

    async def work(client: Client) -> list[int]:
        (one,) = client.service.engines.values()
        requests = [("/v1/predict", {"id": id, "input": sent}) for id in "abc"]
        codes = [(await client.ask(*requests[0])).status]
        for name in ("predict", "learn"):
            whole = getattr(one.live.served, name)

            def half(rounds: Any, whole: Any = whole) -> Any:
                whole(rounds)
                raise ArithmeticError("a fault")

            monkeypatch.setattr(one.live.served, name, half)
            codes.append((await client.ask(*requests[1])).status)
            monkeypatch.undo()
            monkeypatch.setattr(durable, "AGAIN", 0.01)
            requests[1] = ("/v1/label", {"id": "a", "label": 1})
            await until_ready(client)
        codes.append((await client.ask("/v1/label", {"id": "a", "label": 1})).status)
        codes.append((await client.ask(*requests[2])).status)
        return codes

    assert served(path, work) == [200, 500, 500, 200, 200]
    assert acknowledged(path.with_suffix(".db")) == ({"a", "c"}, 2, 1)


def test_a_fault_at_the_second_label(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error at the second label of a request leaves no place of the order empty."""

    async def work(client: Client) -> list[int]:
        (one,) = client.service.engines.values()
        assert (await client.ask("/v1/predict", {"rows": [{"id": id, "input": ROW} for id in "ab"]})).status == 200
        labels = [{"id": "a", "label": 1}, {"input": ROW, "label": 1}, {"id": "b", "label": 1}]
        whole, many = one.live.served.read_label, [0]

        def faulty(label: Any, event: Event) -> Any:
            many[0] += 1
            return whole(label, event) if many[0] < 3 else 1 // 0

        monkeypatch.setattr(one.live.served, "read_label", faulty)
        codes = [(await client.ask("/v1/label", {"labels": labels})).status]
        monkeypatch.undo()
        codes.append((await client.ask("/v1/label", {"labels": labels})).status)
        return codes

    assert served(path, work) == [500, 200]
    assert acknowledged(path.with_suffix(".db"))[1:] == (3, 3)


def test_no_gap_is_written(tmp_path: Path) -> None:
    """Labels that do not follow on the last one of the log are refused before they are written."""
    store = store_of(tmp_path / "m.db")
    store.open()
    one = Event(1, "a", 1.0, b"{}", b"{}", None, None, 0)

    async def work() -> None:
        thread = StoreThread(store)
        try:
            with pytest.raises(StoreError, match="do not follow on label 0"):
                await thread.write([one], [replace(one, state="learnt", label="1", sequence=2)], lambda: None)
        finally:
            await thread.stop()

    asyncio.run(work())
    assert store.ends() == (0, 0, 0.0)
    store.close()


def test_a_fault_while_the_log_is_read_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database that fails while what waits is counted is asked again."""
    monkeypatch.setattr(durable, "AGAIN", 0.01)

    async def work(client: Client) -> None:
        (one,) = client.service.engines.values()
        for name in ("commit", "pending"):
            whole = getattr(SqliteStore, name)

            def once(store: SqliteStore, *rest: Any, name: str = name, whole: Any = whole) -> Any:
                monkeypatch.setattr(SqliteStore, name, whole)
                raise StoreError("gone")

            monkeypatch.setattr(SqliteStore, name, once)
        assert (await client.ask("/v1/predict", {"id": "a", "input": ROW})).status == 503
        await until_ready(client)
        assert (await client.ask("/v1/predict", {"id": "a", "input": ROW})).status == 200
        assert one.outstanding == 1

    served(path, work)


def test_a_kill_before_a_label_is_marked(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A label that was refused stands as such in the log after the next start, though the server was killed before it
    wrote that down."""

    async def labelled(client: Client) -> Any:
        await client.ask("/v1/predict", {"id": "a", "input": [1e150] * COLUMNS})
        return (await client.ask("/v1/label", {"id": "a", "label": 1})).json.get("status")

    monkeypatch.setattr(SqliteStore, "refuse", lambda *_: None)
    monkeypatch.setattr(engine.ModelEngine, "_snapshot", lambda _: asyncio.sleep(0))  # as a kill leaves it
    assert served(path, labelled) == 422
    monkeypatch.undo()
    assert served(path, labelled) == "refused"


@pytest.mark.parametrize("folder", [True, False])
def test_a_snapshot_that_fails(folder: bool, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A snapshot needs no temporary file; where it fails all the same, labels are learned."""

    def fail(*_: object) -> Any:
        raise OSError("no room")

    async def work(client: Client) -> list[int]:
        if folder:
            monkeypatch.setattr("tempfile.mkdtemp", fail)
        else:
            monkeypatch.setattr(Live, "snapshot", fail)
        codes = [(await client.ask("/v1/label", {"input": ROW, "label": 1})).status for _ in range(3)]
        (one,) = client.service.engines.values()
        assert one.down is None
        monkeypatch.undo()
        return codes

    assert served(path, work, Settings(snapshot_every=1)) == [200] * 3
    assert acknowledged(path.with_suffix(".db"))[1:] == (3, 3)
    store = store_of(path.with_suffix(".db"), writes=False)
    store.open()
    assert (len(store.snapshots()) > 2) is folder
    store.close()


def test_long_names_in_postgres(postgres: Postgres) -> None:
    """Two models whose names differ only after the 63 bytes of PostgreSQL have a log each, and a lock each."""
    stores = [store_of(f"{postgres.url}#{'m' * 70}{last}") for last in "ab"]
    for store in stores:
        store.open()
    stores[0].commit([Event(1, "a", 0.0, b"{}", b"{}", None, None, 0)], [])
    assert [store.ends()[0] for store in stores] == [1, 0]
    for store in stores:
        store.close()


def test_a_fault_while_looking_for_what_expires(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of any kind in one look for what is to be given up leaves the next one."""
    monkeypatch.setattr(engine, "EXPIRY", 0.01)
    now, expire, many = [1e9], engine.ModelEngine.expire, [0]

    async def faulty(one: engine.ModelEngine, limit: int = 500) -> int:
        many[0] += 1
        return 1 // 0 if many[0] == 1 else await expire(one, limit)

    monkeypatch.setattr(engine.ModelEngine, "expire", faulty)

    async def work(client: Client) -> int:
        (one,) = client.service.engines.values()
        await client.ask("/v1/predict", {"id": "a", "input": ROW})
        now[0] += 100
        await until(lambda: not one.outstanding)
        return one.outstanding

    assert served(path, work, Settings(expire=10.0), clock=lambda: now[0]) == 0


def test_a_store_that_cannot_be_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model whose database fails at the end leaves those of the other models to be closed, and their locks free."""
    opened = {}
    for name in "ab":
        path = begun(tmp_path, AROW(), {"features": COLUMNS, "classes": [0, 1]}, name)
        opened[name] = open_model(path, path.with_suffix(".db"), Settings())
    close = SqliteStore.close

    def fail(store: SqliteStore) -> None:
        close(store)
        if "a.db" in store.name:
            raise OSError("gone")

    monkeypatch.setattr(SqliteStore, "close", fail)

    async def work() -> None:
        async with Service(opened, Settings(), AccessTokens({}), ServiceLog(StringIO())):
            pass

    with pytest.raises(OSError, match="gone"):
        asyncio.run(work())
    again = store_of(tmp_path / "b.db")
    again.open()
    again.close()


def test_the_oldest_that_waits(path: Path) -> None:
    """When the oldest prediction gets its label, the age of the next one is reported; when none waits, none."""
    now = iter(range(1, 1000))

    async def work(client: Client) -> list[Any]:
        ages = []
        for id in "abc":
            await client.ask("/v1/predict", {"id": id, "input": ROW})
        (one,) = client.service.engines.values()
        stored = {id: event.time for id, event in (await one._thread.find(list("abc"))).items()}
        for id, oldest in (("b", "a"), ("a", "c"), ("c", None)):
            await client.ask("/v1/label", {"id": id, "label": 1})
            expected = stored.get(oldest or "")
            await until(lambda expected=expected: one.oldest == expected)
            ages.append(((await client.ask("/v1/model")).json["oldest_pending"], expected))
        return ages

    ages = served(path, work, clock=lambda: float(next(now)))
    assert [observed for observed, _ in ages] == [expected for _, expected in ages]


def test_a_server_among_strangers(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Idle connections, halves of requests, a body of a gigabyte and a second server leave a server as it was; on
    SIGTERM it ends well, and tells systemd of its beginning and its end."""
    pytest.importorskip("uvicorn", reason="uvicorn is not installed: pip install 'regretless[serve]'")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notified:
        notified.bind(str(tmp_path / "notify"))
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        server = Process(path, "--max-body", "64k", "--allow-host", "Here.example")
        assert notified.recv(100) == b"READY=1"
        port = int(server.url.rpartition(":")[2])
        open_ones = [socket.create_connection(("127.0.0.1", port)) for _ in range(IDLE)]
        for half in open_ones[:50]:
            half.sendall(b"POST /v1/predict HTTP/1.1\r\nhost: localhost\r\ncontent-length: 50\r\n\r\n{")
        assert _answer_to_much(port, b"content-length: 1073741824") == 413
        assert _answer_to_much(port, b"transfer-encoding: chunked") == 413
        assert server.ask("/v1/predict", {"id": "a", "input": ROW}).status == 200
        command = [sys.executable, "-m", "regretless", "serve", str(path), "--port", "0"]
        second = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        assert second.returncode == 1
        assert "serves this model; stop that server first" in second.stderr
        for one in open_ones:
            one.close()
        assert server.stop() == 0
        assert notified.recv(100) == b"STOPPING=1"
    events = [json.loads(line)["event"] for line in server.said]
    assert events[0] == "serving"
    assert events[-1] == "stopped"
    assert acknowledged(path.with_suffix(".db")) == ({"a"}, 1, 0)


def _answer_to_much(port: int, header: bytes) -> int:
    """The status that a body of a gigabyte is answered; no more of it is read then."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as one:
        head = (
            b"POST /v1/predict HTTP/1.1\r\nhost: here.example\r\ncontent-type: application/json\r\n"
            + header
            + b"\r\n\r\n"
        )
        chunk = b"10000\r\n" + b" " * 2**16 + b"\r\n"
        one.sendall(head)
        sent = 0
        try:
            while sent < 2**26:  # of what was said to be a gigabyte
                one.sendall(chunk)
                sent += len(chunk)
        except OSError:  # it is closed
            pass
        status = int(one.recv(100).split()[1])
        assert sent < 2**26, "all of it was read"
        return status
