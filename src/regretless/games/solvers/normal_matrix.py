"""The matrix of an interior point's normal equations, built by BLAS, and its Cholesky factor."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..raw_solution import Vector

Array = np.ndarray[Any, Any]

# The fewest cells of a game for which single precision is worth its copy of the payoffs.
SINGLE_CELLS = 150_000
# The fewest columns for which one and two further correctors are worth their solutions.
ONE_CORRECTOR, TWO_CORRECTORS = 100, 600
# Shares of the diagonal that are added to it in turn until there is a Cholesky factor.
REGULAR = (0.0, 1e-14, 1e-12, 1e-10)


class NormalMatrix:
    """sum_i D_i (a_i - m)(a_i - m)' + diag(e), with a_i the rows of the payoffs and m their mean under the weights D.

    Attributes
    ----------
    weights, middle, ones : ndarray
        D, m, and the solution for a right side of ones.
    total : float
        Sum of the weights.
    doubtful : bool
        Whether single precision was barely sufficient.
    correctors : int
        The number of further correctors for each factor.
    """

    def __init__(self, payoffs: Array) -> None:
        columns = payoffs.shape[1]
        self._payoffs = payoffs
        self._single = payoffs.astype(np.float32) if payoffs.size >= SINGLE_CELLS else None
        self._held: Array | None = None
        self.doubtful = False
        self.correctors = (columns >= ONE_CORRECTOR) + (columns >= TWO_CORRECTORS)
        self.weights = self.middle = self.ones = np.zeros(0)
        self.total = 0.0

    def factor(self, weights: Vector, diagonal: Vector) -> bool:
        """Build and factorise; False if the matrix is not positive definite in this precision."""
        self.weights, self._diagonal = weights, diagonal
        self.total = float(weights.sum())
        self.middle = (weights @ self._payoffs) / self.total
        if self._single is None:
            return self._factor(self._payoffs)
        if self.doubtful:
            return self.precise()
        return self._factor(self._single) or self.precise()

    def precise(self) -> bool:
        """Switch to double precision for good and factorise again; False if that is in use already."""
        if self._single is None:
            return False
        self._single = self._held = None
        return self._factor(self._payoffs)

    def solve(self, right: Vector) -> Vector:
        """The solution for a right side."""
        solution, _ = self._potrs(self._cholesky, right.astype(self._cholesky.dtype, copy=False), lower=1)
        return np.asarray(solution, dtype=np.float64)

    def _factor(self, payoffs: Array) -> bool:
        from scipy.linalg import blas, lapack  # type: ignore[import-untyped, unused-ignore]

        double = payoffs.dtype == np.float64
        syrk, potrf, self._potrs = (
            (blas.dsyrk, lapack.dpotrf, lapack.dpotrs) if double else (blas.ssyrk, lapack.spotrf, lapack.spotrs)
        )
        if self._held is None:
            self._held = np.empty_like(payoffs)
        np.subtract(payoffs, self.middle.astype(payoffs.dtype, copy=False), out=self._held)
        self._held *= np.sqrt(self.weights).astype(payoffs.dtype, copy=False)[:, None]
        matrix = syrk(1.0, self._held.T, lower=1)
        diagonal = matrix.diagonal() + self._diagonal.astype(payoffs.dtype, copy=False)
        for added in REGULAR if double else (0.0,):
            np.fill_diagonal(matrix, diagonal * (1 + added))
            self._cholesky, info = potrf(matrix, lower=1, clean=0)
            if info == 0:
                break
        else:
            return False
        self.ones = self.solve(np.ones(len(matrix)))
        return bool(np.isfinite(self.ones).all()) and self.ones.sum() > 0
