"""The OpenAPI document of the server; a test holds it against what the server does."""

from __future__ import annotations

from typing import Any

from .. import __version__

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
    "shadow": ("get", "The second learner, and the difference of the mistakes of both within its interval.",
               (200, 401, 405)),
    "alarms": ("get", "The alarm on mistakes, and what is promised of false ones.", (200, 401, 405)),
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
