"""What tests of mixing share: a driver without engines, and shards in memory."""

from __future__ import annotations

import pickle
from itertools import pairwise
from typing import Any

import numpy as np

from regretless.distributed.engine import MergeTree
from regretless.distributed.learner_adapter import make_start, refuse, take_in
from regretless.distributed.messages import ShardResult
from regretless.distributed.shard_epoch import epoch, merge
from regretless.distributed.shards import Shard
from regretless.distributed.sources import arrays

PLANE = {"format": "array", "columns": None, "target": None}


def mixed(
    learner: Any,
    shards: list[Any],
    epochs: int = 1,
    *,
    weighting: Any = "uniform",
    classes: Any = (-1, 1),
    columns: int | None = None,
    passes: int = 1,
    alone: bool | None = None,
    order: list[int] | None = None,
    after_epoch: Any = None,
) -> tuple[Any, list[ShardResult]]:
    """The learner after so many epochs over shards, which are pairs (X, y) or shards, and the result of each epoch.

    `order` is that in which the shards are played. `after_epoch` is called on the learner and gives the one
    that goes on.
    """
    refuse(learner)
    parts = shards if isinstance(shards[0], Shard) else arrays(shards)
    learner.announce(np.asarray(classes), shards[0][0].shape[1] if columns is None else columns)
    clock, outcomes = None, []
    for number in range(epochs):
        alone = len(parts) == 1 if alone is None else alone
        start = make_start(
            learner, schema=PLANE, epoch=number, weighting=weighting, clock=clock, passes=passes, alone=alone
        )
        start = pickle.loads(pickle.dumps(start))
        tree: MergeTree[ShardResult] = MergeTree(len(parts), lambda left, right, start=start: merge(start, left, right))
        for place in order or range(len(parts)):
            tree.add(place, pickle.loads(pickle.dumps(epoch(start, parts[place]))))
        outcomes.append(tree.result)
        clock = take_in(learner, start, tree.result)
        if after_epoch is not None:
            learner = after_epoch(learner)
    return learner, outcomes


def cut(X: Any, y: Any, count: int) -> list[tuple[Any, Any]]:
    """Rows in so many shards, as equal as can be."""
    at = [len(y) * i // count for i in range(count + 1)]
    return [(X[begin:end], y[begin:end]) for begin, end in pairwise(at)]
