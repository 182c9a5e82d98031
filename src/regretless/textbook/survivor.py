"""The conversion of a mistake bound into a hypothesis that is probably approximately correct."""

from math import ceil, log
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


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
