"""Squared lengths in the order in which the kernels add up."""

from __future__ import annotations

import numpy as np

from ..data.batch import Array

STRETCH = 1 << 16  # a multiple of eight; so much stays in the cache


def lengths_of(weights: Array, biases: Array) -> Array:
    """|w|^2 of each target, the same bits as a kernel that sums it afresh.

    Parameters
    ----------
    weights : ndarray, shape (columns, targets)
    biases : ndarray, shape (targets,)
        Weights of the constant feature.

    Returns
    -------
    ndarray, shape (targets,)
    """
    rows, targets = weights.shape
    lane = np.zeros((8, targets))
    room = np.empty((1 + -(-min(rows, STRETCH) // 8), 8, targets))
    with np.errstate(over="ignore", invalid="ignore"):
        for begin in range(0, rows, STRETCH):
            part = weights[begin : begin + STRETCH]
            squares = room[: 1 + -(-len(part) // 8)]
            squares[-1] = 0  # the last eight may be fewer
            squares[0] = lane  # numpy adds along the first axis one after the other
            np.multiply(part, part, out=squares.reshape(-1, targets)[8 : 8 + len(part)])
            lane = squares.sum(axis=0)
        tree = ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]))
        return np.asarray(tree + biases * biases)
