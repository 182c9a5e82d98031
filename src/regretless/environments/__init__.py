"""What picks the rounds: tables, chance, targets, and adversaries that watch the learner.

Environments that ask for labels (`Labels`) show a row, take the prediction, and give the label: points of
a finite class, halfspaces, targets that are sparse or that turn. Environments (`Environment`) give the losses of arms.
`environment.lower_bounds` says what every learner suffers there; `make` gives one by its name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

MODULES = {
    "ENVIRONMENTS": "registry",
    "Adaptive": "hard_arms",
    "AgnosticTree": "agnostic",
    "Asker": "asker",
    "Bernoulli": "stochastic",
    "Drifting": "stochastic",
    "DriftingTarget": "linear_targets",
    "Dyadic": "linear_adversaries",
    "Environment": "base",
    "Exponential": "linear_adversaries",
    "FairCoins": "stochastic",
    "FairLabels": "agnostic",
    "LabelFlipping": "agnostic",
    "Labels": "labels",
    "LearnerDescription": "lower_bounds",
    "LikeliestLoses": "hard_arms",
    "LowerBound": "lower_bounds",
    "MostDrawnLoses": "hard_arms",
    "Oblivious": "base",
    "ObliviousLabels": "labels",
    "OneBetterArm": "hard_arms",
    "Opponent": "base",
    "Orthonormal": "linear_adversaries",
    "RandomTarget": "points",
    "RandomizedTree": "mistake_trees",
    "Separable": "linear_targets",
    "ShatteredTree": "mistake_trees",
    "SparseTarget": "linear_targets",
    "Stochastic": "stochastic",
    "Switching": "stochastic",
    "Table": "base",
    "WrittenPoints": "points",
    "make": "registry",
    "reversal": "hard_arms",
    "written": "points",
}

# Names: made by docs/name_lists.py of MODULES
if TYPE_CHECKING:
    from .agnostic import AgnosticTree, FairLabels, LabelFlipping
    from .asker import Asker
    from .base import Environment, Oblivious, Opponent, Table
    from .hard_arms import Adaptive, LikeliestLoses, MostDrawnLoses, OneBetterArm, reversal
    from .labels import Labels, ObliviousLabels
    from .linear_adversaries import Dyadic, Exponential, Orthonormal
    from .linear_targets import DriftingTarget, Separable, SparseTarget
    from .lower_bounds import LearnerDescription, LowerBound
    from .mistake_trees import RandomizedTree, ShatteredTree
    from .points import RandomTarget, WrittenPoints, written
    from .registry import ENVIRONMENTS, make
    from .stochastic import Bernoulli, Drifting, FairCoins, Stochastic, Switching

__all__ = [
    "ENVIRONMENTS",
    "Adaptive",
    "AgnosticTree",
    "Asker",
    "Bernoulli",
    "Drifting",
    "DriftingTarget",
    "Dyadic",
    "Environment",
    "Exponential",
    "FairCoins",
    "FairLabels",
    "LabelFlipping",
    "Labels",
    "LearnerDescription",
    "LikeliestLoses",
    "LowerBound",
    "MostDrawnLoses",
    "Oblivious",
    "ObliviousLabels",
    "OneBetterArm",
    "Opponent",
    "Orthonormal",
    "RandomTarget",
    "RandomizedTree",
    "Separable",
    "ShatteredTree",
    "SparseTarget",
    "Stochastic",
    "Switching",
    "Table",
    "WrittenPoints",
    "make",
    "reversal",
    "written",
]
# End of names

if not TYPE_CHECKING:  # to a type checker any name would stand here
    __getattr__, __dir__ = lazy_names(__name__, __all__, MODULES)
