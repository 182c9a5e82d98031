"""What picks the rounds: tables, chance, targets, and adversaries that watch the learner.

Environments that ask for labels (`Labels`) show a row, take the prediction, and give the label: points of
a finite class, halfspaces, targets that are sparse or that turn. Environments (`Environment`) give the losses of arms.
`environment.lower_bounds` says what every learner suffers there; `make` gives one by its name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .adversaries.agnostic_tree import AgnosticTree
    from .adversaries.constant_experts import FairLabels, LabelFlipping
    from .adversaries.dyadic import Dyadic
    from .adversaries.exponential import Exponential
    from .adversaries.orthonormal import Orthonormal
    from .adversaries.randomized_tree import RandomizedTree
    from .adversaries.tree import ShatteredTree
    from .arms.adaptive import Adaptive, LikeliestLoses, MostDrawnLoses
    from .arms.lower_bounds import FairCoins, OneBetterArm, reversal
    from .arms.stochastic import Bernoulli, Stochastic
    from .arms.switching import Drifting, Switching
    from .arms.table import Table
    from .asker import Asker
    from .base import Environment, Oblivious, Opponent
    from .labels import Labels, ObliviousLabels
    from .lower_bounds import LearnerDescription, LowerBound
    from .registry import ENVIRONMENTS, make
    from .targets.points import RandomTarget, WrittenPoints, written
    from .targets.separable import DriftingTarget, Separable
    from .targets.sparse import SparseTarget

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

__getattr__, __dir__ = lazy_names(
    __name__,
    __all__,
    {
        "Adaptive": "arms.adaptive",
        "AgnosticTree": "adversaries.agnostic_tree",
        "Asker": "asker",
        "Bernoulli": "arms.stochastic",
        "Drifting": "arms.switching",
        "DriftingTarget": "targets.separable",
        "Dyadic": "adversaries.dyadic",
        "Environment": "base",
        "Exponential": "adversaries.exponential",
        "FairCoins": "arms.lower_bounds",
        "FairLabels": "adversaries.constant_experts",
        "LabelFlipping": "adversaries.constant_experts",
        "Labels": "labels",
        "LikeliestLoses": "arms.adaptive",
        "MostDrawnLoses": "arms.adaptive",
        "ENVIRONMENTS": "registry",
        "Oblivious": "base",
        "ObliviousLabels": "labels",
        "OneBetterArm": "arms.lower_bounds",
        "Opponent": "base",
        "LearnerDescription": "lower_bounds",
        "Orthonormal": "adversaries.orthonormal",
        "LowerBound": "lower_bounds",
        "RandomTarget": "targets.points",
        "RandomizedTree": "adversaries.randomized_tree",
        "Separable": "targets.separable",
        "ShatteredTree": "adversaries.tree",
        "SparseTarget": "targets.sparse",
        "Stochastic": "arms.stochastic",
        "Switching": "arms.switching",
        "Table": "arms.table",
        "WrittenPoints": "targets.points",
        "make": "registry",
        "reversal": "arms.lower_bounds",
        "written": "targets.points",
    },
)
