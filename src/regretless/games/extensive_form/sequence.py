"""Zero-sum games in sequence form, and how they are solved.

The interval that a method's plans guarantee is computed afresh; a solution is within the tolerance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from math import inf
from time import perf_counter
from typing import Any

from ...certificate import Certificate
from ...errors import ParameterError, RegretlessError
from ..methods import IN_TURNS, NO_FRACTIONS, SolverStopped, default_gap, wanted_gap
from ..play import tree_play
from ..solution import ExactSolution, GapBound, Once, RawSolution, SolveError
from ..solvers.linear_program import tree_program
from .sequence_form import SequenceForm, SequenceSolution

METHODS = ("auto", "linear-programming", *IN_TURNS)
# The tolerance, as a share of the range of expected payoffs, from which self-play is faster than linear programming.
COARSE = 1e-5
# Payoffs from which on linear programming takes minutes.
LARGEST_PROGRAM = 500_000
# The most rounds of self-play before linear programming; where self-play is fast it needs a few thousand.
TRIED_ROUNDS = 20_000

Finder = Callable[[], RawSolution]


class SequenceGame(SequenceForm):
    """A zero-sum game of two players with perfect recall, in sequence form.

    A sequence is the list of a player's actions on the way to a point of the tree. The row player wins x'Ay, where x
    and y are the probabilities of both players' sequences, with E x = e and F y = e, e being 1 in the first place and
    else 0.

    Parameters
    ----------
    payoffs : array, sparse matrix or (rows, columns, values, shape)
        A: for each pair of sequences the sum over the leaves that they lead to of the row player's payoff there times
        the probability of chance's moves on the way.
    row_constraints, column_constraints : array, sparse matrix or (rows, columns, values, shape)
        E and F: -1 where an information set is entered, 1 at each sequence that ends in it; sequence 0 is empty.
    rows, cols : sequence of str, optional
        Names of the sequences, the empty one first; by default their numbers from 0.
    row_infosets, col_infosets : sequence of str, optional
        Names of the information sets in the order of E's and F's rows, without the row of the empty sequence; by
        default their numbers from 1.
    row_actions, col_actions : sequence of str, optional
        Names of the last action of each sequence; by default the sequences' names.
    total : float
        The sum of both players' payoffs, if it is not 0 but constant.
    exact_payoffs : mapping of (int, int) to Fraction, optional
        The exact payoffs, by their places in A, which the floats approximate: intervals include the difference, and
        exact solutions are of these.

    Attributes
    ----------
    row, column : Treeplex
        The players' sequences and information sets.
    payoffs : csr_array
    unit : float
        The unit of the compiled core: a power of two for very large or small payoffs, else 1.

    Raises
    ------
    RegretlessError
        If the matrices are no sequence form.

    Examples
    --------
    >>> from regretless.games import SequenceGame
    >>> pennies = [[0, 0, 0], [0, 1, -1], [0, -1, 1]]  # after no action, heads or tails
    >>> choice = [[1, 0, 0], [-1, 1, 1]]
    >>> game = SequenceGame(pennies, choice, choice, rows=["", "heads", "tails"])
    >>> game.solve().behaviour("row")
    {'1': {'heads': 0.5, 'tails': 0.5}}
    """

    _solved: SequenceSolution | None = None

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any], **names: Any) -> SequenceGame:
        """A game from the arrays of an ``.npz`` file: ``A_row, A_col, A_val, A_shape``, and the same of E and F."""
        return cls(*(_from_file(arrays, letter) for letter in "AEF"), **names)

    def __repr__(self) -> str:
        sequences, sets = (len(self.row), len(self.column)), (len(self.row.sets), len(self.column.sets))
        counts = f"{sequences[0]} and {sequences[1]} sequences, {sets[0]} and {sets[1]} information sets"
        return f"<SequenceGame: {counts}>"

    def solve(
        self,
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
    ) -> SequenceSolution:
        """Find strategies of both players from which neither gains much by deviating.

        Parameters
        ----------
        method : str
            ``"linear-programming"`` (HiGHS) ends at an equilibrium; ``"pcfr+"``, ``"cfr+"`` and ``"cfr"`` let two
            learners play each other, with a regret matcher at each information set. ``"auto"`` chooses by size
            and tolerance.
        tolerance : float, optional
            The duality gap to reach, in payoffs; by default 1e-9 times the range of expected payoffs. Self-play with
            `rounds` and without a tolerance plays exactly `rounds`.
        exact : bool
            Also find the value and the plans in fractions, verified in exact arithmetic; of small games.
        rounds : int, optional
            Of self-play: the largest number.
        start : pair of array, optional
            Of self-play: initial plans.
        average : {"uniform", "linear", "quadratic"}, optional
            Of self-play: the weight of round t in the averages, 1, t or t^2; by default uniform for ``"cfr"``, else
            quadratic.
        alternate : bool, optional
            Of self-play: whether the column player moves second; the default for all but ``"cfr"``.
        on_progress : callable, optional
            Called at intervals with the number of iterations and the gap.
        stop : callable, optional
            Called at intervals; once it returns true, the solution so far is returned, with `stopped`.

        Returns
        -------
        SequenceSolution

        Raises
        ------
        SolveError
            If the tolerance is not reached, or no exact solution is found; it has the interval that was reached.
        RegretlessError
            If a parameter is invalid.
        """
        return _solve(
            self,
            method,
            tolerance,
            exact=exact,
            rounds=rounds,
            start=start,
            average=average,
            alternate=alternate,
            on_progress=on_progress,
            stop=stop,
        )

    @property
    def value(self) -> float:
        """The value of the game, by the default method to its default tolerance; solved once."""
        if self._solved is None:
            self._solved = self.solve()
        return self._solved.value


def _solve(
    game: SequenceForm,
    method: str,
    tolerance: float | None,
    *,
    exact: bool,
    on_progress: Callable[[int, float], None] | None,
    stop: Callable[[], bool] | None,
    **of_play: Any,
) -> SequenceSolution:
    """:meth:`SequenceGame.solve`; options of self-play by their names."""
    began = perf_counter()
    method = _method(method, of_play)
    target = wanted_gap(tolerance, of_play["rounds"], lambda: default_gap(game.spread, game.size))
    wanted = None if exact else tolerance  # exact solutions are near basic ones
    names = [method]
    if method == "auto":
        names = plan(game, wanted)
        of_play["rounds"] = TRIED_ROUNDS if _coarse(game, wanted) else None
    watched: dict[str, Any] = {"on_progress": on_progress, "stop": stop}
    play = partial(tree_play, game, tolerance=target, **of_play, **watched)
    program: Finder = partial(tree_program, game, **watched)
    finders = [program if name == "linear-programming" else partial(play, name) for name in names]
    raw, lower, upper = _attempted(game, finders, target)
    raw, proof = _exactly(game, raw, lower, upper, stop) if exact and raw.stopped is None else (raw, None)
    return _solution(game, raw, (lower, upper), proof, began)


def _method(method: str, of_play: dict[str, Any]) -> str:
    """The method's name.

    Raises
    ------
    RegretlessError
        If there is no such method, or an option of self-play is set for another method.
    """
    name = method.replace("_", "-") if isinstance(method, str) else method
    if name not in METHODS:
        raise ParameterError(
            "method", None, f"{method!r}; of games in sequence form one of {', '.join(METHODS)} is expected"
        )
    if name not in IN_TURNS:
        for parameter, value in of_play.items():
            if value is not None:
                raise RegretlessError(f"{parameter} is about self-play; method must name one: {', '.join(IN_TURNS)}")
    return name


def _solution(
    game: SequenceForm, raw: RawSolution, interval: tuple[float, float], proof: ExactSolution | None, began: float
) -> SequenceSolution:
    lower, upper = interval
    return SequenceSolution(
        rows=game.rows,
        columns=game.cols,
        method=raw.method,
        row=game.row.outward(raw.row),
        column=game.column.outward(raw.column),
        lower=lower,
        upper=upper,
        iterations=raw.iterations,
        seconds=perf_counter() - began,
        note=raw.note,
        stopped=raw.stopped,
        course=raw.course,
        exact=proof,
        make_certificates=Once(_certificates, game, raw, lower, upper),
        make_gap_bound=partial(_gap_bound, game, raw),
        row_tree=game.row,
        column_tree=game.column,
        total=game.total,
    )


def plan(game: SequenceForm, tolerance: float | None) -> list[str]:
    """The methods that ``"auto"`` tries, in order.

    Parameters
    ----------
    game : SequenceForm
    tolerance : float or None
        In payoffs, if the user set it.
    """
    if _coarse(game, tolerance):
        return ["cfr+", "linear-programming"]
    exact_first = ["linear-programming", "pcfr+"]
    return exact_first if game.payoffs.nnz <= LARGEST_PROGRAM else exact_first[::-1]


def _coarse(game: SequenceForm, tolerance: float | None) -> bool:
    return tolerance is not None and tolerance >= COARSE * game.spread > 0


def _attempted(game: SequenceForm, finders: list[Finder], tolerance: float | None) -> tuple[RawSolution, float, float]:
    """The solution of the first method within the tolerance.

    Raises
    ------
    SolveError
        If none is.
    """
    lower, upper = -inf, inf
    failures: list[str] = []
    for find in finders:
        raw = find()
        reached = game._enclose(raw.row, raw.column)
        if raw.stopped is not None or tolerance is None or reached[1] - reached[0] <= tolerance:
            note = "; ".join([raw.note, *failures] if raw.note else failures)
            return replace(raw, note=note), *reached
        lower, upper = max(lower, reached[0]), min(upper, reached[1])
        why = f" ({raw.note})" if raw.note else ""
        gap = reached[1] - reached[0]
        failures.append(f"{raw.method} left a gap of {gap:.3g} after {raw.iterations} iterations{why}")
    raise SolveError(
        f"the game was not solved to a gap of {tolerance:.3g}: {'; '.join(failures)}; "
        f"its value lies between {float(lower)!r} and {float(upper)!r}",
        lower,
        upper,
    )


def _exactly(
    game: SequenceForm, raw: RawSolution, lower: float, upper: float, stop: Callable[[], bool] | None
) -> tuple[RawSolution, ExactSolution | None]:
    """The solution in fractions; if that is stopped, the solution in floats, marked as stopped.

    Raises
    ------
    SolveError
        If there is none near.
    """
    from ..solvers.exact import solve_tree_exactly

    try:
        proof = solve_tree_exactly(game, raw, stop=stop)
    except SolverStopped:
        return replace(raw, stopped=NO_FRACTIONS), None
    if proof is None:
        raise SolveError(
            "no fractions near the plans in floats are an equilibrium; without exact the plans have a gap of"
            f" {upper - lower:.3g}",
            lower,
            upper,
        )
    return raw, proof


def _certificates(game: SequenceForm, raw: RawSolution, lower: float, upper: float) -> list[Certificate]:
    from ..certificates import sequence_certificates

    return sequence_certificates(game, raw, lower, upper)


def _gap_bound(game: SequenceForm, raw: RawSolution) -> GapBound | None:
    from ..certificates import sequence_gap_bound

    return None if raw.ledger is None else sequence_gap_bound(game, raw)


def _from_file(arrays: Mapping[str, Any], letter: str) -> tuple[Any, Any, Any, Any]:
    """A matrix as an ``.npz`` file has it.

    Raises
    ------
    RegretlessError
        If an array is missing.
    """
    names = [f"{letter}_{part}" for part in ("row", "col", "val", "shape")]
    missing = [name for name in names if name not in arrays]
    if missing:
        raise RegretlessError(f"{', '.join(missing)}: missing; a sequence form has {', '.join(names)}")
    rows, columns, values, shape = (arrays[name] for name in names)
    return rows, columns, values, shape
