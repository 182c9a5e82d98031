"""Vectors read against rounds: what is added up then may be weighted, added and sent, wherever the rounds are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, Self

import numpy as np

from ...comparator import Comparator
from ...data.batch import Array, Batch, norms2
from ...errors import RegretlessError
from ...rows.state import Rules
from ..state import BIAS, State

BLOCK = 8192  # rows whose losses are made at once
MOST_TOGETHER = 64  # directions whose tables are kept at once


class Tally(ABC):
    """Adds something up over the rounds of one target.

    Attributes
    ----------
    target : int
        Whose rounds these are.
    tables : int
        How many tables of margins it keeps: one a direction, and none where it only sums what vectors are charged.
    """

    target: int
    tables: int = 1

    @abstractmethod
    def take(self, times: int, batch: Batch, codes: Array) -> None:
        """Count some rounds, each so many times.

        Parameters
        ----------
        times : int
            How often each was played.
        batch : Batch
            Their rows.
        codes : ndarray of int, shape (rounds,)
            Their labels, as the kernel plays them.

        Raises
        ------
        RegretlessError
            If a row cannot be used.
        """

    @abstractmethod
    def sums(self) -> Any:
        """What it has come to."""

    @abstractmethod
    def fresh(self) -> Self:
        """Another one that has taken nothing yet, which shares what is only read."""


@dataclass(frozen=True, slots=True)
class Span:
    """Which rounds of a stream a learner played: `passes` times all of its rows, but for the first `skip` of the first
    pass. A one-against-rest learner begins where its class is first met.
    """

    rows: int
    passes: int
    skip: int

    @classmethod
    def of(cls, rows: int, played: float) -> Span:
        """The span that ends with the last row and is so many rounds long."""
        passes = max(1, ceil(played / rows)) if rows else 1
        return cls(rows, passes, max(0, passes * rows - int(played)))

    def within(self, before: int, rows: int) -> Span:
        """The part of it that is in some of the rows, with so many rows before them."""
        return Span(rows, self.passes, min(max(self.skip - before, 0), rows))

    def times(self, done: int, rows: int) -> Array:
        """How often each of the next rows after `done` others was played."""
        times = np.full(rows, float(self.passes))
        times[: max(self.skip - done, 0)] -= 1
        return times

    def cut(self, done: int, batch: Batch, signs: Array) -> Iterator[tuple[int, Batch, Array]]:
        """The next rounds after `done` others, each with how many times it was played."""
        head = min(max(self.skip - done, 0), len(batch))
        if head and self.passes > 1:
            yield self.passes - 1, batch.slice(0, head), signs[:head]
        if head < len(batch):
            yield self.passes, batch.slice(head, len(batch)) if head else batch, signs[head:]


def read_tallies(tallies: Sequence[Tally], rounds: Iterable[tuple[Batch, Array]], spans: Sequence[Span]) -> list[Any]:
    """What some tallies come to in one reading of some rounds.

    Parameters
    ----------
    tallies : sequence of Tally
        Each counts the rounds of its target.
    rounds : iterable of (Batch, ndarray)
        Rows with the codes of their labels.
    spans : sequence of Span
        Of each target, which of the rounds it played, and how often.

    Returns
    -------
    list
        The sums of each tally, in their order.

    Raises
    ------
    RegretlessError
        If a row cannot be used.
    """
    done = 0
    for batch, codes in rounds:
        for tally in tallies:
            for times, part, its_codes in spans[tally.target].cut(done, batch, codes):
                tally.take(times, part, its_codes)
        done += len(batch)
    return [tally.sums() for tally in tallies]


def together(tallies: Sequence[Tally]) -> Iterator[list[Tally]]:
    """The tallies in their order, as many at once as have room."""
    group: list[Tally] = []
    for tally in tallies:
        if group and sum(one.tables for one in group) + tally.tables > MOST_TOGETHER:
            yield group
            group = []
        group.append(tally)
    if group:
        yield group


def signed(codes: Array, target: int, targets: int) -> Array:
    """The signs of one target from what the kernel plays.

    Parameters
    ----------
    codes : ndarray of int, shape (rounds,)
        With one target signs already; with several the number of each round's class.
    target, targets : int
        Which target, and how many there are.

    Returns
    -------
    ndarray of int32, shape (rounds,)
        1 where the round is of the target's class, else -1.
    """
    return codes if targets == 1 else np.where(codes == target, 1, -1).astype(np.int32)


@dataclass(frozen=True, slots=True)
class Vector:
    """A vector to read against the rounds, as it is: its name, weights, and weight of the constant feature."""

    name: str
    vector: Array
    bias: float


@dataclass(frozen=True, slots=True, eq=False)
class VectorLosses:
    """What some vectors are charged in rounds that may count for more or less than one.

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

    def scaled(self, weight: float) -> VectorLosses:
        """The same as if every round were so many."""
        return replace(self, losses=weight * self.losses, rounds=weight * self.rounds, total=weight * self.total)

    def __add__(self, other: VectorLosses) -> VectorLosses:
        return VectorLosses(
            self.losses + other.losses,
            np.minimum(self.least, other.least),
            self.rounds + other.rounds,
            max(self.longest, other.longest),
            self.total + other.total,
            self.played + other.played,
        )

    def comparator(self, k: int, name: str, norm: float, **more: Any) -> Comparator:
        """The comparator that a vector is.

        Parameters
        ----------
        k : int
            Its place among the vectors.
        name : str
        norm : float
            Its Euclidean length, that of the constant feature's weight included.
        **more
            Other fields of the comparator.
        """
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


