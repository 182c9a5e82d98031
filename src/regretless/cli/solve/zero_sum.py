"""`solve` for zero-sum games: by their matrix, or in turns by their sequence form or tree."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import DataError, InputError
from ...games import MatrixGame
from ...games.extensive_form.sequence import METHODS, SequenceGame
from ...games.extensive_form.sequence_form import Player
from ...games.methods import IN_TURNS, TEXTBOOK
from ...report.formatting import fraction_text
from ...report.terminal import many, short
from ..output import UsageError
from .result import WIDTH, SolveOutput, certain, ends, figures, fraction, read_start, row_of, steps, strategy_lines

if TYPE_CHECKING:
    from fractions import Fraction

    from ...certificate import Certificate
    from ...data.game_files import GameFile
    from ...games import Solution
    from ...games.extensive_form.extensive import ExtensiveGame
    from ...games.extensive_form.sequence_form import SequenceSolution
    from .result import Show, SolveOptions, Stop

BESIDE = "textbook Hedge"
# The cost of the textbook's algorithm in products of numbers, and its fewest and most rounds.
COST, LEAST_ROUNDS, MOST_ROUNDS = 400_000_000, 100, 100_000
PLAYERS: tuple[Player, Player] = ("row", "column")
Behaviour = Mapping[str, Mapping[str, Any]]  # probabilities of actions, by information set
MOST_SETS = 12  # information sets in the lines of each player


class ZeroSumTask(ABC):
    """The task to solve a zero-sum game.

    Parameters
    ----------
    file : GameFile
    arguments : SolveOptions
    game : MatrixGame or SequenceGame
    is_exact : bool
        Whether the file holds its numbers as text, and not as floats.
    """

    asks = True

    def __init__(self, file: GameFile, arguments: SolveOptions, game: Any, is_exact: bool) -> None:
        self._file, self._arguments, self._game = file, arguments, game
        self.notes: list[str] = []
        if arguments.exact and not is_exact:
            self.notes.append(f"{file.name}: its numbers are floats; what is exact is about their very values")

    @abstractmethod
    def solve(self, show: Show, stop: Stop) -> ZeroSumOutput:
        """Solve it."""

    def _solution(self, show: Show, stop: Stop) -> Any:
        arguments, game = self._arguments, self._game
        return game.solve(
            arguments.method or "auto",
            arguments.tolerance,
            exact=arguments.exact,
            rounds=arguments.rounds,
            start=None if arguments.start is None else read_start(arguments.start, game.rows, game.cols),
            average=arguments.average,
            alternate=False if arguments.simultaneous else True if arguments.alternating else None,
            on_progress=show,
            stop=stop,
        )


class ZeroSumOutput(SolveOutput):
    """The answer on a zero-sum game.

    Attributes
    ----------
    solution : Solution
    tolerance : float or None
        The gap to reach.
    """

    solution: Solution
    tolerance: float | None

    def arrays(self) -> dict[str, Any]:
        """The strategies and the interval that they guarantee."""
        solution = self.solution
        interval = {"lower": np.float64(solution.lower), "upper": np.float64(solution.upper)}
        names = {"rows": np.array(solution.rows), "cols": np.array(solution.columns)}
        return {"row": solution.row, "column": solution.column, **interval, **names}

    def interrupted(self) -> str:
        """The message for a signal."""
        if self.solution.stopped is None:
            return super().interrupted()
        done = steps(self.solution.method, self.solution.iterations)
        return f"interrupted after {done}, with a gap of {self.solution.gap:.3g}"

    def how(self) -> str:
        """The method in a line."""
        solution = self.solution
        note = f", {solution.note}" if solution.note else ""
        ended = "" if solution.stopped is None else ", stopped before it was done"
        return f"{solution.method}: {steps(solution.method, solution.iterations)}{note}{ended}"

    def value_lines(self, total: Any = None) -> Iterator[str]:
        """The quantity, the value and its interval; `total` is the sum of both players' payoffs."""
        solution = self.solution
        yield solution.quantity
        if solution.exact is not None:
            yield row_of("value, exactly", fraction(solution.exact.value))
        yield row_of("value", certain(solution.value, solution.gap))
        yield row_of("at least, at most", ends(solution.lower, solution.upper))
        yield row_of("duality gap", f"{solution.gap:.3g}")
        if total is not None:
            other = certain(float(total) - solution.value, solution.gap)
            if solution.exact is not None and not isinstance(total, float):
                other = fraction_text(total - solution.exact.value)
            shown = figures(total) if isinstance(total, float) else str(total)
            yield row_of("value for the column player", f"{other}, for both win {shown} together")


# By its matrix.


