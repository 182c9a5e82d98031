"""Model files, the columns that a model knows, which of them weigh most, and the members of a mixture."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..catalogue import KIND_OF_TASK
from ..data.batch import Batch
from ..data.stream import Stream
from ..errors import DataError, ModelError
from ..linear.base import OnlineClassifier
from .output import CLASSIFICATION, label_text

if TYPE_CHECKING:
    from ..experts.base import ExpertLearner
    from ..linear.aggregated.classifier import AggregatedClassifier
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
            fault = f"{batch.columns} columns of features"
            raise DataError(stream.name, None, None, fault, f"the model knows {columns}; give a file that has them all")
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


def weight_lines(title: str, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The weights that `largest` chose, as `Weight.describe` gives them."""
    width = max((len(row["feature"]) for row in rows), default=0)
    if not any("size" in row for row in rows):
        return ["", f"largest weights{title}", *(f"  {row['feature']:>{width}}  {row['weight']:+.6g}" for row in rows)]
    lines = ["", f"largest weights{title}, each times the largest size of its feature"]
    for row in rows:
        effect = f"{row['weight'] * row['size']:+.6g}"
        lines.append(f"  {row['feature']:>{width}}  {effect:<14}  {row['weight']:+.6g} times {row['size']:.6g}")
    return lines


def namer(learner: OnlineClassifier | OnlineRegressor, schema: dict[str, Any] | None) -> Callable[[int], str]:
    """What to call a feature: its name, its id as the file has it, or else its column; all names of a shared column."""
    names = getattr(learner, "feature_names_in_", None)
    if names is not None:
        return _from_list([str(name) for name in names])
    from ..data.names import called, column_names

    of = column_names(schema)
    return lambda column: called(of(column), column)


def _from_list(names: list[str]) -> Callable[[int], str]:
    return lambda column: names[column] if column < len(names) else str(column)


def largest(
    learner: OnlineClassifier, schema: dict[str, Any] | None, top: int, sizes: Any = None
) -> list[tuple[str, list[Weight]]]:
    """For each target, the class of positive scores and the largest weights, the largest first; where it is known how
    large features have been, by what they make of these."""
    weights = learner.state_.coefficients()
    classes = learner.classes_[-1:] if weights.shape[1] == 1 else learner.classes_
    of = _largest(learner, schema, top, sizes)
    return [(label_text(label), of(weights[:, target])) for target, label in enumerate(classes.tolist())]


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


# The members of a mixture.

A_QUARTER = 0.25  # of the posterior: on a fast rate already enough for a model to age
FOLLOWS = (
    "its weights follow the last rows, and a model that learns no more will age; predict with one that goes on "
    "learning, as learn --resume does"
)


class LossStyle(NamedTuple):
    """How a loss is printed: its name, how wide its column is, and the formats of a sum and of what a row has."""

    name: str
    width: int
    whole: str
    each: str


LOG_LOSS = LossStyle("log loss", 12, ",.1f", ".4f")
LOSS = LossStyle("loss", 14, ",.6g", ",.6g")


def loss_text(loss: float, rows: int, style: LossStyle = LOSS) -> str:
    """A loss in all and a row, as ``10,818 (0.3322 a row)``."""
    return f"{loss:{style.whole}} ({loss / rows:{style.each}} a row)" if rows else f"{loss:{style.whole}}"


def mixture_of(learner: OnlineClassifier) -> AggregatedClassifier | None:
    """The learner if it is a mixture, else None."""
    if learner.info.predicts_by != "mixture":  # others need not load what mixes
        return None
    from ..linear.aggregated.classifier import AggregatedClassifier

    return learner if isinstance(learner, AggregatedClassifier) else None


def members_of(learner: Any) -> list[dict[str, Any]]:
    """Name, loss and posterior of each member of a mixture, of labels or of numbers; of several classes the sum of
    their losses, one against the rest, and the mean of their posteriors."""
    losses, posterior = np.atleast_2d(learner.losses_), np.atleast_2d(learner.posterior_)
    each = zip(learner.members_, losses.sum(axis=0).tolist(), posterior.mean(axis=0).tolist(), strict=True)
    return [{"name": name, "loss": loss, "posterior": weight} for name, loss, weight in each]


def member_lines(
    members: Sequence[Mapping[str, Any]], rounds: float, style: LossStyle, *, several: bool = False
) -> Iterator[str]:
    """A table of them; `several` is whether losses are of several classes."""
    title = "member, one against rest" if several else "member"
    yield f"{title:<24} {style.name:>{style.width}} {'a row':>12} {'posterior':>12}"
    for one in members:
        loss = f"{one['loss']:{style.whole}}"
        each = f"{one['loss'] / rounds:{style.each}}" if rounds else "-"
        yield f"  {one['name']:<22} {loss:>{style.width}} {each:>12} {one['posterior']:>12.4f}"


def ageing(
    rates: Sequence[float], posterior: np.ndarray[Any, Any], alone: np.ndarray[Any, Any] | None = None
) -> str | None:
    """What to say where much of the posterior is on the fastest of several rates; None where it is not. Where
    `posterior` has what the rates are within the stacked member, `alone` has it without that."""
    if len(rates) < 2:
        return None
    fastest = max(range(len(rates)), key=rates.__getitem__)
    weight = float(np.atleast_2d(posterior)[:, fastest].mean())
    if weight <= A_QUARTER:
        return None
    own = weight if alone is None else float(np.atleast_2d(alone)[:, fastest].mean())
    within = f"{weight - own:.1%}"
    there = "" if within == "0.0%" else f" ({within} within the stacked member)"
    return f"{weight:.1%} of the posterior is on the fastest rate, {rates[fastest]:g}{there}: {FOLLOWS}"
