"""Numbers and text as a reader wants them: grouped, with sensible digits, never rounded into a falsehood; inert."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Decimal, localcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fractions import Fraction

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_MINUS = "−"


def count(value: float) -> str:
    """A whole number with its digits in groups of three."""
    return f"{round(value):,}".replace("-", _MINUS)


def real(value: float, digits: int = 4) -> str:
    """At least `digits` significant digits, every digit before the decimal point, no idle zeros."""
    if math.isnan(value):
        return "not a number"
    if math.isinf(value):
        return "∞" if value > 0 else _MINUS + "∞"
    if value == 0:
        return "0"
    exponent = int(f"{value:.{digits - 1}e}".partition("e")[2])
    if not -4 <= exponent < 15:
        mantissa = _without_idle_zeros(f"{value:.{digits - 1}e}".partition("e")[0])
        return f"{mantissa} × {power_of_ten(exponent)}".replace("-", _MINUS)
    return _without_idle_zeros(f"{value:,.{max(0, digits - 1 - exponent)}f}").replace("-", _MINUS)


def aligned(values: Sequence[float]) -> list[str]:
    """Values of one column with the same decimals, unless one of them would then read as zero."""
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    if largest == 0 or not 1e-4 <= largest < 1e15:
        return [real(value) for value in values]
    decimals = max(0, 3 - math.floor(math.log10(largest)))
    if not all(value == 0 or abs(value) > 10.0**-decimals for value in values if math.isfinite(value)):
        return [real(value) for value in values]
    return [_fixed(value, decimals) for value in values]


def _fixed(value: float, decimals: int) -> str:
    return f"{value:,.{decimals}f}".replace("-", _MINUS) if math.isfinite(value) else real(value)


def number(value: float) -> str:
    """Whole numbers in full, others as `real` shows them."""
    whole = math.isfinite(value) and abs(value) < 1e15 and value == round(value)
    return count(value) if whole else real(value)


def valued(value: float, gap: float, rounding: str = ROUND_HALF_EVEN) -> str:
    """A value with the digits that a gap leaves certain, at most ten; ends of intervals round outwards, to fifteen."""
    if not (math.isfinite(value) and 0 <= gap < math.inf):
        return number(value)
    # The first digit that the gap leaves open is still shown, for the middle is likelier than the ends.
    decimals = math.ceil(-math.log10(gap)) + 1 if gap > 0 else 15
    size = math.floor(math.log10(abs(value))) + 1 if value else 0
    most = 10 if rounding == ROUND_HALF_EVEN else 15
    values = _quantized(value, min(decimals, most - size), rounding)
    return number(values) if values == round(values) else real(values, 15)


def above(value: float, digits: int = 3) -> str:
    """A positive number rounded up, as an upper bound."""
    if not 0 < value < math.inf:
        return real(value, digits)
    return real(_quantized(value, digits - 1 - math.floor(math.log10(value)), ROUND_CEILING), digits)


def _quantized(value: float, decimals: int, rounding: str) -> float:
    with localcontext(prec=400):
        return float(Decimal(value).quantize(Decimal(1).scaleb(-decimals), rounding))


def fraction_text(value: Fraction) -> str:
    """A fraction as ``"1/3"`` or ``"2"``.

    The value of a game of floats may have thousands of digits, and of whole numbers beyond 4300 digits Python makes no
    text.
    """
    numerator, denominator = (str(Decimal(part)) for part in (value.numerator, value.denominator))
    return numerator if denominator == "1" else f"{numerator}/{denominator}"


def between(low: float, high: float) -> str:
    """Both ends of a range."""
    return f"{number(low)} to {number(high)}"


def power_of_ten(exponent: int) -> str:
    """Ten to the given power."""
    return "10" + str(exponent).translate(_SUPERSCRIPTS)


def percent(share: float) -> str:
    """A share of one in per cent; never 100% for less than all, however little is missing."""
    if 0.99 < share < 1:
        share = min(share, math.floor(share * 1000) / 1000)
    return real(100 * share, 3) + "%"


def share(value: float) -> str:
    """A share of a whole to a tenth of a per cent; what is not nothing and not all is never shown as such."""
    if 0 < abs(value) < 0.001:
        return f"{_MINUS if value < 0 else ''}<0.1%"
    if 0.999 < value < 1:
        return ">99.9%"
    return f"{100 * value:.{0 if value in (0, 1) else 1}f}%".replace("-", _MINUS)


def observed_and_bound(observed: float, bound: float, counted: bool, holds: bool) -> tuple[str, str]:
    """Both numbers, such that the shown ones compare as the true ones do.

    A bound on a count is rounded down, for a count cannot lie between whole numbers; but a bound that holds
    by the tolerance of floating point alone is not shown under what was observed, and a violation too small
    for four digits is shown with as many as it takes.
    """
    if holds and bound <= observed:
        return number(observed), number(observed)
    if counted and observed == round(observed) and math.isfinite(bound):
        return count(observed), number(math.floor(bound + (1e-9 * abs(bound) + 1e-9) * holds))
    for digits in range(4, 18):
        shown = _full(observed, digits), _full(bound, digits)
        if holds or shown[0] != shown[1]:
            break
    return shown


def _full(value: float, digits: int) -> str:
    return number(value) if digits == 4 else real(value, digits)


def _without_idle_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def plain(value: object, limit: int = 200) -> str:
    """Any value of a parameter or a comparator as short text."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) or (isinstance(value, int) and abs(value) < 10**15):
        return number(value)
    if isinstance(value, Mapping):
        return shorten(", ".join(f"{key} {plain(part)}" for key, part in value.items()), limit)
    if isinstance(value, list | tuple):
        more = ", …" if len(value) > 50 else ""
        return shorten(", ".join(plain(part) for part in value[:50]) + more, limit)
    item = getattr(value, "item", None)
    if callable(item) and getattr(value, "size", 0) == 1:  # a numpy scalar, recognised without numpy
        return plain(item())
    return shorten(clean(str(value)), limit)


