"""Self-play: two learners play each other, and their average strategies approach an equilibrium.

In sequence form that is counterfactual regret minimisation, with a regret matcher in every information set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf, isfinite, isnan
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .. import _core
from ..checks import positive, whole
from ..errors import ParameterError, RegretlessError
from ..ledger import GAME_FIELDS, GameLedger
from ..state import KernelState
from ..theory.game_facts import TREE_RULES
from .duel import Duel, copyable, gap_between, largest_product
from .methods import AVERAGES, IN_TURNS
from .payoffs import Payoffs, Vector, ZeroSum, in_payoffs, trusted_to
from .solution import RawSolution, Trajectory

if TYPE_CHECKING:
    from .extensive_form.sequence_form import SequenceForm
    from .extensive_form.treeplex import Treeplex

# Copies in 16 bits: the smallest tolerance, as a share of the range of payoffs, and the fewest payoffs.
COARSE = 4e-5
MANY = 1 << 14
# Without a number of rounds: the most products of two numbers, the fewest rounds, and the cost of each number of a
# strategy and of each call of a linear operator, in products.
MOST_WORK, LEAST_ROUNDS, UPKEEP, CALL = 10**11, 10**4, 50, 10**5
# The players' own sums are rounded: they aim at a gap a little below the tolerance.
CAUTION = 1 - 2.0**-10
# Rounds are counted in floats.
MOST_ROUNDS = 2**53


def self_play(
    payoffs: Payoffs | ZeroSum | Any,
    method: str = "rm+",
    *,
    rounds: int | None = None,
    tolerance: float | None = None,
    average: str | None = None,
    alternate: bool | None = None,
    rates: float | tuple[float, float] | None = None,
    start: tuple[Any, Any] | None = None,
    marks: int = 0,
    keep_strategies: bool = False,
    single: bool | None = None,
    column_payoffs: Payoffs | Any | None = None,
    joint: np.ndarray[Any, Any] | None = None,
    on_progress: Callable[[int, float], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> RawSolution:
    """Let two learners play each other until their average strategies are within the tolerance of an equilibrium.

    Parameters
    ----------
    payoffs : Payoffs, MatrixGame or an argument of Payoffs
        Payoffs of the row player.
    method, average, alternate, rates, start, joint
        As of :class:`Duel`; `joint` is divided by the weight of all rounds at the end.
    rounds : int, optional
        The largest number of rounds; the exact number without a tolerance.
    tolerance : float, optional
        The duality gap to reach, in payoffs; of two matrices, the average regret of each player to reach.
    marks : int
        Number of points of the trajectory, evenly spaced on a logarithmic axis.
    keep_strategies : bool
        Whether the trajectory has the average strategies too.
    single : bool, optional
        Whether dense payoffs are copied in 16 bits, which is faster, and multiplied in float32. By default for one
        large matrix at tolerances well above its rounding; the gap is then checked in float64.
    column_payoffs : Payoffs or an argument of Payoffs, optional
        Payoffs of the column player; by default the negated payoffs of the row player.
    on_progress : callable, optional
        Called at intervals with the number of rounds and the gap.
    stop : callable, optional
        Called at intervals; once it returns true, the play ends.

    Returns
    -------
    RawSolution
        The average strategies. If the tolerance was not reached, its `note` says so.

    Raises
    ------
    RegretlessError
        If a parameter is invalid.
    """
    matrix = payoffs.payoffs if isinstance(payoffs, ZeroSum) else Payoffs(payoffs)
    other = None if column_payoffs is None else Payoffs(column_payoffs, "column_payoffs")
    limit = _limit(matrix, rounds, tolerance)
    if single is None:
        single = tolerance is not None and other is None and _worth_copying(matrix, tolerance)
    duel = Duel(
        matrix,
        method,
        column_payoffs=other,
        average=average,
        alternate=alternate,
        rates=rates,
        rounds=rounds if tolerance is None else None,
        start=start,
        single=single,
        joint=joint,
    )
    course = _Course(duel, keep_strategies) if marks > 0 else None
    stopped = _play(duel, limit, tolerance, course, _marks(marks, limit), on_progress, stop)
    if joint is not None and duel.book[1] > 0:
        joint /= duel.book[1]
    return RawSolution(
        duel.row,
        duel.column,
        method,
        duel.rounds,
        note=_note(duel, tolerance, stopped),
        ledger=duel.ledger,
        settings=duel.settings,
        course=None if course is None else course.done(),
        stopped=stopped,
    )


def _limit(payoffs: Payoffs, rounds: int | None, tolerance: float | None) -> int:
    if tolerance is not None:
        _check_tolerance(payoffs, positive("tolerance", tolerance, or_zero=True))
    if rounds is not None:
        return min(whole("rounds", rounds), MOST_ROUNDS)
    if tolerance is None:
        raise RegretlessError("rounds, tolerance: self-play needs one of them to end")
    rows, columns = payoffs.shape
    work = rows * columns + UPKEEP * (rows + columns) + (2 * CALL if payoffs.kind == "operator" else 0)
    return max(LEAST_ROUNDS, MOST_WORK // work)


def _check_tolerance(payoffs: Payoffs, tolerance: float) -> None:
    """Refuse tolerances below the trusted accuracy of a linear operator's products."""
    if payoffs.kind != "operator":
        return
    least = 2 * trusted_to(payoffs, largest_product(payoffs) if isnan(payoffs.size) else payoffs.size)
    if tolerance <= least:
        raise ParameterError(
            "tolerance",
            f"{tolerance:.3g}",
            f"a linear operator's products are trusted up to rounding alone, so that no gap"
            f" below {least:.3g} can be reached here; a larger tolerance, or rounds=, is expected",
        )


