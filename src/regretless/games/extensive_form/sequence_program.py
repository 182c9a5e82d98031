"""Games in sequence form by linear programming: HiGHS in floats, and exact solutions near its own.

The row player's plan x is a best one exactly if it solves, with one number u for each of the column player's
information sets and one for the empty sequence,

    maximise u_0   subject to   F'u <= A'x,   E x = e,   x >= 0,

and the multipliers of the first inequalities are a best plan of the column player (Koller, Megiddo and von Stengel
1994; von Stengel 1996).

**Exact solutions.** Candidates come from floats and are verified in exact arithmetic.

The probabilities of a basic solution are fractions, with small denominators in small games: the nearest fractions to
the floats are tried, with growing denominators, until both plans guarantee the same number. Else the equations of the
vertices near the plans are solved in whole numbers. Where differences below the precision of floats decide, both may
fail.

**Vertices.** An optimal plan x, with the values of the other player's information sets, solves a linear program. At a
vertex enough of its inequalities are equalities to determine x: sequences off the support have probability zero, and
best responses of the other player have equal payoffs. The floats suggest these equalities; the nearest independent ones
are solved. On a face of optimal plans the remaining probabilities stay near the floats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from ..methods import SolverStopped, StopCheck, stop_check
from ..payoffs import Vector
from ..solution import ExactSolution, RawSolution
from ..solvers.lifting import PRIMES, Integers, lifted
from ..solvers.linear_program import solved_in_slices
from .sequence_form import SequenceForm
from .treeplex import Treeplex

# The most payoffs for which HiGHS' simplex method is faster than its interior point with crossover.
SIMPLEX_PAYOFFS = 8000
SOLVERS = {"highs-ds": "dual simplex", "highs-ipm": "interior point"}


def linear_program(
    game: SequenceForm,
    *,
    seconds: float | None = None,
    on_progress: Callable[[int, float], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> RawSolution:
    """Both players' plans, in the kernels' order, from a linear program and its dual.

    Parameters
    ----------
    game : SequenceForm
    seconds, on_progress, stop
        As of :func:`solved_in_slices`.
    """
    program = _program(game)
    solver = "highs-ds" if game.payoffs.nnz <= SIMPLEX_PAYOFFS else "highs-ipm"
    answer, iterations = solved_in_slices(program, solver, seconds=seconds, on_progress=on_progress, stop=stop)
    if answer is None:
        return _unsolved(game, iterations, "interrupted", "asked to stop")
    if answer.status != 0:
        return _unsolved(game, iterations, str(answer.message), None)
    row = _plan(game.row, answer.x[: len(game.row)])
    column = _plan(game.column, -answer.ineqlin.marginals)
    return RawSolution(row, column, "linear-programming", iterations, note=f"HiGHS, {SOLVERS[solver]}")


def _unsolved(game: SequenceForm, iterations: int, note: str, stopped: str | None) -> RawSolution:
    row, column = game.row.uniform(), game.column.uniform()
    return RawSolution(row, column, "linear-programming", iterations, note=note, stopped=stopped)


def _program(game: SequenceForm) -> dict[str, Any]:
    """Arguments of scipy's linprog, the payoffs scaled by their range."""
    from scipy.sparse import coo_array, csr_array, hstack

    rows, sets = len(game.row), len(game.column.parent) + 1
    objective = np.zeros(rows + sets)
    objective[rows] = -1.0
    first = np.zeros(len(game.row.parent) + 1)
    first[0] = 1.0
    # The payoff of the empty sequences is constant, and may be large.
    first_alone = coo_array(([1.0], ([0], [0])), shape=game.shape).tocsr()
    payoffs = game.inward - game.inward[0, 0] * first_alone
    # A smaller range is rounding. The inverse of the scale may overflow, so that payoffs are divided by it.
    payoffs.data /= max(game.spread, 2.0**-60 * float(np.abs(payoffs.data).max(initial=0.0))) or 1.0
    return {
        "c": objective,
        "A_ub": hstack([-payoffs.T, _constraints(game.column).T], format="csc"),
        "b_ub": np.zeros(len(game.column)),
        "A_eq": hstack([_constraints(game.row), csr_array((len(first), sets))], format="csc"),
        "b_eq": first,
        "bounds": [(0, None)] * rows + [(None, None)] * sets,
    }


