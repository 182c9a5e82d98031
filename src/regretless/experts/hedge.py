"""Exponential weights: Hedge on losses, the exponentially weighted average on forecasts."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log, sqrt
from typing import ClassVar

from ..checks import positive, whole
from ..errors import ParameterError
from ..info import ExpertInfo
from ..theorem import Theorem
from ..theory.experts import HEDGE
from .base import ExpertLearner
from .losses import LOGARITHMIC, Own
from .state import CombinerRules


@dataclass(eq=False)
class ExponentialWeights(ExpertLearner):
    """Weights in proportion to prior * exp(-eta * summed charges).

    Parameters
    ----------
    eta : float, optional
        A constant rate.
    horizon : int, optional
        The number of rounds to come, for which the constant rate sqrt(8 ln N / T) / span is best; the range of values
        is [0, 1] unless `value_range` declares another.

    With neither, the rate of round t is 2 sqrt(ln N / t) / s, where s is the span of charges that `value_range`
    allows, or the largest difference of two charges of a round so far.
    """

    eta: float | None = None
    horizon: int | None = None

    theorems: ClassVar[tuple[Theorem, ...]] = HEDGE

    def _value_range(self) -> tuple[float, float] | None:
        if self.value_range is None and self.horizon is not None and self.loss not in LOGARITHMIC:
            return (0.0, 1.0)
        return self.value_range

    def _rules(self, experts: int) -> CombinerRules:
        if self.eta is not None and self.horizon is not None:
            raise ParameterError("eta", "", "and horizon= exclude each other: the horizon sets the rate", " ")
        if self.eta is not None:
            return self._compose("hedge", rate=positive("eta", self.eta))
        if self.horizon is not None:
            return self._compose("hedge", rate=self._tuned(experts))
        return self._compose("hedge", schedule="anytime")

    def _tuned(self, experts: int) -> float:
        rounds, span = whole("horizon", self.horizon), self._loss.span(self._linear, self._width)
        if span is None:
            raise ParameterError(
                "horizon", "", f"needs a loss of bounded range, unlike loss={self.loss!r}; give eta=", " "
            )
        return sqrt(8 * log(experts) / rounds) / span if experts > 1 else 1.0


@dataclass(eq=False)
class Hedge(ExponentialWeights):
    """Exponential weights on a table of losses, or on forecasts when a loss is named.

    Parameters
    ----------
    eta : float, optional
        A constant rate.
    horizon : int, optional
        The number of rounds to come, for which the constant rate sqrt(8 ln N / T) / span is best; values lie in [0, 1]
        unless `value_range` declares another range. With neither, the rate of round t is 2 sqrt(ln N / t) / span.
    n_experts, loss, tau, value_range, linearize, prior
        As for `ExpertLearner`.

    Notes
    -----
    Without a `loss` the advice of a round are its losses: `weights` are the distribution to act by, ``update(losses)``
    or ``play(losses)`` move it, and the learner is charged the mean loss under its weights.

    References
    ----------
    Freund and Schapire 1997; Littlestone and Warmuth 1994; Cesa-Bianchi and Lugosi 2006, Thm 2.2.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.experts import Hedge
    >>> losses = np.random.default_rng(0).random((1000, 3)) * [0.5, 0.9, 1.0]
    >>> learner = Hedge(horizon=1000)
    >>> played = learner.play(losses)
    >>> learner.weights.round(3).tolist()
    [1.0, 0.0, 0.0]
    >>> print(str(learner.certify(losses)[0]).partition("  [")[0])
    Posterior regret: regret 11.9827 <= 11.9827, against best expert 0
    """

    loss: str | Own | None = field(default=None, kw_only=True)

    info: ClassVar[ExpertInfo] = ExpertInfo(
        name="hedge",
        default_of="",
        summary="exponential weights; constant, tuned or anytime rate",
        draws=False,
        forecasts=False,
        one_loss=False,
        linearizes=False,
        twin="hedge",
    )


@dataclass(eq=False)
class ExponentiallyWeightedAverage(ExponentialWeights):
    """The mean of the forecasts under exponential weights, for convex losses.

    Parameters
    ----------
    eta, horizon
        As for `Hedge`.
    n_experts, loss, tau, value_range, linearize, prior
        As for `ExpertLearner`.

    References
    ----------
    Vovk 1990; Cesa-Bianchi and Lugosi 2006, Thm 2.2 and 2.3; Bubeck 2011, Thm 2.1, for the anytime rate.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.experts import ExponentiallyWeightedAverage
    >>> rng = np.random.default_rng(0)
    >>> outcomes = rng.random(1000)
    >>> forecasts = outcomes[:, None] + rng.normal(size=(1000, 3)) * [0.1, 0.3, 0.9]
    >>> learner = ExponentiallyWeightedAverage(loss="absolute")
    >>> played = learner.play(forecasts, outcomes)
    >>> learner.weights.round(2).tolist()
    [0.99, 0.01, 0.0]
    >>> print(str(learner.certify(forecasts, outcomes)[0]).partition("  [")[0])
    Posterior regret: regret -0.520427 <= 43.9211, against best expert 0
    """

    info: ClassVar[ExpertInfo] = ExpertInfo(
        name="ewa",
        default_of="",
        summary="weighted average of forecasts; constant, tuned or anytime rate",
        draws=False,
        forecasts=False,
        one_loss=False,
        linearizes=False,
        twin="hedge",
    )
