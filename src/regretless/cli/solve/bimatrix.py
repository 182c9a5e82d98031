"""`solve` for general-sum games of two matrices: lines, JSON and report; apart, for it loads the games."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import RegretlessError
from ...games.general_sum.bimatrix import BimatrixGame
from ...games.solution import named_chances
from ...report.terminal import many, short
from ..options import is_set
from ..output import plain
from .result import MOST, WIDTH, SolveOutput, figures, fraction, of_general_sum, of_zero_sum, refuse, row_of
from .zero_sum import MatrixTask

if TYPE_CHECKING:
    from fractions import Fraction

    from ...certificate import Certificate
    from ...data.game_files import GameFile
    from ...games.extensive_form.extensive import ExtensiveGame
    from ...games.general_sum.correlated import CorrelatedEquilibrium
    from ...games.general_sum.equilibria import Equilibria, Equilibrium
    from .result import Show, SolveOptions, SolveTask, Stop


SECONDS = 60.0
LIBRARY = "quantecon"  # of the extra `nash`
SUCH = "payoffs of both players; --equilibria, --correlated and --coarse are for such games"


def bimatrix_task(file: GameFile, arguments: SolveOptions) -> SolveTask:
    """The task for a file of two matrices: one of a constant sum is a zero-sum game in other numbers."""
    refuse(arguments, {"--losses": arguments.losses}, "payoffs of both players")
    game = BimatrixGame(file.payoffs[0], file.payoffs[1], file.rows, file.columns)
    if game.constant_sum is not None and not any(map(is_set, of_general_sum(arguments).values())):
        total = plain(file.payoffs[0].flat[0]) + plain(file.payoffs[1].flat[0])
        task = MatrixTask(file, arguments, total)
        what = f"the payoffs sum to {total} everywhere"
        task.notes.append(f"{file.name}: {what}, so that this is solved as a zero-sum game")
        return task
    refuse(arguments, of_zero_sum(arguments), SUCH)
    return BimatrixTask(file, arguments, game)


def tree_task(file: GameFile, arguments: SolveOptions, tree: ExtensiveGame) -> SolveTask:
    """The task for a game in turns whose payoffs have no constant sum, by its reduced strategic form."""
    refuse(arguments, {"--losses": arguments.losses, **of_zero_sum(arguments)}, SUCH)
    game = tree.strategic_form()
    task = BimatrixTask(file, arguments, game)
    rows, columns = game.shape
    how = f"solved by its reduced strategic form, {rows:,} x {columns:,} plans"
    task.notes.append(f"{file.name}: a game in turns, and the players' payoffs have no constant sum; {how}")
    return task


class BimatrixTask:
    """The task to find equilibria of two matrices.

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

    def solve(self, show: Show, stop: Stop) -> BimatrixOutput:
        """Find the equilibria that the options ask for."""
        arguments = self._arguments
        if arguments.correlated or arguments.coarse:
            return BimatrixOutput(self._file, self._game, None, self._correlated(arguments.objective or "welfare"))
        seconds = arguments.seconds or SECONDS
        try:
            equilibria = self._game.equilibria(arguments.equilibria or "auto", arguments.limit, seconds)
        except RegretlessError as error:
            # Without its library a named method is an error; by default the pure equilibria are shown.
            if arguments.equilibria is not None or find_spec(LIBRARY) is not None:
                raise
            return BimatrixOutput(self._file, self._game, None, self._correlated("welfare"), str(error))
        return BimatrixOutput(self._file, self._game, equilibria, None)

    def _correlated(self, objective: Any) -> CorrelatedEquilibrium:
        from ...games.general_sum.correlated import correlated

        game, arguments = self._game, self._arguments
        seconds = arguments.seconds or SECONDS
        return correlated(
            game.row_payoffs, game.column_payoffs, coarse=bool(arguments.coarse), objective=objective, seconds=seconds
        )


BEST = {"welfare": "for both together", "row": "for the row player", "column": "for the column player"}
AIMS = {"welfare": "sum of the payoffs", "row": "row player's payoff", "column": "column player's payoff"}


