"""Products of one plus the regret."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..info import ExpertInfo
from ..theorem import Theorem
from ..theory.second_order import ML_PROD
from .base import ExpertLearner
from .state import CombinerRules


@dataclass(eq=False)
class MLProd(ExpertLearner):
    """Weights that are products of 1 + eta r, each expert with a rate of its own that follows its squared regrets.

    An expert's bound grows with how much the learner differed from it, not with the number of rounds.

    References
    ----------
    Gaillard, Stoltz and van Erven 2014, Cor. 4.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.experts import MLProd
    >>> rng = np.random.default_rng(0)
    >>> outcomes = rng.random(1000)
    >>> forecasts = outcomes[:, None] + rng.normal(size=(1000, 3)) * [0.1, 0.3, 0.9]
    >>> learner = MLProd()
    >>> played = learner.play(forecasts, outcomes)
    >>> learner.weights.round(2).tolist()
    [0.92, 0.07, 0.01]
    >>> print(str(learner.certify(forecasts, outcomes)[0]).partition("  [")[0])
    Posterior regret: regret 1.48813 <= 3.12293, against best convex combination
    """

    info: ClassVar[ExpertInfo] = ExpertInfo(
        name="ml-prod",
        default_of="",
        summary="products of 1 + eta r, a rate for each expert",
        draws=False,
        forecasts=False,
        one_loss=False,
        linearizes=True,
        twin="ml_prod",
    )
    theorems: ClassVar[tuple[Theorem, ...]] = ML_PROD

    def _rules(self, experts: int) -> CombinerRules:
        return self._compose("prod")
