"""The passive-aggressive algorithms of Crammer, Dekel, Keshet, Shalev-Shwartz and Singer."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def passive_aggressive(X: Array, y: Array, variant: str = "PA-I", C: float = 1.0) -> tuple[Array, float, int]:
    """Weights, sum of squared hinge losses and mistakes, labels y in {-1, +1}; a score of 0 predicts +1."""
    w, squares, mistakes = np.zeros(X.shape[1]), 0.0, 0
    for x, label in zip(X, y, strict=True):
        score, norm2 = w @ x, x @ x
        mistakes += (1 if score >= 0 else -1) != label
        loss = max(0.0, 1 - label * score)
        squares += loss**2
        if loss > 0 and norm2 > 0:
            steps = {"PA": loss / norm2, "PA-I": min(C, loss / norm2), "PA-II": loss / (norm2 + 1 / (2 * C))}
            w = w + steps[variant] * label * x
    return w, float(squares), int(mistakes)