def _constraints(tree: Treeplex) -> Any:
    """E or F in the kernels' order, the empty sequence's row first."""
    from scipy.sparse import coo_array

    sets = len(tree.parent)
    owners = np.repeat(np.arange(1, sets + 1), np.diff(tree.first))
    rows = np.concatenate([[0], owners, np.arange(1, sets + 1)])
    columns = np.concatenate([[0], np.arange(1, len(tree)), tree.parent])
    values = np.concatenate([np.ones(len(tree)), -np.ones(sets)])
    return coo_array((values, (rows, columns)), shape=(sets + 1, len(tree))).tocsr()


def _plan(tree: Treeplex, weights: Vector) -> Vector:
    """A plan from a solution up to the solver's tolerance."""
    positive = np.where(np.isfinite(weights), np.maximum(weights, 0.0), 0.0)
    return tree.plan(tree.behaviour(positive))


Plan = list[int]  # each divided by the first one
Entries = list[tuple[int, int, int]]
LARGEST = (10, 100, 1000, 10**4, 10**5, 10**6, 10**7)
# Smaller realisation probabilities count as zero, and answers within this share of the largest payoff as best
# responses.
PLAYED, NEARLY = 1e-9, 1e-5
MOST_UNKNOWN = 3000
# The largest denominator of a probability that stays near its float.
STAY = 10**9


