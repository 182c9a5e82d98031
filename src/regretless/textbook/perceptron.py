"""Rosenblatt's perceptron."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def perceptron(X: Array, y: Array, rate: float = 1.0, ties: int = 0, passes: int = 1) -> tuple[Array, int, int]:
    """Weights, updates and mistakes over the rows of X, labels y in {-1, +1}.

    A score of 0 predicts `ties` (+1 if that is 0) and is an update unless it predicts the label that `ties` names.
    """
    w, updates, mistakes = np.zeros(X.shape[1]), 0, 0
    for x, label in zip(np.tile(X, (passes, 1)), np.tile(y, passes), strict=True):
        score = w @ x
        predicted = np.sign(score) or ties or 1
        mistakes += predicted != label
        if label * score < 0 or (score == 0 and label != ties):
            w = w + rate * label * x
            updates += 1
    return w, updates, int(mistakes)
