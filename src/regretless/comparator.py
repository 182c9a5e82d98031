"""The comparator: a fixed solution, read in hindsight on the same rounds that the learner played."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Comparator:
    """A vector v and what it suffers on the rounds; all sums run over every round, not over the updates alone.

    Attributes
    ----------
    name : str
        Where v comes from ("averaged weights", "maximum margin", "yours", ...).
    norm : float
        Euclidean length of v, the weight of the constant feature included.
    hinge : float
        Sum of max(0, 1 - y <v, x>).
    squared_hinge : float
        Sum of their squares.
    loss : float or None
        Sum of the learner's own loss at v; None where the learner charges nothing to a fixed vector.
    least : float
        Smallest y <v, x> of any round.
    rounds, max_norm2, total_norm2 : float
        Of the rounds it was read on: they must be the ledger's.
    vector : ndarray or None, shape (features,)
        v itself, where it is kept.
    bias : float
        Weight of the constant feature.
    """

    name: str
    norm: float
    hinge: float
    squared_hinge: float
    loss: float | None
    least: float
    rounds: float
    max_norm2: float
    total_norm2: float
    vector: np.ndarray[Any, Any] | None = None
    bias: float = 0.0

    @property
    def margin(self) -> float:
        """Smallest distance of any round from the wrong side: min y <v, x> / \\|v\\|; negative when v errs."""
        return self.least / self.norm if self.norm > 0 else (-inf if self.least < 0 else 0.0)

    def describe(self) -> dict[str, float | str | None]:
        """The comparator as JSON values."""
        return {
            "name": self.name,
            "norm": self.norm,
            "hinge": self.hinge,
            "squared_hinge": self.squared_hinge,
            "loss": self.loss,
            "margin": self.margin if self.norm > 0 else None,
        }