def _worth_copying(payoffs: Payoffs, tolerance: float) -> bool:
    rows, columns = payoffs.shape
    if not copyable(payoffs) or rows * columns < MANY or not isfinite(payoffs.spread):
        return False
    return 0 < COARSE * payoffs.spread <= tolerance


def _marks(count: int, limit: int) -> Iterator[int]:
    """Rounds on a logarithmic axis; the last one is the limit."""
    last = 0
    for place in range(count - 1):
        mark = round(limit ** (place / max(1, count - 1)))
        if mark > last:
            yield mark
            last = mark
    while True:
        yield limit


def _play(
    duel: Duel,
    limit: int,
    tolerance: float | None,
    course: _Course | None,
    marks: Iterator[int],
    on_progress: Callable[[int, float], None] | None,
    stop: Callable[[], bool] | None,
) -> str | None:
    """Play to the end; the reason if it was stopped before."""
    target = -inf if tolerance is None else CAUTION * tolerance
    mark = next(marks) if course else limit
    while duel.rounds < limit:
        _, reached = duel.play(min(mark, limit) - duel.rounds, target)
        if course and duel.rounds >= mark:
            course.note()
            mark = next(marks)
        if reached and tolerance is not None:
            seen = _gap(duel)
            if seen <= CAUTION**0.5 * tolerance:
                break
            target = min(0.9 * target, target - 2 * (seen - tolerance))
        if on_progress:
            on_progress(duel.rounds, duel.ledger.gap)
        if stop and stop() and duel.rounds < limit:
            return "asked to stop"
    return None


def _gap(duel: Duel) -> float:
    """The gap of the average strategies, from the original payoffs."""
    if not duel.zero_sum:
        return duel.ledger.gap
    return gap_between(duel.payoffs, duel.row, duel.column)


def _note(duel: Duel, tolerance: float | None, stopped: str | None) -> str:
    words = f"{duel.average} average of {duel.rounds:,} rounds"
    if duel.alternate:
        words += ", in turns"
    if duel.single:
        words += ", payoffs in 16 bits"
    if tolerance is not None and stopped is None and not duel.ledger.gap <= tolerance:
        words += f"; a gap of {tolerance:.3g} was not reached"
    return words


class _Course:
    """Collects the trajectory of a self-play."""

    def __init__(self, duel: Duel, keep_strategies: bool) -> None:
        self._duel, self._keep = duel, keep_strategies
        self._points: list[tuple[int, float, float, float]] = []
        self._rows: list[Any] = []
        self._columns: list[Any] = []

    def note(self) -> None:
        duel = self._duel
        upper, below = duel.best
        self._points.append((duel.rounds, duel.ledger.gap, -below, upper))
        if self._keep:
            self._rows.append(duel.row)
            self._columns.append(duel.column)

    def done(self) -> Trajectory:
        if not self._points or self._points[-1][0] < self._duel.rounds:
            self.note()
        rounds, gap, lower, upper = zip(*self._points, strict=True)
        return Trajectory(
            np.array(rounds, dtype=np.int64),
            np.array(gap),
            np.array(lower),
            np.array(upper),
            np.array(self._rows) if self._keep else None,
            np.array(self._columns) if self._keep else None,
        )


# The default limit of rounds.
TREE_ROUNDS = 1_000_000
# The gap costs about as much as a round: rounds between two computations, as a share of all so far, and at least.
GROWTH, LEAST_STEP = 0.06, 8
# Numbers that a call to the kernel may touch, so that it can be interrupted.
CHUNK = 1 << 23
# The players' own sums of the gap are rounded: they aim at this share of the tolerance.
SAFE = 0.999
REGRETS, LAST, BEHAVIOUR, PLAN, AVERAGE = range(_core.TREE_ROWS)
PROGRESS = 0.2


