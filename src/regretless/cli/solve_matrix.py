"""`solve` for a zero-sum game given by its matrix."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..games import MatrixGame
from .exit_codes import UsageError
from .options import IN_TURNS
from .solve_result import SolvedZeroSum, alternate, figures, read_start, strategy_lines

if TYPE_CHECKING:
    from ..data.game_files import GameFile
    from ..games import Solution
    from ..theorem import Certificate
    from .arguments import SolveOptions
    from .solve_result import Show, Stop

BESIDE = "textbook Hedge"
# What the textbook's algorithm may cost beside, in numbers multiplied, and how many rounds are worth a look.
COST, LEAST_ROUNDS, MOST_ROUNDS = 400_000_000, 100, 100_000


class MatrixTask:
    """A matrix that is to be solved.

    Parameters
    ----------
    file : GameFile
    arguments : SolveOptions
    constant : int, float or Fraction, optional
        What both players win together in every cell, of a game that has a matrix for each.
    """

    asks = True

    def __init__(self, file: GameFile, arguments: SolveOptions, constant: Any = None) -> None:
        if arguments.method in IN_TURNS:
            raise UsageError(f"--method {arguments.method} is for games in turns, and {file.name} holds a matrix")
        self._file, self._arguments, self._constant = file, arguments, constant
        make = MatrixGame.from_losses if arguments.losses else MatrixGame
        self._game = make(file.payoffs[0], rows=file.rows, cols=file.columns)
        self.notes: list[str] = []
        if arguments.exact and not self._game.payoffs.stated:
            self.notes.append(f"{file.name}: its numbers are floats; what is exact is about their very values")

    def solve(self, show: Show, stop: Stop) -> SolvedMatrix:
        """Solve it."""
        arguments, game = self._arguments, self._game
        start = None if arguments.start is None else read_start(arguments.start, game.rows, game.cols)
        solution = game.solve(
            arguments.method or "auto",
            arguments.tolerance,
            exact=arguments.exact,
            rounds=arguments.rounds,
            start=start,
            average=arguments.average,
            alternate=alternate(arguments),
            on_progress=show,
            stop=stop,
        )
        return SolvedMatrix(self._file, game, solution, arguments.tolerance, self._constant, solution.certificates)


@dataclass
class SolvedMatrix(SolvedZeroSum):
    """A matrix that is solved.

    Attributes
    ----------
    file : GameFile
    game : MatrixGame
    solution : Solution
    tolerance : float or None
        The gap that was asked for.
    constant : int, float, Fraction or None
        What both players win together in every cell, of a game that has a matrix for each.
    certificates : list of Certificate
    """

    file: GameFile
    game: MatrixGame
    solution: Solution
    tolerance: float | None
    constant: Any = None
    certificates: list[Certificate] = field(default_factory=list)

    # For programs.

    def describe(self) -> dict[str, Any]:
        """The outcome as JSON values."""
        found = self.headed(self.solution.describe(), "zero-sum" if self.constant is None else "constant-sum")
        return found if self.constant is None else found | {"sum": float(self.constant)}

    # For people.

    def lines(self) -> Iterator[str]:
        """What people are told before the certificates."""
        found = self.solution
        rows, columns = self.game.shape
        if self.file.title:
            yield " ".join(self.file.title.split())
        kind = "zero-sum" if self.constant is None else "constant-sum"
        yield f"{kind} game, {rows:,} x {columns:,}; {self.how()}"
        yield from self.value_lines(self.constant)
        rows_exact = columns_exact = None
        if found.exact is not None:
            rows_exact, columns_exact = found.exact.row, found.exact.column
        one, other = self.file.players
        yield from strategy_lines(f"rows ({one})", found.rows, found.row.tolist(), rows_exact)
        yield from strategy_lines(f"columns ({other})", found.columns, found.column.tolist(), columns_exact)

    # As a page.

    def write_page(self, path: str) -> None:
        """Write the report."""
        from ..report.game_page import write_game_report
        from ..report.game_solved import solved
        from ..report.games import MOST_IN_PICTURE

        shown = self.game.payoffs.kind != "operator" and max(self.game.shape) <= MOST_IN_PICTURE
        given = self.game.payoffs.negated() if self.game.losses else self.game.payoffs
        report = solved(
            self.solution,
            f"{self.solution.method} on {os.path.basename(self.file.name)}",
            self._source(),
            payoffs=given.dense().tolist() if shown else None,
            players=tuple(self.file.players),
            tolerance=self.tolerance,
            beside=self._beside(),
        )
        write_game_report(path, report)

    def _source(self) -> dict[str, object]:
        payoffs = self.game.payoffs
        known: dict[str, object] = {"path": self.file.name}
        if payoffs.low <= payoffs.high:
            low, high = (-payoffs.high, -payoffs.low) if self.game.losses else (payoffs.low, payoffs.high)
            known["range"] = f"{figures(low)} to {figures(high)}"
        return known

    def _beside(self) -> dict[str, tuple[list[int], list[float]]]:
        """How the gap falls by the textbook's algorithm, for as many rounds as cost little."""
        rows, columns = self.game.shape
        rounds = min(MOST_ROUNDS, COST // (rows * columns))
        if self.solution.method in ("hedge", "constant") or rounds < LEAST_ROUNDS:
            return {}
        played = self.game.solve("hedge", rounds=rounds)
        if played.course is None:
            return {}
        marks = played.course.rounds.tolist()
        found = {BESIDE: (marks, played.course.gap.tolist())}
        if played.line is not None and self.solution.course is None:
            title, bound = played.line
            found[title] = marks, [bound(mark) for mark in marks]
        return found
