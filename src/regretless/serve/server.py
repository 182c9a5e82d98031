"""The HTTP side: which path asks what, within which limits and in what time, and how it is answered; and the process
that serves until a signal, when all that waits is finished."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext, suppress
from typing import Any

from ..errors import MissingError, RegretlessError
from .access import AccessTokens, is_known
from .engine import ModelEngine
from .logs import ServiceLog
from .requests import LINES, RequestError, SlowBodies, read_labels, read_promotion, read_rows
from .settings import Settings
from .startup import Opened
from .store_thread import StoreThread
from .views import (
    Metrics,
    alarms_view,
    certificate_view,
    document,
    follow,
    history_view,
    index,
    model_file,
    model_view,
    page_of,
    shadow_view,
)
from .wire import write_json

Scope = dict[str, Any]
Headers = Mapping[bytes, bytes]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Reply = tuple[int, bytes, bytes, list[tuple[bytes, bytes]]]  # status, type, body and further headers
JSON_TYPE = b"application/json"
BARE = ((b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff"))
HTML_TYPE = b"text/html; charset=utf-8"
NOT_FRAMED = [(b"content-security-policy", b"frame-ancestors 'none'"), (b"referrer-policy", b"no-referrer")]
ASKED = (b"www-authenticate", b'Basic realm="regretless: any name, and a token for password"')  # a browser asks for it
MOST_STREAMS = 100
SCOPE_OF = {"predict": "predict", "label": "label", "model.rgl": "admin", "promote": "admin"}
MOMENT = 0.02  # seconds between two looks whether the server listens
GRACE = 30  # seconds in which requests are finished after a signal
BACKLOG = 2048
PACKAGES = "uvicorn httptools uvloop"  # of the extra


class App:
    """An ASGI application that serves models.

    Parameters
    ----------
    engines : mapping of str to ModelEngine
        By the names of the models. One alone is also asked without its name.
    settings : Settings
    tokens : AccessTokens
    log : ServiceLog
    """

    def __init__(
        self, engines: Mapping[str, ModelEngine], settings: Settings, tokens: AccessTokens, log: ServiceLog
    ) -> None:
        self.engines, self.settings, self.metrics = engines, settings, Metrics()
        self.stopping, self._streams = False, 0
        self._tokens, self._log, self._slow = tokens, log, SlowBodies(settings.body_seconds)
        self._posts = {"predict": self._predict, "label": self._label, "promote": self._promote}
        self._gets: dict[str, Callable[[ModelEngine], Any]] = {
            "model": model_view,
            "certificate": certificate_view,
            "history": history_view,
            "shadow": shadow_view,
            "alarms": alarms_view,
        }
        self._others = ("model.rgl", "page", "stream")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            raise RuntimeError(f"{scope['type']} is not served")
        method, path, sent = scope["method"], scope["path"], dict(scope["headers"])
        try:
            self._refuse_host(sent.get(b"host"))
            if path.endswith("/stream") and await self._stream(method, path, sent, receive, send):
                return
            status, kind, body, more = await self._answer(method, path, sent, receive)
        except RequestError as problem:
            status, kind, body, more = _of_problem(problem, *_for_browsers(problem, path))
        except RegretlessError as error:
            status, kind, body, more = _of_problem(RequestError(400, str(error)))
        except asyncio.CancelledError:
            raise
        except Exception as error:
            self._log.error("a request failed", path=path[:200], reason=repr(error))
            status, kind, body, more = _of_problem(RequestError(500, "the server failed; its log says more"))
        self.metrics.count(path, status)
        if self.settings.log_requests != "none":
            self._log.info("request", method=method, path=path[:200], status=status)
        headers = [(b"content-type", kind), (b"content-length", b"%d" % len(body)), *BARE, *more]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if method == "HEAD" else body})

    async def _answer(self, method: str, path: str, headers: Headers, receive: Receive) -> Reply:
        engine, verb = self._route(path)
        if engine is not None and verb in self._posts:
            self._allow(headers, verb)
            if method != "POST":
                return _of_problem(RequestError(405, f"{path} is asked by POST"), (b"allow", b"POST"))
            kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower().decode("latin-1")
            body = await self._body(headers, receive)
            if self.settings.log_requests == "bodies":
                self._log.info("body", path=path, text=body.decode("utf-8", "replace"))
            return await self._posts[verb](engine, kind, body)
        if method not in ("GET", "HEAD"):
            return _of_problem(RequestError(405, f"{path} is asked by GET"), (b"allow", b"GET, HEAD"))
        if engine is None:
            return self._about_server(verb, headers)
        self._allow(headers, verb)
        if verb == "model.rgl":
            return 200, b"application/octet-stream", model_file(engine), []
        if verb == "stream":  # only its head is asked for
            return 200, b"text/event-stream", b"", []
        if verb == "page":
            return 200, HTML_TYPE, await page_of(engine), NOT_FRAMED
        answer = self._gets[verb](engine)
        return 200, JSON_TYPE, write_json(await answer if asyncio.iscoroutine(answer) else answer), []

    async def _stream(self, method: str, path: str, headers: Headers, receive: Receive, send: Send) -> bool:
        """Answer with events, where that is asked by GET; whether it was."""
        engine, verb = self._route(path)
        if engine is None or verb != "stream" or method != "GET":
            return False
        self._allow(headers, verb)
        if self._streams >= MOST_STREAMS:
            raise RequestError(503, f"{MOST_STREAMS} pages follow already", 30)
        self._streams += 1
        self.metrics.count(path, 200)
        try:
            await follow(engine, receive, send, lambda: self.stopping)
        finally:
            self._streams -= 1
        return True

    def _route(self, path: str) -> tuple[ModelEngine | None, str]:
        """The model that a path names, and what is asked of it; None and a word about the server."""
        parts = path.split("/")[1:]
        if parts == [""]:
            return (next(iter(self.engines.values())), "page") if len(self.engines) == 1 else (None, "index")
        if parts == ["healthz"] or parts == ["readyz"] or parts == ["metrics"] or parts == ["openapi.json"]:
            return None, parts[0]
        if parts == ["v1", "models"]:
            return None, "models"
        if len(parts) == 4 and parts[:2] == ["v1", "models"]:
            if parts[2] not in self.engines:
                raise RequestError(404, f"there is no model {parts[2]!r}; /v1/models lists them")
            engine, verb = self.engines[parts[2]], parts[3]
        elif len(parts) == 2 and parts[0] == "v1":
            if len(self.engines) != 1:
                raise RequestError(404, "there are several models: ask /v1/models/NAME/...; /v1/models lists them")
            engine, verb = next(iter(self.engines.values())), parts[1]
        else:
            raise RequestError(404, f"there is no {path[:200]!r}; /openapi.json says what there is")
        if verb not in self._posts and verb not in self._gets and verb not in self._others:
            raise RequestError(404, f"there is no {path[:200]!r}; /openapi.json says what there is")
        return engine, verb

    def _refuse_host(self, host: bytes | None) -> None:
        """Refuse what a page from elsewhere asks through a name of its own; a browser always says the name."""
        names = self.settings.hosts
        if self._tokens or names is None or host is None or is_known(host.decode("latin-1"), names):
            return
        name = host[:60].decode("latin-1")
        raise RequestError(421, f"a server without tokens is not asked as {name!r}, unless --allow-host has that")

    def _allow(self, headers: Headers, verb: str) -> None:
        status = self._tokens.status(headers.get(b"authorization"), SCOPE_OF.get(verb, "read"))
        if status == 401:
            raise RequestError(401, "a bearer token is expected, in the header Authorization")
        if status == 403:
            raise RequestError(403, f"the token does not allow {SCOPE_OF.get(verb, verb)}")

    async def _body(self, headers: Headers, receive: Receive) -> bytes:
        """The body of a request, unless it is too large or does not come."""
        most = self.settings.body
        too_large = RequestError(413, f"the body is larger than {most} bytes")
        length = headers.get(b"content-length")
        if length is not None and (not length.isdigit() or int(length) > most):
            raise too_large
        parts: list[bytes] = []
        size, more = 0, True
        with self._slow.watched():
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise RequestError(400, "the client is gone")
                parts.append(message.get("body", b""))
                size, more = size + len(parts[-1]), message.get("more_body", False)
                if size > most:
                    raise too_large
        return parts[0] if len(parts) == 1 else b"".join(parts)

    async def _predict(self, engine: ModelEngine, kind: str, body: bytes) -> Reply:
        asked, many = read_rows(kind, body, self.settings.rows)
        answers = await engine.predict(asked)
        self.metrics.predicted += len(answers)
        if kind == LINES:
            return 200, LINES.encode(), b"\n".join(answers) + b"\n", []
        return 200, JSON_TYPE, b'{"predictions":[' + b",".join(answers) + b"]}" if many else answers[0], []

    async def _label(self, engine: ModelEngine, kind: str, body: bytes) -> Reply:
        reported, many = read_labels(kind, body, self.settings.rows)
        results = await engine.label(reported)
        self.metrics.labelled += sum(result["status"] == "learnt" for result in results)
        if not many:
            (result,) = results
            if "code" in result:
                raise RequestError(result["code"], result["reason"])
            return 200, JSON_TYPE, write_json(result), []
        status = 207 if any("code" in result for result in results) else 200
        if kind == LINES:
            return status, LINES.encode(), b"".join(write_json(result) + b"\n" for result in results), []
        return status, JSON_TYPE, write_json({"labels": results}), []

    async def _promote(self, engine: ModelEngine, kind: str, body: bytes) -> Reply:
        return 200, JSON_TYPE, write_json(await engine.promote(read_promotion(kind, body))), []

    def _about_server(self, verb: str, headers: Headers) -> Reply:
        if verb == "healthz":
            return 200, JSON_TYPE, b'{"status":"alive"}', []
        if verb == "readyz":
            down = {name: engine.down for name, engine in self.engines.items() if engine.down is not None}
            stopping = any(engine.closing for engine in self.engines.values())
            if down or stopping:
                raise RequestError(503, "; ".join(down) + ": not ready" if down else "the server is stopping", 5)
            return 200, JSON_TYPE, b'{"status":"ready"}', []
        if verb == "openapi.json":
            return 200, JSON_TYPE, write_json(document()), []
        self._allow(headers, verb)
        if verb == "metrics":
            return 200, b"text/plain; version=0.0.4; charset=utf-8", self.metrics.text(self.engines), []
        if verb == "index":
            return 200, HTML_TYPE, index(self.engines), NOT_FRAMED
        models = {name: model_view(engine) for name, engine in self.engines.items()}
        return 200, JSON_TYPE, write_json({"models": models}), []


def _for_browsers(problem: RequestError, path: str) -> list[tuple[bytes, bytes]]:
    """The header after which a browser asks its user for a token, where a page was refused."""
    return [ASKED] if problem.status == 401 and (path == "/" or path.endswith("/page")) else []


def _of_problem(problem: RequestError, *more: tuple[bytes, bytes]) -> Reply:
    headers = list(more)
    if problem.again is not None:
        headers.append((b"retry-after", b"%d" % max(1, round(problem.again))))
    if problem.status == 401:
        headers.insert(0, (b"www-authenticate", b"Bearer"))
    if problem.status in (408, 413):
        headers.append((b"connection", b"close"))  # what is still to come of the body is not read
    return problem.status, JSON_TYPE, write_json({"error": str(problem), "status": problem.status}), headers


# ---- the process


class Service:
    """Engines and the application that asks them, inside a running loop.

    Parameters
    ----------
    opened : mapping of str to Opened
        By the names of the models.
    settings : Settings
    tokens : AccessTokens
    log : ServiceLog
    clock : callable
        The time in seconds since 1970.
    """

    def __init__(
        self,
        opened: Mapping[str, Opened],
        settings: Settings,
        tokens: AccessTokens,
        log: ServiceLog,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.engines = {
            name: ModelEngine(name, one.live, StoreThread(one.store), settings, log, one.where, one.rows, clock)
            for name, one in opened.items()
        }
        self.app = App(self.engines, settings, tokens, log)

    async def __aenter__(self) -> Service:
        try:
            for engine in self.engines.values():
                await engine.start()
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        ends = [await _end(engine) for engine in self.engines.values()]  # whatever fails, all of them are closed
        for error in filter(None, ends):
            raise error


async def _end(engine: ModelEngine) -> Exception | None:
    try:
        await engine.close()
    except Exception as error:
        return error
    return None


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens.

    Raises
    ------
    RegretlessError
        If the address is taken or is none of this machine's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise RegretlessError(f"{host}:{port} cannot be listened on: {error.strerror or error}") from error


def server_package() -> Any:
    """The package that speaks HTTP.

    Raises
    ------
    MissingError
        If it is not installed.
    """
    try:
        import uvicorn
    except ImportError as error:
        raise MissingError.of_extra("serving needs uvicorn", "serve", PACKAGES) from error
    return uvicorn


def serve(
    opened: Mapping[str, Opened], listening: socket.socket, settings: Settings, tokens: AccessTokens, log: ServiceLog
) -> None:
    """Serve until SIGTERM or Ctrl-C, then finish what is begun.

    Raises
    ------
    MissingError
        If the packages of the extra ``serve`` are not installed.
    """
    uvicorn = server_package()
    _allow_connections()

    async def work() -> None:
        async with Service(opened, settings, tokens, log) as service:
            config = uvicorn.Config(
                service.app,
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,  # nothing is decided by where a request comes from
                ws="none",
                interface="asgi3",
                date_header=False,
                timeout_graceful_shutdown=GRACE,
            )
            server: Any = uvicorn.Server(config)
            server.capture_signals = nullcontext  # signals are ours
            loop = asyncio.get_running_loop()
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(number, _stop, server, service, log)
            telling = asyncio.ensure_future(_tell(server, listening, log))
            await server.serve(sockets=[listening])
            telling.cancel()
        log.info("stopped")
        notify("STOPPING=1")

    _run(work())


def _run(work: Any) -> None:
    """Run it on the quickest loop there is."""
    try:
        import uvloop
    except ImportError:
        asyncio.run(work)
        return
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(work)


def _stop(server: Any, service: Service, log: ServiceLog) -> None:
    if not server.should_exit:
        log.info("stopping", waiting=sum(engine.waiting for engine in service.engines.values()))
    service.app.stopping = server.should_exit = True


async def _tell(server: Any, listening: socket.socket, log: ServiceLog) -> None:
    """Say so once the server listens."""
    while not server.started:
        await asyncio.sleep(MOMENT)
    host, port = listening.getsockname()[:2]
    log.info("serving", url=f"http://{f'[{host}]' if ':' in host else host}:{port}", process=os.getpid())
    notify("READY=1")


def notify(state: str) -> None:
    """Tell the service manager of systemd, if it started this process (sd_notify)."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
        out.connect(f"\0{address[1:]}" if address.startswith("@") else address)
        out.send(state.encode())


def _allow_connections() -> None:
    """As many open connections as the system allows this process."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
