"""The multiples of some directions that serve a theorem best, among those at the edges of their rays' bins.

Edges are under one per cent apart and every bound is flat around its best scale, so nothing worth having is missed
between them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from math import inf

import numpy as np

from ...comparator import Comparator
from ...data.batch import Array
from ...ledger import Ledger
from ...theorem import Check, Theorem
from ...theory.facts import OF_ALL_MULTIPLES, LinearFacts
from .rays import Ray, scales

COARSE = 16  # edges from one scale that is looked at to the next, then all edges beside the best
SPARSE = 8  # of scales a theorem that is read on single numbers is read at one in so many, then beside the best
NEARLY = 0.02  # the share by which a ray may be worse than the best at the coarse step


class Multiples:
    """Comparators at some edges of some rays, whose numbers stand in arrays: formulas read all of them at once.

    Parameters
    ----------
    rays : sequence of Ray
        Over the same rounds.
    edges : sequence of ndarray of int
        Of each ray.

    Attributes
    ----------
    starts : list of int
        Where each ray's begin, and where the last one's end.
    edges : ndarray of int
    norm, hinge, squared_hinge, loss, least, own, divergence, product, margin
        As of `Comparator`.
    """

    def __init__(self, rays: Sequence[Ray], edges: Sequence[Array]) -> None:
        self._rays, each = rays, [len(its) for its in edges]
        self.starts, self.edges = [0, *accumulate(each)], np.concatenate(edges)
        self._scales = s = scales()[self.edges]
        each_ray = zip(rays, edges, strict=True)
        below = [ray.below.take(ray.places.searchsorted(its, "right"), axis=0) for ray, its in each_ray]
        count, total, squares = np.concatenate(below).T
        self.hinge = np.maximum(count - s * total, 0.0)
        self.squared_hinge = np.maximum(count - 2 * s * total + s * s * squares, 0.0)
        along = [(ray.direction, ray.least) for ray in rays]
        numbers = [(d.size, least, d.measured, d.product, d.divergence) for d, least in along]
        size, least, own, product, self.divergence = np.repeat(np.array(numbers).T, each, axis=1)
        with np.errstate(over="ignore"):
            self.norm, self.least, self.own, self.product = s * size, s * least, s * own, s * product
        self.rounds = self.played = rays[0].rounds
        self.max_norm2, self.total_norm2 = rays[0].max_norm2, rays[0].total_norm2

    @property
    def margin(self) -> Array:
        """The smallest margin of each, in units of its length."""
        return np.asarray(self.least / self.norm)

    @cached_property
    def loss(self) -> Array | None:
        """The learner's loss at each."""
        parts = [(ray, self.of(k)) for k, ray in enumerate(self._rays)]
        each = [ray.loss(self._scales[its], self.hinge[its], self.squared_hinge[its]) for ray, its in parts]
        return None if each[0] is None else np.concatenate(each)

    def one(self, k: int) -> Comparator:
        """The comparator in one place."""
        return self._rays[bisect_right(self.starts, k) - 1].at(int(self.edges[k]))

    def of(self, ray: int) -> slice:
        """The places of those of one ray."""
        return slice(self.starts[ray], self.starts[ray + 1])


class Slack:
    """How far a theorem's bound is above what it bounds.

    Parameters
    ----------
    theorem, ledger, facts
        As of `Theorem.slack`.
    known : dict, optional
        What assumptions of other theorems say of every comparator, to which this theorem's are added.
    """

    def __init__(
        self, theorem: Theorem, ledger: Ledger, facts: LinearFacts, known: dict[Check, bool | None] | None = None
    ) -> None:
        self.theorem, self._ledger, self._facts = theorem, ledger, facts
        # What is true of every comparator, or of all multiples of one, or of none of them, is asked once.
        known = {} if known is None else known
        known |= {holds: _of_any(holds, ledger, facts) for _, holds in theorem.assumes if holds not in known}
        asked = [holds for _, holds in theorem.assumes if known[holds] is None]
        self.of_none = any(known[holds] is False for _, holds in theorem.assumes)
        self.of_rays = tuple(holds for holds in asked if holds in OF_ALL_MULTIPLES)
        self._of_edges = [holds for holds in asked if holds not in OF_ALL_MULTIPLES]

    def never(self, first: Comparator) -> bool:
        """Whether the theorem applies to no edge of a ray, by the comparator at its first one."""
        return self.of_none or not all(holds(self._ledger, first, self._facts) for holds in self.of_rays)

    def of(self, comparator: Comparator) -> float:
        """At any comparator; infinite where the theorem does not apply."""
        return self.theorem.slack(self._ledger, comparator, self._facts)

    def at(self, multiples: Multiples, rays: Sequence[int] | None = None) -> Array:
        """At some multiples of rays to which the theorem may apply; perhaps of some of these rays only."""
        try:
            with np.errstate(all="ignore"):
                return self._of_all(multiples)
        except (ArithmeticError, TypeError, ValueError):  # of a formula that reads single numbers, and may overflow
            return self._of_some(multiples, range(len(multiples.starts) - 1) if rays is None else rays)

    def _of_all(self, multiples: Multiples) -> Array:
        applies = np.ones(len(multiples.edges), dtype=bool)
        for holds in self._of_edges:
            applies &= holds(self._ledger, multiples, self._facts)
        slack = self.theorem.bound(self._ledger, multiples, self._facts) - self.theorem.counts(self._ledger, multiples)
        return np.where(applies & np.isfinite(slack), slack, inf)

    def _of_some(self, multiples: Multiples, rays: Sequence[int]) -> Array:
        # Each ray has a best edge of its own: near that of another one it was looked at in few places only.
        slack = np.full(len(multiples.edges), inf)
        for first, end in (multiples.starts[ray : ray + 2] for ray in rays):
            for k in range(first, end, SPARSE):
                slack[k] = self.of(multiples.one(k))
            best = first + int(slack[first:end].argmin())
            for k in range(max(first, best - SPARSE + 1), min(end, best + SPARSE)):
                slack[k] = self.of(multiples.one(k))
        return slack


