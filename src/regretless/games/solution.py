"""The result of a solver, and a solved game: both strategies, their guarantees, and the certificates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, make_dataclass
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from ..errors import RegretlessError
from .payoffs import Vector

if TYPE_CHECKING:
    from ..certificate import Certificate, Certificates
    from ..ledger import GameLedger

# Certificates, ledgers and texts are imported by the functions that make them: games are solved without.

T = TypeVar("T")


class Once(Generic[T]):
    """What a function says of some arguments: computed on the first call and stored."""

    __slots__ = ("_from", "_made", "_make")

    def __init__(self, make: Callable[..., T], *arguments: Any) -> None:
        self._make = make
        self._from: tuple[Any, ...] | None = arguments

    def __call__(self) -> T:
        arguments = self._from  # another thread may make it meanwhile
        if arguments is not None:
            self._made = self._make(*arguments)
            self._from = None
        return self._made


class SolveError(RegretlessError):
    """The solver did not reach the tolerance.

    Attributes
    ----------
    lower, upper : float
        An interval that contains the value.
    """

    def __init__(self, message: str, lower: float, upper: float) -> None:
        self.lower, self.upper = lower, upper
        super().__init__(message)


GapBound = tuple[str, Callable[[float], float]]


def nothing() -> None:
    """The bound over the rounds of a method that plays none."""


@dataclass(frozen=True, slots=True, eq=False)
class ExactSolution:
    """The solution in fractions, verified in exact arithmetic.

    Attributes
    ----------
    value : Fraction
    row, column : list of Fraction
        Each sums to 1; the row guarantees the value at least, the column at most, against every answer.
    """

    value: Fraction
    row: list[Fraction]
    column: list[Fraction]


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """Strategies of both players, and an interval that contains the value of the game.

    Attributes
    ----------
    rows, columns : sequence of str
        The strategies' names.
    method : str
        The method that found them.
    row, column : ndarray
        The probabilities of the rows and of the columns.
    lower, upper : float
        The expected payoff that `row` guarantees, and the one that `column` never exceeds, against any strategy:
        computed afresh from both, rounding errors included. Of a game of losses: what the column player wins at
        least, and what the row player loses at most.
    iterations : int
        Pivots, steps or rounds.
    seconds : float
        Running time.
    losses : bool
        Whether the numbers are the row player's losses.
    note : str
        How the method ended.
    stopped : str or None
        Why it ended before the tolerance was reached, where that is no error.
    course : Trajectory or None
        The trajectory of a self-play.
    exact : ExactSolution or None
    make_certificates, make_gap_bound : callable
        Compute `certificates` and `gap_bound`.
    """

    rows: Sequence[str]
    columns: Sequence[str]
    method: str
    row: Vector
    column: Vector
    lower: float
    upper: float
    iterations: int
    seconds: float
    losses: bool = False
    note: str = ""
    stopped: str | None = None
    course: Trajectory | None = None
    exact: ExactSolution | None = None
    make_certificates: Callable[[], list[Certificate]] = list
    make_gap_bound: Callable[[], GapBound | None] = nothing

    @property
    def certificates(self) -> Certificates:
        """Every theorem about the solution and its method."""
        from ..certificate import Certificates

        return Certificates(self.make_certificates())

    @property
    def gap_bound(self) -> GapBound | None:
        """A theorem's bound on the gap of self-play: its title, and the bound as a function of the number of rounds."""
        return self.make_gap_bound()

    @property
    def value(self) -> float:
        """The value of the game: exact if that is known, else the middle of its interval."""
        if self.exact is not None:
            return float(self.exact.value)
        middle = (self.lower + self.upper) / 2
        return middle if isfinite(middle) else self.lower / 2 + self.upper / 2

    @property
    def gap(self) -> float:
        """Duality gap: the sum of what both players gain by a best response."""
        return self.upper - self.lower

    @property
    def quantity(self) -> str:
        """The quantity that the numbers are, in words."""
        return "loss of the row player, who minimises it" if self.losses else "payoff of the row player"

    def row_support(self, least: float = 0.0) -> list[str]:
        """Names of the rows that are played with a probability above `least`."""
        return [self.rows[place] for place in np.flatnonzero(self.row > least).tolist()]

    def column_support(self, least: float = 0.0) -> list[str]:
        """Names of the columns that are played with a probability above `least`."""
        return [self.columns[place] for place in np.flatnonzero(self.column > least).tolist()]

    def describe(self) -> dict[str, Any]:
        """The solution as JSON values; strategies that are not played are left out."""
        record: dict[str, Any] = {
            "rows": len(self.rows),
            "columns": len(self.columns),
            "method": self.method,
            "payoffs": "row player's losses" if self.losses else "row player's payoffs",
            "value": self.value,
            "gap": self.gap,
            "lower": self.lower,
            "upper": self.upper,
            "row_strategy": named_chances(self.rows, self.row.tolist()),
            "column_strategy": named_chances(self.columns, self.column.tolist()),
            "iterations": self.iterations,
            "seconds": self.seconds,
            "note": self.note or None,
            "stopped": self.stopped,
            "certificates": [certificate.describe() for certificate in self.certificates],
        }
        if self.exact is not None:
            from ..report.formatting import fraction_text

            record["exact"] = {
                "value": fraction_text(self.exact.value),
                "row_strategy": named_chances(self.rows, self.exact.row, fraction_text),
                "column_strategy": named_chances(self.columns, self.exact.column, fraction_text),
            }
        return record

    def _repr_html_(self) -> str:
        """The value, both strategies, and the certificates."""
        from .. import html

        sides = {"Rows": (self.rows, self.row), "Columns": (self.columns, self.column)}
        parts = [html.code(repr(self))]
        for title, (names, strategy) in sides.items():
            order = np.argsort(-strategy, kind="stable")[: html.MOST].tolist()
            played = [(names[place], float(strategy[place])) for place in order if strategy[place] > 0]
            parts.append(html.titled(title, html.table(played, ("", "probability"))))
        return "".join(parts) + self.certificates._repr_html_()

    def plot(self) -> Any:
        """A matplotlib figure: the probabilities of both strategies, the largest first; `MissingError` without
        matplotlib.
        """
        from ..plot import figure_of_bars

        return figure_of_bars([("Rows", self.rows, self.row), ("Columns", self.columns, self.column)])

    def __repr__(self) -> str:
        return f"<Solution: value {self.value:.9g}, gap {self.gap:.3g}, {self.method}>"


