"""The log of a model learned afresh, offline, and held against the snapshots that the server saved."""

from __future__ import annotations

from typing import NamedTuple

from .live import Live, restored
from .store import Store, StoreError


class Compared(NamedTuple):
    """A snapshot, and whether the log played again gives its very bytes."""

    version: int
    number: int
    same: bool


def replay(store: Store) -> tuple[Live, list[Compared]]:
    """Play the whole log, from its first model on.

    Parameters
    ----------
    store : Store
        Opened.

    Returns
    -------
    live : Live
        The model at the end.
    compared : list of Compared
        The snapshots but the first.

    Raises
    ------
    StoreError
        If the log does not fit together.
    """
    kept = store.snapshots()
    if not kept:
        raise StoreError(f"{store.name}: there is no model in it")
    here, compared = kept[0], []
    for snapshot in kept[1:]:
        here = restored(store, here, snapshot).snapshot(snapshot.time)
        compared.append(Compared(snapshot.version, snapshot.number, here.model == snapshot.model))
    return restored(store, here), compared
