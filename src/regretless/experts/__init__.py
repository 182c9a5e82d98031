"""Combining experts: learners that turn many forecasts into one, a page each."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .ada_normal_hedge import AdaNormalHedge
    from .adahedge import AdaHedge
    from .aggregating import AggregatingAlgorithm
    from .boa import BOA
    from .doubling import Doubling
    from .eg import EG
    from .fixed_share import FixedShare
    from .follow_the_leader import FollowTheLeader
    from .hedge import ExponentiallyWeightedAverage, Hedge
    from .ml_poly import MLPoly
    from .ml_prod import MLProd
    from .ridge import Ridge
    from .squint import Squint
    from .weighted_majority import RandomizedWeightedMajority, WeightedMajority

_HOMES = {
    "AdaHedge": "adahedge",
    "AdaNormalHedge": "ada_normal_hedge",
    "AggregatingAlgorithm": "aggregating",
    "BOA": "boa",
    "Doubling": "doubling",
    "EG": "eg",
    "ExponentiallyWeightedAverage": "hedge",
    "FixedShare": "fixed_share",
    "FollowTheLeader": "follow_the_leader",
    "Hedge": "hedge",
    "MLPoly": "ml_poly",
    "MLProd": "ml_prod",
    "RandomizedWeightedMajority": "weighted_majority",
    "Ridge": "ridge",
    "Squint": "squint",
    "WeightedMajority": "weighted_majority",
}

__all__ = [
    "BOA",
    "EG",
    "AdaHedge",
    "AdaNormalHedge",
    "AggregatingAlgorithm",
    "Doubling",
    "ExponentiallyWeightedAverage",
    "FixedShare",
    "FollowTheLeader",
    "Hedge",
    "MLPoly",
    "MLProd",
    "RandomizedWeightedMajority",
    "Ridge",
    "Squint",
    "WeightedMajority",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