# A frozen class sets every field by a call: so many take half as long as the pivots of a small game. So one is filled
# while it is open, and frozen then, by its class.
Open = make_dataclass("Open", Solution.__slots__, slots=True, eq=False)


def named_chances(names: Sequence[str], strategy: Sequence[Any], shown: Any = float) -> dict[str, Any]:
    """The strategies that are played at all, and with which probabilities."""
    return {name: shown(chance) for name, chance in zip(names, strategy, strict=True) if chance > 0}


@dataclass(frozen=True, slots=True, eq=False)
class Trajectory:
    """The trajectory of a self-play; every array has one entry for each mark.

    Attributes
    ----------
    rounds : ndarray of int
        Increasing, the last round among them.
    gap : ndarray
        Duality gap of the average strategies after these rounds, in payoffs.
    lower, upper : ndarray
        What the average strategies guarantee: the row player wins at least `lower`, the column player pays at most
        `upper`.
    rows, columns : ndarray or None, shape (marks, strategies)
        The average strategies, of small games.
    """

    rounds: np.ndarray[Any, np.dtype[np.int64]]
    gap: Vector
    lower: Vector
    upper: Vector
    rows: Vector | None = None
    columns: Vector | None = None


@dataclass(slots=True, eq=False)  # not frozen, which would take a small game longer than its pivots
class RawSolution:
    """Two strategies, and what the solver reports of them. Nothing changes them.

    Attributes
    ----------
    row, column : ndarray
        Not negative; they sum to 1 but for rounding.
    method : str
    iterations : int
        Pivots, steps or rounds.
    claim : float or None
        The solver's own bound on the duality gap of these strategies, in payoffs, true up to rounding: the last gap of
        a tableau, or the sum of the complementary products of an interior point.
    note : str
        Details of the end, as ``polished on 48 x 48``.
    ledger : GameLedger or None
        Of self-play.
    settings : dict
        Other facts of the players for theorems: ``alternate, power, row_rate, column_rate``.
    course : Trajectory or None
    basis : object
        Of the simplex method: the start of an exact solver.
    stopped : str or None
        Why it ended early.
    """

    row: Vector
    column: Vector
    method: str
    iterations: int
    claim: float | None = None
    note: str = ""
    ledger: GameLedger | None = None
    settings: dict[str, Any] | None = None
    course: Trajectory | None = None
    basis: Any = None
    stopped: str | None = None
