"""Finite classes of hypotheses: their dimensions, and learners with matching mistake bounds.

`FiniteClass` is a table of hypotheses and points; `vc_dimension` and `littlestone_dimension` compute its dimensions
with witnesses; `Consistent`, `Halving`, `StandardOptimal` and `RandomizedOptimal` learn it, and `worst_case` finds the
most mistakes on realizable labels. `dyadic_tree` shows that the Littlestone dimension of halfspaces is infinite.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .dimensions.dimension import Dimension
    from .dimensions.littlestone import LittlestoneSearch, littlestone_dimension
    from .dimensions.randomized import RandomizedDimension, RandomizedSearch, randomized_littlestone_dimension
    from .dimensions.vc import check_shattered, vc_dimension
    from .finite_class import FiniteClass
    from .halfspaces import Halfspaces, dyadic_tree
    from .learners.consistent import Consistent
    from .learners.halving import Halving
    from .learners.randomized import RandomizedOptimal
    from .learners.result import ClassPlay
    from .learners.standard_optimal import StandardOptimal
    from .mistake_tree import MistakeTree
    from .worst_cases.search import WorstCase, worst_case

__all__ = [
    "ClassPlay",
    "Consistent",
    "Dimension",
    "FiniteClass",
    "Halfspaces",
    "Halving",
    "LittlestoneSearch",
    "MistakeTree",
    "RandomizedDimension",
    "RandomizedOptimal",
    "RandomizedSearch",
    "StandardOptimal",
    "WorstCase",
    "check_shattered",
    "dyadic_tree",
    "littlestone_dimension",
    "randomized_littlestone_dimension",
    "vc_dimension",
    "worst_case",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    __all__,
    {
        "ClassPlay": "learners.result",
        "Dimension": "dimensions.dimension",
        "FiniteClass": "finite_class",
        "Halfspaces": "halfspaces",
        "LittlestoneSearch": "dimensions.littlestone",
        "MistakeTree": "mistake_tree",
        "RandomizedDimension": "dimensions.randomized",
        "RandomizedSearch": "dimensions.randomized",
        "WorstCase": "worst_cases.search",
        "check_shattered": "dimensions.vc",
        "dyadic_tree": "halfspaces",
        "littlestone_dimension": "dimensions.littlestone",
        "randomized_littlestone_dimension": "dimensions.randomized",
        "vc_dimension": "dimensions.vc",
        "worst_case": "worst_cases.search",
    },
)
