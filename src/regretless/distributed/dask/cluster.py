"""The engine of a cluster that has an address."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from ...errors import EngineError, MissingError
from .engine import DaskEngine

PATIENCE = 10.0  # seconds that a scheduler has to answer


@contextmanager
def connected(address: str, patience: float = PATIENCE) -> Iterator[DaskEngine]:
    """The engine of a cluster, and a client of it that is closed in the end.

    Parameters
    ----------
    address : str
        Of the scheduler, such as ``tcp://10.0.0.1:8786``.
    patience : float
        How many seconds to wait for an answer.

    Raises
    ------
    EngineError
        If nothing answers, or there is no worker.
    MissingError
        If Dask's `distributed` is not installed.
    """
    try:
        from distributed import Client
        from distributed.comm import get_address_host_port
    except ImportError as error:
        raise MissingError("Dask's distributed is not installed; pip install 'dask[dataframe,distributed]'") from error
    try:
        if not address.startswith("inproc://"):
            get_address_host_port(address)  # a client that finds out by itself that it is none is never closed
        if address.startswith("tcp://") and not _in_a_loop():  # a client would wait for ever for another's server
            asyncio.run(asyncio.wait_for(_greet(address), patience))
        client = Client(address, timeout=patience, set_as_default=False)
    except (TimeoutError, OSError, ValueError) as error:
        advice = "give the address that its scheduler prints, such as tcp://10.0.0.1:8786"
        raise EngineError(f"{address}: no scheduler of Dask answers ({_first_line(error)}); {advice}") from error
    with client:
        if not client.nthreads():
            raise EngineError(f"{address}: the scheduler has no workers; start some with `dask worker {address}`")
        yield DaskEngine(client)


def _in_a_loop() -> bool:
    """Whether this runs within an event loop, as in a notebook: there `asyncio.run` is an error."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def _greet(address: str) -> None:
    """Ask the server at this address for its identity."""
    from distributed.core import rpc

    async with rpc(address) as server:
        await server.identity()


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0] or type(error).__name__
