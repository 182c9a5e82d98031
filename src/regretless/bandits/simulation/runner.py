"""Many runs of a bandit in one environment, at the same time.

Groups of runs are shared out among threads, any executor, or an engine that runs work on shards.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from threading import Lock
from time import perf_counter
from typing import Any

import numpy as np

from ...checks import whole
from ...environments import Environment, Oblivious, Stochastic, Table
from ...errors import ParameterError, RegretlessError
from ...theory.bandit_facts import BanditFacts
from ..base import Bandit
from ..comparators import Hindsight, look
from ..state import BanditRules, BanditState
from ..validation import advices_of, refuse_unadvised
from .one_run import Halted, Plan, play_method
from .result import Pulls
from .statistics import Group, Parcel, Room, Runs

__all__ = ["Pulls", "Stopped", "simulate"]

Array = np.ndarray[Any, Any]
PATIENCE = 0.05  # seconds between two looks at the clock
MARKS = 60
MOST_ARMS = 200  # whose probabilities are looked at
MOST_REALISED = 100_000_000  # losses by chance that are made once more, to see what all arms lost
TOGETHER, TOGETHER_ROUNDS = 64, 1 << 20  # runs that are one task, and their rounds


class Stopped(KeyboardInterrupt):
    """Ctrl-C came while runs were simulated.

    Attributes
    ----------
    pulls : Pulls or None
        The runs that were over by then; None if there was none.
    """

    def __init__(self, pulls: Pulls | None) -> None:
        super().__init__("interrupted")
        self.pulls = pulls


def simulate(
    learner: Bandit,
    environment: Any,
    *,
    rounds: int | None = None,
    runs: int = 1,
    first: int = 0,
    advice: Any = None,
    workers: int | None = None,
    marks: int | Sequence[int] = MARKS,
    shares: bool = True,
    on_rounds: Callable[[int], None] | None = None,
    stop: Callable[[], bool] | None = None,
    executor: Any = None,
) -> Pulls:
    """Let a learner play an environment many times.

    Run r plays as ``learner.clone(run=r, seed=learner.seed_)`` would: it depends on the seed and on r alone, not on how
    many runs there are, on the workers, on the executor, or on their luck. The learner itself is left as it is.

    Parameters
    ----------
    learner : Bandit
        Without a horizon its rates follow the number of draws, where it has a choice.
    environment : Environment, or array-like of shape (rounds, arms)
        A table of losses (rewards, where the learner takes rewards) stands for itself.
    rounds : int, optional
        By default all that the environment has.
    runs : int
    first : int
        Number of the first run; to see a single one once more, ``first=r, runs=1``.
    advice : array-like of shape (rounds, experts, arms) or (rounds, experts), optional
        For a learner with experts.
    workers : int, optional
        How many runs are played at a time; by default one a processor, and a single one where an environment watches
        the draws: it is played in Python.
    marks : int or sequence of int
        About how many rounds are marked on the way, evenly on a logarithmic scale, or which ones; the last round always
        is.
    shares : bool
        Whether to look at the probabilities at the marks, of 200 arms at most.
    on_rounds : callable, optional
        Called now and then with the number of rounds so far, of all runs.
    stop : callable, optional
        Called now and then; whether to stop. The runs that are over by then are returned.
    executor : concurrent.futures.Executor, or an engine of `regretless.distributed`, optional
        Who plays instead of threads of this process, for instance other processes: an environment that watches the
        draws is played in Python, which threads do not share. The environment travels there, a table with all its
        numbers; `rounds` are reported, and stops noticed, after each group of up to 64 runs.

    Returns
    -------
    Pulls

    Raises
    ------
    LossError
        If a table holds a number outside the declared range, or a row with no arm awake. Nothing is played then.
    Stopped
        If Ctrl-C came; it holds the runs that were over.
    RegretlessError
        If anything else does not fit, or no run was over when `stop` said so.

    Examples
    --------
    >>> from regretless.bandits import Exp3IX
    >>> from regretless.environments import Bernoulli
    >>> pulls = simulate(Exp3IX(2, horizon=1000, seed=0), Bernoulli([0.2, 0.8]), rounds=1000, runs=20)
    >>> pulls.best_arm
    '0'
    """
    begun = perf_counter()
    if not isinstance(learner, Bandit):
        raise RegretlessError(f"{type(learner).__name__} is no bandit: regretless.bandits has them")
    world = _fitting(learner, environment if isinstance(environment, Environment) else Table(environment))
    length = world.length(rounds)
    advised = _advice(learner, advice, length, world.arms)
    numbers = _numbers(runs, first)
    if executor is not None and workers is not None:
        raise ParameterError(
            "workers", "", "are threads of this process, and with executor= others play: give one of them", " "
        )
    threads = 1 if workers is None and not world.oblivious else workers
    players = Workers(executor, threads, on_rounds, stop)
    plan = _plan(learner, world, length, advised, _marks(marks, length), len(numbers), players.tell)
    comparators = plan.experts or world.arms
    rules = learner._rules(world.arms, comparators)
    work = Work(plan, numbers, rules, learner.seed_, comparators, shares and world.arms <= MOST_ARMS)
    played = Runs(plan, numbers)
    for parcel in players.each(work, _groups(plan, len(numbers))):
        played.take(parcel)
    played.forget_unfinished()
    pulls = None
    if len(played.numbers):
        pulls = Pulls(learner, _facts(learner, world, comparators), plan, played, perf_counter() - begun)
    if players.interrupted:
        raise Stopped(pulls)
    if pulls is None:
        raise RegretlessError("stopped before the first run was over")
    return pulls


def _groups(plan: Plan, runs: int) -> list[range]:
    """The runs in groups, whose size depends on nothing but the runs: sums over runs go by groups."""
    cost = plan.rounds * (1 + plan.environment.arms // 64)
    size = max(1, min(TOGETHER, TOGETHER_ROUNDS // cost))
    return [range(place, min(place + size, runs)) for place in range(0, runs, size)]


def _facts(learner: Bandit, world: Environment, comparators: int) -> BanditFacts:
    """The learner as it stands after any of the runs."""
    played = learner.clone(seed=learner.seed_)
    played._begin(world.arms, comparators)
    return facts_in(played.facts(), world)


def facts_in(facts: BanditFacts, world: Environment) -> BanditFacts:
    """What is known of a learner, and of the losses that this environment gives."""
    by_chance = len(world.world().starts) == 1 if isinstance(world, Stochastic) else None
    by_prior = False if isinstance(world, Stochastic) else None  # whose means were set, whatever drew them
    means = tuple(world.world().means[0].tolist()) if by_chance and isinstance(world, Stochastic) else None
    drawn = by_chance if world.oblivious else False
    return replace(facts, oblivious=world.oblivious, drawn=drawn, by_prior=by_prior, means=means)


def _fitting(learner: Bandit, world: Environment) -> Environment:
    """The environment, its arms in the learner's order; it is refused if the two mean different things."""
    if learner._arms not in (None, world.arms):
        raise RegretlessError(f"an environment of {world.arms} arms, for a learner of {learner._arms}")
    if world.rewards not in (None, learner.rewards):
        means, takes = ("rewards", "losses") if world.rewards else ("losses", "rewards")
        raise RegretlessError(f"{type(world).__name__} gives {means}, and the learner takes {takes} (rewards=)")
    if isinstance(world, Stochastic) and tuple(learner.value_range) != (0.0, 1.0):
        raise RegretlessError(f"{type(world).__name__} gives 0 and 1: value_range=(0, 1) is expected")
    known = learner.arm_names_
    if known is None or not world.named or world.names == known:
        return world
    if sorted(world.names) != sorted(known) or not isinstance(world, Table):
        raise RegretlessError(f"arms {', '.join(world.names[:20])}; the learner's are {', '.join(known[:20])}")
    return Table(world.table[:, [world.names.index(name) for name in known]], known)


