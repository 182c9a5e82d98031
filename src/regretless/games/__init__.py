"""Two-player games: equilibria with a certified gap.

`MatrixGame` solves zero-sum games by their matrix, `SequenceGame` games in turns, and `BimatrixGame` finds equilibria
of general-sum games. `read_efg` and `read_nfg` read Gambit's files, `self_play` lets two learners play, and
`margin_game`, `boosting_game` and `learning_game` are games of learning theory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

MODULES = {
    "BimatrixGame": "general_sum.bimatrix",
    "CorrelatedEquilibrium": "general_sum.correlated",
    "Distance": "general_sum.correlated",
    "Duel": "duel",
    "Ensemble": "boosting",
    "Equilibria": "general_sum.equilibria",
    "Equilibrium": "general_sum.equilibria",
    "ExactSolution": "solution",
    "ExtensiveGame": "extensive_form.extensive",
    "Incentives": "general_sum.nash",
    "JointPlay": "general_sum.bimatrix",
    "MatrixGame": "matrix",
    "Payoffs": "payoffs",
    "RawSolution": "solution",
    "SequenceGame": "extensive_form.sequence",
    "SequenceSolution": "extensive_form.sequence_form",
    "Solution": "solution",
    "SolveError": "solution",
    "Trajectory": "solution",
    "boost": "boosting",
    "boosting_game": "boosting",
    "correlated": "general_sum.correlated",
    "distance_to_correlated": "general_sum.correlated",
    "is_nash": "general_sum.nash",
    "learning_game": "boosting",
    "margin_game": "boosting",
    "pure_equilibria": "general_sum.nash",
    "read_efg": "extensive_form.extensive",
    "read_nfg": "general_sum.bimatrix",
    "self_play": "play",
}

# Names: made by docs/name_lists.py of MODULES
if TYPE_CHECKING:
    from .boosting import Ensemble, boost, boosting_game, learning_game, margin_game
    from .duel import Duel
    from .extensive_form.extensive import ExtensiveGame, read_efg
    from .extensive_form.sequence import SequenceGame
    from .extensive_form.sequence_form import SequenceSolution
    from .general_sum.bimatrix import BimatrixGame, JointPlay, read_nfg
    from .general_sum.correlated import CorrelatedEquilibrium, Distance, correlated, distance_to_correlated
    from .general_sum.equilibria import Equilibria, Equilibrium
    from .general_sum.nash import Incentives, is_nash, pure_equilibria
    from .matrix import MatrixGame
    from .payoffs import Payoffs
    from .play import self_play
    from .solution import ExactSolution, RawSolution, Solution, SolveError, Trajectory

__all__ = [
    "BimatrixGame",
    "CorrelatedEquilibrium",
    "Distance",
    "Duel",
    "Ensemble",
    "Equilibria",
    "Equilibrium",
    "ExactSolution",
    "ExtensiveGame",
    "Incentives",
    "JointPlay",
    "MatrixGame",
    "Payoffs",
    "RawSolution",
    "SequenceGame",
    "SequenceSolution",
    "Solution",
    "SolveError",
    "Trajectory",
    "boost",
    "boosting_game",
    "correlated",
    "distance_to_correlated",
    "is_nash",
    "learning_game",
    "margin_game",
    "pure_equilibria",
    "read_efg",
    "read_nfg",
    "self_play",
]
# End of names

if not TYPE_CHECKING:  # to a type checker any name would stand here
    __getattr__, __dir__ = lazy_names(__name__, __all__, MODULES)
