"""Parameter mixing on Dask: partitions are played where they are, and only weights travel.

It needs ``dask`` and, for a cluster, ``distributed``: ``pip install 'dask[dataframe,distributed]'``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ...errors import MissingError

try:
    import dask as _dask  # noqa: F401 (so that it is missed here, and by its name)
except ImportError as error:
    raise MissingError("Dask is not installed; pip install 'dask[dataframe,distributed]'") from error

if TYPE_CHECKING:
    from .classifier import DaskClassifier, mix
    from .engine import DaskEngine, connected, engine_for
    from .shards import partitions

__all__ = ["DaskClassifier", "DaskEngine", "connected", "engine_for", "mix", "partitions"]

# Imported when they are asked for: what mixes over shards asks the engine's module, and is itself asked by the others.
_MODULES = {
    "DaskClassifier": "classifier",
    "DaskEngine": "engine",
    "connected": "engine",
    "engine_for": "engine",
    "mix": "classifier",
    "partitions": "shards",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_MODULES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