def _advice(learner: Bandit, advice: Any, rounds: int, arms: int) -> Array | None:
    refuse_unadvised(learner.info, advice)
    if not learner.info.advised:
        return None
    return advices_of(np.asarray(advice)[:rounds], rounds, learner._comparators(), arms, learner.arm_names_)


def _numbers(runs: int, first: int) -> range:
    if isinstance(first, bool) or not hasattr(first, "__index__") or first < 0:
        raise ParameterError("first", repr(first), "it must be a whole number from 0")
    return range(int(first), int(first) + whole("runs", runs))


def _marks(marks: int | Sequence[int], rounds: int) -> Array:
    """Numbers of rounds, ascending, the last one all rounds."""
    if hasattr(marks, "__index__"):
        places = np.geomspace(1, rounds, whole("marks", marks)).round()
    else:
        places = np.asarray(marks)
        if places.ndim != 1 or (places < 1).any() or (places > rounds).any() or (places != places.round()).any():
            raise ParameterError("marks", repr(marks), f"whole numbers from 1 to {rounds:,} are expected")
    return np.unique(np.append(places, rounds).astype(np.int64))


def _plan(
    learner: Bandit,
    world: Environment,
    rounds: int,
    advice: Array | None,
    marks: Array,
    runs: int,
    tell: Callable[[int], None],
) -> Plan:
    names = learner.arm_names_ or world.names
    experts = 0 if advice is None else advice.shape[1]
    hindsight, realised = None, False
    if isinstance(world, Oblivious):
        losses = rounds * world.arms * (1 if world.alike else runs)
        affordable = not isinstance(world, Stochastic) or losses <= MOST_REALISED
        realised = affordable and not world.alike
        if world.alike and affordable:
            hindsight = Hindsight(world.arms, marks, experts, getattr(learner, "switches", None))
            look(hindsight, world.read, learner._scale, names, advice)
    return Plan(world, rounds, marks, learner._scale, names, advice, hindsight, experts, realised, tell)


