"""What a run says of rows that it has not seen: a hypothesis that is probably approximately correct, and the
leave-one-out error as it is defined, by a run for each row."""

from collections.abc import Callable
from math import ceil, log

import numpy as np

from .linear import Array, perceptron


def longest_survivor(X: Array, y: Array, most: int, epsilon: float, delta: float) -> tuple[Array, int, str]:
    """Perceptron weights that survived ceil(ln(most / delta) / epsilon) rounds; when, and how it ended.

    More than `most` updates break the promise that there are no more; as many leave nothing to be wrong about.
    """
    w, updates, survived = np.zeros(X.shape[1]), 0, 0
    for t, (x, label) in enumerate(zip(X, y, strict=True), start=1):
        survived += 1
        if label * (w @ x) <= 0:
            w, updates, survived = w + label * x, updates + 1, 0
        if updates > most:
            return w, t, "promise broken"
        if survived == ceil(log(most / delta) / epsilon):
            return w, t, "survived"
    return w, len(y), "all mistakes made" if updates == most else "too short"


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
