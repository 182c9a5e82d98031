"""Littlestone dimensions of finite classes: how many mistakes the best learner cannot avoid, with and without luck."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

import numpy as np

from ... import _core
from ...checks import whole
from ..finite_class import FiniteClass, Words
from ..mistake_tree import MistakeTree
from .dimension import Between, Dimension
from .watch import Progress, Stop, Watch

NAME = "Littlestone dimension"
RANDOMIZED = "randomised Littlestone dimension"

# What the compiled search counts mistakes in expectation by.
UNIT = Fraction(1, 2**58)
# Words after which a search that is not done yet looks for a shattered set, and between looks at the clock then.
GREEDY_AFTER = 1 << 24
DIGITS = 20  # of a number that is finer than that


class LittlestoneSearch:
    """Littlestone dimensions of the version spaces of one class, and what was found on the way to them.

    Parameters
    ----------
    finite_class : FiniteClass
        The class.
    memory : int, default=2**30
        How many bytes may be taken to remember what is known of version spaces, 2^20 at least, and in any case enough
        for 32 of them. When they are used up, what helps least is forgotten, and searched for again if it is needed.

        What the search works on comes on top: the class's bits once more, and those of the version spaces on its way
        down, which are about as many again. Where there are more than two hypotheses for every point, version spaces
        are named by labels, and each point has 4 bits for every point beside its own.
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

    @property
    def words(self) -> int:
        """How many words of bits it has looked at."""
        return self._search.words

    def bounds(
        self,
        alive: Words | None = None,
        *,
        limit: float | None = None,
        on_progress: Progress | None = None,
        stop: Stop | None = None,
    ) -> tuple[int, int]:
        """What the dimension of the hypotheses that are alive is no less and no more than; equal once it is known.

        A search that memory runs out of ends with what it knows.

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
        watch = Watch(limit=limit, on_progress=on_progress, stop=stop)
        lower, upper, steps = 0, _left(self.finite_class, alive).bit_length() - 1, 0
        try:
            for slice_ in watch.slices():
                lower, upper, used = self._search.run(alive, slice_)
                steps += used
                if lower == upper or watch.end(steps, lower, upper):
                    break
        except MemoryError:
            pass  # what is known by then is the answer
        return lower, upper

    def dimension(
        self,
        alive: Words | None = None,
        *,
        limit: float | None = None,
        on_progress: Progress | None = None,
        stop: Stop | None = None,
    ) -> Dimension:
        """The same with a mistake tree as deep as what the dimension is no less than.

        Taking the tree out is part of the search. Where what proves it was forgotten and cannot be found again in time,
        or there is no memory for it, the tree is one that is known without a search, and the dimension is only said to
        be no less than its depth.
        """
        watch = Watch(limit=limit, on_progress=on_progress, stop=stop)
        return self._dimension(alive, watch, one_level(self.finite_class, alive))

    def labels(self, alive: Words | None, point: int) -> tuple[int, int]:
        """The dimensions of what the labels 0 and 1 of a point leave; -1 of no hypothesis."""
        return self._search.labels(alive, point)

    def _dimension(self, alive: Words | None, watch: Watch, tree: MistakeTree) -> Dimension:
        """The dimension, no less than the depth of a tree that is known."""
        lower, upper, steps = tree.depth, _left(self.finite_class, alive).bit_length() - 1, 0
        choice = None if alive is not None or tree.depth > 1 else self.words + GREEDY_AFTER
        try:
            for slice_ in watch.slices():
                allowed = slice_ if choice is None else min(slice_, choice - self.words)
                lower, upper, used = self._search.run(alive, allowed, tree.depth)
                steps += used
                if lower == upper or watch.end(steps, lower, upper):
                    break
                if choice is not None and self.words >= choice:
                    choice, tree = None, self._greedy(watch, tree)
        except MemoryError:
            pass  # what is known by then is the answer
        if lower > tree.depth:
            tree = self._tree(alive, lower, watch) or tree
        return Dimension(NAME, tree.depth, upper, tree, watch.seconds, steps)

    def _greedy(self, watch: Watch, tree: MistakeTree) -> MistakeTree:
        """The tree of a shattered set that is chosen greedily, if it is deeper: of large classes it is found sooner."""
        choice = _core.Shatter(self.finite_class.columns, self.finite_class.hypotheses, 0)
        while not choice.dive(GREEDY_AFTER) and not watch.over():
            pass
        return max(tree, MistakeTree.of_shattered(self.finite_class, choice.found), key=_depth)

    def _tree(self, alive: Words | None, depth: int, watch: Watch) -> MistakeTree | None:
        """A tree of this depth, unless it must be searched for again and there is no time or no memory for that."""
        try:
            for slice_ in watch.slices():
                found = self._search.tree(alive, depth, slice_)
                if found is not None:
                    return MistakeTree(*found)
                if self.forgot and watch.over():
                    break
        except MemoryError:
            pass
        return None


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
        How many splits it looked at.
    finer : bool
        Whether the search came to its end and found a fraction finer than 2^-58: no more time would say more of it.
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

    @property
    def words(self) -> int:
        """How many words of bits it has looked at."""
        return self._search.words

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
            How many words of bits may be looked at. On every machine the search then ends at the same place, at most a
            few looks at the whole class later.
        """
        watch = Watch(limit=limit, on_progress=on_progress, stop=stop)
        lower, upper = by_number(self.finite_class, alive)
        steps = looked = 0
        finer = False
        try:
            for slice_ in watch.slices():
                allowed = slice_ if words is None else min(slice_, words - looked)
                low, high, rounded, used, more = self._search.run(alive, allowed)
                steps, looked = steps + used, looked + more
                # Each split on the way down may have added half a unit.
                lower, upper = low * UNIT - rounded * self.finite_class.points * UNIT / 2, high * UNIT
                finer = rounded and low == high
                if low == high or watch.end(steps, lower, upper) or (words is not None and looked >= words):
                    break
        except MemoryError:
            pass  # what is known by then is the answer
        return RandomizedDimension(RANDOMIZED, lower, upper, watch.seconds, steps, finer)

    def value(self, alive: Words | None = None) -> Fraction:
        """What the dimension is, searched for to the end; rounded up if it is finer than 2^-58.

        Rounded or not, what it gives V is no less than half of one more than what it gives both sides of any split, so
        that a learner that goes by it errs no more in expectation than what it gives the class.

        Raises
        ------
        MemoryError
            If the search has to end before.
        """
        found = self.dimension(alive)
        if not (found.exact or found.finer):
            raise MemoryError(f"{found.name}: memory ran out when it was known to lie from {found}")
        return found.upper

    def labels(self, alive: Words | None, point: int) -> tuple[Fraction | None, Fraction | None]:
        """The values of what the labels 0 and 1 of a point leave; None of no hypothesis."""
        ones = self.finite_class.columns[point]
        if alive is None:
            alive = self.finite_class.everybody
        sides = alive & ~ones, alive & ones
        zero, one = (self.value(side) if side.any() else None for side in sides)
        return zero, one


