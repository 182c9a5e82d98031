"""What a model in production is after a restart, and after its log was played again."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from regretless.bandits import Exp3IX
from regretless.cli import main
from regretless.contextual import SquareCB
from regretless.errors import ModelError
from regretless.experts import Squint
from regretless.linear import AROW, AggregatedClassifier
from regretless.regression import AggregatedRegressor
from regretless.serve import durable
from regretless.serve.databases import store_of
from regretless.serve.replay import replay
from regretless.serve.settings import Settings
from regretless.serve.store import Held

from .asking import COLUMNS, Client, begun, rows, served

KINDS: dict[str, tuple[Any, dict[str, Any]]] = {
    "aggregated": (AggregatedClassifier, {"features": COLUMNS, "classes": ["no", "yes"]}),
    "three classes": (AROW, {"features": COLUMNS, "classes": [0, 1, 2]}),
    "numbers": (AggregatedRegressor, {"features": COLUMNS}),
    "experts": (lambda: Squint(n_experts=COLUMNS, value_range=(-5, 5)), {"experts": ["a", "b", "c", "d"]}),
    "bandit": (lambda: Exp3IX(n_arms=3, seed=5), {"arms": ["red", "green", "blue"]}),
    "contextual": (lambda: SquareCB(n_arms=3, seed=5), {"arms": ["red", "green", "blue"], "features": COLUMNS}),
}


def label_of(kind: str, row: list[float]) -> Any:
    """The label of a row."""
    if kind == "aggregated":
        return "yes" if row[0] + 0.3 * row[1] > 0 else "no"
    if kind == "three classes":
        return int(row[0] > 0) + int(row[1] > 0)
    return round(row[0], 2) if kind in ("numbers", "experts") else float(row[0] > 0)


async def traffic(client: Client, kind: str, begin: int, end: int) -> None:
    """Predictions, whose labels come later and out of order; some never."""
    some = rows(40, seed=3)
    for place in range(begin, end):
        request = {"id": f"r{place}", "input": None if kind == "bandit" else some[place]}
        assert (await client.ask("/v1/predict", request)).status == 200
        if place % 3 == 2:
            labels = [{"id": f"r{late}", "label": label_of(kind, some[late])} for late in (place, place - 2)]
            answer = await client.ask("/v1/label", {"labels": labels})
            assert answer.status == 200, answer.body


async def model(client: Client) -> bytes:
    """The bytes of the model as it stands."""
    return (await client.ask("/v1/model.rgl")).body


def test_a_model_that_was_served_before(tmp_path: Path) -> None:
    """The model file that a server gave begins a log of its own: what was counted of the other one is not counted."""
    path = begun(tmp_path, AROW(), {"features": COLUMNS, "classes": [0, 1]})

    async def labelled(client: Client) -> tuple[bytes, int, list[str]]:
        for row in rows(5):
            await client.ask("/v1/label", {"input": row, "label": int(row[0] > 0)})
        lines = [one["line"] for one in (await client.ask("/v1/certificate")).json["certificates"]]
        return await model(client), (await client.ask("/v1/history")).json["learnt"], lines

    first, learnt, _ = served(path, labelled)
    (tmp_path / "again.rgl").write_bytes(first)
    _, again, lines = served(tmp_path / "again.rgl", labelled)
    assert (learnt, again) == (5, 5)
    assert any("the model had learned 5 rounds before those of the log" in line for line in lines)


@pytest.mark.parametrize("kind", KINDS)
def test_a_restart_gives_the_same_bits(kind: str, tmp_path: Path) -> None:
    """A model that was stopped and begun again in the middle has the bytes of one that went on, and so has its log."""
    make, schema = KINDS[kind]
    whole, parts = begun(tmp_path, make(), schema, "whole"), begun(tmp_path, make(), schema, "parts")

    async def all_at_once(client: Client) -> bytes:
        await traffic(client, kind, 0, 40)
        return await model(client)

    async def first(client: Client) -> bytes:
        await traffic(client, kind, 0, 16)
        return await model(client)

    async def second(client: Client) -> bytes:
        again = await model(client)
        assert again == before
        await traffic(client, kind, 16, 40)
        return await model(client)

    replies = served(whole, all_at_once)
    before = served(parts, first)
    assert served(parts, second, Settings(snapshot_every=3)) == replies
    store = store_of(parts.with_suffix(".db"), writes=False)
    store.open()
    live, compared = replay(store)
    store.close()
    assert live.snapshot(0.0).model == replies
    assert len(compared) == 2
    assert all(one.same for one in compared)


def test_a_changed_log_is_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`replay` fails if a label in the log is not the one that was learned."""
    make, schema = KINDS["aggregated"]
    path = begun(tmp_path, make(), schema)
    served(path, lambda client: traffic(client, "aggregated", 0, 20))
    assert main(["replay", str(path.with_suffix(".db")), "--save", str(tmp_path / "again.rgl")]) == 0
    with sqlite3.connect(path.with_suffix(".db")) as db:
        db.execute("""UPDATE events SET label = '"no"' WHERE label = '"yes"'""")
    db.close()
    assert main(["replay", str(path.with_suffix(".db"))]) == 1
    message = capsys.readouterr().err
    assert "does not give the model that was served" in message
    assert "or an earlier version served it, which rounds otherwise" in message


