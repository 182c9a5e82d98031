"""Blum's margin perceptron."""

from math import sqrt
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def margin_perceptron(
    X: Array, y: Array, gamma: float, epsilon: float = 0.5, max_passes: int = 1000
) -> tuple[Array, int, int]:
    """Weights, updates and passes, labels y in {-1, +1}; the first update, w = y x, counts."""
    w, updates, passes, clean = np.zeros(X.shape[1]), 0, 0, False
    while not clean and passes < max_passes:
        passes, clean = passes + 1, True
        for x, label in zip(X, y, strict=True):
            score = label * (w @ x)
            if not w.any() or score < (1 - epsilon) * gamma * sqrt(w @ w):
                w = w + label * x
                updates, clean = updates + 1, False
    return w, updates, passes


def most_updates(k: float, epsilon: float = 0.5) -> int:
    """The most updates that margin gamma = R / k allows: the largest M with gamma M <= g_M, counted one by one."""
    gamma, g, updates = 1 / k, 1.0, 1
    while True:
        g = sqrt(g * g + 2 * (1 - epsilon) * gamma * g + 1)
        if gamma * (updates + 1) > g:
            return updates
        updates += 1
