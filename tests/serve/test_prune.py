"""Logs whose beginning was forgotten."""

from __future__ import annotations

import itertools
import json
import os
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from regretless.cli import main
from regretless.errors import RegretlessError
from regretless.serve.databases import store_of
from regretless.serve.replay import prune, replay
from regretless.serve.settings import Settings
from regretless.serve.startup import open_model
from regretless.serve.store import Change

from .asking import Client, begun, rows, served
from .postgres_server import Postgres
from .test_restart import KINDS, label_of, model, traffic


def pruned(where: str | Path, before: float = 1e9 + 14.5) -> tuple[int, int]:
    """After which label a log begins now, and how many events it has."""
    store = store_of(where)
    store.open()
    begins = prune(store, before)
    assert prune(store, before) == begins
    ((count,),) = store.rows("SELECT count(*) FROM events")
    store.close()
    return begins, count


@pytest.mark.parametrize("kind", KINDS)
def test_a_pruned_log_goes_on(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """After a log was pruned in the middle, a server goes on from it with the bits of one that was not pruned, what
    waits for a label is there, and the log is played again from where it begins."""
    make, schema = KINDS[kind]
    some, now, entries = rows(40, seed=3), [1e9], []

    async def first(client: Client) -> None:
        for place in range(0, 24, 3):
            await traffic(client, kind, place, place + 3)
            now[0] += 3.0

    async def second(client: Client) -> tuple[bytes, list[int]]:
        codes = [
            (await client.ask("/v1/label", {"id": id, "label": label_of(kind, some[int(id[1:])])})).status
            for id in ("r1", "r0")
        ]
        await traffic(client, kind, 24, 40)
        return await model(client), codes

    for name in ("whole", "parts"):
        path, now[0] = begun(tmp_path, make(), schema, name), 1e9
        served(path, first, Settings(snapshot_every=5), clock=lambda: now[0])
        if name == "parts":
            assert pruned(path.with_suffix(".db")) == (10, 14)  # labels to 12 s, of 24 events
        entries.append(served(path, second, clock=lambda: now[0]))
        assert main(["replay", str(path.with_suffix(".db")), "--json"]) == 0
        record = json.loads(capsys.readouterr().out)
        assert record["begins_after"] == (10 if name == "parts" else 0)
        assert all(one["same"] for one in record["snapshots"])
    assert entries[0][0] == entries[1][0]
    assert [codes for _, codes in entries] == [[200, 200], [200, 404]]


def test_what_is_reported_of_a_pruned_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`replay --prune` says where the log begins; certificates that need the rows before do not apply, the server is
    started with the same model, and `--rows` which it does not read, and is refused another one."""
    make, schema = KINDS["three classes"]
    path = begun(tmp_path, make(), schema)
    served(path, lambda client: traffic(client, "three classes", 0, 24))
    assert main(["replay", str(path.with_suffix(".db")), "--prune", "60s"]) == 0
    assert "the log begins after 16 labels" in capsys.readouterr().out

    async def work(client: Client) -> Any:
        return (await client.ask("/v1/certificate")).json["certificates"], (await client.ask("/")).status

    certificates, status = served(path, work)
    assert status == 200
    assert any("the log was pruned: the rounds up to label 16" in str(one["why"]) for one in certificates)
    opened = open_model(path, path.with_suffix(".db"), Settings(), None, "nowhere.csv")
    opened.store.close()
    assert opened.note == (
        "--rows nowhere.csv is not read: the log was pruned, so that no certificate can be on the rows before it"
    )
    begun(tmp_path, make(), schema | {"classes": [0, 1, 3]})
    with pytest.raises(RegretlessError, match="began with another model"):
        served(path, work)


def test_no_file_helps_a_pruned_log(tmp_path: Path) -> None:
    """The certificates of a model that had learned rows before its log, which was pruned, name no option that would not
    help."""
    make, schema = KINDS["three classes"]

    async def work(client: Client) -> Any:
        await traffic(client, "three classes", 0, 24)
        return await model(client), (await client.ask("/v1/certificate")).json["certificates"]

    path = tmp_path / "m.rgl"
    path.write_bytes(served(begun(tmp_path, make(), schema, "first"), work)[0])
    assert any("--rows" in str(one["why"]) for one in served(path, work)[1])
    assert pruned(path.with_suffix(".db"))[0] > 0
    certificate = served(path, lambda client: client.ask("/v1/certificate")).json
    reasons = [str(one["why"]) for one in certificate["certificates"]]
    assert any("the log was pruned" in why for why in reasons)
    assert not any("--rows" in why for why in reasons)


def test_what_is_not_pruned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log that does not give its snapshots is not pruned, nor one that a server holds, nor what is younger."""
    make, schema = KINDS["aggregated"]
    path = begun(tmp_path, make(), schema)
    log = path.with_suffix(".db")
    served(path, lambda client: traffic(client, "aggregated", 0, 12))
    assert pruned(log, 1e9 - 1) == (0, 12)
    store = store_of(log)
    store.open()
    with monkeypatch.context() as patch:
        patch.setattr("regretless.serve.replay.replay", None)  # the lock comes first
        assert main(["replay", str(log), "--prune", "1s"]) == 1
    assert "serves this model; stop that server first" in capsys.readouterr().err
    store.close()
    assert main(["replay", str(tmp_path / "none.db"), "--prune", "1s"]) == 1
    assert not list(tmp_path.glob("none*"))
    with sqlite3.connect(log) as db:
        db.execute("""UPDATE events SET label = '"no"' WHERE label = '"yes"'""")
    db.close()
    assert main(["replay", str(log), "--prune", "1s"]) == 1
    assert pruned(log, 1e9 - 1) == (0, 12)


def prune_until(log: Path, statement: int) -> None:
    """Prune in a process that is killed once it has executed so many statements."""
    child = os.fork()
    if child:
        assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
        return
    try:
        store, done = store_of(log), itertools.count(1)
        begin = store.transaction

        @contextmanager
        def transaction() -> Iterator[Change]:
            with begin() as change:

                def counted(text: str, rows: Any) -> int:
                    number = change(text, rows)
                    if next(done) == statement:
                        os.kill(os.getpid(), signal.SIGKILL)
                    return number

                yield counted

        store.transaction = transaction  # type: ignore[method-assign]
        store.open()
        prune(store, 2e9)
    finally:
        os._exit(0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_killed_prune_leaves_the_log_whole(tmp_path: Path) -> None:
    """Killed after any of its four statements, it has forgotten nothing, and can be done again."""
    make, schema = KINDS["three classes"]
    path = begun(tmp_path, make(), schema)
    log = path.with_suffix(".db")
    served(path, lambda client: traffic(client, "three classes", 0, 12), clock=lambda: 1e9)

    def state() -> tuple[Any, ...]:
        store = store_of(log, writes=False)
        store.open()
        counts = [store.rows(f"SELECT count(*) FROM {table}") for table in ("events", "snapshots", "origin")]
        begins, (live, compared) = store.begins_after(), replay(store)
        store.close()
        return counts, begins, live.snapshot(0.0), compared

    whole = state()
    for statement in (1, 2, 3, 4):
        prune_until(log, statement)
        assert state() == whole
    assert pruned(log, 2e9)[0] == whole[2].version > 0


def test_a_pruned_log_on_postgres(tmp_path: Path, postgres: Postgres, capsys: pytest.CaptureFixture[str]) -> None:
    """The same in PostgreSQL: a server goes on from a pruned log, with all numbers after those that were forgotten."""
    make, schema = KINDS["bandit"]
    path, where = begun(tmp_path, make(), schema), f"{postgres.url}#pruned"
    served(path, lambda client: traffic(client, "bandit", 0, 12), where=where)
    assert pruned(where, 2e9) == (8, 4)
    served(path, lambda client: traffic(client, "bandit", 12, 24), where=where)
    assert main(["replay", where]) == 0
