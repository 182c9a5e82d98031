"""Iterative parameter mixing (McDonald, Hall and Mann): shards learn apart from the same weights, which are mixed."""

from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

# From the weights w_1, over the rows of X with labels y in {-1, +1}: the weights before each round and after the last,
# and the number of updates.
Play = Callable[[Array, Array, Array], tuple[list[Array], int]]


def perceptron_from(w: Array, X: Array, y: Array) -> tuple[list[Array], int]:
    """The perceptron's weights w_1, ..., w_{T+1} from some w_1 on, and its updates."""
    history, updates = [w], 0
    for x, label in zip(X, y, strict=True):
        if label * (w @ x) <= 0:
            w = w + label * x
            updates += 1
        history.append(w)
    return history, updates


def mixing(
    shards: list[tuple[Array, Array]], play: Play, epochs: int, w: Array, weights: str = "uniform"
) -> tuple[list[Array], list[list[int]], list[Array]]:
    """The mixed weights after each epoch from w on, how often each shard updated in it, and what its weights counted.

    Each shard (X, y) counts 1 ("uniform"), its updates ("updates") or its rows ("rows"), over the sum of all; if none
    has updated, all weights are the same and it does not matter.
    """
    mixed, updates, shares = [], [], []
    for _ in range(epochs):
        played = [play(w, X, y) for X, y in shards]
        k = [count for _, count in played]
        counts = np.array({"uniform": [1] * len(k), "updates": k, "rows": [len(y) for _, y in shards]}[weights])
        mu = counts / counts.sum() if counts.any() else np.full(len(k), 1 / len(k))
        w = np.sum([share * history[-1] for share, (history, _) in zip(mu, played, strict=True)], axis=0)
        mixed.append(w)
        updates.append(k)
        shares.append(mu)
    return mixed, updates, shares


def mixed_average(
    shards: list[tuple[Array, Array]], epochs: int, when: str = "before", weights: str = "uniform"
) -> Array:
    """The mean of all the weights of the mixed perceptron, before each round of each shard ("before") or after it."""
    zero = np.zeros(shards[0][0].shape[1])
    starts = [zero, *mixing(shards, perceptron_from, epochs, zero, weights)[0][:-1]]
    histories = [perceptron_from(w, X, y)[0] for w in starts for X, y in shards]
    return np.asarray(np.mean([w for h in histories for w in (h[:-1] if when == "before" else h[1:])], axis=0))
