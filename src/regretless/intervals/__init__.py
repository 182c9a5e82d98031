"""Intervals around forecasts, of anything that forecasts numbers, whose coverage holds on any sequence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

MODULES = {
    "AdaptiveIntervals": "adaptive",
    "DecayingTracker": "decaying",
    "Interval": "base",
    "QuantileTracker": "tracker",
}

# Names: made by docs/name_lists.py of MODULES
if TYPE_CHECKING:
    from .adaptive import AdaptiveIntervals
    from .base import Interval
    from .decaying import DecayingTracker
    from .tracker import QuantileTracker

__all__ = ["AdaptiveIntervals", "DecayingTracker", "Interval", "QuantileTracker"]
# End of names

if not TYPE_CHECKING:  # to a type checker any name would stand here
    __getattr__, __dir__ = lazy_names(__name__, __all__, MODULES)
