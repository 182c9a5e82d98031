"""The ledger: what was observed, and the only thing besides a comparator that a theorem may know about a run."""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields
from typing import Any

import numpy as np

_SUMS = (
    "rounds",
    "updates",
    "mistakes",
    "loss",
    "slope2",
    "step2",
    "update_norm2",
    "total_norm2",
    "weighted",
)


@dataclass(frozen=True, slots=True)
class Ledger:
    """Running totals of a play, in the order in which the rounds came.

    Attributes
    ----------
    rounds, updates, mistakes : float
        Counts: rounds played, rounds that moved the weights, rounds whose predicted label was wrong. They differ: a
        score of exactly 0 may be an update without being a mistake.
    loss : float
        Sum of what was charged.
    slope2, step2 : float
        Sum of squared gradient norms, and the same with each term times the rate of its round.
    max_norm2, update_norm2, total_norm2 : float
        Squared lengths of the rows, the constant feature included: the largest, their sum over the updates, over all.
    reach2 : float
        Largest squared length of the weights before any round.
    first_rate, last_rate : float
        Rate of the first and of the last update.
    weighted : float
        Rounds whose sample weight was not 1.
    """

    rounds: float = 0.0
    updates: float = 0.0
    mistakes: float = 0.0
    loss: float = 0.0
    slope2: float = 0.0
    step2: float = 0.0
    max_norm2: float = 0.0
    update_norm2: float = 0.0
    total_norm2: float = 0.0
    reach2: float = 0.0
    first_rate: float = 0.0
    last_rate: float = 0.0
    weighted: float = 0.0

    @classmethod
    def read(cls, book: np.ndarray[Any, Any]) -> Ledger:
        """The ledger that a kernel kept in an array."""
        return cls(*book.tolist())

    def array(self) -> np.ndarray[Any, Any]:
        """The same numbers as the kernels keep them."""
        return np.array(astuple(self), dtype=np.float64)

    def __add__(self, later: Ledger) -> Ledger:
        """The books of two shards, or of two stretches of one stream, in one: sums add up, extremes stay extremes."""
        total = {name: getattr(self, name) + getattr(later, name) for name in _SUMS}
        return Ledger(
            **total,
            max_norm2=max(self.max_norm2, later.max_norm2),
            reach2=max(self.reach2, later.reach2),
            first_rate=self.first_rate if self.updates else later.first_rate,
            last_rate=later.last_rate if later.updates else self.last_rate,
        )


FIELDS = tuple(field.name for field in fields(Ledger))
