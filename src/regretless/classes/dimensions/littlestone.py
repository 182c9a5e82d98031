"""Littlestone dimensions of finite classes: how many mistakes the best learner cannot avoid, with and without luck."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from time import perf_counter
from typing import Any

from ... import _core
from ...checks import whole
from ...errors import RegretlessError
from ..finite_class import FiniteClass, Words
from ..mistake_tree import MistakeTree
from .dimension import Dimension

Progress = Callable[[int, Any, Any], None]
Stop = Callable[[], bool]

# Steps before the first look at the clock, and seconds between later ones: a step takes from a hundred nanoseconds to a
# hundredth of a second, as the class is large.
FIRST_SLICE = 16
BETWEEN_LOOKS = 0.02

# What the compiled search counts mistakes in expectation by.
UNIT = Fraction(1, 2**58)


class LittlestoneSearch:
    """Littlestone dimensions of the version spaces of one class, and what was found on the way to them.

    Parameters
    ----------
    finite_class : FiniteClass
        The class.
    memory : int, default=2**30
        How many bytes may be taken to remember what is known of version spaces, 2^20 at least. When they are used up,
        what helps least is forgotten, and searched for again if it is needed.
    """

    def __init__(self, finite_class: FiniteClass, *, memory: int = 2**30) -> None:
        self.finite_class = finite_class
        room = max(whole("memory", memory), 2**20)
        self._search = _core.Littlestone(finite_class.columns, finite_class.hypotheses, room)

    @property
    def forgot(self) -> bool:
        """Whether the memory was not enough to remember all."""
        return self._search.full

    @property
    def known(self) -> int:
        """How many version spaces it remembers something of."""
        return self._search.known

    def bounds(
        self,
        alive: Words | None = None,
        *,
        limit: float | None = None,
        on_progress: Progress | None = None,
        stop: Stop | None = None,
    ) -> tuple[int, int]:
        """What the dimension of the hypotheses that are alive is no less and no more than; equal once it is known.

        Parameters
        ----------
        alive : ndarray of uint64, optional
            Their bits: all hypotheses that agree with some labels. All by default.
        limit : float, optional
            Seconds after which the search ends with what it knows.
        on_progress : callable, optional
            Called now and then with the number of steps and what the dimension is no less and no more than.
        stop : callable, optional
            Called now and then; once it returns true, the search ends with what it knows.
        """
        lower, upper, _ = self._narrowed(alive, Watch(limit, on_progress, stop))
        return lower, upper

    def dimension(
        self,
        alive: Words | None = None,
        *,
        limit: float | None = None,
        on_progress: Progress | None = None,
        stop: Stop | None = None,
    ) -> Dimension:
        """The same with a mistake tree as deep as what the dimension is no less than."""
        watch = Watch(limit, on_progress, stop)
        lower, upper, steps = self._narrowed(alive, watch)
        tree = MistakeTree(*self._search.tree(alive, lower))
        return Dimension("Littlestone dimension", lower, upper, tree, watch.seconds, steps)

    def labels(self, alive: Words | None, point: int) -> tuple[int, int]:
        """The dimensions of what the labels 0 and 1 of a point leave; -1 of no hypothesis."""
        return self._search.labels(alive, point)

    def _narrowed(self, alive: Words | None, watch: Watch) -> tuple[int, int, int]:
        steps = 0
        for slice_ in watch.slices():
            lower, upper, used = self._search.run(alive, slice_)
            steps += used
            if watch.ended(steps, lower, upper):
                break
        return lower, upper, steps


@dataclass(frozen=True, slots=True)
class RandomizedDimension:
    """A randomised Littlestone dimension, or what it lies between.

    Attributes
    ----------
    lower, upper : Fraction
        Equal unless the search was ended before, or the fraction is finer than 2^-58.
    seconds : float
        How long the search took.
    steps : int
        How many splits it looked at.
    """

    lower: Fraction
    upper: Fraction
    seconds: float = 0.0
    steps: int = 0
    name: str = "randomised Littlestone dimension"

    @property
    def exact(self) -> bool:
        """Whether it is known."""
        return self.lower == self.upper

    @property
    def value(self) -> Fraction:
        """The dimension.

        Raises
        ------
        RegretlessError
            If it is not known.
        """
        if not self.exact:
            raise RegretlessError(
                f"{self.name}: known is only that it lies from {float(self.lower)!r} to {float(self.upper)!r}"
            )
        return self.lower

    def __float__(self) -> float:
        return float(self.value)

    def __str__(self) -> str:
        return str(self.lower) if self.exact else f"{float(self.lower)!r} to {float(self.upper)!r}"


class RandomizedSearch:
    """Randomised Littlestone dimensions of the version spaces of one class, and what was found on the way to them.

    Parameters
    ----------
    finite_class : FiniteClass
        The class.
    memory : int, default=2**30
        As of `LittlestoneSearch`.
    """

    def __init__(self, finite_class: FiniteClass, *, memory: int = 2**30) -> None:
        self.finite_class = finite_class
        room = max(whole("memory", memory), 2**20)
        self._search = _core.RandomizedLittlestone(finite_class.columns, finite_class.hypotheses, room)

    @property
    def forgot(self) -> bool:
        """Whether the memory was not enough to remember all."""
        return self._search.full

    @property
    def known(self) -> int:
        """How many version spaces it remembers something of."""
        return self._search.known

    def dimension(
        self,
        alive: Words | None = None,
        *,
        limit: float | None = None,
        on_progress: Progress | None = None,
        stop: Stop | None = None,
    ) -> RandomizedDimension:
        """The dimension of the hypotheses that are alive; parameters as of `LittlestoneSearch.bounds`."""
        watch = Watch(limit, on_progress, stop)
        steps = 0
        for slice_ in watch.slices():
            low, high, rounded, used = self._search.run(alive, slice_)
            steps += used
            lower, upper = low * UNIT, high * UNIT
            if watch.ended(steps, lower, upper):
                break
        if rounded:
            # Each split on the way down may have added half a unit.
            lower -= self.finite_class.points * UNIT / 2
        return RandomizedDimension(lower, upper, watch.seconds, steps)

    def value(self, alive: Words | None = None) -> Fraction:
        """What the dimension is, searched for to the end; rounded up if it is finer than 2^-58.

        Rounded or not, what it gives V is no less than half of one more than what it gives both sides of any split, so
        that a learner that goes by it errs no more in expectation than what it gives the class.
        """
        return self.dimension(alive).upper

    def labels(self, alive: Words | None, point: int) -> tuple[Fraction | None, Fraction | None]:
        """The values of what the labels 0 and 1 of a point leave; None of no hypothesis."""
        ones = self.finite_class.columns[point]
        if alive is None:
            alive = self.finite_class.columns[0] | ~self.finite_class.columns[0]
            spare = -self.finite_class.hypotheses % 64
            alive[-1] >>= alive.dtype.type(spare)
        sides = alive & ~ones, alive & ones
        zero, one = (self.value(side) if side.any() else None for side in sides)
        return zero, one


class Watch:
    """When a search looks at the clock and is ended."""

    def __init__(self, limit: float | None, on_progress: Progress | None, stop: Stop | None) -> None:
        if limit is not None and not limit >= 0:
            raise RegretlessError(f"limit={limit!r}; it must be a number of seconds >= 0")
        self._began = perf_counter()
        self._limit, self._on_progress, self._stop = limit, on_progress, stop

    @property
    def seconds(self) -> float:
        """Since it began."""
        return perf_counter() - self._began

    def slices(self) -> Iterator[int]:
        """How many steps to take before the next look."""
        slice_ = FIRST_SLICE
        while True:
            began = self.seconds
            yield slice_
            if self.seconds - began < BETWEEN_LOOKS:
                slice_ *= 2
            elif slice_ > 1:
                slice_ //= 2

    def ended(self, steps: int, lower: Any, upper: Any) -> bool:
        """Whether the search is at its end, or has to end."""
        if lower == upper:
            return True
        if self._on_progress is not None:
            self._on_progress(steps, lower, upper)
        return (self._stop is not None and self._stop()) or (self._limit is not None and self.seconds >= self._limit)


def littlestone_dimension(
    finite_class: FiniteClass,
    *,
    limit: float | None = None,
    on_progress: Progress | None = None,
    stop: Stop | None = None,
) -> Dimension:
    """The Littlestone dimension of a finite class: how many mistakes its best deterministic learner cannot avoid.

    It is the depth of the deepest mistake tree: 0 of one hypothesis, else the most, over points that split the class,
    of one more than the smaller of what the two labels leave.

    Parameters
    ----------
    finite_class : FiniteClass
        The class.
    limit : float, optional
        Seconds after which the search ends with what it knows.
    on_progress : callable, optional
        Called now and then with the number of steps and what the dimension is no less and no more than.
    stop : callable, optional
        Called now and then; once it returns true, the search ends with what it knows.

    Returns
    -------
    Dimension
        With a `MistakeTree` as deep as its lower end.
    """
    return LittlestoneSearch(finite_class).dimension(limit=limit, on_progress=on_progress, stop=stop)


def randomized_littlestone_dimension(
    finite_class: FiniteClass,
    *,
    limit: float | None = None,
    on_progress: Progress | None = None,
    stop: Stop | None = None,
) -> RandomizedDimension:
    """The randomised Littlestone dimension: how many mistakes in expectation no learner that draws labels can avoid.

    Of one hypothesis it is 0, else the most, over points that split the class, of half of one more than what both
    labels leave: half the length of a random path down the longest shattered tree [1]_. It lies from half the
    Littlestone dimension to that, and with k = floor(log2 of the number of hypotheses) is at most half of
    k - 1 + hypotheses / 2^k.

    Parameters
    ----------
    finite_class : FiniteClass
        The class.
    limit, on_progress, stop
        As of `littlestone_dimension`; on_progress is given fractions.

    References
    ----------
    .. [1] Y. Filmus, S. Hanneke, I. Mehalel and S. Moran. "Optimal Prediction Using Expert Advice and Randomized
       Littlestone Dimension." Conference on Learning Theory, 2023.
    """
    return RandomizedSearch(finite_class).dimension(limit=limit, on_progress=on_progress, stop=stop)
