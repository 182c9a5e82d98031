"""What the parameters of bandits may be; all others are refused in words."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from ..checks import whole
from ..errors import ParameterError
from .state import Scale

KEYS = 2**64  # seeds and runs are below
LONGEST = 2**53  # rounds that floats count
LEAST = 1e-200  # of a share or a rate, whose inverse is the most
MOST = 2**31 - 1  # arms that have a number in what is kept of a play


def tangible(name: str, value: float) -> float:
    """A number that is neither so small nor so large that it would be lost when it is scaled."""
    if not LEAST <= value <= 1 / LEAST:
        raise ParameterError(name, repr(value), f"it must be {LEAST:g} at least, and {1 / LEAST:g} at most")
    return value


def at_most(most: int, name: str, value: Any) -> int:
    """A whole number from 1 to the largest there can be."""
    if whole(name, value) > most:
        raise ParameterError(name, repr(value), f"it must be {most} at most")
    return int(value)


def seed_of(name: str, value: Any) -> int:
    """A whole number that keys a generator."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or not 0 <= int(value) < KEYS:
        raise ParameterError(name, repr(value), "it must be a whole number from 0 to 2^64 - 1")
    return int(value)


def scale_of(value_range: Any, rewards: Any) -> Scale:
    """What a loss is, by the declared range."""
    try:
        low, high = (float(end) for end in value_range)
    except (TypeError, ValueError) as error:
        raise ParameterError("value_range", repr(value_range), "two numbers are expected") from error
    if not (low < high and isfinite(low) and isfinite(high) and isfinite(high - low)):
        raise ParameterError("value_range", repr(value_range), "a finite number and a larger one are expected")
    if not isfinite(max(abs(low), abs(high)) * LONGEST):
        raise ParameterError("value_range", repr(value_range), "so large that a sum of losses would not be finite")
    if not isinstance(rewards, bool | np.bool_):
        raise ParameterError("rewards", repr(rewards), "it must be True or False")
    return Scale(low, high, bool(rewards))


def switches_of(value: Any) -> int:
    """How often a sequence of arms may switch."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or value < 0:
        raise ParameterError("switches", repr(value), "it must be a whole number >= 0")
    return int(value)
