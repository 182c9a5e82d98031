"""One run of a bandit in its environment, by the compiled loop."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...environments import Environment, Oblivious, Stochastic, Table
from ..comparators import CELLS, Hindsight, in_units, look
from ..state import DRAWS, FIELDS, IMPLICIT, MISSED, BanditState, Scale
from ..validation import complaint

Array = np.ndarray[Any, Any]
PIECE = 1 << 20  # rounds after which a request to stop is noticed
PIECE_CELLS = 1 << 26  # the same for many arms, whose rounds may cost as much as there are numbers in a row
FEWEST = 1 << 10
LOSS, ROUNDS, SETTLED = (FIELDS.index(name) for name in ("loss", "rounds", "settled"))
Watch = Callable[[int], None]
Call = Callable[..., tuple[int, str | None, int]]


class Halted(Exception):
    """Somebody wished to stop; the run is not over."""


@dataclass(frozen=True, eq=False, repr=False)
class Plan:
    """What all runs have in common.

    Attributes
    ----------
    environment : Environment
    rounds : int
    marks : ndarray of int64
        Numbers of rounds after which it is noted how things stand; ascending, the last one all rounds.
    scale : Scale
    names : sequence of str
        Of the arms.
    advice : ndarray or None
        Of the experts in each round.
    hindsight : Hindsight or None
        Of losses that all runs meet.
    experts : int
    realised : bool
        Whether each run is to look at the losses that it alone met.
    tell : callable
        Called with how many rounds were played since its last call; it raises `Halted`.
    """

    environment: Environment
    rounds: int
    marks: Array
    scale: Scale
    names: Sequence[str]
    advice: Array | None
    hindsight: Hindsight | None
    experts: int
    realised: bool
    tell: Callable[[int], None]
    stops: list[int] = field(init=False)  # the marks as Python's whole numbers
    piece: int = field(init=False)

    def __post_init__(self) -> None:
        cells = self.environment.arms if self.advice is None else max(self.environment.arms, self.advice[0].size)
        object.__setattr__(self, "stops", self.marks.tolist())
        object.__setattr__(self, "piece", max(FEWEST, min(PIECE, PIECE_CELLS // cells)))

    def fresh(self) -> Hindsight:
        """For the losses of one run."""
        return Hindsight(self.environment.arms, self.marks, self.experts)


@dataclass(frozen=True, eq=False)
class RunRecord:
    """Where one run writes how it went; a number for each mark.

    Attributes
    ----------
    loss : ndarray, shape (marks,)
        In units, up to there.
    certificate : ndarray, shape (marks,)
        The same less the least estimated loss.
    regret : ndarray, shape (marks,)
        In units; by means where the losses of the arms are not needed.
    means : ndarray, shape (marks,)
        The regret by means, where losses have some.
    shares : ndarray or None, shape (marks, arms)
        Probabilities of the next draw.
    """

    loss: Array
    certificate: Array
    regret: Array
    means: Array
    shares: Array | None


class PlayMethod(ABC):
    """A way to play an environment."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    @abstractmethod
    def play(self, state: BanditState, run: int, course: RunRecord) -> Hindsight | None:
        """Play one run to its end.

        Parameters
        ----------
        state : BanditState
            Fresh.
        run : int
            Its number.
        course : RunRecord

        Returns
        -------
        Hindsight or None
            Of the losses that this run met, if other runs meet others.

        Raises
        ------
        Halted
            If the run was stopped.
        """

    def _advance(
        self, call: Call, first: int, last: int, course: RunRecord, watch: Watch | None = None, shift: int = 0
    ) -> None:
        """Play the rounds `first` to before `last`; `call` knows them by numbers that are smaller by `shift`.

        What watches is called with the place of each mark when the run has come there.
        """
        plan, stops = self.plan, self.plan.stops
        place = bisect_right(stops, first)
        while first < last:
            end = min(first + plan.piece, last)
            if watch is not None and place < len(stops):
                end = min(end, stops[place])
            after = bisect_right(stops, end)
            marks = plan.marks[place:after]
            played, why, column = call(
                first - shift,
                end - shift,
                marks=marks - shift if shift else marks,
                loss_curve=course.loss[place:after],
                certificate_curve=course.certificate[place:after],
                shares=None if course.shares is None else course.shares[place:after],
            )
            if why is not None:
                raise self._complaint(why, first + played, column)
            first += played
            after = bisect_right(stops, first)
            if watch is not None and after > place:
                watch(place)
            place = after
            plan.tell(played)

    def _complaint(self, why: str, row: int, column: int) -> Exception:
        scale = self.plan.scale
        return complaint(why, row, column, self.plan.names, (scale.low, scale.high), scale.rewards)


