"""Iterative parameter mixing: shards play from the mixed weights, and their weights are mixed again."""

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
from .result import Mixture as Mixture
from .rows.shards import shards_of


def mix(
    learner: OnlineClassifier | str,
    shards: Any,
    executor: Any = None,
    *,
    epochs: int | None = None,
    weights: Weighting = "uniform",
    together: int | None = None,
    classes: Any = None,
    checkpoint: Path | None = None,
    resume: Path | bool | None = None,
    on_shard: Callable[[int, int], None] | None = None,
    on_epoch: Callable[[Epoch], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> Mixture:
    """Learn from shards by iterative parameter mixing (McDonald, Hall & Mann 2010).

    ::

        epoch n   every shard i plays its own rows, in their order, from w_{n-1}, and ends with w_{n,i}
        mix       w_n = sum over i of mu_{n,i} w_{n,i},   mu >= 0 and sum mu = 1

    Rows stay where they are; weights and counts travel. The weights are the same bits on every executor, whatever the
    number of workers and the order in which they finish, and with one shard those of the learner by itself.

    Of a perceptron with k_{n,i} updates on shard i in epoch n, sum mu k <= (max |x| / rho)^2 if all rows are separated
    with margin rho. The plain number of updates may exceed that: with uniform mu it is at most as many times the bound
    as there are shards.

    Parameters
    ----------
    learner : OnlineClassifier or str
        Its parameters, or the name of one that has them as they come; it is left as it is. Not all learners can be
        mixed, and what is said of one that cannot is why.
    shards : path, pattern, or sequence of paths, of pairs (X, y), of functions that read one, or of `Shard`
        See `files`, `arrays` and `calls`.
    executor : optional
        None for this process; any `concurrent.futures.Executor`, a Dask client, an `Engine`. It is not shut down.
    epochs : int, optional
        By default as many as the learner makes passes. If it goes on `until_clean`, this is the most there are, and an
        epoch without an update the last.
    weights : {"uniform", "updates", "rows"}
        What mu is in proportion to: the same for all shards, their updates in this epoch, their rows.
    together : int, optional
        Mix after every so many shards, neighbours in their order, instead of after all: each such group begins from the
        mix of the one before. All theorems hold, and those that count shards count those of a group. With as many as
        there are workers all of them stay busy, and an epoch learns much more; but each mixing costs some milliseconds,
        so a shard should take a second or more. 1 is the run of one learner over all shards in turn. Whatever it is, it
        changes the result: what is the same on every executor is the result for a given number.
    classes : array-like, optional
        All labels there are. Otherwise the first epoch is begun anew when a shard meets a label that the first rows of
        the first shard do not have. One that comes and is not among them is learned as well, as `partial_fit` does.
        What `certify(iid=True)` says of new rounds counts as mistakes those that come
        unannounced, or declines.
    checkpoint : path, optional
        A model file, replaced as a whole after each epoch. If it is there already, the run goes on from it: it must be
        one of the same learner, shards and weighting. One that is finished goes on only for more epochs.
    resume : path or False, optional
        Another model to go on from; False to begin anew whatever stands at `checkpoint`.
    on_shard : callable, optional
        Told the number of the epoch, from 1, and the place of each shard that is done.
    on_epoch : callable, optional
        Told each `Epoch` once it is mixed, and saved if there is a place for it.
    stop : callable, optional
        Asked now and then whether to stop.

    Returns
    -------
    Mixture
        The fitted learner, the ledgers, and what happened in each epoch.

    Raises
    ------
    DataError
        If a shard is missing, empty or malformed; it is named, and nothing of its epoch is written.
    Interrupted
        If `stop` said so. The checkpoint is that of the last whole epoch.
    EngineError
        If a process that plays is gone; the checkpoint stands, and the same call with a new executor goes on.
    RegretlessError
        If the learner cannot be mixed, something else is asked for that has no meaning, or the checkpoint is of another
        run.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.distributed import mix
    >>> from regretless.linear import Perceptron
    >>> X, y = np.array([[1.0, 2.0], [2.0, 1.0], [-1.0, -1.0], [-2.0, 1.0], [1.0, -2.0]]), np.array([1, 1, -1, -1, 1])
    >>> mixture = mix(Perceptron(until_clean=True), [(X[:3], y[:3]), (X[3:], y[3:])])
    >>> mixture.learner.score(X, y), len(mixture.history)
    (1.0, 2)
    >>> mixture.history[0].updates, mixture.history[0].weighted_updates
    (2, 1.0)
    """
    learner = learner_of(learner)
    run = Mixing(
        learner,
        shards_of(shards),
        engine_of(executor),
        epochs=learner.most_passes if epochs is None else whole("epochs", epochs),
        weights=weights,
        together=together,
        classes=classes,
        checkpoint=checkpoint,
        resume=resume,
    )
    run.on_shard = on_shard or run.on_shard
    run.on_epoch = on_epoch or run.on_epoch
    run.stop = stop or run.stop
    return run.play()
