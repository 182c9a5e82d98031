"""The constant feature that ``learn`` and ``compare`` append where the user has set none, and its size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import RegretlessError
from ..rows.state import LEAST_ENTRY, MOST_ENTRY

if TYPE_CHECKING:
    from ..data.batch import Batch
    from ..distributed.engine import Engine
    from ..distributed.shards import Shard
    from ..linear.base import OnlineClassifier

NAME = "intercept"


def is_open(learner: OnlineClassifier, settings: Sequence[str]) -> bool:
    """Whether a learner that has seen no row waits for a size that goes by the first one.

    Parameters
    ----------
    learner : OnlineClassifier
    settings : sequence of str
        What the user has set, as ``name=value``.
    """
    return learner.info.constant and not any(text.partition("=")[0].strip() == NAME for text in settings)


def fitting_size(batch: Batch) -> float:
    """The root mean square of those numbers of the first row that are not 0, to the nearest power of two; 1 where there
    are none.

    It goes by one row alone, so that it does not matter in which pieces rows are read.
    """
    if not len(batch):
        return 1.0
    row = batch.values[0] if batch.starts is None else batch.values[: int(batch.starts[1])]
    sizes = np.abs(row[row != 0].astype(np.float64))
    if not len(sizes) or not np.isfinite(sizes).all():  # such a row is refused when it is learned
        return 1.0
    most = float(sizes.max())
    mean = most * float(np.sqrt(np.mean(np.square(sizes / most))))
    return _power(min(max(mean, LEAST_ENTRY), MOST_ENTRY))


def _power(size: float) -> float:
    """The nearest power of two."""
    return float(2.0 ** np.round(np.log2(size)))


def said_of(learner: OnlineClassifier, option: str = "--set") -> str:
    """What people should know of it, for nobody has asked for it."""
    size = learner.get_params()[NAME]
    chosen = {
        _power(LEAST_ENTRY): "the least that is chosen, for numbers of the first row are as small or smaller",
        _power(MOST_ENTRY): "the most that is chosen, for numbers of the first row are as large or larger",
    }.get(size, "as large as numbers of the first row")
    return (
        f"every row has a constant feature of {size:g} besides, {chosen}, and bounds are those of the longer rows; "
        f"{option} {NAME}=0 leaves it out"
    )


def size_from_shards(learner: OnlineClassifier, engine: Engine, shards: Sequence[Shard]) -> None:
    """Give a learner that is to be mixed a constant feature, whose size goes by the first row of the first shard.

    Where that shard cannot be read, the run will say so.
    """
    try:
        size = engine.fold(_of_shard, _no_neighbours, None, shards[:1])
    except RegretlessError:
        return
    learner.set_params(intercept=size)


def _of_shard(_: None, shard: Shard) -> float:
    return next((fitting_size(batch) for batch in shard.open(None).batches() if len(batch)), 1.0)


def _no_neighbours(_: Any, __: float, ___: float) -> float:
    raise AssertionError("one shard has no neighbour")
