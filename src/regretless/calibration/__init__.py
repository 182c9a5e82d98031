"""Calibration on any sequence: probabilities from scores, and forecasts corrected by bins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

MODULES = {"BinnedOffsets": "binned", "PlattScaling": "platt"}

# Names: made by docs/name_lists.py of MODULES
if TYPE_CHECKING:
    from .binned import BinnedOffsets
    from .platt import PlattScaling

__all__ = ["BinnedOffsets", "PlattScaling"]
# End of names

if not TYPE_CHECKING:  # to a type checker any name would stand here
    __getattr__, __dir__ = lazy_names(__name__, __all__, MODULES)