@dataclass
class BimatrixOutput(SolveOutput):
    """Two matrices, and equilibria of them.

    Attributes
    ----------
    file : GameFile
    game : BimatrixGame
    equilibria : Equilibria or None
        Nash equilibria, unless a correlated one is the answer.
    correlated : CorrelatedEquilibrium or None
        A correlated equilibrium, if it is the answer.
    lacking : str or None
        The reason why there was no search for mixed Nash equilibria, if there was none.
    certificates : list of Certificate
    """

    file: GameFile
    game: BimatrixGame
    equilibria: Equilibria | None
    correlated: CorrelatedEquilibrium | None
    lacking: str | None = None
    certificates: list[Certificate] = field(default_factory=list)

    # For programs.

    def describe(self) -> dict[str, Any]:
        """The result as JSON values."""
        values: dict[str, Any] = {"rows": self.game.shape[0], "columns": self.game.shape[1]}
        if self.equilibria is not None:
            values |= self.equilibria.describe()
        if self.correlated is not None:
            values["correlated"] = self._joint()
        if self.lacking is not None:
            values |= {"pure_equilibria": [list(pair) for pair in self.game.pure_equilibria()], "note": self.lacking}
        return self.headed(values, "bimatrix") | {"certificates": [one.describe() for one in self.certificates]}

    def _joint(self) -> dict[str, Any]:
        one = self._best
        rows, columns = self.game.rows, self.game.cols
        cells = {rows[i]: named_chances(columns, one.joint[i].tolist()) for i in _played(one)}
        return {
            "kind": _kind_of(one),
            "objective": one.objective,
            "best": one.best,
            "bound": one.bound,
            "row_payoff": one.row_payoff,
            "column_payoff": one.column_payoff,
            "row_gain": one.row_gain,
            "column_gain": one.column_gain,
            "joint": cells,
        }

    @property
    def _best(self) -> CorrelatedEquilibrium:
        """The correlated equilibrium, which is there."""
        assert self.correlated is not None, "the answer is a correlated equilibrium"
        return self.correlated

    def arrays(self) -> dict[str, Any]:
        """The equilibria, one a row, or the joint distribution."""
        names = {"rows": np.array(self.game.rows), "cols": np.array(self.game.cols)}
        if self.correlated is not None:
            return {"joint": self._best.joint, **names}
        equilibria = list(self.equilibria or [])
        return {
            "row": np.array([one.row for one in equilibria]),
            "column": np.array([one.column for one in equilibria]),
            **names,
        }

    # For people.

    def lines(self) -> Iterator[str]:
        """Lines for people before the certificates."""
        yield from self.title_lines()
        rows, columns = self.game.shape
        yield f"bimatrix game, {rows:,} x {columns:,}{self._how()}"
        one, other = self.file.players
        yield f"payoffs of the row player ({one}) and of the column player ({other})"
        for place, equilibrium in enumerate((self.equilibria or [])[:MOST]):
            yield from self._equilibrium(place + 1, equilibrium)
        if self.equilibria is not None and len(self.equilibria) > MOST:
            yield f"… and {len(self.equilibria) - MOST:,} more (--json shows all)"
        if self.lacking is not None:
            yield from self._pure()
        if self.correlated is not None:
            yield from self._correlated_lines()

    def _how(self) -> str:
        equilibria = self.equilibria
        if equilibria is None:
            return ""
        count = f"{len(equilibria):,} equilibri{'um' if len(equilibria) == 1 else 'a'}"
        note = f", {equilibria.note}" if equilibria.note else ""
        return f"; {equilibria.method}: {count}, {_completeness(equilibria)}{note}"

    def _equilibrium(self, number: int, one: Equilibrium) -> Iterator[str]:
        exact = one.exact if self.equilibria is not None and self.equilibria.is_exact else None
        payoffs = [figures(one.row_payoff), figures(one.column_payoff)]
        if exact is not None:
            payoffs = [fraction(exact.row_payoff, payoffs[0]), fraction(exact.column_payoff, payoffs[1])]
        # At an exact equilibrium no player gains; the gains of floats are rounding.
        gain = max(one.row_gain, one.column_gain)
        gains = "" if gain == 0 or exact is not None else f", to gain at most {gain:.2g}"
        yield f"equilibrium {number}: payoffs {payoffs[0]} and {payoffs[1]}{gains}"
        rows, columns = (None, None) if exact is None else (exact.row, exact.column)
        yield row_of("rows", _mixture(self.game.rows, one.row.tolist(), rows))
        yield row_of("columns", _mixture(self.game.cols, one.column.tolist(), columns))

    def _pure(self) -> Iterator[str]:
        yield f"mixed equilibria were not looked for: {self.lacking}"
        pure = self.game.pure_equilibria()
        yield f"{many(len(pure), 'pure equilibrium').replace('equilibriums', 'equilibria')}{':' if pure else ''}"
        for row, column in pure[:MOST]:
            yield row_of(row, column)
        if len(pure) > MOST:
            yield f"  … and {len(pure) - MOST:,} more"

    def _correlated_lines(self) -> Iterator[str]:
        one = self._best
        payoffs = f"payoffs {figures(one.row_payoff)} and {figures(one.column_payoff)}"
        gain = max(one.row_gain, one.column_gain)
        yield f"{_kind_of(one)} equilibrium, the best {BEST[one.objective]}: {payoffs}, to gain at most {gain:.2g}"
        yield row_of(
            f"{AIMS[one.objective]}, at most", f"{figures(one.best)}, {figures(one.bound)} in any such equilibrium"
        )
        order = np.argsort(-one.joint, axis=None, kind="stable")
        played = int(np.count_nonzero(one.joint))
        for cell in order[: min(MOST, played)].tolist():
            i, j = divmod(cell, one.joint.shape[1])
            yield row_of(f"{self.game.rows[i]}, {self.game.cols[j]}", f"{100 * one.joint[i, j]:>11.6g}%")
        if played > MOST:
            yield f"  … and {played - MOST:,} more pairs"

    # As a page.

    def write_page(self, path: str) -> None:
        """Write the report."""
        from ...report import BimatrixReport, page_of_bimatrix, write_report
        from ...report.games import MOST_IN_PICTURE

        game, one = self.game, self.correlated
        title = "Equilibria" if self.equilibria is not None else "An equilibrium"
        both = (game.row_payoffs, game.column_payoffs) if max(game.shape) <= MOST_IN_PICTURE else ()
        report = BimatrixReport(
            f"{title} of {os.path.basename(self.file.name)}",
            game.rows,
            game.cols,
            equilibria=self.equilibria,
            correlated=one,
            kind="" if one is None else f"{_kind_of(one).capitalize()} equilibrium, the best {BEST[one.objective]}",
            source={"path": self.file.name},
            players=(self.file.players[0], self.file.players[1]),
            payoffs=[payoffs.dense().tolist() for payoffs in both],
            note=self.lacking or "",
        )
        write_report(path, page_of_bimatrix(report))


def _kind_of(one: CorrelatedEquilibrium) -> str:
    """Name of its kind."""
    return "coarse correlated" if one.coarse else "correlated"


def _played(one: CorrelatedEquilibrium) -> list[int]:
    """The rows of a joint distribution with positive probability."""
    return [int(i) for i in np.flatnonzero(one.joint.any(axis=1))]


def _completeness(equilibria: Equilibria) -> str:
    if equilibria.complete is None:
        return "all there are unless the game is degenerate"
    if not equilibria.complete:
        return "there may be others"
    if equilibria.has_mixtures:
        return "of which all others are mixtures"
    return "all there is" if len(equilibria) == 1 else "all there are"


def _mixture(names: Sequence[str], chances: Sequence[float], exact: Sequence[Fraction] | None) -> str:
    """A strategy in one line, the likeliest part first."""
    order = sorted((place for place, chance in enumerate(chances) if chance > 0), key=lambda place: -chances[place])
    parts = []
    for place in order[:MOST]:
        share = f"{100 * chances[place]:.6g}%"
        parts.append(f"{short(names[place], WIDTH)} ({share if exact is None else fraction(exact[place], share)})")
    return ", ".join(parts) + (f" … and {len(order) - MOST:,} more" if len(order) > MOST else "")
