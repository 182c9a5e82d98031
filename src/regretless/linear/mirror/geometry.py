"""How the theorems of Winnow and of the p-norm perceptron measure a comparator, and where they look for one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, log

import numpy as np

from ...data.batch import Array, Batch
from ...theory.rounding import EPSILON
from ..comparators.search import Geometry

Duals = Callable[[int], tuple[Array, float]]
MOST_LP_ENTRIES = 200_000  # beyond these a linear program takes longer than its direction is worth


class DualGeometry(Geometry):
    """Of learners that keep dual coordinates.

    Parameters
    ----------
    duals : callable
        Of a target: the dual coordinates of its features, and that of the constant feature.
    """

    def __init__(self, duals: Duals) -> None:
        self.duals = duals

    def product(self, vector: Array, bias: float, target: int) -> float:
        """<v, theta>, the constant feature included."""
        theta, theta_bias = self.duals(target)
        return float((vector * theta[: len(vector)]).sum()) + bias * theta_bias


class SimplexGeometry(DualGeometry):
    """The sum of absolute entries, and the divergence from the uniform start.

    Parameters
    ----------
    duals : callable
        As of any `DualGeometry`.
    weights : int
        How many weights there are: N.
    balanced : bool
        Whether entries may be negative.
    intercept : float
        Size of the constant feature.
    seconds : float
        How much time a linear program may take.
    """

    PART = "yours, its positive part"

    def __init__(self, duals: Duals, weights: int, *, balanced: bool, intercept: float, seconds: float = 5.0) -> None:
        super().__init__(duals)
        self.weights, self.balanced, self.intercept, self.seconds = weights, balanced, intercept, seconds

    def measure(self, vector: Array, bias: float, target: int) -> tuple[float, float]:
        """Sum of absolute entries, infinite where a negative one is not allowed; divergence of their shares."""
        sizes = np.append(np.abs(vector), abs(bias))
        total = float(sizes.sum())
        if not self.balanced and (bias < 0 or (vector < 0).any()):
            return inf, 0.0
        if not 0 < total < inf:
            return total, 0.0
        shares = sizes[sizes > 0] / total
        # A difference, and near the start all of it may be lost: theorems divide it by what is as small.
        error = EPSILON * (len(shares) + 4) * (1 + log(self.weights))
        return total, max(0.0, log(self.weights) + float((shares * np.log(shares)).sum())) + error

    def admissible(self, vector: Array, bias: float) -> tuple[Array, float]:
        """The vector without its negative entries, unless they are allowed."""
        return (vector, bias) if self.balanced else (np.maximum(vector, 0.0), max(bias, 0.0))

    def directions(self, batch: Batch, signs: Array, target: int) -> Sequence[tuple[str, Array, float]]:
        """The vector of the largest margin over the simplex, where the linear program is small."""
        from ..separation.simplex_margin import max_margin_simplex_signed

        if batch.entries > MOST_LP_ENTRIES:
            return ()
        margin = max_margin_simplex_signed(
            batch, signs, balanced=self.balanced, intercept=self.intercept, max_seconds=self.seconds
        )
        if margin.lower <= 0:
            return ()
        columns = batch.columns
        bias = float(margin.weights[columns]) if self.intercept else 0.0
        return (("maximum margin over the simplex", margin.weights[:columns], bias),)


class DualNormGeometry(DualGeometry):
    """The norm that is dual to the one in which the weights move.

    Parameters
    ----------
    duals : callable
        As of any `DualGeometry`.
    p : float
        Of the weights' norm; |v|_q measures comparators, 1 / p + 1 / q = 1.
    """

    def __init__(self, duals: Duals, p: float) -> None:
        super().__init__(duals)
        self.q = p / (p - 1)

    def measure(self, vector: Array, bias: float, target: int) -> tuple[float, float]:
        """|v|_q."""
        return p_length(vector, bias, self.q), 0.0


def p_length(vector: Array, bias: float, p: float) -> float:
    """The p-norm of a vector and the constant feature's entry, also of what is very large or small."""
    sizes = np.append(np.abs(vector), abs(bias))
    largest = float(sizes.max())
    if not 0 < largest < inf:
        return largest
    return largest * float(float(((sizes / largest) ** p).sum()) ** (1 / p))
