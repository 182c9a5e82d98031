"""Probabilities of classes from log odds, and the log loss of those that came."""

from __future__ import annotations

import numpy as np

from ..data.batch import Array


def log_probabilities(scores: Array, classes: int) -> Array:
    """Logarithms of the probabilities of all classes.

    Parameters
    ----------
    scores : ndarray, shape (rows, targets)
        Log odds: of the larger of two classes, or of each of several against the rest.
    classes : int

    Returns
    -------
    ndarray, shape (rows, classes)
        Of several classes, the probabilities are divided by their sum.
    """
    if classes == 1:
        return np.zeros((len(scores), 1))
    if scores.shape[1] == 1:
        return np.asarray(-np.logaddexp(0, np.hstack([scores, -scores])))
    each = -np.logaddexp(0, -scores)
    return np.asarray(each - np.logaddexp.reduce(each, axis=1, keepdims=True))


def log_losses(scores: Array, codes: Array) -> Array:
    """The log loss of each row, in nats.

    Parameters
    ----------
    scores : ndarray, shape (rows, targets)
    codes : ndarray of int, shape (rows,)
        Of one target the sign of the label, also while one class alone is known; else its number among the classes.
    """
    if scores.shape[1] == 1:
        margins = np.where(codes > 0, scores[:, 0], -scores[:, 0])
        return np.asarray(np.logaddexp(0, -margins))
    return -log_probabilities(scores, scores.shape[1])[np.arange(len(codes)), codes]
