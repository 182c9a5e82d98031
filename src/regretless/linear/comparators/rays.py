"""Comparators along a ray: for one direction d, every vector s * d at once, from one reading in constant memory.

The hinge loss of s * d is the sum of 1 - s m over the margins m = y <d, x> below 1 / s. The kernel bins the margins so
that 1 / s can be the edge of a bin; then counts and sums by bin give that hinge loss exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache
from math import inf, isnan, nan
from typing import Any

import numpy as np

from ... import _core
from ...comparator import Comparator
from ...data.batch import Array, Batch
from ...errors import RegretlessError
from ...rows.narrowed import MANY_COLUMNS, Scaled, with_vector
from ...rows.state import length
from ...theory.facts import SHORTEST2
from ...theory.margin_losses import MARGIN_LOSSES
from .evaluate import BLOCK, Span, Tally, labels_of, read_tallies, side_by_side, table_of

INNER = np.array([1, _core.RAY_SIDE - 1])  # the first bin with a lower edge, and the first one without an upper edge
ROUND_UP = 1 + 2.0**-51  # so that no margin of 1 is just below it
ZERO = "v = 0"  # which is on every ray, and along none of them

# Of the bins with any rounds, those of positive margins first: which they are; rounds, sum of margins and sum of their
# squares of each; the same of all negative margins, and of all margins up to each positive bin; the sum of all margins,
# and of their squares.
Histogram = tuple[Array, Array, Array, float, float]


@dataclass(frozen=True, slots=True)
class Direction:
    """Where a ray points: a vector with its share of the constant feature, its length, and where it comes from; and
    what it measures in the geometry of the learner (see `Comparator`)."""

    name: str
    vector: Array
    bias: float
    size: float
    own: float = nan
    divergence: float = 0.0
    product: float = nan

    @property
    def measured(self) -> float:
        """Its length in the geometry of the learner, the Euclidean one unless another is given."""
        return self.size if isnan(self.own) else self.own

    @classmethod
    def along(cls, name: str, vector: Array, bias: float = 0.0, size: float = 1.0) -> Direction | None:
        """The direction of a vector, at a length that brings margins near 1; None when it has none."""
        norm = length(vector, bias)
        if not 0 < norm < inf:
            return None
        along = vector / norm
        if size != 1:
            along *= size
        return cls(name, along, bias / norm * size, size)


@dataclass(frozen=True, slots=True)
class Ray:
    """Sums over the rounds from which every s * direction can be read.

    Attributes
    ----------
    places : ndarray of int, shape (positive bins with rounds,)
        Which bins of positive margins have any.
    below : ndarray, shape (1 + positive bins with rounds, 3)
        Rounds, sum of margins and sum of their squares, of all negative margins, and of all margins up to the upper
        edge of each of these bins.
    all_total, all_squares : float
        The same sums over all rounds.
    bins : ndarray, shape (bins with rounds, 3)
        Of each: rounds, sum of margins, sum of their squares.
    margins : ndarray or None, shape (rows,)
        Those of each row, if they were written down: every row was played equally often then.
    """

    direction: Direction
    places: Array
    below: Array
    all_total: float
    all_squares: float
    least: float
    rounds: float
    max_norm2: float
    total_norm2: float
    loss_name: str
    bins: Array
    margins: Array | None = None

    @property
    def summed(self) -> tuple[Array, Array, tuple[float, float, float, float, float]]:
        """What multiples of the direction are read from, as the core takes it."""
        along = self.direction
        return self.places, self.below, (along.size, self.least, along.measured, along.product, along.divergence)

    def at(self, edge: int) -> Comparator:
        """The comparator whose hinge loss starts at that edge, s = 1 / edges()[edge], without its vector."""
        s = float(scales()[edge])
        count, total, squares = self.below[self.places.searchsorted(edge, "right")].tolist()
        return self._comparator(s, count - s * total, count - 2 * s * total + s * s * squares)

    def vector_of(self, comparator: Comparator) -> Array:
        """The vector of a comparator of this ray."""
        return np.asarray(comparator.norm / self.direction.size * self.direction.vector)

    def read(self, comparator: Comparator) -> Comparator:
        """A comparator of this ray with what its vector is charged: summed over the margins of the rows, which must
        have been written down, and not over bins of them."""
        assert self.margins is not None
        s, times = comparator.norm / self.direction.size, self.rounds / len(self.margins)
        hinge, squared_hinge = _core.hinge_sums(self.margins, s)
        charged = MARGIN_LOSSES.get(self.loss_name)
        loss: float | None = None
        if charged is not None and charged.by_hinges is not None:
            loss = charged.by_hinges(hinge, squared_hinge)
        elif charged is not None:
            parts = range(0, len(self.margins), BLOCK)  # so that what is made of margins stays in the cache
            loss = sum(float(charged.value(s * self.margins[begin : begin + BLOCK]).sum()) for begin in parts)
        return with_vector(
            comparator,
            Scaled(self.direction.vector, s),
            hinge=times * hinge,
            squared_hinge=times * squared_hinge,
            loss=None if loss is None else times * loss,
            divergence=comparator.divergence if s else 0.0,
        )

    @property
    def errors(self) -> float:
        """Rounds with margins up to the first edge."""
        return float(self.below[1 if self.places.size and self.places[0] == 0 else 0, 0])

    def separating(self) -> Comparator | None:
        """The shortest comparator without hinge loss, when the direction separates the rounds."""
        if not self.least > SHORTEST2:
            return None
        return self._comparator(ROUND_UP / self.least, 0.0, 0.0)

    def zero(self) -> Comparator:
        """The comparator v = 0."""
        return self._comparator(0.0, self.rounds, self.rounds, ZERO)

    def _comparator(self, s: float, hinge: float, squared_hinge: float, name: str = "") -> Comparator:
        hinge, squared_hinge = max(hinge, 0.0), max(squared_hinge, 0.0)
        return Comparator(
            name=name or self.direction.name,
            norm=s * self.direction.size,
            hinge=hinge,
            squared_hinge=squared_hinge,
            loss=self.loss(s, hinge, squared_hinge),
            least=s * self.least,
            rounds=self.rounds,
            max_norm2=self.max_norm2,
            total_norm2=self.total_norm2,
            bias=s * self.direction.bias,
            own=s * self.direction.measured,
            divergence=self.direction.divergence,
            product=s * self.direction.product,
        )

    def loss(self, s: Any, hinge: Any, squared_hinge: Any) -> Any:
        """The learner's loss at a scale, or at each of an array, by what its hinge losses and their squares sum to."""
        loss = MARGIN_LOSSES.get(self.loss_name)
        if loss is None:
            return None
        if loss.by_hinges is not None:
            return loss.by_hinges(hinge, squared_hinge)
        if loss.summed is not None:
            return loss.summed(self, s)
        # Good enough to choose a scale by: every bin at its mean. What is chosen is then read exactly.
        rounds, total, _ = np.ascontiguousarray(self.bins.T)
        return (rounds * loss.value(np.multiply.outer(s, total / rounds))).sum(axis=-1)

    def range(self) -> tuple[int, int]:
        """Edges between the smallest and the largest positive margin, and some on either side: the best scale may make
        every round count, or hardly any."""
        # The last bin has no upper edge, and the first one is below them all.
        first, last = self.places.searchsorted(INNER).tolist()
        end = _core.RAY_SIDE - 2
        if first == last:
            return 0, end
        octaves = 6 << _core.RAY_MANTISSA_BITS
        return max(0, int(self.places[first]) - octaves), min(end, int(self.places[last - 1]) + octaves)


