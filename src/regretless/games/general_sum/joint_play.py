"""Two learners who both want to win: what they play together, and how near it is to a coarse correlated equilibrium."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theorem import Certificate
from ..raw_solution import RawSolution, Vector
from .exact_integers import above
from .joint_distribution import joint_gains

if TYPE_CHECKING:
    from .bimatrix import BimatrixGame


@dataclass(frozen=True, slots=True, eq=False)
class JointPlay:
    """What two learners played, each pair of strategies by how often it was met.

    Attributes
    ----------
    joint : ndarray, shape (rows, columns)
        The joint distribution: the weighted mean of what both played in the same round.
    row_payoff, column_payoff : float
        What each player won per round.
    row_regret, column_regret : float
        How much more each would have won per round by its best fixed strategy, negative if less: computed exactly from
        `joint`, rounded upwards.
    found : RawSolution
        The average strategies, the ledger and the course.
    certificates : list of Certificate
    """

    joint: Vector
    row_payoff: float
    column_payoff: float
    row_regret: float
    column_regret: float
    found: RawSolution
    certificates: list[Certificate]

    @property
    def gain(self) -> float:
        """The larger regret, 0 if there is none: `joint` is a coarse correlated equilibrium but for so much."""
        return max(self.row_regret, self.column_regret, 0.0)


def play_jointly(game: BimatrixGame, method: str, **wishes: Any) -> JointPlay:
    """Let two learners play, with what else self-play may be told, and look afresh at what they played."""
    from ..certificates import coarse_certificates
    from ..play.self_play import self_play

    A, B = game.row_payoffs, game.column_payoffs
    joint = np.zeros(game.shape)
    found = self_play(A, method, column_payoffs=B, joint=joint, **wishes)
    joint /= joint.sum()
    regrets = joint_gains(A, B, joint, coarse=True)
    row_regret, column_regret = above(regrets[0]), above(regrets[1])
    return JointPlay(
        joint,
        float(np.vdot(A.dense(), joint)),
        float(np.vdot(B.dense(), joint)),
        row_regret,
        column_regret,
        found,
        coarse_certificates(found, A, B, row_regret, column_regret),
    )
