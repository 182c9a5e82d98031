"""In what units learners are paid payoffs whose squares would leave the floats."""

from __future__ import annotations

from math import frexp, ldexp
from typing import Any

import numpy as np

from ..ledger import GAME_FIELDS, GameLedger

# Squares of payoffs beyond these would leave the floats, and so would their sums.
SMALLEST, LARGEST = 2.0**-100, 2.0**100


def power_of_two(size: float) -> float:
    """What a size has to be divided by to come near 1, as far as its inverse is a number too."""
    return ldexp(1.0, max(-1022, min(1022, frexp(size)[1])))


def unit_of(size: float) -> float:
    """What payoffs of which the largest is of a size are divided by: 1 wherever their squares are floats."""
    return 1.0 if size == 0 or SMALLEST <= size <= LARGEST else power_of_two(size)


def in_payoffs(book: np.ndarray[Any, Any], unit: float) -> GameLedger:
    """The running totals of a play that was paid in a unit."""
    totals = dict(zip(GAME_FIELDS, book.tolist(), strict=True))
    for name, value in totals.items():
        if name.endswith(("_regret", "_norm", "turn", "gap")):
            totals[name] = value * unit
        elif name.endswith(("_square", "_shift")):
            totals[name] = value * unit * unit
    return GameLedger(**totals)
