"""Littlestone dimensions of finite classes: the optimal mistake bounds of deterministic and of randomised learners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

import numpy as np

from .. import _core
from ..checks import whole
from .dimension import Between, Dimension, Progress, SearchLimits, Stop
from .finite_class import FiniteClass, Words, refuse_empty
from .mistake_tree import MistakeTree

LEAST_MEMORY = 2**20
DETERMINISTIC = "Littlestone dimension"
# Words after which a search tries a greedy shattered set, and between looks at the clock then.
GREEDY_AFTER = 1 << 24
RANDOMIZED = "randomised Littlestone dimension"
UNIT = Fraction(1, 2**58)  # unit of expected mistakes in the compiled search
DIGITS = 20  # of a number that is no multiple of it


class VersionSpaceSearch:
    """The common part of the searches for both Littlestone dimensions.

    Parameters
    ----------
    finite_class : FiniteClass
        The class.
    """

    _search: _core.Littlestone | _core.RandomizedLittlestone

    def __init__(self, finite_class: FiniteClass) -> None:
        refuse_empty(finite_class)
        self.finite_class = finite_class

    @property
    def memory_full(self) -> bool:
        """Whether the table was too small for all results."""
        return self._search.full

    @property
    def words(self) -> int:
        """Number of words of bits that were read."""
        return self._search.words


def room_of(memory: int) -> int:
    """Bytes of a search's table."""
    return max(whole("memory", memory), LEAST_MEMORY)


def left_of(finite_class: FiniteClass, alive: Words | None) -> int:
    """Number of hypotheses that are alive."""
    return finite_class.hypotheses if alive is None else int.from_bytes(alive.tobytes(), "little").bit_count()


class LittlestoneSearch(VersionSpaceSearch):
    """Littlestone dimensions of the version spaces of one class, with a table of results.

    Parameters
    ----------
    finite_class : FiniteClass
        The class.
    memory : int, default=2**30
        Bytes of the table of version spaces, at least 2^20 and enough for 32 of them. When it is full, the least useful
        entries are dropped, and computed again if they are needed.

        The search needs more memory: the bits of the class once more, and about as many for the version spaces on its
        path. With more than two hypotheses per point, version spaces are keyed by labels, and each point takes 4 bits
        for every other point.
    """

    _search: _core.Littlestone

    def __init__(self, finite_class: FiniteClass, *, memory: int = 2**30) -> None:
        super().__init__(finite_class)
        self._search = _core.Littlestone(finite_class.columns, finite_class.hypotheses, room_of(memory))

    def bounds(
        self,
        alive: Words | None = None,
        *,
        limit: float | None = None,
        on_progress: Progress | None = None,
        stop: Stop | None = None,
    ) -> tuple[int, int]:
        """Bounds on the dimension of the hypotheses that are alive.

        They are equal unless the search ends early; it also does when memory is exhausted.

        Parameters
        ----------
        alive : ndarray of uint64, optional
            Their bits: all hypotheses that agree with some labels; by default all.
        limit : float, optional
            Time limit in seconds.
        on_progress : callable, optional
            Called at intervals with the number of steps and both bounds.
        stop : callable, optional
            Called at intervals; once it returns true, the search ends.
        """
        limits = SearchLimits(limit=limit, on_progress=on_progress, stop=stop)
        lower, upper, steps = 0, left_of(self.finite_class, alive).bit_length() - 1, 0
        try:
            for slice_ in limits.slices():
                lower, upper, used = self._search.run(alive, slice_)
                steps += used
                if lower == upper or limits.end(steps, lower, upper):
                    break
        except MemoryError:
            pass  # the bounds so far are the answer
        return lower, upper

    def dimension(
        self,
        alive: Words | None = None,
        *,
        limit: float | None = None,
        on_progress: Progress | None = None,
        stop: Stop | None = None,
    ) -> Dimension:
        """The dimension, with a mistake tree as deep as the lower bound.

        Extracting the tree is part of the search. If its proof was dropped from the table and cannot be computed again
        in time, or memory is exhausted, the tree is a simple one, and the lower bound is its depth.
        """
        limits = SearchLimits(limit=limit, on_progress=on_progress, stop=stop)
        return self._dimension(alive, limits, one_level(self.finite_class, alive))

    def labels(self, alive: Words | None, point: int) -> tuple[int, int]:
        """The dimensions of the hypotheses with label 0 and with label 1 at a point; -1 of none."""
        return self._search.labels(alive, point)

    def _dimension(self, alive: Words | None, limits: SearchLimits, tree: MistakeTree) -> Dimension:
        """The dimension, at least the depth of a known tree."""
        lower, upper, steps = tree.depth, left_of(self.finite_class, alive).bit_length() - 1, 0
        choice = None if alive is not None or tree.depth > 1 else self.words + GREEDY_AFTER
        try:
            for slice_ in limits.slices():
                allowed = slice_ if choice is None else min(slice_, choice - self.words)
                lower, upper, used = self._search.run(alive, allowed, tree.depth)
                steps += used
                if lower == upper or limits.end(steps, lower, upper):
                    break
                if choice is not None and self.words >= choice:
                    choice, tree = None, self._greedy(limits, tree)
        except MemoryError:
            pass  # the bounds so far are the answer
        if lower > tree.depth:
            tree = self._tree(alive, lower, limits) or tree
        return Dimension(DETERMINISTIC, tree.depth, upper, tree, limits.seconds, steps)

    def _greedy(self, limits: SearchLimits, tree: MistakeTree) -> MistakeTree:
        """The tree of a greedy shattered set, if it is deeper: fast for large classes."""
        choice = _core.Shatter(self.finite_class.columns, self.finite_class.hypotheses, 0)
        while not choice.dive(GREEDY_AFTER) and not limits.over():
            pass
        return max(tree, MistakeTree.of_shattered(self.finite_class, choice.points), key=_depth)

    def _tree(self, alive: Words | None, depth: int, limits: SearchLimits) -> MistakeTree | None:
        """A tree of this depth; None if it must be computed again and time or memory is exhausted."""
        try:
            for slice_ in limits.slices():
                tree = self._search.tree(alive, depth, slice_)
                if tree is not None:
                    return MistakeTree(*tree)
                if self.memory_full and limits.over():
                    break
        except MemoryError:
            pass
        return None


