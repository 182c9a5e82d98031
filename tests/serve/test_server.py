"""The verbs `serve` and `replay`: what they refuse, and several models at once."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import sys
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from regretless.bandits import Exp3IX
from regretless.cli.entry import make
from regretless.cli.serve import settings_of
from regretless.errors import RegretlessError
from regretless.experts import Hedge, Squint
from regretless.linear import AROW, AggregatedClassifier
from regretless.serve.access import AccessTokens, read_tokens
from regretless.serve.logs import ServiceLog
from regretless.serve.server import Service
from regretless.serve.settings import Settings
from regretless.serve.startup import new_model, open_model

from ..command_line import CommandLine
from .asking import COLUMNS, Client, begun

OPTIONS = (
    "serve m.rgl --max-body 1k --max-rows 2 --max-queue 3 --body-timeout 4 --no-log-predictions --expire 5m "
    "--default-loss 0.5 --snapshot-every 6 --allow-host Example.org --log-requests paths --alarm-after 7 "
    "--alarm-rounds 800 --most-loss 9 --alert-url http://localhost:9/"
)
ROW = [0.5, -1.0, 2.0, 0.25]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """Runs command lines, which refuse before a request could come: uvicorn may be missing."""
    monkeypatch.setitem(sys.modules, "uvicorn", ModuleType("uvicorn"))
    return CommandLine(capsys, monkeypatch)


@pytest.mark.parametrize(
    ("words", "code", "fault"),
    [
        ((), 2, "name the MODEL"),
        (("m.rgl", "--models", "."), 2, "name the MODEL"),
        (("--models", "."), 2, "no model"),
        (("none.rgl", "--port", "0"), 1, "none.rgl"),
        (("m.rgl", "--learner", "arow"), 2, "--schema"),
        (("m.rgl", "--learner", "nothing"), 2, "nothing"),
        (("m.rgl", "--learner", "halving"), 2, "not served"),
        (("m.rgl", "--port", "70000"), 2, "port"),
        (("m.rgl", "--expire", "soon"), 2, "7d"),
        (("m.rgl", "--expire", "5"), 2, "7d"),
        (("m.rgl", "--learner", "aggregatd"), 2, "did you mean aggregated"),
        (("--models", ".", "--set", "eta=1"), 2, "--set is for one MODEL"),
        (("m.rgl", "--max-body", "much"), 2, "8m"),
        (("m.rgl", "--default-loss", "1"), 2, "--expire"),
        (("m.rgl", "--host", "0.0.0.0"), 2, "--tokens"),
        (("bad.rgl", "--host", "256.0.0.1", "--open"), 1, "cannot be listened on"),
        (("bad.rgl", "--port", "0"), 1, "not a model"),
    ],
)
def test_refused_words(
    run: CommandLine, words: tuple[str, ...], code: int, fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command line that has no meaning is refused before anything is written, and says what is expected."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.rgl").write_text("{ this is no model of anybody }")
    if "--models" in words and len(words) == 2:
        (tmp_path / "bad.rgl").unlink()
    command = run("serve", *words)
    assert (command.code, command.out) == (code, "")
    assert fault in command.err
    assert not list(tmp_path.glob("*.db*"))


SCHEMA = {"columns": {"amount": "number", "country": "text"}, "classes": ["no", "yes"]}


@pytest.mark.parametrize(
    ("words", "schema", "fault"),
    [
        (("--learner", "aggregated", "--set", "stacked=no"), SCHEMA, None),
        (("--set", "stacked=yes"), None, "stacked=False, and --set says True"),
        (("--learner", "perceptron"), SCHEMA, "a model of aggregated"),
        ((), {**SCHEMA, "classes": ["no", "maybe"]}, "labels are"),
        ((), {**SCHEMA, "columns": {"amount": "number"}}, "columns are"),
        ((), {"features": 2, "classes": ["no", "yes"]}, "columns are"),
    ],
)
def test_options_of_another_model(
    run: CommandLine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    schema: dict[str, Any] | None,
    fault: str | None,
) -> None:
    """A model that is there already is served with the options that describe it, and with no others."""
    monkeypatch.setattr("regretless.serve.server.serve", lambda *_: None)
    path = begun(tmp_path, AggregatedClassifier(stacked=False), SCHEMA)
    (tmp_path / "s.json").write_text(json.dumps(schema))
    command = run("serve", path, "--port", 0, *words, *(() if schema is None else ("--schema", tmp_path / "s.json")))
    assert command.code == (0 if fault is None else 2), command.err
    assert fault is None or fault in command.err


@pytest.mark.parametrize("learner", [(), ("--learner", "perceptron", "--passes", "2"), ("--numbers",)])
def test_the_rows_of_another_model(
    run: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, learner: tuple[str, ...]
) -> None:
    """A file with another number of rows than the model had learned is refused at the start, and one of other rows,
    also where the log has begun; its own is not."""
    monkeypatch.setattr("regretless.serve.server.serve", lambda *_: None)
    monkeypatch.chdir(tmp_path)
    lines = [f"{k % 3},{k % 5},{k % 2}\n" for k in range(12)]
    (tmp_path / "r.csv").write_text("".join(["a,b,y\n", *lines]))
    (tmp_path / "other.csv").write_text("".join(["a,b,y\n", *lines[:7]]))
    task = ("--task", "regression") if learner == ("--numbers",) else learner
    assert run("learn", "r.csv", "--target", "y", "--save", "m.rgl", "--no-certify", *task).code == 0
    refused = run("serve", "m.rgl", "--port", 0, "--rows", "other.csv")
    assert refused.code == 1
    assert not (tmp_path / "m.db").exists()
    assert "--rows other.csv: this file has 7 rows, and the model had learned" in refused.err
    (tmp_path / "changed.csv").write_text("".join(["a,b,y\n", *lines[:-1], "1,4,1\n"]))
    for _ in range(2):
        refused = run("serve", "m.rgl", "--port", 0, "--rows", "changed.csv")
        assert refused.code == 1
        assert "--rows changed.csv: the rows of this file, played again, do not give the model" in refused.err
        assert "an earlier version learned it, which rounds otherwise" in refused.err
        assert run("serve", "m.rgl", "--port", 0, "--rows", "r.csv").code == 0
    forecasts = begun(tmp_path, Squint(n_experts=2, value_range=(0, 1)), {"experts": 2}, "forecasts")
    with pytest.raises(RegretlessError, match="the theorems of squint need no rows again"):
        open_model(forecasts, tmp_path / "forecasts.db", Settings(), None, "r.csv")


def test_without_uvicorn(run: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where uvicorn is missing the packages are named, and no file is made, neither of a model nor of a log."""
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    (tmp_path / "s.json").write_text(json.dumps(SCHEMA))
    command = run("serve", tmp_path / "m.rgl", "--schema", tmp_path / "s.json", "--port", 0)
    assert (command.code, command.err.count("\n")) == (1, 1)
    assert "pip install uvicorn httptools uvloop" in command.err
    assert [one.name for one in tmp_path.iterdir()] == ["s.json"]


