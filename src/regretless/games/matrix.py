"""A zero-sum game: one matrix, which the row player maximises and the column player minimises."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..arrays import names_of
from .payoffs import Payoffs, ZeroSum, enclose, names_or_numbers, strategy_of
from .solution import Solution
from .solving import solve


class MatrixGame(ZeroSum):
    """A zero-sum game of two players, who choose a row and a column at once.

    Parameters
    ----------
    payoffs : array, sequence, frame, sparse matrix or linear operator, shape (rows, columns)
        Payoffs of the row player, which the column player pays: floats, whole numbers or fractions. An array of floats
        is not copied, and must not change while the game is in use.
    rows, cols : sequence of str, optional
        Names of the strategies; by default the labels of a frame, else their numbers from 1.
    payoff_range : (float, float), optional
        Of a linear operator: the range of its payoffs, taken on trust. Theorems, rates of exponential weights and the
        default tolerance need it.

    Attributes
    ----------
    payoffs : Payoffs
        Payoffs of the row player, also of a game of losses.
    rows, cols : list of str
    losses : bool
        Whether the user's numbers are the row player's losses.

    Raises
    ------
    RegretlessError
        If there are no payoffs, or not all of them are finite numbers, or names are missing or occur twice.

    Examples
    --------
    >>> from regretless.games import MatrixGame
    >>> game = MatrixGame([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], rows=["rock", "paper", "scissors"])
    >>> round(game.value, 12) + 0.0, game.solve().row.round(6).tolist()
    (0.0, [0.333333, 0.333333, 0.333333])
    """

    def __init__(
        self,
        payoffs: Any,
        rows: Sequence[str] | None = None,
        cols: Sequence[str] | None = None,
        *,
        payoff_range: tuple[float, float] | None = None,
    ) -> None:
        self.payoffs = Payoffs(payoffs, payoff_range=payoff_range)
        self.losses = False
        if type(payoffs) is not np.ndarray:  # which has no names
            rows = _row_labels(payoffs) if rows is None else rows
            cols = names_of(payoffs) if cols is None else cols
        count, columns = self.payoffs.values.shape
        self.rows = names_or_numbers(rows, count, "rows")
        self.cols = names_or_numbers(cols, columns, "cols")
        self._solved: Solution | None = None

    @classmethod
    def from_losses(
        cls,
        losses: Any,
        rows: Sequence[str] | None = None,
        cols: Sequence[str] | None = None,
        *,
        loss_range: tuple[float, float] | None = None,
    ) -> MatrixGame:
        """A game of the row player's losses: it minimises, the column player maximises.

        Values, intervals and gaps are then losses too: the value is min_p max_q p' M q.
        """
        game = cls(losses, rows, cols, payoff_range=loss_range)
        game.payoffs = game.payoffs.negated()
        game.losses = True
        return game

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"<MatrixGame: {rows} x {columns}, {self.payoffs.kind}{', of losses' if self.losses else ''}>"

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return self.payoffs.shape

    def solve(
        self,
        method: str = "auto",
        tolerance: float | None = None,
        *,
        exact: bool = False,
        rounds: int | None = None,
        start: tuple[Any, Any] | None = None,
        average: str | None = None,
        alternate: bool | None = None,
        on_progress: Callable[[int, float], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> Solution:
        """Find strategies of both players from which neither gains much by deviating.

        Parameters
        ----------
        method : str
            ``"auto"`` chooses by size and tolerance. ``"simplex"``, ``"interior-point"``, ``"linear-programming"`` end
            at an equilibrium; by ``"rm+"``, ``"prm+"``, ``"rm"``, ``"optimistic-hedge"``, ``"hedge"`` learners play.
        tolerance : float, optional
            The duality gap to reach, in payoffs; by default 1e-9 times their range, but at least some units in the last
            place of the largest. Self-play with `rounds` and without a tolerance plays exactly `rounds`.
        exact : bool
            Also find the value and the strategies in fractions, verified in exact arithmetic.
        rounds : int, optional
            Of self-play: the largest number.
        start : pair of array, optional
            Strategies to begin with.
        average, alternate
            Of self-play, as of :class:`Duel`.
        on_progress : callable, optional
            Called at intervals with the number of iterations and the gap, which is NaN of methods that know it only at
            their end; short runs do not call it.
        stop : callable, optional
            Called at intervals; once it returns true, the solution so far is returned, with `stopped`.

        Returns
        -------
        Solution

        Raises
        ------
        SolveError
            If the tolerance is not reached; it has the interval that was.
        RegretlessError
            If a parameter is invalid.
        """
        return solve(self, method, exact, (tolerance, rounds, start, average, alternate, on_progress, stop))

    @property
    def value(self) -> float:
        """The value of the game, by the default method to its default tolerance; solved once."""
        if self._solved is None:
            self._solved = self.solve()
        return self._solved.value

    def interval(self, row: Any, column: Any) -> tuple[float, float]:
        """The interval that two strategies guarantee: it contains the value, rounding errors included.

        Parameters
        ----------
        row, column : array or sequence
            Probabilities; they need not sum to 1 to the last bit.

        Returns
        -------
        (float, float)
            The least that `row` wins and the most that `column` pays; of a game of losses, the least that `column` wins
            and the most that `row` loses.
        """
        p = strategy_of(row, self.shape[0], "row")
        q = strategy_of(column, self.shape[1], "column")
        lower, upper = enclose(self.payoffs, p, q)
        return (-upper, -lower) if self.losses else (lower, upper)

    def gap(self, row: Any, column: Any) -> float:
        """Duality gap of two strategies: the sum of what both players gain by a best response."""
        lower, upper = self.interval(row, column)
        return upper - lower


def _row_labels(frame: Any) -> list[str] | None:
    """Row labels of a frame, unless they are 0, 1, 2, ..."""
    index = getattr(frame, "index", None)
    if index is None or callable(index) or not hasattr(frame, "columns"):
        return None
    labels = list(index)
    return None if labels == list(range(len(labels))) else [str(label) for label in labels]