class MatrixTask(ZeroSumTask):
    """The task to solve a matrix.

    Parameters
    ----------
    file : GameFile
    arguments : SolveOptions
    constant : int, float or Fraction, optional
        The sum of both players' payoffs in every cell, of a game with two matrices.
    """

    def __init__(self, file: GameFile, arguments: SolveOptions, constant: Any = None) -> None:
        if arguments.method in IN_TURNS:
            raise UsageError(f"--method {arguments.method} is for games in turns, and {file.name} is a matrix")
        make = MatrixGame.from_losses if arguments.losses else MatrixGame
        game = make(file.payoffs[0], rows=file.rows, cols=file.columns)
        super().__init__(file, arguments, game, game.payoffs.is_exact)
        self._constant = constant

    def solve(self, show: Show, stop: Stop) -> MatrixOutput:
        """Solve it."""
        solution: Solution = self._solution(show, stop)
        return MatrixOutput(
            self._file, self._game, solution, self._arguments.tolerance, self._constant, solution.certificates
        )


@dataclass
class MatrixOutput(ZeroSumOutput):
    """The answer on a matrix.

    Attributes
    ----------
    file : GameFile
    game : MatrixGame
    solution : Solution
    tolerance : float or None
        The gap to reach.
    constant : int, float, Fraction or None
        The sum of both players' payoffs in every cell, of a game with two matrices.
    certificates : list of Certificate
    """

    file: GameFile
    game: MatrixGame
    solution: Solution
    tolerance: float | None
    constant: Any = None
    certificates: list[Certificate] = field(default_factory=list)

    def describe(self) -> dict[str, Any]:
        """The result as JSON values."""
        values = self.headed(self.solution.describe(), "zero-sum" if self.constant is None else "constant-sum")
        return values if self.constant is None else values | {"sum": float(self.constant)}

    def lines(self) -> Iterator[str]:
        """Lines for people before the certificates."""
        solution = self.solution
        rows, columns = self.game.shape
        yield from self.title_lines()
        kind = "zero-sum" if self.constant is None else "constant-sum"
        yield f"{kind} game, {rows:,} x {columns:,}; {self.how()}"
        yield from self.value_lines(self.constant)
        rows_exact = columns_exact = None
        if solution.exact is not None:
            rows_exact, columns_exact = solution.exact.row, solution.exact.column
        one, other = self.file.players
        yield from strategy_lines(f"rows ({one})", solution.rows, solution.row.tolist(), rows_exact)
        yield from strategy_lines(f"columns ({other})", solution.columns, solution.column.tolist(), columns_exact)

    def write_page(self, path: str) -> None:
        """Write the report."""
        from ...report import GameReport, page_of_game, write_report
        from ...report.games import MOST_IN_PICTURE

        shown = self.game.payoffs.kind != "operator" and max(self.game.shape) <= MOST_IN_PICTURE
        payoffs = self.game.payoffs.negated() if self.game.losses else self.game.payoffs
        report = GameReport(
            f"{self.solution.method} on {os.path.basename(self.file.name)}",
            self.solution,
            self._source(),
            payoffs=payoffs.dense().tolist() if shown else None,
            players=(self.file.players[0], self.file.players[1]),
            tolerance=self.tolerance,
            beside=self._beside(),
        )
        write_report(path, page_of_game(report))

    def _source(self) -> dict[str, object]:
        payoffs = self.game.payoffs
        known: dict[str, object] = {"path": self.file.name}
        if payoffs.low <= payoffs.high:
            low, high = (-payoffs.high, -payoffs.low) if self.game.losses else (payoffs.low, payoffs.high)
            known["range"] = f"{figures(low)} to {figures(high)}"
        return known

    def _beside(self) -> dict[str, tuple[list[int], list[float]]]:
        """The gap of the textbook's algorithm, for a cheap number of rounds."""
        rows, columns = self.game.shape
        rounds = min(MOST_ROUNDS, COST // (rows * columns))
        if self.solution.method in (TEXTBOOK, "constant") or rounds < LEAST_ROUNDS:
            return {}
        played = self.game.solve(TEXTBOOK, rounds=rounds)
        if played.course is None:
            return {}
        marks = played.course.rounds.tolist()
        curves = {BESIDE: (marks, played.course.gap.tolist())}
        if played.gap_bound is not None and self.solution.course is None:
            title, bound = played.gap_bound
            curves[title] = marks, [bound(mark) for mark in marks]
        return curves


# In turns, by its sequence form or its tree.


class SequenceTask(ZeroSumTask):
    """The task to solve a game in turns.

    Parameters
    ----------
    file : GameFile
    arguments : SolveOptions
    tree : ExtensiveGame or None
        The game, of a file with a tree.
    """

    def __init__(self, file: GameFile, arguments: SolveOptions, tree: ExtensiveGame | None) -> None:
        if arguments.method not in (None, *METHODS):
            refused = f"--method {arguments.method} is for games by their matrix, and {file.name} is one in turns"
            raise UsageError(f"{refused}: use {', '.join(METHODS)}")
        if arguments.start is not None and arguments.method not in IN_TURNS:
            raise UsageError(f"--start is about self-play; --method names one: {', '.join(IN_TURNS)}")
        super().__init__(file, arguments, _of_file(file) if tree is None else tree.sequence_form(), tree is not None)

    def solve(self, show: Show, stop: Stop) -> SequenceOutput:
        """Solve it."""
        solution: SequenceSolution = self._solution(show, stop)
        return SequenceOutput(self._file, self._game, solution, self._arguments.tolerance, solution.certificates)


def _of_file(file: GameFile) -> SequenceGame:
    """The sequence form of a file."""
    A, E, F = ((one.rows, one.columns, one.values, one.shape) for one in (file.triplets[name] for name in "AEF"))
    try:
        return SequenceGame(A, E, F)
    except InputError as error:
        fault = error.fault if error.advice is None else f"{error.fault}, {error.advice}"
        advice = "a sequence form is expected: E x = e, F y = e, sequence 0 empty"
        raise DataError(file.name, None, None, fault, advice) from error


@dataclass
class SequenceOutput(ZeroSumOutput):
    """The answer on a game in turns.

    Attributes
    ----------
    file : GameFile
    game : SequenceGame
    solution : SequenceSolution
    tolerance : float or None
        The gap to reach.
    certificates : list of Certificate
    """

    file: GameFile
    game: SequenceGame
    solution: SequenceSolution
    tolerance: float | None
    certificates: list[Certificate] = field(default_factory=list)

    def describe(self) -> dict[str, Any]:
        """The result as JSON values."""
        return self.headed(self.solution.describe(), "sequence form")

    def lines(self) -> Iterator[str]:
        """Lines for people before the certificates."""
        solution = self.solution
        yield from self.title_lines()
        rows, columns = self.game.shape
        yield f"game in turns, {rows:,} x {columns:,} sequences; {self.how()}"
        yield from self.value_lines(solution.total or None)
        for place, player in enumerate(PLAYERS):
            called = short(self.file.players[place], WIDTH)
            yield from _behaviour_lines(f"{player} player ({called})", *self._behaviour(player))

    def _behaviour(self, player: Player) -> tuple[Behaviour, Behaviour | None]:
        """A player's behaviour at the information sets that it reaches, and in fractions if these are known."""
        solution = self.solution
        exact = None if solution.exact is None else solution.behaviour(player, exact=True)
        return solution.behaviour(player), exact

    def _reached(self) -> list[dict[str, float]]:
        """The probability of each player's own actions on the way to each of its information sets."""
        solution = self.solution
        return [
            {
                tree.sets[place]: float(plan[tree.order[parent]])
                for place, parent in zip(tree.places.tolist(), tree.parent.tolist(), strict=True)
            }
            for tree, plan in ((solution.row_tree, solution.row), (solution.column_tree, solution.column))
        ]

    def write_page(self, path: str) -> None:
        """Write the report."""
        from ...report import GameReport, InformationSetRow, page_of_game, write_report

        reached = self._reached()
        behaviour = [
            InformationSetRow(place, name, actions, reached[place][name])
            for place, player in enumerate(PLAYERS)
            for name, actions in self.solution.behaviour(player).items()
        ]
        report = GameReport(
            f"{self.solution.method} on {os.path.basename(self.file.name)}",
            self.solution,
            {"path": self.file.name},
            players=(self.file.players[0], self.file.players[1]),
            tolerance=self.tolerance,
            behaviour=behaviour,
        )
        write_report(path, page_of_game(report))


def _behaviour_lines(what: str, behaviour: Behaviour, exact: Behaviour | None) -> Iterator[str]:
    """A player's behaviour, information set by information set."""
    yield f"{what}, {many(len(behaviour), 'information set')} that it comes to"
    for name, actions in list(behaviour.items())[:MOST_SETS]:
        own = {} if exact is None else exact.get(name, {})
        likely = sorted((action for action in actions if actions[action] > 0), key=lambda action: -actions[action])
        yield row_of(
            name, ", ".join(f"{short(action, WIDTH)} ({_share(actions[action], own.get(action))})" for action in likely)
        )
    if len(behaviour) > MOST_SETS:
        yield f"  … and {len(behaviour) - MOST_SETS:,} more"


def _share(chance: float, exact: Fraction | None) -> str:
    share = f"{100 * chance:.5g}%"
    return share if exact is None else fraction(exact, share)