def test_one_writer(tmp_path: Path) -> None:
    """A second server on the same log is refused, with the name of the first."""
    make, schema = KINDS["aggregated"]
    path = begun(tmp_path, make(), schema)
    store = store_of(path.with_suffix(".db"))
    store.open()
    with pytest.raises(Held, match=r"process \d+ on .* serves this model"):
        store_of(path.with_suffix(".db")).open()
    store.close()
    other = store_of(path.with_suffix(".db"))
    other.open()
    other.close()


def test_another_model(tmp_path: Path) -> None:
    """A log that began with another model is refused, and stays as it is."""
    make, schema = KINDS["aggregated"]
    path = begun(tmp_path, make(), schema)
    served(path, lambda client: traffic(client, "aggregated", 0, 3))
    begun(tmp_path, make(), schema | {"classes": [0, 1]})
    with pytest.raises(ModelError, match="began with another model"):
        served(path, model)


def test_labels_in_any_pieces(tmp_path: Path) -> None:
    """Labels that come one by one or by hundreds give the same bytes, also where the curve has been thinned."""
    some = rows(700, seed=9)
    requests = [{"id": f"{place}", "input": row} for place, row in enumerate(some)]
    labels = [{"id": f"{place}", "label": int(row[0] > 0)} for place, row in enumerate(some)]

    async def in_pieces(client: Client, size: int) -> bytes:
        assert (await client.ask("/v1/predict", {"rows": requests})).status == 200
        for begin in range(0, len(labels), size):
            assert (await client.ask("/v1/label", {"labels": labels[begin : begin + size]})).status == 200
        curve = (await client.ask("/v1/history")).json["curve"]["points"]
        assert [point[0] for point in curve] == list(range(2, 701, 2))
        return await model(client)

    schema = {"features": COLUMNS, "classes": [0, 1]}
    made = [served(begun(tmp_path, AROW(), schema, f"{size}"), partial(in_pieces, size=size)) for size in (7, 233, 700)]
    assert made[0] == made[1] == made[2]


@pytest.mark.parametrize("kind", ["aggregated", "bandit"])
def test_predictions_come_between_labels(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """While the labels of one request are learned, predictions are answered by some of them; the log played again gives
    the same model, and a request that comes meanwhile has its labels learned after them."""
    monkeypatch.setattr(durable, "FEW", 1)
    monkeypatch.setattr(durable, "SLICE", 0.0)  # one label at a time
    make, schema = KINDS[kind]
    some = rows(30, seed=3)
    sent = [None if kind == "bandit" else row for row in some]
    labels = [{"id": f"{place}", "label": label_of(kind, row)} for place, row in enumerate(some)]

    async def work(client: Client) -> tuple[list[int], list[int]]:
        requests = [{"id": f"{place}", "input": one} for place, one in enumerate(sent)]
        assert (await client.ask("/v1/predict", {"rows": requests})).status == 200
        (one,) = client.service.engines.values()
        first = asyncio.ensure_future(client.ask("/v1/label", {"labels": labels[:20]}))
        while not 0 < one.live.version < 20:
            await asyncio.sleep(0)
        second = asyncio.ensure_future(client.ask("/v1/label", {"labels": labels[20:]}))
        versions = []
        while not (first.done() and second.done()):
            versions.append((await client.ask("/v1/predict", {"input": sent[0]})).json["version"])
        places = [one["sequence"] for each in (first, second) for one in (await each).json["labels"]]
        return versions, places

    path = begun(tmp_path, make(), schema)
    versions, places = served(path, work)
    assert places == list(range(1, 31))
    assert any(0 < version < 20 for version in versions)
    assert main(["replay", str(path.with_suffix(".db"))]) == 0
    assert "the same bytes" in capsys.readouterr().out


def test_a_model_is_read_again_while_labels_are_learned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the model is read from the log while labels wait to be learned, their request is to come again, and finds
    them learned once."""
    monkeypatch.setattr(durable, "FEW", 1)
    monkeypatch.setattr(durable, "SLICE", 0.0)
    monkeypatch.setattr(durable, "AGAIN", 0.0)
    make, schema = KINDS["aggregated"]
    labels = {"labels": [{"id": f"{k}", "input": row, "label": "no"} for k, row in enumerate(rows(60))]}

    async def work(client: Client) -> Any:
        (one,) = client.service.engines.values()
        settle = one.live.settle
        monkeypatch.setattr(one.live, "settle", lambda events: (time.sleep(0.005), settle(events)))
        first = asyncio.ensure_future(client.ask("/v1/label", labels))
        while not one.live.version:
            await asyncio.sleep(0)
        one._fail("a fault")
        answer = await first
        while one.down is not None:
            await asyncio.sleep(0.001)
        return answer, (await client.ask("/v1/label", labels)).json["labels"], one.live.version

    first, again, version = served(begun(tmp_path, make(), schema), work)
    assert (first.status, first.headers["retry-after"]) == (503, "1")
    assert all(one["repeated"] for one in again)
    assert version == 60
