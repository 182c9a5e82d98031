"""Bernstein online aggregation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..info import ExpertInfo
from ..theorem import Theorem
from ..theory.second_order import BOA as THEOREMS
from .base import ExpertLearner
from .state import Rules


@dataclass(eq=False)
class BOA(ExpertLearner):
    """Exponential weights of the regret less eta times its square, each expert with a rate of its own.

    Close to ML-Prod, and as good when regrets are small.

    References
    ----------
    Wintenberger 2017; the proof here is ML-Prod's.
    """

    info: ClassVar[ExpertInfo] = ExpertInfo(
        name="boa",
        summary="exponential weights of the regret less its square",
        draws=False,
        forecasts=False,
        one_loss=False,
    )
    gradient_trick: ClassVar[bool] = True
    theorems: ClassVar[tuple[Theorem, ...]] = THEOREMS

    def _rules(self, experts: int) -> Rules:
        return self._compose("boa")
