"""How a zero-sum game of one matrix is solved.

A method is chosen, the guarantees of its strategies are enclosed afresh, and the tolerance is checked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import inf, isnan, nextafter
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..checks import whole
from ..errors import ParameterError, RegretlessError
from .methods import (
    AVERAGES,
    EXACT_METHODS,
    METHODS,
    NO_FRACTIONS,
    RELATIVE,
    SELF_PLAY,
    SolverStopped,
    default_gap,
    wanted_gap,
)
from .payoffs import Payoffs, Vector, ZeroSum, enclose, loosened, starts_of, trusted_to
from .solution import ExactSolution, GapBound, Once, Open, RawSolution, Solution, SolveError, Trajectory, nothing
from .solvers.linear_program import simplex, simplex_at_once

if TYPE_CHECKING:
    from ..certificate import Certificate


# Rounds of self-play after which a method that does not depend on luck takes over.
PATIENCE = 5000
# Marks of a self-play's trajectory, and the most strategies for which it stores them.
MARKS = 120
MOST_STRATEGIES = 24

# Where the methods cross, as benchmarks/bench_games.py --crossovers measures it: the simplex method is fastest up to
# this product of rows, columns and the fewer of them; self-play from this tolerance on, as a share of the range; HiGHS
# up to this share of nonzero payoffs.
SIMPLEX_WORK = 10**7
COARSE = 5e-5
SPARSE = 0.005
# The most strategies of the smaller side for an interior point, and the most cells for a dense array.
LARGEST_SIDE = 12_000
LARGEST_ARRAY = 200_000_000


class Wish(NamedTuple):
    """The user's options."""

    tolerance: float | None
    rounds: int | None
    start: tuple[Any, Any] | None
    average: str | None
    alternate: bool | None
    on_progress: Callable[[int, float], None] | None
    stop: Callable[[], bool] | None


class Answer(NamedTuple):
    """A method's strategies, and the interval that they guarantee."""

    raw: RawSolution
    lower: float
    upper: float

    @property
    def gap(self) -> float:
        """Duality gap."""
        return self.upper - self.lower


def solve(game: ZeroSum, method: str, exact: bool, options: tuple[Any, ...]) -> Solution:
    """:meth:`MatrixGame.solve`; the options are those of a `Wish`, not yet checked."""
    began = perf_counter()
    payoffs = game.payoffs
    tolerance, rounds, start, average, alternate, on_progress, stop = options
    plain = tolerance is rounds is start is average is alternate is on_progress is stop is None and not exact
    if plain and (method == "auto" or method == "simplex") and (small := _at_once(payoffs)) is not None:
        return _solution(game, *small, None, began)
    if method != "auto" and method not in METHODS:
        raise ParameterError("method", None, f"{method!r}; one of {', '.join(('auto', *METHODS))} is expected")
    if payoffs.kind == "operator" and method in EXACT_METHODS:
        raise ParameterError(
            "method", None, f"{method} needs all payoffs; of a linear operator only products are known"
        )
    if payoffs.spread == inf:
        raise ParameterError("payoffs", None, "their range is too large for floats; divide them by something")
    if rounds is not None or average is not None or alternate is not None:
        rounds = _checked_play(method, rounds, average, alternate)
    if start is not None:
        start = _start(start, payoffs.shape, method)
    target = wanted_gap(tolerance, rounds, partial(_default_gap, payoffs))
    if payoffs.high == payoffs.low:
        answer = _constant(payoffs)
    else:
        wish = Wish(target, rounds, start, average, alternate, on_progress, stop)
        answer = _attempted(payoffs, method, wish, losses=game.losses)
    proof = None
    if exact and answer.raw.stopped is None:
        answer, proof = _exactly(payoffs, answer, stop)
    return _solution(game, *answer, proof, began)


def _at_once(payoffs: Payoffs) -> tuple[RawSolution, float, float] | None:
    """The simplex method's answer within the default tolerance, if the game is small: what is left to choose takes as
    long as the pivots of ten strategies."""
    if (ended := simplex_at_once(payoffs)) is None:
        return None
    if payoffs.is_exact:
        ended = ended[0], *loosened(*ended[1:], payoffs.rounding)
    gap = ended[2] - ended[1]
    return ended if gap <= RELATIVE * (payoffs.high - payoffs.low) or gap <= _default_gap(payoffs) else None