def solve_exactly(
    game: SequenceForm, raw: RawSolution, *, stop: Callable[[], bool] | None = None
) -> ExactSolution | None:
    """The solution in fractions, verified.

    Parameters
    ----------
    game : SequenceForm
    raw : RawSolution
        Plans in the kernels' order, near an equilibrium.
    stop : callable, optional
        Called at intervals; once it returns true, the solver ends.

    Returns
    -------
    ExactSolution or None
        None if no candidate is a solution.

    Raises
    ------
    SolverStopped
        If `stop` returns true.
    """
    payoffs = game.fractions()
    scale = lcm(*{value.denominator for _, _, value in payoffs})
    won = [(i, j, value.numerator * (scale // value.denominator)) for i, j, value in payoffs]
    paid = [(j, i, -value) for i, j, value in won]
    check_stop = stop_check(stop)
    for x, y in _candidates(game, raw, won, paid, stop):
        check_stop()
        least = -_best(game.column, _against(x, paid, len(game.column)))
        if least * y[0] == _best(game.row, _against(y, won, len(game.row))) * x[0]:
            return ExactSolution(Fraction(least, x[0] * scale), _outward(game.row, x), _outward(game.column, y))
    return None


def _candidates(
    game: SequenceForm, raw: RawSolution, won: Entries, paid: Entries, stop: Callable[[], bool] | None
) -> Iterator[tuple[Plan, Plan]]:
    """Candidates for an equilibrium in whole numbers, the simplest ones first."""
    steps = game.row.behaviour(raw.row).tolist(), game.column.behaviour(raw.column).tolist()
    for largest in LARGEST:
        yield _near(game.row, steps[0], largest), _near(game.column, steps[1], largest)
    check_stop = stop_check(stop)
    yield from _vertices(game, raw.row, raw.column, won, paid, check_stop)
    if raw.method != "linear-programming":
        solved = linear_program(game, stop=stop)
        if solved.stopped is not None:
            raise SolverStopped
        yield from _vertices(game, solved.row, solved.column, won, paid, check_stop)


def _vertices(
    game: SequenceForm, row: Vector, column: Vector, won: Entries, paid: Entries, check_stop: StopCheck
) -> Iterator[tuple[Plan, Plan]]:
    x = vertex(game.row, game.column, paid, row, check_stop)
    y = None if x is None else vertex(game.column, game.row, won, column, check_stop)
    if x is not None and y is not None:
        yield x, y


def _near(tree: Treeplex, behaviour: list[float], largest: int) -> Plan:
    """The plan of the nearest fractions with denominators up to the largest."""
    plan = [Fraction(1)] + [Fraction(step).limit_denominator(largest) for step in behaviour[1:]]
    for place, parent in enumerate(tree.parent.tolist()):
        begin, end = tree.first[place], tree.first[place + 1]
        total = sum(plan[begin:end])
        plan[begin:end] = [plan[parent] * step / total for step in plan[begin:end]]
    common = lcm(*{step.denominator for step in plan})
    return [step.numerator * (common // step.denominator) for step in plan]


def _against(plan: Plan, entries: Entries, count: int) -> list[int]:
    """The payoff of each of a player's sequences against a plan of the other."""
    earned = [0] * count
    for own, other, value in entries:
        earned[own] += value * plan[other]
    return earned


def _best(tree: Treeplex, earned: list[int]) -> int:
    """The payoff of the best response."""
    for place in range(len(tree.parent) - 1, -1, -1):
        earned[tree.parent[place]] += max(earned[tree.first[place] : tree.first[place + 1]])
    return earned[0]


def _outward(tree: Treeplex, plan: Plan) -> list[Fraction]:
    """The plan in the user's order."""
    return [Fraction(plan[place], plan[0]) for place in np.argsort(tree.order).tolist()]


def vertex(own: Treeplex, other: Treeplex, entries: Entries, plan: Vector, check_stop: StopCheck) -> list[int] | None:
    """The plan in whole numbers, each to be divided by the first one.

    Parameters
    ----------
    own, other : Treeplex
        The player of the plan, and the other one.
    entries : list of (int, int, int)
        Payoffs of the other player, by its sequence and the plan's.
    plan : ndarray
        In floats.
    check_stop : callable
        Called at intervals; an exception ends the computation.

    Returns
    -------
    list of int or None
        None if the plan is near no such point, or there are too many equations.
    """
    played = np.flatnonzero(plan > PLAYED)
    unknown = len(played) + len(other.parent) + 1
    if unknown > MOST_UNKNOWN or played[0] != 0:
        return None
    lines = _equations(own, other, entries, played, _lost(other, entries, plan))
    for place, chance in enumerate(plan[played].tolist()[1:], 1):
        stays = Fraction(chance).limit_denominator(STAY)
        lines.append({place: stays.denominator, 0: -stays.numerator})
    matrix = np.full((len(lines), unknown), 0, dtype=object)
    for number, line in enumerate(lines):
        matrix[number, list(line)] = list(line.values())
    chosen = _independent(matrix, check_stop)
    if len(chosen) < unknown:
        return None
    # The first one says that the first probability is 1; added to all others, it makes all right sides 1.
    matrix[1:, 0] += 1
    weights = lifted(matrix[chosen], check_stop)
    if weights is None or min(weights[: len(played)]) < 0:
        return None
    numbers = [0] * len(own)
    for place, weight in zip(played.tolist(), weights, strict=False):
        numbers[place] = int(weight)
    return numbers


def _lost(other: Treeplex, entries: Entries, plan: Vector) -> Vector:
    """The loss of each sequence against the best response in its information set, as a share of the largest payoff."""
    largest = max((abs(value) for _, _, value in entries), default=1) or 1
    earned = np.zeros(len(other))
    for answer, place, value in entries:
        earned[answer] += value / largest * plan[place]
    lost = np.zeros(len(other))
    for place in range(len(other.parent) - 1, -1, -1):
        own = slice(other.first[place], other.first[place + 1])
        best = earned[own].max()
        lost[own] = best - earned[own]
        earned[other.parent[place]] += best
    return lost


def _equations(own: Treeplex, other: Treeplex, entries: Entries, played: Any, lost: Vector) -> list[dict[int, int]]:
    """Equations that may hold, by their unknowns; nearest first.

    Unknowns are the sequences of the support, the value of the empty sequence, and those of the information sets.
    """
    count = len(played)
    column = {int(place): number for number, place in enumerate(played)}
    begin: list[dict[int, int]] = [{0: 1}]
    for place, parent in enumerate(own.parent.tolist()):
        ends = [column[step] for step in range(own.first[place], own.first[place + 1]) if step in column]
        line = dict.fromkeys(ends, 1) | ({column[parent]: -1} if parent in column else {})
        if line:
            begin.append(line)
    owner = np.concatenate([[0], np.repeat(np.arange(1, len(other.parent) + 1), np.diff(other.first))])
    answers: list[dict[int, int]] = [{count + int(place): -1} for place in owner]
    for place, parent in enumerate(other.parent.tolist()):
        answers[parent][count + 1 + place] = 1
    for answer, place, value in entries:
        if place in column:
            answers[answer][column[place]] = value
    near = [place for place in np.argsort(lost, kind="stable").tolist() if lost[place] <= NEARLY]
    return begin + [answers[place] for place in near]


def _independent(matrix: Integers, check_stop: StopCheck) -> list[int]:
    """The first rows that are independent of those before, modulo a prime."""
    prime = PRIMES[0]
    left = (matrix % prime).astype(np.int64)
    chosen: list[int] = []
    for row in range(len(left)):
        check_stop()
        places = np.flatnonzero(left[row])
        if not places.size:
            continue
        chosen.append(row)
        line = left[row, places] * pow(int(left[row, places[0]]), -1, prime) % prime
        touched = row + 1 + np.flatnonzero(left[row + 1 :, places[0]])
        block = np.ix_(touched, places)
        left[block] = (left[block] - np.multiply.outer(left[touched, places[0]], line)) % prime
        if len(chosen) == matrix.shape[1]:
            break
    return chosen
