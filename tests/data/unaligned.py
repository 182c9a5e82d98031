"""An engine for tests: all arrays arrive where no number may begin, and cannot be written to, as out of a wire."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from regretless.distributed.engine import Engine, pairs, run_guarded


def shifted(inputs: Any) -> Any:
    """The same after a journey that puts every array at an odd address."""
    buffers: list[pickle.PickleBuffer] = []
    packed = pickle.dumps(inputs, protocol=5, buffer_callback=buffers.append)
    return pickle.loads(packed, buffers=[memoryview(b"\0" + buffer.raw().tobytes())[1:] for buffer in buffers])


def shifted_array(array: np.ndarray) -> np.ndarray:
    """The array at an odd address."""
    flat = np.frombuffer(b"\0" + np.ascontiguousarray(array).tobytes(), array.dtype, offset=1)
    return flat.reshape(array.shape)


class Shifting(Engine):
    """Plays one shard after the other; whatever is handed from one to another is shifted."""

    def fold(self, work, merge, common, shards, *, done=None, stop=None):
        level = [shifted(run_guarded(work, shifted(common), shifted(shard))) for shard in shards]
        for groups in pairs(len(shards)):
            level = [
                shifted(merge(shifted(common), *(level[place] for place in group)))
                if len(group) > 1
                else level[group[0]]
                for group in groups
            ]
        return level[0]
