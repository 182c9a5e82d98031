"""How a play went: books and weights at a few hundred rounds, as evenly spaced as an unknown end allows."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from ..persist.validation import fits
from .certificates import Certified, best_expert, bound_so_far

if TYPE_CHECKING:
    from .delay_schedule import Schedule
    from .state import ExpertState

Array = np.ndarray[Any, Any]
MOST = 400  # points kept; when there are more, every other one is dropped and the stride doubles
LEAST = 16
CELLS = 1 << 18  # weights kept, if there are so many experts that fewer points must do
TAIL = 2000  # forecasts kept beside their outcomes
NUMBERS = ("learner_loss", "regret", "bound", "rate")
TABLES = ("expert_losses", "faced", "weights")


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

    def record(self, learner: Certified) -> None:
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
            result.residuals.extend((time, float(said), float(came)) for time, said, came in described["residuals"])
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
    learner: Certified, before: ExpertState, table: Array, outcomes: Array | None, plan: Schedule | None
) -> History:
    """Play a table once more from where the learner stood, a snapshot every so often."""
    again = learner.clone()
    again.expert_names_ = learner.expert_names_
    again._board = before.copy()
    history = History(learner.names(), stride=max(1, len(table) // MOST))
    said = (_at_once if plan is None else _late)(again, table, outcomes, plan, history)
    if outcomes is not None and said.ndim == 1:
        for row in range(max(0, len(table) - TAIL), len(table)):
            history.residual(row, float(said[row]), float(outcomes[row]))
    return history


def _at_once(again: Certified, table: Array, outcomes: Array | None, _: Any, history: History) -> Array:
    """Predictions of rows whose outcomes come before the next."""
    said, row = [], 0
    while row < len(table):
        end = min(row + history.next_stop(again.rounds_) - again.rounds_, len(table))
        said.append(again.play(table[row:end], None if outcomes is None else outcomes[row:end]).predictions)
        history.record(again)
        row = end
    return np.concatenate(said) if said else np.empty(0)


def _late(again: Certified, table: Array, outcomes: Any, plan: Any, history: History) -> Array:
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