def _of_any(holds: Check, ledger: Ledger, facts: LinearFacts) -> bool | None:
    """What an assumption says of every comparator; None where it looks at them."""
    try:
        return bool(holds(ledger, object(), facts))
    except (AttributeError, TypeError):
        return None


Best = tuple[Comparator, Ray]
Likely = tuple[float, int, int]  # how far a bound is above what it bounds, at which ray's which edge


class Ends:
    """Comparators of a ray that all theorems try: at its first edge, v = 0, and the shortest that separates.

    Parameters
    ----------
    ray : Ray
    """

    def __init__(self, ray: Ray) -> None:
        self.ray = ray

    @cached_property
    def first(self) -> Comparator:
        """At its first edge."""
        return self.ray.at(0)

    @cached_property
    def zero(self) -> Comparator:
        """v = 0."""
        return self.ray.zero()

    @cached_property
    def separating(self) -> Comparator | None:
        """The shortest that separates the rounds, if any does."""
        return self.ray.separating()


def best_on(
    rays: Sequence[Ray], theorems: Sequence[Theorem], ledger: Ledger, facts: LinearFacts, careful: bool = True
) -> list[Best | None]:
    """The comparators, without their vectors, that serve some theorems best on any of some rays, and which rays these
    are; None for a theorem whose assumptions none meets. Without care: nearly the best on the best ray."""
    if not rays:
        return [None] * len(theorems)
    coarse = Multiples(rays, [np.arange(first, last + 1, COARSE) for first, last in map(Ray.range, rays)])
    ends, known = [Ends(ray) for ray in rays], dict[Check, bool | None]()
    slacks = [Slack(theorem, ledger, facts, known) for theorem in theorems]
    able: dict[tuple[Check, ...], list[int]] = {}  # many theorems assume the same
    for slack in slacks:
        if not slack.of_none and slack.of_rays not in able:
            able[slack.of_rays] = [k for k, its in enumerate(ends) if not slack.never(its.first)]
    likely = [[] if s.of_none else _likely(able[s.of_rays], coarse, s, careful) for s in slacks]
    if careful:
        likely = _closer(rays, slacks, likely)
    return [_best(ends, slack, its) for slack, its in zip(slacks, likely, strict=True)]


def _likely(able: list[int], coarse: Multiples, slack: Slack, careful: bool) -> list[Likely]:
    """Of the rays to which the theorem may apply and that come near the best one, which is the first, the best edges
    that were looked at."""
    if not able:
        return []
    slacks = slack.at(coarse)
    least = np.minimum.reduceat(slacks, coarse.starts[:-1]).tolist()
    best = min(least[k] for k in able)
    most = max(best, best * (1 + NEARLY)) if careful else best
    near = sorted((least[k], k) for k in able if least[k] <= most and least[k] < inf)
    return [(few, k, int(coarse.edges[coarse.starts[k] + slacks[coarse.of(k)].argmin()])) for few, k in near]


def _closer(rays: Sequence[Ray], slacks: Sequence[Slack], likely: Sequence[list[Likely]]) -> list[list[Likely]]:
    """For each theorem the best of all edges of its rays beside those that were looked at, read from one table."""
    beside = {(k, edge): place for place, (k, edge) in enumerate({its[1:]: None for some in likely for its in some})}
    if not beside:
        return list(likely)
    end = len(scales()) - 1
    edges = [np.arange(max(0, e - COARSE + 1), min(end, e + COARSE - 1) + 1) for _, e in beside]
    fine = Multiples([rays[k] for k, _ in beside], edges)
    closer = []
    for slack, some in zip(slacks, likely, strict=True):
        its = [beside[one[1:]] for one in some]
        all_slacks = slack.at(fine, its) if its else np.zeros(0)
        places = [fine.starts[j] + int(all_slacks[fine.of(j)].argmin()) for j in its]
        closer.append(
            [(float(all_slacks[p]), k, int(fine.edges[p])) for p, (_, k, _) in zip(places, some, strict=True)]
        )
    return closer


def _best(ends: Sequence[Ends], slack: Slack, likely: Sequence[Likely]) -> Best | None:
    """The best of some edges, v = 0 and what separates the rounds."""
    if slack.of_none:
        return None
    tried = [(ends[k].zero, ends[k].ray) for k in ([k for _, k, _ in likely[:1]] or range(len(ends)))]
    tried += [(its.separating, its.ray) for its in ends if its.separating is not None]
    each = [slack.of(one) for one, _ in tried]
    least = min(each)
    if likely:
        nearest, k, edge = min(likely, key=lambda one: one[0])
        if nearest < least:
            return ends[k].ray.at(edge), ends[k].ray
    return tried[each.index(least)] if least < inf else None
