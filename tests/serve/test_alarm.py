"""The alarm on the mistakes of a model in production."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from io import StringIO
from math import inf
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

from regretless.alarms import Watch
from regretless.bandits import Exp3IX
from regretless.cli import main
from regretless.errors import RegretlessError
from regretless.linear import Perceptron
from regretless.serve import alarm as alarms
from regretless.serve.logs import ServiceLog
from regretless.serve.served import Charges
from regretless.serve.settings import Settings

from .asking import COLUMNS, Client, begun, rows, served, until
from .test_restart import KINDS, label_of, model, traffic

SCHEMA = {"features": COLUMNS, "classes": ["no", "yes"]}
REFERENCE = {"reference": 0.2, "reference_rounds": None, "mean_rounds": 100.0}
PERIOD = {"reference": None, "reference_rounds": 18, "mean_rounds": 100.0}
RENEWED = {"reference": None, "reference_rounds": None, "mean_rounds": 10.0, "period": 12}


async def answers(client: Client, begin: int, end: int, wrong: bool) -> None:
    """Labels, three at a time, that are all as predicted, or all not."""
    some = rows(80, seed=3)
    for first in range(begin, end, 3):
        places = range(first, min(end, first + 3))
        replies = [{"id": f"r{place}", "input": some[place]} for place in places]
        answer = (await client.ask("/v1/predict", {"rows": replies})).json["predictions"]
        other = {"no": "yes", "yes": "no"}
        labels = [{"id": one["id"], "label": other[one["label"]] if wrong else one["label"]} for one in answer]
        assert (await client.ask("/v1/label", {"labels": labels})).status == 200


@pytest.mark.parametrize("alarm", [REFERENCE, PERIOD, RENEWED])
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
        await until(lambda: len(posted) >= len(answer))
        return answer

    answer = served(path, work, settings)
    served(path, lambda client: client.ask("/v1/alarms"), settings)
    listener.shutdown()
    listener.server_close()
    assert answer
    assert sorted(one["label"] for one in posted) == [one["label"] for one in answer]


def test_an_address_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """What could not be posted is tried again some times, and then given up, which the log says."""
    queries: list[str] = []

    def post(url: str, body: bytes) -> None:
        queries.append(url)
        raise OSError("refused")

    monkeypatch.setattr(alarms, "_post", post)
    out = StringIO()
    asyncio.run(alarms.tell("http://nobody", {"model": "m", "label": 3}, ServiceLog(out), wait=0.0))
    assert len(queries) == alarms.ATTEMPTS
    assert out.getvalue().count("alert failed") == alarms.ATTEMPTS


LOSSES: dict[str, tuple[dict[str, Any], float | None, Any]] = {
    "numbers": ({"reference": 1.0}, 4.0, lambda answer, label: min((answer["forecast"] - label) ** 2, 4.0)),
    "experts": ({"reference": 1.0}, None, lambda answer, label: (answer["forecast"] - label) ** 2),
    "bandit": ({"reference": 0.3}, None, lambda _, label: label),
    "contextual": ({"reference": 0.3}, None, lambda _, label: label),
}


@pytest.mark.parametrize("kind", LOSSES)
def test_losses_are_watched(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of numbers, forecasts and draws the alarm is that of `Watch` on what each answer lost, in the order of labels; a
    restart and `replay` give the same bits."""
    make, schema = KINDS[kind]
    alarm, most, lost = LOSSES[kind]
    settings = Settings(alarm=REFERENCE | alarm | {"mean_rounds": 10.0}, most_loss=most, snapshot_every=7)
    path = begun(tmp_path, make(), schema)
    answers: dict[str, Any] = {}

    async def work(client: Client, begin: int) -> Any:
        for place in range(begin, begin + 15):
            request = {"id": f"r{place}", "input": None if kind == "bandit" else rows(40, seed=3)[place]}
            answers[request["id"]] = (await client.ask("/v1/predict", request)).json
        await traffic(client, kind, begin, begin + 15)
        page, metrics = [(await client.ask(path)).body.decode() for path in ("/", "/metrics")]
        return (await client.ask("/v1/alarms")).json, await model(client), page, metrics

    served(path, partial(work, begin=0), settings)
    shown, last, page, metrics = served(path, partial(work, begin=15), settings)
    order = [place for begin in range(0, 30, 3) for place in (begin + 2, begin)][1 if kind == "numbers" else 0 :]
    labels = [label_of(kind, rows(40, seed=3)[place]) for place in order]
    losses = [lost(answers[f"r{place}"], label) for place, label in zip(order, labels, strict=True)]
    watch = Watch(["x"], reference=alarm["reference"], mean_rounds=10.0, value_range=tuple(shown["range"]))
    watch.add(losses)
    assert shown["labels"] == len(losses)
    assert shown["mean"] == pytest.approx(sum(losses) / len(losses))
    assert [one["label"] for one in shown["alarms"]] == [one.round for one in watch.alarms_]
    assert shown["count"] > 0
    assert f"Alarm on {shown['watched']}" in page
    assert f'regretless_alarms_total{{model="m"}} {shown["count"]}\n' in metrics
    assert f'regretless_alarm_evidence{{model="m"}} {shown["evidence"]}\n' in metrics
    assert main(["replay", str(tmp_path / "m.db"), "--save", str(tmp_path / "again.rgl")]) == 0
    assert (tmp_path / "again.rgl").read_bytes() == last


