"""Winnow and the p-norm perceptron: mistakes move dual coordinates, and weights follow from them."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def winnow(
    X: Array, y: Array, rate: float, *, balanced: bool = False, ties: int = 0, passes: int = 1
) -> tuple[Array, int, int]:
    """Weights that sum to 1, updates and mistakes over the rows of X, labels y in {-1, +1}.

    Balanced, each feature is a pair (x, -x) with a weight each, and what comes back is the difference of the two. A
    score of 0 predicts `ties` (+1 if that is 0) and is an update unless it predicts the label that `ties` names."""
    signs = np.array([[1.0], [-1.0]] if balanced else [[1.0]])  # one row for each weight of a feature
    theta = np.zeros((len(signs), X.shape[1]))  # the weights' logarithms: multiplied themselves, they forget exact ties
    updates, mistakes = 0, 0
    for x, label in zip(np.tile(X, (passes, 1)), np.tile(y, passes), strict=True):
        score = (signs * np.exp(theta - theta.max())).sum(axis=0) @ x
        mistakes += (np.sign(score) or ties or 1) != label
        if label * score < 0 or (score == 0 and label != ties):
            theta = theta + rate * label * signs * x
            updates += 1
    w = np.exp(theta - theta.max())
    return (signs * w / w.sum()).sum(axis=0), updates, int(mistakes)


def p_norm_perceptron(
    X: Array, y: Array, p: float, rate: float = 1.0, ties: int = 0, passes: int = 1
) -> tuple[Array, int, int]:
    """Dual coordinates theta, updates and mistakes; the weights are the gradient of |theta|_p^2 / 2."""
    theta, updates, mistakes = np.zeros(X.shape[1]), 0, 0
    for x, label in zip(np.tile(X, (passes, 1)), np.tile(y, passes), strict=True):
        score = (np.sign(theta) * np.abs(theta) ** (p - 1)) @ x
        mistakes += (np.sign(score) or ties or 1) != label
        if label * score < 0 or (score == 0 and label != ties):
            theta = theta + rate * label * x
            updates += 1
    return theta, updates, int(mistakes)
