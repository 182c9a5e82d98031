"""Spark: an estimator and its model for pyspark.ml, and the engine behind them.

Needs pyspark and a Java runtime: ``pip install 'pyspark[sql,ml]>=4'``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ...errors import MissingError

try:
    import pyspark as _pyspark  # noqa: F401 (so that it is missed here, and by its name)
except ImportError as error:
    raise MissingError(
        "this needs pyspark, which is not installed; install it with: pip install 'pyspark[sql,ml]>=4'"
    ) from error

if TYPE_CHECKING:
    from .engine import SparkEngine, SparkPartition
    from .estimator import RegretlessClassifier
    from .model import RegretlessModel
    from .survey import Partitions

__all__ = ["Partitions", "RegretlessClassifier", "RegretlessModel", "SparkEngine", "SparkPartition"]

# Imported when they are asked for: Python workers of Spark need none of them, and pyspark.ml takes a second to load.
_PLACES = {
    "Partitions": "survey",
    "RegretlessClassifier": "estimator",
    "RegretlessModel": "model",
    "SparkEngine": "engine",
    "SparkPartition": "engine",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_PLACES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES})
