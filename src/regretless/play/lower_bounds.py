"""Lower bounds beside what was observed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from ..certificate import ERRORS, RELATIVE, in_figures

if TYPE_CHECKING:
    from ..environments.lower_bounds import LowerBound

Array = np.ndarray[Any, Any]
# Fewer runs do not show how far their mean may be from what is expected. Regrets are skew, with few
# large ones that make up for many small ones: the mean of some runs is mostly below what is expected. An upper bound,
# for which ten runs are enough, is not exceeded by that, but a lower one may seem to be missed.
FEW = 30


@dataclass(frozen=True, slots=True)
class CheckedLowerBound:
    """A lower bound beside what was observed.

    Attributes
    ----------
    lower_bound : LowerBound
    observed : float or None
        The least of all runs, or for a bound in expectation their mean; None if it was not observed.
    runs : int
    standard_error : float
        Of the mean.
    """

    lower_bound: LowerBound
    observed: float | None
    runs: int = 1
    standard_error: float = 0.0

    @property
    def luck(self) -> float:
        """How far below the bound an observation may be by chance or rounding."""
        rounding = RELATIVE * max(1.0, abs(self.lower_bound.least))
        if self.lower_bound.kind == "sure":
            return rounding
        return inf if self.runs < FEW else rounding + ERRORS * self.standard_error

    @property
    def holds(self) -> bool:
        """Whether it holds; true also of what was not observed."""
        return self.observed is None or self.observed >= self.lower_bound.least - self.luck

    @property
    def violated(self) -> bool:
        """Whether a bound that always holds was broken: a bug, in the code or in the theorem."""
        return self.lower_bound.kind == "sure" and not self.holds

    def describe(self) -> dict[str, Any]:
        """The bound as JSON values."""
        return self.lower_bound.describe() | {"observed": self.observed, "holds": self.holds}

    def __str__(self) -> str:
        bound, least = self.lower_bound, in_figures(self.lower_bound.least)
        if self.observed is None:
            return f"{bound.title}: {bound.quantity} (not observed) at least {least}  [{bound.source}]"
        seen = f"{self._what()} {in_figures(self.observed)}"
        if bound.kind == "expected" and self.runs < FEW:
            return f"{bound.title}: {seen}, expected to be at least {least}  [{bound.source}]"
        spread = "" if not self.standard_error else f" ± {self.standard_error:.2g}"
        if self.holds and self.observed < bound.least - RELATIVE * max(1.0, abs(bound.least)):
            verdict = f"below {least} by less than {ERRORS} standard errors"
        else:
            verdict = f"{'>=' if self.holds else 'FALLS SHORT OF'} {least}"
        return f"{bound.title}: {seen}{spread} {verdict}  [{bound.source}]"

    def _what(self) -> str:
        if self.runs == 1 or self.lower_bound.kind == "sure":
            return self.lower_bound.quantity if self.runs == 1 else f"least {self.lower_bound.quantity}"
        return f"mean {self.lower_bound.quantity}"


def check_lower_bound(bound: LowerBound, quantities: Mapping[str, Array]) -> CheckedLowerBound:
    """A lower bound beside what was observed of its quantity, in each run."""
    values, likely = quantities.get(bound.quantity), f"expected {bound.quantity}"
    if values is None and bound.kind == "expected" and likely in quantities:
        bound, values = replace(bound, quantity=likely), quantities[likely]  # which is the same in expectation
    if values is None or not np.isfinite(values).all():
        return CheckedLowerBound(bound, None)
    if bound.kind == "sure":
        return CheckedLowerBound(bound, float(values.min()), len(values))
    error = float(values.std(ddof=1) / sqrt(len(values))) if len(values) > 1 else 0.0
    return CheckedLowerBound(bound, float(values.mean()), len(values), error)
