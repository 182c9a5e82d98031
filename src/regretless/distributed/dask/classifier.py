"""Learning from Dask collections: `mix` over their partitions, and a learner with scikit-learn's manners."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from typing import Any, Self

import numpy as np

from ...certificate import Certificate
from ...checks import whole
from ...data.batch import Array
from ...errors import RegretlessError
from ...linear.base import OnlineClassifier
from ...linear.classifier import Classifier
from ...rows.validation import names_differ
from ..learner_adapter import learner_of
from ..messages import Weighting
from ..mixing import Mixing, Mixture
from ..mixing import mix as mix_shards
from .engine import DaskEngine
from .shards import partitions

INNER = "learner__"  # scikit-learn's way to name a parameter of a parameter


def mix(learner: Any, shards: Any, *, label: str | None = None, client: Any = None, **how: Any) -> Mixture:
    """Learn from the partitions of Dask collections, or from other shards, on Dask.

    Parameters
    ----------
    learner : OnlineClassifier
        Left as it is; see `regretless.distributed.mix`.
    shards : dask.dataframe.DataFrame, (X, y), list of dask.delayed, or what `regretless.distributed.mix` takes
        See `partitions`. Paths must lead to the same files on every worker.
    label : str, optional
        Of data frames: the column that holds the labels.
    client : distributed.Client, optional
        By default the current one; without any, Dask's scheduler for this machine, which is threads.
    **how
        What else `regretless.distributed.mix` takes: epochs, weights, together, classes, checkpoint and so on.

    Returns
    -------
    Mixture
        The same, bit for bit, as of the same shards without Dask. It needs no Dask but for `certify`.

    Raises
    ------
    DataError
        If a partition is empty or cannot be used; it is named.
    EngineError
        If the cluster is lost, or its workers die again and again of one shard.
    RegretlessError
        If the learner cannot be mixed, or the shards are nothing of that kind.
    """
    return mix_shards(learner, partitions(shards, label=label), DaskEngine(client), **how)


class DaskClassifier(Classifier):
    """Parameter mixing over the partitions of Dask collections.

    Parameters
    ----------
    learner : OnlineClassifier or str
        Which learner, or by its name one with its parameters as they come, plays every partition; it is left as it is.
    epochs : int, optional
        How often all partitions are gone over. By default as many times as the learner makes passes; of one that goes
        on `until_clean`, until an epoch is without an update.
    weights : {"uniform", "updates", "rows"}
        What the weights of a partition count in the mean.
    together : int, optional
        Mix after every so many partitions instead of after all; see `regretless.distributed.mix`.
    client : distributed.Client, optional
        By default the current one; without any, Dask's scheduler for this machine.
    checkpoint : path, optional
        A model file, written after every epoch. A fit of the same collections that was interrupted goes on from it; one
        that is finished is refused.

    Attributes
    ----------
    classes_ : ndarray
        The labels, ascending.
    n_features_in_, feature_names_in_
        As of the learner.
    mixture_ : Mixture
        The result of mixing: ledgers, history, shares.
    """

    def __init__(
        self,
        learner: OnlineClassifier | str,
        *,
        epochs: int | None = None,
        weights: Weighting = "uniform",
        together: int | None = None,
        client: Any = None,
        checkpoint: str | PathLike[str] | None = None,
    ) -> None:
        self.learner = learner
        self.epochs = epochs
        self.weights = weights
        self.together = together
        self.client = client
        self.checkpoint = checkpoint

    # ---- parameters

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters and their values; with ``deep`` also those of the learner, as ``learner__name``."""
        result = super().get_params(deep=False)
        inner = self.learner.get_params() if deep and not isinstance(self.learner, str) else {}
        return {**result, **{INNER + name: value for name, value in inner.items()}}

    def set_params(self, **params: Any) -> Self:
        """Set some of the parameters; with a name that is wrong, none of its kind.

        Raises
        ------
        RegretlessError
            If there is no such parameter, or ``learner`` is a name and something is to be set of it.
        """
        inner = {name: value for name, value in params.items() if name.startswith(INNER)}
        super().set_params(**{name: value for name, value in params.items() if name not in inner})
        if inner:
            if isinstance(self.learner, str):
                raise RegretlessError(
                    f"{', '.join(inner)}: {self.learner!r} is a name; give a learner to set these of it"
                )
            self.learner.set_params(**{name.removeprefix(INNER): value for name, value in inner.items()})
        return self

    def __sklearn_clone__(self) -> Self:
        """The same, not fitted, with a copy of the learner and the same client, which cannot be copied."""
        parameters = self.get_params(deep=False)
        if not isinstance(self.learner, str):
            parameters["learner"] = type(self.learner)(**self.learner.get_params())
        return type(self)(**parameters)

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the connection to the cluster and the collections."""
        state = {**self.__dict__, "client": None}
        if "mixture_" in state:
            state["mixture_"] = replace(self.mixture_, shards=[])
        return state

    # ---- learning

    def fit(self, X: Any, y: Any) -> Self:
        """Forget everything, then learn from all partitions.

        Parameters
        ----------
        X : dask.array.Array or dask.dataframe.DataFrame, shape (rows, features)
            The blocks of an array may be sparse matrices. Persist what fits in the workers' memory: it is played where
            it is held. What is not persisted is made anew in every epoch.
        y : dask.array.Array or dask.dataframe.Series, shape (rows,)
            Cut in the same places.

        Returns
        -------
        self

        Raises
        ------
        DataError
            If a partition is empty or cannot be used; it is named.
        RegretlessError
            If X and y are no Dask collections, or do not fit each other; or the checkpoint is finished, or of another
            fit.
        """
        self._forget()
        learner = learner_of(self.learner)
        run = Mixing(
            learner,
            _shards(X, y),
            DaskEngine(self.client),
            epochs=learner.most_passes if self.epochs is None else whole("epochs", self.epochs),
            weights=self.weights,
            together=self.together,
            checkpoint=self.checkpoint,
            unfinished=True,
        )
        self.mixture_ = run.play()
        fitted = self.mixture_.learner
        self.n_features_in_ = fitted.n_features_in_
        if hasattr(fitted, "feature_names_in_"):
            self.feature_names_in_ = fitted.feature_names_in_
        self.classes_ = fitted.classes_
        return self

    def certify(self, **how: Any) -> list[Certificate]:
        """What theorems say of the fit; the partitions are read again, where they are.

        Parameters
        ----------
        **how
            What `Mixture.certify` takes.
        """
        self._require_fitted()
        return self.mixture_.certify(DaskEngine(self.client), **how)

    def to_local(self) -> OnlineClassifier:
        """The fitted learner by itself: it is saved, loaded and used without Dask.

        Returns
        -------
        OnlineClassifier
        """
        self._require_fitted()
        learner: OnlineClassifier = self.mixture_.learner
        return learner

    # ---- predicting

    def predict(self, X: Any) -> Any:
        """The label of each row, when it is computed.

        Parameters
        ----------
        X : dask.array.Array or dask.dataframe.DataFrame, shape (rows, features)

        Returns
        -------
        dask.array.Array or dask.dataframe.Series, shape (rows,)
            A series has the index of X.
        """
        self._require_fitted()
        return _map_partitions(self.to_local(), X, "predict", self.classes_.dtype, 1)

    def decision_function(self, X: Any) -> Any:
        """The scores of each row, when they are computed.

        Parameters
        ----------
        X : dask.array.Array or dask.dataframe.DataFrame, shape (rows, features)

        Returns
        -------
        dask.array.Array, or dask.dataframe.Series or DataFrame
            Shape (rows,) for two classes, (rows, classes) otherwise.
        """
        self._require_fitted()
        columns = 1 if len(self.classes_) <= 2 else len(self.classes_)
        return _map_partitions(self.to_local(), X, "decision_function", np.dtype(np.float64), columns)

    def score(self, X: Any, y: Any) -> float:  # type: ignore[override]
        """The share of the rows that is labelled correctly, computed at once where they are.

        Parameters
        ----------
        X, y
            As in `fit`.
        """
        self._require_fitted()
        right, rows = DaskEngine(self.client).fold(count_right, add_counts, self.to_local(), _shards(X, y))
        return float(right / rows)


def count_right(learner: OnlineClassifier, shard: Any) -> tuple[int, int]:
    """How many rows of a shard are labelled correctly, and how many there are.

    Parameters
    ----------
    learner : OnlineClassifier
        Fitted.
    shard : Shard

    Raises
    ------
    RegretlessError
        If the shard has other columns than the learner; it is named.
    """
    right = rows = 0
    stream = shard.open(None)
    names, fitted = stream.feature_names(), getattr(learner, "feature_names_in_", None)
    if names is not None and fitted is not None and names != fitted.tolist():
        raise RegretlessError(f"{shard.name}: {names_differ(set(names), set(fitted))}")
    for batch in stream.batches():
        if batch.columns != learner.n_features_in_:
            expected = f"{learner.n_features_in_:,} features are expected"
            raise RegretlessError(f"{shard.name}: X has {batch.columns:,} features; {expected}")
        right += int(np.count_nonzero(learner.labels(learner.scores(batch)) == batch.labels))
        rows += len(batch)
    return right, rows


def add_counts(_: Any, left: tuple[int, int], right: tuple[int, int]) -> tuple[int, int]:
    """The sums."""
    return left[0] + right[0], left[1] + right[1]


def _shards(X: Any, y: Any) -> list[Any]:
    from dask.base import is_dask_collection

    for name, value in (("X", X), ("y", y)):
        if not is_dask_collection(value):
            fault = f"{name} is a {type(value).__name__}; a Dask collection is expected"
            raise RegretlessError(f"{fault} (rows in memory are for the learner's own methods)")
    return partitions((X, y))


def _map_partitions(learner: OnlineClassifier, X: Any, method: str, dtype: Any, columns: int) -> Any:
    """A method of the learner on every partition of X."""
    import dask
    from dask.base import is_dask_collection

    if not is_dask_collection(X):
        raise RegretlessError(f"X is a {type(X).__name__}; a Dask collection is expected, or use .to_local()")
    one = dask.delayed(learner, pure=False, traverse=False)
    if hasattr(X, "chunks"):
        X = X if X.numblocks[1] == 1 else X.rechunk({1: -1})
        shape: dict[str, Any] = {"drop_axis": 1} if columns == 1 else {"chunks": (X.chunks[0], (columns,))}
        meta = np.empty((0,) if columns == 1 else (0, columns), dtype)
        return X.map_blocks(_on_block, one, method, meta, dtype=dtype, meta=meta, **shape)
    from dask.dataframe import from_delayed

    meta = _frame_of(np.empty((0,) if columns == 1 else (0, columns), dtype), X._meta.index[:0], learner)
    # Not map_partitions, which does not put delayed values in their places in older versions.
    simple, on_frame = X.simplify(), dask.delayed(_on_frame, pure=False)
    frames = [on_frame(part, one, method, meta) for part in simple.to_delayed(optimize_graph=False)]
    divisions = simple.divisions if simple.known_divisions else None
    return from_delayed(frames, meta=meta, divisions=divisions, verify_meta=False)


def _on_block(block: Any, learner: OnlineClassifier, method: str, empty: Array) -> Array:
    result: Array = getattr(learner, method)(block) if block.shape[0] else empty
    return result


def _on_frame(frame: Any, learner: OnlineClassifier, method: str, empty: Any) -> Any:
    return _frame_of(getattr(learner, method)(frame), frame.index, learner) if len(frame) else empty


def _frame_of(values: Array, index: Any, learner: OnlineClassifier) -> Any:
    import pandas as pd  # type: ignore[import-untyped, unused-ignore]

    if values.ndim == 1:
        return pd.Series(values, index)
    return pd.DataFrame(values, index, columns=learner.classes_)
