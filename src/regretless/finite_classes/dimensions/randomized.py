"""Randomised Littlestone dimensions: the optimal expected mistake bound of randomised learners."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from ... import _core
from ..finite_class import FiniteClass, Words
from .budget import Progress, Stop, Watch
from .dimension import Between
from .search import VersionSpaceSearch, left_of, room_of

NAME = "randomised Littlestone dimension"
UNIT = Fraction(1, 2**58)  # unit of expected mistakes in the compiled search
DIGITS = 20  # of a number that is no multiple of it


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
        watch = Watch(limit=limit, on_progress=on_progress, stop=stop)
        lower, upper = by_number(self.finite_class, alive)
        steps = lookups = 0
        finer = False
        try:
            for slice_ in watch.slices():
                allowed = slice_ if words is None else min(slice_, words - lookups)
                low, high, rounded, used, more = self._search.run(alive, allowed)
                steps, lookups = steps + used, lookups + more
                # Each split on the way down may have added half a unit.
                lower, upper = low * UNIT - rounded * self.finite_class.points * UNIT / 2, high * UNIT
                finer = rounded and low == high
                if low == high or watch.end(steps, lower, upper) or (words is not None and lookups >= words):
                    break
        except MemoryError:
            pass  # the bounds so far are the answer
        return RandomizedDimension(NAME, lower, upper, watch.seconds, steps, finer)

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
    both parts: half the expected length of a random path in a shattered tree, maximised over trees [1]_. It is between
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
    .. [1] Y. Filmus, S. Hanneke, I. Mehalel and S. Moran. "Optimal Prediction Using Expert Advice and Randomized
       Littlestone Dimension." Conference on Learning Theory, 2023.

    Examples
    --------
    >>> from regretless.finite_classes import FiniteClass, randomized_littlestone_dimension
    >>> dimension = randomized_littlestone_dimension(FiniteClass.named("thresholds:7"))
    >>> dimension.lower, dimension.upper
    (Fraction(3, 2), Fraction(3, 2))
    """
    watch = Watch(limit=limit)
    try:
        search = RandomizedSearch(finite_class)
    except MemoryError:
        return RandomizedDimension(NAME, *by_number(finite_class), watch.seconds)
    return search.dimension(limit=limit, on_progress=on_progress, stop=stop)