@pytest.mark.parametrize(
    ("reference", "least", "counted"),
    [
        ({"reference": None, "reference_rounds": 200}, 0.0, True),
        ({"reference": None, "period": 200}, 0.0, True),
        ({"reference": 50.0}, 0.0, False),
        ({"reference": 50.0}, -inf, True),
    ],
)
def test_of_which_losses_the_promise_is(reference: dict[str, Any], least: float, counted: bool) -> None:
    """It is about losses themselves only with a stated reference, and where none counts as more than it is."""
    charges = Charges("loss", least, inf).up_to(100.0, "x")
    alarm = alarms.LiveAlarm(alarms.settings_of(charges, {"mean_rounds": 1000.0} | reference))
    assert alarm.promise.startswith(alarm.watch.promise)
    words = f"of losses as they count, from {charges.low:g} to 100, not of the losses themselves"
    assert (words in alarm.promise) == counted


def test_losses_that_become_less_may_count_as_more() -> None:
    """The instance of the documentation: alarms beside a reference from earlier labels, though the mean fell."""
    losses = np.repeat([999.0, 50.0], [200, 200])
    losses[:200][np.arange(200) % 10 > 0] = 0.0
    charges = Charges("loss", 0.0, inf).up_to(100.0, "x")
    alarm = alarms.LiveAlarm(alarms.settings_of(charges, {"reference": None, "mean_rounds": 1000.0, "period": 200}))
    assert losses[:200].mean() > losses[200:].mean()
    assert len(alarm.add(losses.tolist())) > 1


def test_the_page_says_of_which_losses_the_promise_is(tmp_path: Path) -> None:
    """It has the promise of `/v1/alarms`: with a reference from earlier labels that of losses as they count."""
    make, schema = KINDS["numbers"]

    async def work(client: Client) -> tuple[str, str]:
        return (await client.ask("/v1/alarms")).json["promise"], (await client.ask("/")).body.decode()

    promise, page = served(begun(tmp_path, make(), schema), work, Settings(alarm=RENEWED, most_loss=4.0))
    assert promise.endswith("from 0 to 4, not of the losses themselves")
    assert promise in page


def test_rewards_are_watched_for_less(tmp_path: Path) -> None:
    """Of rewards the reference is the smallest mean that is no alarm: there is none while all are 1, some once they are
    0."""
    path = begun(tmp_path, Exp3IX(n_arms=2, rewards=True), {"arms": 2})

    async def work(client: Client) -> list[int]:
        counts = []
        for reward in (1, 0):
            for place in range(20):
                id = f"{reward}-{place}"
                await client.ask("/v1/predict", {"id": id, "input": None})
                await client.ask("/v1/label", {"id": id, "label": reward})
            shown = (await client.ask("/v1/alarms")).json
            counts.append(shown["count"])
        assert shown["reference"] == -0.5
        return counts

    good, bad = served(path, work, Settings(alarm=REFERENCE | {"reference": 0.5}))
    assert (good, bad > 0) == (0, True)


@pytest.mark.parametrize(
    ("kind", "settings", "why"),
    [
        ("numbers", {}, "losses of aggregated-regressor have no largest value"),
        ("numbers", {"most_loss": -1.0}, "--most-loss -1: a number above 0"),
        ("bandit", {"alarm": REFERENCE | {"reference": 1.5}}, "it must lie between 0 and 1"),
    ],
)
def test_what_is_refused(kind: str, settings: dict[str, Any], why: str, tmp_path: Path) -> None:
    """An alarm on losses without a largest value, and one whose reference is none, is refused at the start, and leaves
    no log behind."""
    make, schema = KINDS[kind]
    path = begun(tmp_path, make(), schema)
    with pytest.raises(RegretlessError, match=why):
        served(path, model, Settings(**{"alarm": REFERENCE} | settings))
    assert not path.with_suffix(".db").exists()
