"""Combining experts: learners that turn many forecasts into one, a page each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

MODULES = {"Doubling": "doubling", "LabelEfficient": "label_efficient", "minimax_regret": "minimax"}

# Names: made by docs/name_lists.py of learners and MODULES
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
    from .label_efficient import LabelEfficient
    from .minimax import minimax_regret
    from .ml_poly import MLPoly
    from .ml_prod import MLProd
    from .ridge import Ridge
    from .squint import Squint
    from .weighted_majority import RandomizedWeightedMajority, WeightedMajority

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
    "LabelEfficient",
    "MLPoly",
    "MLProd",
    "RandomizedWeightedMajority",
    "Ridge",
    "Squint",
    "WeightedMajority",
    "minimax_regret",
]
# End of names

if not TYPE_CHECKING:  # to a type checker any name would stand here
    __getattr__, __dir__ = lazy_names(__name__, __all__, MODULES)
