"""How a game is solved: a method is chosen, what it finds is enclosed afresh, and only what is near is an answer."""

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
from .enclosure import enclose, trusted_to
from .payoffs import Payoffs, ZeroSum, starts_of
from .raw_solution import RawSolution, Trajectory, Vector
from .registry import AVERAGES, EXACT_METHODS, METHODS, SELF_PLAY
from .solution import ExactSolution, GapBound, Once, Solution, SolveError
from .solvers.interrupt import NO_FRACTIONS, Halted
from .solvers.tableau import simplex
from .tolerance import default_gap, wanted_gap

if TYPE_CHECKING:
    from ..certificate import Certificate

# Rounds of self-play after which a method that does not depend on luck takes over.
PATIENCE = 5000
# How many points of a self-play's course are kept, and how large strategies may be for them to be kept too.
MARKS = 120
KEPT_STRATEGIES = 24

# Where the methods cross, as benchmarks/bench_games.py --crossovers measures it. The simplex method is the fastest one
# where rows times columns times the fewer of them are no more than the first; self-play where a gap of the second, as a
# share of the range, is enough; HiGHS where no more than the third share of the payoffs is not zero.
SIMPLEX_WORK = 10**7
COARSE = 5e-5
SPARSE = 0.005
# How large the fewer strategies may be for the matrix of an interior point, and games for an array at all.
LARGEST_SIDE = 12_000
LARGEST_ARRAY = 200_000_000


class Wish(NamedTuple):
    """What the user asked for, checked."""

    tolerance: float | None
    rounds: int | None
    start: tuple[Vector, Vector] | None
    average: str | None
    alternate: bool | None
    on_progress: Callable[[int, float], None] | None
    stop: Callable[[], bool] | None


class Answer(NamedTuple):
    """What a method found, and the interval that its strategies guarantee."""

    raw: RawSolution
    lower: float
    upper: float

    @property
    def gap(self) -> float:
        """Duality gap."""
        return self.upper - self.lower


def solve(
    game: ZeroSum,
    method: str = "auto",
    tolerance: float | None = None,
    *,
    exact: bool = False,
    rounds: int | None = None,
    start: tuple[Any, Any] | None = None,
    average: str | None = None,
    alternate: bool | None = None,
    on_progress: Callable[[int, float], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> Solution:
    """:meth:`MatrixGame.solve`."""
    began = perf_counter()
    payoffs = game.payoffs
    if method not in ("auto", *METHODS):
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
    target = _target(payoffs, tolerance, rounds)
    wish = Wish(target, rounds, start, average, alternate, on_progress, stop)
    answer = (
        _constant(payoffs) if payoffs.high == payoffs.low else _attempted(payoffs, method, wish, losses=game.losses)
    )
    answer, proof = _exactly(payoffs, answer, stop) if exact and answer.raw.stopped is None else (answer, None)
    return _solution(game, answer, proof, began)


def _attempted(payoffs: Payoffs, method: str, wish: Wish, *, losses: bool) -> Answer:
    """What the method finds; of ``"auto"``, what the first one finds that comes near enough.

    Raises
    ------
    SolveError
        If none does.
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

    Returns
    -------
    str
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
    """What is tried after the method that ``"auto"`` began with, in order."""
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
    from .play.self_play import self_play

    return self_play(
        payoffs,
        method,
        rounds=wish.rounds if patient or payoffs.kind == "operator" else PATIENCE,
        tolerance=wish.tolerance,
        average=wish.average,
        alternate=wish.alternate,
        marks=MARKS,
        keep_strategies=max(payoffs.shape) <= KEPT_STRATEGIES,
        **watched,
    )


def _constant(payoffs: Payoffs) -> Answer:
    """Where all payoffs are one number, as floats, it is the value, and any strategies do."""
    rows, columns = payoffs.shape
    raw = RawSolution(
        np.full(rows, 1 / rows), np.full(columns, 1 / columns), "constant", 0, 0.0, "all payoffs are equal"
    )
    off = payoffs.rounding
    if off == 0:
        return Answer(raw, payoffs.low, payoffs.high)
    return Answer(raw, nextafter(payoffs.low - off, -inf), nextafter(payoffs.high + off, inf))


def _exactly(payoffs: Payoffs, answer: Answer, stop: Callable[[], bool] | None) -> tuple[Answer, ExactSolution | None]:
    """The answer in fractions; if it is stopped there, the answer that there is already, and that it was stopped.

    Raises
    ------
    RegretlessError
        If the value is none that the floats allow for: then one of the two is wrong, or the payoffs have changed.
    """
    from .solvers.exact import solve_exactly

    try:
        proof = solve_exactly(payoffs, answer.raw, stop=stop)
    except Halted:
        return answer._replace(raw=replace(answer.raw, stopped=NO_FRACTIONS)), None
    if not answer.lower <= proof.value <= answer.upper:
        raise RegretlessError(
            f"the exact value, {float(proof.value):.17g}, lies outside of {answer.lower:.17g} ... {answer.upper:.17g}, "
            "which the strategies in floats guarantee: have the payoffs changed meanwhile?"
        )
    return answer, proof


def _solution(game: ZeroSum, answer: Answer, proof: ExactSolution | None, began: float) -> Solution:
    raw, lower, upper = answer
    # Only on request: on a small game they cost as much as all the rest.
    make_certificates = Once(partial(_certificates, raw, game.payoffs, lower, upper))
    course = raw.course
    if game.losses:
        lower, upper = -upper, -lower
        course = None if course is None else _of_losses(course)
        proof = None if proof is None else replace(proof, value=-proof.value)
    return Solution(
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
        partial(_gap_bound, raw, game.payoffs),
    )


def _certificates(raw: RawSolution, payoffs: Payoffs, lower: float, upper: float) -> list[Certificate]:
    from .certificates import certificates

    return certificates(raw, payoffs, lower, upper)


def _gap_bound(raw: RawSolution, payoffs: Payoffs) -> GapBound | None:
    from .certificates import gap_bound

    return None if raw.ledger is None else gap_bound(raw, payoffs)


def _of_losses(course: Trajectory) -> Trajectory:
    return replace(course, lower=-course.upper, upper=-course.lower)


def _target(payoffs: Payoffs, tolerance: float | None, rounds: int | None) -> float | None:
    """The gap to end with, in payoffs; None if as many rounds are played as were asked for.

    Raises
    ------
    RegretlessError
        If it is no number that a gap may have, or there is no default.
    """
    return wanted_gap(tolerance, rounds, partial(_default_gap, payoffs))


def _default_gap(payoffs: Payoffs) -> float:
    if isnan(payoffs.spread):
        raise RegretlessError(
            "tolerance: a linear operator's range of payoffs is unknown; a gap, rounds or payoff_range= are needed"
        )
    unknown = payoffs.rounding + (trusted_to(payoffs, payoffs.size) if payoffs.kind == "operator" else 0.0)
    return default_gap(payoffs.spread, payoffs.size, unknown)


def _checked_play(method: str, rounds: int | None, average: str | None, alternate: bool | None) -> int | None:
    """The number of rounds, if the options of self-play have a meaning."""
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
