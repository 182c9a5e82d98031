"""With what duality gap a game counts as solved."""

from __future__ import annotations

from collections.abc import Callable
from math import ulp

from ..checks import positive, whole

# Of the range of the payoffs: what is meant by solved by default.
RELATIVE = 1e-9
# Units in the last place of the largest payoff: no interval of floats is much narrower than a few.
LEAST_UNITS = 8.0


def default_gap(spread: float, size: float, rounding: float = 0.0) -> float:
    """The gap to end with by default.

    Parameters
    ----------
    spread : float
        By how much payoffs may differ.
    size : float
        The largest payoff without its sign, of a game in turns the largest that payoffs add up to.
    rounding : float
        By how much floats may differ from the payoffs that they stand for.
    """
    return max(RELATIVE * spread, LEAST_UNITS * ulp(size) + 2 * rounding)


def wanted_gap(tolerance: float | None, rounds: int | None, default: Callable[[], float]) -> float | None:
    """The gap to end with; None where so many rounds are to be played, whatever comes of it.

    Raises
    ------
    RegretlessError
        If a number has no meaning.
    """
    if rounds is not None:
        whole("rounds", rounds)
    if tolerance is not None:
        return positive("tolerance", tolerance, or_zero=True)
    return None if rounds is not None else default()
