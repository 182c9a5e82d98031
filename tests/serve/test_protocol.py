"""What is answered to what is asked."""

from __future__ import annotations

import asyncio
import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from regretless.bandits import Exp3IX
from regretless.linear import AggregatedClassifier
from regretless.persist.model import write
from regretless.serve.access import AccessTokens
from regretless.serve.settings import Settings
from regretless.serve.views import document

from ..command_line import quietly
from .asking import COLUMNS, Answered, Client, begun, rows, served

ROW = [0.5, -1.0, 2.0, 0.25]
LINES = {"content-type": "application/x-ndjson"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A model of two classes that has learned nothing."""
    return begun(tmp_path, AggregatedClassifier(), {"features": COLUMNS, "classes": ["no", "yes"]})


def statuses(path: Path, *args: tuple[str, Any], **more: Any) -> list[Answered]:
    """The answers to several bodies, one after the other."""

    async def work(client: Client) -> list[Answered]:
        return [await client.ask(f"/v1/{verb}", body, **more.get("sent", {})) for verb, body in args]

    answers: list[Answered] = served(path, work, more.get("settings"), tokens=more.get("tokens"))
    return answers


def test_the_very_same_bytes(path: Path) -> None:
    """A prediction that is asked again is answered the same bytes, though the model has learned since."""
    one = {"id": "a", "input": ROW}
    first, other, label, again, conflict = statuses(
        path,
        ("predict", one),
        ("predict", {"id": "b", "input": ROW}),
        ("label", {"id": "b", "label": "yes"}),
        ("predict", one),
        ("predict", {"id": "a", "input": [0.0] * COLUMNS}),
    )
    assert (first.status, other.status, label.status) == (200, 200, 200)
    assert again.body == first.body
    assert first.json == {"id": "a", "label": "yes", "probabilities": {"no": 0.5, "yes": 0.5}, "version": 0}
    assert conflict.status == 409


def test_labels(path: Path) -> None:
    """A repeated label is 200 and learned once; another one is 409, an unknown id 404, no label of the model 422."""
    answers = statuses(
        path,
        ("predict", {"id": "a", "input": ROW}),
        ("label", {"id": "a", "label": "maybe"}),
        ("label", {"id": "a", "label": "yes"}),
        ("label", {"id": "a", "label": "yes"}),
        ("label", {"id": "a", "label": "no"}),
        ("label", {"id": "b", "label": "no"}),
        ("label", {"labels": [{"id": "a", "label": "yes"}, {"id": "b", "label": "no"}]}),
    )
    assert [one.status for one in answers] == [200, 422, 200, 200, 409, 404, 207]
    assert answers[2].json == {"id": "a", "status": "learnt", "sequence": 1}
    assert answers[3].json == {"id": "a", "status": "learnt", "sequence": 1, "repeated": True}
    assert [one.get("code") for one in answers[6].json["labels"]] == [None, 404]


@pytest.mark.parametrize(
    ("sent", "fault"),
    [
        ({"Amount": 280, "country": "FI"}, "no column 'Amount'; did you mean amount? it learned from"),
        ({"amount": 280, "fraud": "no"}, "no column 'fraud'"),
        ({"amount": 280, "country=FI": 1}, None),
        ({"amount": 280, "country": "SE"}, None),
        ({"amount": 280, "country": "SE", "day": "2026-11-26"}, None),
    ],
)
def test_unknown_columns(tmp_path: Path, sent: dict[str, Any], fault: str | None) -> None:
    """A name that is no column is 422 unless every column is there; features have names too."""
    columns = {"amount": "number", "country": "text"}
    table = begun(tmp_path, AggregatedClassifier(), {"columns": columns, "classes": ["no", "yes"]})
    (answer,) = statuses(table, ("predict", {"input": sent}))
    assert answer.status == (200 if fault is None else 422)
    assert fault is None or fault in answer.json["error"]


def test_what_is_passed_over_is_not_learned(tmp_path: Path) -> None:
    """A whole record with a name that the model does not know leaves the same model as without it."""
    columns = {"amount": "number", "country": "text"}

    async def work(client: Client, more: dict[str, str]) -> bytes:
        for place, country in enumerate(("FI", "SE", "NO")):
            row = {"amount": place, "country": country, **more}
            assert (await client.ask("/v1/predict", {"id": country, "input": row})).status == 200
            assert (await client.ask("/v1/label", {"id": country, "label": "yes"})).status == 200
        return (await client.ask("/v1/model.rgl")).body

    models = []
    for name, more in (("a", {}), ("b", {"day": "2026-11-26"})):
        (tmp_path / name).mkdir()
        path = begun(tmp_path / name, AggregatedClassifier(), {"columns": columns, "classes": ["no", "yes"]})
        models.append(served(path, partial(work, more=more)))
    assert models[0] == models[1]


def test_the_target_as_a_column(tmp_path: Path) -> None:
    """A row that has the target among its columns is 422, and the answer says that this is the label."""
    learner = AggregatedClassifier()
    learner.announce(np.array(["no", "yes"]), 1)
    columns = [{"name": "amount", "kind": "number"}]
    schema = {"format": "table", "target": "fraud", "target_kind": "text", "missing": "error", "columns": columns}
    write(tmp_path / "m.rgl", learner, {"schema": {**schema, "features": [[0, None]], "hash": None, "sparse": False}})
    (answer,) = statuses(tmp_path / "m.rgl", ("predict", {"input": {"amount": 1, "fraud": "no"}}))
    assert answer.status == 422
    assert "'fraud' is the target" in answer.json["error"]


def test_a_list_of_numbers_for_a_table_with_words_is_sent_to_names(tmp_path: Path) -> None:
    """As many numbers as the table has columns are refused, with the reason that each word is a number of its own."""
    (tmp_path / "t.csv").write_text("size,town,y\n1,Rome,a\n2,Oslo,b\n3,Bari,a\n")
    assert quietly("learn", tmp_path / "t.csv", "--learner", "arow", "--save", tmp_path / "m.rgl") == 0
    (answer,) = statuses(tmp_path / "m.rgl", ("predict", {"input": [1, 2]}))
    message = "a row of 4 numbers is expected; 2 were found; 2 columns have these, one for each word: send an object"
    assert answer.status == 422
    assert message in answer.json["error"]


def test_the_bad_row_of_several(path: Path) -> None:
    """Of several rows the answer names the one that cannot be predicted, and of lines the line, counting empty ones."""
    good, short = {"id": "a", "input": ROW}, {"input": ROW[1:]}
    lines = b"\n\n".join(json.dumps(one).encode() for one in (good, short))
    (of_rows,) = statuses(path, ("predict", {"rows": [good, {"input": ROW}, short]}))
    (of_lines,) = statuses(path, ("predict", lines), sent={"headers": LINES})
    (of_labels,) = statuses(path, ("label", {"labels": [{"id": "a", "label": "no"}, {"id": "b"}]}))
    (alone,) = statuses(path, ("predict", short))
    assert of_rows.json == {"error": "row 3: a row of 4 numbers is expected; 3 were found", "status": 422}
    assert of_lines.json["error"].startswith("line 3: a row of 4 numbers")
    assert of_labels.json["error"] == "row 2: label is missing"
    assert alone.json["error"].startswith("a row of 4 numbers")


def test_duplicates_at_once(path: Path) -> None:
    """Of twenty requests with one id that come at once, each is answered the same, and one label is learned."""

    async def work(client: Client) -> tuple[set[bytes], list[int], Any]:
        answers = [client.ask("/v1/predict", {"id": "a", "input": ROW}) for _ in range(20)]
        bodies = {one.body for one in await asyncio.gather(*answers)}
        labels = [client.ask("/v1/label", {"id": "a", "label": word}) for word in ["yes"] * 10 + ["no"] * 10]
        codes = [one.status for one in await asyncio.gather(*labels)]
        return bodies, codes, (await client.ask("/v1/model")).json

    bodies, codes, model = served(path, work)
    assert len(bodies) == 1
    assert sorted(codes) == [200] * 10 + [409] * 10
    assert (model["version"], model["rounds"], model["pending"]) == (1, 1, 0)


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b'{"input": [1, 2, 3, NaN]}', 400, "NaN"),
        (b'{"input": [1, 2, 3, 1e999]}', 422, "finite"),
        (b'{"input": [1, 2, 3, 1' + b"0" * 400 + b"]}", 422, "finite"),
        (b'{"input": [1, 2, 3, "4"]}', 422, "numbers"),
        (b'{"input": [1, 2, 3, true]}', 422, "numbers"),
        (b'{"input": [1, 2, 3]}', 422, "4 numbers"),
        (b'{"input": {"a": 1}}', 422, "names"),
        (b'{"input": [1, 2, 3, 4], "input": [1, 2, 3, 5]}', 400, "twice"),
        (b'{"input": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", 400, "nested"),
        (b"\xff\xfe", 400, "UTF-8"),
        (b"{", 400, "not JSON"),
        (b"[]", 400, "object"),
        (b'{"rows": []}', 400, "no rows"),
        (b'{"rows": 3}', 400, "list"),
        (b'{"input": [1, 2, 3, 4], "id": 7}', 400, "id is a text"),
        (b'{"input": [1, 2, 3, 4], "id": "\\ud800"}', 400, "surrogate"),
        (b'{"rows": [{"input": [1, 2, 3, 4], "id": "a"}, {"input": [1, 2, 3, 4], "id": "a"}]}', 400, "twice"),
    ],
)
def test_hostile_bodies(path: Path, body: bytes, status: int, words: str) -> None:
    """What is no row is answered with what was expected, and the model stays as it is."""
    bad, good = statuses(path, ("predict", body), ("predict", {"input": ROW}))
    assert (bad.status, good.status) == (status, 200)
    assert words in bad.json["error"]
    assert good.json["probabilities"]["yes"] == 0.5


def test_limits(path: Path) -> None:
    """A body, a number of rows or a wait beyond the limit is refused with 413 or 408, and closes the connection."""
    settings = Settings(body=2000, rows=3)

    async def work(client: Client) -> list[Answered]:
        many = {"rows": [{"input": ROW}] * 4}
        return [
            await client.ask("/v1/predict", many),
            await client.ask("/v1/predict", b"".join(b'{"input":[1,2,3,4]}\n' for _ in range(4)), headers=LINES),
            await client.ask("/v1/predict", {"input": ROW}, headers={"content-length": str(2**30)}),
            await client.ask("/v1/predict", parts=[b" " * 1500] * 3),
            await client.ask("/v1/predict", parts=[b"", b""]),
        ]

    async def half(client: Client) -> Answered:
        scope: dict[str, Any] = {"type": "http", "method": "POST", "path": "/v1/predict"}
        scope["headers"] = [(b"content-type", b"application/json")]
        parts = [{"type": "http.request", "body": b"{", "more_body": True}]
        out: list[Any] = []

        async def receive() -> Any:
            return parts.pop() if parts else await asyncio.Event().wait()

        async def send(message: Any) -> None:
            out.append(message)

        await client.app(scope, receive, send)
        return Answered(out[0]["status"], dict(out[0]["headers"]), out[1]["body"])

    assert [one.status for one in served(path, work, settings)] == [413, 413, 413, 413, 400]
    late = served(path, half, Settings(body_seconds=0.05))
    assert late.status == 408
    assert late.headers[b"connection"] == b"close"  # type: ignore[index]


def test_formats(path: Path) -> None:
    """NDJSON and Arrow are read as JSON is, and NDJSON is answered line by line."""
    table = pa.table({"id": ["x", "y"], "f1": [0.5, 1.0]})
    named = {"content-type": "application/vnd.apache.arrow.stream"}
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    arrow = sink.getvalue().to_pybytes()

    async def work(client: Client) -> list[Answered]:
        lines = b'{"id":"a","input":[1,2,3,4]}\n\n{"id":"b","input":[1,2,3,5]}\n'
        return [
            await client.ask("/v1/predict", lines, headers=LINES),
            await client.ask("/v1/label", b'{"id":"a","label":"no"}\n{"id":"b","label":"no"}\n', headers=LINES),
            await client.ask("/v1/predict", arrow, headers=named),
            await client.ask("/v1/predict", arrow[:40], headers=named),
            await client.ask("/v1/predict", b"input=1", headers={"content-type": "application/x-www-form-urlencoded"}),
        ]

    first, label, _, cut, form = served(path, work)
    assert [json.loads(line)["id"] for line in first.body.splitlines()] == ["a", "b"]
    assert [json.loads(line)["sequence"] for line in label.body.splitlines()] == [1, 2]
    assert (cut.status, form.status) == (400, 415)
    columns = begun(path.parent, AggregatedClassifier(), {"columns": {"f1": "number"}, "classes": [0, 1]}, "named")
    (read,) = statuses(columns, ("predict", arrow), sent={"headers": named})
    assert [one["id"] for one in read.json["predictions"]] == ["x", "y"]


def stream(table: Any, times: int = 1, **options: Any) -> bytes:
    """A table, once or more often, as an Arrow stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, **options) as writer:
        for _ in range(times):
            writer.write(table)
    return bytes(sink.getvalue())


