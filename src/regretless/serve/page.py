"""The page of a model in production, and the events after which a browser asks for it again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable
from html import escape
from typing import Any
from urllib.parse import quote

from ..report import ServiceReport, page_of_service, render
from .certificates import Certified, certified_lately
from .engine import ModelEngine
from .rows import ServedRows
from .shadow import Shadow

TICK = 1.0  # seconds between two looks whether there is something new
QUIET = 15.0  # seconds after which a stream without news says that it is alive
STREAM = ((b"content-type", b"text/event-stream"), (b"cache-control", b"no-store"), (b"x-accel-buffering", b"no"))


async def page_of(engine: ModelEngine) -> bytes:
    """The page as HTML."""
    report = _report(engine, await certified_lately(engine))
    return (await asyncio.to_thread(lambda: render(page_of_service(report)))).encode()


def _report(engine: ModelEngine, known: Certified) -> ServiceReport:
    live = engine.live
    served, tally = live.served, live.tally
    _, mistakes, loss = served.sums()
    now = [tally.learnt, tally.mistakes, tally.loss, mistakes - tally.base_mistakes, loss - tally.base_loss]
    points = [*tally.curve, *([now] if tally.learnt and (not tally.curve or tally.curve[-1][0] != now[0]) else [])]
    rows = isinstance(served, ServedRows)
    answered = not rows or (not tally.unanswered and (served.judges_mistakes or tally.loss is not None))
    curve = [[0.0 if one is None else one for one in point] for point in points]  # a loss that is not shown
    if not rows or not answered:  # the ledger itself is about the answers, or they are not known
        curve = [[labels, *in_order, *in_order] for labels, _, _, *in_order in curve]
    age = None if engine.oldest is None or not engine.outstanding else max(0.0, engine.now() - engine.oldest)
    return ServiceReport(
        title=f"{engine.name}, {served.learner.name}",
        learner=served.learner.name,
        certificates=known.certificates,
        certified=f"{known.described['about']}; computed after {known.rounds:,} rounds",
        before=(tally.base_rounds, tally.base_mistakes, tally.base_loss),
        curve=curve,
        answered=answered,
        judged=(served.judges_mistakes, served.judges_loss),
        delays=tally.delays,
        errors=[{**one, "label": json.loads(one["label"])} for one in tally.errors],
        weights=served.weights(),
        pending=engine.outstanding,
        oldest=age,
        expired=tally.expired,
        refused=tally.refused,
        served={"Model": engine.name, "Labels settled": live.version, "Predictions": live.number},
        live=f"/v1/models/{quote(engine.name, safe='')}/stream",
        down=engine.down,
        **_beside(live.shadow),
        watched=None if live.alarm is None else live.alarm.watch,
    )


def _beside(shadow: Shadow | None) -> dict[str, Any]:
    """The second learner, if there is one."""
    if shadow is None:
        return {}
    return {"compared": shadow.comparison, "answering": shadow.comparison.names[shadow.answering]}


def index(engines: Iterable[str]) -> bytes:
    """The pages of several models, as a list."""
    items = "".join(
        f'<li><a href="/v1/models/{quote(name, safe="")}/page">{escape(name)}</a></li>' for name in sorted(engines)
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark">'
        f"<title>Models</title></head><body><h1>Models</h1><ul>{items}</ul></body></html>"
    ).encode()


async def follow(
    engine: ModelEngine,
    receive: Callable[[], Awaitable[dict[str, Any]]],
    send: Callable[[dict[str, Any]], Awaitable[None]],
    stopping: Callable[[], bool],
    tick: float = TICK,
) -> None:
    """Server-sent events: one whenever something is new, until the browser is gone or the server stops."""
    await send({"type": "http.response.start", "status": 200, "headers": list(STREAM)})
    gone = asyncio.ensure_future(_gone(receive))
    seen, quiet = None, 0.0
    try:
        while not gone.done() and not stopping():
            state = f"{engine.live.version} {engine.live.number} {engine.outstanding} {engine.down is not None}"
            if state != seen or quiet >= QUIET:
                line = f"data: {state}\n\n" if state != seen else ": alive\n\n"
                seen, quiet = state, 0.0
                await send({"type": "http.response.body", "body": line.encode(), "more_body": True})
            await asyncio.wait({gone}, timeout=tick)
            quiet += tick
        await send({"type": "http.response.body", "body": b""})
    finally:
        gone.cancel()


async def _gone(receive: Callable[[], Awaitable[dict[str, Any]]]) -> None:
    """Wait until the browser is gone."""
    while (await receive())["type"] != "http.disconnect":
        pass
