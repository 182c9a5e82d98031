"""The reports on solved games, and what players and strategies are called."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from . import formatting, summary
from .curves import Values
from .summary import Verdict

if TYPE_CHECKING:
    from ..certificate import Certificate


MOST_IN_PICTURE = 60
"""The most rows or columns of a matrix in a picture; more cells are too small to be seen."""

LEAST_SHARE = 0.01
"""Strategies below this share of the likeliest one are remnants of the first rounds in an average."""

Matrix = Sequence[Sequence[float]]


class ShownPair(Protocol):
    """A strategy of each player: an array of floats, or fractions."""

    @property
    def row(self) -> Any: ...
    @property
    def column(self) -> Any: ...


class ShownRun(Protocol):
    """How a game was solved, in how many seconds."""

    @property
    def method(self) -> str: ...
    @property
    def seconds(self) -> float: ...
    @property
    def note(self) -> str: ...


class ShownSolution(ShownPair, ShownRun, Protocol):
    """What a page reads of the solution of a zero-sum game."""

    @property
    def rows(self) -> Sequence[str]: ...
    @property
    def columns(self) -> Sequence[str]: ...
    @property
    def value(self) -> float: ...
    @property
    def lower(self) -> float: ...
    @property
    def upper(self) -> float: ...
    @property
    def gap(self) -> float: ...
    @property
    def quantity(self) -> str: ...
    @property
    def losses(self) -> bool: ...
    @property
    def iterations(self) -> int: ...
    @property
    def stopped(self) -> str | None: ...
    @property
    def certificates(self) -> Sequence[Certificate]: ...
    @property
    def gap_bound(self) -> tuple[str, Callable[[float], float]] | None: ...
    @property
    def course(self) -> Any: ...
    @property
    def exact(self) -> Any: ...


class ShownPayoffs(Protocol):
    """What each player gets, and could gain by another strategy."""

    @property
    def row_payoff(self) -> float: ...
    @property
    def column_payoff(self) -> float: ...
    @property
    def row_gain(self) -> float: ...
    @property
    def column_gain(self) -> float: ...


class ShownEquilibrium(ShownPair, ShownPayoffs, Protocol):
    """What a page reads of a Nash equilibrium."""

    @property
    def pure(self) -> bool: ...
    @property
    def exact(self) -> ShownPair | None: ...


class ShownEquilibria(ShownRun, Protocol):
    """What a page reads of a list of Nash equilibria."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[ShownEquilibrium]: ...
    @property
    def complete(self) -> bool | None: ...
    @property
    def has_mixtures(self) -> bool: ...
    @property
    def is_exact(self) -> bool: ...


class ShownCorrelated(ShownPayoffs, Protocol):
    """What a page reads of a distribution over pairs of strategies."""

    @property
    def joint(self) -> Any: ...


@dataclass(frozen=True, slots=True)
class InformationSetRow:
    """A player's behaviour at an information set.

    Parameters
    ----------
    player : int
        0 is the row player, 1 the column player.
    name : str
    actions : mapping
        The probability of each action by name.
    reached : float or None
        The probability of the player's own actions on the way.
    """

    player: int
    name: str
    actions: Mapping[str, float]
    reached: float | None = None


@dataclass(frozen=True)
class Side:
    """A player of a solved game.

    Parameters
    ----------
    player : str
        The name.
    names : sequence of str
        All strategies; numbers with a noun before them, as ``row 3``.
    shares : mapping
        The probability of each strategy that is played.
    averaged : bool
        Whether the strategy is an average of self-play, with remnants of its first rounds.
    """

    player: str
    names: Sequence[str]
    shares: Mapping[str, float]
    averaged: bool = False

    @cached_property
    def played(self) -> list[str]:
        """The strategies that are played, the likeliest first."""
        return played(self.shares)

    @cached_property
    def main(self) -> list[str]:
        """The strategies to mention: those that are played, without remnants of the first rounds."""
        return played(self.shares, LEAST_SHARE) if self.averaged else self.played


@dataclass(frozen=True)
class GameReport:
    """A solved zero-sum game, ready to be shown.

    Parameters
    ----------
    title : str
        The headline, as ``rm+ on game.csv``.
    solution : ShownSolution
        A solution of `regretless.games`.
    source : mapping
        The source of the game: ``path, format, range``, as far as known.
    players : (str, str)
        Names of the players.
    payoffs : sequence of sequence of float, optional
        The user's numbers, for at most `MOST_IN_PICTURE` rows and columns.
    tolerance : float, optional
        The gap to reach.
    beside : mapping
        The gap of other methods, as textbook Hedge: rounds and gaps by the method's name.
    behaviour : sequence of InformationSetRow, optional
        Of a game in turns, whose strategies are sequences.
    """

    title: str
    solution: ShownSolution
    source: Mapping[str, object] = field(default_factory=dict)
    players: tuple[str, str] = ("Row player", "Column player")
    payoffs: Matrix | None = None
    tolerance: float | None = None
    beside: Mapping[str, tuple[Sequence[int], Values]] = field(default_factory=dict)
    behaviour: Sequence[InformationSetRow] | None = None

    @property
    def in_turns(self) -> bool:
        """Whether the game is played in turns."""
        return self.behaviour is not None

    @cached_property
    def sides(self) -> tuple[Side, Side]:
        """Both players."""
        solution = self.solution
        names = names_of(solution.rows, solution.columns)
        averaged = solution.course is not None and len(solution.course.rounds) > 0
        one, other = (
            Side(capitalised(player), own, shares_of(own, strategy), averaged)
            for player, own, strategy in zip(self.players, names, (solution.row, solution.column), strict=True)
        )
        return one, other


