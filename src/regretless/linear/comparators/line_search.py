"""Comparators along a ray: for one direction d, every vector s * d at once, from one reading in constant memory.

The hinge loss of s * d is the sum of 1 - s m over the margins m = y <d, x> below 1 / s. The kernel bins the margins so
that 1 / s can be the edge of a bin; then counts and sums by bin give that hinge loss exactly. Edges are under one per
cent apart and every bound is flat around its best scale, so nothing worth having is missed between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache
from math import inf, isnan, nan
from typing import Any

import numpy as np

from ... import _core
from ...comparator import Comparator
from ...data.batch import Array, Batch
from ...errors import RegretlessError
from ...ledger import Ledger
from ...rows.state import length
from ...theorem import Check, Theorem
from ...theory.facts import OF_ALL_MULTIPLES, SHORTEST2, LinearFacts
from .evaluate import Span, Tally, labels_of, read_tallies

GLANCE = 128  # from edge to edge in the search for about the best scale, which is halved until it is
COARSE = 16  # the step that misses no range of scales that meets the assumptions
FURTHER, NEARLY = 0.12, 0.02  # shares by which a ray may be worse than the best, at a glance and at the coarse step


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

    @classmethod
    def along(cls, name: str, vector: Array, bias: float = 0.0, size: float = 1.0) -> Direction | None:
        """The direction of a vector, at a length that brings margins near 1; None when it has none."""
        norm = length(vector, bias)
        return cls(name, vector / norm * size, bias / norm * size, size) if 0 < norm < inf else None


@dataclass(frozen=True, slots=True)
class Ray:
    """Sums over the rounds from which every s * direction can be read.

    Attributes
    ----------
    negative : ndarray, shape (3,)
        Rounds, sum of margins and sum of their squares, of those with negative margins.
    places : ndarray of int, shape (positive bins with rounds,)
        Which bins of positive margins have any.
    below : ndarray, shape (positive bins with rounds, 3)
        The same sums over all margins up to the upper edge of each of them.
    all_total, all_squares : float
        The same sums over all rounds.
    bins : ndarray, shape (2 * RAY_SIDE, 3)
        By bin of margins: rounds, sum of margins, sum of their squares.
    filled : ndarray, shape (2, bins with rounds)
        Rounds and sum of margins of the bins that have any.
    """

    direction: Direction
    negative: Array
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
    filled: Array
    _made: dict[int, Comparator] = field(default_factory=dict, repr=False, compare=False)

    def at(self, edge: int) -> Comparator:
        """The comparator whose hinge loss starts at that edge: s = 1 / edges()[edge]."""
        comparator = self._at(edge)
        return replace(comparator, vector=self.vector_of(comparator))

    def vector_of(self, comparator: Comparator) -> Array:
        """The vector of a comparator of this ray."""
        return np.asarray(comparator.norm / self.direction.size * self.direction.vector)

    def _at(self, edge: int) -> Comparator:
        # Without its vector, which is long: thousands of scales are looked at, the same ones for every theorem.
        made = self._made.get(edge)
        if made is not None:
            return made
        s = scales()[edge]
        before = self.places.searchsorted(edge, "right")
        count, total, squares = (self.below[before - 1] if before else self.negative).tolist()
        made = self._comparator(s, count - s * total, count - 2 * s * total + s * s * squares)
        self._made[edge] = made
        return made

    @property
    def errors(self) -> float:
        """Rounds with margins up to the first edge."""
        first = self.below[0] if self.places.size and self.places[0] == 0 else self.negative
        return float(first[0])

    def separating(self) -> Comparator | None:
        """The shortest comparator without hinge loss, when the direction separates the rounds."""
        if not self.least > SHORTEST2:
            return None
        return self._comparator(1 / self.least, 0.0, 0.0)

    def zero(self) -> Comparator:
        """The comparator v = 0."""
        return self._comparator(0.0, self.rounds, self.rounds)

    def _comparator(self, s: float, hinge: float, squared_hinge: float) -> Comparator:
        hinge, squared_hinge = max(hinge, 0.0), max(squared_hinge, 0.0)
        return Comparator(
            name=self.direction.name,
            norm=s * self.direction.size,
            hinge=hinge,
            squared_hinge=squared_hinge,
            loss=self._loss(s, hinge, squared_hinge),
            least=s * self.least,
            rounds=self.rounds,
            max_norm2=self.max_norm2,
            total_norm2=self.total_norm2,
            bias=s * self.direction.bias,
            own=s * self.direction.own,
            divergence=self.direction.divergence,
            product=s * self.direction.product,
        )

    def _loss(self, s: float, hinge: float, squared_hinge: float) -> float | None:
        if self.loss_name == "hinge":
            return hinge
        if self.loss_name == "squared-hinge":
            return squared_hinge
        if self.loss_name == "square":
            return float(self.rounds - 2 * s * self.all_total + s * s * self.all_squares)
        # Good enough to choose a scale by: every bin at its mean. What is chosen is then read exactly.
        if self.loss_name == "negative-part":
            return float(s * np.maximum(0, -self.bins[:, 1]).sum())
        if self.loss_name == "logistic":
            rounds, total = self.filled
            return float((rounds * np.logaddexp(0, -s * total / rounds)).sum())
        return None

    def ends(self, slack: Slack) -> list[Comparator]:
        """The comparators beside those of its edges that the theorem applies to: v = 0, and the one that separates."""
        return [c for c in (self.zero(), self.separating()) if c is not None and slack.of(c) < inf]

    def glance(self, slack: Slack) -> tuple[float, int]:
        """About how far the bound is above what it bounds, at the best of few scales, and at which edge."""
        return (inf, 0) if slack.never else self._coarse_best(slack, *self._range())

    def _coarse_best(self, slack: Slack, first: int, last: int) -> tuple[float, int]:
        """The least slack at edges that are a glance apart, and where it is: looked for at every other one, then beside
        the best of these."""
        least, best = min((slack(edge), edge) for edge in range(first, last + 1, 2 * GLANCE))
        near = (best - GLANCE, best, best + GLANCE) if least < inf else range(first, last + 1, GLANCE)
        return min((slack(edge), edge) for edge in near if first <= edge <= last)

    def closer(self, slack: Slack, seen: tuple[float, int], wide: int, narrow: int) -> tuple[float, int]:
        """The same at edges that are a narrow step apart, from what was seen at a wide one.

        The bounds are quasi-convex along a ray, so the better side is looked for at half the step, again and again.
        Where no edge met the assumptions, all at the coarse step are looked at.
        """
        first, last = self._range()
        if not seen[0] < inf:
            if slack.never or wide <= COARSE:
                return seen
            seen, wide = min((slack(edge), edge) for edge in range(first, last + 1, COARSE)), COARSE
            if not seen[0] < inf:
                return seen
        while wide > narrow:
            wide //= 2
            edge = seen[1]
            seen = min(seen, *((slack(e), e) for e in (edge - wide, edge + wide) if first <= e <= last))
        return seen

    def _range(self) -> tuple[int, int]:
        """Edges between the smallest and the largest positive margin, and some on either side: the best scale may make
        every round count, or hardly any."""
        # The last bin has no upper edge, and the first one is below them all.
        first, last = np.searchsorted(self.places, [1, _core.RAY_SIDE - 1])
        end = _core.RAY_SIDE - 2
        if first == last:
            return 0, end
        octaves = 6 << _core.RAY_MANTISSA_BITS
        return max(0, int(self.places[first]) - octaves), min(end, int(self.places[last - 1]) + octaves)


class Slack:
    """How far a theorem's bound is above what it bounds, at the edges of a ray: each is asked for several times.

    Parameters
    ----------
    ray : Ray
    theorem, ledger, facts
        As of `Theorem.slack`.

    Attributes
    ----------
    never : bool
        Whether the theorem applies at none of them.
    """

    def __init__(self, ray: Ray, theorem: Theorem, ledger: Ledger, facts: LinearFacts) -> None:
        self._ray, self._theorem, self._ledger, self._facts = ray, theorem, ledger, facts
        self._seen: dict[int, float] = {}
        # What is true of all comparators, or of all edges, or of none of them, is asked once.
        first, known = ray._at(0), {holds: _of_any(holds, ledger, facts) for _, holds in theorem.assumes}
        known |= {holds: bool(holds(ledger, first, facts)) for holds in known if holds in OF_ALL_MULTIPLES}
        self._edgewise = [holds for holds, answer in known.items() if answer is None]
        self.never = any(answer is False for answer in known.values())

    def of(self, comparator: Comparator) -> float:
        """At any comparator."""
        return self._theorem.slack(self._ledger, comparator, self._facts)

    def __call__(self, edge: int) -> float:
        slack = self._seen.get(edge)
        if slack is None:
            slack = self._seen[edge] = self._at(self._ray._at(edge))
        return slack

    def _at(self, comparator: Comparator) -> float:
        ledger, theorem = self._ledger, self._theorem
        for holds in self._edgewise:
            if not holds(ledger, comparator, self._facts):
                return inf
        slack = theorem.value(ledger, comparator, self._facts) - theorem.counts(ledger, comparator)
        return inf if isnan(slack) else slack


def _of_any(holds: Check, ledger: Ledger, facts: LinearFacts) -> bool | None:
    """What an assumption says of every comparator; None where it looks at them."""
    try:
        return bool(holds(ledger, object(), facts))
    except (AttributeError, TypeError):
        return None


def best_on(
    rays: Sequence[Ray], theorem: Theorem, ledger: Ledger, facts: LinearFacts, careful: bool = True
) -> tuple[Comparator, Ray] | None:
    """The comparator, without its vector, that serves a theorem best on any of some rays, and which ray that is; None
    where none meets its assumptions. Without care: nearly the best on the ray that is best at a glance."""
    slacks = [Slack(ray, theorem, ledger, facts) for ray in rays]
    seen = {k: ray.glance(slack) for k, (ray, slack) in enumerate(zip(rays, slacks, strict=True))}
    # At a scale between, a ray may be better than at those by so much, and meet assumptions that it did not.
    likely = _within(FURTHER if careful else 0.0, seen)
    seen = {k: rays[k].closer(slacks[k], seen[k], GLANCE, COARSE) for k in likely}
    each = [(end, rays[k]) for k in likely for end in rays[k].ends(slacks[k])]
    for k in _within(NEARLY, seen) if careful else likely:
        least, edge = rays[k].closer(slacks[k], seen[k], COARSE, 1) if careful else seen[k]
        if least < inf:
            each.append((rays[k]._at(edge), rays[k]))
    best = theorem.certify(ledger, [one for one, _ in each], facts).comparator
    return next(((one, ray) for one, ray in each if one is best), None)


def _within(share: float, seen: dict[int, tuple[float, int]]) -> list[int]:
    """The rays that are worse than the best by such a share at most."""
    least = min((least for least, _ in seen.values()), default=inf)
    most = max(least, least * (1 + share))
    return [k for k, (its, _) in seen.items() if its <= most]


@dataclass(frozen=True, slots=True, eq=False)
class RaySums:
    """Sums along some directions, over rounds that may count for more or less than one.

    Attributes
    ----------
    bins : ndarray, shape (directions, 2 * RAY_SIDE, 3)
        By bin of margins: rounds, sum of margins, sum of their squares.
    least : ndarray, shape (directions,)
        Smallest margin.
    rounds, longest, total : ndarray, shape (directions,)
        How many rounds, and their largest squared length and the sum of these.
    """

    bins: Array
    least: Array
    rounds: Array
    longest: Array
    total: Array

    def scaled(self, weight: float | Array) -> RaySums:
        """The same as if every round were so many, along all directions or along each."""
        bins = np.reshape(weight, (-1, 1, 1)) * self.bins
        return replace(self, bins=bins, rounds=weight * self.rounds, total=weight * self.total)

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
        each = zip(directions, self.bins, zip(*seen, strict=True), strict=True)
        return [_ray(direction, bins, numbers, loss_name) for direction, bins, numbers in each]

    def __reduce__(self) -> tuple[Any, ...]:
        """Without the bins that are empty, which are most."""
        filled = np.flatnonzero(self.bins.any(axis=2))
        counts = self.bins.reshape(-1, self.bins.shape[2])[filled]
        return _unpacked, (self.bins.shape, filled, counts, self.least, self.rounds, self.longest, self.total)


def _unpacked(shape: tuple[int, ...], filled: Array, counts: Array, *rest: Any) -> RaySums:
    bins = np.zeros(shape)
    bins.reshape(-1, shape[2])[filled] = counts
    return RaySums(bins, *rest)


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
    """

    def __init__(
        self, directions: Sequence[Direction], intercept: float, whose: Sequence[int] | None = None, targets: int = 1
    ) -> None:
        self.whose = np.zeros(len(directions), dtype=int) if whose is None else np.array(whose)
        self.tables, self._intercept = len(directions), intercept
        self._stacked = np.zeros((len(directions[0].vector), -(-len(directions) // 4) * 4))  # four are read at once
        for k, direction in enumerate(directions):
            self._stacked[:, k] = direction.vector
        self._biases = np.array([d.bias for d in directions])
        self._labels = labels_of(self.whose, targets)
        self._begin()

    def _begin(self) -> None:
        size = len(self.whose)
        self._bins, self._least = np.zeros((size, 2 * _core.RAY_SIDE, 3)), np.full(size, np.inf)
        self._rounds, self._longest, self._total = np.zeros(size), np.zeros(size), np.zeros(size)

    def fresh(self) -> Sight:
        """One that has taken nothing yet."""
        other = copy(self)
        other._begin()
        return other

    def take(self, times: Array, batch: Batch, codes: Array) -> None:
        """Put the margins of some rounds into their bins."""
        seen = np.zeros(3)
        rows, along = (batch.values, batch.indices, batch.starts), (self._stacked, self._biases, self._labels)
        row, why = _core.sight(*rows, codes, self._intercept, *along, times, self._bins, self._least, seen)
        if why is not None:
            raise RegretlessError(f"row {row} of the rounds to certify against is {why}")
        self._rounds += times * seen[0]
        self._total += times * seen[2]
        self._longest = np.maximum(self._longest, np.where(times > 0, seen[1], 0.0))

    def sums(self) -> RaySums:
        """The bins of all rounds."""
        return RaySums(self._bins, self._least, self._rounds, self._longest, self._total)


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


def _ray(direction: Direction, bins: Array, seen: tuple[float, float, float, float], loss_name: str) -> Ray:
    filled, side = np.flatnonzero(bins[:, 0] > 0), _core.RAY_SIDE
    some = bins[filled]
    positive = int(np.searchsorted(filled, side))
    negative, whole = some[positive:].sum(axis=0), some.sum(axis=0)
    return Ray(
        direction,
        negative,
        filled[:positive],
        np.cumsum(some[:positive], axis=0) + negative,
        float(whole[1]),
        float(whole[2]),
        *seen,
        loss_name,
        bins,
        some[:, :2].T.copy(),
    )


@cache
def scales() -> list[float]:
    """1 over each edge."""
    return [1 / edge for edge in edges().tolist()]


@cache
def edges() -> np.ndarray[Any, np.dtype[np.float64]]:
    """Upper edge of each positive bin but the last: floats whose low mantissa bits are zero."""
    places = np.arange(_core.RAY_SIDE - 1, dtype=np.int64) + ((_core.RAY_LOWEST + 1023) << _core.RAY_MANTISSA_BITS)
    values = (places << (52 - _core.RAY_MANTISSA_BITS)).view(np.float64)
    values.flags.writeable = False  # every ray has the same
    return values
