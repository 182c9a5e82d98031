"""The results of many runs: each one as far as memory allows, their sums, and what follows from these."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import nan
from typing import Any

import numpy as np

from ...comparator import BanditComparator
from ...environments import Environment, Stochastic
from ...ledger import BanditLedger
from ...theory.bandit_facts import BanditFacts
from ..base import Bandit
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

    def add(self, state: BanditState, own: Hindsight | None, course: RunRecord) -> None:
        """One more run."""
        self.runs += 1
        self.draws += state.tallies[DRAWS]
        self.missed += state.tallies[MISSED]
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
        alike = arms > FEW and plan.hindsight is not None and not plan.hindsight.slept
        cells = (2 if alike else 4) * arms + 2 * (plan.experts or arms) + (arms if plan.hindsight is None else 0)
        curves = min(runs, max(1, MOST_CURVES // len(plan.marks)))
        return cls(curves, min(runs, MOST_LEDGERS, max(1, LEDGER_CELLS // cells)), alike)

    def part(self, places: range) -> Room:
        """For some of these runs."""
        curves, ledgers = (max(0, min(most - places.start, len(places))) for most in (self.curves, self.ledgers))
        return Room(curves, ledgers, self.alike)


@dataclass(frozen=True, eq=False)
class Parcel:
    """Runs that were played apart from others.

    Attributes
    ----------
    places : range
        Theirs among all.
    group : Group
    noted : dict
        What `Runs.pack` gave.
    """

    places: range
    group: Group
    noted: dict[str, Any]


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

    def note(self, place: int, state: BanditState, own: Hindsight | None, course: RunRecord) -> None:
        """A run is over."""
        self.losses[place], self.regrets[place] = state.book[LOSS], course.regret[-1]
        self.mean_regrets[place] = course.means[-1]
        if place < len(self._ledgers):
            ledger = state.ledger()
            if self._nothing is not None:
                ledger = replace(ledger, missed=self._nothing, asleep=self._nothing)
            self._ledgers[place] = ledger
            if own is not None:
                self._comparators[place] = own.comparators(ledger, self._plan.names)
                self._arm_losses[place] = own.losses
        self._over[place] = True

    def pack(self) -> dict[str, Any]:
        """What was noted, for where all runs are."""
        return {name: getattr(self, name) for name in (*_BY_RUN, *_CURVES, *_LISTS)}

    def take(self, parcel: Parcel) -> None:
        """The next runs, played apart from these."""
        places, noted = parcel.places, parcel.noted
        for name in (*_BY_RUN, *_CURVES, *_LISTS):
            values = noted[name]
            getattr(self, name)[places.start : places.start + len(values)] = values
        if self._nothing is not None:
            for place in range(places.start, places.start + len(noted["_ledgers"])):
                ledger = self._ledgers[place]
                if ledger is not None:
                    self._ledgers[place] = replace(ledger, missed=self._nothing, asleep=self._nothing)
        if self.sums is None:
            self.sums = parcel.group
        else:
            self.sums.join(parcel.group)

    def forget_unfinished(self) -> None:
        """Only runs that are over remain."""
        over = self._over
        runs = zip(self._ledgers, self._comparators, self._arm_losses, strict=True)
        finished = [(ledger, compared, lost) for ledger, compared, lost in runs if ledger is not None]
        self.ledgers, self.comparators = [one[0] for one in finished], [one[1] for one in finished]
        self.arm_losses = [one[2] for one in finished]
        if over.all():
            return
        self.numbers, self.losses, self.regrets = self.numbers[over], self.losses[over], self.regrets[over]
        self.mean_regrets = self.mean_regrets[over]
        curves = over[: len(self.loss)]
        self.loss, self.certificate, self.regret = (
            values[curves] for values in (self.loss, self.certificate, self.regret)
        )
        self._over = over[over]


@dataclass(frozen=True, eq=False, repr=False)
class Statistics:
    """The numbers of many runs, in the user's own scale.

    Attributes
    ----------
    learner : Bandit
        As it was given; it has not played.
    stands : BanditFacts
        What theorems know of it.
    plan : Plan
    seconds : float
        How long it all took.
    """

    learner: Bandit
    stands: BanditFacts
    plan: Plan
    _runs: Runs
    seconds: float

    # What was played.

    @property
    def environment(self) -> Environment:
        """Where."""
        return self.plan.environment

    @property
    def rounds(self) -> int:
        """Of each run."""
        return self.plan.rounds

    @property
    def runs(self) -> int:
        """How many are over."""
        return len(self._runs.numbers)

    @property
    def numbers(self) -> Array:
        """Which ones: run r can be seen once more with ``simulate(..., first=r, runs=1)``."""
        return self._runs.numbers

    @property
    def arms(self) -> list[str]:
        """Names of the arms."""
        return list(self.plan.names)

    @property
    def marks(self) -> Array:
        """Numbers of rounds at which curves have their points."""
        return self.plan.marks

    @property
    def by_means(self) -> bool:
        """Whether the regret is counted by means of the losses, as those that came were too many to be observed at."""
        observed = self.plan.hindsight is not None or self.plan.realised or self.plan.advice is not None
        return isinstance(self.environment, Stochastic) and not observed

    # How each run went.

    @property
    def losses(self) -> Array:
        """What each run lost in all; of rewards, by how much they missed the highest one."""
        return self._total(self._runs.losses)

    @property
    def rewards(self) -> Array | None:
        """What each run earned in all, if rewards were reported."""
        return self.plan.scale.high * self.rounds - self.losses if self.plan.scale.rewards else None

    @property
    def loss(self) -> float:
        """The mean of the losses over the runs."""
        return float(self.losses.mean())

    @property
    def loss_deviation(self) -> float | None:
        """Their standard deviation; None of a single run."""
        return float(self.losses.std(ddof=1)) if self.runs > 1 else None

    @property
    def reward(self) -> float | None:
        """The mean of the rewards over the runs, if rewards were reported."""
        return None if self.rewards is None else float(self.rewards.mean())

    @property
    def regrets(self) -> Array:
        """The regret of each run."""
        return self.plan.scale.width * self._runs.regrets

    @property
    def mean_regrets(self) -> Array | None:
        """The regret by means of each run: what its draws cost by the means of the arms, less the best arm's.

        None where losses have no means, and for a learner with experts. It is not what bounds are about.
        """
        known = isinstance(self.environment, Stochastic) and self.plan.advice is None
        return self.plan.scale.width * self._runs.mean_regrets if known else None

    def quantiles(self, *shares: float) -> Array:
        """Quantiles of the regret over the runs."""
        quantiles: Array = np.quantile(self.regrets, shares)
        return quantiles

    @property
    def ledgers(self) -> list[BanditLedger]:
        """The books of the runs; with very many runs or arms, of the first ones."""
        return self._runs.ledgers

    @property
    def loss_curve(self) -> Array:
        """The loss of each run up to each mark, shape (runs, marks); with very many runs, of the first ones."""
        return self._total(self._runs.loss, self.marks)

    @property
    def regret_curve(self) -> Array:
        """The regret of each run up to each mark, against what was best up to there."""
        return self.plan.scale.width * self._runs.regret

    def _total(self, units: Array, rounds: Any = None) -> Array:
        scale = self.plan.scale
        low = 0.0 if scale.rewards else scale.low
        return low * (self.rounds if rounds is None else rounds) + scale.width * units

    # All runs together.

    @property
    def _sums(self) -> Group:
        assert self._runs.sums is not None
        return self._runs.sums

    @property
    def draws(self) -> Array:
        """Share of the draws of each arm, over all runs."""
        return self._sums.draws / (self.runs * self.rounds)

    @property
    def shares(self) -> Array | None:
        """Probabilities of the draw that comes after each mark, shape (marks, arms), as means over the runs.

        Where experts advise, they are as if the advice of the last round were given once more.
        """
        return None if self._sums.shares is None else self._sums.shares / self.runs

    @property
    def arm_losses(self) -> Array | None:
        """What each arm lost while it was awake, as a mean over the runs; its mean `by_means`. None if unknown."""
        units = self._arm_units()
        return None if units is None else self._total(units, self.rounds - self._asleep())

    @property
    def _best(self) -> int | None:
        """The arm with the largest regret as a mean over the runs."""
        units = self._arm_units()
        if units is None:
            return None
        regrets = -self._sums.missed / self.runs - units
        return int(np.argmax(np.where(self._asleep() < self.rounds, regrets, -np.inf)))

    @property
    def best_arm(self) -> str | None:
        """The best fixed arm, for the mean over the runs."""
        return None if self._best is None else self.plan.names[self._best]

    @property
    def best_arm_loss(self) -> float | None:
        """What it loses in all, while it is awake."""
        return None if self._best is None or self.arm_losses is None else float(self.arm_losses[self._best])

    @property
    def best_arm_reward(self) -> float | None:
        """What it earns in all, while it is awake, if rewards were reported."""
        if self._best is None or self.best_arm_loss is None or not self.plan.scale.rewards:
            return None
        return float(self.plan.scale.high * (self.rounds - self._asleep()[self._best]) - self.best_arm_loss)

    @property
    def pseudo_regret(self) -> float:
        """By how much the mean loss is above that of the best fixed arm, or expert.

        NaN where the losses of the arms were not looked at; see `mean_regrets`.
        """
        if self.by_means:
            return nan
        faced = float(self._runs.losses.mean())
        if self.plan.experts:
            advised = self._sums.advised / self.runs if self.plan.hindsight is None else self.plan.hindsight.advised
            return self.plan.scale.width * float(faced - advised.min())
        units, best = self._arm_units(), self._best
        if units is None or best is None:
            return nan
        return self.plan.scale.width * float(faced - self._sums.missed[best] / self.runs - units[best])

    def _arm_units(self) -> Array | None:
        if self.by_means:
            assert isinstance(self.environment, Stochastic)
            return self.environment.expected(self.rounds) if self.environment.alike else None
        return self._sums.losses / self.runs if self.plan.hindsight is None else self.plan.hindsight.losses

    @property
    def asleep(self) -> Array | None:
        """In how many rounds each arm was asleep, as a mean over the runs; None if none ever was."""
        result = self._asleep()
        return result if result.any() else None

    def _asleep(self) -> Array:
        return self.plan.hindsight.asleep if self.plan.hindsight is not None else self._sums.asleep / self.runs
