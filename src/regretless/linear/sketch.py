"""A matrix that is kept as a diagonal and a few rows, and what is asked of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..data.batch import Array
from ..rows.state import length
from ..theory.rounding import EPSILON


@dataclass(frozen=True, eq=False)
class Sketch:
    """A matrix D + B'B, D a diagonal and B a few rows: what can be asked of it without its being written down.

    Attributes
    ----------
    start, shed : ndarray, shape (n,)
        What D was without rows, > 0, and what it has from those that B has shed, >= 0.
    rows : ndarray, shape (k, n)
        B.
    """

    start: Array
    shed: Array
    rows: Array

    @cached_property
    def roots(self) -> Array:
        """The square roots of D."""
        return np.asarray(np.sqrt(self.start + self.shed))

    @cached_property
    def axes(self) -> tuple[Array, Array]:
        """The singular values of B D^-1/2, and its right singular vectors as rows."""
        _, values, vectors = np.linalg.svd(self.rows / self.roots, full_matrices=False)
        return values, vectors

    def stretched(self, vector: Array) -> float:
        """sqrt(v'A v)."""
        return length(np.append(self.roots * vector, self.rows @ vector))

    def energy(self, vector: Array) -> float:
        """u'A^-1 u, rounded up: what lies off the axes is a difference."""
        values, axes = self.axes
        scaled = vector / self.roots
        along = axes @ scaled
        off = scaled - along @ axes
        error = EPSILON * (len(vector) + len(values)) * length(scaled)
        return float((length(np.append(off, along / np.hypot(1.0, values))) + error) ** 2)

    def volume(self) -> float:
        """ln det of A over what D started as."""
        values, _ = self.axes
        return float(np.log1p(self.shed / self.start).sum() + np.log1p(values * values).sum())

    def whitened(self, rows: Array) -> Array:
        """Rows x as A^-1/2 x, up to a rotation."""
        values, axes = self.axes
        scaled = rows / self.roots
        return np.asarray(scaled - ((scaled @ axes.T) * (1 - 1 / np.hypot(1.0, values))) @ axes)

    def unwhitened(self, vector: Array) -> Array:
        """The v whose products with rows are those of a vector with the rows as `whitened` gives them."""
        return np.asarray(self.whitened(vector[None] * self.roots)[0] / self.roots)