@dataclass(frozen=True, slots=True, eq=False)
class RaySums:
    """Sums along some directions, over rounds that may count for more or less than one.

    Attributes
    ----------
    counted : ndarray or None, shape (directions, 2 * RAY_SIDE, 3)
        By bin of margins: rounds, sum of margins, sum of their squares. None if the margins were written down.
    least : ndarray, shape (directions,)
        Smallest margin.
    rounds, longest, total : ndarray, shape (directions,)
        How many rounds, and their largest squared length and the sum of these.
    margins : ndarray or None, shape (directions, rows)
        Those of each row along each direction, if they were written down.
    histograms : sequence of Histogram or None
        Of each direction, if they were: the bins that have any rounds.
    """

    counted: Array | None
    least: Array
    rounds: Array
    longest: Array
    total: Array
    margins: Array | None = None
    histograms: Sequence[Histogram] | None = None

    @property
    def bins(self) -> Array:
        """By bin of margins: rounds, sum of margins, sum of their squares; shape (directions, 2 * RAY_SIDE, 3)."""
        return _unpacked(self.histograms or ()) if self.counted is None else self.counted

    def scaled(self, weight: float | Array) -> RaySums:
        """The same as if every round were so many, along all directions or along each."""
        bins = np.reshape(weight, (-1, 1, 1)) * self.bins
        rounds, total = weight * self.rounds, weight * self.total
        return RaySums(bins, self.least, rounds, self.longest, total)

    def __add__(self, other: RaySums) -> RaySums:
        return RaySums(
            self.bins + other.bins,
            np.minimum(self.least, other.least),
            self.rounds + other.rounds,
            np.maximum(self.longest, other.longest),
            self.total + other.total,
        )

    def rays(self, directions: Sequence[Direction], loss_name: str) -> list[Ray]:
        """One ray a direction."""
        seen = self.least.tolist(), self.rounds.tolist(), self.longest.tolist(), self.total.tolist()
        histograms = self.histograms or [_histogram(bins) for bins in self.bins]
        margins = [None] * len(directions) if self.margins is None else self.margins
        each = zip(directions, histograms, zip(*seen, strict=True), margins, strict=True)
        return [
            Ray(direction, places[: len(below) - 1], below, total, squares, *numbers, loss_name, bins, its)
            for direction, (places, bins, below, total, squares), numbers, its in each
        ]

    def __reduce__(self) -> tuple[Any, ...]:
        """Without the bins that are empty, which are most."""
        histograms = [_histogram(bins) for bins in self.bins]
        return _sent, (histograms, self.least, self.rounds, self.longest, self.total)