def _depth(tree: MistakeTree) -> int:
    return tree.depth


def one_level(finite_class: FiniteClass, alive: Words | None = None) -> MistakeTree:
    """The tree of the first point on which hypotheses that are alive differ; of no point if there is none."""
    left = finite_class.all_hypotheses if alive is None else alive
    for point, ones in enumerate(finite_class.columns):
        if (left & ones).any() and (left & ~ones).any():
            return MistakeTree(np.array([point]), np.array([_first(left & ~ones), _first(left & ones)]))
    return MistakeTree(np.array([], dtype=np.int64), np.array([_first(left)]))


def _first(some: Words) -> int:
    """The first of some hypotheses; 0 if there are none."""
    word = int(np.argmax(some != 0))
    lowest = int(some[word])
    return 64 * word + max(0, (lowest & -lowest).bit_length() - 1)


def littlestone_dimension(
    finite_class: FiniteClass,
    *,
    limit: float | None = None,
    on_progress: Progress | None = None,
    stop: Stop | None = None,
    shattered: Sequence[int] | None = None,
) -> Dimension:
    """The Littlestone dimension of a finite class: the optimal mistake bound of deterministic learners.

    It is the depth of the deepest mistake tree: 0 for one hypothesis, else the maximum, over points that split the
    class, of one more than the smaller dimension of the two parts.

    Parameters
    ----------
    finite_class : FiniteClass
        The class.
    limit : float, optional
        Time limit in seconds.
    on_progress : callable, optional
        Called at intervals with the number of steps and both bounds.
    stop : callable, optional
        Called at intervals; once it returns true, the search ends.
    shattered : sequence of int, optional
        Points that the class shatters, as the witness of `vc_dimension`: the search begins with their tree.

    Returns
    -------
    Dimension
        With a `MistakeTree` as deep as its lower bound, also if memory is exhausted. For a class without hypotheses it
        is
        -1 by convention, with the witness None.

    Raises
    ------
    RegretlessError
        If the class does not shatter these points.

    Examples
    --------
    >>> from regretless.finite_classes import FiniteClass, littlestone_dimension
    >>> dimension = littlestone_dimension(FiniteClass.named("thresholds:7"))
    >>> dimension.lower, dimension.upper
    (3, 3)
    """
    if not finite_class.hypotheses:
        return Dimension(DETERMINISTIC, -1, -1, None)
    limits = SearchLimits(limit=limit, on_progress=on_progress, stop=stop)
    tree = one_level(finite_class)
    if shattered is not None:
        tree = max(tree, MistakeTree.of_shattered(finite_class, shattered), key=_depth)
    try:
        search = LittlestoneSearch(finite_class)
    except MemoryError:
        return Dimension(DETERMINISTIC, tree.depth, finite_class.floor_log2, tree, limits.seconds)
    return search._dimension(None, limits, tree)


@dataclass(frozen=True, slots=True)
class RandomizedDimension(Between[Fraction]):
    """A randomised Littlestone dimension, or what it lies between.

    Attributes
    ----------
    name : str
        What it is.
    lower, upper : Fraction
        Equal unless the search was ended before, or the fraction is finer than 2^-58.
    seconds : float
        How long the search took.
    steps : int
        Number of splits of the search.
    finer : bool
        Whether the search is complete and the dimension is no multiple of 2^-58: the bounds are final.
    """

    seconds: float = field(default=0.0, compare=False)
    steps: int = field(default=0, compare=False)
    finer: bool = False

    def __float__(self) -> float:
        return float(self.value)

    def __str__(self) -> str:
        if not self.finer:
            return Between.__str__(self)
        low = _digits(self.lower, ROUND_FLOOR)
        return f"{low} to {_digits(self.upper, ROUND_CEILING)}, finer than 2^-58"


def _digits(number: Fraction, rounding: str) -> Decimal:
    return Context(prec=DIGITS, rounding=rounding).divide(Decimal(number.numerator), Decimal(number.denominator))


