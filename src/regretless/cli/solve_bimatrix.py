"""`solve` for games in which both players have payoffs of their own."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ..errors import RegretlessError
from ..games.general_sum.bimatrix import BimatrixGame
from .output import plain
from .solve_bimatrix_result import SolvedBimatrix
from .solve_input import GENERAL, SOLVING, refuse
from .solve_matrix import MatrixTask

if TYPE_CHECKING:
    from ..data.game_files import GameFile
    from ..games.general_sum.correlated import Correlated
    from .arguments import SolveOptions
    from .solve_input import Task
    from .solve_result import Show, Stop

SECONDS = 60.0
LIBRARY = "quantecon"  # of the extra `nash`


def bimatrix_task(file: GameFile, arguments: SolveOptions) -> Task:
    """What is to be done about a file of two matrices: one of a constant sum is a zero-sum game in other numbers."""
    refuse(arguments, ("losses",), "payoffs of both players")
    game = BimatrixGame(file.payoffs[0], file.payoffs[1], file.rows, file.columns)
    if game.constant_sum is not None and all(getattr(arguments, name) in (None, False) for name in GENERAL):
        total = plain(file.payoffs[0].flat[0]) + plain(file.payoffs[1].flat[0])
        task = MatrixTask(file, arguments, total)
        what = f"the payoffs sum to {total} everywhere"
        task.notes.append(f"{file.name}: {what}, so that this is solved as a zero-sum game")
        return task
    others = tuple(name for name in SOLVING if name != "exact")
    refuse(arguments, others, "payoffs of both players; --equilibria, --correlated and --coarse are for such games")
    return BimatrixTask(file, arguments, game)


class BimatrixTask:
    """Two matrices, whose equilibria are to be found.

    Parameters
    ----------
    file : GameFile
    arguments : SolveOptions
    game : BimatrixGame
    """

    asks = False

    def __init__(self, file: GameFile, arguments: SolveOptions, game: BimatrixGame) -> None:
        self._file, self._arguments, self._game = file, arguments, game
        self.notes: list[str] = []

    def solve(self, show: Show, stop: Stop) -> SolvedBimatrix:
        """Find what was asked for."""
        arguments = self._arguments
        if arguments.correlated or arguments.coarse:
            return SolvedBimatrix(self._file, self._game, None, self._correlated(arguments.objective or "welfare"))
        seconds = arguments.seconds or SECONDS
        try:
            found = self._game.equilibria(arguments.equilibria or "auto", arguments.limit, seconds)
        except RegretlessError as error:
            # Whoever named a method is told what it lacks; everybody else gets what can be had without it.
            if arguments.equilibria is not None or find_spec(LIBRARY) is not None:
                raise
            return SolvedBimatrix(self._file, self._game, None, self._correlated("welfare"), str(error))
        return SolvedBimatrix(self._file, self._game, found, None)

    def _correlated(self, objective: Any) -> Correlated:
        from ..games.general_sum.correlated import correlated

        game, arguments = self._game, self._arguments
        seconds = arguments.seconds or SECONDS
        return correlated(
            game.row_payoffs, game.column_payoffs, coarse=bool(arguments.coarse), objective=objective, seconds=seconds
        )
