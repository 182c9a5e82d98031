"""Linear programs by HiGHS, which cannot be asked midway to stop: it is given ever longer times."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# What HiGHS may overlook, of payoffs scaled to a range of 1; it takes no less.
FEASIBLE = 1e-10
# Seconds until a watcher is first asked whether to stop, and until Ctrl-C is first noticed where there is none:
# what takes longer begins afresh, and may take up to four times as long for it.
FIRST_SLICE, FIRST_ALONE = 0.5, 4.0


def solved_in_slices(
    program: dict[str, Any],
    solver: str,
    *,
    seconds: float | None = None,
    on_progress: Callable[[int, float], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> tuple[Any | None, int]:
    """Solve a linear program, looking up now and then.

    Parameters
    ----------
    program : dict
        The program for scipy's linprog.
    solver : {"highs", "highs-ds", "highs-ipm"}
        Which of scipy's methods.
    seconds : float, optional
        When to look up first. It begins afresh each time, with as much time as it had altogether.
    on_progress : callable, optional
        Called with the number of iterations and a NaN, as the gap is not known before the end.
    stop : callable, optional
        Asked after so many seconds, and then whenever as much time has passed as before.

    Returns
    -------
    (OptimizeResult or None, int)
        None if it was stopped; and the number of iterations of all slices.
    """
    from scipy.optimize import linprog  # type: ignore[import-untyped, unused-ignore]

    if seconds is None:
        seconds = FIRST_ALONE if stop is None and on_progress is None else FIRST_SLICE
    iterations = 0
    # An interior point for which presolve leaves no time takes all that it likes, and gains little by it.
    options: dict[str, Any] = {"presolve": solver != "highs-ipm"}
    options |= {"primal_feasibility_tolerance": FEASIBLE, "dual_feasibility_tolerance": FEASIBLE}
    while True:
        answer = linprog(**program, method=solver, options=options | {"time_limit": seconds})
        iterations += int(answer.nit or 0)
        if answer.status != 1:
            return answer, iterations
        if on_progress is not None:
            on_progress(iterations, float("nan"))
        if stop is not None and stop():
            return None, iterations
        seconds *= 2
