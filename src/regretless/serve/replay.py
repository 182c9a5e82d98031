"""The log of a model learned afresh, offline, and held against the snapshots that the server saved."""

from __future__ import annotations

from typing import NamedTuple

from .live import Live, restored
from .store import Store, StoreError


class SnapshotComparison(NamedTuple):
    """A snapshot, and whether the log played again gives its very bytes."""

    version: int
    number: int
    same: bool


def replay(store: Store) -> tuple[Live, list[SnapshotComparison]]:
    """Play the whole log, from its first model on.

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
