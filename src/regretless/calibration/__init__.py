"""Calibration on any sequence: probabilities from scores, and forecasts corrected by bins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .binned import BinnedOffsets
    from .platt import PlattScaling

__all__ = ["BinnedOffsets", "PlattScaling"]

__getattr__, __dir__ = lazy_names(__name__, __all__, {"BinnedOffsets": "binned", "PlattScaling": "platt"})
