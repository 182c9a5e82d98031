"""Streams of rounds: files in several formats, pipes and arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

MODULES = {
    "ArrayStream": "arrays",
    "Batch": "batch",
    "CostTable": "decision_tables",
    "CrossedStream": "feature_crosses",
    "DecisionLog": "decision_tables",
    "LabelDecisions": "decisions",
    "LogColumns": "decision_tables",
    "Stream": "stream",
    "WabbitDecisions": "vowpal_wabbit_decisions",
    "WabbitStream": "vowpal_wabbit_rows",
    "load_svmlight": "svmlight",
    "open_stream": "rows",
    "read_advice": "arm_advice",
    "read_losses": "losses",
    "write_vowpal_wabbit": "vowpal_wabbit_rows",
}

# Names: made by docs/name_lists.py of MODULES
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
    from .vowpal_wabbit_decisions import WabbitDecisions
    from .vowpal_wabbit_rows import WabbitStream, write_vowpal_wabbit

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
    "WabbitStream",
    "load_svmlight",
    "open_stream",
    "read_advice",
    "read_losses",
    "write_vowpal_wabbit",
]
# End of names

if not TYPE_CHECKING:  # to a type checker any name would stand here
    __getattr__, __dir__ = lazy_names(__name__, __all__, MODULES)
