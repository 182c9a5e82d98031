"""Hedge that tunes its own rate."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from ..info import ExpertInfo
from ..theorem import Theorem
from ..theory.experts import ADAHEDGE
from .base import ExpertLearner
from .losses import Own
from .state import CombinerRules


@dataclass(eq=False)
class AdaHedge(ExpertLearner):
    """Exponential weights with the rate ln N over the mixability gaps so far.

    It needs no range of losses and no horizon: scaled losses give the same weights. Until the first gap the leaders
    share the weight. The gap of a round is what the learner's own loss exceeds the mix loss by, if it does. For a
    convex loss of a mean that is less than what the mean of the experts' losses exceeds it by, which is the gap where
    losses are linearised, given, of labels, or made by a function.

    References
    ----------
    de Rooij, van Erven, Grünwald and Koolen 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.experts import AdaHedge
    >>> rng = np.random.default_rng(0)
    >>> outcomes = rng.random(1000)
    >>> forecasts = outcomes[:, None] + rng.normal(size=(1000, 3)) * [0.1, 0.3, 0.9]
    >>> learner = AdaHedge()
    >>> played = learner.play(forecasts, outcomes)
    >>> learner.weights.round(2).tolist()
    [1.0, 0.0, 0.0]
    >>> print(str(learner.certify(forecasts, outcomes)[0]).partition("  [")[0])
    Posterior regret: regret 0.504379 <= 1.13567, against best expert 0
    """

    loss: str | Own | None = field(default="square", kw_only=True)

    info: ClassVar[ExpertInfo] = ExpertInfo(
        name="adahedge",
        default_of="",
        summary="exponential weights whose rate follows the mixability gaps",
        draws=False,
        forecasts=False,
        one_loss=False,
        linearizes=False,
        twin="adahedge",
    )
    theorems: ClassVar[tuple[Theorem, ...]] = ADAHEDGE

    def _rules(self, experts: int) -> CombinerRules:
        return self._compose("hedge", schedule="self-tuned")
