"""Rounds that force mistakes on a learner."""

from __future__ import annotations

from dataclasses import dataclass
from math import isinf
from typing import Any

import numpy as np

from ...errors import RegretlessError

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True, eq=False)
class WorstCase:
    """Rounds that force mistakes, and how many can be forced at most.

    Attributes
    ----------
    lower, upper : int or float
        Numbers between which the most mistakes lie; infinite where there is no end to them.
    points, labels : ndarray of int64, shape (rounds,)
        Rounds in which the learner makes `lower` mistakes. If there is no end to these, rounds that come back to where
        the learner was before, with a mistake since. Of the standard optimal algorithm none, if the search for the
        dimension that it uses ended early.
    hypothesis : int
        A hypothesis that agrees with all of these labels.
    seconds : float
        Time of the search.
    steps : int
        Number of sets of hypotheses, or states of the learner, of the search.
    stopped : str or None
        Reason of an early end.
    """

    lower: float
    upper: float
    points: Array
    labels: Array
    hypothesis: int
    seconds: float = 0.0
    steps: int = 0
    stopped: str | None = None

    @property
    def exact(self) -> bool:
        """Whether both bounds are equal."""
        return self.lower == self.upper

    @property
    def mistakes(self) -> float:
        """The most mistakes; possibly infinite.

        Raises
        ------
        RegretlessError
            If the search ended early.
        """
        if not self.exact:
            raise RegretlessError(f"worst case: {self.stopped}; it is only known to be {self}")
        return self.lower

    def __str__(self) -> str:
        if self.exact:
            return "without end" if isinf(self.lower) else str(self.lower)
        return f"{self.lower} or more" if isinf(self.upper) else f"{self.lower} to {self.upper}"

    def describe(self) -> dict[str, Any]:
        """The worst case as JSON values; None stands for no end."""
        return {
            "mistakes": _finite(self.lower) if self.exact else [_finite(self.lower), _finite(self.upper)],
            "exact": self.exact,
            "points": self.points.tolist(),
            "labels": self.labels.tolist(),
            "hypothesis": self.hypothesis,
            "seconds": self.seconds,
            "stopped": self.stopped,
        }


def _finite(number: float) -> int | None:
    return None if isinf(number) else int(number)


def rounds(points: list[int], labels: list[int]) -> tuple[Array, Array]:
    """Rounds as arrays."""
    return np.array(points, dtype=np.int64), np.array(labels, dtype=np.int64)
