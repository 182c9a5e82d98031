"""Groups of runs, shared out among threads, any executor, or an engine that runs work on shards."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from threading import Lock
from typing import Any

from ...checks import whole
from ...errors import ParameterError, RegretlessError
from ..state import BanditState, Rules
from .one_run import Halted, Plan, play_method
from .statistics import Group, Parcel, Room, Runs

PATIENCE = 0.05  # seconds between two looks at the clock
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

    def play(self, places: range) -> Parcel:
        """Play the runs of some places, until somebody wishes to stop; what is noted of those that are over."""
        plan, group, method = self.plan, Group.of(self.plan, self.shares), play_method(self.plan)
        numbers = self.numbers[places.start : places.stop]
        runs = Runs(plan, numbers, Room.of(plan, len(self.numbers)).part(places))
        for place, run in enumerate(numbers):
            board = BanditState(plan.environment.arms, self.comparators, self.rules, plan.scale, self.seed, run)
            course = runs.course(place, self.shares)
            try:
                plan.tell(0)
                own = method.play(board, run, course)
            except Halted:
                break
            group.add(board, own, course)
            runs.note(place, board, own, course)
        return Parcel(places, group, runs.pack())


class Workers:
    """Who plays groups of runs, each of them a function of its place alone: by default threads of this process.

    Parameters
    ----------
    executor : concurrent.futures.Executor, or an engine with `fold`, optional
    count : int, optional
        How many threads; by default one a processor.
    on_rounds : callable, optional
        Told now and then how many rounds have been played in all; by an executor, as groups come back.
    stop : callable, optional
        Asked now and then whether to stop.

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
        self._lock, self._rounds, self._told = Lock(), 0, 0

    @property
    def tell(self) -> Callable[[int], None]:
        """What a run calls between two pieces with the rounds that it has played since; elsewhere it does nothing."""
        return unheard if self._executor is not None else self._count

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
        if self._on_rounds is not None and self._rounds > self._told:
            self._told = self._rounds
            self._on_rounds(self._told)


@dataclass(frozen=True)
class Lot:
    """A group of runs as a shard of an engine.

    Attributes
    ----------
    places : range
    """

    places: range

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"runs {self.places.start} to {self.places.stop - 1}"


def unheard(_: int) -> None:
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