def _left(finite_class: FiniteClass, alive: Words | None) -> int:
    """How many hypotheses are alive."""
    return finite_class.hypotheses if alive is None else int.from_bytes(alive.tobytes(), "little").bit_count()


def _depth(tree: MistakeTree) -> int:
    return tree.depth


def one_level(finite_class: FiniteClass, alive: Words | None = None) -> MistakeTree:
    """The tree that asks the first point on which hypotheses that are alive differ; one of no points if they do not."""
    left = finite_class.everybody if alive is None else alive
    for point, ones in enumerate(finite_class.columns):
        if (left & ones).any() and (left & ~ones).any():
            return MistakeTree(np.array([point]), np.array([_first(left & ~ones), _first(left & ones)]))
    return MistakeTree(np.array([], dtype=np.int64), np.array([_first(left)]))


def _first(some: Words) -> int:
    """The first of some hypotheses; 0 of none."""
    word = int(np.argmax(some != 0))
    lowest = int(some[word])
    return 64 * word + max(0, (lowest & -lowest).bit_length() - 1)


def by_number(finite_class: FiniteClass, alive: Words | None = None) -> tuple[Fraction, Fraction]:
    """Between what the randomised dimension lies by the number of hypotheses alone."""
    size = max(1, _left(finite_class, alive))
    whole_bits = size.bit_length() - 1
    return Fraction(min(size - 1, 1), 2), (whole_bits - 1 + Fraction(size, 2**whole_bits)) / 2


def littlestone_dimension(
    finite_class: FiniteClass,
    *,
    limit: float | None = None,
    on_progress: Progress | None = None,
    stop: Stop | None = None,
    shattered: Sequence[int] | None = None,
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
    shattered : sequence of int, optional
        Points that the class shatters, as the witness of `vc_dimension`: the search begins with the tree that asks them
        one by one.

    Returns
    -------
    Dimension
        With a `MistakeTree` as deep as its lower end. If memory runs out, they are what is known by then.

    Raises
    ------
    RegretlessError
        If the class does not shatter these points.
    """
    watch = Watch(limit=limit, on_progress=on_progress, stop=stop)
    tree = one_level(finite_class)
    if shattered is not None:
        tree = max(tree, MistakeTree.of_shattered(finite_class, shattered), key=_depth)
    try:
        search = LittlestoneSearch(finite_class)
    except MemoryError:
        return Dimension(NAME, tree.depth, finite_class.floor_log2, tree, watch.seconds)
    return search._dimension(None, watch, tree)


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
        As of `littlestone_dimension`; on_progress is given fractions. If memory runs out, what is known by then is the
        answer.

    References
    ----------
    .. [1] Y. Filmus, S. Hanneke, I. Mehalel and S. Moran. "Optimal Prediction Using Expert Advice and Randomized
       Littlestone Dimension." Conference on Learning Theory, 2023.
    """
    watch = Watch(limit=limit)
    try:
        search = RandomizedSearch(finite_class)
    except MemoryError:
        return RandomizedDimension(RANDOMIZED, *by_number(finite_class), watch.seconds)
    return search.dimension(limit=limit, on_progress=on_progress, stop=stop)
