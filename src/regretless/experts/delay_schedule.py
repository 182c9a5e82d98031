"""Outcomes that come late: which rows are settled before which prediction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import RegretlessError

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Schedule:
    """When outcomes are settled.

    Attributes
    ----------
    settle : ndarray of int64
        Rows in the order in which their outcomes come.
    starts : ndarray of int64, shape (rounds + 2,)
        Before row t is predicted, ``settle[starts[t]:starts[t + 1]]`` are settled; the last stretch comes at the end.
    slots : ndarray of int64, shape (rounds,)
        Where each row's weights wait.
    room : int
        How many such places there are.
    """

    settle: Array
    starts: Array
    slots: Array
    room: int


def schedule(arrivals: Any, rounds: int) -> Schedule | None:
    """The schedule of the rows' arrivals; None when every outcome is known before the next prediction.

    Raises
    ------
    RegretlessError
        If an outcome is said to come before its own prediction.
    """
    if arrivals is None:
        return None
    rows = np.arange(rounds, dtype=np.int64)
    places = np.asarray(arrivals)
    if places.dtype.kind not in "iuf":
        raise RegretlessError(f"arrivals of type {places.dtype}: numbers of rows are expected")
    if places.ndim == 0:
        places = rows + places
    if places.shape != (rounds,) or (places != np.floor(places)).any():
        raise RegretlessError(f"arrivals of shape {places.shape}: one whole number for each of {rounds} rounds")
    when = np.minimum(places, rounds).astype(np.int64)
    early = np.flatnonzero(when <= rows)
    if len(early):
        row = int(early[0])
        raise RegretlessError(f"arrivals: the outcome of row {row} (from 0) arrives at {places[row]:g}, before its end")
    if (when == rows + 1).all():
        return None
    settle = np.argsort(when, kind="stable").astype(np.int64)
    starts = np.searchsorted(when[settle], np.arange(rounds + 2), side="left").astype(np.int64)
    starts[-1] = rounds
    slots, room = _slots(settle, starts)
    return Schedule(settle, starts, slots, room)


def _slots(settle: Array, starts: Array) -> tuple[Array, int]:
    """Places that are taken by a row from its prediction to its settlement, used again and again."""
    slots, free, room = np.empty(len(settle), np.int64), [], 0
    for row in range(len(settle)):
        free += [int(slots[done]) for done in settle[starts[row] : starts[row + 1]]]
        if not free:
            free, room = [room], room + 1
        slots[row] = free.pop()
    return slots, room