def test_streams_that_unpack_to_much(path: Path) -> None:
    """An Arrow stream is refused before it is unpacked where a few bytes mean a billion values, or it is compressed."""
    many, text = 10**9, pa.array(["x" * 10**6])
    offsets = pa.array([0, many], pa.int64())
    sent = [
        stream(pa.record_batch({"f1": pa.nulls(many)})),
        stream(pa.record_batch({"f1": pa.LargeListArray.from_arrays(offsets, pa.nulls(many))})),
        stream(pa.record_batch({"f1": pa.DictionaryArray.from_arrays(pa.array([0] * 900), text)})),
        stream(pa.record_batch({"f1": pa.array([0.5] * 900)}), options=pa.ipc.IpcWriteOptions(compression="lz4")),
        stream(pa.record_batch({"f1": text.dictionary_encode()}), options=pa.ipc.IpcWriteOptions(compression="zstd")),
        stream(pa.record_batch({"f1": pa.array([b"x"])})),
        stream(pa.record_batch({"f1": pa.array(["a"] * 1001)})),
        stream(pa.record_batch({"f1": pa.array(["a"])}), 1001),
        stream(pa.record_batch({"f1": pa.array([], pa.string())}), 10_001),
    ]
    named = {"content-type": "application/vnd.apache.arrow.stream"}
    answers = statuses(path, *(("predict", body) for body in sent), sent={"headers": named})
    assert [one.status for one in answers] == [413, 400, 400, 400, 400, 400, 413, 413, 400]
    assert "more values than it has bytes" in answers[1].json["error"]
    assert "dictionary" in answers[2].json["error"]
    assert all("is compressed" in answers[place].json["error"] for place in (3, 4))


