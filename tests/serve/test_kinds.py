"""Models of every kind that the command line writes, as they are served."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from regretless.bandits import Exp3IX, Exp4
from regretless.contextual import SquareCB
from regretless.errors import ModelError, RegretlessError
from regretless.experts import Squint
from regretless.persist.model import write
from regretless.serve.databases import store_of
from regretless.serve.replay import replay
from regretless.serve.settings import Settings
from regretless.serve.startup import new_model

from ..command_line import CommandLine
from .asking import Answered, Client, begun, served


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """Runs command lines."""
    return CommandLine(capsys, monkeypatch)


def table(rows: int) -> list[str]:
    """Lines of a table with numbers, a text and a label."""
    draw, lines = random.Random(4), ["size,city,note,buys,price\n"]
    for _ in range(rows):
        size, city = round(draw.gauss(0, 1), 3), draw.choice(["Rome", "Oslo", "Bonn"])
        buys = "yes" if size + (city == "Rome") > 0.4 else "no"
        note = " ".join(draw.choices(["big", "small", "new", "old"], k=3))
        lines.append(f"{size},{city},{note},{buys},{size + 0.25 + draw.random():.3f}\n")
    return lines


def row_of(line: str, target: str) -> dict[str, Any]:
    """A line as it is sent."""
    names = ["size", "city", "note", "buys", "price"]
    row = dict(zip(names, line.strip().split(","), strict=True))
    return {"size": float(row["size"]), "city": row["city"], "note": row["note"]} if target else {}


HOW: dict[str, tuple[str, ...]] = {
    "labels": ("--target", "buys", "--ignore", "price"),
    "words": ("--target", "buys", "--ignore", "price", "--text", "note", "--ngrams", "2"),
    "hashed": ("--target", "buys", "--ignore", "price", "--hash-bits", "6"),
    "products": ("--target", "buys", "--ignore", "price,note", "--interactions", "size*city"),
    "normalized": ("--target", "buys", "--ignore", "price,note", "--normalize"),
    "numbers": ("--target", "price", "--ignore", "buys,note", "--task", "regression"),
}


@pytest.mark.parametrize("how", HOW)
def test_tables(how: str, run: CommandLine, tmp_path: Path) -> None:
    """A model of a table answers what `predict` prints, learns what `learn` would, and its log gives its bytes."""
    lines, words = table(40), HOW[how]
    (tmp_path / "first.csv").write_text("".join(lines[:31]))
    (tmp_path / "rest.csv").write_text(lines[0] + "".join(lines[31:]))
    quiet = ("--quiet", "--no-certify", "--save")
    assert run("learn", tmp_path / "first.csv", *words, *quiet, tmp_path / "m.rgl").code == 0
    options = () if how == "numbers" else ("--probabilities",)
    printed = run("predict", tmp_path / "m.rgl", tmp_path / "rest.csv", *options).out.splitlines()
    if how != "numbers":
        printed = [line for line in printed if "no" not in line]  # the header
    shown = [[float(one) for one in line.split()] for line in printed]
    rows = [row_of(line, words[1]) for line in lines[31:]]
    if "price,note" in words or "buys,note" in words:
        rows = [{name: value for name, value in row.items() if name != "note"} for row in rows]
    labels: list[Any] = [line.strip().split(",")[3] for line in lines[31:]]
    if how == "numbers":
        labels = [float(line.strip().split(",")[4]) for line in lines[31:]]

    async def work(client: Client) -> tuple[list[Answered], bytes]:
        answers = [await client.ask("/v1/predict", {"id": f"{k}", "input": row}) for k, row in enumerate(rows)]
        reported = [{"id": f"{k}", "label": label} for k, label in enumerate(labels)]
        learned = await client.ask("/v1/label", {"labels": reported})
        assert learned.status == 200, learned.body
        return answers, (await client.ask("/v1/model.rgl")).body

    answers, model = served(tmp_path / "m.rgl", work, Settings(snapshot_every=4))
    assert [one.status for one in answers] == [200] * 10, answers[0].body
    for answer, one in zip(answers, shown, strict=True):
        predictions = [answer.json["forecast"]] if how == "numbers" else list(answer.json["probabilities"].values())
        assert predictions == pytest.approx(one, rel=1e-6)
    (tmp_path / "now.rgl").write_bytes(model)
    more = ("--resume", tmp_path / "m.rgl", *quiet, tmp_path / "wanted.rgl")
    assert run("learn", tmp_path / "rest.csv", *more).code == 0
    now, expected = (run("inspect", tmp_path / name, "--json").json for name in ("now.rgl", "wanted.rgl"))
    for name in ("rounds", "mistakes", "loss", "features", "weights"):
        assert now.get(name) == expected.get(name), name
    store = store_of(tmp_path / "m.db", writes=False)
    store.open()
    live, compared = replay(store)
    store.close()
    assert live.snapshot(0.0).model == model
    assert compared
    assert all(one.same for one in compared)


async def statuses(client: Client, verb: str, name: str, values: list[Any]) -> list[int]:
    """The answers to several values."""
    requests = [{"id": "a" if name == "label" else f"{place}", name: value} for place, value in enumerate(values)]
    return [(await client.ask(f"/v1/{verb}", one)).status for one in requests]


def test_what_experts_may_say(tmp_path: Path) -> None:
    """Forecasts come in order or by names, null is silent; others, and outcomes out of range, are refused."""
    path = begun(tmp_path, Squint(loss="square", value_range=(0, 1)), {"experts": ["x", "y"]})

    async def work(client: Client) -> tuple[Any, ...]:
        forecast = (await client.ask("/v1/predict", {"id": "a", "input": {"y": 1.0}})).json["forecast"]
        good = await statuses(client, "predict", "input", [[0, 1], {"x": 0.5, "y": 1}, [None, 0.5]])
        bad = await statuses(client, "predict", "input", [[0], [0, 2], ["a", 1], {"z": 1}, None, [None, None]])
        labels = await statuses(client, "label", "label", [2, "1", None, True, 0.5])
        return forecast, good, bad, labels

    forecast, good, bad, labels = served(path, work)
    assert forecast == 1.0
    assert good == [200] * 3
    assert set(bad) == {422}
    assert labels == [422, 422, 422, 422, 200]


def test_what_bandits_may_be_asked(tmp_path: Path) -> None:
    """Arms may be asleep, by numbers, names or a mask; losses out of range are refused, and advice nobody asked for."""
    path = begun(tmp_path, Exp3IX(n_arms=2, seed=1), {"arms": ["red", "blue", "green"]})

    async def work(client: Client) -> tuple[Any, ...]:
        drawn = [
            (await client.ask("/v1/predict", {"input": {"available": some}})).json["arm"]
            for some in (["blue"], [1], [False, True, False])
        ]
        await client.ask("/v1/predict", {"id": "a"})
        wrong = [{"available": []}, {"available": ["no"]}, {"advice": [1]}, [1]]
        bad = await statuses(client, "predict", "input", wrong)
        labels = await statuses(client, "label", "label", [-0.1, 1.5, "1", [0.5], None, 1])
        return drawn, bad, labels

    assert served(path, work) == (["blue"] * 3, [422] * 4, [422] * 5 + [200])


def test_advised_bandits(tmp_path: Path) -> None:
    """A bandit with experts draws by their advice, and needs it."""
    path = begun(tmp_path, Exp4(n_arms=2, n_experts=2, seed=1), {"arms": 2})

    async def work(client: Client) -> tuple[Any, ...]:
        drawn = (await client.ask("/v1/predict", {"id": "a", "input": {"advice": [[1, 0], [1, 0]]}})).json
        label = (await client.ask("/v1/label", {"id": "a", "label": 1.0})).status
        return drawn["arm"], drawn["probability"], label, (await client.ask("/v1/predict", {"id": "b"})).status

    assert served(path, work) == ("0", 1.0, 200, 422)


def test_a_contextual_bandit(tmp_path: Path) -> None:
    """An arm is drawn for a row of features, among those that are available; another input is refused, before the
    first draw as after it, and a default is learned of what was given up."""
    path = begun(tmp_path, SquareCB(n_arms=1, seed=5), {"arms": ["red", "green", "blue"], "features": 2})
    row, now = [0.5, -1.0], [1e9]
    refused: list[Any] = [[0.5], [0.5, "a"], None, {"available": ["red"]}, {"features": row, "advice": 1}]
    refused += [{"features": row, "available": ["pink"]}, {"features": row, "available": []}]
    among = {"features": row, "available": ["red", "blue"]}

    async def work(client: Client) -> Any:
        queries = (await client.ask("/v1/model")).json["asked"]
        first = [(await client.ask("/v1/predict", {"input": one})).status for one in refused]
        draws = [(await client.ask("/v1/predict", {"id": f"{k}", "input": among})).json for k in range(8)]
        then = [(await client.ask("/v1/predict", {"input": one})).status for one in refused]
        labels = [{"id": "0", "label": 0.25}, {"id": "1", "label": 1.5}, {"id": "2", "label": [0.1, 0.2, 0.3]}]
        learned = (await client.ask("/v1/label", {"labels": labels})).json["labels"]
        now[0] += 100.0
        await client.ask("/v1/predict", {"id": "late", "input": row})
        (engine,) = client.service.engines.values()
        while engine.outstanding > 1:  # the server itself looks for them now and then
            await engine.expire()
        certificate = (await client.ask("/v1/certificate")).json
        page = await client.ask("/")
        return queries, first, draws, then, learned, certificate, page.status, engine.live.served.learner.total_

    settings = Settings(expire=60.0, default_loss=1.0)
    queries, first, draws, then, learned, certificate, page, total = served(path, work, settings, clock=lambda: now[0])
    assert (queries["features"], queries["arms"]) == (2, ["red", "green", "blue"])
    assert first == then == [422] * len(refused)
    assert {one["arm"] for one in draws} <= {"red", "blue"}
    assert all(0 < one["probability"] < 1 for one in draws)
    assert [one.get("sequence", one.get("code")) for one in learned] == [1, 422, 422]
    assert total == 7.25
    assert any(one["applies"] for one in certificate["certificates"])
    assert "7 of 8 losses are the default" in certificate["about"]
    assert page == 200


@pytest.mark.parametrize("shared", [False, True])
def test_features_by_their_names(tmp_path: Path, shared: bool) -> None:
    """Values by their names are taken where the bandit hashes them; the log gives the bytes of the model; a schema with
    another number of features is refused."""
    bandit = SquareCB(n_arms=1, seed=5, shared=shared, hash_bits=3)
    with pytest.raises(RegretlessError, match="7 features; a hash of 3 bits"):
        new_model(bandit, {"arms": 2, "features": 7})
    path = begun(tmp_path, bandit, {"arms": 2, "features": 8})
    each: list[Any] = [{"rain": 1, "town": "north"}, [0.5] * 8, {"rain": None}, {"town": ["north"]}, [0.5]]
    sent = [{"features": [one, one] if shared else one} for one in each]
    sent.append({"features": each[:2]})

    async def work(client: Client) -> Any:
        answers = [(await client.ask("/v1/predict", {"id": f"{k}", "input": one})) for k, one in enumerate(sent)]
        await client.ask("/v1/label", {"labels": [{"id": "1", "label": 0.5}, {"id": "0", "label": 0.0}]})
        return [one.status for one in answers], (await client.ask("/v1/model.rgl")).body

    codes, model = served(path, work)
    assert codes == [200, 200, 422, 422, 422, 422]
    store = store_of(path.with_suffix(".db"), writes=False)
    store.open()
    live, _ = replay(store)
    store.close()
    assert live.snapshot(0.0).model == model


def test_arms_with_features_of_their_own(tmp_path: Path) -> None:
    """Where arms have features of their own an input has a row for each, and the log gives the bytes of the model."""
    path = begun(tmp_path, SquareCB(n_arms=1, seed=5, shared=True), {"arms": 3, "features": 2})
    rows = [[0.5, -1.0], [0.1, 0.2], [1.0, 0.0]]
    sent = [rows, rows[:2], rows[0], [*rows, rows[0]], [[0.5], [0.1], [1.0]]]

    async def work(client: Client) -> Any:
        answers = [(await client.ask("/v1/predict", {"id": f"{k}", "input": one})) for k, one in enumerate(sent)]
        await client.ask("/v1/label", {"labels": [{"id": "1", "label": 0.5}, {"id": "0", "label": 0.0}]})
        return [one.status for one in answers], (await client.ask("/v1/model.rgl")).body

    codes, model = served(path, work)
    assert codes == [200, 200, 422, 422, 422]
    store = store_of(path.with_suffix(".db"), writes=False)
    store.open()
    live, _ = replay(store)
    store.close()
    assert live.snapshot(0.0).model == model


def test_a_contextual_bandit_without_a_schema(tmp_path: Path) -> None:
    """A contextual bandit that does not say how many features its rows have is refused."""
    path = tmp_path / "m.rgl"
    write(path, SquareCB(n_arms=3, seed=5), {})
    with pytest.raises(ModelError, match="does not say how many features a row has"):
        served(path, lambda client: client.ask("/v1/model"))
