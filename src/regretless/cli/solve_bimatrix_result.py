"""The equilibria of a bimatrix game: lines and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .formatting import figures
from .output import many, short
from .solve_result import MOST, WIDTH, Solved, fraction, row_of

if TYPE_CHECKING:
    from fractions import Fraction

    from ..data.game_files import GameFile
    from ..games.general_sum.bimatrix import BimatrixGame
    from ..games.general_sum.correlated import Correlated
    from ..games.general_sum.equilibria import Equilibria, Equilibrium
    from ..theorem import Certificate

BEST = {"welfare": "for both together", "row": "for the row player", "column": "for the column player"}
AIMS = {"welfare": "sum of the payoffs", "row": "row player's payoff", "column": "column player's payoff"}


@dataclass
class SolvedBimatrix(Solved):
    """Two matrices, and equilibria of them.

    Attributes
    ----------
    file : GameFile
    game : BimatrixGame
    equilibria : Equilibria or None
        Nash equilibria, if these were looked for.
    correlated : Correlated or None
        A correlated equilibrium, if one was.
    lacking : str or None
        Why there are no Nash equilibria but pure ones, where these were wanted.
    certificates : list of Certificate
    """

    file: GameFile
    game: BimatrixGame
    equilibria: Equilibria | None
    correlated: Correlated | None
    lacking: str | None = None
    certificates: list[Certificate] = field(default_factory=list)

    # For programs.

    def describe(self) -> dict[str, Any]:
        """The outcome as JSON values."""
        found: dict[str, Any] = {"rows": self.game.shape[0], "columns": self.game.shape[1]}
        if self.equilibria is not None:
            found |= self.equilibria.describe()
        if self.correlated is not None:
            found["correlated"] = self._joint()
        if self.lacking is not None:
            found |= {"pure_equilibria": [list(pair) for pair in self.game.pure_equilibria()], "note": self.lacking}
        return self.headed(found, "bimatrix") | {"certificates": [one.describe() for one in self.certificates]}

    def _joint(self) -> dict[str, Any]:
        one = self.known
        rows, columns = self.game.rows, self.game.cols
        cells = {rows[i]: named(columns, one.joint[i].tolist()) for i in _played(one)}
        return {
            "kind": kind_of(one),
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
    def known(self) -> Correlated:
        """The correlated equilibrium, where there is one."""
        assert self.correlated is not None, "asked where there is one"
        return self.correlated

    def arrays(self) -> dict[str, Any]:
        """The equilibria, one a row, or the joint distribution."""
        names = {"rows": np.array(self.game.rows), "cols": np.array(self.game.cols)}
        if self.correlated is not None:
            return {"joint": self.known.joint, **names}
        found = list(self.equilibria or [])
        return {"row": np.array([one.row for one in found]), "column": np.array([one.column for one in found]), **names}

    # For people.

    def lines(self) -> Iterator[str]:
        """What people are told before the certificates."""
        if self.file.title:
            yield " ".join(self.file.title.split())
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
        found = self.equilibria
        if found is None:
            return ""
        count = f"{len(found):,} equilibri{'um' if len(found) == 1 else 'a'}"
        note = f", {found.note}" if found.note else ""
        return f"; {found.method}: {count}, {_completeness(found)}{note}"

    def _equilibrium(self, number: int, one: Equilibrium) -> Iterator[str]:
        exact = one.exact if self.equilibria is not None and self.equilibria.stated else None
        told = [figures(one.row_payoff), figures(one.column_payoff)]
        if exact is not None:
            told = [fraction(exact.row_payoff, told[0]), fraction(exact.column_payoff, told[1])]
        # Where it is known exactly, nobody gains anything; what floats leave to gain is their rounding.
        gain = max(one.row_gain, one.column_gain)
        gains = "" if gain == 0 or exact is not None else f", to gain at most {gain:.2g}"
        yield f"equilibrium {number}: payoffs {told[0]} and {told[1]}{gains}"
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
        one = self.known
        payoffs = f"payoffs {figures(one.row_payoff)} and {figures(one.column_payoff)}"
        gain = max(one.row_gain, one.column_gain)
        yield f"{kind_of(one)} equilibrium, the best {BEST[one.objective]}: {payoffs}, to gain at most {gain:.2g}"
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
        from ..report.game_page import write_game_report
        from .bimatrix_page import report

        write_game_report(path, report(self))


def kind_of(one: Correlated) -> str:
    """What it is called."""
    return "coarse correlated" if one.coarse else "correlated"


def _played(one: Correlated) -> list[int]:
    """The rows of a joint distribution that are ever played."""
    return [int(i) for i in np.flatnonzero(one.joint.any(axis=1))]


def _completeness(found: Equilibria) -> str:
    if found.complete is None:
        return "all there are unless the game is degenerate"
    if not found.complete:
        return "there may be others"
    if mixtures(found):
        return "of which all others are mixtures"
    return "all there is" if len(found) == 1 else "all there are"


def mixtures(found: Equilibria) -> bool:
    """Whether mixtures of some equilibria are equilibria too, as far as it is known."""
    return bool(found.degenerate) and (found.subsets is None or any(len(subset) > 1 for subset in found.subsets))


def named(names: Sequence[str], chances: Sequence[float]) -> dict[str, float]:
    """The strategies that are played, by name."""
    return {name: chance for name, chance in zip(names, chances, strict=True) if chance > 0}


def _mixture(names: Sequence[str], chances: Sequence[float], exact: Sequence[Fraction] | None) -> str:
    """A strategy in one line, the likeliest part first."""
    order = sorted((place for place, chance in enumerate(chances) if chance > 0), key=lambda place: -chances[place])
    told = []
    for place in order[:MOST]:
        share = f"{100 * chances[place]:.6g}%"
        told.append(f"{short(names[place], WIDTH)} ({share if exact is None else fraction(exact[place], share)})")
    return ", ".join(told) + (f" … and {len(order) - MOST:,} more" if len(order) > MOST else "")
