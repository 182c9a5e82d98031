"""Randomised Littlestone dimensions: how many mistakes in expectation the best learner that draws cannot avoid."""

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
UNIT = Fraction(1, 2**58)  # what the compiled search counts mistakes in expectation by
DIGITS = 20  # of a number that is finer than that


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


class RandomizedSearch(VersionSpaceSearch):
    """Randomised Littlestone dimensions of the version spaces of one class, and what was found on the way to them.

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
            How many words of bits may be looked at. On every machine the search then ends at the same place, at most a
            few looks at the whole class later.
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
            pass  # what is known by then is the answer
        return RandomizedDimension(NAME, lower, upper, watch.seconds, steps, finer)

    def value(self, alive: Words | None = None) -> Fraction:
        """What the dimension is, searched for to the end; rounded up if it is finer than 2^-58.

        Rounded or not, what it gives V is no less than half of one more than what it gives both sides of any split, so
        that a learner that goes by it errs no more in expectation than what it gives the class.

        Raises
        ------
        MemoryError
            If the search has to end before.
        """
        dimension = self.dimension(alive)
        if not (dimension.exact or dimension.finer):
            raise MemoryError(f"{dimension.name}: memory ran out when it was known to lie from {dimension}")
        return dimension.upper

    def labels(self, alive: Words | None, point: int) -> tuple[Fraction | None, Fraction | None]:
        """The values of what the labels 0 and 1 of a point leave; None of no hypothesis."""
        ones = self.finite_class.columns[point]
        if alive is None:
            alive = self.finite_class.all_hypotheses
        sides = alive & ~ones, alive & ones
        zero, one = (self.value(side) if side.any() else None for side in sides)
        return zero, one


def by_number(finite_class: FiniteClass, alive: Words | None = None) -> tuple[Fraction, Fraction]:
    """Between what the randomised dimension lies by the number of hypotheses alone."""
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

    Raises
    ------
    RegretlessError
        If there are no hypotheses: no label is then ever right.

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
