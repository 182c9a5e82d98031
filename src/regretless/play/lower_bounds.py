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
    """A promise, which bounds something from below, and what was observed.

    Attributes
    ----------
    promise : LowerBound
    observed : float or None
        The least of all runs, or of a promise in expectation their mean; None if it was not observed.
    runs : int
    standard_error : float
        Of the mean.
    """

    promise: LowerBound
    observed: float | None
    runs: int = 1
    standard_error: float = 0.0

    @property
    def luck(self) -> float:
        """By how much what was observed may be below before that tells against the promise."""
        rounding = RELATIVE * max(1.0, abs(self.promise.least))
        if self.promise.kind == "sure":
            return rounding
        return inf if self.runs < FEW else rounding + ERRORS * self.standard_error

    @property
    def holds(self) -> bool:
        """Whether it holds; true also of what was not observed."""
        return self.observed is None or self.observed >= self.promise.least - self.luck

    @property
    def violated(self) -> bool:
        """Whether a promise that always holds was broken: a bug, in the code or in the theorem."""
        return self.promise.kind == "sure" and not self.holds

    def describe(self) -> dict[str, Any]:
        """The promise as JSON values."""
        return self.promise.describe() | {"observed": self.observed, "holds": self.holds}

    def __str__(self) -> str:
        promise, least = self.promise, in_figures(self.promise.least)
        if self.observed is None:
            return f"{promise.title}: {promise.quantity} (not observed) at least {least}  [{promise.source}]"
        seen = f"{self._what()} {in_figures(self.observed)}"
        if promise.kind == "expected" and self.runs < FEW:
            return f"{promise.title}: {seen}, expected to be at least {least}  [{promise.source}]"
        spread = "" if not self.standard_error else f" ± {self.standard_error:.2g}"
        if self.holds and self.observed < promise.least - RELATIVE * max(1.0, abs(promise.least)):
            verdict = f"below {least} by less than {ERRORS} standard errors"
        else:
            verdict = f"{'>=' if self.holds else 'FALLS SHORT OF'} {least}"
        return f"{promise.title}: {seen}{spread} {verdict}  [{promise.source}]"

    def _what(self) -> str:
        if self.runs == 1 or self.promise.kind == "sure":
            return self.promise.quantity if self.runs == 1 else f"least {self.promise.quantity}"
        return f"mean {self.promise.quantity}"


def beside(promise: LowerBound, quantities: Mapping[str, Array]) -> CheckedLowerBound:
    """A promise and what was observed of its quantity, in each run."""
    values, likely = quantities.get(promise.quantity), f"expected {promise.quantity}"
    if values is None and promise.kind == "expected" and likely in quantities:
        promise, values = replace(promise, quantity=likely), quantities[likely]  # which is the same in expectation
    if values is None or not np.isfinite(values).all():
        return CheckedLowerBound(promise, None)
    if promise.kind == "sure":
        return CheckedLowerBound(promise, float(values.min()), len(values))
    error = float(values.std(ddof=1) / sqrt(len(values))) if len(values) > 1 else 0.0
    return CheckedLowerBound(promise, float(values.mean()), len(values), error)