_last: tuple[bytes, Work] | None = None  # what this process was last sent, so that it is read once


def processors() -> int:
    """How many this process may use."""
    known = getattr(os, "sched_getaffinity", None)
    return len(known(0)) if known is not None else os.cpu_count() or 1


@dataclass(frozen=True, eq=False)
class Work:
    """What all groups have in common.

    Attributes
    ----------
    plan : Plan
    numbers : range
        Of all runs.
    rules : BanditRules
    seed : int
    comparators : int
        How many the learner compares itself with.
    shares : bool
        Whether probabilities are looked at.
    """

    plan: Plan
    numbers: range
    rules: BanditRules
    seed: int
    comparators: int
    shares: bool

    def play(self, places: range) -> Parcel:
        """Play the runs of some places, until somebody wishes to stop; what is noted of those that are over."""
        plan, group, method = self.plan, Group.of(self.plan, self.shares), play_method(self.plan)
        numbers = self.numbers[places.start : places.stop]
        runs = Runs(plan, numbers, Room.of(plan, len(self.numbers)).part(places))
        for place, run in enumerate(numbers):
            state = BanditState(plan.environment.arms, self.comparators, self.rules, plan.scale, self.seed, run)
            course = runs.course(place, self.shares)
            try:
                plan.tell(0)
                own = method.play(state, run, course)
            except Halted:
                break
            group.add(state, own, course)
            runs.note(place, state, own, course)
        return Parcel(places, group, runs.pack())