class TableMethod(PlayMethod):
    """A table that lies in memory, or in a file that is mapped there."""

    def play(self, state: BanditState, run: int, course: RunRecord) -> None:
        """By the compiled loop over the table."""
        plan, core = self.plan, state.core
        assert isinstance(plan.environment, Table)
        assert plan.hindsight is not None
        table, advice, hindsight = plan.environment.table, plan.advice, plan.hindsight
        clean = not hindsight.slept  # `hindsight` has looked at every number

        def call(begin: int, end: int, **more: Any) -> tuple[int, str | None, int]:
            outcome: tuple[int, str | None, int] = core.play_table(
                table, begin, end, advice=advice, clean=clean, **more
            )
            return outcome

        if not hindsight.slept:
            self._advance(call, 0, plan.rounds, course)
            np.subtract(course.loss, hindsight.least, out=course.regret)
            return
        # What a learner missed while each arm was asleep has to be looked at when the run comes to a mark.
        self._advance(call, 0, plan.rounds, course, _regrets(state, hindsight, course))


class Chances(PlayMethod):
    """Losses by chance, made where they are met, for learners without experts.

    The regret by means is counted from the draws. That on the losses as they came needs them to be made once more, if
    they are not too many.
    """

    def play(self, state: BanditState, run: int, course: RunRecord) -> Hindsight | None:
        """By the compiled loop, a stretch at a time."""
        plan, core = self.plan, state.core
        assert isinstance(plan.environment, Stochastic)
        world = plan.environment.world(run)

        def call(begin: int, end: int, **more: Any) -> tuple[int, str | None, int]:
            outcome: tuple[int, str | None, int] = core.play_bernoulli(
                world.means, world.starts, world.key, begin, end, **more
            )
            return outcome

        expected, observed = _Expected(state, plan, course), plan.realised or plan.hindsight is not None
        starts = [start for start in world.starts.tolist() if start < plan.rounds]
        for means, first, last in zip(world.means, starts, [*starts[1:], plan.rounds], strict=False):
            expected.enter(means, first)
            # On the way the regret by means is asked for only if no other is known.
            self._advance(call, first, last, course, None if observed else expected.note)
            if last == plan.rounds:
                expected.note(len(plan.stops) - 1)
            expected.leave(last)
        own = _realised(plan, run) if plan.realised else None
        hindsight = own or plan.hindsight
        np.copyto(course.regret, course.means if hindsight is None else course.loss - hindsight.least)
        return own


class _Expected:
    """What a run and each arm lose in expectation, from how often arms were drawn while they had their means."""

    def __init__(self, state: BanditState, plan: Plan, course: RunRecord) -> None:
        self._draws, self._plan, self._course = state.tallies[DRAWS], plan, course
        self._before, self._lost, self._arms = self._draws.copy(), 0.0, np.zeros(state.arms)

    def enter(self, means: Array, first: int) -> None:
        """A stretch begins."""
        self._means, self._first = means, first

    def leave(self, last: int) -> None:
        """It is over."""
        self._lost, self._arms = self._so_far(last)
        self._before = self._draws.copy()

    def note(self, mark: int) -> None:
        """The regret by means up to a mark."""
        lost, arms = self._so_far(self._plan.stops[mark])
        self._course.means[mark] = lost - arms.min()

    def _so_far(self, rounds: int) -> tuple[float, Array]:
        lost = self._lost + float(np.add.reduce((self._draws - self._before) * self._means))
        return lost, self._arms + (rounds - self._first) * self._means


