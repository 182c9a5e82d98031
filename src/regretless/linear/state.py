"""What a linear learner remembers: plain arrays, so that copying, saving and resuming come for free."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import Any

import numpy as np

from .. import _core
from ..data.batch import Array, Batch
from ..ledger import FIELDS, Ledger

SCALE, NORM2, BIAS, STEPS, CLOCK, LAG_BIAS = range(6)  # columns of `memory`


@dataclass(frozen=True, slots=True)
class Rules:
    """The composition that a learner's name and parameters stand for."""

    geometry: str = "euclidean"
    loss: str = "perceptron"
    rate: str = "constant"
    radius: float = 0.0
    eta: float = 1.0
    tie: float = 0.0
    intercept: float = 0.0


class State:
    """Weights, memory and books of one or several targets, laid out feature by target.

    Parameters
    ----------
    columns : int
        How many features there are so far.
    targets : int
        How many learners play side by side: 1 for two classes, one for each class otherwise.
    average : bool
        Whether to keep what the average of all weights so far needs.
    """

    def __init__(self, columns: int, targets: int, *, average: bool = False) -> None:
        self.columns = columns
        self.weights = np.zeros((columns, targets))
        self.memory = np.zeros((targets, _core.MEMORY_SIZE))
        self.memory[:, SCALE] = 1
        self.books = np.zeros((targets + (targets > 1), len(FIELDS)))
        self.lag = np.zeros((columns, targets)) if average else None
        self.steady = True  # whether all rounds were played by the same rules
        self.rules: Rules | None = None
        self._player: tuple[Rules, Any] | None = None

    @property
    def targets(self) -> int:
        """How many learners play side by side."""
        return len(self.memory)

    def grow(self, columns: int) -> None:
        """Make room for columns that the stream has revealed; their weights are 0."""
        if columns <= self.columns:
            return
        if columns > len(self.weights):
            room = max(columns, min(2 * len(self.weights), 2 * columns))
            self.weights = _with_rows(self.weights, room)
            self.lag = None if self.lag is None else _with_rows(self.lag, room)
            self._player = None
        self.columns = columns

    def player(self, rules: Rules) -> Any:
        """The compiled player over these arrays; made once and used until they move."""
        if self._player is None or self._player[0] != rules:
            scratch = np.zeros(4 * self.targets)
            made = _core.Player(
                self.weights,
                self.memory,
                self.books,
                scratch,
                self.lag,
                geometry=rules.geometry,
                loss=rules.loss,
                rate=rules.rate,
                radius=rules.radius,
                eta=rules.eta,
                tie=rules.tie,
                intercept=rules.intercept,
            )
            self._player = rules, made
        return self._player[1]

    def follow(self, rules: Rules) -> None:
        """Take note of the rules that the next rounds are played by."""
        if self.rules is not None and self.rules != rules:
            self.steady = False
        self.rules = rules

    def coefficients(self) -> Array:
        """The weights as they are meant, shape (columns, targets)."""
        return np.asarray(self.weights[: self.columns] * self.memory[:, SCALE])

    def biases(self) -> Array:
        """Weights of the constant feature, shape (targets,)."""
        return np.asarray(self.memory[:, BIAS] * self.memory[:, SCALE])

    def norms(self) -> list[float]:
        """Length of each target's weights, the constant feature's included."""
        weights, biases = self.coefficients(), self.biases()
        return [length(weights[:, c], float(biases[c])) for c in range(self.targets)]

    def average(self) -> tuple[Array, Array]:
        """The mean of the weights before each round, and of the constant feature's: (columns, targets), (targets,)."""
        if self.lag is None:
            raise RuntimeError("this state was made without average=True")
        rounds = np.maximum(self.books[: self.targets, FIELDS.index("rounds")], 1)
        clock, stored = self.memory[:, CLOCK], self.weights[: self.columns]
        mean = (clock * stored - self.lag[: self.columns]) / rounds
        return mean, (clock * self.memory[:, BIAS] - self.memory[:, LAG_BIAS]) / rounds

    def ledgers(self) -> list[Ledger]:
        """One ledger a target."""
        return [Ledger.read(book) for book in self.books[: self.targets]]

    def ledger(self) -> Ledger:
        """The ledger of the whole: with several targets, rounds and mistakes are those of the class that is predicted,
        and what the targets were charged and moved adds up."""
        whole = Ledger.read(self.books[-1])
        if self.targets == 1:
            return whole
        parts = self.books[: self.targets]
        total = dict(zip(FIELDS, parts.sum(axis=0).tolist(), strict=True))
        most = dict(zip(FIELDS, parts.max(axis=0).tolist(), strict=True))
        return Ledger(
            rounds=whole.rounds,
            updates=total["updates"],
            mistakes=whole.mistakes,
            loss=total["loss"],
            slope2=total["slope2"],
            step2=total["step2"],
            max_norm2=whole.max_norm2,
            update_norm2=total["update_norm2"],
            total_norm2=whole.total_norm2,
            reach2=most["reach2"],
            first_rate=most["first_rate"],
            last_rate=float(parts[:, FIELDS.index("last_rate")].min()),
            weighted=whole.weighted,
        )

    def scores(self, batch: Batch, rules: Rules) -> tuple[Array, tuple[int, str | None]]:
        """Scores of all rows, shape (rows, targets), and how far the kernel came."""
        out = np.empty((len(batch), self.targets))
        outcome = self.player(rules).score(batch.values, batch.indices, batch.starts, out)
        return out, outcome

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_player"} | {"_player": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            # What a process pool maps into memory cannot be written to, and learning goes on.
            fixed = isinstance(value, np.ndarray) and not value.flags.writeable
            setattr(self, name, value.copy() if fixed else value)


def _with_rows(array: Array, rows: int) -> Array:
    larger = np.zeros((rows, array.shape[1]))
    larger[: len(array)] = array
    return larger


def length(vector: Array, bias: float = 0.0) -> float:
    """Euclidean length, also of what is so small or so large that its squares are not floats."""
    largest = max(float(np.abs(vector).max(initial=0.0)), abs(bias))
    if not 0 < largest < inf:
        return largest
    shares = vector / largest
    return largest * sqrt(float(shares @ shares) + (bias / largest) ** 2)
