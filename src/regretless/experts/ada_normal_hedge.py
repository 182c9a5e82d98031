"""A potential of the regrets, without a rate to choose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..info import ExpertInfo
from ..theorem import Theorem
from ..theory.second_order import ADA_NORMAL_HEDGE
from .base import ExpertLearner
from .state import CombinerRules


@dataclass(eq=False)
class AdaNormalHedge(ExpertLearner):
    """Weights that are differences of exp(max(R, 0)^2 / 3C), with R the regret and C the sum of its sizes.

    It has no rate to choose, and its bound against a mixture of experts is smaller the nearer that is to the prior: if
    many experts are good, the regret hardly depends on how many there are in all. Experts may come to speak late.

    References
    ----------
    Luo and Schapire 2015, "Achieving All with No Parameters: AdaNormalHedge".

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.experts import AdaNormalHedge
    >>> rng = np.random.default_rng(0)
    >>> outcomes = rng.random(1000)
    >>> forecasts = outcomes[:, None] + rng.normal(size=(1000, 3)) * [0.1, 0.3, 0.9]
    >>> learner = AdaNormalHedge()
    >>> played = learner.play(forecasts, outcomes)
    >>> learner.weights.round(2).tolist()
    [0.96, 0.04, 0.0]
    >>> print(str(learner.certify(forecasts, outcomes)[0]).partition("  [")[0])
    Posterior regret: regret 0.833511 <= 6.64057, against best convex combination
    """

    info: ClassVar[ExpertInfo] = ExpertInfo(
        name="ada-normal-hedge",
        default_of="",
        summary="differences of exp(regret^2 / 3C), without a rate",
        draws=False,
        forecasts=False,
        one_loss=False,
        linearizes=True,
        twin="ada_normal_hedge",
    )
    theorems: ClassVar[tuple[Theorem, ...]] = ADA_NORMAL_HEDGE

    def _rules(self, experts: int) -> CombinerRules:
        return self._compose("ada-normal-hedge")
