"""The duality gap at which a game counts as solved."""

from __future__ import annotations

from collections.abc import Callable
from math import ulp

from ..checks import positive, whole

# The default, as a share of the range of the payoffs.
RELATIVE = 1e-9
# Units in the last place of the largest payoff: no interval of floats is much narrower than a few.
LEAST_UNITS = 8.0


def default_gap(spread: float, size: float, rounding: float = 0.0) -> float:
    """The default gap.

    Parameters
    ----------
    spread : float
        The range of the payoffs.
    size : float
        The largest absolute payoff; of a game in turns, the largest absolute sum of payoffs.
    rounding : float
        The largest difference between a float and the exact payoff.
    """
    return max(RELATIVE * spread, LEAST_UNITS * ulp(size) + 2 * rounding)


def wanted_gap(tolerance: float | None, rounds: int | None, default: Callable[[], float]) -> float | None:
    """The gap to reach; None to play a fixed number of rounds.

    Raises
    ------
    RegretlessError
        If a number is out of its range.
    """
    if rounds is not None:
        whole("rounds", rounds)
    if tolerance is not None:
        return positive("tolerance", tolerance, or_zero=True)
    return None if rounds is not None else default()
