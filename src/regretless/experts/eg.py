"""The exponentiated gradient, for portfolios first of all."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from ..checks import positive
from ..info import ExpertInfo
from ..theorem import Theorem
from ..theory.experts import EG as THEOREMS
from .base import ExpertLearner
from .losses import Own
from .state import CombinerRules


@dataclass(eq=False)
class EG(ExpertLearner):
    """Weights multiplied by exp(-eta * gradient), renormalised.

    With the loss "wealth" the advice of a round are price relatives, the prediction is the factor by which the
    portfolio grows, and the learner competes with the best constant-rebalanced portfolio. Any other convex loss of
    forecasts will do as well.

    Parameters
    ----------
    eta : float
        The rate.

    References
    ----------
    Helmbold, Schapire, Singer and Warmuth 1998; Kivinen and Warmuth 1997.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.experts import EG
    >>> factors = np.exp(np.random.default_rng(0).normal(0.001, 0.02, (500, 3)))
    >>> learner = EG(eta=0.05)
    >>> played = learner.play(factors)
    >>> bool(np.exp(-played.losses.sum()) > 1)
    True
    >>> print(str(learner.certify(factors)[0]).partition("  [")[0])
    Posterior regret: regret 0.869815 <= 21.9755, against best expert 1
    """

    eta: float = 0.05
    loss: str | Own | None = field(default="wealth", kw_only=True)

    info: ClassVar[ExpertInfo] = ExpertInfo(
        name="eg",
        default_of="",
        summary="exponentiated gradient; portfolios from price relatives",
        draws=False,
        forecasts=False,
        one_loss=False,
        linearizes=True,
        twin="hedge",
    )
    theorems: ClassVar[tuple[Theorem, ...]] = THEOREMS

    def _rules(self, experts: int) -> CombinerRules:
        return self._compose("hedge", rate=positive("eta", self.eta))
