"""Linear learners of numbers, a page each: square loss, quantiles, and bounds that hold against every vector."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

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

_HOMES = {
    "AggregatedQuantile": "aggregated",
    "AggregatedRegressor": "aggregated",
    "OnlineGradientDescent": "gradient_descent",
    "OnlineNewtonStep": "online_newton_step",
    "VovkAzouryWarmuth": "vovk_azoury_warmuth",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
