"""Self-play on sequence forms: counterfactual regret minimisation, a regret matcher in every information set."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from ... import _core
from ...errors import ParameterError
from ...ledger import GAME_FIELDS, GameLedger
from ...state import KernelState
from ...theory.game_facts import TREE_RULES
from ..methods import AVERAGES, IN_TURNS
from ..payoffs import Vector, in_payoffs
from ..solution import RawSolution, Trajectory
from .sequence_form import SequenceForm
from .treeplex import Treeplex

# The default limit of rounds.
MOST_ROUNDS = 1_000_000
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
    most = MOST_ROUNDS if rounds is None else rounds
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