def _sent(histograms: Sequence[Histogram], *rest: Any) -> RaySums:
    return RaySums(_unpacked(histograms), *rest)


def _unpacked(histograms: Sequence[Histogram]) -> Array:
    """The bins of some directions, with the empty ones."""
    bins = np.zeros((len(histograms), 2 * _core.RAY_SIDE, 3))
    for every, (places, some, *_) in zip(bins, histograms, strict=True):
        every[places] = some
    return bins


class Sight(Tally):
    """Reads rounds along some directions.

    Parameters
    ----------
    directions : sequence of Direction
        All of the same length, at least as long as the rows are wide.
    intercept : float
        Size of the constant feature.
    whose : sequence of int, optional
        The target of each; that of two classes by default.
    targets : int, default=1
        How many there are.
    written : bool, default=False
        Whether to write down the margins of the rows besides, if they come as one batch and all count equally often.
    """

    def __init__(
        self,
        directions: Sequence[Direction],
        intercept: float,
        whose: Sequence[int] | None = None,
        targets: int = 1,
        written: bool = False,
    ) -> None:
        self.whose = np.zeros(len(directions), dtype=int) if whose is None else np.array(whose)
        self.tables, self._intercept = len(directions), intercept
        self._stacked = list(_tables([d.vector for d in directions], len(directions[0].vector)))
        self._biases = np.array([d.bias for d in directions])
        self._labels, self._written = labels_of(self.whose, targets), written
        self._begin()

    def _begin(self) -> None:
        size = len(self.whose)
        self._counted: Array | None = None
        self._margins: Array | None = None
        self._histograms: list[Histogram] = []
        self._least = np.full(size, np.inf)
        self._rounds, self._longest, self._total = np.zeros(size), np.zeros(size), np.zeros(size)

    def fresh(self) -> Sight:
        """One that has taken nothing yet."""
        other = copy(self)
        other._begin()
        return other

    def take(self, times: Array, batch: Batch, codes: Array) -> None:
        """Put the margins of some rounds into their bins."""
        whole = self._written and not self._rounds.any() and bool((times == times[0]).all())
        if whole:  # bins of before, if any, hold no rounds
            self._counted, self._histograms = None, []
        self._margins = margins = np.empty((len(times), len(batch))) if whole else None
        rows, seen = (batch.values, batch.indices, batch.starts), np.zeros(3)
        for part, vectors in self._stacked:
            along = vectors, self._biases[part], self._labels[part], times[part]
            seen = np.zeros(3)
            if margins is None:
                sums = self._bins()[part], self._least[part], seen
                row, why = _core.sight(*rows, codes, self._intercept, *along, *sums)
            else:
                written = self._least[part], seen, margins[part]
                row, why, made = _core.sight_margins(*rows, codes, self._intercept, *along, *written)
                self._histograms += made
            if why is not None:
                raise RegretlessError(f"row {row} of the rounds to certify against is {why}")
        self._rounds += times * seen[0]
        self._total += times * seen[2]
        self._longest = np.maximum(self._longest, np.where(times > 0, seen[1], 0.0))

    def _bins(self) -> Array:
        """All bins of the rounds so far, whose margins are not written down from now on."""
        if self._counted is None:
            size = len(self.whose), 2 * _core.RAY_SIDE, 3
            self._counted = _unpacked(self._histograms) if self._histograms else np.zeros(size)
        return self._counted

    def sums(self) -> RaySums:
        """The bins of all rounds."""
        seen = self._least, self._rounds, self._longest, self._total
        if self._margins is not None:
            return RaySums(None, *seen, self._margins, self._histograms)
        return RaySums(self._bins(), *seen)