class RandomizedSearch(VersionSpaceSearch):
    """Randomised Littlestone dimensions of the version spaces of one class, with a table of results.

    Parameters
    ----------
    finite_class : FiniteClass
        The class.
    memory : int, default=2**30
        As of `LittlestoneSearch`.
    """

    _search: _core.RandomizedLittlestone

    def __init__(self, finite_class: FiniteClass, *, memory: int = 2**30) -> None:
        super().__init__(finite_class)
        self._search = _core.RandomizedLittlestone(finite_class.columns, finite_class.hypotheses, room_of(memory))

    def dimension(
        self,
        alive: Words | None = None,
        *,
        limit: float | None = None,
        words: int | None = None,
        on_progress: Progress | None = None,
        stop: Stop | None = None,
    ) -> RandomizedDimension:
        """The dimension of the hypotheses that are alive; parameters as of `LittlestoneSearch.bounds`, and one more.

        Parameters
        ----------
        words : int, optional
            The most words of bits to read. The search then ends at the same place on every machine, at most a few reads
            of the whole class later.
        """
        limits = SearchLimits(limit=limit, on_progress=on_progress, stop=stop)
        lower, upper = by_number(self.finite_class, alive)
        steps = lookups = 0
        finer = False
        try:
            for slice_ in limits.slices():
                allowed = slice_ if words is None else min(slice_, words - lookups)
                low, high, rounded, used, more = self._search.run(alive, allowed)
                steps, lookups = steps + used, lookups + more
                # Each split on the way down may have added half a unit.
                lower, upper = low * UNIT - rounded * self.finite_class.points * UNIT / 2, high * UNIT
                finer = rounded and low == high
                if low == high or limits.end(steps, lower, upper) or (words is not None and lookups >= words):
                    break
        except MemoryError:
            pass  # the bounds so far are the answer
        return RandomizedDimension(RANDOMIZED, lower, upper, limits.seconds, steps, finer)

    def value(self, alive: Words | None = None) -> Fraction:
        """The dimension by a complete search, rounded up to a multiple of 2^-58.

        Rounded or not, the value of V is at least half of one more than the sum of the values of both sides of any
        split, so that a learner that uses it has at most the value of the class in expected mistakes.

        Raises
        ------
        MemoryError
            If memory is exhausted before the end.
        """
        dimension = self.dimension(alive)
        if not (dimension.exact or dimension.finer):
            raise MemoryError(f"{dimension.name}: memory was exhausted when it was known to be from {dimension}")
        return dimension.upper

    def labels(self, alive: Words | None, point: int) -> tuple[Fraction | None, Fraction | None]:
        """The values of the hypotheses with label 0 and with label 1 at a point; None of none."""
        ones = self.finite_class.columns[point]
        if alive is None:
            alive = self.finite_class.all_hypotheses
        sides = alive & ~ones, alive & ones
        zero, one = (self.value(side) if side.any() else None for side in sides)
        return zero, one


def by_number(finite_class: FiniteClass, alive: Words | None = None) -> tuple[Fraction, Fraction]:
    """Bounds on the randomised dimension by the number of hypotheses alone."""
    size = max(1, left_of(finite_class, alive))
    whole_bits = size.bit_length() - 1
    return Fraction(min(size - 1, 1), 2), (whole_bits - 1 + Fraction(size, 2**whole_bits)) / 2


def randomized_littlestone_dimension(
    finite_class: FiniteClass,
    *,
    limit: float | None = None,
    on_progress: Progress | None = None,
    stop: Stop | None = None,
) -> RandomizedDimension:
    """The randomised Littlestone dimension: the optimal expected mistake bound of learners that draw labels.

    For one hypothesis it is 0, else the maximum, over points that split the class, of half of one more than the sum of
    both parts: half the expected length of a random path in a shattered tree, maximised over trees. It is between
    half the Littlestone dimension and that dimension, and with k = floor(log2 of the number of hypotheses) is at most
    half of k - 1 + hypotheses / 2^k.

    Parameters
    ----------
    finite_class : FiniteClass
        The class.
    limit, on_progress, stop
        As of `littlestone_dimension`; `on_progress` gets fractions. If memory is exhausted, the bounds so far are the
        answer.

    Raises
    ------
    RegretlessError
        If there are no hypotheses.

    References
    ----------
    Y. Filmus, S. Hanneke, I. Mehalel and S. Moran. "Optimal Prediction Using Expert Advice and Randomized Littlestone
    Dimension." Conference on Learning Theory, 2023.

    Examples
    --------
    >>> from regretless.finite_classes import FiniteClass, randomized_littlestone_dimension
    >>> dimension = randomized_littlestone_dimension(FiniteClass.named("thresholds:7"))
    >>> dimension.lower, dimension.upper
    (Fraction(3, 2), Fraction(3, 2))
    """
    limits = SearchLimits(limit=limit)
    try:
        search = RandomizedSearch(finite_class)
    except MemoryError:
        return RandomizedDimension(RANDOMIZED, *by_number(finite_class), limits.seconds)
    return search.dimension(limit=limit, on_progress=on_progress, stop=stop)
