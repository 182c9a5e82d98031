"""Scores of rows for some vectors at once, with the same bits dense and sparse."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .. import _core
from ..data.batch import Array, Batch
from ..errors import RegretlessError
from ..ledger import FIELDS
from ..rows.state import Rules

BLOCK = 4096  # columns of which all vectors are written at once


def scorer(vectors: Sequence[Array], intercept: float) -> Callable[[Batch], Array]:
    """What gives the scores of rows, shape (rows, vectors).

    Parameters
    ----------
    vectors : sequence of ndarray, shape (1 + columns,)
        The constant feature first.
    intercept : float
        Size of the constant feature.
    """
    some = [k for k, vector in enumerate(vectors) if vector[1:].any()]  # others give all rows the same
    constants = np.array([intercept * vector[0] for vector in vectors])
    room = max(4, -(-len(some) // 4) * 4)  # the kernel takes four at once
    weights, memory = np.zeros((len(vectors[0]) - 1, room)), np.zeros((room, _core.MEMORY_SIZE))
    for begin in range(0, len(weights), BLOCK):
        for place, k in enumerate(some):
            part = vectors[k][1 + begin : 1 + begin + BLOCK]
            weights[begin : begin + len(part), place] = part
    memory[:, 0], memory[: len(some), 2] = 1, [vectors[k][0] for k in some]  # the scale, and the bias
    books, rules = np.zeros((room + 1, len(FIELDS))), Rules(intercept=intercept)
    player = _core.Player(
        weights,
        memory,
        books,
        np.zeros(4 * room),
        geometry=rules.geometry,
        loss=rules.loss,
        rate=rules.rate,
        intercept=rules.intercept,
    )

    def score(batch: Batch) -> Array:
        scores = np.empty((len(batch), room))
        row, why = player.score(batch.values, batch.indices, batch.starts, scores)
        if why is not None:
            raise RegretlessError(f"row {row} of the rounds to certify against is {why}")
        each = np.repeat(constants[None], len(batch), axis=0)
        each[:, some] = scores[:, : len(some)]
        return each

    return score
