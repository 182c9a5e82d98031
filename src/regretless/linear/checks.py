"""Parameters that have no meaning are refused in one way."""

from __future__ import annotations

from math import isfinite
from numbers import Real
from typing import Any

from ..errors import RegretlessError


def positive(name: str, value: Any, *, or_zero: bool = False) -> float:
    """A finite number above 0, or 0 where that is allowed."""
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not number or not isfinite(value) or value < 0 or (value == 0 and not or_zero):
        raise RegretlessError(f"{name}={value!r}; it must be a finite number {'>=' if or_zero else '>'} 0")
    return float(value)


def whole(name: str, value: Any) -> int:
    """A whole number of at least 1."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or value < 1:
        raise RegretlessError(f"{name}={value!r}; it must be a whole number >= 1")
    return int(value)


def one_of(name: str, value: Any, choices: tuple[Any, ...]) -> Any:
    """One of a few values."""
    if not any(type(value) is type(choice) and value == choice for choice in choices):
        raise RegretlessError(f"{name}={value!r}; it must be one of {', '.join(map(repr, choices))}")
    return value