@dataclass(frozen=True)
class BimatrixReport:
    """A solved game in which both players have payoffs of their own, ready to be shown.

    Parameters
    ----------
    title : str
        The headline, as ``Equilibria of game.nfg``.
    rows, columns : sequence of str
        The strategies' names.
    equilibria : ShownEquilibria, optional
        Its Nash equilibria.
    correlated : ShownCorrelated, optional
        A correlated equilibrium.
    kind : str
        What that is, as ``Correlated equilibrium, the best for both together``.
    source : mapping
    players : (str, str)
        Names of the players.
    payoffs : sequence of matrix
        Those of the row player and those of the column player, for at most `MOST_IN_PICTURE` rows and columns.
    note : str
        Details of the method.
    """

    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    equilibria: ShownEquilibria | None = None
    correlated: ShownCorrelated | None = None
    kind: str = "Correlated equilibrium"
    source: Mapping[str, object] = field(default_factory=dict)
    players: tuple[str, str] = ("Row player", "Column player")
    payoffs: Sequence[Matrix] = ()
    note: str = ""

    @cached_property
    def names(self) -> tuple[Sequence[str], Sequence[str]]:
        """The names of the rows and of the columns, as they are shown."""
        return names_of(self.rows, self.columns)

    @cached_property
    def called(self) -> tuple[str, str]:
        """The players' names, as they are shown."""
        one, other = map(capitalised, self.players)
        return one, other

    @cached_property
    def strategies(self) -> list[tuple[dict[str, float], dict[str, float]]]:
        """Both players' strategies at each equilibrium."""
        return [self.shares(one) for one in self.equilibria or ()]

    def shares(self, pair: ShownPair) -> tuple[dict[str, float], dict[str, float]]:
        """Both strategies, by name."""
        return shares_of(self.names[0], pair.row), shares_of(self.names[1], pair.column)


def capitalised(name: str) -> str:
    """A name as it stands at the beginning of a line."""
    return f"{name[:1].upper()}{name[1:]}"


def names_of(rows: Sequence[str], columns: Sequence[str]) -> tuple[list[str], list[str]]:
    """The names of both players' strategies; one that has a number only is called ``row 3`` or ``column 3``."""
    one, other = (
        [f"{noun} {name}" if name.isdecimal() else name for name in map(str, names)]
        for noun, names in (("row", rows), ("column", columns))
    )
    return one, other


def shares_of(names: Sequence[str], strategy: Any) -> dict[str, float]:
    """The strategies with a positive probability, and these."""
    return {name: chance for name, chance in zip(names, map(float, strategy), strict=True) if chance > 0}


def fractions_of(names: Sequence[str], strategy: Sequence[Fraction]) -> dict[str, str]:
    """The same as fractions."""
    return {name: formatting.fraction_text(part) for name, part in zip(names, strategy, strict=True) if part > 0}


def played(shares: Mapping[str, float], least: float = 0.0) -> list[str]:
    """The strategies with more than this share of the largest probability, the likeliest first."""
    known = [name for name, chance in shares.items() if math.isfinite(chance)]
    limit = least * max((shares[name] for name in known), default=0.0)
    return sorted((name for name in known if shares[name] > limit), key=lambda name: -shares[name])


def few(names: Sequence[Sequence[str]]) -> bool:
    """Whether the cells of a picture are large enough to be seen."""
    return 0 < max(map(len, names)) <= MOST_IN_PICTURE


def the(player: str) -> str:
    """A player's name in a sentence."""
    name = formatting.label(player, 40)
    return f"the {name.lower()}" if name.lower().endswith("player") else name


def verdict_on(gap: float, detail: str = "", tolerance: float | None = None, early: bool = False) -> Verdict:
    """Whether strategies from which the players gain so much by deviating are within the tolerance of an equilibrium.

    Parameters
    ----------
    gap : float
    detail : str
        A sentence on the certificates.
    tolerance : float, optional
    early : bool
        Whether the search ended early.
    """
    state = "idle" if early or (tolerance is not None and gap > tolerance) else "held"
    text = "Neither player can gain more than that by deviating" if gap > 0 else "Neither player can gain by deviating"
    asked = f"; {formatting.real(tolerance, 3)} was asked for" if tolerance is not None else ""
    headline = f"Equilibrium within {formatting.above(gap)}" if gap > 0 else "Equilibrium"
    return summary.Verdict(state, headline, f"{text}{asked}. {detail}".strip())
