"""What a play gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import RegretlessError
from ..html import Recorded
from ..picture import figure_by_arm
from ..turns import BUSY
from .state import BanditState
from .validation import complaint

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Play(Recorded):
    """A table that was played.

    Attributes
    ----------
    rounds : int
        How many rows it has.
    total : float
        What the arms that were drawn lost, summed in the units of the table; what they earned, if it has rewards.
    arms : ndarray of int or None, shape (rounds,)
        Which they were, if that was to be kept.
    losses : ndarray or None, shape (rounds,)
        What each of them lost, or earned.
    """

    rounds: int
    total: float
    arms: Array | None
    losses: Array | None

    def plot(self) -> Any:
        """A matplotlib figure of how often each arm was drawn, and of what it lost, or earned, in all.

        Raises
        ------
        RegretlessError
            If the arms were not kept, or matplotlib is missing.
        """
        if self.arms is None or self.losses is None:
            raise RegretlessError("which arms were drawn was not kept: there is nothing to draw")
        return figure_by_arm(self.arms, self.losses)

    def __repr__(self) -> str:
        return f"Play(rounds={self.rounds}, total={self.total:.6g})"


def played(
    state: BanditState, table: Array, advice: Array | None, names: Callable[[], list[str]], *, keep: bool
) -> Play:
    """Play a table by the compiled loop.

    Raises
    ------
    LossError
        If a row cannot be played.
    RegretlessError
        If a draw of the bare core waits for its loss.
    """
    arms = np.empty(len(table), np.int32) if keep else None
    scale, (loss, settled), before, done = state.scale, state.paid, state.rounds, 0
    while done < len(table):
        # The loop comes back now and then, so that a request to stop is noticed.
        try:
            advanced, why, column = state.core.play_table(table, done, len(table), arms=arms, advice=advice)
        except ValueError as error:
            raise RegretlessError(f"the table cannot be played: {error}") from error
        done += advanced
        if state.rounds != before + done:
            raise RegretlessError(f"{BUSY}: rounds of others are among the {done} of the table that were learned")
        if why is not None:
            raise complaint(why, done, column, names(), (scale.low, scale.high), scale.rewards)
    now, known = state.paid
    total = scale.total(now - loss, known - settled)
    return Play(len(table), total, arms, None if arms is None else table[np.arange(len(table)), arms])
