"""Parameter mixing on Dask: partitions are played where they are, and only weights travel.

It needs ``dask`` and, for a cluster, ``distributed``: ``pip install 'regretless[dask]'``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...errors import EngineError, MissingError, RegretlessError

try:
    import dask as _dask  # noqa: F401 (so that it is missed here, and by its name)
except ImportError as error:
    raise MissingError("Dask is not installed; pip install 'regretless[dask]'") from error

from ..mixing import Mixture
from ..mixing import mix as _mix
from .classifier import DaskClassifier
from .engine import DaskEngine
from .shards import partitions

__all__ = ["DaskClassifier", "DaskEngine", "connected", "engine_for", "mix", "partitions"]

PATIENCE = 10.0


def mix(learner: Any, shards: Any, *, label: str | None = None, client: Any = None, **how: Any) -> Mixture:
    """Learn from the partitions of Dask collections, or from other shards, on Dask.

    Parameters
    ----------
    learner : OnlineClassifier
        Left as it is; see `regretless.distributed.mix`.
    shards : dask.dataframe.DataFrame, (X, y), list of dask.delayed, or what `regretless.distributed.mix` takes
        See `partitions`. Paths must lead to the same files on every worker.
    label : str, optional
        Of data frames: the column that holds the labels.
    client : distributed.Client, optional
        By default the current one; without any, Dask's scheduler for this machine, which is threads.
    **how
        What else `regretless.distributed.mix` takes: epochs, weights, together, classes, checkpoint and so on.

    Returns
    -------
    Mixture
        The same, bit for bit, as of the same shards without Dask. It needs no Dask but for `certify`.

    Raises
    ------
    DataError
        If a partition is empty or cannot be used; it is named.
    EngineError
        If the cluster is lost, or its workers die again and again of one shard.
    RegretlessError
        If the learner cannot be mixed, or the shards are nothing of that kind.
    """
    return _mix(learner, partitions(shards, label=label), DaskEngine(client), **how)


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
        raise MissingError("Dask's distributed is not installed; pip install 'regretless[dask]'") from error
    try:
        if not address.startswith("inproc://"):
            get_address_host_port(address)  # a client that finds out by itself that it is none is never closed
        if address.startswith("tcp://") and not _in_a_loop():  # a client would wait for ever for another's server
            asyncio.run(asyncio.wait_for(_greeted(address), patience))
        client = Client(address, timeout=patience, set_as_default=False)
    except (TimeoutError, OSError, ValueError) as error:
        advice = "give the address that its scheduler prints, such as tcp://10.0.0.1:8786"
        raise EngineError(f"{address}: no scheduler of Dask answers ({_first_line(error)}); {advice}") from error
    with client:
        if not client.nthreads():
            raise EngineError(f"{address}: the scheduler has no workers; start some with `dask worker {address}`")
        yield DaskEngine(client)


def _in_a_loop() -> bool:
    """Whether this runs within an event loop, as in a notebook: there nothing can be waited for."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def _greeted(address: str) -> None:
    """Ask the server at this address for its identity."""
    from distributed.core import rpc

    async with rpc(address) as server:
        await server.identity()


def engine_for(executor: Any) -> DaskEngine:
    """The engine of a client, or of the executor that it gives.

    Raises
    ------
    RegretlessError
        If it is neither.
    """
    client = getattr(executor, "_client", executor)  # `Client.get_executor` has it there, and nowhere else
    if not hasattr(client, "who_has"):
        raise RegretlessError(
            f"{type(executor).__name__} runs nothing; give a distributed.Client or its get_executor()"
        )
    return DaskEngine(client)


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0] or type(error).__name__