def test_words_become_features(tmp_path: Path) -> None:
    """A text that comes with a label is a feature from then on, and one that is only predicted is none."""
    schema = {"columns": {"size": "number", "city": "text"}, "classes": [0, 1]}
    path = begun(tmp_path, AggregatedClassifier(), schema)

    async def work(client: Client) -> list[Any]:
        for place, city in enumerate(["Rome", "Oslo"] * 6):
            one = {"id": f"{place}", "input": {"size": 1.0, "city": city}}
            assert (await client.ask("/v1/predict", one)).status == 200
            assert (await client.ask("/v1/label", {"id": f"{place}", "label": int(city == "Rome")})).status == 200
        request = {"rows": [{"input": {"city": city}} for city in ("Rome", "Oslo", "Bonn")]}
        answer = (await client.ask("/v1/predict", request)).json["predictions"]
        return [*(one["label"] for one in answer), (await client.ask("/v1/model")).json["asked"]["features"]]

    assert served(path, work)[:2] == [1, 0]
    assert served(path, work_names) == ["size", "city=Rome", "city=Oslo"]


def test_words_become_no_features_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A label whose row has a new word is written down and not learned once there are as many features as may be;
    others are learned."""
    monkeypatch.setattr("regretless.serve.rows.MOST_FEATURES", 2)
    schema = {"columns": {"size": "number", "city": "text"}, "classes": [0, 1]}

    async def work(client: Client) -> list[Any]:
        labels = [{"input": {"size": 1.0, "city": city}, "label": 1} for city in ("Rome", "Oslo", "Rome")]
        answer = await client.ask("/v1/label", {"labels": labels})
        assert answer.status == 207
        return answer.json["labels"]

    first, second, third = served(begun(tmp_path, AggregatedClassifier(), schema), work)
    assert (first["status"], third["status"]) == ("learnt", "learnt")
    assert second["reason"] == (
        "written down, but not learned: the model has 2 features, and words become no more than these"
    )


async def work_names(client: Client) -> Any:
    """What the features are called."""
    return (await client.ask("/v1/model")).json["asked"]["names"]


def test_labels_with_inputs(path: Path) -> None:
    """Where predictions are not written down their ids are unknown, and a label comes with its input."""
    answers = statuses(
        path,
        ("predict", {"id": "a", "input": ROW}),
        ("label", {"id": "a", "label": "no"}),
        ("label", {"labels": [{"input": row, "label": "no"} for row in rows(5)]}),
        ("predict", {"id": "a", "input": ROW}),
        settings=Settings(log_predictions=False),
    )
    assert [one.status for one in answers] == [200, 404, 200, 200]
    assert [one["sequence"] for one in answers[2].json["labels"]] == [1, 2, 3, 4, 5]
    assert answers[3].json["version"] == 5
    assert answers[3].json["probabilities"]["no"] > 0.5


def test_expiry(tmp_path: Path) -> None:
    """After its time a prediction is given up, once and in the order of the log; a bandit learns the default loss."""
    now = [1e9]
    path = begun(tmp_path, Exp3IX(n_arms=2, seed=1), {"arms": 2})

    async def work(client: Client) -> Any:
        (engine,) = client.service.engines.values()
        for place in range(4):
            await client.ask("/v1/predict", {"id": f"{place}", "input": None})
        await client.ask("/v1/label", {"id": "2", "label": 0.0})
        now[0] += 50
        await client.ask("/v1/predict", {"id": "new", "input": None})
        now[0] += 20
        await engine.expire()
        late = await client.ask("/v1/label", {"id": "0", "label": 0.0})
        ledger = engine.live.served.learner.ledger_
        return late.status, engine.live.version, engine.outstanding, ledger.settled, ledger.loss, ledger.lost

    settings = Settings(expire=60.0, default_loss=1.0)
    assert served(path, work, settings, clock=lambda: now[0]) == (410, 4, 1, 4, 3.0, 0)


def test_a_row_that_cannot_be_predicted_among_labels(path: Path) -> None:
    """Of labels that come with their inputs, one whose row cannot be predicted does not keep the others from being
    learned, and leaves no number in the log."""

    async def work(client: Client) -> Any:
        sent = [{"input": row, "label": "no"} for row in (ROW, [1e300] * COLUMNS, ROW)]
        answer = await client.ask("/v1/label", {"labels": sent})
        (engine,) = client.service.engines.values()
        return (
            answer.status,
            [one.get("sequence", one.get("code")) for one in answer.json["labels"]],
            engine.live.number,
        )

    assert served(path, work) == (207, [1, 422, 2], 2)


def test_the_clock_goes_back(path: Path) -> None:
    """Times that are written down never fall, whatever the clock does, and nothing is given up early."""
    now = [1e9]

    async def work(client: Client) -> Any:
        (engine,) = client.service.engines.values()
        await client.ask("/v1/predict", {"id": "a", "input": ROW})
        now[0] -= 1e6
        await client.ask("/v1/predict", {"id": "b", "input": ROW})
        expired = await engine.expire()
        await client.ask("/v1/label", {"id": "b", "label": "no"})
        events = await engine._thread.find(["a", "b"])
        return expired, [events[id].time for id in "ab"], events["b"].settled

    assert served(path, work, Settings(expire=10.0), clock=lambda: now[0]) == (0, [1e9, 1e9], 1e9)


def test_tokens(path: Path) -> None:
    """Without a token 401, with one of another scope 403; health is open to all."""
    tokens = AccessTokens({"p" * 16: frozenset({"predict"}), "a" * 16: frozenset({"admin"})})

    async def work(client: Client) -> list[int]:
        requests = [("/v1/predict", {"input": ROW}), ("/v1/label", {"id": "a", "label": 1}), ("/v1/model", None)]
        requests += [("/v1/model.rgl", None), ("/metrics", None), ("/healthz", None)]
        words = ["", "Bearer " + "p" * 16, "Bearer " + "p" * 15, "Basic " + "p" * 16, "Bearer " + "a" * 16]
        sent = [{"headers": {"authorization": word} if word else {}} for word in words]
        return [(await client.ask(path, body, **more)).status for more in sent for path, body in requests]

    none = [401, 401, 401, 401, 401, 200]
    some = [200, 403, 200, 403, 200, 200]
    assert served(path, work, tokens=tokens) == [*none, *some, *none, *none, 200, 404, 200, 200, 200, 200]


def test_hosts(path: Path) -> None:
    """Without tokens a server is asked by addresses of its own machine and the names that it was given alone, so
    that no page reaches it whose name resolves to it; with tokens, or if it is open, by any."""
    own = ["localhost:8765", "127.0.0.1", "127.9.9.9:1", "[::1]:8765", "LOCALHOST.", "here.example:80"]
    others = ["evil.example", "evil.example:8765", "127.0.0.1.evil.example", "10.0.0.1", "localhost.evil.example", ""]

    async def work(client: Client) -> list[int]:
        headers = [{"host": name} for name in (*own, *others)] + [{"host": "evil.example"}]
        paths = ["/v1/model"] * (len(headers) - 1) + ["/v1/stream"]
        return [(await client.ask(path, headers=some)).status for path, some in zip(paths, headers, strict=True)]

    known = [200] * len(own)
    assert served(path, work, Settings(hosts=("here.example",))) == known + [421] * (len(others) + 1)
    assert set(served(path, work, Settings(hosts=None))) == {200}
    tokens = AccessTokens({"a" * 16: frozenset({"admin"})})
    assert set(served(path, work, Settings(hosts=("here.example",)), tokens=tokens)) == {401}


def test_heads(path: Path) -> None:
    """What is asked by GET can be asked by HEAD."""

    async def work(client: Client) -> list[tuple[int, bytes]]:
        names = ["/", "/healthz", "/v1/model", "/v1/page", "/v1/stream", "/v1/certificate", "/v1/model.rgl"]
        answers = [await client.ask(name, method="HEAD") for name in names]
        return [(one.status, one.body) for one in answers]

    assert set(served(path, work)) == {(200, b"")}


def test_empty_lines_count(path: Path) -> None:
    """A body of many empty lines is refused like one of many rows; one at its end is none."""
    line = b'{"input":[1,2,3,4]}\n'
    bodies = [b"\n" * 2000, line * 1000, line * 1000 + b"\n", line + b"\n" * 999]
    answers = statuses(path, *(("predict", body) for body in bodies), sent={"headers": LINES})
    assert [one.status for one in answers] == [413, 200, 413, 200]


def test_the_document(path: Path) -> None:
    """Every path of the OpenAPI document is served by its method and no other, and no path is missing."""
    paths = document()["paths"]

    async def work(client: Client) -> None:
        for name, methods in paths.items():
            queries = name.replace("{model}", "m")
            (method,) = methods
            right = await client.ask(queries, {} if method == "post" else None)
            wrong = await client.ask(queries, None if method == "post" else {})
            assert str(right.status) in methods[method]["responses"], (name, right.status)
            assert right.status not in (404, 405), name
            assert wrong.status == 405, name
        app = client.app
        served_verbs = {*app._posts, *app._gets, *app._others}
        assert {name.rpartition("/")[2] for name in paths if re.match("/v1/[^{]*$", name)} == {*served_verbs, "models"}
        assert (await client.ask("/v1/nothing")).status == (await client.ask("/nothing")).status == 404

    served(path, work)


def test_metrics(path: Path) -> None:
    """The counters say what was asked, what is pending, and what was learned."""

    async def work(client: Client) -> str:
        await client.ask("/v1/predict", {"rows": [{"id": f"{place}", "input": ROW} for place in range(3)]})
        await client.ask("/v1/label", {"id": "0", "label": "no"})
        await client.ask("/v1/predict", b"{")
        return (await client.ask("/metrics")).body.decode()

    text = served(path, work)
    for line in (
        'regretless_requests_total{path="predict",status="200"} 1',
        'regretless_requests_total{path="predict",status="400"} 1',
        "regretless_predictions_total 3",
        'regretless_pending{model="m"} 2',
        'regretless_learnt_total{model="m"} 1',
        'regretless_mistakes_total{model="m"} 1',
    ):
        assert line in text.splitlines()
