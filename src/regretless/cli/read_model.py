"""Model files, the columns that a model knows, and which of them weigh most."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..catalogue import CLASSIFICATION, KIND_OF_TASK
from ..data.batch import Batch
from ..data.names import namer
from ..data.stream import Stream
from ..errors import DataError, ModelError
from ..linear.base import OnlineClassifier
from ..linear.labels import positive_labels
from ..report.terminal import label_text

if TYPE_CHECKING:
    from ..experts.base import ExpertLearner
    from ..linear.base import OnlineClassifier
    from ..regression.base import OnlineRegressor
    from ..run.linear import Continuation


MOST_FEATURES = 2**31 - 1  # of rows to predict: unknown ones are passed over, so there is nothing to protect


def read_classifier(path: str) -> tuple[OnlineClassifier, dict[str, Any]]:
    """A model that ``learn`` wrote.

    Raises
    ------
    ModelError
        If it is none.
    """
    learner, extra = read_predictor(path)
    if learner.info.task != CLASSIFICATION:
        advice = "learn --resume goes on with it, predict, certify and inspect take it"
        raise ModelError(f"{path}: this model forecasts numbers ({learner.name}), and labels are wanted; {advice}")
    return learner, extra


def read_predictor(path: str) -> tuple[Any, dict[str, Any]]:
    """A model that ``learn`` wrote, of labels or of numbers.

    Raises
    ------
    ModelError
        If it is none.
    """
    learner, extra = _read(path)
    if learner.kind not in KIND_OF_TASK.values():
        advice = "combine --resume goes on with it, inspect shows it"
        raise ModelError(f"{path}: this model combines experts ({learner.name}); {advice}")
    return learner, extra


def continuation_of(learner: Any, extra: dict[str, Any]) -> Continuation:
    """How the run goes on that wrote a model of labels or of numbers.

    Raises
    ------
    ModelError
        If what it says does not fit together.
    """
    from ..run.linear import Continuation

    if learner.info.task == CLASSIFICATION:
        return Continuation.read(extra)
    from ..run.regression import Forecasts

    return Continuation.read(extra, Forecasts)


def task_of_model(path: str) -> str:
    """What the model is for: classification, regression or quantile.

    Raises
    ------
    ModelError
        If the file is no model.
    """
    from ..persist.model import read

    learner, _ = read(path)
    return str(learner.info.task) if learner.kind in KIND_OF_TASK.values() else CLASSIFICATION


def read_combiner(path: str) -> tuple[ExpertLearner, dict[str, Any]]:
    """A model that ``combine`` wrote.

    Raises
    ------
    ModelError
        If it is none.
    """
    learner, extra = _read(path)
    if learner.kind != "experts":
        advice = "learn --resume goes on with it, predict uses it"
        rows = "labelled rows" if learner.info.task == CLASSIFICATION else "rows with outcomes"
        raise ModelError(f"{path}: this model learned from {rows} ({learner.name}); {advice}")
    return learner, extra


def _read(path: str) -> tuple[Any, dict[str, Any]]:
    """A model that some verb works with."""
    from ..persist.model import read

    learner, extra = read(path)
    if learner.kind == "bandits":
        raise ModelError(f"{path}: this model draws arms ({learner.name}); inspect shows it, regretless.load reads it")
    if learner.kind == "contextual":
        fault = f"this model draws actions by features ({learner.name})"
        advice = f"explore --resume goes on with it, evaluate LOG --policy model:{path} judges it, inspect shows it"
        raise ModelError(f"{path}: {fault}; {advice}")
    if learner.kind == "class":
        fault = f"this model learned a finite class ({learner.name})"
        advice = (
            "inspect shows it and what it predicts, and in Python regretless.load(...).play(points, labels) goes on"
        )
        raise ModelError(f"{path}: {fault}; {advice}")
    return learner, extra


def known_schema(learner: OnlineClassifier | OnlineRegressor, schema: dict[str, Any] | None) -> dict[str, Any] | None:
    """The schema kept with a model; of one that was fitted to a table in Python, what the names of its columns say."""
    names = getattr(learner, "feature_names_in_", None)
    if schema is not None or names is None:
        return schema
    from ..data.columns import FeatureMap

    features = FeatureMap()
    features.settle({str(name): "number" for name in names})
    return {"format": "table", "target": None, "target_kind": "empty", "missing": "error", **features.schema()}


def known_columns(stream: Stream, columns: int) -> Iterator[Batch]:
    """The batches of a stream without the columns that a model does not know."""
    from ..data.batch import first_columns

    for batch in stream.batches():
        if batch.starts is not None:
            yield first_columns(batch, columns)
            continue
        if batch.columns < columns:
            fault = f"{batch.columns:,} columns of features"
            raise DataError(
                stream.name, None, None, fault, f"the model knows {columns:,}; give a file that has them all"
            )
        yield Batch(np.ascontiguousarray(batch.values[:, :columns]), batch.labels, columns)


class Weight(NamedTuple):
    """A weight, and how large its feature has been; None where the model does not know it."""

    feature: str
    weight: float
    size: float | None

    @property
    def effect(self) -> float:
        """The weight times that size, where it is known."""
        return self.weight * (1.0 if self.size is None else self.size)

    def describe(self) -> dict[str, Any]:
        """All of it as JSON values."""
        return {"feature": self.feature, "weight": self.weight, **({} if self.size is None else {"size": self.size})}


def largest(
    learner: OnlineClassifier, schema: dict[str, Any] | None, top: int, sizes: Any = None
) -> list[tuple[str, list[Weight]]]:
    """For each target, the label that positive scores speak for and the largest weights, the largest first; where it is
    known how large features have been, by what they make of these."""
    weights = learner.state_.coefficients()
    labels = positive_labels(learner.classes_, weights.shape[1])
    of = _largest(learner, schema, top, sizes)
    return [(label_text(label), of(weights[:, target])) for target, label in enumerate(labels)]


def largest_of(learner: OnlineRegressor, schema: dict[str, Any] | None, top: int, sizes: Any = None) -> list[Weight]:
    """The same of a learner of numbers."""
    return _largest(learner, schema, top, sizes)(learner.coef_)


def _largest(learner: Any, schema: dict[str, Any] | None, top: int, sizes: Any) -> Callable[[Any], list[Weight]]:
    name = namer(learner, schema)

    def of(weights: Any) -> list[Weight]:
        if not len(weights):  # of kernels that have none
            return []
        chosen = _top(np.abs(weights) * (1 if sizes is None else sizes), top)
        return [
            Weight(name(k), float(weights[k]), None if sizes is None else float(sizes[k]))
            for k in chosen
            if weights[k] != 0
        ]

    return of


def _top(sizes: np.ndarray[Any, Any], top: int) -> list[int]:
    """The places of the largest sizes; among equals the first."""
    if top < len(sizes):
        least = np.partition(sizes, len(sizes) - top)[len(sizes) - top]
        above = np.flatnonzero(sizes > least)
        chosen = np.concatenate([above, np.flatnonzero(sizes == least)[: top - len(above)]])
    else:
        chosen = np.arange(len(sizes))
    order = np.lexsort((chosen, -sizes[chosen]))
    return [int(place) for place in chosen[order]]
