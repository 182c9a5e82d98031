"""Hedge for a best expert that changes."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import ClassVar

from ..checks import positive, whole
from ..errors import ParameterError
from ..info import ExpertInfo
from ..theorem import Theorem
from ..theory.experts import FIXED_SHARE
from .base import ExpertLearner
from .losses import LOGARITHMIC
from .state import CombinerRules


@dataclass(eq=False)
class FixedShare(ExpertLearner):
    """Exponential weights of which a share alpha is dealt out again after every round.

    No expert ever falls so far that it cannot come back: the learner competes with the best sequence of experts that
    switches now and then.

    Parameters
    ----------
    alpha : float
        The share, between 0 and 1; about the number of switches over the number of rounds.
    eta : float, optional
        A constant rate. By default ln(N / alpha) over the mixability gaps so far.
    horizon, switches : int, optional
        The number of rounds to come and of switches to compete with; they set both alpha and eta, for values in [0, 1]
        unless `value_range` declares another range.

    References
    ----------
    Herbster and Warmuth 1998.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.experts import FixedShare
    >>> rng = np.random.default_rng(0)
    >>> outcomes = rng.random(1000)
    >>> forecasts = outcomes[:, None] + rng.normal(size=(1000, 3)) * [0.1, 0.3, 0.9]
    >>> learner = FixedShare(alpha=0.01)
    >>> played = learner.play(forecasts, outcomes)
    >>> learner.weights.round(2).tolist()
    [0.97, 0.02, 0.01]
    >>> print(str(learner.certify(forecasts, outcomes)[0]).partition(", against")[0])
    Posterior regret against a sequence: regret 0.0299487 <= 15.9845, no better than the learner's own loss
    """

    alpha: float = 0.01
    eta: float | None = None
    horizon: int | None = None
    switches: int | None = None

    info: ClassVar[ExpertInfo] = ExpertInfo(
        name="fixed-share",
        default_of="mix learners",
        summary="exponential weights that can come back; for a best expert that changes",
        draws=False,
        forecasts=False,
        one_loss=False,
        linearizes=False,
        twin="fixed_share",
    )
    theorems: ClassVar[tuple[Theorem, ...]] = FIXED_SHARE

    def _value_range(self) -> tuple[float, float] | None:
        if self.value_range is None and self.horizon is not None and self.loss not in LOGARITHMIC:
            return (0.0, 1.0)
        return self.value_range

    def _rules(self, experts: int) -> CombinerRules:
        if (self.horizon is None) != (self.switches is None):
            raise ParameterError("horizon", "", "and switches= go together: they set alpha= and eta=", " ")
        if self.horizon is not None:
            if self.eta is not None:
                raise ParameterError("eta", "", "and horizon= exclude each other: the horizon sets the rate", " ")
            alpha, eta = self._tuned(experts)
            return self._compose("share", rate=eta, alpha=alpha)
        if not 0 < positive("alpha", self.alpha) < 1:
            raise ParameterError("alpha", repr(self.alpha), "must lie between 0 and 1", " ")
        if self.eta is not None:
            return self._compose("share", rate=positive("eta", self.eta), alpha=float(self.alpha))
        return self._compose("share", schedule="self-tuned", alpha=float(self.alpha))

    def _tuned(self, experts: int) -> tuple[float, float]:
        """The share m / (T - 1), and the rate that is best for the bound with it."""
        rounds, switches = whole("horizon", self.horizon), whole("switches", self.switches)
        span = self._loss.span(self._linear, self._width)
        if span is None:
            raise ParameterError("horizon", "", f"needs a loss of bounded range, which loss={self.loss!r} has not", " ")
        if switches >= rounds - 1:
            raise ParameterError(
                "switches", str(switches), f"in {rounds:,} rounds: there must be fewer than rounds - 1", " "
            )
        alpha = switches / (rounds - 1)
        steady = (rounds - 1 - switches) * log(1 / (1 - alpha))
        price = (switches + 1) * log(max(experts, 2)) + switches * log(1 / alpha) + steady
        return alpha, sqrt(8 * price / rounds) / span
