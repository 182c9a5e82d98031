"""Alarms for losses that get worse than a reference, with bounds on false ones; means with intervals that hold at any
time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

MODULES = {"ConfidenceSequence": "confidence", "EDetector": "detector", "VilleAlarm": "ville", "Watch": "watch"}

# Names: made by docs/name_lists.py of MODULES
if TYPE_CHECKING:
    from .confidence import ConfidenceSequence
    from .detector import EDetector
    from .ville import VilleAlarm
    from .watch import Watch

__all__ = ["ConfidenceSequence", "EDetector", "VilleAlarm", "Watch"]
# End of names

if not TYPE_CHECKING:  # to a type checker any name would stand here
    __getattr__, __dir__ = lazy_names(__name__, __all__, MODULES)
