"""Losses from a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import laid_out, names_of, numbers
from ...errors import RegretlessError
from ..base import Array, Oblivious


class Table(Oblivious):
    """A table of losses, or of rewards: rows are rounds, columns are arms, nan where an arm is asleep.

    Parameters
    ----------
    losses : array-like of shape (rounds, arms)
        An array, also one that is mapped from a file, or a data frame or Arrow table, whose columns name the arms. An
        array of float32 or float64 in rows is used where it is; anything else is copied.
    names : sequence of str, optional
        Of the arms.

    Examples
    --------
    >>> table = Table([[0.0, 1.0], [0.5, 0.0]], names=["left", "right"])
    >>> table.best()
    (0, 0.5)
    """

    def __init__(self, losses: Any, names: Sequence[str] | None = None) -> None:
        self.table = _table(losses)
        super().__init__(self.table.shape[1], len(self.table), names if names is not None else names_of(losses))

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.table = laid_out(self.table)  # it may have come by a wire

    def block(self, begin: int, end: int, run: int = 0) -> Array:
        """The rows themselves."""
        return self.table[begin:end]


def _table(losses: Any) -> Array:
    table = numbers(losses, "losses")
    if table.ndim != 2 or 0 in table.shape:
        raise RegretlessError(f"losses of shape {table.shape}: a row for each round and a column for each arm")
    return table
