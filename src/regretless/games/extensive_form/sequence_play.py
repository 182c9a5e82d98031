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
from ..raw_solution import RawSolution, Trajectory, Vector
from ..registry import AVERAGES, IN_TURNS
from ..scaling import in_payoffs
from .sequence_form import SequenceForm
from .treeplex import Treeplex

# The most rounds where none are given.
MOST_ROUNDS = 1_000_000
# The gap costs about as much as a round: it is looked at after so many more of them, as a share and at least.
GROWTH, LEAST_STEP = 0.06, 8
# Numbers that a call may touch before a request to stop is noticed.
CHUNK = 1 << 23
# The players' own sums of the gap are rounded; this much of the tolerance is kept for that.
SAFE = 0.999
REGRETS, LAST, BEHAVIOUR, PLAN, AVERAGE = range(_core.TREE_ROWS)
PROGRESS = 0.2


class TreePlay(KernelState):
    """Two learners on a tree, and their arrays; they go on where they stopped.

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
        If a parameter has no meaning.
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
        self.alternate = method != "cfr" if alternate is None else bool(alternate)
        self.power = (0 if method == "cfr" else 2) if average is None else AVERAGES.index(average)
        plans = (None, None) if start is None else (game.row.inward_plan(start[0]), game.column.inward_plan(start[1]))
        self.row, self.column = _begun(game.row, plans[0]), _begun(game.column, plans[1])
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
        """How many have been played."""
        return int(self.book[0])

    @property
    def ledger(self) -> GameLedger:
        """What was observed up to the last look, in payoffs."""
        return in_payoffs(self.book, self.game.unit)

    @property
    def settings(self) -> dict[str, Any]:
        """What a theorem must know of the players besides."""
        return {"alternate": self.alternate, "power": self.power, "started": self.started}

    def play(self, rounds: int) -> None:
        """Play so many rounds more."""
        self.core.play(rounds)

    def look(self) -> tuple[float, float]:
        """What the average plans guarantee the row player, and what they cost the column player at most."""
        if not self.rounds:
            return self.game._enclose(*self.plans())
        self.core.settle()
        ledger = self.ledger
        met, met_earlier = (self.memory * self.game.unit).tolist()
        return (met_earlier - ledger.column_regret) / ledger.weight, (met + ledger.row_regret) / ledger.weight

    def plans(self) -> tuple[Vector, Vector]:
        """The average plans, in the kernels' order; before the first round the plans that it is begun with."""
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
    """Let two learners play until the gap is small enough, or so many rounds are over.

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
        marks.append((play.rounds, *play.look()))
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
    """Play until so many rounds are over, unless a stop is asked for; whether it came to the end."""
    chunk = max(1, CHUNK // (2 * play.game.payoffs.nnz + 16 * sum(play.game.shape)))
    while play.rounds < until:
        play.play(min(chunk, until - play.rounds))
        if stop is not None and stop():
            return False
    return True


def _begun(tree: Treeplex, plan: Vector | None) -> Vector:
    state = np.zeros((_core.TREE_ROWS, len(tree)))
    state[BEHAVIOUR] = tree.behaviour(np.zeros(len(tree)) if plan is None else plan)
    state[PLAN] = tree.plan(state[BEHAVIOUR])
    return state


def _course(marks: list[tuple[int, float, float]]) -> Trajectory:
    rounds, lower, upper = (np.array(values) for values in zip(*marks, strict=True))
    return Trajectory(rounds.astype(np.int64), upper - lower, lower, upper)