class Charged(Tally):
    """What some comparators were charged, each as it is."""

    size: int
    tables = 0

    def _begin(self) -> None:
        self._losses, self._least = np.zeros((self.size, 3)), np.full(self.size, np.inf)
        self._rounds, self._longest, self._total = 0, 0.0, 0.0

    def _count(self, times: int, squares: Array) -> None:
        """Rounds with rows of these squared lengths."""
        self._rounds += times * len(squares)
        self._total += times * float(squares.sum())
        self._longest = max(self._longest, float(squares.max(initial=0.0)))

    def sums(self) -> VectorLosses:
        """What they were charged."""
        rounds = float(self._rounds)
        return VectorLosses(self._losses, self._least, rounds, self._longest, self._total, rounds)


class Exact(Charged):
    """Reads given vectors, exactly as they are, against the rounds of one target."""

    def __init__(self, vectors: list[Vector], columns: int, intercept: float, loss: str, target: int, targets: int):
        self.target, self.targets, self.size, self.loss = target, targets, len(vectors), loss
        self._state, self._rules = State(columns, len(vectors)), Rules(intercept=intercept)
        for k, v in enumerate(vectors):
            self._state.weights[: len(v.vector), k] = v.vector
            self._state.memory[k, BIAS] = v.bias
        self._begin()

    def fresh(self) -> Exact:
        """One that has taken nothing yet."""
        other = copy(self)
        other._state = copy(self._state)  # without its player, which keeps notes
        other._begin()
        return other

    def scores(self, batch: Batch) -> Array:
        """What the vectors give to rows, shape (rows, vectors)."""
        scores, (row, why) = self._state.scores(batch, self._rules)
        if why is not None:
            raise RegretlessError(f"row {row} of the rounds to certify against is {why}")
        return scores

    def take(self, times: int, batch: Batch, codes: Array) -> None:
        """Charge some rounds to the vectors."""
        scores, signs = self.scores(batch), signed(codes, self.target, self.targets)
        for begin in range(0, len(batch), BLOCK):  # what the cache holds
            margins = signs[begin : begin + BLOCK, None] * scores[begin : begin + BLOCK]
            hinge = np.maximum(0, 1 - margins)
            sums = [hinge.sum(0), (hinge**2).sum(0), _charged(self.loss, margins).sum(0)]
            self._losses += times * np.column_stack(sums)
            self._least = np.minimum(self._least, margins.min(0, initial=np.inf))
        self._count(times, norms2(batch) + self._rules.intercept**2)


CHARGED: dict[
    str, Callable[[Array], Array]
] = {  # what is charged to a fixed vector, for losses that charge it anything
    "hinge": lambda margins: np.asarray(np.maximum(0, 1 - margins)),
    "squared-hinge": lambda margins: np.asarray(np.maximum(0, 1 - margins) ** 2),
    "square": lambda margins: np.asarray((1 - margins) ** 2),
    "logistic": lambda margins: np.asarray(np.logaddexp(0, -margins)),
    "negative-part": lambda margins: np.asarray(np.maximum(0, -margins)),
}


def _charged(loss: str, margins: Array) -> Array:
    return CHARGED[loss](margins) if loss in CHARGED else np.zeros_like(margins)
