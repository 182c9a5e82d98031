"""How a game in sequence form is solved: what a method finds is enclosed afresh, and only what is near is an answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import RegretlessError
from ...theorem import Certificate
from ..found import Found
from ..solution import Exact, Once, Promise, SolveError
from .sequence_play import SELF_PLAY, tree_play
from .sequence_program import linear_program
from .sequence_solution import SequenceSolution

if TYPE_CHECKING:
    from .sequence import SequenceGame

METHODS = ("auto", "linear-programming", *SELF_PLAY)
# Of the range of expected payoffs: what is meant by solved where nobody says.
RELATIVE = 1e-9
# Neighbouring floats at the size of the payoffs: no interval of floats is much narrower than that.
LEAST_UNITS = 8.0
# Of the range of expected payoffs: from here on self-play is there before linear programming.
COARSE = 1e-5
# Payoffs from which on linear programming takes minutes.
LARGEST_PROGRAM = 500_000
# How long self-play may try before linear programming does; it needs a few thousand rounds at most where it is good.
TRIED_ROUNDS = 20_000

Finder = Callable[[], Found]


def _target(game: SequenceGame, tolerance: float | None, rounds: int | None) -> float | None:
    """The gap to end with; None where so many rounds are to be played, whatever comes of it.

    Raises
    ------
    RegretlessError
        If a number has no meaning.
    """
    if rounds is not None and (isinstance(rounds, bool) or not isinstance(rounds, int) or rounds < 1):
        raise RegretlessError(f"rounds: {rounds!r}; a whole number of at least 1 is expected")
    if tolerance is not None:
        if isinstance(tolerance, bool) or not 0 <= tolerance < inf:
            raise RegretlessError(f"tolerance: {tolerance!r}; a number of payoffs, not negative, is expected")
        return float(tolerance)
    if rounds is not None:
        return None
    low, high = game.range
    return max(RELATIVE * (high - low), LEAST_UNITS * float(np.spacing(max(abs(low), abs(high)))))


def solve(
    game: SequenceGame,
    method: str,
    tolerance: float | None,
    *,
    exact: bool,
    rounds: int | None,
    start: tuple[Any, Any] | None,
    average: str | None,
    alternate: bool | None,
    on_progress: Callable[[int, float], None] | None,
    stop: Callable[[], bool] | None,
) -> SequenceSolution:
    """:meth:`SequenceGame.solve`."""
    began = perf_counter()
    if method not in METHODS:
        raise RegretlessError(f"method: {method!r}; of games in sequence form one of {', '.join(METHODS)} is expected")
    of_play: dict[str, Any] = {"rounds": rounds, "start": start, "average": average, "alternate": alternate}
    if method not in SELF_PLAY:
        for name, given in of_play.items():
            if given is not None:
                raise RegretlessError(f"{name} is about self-play; method must name one: {', '.join(SELF_PLAY)}")
    target = _target(game, tolerance, rounds)
    play = partial(tree_play, game, tolerance=target, on_progress=on_progress, stop=stop, **of_play)
    wanted = None if exact else tolerance  # fractions are found near basic solutions
    if method == "auto" and _coarse(game, wanted):
        play = partial(play, rounds=TRIED_ROUNDS)
    finders: dict[str, Finder] = {name: partial(play, name) for name in SELF_PLAY}
    finders["linear-programming"] = partial(linear_program, game, on_progress=on_progress, stop=stop)
    names = plan(game, wanted) if method == "auto" else [method]
    found, lower, upper = _attempted(game, [finders[name] for name in names], target)
    proof = _exactly(game, found, lower, upper) if exact and found.stopped is None else None
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


def _attempted(game: SequenceGame, finders: list[Finder], tolerance: float | None) -> tuple[Found, float, float]:
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
        f"{'; '.join(failures)}; {tolerance:.3g} was asked for, and the value lies in [{lower:.12g}, {upper:.12g}]",
        lower,
        upper,
    )


def _exactly(game: SequenceGame, found: Found, lower: float, upper: float) -> Exact:
    from .sequence_exact import solve_exactly

    proof = solve_exactly(game, found.row, found.column)
    if proof is None:
        raise SolveError(
            "no fractions near the plans that were found are an equilibrium; without exact they are good for a gap of"
            f" {upper - lower:.3g}",
            lower,
            upper,
        )
    return proof


def _judged(game: SequenceGame, found: Found, lower: float, upper: float) -> list[Certificate]:
    from .sequence_judge import certificates

    return certificates(game, found, lower, upper)


def _promised(game: SequenceGame, found: Found) -> Promise | None:
    from .sequence_judge import theorem_line

    return None if found.ledger is None else theorem_line(game, found)
