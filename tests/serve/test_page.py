"""The page of a model in production, and who may see it."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from regretless.linear import AggregatedClassifier
from regretless.serve.access import AccessTokens
from regretless.serve.views import follow, index

from .asking import COLUMNS, Client, begun, rows, served
from .test_restart import KINDS, traffic


@pytest.mark.parametrize("kind", KINDS)
def test_page_says_what_was_counted(tmp_path: Path, kind: str) -> None:
    """The page of every kind of model has its number of labels, those without one, and all of its certificates."""
    learner, schema = KINDS[kind]

    async def work(client: Client) -> tuple[Any, Any, str]:
        await traffic(client, kind, 0, 30)
        certificate, model = await client.ask("/v1/certificate"), await client.ask("/v1/model")
        return certificate.json, model.json, (await client.ask("/")).body.decode()

    certificate, model, page = served(begun(tmp_path, learner(), schema), work)
    assert f"<dt>Without a label</dt><dd>{model['pending']}" in page
    assert "<dt>Labels learned</dt><dd>20" in page
    titles = [one["line"].partition(":")[0] for one in certificate["certificates"]]
    assert titles
    assert all(title.partition(" [")[0] in unescape(page) for title in titles), titles


def test_page_without_mistakes(tmp_path: Path) -> None:
    """There is a page, with the mistakes as 0, while every answer was right."""
    path = begun(tmp_path, AggregatedClassifier(), {"features": COLUMNS, "classes": [0, 1]})

    async def work(client: Client) -> Any:
        answer = (await client.ask("/v1/predict", {"id": "a", "input": rows(1)[0]})).json
        assert (await client.ask("/v1/label", {"id": "a", "label": answer["label"]})).status == 200
        return await client.ask("/")

    page = served(path, work)
    assert page.status == 200
    assert "0 were answered wrongly" in page.body.decode()


def test_who_may_see_the_page(tmp_path: Path) -> None:
    """A browser is asked for a token as password, which lets it read and nothing else."""
    path = begun(tmp_path, AggregatedClassifier(), {"features": COLUMNS, "classes": [0, 1]})
    token = "0123456789abcdef"
    browser = {"authorization": "Basic " + b64encode(b"me:" + token.encode()).decode()}

    async def work(client: Client) -> list[Any]:
        queries = {"input": rows(1)[0]}
        return [
            await client.ask("/"),
            await client.ask("/", headers=browser),
            await client.ask("/v1/page", headers={"authorization": "Basic ?"}),
            await client.ask("/v1/predict", queries, headers=browser),
            await client.ask("/v1/predict", queries, headers={"authorization": f"Bearer {token}"}),
        ]

    unknown, replies, broken, queries, allowed = served(
        path, work, tokens=AccessTokens({token: frozenset(["predict"])})
    )
    assert [unknown.status, replies.status, broken.status, queries.status, allowed.status] == [401, 200, 401, 401, 200]
    assert unknown.headers["www-authenticate"].startswith("Basic")
    assert "frame-ancestors 'none'" in replies.headers["content-security-policy"]


def test_events(tmp_path: Path) -> None:
    """An event comes when something is new, none while nothing is, and the stream ends when the server stops."""
    path = begun(tmp_path, AggregatedClassifier(), {"features": COLUMNS, "classes": [0, 1]})
    sent: list[dict[str, Any]] = []

    async def work(client: Client) -> None:
        (engine,) = client.service.engines.values()
        stop = asyncio.Event()

        async def receive() -> Any:
            return await asyncio.Event().wait()

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        async def until(event: bytes) -> None:
            async with asyncio.timeout(30):
                while sent[-1:] == [] or sent[-1].get("body") != event:
                    await asyncio.sleep(0.01)

        stream = asyncio.ensure_future(follow(engine, receive, send, stop.is_set, tick=0.01))
        await until(b"data: 0 0 0 False\n\n")
        await client.ask("/v1/predict", {"id": "a", "input": rows(1)[0]})
        await until(b"data: 0 1 1 False\n\n")
        await asyncio.sleep(0.05)  # several ticks in which nothing is new
        stop.set()
        await stream

    served(path, work)
    events = [message["body"] for message in sent[1:]]
    assert [events[0], *events[-2:]] == [b"data: 0 0 0 False\n\n", b"data: 0 1 1 False\n\n", b""]
    assert events[1:-2] in ([], [b"data: 0 1 0 False\n\n"])  # where the disk took longer than a tick


def test_several_models() -> None:
    """Of several models the page at the root lists their pages, by names that are no more than names."""
    listed = index(["<b>", "a/b"]).decode()
    assert '<a href="/v1/models/%3Cb%3E/page">&lt;b&gt;</a>' in listed
    assert '<a href="/v1/models/a%2Fb/page">a/b</a>' in listed
