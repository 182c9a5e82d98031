"""An engine for tests: everything travels as bytes, shards are played in a drawn order, the tree is the fixed one."""

from __future__ import annotations

import pickle
import random

from regretless.distributed.engine import Engine


class Parcels(Engine):
    """Plays shards in an order drawn by a seed, each from a pickled copy of what it is given."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self.sent = 0

    def fold(self, work, merge, common, shards, *, done=None, stop=None):
        order = list(range(len(shards)))
        random.Random(self.seed).shuffle(order)
        parts = [b""] * len(shards)
        for place in order:
            task, shard = self._travelled((common, shards[place]))
            parts[place] = pickle.dumps(work(task, shard))
            if done is not None:
                done(place)
        level = [pickle.loads(one) for one in parts]
        while len(level) > 1:
            ends = [level[-1]] if len(level) % 2 else []
            level = [merge(common, *level[k : k + 2]) for k in range(0, len(level) - 1, 2)] + ends
        return level[0]

    def _travelled(self, inputs):
        sent = pickle.dumps(inputs)
        self.sent += len(sent)
        return pickle.loads(sent)
