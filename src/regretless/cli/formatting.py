"""Numbers of solved games for people: as many digits as are certain, and ends of intervals rounded outwards."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from math import ceil, isfinite, log10

PRECISION = 700  # digits enough for any two floats


def figures(value: float) -> str:
    """A number in twelve digits."""
    return f"{value + 0.0:,.12g}"


def certain(value: float, gap: float) -> str:
    """A number to the digits that an interval of such a width leaves certain, twelve at most."""
    return figures(round(value, _decimals(gap)) if 0 < gap < abs(value) + 1 and isfinite(value) else value)


def ends(lower: float, upper: float) -> str:
    """Both ends of an interval, rounded outwards to as many digits as show its width."""
    gap = upper - lower
    if not (isfinite(gap) and gap > 0):
        return f"{_plain(Decimal(repr(lower)))}, {_plain(Decimal(repr(upper)))}"
    decimals = _decimals(gap) + 2
    return f"{_rounded(lower, decimals, ROUND_FLOOR)}, {_rounded(upper, decimals, ROUND_CEILING)}"


def _decimals(gap: float) -> int:
    """How many decimals there are before the digit that the gap leaves open."""
    return ceil(-log10(gap))


def _rounded(value: float, decimals: int, rounding: str) -> str:
    with localcontext(prec=PRECISION):
        return _plain(Decimal(value).quantize(Decimal(1).scaleb(-decimals), rounding))


def _plain(value: Decimal) -> str:
    """A decimal without idle zeros; with an exponent where it is very large or very small."""
    if not value:
        return "0"
    if not value.is_finite() or -5 <= value.adjusted() < 15:
        text = f"{value:,f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    with localcontext(prec=PRECISION):
        return f"{value.normalize():e}"
