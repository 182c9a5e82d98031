"""The certificates of many runs of one learner in one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import numpy as np

from ..theorem import Certificate

SHOWN = (0.05, 0.5, 0.95)  # quantiles of the bounds
ERRORS = 3  # standard errors by which luck alone may lift a mean
FEW = 10  # runs; from fewer nobody can tell how far their mean may be from what is expected


@dataclass(frozen=True, slots=True, repr=False)
class Several(Certificate):
    """A certificate of many runs, shown by the one that comes nearest to its bound.

    Of a bound in expectation both sides are means over the runs, and luck is allowed for.

    Attributes
    ----------
    runs : dict
        ``of`` how many runs it speaks, how many ``exceeded`` the bound, and quantiles of the ``bound``.
    standard_error : float
        Of the mean of what was observed, for a bound in expectation.
    """

    runs: dict[str, Any] = field(default_factory=dict)
    standard_error: float = 0.0

    @property
    def luck(self) -> float:
        """By how much a mean may be above the bound on its expectation."""
        if self.theorem.kind != "expected":
            return 0.0
        return float("inf") if self.runs["of"] < FEW else ERRORS * self.standard_error

    def describe(self) -> dict[str, Any]:
        """The certificate as JSON values."""
        return Certificate.describe(self) | {"runs": self.runs}

    def __str__(self) -> str:
        line = Certificate.__str__(self)
        if self.theorem.kind == "expected" or not self.applies:
            return line
        return f"{line} ({self.runs['exceeded']} of {self.runs['of']} runs exceeded it)"


def joined(each: Sequence[Sequence[Certificate]]) -> list[Certificate]:
    """One certificate for each theorem; those of a single run are as they were."""
    if len(each) == 1:
        return list(each[0])
    return [_joined(alike) for alike in zip(*each, strict=True)]


def _joined(alike: Sequence[Certificate]) -> Certificate:
    failed = [one for one in alike if not one.applies]
    if failed:
        why = failed[0].why if len(failed) == len(alike) else f"in {len(failed)} of {len(alike)} runs: {failed[0].why}"
        return Certificate(failed[0].theorem, None, None, None, why)
    bounds = np.array([one.bound for one in alike], dtype=np.float64)
    shares = np.quantile(bounds, SHOWN).tolist()
    quantiles = {f"q{100 * share:02.0f}": value for share, value in zip(SHOWN, shares, strict=True)}
    runs = {"of": len(alike), "exceeded": sum(not one.holds for one in alike), "bound": quantiles}
    shown = _shown(alike)
    if shown.theorem.kind != "expected":
        return Several(shown.theorem, shown.observed, shown.bound, shown.comparator, None, shown.confidence, runs=runs)
    observed = np.array([one.observed for one in alike if one.observed is not None])
    error = float(observed.std(ddof=1) / sqrt(len(observed))) if len(observed) > 1 else 0.0
    mean = float(observed.mean()) if len(observed) else None
    return Several(shown.theorem, mean, float(bounds.mean()), shown.comparator, None, runs=runs, standard_error=error)


def _shown(alike: Sequence[Certificate]) -> Certificate:
    """The run of least slack; of a theorem that may fail now and then, the one that as many others exceed as may."""
    allowed = 0.0 if alike[0].theorem.kind != "probable" else (1 - (alike[0].confidence or 1.0)) * len(alike)
    return sorted(alike, key=_slack)[min(int(allowed + 1e-9), len(alike) - 1)]


def _slack(certificate: Certificate) -> float:
    return (certificate.bound or 0.0) - (certificate.observed or 0.0)
