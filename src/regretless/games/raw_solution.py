"""The result of a solver before it is verified."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..ledger import GameLedger

Vector = np.ndarray[Any, np.dtype[np.float64]]


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


@dataclass(frozen=True, slots=True, eq=False)
class RawSolution:
    """Two strategies, and what the solver reports of them.

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
