"""Units for payoffs whose squares would over- or underflow."""

from __future__ import annotations

from math import frexp, ldexp
from typing import Any

import numpy as np

from ..ledger import GAME_FIELDS, GameLedger

# Squares of payoffs beyond these, or sums of them, would over- or underflow.
SMALLEST, LARGEST = 2.0**-100, 2.0**100


def power_of_two(size: float) -> float:
    """The power of two that brings a size near 1, and whose inverse is a float too."""
    return ldexp(1.0, max(-1022, min(1022, frexp(size)[1])))


def unit_of(size: float) -> float:
    """The divisor of payoffs up to a size: 1 wherever their squares are floats."""
    return 1.0 if size == 0 or SMALLEST <= size <= LARGEST else power_of_two(size)


def in_payoffs(book: np.ndarray[Any, Any], unit: float) -> GameLedger:
    """The ledger, in payoffs, of a play that was paid in a unit."""
    totals = dict(zip(GAME_FIELDS, book.tolist(), strict=True))
    for name, value in totals.items():
        if name.endswith(("_regret", "_norm", "turn", "gap")):
            totals[name] = value * unit
        elif name.endswith(("_square", "_shift")):
            totals[name] = value * unit * unit
    return GameLedger(**totals)
