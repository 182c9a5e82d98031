"""Arrays of whole multiples of a unit: sums of their products are exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, inf, lcm, nextafter
from numbers import Rational
from typing import Any

import numpy as np

from ...errors import RegretlessError
from ..payoffs import Array, Payoffs, strategy_of


@dataclass(frozen=True, slots=True, eq=False)
class Whole:
    """An array of Python integers, each of which is a multiple of a unit.

    Attributes
    ----------
    values : ndarray of int
    unit : Fraction
        Positive.
    """

    values: Array
    unit: Fraction


def whole_payoffs(payoffs: Payoffs) -> Whole:
    """All payoffs exactly: as the user wrote them, or the exact value of each float."""
    return whole_fractions(payoffs.fractions()) if payoffs.is_exact else _whole_floats(payoffs.dense())


def whole_fractions(values: Any) -> Whole:
    """Nested lists of fractions or whole numbers as whole multiples of one unit."""
    table = np.array(values, dtype=object)
    fractions = [Fraction(value) for value in table.flat]
    denominator = lcm(*(value.denominator for value in fractions))
    return _reduced(_objects([int(value * denominator) for value in fractions], table.shape), Fraction(1, denominator))


def whole_strategy(probabilities: Any, count: int, what: str) -> Whole:
    """Probabilities in a unit in which their sum is exactly 1; fractions must sum to 1.

    Raises
    ------
    RegretlessError
        If there are not as many as strategies, one is negative, or their sum is not 1.
    """
    floats = strategy_of(probabilities, count, what)
    if not is_exact(probabilities):
        whole = _whole_floats(floats)
        return Whole(whole.values, Fraction(1, int(whole.values.sum())))
    if sum(map(Fraction, probabilities)) != 1:
        raise RegretlessError(f"{what}: the fractions sum to {sum(map(Fraction, probabilities))}; 1 is expected")
    return whole_fractions(list(probabilities))


def is_exact(strategy: Any) -> bool:
    """Whether all probabilities are fractions or whole numbers."""
    if isinstance(strategy, np.ndarray) and strategy.dtype.kind in "iu":
        return True
    return isinstance(strategy, Sequence | np.ndarray) and all(isinstance(chance, Rational) for chance in strategy)


def above(value: Fraction) -> float:
    """The number rounded up to a float."""
    near = float(value)
    return near if near >= value else nextafter(near, inf)


def _whole_floats(values: Array) -> Whole:
    mantissas, exponents = np.frexp(np.asarray(values, dtype=np.float64))
    digits = (mantissas * 2.0**53).astype(np.int64)
    if not digits.any():
        return Whole(digits.astype(object), Fraction(1))
    least = int(exponents[digits != 0].min())
    shifts = np.where(digits != 0, exponents - least, 0)
    return _reduced(digits.astype(object) << shifts.astype(object), Fraction(2) ** (least - 53))


def _reduced(values: Array, unit: Fraction) -> Whole:
    divisor = gcd(*values.flat)
    return Whole(values // divisor, unit * divisor) if divisor > 1 else Whole(values, unit)


def _objects(values: list[int], shape: tuple[int, ...]) -> Array:
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects.reshape(shape)
