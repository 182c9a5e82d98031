"""The log of a model: where it is, how it begins, how it is played again, and how its beginning is forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..errors import ModelError
from .live import Live
from .store import BY_NUMBER, BY_SEQUENCE, LEARNT, Event, Snapshot, Store, StoreError, digest

BLOCK = 1000  # events that are read at once


def begin(store: Store, model: bytes, name: str, time: float) -> None:
    """Begin a log with a model, unless it has begun with this very one.

    Raises
    ------
    ModelError
        If the log began with another model.
    """
    snapshots = store.snapshots()
    if not snapshots:
        first = Snapshot(0, 0, time, model)
        Live.of(first, name)
        store.save(first)
    elif (store.origin() or digest(snapshots[0].model)) != digest(model):
        fault = f"the log {store.name} began with another model than {name} holds now"
        raise ModelError(f"{fault}; give the model that it began with, or another --store")


def restored(store: Store, snapshot: Snapshot | None = None, until: Snapshot | None = None) -> Live:
    """The model as the log has it.

    Parameters
    ----------
    store : Store
        Opened.
    snapshot : Snapshot, optional
        From which on the log is played; by default the last one.
    until : Snapshot, optional
        Where to stop; by default at the end of the log.

    Raises
    ------
    StoreError
        If there is no model, or the log does not fit together.
    """
    snapshots = store.snapshots()
    if not snapshots:
        raise StoreError(f"{store.name}: there is no model in it")
    live = Live.of(snapshot or snapshots[-1], f"{store.name}, snapshot")
    end_number, end_version, _ = store.ends() if until is None else (until.number, until.version, 0.0)
    predictions = _Predictions(live, store, end_number)
    for events in _settled(store, live.version, end_version):
        learnt = {event.number for event in events if event.state == LEARNT}
        for some in [[event] for event in events] if live.served.moves else [events]:
            predictions.up_to(some[0].sequence or 0)
            live.settle(some)
            unmarked = sorted(learnt & live.refused.keys())  # the server was killed before it wrote that down
            if unmarked and store.writes:
                store.refuse(unmarked)
    predictions.up_to(end_version + 1)
    live.number = end_number
    return live


class _Predictions:
    """Those of a log that are made again, each when it was made before."""

    def __init__(self, live: Live, store: Store, end: int) -> None:
        self._live = live
        self._events = _numbered(store, live.number, end) if live.served.moves else iter(())
        self._next = next(self._events, None)

    def up_to(self, sequence: int) -> None:
        """Make those that were made before this event was settled."""
        while self._next is not None and self._next.version < sequence:
            self._live.predict_again(self._next)
            self._next = next(self._events, None)


def _settled(store: Store, after: int, end: int) -> Iterator[list[Event]]:
    while after < end:
        events = store.read(BY_SEQUENCE, after, min(BLOCK, end - after))
        if not events:
            raise StoreError(f"{store.name}: the log ends after label {after}, and {end} were expected")
        yield events
        after += len(events)


def _numbered(store: Store, after: int, end: int) -> Iterator[Event]:
    while after < end:
        events = store.read(BY_NUMBER, after, min(BLOCK, end - after))
        yield from events
        if not events:
            return
        after = events[-1].number


class SnapshotComparison(NamedTuple):
    """A snapshot, and whether the log played again gives its very bytes."""

    version: int
    number: int
    same: bool


def replay(store: Store) -> tuple[Live, list[SnapshotComparison]]:
    """Play the whole log, from its first model on, or from the one that it begins with since it was pruned.

    Parameters
    ----------
    store : Store
        Opened.

    Returns
    -------
    live : Live
        The model at the end.
    compared : list of SnapshotComparison
        The snapshots but the first.

    Raises
    ------
    StoreError
        If the log does not fit together.
    """
    snapshots = store.snapshots()
    if not snapshots:
        raise StoreError(f"{store.name}: there is no model in it")
    here, compared = snapshots[0], []
    for snapshot in snapshots[1:]:
        here = restored(store, here, snapshot).snapshot(snapshot.time)
        compared.append(SnapshotComparison(snapshot.version, snapshot.number, here.model == snapshot.model))
    return restored(store, here), compared


def prune(store: Store, before: float) -> int:
    """Forget what was settled before a time, so that the log begins with the model as it was then.

    Predictions that wait for their labels stay. Of those that are forgotten neither the answer is known any more nor
    the label, and no certificate can be on them.

    Parameters
    ----------
    store : Store
        Opened to be written to.
    before : float
        In seconds since 1970.

    Returns
    -------
    int
        The sequence number after which the log begins.

    Raises
    ------
    StoreError
        If the log does not fit together.
    """
    first = store.snapshots()[0]
    version, number, time = store.last_before(before)
    if version <= first.version:
        return first.version
    end = Snapshot(version, max(number, first.number), time, b"")
    store.forget(restored(store, first, end).snapshot(time), digest(first.model))
    return version
