"""The second-order perceptron and AROW."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def second_order_perceptron(
    X: Array, y: Array, a: float = 1.0, diagonal: bool = False, ties: int = 0
) -> tuple[Array, Array, int, int]:
    """Cesa-Bianchi, Conconi & Gentile's: sum u, matrix A, updates and mistakes, labels y in {-1, +1}.

    A score of 0 predicts `ties` (+1 if that is 0) and is an update unless it predicts the label that `ties` names.
    """
    u, A, updates, mistakes = np.zeros(X.shape[1]), a * np.eye(X.shape[1]), 0, 0
    for x, label in zip(X, y, strict=True):
        outer = np.diag(x * x) if diagonal else np.outer(x, x)
        score = u @ np.linalg.solve(A + outer, x)
        mistakes += (np.sign(score) or ties or 1) != label
        if label * score < 0 or (score == 0 and label != ties):
            u, A, updates = u + label * x, A + outer, updates + 1
    return u, A, updates, int(mistakes)


def arow(X: Array, y: Array, r: float = 1.0, diagonal: bool = False) -> tuple[Array, Array, int, int]:
    """Crammer, Kulesza & Dredze's: mean mu, covariance Sigma, updates and mistakes, labels y in {-1, +1}."""
    mu, Sigma, updates, mistakes = np.zeros(X.shape[1]), np.eye(X.shape[1]), 0, 0
    for x, label in zip(X, y, strict=True):
        margin, confidence = label * (mu @ x), x @ Sigma @ x
        mistakes += margin < 0 or (margin == 0 and label < 0)
        if margin < 1:
            beta = 1 / (confidence + r)
            mu = mu + (1 - margin) * beta * label * Sigma @ x
            shrunk = np.diag(1 / (1 / np.diag(Sigma) + x * x / r))
            Sigma = shrunk if diagonal else Sigma - beta * np.outer(Sigma @ x, Sigma @ x)
            updates += 1
    return mu, Sigma, updates, int(mistakes)


def arow_in_sizes(X: Array, y: Array, r: float = 1.0) -> tuple[Array, Array, Array, int, int]:
    """The same with a diagonal A that starts with 10 r times the largest square of each feature so far, which a
    larger one raises before its row is predicted: the mean, what A starts with, what it adds, updates and mistakes."""
    size, squares, mu, updates, mistakes = np.zeros(X.shape[1]), np.zeros(X.shape[1]), np.zeros(X.shape[1]), 0, 0
    for x, label in zip(X, y, strict=True):
        seen, larger = x != 0, np.maximum(size, x * x)
        A = np.where(larger > 0, squares + 10 * r * larger, 1)
        mean = mu * np.where(seen, (squares + 10 * r * size) / A, 1)
        margin, confidence = label * (mean @ x), x @ (x / A)
        mistakes += margin < 0 or (margin == 0 and label < 0)
        if margin < 1:
            mu = mean + (1 - margin) / (confidence + 1) * label * x / A
            size, squares, updates = larger, squares + x * x, updates + 1
    return mu, 10 * r * np.where(size > 0, size, 1), squares, updates, int(mistakes)
