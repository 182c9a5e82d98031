"""Streams of rounds: files in several formats, pipes and arrays."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .arrays import ArrayStream
    from .batch import Batch
    from .feature_crosses import CrossedStream
    from .rows import open_stream
    from .stream import Stream
    from .svmlight import load_svmlight

__all__ = ["ArrayStream", "Batch", "CrossedStream", "Stream", "load_svmlight", "open_stream"]

_MODULES = {
    "ArrayStream": "arrays",
    "Batch": "batch",
    "CrossedStream": "feature_crosses",
    "Stream": "stream",
    "load_svmlight": "svmlight",
    "open_stream": "rows",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_MODULES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
