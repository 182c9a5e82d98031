"""The alarm on the mistakes of a model in production."""

from __future__ import annotations

import asyncio
import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from io import StringIO
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from regretless.alarms import Watch
from regretless.cli import main
from regretless.errors import RegretlessError
from regretless.linear import Perceptron
from regretless.serve import alarm as alarms
from regretless.serve.logs import ServiceLog
from regretless.serve.settings import Settings

from .asking import COLUMNS, Client, begun, rows, served
from .test_restart import KINDS, model

SCHEMA = {"features": COLUMNS, "classes": ["no", "yes"]}
REFERENCE = {"reference": 0.2, "reference_rounds": None, "mean_rounds": 100.0}
PERIOD = {"reference": None, "reference_rounds": 18, "mean_rounds": 100.0}


async def answers(client: Client, begin: int, end: int, wrong: bool) -> None:
    """Labels, three at a time, that are all as predicted, or all not."""
    some = rows(80, seed=3)
    for first in range(begin, end, 3):
        places = range(first, min(end, first + 3))
        asked = [{"id": f"r{place}", "input": some[place]} for place in places]
        answer = (await client.ask("/v1/predict", {"rows": asked})).json["predictions"]
        other = {"no": "yes", "yes": "no"}
        labels = [{"id": one["id"], "label": other[one["label"]] if wrong else one["label"]} for one in answer]
        assert (await client.ask("/v1/label", {"labels": labels})).status == 200


@pytest.mark.parametrize("alarm", [REFERENCE, PERIOD])
def test_the_alarm_is_that_of_watch(tmp_path: Path, alarm: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    """Alarms come where `Watch` has them, and are the same after restarts and snapshots at any labels."""

    async def good(client: Client) -> None:
        await answers(client, 0, 24, wrong=False)

    async def bad(client: Client) -> Any:
        await answers(client, 24, 36, wrong=True)
        return (await client.ask("/v1/alarms")).json, (await client.ask("/")).body.decode(), await model(client)

    models = []
    for place, every in enumerate((1, 1000)):
        folder = tmp_path / str(place)
        folder.mkdir()
        path, settings = begun(folder, Perceptron(), SCHEMA), Settings(alarm=alarm, snapshot_every=every)
        served(path, good, settings)
        answer, page, last = served(path, bad, settings)
        models.append(last)
        assert main(["replay", str(folder / "m.db")]) == 0
    assert models[0] == models[1]
    watch = Watch(["mistakes"], **alarm)
    watch.add([0.0] * 24 + [1.0] * 12)
    assert [(one["label"], one["since"]) for one in answer["alarms"]] == [
        (one.round, one.since) for one in watch.alarms_
    ]
    assert answer["count"] > 0
    assert answer["certificates"][0]["line"] == str(watch.certify()[0])
    assert "Alarm on mistakes" in page
    assert f"<dt>Alarms</dt><dd>{answer['count']}<" in page


def test_a_reference_that_nothing_exceeds(tmp_path: Path) -> None:
    """If the labels for the reference were all wrong, the server goes on, and says that it watches nothing."""
    path = begun(tmp_path, Perceptron(), SCHEMA)

    async def work(client: Client) -> Any:
        await answers(client, 0, 12, wrong=True)
        return (await client.ask("/v1/alarms")).json, (await client.ask("/")).status

    answer, status = served(path, work, Settings(alarm=PERIOD | {"reference_rounds": 5}))
    assert "which no loss exceeds" in answer["why"]
    assert status == 200


def test_an_alarm_is_posted_once(tmp_path: Path) -> None:
    """Each alarm is posted to the address, once, also where the server is started again."""
    posted: list[Any] = []

    class Listener(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            posted.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    listener = HTTPServer(("127.0.0.1", 0), Listener)
    Thread(target=listener.serve_forever, daemon=True).start()
    settings = Settings(alarm=REFERENCE, alert_url=f"http://127.0.0.1:{listener.server_port}/", snapshot_every=1000)
    path = begun(tmp_path, Perceptron(), SCHEMA)

    async def work(client: Client) -> Any:
        await answers(client, 0, 9, wrong=True)
        answer = (await client.ask("/v1/alarms")).json["alarms"]
        for _ in range(100):
            if len(posted) >= len(answer):
                break
            await asyncio.sleep(0.01)
        return answer

    answer = served(path, work, settings)
    served(path, lambda client: client.ask("/v1/alarms"), settings)
    listener.shutdown()
    listener.server_close()
    assert answer
    assert sorted(one["label"] for one in posted) == [one["label"] for one in answer]


def test_an_address_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """What could not be posted is tried again some times, and then given up, which the log says."""
    asked: list[str] = []

    def post(url: str, body: bytes) -> None:
        asked.append(url)
        raise OSError("refused")

    monkeypatch.setattr(alarms, "_post", post)
    out = StringIO()
    asyncio.run(alarms.tell("http://nobody", {"model": "m", "label": 3}, ServiceLog(out), wait=0.0))
    assert len(asked) == alarms.ATTEMPTS
    assert out.getvalue().count("alert failed") == alarms.ATTEMPTS


@pytest.mark.parametrize("kind", ["numbers", "experts", "bandit"])
def test_numbers_have_no_mistakes(kind: str, tmp_path: Path) -> None:
    """An alarm on mistakes, and a second learner whose mistakes are compared, are refused at the start where answers
    are numbers or draws, and leave no log behind."""
    make, schema = KINDS[kind]
    path = begun(tmp_path, make(), schema)
    with pytest.raises(RegretlessError, match="for learners of labels"):
        served(path, model, Settings(alarm=REFERENCE))
    with pytest.raises(RegretlessError, match="both models must be learners of labels"):
        served(path, model, shadow=begun(tmp_path, Perceptron(), SCHEMA, "other"))
    assert not path.with_suffix(".db").exists()
