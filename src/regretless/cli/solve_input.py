"""Reads a game file and chooses the solver for its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from .exit_codes import UsageError

if TYPE_CHECKING:
    from ..data.game_files import GameFile
    from .arguments import SolveOptions
    from .solve_result import Show, Solved, Stop

GENERAL = ("equilibria", "limit", "seconds", "correlated", "coarse", "objective")
SOLVING = ("method", "tolerance", "exact", "rounds", "average", "simultaneous", "alternating", "start")


class Task(Protocol):
    """A game that is to be solved.

    Attributes
    ----------
    notes : list of str
        What a user should know before.
    asks : bool
        Whether its solver asks now and then if it is to stop.
    """

    notes: list[str]
    asks: bool

    def solve(self, show: Show, stop: Stop) -> Solved:
        """Solve it; `show` is told how it goes, and `stop` says whether to end."""


def task(file: GameFile, arguments: SolveOptions) -> Task:
    """What is to be done about the file.

    Raises
    ------
    UsageError
        If an option has no meaning for a game of its kind.
    """
    if file.kind == "matrix":
        from .solve_matrix import MatrixTask

        refuse(arguments, GENERAL, "a zero-sum game, whose equilibria are its solutions")
        return MatrixTask(file, arguments)
    if file.kind == "bimatrix":
        from .solve_bimatrix import bimatrix_task

        return bimatrix_task(file, arguments)
    from .solve_sequence import SequenceTask

    refuse(arguments, (*GENERAL, "losses"), "a game in turns")
    return SequenceTask(file, arguments)


def refuse(arguments: SolveOptions, options: tuple[str, ...], what: str) -> None:
    """Refuse options that have no meaning for a game.

    Raises
    ------
    UsageError
        If one of them is there.
    """
    for name in options:
        if getattr(arguments, name) not in (None, False):
            raise UsageError(f"--{name} has no meaning here: {arguments.file} holds {what}")


def alternate(arguments: SolveOptions) -> bool | None:
    """Whether the column player moves second, if the user says."""
    return False if arguments.simultaneous else True if arguments.alternating else None
