"""What all methods for games share: their names and options, the gap to reach, and how they are interrupted."""

from __future__ import annotations

from collections.abc import Callable
from math import ulp

METHODS = {
    "simplex": "condensed tableau, compiled, that cannot cycle; ends at a vertex. For small games",
    "interior-point": "feasible primal-dual steps, then a polish on the supports. For games up to some thousands",
    "linear-programming": "HiGHS. For large sparse games, and as an independent check",
    "rm+": "self-play of RM+, alternating, quadratic averages. For coarse tolerances and games without a limit",
    "prm+": "self-play of predictive RM+, alternating, quadratic averages",
    "rm": "self-play of regret matching",
    "optimistic-hedge": "self-play of Hedge that expects the last payoffs again; a gap of order 1/T",
    "hedge": "self-play of Hedge: the proof of von Neumann's theorem, played. For teaching",
}
"""How each method of ``MatrixGame.solve`` finds strategies."""
TEXTBOOK = "hedge"
"""The one that books play, with which others are compared."""
EXACT_METHODS = ("simplex", "interior-point", "linear-programming")
"""Those that end at an equilibrium."""
SELF_PLAY = tuple(name for name in METHODS if name not in EXACT_METHODS)
IN_TURNS = ("cfr", "cfr+", "pcfr+")
"""Self-play of games in turns."""
AVERAGES = ("uniform", "linear", "quadratic")
"""How much round t counts in an average, by the power of t."""
ENUMERATIONS = ("exact-enumeration", "support-enumeration", "vertex-enumeration", "lemke-howson")
"""Searches for Nash equilibria of two matrices."""
OBJECTIVES = ("welfare", "row", "column")
"""Payoffs by which a correlated equilibrium may be best: of both players together, or of one."""


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
    if tolerance is None and rounds is None:
        return default()
    from ..checks import (
        positive,
        whole,
    )  # not above: they need numpy, and the command line's help needs the names alone

    if rounds is not None:
        whole("rounds", rounds)
    if tolerance is not None:
        return positive("tolerance", tolerance, or_zero=True)
    return None


StopCheck = Callable[[], None]
# Why a solution has no fractions.
NO_FRACTIONS = "asked to stop before there were fractions"


class SolverStopped(Exception):
    """A solver was asked to stop."""


def never_stop() -> None:
    """No-op: never stop."""


def stop_check(stop: Callable[[], bool] | None) -> StopCheck:
    """A function for a solver to call at intervals: it raises SolverStopped once `stop` returns true."""

    def check_stop() -> None:
        if stop is not None and stop():
            raise SolverStopped

    return check_stop