class Workers:
    """Who plays groups of runs, each of them a function of its place alone: by default threads of this process.

    Parameters
    ----------
    executor : concurrent.futures.Executor, or an engine with `fold`, optional
    count : int, optional
        How many threads; by default one a processor.
    on_rounds : callable, optional
        Called now and then with the number of rounds so far; by an executor, when groups come back.
    stop : callable, optional
        Called now and then; whether to stop.

    Attributes
    ----------
    interrupted : bool
        Whether Ctrl-C came.
    """

    def __init__(
        self,
        executor: Any = None,
        count: int | None = None,
        on_rounds: Callable[[int], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> None:
        if executor is not None and not isinstance(executor, Executor) and not hasattr(executor, "fold"):
            kind = type(executor).__name__
            raise ParameterError(
                "executor", "", f"a concurrent.futures.Executor or an engine is expected, not {kind}", ": "
            )
        self.interrupted = self._halted = False
        self._executor, self._threads = executor, processors() if count is None else whole("workers", count)
        self._on_rounds, self._stop = on_rounds, stop
        self._lock, self._rounds, self._reported = Lock(), 0, 0

    @property
    def tell(self) -> Callable[[int], None]:
        """What a run calls between two pieces with the rounds that it has played since; elsewhere it does nothing."""
        return no_progress if self._executor is not None else self._count

    def each(self, work: Work, lots: Sequence[range]) -> Iterator[Parcel]:
        """What comes of the groups, in their order; after a stop, of those that were over by then.

        The first Ctrl-C is a wish to stop. Groups that have not begun by then never do, and threads end theirs at once,
        with the runs that are over. An engine gives all of it back or nothing. Whatever is raised, by a group or here,
        comes after all threads have stopped.
        """
        self._look()
        if self._executor is None:
            with ThreadPoolExecutor(min(self._threads, len(lots)), thread_name_prefix="regretless") as pool:
                try:
                    waiting = [pool.submit(work.play, lot) for lot in lots]
                except BaseException:  # those that have begun end at once, and the others never begin
                    self._halted = True
                    pool.shutdown(wait=False, cancel_futures=True)
                    raise
                yield from self._ended(waiting)
            return
        if isinstance(self._executor, Executor):
            ended: Any = self._ended(_submitted(self._executor, work, lots))
        else:
            ended = self._executor.fold(_alone, _both, work, [Lot(lot) for lot in lots], stop=self._stop)
        for parcel in ended:
            self._rounds += work.plan.rounds * len(parcel.places)
            self._report()
            yield parcel

    def _ended(self, waiting: list[Future[Parcel]]) -> Iterator[Parcel]:
        waiting.reverse()  # so that what is taken up can be forgotten
        threads = self._executor is None
        try:
            while waiting:
                self._wait(waiting[-1])
                if self._halted:
                    waiting = [one for one in waiting if not one.cancel() and (threads or one.done())]
                while waiting and waiting[-1].done():
                    yield waiting.pop().result()
        finally:
            self._halted = self._halted or bool(waiting)
            for one in waiting:
                one.cancel()

    def _wait(self, task: Future[Parcel]) -> None:
        try:
            self._look()
            wait([task], PATIENCE)
            self._look()
        except KeyboardInterrupt:
            if self.interrupted:
                raise
            self.interrupted = self._halted = True

    def _count(self, rounds: int) -> None:
        with self._lock:
            self._rounds += rounds
        if self._halted:
            raise Halted

    def _look(self) -> None:
        self._report()
        if self._stop is not None and not self._halted and self._stop():
            self._halted = True

    def _report(self) -> None:
        if self._on_rounds is not None and self._rounds > self._reported:
            self._reported = self._rounds
            self._on_rounds(self._reported)


@dataclass(frozen=True)
class Lot:
    """A group of runs as a shard of an engine."""

    places: range

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"runs {self.places.start} to {self.places.stop - 1}"


def no_progress(_: int) -> None:
    """A callback that does nothing."""


def _submitted(executor: Executor, work: Work, lots: Sequence[range]) -> list[Future[Parcel]]:
    if isinstance(executor, ThreadPoolExecutor):
        return [executor.submit(work.play, lot) for lot in lots]
    return [executor.submit(_played, sent, lot) for sent in [_packed(work)] for lot in lots]


def _packed(work: Work) -> bytes:
    try:
        return pickle.dumps(work, pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        kind = type(work.plan.environment).__name__
        advice = "define it in a module, or play with threads (workers=)"
        raise RegretlessError(f"{kind} cannot be sent to other processes ({error}); {advice}") from error


def _played(sent: bytes, places: range) -> Parcel:
    global _last
    if _last is None or _last[0] != sent:
        _last = sent, pickle.loads(sent)
    return _last[1].play(places)


def _alone(work: Work, lot: Lot) -> tuple[Parcel, ...]:
    return (work.play(lot.places),)


def _both(_: Work, left: tuple[Parcel, ...], right: tuple[Parcel, ...]) -> tuple[Parcel, ...]:
    return left + right  # sums over runs go by groups in their order, not along a tree
