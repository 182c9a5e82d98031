"""The VC dimension of a finite class, with a shattered set."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import _core
from ..errors import RegretlessError
from .dimension import Dimension, Progress, SearchLimits, Stop
from .finite_class import FiniteClass, Words

Points = np.ndarray[Any, np.dtype[np.intp]]

NAME = "VC dimension"
# Words between two checks of `stop`, the clock and Ctrl-C: a few milliseconds, then some tens.
_FIRST_SLICE, _SLICE = 1 << 18, 1 << 21


def vc_dimension(
    finite_class: FiniteClass,
    *,
    limit: float | None = None,
    on_progress: Progress | None = None,
    stop: Stop | None = None,
) -> Dimension:
    """The size of the largest set of points on which the class has every combination of labels.

    A greedy choice gives the first lower bound, floor(log2 of the number of hypotheses) the first upper one. Then
    searches for shattered sets of one point more than the lower bound, and of as many as the upper one, alternate
    until the bounds are equal.

    Parameters
    ----------
    finite_class : FiniteClass
        The class.
    limit : float, optional
        Time limit in seconds.
    on_progress : callable, optional
        Called at intervals with the number of sets so far and both bounds.
    stop : callable, optional
        Called at intervals; once it returns true, the search ends.

    Returns
    -------
    Dimension
        Its witness is a shattered set of as many points as the lower bound, as a tuple. For a class without hypotheses
        it is -1 by convention.

    Examples
    --------
    >>> from regretless.finite_classes import FiniteClass, vc_dimension
    >>> dimension = vc_dimension(FiniteClass.named("thresholds:7"))
    >>> dimension.lower, dimension.upper
    (1, 1)
    """
    if not finite_class.hypotheses:
        return Dimension(NAME, -1, -1, ())
    limits = SearchLimits(limit=limit, on_progress=on_progress, stop=stop)
    search = _Search(finite_class)
    try:
        for _ in search.slices():
            if limits.end(search.steps, search.lower, search.upper):
                break
    except MemoryError:
        pass  # the bounds so far are the answer
    return Dimension(NAME, search.lower, search.upper, tuple(search.witness), limits.seconds, search.steps)


def check_shattered(finite_class: FiniteClass, points: Sequence[int]) -> None:
    """Check that the class has every combination of labels on these points.

    Raises
    ------
    RegretlessError
        If it does not; the message has the first combination that no hypothesis has.
    """
    hypotheses, size = finite_class.hypotheses, len(points)
    for point in points:
        if not 0 <= point < finite_class.points:
            raise RegretlessError(f"there is no point {point} among the {finite_class.points} of the class")
    if len(set(points)) < size:
        raise RegretlessError("a point is in the set twice; different points are expected")
    if hypotheses >> size == 0:
        raise RegretlessError(f"{size} points need 2^{size} hypotheses; there are {hypotheses:,}")
    labels = np.zeros(hypotheses, dtype=np.uint64)
    for point in points:
        bits = finite_class.rows[:, point >> 6] >> np.uint64(point & 63) & np.uint64(1)
        labels = labels << np.uint64(1) | bits
    had = np.zeros(1 << size, dtype=bool)
    had[labels] = True
    if not had.all():
        missing = format(int(np.argmin(had)), f"0{size}b")
        raise RegretlessError(f"no hypothesis has labels {missing} on the points {', '.join(map(str, points))}")


@dataclass
class _Search:
    """Both bounds, and the searches between them."""

    finite_class: FiniteClass
    lower: int = 0
    upper: int = 0
    witness: list[int] = field(default_factory=list)
    searches: dict[int, _core.Shatter] = field(default_factory=dict)
    steps_before: int = 0

    def __post_init__(self) -> None:
        self.upper = min(self.finite_class.floor_log2, self.finite_class.points)
        self.places = np.empty(0, dtype=np.intp)

    @property
    def steps(self) -> int:
        return self.steps_before + sum(search.steps for search in self.searches.values())

    def slices(self) -> Iterator[None]:
        """Redundant points are dropped, then a greedy choice, then the search."""
        yield from self.sift()
        yield from self.dive()
        yield from self.turns()

    def sift(self) -> Iterator[None]:
        """Drop points that are equivalent to an earlier one, or have one label."""
        sieve = unlike(self.finite_class)
        while True:
            try:
                next(sieve)
            except StopIteration as ended:
                self.places = ended.value
                break
            yield
        columns = self.finite_class.columns
        self.columns = columns if len(self.places) == len(columns) else columns[self.places]
        self.upper = min(self.upper, len(self.places))

    def begin(self, target: int) -> _core.Shatter:
        return _core.Shatter(self.columns, self.finite_class.hypotheses, target)

    def dive(self) -> Iterator[None]:
        search, before = self.begin(0), self.steps_before
        while not search.dive(_SLICE):
            self.take(search.points)
            self.steps_before = before + search.steps
            yield
        self.take(search.points)
        self.steps_before = before + search.steps

    def take(self, indices: list[int]) -> None:
        self.witness = [int(self.places[place]) for place in indices]
        self.lower = len(indices)

    def turns(self) -> Iterator[None]:
        """Both searches by turns; the result of one may end the other.

        The one from above has the smaller share: it helps where the other one does not end in time.
        """
        work = _FIRST_SLICE
        while self.lower < self.upper:
            self.look(self.lower + 1, work)
            yield
            if self.lower + 1 < self.upper:
                self.look(self.upper, work // 4)
                yield
            work = min(2 * work, _SLICE)

    def look(self, target: int, work: int) -> None:
        if target not in self.searches:
            self.searches[target] = self.begin(target)
        answer = self.searches[target].run(work)
        if answer is None:
            return
        if answer:
            self.take(self.searches[target].points)
        else:
            self.upper = target - 1
        for ended in [size for size in self.searches if not self.lower < size <= self.upper]:
            self.steps_before += self.searches.pop(ended).steps


def unlike(finite_class: FiniteClass) -> Generator[None, None, Points]:
    """Points whose labels are neither equal nor opposite to those of an earlier point, nor all equal.

    Hashes distinguish them, a few points at a time; points with equal hashes are compared.
    """
    points, step = finite_class.points, max(1, _FIRST_SLICE // len(finite_class.all_hypotheses))
    marks, splits = np.empty(points, dtype=np.uint64), np.empty(points, dtype=bool)
    for begin in range(0, points, step):
        part = slice(begin, begin + step)
        plain = _plain(finite_class, part)
        marks[part], splits[part] = _marks(plain), plain.any(axis=1)
        yield
    _, first, like = np.unique(marks, return_index=True, return_inverse=True)
    twins = np.flatnonzero(first[like] < np.arange(points))
    for begin in range(0, len(twins), step):
        some = twins[begin : begin + step]
        if not np.array_equal(_plain(finite_class, some), _plain(finite_class, first[like[some]])):
            _, first = np.unique(_plain(finite_class, slice(None)), axis=0, return_index=True)
            break
        yield
    return np.sort(first[splits[first]])


def _plain(finite_class: FiniteClass, points: Points | slice) -> Words:
    """Columns of points, complemented where hypothesis 0 has label 1."""
    columns = finite_class.columns[points]
    return np.where(columns[:, :1] & np.uint64(1) != 0, columns ^ finite_class.all_hypotheses, columns)


def _marks(columns: Words) -> Words:
    """A hash of each column."""
    factors = np.random.default_rng(0).integers(1 << 63, size=columns.shape[1], dtype=np.uint64) << np.uint64(1)
    mixed = (columns ^ (columns >> np.uint64(32))) * (factors | np.uint64(1))
    words: Words = (mixed ^ (mixed >> np.uint64(29))).sum(axis=1, dtype=np.uint64)
    return words
