"""Streams of rounds: files in several formats, pipes and arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .arrays import ArrayStream
    from .batch import Batch
    from .feature_crosses import CrossedStream
    from .rows import open_stream
    from .stream import Stream
    from .svmlight import load_svmlight

__all__ = ["ArrayStream", "Batch", "CrossedStream", "Stream", "load_svmlight", "open_stream"]

__getattr__, __dir__ = lazy_names(
    __name__,
    __all__,
    {
        "ArrayStream": "arrays",
        "Batch": "batch",
        "CrossedStream": "feature_crosses",
        "Stream": "stream",
        "load_svmlight": "svmlight",
        "open_stream": "rows",
    },
)
