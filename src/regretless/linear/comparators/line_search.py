"""The multiples of some directions that serve a theorem best, among those at the edges of their rays' bins.

Edges are under one per cent apart and every bound is flat around its best scale, so nothing worth having is missed
between them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from math import inf
from operator import itemgetter
from typing import Any

import numpy as np

from ... import _core
from ...comparator import Comparator
from ...data.batch import Array
from ...ledger import Ledger
from ...theorem import Check, Theorem
from ...theory.facts import SHORTEST2, LinearFacts
from .rays import Ray, scales

COARSE = 16  # edges from one scale that is looked at to the next, then all edges beside the best
SPARSE = 8  # of scales a theorem that is read on single numbers is read at one in so many, then beside the best
NEARLY = 0.02  # the share by which a ray may be worse than the best at the coarse step

Span = tuple[int, int, int]  # which ray, the first and the last edge
End = tuple[int, float]  # which ray, and the scale: 0, or that at which its smallest margin is 1


class Multiples:
    """Comparators on some rays, whose numbers stand in arrays: formulas read all of them at once.

    Parameters
    ----------
    rays : sequence of Ray
        Over the same rounds.
    spans : sequence of tuple of int
        Ray, first edge and last edge.
    step : int, default=1
        From one edge to the next.
    ends : sequence of (int, float), optional
        Ray and scale of more, which are at no edge: v = 0, or the shortest that separates the rounds.

    Attributes
    ----------
    rays : sequence of Ray
    starts : list of int
        Where those of each span begin, then each end, and where the last one ends.
    norm, hinge, squared_hinge, loss, least, own, divergence, product, margin
        As of `Comparator`.
    """

    def __init__(self, rays: Sequence[Ray], spans: Sequence[Span], step: int = 1, ends: Sequence[End] = ()) -> None:
        self.rays, self._which = rays, [*(k for k, _, _ in spans), *(k for k, _ in ends)]
        self.starts, self._edges, table = _core.multiples([ray.summed for ray in rays], spans, step, ends)
        self._scales, self.hinge, self.squared_hinge, self.norm, self.least, self.own, self.product = table[:-1]
        self.divergence = table[-1]
        self.rounds = self.played = rays[0].rounds
        self.max_norm2, self.total_norm2 = rays[0].max_norm2, rays[0].total_norm2
        self._met: dict[Check, Any] = {}

    def __len__(self) -> int:
        return self.starts[-1]

    @property
    def margin(self) -> Array:
        """The smallest margin of each, in units of its length."""
        return np.asarray(self.least / self.norm)

    @cached_property
    def loss(self) -> Array | None:
        """The learner's loss at each."""
        spans = [slice(*its) for its in zip(self.starts, self.starts[1:], strict=False)]
        each = [
            self.rays[k].loss(self._scales[its], self.hinge[its], self.squared_hinge[its])
            for k, its in zip(self._which, spans, strict=True)
        ]
        return None if each[0] is None else np.concatenate(each)

    def meet(self, holds: Check, ledger: Ledger, facts: LinearFacts) -> Any:
        """Which of them meet an assumption that several theorems may have: one answer for all, or an array."""
        if holds not in self._met:
            self._met[holds] = holds(ledger, self, facts)
        return self._met[holds]

    def ray(self, k: int) -> Ray:
        """The ray of the one in a place."""
        return self.rays[self._which[bisect_right(self.starts, k) - 1]]

    def edge(self, k: int) -> int:
        """The edge that it is at."""
        return int(self._edges[k])

    def one(self, k: int) -> Comparator:
        """The comparator in a place."""
        ray, edge = self.ray(k), self.edge(k)
        if edge >= 0:
            return ray.at(edge)
        return (ray.separating() if self._scales[k] else None) or ray.zero()


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
        # What is true of every comparator, or of none of them, is asked once.
        known = {} if known is None else known
        known |= {holds: _of_any(holds, ledger, facts) for _, holds in theorem.assumes if holds not in known}
        self.of_none = any(known[holds] is False for _, holds in theorem.assumes)
        self._asked = [holds for _, holds in theorem.assumes if known[holds] is None]

    def at(self, multiples: Multiples) -> Array:
        """At some multiples: infinite where the theorem does not apply, and no number where it has none."""
        if self.of_none:
            return np.full(len(multiples), inf)
        try:
            return self._of_all(multiples)
        except (ArithmeticError, TypeError, ValueError):  # of a formula that reads single numbers, and may overflow
            return self._of_some(multiples)

    def _of_all(self, multiples: Multiples) -> Array:
        applies: Any = True
        for holds in self._asked:
            applies = applies & multiples.meet(holds, self._ledger, self._facts)
            if not np.any(applies):
                return np.full(len(multiples), inf)
        bound: Any = self.theorem.bound(self._ledger, multiples, self._facts)
        slack = bound - self.theorem.counts(self._ledger, multiples)
        if np.ndim(applies) or not np.ndim(slack):
            slack = np.where(applies, slack, np.full(len(multiples), inf))
        return np.asarray(slack)

    def _of_some(self, multiples: Multiples) -> Array:
        # Each span has a best place of its own: near that of another one it was looked at in few places only.
        slack = np.full(len(multiples), inf)

        def look(places: Iterable[int]) -> None:
            for k in (k for k in places if slack[k] == inf):
                slack[k] = self.theorem.slack(self._ledger, multiples.one(k), self._facts)

        for first, end in zip(multiples.starts, multiples.starts[1:], strict=False):
            look(range(first, end, SPARSE))
            best = first + int(slack[first:end].argmin())
            if slack[best] < inf:
                look(range(max(first, best - SPARSE + 1), min(end, best + SPARSE)))
        return slack


