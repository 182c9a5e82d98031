"""Spark: an estimator and its model for pyspark.ml, and the engine behind them.

Needs pyspark and a Java runtime: ``pip install 'regretless[spark]'``.
"""

from __future__ import annotations

from ...errors import RegretlessError

try:
    import pyspark as _pyspark  # noqa: F401
except ImportError as error:
    raise RegretlessError(
        "this needs pyspark, which is not installed; install it with: pip install 'regretless[spark]'"
    ) from error

from .engine import SparkEngine, SparkPartition
from .estimator import RegretlessClassifier
from .model import RegretlessModel
from .survey import Partitions

__all__ = ["Partitions", "RegretlessClassifier", "RegretlessModel", "SparkEngine", "SparkPartition"]
