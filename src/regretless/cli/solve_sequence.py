"""`solve` for a zero-sum game in turns, given by its sequence form or its tree."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..errors import DataError, RegretlessError
from ..games.extensive_form.sequence import SequenceGame
from ..games.extensive_form.sequence_solution import Player
from .exit_codes import UsageError
from .options import IN_TURNS
from .output import many, short
from .solve_result import WIDTH, SolvedZeroSum, alternate, fraction, read_start, row_of

if TYPE_CHECKING:
    from fractions import Fraction

    from ..data.game_files import GameFile
    from ..games.extensive_form.sequence_solution import SequenceSolution
    from ..theorem import Certificate
    from .arguments import SolveOptions
    from .solve_result import Show, Stop

KNOWN = ("auto", "linear-programming", *IN_TURNS)
PLAYERS: tuple[Player, Player] = ("row", "column")
Behaviour = Mapping[str, Mapping[str, Any]]  # probabilities of actions, by information set
MOST_SETS = 12  # information sets that are told of each player


class SequenceTask:
    """A game in turns that is to be solved.

    Parameters
    ----------
    file : GameFile
    arguments : SolveOptions
    """

    asks = True

    def __init__(self, file: GameFile, arguments: SolveOptions) -> None:
        if arguments.method not in (None, *KNOWN):
            found = f"--method {arguments.method} is for games by their matrix, and {file.name} holds one in turns"
            raise UsageError(f"{found}: use {', '.join(KNOWN)}")
        if arguments.start is not None and arguments.method not in IN_TURNS:
            raise UsageError(f"--start is about self-play; --method names one: {', '.join(IN_TURNS)}")
        self._file, self._arguments = file, arguments
        self._game = _game(file)
        self.notes: list[str] = []
        if arguments.exact and file.tree is None:
            self.notes.append(f"{file.name}: its numbers are floats; what is exact is about their very values")

    def solve(self, show: Show, stop: Stop) -> SolvedSequence:
        """Solve it."""
        arguments, game = self._arguments, self._game
        solution = game.solve(
            arguments.method or "auto",
            arguments.tolerance,
            exact=arguments.exact,
            rounds=arguments.rounds,
            start=None if arguments.start is None else read_start(arguments.start, game.rows, game.cols),
            average=arguments.average,
            alternate=alternate(arguments),
            on_progress=show,
            stop=stop,
        )
        return SolvedSequence(self._file, game, solution, arguments.tolerance, solution.certificates)


def _game(file: GameFile) -> SequenceGame:
    if file.tree is not None:
        from ..games.extensive_form.extensive import ExtensiveGame

        return ExtensiveGame(file.tree).sequence_form()
    A, E, F = ((one.rows, one.columns, one.values, one.shape) for one in (file.triplets[name] for name in "AEF"))
    try:
        return SequenceGame(A, E, F)
    except RegretlessError as error:
        found = str(error).replace("; ", ", ")
        advice = "a sequence form is expected: E x = e, F y = e, sequence 0 empty"
        raise DataError(file.name, None, None, found, advice) from error


@dataclass
class SolvedSequence(SolvedZeroSum):
    """A game in turns that is solved.

    Attributes
    ----------
    file : GameFile
    game : SequenceGame
    solution : SequenceSolution
    tolerance : float or None
        The gap that was asked for.
    certificates : list of Certificate
    """

    file: GameFile
    game: SequenceGame
    solution: SequenceSolution
    tolerance: float | None
    certificates: list[Certificate] = field(default_factory=list)

    def describe(self) -> dict[str, Any]:
        """The outcome as JSON values."""
        return self.headed(self.solution.describe(), "sequence form")

    # For people.

    def lines(self) -> Iterator[str]:
        """What people are told before the certificates."""
        found = self.solution
        if self.file.title:
            yield " ".join(self.file.title.split())
        rows, columns = self.game.shape
        yield f"game in turns, {rows:,} x {columns:,} sequences; {self.how()}"
        yield from self.value_lines(found.total or None)
        for place, player in enumerate(PLAYERS):
            called = short(self.file.players[place], WIDTH)
            yield from _behaviour_lines(f"{player} player ({called})", *self._behaviour(player))

    def _behaviour(self, player: Player) -> tuple[Behaviour, Behaviour | None]:
        """What a player does in each information set that it comes to, and that in fractions if they are known."""
        found = self.solution
        exact = None if found.exact is None else found.behaviour(player, exact=True)
        return found.behaviour(player), exact

    def _reached(self) -> list[dict[str, float]]:
        """With what probability each player's own choices lead to each of its information sets."""
        found = self.solution
        return [
            {
                tree.sets[place]: float(plan[tree.order[parent]])
                for place, parent in zip(tree.places.tolist(), tree.parent.tolist(), strict=True)
            }
            for tree, plan in ((found.row_tree, found.row), (found.column_tree, found.column))
        ]

    # As a page.

    def write_page(self, path: str) -> None:
        """Write the report."""
        from ..report.game_page import write_game_report
        from ..report.game_solved import solved
        from ..report.games import InformationSetRow

        reached = self._reached()
        behaviour = [
            InformationSetRow(place, name, actions, reached[place][name])
            for place, player in enumerate(PLAYERS)
            for name, actions in self.solution.behaviour(player).items()
        ]
        report = solved(
            self.solution,
            f"{self.solution.method} on {os.path.basename(self.file.name)}",
            {"path": self.file.name},
            kind="sequence",
            players=tuple(self.file.players),
            tolerance=self.tolerance,
            behaviour=behaviour,
        )
        write_game_report(path, report)


def _behaviour_lines(what: str, behaviour: Behaviour, exact: Behaviour | None) -> Iterator[str]:
    """What a player does, information set by information set."""
    yield f"{what}, {many(len(behaviour), 'information set')} that it comes to"
    for name, actions in list(behaviour.items())[:MOST_SETS]:
        own = {} if exact is None else exact.get(name, {})
        likely = sorted((action for action in actions if actions[action] > 0), key=lambda action: -actions[action])
        yield row_of(
            name, ", ".join(f"{short(action, WIDTH)} ({_told(actions[action], own.get(action))})" for action in likely)
        )
    if len(behaviour) > MOST_SETS:
        yield f"  … and {len(behaviour) - MOST_SETS:,} more"


def _told(chance: float, exact: Fraction | None) -> str:
    share = f"{100 * chance:.5g}%"
    return share if exact is None else fraction(exact, share)
