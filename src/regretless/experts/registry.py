"""The closed table of combiners: the only names that a command line or a model file may use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..errors import RegretlessError

if TYPE_CHECKING:
    from .base import ExpertLearner

EXPERT_LEARNERS = {
    "hedge": ("hedge", "Hedge"),
    "ewa": ("hedge", "ExponentiallyWeightedAverage"),
    "weighted-majority": ("weighted_majority", "WeightedMajority"),
    "randomized-weighted-majority": ("weighted_majority", "RandomizedWeightedMajority"),
    "adahedge": ("adahedge", "AdaHedge"),
    "ml-poly": ("ml_poly", "MLPoly"),
    "ml-prod": ("ml_prod", "MLProd"),
    "boa": ("boa", "BOA"),
    "squint": ("squint", "Squint"),
    "fixed-share": ("fixed_share", "FixedShare"),
    "aggregating": ("aggregating", "AggregatingAlgorithm"),
    "ridge": ("ridge", "Ridge"),
    "eg": ("eg", "EG"),
}


def expert_class(name: str) -> type[ExpertLearner]:
    """The class of a combiner by its hyphened name."""
    if name not in EXPERT_LEARNERS:
        raise RegretlessError(f"there is no combiner called {name!r}; there are: {', '.join(EXPERT_LEARNERS)}")
    module, attribute = EXPERT_LEARNERS[name]
    found: Any = getattr(import_module(f"{__package__}.{module}"), attribute)
    return found  # type: ignore[no-any-return]
