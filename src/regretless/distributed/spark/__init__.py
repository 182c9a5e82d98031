"""Spark: an estimator and its model for pyspark.ml, and the engine behind them.

Needs pyspark and a Java runtime: ``pip install 'pyspark[sql,ml]>=4'``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import MissingError
from ...lazy_names import lazy_names

try:
    import pyspark as _pyspark  # noqa: F401 (so that it is missed here, and by its name)
except ImportError as error:
    raise MissingError(
        "this needs pyspark, which is not installed; install it with: pip install 'pyspark[sql,ml]>=4'"
    ) from error

MODULES = {
    "Partitions": "survey",
    "RegretlessClassifier": "estimator",
    "RegretlessModel": "model",
    "SparkEngine": "engine",
    "SparkPartition": "engine",
}

# Names: made by docs/name_lists.py of MODULES
if TYPE_CHECKING:
    from .engine import SparkEngine, SparkPartition
    from .estimator import RegretlessClassifier
    from .model import RegretlessModel
    from .survey import Partitions

__all__ = ["Partitions", "RegretlessClassifier", "RegretlessModel", "SparkEngine", "SparkPartition"]
# End of names

# Imported when they are asked for: Python workers of Spark need none of them, and pyspark.ml takes a second to load.
if not TYPE_CHECKING:  # to a type checker any name would stand here
    __getattr__, __dir__ = lazy_names(__name__, __all__, MODULES)
