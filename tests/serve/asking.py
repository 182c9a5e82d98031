"""A service inside the loop of a test, and how it is asked; a server in a process of its own."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from regretless.persist.model import write
from regretless.serve.access import AccessTokens
from regretless.serve.logs import ServiceLog
from regretless.serve.server import Service
from regretless.serve.settings import Settings
from regretless.serve.startup import new_model, open_model

COLUMNS = 4
PATIENCE = 120  # seconds until something that should have come is given up


@dataclass
class Answered:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON value."""
        return json.loads(self.body)


class Client:
    """Asks an ASGI application, without a socket."""

    def __init__(self, service: Service) -> None:
        self.service, self.app = service, service.app

    async def ask(
        self,
        path: str,
        body: Any = None,
        *,
        headers: dict[str, str] | None = None,
        parts: list[bytes] | None = None,
        method: str | None = None,
    ) -> Answered:
        """POST a body, or GET if there is none."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        pieces = parts or [raw]
        sent = {"content-type": "application/json", **(headers or {})}
        scope = {
            "type": "http",
            "method": method or "GET" if body is None and parts is None else "POST",
            "path": path,
            "headers": [(name.encode(), value.encode()) for name, value in sent.items()],
        }
        messages = [
            {"type": "http.request", "body": piece, "more_body": place < len(pieces) - 1}
            for place, piece in enumerate(pieces)
        ]
        out: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            if not messages and path.endswith("/stream"):  # of which the beginning is enough
                return {"type": "http.disconnect"}
            return messages.pop(0) if messages else await asyncio.Event().wait()  # type: ignore[return-value]

        async def send(message: dict[str, Any]) -> None:
            out.append(message)

        await self.app(scope, receive, send)
        named = {name.decode(): value.decode() for name, value in out[0]["headers"]}
        return Answered(out[0]["status"], named, out[1]["body"])


def begun(folder: Path, learner: Any, schema: dict[str, Any], name: str = "m") -> Path:
    """The file of a new model."""
    path = folder / f"{name}.rgl"
    write(path, *new_model(learner, schema))
    return path


def served(
    path: Path,
    work: Callable[[Client], Awaitable[Any]],
    settings: Settings | None = None,
    *,
    where: str | Path | None = None,
    shadow: Path | None = None,
    tokens: AccessTokens | None = None,
    clock: Callable[[], float] = lambda: 1e9,
) -> Any:
    """What some work returns with a model that is served meanwhile."""
    settings = settings or Settings()
    opened = open_model(path, where or path.with_suffix(".db"), settings, shadow)

    async def go() -> Any:
        async with Service(
            {path.stem: opened}, settings, tokens or AccessTokens({}), ServiceLog(StringIO()), clock
        ) as service:
            return await work(Client(service))

    return asyncio.run(go())


def rows(count: int, seed: int = 0) -> list[list[float]]:
    """Rows of features."""
    values: list[list[float]] = np.random.default_rng(seed).normal(size=(count, COLUMNS)).round(3).tolist()
    return values


async def until(holds: Callable[[], object]) -> None:
    """Wait in the loop of a test until something holds."""
    async with asyncio.timeout(PATIENCE):
        while not holds():
            await asyncio.sleep(0.01)


class Process:
    """``regretless serve`` in a process of its own, until it is stopped or killed."""

    def __init__(self, *words: object) -> None:
        command = [sys.executable, "-m", "regretless", "serve", *map(str, words), "--port", "0"]
        self._process = subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"}
        )
        self.said: list[str] = []
        self.url = ""
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self.said.append(line)
            if '"event": "serving"' in line:
                self.url = json.loads(line)["url"]
                break
        assert self.url, "".join(self.said)

    def ask(self, path: str, body: Any = None, timeout: float = PATIENCE) -> Answered:
        """POST a JSON body, or GET if there is none."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"content-type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return Answered(answer.status, dict(answer.headers), answer.read())
        except urllib.error.HTTPError as error:
            return Answered(error.code, dict(error.headers), error.read())

    def kill(self) -> None:
        """As a power cut of the process."""
        self._process.kill()
        self._process.communicate()

    def stop(self) -> int:
        """Ask it to stop; its exit code."""
        self._process.send_signal(signal.SIGTERM)
        self.said += self._process.communicate(timeout=PATIENCE)[1].splitlines()
        return self._process.returncode
