"""Given vectors, read against the rounds exactly as they are."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...comparator import Comparator
from ...data.batch import Array, Batch
from ...errors import RegretlessError
from ..state import BIAS, Rules, State
from .accumulators import Tally, signed


@dataclass(frozen=True, slots=True)
class Vector:
    name: str
    vector: Array
    bias: float


@dataclass(frozen=True, slots=True, eq=False)
class Suffered:
    """What some vectors suffer in rounds that may count for more or less than one.

    Attributes
    ----------
    losses : ndarray, shape (vectors, 3)
        Sums of hinge losses, of their squares, and of what the learner is charged.
    least : ndarray, shape (vectors,)
        Smallest margin.
    rounds, longest, total : float
        How many rounds, and their largest squared length and the sum of these.
    played : float
        How many rounds, each of them one.
    """

    losses: Array
    least: Array
    rounds: float
    longest: float
    total: float
    played: float

    def scaled(self, weight: float) -> Suffered:
        """The same as if every round were so many."""
        return replace(self, losses=weight * self.losses, rounds=weight * self.rounds, total=weight * self.total)

    def __add__(self, other: Suffered) -> Suffered:
        return Suffered(
            self.losses + other.losses,
            np.minimum(self.least, other.least),
            self.rounds + other.rounds,
            max(self.longest, other.longest),
            self.total + other.total,
            self.played + other.played,
        )

    def comparator(self, k: int, name: str, norm: float, **more: Any) -> Comparator:
        """The comparator that the k-th vector is."""
        return Comparator(
            name=name,
            norm=norm,
            hinge=float(self.losses[k, 0]),
            squared_hinge=float(self.losses[k, 1]),
            least=float(self.least[k]),
            rounds=self.rounds,
            max_norm2=self.longest,
            total_norm2=self.total,
            played=self.played,
            **more,
        )


class Exact(Tally):
    """Reads given vectors, exactly as they are, against the rounds of one target."""

    def __init__(self, vectors: list[Vector], columns: int, intercept: float, loss: str, target: int, targets: int):
        self.target, self.targets, self.size, self.loss = target, targets, len(vectors), loss
        self._state, self._rules = State(columns, len(vectors)), Rules(intercept=intercept)
        for k, v in enumerate(vectors):
            self._state.weights[: len(v.vector), k] = v.vector
            self._state.memory[k, BIAS] = v.bias
        self._begin()

    def _begin(self) -> None:
        self._losses, self._least = np.zeros((self.size, 3)), np.full(self.size, np.inf)
        self._rounds, self._longest, self._total = 0, 0.0, 0.0

    def fresh(self) -> Exact:
        """One that has taken nothing yet."""
        other = copy(self)
        other._state = copy(self._state)  # without its player, which keeps notes
        other._begin()
        return other

    def take(self, times: int, batch: Batch, codes: Array) -> None:
        """Charge some rounds to the vectors."""
        scores, (row, why) = self._state.scores(batch, self._rules)
        if why is not None:
            raise RegretlessError(f"row {row} of the rounds to certify against is {why}")
        margins = signed(codes, self.target, self.targets)[:, None] * scores
        hinge = np.maximum(0, 1 - margins)
        self._losses += times * np.column_stack([hinge.sum(0), (hinge**2).sum(0), _charged(self.loss, margins).sum(0)])
        self._least = np.minimum(self._least, margins.min(0, initial=np.inf))
        norms = norms2(batch) + self._rules.intercept**2
        self._rounds += times * len(batch)
        self._total += times * float(norms.sum())
        self._longest = max(self._longest, float(norms.max(initial=0.0)))

    def sums(self) -> Suffered:
        """What they have suffered."""
        rounds = float(self._rounds)
        return Suffered(self._losses, self._least, rounds, self._longest, self._total, rounds)


CHARGED: dict[
    str, Callable[[Array], Array]
] = {  # what is charged to a fixed vector, for losses that charge it anything
    "hinge": lambda margins: np.asarray(np.maximum(0, 1 - margins)),
    "squared-hinge": lambda margins: np.asarray(np.maximum(0, 1 - margins) ** 2),
    "square": lambda margins: np.asarray((1 - margins) ** 2),
    "logistic": lambda margins: np.asarray(np.logaddexp(0, -margins)),
}


def _charged(loss: str, margins: Array) -> Array:
    return CHARGED[loss](margins) if loss in CHARGED else np.zeros_like(margins)


def norms2(batch: Batch) -> Array:
    """The squared length of each row, shape (rows,)."""
    if batch.starts is None:
        return np.asarray(np.einsum("ij,ij->i", batch.values, batch.values, dtype=np.float64))
    norms2, filled = np.zeros(len(batch)), batch.starts[:-1] < batch.starts[1:]
    if filled.any():
        norms2[filled] = np.add.reduceat(batch.values.astype(np.float64) ** 2, batch.starts[:-1][filled])
    return norms2
