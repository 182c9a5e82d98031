"""The process that serves: requests are answered, and on a signal all that waits is finished."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from typing import Any

from ..errors import MissingError, RegretlessError
from .access import AccessTokens
from .app import App
from .engine import ModelEngine
from .logs import ServiceLog
from .settings import Settings
from .startup import Opened
from .store_thread import StoreThread

MOMENT = 0.02  # seconds between two looks whether the server listens
GRACE = 30  # seconds in which requests are finished after a signal
BACKLOG = 2048
PACKAGES = "uvicorn httptools uvloop"  # of the extra


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
        how = f"pip install 'regretless[serve]', or where that would compile, as in a clone, pip install {PACKAGES}"
        raise MissingError(f"serving needs uvicorn: {how}") from error
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
