"""The first rounds of a run over a stream, one by one, in the numbers that the learner itself had."""

from __future__ import annotations

from copy import copy, deepcopy
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from ..data.names import called, column_names
from ..ledger import FIELDS
from ..linear.labels import positive_labels

if TYPE_CHECKING:
    from ..data.batch import Batch
    from ..data.forecast_stream import ForecastBatch
    from ..experts.base import ExpertLearner
    from ..experts.result import CombinerPlay

Array = np.ndarray[Any, Any]
Row = TypeVar("Row")
LOSS = FIELDS.index("loss")
MOST = 100  # numbers of a row, of weights or of forecasts that are kept, the largest in size


@dataclass(frozen=True, slots=True)
class TracedRow:
    """One row.

    Attributes
    ----------
    round : int
        From 1, of this run.
    row : dict of str to float
        Its entries that are not 0, by the names of their features.
    scores : list of float
        Of the row before its label was known, one for each target; of a learner of numbers its forecast alone.
    labels : list
        For which class each score speaks where it is positive: of two the last in their order. While one is known it is
        that one, or ``not 0`` of a number that is not positive, so that signs may turn over when the second comes.
        Empty of a learner of numbers.
    prediction, outcome : object
        The label or number that was predicted, and that of the row; the first is None where one label alone was known,
        and the row had another, and in the first round of a learner of numbers, which forecasts none.
    loss : float
        What the learner was charged.
    updated : bool or None
        Whether the weights moved, of a learner that counts its updates.
    weights : dict of str to dict of str to float
        Those that are not 0 after the round, for each of `labels`, by the names of their features.
    members : dict of str to float
        The posterior of a mixture after the round; empty of others.
    """

    round: int
    row: dict[str, float]
    scores: list[float]
    labels: list[Any]
    prediction: Any
    outcome: Any
    loss: float
    updated: bool | None
    weights: dict[str, dict[str, float]]
    members: dict[str, float]

    def describe(self) -> dict[str, Any]:
        """The round as JSON values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class TracedForecast:
    """One row of forecasts.

    Attributes
    ----------
    round : int
        From 1, of this run.
    forecasts, played : dict of str to float
        What the experts said, but for those that were silent, and the weights by which that was combined.
    prediction : float
    outcome : float or None
        None where there is none, as of losses.
    loss : float
        Of the prediction.
    charges : dict of str to float
        The losses of the experts that were not silent.
    learned : bool
        Whether they were learned before the next row; late outcomes are learned afterwards, and some are not asked for.
    weights : dict of str to float
        Of the next round.
    """

    round: int
    forecasts: dict[str, float]
    played: dict[str, float]
    prediction: float
    outcome: float | None
    loss: float
    charges: dict[str, float]
    learned: bool
    weights: dict[str, float]

    def describe(self) -> dict[str, Any]:
        """The round as JSON values."""
        return asdict(self)


class _Tracer(Generic[Row]):
    """Takes down the first rows of a run.

    Parameters
    ----------
    rounds : int
        How many.

    Attributes
    ----------
    rows : list
    """

    def __init__(self, rounds: int) -> None:
        self.rounds = rounds
        self.rows: list[Row] = []

    @property
    def left(self) -> int:
        """How many are to come."""
        return self.rounds - len(self.rows)


class RowTracer(_Tracer[TracedRow]):
    """Takes down the first rows of a run of a learner of weights, or of numbers."""

    def __init__(self, rounds: int) -> None:
        super().__init__(rounds)
        self._apart: Any = None
        self._scores: tuple[Array, Any, Array, float] | None = None

    def begin(self, learner: Any) -> None:
        """Stand ready for a row that the learner plays next.

        A copy plays it too, in whose ledger it is the only loss: of two large sums the difference may have no digit of
        the loss that was added.
        """
        twin = copy(learner)
        twin.on_scores = twin.on_forecasts = None  # what they lead to is no part of the learner
        self._apart = deepcopy(twin)
        if hasattr(self._apart, "state_"):
            self._apart.state_.books[:, LOSS] = 0

    def watch(self, scores: Array, codes: Array, classes: Array, tie: float) -> None:
        """The scores of rows that were just played, of which the last is the one to take down."""
        if len(codes):
            self._scores = scores[-1], codes[-1], classes, tie

    def forecast(self, forecasts: Array, outcomes: Array) -> None:
        """The same of a learner of numbers."""
        if len(outcomes):
            self._scores = forecasts[-1:], outcomes[-1], np.zeros(0), 0.0

    def take(self, learner: Any, batch: Batch, place: int, schema: dict[str, Any] | None) -> None:
        """Take down the row of a batch that was played last."""
        if self._scores is None or batch.labels is None:
            return
        names = column_names(schema)
        scores, code, classes, tie = self._scores
        outcome = batch.labels[place : place + 1].tolist()[0]
        before, apart, first = _updates(self._apart), self._apart, not self._apart.__sklearn_is_fitted__()
        apart.observe(batch.slice(place, place + 1))
        updates = _updates(apart) - before
        if len(classes):
            predicted = _predicted(scores, code, classes, tie, outcome)
        else:
            predicted = None if first else float(scores[0])
        members = learner.snapshot() or {}
        self.rows.append(
            TracedRow(
                round=len(self.rows) + 1,
                row=_entries(batch, place, names),
                scores=scores.tolist(),
                labels=positive_labels(classes, len(scores)),
                prediction=predicted,
                outcome=outcome,
                loss=float(apart.ledger_.loss),
                updated=None if np.isnan(updates) else bool(updates),
                weights=_weights(learner, names),
                members=dict(zip(members.get("members", ()), members.get("posterior", ()), strict=False)),
            )
        )


class ForecastTracer(_Tracer[TracedForecast]):
    """Takes down the first rows of a run of a combiner."""

    def take(
        self,
        learner: ExpertLearner,
        piece: ForecastBatch,
        played: CombinerPlay,
        outcomes: Array | None,
        *,
        learned: bool,
    ) -> None:
        """Take down a piece of one row that was played, and learned or not."""
        names, outcome = learner.names(), 0.0 if outcomes is None else float(outcomes[0])
        charges = learner._loss.of(piece.advice[0], outcome)
        weights = np.zeros(len(names)) if played.weights is None else played.weights[0]
        self.rows.append(
            TracedForecast(
                round=len(self.rows) + 1,
                forecasts=_named(names, np.asarray(piece.advice[0], dtype=np.float64)),
                played=_named(names, weights),
                prediction=float(played.predictions[0]),
                outcome=None if outcomes is None else outcome,
                loss=float(played.losses[0]),
                charges=_named(names, charges),
                learned=learned,
                weights=_named(names, learner.weights),
            )
        )


def _updates(learner: Any) -> float:
    """Updates so far; nan of a learner that counts none."""
    return float(getattr(learner.ledger_, "updates", np.nan)) if learner.__sklearn_is_fitted__() else 0.0


def _predicted(scores: Array, code: Any, classes: Array, tie: float, outcome: Any) -> Any:
    """The label that scores stand for, as the run has counted it."""
    if len(scores) > 1:
        return classes.tolist()[int(np.nanargmax(scores))]
    sign = 1 if scores[0] > 0 or (scores[0] == 0 and tie >= 0) else -1
    if sign == np.sign(code):
        return outcome
    return next((label for label in classes.tolist() if label != outcome), None)


def _entries(batch: Batch, place: int, names: Any) -> dict[str, float]:
    row = batch.slice(place, place + 1)
    columns = np.arange(row.values.size) if row.indices is None else row.indices
    values = row.values.ravel()
    there = np.flatnonzero(values)[:MOST].tolist()
    return {called(names(int(columns[k])), int(columns[k])): float(values[k]) for k in there}


def _weights(learner: Any, names: Any) -> dict[str, dict[str, float]]:
    """What scores are made of, the constant feature's weight last; of kernels the coefficients of support rows."""
    classes = getattr(learner, "classes_", np.array([""]))
    if not learner.state_.coefficients().size:
        bars = [one.values for one in learner.bars()]
        labels = map(_key, positive_labels(classes, len(bars)))
        return {label: _named(list(map(str, range(len(one)))), one) for label, one in zip(labels, bars, strict=True)}
    weights, biases = learner.state_.coefficients(), learner.state_.biases()
    by_label = {}
    for target, label in enumerate(positive_labels(classes, weights.shape[1])):
        column = weights[:, target]
        largest = np.sort(np.argsort(-np.abs(column), kind="stable")[:MOST])
        named = {called(names(int(k)), int(k)): float(column[k]) for k in largest if column[k] != 0}
        bias = float(biases[target])
        by_label[_key(label)] = named | ({"(constant)": bias} if bias else {})
    return by_label


def _key(label: Any) -> str:
    return label if isinstance(label, str) else f"{label:g}"


def _named(names: list[str], values: Array) -> dict[str, float]:
    there = np.flatnonzero(~np.isnan(values))[:MOST].tolist()
    return {names[k]: float(values[k]) for k in there}


@dataclass(frozen=True, slots=True)
class TracedDecision:
    """One round of a contextual bandit.

    Attributes
    ----------
    round : int
        From 1.
    row : list of float
        The features; empty where each action has features of its own.
    action : str
        Which was drawn.
    probability : float
        Of drawing it.
    cost : float
        Of that action, or its reward.
    """

    round: int
    row: list[float]
    action: str
    probability: float
    cost: float

    def describe(self, quantity: str) -> dict[str, Any]:
        """The round as JSON values; `quantity` says what the cost is called."""
        return {quantity if name == "cost" else name: value for name, value in asdict(self).items()}
