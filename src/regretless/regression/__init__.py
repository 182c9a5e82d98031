"""Linear learners of numbers, a page each: square loss, quantiles, and bounds that hold against every vector."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

# Names: made by docs/name_lists.py of learners
if TYPE_CHECKING:
    from .aggregated import AggregatedQuantile, AggregatedRegressor
    from .gradient_descent import OnlineGradientDescent
    from .online_newton_step import OnlineNewtonStep
    from .vovk_azoury_warmuth import VovkAzouryWarmuth

__all__ = [
    "AggregatedQuantile",
    "AggregatedRegressor",
    "OnlineGradientDescent",
    "OnlineNewtonStep",
    "VovkAzouryWarmuth",
]
# End of names

if not TYPE_CHECKING:  # to a type checker any name would stand here
    __getattr__, __dir__ = lazy_names(__name__, __all__, {})
