"""Vectors read against rounds: what is added up then may be weighted, added and sent, wherever the rounds are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, Self

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ... import _core
from ...comparator import Comparator
from ...data.batch import Array, Batch
from ...errors import RegretlessError
from ...rows.state import Rules, zeros_on_lines
from ...theory.margin_losses import MARGIN_LOSSES
from ..state import BIAS, State

BLOCK = 8192  # rows whose losses are made at once
MOST_TOGETHER = 64  # directions whose tables are kept at once


class Tally(ABC):
    """Adds something up for some vectors, for each over the rounds that its target played.

    Attributes
    ----------
    whose : ndarray of int, shape (vectors,)
        The target of each vector.
    tables : int
        How many tables of margins it keeps: one a direction, and none where it only sums what vectors are charged.
    """

    whose: Array
    tables: int = 0

    @abstractmethod
    def take(self, times: Array, batch: Batch, codes: Array) -> None:
        """Count some rounds.

        Parameters
        ----------
        times : ndarray, shape (vectors,)
            How often the target of each vector played them.
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


def played_parts(spans: Sequence[Span], done: int, batch: Batch, codes: Array) -> Iterator[tuple[Array, Batch, Array]]:
    """The next rounds after `done` others, in parts that every span has equally often, with how often each has them."""
    passes, skips = np.array([(span.passes, span.skip) for span in spans]).reshape(-1, 2).T
    begin, rows = 0, len(batch)
    for end in [*sorted(set(np.clip(skips - done, 0, rows).tolist())), rows]:  # `np.unique` would import numpy.ma
        times = (passes - (skips > done + begin)).astype(float)
        if begin < end and times.any():
            yield times, batch if end - begin == rows else batch.slice(begin, end), codes[begin:end]
        begin = max(begin, end)


def read_tallies(tallies: Sequence[Tally], rounds: Iterable[tuple[Batch, Array]], spans: Sequence[Span]) -> list[Any]:
    """What some tallies come to in one reading of some rounds.

    Parameters
    ----------
    tallies : sequence of Tally
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
            for times, part, its_codes in played_parts([spans[k] for k in tally.whose], done, batch, codes):
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
    largest : ndarray, shape (vectors,)
        Largest score in size.
    rounds, longest, total : ndarray, shape (vectors,)
        How many rounds, and their largest squared length and the sum of these.
    played : ndarray, shape (vectors,)
        How many rounds, each of them one.
    """

    losses: Array
    least: Array
    largest: Array
    rounds: Array
    longest: Array
    total: Array
    played: Array

    def scaled(self, weight: float) -> VectorLosses:
        """The same as if every round were so many."""
        return replace(self, losses=weight * self.losses, rounds=weight * self.rounds, total=weight * self.total)

    def __add__(self, other: VectorLosses) -> VectorLosses:
        return VectorLosses(
            self.losses + other.losses,
            np.minimum(self.least, other.least),
            np.maximum(self.largest, other.largest),
            self.rounds + other.rounds,
            np.maximum(self.longest, other.longest),
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
            rounds=float(self.rounds[k]),
            max_norm2=float(self.longest[k]),
            total_norm2=float(self.total[k]),
            played=float(self.played[k]),
            **more,
        )


class Charged(Tally):
    """What some comparators were charged, each as it is."""

    def _begin(self) -> None:
        size = len(self.whose)
        self._losses, self._least, self._largest = np.zeros((size, 3)), np.full(size, np.inf), np.zeros(size)
        self._rounds, self._longest, self._total = np.zeros(size), np.zeros(size), np.zeros(size)

    def _count(self, times: Array, rows: float, longest: float, total: float) -> None:
        """Rounds with so many rows, of which these are the largest squared length and the sum of all."""
        self._rounds += times * rows
        self._total += times * total
        self._longest = np.maximum(self._longest, np.where(times > 0, longest, 0.0))

    def sums(self) -> VectorLosses:
        """What they were charged."""
        rounds = self._rounds
        return VectorLosses(self._losses, self._least, self._largest, rounds, self._longest, self._total, rounds)