class TreePlay(KernelState):
    """Two learners on a tree, and their arrays; a play can be continued.

    Parameters
    ----------
    game : SequenceForm
    method : {"pcfr+", "cfr+", "cfr"}
    average : {"uniform", "linear", "quadratic"}, optional
    alternate : bool, optional
    start : pair of array, optional
        Plans to begin with; by default every action of an information set has the same probability.

    Attributes
    ----------
    row, column : ndarray
        Summed regrets, the last ones, probabilities in the information sets, the plan and the weighted sum of plans.
    memory, book : ndarray
        In units of the game.

    Raises
    ------
    RegretlessError
        If a parameter is invalid.
    """

    ARRAYS: ClassVar[tuple[str, ...]] = ("row", "column", "memory", "book")

    def __init__(
        self,
        game: SequenceForm,
        method: str,
        *,
        average: str | None = None,
        alternate: bool | None = None,
        start: tuple[Any, Any] | None = None,
    ) -> None:
        if method not in IN_TURNS:
            raise ParameterError("method", None, f"{method!r}; one of {', '.join(IN_TURNS)} is expected")
        if average is not None and average not in AVERAGES:
            raise ParameterError("average", None, f"{average!r}; one of {', '.join(AVERAGES)} is expected")
        self.game, self.method, self.started = game, method, start is not None
        self.alternate = TREE_RULES[method].clips if alternate is None else bool(alternate)
        self.power = (2 if TREE_RULES[method].clips else 0) if average is None else AVERAGES.index(average)
        plans = (None, None) if start is None else (game.row.inward_plan(start[0]), game.column.inward_plan(start[1]))
        self.row, self.column = _initial(game.row, plans[0]), _initial(game.column, plans[1])
        self.memory, self.book = np.zeros(_core.TREE_MEMORY), np.zeros(len(GAME_FIELDS))
        self.core = self._core()

    def _core(self) -> Any:
        return _core.TreeDuel(
            self.game._tree,
            self.method,
            row=self.row,
            column=self.column,
            memory=self.memory,
            book=self.book,
            alternate=self.alternate,
            power=self.power,
        )

    @property
    def rounds(self) -> int:
        """Number of rounds so far."""
        return int(self.book[0])

    @property
    def ledger(self) -> GameLedger:
        """The ledger at the last computation of the gap, in payoffs."""
        return in_payoffs(self.book, self.game.unit)

    @property
    def settings(self) -> dict[str, Any]:
        """Other facts of the players for theorems."""
        return {"alternate": self.alternate, "power": self.power, "started": self.started}

    def play(self, rounds: int) -> None:
        """Play more rounds."""
        self.core.play(rounds)

    def interval(self) -> tuple[float, float]:
        """The interval that the average plans guarantee, by the players' own sums."""
        if not self.rounds:
            return self.game._enclose(*self.plans())
        self.core.settle()
        ledger = self.ledger
        met, met_earlier = (self.memory * self.game.unit).tolist()
        return (met_earlier - ledger.column_regret) / ledger.weight, (met + ledger.row_regret) / ledger.weight

    def plans(self) -> tuple[Vector, Vector]:
        """The average plans, in the kernels' order; before the first round the initial plans."""
        if not self.rounds:
            return self.row[PLAN].copy(), self.column[PLAN].copy()
        weight = self.ledger.weight
        return self.row[AVERAGE] / weight, self.column[AVERAGE] / weight


def tree_play(
    game: SequenceForm,
    method: str,
    *,
    rounds: int | None = None,
    tolerance: float | None = None,
    average: str | None = None,
    alternate: bool | None = None,
    start: tuple[Any, Any] | None = None,
    on_progress: Callable[[int, float], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> RawSolution:
    """Let two learners play until the gap is within the tolerance, or the rounds are over.

    Returns
    -------
    RawSolution
        Its strategies are plans in the kernels' order.
    """
    play = TreePlay(game, method, average=average, alternate=alternate, start=start)
    most = TREE_ROUNDS if rounds is None else rounds
    goal = -inf if tolerance is None else SAFE * tolerance
    marks: list[tuple[int, float, float]] = []
    last_report, going = perf_counter(), True
    while going and play.rounds < most and not (marks and play.ledger.gap <= goal):
        going = _played(play, min(most, play.rounds + max(LEAST_STEP if marks else 1, int(GROWTH * play.rounds))), stop)
        marks.append((play.rounds, *play.interval()))
        if on_progress is not None and perf_counter() - last_report > PROGRESS:
            last_report = perf_counter()
            on_progress(play.rounds, play.ledger.gap)
    return RawSolution(
        *play.plans(),
        method,
        play.rounds,
        ledger=play.ledger,
        settings=play.settings,
        course=_course(marks),
        stopped=None if going else "asked to stop",
    )


def _played(play: TreePlay, until: int, stop: Callable[[], bool] | None) -> bool:
    """Play up to a number of rounds; False if `stop` ended the play before."""
    chunk = max(1, CHUNK // (2 * play.game.payoffs.nnz + 16 * sum(play.game.shape)))
    while play.rounds < until:
        play.play(min(chunk, until - play.rounds))
        if stop is not None and stop():
            return False
    return True


def _initial(tree: Treeplex, plan: Vector | None) -> Vector:
    state = np.zeros((_core.TREE_ROWS, len(tree)))
    state[BEHAVIOUR] = tree.behaviour(np.zeros(len(tree)) if plan is None else plan)
    state[PLAN] = tree.plan(state[BEHAVIOUR])
    return state


def _course(marks: list[tuple[int, float, float]]) -> Trajectory:
    rounds, lower, upper = (np.array(values) for values in zip(*marks, strict=True))
    return Trajectory(rounds.astype(np.int64), upper - lower, lower, upper)
