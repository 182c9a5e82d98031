"""The perceptron's averages and votes (Freund and Schapire)."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def survivors(X: Array, y: Array, passes: int = 1) -> list[Array]:
    """The perceptron's weights w_1, ..., w_{T+1}, before each round and after the last, labels y in {-1, +1}."""
    w = np.zeros(X.shape[1])
    history = [w]
    for x, label in zip(np.tile(X, (passes, 1)), np.tile(y, passes), strict=True):
        if label * (w @ x) <= 0:
            w = w + label * x
        history.append(w)
    return history


def average(X: Array, y: Array, when: str = "before", passes: int = 1) -> Array:
    """The mean of w_1, ..., w_T ("before" each round) or of w_2, ..., w_{T+1} ("after" it)."""
    history = survivors(X, y, passes)
    return np.asarray(np.mean(history[:-1] if when == "before" else history[1:], axis=0))


def votes(X: Array, y: Array, new: Array, when: str = "before", passes: int = 1) -> list[float]:
    """For each new row the mean of sign <w_t, x> over the same weights; a score of 0 votes +1."""
    history = survivors(X, y, passes)
    voters = history[:-1] if when == "before" else history[1:]
    return [float(np.mean([1 if w @ x >= 0 else -1 for w in voters])) for x in new]
