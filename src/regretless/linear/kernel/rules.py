"""What a kernel perceptron plays by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...data.batch import Array, Batch
from ...errors import ParameterError, RegretlessError
from ..state import Rules

COMPILED = ("rbf", "linear", "poly")
KERNELS = (*COMPILED, "precomputed")
GAMMAS = ("scale", "auto")
GAMMA_KERNELS = ("rbf", "poly")
AVERAGES = (None, "averaged", "voted")
REMOVALS = ("oldest", "random", "smallest", "projection")


@dataclass(frozen=True, slots=True)
class KernelRules(Rules):
    """The composition of a kernel perceptron.

    Attributes
    ----------
    kernel : str
        "rbf", "linear", "poly", "precomputed" or "callable".
    function : callable or None
        The kernel, if it is the user's own.
    gamma : float or str
        Of the kernel; a word until the first rows are seen.
    degree, coef0
        Of the polynomial.
    average : str or None
        Which function predicts: the last, the average, or a vote of all.
    budget : int
        Most rows in the support; 0 for any number.
    removal : str
        What goes when there is one more.
    """

    kernel: str = "rbf"
    function: Callable[[Any, Any], Any] | None = None
    gamma: float | str = "scale"
    degree: int = 3
    coef0: float = 1.0
    average: str | None = None
    budget: int = 0
    removal: str = "oldest"

    @property
    def form(self) -> tuple[Any, ...]:
        """What, besides gamma, tells its kernel from others."""
        return self.kernel, self.intercept, *((self.degree, self.coef0) if self.kernel == "poly" else ())

    @property
    def external(self) -> bool:
        """Whether values of the kernel come from outside."""
        return self.kernel not in COMPILED


SHORTEST = 1e-140  # numbers whose variance has an inverse


def resolved_gamma(gamma: float | str, batch: Batch) -> float:
    """scikit-learn's words as a number: 1 / (columns * variance of all values), or 1 / columns."""
    if not isinstance(gamma, str):
        return gamma
    columns = max(batch.columns, 1)
    if gamma == "auto":
        return 1 / columns
    largest = float(np.abs(batch.values).max(initial=0.0))
    if 0 < largest < SHORTEST:
        raise ParameterError(
            "gamma",
            repr(gamma),
            f"the numbers of X are so small (at most {largest:.3g}) that the inverse of their "
            "variance is no float; scale X, or give a number",
            ": ",
        )
    variance = _variance(batch)
    return 1 / (columns * variance) if variance > 0 else 1.0


def _variance(batch: Batch) -> float:
    values = batch.values.astype(np.float64, copy=False)
    size = len(batch) * batch.columns
    if not size:
        return 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        variance = float((values**2).sum() / size - (values.sum() / size) ** 2) if batch.sparse else float(values.var())
    return variance if np.isfinite(variance) else 0.0


def gram_of(function: Callable[[Any, Any], Any], left: Any, right: Any) -> Array:
    """The user's kernel between two sets of rows, checked."""
    gram = np.ascontiguousarray(np.asarray(function(left, right), dtype=np.float64))
    wanted = (left.shape[0], right.shape[0])
    if gram.shape != wanted:
        raise RegretlessError(f"the kernel gave an array of shape {gram.shape} for {wanted[0]} and {wanted[1]} rows")
    if not np.isfinite(gram).all():
        raise RegretlessError("the kernel gave something else than finite numbers; does X hold NaN or infinity?")
    return gram
