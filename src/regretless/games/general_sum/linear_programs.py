"""Linear programs that have a solution for certain, and how HiGHS is made to find it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any

from ...errors import RegretlessError

# Presolve takes some programs for infeasible that are not, and the simplex method does not always end where the
# interior point does. At last equations may be off by more: what comes of that is looked at by the caller's check.
_WAYS = (("highs", True, 1e-10), ("highs", False, 1e-10), ("highs-ipm", True, 1e-10), ("highs", False, 1e-7))


class Unsolved(RegretlessError):
    """HiGHS found no solution, though there is one, or none that stood a check."""


def optimum(programs: Sequence[dict[str, Any]], seconds: float, check: Callable[[Any], None]) -> Any:
    """The solution of the first program that is solved, by one way or another.

    Parameters
    ----------
    programs : sequence of dict
        What `scipy.optimize.linprog` is to be given; all but the first stand in for that.
    seconds : float
        Give up after about so long.
    check : callable
        Raises `Unsolved` if what was found is not good enough.

    Returns
    -------
    OptimizeResult
        With the number of its program as `program`.

    Raises
    ------
    Unsolved
        If none was solved.
    """
    from scipy.optimize import linprog  # type: ignore[import-untyped, unused-ignore]

    ends, why = monotonic() + seconds, ""
    for number, program in enumerate(programs):
        for method, presolve, tolerance in _WAYS:
            left = ends - monotonic()
            if why and left <= 0:
                raise Unsolved(why)
            tolerances = {"primal_feasibility_tolerance": tolerance, "dual_feasibility_tolerance": tolerance}
            solved = linprog(**program, method=method, options=tolerances | {"presolve": presolve, "time_limit": left})
            if solved.status != 0 or solved.x is None:
                why = f"HiGHS gave up: {solved.message}"
                continue
            solved.program = number
            try:
                check(solved)
            except Unsolved as error:
                why = str(error)
            else:
                return solved
    raise Unsolved(why)
