"""The results of many runs: each one as far as memory allows, and their sums."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import nan
from typing import Any

import numpy as np

from ...comparator import BanditComparator
from ...ledger import BanditLedger
from ..comparators import Hindsight
from ..state import DRAWS, MISSED, BanditState
from .one_run import LOSS, Plan, RunRecord

Array = np.ndarray[Any, Any]
MOST_CURVES = 1 << 22  # numbers of one kind of curve that are kept, as 34 MB
MOST_LEDGERS = 10_000  # that are kept
LEDGER_CELLS = 50_000_000  # numbers in them, as 400 MB
FEW = 1000  # arms
_BY_RUN = ("_over", "losses", "regrets", "mean_regrets")
_CURVES = ("loss", "certificate", "regret")
_LISTS = ("_ledgers", "_comparators", "_arm_losses")


@dataclass(eq=False)
class Group:
    """Sums over some runs, in their order.

    Attributes
    ----------
    runs : int
    draws, missed : ndarray, shape (arms,)
        How often each arm was drawn, and what was lost while it was asleep.
    losses, asleep : ndarray, shape (arms,)
        What each arm lost, and for how many rounds it was asleep, if the runs met losses of their own.
    advised : ndarray, shape (experts,)
        What each expert lost then.
    shares : ndarray or None, shape (marks, arms)
        Probabilities of the draw that comes after each mark.
    """

    runs: int
    draws: Array
    missed: Array
    losses: Array
    asleep: Array
    advised: Array
    shares: Array | None

    @classmethod
    def of(cls, plan: Plan, shares: bool) -> Group:
        """Of no run yet."""
        draws, missed, losses, asleep = np.zeros((4, plan.environment.arms))
        probabilities = np.zeros((len(plan.marks), plan.environment.arms)) if shares else None
        return cls(0, draws, missed, losses, asleep, np.zeros(plan.experts), probabilities)

    def add(self, board: BanditState, own: Hindsight | None, course: RunRecord) -> None:
        """One more run."""
        self.runs += 1
        self.draws += board.tallies[DRAWS]
        self.missed += board.tallies[MISSED]
        if own is not None:
            self.losses += own.losses
            self.asleep += own.asleep
            self.advised += own.advised
        if self.shares is not None:
            self.shares += course.shares

    def join(self, later: Group) -> None:
        """And some more."""
        self.runs += later.runs
        for name in ("draws", "missed", "losses", "asleep", "advised", "shares"):
            mine = getattr(self, name)
            if mine is not None:
                mine += getattr(later, name)


@dataclass(frozen=True, eq=False)
class Room:
    """Of how many runs, the first ones, curves and ledgers are kept.

    Attributes
    ----------
    curves, ledgers : int
    alike : bool
        Whether ledgers share what was missed, which is nothing.
    """

    curves: int
    ledgers: int
    alike: bool

    @classmethod
    def of(cls, plan: Plan, runs: int) -> Room:
        """For so many runs of a plan."""
        arms = plan.environment.arms
        # Without sleep what was missed is the same array for all; few arms are not worth the time.
        alike = arms > FEW and plan.seen is not None and not plan.seen.slept
        cells = (2 if alike else 4) * arms + 2 * (plan.experts or arms) + (arms if plan.seen is None else 0)
        curves = min(runs, max(1, MOST_CURVES // len(plan.marks)))
        return cls(curves, min(runs, MOST_LEDGERS, max(1, LEDGER_CELLS // cells)), alike)

    def part(self, places: range) -> Room:
        """For some of these runs."""
        curves, ledgers = (max(0, min(most - places.start, len(places))) for most in (self.curves, self.ledgers))
        return Room(curves, ledgers, self.alike)


class Runs:
    """The runs of a plan, one by one as far as there is room, and summed up.

    Attributes
    ----------
    numbers : ndarray of int
        Which runs are over.
    losses, regrets, mean_regrets : ndarray, shape (runs,)
        In units; the last by means, where losses have some.
    loss, certificate, regret : ndarray, shape (curves, marks)
        Of the first runs, in units, up to each mark.
    ledgers : list of BanditLedger
        Of the first runs.
    comparators : list
        What these were compared with, if their losses were their own.
    arm_losses : list of ndarray
        What each arm lost in these then.
    sums : Group or None
    """

    def __init__(self, plan: Plan, numbers: range, room: Room | None = None) -> None:
        count, marks, arms = len(numbers), len(plan.marks), plan.environment.arms
        room = room or Room.of(plan, count)
        self._nothing = np.zeros(arms) if room.alike else None
        self._plan = plan
        self._over = np.zeros(count, dtype=bool)
        self.numbers = np.array(numbers, dtype=np.uint64)
        self.losses, self.regrets, self.mean_regrets = (np.full(count, nan) for _ in range(3))
        self.loss, self.certificate, self.regret = (np.full((room.curves, marks), nan) for _ in range(3))
        self._ledgers: list[BanditLedger | None] = [None] * room.ledgers
        self._comparators: list[list[BanditComparator]] = [[] for _ in range(room.ledgers)]
        self._arm_losses: list[Array] = [np.zeros(0)] * room.ledgers
        self.sums: Group | None = None

    def course(self, place: int, shares: bool) -> RunRecord:
        """Where a run writes how it goes."""
        plan = self._plan
        room = np.zeros((len(plan.marks), plan.environment.arms)) if shares else None
        means = np.full(len(plan.marks), nan)
        if place < len(self.loss):
            return RunRecord(self.loss[place], self.certificate[place], self.regret[place], means, room)
        loss, certificate, regret = np.full((3, len(plan.marks)), nan)
        return RunRecord(loss, certificate, regret, means, room)

    def note(self, place: int, board: BanditState, own: Hindsight | None, course: RunRecord) -> None:
        """A run is over."""
        self.losses[place], self.regrets[place] = board.book[LOSS], course.regret[-1]
        self.mean_regrets[place] = course.means[-1]
        if place < len(self._ledgers):
            ledger = board.ledger()
            if self._nothing is not None:
                ledger = replace(ledger, missed=self._nothing, asleep=self._nothing)
            self._ledgers[place] = ledger
            if own is not None:
                self._comparators[place] = own.comparators(ledger, self._plan.names)
                self._arm_losses[place] = own.losses
        self._over[place] = True

    def pack(self) -> dict[str, Any]:
        """What was noted, to be sent to where other runs are."""
        return {name: getattr(self, name) for name in (*_BY_RUN, *_CURVES, *_LISTS)}

    def unpack(self, places: range, noted: dict[str, Any]) -> None:
        """What was noted of some of the runs elsewhere."""
        for name in (*_BY_RUN, *_CURVES, *_LISTS):
            values = noted[name]
            getattr(self, name)[places.start : places.start + len(values)] = values
        if self._nothing is not None:
            for place in range(places.start, places.start + len(noted["_ledgers"])):
                ledger = self._ledgers[place]
                if ledger is not None:
                    self._ledgers[place] = replace(ledger, missed=self._nothing, asleep=self._nothing)

    def add(self, group: Group) -> None:
        """The sums of the next runs."""
        if self.sums is None:
            self.sums = group
        else:
            self.sums.join(group)

    def forget_unfinished(self) -> None:
        """Only runs that are over remain."""
        over = self._over
        kept = zip(self._ledgers, self._comparators, self._arm_losses, strict=True)
        found = [(ledger, compared, lost) for ledger, compared, lost in kept if ledger is not None]
        self.ledgers, self.comparators = [one[0] for one in found], [one[1] for one in found]
        self.arm_losses = [one[2] for one in found]
        if over.all():
            return
        self.numbers, self.losses, self.regrets = self.numbers[over], self.losses[over], self.regrets[over]
        self.mean_regrets = self.mean_regrets[over]
        curves = over[: len(self.loss)]
        self.loss, self.certificate, self.regret = (
            values[curves] for values in (self.loss, self.certificate, self.regret)
        )
        self._over = over[over]
