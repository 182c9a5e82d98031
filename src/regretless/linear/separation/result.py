"""What is known of a hyperplane between two classes, and what proves it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...data.batch import Array

INSEPARABLE = "the rounds cannot be separated"  # how the reason begins where that is known
OPEN = "it was not found out whether the rounds can be separated: "  # and where it is not

CallRows = Callable[[Array], str]
"""What one row, or two, are called, by their places from 0."""


def by_places(places: Array) -> str:
    """Rows that have no better name."""
    numbers = places.tolist()
    return f"row {numbers[0]} (from 0)" if len(numbers) == 1 else f"rows {numbers[0]} and {numbers[1]} (from 0)"


@dataclass(frozen=True, slots=True)
class Separation:
    """Whether two classes can be separated, and what shows it.

    Attributes
    ----------
    separable : bool or None
        Proved either way; None when rounding errors or the time left no answer, and `why` says so.
    weights : ndarray or None
        A unit vector with a positive margin on every row. With an intercept, the last entry is the weight of the
        constant feature.
    margin : float
        Lower bound of min y <weights, x>, rounding errors allowed for; 0 when there are no weights.
    multipliers : tuple of two ndarrays, or None
        Rows and their weights a, positive with sum 1, for which sum a y x is at most `residual` long, and that stand
        so near to such for which it is zero that no vector separates.
    residual : float
        Upper bound of \\|sum a y x\\|. No unit vector has a larger margin.
    why : str
        What the answer rests on, in one sentence.
    """

    separable: bool | None
    weights: Array | None
    margin: float
    multipliers: tuple[Array, Array] | None
    residual: float
    why: str


@dataclass(frozen=True, slots=True)
class MaxMargin:
    """An interval that contains the largest margin, and what proves each of its ends.

    Attributes
    ----------
    lower, upper : float
        lower <= rho* <= upper, rounding errors allowed for. Both are 0 when it is proved that nothing separates.
    weights : ndarray or None
        The unit vector whose margin is `lower`; None when lower is 0. With an intercept, the last entry is the weight
        of the constant feature.
    support : tuple of two ndarrays
        Rows and their weights a, with sum 1, for which \\|sum a y x\\| is at most `upper`; where that is 0, up to the
        rounding of the weights.
    separable : bool or None
        As in :class:`Separation`.
    converged : bool
        Whether the gap is within the tolerance, or nothing separates.
    why : str
        What the answer rests on, in one sentence.
    """

    lower: float
    upper: float
    weights: Array | None
    support: tuple[Array, Array]
    separable: bool | None
    converged: bool
    why: str

    @property
    def obstacle(self) -> str | None:
        """Why there is no vector that separates, in words; None where there is one."""
        if self.weights is not None:
            return None
        if self.separable is False:
            return f"{INSEPARABLE}: {self.why}"
        return OPEN + self.why

    @property
    def gap(self) -> float:
        """Relative width of the interval, 1 - lower / upper."""
        return 1 - self.lower / self.upper if self.upper > 0 else 0.0
