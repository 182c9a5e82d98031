"""Rules that go by an interval around what each arm is expected to lose, from a full matrix of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ..checks import positive
from ..errors import ParameterError
from ..theorem import Theorem
from ..theory.contextual import OF_INTERVALS, ContextualFacts
from .base import ContextualBandit
from .models import begun


@dataclass(kw_only=True, eq=False)
class ByIntervals(ContextualBandit):
    """A bandit whose arms each have ridge regression with a full matrix A, which says sqrt(x' A^-1 x) of a row.

    Parameters
    ----------
    size : float, optional
        The largest size that a feature may have. The prior of each weight is measured by it then, and the theorem
        applies; without it by the largest size so far, so that no column needs to be scaled.
    """

    size: float | None = None

    theorems: ClassVar[tuple[Theorem, ...]] = OF_INTERVALS

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.size is not None:
            positive("size", self.size)
        if getattr(self._model, "matrix", None) != "full":
            raise ParameterError("regressor", repr(self.regressor), "one with a full matrix alone is expected", ": ")

    def _begun(self, columns: int) -> Any:
        model = begun(self._model, columns)
        if self.size is not None:
            model.state_.declare(self.size, self._model.rules().priors[0])
        return model

    def facts(self) -> ContextualFacts:
        """What a theorem may know of the learner besides its ledger."""
        return replace(super().facts(), size=np.inf if self.size is None else self.size)
