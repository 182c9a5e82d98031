"""Constant regret where the loss is curved."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import ClassVar

from ..errors import ParameterError, RegretlessError
from ..info import ExpertInfo
from ..theorem import Theorem
from ..theory.mixable import AGGREGATING
from .base import ExpertLearner
from .state import CombinerRules

NARROWEST = 1e-300  # squared width of the range


@dataclass(eq=False)
class AggregatingAlgorithm(ExpertLearner):
    """Vovk's aggregating algorithm for mixable losses: the regret stays constant for ever.

    For the square loss of values in a declared range of length w the prediction loses no more than the mix losses at
    both ends allow, and the regret is at most w^2 ln(N) / 2. For the log loss it is the Bayesian mixture, and the
    regret is at most ln(N); an expert that was certain and wrong loses its weight for good.

    References
    ----------
    Vovk 1990, 1998; Kivinen and Warmuth 1999.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.experts import AggregatingAlgorithm
    >>> rng = np.random.default_rng(0)
    >>> outcomes = rng.random(1000)
    >>> forecasts = outcomes[:, None] + rng.uniform(-1, 1, (1000, 3)) * [0.3, 0.4, 0.5]
    >>> learner = AggregatingAlgorithm(value_range=(-0.5, 1.5))
    >>> played = learner.play(forecasts, outcomes)
    >>> learner.weights.round(2).tolist()
    [1.0, 0.0, 0.0]
    >>> print(str(learner.certify(forecasts, outcomes)[0]).partition("  [")[0])
    Constant regret: regret -2.32062 <= 2.19722, against best expert 0
    """

    info: ClassVar[ExpertInfo] = ExpertInfo(
        name="aggregating",
        default_of="",
        summary="aggregating algorithm: constant regret for square and log loss",
        draws=False,
        forecasts=True,
        one_loss=True,
        linearizes=False,
        twin="aggregating",
    )
    example_options: ClassVar[str] = "--range LO HI"
    theorems: ClassVar[tuple[Theorem, ...]] = AGGREGATING

    def _rules(self, experts: int) -> CombinerRules:
        if self._linear:
            raise ParameterError("linearize", "True", "linear losses are not mixable; choose another learner", ": ")
        if self._loss.name == "log":
            return self._compose("hedge", rate=1.0, substitute=True)
        if self._loss.name != "square":
            raise ParameterError("loss", repr(self.loss), "is not mixable here; square and log are", " ")
        if not isfinite(self._loss.width):
            raise ParameterError(
                "value_range", "", "is missing: the square loss is mixable on a bounded range only", " "
            )
        square = self._loss.width * self._loss.width
        if not NARROWEST <= square <= 1 / NARROWEST:
            raise ParameterError(
                "value_range", repr(self.value_range), "floats hold no rate for a range of such a width", ": "
            )
        return self._compose("hedge", rate=2 / square, substitute=True)

    def _refuse_width(self, width: int) -> None:
        if width > 1 and self._loss.name != "log":
            raise RegretlessError("square losses of vectors: choose another learner")
        super()._refuse_width(width)
