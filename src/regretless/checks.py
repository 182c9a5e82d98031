"""Parameters that have no meaning are refused in one way."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf, isfinite
from numbers import Real
from sys import float_info
from typing import Any

import numpy as np

from .errors import ParameterError, did_you_mean

SMALLEST = float_info.min  # the smallest float that has all its digits


def positive(name: str, value: Any, *, or_zero: bool = False) -> float:
    """A finite number above 0, or 0 where that is allowed."""
    if type(value) is float and (0 < value < inf or (or_zero and value == 0)):  # as nearly always
        return value
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not number or not isfinite(value) or value < 0 or (value == 0 and not or_zero):
        raise ParameterError(name, repr(value), f"it must be a finite number {'>=' if or_zero else '>'} 0")
    return float(value)


def step(name: str, value: Any) -> float:
    """A finite number above 0 of full precision: with a smaller one weights would lose digits, or never change."""
    if positive(name, value) < SMALLEST:
        raise ParameterError(
            name, repr(value), f"it must be a finite number >= {SMALLEST:.17g}, below which floats lose digits"
        )
    return float(value)


def share(name: str, value: Any) -> float:
    """A number strictly between 0 and 1."""
    if not 0 < positive(name, value) < 1:
        raise ParameterError(name, repr(value), "it must lie between 0 and 1")
    return float(value)


def whole(name: str, value: Any, least: int = 1, most: float = inf) -> int:
    """A whole number from `least` to `most`."""
    if type(value) is int and least <= value <= most:
        return value
    if isinstance(value, bool) or not hasattr(value, "__index__") or value < least:
        raise ParameterError(name, repr(value), f"it must be a whole number >= {least}")
    if value > most:
        raise ParameterError(name, repr(value), f"it must be at most {most}")
    return int(value)


def names_in(name: str, value: Iterable[str]) -> tuple[str, ...]:
    """Names, but no string, whose letters Python would take for them."""
    if isinstance(value, str | bytes):
        raise ParameterError(name, None, f"a list of names is expected, not the string {value!r}")
    return tuple(value)


def one_of(name: str, value: Any, choices: tuple[Any, ...]) -> Any:
    """One of a few values."""
    for choice in choices:  # any() takes three times as long
        if type(value) is type(choice) and value == choice:
            return value
    meant = did_you_mean(value, [one for one in choices if isinstance(one, str)]) if type(value) is str else ""
    raise ParameterError(name, repr(value), f"{meant}it must be one of {', '.join(map(repr, choices))}")


def drawn_seed(random_state: Any) -> int:
    """The whole number that a shuffled run begins with, kept so that the run can be played again."""
    if random_state is None:
        return int(np.random.default_rng().integers(2**63 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63 - 1))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, bool) or not hasattr(random_state, "__index__") or random_state < 0:
        raise ParameterError("random_state", repr(random_state), "it must be a whole number >= 0, a generator or None")
    return int(random_state)
