"""Streams of rounds: files in several formats, pipes and arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .arm_advice import read_advice
    from .arrays import ArrayStream
    from .batch import Batch
    from .decision_tables import CostTable, DecisionLog, LogColumns
    from .decisions import LabelDecisions
    from .feature_crosses import CrossedStream
    from .losses import read_losses
    from .rows import open_stream
    from .stream import Stream
    from .svmlight import load_svmlight
    from .vowpal_wabbit import WabbitDecisions

__all__ = [
    "ArrayStream",
    "Batch",
    "CostTable",
    "CrossedStream",
    "DecisionLog",
    "LabelDecisions",
    "LogColumns",
    "Stream",
    "WabbitDecisions",
    "load_svmlight",
    "open_stream",
    "read_advice",
    "read_losses",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    __all__,
    {
        "ArrayStream": "arrays",
        "Batch": "batch",
        "CostTable": "decision_tables",
        "CrossedStream": "feature_crosses",
        "DecisionLog": "decision_tables",
        "LabelDecisions": "decisions",
        "LogColumns": "decision_tables",
        "Stream": "stream",
        "WabbitDecisions": "vowpal_wabbit",
        "load_svmlight": "svmlight",
        "open_stream": "rows",
        "read_advice": "arm_advice",
        "read_losses": "losses",
    },
)