_SIGNS = {"<=": "≤", ">=": "≥", "^2": "²", "rho": "ρ", "eta": "η", "gamma": "γ", "delta": "δ", "sqrt": "√"}
_TYPED = re.compile(r"<=|>=|\^2(?!\d)|(?<![A-Za-z])(?:rho|eta|gamma|delta|sqrt)(?![A-Za-z])")


def typeset(text: str) -> str:
    """Mathematics as it is typed in a docstring, with the signs that it stands for."""
    return _TYPED.sub(lambda match: _SIGNS[match[0]], text)


def label(text: str, limit: int = 80) -> str:
    """A name or a sentence from outside, fit for a page."""
    return clean(shorten(text, limit))


def clean(text: str) -> str:
    """Text that any page can hold: control characters are visible, lone surrogates and turned lines spelled out."""
    visible = printable("".join(_visible(character) for character in text))
    return visible.encode("utf-8", "backslashreplace").decode("utf-8")


def _visible(character: str) -> str:
    code = ord(character)
    if code < 32:
        return chr(0x2400 + code)
    return "�" if 127 <= code < 160 or code in (0xFFFE, 0xFFFF) else character


def shorten(text: str, limit: int) -> str:
    """The text's beginning and end when it is longer than `limit` characters."""
    if len(text) <= limit:
        return text
    tail = limit // 3
    return text[: limit - tail - 1] + "…" + text[-tail:]


# Control characters but the tab, line and paragraph separators, and what changes the direction of writing.
_UNSHOWN = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    r"""The text with a backslash and a code in place of what a terminal would obey, as ``\x1b`` for Escape."""
    return _UNSHOWN.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def is_printable(text: str) -> bool:
    """Whether it can be shown as it is."""
    return _UNSHOWN.search(text) is None
