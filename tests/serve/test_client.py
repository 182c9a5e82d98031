"""The client of a server: requests that may be sent again, and what is never sent twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pandas as pd
import pytest

import regretless.client
from regretless.client import Client, ServiceError
from regretless.errors import RegretlessError
from regretless.linear import AggregatedClassifier

from .asking import COLUMNS, Process, begun, rows


class Server:
    """Answers what is on its list, and remembers the bodies that came."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.bodies = list(answers), []  # type: list[Any], list[Any]

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.bodies.append(json.loads(request.content) if request.content else None)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, httpx.Response) else httpx.Response(200, json=answer)


def client(server: Server, **settings: Any) -> Client:
    """A client of it."""
    return Client(transport=httpx.MockTransport(server), **settings)


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """For how long was waited, without waiting."""
    waited: list[float] = []
    monkeypatch.setattr(regretless.client.time, "sleep", waited.append)
    return waited


def test_sent_again_with_the_same_id(waits: list[float]) -> None:
    """What was not answered is sent again with the same id, after the time that the server asks for."""
    busy = httpx.Response(503, json={"error": "busy"}, headers={"retry-after": "7"})
    server = Server(httpx.ReadTimeout("late"), busy, {"id": "a", "label": 1})
    assert client(server).predict_one([1.0, 2.0])["label"] == 1
    assert len({body["id"] for body in server.bodies}) == 1
    assert len(server.bodies) == 3
    assert waits[0] <= 0.1
    assert waits[1] == 7


def test_gives_up(waits: list[float]) -> None:
    """After its attempts it says what the last one met; a refusal is not asked again."""
    with pytest.raises(ServiceError, match="does not answer") as silence:
        client(Server(*[httpx.ConnectError("refused")] * 3), attempts=3).model()
    assert silence.value.status is None
    assert len(waits) == 2
    with pytest.raises(ServiceError, match="409: another label") as conflict:
        client(Server(httpx.Response(409, json={"error": "another label"}))).label_one("a", 1)
    assert conflict.value.status == 409
    assert len(waits) == 2


def test_a_page_that_is_no_answer(waits: list[float]) -> None:
    """A page of a proxy, which says that all is well, is refused as an answer with its address and its first words."""
    server = Server(httpx.Response(200, text="<html>Please log in"))
    with pytest.raises(ServiceError, match=r"200: http://127.0.0.1:8765/v1/model .*<html>Please log in") as refused:
        client(server).model()
    assert refused.value.status == 200
    assert waits == []


def test_batches() -> None:
    """Rows are sent in requests of at most `batch`, and answers come back in their order."""
    server = Server({"predictions": [{"id": "a"}, {"id": "b"}]}, {"predictions": [{"id": "c"}]})
    answers = client(server, batch=2).predict(np.arange(6.0).reshape(3, 2), ids=["a", "b", "c"])
    assert [answer["id"] for answer in answers] == ["a", "b", "c"]
    assert [one["input"] for body in server.bodies for one in body["rows"]] == [[0, 1], [2, 3], [4, 5]]


def test_rows_of_frames() -> None:
    """A row of a data frame is sent by its names, without the values that are missing."""
    server = Server({"predictions": [{}, {}]})
    client(server).predict(pd.DataFrame({"x": [1.5, None], "kind": ["a", "b"], "n": np.array([3, 4])}))
    assert [one["input"] for one in server.bodies[0]["rows"]] == [
        {"x": 1.5, "kind": "a", "n": 3},
        {"kind": "b", "n": 4},
    ]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda one: one.predict_one([float("inf")]), "finite numbers"),
        (lambda one: one.predict([[1.0]], ids=["a", "b"]), "2 ids for 1 rows"),
        (lambda one: one.predict({"x": 1.0}), "predict_one"),
    ],
)
def test_refused_before_it_is_sent(wrong: Any, words: str) -> None:
    """What cannot be sent is refused here, and no request is made."""
    server = Server()
    with pytest.raises(RegretlessError, match=words):
        wrong(client(server))
    assert server.bodies == []


def test_with_a_server(tmp_path: Path) -> None:
    """A server learns batches of labels in their order, and a label that comes again is not counted twice."""
    server = Process(begun(tmp_path, AggregatedClassifier(), {"features": COLUMNS, "classes": ["no", "yes"]}))
    try:
        with Client(server.url, batch=7) as one:
            answers = one.predict(np.array(rows(20)))
            labels = [(answer["id"], "yes" if place % 3 else "no") for place, answer in enumerate(answers)]
            assert [result["sequence"] for result in one.label(labels)] == list(range(1, 21))
            assert one.label_one(*labels[4]) == {
                "id": labels[4][0],
                "status": "learnt",
                "sequence": 5,
                "repeated": True,
            }
            assert one.model()["rounds"] == 20
            with pytest.raises(ServiceError, match="404"):
                one.label_one("nobody", "yes")
    finally:
        assert server.stop() == 0


def test_the_second_learner_and_the_alarm() -> None:
    """`promote` names the second learner, and what is said of it and of alarms comes back as it is."""
    server = Server({"shadow": "b"}, {"promoted": "b", "sequence": 3, "repeated": False}, {"count": 1})
    with client(server) as asking:
        assert [asking.shadow(), asking.promote("b")["sequence"], asking.alarms()] == [{"shadow": "b"}, 3, {"count": 1}]
    assert server.bodies == [None, {"shadow": "b"}, None]