def _of_any(holds: Check, ledger: Ledger, facts: LinearFacts) -> bool | None:
    """What an assumption says of every comparator; None where it looks at them."""
    try:
        return bool(holds(ledger, object(), facts))
    except (AttributeError, TypeError):
        return None


Best = tuple[Comparator, Ray]
Least = tuple[float, int]  # how far a bound is above what it bounds at the best multiple of a span, and its place
Tried = tuple[float, Multiples, int]  # the same, and among which multiples that place is


def best_on(
    rays: Sequence[Ray], theorems: Sequence[Theorem], ledger: Ledger, facts: LinearFacts, careful: bool = True
) -> list[Best | None]:
    """The comparators, without their vectors, that serve some theorems best on any of some rays, and which rays these
    are; None for a theorem whose assumptions none meets. Without care: nearly the best on the best ray."""
    if not rays:
        return [None] * len(theorems)
    known = dict[Check, bool | None]()
    slacks = [Slack(theorem, ledger, facts, known) for theorem in theorems]
    separating = [(k, 1 / ray.least) for k, ray in enumerate(rays) if ray.least > SHORTEST2]
    coarse = Multiples(rays, [(k, *ray.range()) for k, ray in enumerate(rays)], COARSE, [(0, 0.0), *separating])
    least = least_of(slacks, coarse)
    along = [its[: len(rays)] for its in least]
    closer = _closer(slacks, coarse, along) if careful else [_tried(coarse, its) for its in along]
    ends = [_tried(coarse, its[len(rays) :]) for its in least]
    best = [min(first + more, key=itemgetter(0)) for first, more in zip(ends, closer, strict=True)]
    chosen = dict.fromkeys((multiples, place) for few, multiples, place in best if few < inf)
    made = {its: (its[0].one(its[1]), its[0].ray(its[1])) for its in chosen}
    return [made[multiples, place] if few < inf else None for few, multiples, place in best]


def least_of(slacks: Sequence[Slack], multiples: Multiples) -> list[list[Least]]:
    """Of each theorem the best multiple of each span; infinite where it applies to none."""
    with np.errstate(all="ignore"):
        return _core.least_by_span([slack.at(multiples) for slack in slacks], multiples.starts)


def _tried(multiples: Multiples, least: Sequence[Least]) -> list[Tried]:
    return [(few, multiples, place) for few, place in least]


def _closer(slacks: Sequence[Slack], coarse: Multiples, along: Sequence[Sequence[Least]]) -> list[list[Tried]]:
    """For each theorem the best of all edges of its rays beside those that were looked at, read from one table."""
    near = [_near(coarse, least) for least in along]
    spans = {span: place for place, span in enumerate(dict.fromkeys(span for its in near for span in its))}
    if not spans:
        return [[] for _ in slacks]
    fine = Multiples(coarse.rays, list(spans))
    each = zip(least_of(slacks, fine), near, strict=True)
    return [_tried(fine, [least[spans[span]] for span in its]) for least, its in each]


def _near(coarse: Multiples, least: Sequence[Least]) -> list[Span]:
    """Of the rays that come near the best one, which is the first, the edges beside the best that was looked at."""
    best, _ = min(least)
    most = max(best, best * (1 + NEARLY))
    near = sorted((few, k, coarse.edge(place)) for k, (few, place) in enumerate(least) if few <= most and few < inf)
    end = len(scales()) - 1
    return [(k, max(0, edge - COARSE + 1), min(end, edge + COARSE - 1)) for _, k, edge in near]
