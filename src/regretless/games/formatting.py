"""Exact numbers in digits, however many."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction


def written(number: Fraction) -> str:
    """A fraction as ``"1/3"`` or ``"2"``.

    The value of a game of floats may have thousands of digits, and of whole numbers beyond 4300 digits Python makes no
    text.
    """
    numerator, denominator = (str(Decimal(part)) for part in (number.numerator, number.denominator))
    return numerator if denominator == "1" else f"{numerator}/{denominator}"
