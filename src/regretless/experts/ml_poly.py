"""Polynomial weights of the regret."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..info import ExpertInfo
from ..theorem import Theorem
from ..theory.second_order import ML_POLY
from .base import ExpertLearner
from .state import CombinerRules


@dataclass(eq=False)
class MLPoly(ExpertLearner):
    """Weights in proportion to the positive part of each expert's regret, over a rate of its own.

    Nothing is to be tuned. An expert that the learner does not regret gets no weight.

    References
    ----------
    Gaillard, Stoltz and van Erven 2014, with their rates for losses of unknown range.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.experts import MLPoly
    >>> rng = np.random.default_rng(0)
    >>> outcomes = rng.random(1000)
    >>> forecasts = outcomes[:, None] + rng.normal(size=(1000, 3)) * [0.1, 0.3, 0.9]
    >>> learner = MLPoly()
    >>> played = learner.play(forecasts, outcomes)
    >>> learner.weights.round(2).tolist()
    [0.99, 0.01, 0.0]
    >>> print(str(learner.certify(forecasts, outcomes)[0]).partition("  [")[0])
    Posterior regret: regret 1.24746 <= 3.94763, against best convex combination
    """

    info: ClassVar[ExpertInfo] = ExpertInfo(
        name="ml-poly",
        default_of="combine",
        summary="positive part of the regret, a rate for each expert",
        draws=False,
        forecasts=False,
        one_loss=False,
        linearizes=True,
        twin="ml_poly",
    )
    theorems: ClassVar[tuple[Theorem, ...]] = ML_POLY

    def _rules(self, experts: int) -> CombinerRules:
        return self._compose("poly")