def _tables(vectors: Sequence[Array], columns: int) -> Iterator[tuple[slice, Array]]:
    """The vectors as the kernels read them, all in one table; of very many columns in some, so that a column's numbers
    fill no more of the caches than they must."""
    if columns <= MANY_COLUMNS:
        yield slice(0, len(vectors)), side_by_side(vectors, columns)
        return
    begin = 0
    while begin < len(vectors):
        table = table_of(vectors[begin:])
        if table is None:
            end = begin + 1  # what lies side by side would have to be copied beside others
            while end < len(vectors) and end < begin + 4 and table_of(vectors[end:]) is None:
                end += 1
            some = vectors[begin:end]
            table = np.ascontiguousarray(some[0])[:, None] if len(some) == 1 else side_by_side(some, columns)
        else:
            end = begin + table.shape[1]
        yield slice(begin, end), table
        begin = end


def look(
    rounds: Iterable[tuple[Batch, Array]], directions: list[Direction], *, intercept: float, span: Span, loss_name: str
) -> list[Ray]:
    """Read all rounds once along some directions.

    Parameters
    ----------
    rounds : iterable of (Batch, signs)
        Signs are int32, +1 or -1.
    directions : list of Direction
        All of the same length, at least as long as the rows are wide.
    intercept : float
        Size of the constant feature.
    span : Span
        How often each of them was played.
    loss_name : str
        What the learner is charged.
    """
    (seen,) = read_tallies([Sight(directions, intercept)], rounds, [span])
    rays: list[Ray] = seen.rays(directions, loss_name)
    return rays


def _histogram(bins: Array) -> Histogram:
    """The bins that have any rounds, of all."""
    filled = np.flatnonzero(bins[:, 0] > 0)
    positive = int(filled.searchsorted(_core.RAY_SIDE))
    some = bins[filled]
    sums = some.cumsum(axis=0)  # one after the other: `sum` would add them in another order, depending on the layout
    below = np.zeros((1 + positive, 3))
    below[1:] = sums[:positive]
    if positive < len(filled):
        below += some[positive:].cumsum(axis=0)[-1]
    _, total, squares = sums[-1].tolist() if len(filled) else (0.0, 0.0, 0.0)
    return filled, some, below, total, squares


@cache
def scales() -> Array:
    """1 over each edge."""
    return np.asarray(1 / edges())


@cache
def edges() -> np.ndarray[Any, np.dtype[np.float64]]:
    """Upper edge of each positive bin but the last: floats whose low mantissa bits are zero."""
    places = np.arange(_core.RAY_SIDE - 1, dtype=np.int64) + ((_core.RAY_LOWEST + 1023) << _core.RAY_MANTISSA_BITS)
    values = (places << (52 - _core.RAY_MANTISSA_BITS)).view(np.float64)
    values.flags.writeable = False  # every ray has the same
    return values
