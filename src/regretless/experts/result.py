"""The play of a table: which outcomes are settled when, what comes of it, and its history.

A history has books and weights at a few hundred rounds, as evenly spaced as an unknown end allows.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import html
from ..errors import ParameterError, RegretlessError
from ..frames import container, frame
from ..persist.validation import fits
from .certificates import CertifiedCombiner, best_expert, bound_so_far

if TYPE_CHECKING:
    from .state import ExpertState

Array = np.ndarray[Any, Any]
MOST = 400  # points kept; when there are more, every other one is dropped and the stride doubles
LEAST = 16
CELLS = 1 << 18  # weights kept, if there are so many experts that fewer points must do
TAIL = 2000  # forecasts kept beside their outcomes
NUMBERS = ("learner_loss", "regret", "bound", "rate")
TABLES = ("expert_losses", "faced", "weights")


@dataclass(frozen=True)
class Schedule:
    """When outcomes are settled.

    Attributes
    ----------
    settle : ndarray of int64
        Rows in the order in which their outcomes come.
    starts : ndarray of int64, shape (rounds + 2,)
        Before row t is predicted, ``settle[starts[t]:starts[t + 1]]`` are settled; the last stretch comes at the end.
    slots : ndarray of int64, shape (rounds,)
        Where each row's weights wait.
    room : int
        How many such places there are.
    """

    settle: Array
    starts: Array
    slots: Array
    room: int


def schedule(arrivals: Any, rounds: int, *, draws: bool) -> Schedule | None:
    """The schedule of the rows' arrivals; None when every outcome is known before the next prediction.

    Raises
    ------
    RegretlessError
        If an outcome is said to come before its own prediction, or one comes late to a combiner that draws an expert.
    """
    if arrivals is None:
        return None
    rows = np.arange(rounds, dtype=np.int64)
    places = np.asarray(arrivals)
    if places.dtype.kind not in "iuf":
        raise RegretlessError(f"arrivals of type {places.dtype}: numbers of rows are expected")
    if places.ndim == 0:
        places = rows + places
    if places.shape != (rounds,) or (places != np.floor(places)).any():
        raise RegretlessError(f"arrivals of shape {places.shape}: one whole number for each of {rounds:,} rounds")
    when = np.minimum(places, rounds).astype(np.int64)
    early = np.flatnonzero(when <= rows)
    if len(early):
        row = int(early[0])
        raise RegretlessError(f"arrivals: the outcome of row {row} (from 0) arrives at {places[row]:g}, before its end")
    if (when == rows + 1).all():
        return None
    if draws:
        raise RegretlessError(
            "arrivals: experts are drawn one round after the other; for late outcomes take a combiner that draws none"
        )
    settle = np.argsort(when, kind="stable").astype(np.int64)
    starts = np.searchsorted(when[settle], np.arange(rounds + 2), side="left").astype(np.int64)
    starts[-1] = rounds
    slots, room = _slots(settle, starts)
    return Schedule(settle, starts, slots, room)


def _slots(settle: Array, starts: Array) -> tuple[Array, int]:
    """Places that are taken by a row from its prediction to its settlement, used again and again."""
    slots, free, room = np.empty(len(settle), np.int64), [], 0
    for row in range(len(settle)):
        free += [int(slots[done]) for done in settle[starts[row] : starts[row + 1]]]
        if not free:
            free, room = [room], room + 1
        slots[row] = free.pop()
    return slots, room


@dataclass(eq=False)
class CombinerPlay:
    """A table that was played.

    Attributes
    ----------
    predictions : ndarray, shape (rounds,) or (rounds, width)
        Where losses are given themselves these are the learner's.
    losses : ndarray, shape (rounds,)
        The learner's.
    weights : ndarray or None, shape (rounds, experts)
        By which each prediction was made, if they were to be kept.
    chosen : ndarray of int or None, shape (rounds,)
        The experts that were drawn, by a learner that draws.
    """

    predictions: Array
    losses: Array
    weights: Array | None = None
    chosen: Array | None = None
    _again: tuple[Any, ...] = field(default=(), repr=False)
    _index: Any = field(default=None, repr=False)

    @classmethod
    def room(cls, rounds: int, experts: int, width: int, *, weights: bool, bare: bool = False) -> CombinerPlay:
        """Room for so many rounds, of bare losses or of forecasts."""
        losses = np.empty(rounds)
        predictions = losses if bare else np.empty(rounds) if width == 1 else np.empty((rounds, width))
        return cls(predictions, losses, np.empty((rounds, experts)) if weights else None)

    def of(
        self,
        learner: CertifiedCombiner,
        before: ExpertState,
        table: Array,
        outcomes: Array | None,
        plan: Schedule | None,
    ) -> CombinerPlay:
        """The same, with what it takes to play it once more."""
        self._again = learner, before, table, outcomes, plan
        return self

    def history(self) -> History:
        """Books and weights at a few hundred rounds, evenly spaced.

        The rounds are played once more to get them, from the very arrays that were given: they must not have changed.
        """
        if not self._again:
            raise RegretlessError("there is no history of a play in stretches; look at each of them")
        return replayed(*self._again)

    def frame(self, kind: str = "pandas") -> Any:
        """What was played as a data frame: the predictions, the losses, and the weights if they were to be kept.

        Parameters
        ----------
        kind : {"pandas", "polars"}
            One of pandas has the index of the advice, where that has one.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            Columns ``prediction`` (``prediction 0`` and so on, where forecasts are vectors), ``loss``, and
            ``weight of NAME`` for each expert.

        Raises
        ------
        ParameterError
            If it is neither.
        MissingError
            If it is not installed.
        """
        if container(kind) == "default":
            raise ParameterError("kind", repr(kind), "'pandas' or 'polars' is expected")
        columns = {"prediction": self.predictions}
        if self.predictions.ndim > 1:
            columns = {f"prediction {place}": column for place, column in enumerate(self.predictions.T)}
        columns["loss"] = self.losses
        if self.weights is not None:
            names = self._again[0].names() if self._again else map(str, range(self.weights.shape[1]))
            columns |= {f"weight of {name}": column for name, column in zip(names, self.weights.T, strict=True)}
        return frame(columns, kind, self._index)

    def _repr_html_(self) -> str:
        """How many rounds were played, and what they lost."""
        total, rounds = float(np.sum(self.losses)), len(self.losses)
        rows = [("rounds", rounds), ("loss", total), ("loss a round", total / rounds if rounds else nan)]
        return html.titled("CombinerPlay", html.table(rows))

    def plot(self) -> Any:
        """A matplotlib figure: regret under its bound, weights, losses, residuals and rates.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        RegretlessError
            If matplotlib is missing.
        """
        from ..plot import figure
        from ..report import Page
        from ..report.forecast_charts import panels

        history, learner = self.history(), self._again[0]
        charts = panels(history, learner._loss.name, len(self.losses)) if len(self.losses) else ()
        return figure(Page(type(learner).__name__, lead="", cards=(), tables=(), panels=charts))


@dataclass(eq=False)
class History:
    """Snapshots of a play.

    Attributes
    ----------
    names : list of str
        Of the experts.
    rounds : list of int
        When the snapshots were taken.
    learner_loss, regret, rate : list of float
        The learner's loss so far, its regret against the expert that was best then, its next rate (nan: none).
    bound : list of (float or None)
        The sharpest certified bound on that regret, where there is one.
    expert_losses, faced, weights : list of ndarray of float32
        Of every expert: its loss so far, the learner's over the same rounds, and its next weight.
    residuals : deque of (time, prediction, outcome)
        The last ones.
    stride : int
        The next snapshot is due when the rounds are a multiple of it.
    """

    names: list[str]
    rounds: list[int] = field(default_factory=list)
    learner_loss: list[float] = field(default_factory=list)
    regret: list[float] = field(default_factory=list)
    bound: list[float | None] = field(default_factory=list)
    rate: list[float] = field(default_factory=list)
    expert_losses: list[Array] = field(default_factory=list)
    faced: list[Array] = field(default_factory=list)
    weights: list[Array] = field(default_factory=list)
    residuals: deque[tuple[Any, float, float]] = field(default_factory=lambda: deque(maxlen=TAIL))
    stride: int = 1

    def next_stop(self, rounds: int) -> int:
        """The first round count above this one at which a snapshot is due."""
        return (rounds // self.stride + 1) * self.stride

    def record(self, learner: CertifiedCombiner) -> None:
        """Take a snapshot, unless there is one of this round."""
        if self.rounds and self.rounds[-1] == learner.rounds_:
            return
        ledger = learner.ledger_
        best = best_expert(learner, ledger)
        self.rounds.append(learner.rounds_)
        self.learner_loss.append(ledger.loss)
        self.regret.append(best.regret)
        self.bound.append(bound_so_far(learner, ledger, best))
        self.rate.append(learner.rate_)
        with np.errstate(over="ignore"):
            self.expert_losses.append(ledger.losses.astype(np.float32))
            self.faced.append(ledger.faced.astype(np.float32))
            self.weights.append(learner.weights.astype(np.float32))
        if len(self.rounds) > self._room():
            self._thin()

    def _room(self) -> int:
        return max(LEAST, min(MOST, CELLS // max(len(self.names), 1)))

    def _thin(self) -> None:
        self.stride *= 2
        rest = [place for place, rounds in enumerate(self.rounds) if rounds % self.stride == 0]
        for name in ("rounds", *NUMBERS, *TABLES):
            column = getattr(self, name)
            setattr(self, name, [column[place] for place in rest])

    def residual(self, time: Any, prediction: float, outcome: float) -> None:
        """Note a forecast beside what came."""
        self.residuals.append((time, prediction, outcome))

    @property
    def slept(self) -> bool:
        """Whether any expert has ever been silent."""
        return bool(self.rounds) and bool((self.faced[-1] != np.float32(self.learner_loss[-1])).any())

    def describe(self) -> dict[str, Any]:
        """The history as JSON values; what is kept of the experts as bytes."""
        numbers = {name: [_known(value) for value in getattr(self, name)] for name in NUMBERS}
        tables = {name: _packed(getattr(self, name)) for name in TABLES}
        residuals = [list(one) for one in self.residuals]
        return {"rounds": self.rounds, "stride": self.stride, "residuals": residuals, **numbers, **tables}

    @classmethod
    def read(cls, described: Mapping[str, Any], names: list[str]) -> History:
        """What `describe` wrote.

        Raises
        ------
        ModelError
            If it does not fit together.
        """
        with fits("what the model says of its run"):
            result = cls(names, [int(one) for one in described["rounds"]], stride=int(described["stride"]))
            for name in NUMBERS:
                setattr(result, name, [_number(name, value) for value in described[name]])
            for name in TABLES:
                setattr(result, name, _unpacked(described[name], len(names)))
            result.residuals.extend(
                (time, float(predicted), float(outcome)) for time, predicted, outcome in described["residuals"]
            )
            sizes = {len(getattr(result, name)) for name in ("rounds", *NUMBERS, *TABLES)}
            if len(sizes) > 1 or result.stride < 1:
                raise ValueError("its columns are of several lengths")
        return result


def _known(value: float | None) -> float | None:
    return None if value is None or not isfinite(value) else float(value)


def _number(name: str, value: float | None) -> float | None:
    return float(value) if value is not None else None if name == "bound" else nan


def _packed(rows: list[Array]) -> str:
    return b64encode(np.array(rows, dtype="<f4").tobytes()).decode()


def _unpacked(text: str, width: int) -> list[Array]:
    rows = np.frombuffer(b64decode(text, validate=True), dtype="<f4").reshape(-1, width)
    return list(rows.astype(np.float32))


def replayed(
    learner: CertifiedCombiner, before: ExpertState, table: Array, outcomes: Array | None, plan: Schedule | None
) -> History:
    """Play a table once more from where the learner stood, a snapshot every so often."""
    again = learner.clone()
    again.expert_names_ = learner.expert_names_
    again._state = before.copy()
    history = History(learner.names(), stride=max(1, len(table) // MOST))
    predicted = (_at_once if plan is None else _late)(again, table, outcomes, plan, history)
    if outcomes is not None and predicted.ndim == 1:
        for row in range(max(0, len(table) - TAIL), len(table)):
            history.residual(row, float(predicted[row]), float(outcomes[row]))
    return history


def _at_once(again: CertifiedCombiner, table: Array, outcomes: Array | None, _: Any, history: History) -> Array:
    """Predictions of rows whose outcomes come before the next."""
    predicted, row = [], 0
    while row < len(table):
        end = min(row + history.next_stop(again.rounds_) - again.rounds_, len(table))
        predicted.append(again.play(table[row:end], None if outcomes is None else outcomes[row:end]).predictions)
        history.record(again)
        row = end
    return np.concatenate(predicted) if predicted else np.empty(0)


def _late(again: CertifiedCombiner, table: Array, outcomes: Any, plan: Any, history: History) -> Array:
    """Predictions of rows whose outcomes come when the schedule says."""
    tickets: list[Any] = []
    for row in range(len(table) + 1):
        for settled in plan.settle[plan.starts[row] : plan.starts[row + 1]]:
            again.update(tickets[settled], None if outcomes is None else outcomes[settled])
            if again.rounds_ % history.stride == 0 or again.rounds_ == len(table):
                history.record(again)
        if row < len(table):
            tickets.append(again.predict(table[row]))
    return np.array(tickets, dtype=np.float64)
