"""The VC dimension of a finite class, with a shattered set."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np

from ... import _core
from ...errors import RegretlessError
from ..finite_class import FiniteClass, Words
from .dimension import Dimension

NAME = "VC dimension"
# Words that are looked at between two looks at `stop`, the clock and Ctrl-C: a few milliseconds, then some tens.
_FIRST_SLICE, _SLICE = 1 << 18, 1 << 21


def vc_dimension(
    finite_class: FiniteClass,
    *,
    limit: float | None = None,
    on_progress: Callable[[int, int, int], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> Dimension:
    """The size of the largest set of points on which the class has every combination of labels.

    A greedy choice gives the first lower bound, floor(log2 of the number of hypotheses) the first upper one. Then sets
    of one point more than the lower bound, and of as many points as the upper one, are searched for by turns until
    the two meet.

    Parameters
    ----------
    finite_class : FiniteClass
        The class.
    limit : float, optional
        Seconds after which what is known by then is the answer.
    on_progress : callable, optional
        Called now and then with the number of sets looked at and both bounds.
    stop : callable, optional
        Asked as often; if it says so, what is known by then is the answer.

    Returns
    -------
    Dimension
        Its witness is a tuple of points, a shattered set of as many as the lower bound.
    """
    search = _Search(finite_class)
    try:
        search.dive()
        for _ in search.slices():
            if on_progress is not None:
                on_progress(search.steps, search.lower, search.upper)
            if (limit is not None and search.seconds >= limit) or (stop is not None and stop()):
                break
    except MemoryError:
        pass  # what is known by then is the answer
    return Dimension(NAME, search.lower, search.upper, tuple(search.witness), search.seconds, search.steps)


def check_shattered(finite_class: FiniteClass, points: Sequence[int]) -> None:
    """Whether the class has every combination of labels on these points.

    Raises
    ------
    RegretlessError
        If it does not: the first combination that no hypothesis has.
    """
    hypotheses, size = finite_class.hypotheses, len(points)
    for point in points:
        if not 0 <= point < finite_class.points:
            raise RegretlessError(f"there is no point {point} among the {finite_class.points} of the class")
    if len(set(points)) < size:
        raise RegretlessError("a point twice in one set never has two labels at a time")
    if hypotheses >> size == 0:
        raise RegretlessError(f"{size} points need 2^{size} hypotheses; there are {hypotheses}")
    labels = np.zeros(hypotheses, dtype=np.uint64)
    for point in points:
        said = finite_class.rows[:, point >> 6] >> np.uint64(point & 63) & np.uint64(1)
        labels = labels << np.uint64(1) | said
    had = np.zeros(1 << size, dtype=bool)
    had[labels] = True
    if not had.all():
        missing = format(int(np.argmin(had)), f"0{size}b")
        raise RegretlessError(f"no hypothesis says {missing} of the points {', '.join(map(str, points))}")


@dataclass
class _Search:
    """Both bounds, and what is still being searched for."""

    finite_class: FiniteClass
    lower: int = 0
    upper: int = 0
    witness: list[int] = field(default_factory=list)
    searches: dict[int, _core.Shatter] = field(default_factory=dict)
    steps_before: int = 0

    def __post_init__(self) -> None:
        self.began = perf_counter()
        self.places = _unlike(self.finite_class)
        self.columns = np.ascontiguousarray(self.finite_class.columns[self.places])
        self.upper = min(self.finite_class.hypotheses.bit_length() - 1, len(self.places))

    @property
    def seconds(self) -> float:
        return perf_counter() - self.began

    @property
    def steps(self) -> int:
        return self.steps_before + sum(search.steps for search in self.searches.values())

    def begin(self, target: int) -> _core.Shatter:
        return _core.Shatter(self.columns, self.finite_class.hypotheses, target)

    def dive(self) -> None:
        search = self.begin(0)
        self.take(search.dive())
        self.steps_before += search.steps

    def take(self, found: list[int]) -> None:
        self.witness = [int(self.places[place]) for place in found]
        self.lower = len(found)

    def slices(self) -> Iterator[None]:
        """Both searches by turns; what one of them finds may end the other.

        That from above has the smaller share: it matters where the other one does not end in time.
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
            self.take(self.searches[target].found)
        else:
            self.upper = target - 1
        for ended in [size for size in self.searches if not self.lower < size <= self.upper]:
            self.steps_before += self.searches.pop(ended).steps


def _unlike(finite_class: FiniteClass) -> np.ndarray[Any, Any]:
    """Points of which the hypotheses say neither the same as of an earlier one nor the opposite, nor all the same."""
    columns: Words = finite_class.columns
    everything = np.full(columns.shape[1], ~np.uint64(0))
    if finite_class.hypotheses % 64:
        everything[-1] = (1 << finite_class.hypotheses % 64) - 1
    # Of a column and its opposite the one without hypothesis 0.
    plain = np.where(columns[:, :1] & np.uint64(1) != 0, columns ^ everything, columns)
    _, first = np.unique(plain, axis=0, return_index=True)
    return np.sort(first[plain[first].any(axis=1)])
