"""Comparators in the geometry of a second-order learner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import sqrt

import numpy as np

from ...data.batch import Array, Batch
from ..comparators.candidates import matrix_of
from ..comparators.search import Geometry
from ..state import Rules, State
from .state import SecondOrderState

MOST_PLAYED = 3_000_000  # entries that the passes over whitened rows look at, when rounds are few
MOST_WHITENED = 20_000_000  # entries of dense rows that a full matrix would make of them
BALLS = (0.25, 0.5, 1.0, 2.0)  # radii, in lengths of the learner's own solution


class Ellipsoid(Geometry):
    """A vector v is as long as sqrt(v'A v), with the matrix of the target in question.

    Parameters
    ----------
    state : SecondOrderState
        Whose matrices they are.
    """

    def __init__(self, state: SecondOrderState) -> None:
        self.state = state

    def measure(self, vector: Array, bias: float, target: int) -> tuple[float, float]:
        """sqrt(v'A v), the constant feature included; there is no divergence."""
        return self.state.stretched(vector, bias, target), 0.0

    def directions(self, batch: Batch, signs: Array, target: int) -> list[tuple[str, Array, float]]:
        """Averages of gradient descent in balls that are round in this geometry: over the rows A^-1/2 x."""
        size = self.state.stretched(self.state.coefficients()[:, target], float(self.state.biases()[target]), target)
        if not 0 < size < np.inf or (self.state.full and len(batch) * (batch.columns + 1) > MOST_WHITENED):
            return []
        rows, intercept, back = self._whitened(batch, target)
        directions = []
        for share in BALLS:
            rules = Rules("ball", "hinge", "self-tuned", share * size, share * size * sqrt(2), intercept=intercept)
            mean = _averaged(rows, signs, rules)
            if mean is not None:
                directions.append((f"gradient descent in an ellipsoid of {share * size:.3g}, averaged", *back(*mean)))
        return directions

    def _whitened(
        self, batch: Batch, target: int
    ) -> tuple[Batch, float, Callable[[Array, float], tuple[Array, float]]]:
        """Rows and constant feature in which v'A v is a squared length, and the way back from vectors to vectors."""
        intercept = 0.0 if self.state.rules is None else self.state.rules.intercept
        if not self.state.full:
            scales, constant = self.state.roots(target)
            columns = slice(None) if batch.indices is None else batch.indices
            values = np.ascontiguousarray(batch.values / scales[: batch.columns][columns])
            return replace(batch, values=values), intercept / constant, lambda v, b: (v / scales, b / constant)
        root = self.state.root(target)
        rows = matrix_of(batch) @ root[1 : batch.columns + 1] + intercept * root[0]

        def back(vector: Array, _: float) -> tuple[Array, float]:
            whole = root @ vector
            return whole[1:], float(whole[0])

        return Batch(np.ascontiguousarray(rows), None, rows.shape[1]), 0.0, back


def _averaged(rows: Batch, signs: Array, rules: Rules) -> tuple[Array, float] | None:
    """The mean of the weights over some passes in random orders; None where they overflow."""
    state, random = State(rows.columns, 1, average=True), np.random.default_rng(0)
    player = state.player(rules)
    for _ in range(min(30, max(3, MOST_PLAYED // max(rows.entries, 1)))):
        order = random.permutation(len(rows))
        if player.play(rows.values, rows.indices, rows.starts, signs, None, order)[1] is not None:
            return None
    weights, biases = state.average()
    return weights[:, 0], float(biases[0])
