"""One-shot averaging: every shard learns apart, and the weights are averaged once. There is no guarantee for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..checks import whole
from ..linear.base import OnlineClassifier
from .core.broadcast import Weighting
from .core.learner_adapter import learner_of
from .engines.pools import engine_of
from .epochs import Mixing, Path
from .history import Epoch
from .result import Mixture
from .rows.shards import shards_of


def average_once(
    learner: OnlineClassifier | str,
    shards: Any,
    executor: Any = None,
    *,
    passes: int | None = None,
    weights: Weighting = "uniform",
    classes: Any = None,
    checkpoint: Path | None = None,
    resume: Path | bool | None = None,
    on_shard: Callable[[int, int], None] | None = None,
    on_epoch: Callable[[Epoch], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> Mixture:
    """Let every shard learn apart, several passes, then average their weights once.

    It moves weights once instead of once an epoch. No theorem bounds what the mean does: there are data that one
    hyperplane separates on which the mean errs for ever, however many passes the shards make (McDonald, Hall & Mann
    2010, section 3). Its certificates say so instead of giving numbers. For a guarantee use `mix`; a single pass
    is one epoch of it, and has its guarantees.

    Parameters
    ----------
    learner, shards, executor, weights, classes, checkpoint, resume, on_shard, on_epoch, stop
        As in `mix`. There is one epoch, so that a checkpoint is the finished model.
    passes : int, optional
        How often each shard goes over its rows; by default as often as the learner does.

    Returns
    -------
    Mixture
        With ``one_shot`` set.

    Raises
    ------
    DataError, Interrupted, EngineError, RegretlessError
        As in `mix`.
    """
    learner = learner_of(learner)
    run = Mixing(
        learner,
        shards_of(shards),
        engine_of(executor),
        weights=weights,
        classes=classes,
        checkpoint=checkpoint,
        resume=resume,
        passes=learner.passes if passes is None else whole("passes", passes),
        one_shot=True,
    )
    run.on_shard = on_shard or run.on_shard
    run.on_epoch = on_epoch or run.on_epoch
    run.stop = stop or run.stop
    return run.play()
