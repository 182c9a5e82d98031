"""Finite classes of hypotheses: their dimensions, and learners with matching mistake bounds.

`FiniteClass` is a table of hypotheses and points, and `FAMILIES` lists those that have names; `vc_dimension` and
`littlestone_dimension` compute its dimensions with witnesses; `Consistent`, `Halving`, `StandardOptimal` and
`RandomizedOptimal` learn it, and `worst_case` finds the most mistakes on realizable labels. `dyadic_tree` shows that
the Littlestone dimension of halfspaces is infinite.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

MODULES = {
    "FAMILIES": "families",
    "ClassPlay": "learners.rounds",
    "Dimension": "dimension",
    "FiniteClass": "finite_class",
    "Halfspaces": "halfspaces",
    "LittlestoneSearch": "littlestone",
    "MistakeTree": "mistake_tree",
    "RandomizedDimension": "littlestone",
    "RandomizedSearch": "littlestone",
    "WorstCase": "forced_mistakes",
    "check_shattered": "vc",
    "dyadic_tree": "halfspaces",
    "littlestone_dimension": "littlestone",
    "randomized_littlestone_dimension": "littlestone",
    "vc_dimension": "vc",
    "worst_case": "forced_mistakes",
}

# Names: made by docs/name_lists.py of learners and MODULES
if TYPE_CHECKING:
    from .dimension import Dimension
    from .families import FAMILIES
    from .finite_class import FiniteClass
    from .forced_mistakes import WorstCase, worst_case
    from .halfspaces import Halfspaces, dyadic_tree
    from .learners.consistent import Consistent
    from .learners.halving import Halving
    from .learners.randomized import RandomizedOptimal
    from .learners.rounds import ClassPlay
    from .learners.standard_optimal import StandardOptimal
    from .littlestone import (
        LittlestoneSearch,
        RandomizedDimension,
        RandomizedSearch,
        littlestone_dimension,
        randomized_littlestone_dimension,
    )
    from .mistake_tree import MistakeTree
    from .vc import check_shattered, vc_dimension

__all__ = [
    "FAMILIES",
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
# End of names

if not TYPE_CHECKING:  # to a type checker any name would stand here
    __getattr__, __dir__ = lazy_names(__name__, __all__, MODULES)
