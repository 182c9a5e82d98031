"""Iterative parameter mixing: shards play from the mixed weights, and their weights are mixed again, or once only."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..checks import one_of, whole
from ..errors import EngineError, ParameterError, RegretlessError
from ..linear.base import OnlineClassifier
from .checkpoint import SavedRun, names_of, prints_of, reading_of, refuse_other, save
from .engine import Engine
from .epochs import Epochs
from .history import Epoch, MixingSums
from .learner_adapter import learner_of, refuse
from .messages import WEIGHTINGS, Weighting
from .paths import same_file
from .pools import engine_of
from .result import Mixture as Mixture
from .shards import FileShard, Shard
from .sources import refuse_unlike, shards_of

Path = str | os.PathLike[str]


@dataclass
class Mixing:
    """One learner, its shards, and the engine that plays them.

    Attributes
    ----------
    learner : OnlineClassifier
        Its parameters.
    shards : list of Shard
    engine : Engine
    epochs, weights, together, classes, checkpoint, resume, on_shard, on_epoch, stop
        As in `mix`.
    known_labels : sequence
        Labels that were already read from the rows: with them the first epoch need not begin anew, and they announce
        nothing.
    passes : int
        How often a shard is gone over before weights are mixed.
    one_shot : bool
        Whether they are averaged once only.
    unfinished : bool
        Whether a checkpoint that has all epochs behind it is refused: `fit` would give what was fitted before.
    mixture : Mixture or None
        As of the last whole epoch, also when something has stopped the run since.
    saved : int
        How many epochs are behind the model in the checkpoint; 0 if this run has read and written none there.
    """

    learner: OnlineClassifier
    shards: list[Shard]
    engine: Engine
    epochs: int = 1
    weights: Weighting = "uniform"
    together: int | None = None
    classes: Any = None
    known_labels: Any = ()
    checkpoint: Path | None = None
    resume: Path | bool | None = None
    passes: int = 1
    one_shot: bool = False
    unfinished: bool = False
    on_shard: Callable[[int, int], None] = lambda number, place: None
    on_epoch: Callable[[Epoch], None] = lambda epoch: None
    stop: Callable[[], bool] = lambda: False
    mixture: Mixture | None = field(default=None, init=False)
    saved: int = field(default=0, init=False)

    def play(self) -> Mixture:
        """Go on until all epochs are played, or one is clean if the learner wants that; the last state.

        Raises
        ------
        DataError, Interrupted, EngineError, RegretlessError
            As of `mix`.
        """
        one_of("weights", self.weights, WEIGHTINGS)
        refuse(self.learner, one_shot=self.one_shot, weights=self.weights)
        if self.together is not None:
            whole("together", self.together)
        self._refuse_places()
        refuse_unlike(self.shards)
        blank = self._blank()
        source = self._source()
        if source is not None:
            self._go_on(source, blank.prints)
        epochs = Epochs(
            self.learner, self.shards, self.engine, self.classes, self.known_labels, self.on_shard, self.stop
        )
        try:
            while not self._done():
                self._epoch(epochs, blank)
        except EngineError as error:
            raise EngineError(f"{error}. {self._what_is_saved()}") from error
        assert self.mixture is not None
        return self.mixture

    # ---- going on from a file

    def _source(self) -> Path | None:
        """The file to go on from."""
        if self.resume is False or (self.resume in (None, True) and self.checkpoint is None):
            return None
        if isinstance(self.resume, str | os.PathLike):
            return self.resume
        return self.checkpoint if self.checkpoint is not None and os.path.exists(self.checkpoint) else None

    def _go_on(self, source: Path, prints: list[str | None]) -> None:
        mixture = Mixture.read(source)
        learner, saved = mixture.learner, mixture.run
        asked = {"weights": self.weights, "together": self._together, "passes": self.passes, "one_shot": self.one_shot}
        refuse_other(source, saved, learner, self.learner, self.shards, prints, **asked)
        done = len(saved.history)
        if done > self.epochs:
            fault = f"{os.fspath(source)} has {done} epochs behind it, and {self.epochs} are asked for"
            raise RegretlessError(f"{fault}; begin anew under another name")
        learner.set_params(**self.learner.get_params())
        learner.n_iter_ = done
        # Its prints stay those of the first call, so that the file is that of a run that never stopped.
        self.mixture = Mixture(learner, self.shards, replace(saved, epochs=self.epochs))
        if self.unfinished and self._done():
            fault = f"{os.fspath(source)} is finished: load it, or give another name"
            raise RegretlessError(f"{fault}; a fit goes on with one that was stopped, or for more epochs")
        if self.checkpoint is not None and not (os.path.exists(self.checkpoint) and same_file(source, self.checkpoint)):
            self.mixture.save(self.checkpoint)
        self.saved = 0 if self.checkpoint is None else done

    def _refuse_places(self) -> None:
        """Refuse a checkpoint that cannot be written, before anything is played."""
        if self.checkpoint is None:
            return
        path = os.fspath(self.checkpoint)
        for shard in self.shards:
            if isinstance(shard, FileShard) and same_file(shard.path, path):
                raise RegretlessError(f"{path} is one of the shards; the checkpoint needs a name of its own")
        folder = os.path.dirname(os.path.abspath(path))
        if os.path.isdir(path) or not os.path.isdir(folder):
            fault = "is a folder" if os.path.isdir(path) else f"cannot be written: there is no folder {folder}"
            raise ParameterError("checkpoint", repr(path), fault, " ")

    def _what_is_saved(self) -> str:
        """What is saved when something broke, and how to go on."""
        done = 0 if self.mixture is None else len(self.mixture.history)
        if self.checkpoint is None:
            return f"There is no checkpoint, so that nothing is saved of {done} epochs; give checkpoint=FILE"
        if self.saved == 0:
            return "No epoch was finished yet, and nothing is written"
        path = os.fspath(self.checkpoint)
        return f"Epoch {self.saved} is whole in {path}: make a new executor and call the same again to go on from there"

    def _done(self) -> bool:
        mixture = self.mixture
        return mixture is not None and (mixture.run.finished or (mixture.learner.until_clean and mixture.clean))

    # ---- one epoch

    def _blank(self) -> SavedRun:
        """The run before its first epoch."""
        return SavedRun(
            weights=self.weights,
            together=self._together,
            epochs=self.epochs,
            passes=self.passes,
            one_shot=self.one_shot,
            names=names_of(self.shards),
            prints=prints_of(self.shards),
            reading=reading_of(self.shards),
            schema=None,
            clock=np.zeros(0),
            history=[],
            sums=MixingSums.none(1, len(self.shards)),
        )

    def _epoch(self, epochs: Epochs, blank: SavedRun) -> None:
        before, run = (None, blank) if self.mixture is None else (self.mixture.learner, self.mixture.run)
        learner, run = epochs.next(before, run)
        self.mixture = Mixture(learner, self.shards, run)
        if self.checkpoint is not None:
            save(self.checkpoint, learner, run)
            self.saved = len(run.history)
        self.on_epoch(run.history[-1])

    @property
    def _together(self) -> int:
        return min(self.together or len(self.shards), len(self.shards))


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
        mixed, and the reason for each that cannot.
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
        changes the result, which for each number is the same on every executor.
    classes : array-like, optional
        All labels there are. Otherwise the first epoch is begun anew when a shard has a label that the first rows of
        the first shard do not have. One that comes and is not among them is learned as well, as `partial_fit` does.
        What `certify(iid=True)` says of new rounds counts as mistakes those that come
        unannounced, or declines.
    checkpoint : path, optional
        A model file, replaced as a whole after each epoch. If it is there already, the run goes on from it: it must be
        one of the same learner, shards and weighting. One that is finished goes on only for more epochs.
    resume : path or False, optional
        Another model to go on from; False to begin anew whatever stands at `checkpoint`.
    on_shard : callable, optional
        Called with the number of the epoch, from 1, and the place of each shard that is done.
    on_epoch : callable, optional
        Called with each `Epoch` once it is mixed, and saved if there is a checkpoint.
    stop : callable, optional
        Called now and then; true stops the run.

    Returns
    -------
    Mixture
        The fitted learner, the ledgers, and what happened in each epoch.

    Raises
    ------
    DataError
        If a shard is missing, empty or malformed; it is named, and nothing of its epoch is written.
    Interrupted
        If `stop` was true. The checkpoint is that of the last whole epoch.
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
    return Mixing(
        learner,
        shards_of(shards),
        engine_of(executor),
        epochs=learner.most_passes if epochs is None else whole("epochs", epochs),
        weights=weights,
        together=together,
        classes=classes,
        checkpoint=checkpoint,
        resume=resume,
        **_callbacks(on_shard=on_shard, on_epoch=on_epoch, stop=stop),
    ).play()


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

    Second-order learners, which `mix` refuses, add up what they know: with a full matrix A = a I + sum of x x' and
    u = sum of y x over the updates of all shards, the weights are A^-1 u, those of regularised least squares on these
    rows. With a diagonal, AROW's weight of a feature is the mean of the shards' weights, each in proportion to its
    entry of A, and is nearer to 0 where all shards together know little of it. No theorem is about that either,
    however often the shards go over their rows.

    Parameters
    ----------
    learner, shards, executor, weights, classes, checkpoint, resume, on_shard, on_epoch, stop
        As in `mix`. There is one epoch, so that a checkpoint is the finished model. Of a second-order learner `weights`
        must be "uniform": every update counts the same.
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
    learner = learner_of(learner, one_shot=True)
    return Mixing(
        learner,
        shards_of(shards),
        engine_of(executor),
        weights=weights,
        classes=classes,
        checkpoint=checkpoint,
        resume=resume,
        passes=learner.passes if passes is None else whole("passes", passes),
        one_shot=True,
        **_callbacks(on_shard=on_shard, on_epoch=on_epoch, stop=stop),
    ).play()


def _callbacks(**named: Callable[..., Any] | None) -> dict[str, Any]:
    """Those that the user has set."""
    return {name: callback for name, callback in named.items() if callback is not None}
