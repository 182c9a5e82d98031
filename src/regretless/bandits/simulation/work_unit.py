"""What is done with a group of runs, wherever that is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..state import BanditState, Rules
from .one_run import Halted, Plan, play_method
from .storage import Group, Room, Runs


@dataclass(frozen=True, eq=False)
class Work:
    """What all groups have in common.

    Attributes
    ----------
    plan : Plan
    numbers : range
        Of all runs.
    rules : Rules
    seed : int
    comparators : int
        How many the learner compares itself with.
    shares : bool
        Whether probabilities are looked at.
    """

    plan: Plan
    numbers: range
    rules: Rules
    seed: int
    comparators: int
    shares: bool

    def play(self, places: range, runs: Runs, first: int = 0) -> Group:
        """Play the runs of some places, and note them; `runs` begins with the one at the place `first`."""
        plan, group, how = self.plan, Group.of(self.plan, self.shares), play_method(self.plan)
        for place in places:
            run = self.numbers[place]
            board = BanditState(plan.environment.arms, self.comparators, self.rules, plan.scale, self.seed, run)
            course = runs.course(place - first, self.shares)
            try:
                plan.tell(0)
                own = how.play(board, run, course)
            except Halted:
                break
            group.add(board, own, course)
            runs.note(place - first, board, own, course)
        return group

    def sendable(self) -> Work:
        """The same where nobody listens to how many rounds were played."""
        return replace(self, plan=replace(self.plan, tell=unheard))


@dataclass(frozen=True, eq=False)
class Parcel:
    """What comes back from elsewhere.

    Attributes
    ----------
    places : range
        Of the runs.
    group : Group
    noted : dict
        What `Runs.pack` gave.
    """

    places: range
    group: Group
    noted: dict[str, Any]


def parcel(work: Work, places: range) -> Parcel:
    """Play a group of runs, and note them apart from all others."""
    room = Room.of(work.plan, len(work.numbers)).part(places)
    runs = Runs(work.plan, work.numbers[places.start : places.stop], room)
    group = work.play(places, runs, places.start)
    return Parcel(places, group, runs.pack())


def unheard(_: int) -> None:
    """A callback that does nothing."""
