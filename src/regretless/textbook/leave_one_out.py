"""The leave-one-out error as it is defined: a run for each row."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .perceptron import perceptron

Array = np.ndarray[Any, Any]


def leave_one_out(X: Array, y: Array, learn: Callable[[Array, Array], Array]) -> Array:
    """Which rows have y <w, x> <= 0 for the w that is learned from all the others, in their order."""
    rows = np.arange(len(y))
    return np.array([y[i] * (learn(X[rows != i], y[rows != i]) @ X[i]) <= 0 for i in rows])


def until_clean(X: Array, y: Array) -> Array:
    """The perceptron's weights after its first pass without an update; there must be one."""
    passes, last = 1, -1
    while True:
        w, updates, _ = perceptron(X, y, passes=passes)
        if updates == last:
            return w
        passes, last = passes + 1, updates
