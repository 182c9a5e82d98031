"""A bimatrix game: two players, each with a payoff matrix of its own; also from Gambit's files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from ...certificate import Certificates
from ...data.gambit_nfg import parse_nfg
from ...data.gambit_nfg import read_nfg as read_form
from ...data.game_files import of_strategic_form
from ...errors import ParameterError
from ..matrix import MatrixGame
from ..methods import ENUMERATIONS
from ..payoffs import Vector
from ..solution import RawSolution
from .correlated import CorrelatedEquilibrium, Distance, correlated, distance_to_correlated
from .equilibria import Equilibria
from .nash import (
    Domination,
    Incentives,
    above,
    dominated,
    incentives,
    is_nash,
    joint_gains,
    pure_equilibria,
    two_payoffs,
)
from .nash_search import NashSearch


@dataclass(frozen=True, slots=True, eq=False)
class JointPlay:
    """The joint distribution of two learners' play: how often each pair of strategies was played.

    Attributes
    ----------
    joint : ndarray, shape (rows, columns)
        The joint distribution: the weighted mean of what both played in the same round.
    row_payoff, column_payoff : float
        The average payoff of each player per round.
    row_regret, column_regret : float
        The average regret of each player against its best fixed strategy, possibly negative: computed exactly from
        `joint`, rounded upwards.
    averages : RawSolution
        The average strategies, the ledger and the trajectory.
    certificates : Certificates
    """

    joint: Vector
    row_payoff: float
    column_payoff: float
    row_regret: float
    column_regret: float
    averages: RawSolution
    certificates: Certificates

    @property
    def gain(self) -> float:
        """The larger regret, at least 0: `joint` is a coarse correlated equilibrium up to this gain."""
        return max(self.row_regret, self.column_regret, 0.0)


def play_jointly(game: BimatrixGame, method: str, **wishes: Any) -> JointPlay:
    """Let two learners play with options of self-play, and compute their gains afresh."""
    from ..certificates import coarse_certificates
    from ..play import self_play

    A, B = game.row_payoffs, game.column_payoffs
    joint = np.zeros(game.shape)
    raw = self_play(A, method, column_payoffs=B, joint=joint, **wishes)
    joint /= joint.sum()
    regrets = joint_gains(A, B, joint, coarse=True)
    row_regret, column_regret = above(regrets[0]), above(regrets[1])
    return JointPlay(
        joint,
        float(np.vdot(A.dense(), joint)),
        float(np.vdot(B.dense(), joint)),
        row_regret,
        column_regret,
        raw,
        Certificates(coarse_certificates(raw, A, B, row_regret, column_regret)),
    )


class BimatrixGame:
    """A game of two players, who choose a row and a column at once, each to maximise its own payoff.

    Parameters
    ----------
    A, B : array, sequence, frame or sparse matrix, shape (rows, columns)
        Payoffs of the row player and of the column player: floats, whole numbers or fractions.
    rows, cols : sequence of str, optional
        Names of the strategies; by default the labels of a frame, else their numbers from 1.

    Attributes
    ----------
    row_payoffs, column_payoffs : Payoffs
    rows, cols : list of str

    Raises
    ------
    RegretlessError
        If the shapes differ, a payoff is no finite number, or names are missing or occur twice.

    Examples
    --------
    >>> from regretless.games import BimatrixGame
    >>> game = BimatrixGame([[2, 0], [0, 1]], [[1, 0], [0, 2]], rows=["boxing", "ballet"], cols=["boxing", "ballet"])
    >>> for one in game.equilibria():
    ...     print(*one.exact.row, "|", *one.exact.column)
    1 0 | 1 0
    2/3 1/3 | 1/3 2/3
    0 1 | 0 1
    """

    def __init__(self, A: Any, B: Any, rows: Sequence[str] | None = None, cols: Sequence[str] | None = None) -> None:
        self.row_payoffs, self.column_payoffs = two_payoffs(A, B)
        named = MatrixGame(A, rows, cols)
        self.rows, self.cols = named.rows, named.cols

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"<BimatrixGame: {rows:,} x {columns:,}>"

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return self.row_payoffs.shape

    @property
    def constant_sum(self) -> MatrixGame | None:
        """The row player's payoffs, if the sum of both players' payoffs is constant up to rounding; else None."""
        total = self.row_payoffs.dense().astype(np.float64) + self.column_payoffs.dense()
        rounding = 4 * np.finfo(np.float64).eps * (self.row_payoffs.size + self.column_payoffs.size)
        if np.ptp(total) > rounding:
            return None
        return MatrixGame(self.row_payoffs, self.rows, self.cols)

    def equilibria(self, method: str = "auto", limit: int | None = None, seconds: float = 60.0) -> Equilibria:
        """Find Nash equilibria, each verified in exact arithmetic.

        Parameters
        ----------
        method : str
            ``"exact-enumeration"`` finds all extreme equilibria, of degenerate games too, in fractions, of up to about
            12 x 12 strategies. ``"support-enumeration"``, ``"vertex-enumeration"`` and ``"lemke-howson"`` are
            quantecon's (``pip install quantecon``): the first two find all equilibria of games that are not
            degenerate, the third some equilibria of large games. ``"auto"`` enumerates exactly what is small, solves
            larger games of a constant sum as such, and leaves others to vertex enumeration, up to 15 x 15, or to Lemke
            and Howson.
        limit : int, optional
            The most equilibria to return.
        seconds : float
            Time limit; the equilibria so far are returned. Each method that has found none ends after half of the
            rest, which is left to the next one. There is no `stop`: an unfinished search may have no result.

        Returns
        -------
        Equilibria
            At least one equilibrium, and whether these are all. If the method finds none, others are tried; `method`
            and `note` say so.

        Raises
        ------
        RegretlessError
            If no equilibrium is found in time, the game is too large for the method, or quantecon is not installed.
        """
        method = method.replace("_", "-")
        if method not in ("auto", *ENUMERATIONS):
            known = ", ".join(("auto", *ENUMERATIONS))
            raise ParameterError("method", None, f"{method!r}; one of {known} is expected")
        if limit is not None and not limit >= 1:
            raise ParameterError("limit", None, f"{limit}; at least 1 is expected")
        if not seconds > 0:
            raise ParameterError("seconds", None, f"{seconds}; a positive number is expected")
        both = self.row_payoffs, self.column_payoffs
        return NashSearch(*both, self.rows, self.cols, self.constant_sum, limit, float(seconds)).run(method)

    def pure_equilibria(self) -> list[tuple[str, str]]:
        """All equilibria in which both players play one strategy each, by name."""
        return [(self.rows[i], self.cols[j]) for i, j in pure_equilibria(self.row_payoffs, self.column_payoffs)]

    def dominated(self) -> list[Domination]:
        """Strictly dominated strategies in the order of their elimination; no equilibrium plays them.

        It solves a linear program for each remaining strategy until none is dominated: minutes for some hundreds of
        strategies.
        """
        return dominated(self.row_payoffs, self.column_payoffs)

    def is_nash(self, row: Any, column: Any, tolerance: float | None = None) -> bool:
        """Whether no player gains more than the tolerance by deviating; see the function `is_nash`."""
        return is_nash(self.row_payoffs, self.column_payoffs, row, column, tolerance)

    def incentives(self, row: Any, column: Any) -> Incentives:
        """Payoffs of both players, and the gain of each by its best deviation, in fractions."""
        return incentives(self.row_payoffs, self.column_payoffs, row, column)

    def correlated(
        self, *, coarse: bool = False, objective: Any = "welfare", seconds: float = 60.0
    ) -> CorrelatedEquilibrium:
        """The best (coarse) correlated equilibrium; see the function `correlated`."""
        return correlated(self.row_payoffs, self.column_payoffs, coarse=coarse, objective=objective, seconds=seconds)

    def distance_to_correlated(self, joint: Any, coarse: bool = True, *, seconds: float = 60.0) -> Distance:
        """Distance from a joint distribution to the (coarse) correlated equilibria; see `distance_to_correlated`."""
        return distance_to_correlated(self.row_payoffs, self.column_payoffs, joint, coarse, seconds=seconds)

    def self_play(
        self,
        method: str = "rm+",
        *,
        rounds: int | None = None,
        tolerance: float | None = None,
        average: str | None = None,
        start: tuple[Any, Any] | None = None,
        marks: int = 0,
        on_progress: Callable[[int, float], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> JointPlay:
        """Let two learners play simultaneously; their joint play approaches the coarse correlated equilibria.

        Parameters
        ----------
        method : str
            ``"rm+"``, ``"prm+"``, ``"rm"``, ``"optimistic-hedge"`` or ``"hedge"``.
        rounds : int, optional
            The largest number of rounds; the exact number without a tolerance.
        tolerance : float, optional
            The average regret of each player to reach.
        average : {"uniform", "linear", "quadratic"}, optional
            The weight of round t: 1, t or t^2.
        start : pair of array, optional
            Strategies to begin with.
        marks : int
            Number of points of the trajectory.
        on_progress : callable, optional
            Called at intervals with the number of rounds and the larger regret.
        stop : callable, optional
            Called at intervals; once it returns true, the play so far is returned.

        Returns
        -------
        JointPlay
        """
        return play_jointly(
            self,
            method,
            rounds=rounds,
            tolerance=tolerance,
            average=average,
            start=start,
            marks=marks,
            on_progress=on_progress,
            stop=stop,
        )


def read_nfg(source: str | PathLike[str]) -> BimatrixGame:
    """A game of two players from Gambit's ``.nfg`` format, its payoffs in whole numbers and fractions.

    Parameters
    ----------
    source : path, or the text of a file
        Compressed files are known by their suffix, a text by its beginning with ``NFG``; ``-`` is standard input.

    Raises
    ------
    DataError
        If it is no such file, or a game of one player or of more than two; the message says where.
    RegretlessError
        If `source` is neither a path nor a text.

    Examples
    --------
    >>> game = read_nfg('NFG 1 R "Battle" {"He" "She"} { {"boxing" "ballet"} {"boxing" "ballet"} } 2 1 0 0 0 0 1 2')
    >>> game.rows, game.pure_equilibria()
    (['boxing', 'ballet'], [('boxing', 'boxing'), ('ballet', 'ballet')])
    """
    if not isinstance(source, str | PathLike):
        raise ParameterError("source", None, f"{type(source).__name__}; a path, or the text of a file, is expected")
    text = isinstance(source, str) and source.lstrip().startswith("NFG") and len(source.split(None, 3)) == 4
    file = of_strategic_form(parse_nfg(str(source), "<text>") if text else read_form(source))
    return BimatrixGame(file.payoffs[0], file.payoffs[1], file.rows, file.columns)
