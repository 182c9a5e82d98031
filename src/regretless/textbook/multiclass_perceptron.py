"""The perceptron of several classes, the largest score being predicted."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def multiclass_perceptron(X: Array, y: Array, classes: int, rate: float = 1.0) -> tuple[Array, int, int]:
    """Weights (classes, features), updates and mistakes, labels y in {0, ..., classes - 1}.

    Of equal scores the first is predicted; a tie of the true class with the best other one is an update.
    """
    W, updates, mistakes = np.zeros((classes, X.shape[1])), 0, 0
    for x, label in zip(X, y, strict=True):
        scores = W @ x
        mistakes += int(np.argmax(scores)) != label
        others = np.where(np.arange(classes) == label, -np.inf, scores)
        rival = int(np.argmax(others))
        if scores[label] <= scores[rival]:
            W[label] += rate * x
            W[rival] -= rate * x
            updates += 1
    return W, updates, mistakes