def _attempted(payoffs: Payoffs, method: str, wish: Wish, *, losses: bool) -> Answer:
    """The method's answer; of ``"auto"``, that of the first method within the tolerance.

    Raises
    ------
    SolveError
        If none is.
    """
    first = choose(payoffs, wish.tolerance) if method == "auto" else method
    answer = _enclosed(first, payoffs, wish, patient=method != "auto")
    if _enough(answer, wish):
        return answer
    best, failures = answer, [_failure(first, answer)]
    for name in otherwise(payoffs, first) if method == "auto" else ():
        answer = _enclosed(name, payoffs, wish._replace(start=(best.raw.row, best.raw.column)), patient=True)
        if answer.raw.stopped is not None or answer.gap <= best.gap:
            stopped = answer.raw.stopped
            best = answer if answer.gap <= best.gap else best._replace(raw=replace(best.raw, stopped=stopped))
        if _enough(best, wish):
            note = "; ".join(part for part in (best.raw.note, *failures) if part)
            return best._replace(raw=replace(best.raw, note=note))
        failures.append(_failure(name, answer))
    lower, upper = (-best.upper, -best.lower) if losses else (best.lower, best.upper)
    raise SolveError(
        f"the game was not solved to a gap of {wish.tolerance:.3g}: {'; '.join(failures)}; "
        f"its value lies between {float(lower)!r} and {float(upper)!r}",
        lower,
        upper,
    )


def choose(payoffs: Payoffs, tolerance: float | None) -> str:
    """The method that ``"auto"`` begins with.

    Parameters
    ----------
    payoffs : Payoffs
    tolerance : float or None
        In payoffs.
    """
    if payoffs.kind == "operator":
        # The range may be NaN.
        return "prm+" if tolerance is not None and tolerance < COARSE * payoffs.spread else "rm+"
    rows, columns = payoffs.values.shape
    fewer = min(rows, columns)
    if rows * columns * fewer <= SIMPLEX_WORK:
        return "simplex"
    if tolerance is not None and tolerance >= COARSE * payoffs.spread:
        return "rm+"
    if payoffs.kind == "sparse" and (payoffs.values.nnz <= SPARSE * rows * columns or rows * columns > LARGEST_ARRAY):
        return "linear-programming"
    return "interior-point" if fewer <= LARGEST_SIDE else "rm+"


def otherwise(payoffs: Payoffs, first: str) -> list[str]:
    """The methods that ``"auto"`` tries after the first one, in order."""
    if payoffs.kind == "operator":
        return []
    rows, columns = payoffs.shape
    held = payoffs.kind == "dense" or rows * columns <= LARGEST_ARRAY
    possible = {
        "interior-point": held and min(rows, columns) <= LARGEST_SIDE,
        "linear-programming": True,
        "simplex": held,
    }
    return [name for name, can in possible.items() if can and name != first]


def _enough(answer: Answer, wish: Wish) -> bool:
    return answer.raw.stopped is not None or wish.tolerance is None or answer.gap <= wish.tolerance


def _failure(method: str, answer: Answer) -> str:
    note = f" ({answer.raw.note})" if answer.raw.note else ""
    return f"{method} left a gap of {answer.gap:.3g}{note}"


def _enclosed(method: str, payoffs: Payoffs, wish: Wish, patient: bool) -> Answer:
    """One method's answer."""
    if method == "simplex":
        if (answer := simplex_at_once(payoffs)) is not None:
            raw, lower, upper = answer
            return Answer(raw, *loosened(lower, upper, payoffs.rounding))
        raw = simplex(payoffs, on_progress=wish.on_progress, stop=wish.stop)
    else:
        raw = _by_method(method, payoffs, wish, patient)
    return Answer(raw, *enclose(payoffs, raw.row, raw.column))


def _by_method(method: str, payoffs: Payoffs, wish: Wish, patient: bool) -> RawSolution:
    watched: dict[str, Any] = {"start": wish.start, "on_progress": wish.on_progress, "stop": wish.stop}
    if method == "interior-point":
        from .solvers.interior_point import interior_point

        return interior_point(payoffs, wish.tolerance or 0.0, **watched)
    if method == "linear-programming":
        from .solvers.linear_program import linear_program

        return linear_program(payoffs, **watched)
    from .play import self_play

    return self_play(
        payoffs,
        method,
        rounds=wish.rounds if patient or payoffs.kind == "operator" else PATIENCE,
        tolerance=wish.tolerance,
        average=wish.average,
        alternate=wish.alternate,
        marks=MARKS,
        keep_strategies=max(payoffs.shape) <= MOST_STRATEGIES,
        **watched,
    )


