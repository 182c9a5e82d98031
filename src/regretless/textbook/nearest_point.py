"""The largest margin, by the point of the rows y x's convex hull that is nearest to the origin (Wolfe)."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def nearest_point(Z: Array, tolerance: float = 1e-9) -> tuple[Array, Array]:
    """Weights with sum 1 of the rows of Z, and the point that they combine the rows to."""
    weights = np.eye(len(Z))[np.argmin((Z**2).sum(axis=1))]
    while True:
        point = weights @ Z
        if min(Z @ point) >= (1 - tolerance) * point @ point:
            return weights, point
        corral = np.append(np.flatnonzero(weights), np.argmin(Z @ point))
        while True:
            aim = np.zeros(len(Z))
            aim[corral] = np.linalg.solve(Z[corral] @ Z[corral].T + 1, np.ones(len(corral)))
            aim /= aim.sum()
            if min(aim[corral]) > 0:
                weights = aim
                break
            falling = corral[aim[corral] <= 0]
            parts = weights[falling] / (weights[falling] - aim[falling])
            weights = weights + min(parts) * (aim - weights)
            corral = corral[corral != falling[np.argmin(parts)]]
            weights[falling[np.argmin(parts)]] = 0
