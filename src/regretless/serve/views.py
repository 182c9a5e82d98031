"""What can be read of a server: its models as JSON values and as pages, its counters, and its paths (OpenAPI)."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from html import escape
from time import time
from typing import Any
from urllib.parse import quote

from .. import __version__
from ..persist.validation import plain
from ..report import ServiceReport, page_of_service, render
from ..run.comparison import Comparison
from .certificates import Certified, certified_lately, certify
from .engine import ModelEngine
from .rows import ServedRows
from .shadow import Shadow

TICK = 1.0  # seconds between two looks whether there is something new
QUIET = 15.0  # seconds after which a stream without news says that it is alive
STREAM = ((b"content-type", b"text/event-stream"), (b"cache-control", b"no-store"), (b"x-accel-buffering", b"no"))


def model_view(engine: ModelEngine) -> dict[str, Any]:
    """The learner, what may be sent to it, and how far it is."""
    live = engine.live
    learner = live.served.learner
    rounds, _, _ = live.served.sums()
    return {
        "model": engine.name,
        "learner": learner.name,
        "kind": learner.kind,
        "parameters": {name: plain(value) for name, value in learner.stored_params().items()},
        "asked": live.served.describe(),
        "rounds": rounds,
        "version": live.version,
        "predictions": live.number,
        "pending": engine.outstanding,
        "oldest_pending": engine.oldest if engine.outstanding else None,
        "down": engine.down,
    }


def model_file(engine: ModelEngine) -> bytes:
    """The bytes of the model as it stands."""
    return engine.live.snapshot(0.0).model


async def certificate_view(engine: ModelEngine) -> dict[str, Any]:
    """Its theorems on the rounds in the order of their labels."""
    return await certify(engine)


def shadow_view(engine: ModelEngine) -> dict[str, Any]:
    """The second learner beside the one that answers: mistakes or losses of both, each before its label was learned."""
    shadow = engine.live.shadow
    if shadow is None:
        return {"model": engine.name, "shadow": None}
    one = shadow.comparison
    known = one.rounds > 0
    return {
        "model": engine.name,
        "shadow": shadow.name,
        "learner": shadow.served.learner.name,
        "answering": one.names[shadow.answering],
        "promoted": engine.live.tally.promoted or None,
        "names": list(one.names),
        "labels": one.rounds,
        **({"mistakes": one.mistakes, "alone": one.apart} if one.span is None else _losses_of(one)),
        "level": one.level,
        "difference": one.difference if known else None,
        "interval": list(one.interval) if known else None,
        "better": one.better if known else None,
        "decided": one.decided,
        "certificates": [each.describe() | {"line": str(each)} for each in one.certificates] if known else [],
    }


def _losses_of(compared: Comparison) -> dict[str, Any]:
    """The losses of both, and where they lie."""
    return {"losses": compared.mistakes, "range": list(compared.span or ())}


def alarms_view(engine: ModelEngine) -> dict[str, Any]:
    """The alarm on what answers cost: its reference, its evidence, the alarms so far, and what is promised of false
    ones."""
    alarm = engine.live.alarm
    if alarm is None:
        return {"model": engine.name, "settings": None}
    watch = alarm.watch
    (column,) = watch.results()
    return {
        "model": engine.name,
        "settings": alarm.settings,
        "watched": column.name,
        "range": list(watch.value_range),
        "labels": watch.rounds_,
        "reference": column.reference,
        "reference_labels": watch.reference_rounds_,
        "mean": column.mean,
        "interval": list(column.interval),
        "evidence": column.evidence,
        "threshold": column.threshold,
        "count": column.alarms,
        "alarms": [{"label": one.round, "since": one.since, "evidence": one.evidence} for one in watch.alarms_],
        "promise": alarm.promise,
        "why": alarm.why,
        "certificates": [one.describe() | {"line": str(one)} for one in watch.certify()] if watch.rounds_ else [],
    }


def history_view(engine: ModelEngine) -> dict[str, Any]:
    """How the counts grew, how late labels were, and the latest mistakes; what was answered is None where that is not
    known."""
    tally, learner = engine.live.tally, engine.live.served.learner
    _, mistakes, loss = engine.live.served.sums()
    unknown = tally.unanswered > 0
    return {
        "model": engine.name,
        "curve": {
            "columns": ["labels", "mistakes", "loss", "mistakes_in_order", "loss_in_order"],
            "points": [[point[0], None, None, *point[3:]] for point in tally.curve] if unknown else tally.curve,
            "now": [
                tally.learnt,
                None if unknown else tally.mistakes,
                None if unknown else tally.loss,
                mistakes - tally.base_mistakes,
                loss - tally.base_loss,
            ],
        },
        "learnt": tally.learnt,
        "expired": tally.expired,
        "refused": tally.refused,
        "delays": {"within_seconds": [2**power for power in range(len(tally.delays))], "labels": tally.delays},
        "latest_mistakes": tally.errors,
        "snapshot": learner.snapshot() if hasattr(learner, "snapshot") and engine.live.version else None,
    }


# ---- the page, and the events after which a browser asks for it again


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
        promised="" if live.alarm is None else live.alarm.promise,
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


# ---- counters, in the text format of Prometheus


class Metrics:
    """What a server has done since it was started.

    Attributes
    ----------
    predicted, labelled : int
        Rows that were answered, and labels that were taken.
    """

    def __init__(self) -> None:
        self.predicted = self.labelled = 0
        self._started = time()
        self._requests: Counter[tuple[str, int]] = Counter()

    def count(self, path: str, status: int) -> None:
        """Count a request; paths that are not served are one."""
        verb = path.rpartition("/")[2] if status != 404 else "other"
        self._requests[verb, status] += 1

    def text(self, engines: Mapping[str, ModelEngine]) -> bytes:
        """All of them."""
        return "".join(f"{line}\n" for line in self._lines(engines)).encode()

    def _lines(self, engines: Mapping[str, ModelEngine]) -> Iterator[str]:
        yield "# TYPE regretless_requests_total counter"
        for (verb, status), count in sorted(self._requests.items()):
            yield f'regretless_requests_total{{path="{_escaped(verb)}",status="{status}"}} {count}'
        yield "# TYPE regretless_predictions_total counter"
        yield f"regretless_predictions_total {self.predicted}"
        yield "# TYPE regretless_labels_total counter"
        yield f"regretless_labels_total {self.labelled}"
        yield "# TYPE regretless_uptime_seconds gauge"
        yield f"regretless_uptime_seconds {time() - self._started:.3f}"
        for name, kind in GAUGES.items():
            yield f"# TYPE regretless_{name} {kind}"
            for model, engine in engines.items():
                if (value := _value(name, engine)) is not None:
                    yield f'regretless_{name}{{model="{_escaped(model)}"}} {value!r}'


GAUGES = {
    "learnt_total": "counter",
    "expired_total": "counter",
    "mistakes_total": "counter",
    "loss": "gauge",
    "alarms_total": "counter",
    "alarm_evidence": "gauge",
    "shadow_difference": "gauge",
    "pending": "gauge",
    "pending_oldest_seconds": "gauge",
    "queue": "gauge",
    "version": "gauge",
    "up": "gauge",
}


def _value(name: str, engine: ModelEngine) -> float | None:
    """A number of a model; None of an alarm or a second learner that there is not."""
    live, tally = engine.live, engine.live.tally
    if name.startswith("alarm"):
        column = None if live.alarm is None else live.alarm.watch.results()[0]
        return None if column is None else column.alarms if name == "alarms_total" else column.evidence
    if name == "shadow_difference":
        return live.shadow.comparison.difference if live.shadow is not None and live.shadow.comparison.rounds else None
    oldest = engine.oldest if engine.outstanding else None
    values: dict[str, float] = {
        "learnt_total": tally.learnt,
        "expired_total": tally.expired,
        "mistakes_total": tally.mistakes,
        "loss": live.served.sums()[2] - tally.base_loss,
        "pending": engine.outstanding,
        "pending_oldest_seconds": 0.0 if oldest is None else max(0.0, time() - oldest),
        "queue": engine.waiting,
        "version": engine.live.version,
        "up": int(engine.down is None),
    }
    return values[name]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


# ---- the OpenAPI document, which a test holds against what the server does

VERBS = {
    "predict": ("post", "Predict rows. What is answered is written down before; an id that comes again is answered the "
                "very same bytes.", (200, 400, 401, 403, 404, 405, 408, 409, 413, 415, 422, 503)),
    "label": ("post", "Report labels by the ids of their predictions.",
              (200, 207, 400, 401, 403, 404, 405, 408, 409, 410, 413, 415, 422, 503)),
    "promote": ("post", "Let the second learner of this name answer from here on, and the other one learn beside it.",
                (200, 400, 401, 403, 404, 405, 408, 409, 413, 415, 503)),
    "model": ("get", "The learner, what may be sent to it, and how far it is.", (200, 401, 405)),
    "model.rgl": ("get", "The model file as it stands.", (200, 401, 403, 405)),
    "page": ("get", "What is known of the model as a page, which follows it.", (200, 401, 405)),
    "stream": ("get", "Server-sent events, one whenever something is new.", (200, 401, 405, 503)),
    "certificate": ("get", "Its theorems on the rounds in the order of their labels.", (200, 401, 405)),
    "shadow": ("get", "The second learner, and the difference of the mistakes or losses of both in its interval.",
               (200, 401, 405)),
    "alarms": ("get", "The alarm on mistakes, losses or rewards, and what is promised of false ones.", (200, 401, 405)),
    "history": ("get", "How the counts grew, how late labels were, and the latest mistakes.", (200, 401, 405)),
}  # fmt: skip
SERVER = {
    "/": ("The page of the model, or the pages of all.", (200, 401, 405)),
    "/healthz": ("The process is alive.", (200, 405)),
    "/readyz": ("Every model can predict and learn now.", (200, 405, 503)),
    "/metrics": ("Counters, in the text format of Prometheus.", (200, 401, 405)),
    "/openapi.json": ("This document.", (200, 405)),
    "/v1/models": ("All models.", (200, 401, 405)),
}
WORDS = {
    200: "done",
    207: "some labels were learned, and others not: each says its own",
    400: "the body is not what it is to be",
    401: "a token is missing, or is not known",
    403: "the token does not allow this",
    404: "there is no such model, or no prediction of this id",
    405: "another method is asked for",
    408: "the body did not come in time",
    409: "the id was used for another input, or the prediction has another label already",
    410: "the prediction was given up before its label came",
    413: "the body is too large, or has too many rows",
    415: "bodies are JSON, NDJSON or an Arrow stream",
    421: "without tokens: the header Host has a name that --allow-host does not allow",
    422: "the input or the label is none that the model can take",
    503: "nothing can be written down now; the header Retry-After says when to come again",
}
ASKED = {"type": "object", "required": ["input"], "additionalProperties": False, "properties": {
    "id": {"type": "string", "minLength": 1, "maxLength": 200},
    "input": {"description": "what /v1/model says under asked"},
}}  # fmt: skip
REPORTED = {"type": "object", "required": ["label"], "additionalProperties": False, "properties": {
    "id": {"type": "string", "minLength": 1, "maxLength": 200},
    "label": {"description": "a label, an outcome or a loss, as /v1/model says under asked"},
    "input": {"description": "where the prediction was not written down: what was predicted"},
}}  # fmt: skip
PROMOTED = {"type": "object", "required": ["shadow"], "additionalProperties": False, "properties": {
    "shadow": {"type": "string", "description": "the name of the second learner, so that asking twice changes nothing"},
}}  # fmt: skip


def document() -> dict[str, Any]:
    """The document as JSON values."""
    paths: dict[str, Any] = {}
    for name, (method, words, codes) in VERBS.items():
        one = {"summary": words, "responses": _responses(codes)}
        if method == "post":
            one["requestBody"] = _body(name)
        paths[f"/v1/{name}"] = {method: one}
        model = {"name": "model", "in": "path", "required": True, "schema": {"type": "string"}}
        paths[f"/v1/models/{{model}}/{name}"] = {
            method: one | {"parameters": [model], "responses": _responses({*codes, 404})}
        }
    for path, (words, codes) in SERVER.items():
        paths[path] = {"get": {"summary": words, "responses": _responses(codes)}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "regretless serve", "version": __version__},
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "security": [{}, {"token": []}],
        "paths": paths,
    }


def _body(name: str) -> dict[str, Any]:
    if name == "promote":
        return {"required": True, "content": {"application/json": {"schema": PROMOTED}}}
    one, many = (ASKED, "rows") if name == "predict" else (REPORTED, "labels")
    several = {"type": "object", "required": [many], "properties": {many: {"type": "array", "items": one}}}
    return {
        "required": True,
        "content": {
            "application/json": {"schema": {"oneOf": [one, several]}},
            "application/x-ndjson": {"schema": {"description": "an object of this kind a line", "items": one}},
            "application/vnd.apache.arrow.stream": {
                "schema": {"description": "columns id and label, and one for each value of the input by its name"}
            },
        },
    }


def _responses(codes: Any) -> dict[str, Any]:
    return {str(code): {"description": WORDS[code]} for code in sorted({*codes, 421})}
