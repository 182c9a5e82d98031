"""The answer of a solver, before it is checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..ledger import GameLedger

Vector = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, slots=True, eq=False)
class Trajectory:
    """How a self-play went; every array has one entry for each mark.

    Attributes
    ----------
    rounds : ndarray of int
        Increasing, the last round among them.
    gap : ndarray
        Duality gap of the average strategies after so many rounds, in payoffs.
    lower, upper : ndarray
        What the average strategies guarantee: the row player wins at least `lower`, the column player pays at most
        `upper`.
    rows, columns : ndarray or None, shape (marks, strategies)
        The average strategies, where there are few enough of them.
    """

    rounds: np.ndarray[Any, np.dtype[np.int64]]
    gap: Vector
    lower: Vector
    upper: Vector
    rows: Vector | None = None
    columns: Vector | None = None


@dataclass(frozen=True, slots=True, eq=False)
class RawSolution:
    """Two strategies, and what their finder says of them.

    Attributes
    ----------
    row, column : ndarray
        Not negative; they sum to 1 but for rounding.
    method : str
    iterations : int
        Pivots, steps or rounds.
    claim : float or None
        The finder's own bound on the duality gap of these very strategies, in payoffs and true but for rounding: what a
        tableau measured last, the sum of the complementary products of an interior point.
    note : str
        How it ended, as ``polished on 48 x 48``.
    ledger : GameLedger or None
        Of self-play.
    settings : dict
        What a theorem must know of the players besides: ``alternate, power, row_rate, column_rate``.
    course : Trajectory or None
    basis : object
        Of the simplex method: what an exact solver may begin with.
    stopped : str or None
        Why it ended before it was done.
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