def test_a_missing_model_is_named_before_a_package(
    run: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where both the model and uvicorn are missing, the error is the model's, worded as that of a file of data."""
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    command = run("serve", tmp_path / "m.rgl")
    assert command.code == 1
    assert command.err == f"regretless: {tmp_path / 'm.rgl'}: there is no such file; check its name\n"


@pytest.mark.parametrize("name", ["elec.rgl", "elec.rgl.db"])
def test_replay_of_a_model(run: CommandLine, name: str) -> None:
    """The name of a model, where that of its log is expected, is refused with that one."""
    command = run("replay", name)
    assert (command.code, command.err.count("\n")) == (2, 1)
    assert command.err.rstrip().endswith("elec.db")


def test_replay_refuses(run: CommandLine, tmp_path: Path) -> None:
    """A file that is no log is refused in one line."""
    (tmp_path / "x.db").write_text("no database at all, but a text of some length")
    assert "there is no such file" in run("replay", tmp_path / "none.db").err
    command = run("replay", tmp_path / "x.db")
    assert (command.code, command.err.count("\n")) == (1, 1)
    assert "x.db" in command.err


def test_a_database_of_somebody_else(run: CommandLine, tmp_path: Path) -> None:
    """A database that is no log is neither replayed nor written to."""
    begun(tmp_path, AROW(), {"features": COLUMNS, "classes": [0, 1]})
    with sqlite3.connect(tmp_path / "m.db") as db:
        db.execute("CREATE TABLE theirs (one INTEGER)")
    db.close()
    before = (tmp_path / "m.db").read_bytes()
    for words in (("serve", tmp_path / "m.rgl", "--port", 0), ("replay", tmp_path / "m.db")):
        command = run(*words)
        assert command.code == 1
        assert "is no log of a served model" in command.err
    assert (tmp_path / "m.db").read_bytes() == before


def test_what_is_logged_of_requests(tmp_path: Path) -> None:
    """Of requests the server's log has nothing, or the path and the status, or what was sent too."""
    for what, observed in (("none", [False, False]), ("paths", [True, False]), ("bodies", [True, True])):
        path, out = begun(tmp_path, AROW(), {"features": COLUMNS, "classes": [0, 1]}, what), StringIO()
        settings = Settings(log_requests=what)
        opened = open_model(path, path.with_suffix(".db"), settings)

        async def work(opened: Any = opened, settings: Settings = settings, out: StringIO = out) -> None:
            async with Service({"m": opened}, settings, AccessTokens({}), ServiceLog(out)) as service:
                assert (await Client(service).ask("/v1/predict", {"input": ROW})).status == 200

        asyncio.run(work())
        messages = [json.loads(line) for line in out.getvalue().splitlines()]
        assert [any(one.get("status") == 200 for one in messages), "-1.0" in out.getvalue()] == observed


@pytest.mark.parametrize(
    ("learner", "schema", "fault"),
    [
        (AROW(), {"features": 3}, "classes"),
        (AROW(), {"features": 3, "classes": [1, "a"]}, "classes"),
        (AROW(), {"features": 3, "classes": [1, 1]}, "classes"),
        (AROW(), {"classes": [0, 1]}, "features"),
        (AROW(), {"features": 0, "classes": [0, 1]}, "features"),
        (AROW(), {"columns": {"a": "date"}, "classes": [0, 1]}, "columns"),
        (AROW(), {"arms": 3}, "'arms' was found"),
        (AROW(), {}, "empty"),
        (Exp3IX(n_arms=2), {"arms": ["a", "a"]}, "each once"),
        (Hedge(loss="square"), {"experts": 0}, "how many"),
    ],
)
def test_refused_schemas(learner: Any, schema: dict[str, Any], fault: str) -> None:
    """A schema that does not fit its learner is refused, and the message says what is expected."""
    with pytest.raises(RegretlessError, match=fault):
        new_model(learner, schema)


@pytest.mark.parametrize(
    "text",
    [
        "predict",
        "predict,all " + "a" * 16,
        "predict short",
        "# nothing\n",
        f"predict {'a' * 16}\nadmin {'b' * 16}\nadmin {'a' * 16}",
    ],
)
def test_refused_tokens(text: str, tmp_path: Path) -> None:
    """A file of tokens with a line that is none, or without any, is refused with its name."""
    path = tmp_path / "tokens"
    path.write_text(text)
    with pytest.raises(RegretlessError, match="tokens:3: .* twice" if "admin" in text else "tokens"):
        read_tokens(str(path))


def test_tokens_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tokens of a file and of the variable allow their scopes."""
    path = tmp_path / "tokens"
    path.write_text("# ours\npredict,label " + "a" * 16 + "\n\n")
    tokens = read_tokens(str(path))
    assert [tokens.status(b"Bearer " + b"a" * 16, scope) for scope in ("predict", "label", "admin", "read")] == [
        200, 200, 403, 200,
    ]  # fmt: skip
    monkeypatch.setenv("REGRETLESS_TOKENS", f"admin {'b' * 16}; predict {'c' * 16}")
    tokens = read_tokens(None)
    assert tokens.status(b"bearer " + b"c" * 16, "predict") == tokens.status(b"Bearer " + b"b" * 16, "label") == 200
    monkeypatch.delenv("REGRETLESS_TOKENS")
    assert not read_tokens(None)


def test_several_models(tmp_path: Path) -> None:
    """Models are asked by their names, each with its own log; without a name it is not known which is meant."""
    begun(tmp_path, AROW(), {"features": COLUMNS, "classes": [0, 1]}, "rows")
    begun(tmp_path, Exp3IX(n_arms=2, seed=1), {"arms": ["red", "blue"]}, "draws")
    settings = Settings()
    opened = {
        name: open_model(tmp_path / f"{name}.rgl", tmp_path / f"{name}.db", settings) for name in ("rows", "draws")
    }

    async def work() -> list[Any]:
        async with Service(opened, settings, AccessTokens({}), ServiceLog(StringIO())) as service:
            client = Client(service)
            return [
                await client.ask("/v1/models/rows/predict", {"id": "a", "input": ROW}),
                await client.ask("/v1/models/draws/predict", {"id": "a", "input": None}),
                await client.ask("/v1/models/draws/label", {"id": "a", "label": 0.5}),
                await client.ask("/v1/predict", {"input": ROW}),
                await client.ask("/v1/models/none/predict", {"input": ROW}),
                await client.ask("/v1/models"),
            ]

    rows, draw, loss, unnamed, unknown, models = asyncio.run(work())
    assert rows.json["label"] in (0, 1)
    assert draw.json["arm"] in ("red", "blue")
    assert draw.json["probability"] == 0.5
    assert [one.status for one in (loss, unnamed, unknown)] == [200, 404, 404]
    assert [(name, one["pending"]) for name, one in models.json["models"].items()] == [("rows", 1), ("draws", 0)]


def test_the_file_of_a_model(run: CommandLine, tmp_path: Path) -> None:
    """The file that a server gives predicts what the server answers, and `learn --resume` goes on with it."""
    path = begun(tmp_path, AggregatedClassifier(), {"features": 2, "classes": [0, 1]})
    opened = open_model(path, path.with_suffix(".db"), Settings())

    async def work() -> tuple[bytes, Any]:
        async with Service({"m": opened}, Settings(), AccessTokens({}), ServiceLog(StringIO())) as service:
            client = Client(service)
            labels = [{"input": [float(k % 2), 1.0], "label": k % 2} for k in range(20)]
            await client.ask("/v1/label", {"labels": labels})
            return (await client.ask("/v1/model.rgl")).body, (await client.ask("/v1/predict", {"input": [1, 1]})).json

    model, answer = asyncio.run(work())
    (tmp_path / "now.rgl").write_bytes(model)
    np.save(tmp_path / "X.npy", np.ones((1, 2)))
    printed = run("predict", tmp_path / "now.rgl", tmp_path / "X.npy", "--probabilities").out.split()
    assert [float(one) for one in printed] == pytest.approx(list(answer["probabilities"].values()), rel=1e-9)
    (tmp_path / "more.svm").write_text("1 1:1 2:1\n0 1:0 2:1\n")
    command = run("learn", tmp_path / "more.svm", "--resume", tmp_path / "now.rgl", "--json", "--no-certify")
    assert (command.code, json.loads(command.out)["rounds"]) == (0, 22)


def test_every_option_reaches_the_server() -> None:
    """Each option of the command line is the setting of its name."""
    assert settings_of(make(("serve",)).parse_args(OPTIONS.split())) == Settings(
        body=1024,
        rows=2,
        queue=3,
        body_seconds=4.0,
        log_predictions=False,
        expire=300.0,
        default_loss=0.5,
        snapshot_every=6,
        hosts=("example.org",),
        log_requests="paths",
        alarm={"reference": None, "reference_rounds": 7, "mean_rounds": 800.0},
        most_loss=9.0,
        alert_url="http://localhost:9/",
    )
    renewed = settings_of(make(("serve",)).parse_args(["serve", "m.rgl", "--alarm-period", "50"])).alarm
    assert renewed is not None
    assert renewed["period"] == 50
