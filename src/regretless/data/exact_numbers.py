"""Numbers as they stand in a text, none of their digits lost: whole ones, decimals and fractions."""

from __future__ import annotations

import re
from fractions import Fraction
from math import isfinite

from .messages import shown

Exact = int | Fraction

_DIGITS = r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+"
_NUMBER = re.compile(rf"[-+]?(?:{_DIGITS})(?:[eE][-+]?[0-9]+)?(?:/[0-9]+)?", re.ASCII)
_PARTS = re.compile(rf"([-+]?(?:{_DIGITS}))(?:[eE]([-+]?[0-9]+))?(?:/([0-9]+))?", re.ASCII)
LONGEST = 1000
SAFE = 300  # no number of so many characters, and without a power of ten, is too large for floats
FARTHEST = 400
"""Powers of ten beyond these are no floats, and their fractions would fill the memory."""


def looks_like_number(text: str) -> bool:
    """Whether a text is meant as a number: digits, perhaps with a point, a power of ten or a whole denominator."""
    return _NUMBER.fullmatch(text.strip()) is not None


def exact_number(text: str) -> Exact:
    """The number that a text states.

    Parameters
    ----------
    text : str
        As ``3``, ``-0.25``, ``1e-3`` or ``2/3``; blanks around it do not count.

    Returns
    -------
    int or Fraction
        A whole number is an int, however it is written.

    Raises
    ------
    ValueError
        If it is none, or none that a float can hold; the message says what was found, and what was expected.
    """
    result = _PARTS.fullmatch(text.strip())
    if result is None:
        raise ValueError(f"{shown(text)} is no number; a number such as 3, -0.25 or 2/3 is expected")
    if len(text) > LONGEST:
        raise ValueError(f"a number of {len(text)} characters; at most {LONGEST} are expected")
    digits, power, below = result.groups()
    if below is not None and int(below) == 0:
        raise ValueError(f"{shown(text)} divides by zero; a number is expected")
    if power is not None and not abs(int(power)) <= FARTHEST:
        if not any(digit in "123456789" for digit in digits):
            return 0
        size = "small" if power.startswith("-") else "large"
        raise ValueError(f"{shown(text)} is too {size} for floats; a number from 1e-308 to 1e308 is expected")
    number = _valued(digits, int(power or 0), int(below or 1))
    if (power is not None or len(text) > SAFE) and not _fits(number):
        raise ValueError(f"{shown(text)} is too large for floats; a number up to 1e308 is expected")
    return number


def _valued(digits: str, power: int, below: int) -> Exact:
    """Digits times a power of ten, divided by a whole number."""
    whole, _, part = digits.partition(".")
    above, power = int(whole + part), power - len(part)
    if power >= 0 and below == 1:
        return above * int(10**power)
    number = Fraction(above * 10 ** max(power, 0), below * 10 ** max(-power, 0))
    return number.numerator if number.denominator == 1 else number


def _fits(number: Exact) -> bool:
    try:
        return isfinite(float(number))
    except OverflowError:
        return False
