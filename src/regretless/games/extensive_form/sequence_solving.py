"""How a game in sequence form is solved: what a method finds is enclosed afresh, and only what is near is an answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ...errors import ParameterError, RegretlessError
from ...theorem import Certificate
from ..raw_solution import RawSolution
from ..solution import Exact, Once, Promise, SolveError
from ..solvers.interrupt import NO_FRACTIONS, Halted
from ..tolerance import default_gap, wanted_gap
from .sequence_play import SELF_PLAY, tree_play
from .sequence_program import linear_program
from .sequence_solution import SequenceSolution

if TYPE_CHECKING:
    from .sequence import SequenceGame

METHODS = ("auto", "linear-programming", *SELF_PLAY)
# Of the range of expected payoffs: from here on self-play is there before linear programming.
COARSE = 1e-5
# Payoffs from which on linear programming takes minutes.
LARGEST_PROGRAM = 500_000
# How long self-play may try before linear programming does; it needs a few thousand rounds at most where it is good.
TRIED_ROUNDS = 20_000

Finder = Callable[[], RawSolution]


def solve(
    game: SequenceGame,
    method: str,
    tolerance: float | None,
    *,
    exact: bool,
    on_progress: Callable[[int, float], None] | None,
    stop: Callable[[], bool] | None,
    **of_play: Any,
) -> SequenceSolution:
    """:meth:`SequenceGame.solve`; what is said of self-play by its names."""
    began = perf_counter()
    method = _method(method, of_play)
    target = wanted_gap(tolerance, of_play["rounds"], lambda: default_gap(game.spread, game.size))
    wanted = None if exact else tolerance  # fractions are found near basic solutions
    names = [method]
    if method == "auto":
        names = plan(game, wanted)
        of_play["rounds"] = TRIED_ROUNDS if _coarse(game, wanted) else None
    watched: dict[str, Any] = {"on_progress": on_progress, "stop": stop}
    play = partial(tree_play, game, tolerance=target, **of_play, **watched)
    program: Finder = partial(linear_program, game, **watched)
    finders = [program if name == "linear-programming" else partial(play, name) for name in names]
    found, lower, upper = _attempted(game, finders, target)
    found, proof = _exactly(game, found, lower, upper, stop) if exact and found.stopped is None else (found, None)
    return _solution(game, found, (lower, upper), proof, began)


def _method(method: str, of_play: dict[str, Any]) -> str:
    """The method's name.

    Raises
    ------
    RegretlessError
        If there is no such method, or something is said of self-play that is none.
    """
    name = method.replace("_", "-") if isinstance(method, str) else method
    if name not in METHODS:
        raise ParameterError(
            "method", None, f"{method!r}; of games in sequence form one of {', '.join(METHODS)} is expected"
        )
    if name not in SELF_PLAY:
        for parameter, given in of_play.items():
            if given is not None:
                raise RegretlessError(f"{parameter} is about self-play; method must name one: {', '.join(SELF_PLAY)}")
    return name


def _solution(
    game: SequenceGame, found: RawSolution, interval: tuple[float, float], proof: Exact | None, began: float
) -> SequenceSolution:
    lower, upper = interval
    return SequenceSolution(
        rows=game.rows,
        columns=game.cols,
        method=found.method,
        row=game.row.outward(found.row),
        column=game.column.outward(found.column),
        lower=lower,
        upper=upper,
        iterations=found.iterations,
        seconds=perf_counter() - began,
        note=found.note,
        stopped=found.stopped,
        course=found.course,
        exact=proof,
        judged=Once(partial(_judged, game, found, lower, upper)),
        promised=partial(_promised, game, found),
        row_tree=game.row,
        column_tree=game.column,
        total=game.total,
    )


def plan(game: SequenceGame, tolerance: float | None) -> list[str]:
    """The methods that ``"auto"`` tries, in order.

    Parameters
    ----------
    game : SequenceGame
    tolerance : float or None
        In payoffs, if the user has said.
    """
    if _coarse(game, tolerance):
        return ["cfr+", "linear-programming"]
    exact_first = ["linear-programming", "pcfr+"]
    return exact_first if game.payoffs.nnz <= LARGEST_PROGRAM else exact_first[::-1]


def _coarse(game: SequenceGame, tolerance: float | None) -> bool:
    return tolerance is not None and tolerance >= COARSE * game.spread > 0


def _attempted(game: SequenceGame, finders: list[Finder], tolerance: float | None) -> tuple[RawSolution, float, float]:
    """What the first method finds that comes near enough.

    Raises
    ------
    SolveError
        If none does.
    """
    lower, upper = -inf, inf
    failures: list[str] = []
    for find in finders:
        found = find()
        reached = game._enclose(found.row, found.column)
        if found.stopped is not None or tolerance is None or reached[1] - reached[0] <= tolerance:
            note = "; ".join([found.note, *failures] if found.note else failures)
            return replace(found, note=note), *reached
        lower, upper = max(lower, reached[0]), min(upper, reached[1])
        why = f" ({found.note})" if found.note else ""
        gap = reached[1] - reached[0]
        failures.append(f"{found.method} left a gap of {gap:.3g} after {found.iterations} iterations{why}")
    raise SolveError(
        f"the game was not solved to a gap of {tolerance:.3g}: {'; '.join(failures)}; "
        f"its value lies between {float(lower)!r} and {float(upper)!r}",
        lower,
        upper,
    )


def _exactly(
    game: SequenceGame, found: RawSolution, lower: float, upper: float, stop: Callable[[], bool] | None
) -> tuple[RawSolution, Exact | None]:
    """The solution in fractions; if it is stopped there, what was found already, and that it was stopped.

    Raises
    ------
    SolveError
        If there is none near.
    """
    from .sequence_exact import solve_exactly

    try:
        proof = solve_exactly(game, found, stop=stop)
    except Halted:
        return replace(found, stopped=NO_FRACTIONS), None
    if proof is None:
        raise SolveError(
            "no fractions near the plans that were found are an equilibrium; without exact they are good for a gap of"
            f" {upper - lower:.3g}",
            lower,
            upper,
        )
    return found, proof


def _judged(game: SequenceGame, found: RawSolution, lower: float, upper: float) -> list[Certificate]:
    from .sequence_certificates import certificates

    return certificates(game, found, lower, upper)


def _promised(game: SequenceGame, found: RawSolution) -> Promise | None:
    from .sequence_certificates import theorem_line

    return None if found.ledger is None else theorem_line(game, found)
