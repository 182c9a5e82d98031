"""Groups of runs that others play: any executor, or an engine that runs work on shards."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from ...errors import ParameterError, RegretlessError
from .thread_pool import PATIENCE
from .work_unit import Parcel, Work, parcel

_last: tuple[bytes, Work] | None = None  # what this process was last sent, so that it is read once


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


class Elsewhere:
    """Whoever plays groups of runs for us.

    Parameters
    ----------
    executor : concurrent.futures.Executor, or an engine with `fold`
    on_rounds : callable, optional
        Told how many rounds have been played, as groups come back.
    stop : callable, optional
        Asked now and then whether to stop.

    Attributes
    ----------
    interrupted : bool
        Whether Ctrl-C came.
    """

    def __init__(
        self,
        executor: Any,
        on_rounds: Callable[[int], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> None:
        if not isinstance(executor, Executor) and not hasattr(executor, "fold"):
            kind = type(executor).__name__
            raise ParameterError(
                "executor", "", f"a concurrent.futures.Executor or an engine is expected, not {kind}", ": "
            )
        self.interrupted = False
        self._executor, self._on_rounds, self._stop, self._rounds = executor, on_rounds, stop, 0

    def each(self, work: Work, lots: Sequence[range]) -> Iterator[Parcel]:
        """What came of the groups, in their order; after a stop, of those that were over by then.

        An engine gives all of it back or nothing.
        """
        if not isinstance(self._executor, Executor):
            yield from self._fold(work, lots)
            return
        waiting = self._submitted(self._executor, work.sendable(), lots)
        waiting.reverse()  # so that what is taken up can be forgotten
        try:
            while waiting:
                if self._wait(waiting[-1]):
                    waiting = [one for one in waiting if not one.cancel() and one.done()]
                while waiting and waiting[-1].done():
                    found = waiting.pop().result()
                    self._tell(work, found.places)
                    yield found
        finally:
            for one in waiting:
                one.cancel()

    def _submitted(self, executor: Executor, work: Work, lots: Sequence[range]) -> list[Future[Parcel]]:
        if isinstance(executor, ThreadPoolExecutor):
            return [executor.submit(parcel, work, lot) for lot in lots]
        return [executor.submit(_parcel, sent, lot) for sent in [_packed(work)] for lot in lots]

    def _wait(self, task: Future[Parcel]) -> bool:
        """Whether somebody wished to stop."""
        try:
            if self._stop is not None and self._stop():
                return True
            wait([task], PATIENCE)
        except KeyboardInterrupt:
            if self.interrupted:
                raise
            self.interrupted = True
        return self.interrupted

    def _fold(self, work: Work, lots: Sequence[range]) -> Sequence[Parcel]:
        found: Sequence[Parcel] = self._executor.fold(
            _alone, _both, work.sendable(), [Lot(lot) for lot in lots], stop=self._stop
        )
        for one in found:
            self._tell(work, one.places)
        return found

    def _tell(self, work: Work, places: range) -> None:
        self._rounds += work.plan.rounds * len(places)
        if self._on_rounds is not None:
            self._on_rounds(self._rounds)


def _alone(work: Work, lot: Lot) -> tuple[Parcel, ...]:
    return (parcel(work, lot.places),)


def _both(_: Work, left: tuple[Parcel, ...], right: tuple[Parcel, ...]) -> tuple[Parcel, ...]:
    return left + right  # sums over runs go by groups in their order, not along a tree


def _packed(work: Work) -> bytes:
    try:
        return pickle.dumps(work, pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        kind = type(work.plan.environment).__name__
        advice = "define it in a module, or play with threads (workers=)"
        raise RegretlessError(f"{kind} cannot be sent to other processes ({error}); {advice}") from error


def _parcel(sent: bytes, places: range) -> Parcel:
    global _last
    if _last is None or _last[0] != sent:
        _last = sent, pickle.loads(sent)
    return parcel(_last[1], places)
