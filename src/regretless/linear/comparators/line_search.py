"""The multiples of some directions that serve a theorem best, among those at the edges of their rays' bins.

Edges are under one per cent apart and every bound is flat around its best scale, so nothing worth having is missed
between them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from math import inf
from typing import NamedTuple

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
        below = [ray.below[ray.places.searchsorted(its, "right")] for ray, its in zip(rays, edges, strict=True)]
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
    """

    def __init__(self, theorem: Theorem, ledger: Ledger, facts: LinearFacts) -> None:
        self.theorem, self._ledger, self._facts = theorem, ledger, facts
        # What is true of every comparator, or of all multiples of one, or of none of them, is asked once.
        known = {holds: _of_any(holds, ledger, facts) for _, holds in theorem.assumes}
        self._never = any(answer is False for answer in known.values())
        asked = [holds for holds, answer in known.items() if answer is None]
        self._of_rays = [holds for holds in asked if holds in OF_ALL_MULTIPLES]
        self._of_edges = [holds for holds in asked if holds not in OF_ALL_MULTIPLES]

    def never(self, first: Comparator) -> bool:
        """Whether the theorem applies to no edge of a ray, by the comparator at its first one."""
        return self._never or not all(holds(self._ledger, first, self._facts) for holds in self._of_rays)

    def of(self, comparator: Comparator) -> float:
        """At any comparator; infinite where the theorem does not apply."""
        return self.theorem.slack(self._ledger, comparator, self._facts)

    def at(self, multiples: Multiples) -> Array:
        """At some multiples of rays to which the theorem may apply."""
        try:
            with np.errstate(all="ignore"):
                return self._of_all(multiples)
        except (ArithmeticError, TypeError, ValueError):  # of a formula that reads single numbers, and may overflow
            return self._of_some(multiples)

    def _of_all(self, multiples: Multiples) -> Array:
        applies = np.ones(len(multiples.edges), dtype=bool)
        for holds in self._of_edges:
            applies &= holds(self._ledger, multiples, self._facts)
        slack = self.theorem.bound(self._ledger, multiples, self._facts) - self.theorem.counts(self._ledger, multiples)
        return np.where(applies & np.isfinite(slack), slack, inf)

    def _of_some(self, multiples: Multiples) -> Array:
        # Each ray has a best edge of its own: near that of another one it was looked at in few places only.
        slack = np.full(len(multiples.edges), inf)
        for first, end in pairwise(multiples.starts):
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


class Ends(NamedTuple):
    """Comparators of a ray that all theorems try: at its first edge, v = 0, and the shortest that separates."""

    first: Comparator
    zero: Comparator
    separating: Comparator | None


def best_on(
    rays: Sequence[Ray], theorems: Sequence[Theorem], ledger: Ledger, facts: LinearFacts, careful: bool = True
) -> list[Best | None]:
    """The comparators, without their vectors, that serve some theorems best on any of some rays, and which rays these
    are; None for a theorem whose assumptions none meets. Without care: nearly the best on the best ray."""
    if not rays:
        return [None] * len(theorems)
    coarse = Multiples(rays, [np.arange(first, last + 1, COARSE) for first, last in map(Ray.range, rays)])
    ends = [Ends(ray.at(0), ray.zero(), ray.separating()) for ray in rays]
    return [_best(rays, ends, coarse, Slack(theorem, ledger, facts), careful) for theorem in theorems]


def _best(rays: Sequence[Ray], ends: Sequence[Ends], coarse: Multiples, slack: Slack, careful: bool) -> Best | None:
    never = [slack.never(its.first) for its in ends]
    likely: list[tuple[float, int, int]] = []
    if not all(never):
        slacks = slack.at(coarse)
        seen = [(k, coarse.starts[k] + int(slacks[coarse.of(k)].argmin())) for k in range(len(rays)) if not never[k]]
        likely = sorted((float(slacks[place]), k, int(coarse.edges[place])) for k, place in seen)
        most = max(likely[0][0], likely[0][0] * (1 + NEARLY)) if careful else likely[0][0]
        likely = [one for one in likely if one[0] <= most and one[0] < inf]
    if careful and likely:
        likely = _closer(rays, slack, likely)
    tried = [(ends[k].zero, rays[k]) for k in ([k for _, k, _ in likely[:1]] or range(len(rays)))]
    tried += [(its.separating, ray) for its, ray in zip(ends, rays, strict=True) if its.separating is not None]
    each = [(slack.of(one), one, ray) for one, ray in tried]
    each += [(least, rays[k].at(edge), rays[k]) for least, k, edge in likely]
    least, one, ray = min(each, key=lambda it: it[0])
    return (one, ray) if least < inf else None


def _closer(rays: Sequence[Ray], slack: Slack, likely: list[tuple[float, int, int]]) -> list[tuple[float, int, int]]:
    """The best of all edges of these rays beside those that were looked at."""
    its, end = [rays[k] for _, k, _ in likely], len(scales()) - 1
    fine = Multiples(its, [np.arange(max(0, e - COARSE + 1), min(end, e + COARSE - 1) + 1) for _, _, e in likely])
    slacks = slack.at(fine)
    places = [fine.starts[j] + int(slacks[fine.of(j)].argmin()) for j in range(len(its))]
    return [(float(slacks[p]), k, int(fine.edges[p])) for p, (_, k, _) in zip(places, likely, strict=True)]
