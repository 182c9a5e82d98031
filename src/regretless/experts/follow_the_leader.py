"""Follow the leader: the experts that lost the least so far have all the weight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..info import ExpertInfo
from ..theorem import Theorem
from ..theory.experts import FOLLOW_THE_LEADER
from .base import ExpertLearner
from .state import CombinerRules


@dataclass(eq=False)
class FollowTheLeader(ExpertLearner):
    """All weight on the experts with the least sum of charges so far, in proportion to the prior if there are several.

    For comparison: it is Hedge at an infinite rate. Its regret is small where the best expert stands out soon, and has
    a part for every change of the leader. Two experts that are right in turn make it lose twice as much as they do.

    References
    ----------
    Kalai and Vempala 2005; de Rooij, van Erven, Grunwald and Koolen 2014, Lemma 10.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.experts import FollowTheLeader
    >>> losses = np.random.default_rng(0).random((1000, 3)) * [0.5, 0.9, 1.0]
    >>> learner = FollowTheLeader(loss=None)
    >>> played = learner.play(losses)
    >>> learner.weights.tolist()
    [1.0, 0.0, 0.0]
    >>> print(str(learner.certify(losses)[1]).partition("  [")[0])
    Regret by changes of the leader: regret 0.786765 <= 1.95552, against best expert 0
    """

    info: ClassVar[ExpertInfo] = ExpertInfo(
        name="follow-the-leader",
        default_of="",
        summary="all weight on the best so far; for comparison",
        draws=False,
        forecasts=False,
        one_loss=False,
        linearizes=False,
        twin="follow_the_leader",
    )
    theorems: ClassVar[tuple[Theorem, ...]] = FOLLOW_THE_LEADER

    def _rules(self, experts: int) -> CombinerRules:
        return self._compose("hedge", schedule="leader")