def _constant(payoffs: Payoffs) -> Answer:
    """The answer where all payoffs are equal as floats: that number, and any strategies."""
    rows, columns = payoffs.shape
    raw = RawSolution(
        np.full(rows, 1 / rows), np.full(columns, 1 / columns), "constant", 0, 0.0, "all payoffs are equal"
    )
    off = payoffs.rounding
    if off == 0:
        return Answer(raw, payoffs.low, payoffs.high)
    return Answer(raw, nextafter(payoffs.low - off, -inf), nextafter(payoffs.high + off, inf))


def _exactly(payoffs: Payoffs, answer: Answer, stop: Callable[[], bool] | None) -> tuple[Answer, ExactSolution | None]:
    """The answer in fractions; if that is stopped, the answer in floats, marked as stopped.

    Raises
    ------
    RegretlessError
        If the exact value lies outside the interval of the floats: one is wrong, or the payoffs have changed.
    """
    from .solvers.exact import solve_exactly

    try:
        proof = solve_exactly(payoffs, answer.raw, stop=stop)
    except SolverStopped:
        return answer._replace(raw=replace(answer.raw, stopped=NO_FRACTIONS)), None
    if not answer.lower <= proof.value <= answer.upper:
        raise RegretlessError(
            f"the exact value, {float(proof.value):.17g}, lies outside of {answer.lower:.17g} ... {answer.upper:.17g}, "
            "which the strategies in floats guarantee: have the payoffs changed meanwhile?"
        )
    return answer, proof


def _solution(
    game: ZeroSum, raw: RawSolution, lower: float, upper: float, proof: ExactSolution | None, began: float
) -> Solution:
    payoffs = game.payoffs
    # Computed on request: on a small game they cost as much as the solution.
    make_certificates = Once(_certificates, raw, payoffs, lower, upper)
    course = raw.course
    if game.losses:
        lower, upper = -upper, -lower
        course = None if course is None else _of_losses(course)
        proof = None if proof is None else replace(proof, value=-proof.value)
    solution: Any = Open(
        game.rows,
        game.cols,
        raw.method,
        raw.row,
        raw.column,
        lower,
        upper,
        raw.iterations,
        perf_counter() - began,
        game.losses,
        raw.note,
        raw.stopped,
        course,
        proof,
        make_certificates,
        nothing if raw.ledger is None else partial(_gap_bound, raw, payoffs),
    )
    solution.__class__ = Solution
    return solution  # type: ignore[no-any-return]


def _certificates(raw: RawSolution, payoffs: Payoffs, lower: float, upper: float) -> list[Certificate]:
    from .certificates import certificates

    return certificates(raw, payoffs, lower, upper)


def _gap_bound(raw: RawSolution, payoffs: Payoffs) -> GapBound | None:
    from .certificates import gap_bound

    return gap_bound(raw, payoffs)


def _of_losses(course: Trajectory) -> Trajectory:
    return replace(course, lower=-course.upper, upper=-course.lower)


def _default_gap(payoffs: Payoffs) -> float:
    spread = payoffs.spread
    if isnan(spread):
        raise RegretlessError(
            "tolerance: a linear operator's range of payoffs is unknown; a gap, rounds or payoff_range= are needed"
        )
    size, unknown = payoffs.size, payoffs.rounding
    if payoffs.kind == "operator":
        unknown += trusted_to(payoffs, size)
    return default_gap(spread, size, unknown)


def _checked_play(method: str, rounds: int | None, average: str | None, alternate: bool | None) -> int | None:
    """The number of rounds, after the options of self-play are validated."""
    if method not in SELF_PLAY:
        raise RegretlessError(
            f"rounds, average, alternate: only self-play has any ({', '.join(SELF_PLAY)}); {method!r} was asked for"
        )
    if average not in (None, *AVERAGES):
        raise ParameterError("average", None, f"{average!r}; uniform, linear or quadratic is expected")
    if alternate not in (None, True, False):
        raise ParameterError("alternate", None, f"{alternate!r}; true or false is expected")
    return None if rounds is None else whole("rounds", rounds)


def _start(starts: tuple[Any, Any], shape: tuple[int, int], method: str) -> tuple[Vector, Vector]:
    """The strategies to begin with."""
    if method in ("simplex", "linear-programming"):
        raise ParameterError("start", None, f"{method} begins at no strategies; interior-point and self-play do")
    return starts_of(starts, shape)
