"""Intervals around forecasts, of anything that forecasts numbers, whose coverage holds on any sequence."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .adaptive import AdaptiveIntervals
    from .base import Interval
    from .tracker import QuantileTracker

_HOMES = {"AdaptiveIntervals": "adaptive", "Interval": "base", "QuantileTracker": "tracker"}

__all__ = ["AdaptiveIntervals", "Interval", "QuantileTracker"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