class InBlocks(PlayMethod):
    """Losses that are made in blocks, by any oblivious environment."""

    def play(self, state: BanditState, run: int, course: RunRecord) -> Hindsight | None:
        """By the compiled loop over each block."""
        plan, core = self.plan, state.core
        environment = plan.environment
        assert isinstance(environment, Oblivious)
        own = plan.fresh() if plan.hindsight is None else None
        hindsight = own or plan.hindsight
        assert hindsight is not None
        step = max(1, CELLS // environment.arms)
        for first in range(0, plan.rounds, step):
            last = min(first + step, plan.rounds)
            block = environment.read(first, last, run)
            advice = None if plan.advice is None else plan.advice[first:last]
            if own is not None:
                own.add(in_units(block, plan.scale), advice)

            def call(begin: int, end: int, *, _block: Any = block, _advice: Any = advice, **more: Any) -> Any:
                return core.play_table(_block, begin, end, advice=_advice, **more)

            self._advance(call, first, last, course, _regrets(state, hindsight, course), first)
        return own


class RoundByRound(PlayMethod):
    """Round by round, with an environment that sees what was drawn."""

    def play(self, state: BanditState, run: int, course: RunRecord) -> Hindsight:
        """The compiled loop plays a table of one row at a time."""
        plan, core = self.plan, state.core
        opponent, foresees = plan.environment.begin(run), plan.environment.foresees
        losses_so_far = _RunLosses(plan)
        note, mark = _regrets(state, losses_so_far.hindsight, course), 0
        none, one = plan.marks[:0], np.ones(1, dtype=np.int64)
        arm = np.zeros(1, dtype=np.int32)
        for t in range(plan.rounds):
            advised = None if plan.advice is None else plan.advice[t : t + 1]
            probabilities = core.probabilities(None, None if advised is None else advised[0]) if foresees else None
            marked = t + 1 == plan.stops[mark]
            after = mark + marked
            _, why, column = core.play_table(
                losses_so_far.row(opponent.losses(probabilities)),
                0,
                1,
                arms=arm,
                advice=advised,
                marks=one if marked else none,
                loss_curve=course.loss[mark:after],
                certificate_curve=course.certificate[mark:after],
                shares=None if course.shares is None else course.shares[mark:after],
            )
            if why is not None:
                raise self._complaint(why, t, column)
            opponent.see(int(arm[0]))
            if marked:
                losses_so_far.look()
                note(mark)
            mark = after
        return losses_so_far.hindsight


class _RunLosses:
    """The losses of a run so far; many rows are looked at together."""

    def __init__(self, plan: Plan) -> None:
        self.hindsight = plan.fresh()
        arms = plan.environment.arms
        self._plan, self._rows, self._count = plan, np.empty((max(1, min(FEWEST, CELLS // arms)), arms)), 0

    def row(self, losses: Array) -> Array:
        """One more row, as a table."""
        if self._count == len(self._rows):
            self.look()
        self._rows[self._count] = losses
        self._count += 1
        return self._rows[self._count - 1 : self._count]

    def look(self) -> None:
        """Look at the rows that wait, and hear whether to stop."""
        first, advice = self.hindsight.rounds, self._plan.advice
        advised = None if advice is None else advice[first : first + self._count]
        self.hindsight.add(in_units(self._rows[: self._count], self._plan.scale), advised)
        self._plan.tell(self._count)
        self._count = 0


def play_method(plan: Plan) -> PlayMethod:
    """The fastest way to play an environment."""
    if isinstance(plan.environment, Table):
        return TableMethod(plan)
    if isinstance(plan.environment, Stochastic) and plan.advice is None:
        return Chances(plan)
    return InBlocks(plan) if isinstance(plan.environment, Oblivious) else RoundByRound(plan)


def _regrets(state: BanditState, hindsight: Hindsight, course: RunRecord) -> Watch:
    """Notes the regret at each mark; also what the run can certify, where arms slept."""
    book, missed, implicit = state.book, state.tallies[MISSED], state.state[IMPLICIT]

    def note(mark: int) -> None:
        course.regret[mark] = hindsight.regret(mark, book[LOSS], missed)
        if hindsight.slept and not hindsight.experts:
            course.certificate[mark] = book[LOSS] + book[ROUNDS] - book[SETTLED] - (missed + implicit).min()

    return note


def _realised(plan: Plan, run: int) -> Hindsight:
    """What the arms lost in the rounds of one run, made once more."""
    world = plan.environment
    assert isinstance(world, Oblivious)
    return look(plan.fresh(), lambda begin, end: world.read(begin, end, run), plan.scale, plan.names)
