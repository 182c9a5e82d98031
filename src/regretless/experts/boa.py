"""Bernstein online aggregation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..info import ExpertInfo
from ..theorem import Theorem
from ..theory.second_order import BOA as THEOREMS
from .base import ExpertLearner
from .state import CombinerRules


@dataclass(eq=False)
class BOA(ExpertLearner):
    """Exponential weights of the regret less eta times its square, each expert with a rate of its own.

    Close to ML-Prod, and as good when regrets are small.

    References
    ----------
    Wintenberger 2017; the proof here is ML-Prod's.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.experts import BOA
    >>> rng = np.random.default_rng(0)
    >>> outcomes = rng.random(1000)
    >>> forecasts = outcomes[:, None] + rng.normal(size=(1000, 3)) * [0.1, 0.3, 0.9]
    >>> learner = BOA()
    >>> played = learner.play(forecasts, outcomes)
    >>> learner.weights.round(2).tolist()
    [0.92, 0.06, 0.01]
    >>> print(str(learner.certify(forecasts, outcomes)[0]).partition("  [")[0])
    Posterior regret: regret 1.48122 <= 3.11297, against best convex combination
    """

    info: ClassVar[ExpertInfo] = ExpertInfo(
        name="boa",
        default_of="",
        summary="exponential weights of the regret less its square",
        draws=False,
        forecasts=False,
        one_loss=False,
        linearizes=True,
        twin="boa",
    )
    theorems: ClassVar[tuple[Theorem, ...]] = THEOREMS

    def _rules(self, experts: int) -> CombinerRules:
        return self._compose("boa")