class Exact(Charged):
    """Reads given vectors, exactly as they are, against the rounds of their targets.

    Parameters
    ----------
    vectors : sequence of (int, Vector)
        Each with its target.
    columns : int
        How wide rows may be.
    intercept : float
        Size of the constant feature.
    loss : str
        What the learner is charged; nothing counts unless it is one of `MARGIN_LOSSES`.
    targets : int
        How many there are.
    """

    def __init__(
        self, vectors: Sequence[tuple[int, Vector]], columns: int, intercept: float, loss: str, targets: int
    ) -> None:
        self.whose = np.array([target for target, _ in vectors], dtype=int)
        self._intercept, self._loss = intercept, MARGIN_LOSSES[loss].played if loss in MARGIN_LOSSES else "nothing"
        self._vectors = side_by_side([v.vector for _, v in vectors], columns)
        self._room = self._vectors.shape[1]
        self._biases = np.zeros(self._room)
        self._labels = np.zeros(self._room, dtype=np.int32)
        self._labels[: len(vectors)] = labels_of(self.whose, targets)
        self._biases[: len(vectors)] = [v.bias for _, v in vectors]
        for begin in range(0, columns, BLOCK):  # what lies side by side is written while it is in the cache
            for k, (_, v) in enumerate(vectors):
                part = v.vector[begin : begin + BLOCK]
                self._vectors[begin : begin + len(part), k] = part
        self._begin()

    def fresh(self) -> Exact:
        """One that has taken nothing yet."""
        other = copy(self)
        other._begin()
        return other

    def take(self, times: Array, batch: Batch, codes: Array) -> None:
        """Charge some rounds to the vectors."""
        for begin in range(0, len(batch), BLOCK):  # long sums would round more
            part = batch if len(batch) <= BLOCK else batch.slice(begin, min(begin + BLOCK, len(batch)))
            self._take(times, part, codes[begin : begin + BLOCK], begin)

    def _take(self, times: Array, batch: Batch, codes: Array, before: int) -> None:
        often, sums, seen = np.zeros(self._room), np.zeros((3, self._room)), np.zeros(3)
        ends, size = np.stack([np.full(self._room, np.inf), np.zeros(self._room)]), len(times)
        often[:size] = times
        rows, vectors = (batch.values, batch.indices, batch.starts), (self._vectors, self._biases, self._labels)
        row, why = _core.charge(*rows, codes, self._intercept, self._loss, *vectors, often, sums, ends, seen)
        if why is not None:
            raise RegretlessError(f"row {before + row} of the rounds to certify against is {why}")
        self._losses += sums.T[:size]
        self._least = np.minimum(self._least, ends[0, :size])
        self._largest = np.maximum(self._largest, ends[1, :size])
        self._count(times, *seen.tolist())


def side_by_side(vectors: Sequence[Array], columns: int) -> Array:
    """Vectors as the kernels read them, four at once: shape (columns, multiple of 4), all of a column in one place."""
    stacked = zeros_on_lines((columns, max(4, -(-len(vectors) // 4) * 4)))
    for begin in range(0, columns, BLOCK):  # so that each cache line is written while it is at hand
        for k, vector in enumerate(vectors):
            part = vector[begin : begin + BLOCK]
            stacked[begin : begin + len(part), k] = part
    return stacked


def table_of(vectors: Sequence[Array]) -> Array | None:
    """The table, shape (columns, 4 or 8), whose columns the first vectors are in their order; None of any others."""
    first = vectors[0] if vectors else None
    if first is None or first.base is None:
        return None
    begin, step = first.ctypes.data, first.itemsize
    count = first.strides[0] // step
    if count not in (4, 8) or len(vectors) < count:
        return None
    for k, one in enumerate(vectors[:count]):
        its = one.base, one.shape, one.strides, one.ctypes.data
        if its[0] is not first.base or its[1:] != (first.shape, (count * step,), begin + k * step):
            return None
    return as_strided(first, (len(first), count), (count * step, step))


def labels_of(whose: Array, targets: int) -> Array:
    """What the kernel plays for the rounds of each vector's target: 1, or with several targets the number of its
    class."""
    return np.asarray(np.ones(len(whose)) if targets == 1 else whose, dtype=np.int32)


def scores_of(batch: Batch, vector: Vector, intercept: float) -> Array:
    """What a vector gives to rows that were read before, shape (rows,)."""
    state = State(max(batch.columns, len(vector.vector)), 1)
    state.weights[: len(vector.vector), 0], state.memory[0, BIAS] = vector.vector, vector.bias
    return np.asarray(state.scores(batch, Rules(intercept=intercept))[0][:, 0])
