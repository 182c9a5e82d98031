"""A prior on learning rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..info import ExpertInfo
from ..theorem import Theorem
from ..theory.second_order import SQUINT
from .base import ExpertLearner
from .state import CombinerRules
from .validation import Array

POINTS = 30  # of the grid, as in the kernel
LARGEST, FIRST = 5, 6  # places in the kernel's memory


@dataclass(eq=False)
class Squint(ExpertLearner):
    """Weights that mix exp(eta R - eta^2 V) over a grid of rates, each half of the one before.

    Every rate of the grid is tried at once, so the bound is that of the best of them, for every expert.

    References
    ----------
    Koolen and van Erven 2015, with a discrete prior on rates.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.experts import Squint
    >>> rng = np.random.default_rng(0)
    >>> outcomes = rng.random(1000)
    >>> forecasts = outcomes[:, None] + rng.normal(size=(1000, 3)) * [0.1, 0.3, 0.9]
    >>> learner = Squint()
    >>> played = learner.play(forecasts, outcomes)
    >>> learner.weights.round(2).tolist()
    [0.88, 0.1, 0.02]
    >>> print(str(learner.certify(forecasts, outcomes)[0]).partition("  [")[0])
    Posterior regret: regret 3.34326 <= 14.1716, no better than the learner's own loss, against best convex combination
    """

    info: ClassVar[ExpertInfo] = ExpertInfo(
        name="squint",
        default_of="",
        summary="exponential weights mixed over a grid of rates",
        draws=False,
        forecasts=False,
        one_loss=False,
        linearizes=True,
        twin="squint",
    )
    theorems: ClassVar[tuple[Theorem, ...]] = SQUINT

    def _rules(self, experts: int) -> CombinerRules:
        return self._compose("squint")

    def grid(self) -> tuple[Array, Array]:
        """The rates that are still in use, and their prior masses."""
        state = self._known()
        first, largest = state.memory[FIRST] or state.rules.span, state.memory[LARGEST]
        if first == 0:
            return np.empty(0), np.empty(0)
        place = np.arange(POINTS)
        with np.errstate(over="ignore"):
            rates = 0.5**place / (2 * first)
            used = rates * 2 * largest <= 1
        return rates[used], (1 / ((place + 1.0) * (place + 2.0)))[used]
