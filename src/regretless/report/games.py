"""What a report on a solved game is made of, in plain values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol, TypeVar

from . import numbers
from .forecasts import Values
from .model import CertificateLike

MOST_IN_PICTURE = 60
"""A matrix of more rows or columns than this has cells too small to be seen."""

LEAST_SHARE = 0.01
"""What an average strategy plays more rarely than this share of its likeliest choice is left from its first rounds."""

Matrix = Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True)
class GameCourse:
    """How a self-play went; every list is as long as `rounds`, or empty where nothing is known.

    Parameters
    ----------
    rounds : sequence of int
        Increasing, the last round among them.
    gap : sequence of float
        Duality gap of the average strategies after so many rounds.
    lower, upper : sequence of float
        The ends of the interval that they guarantee.
    rows, columns : mapping
        The average strategies: the probabilities of each row and of each column, by name.
    """

    rounds: Sequence[int] = ()
    gap: Values = ()
    lower: Values = ()
    upper: Values = ()
    rows: Mapping[str, Values] = field(default_factory=dict)
    columns: Mapping[str, Values] = field(default_factory=dict)


class RecordedGame(Protocol):
    """The course of a self-play as a solver records it, in arrays; `rows` and `columns` may be None."""

    rounds: Any
    gap: Any
    lower: Any
    upper: Any
    rows: Any
    columns: Any


def named_course(recorded: RecordedGame, rows: Sequence[str], columns: Sequence[str]) -> GameCourse:
    """A recorded course in plain numbers, with the names of the strategies.

    Parameters
    ----------
    recorded : Course of a solver
        Its ``rows`` and ``columns`` have a row of all probabilities for each mark.
    rows, columns : sequence of str
        What the strategies are called.

    Returns
    -------
    GameCourse
    """
    return GameCourse(
        rounds=[int(t) for t in recorded.rounds],
        gap=[float(value) for value in recorded.gap],
        lower=[float(value) for value in recorded.lower],
        upper=[float(value) for value in recorded.upper],
        rows=_by_name(recorded.rows, rows),
        columns=_by_name(recorded.columns, columns),
    )


def _by_name(strategies: Any, names: Sequence[str]) -> dict[str, list[float]]:
    if strategies is None:
        return {}
    return {name: [float(row[place]) for row in strategies] for place, name in enumerate(names)}


@dataclass(frozen=True, slots=True)
class ExactGame:
    """The solution in fractions, as text: ``"-1/18"``; strategies that are not played are left out.

    Parameters
    ----------
    value : str
    row, column : mapping
        The probability of each row and of each column that is played, by name.
    """

    value: str
    row: Mapping[str, str]
    column: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class EquilibriumRow:
    """One Nash equilibrium of a game in which both players have payoffs of their own.

    Parameters
    ----------
    row, column : mapping
        The probability of each row and of each column that is played, by name.
    row_payoff, column_payoff : float
        What each player expects to win.
    gain : float
        The most that a player could still gain by deviating.
    exact : ExactGame or None
        Strategies as fractions; its value is not looked at.
    note : str
        How it was found, or what is special: ``"pure"``.
    """

    row: Mapping[str, float]
    column: Mapping[str, float]
    row_payoff: float
    column_payoff: float
    gain: float = 0.0
    exact: ExactGame | None = None
    note: str = ""


Pair = TypeVar("Pair", ExactGame, EquilibriumRow)


@dataclass(frozen=True, slots=True)
class JointPlay:
    """A distribution over pairs of strategies: a correlated equilibrium, or how often two learners met.

    Parameters
    ----------
    title : str
        What it is, as ``Coarse correlated equilibrium of the greatest welfare``.
    probabilities : sequence of sequence of float
        A row for each row of the game.
    row_payoff, column_payoff : float
        What each player expects to win.
    gain : float or None
        The most that a player could gain by disobeying.
    note : str
        What else is to be said of it.
    """

    title: str
    probabilities: Matrix
    row_payoff: float
    column_payoff: float
    gain: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class InformationSet:
    """What a player does where it cannot tell some situations apart.

    Parameters
    ----------
    player : int
        0 is the row player, 1 the column player.
    name : str
    actions : mapping
        The probability of each action by name, once the player is there.
    reached : float or None
        The probability with which the player's own choices lead there.
    """

    player: int
    name: str
    actions: Mapping[str, float]
    reached: float | None = None


@dataclass(frozen=True, slots=True)
class GameReport:
    """A solved game of two players, ready to be shown.

    Parameters
    ----------
    title : str
        The headline, as ``rm+ on game.csv``.
    kind : {"matrix", "bimatrix", "sequence"}
        A zero-sum matrix; two matrices; or a zero-sum game that is played in turns, by its sequences.
    method : str
        How it was solved.
    rows, columns : int
        How many strategies each player has; of a game in turns, how many sequences.
    whose : str
        Whose payoffs the numbers are, as ``payoff of the row player``.
    losses : bool
        Whether these are losses, so that the row player minimises.
    value, lower, upper, gap : float or None
        The value, an interval that contains it, and its width; None of a bimatrix game.
    row, column : mapping
        The probability of each row and of each column that is played, by name, of a matrix game.
    row_names, column_names : sequence of str
        All names, in the order of `payoffs`.
    payoffs, column_payoffs : sequence of sequence of float or None
        What the numbers of the game are, as they were given, where there are few enough of them: at most
        `MOST_IN_PICTURE` rows and columns; `column_payoffs` are those of a bimatrix game's column player.
    players : (str, str)
        What the players are called.
    source : mapping
        Where the game came from: ``path, format, range``, as far as known.
    parameters : mapping
        What the method was asked for, by name.
    note : str
        How the method ended.
    iterations : int or None
        Pivots, steps or rounds.
    seconds : float or None
        How long it took.
    tolerance : float or None
        The gap that was asked for.
    interrupted : str or None
        Why it ended before it was done.
    exact : ExactGame or None
    certificates : sequence of Certificate
        Every theorem that was asked, whether or not it applies.
    course : GameCourse
        How a self-play went.
    lines : mapping
        What each theorem said beforehand of the gap after so many rounds, by its title; as long as the course's rounds.
    beside : mapping
        How the gap fell by other methods, as textbook Hedge: rounds and gaps by the method's name.
    equilibria : sequence of EquilibriumRow
        Of a bimatrix game.
    complete : bool or None
        Whether these are all equilibria; None where nobody knows.
    degenerate : bool
        Whether mixtures of some equilibria are equilibria too.
    joints : sequence of JointPlay
        Of a bimatrix game.
    behaviour : sequence of InformationSet
        Of a game in turns.
    """

    title: str
    kind: Literal["matrix", "bimatrix", "sequence"]
    method: str
    rows: int
    columns: int
    whose: str = "payoff of the row player"
    losses: bool = False
    value: float | None = None
    lower: float | None = None
    upper: float | None = None
    gap: float | None = None
    row: Mapping[str, float] = field(default_factory=dict)
    column: Mapping[str, float] = field(default_factory=dict)
    row_names: Sequence[str] = ()
    column_names: Sequence[str] = ()
    payoffs: Matrix | None = None
    column_payoffs: Matrix | None = None
    players: tuple[str, str] = ("Row player", "Column player")
    source: Mapping[str, object] = field(default_factory=dict)
    parameters: Mapping[str, object] = field(default_factory=dict)
    note: str = ""
    iterations: int | None = None
    seconds: float | None = None
    tolerance: float | None = None
    interrupted: str | None = None
    exact: ExactGame | None = None
    certificates: Sequence[CertificateLike] = ()
    course: GameCourse = field(default_factory=GameCourse)
    lines: Mapping[str, Values] = field(default_factory=dict)
    beside: Mapping[str, tuple[Sequence[int], Values]] = field(default_factory=dict)
    equilibria: Sequence[EquilibriumRow] = ()
    complete: bool | None = None
    degenerate: bool = False
    joints: Sequence[JointPlay] = ()
    behaviour: Sequence[InformationSet] = ()


def solved(solution: Any, title: str = "", source: Mapping[str, object] | None = None, **more: Any) -> GameReport:
    """A solution of a zero-sum game, ready to be shown.

    Parameters
    ----------
    solution : Solution or GameReport
        With the attributes of a solver's answer: ``rows, columns`` (names), ``row, column`` (probabilities), ``method,
        lower, upper, value, gap, iterations, seconds, losses, whose, note, stopped, certificates, course, exact,
        describe``, and perhaps ``line``: a theorem's title and what it says of the gap after so many rounds.
    title : str
    source : mapping, optional
        Where the game came from.
    **more
        What else is known, as ``payoffs``, ``lines`` and ``beside``; or what is to stand in place of something.

    Returns
    -------
    GameReport
    """
    if isinstance(solution, GameReport):
        return solution
    rows, columns = [str(name) for name in solution.rows], [str(name) for name in solution.columns]
    known: dict[str, Any] = {
        "kind": "matrix",
        "rows": len(rows),
        "columns": len(columns),
        "row": _played(rows, solution.row),
        "column": _played(columns, solution.column),
        "row_names": rows,
        "column_names": columns,
        "interrupted": solution.stopped,
        "certificates": list(solution.certificates),
        **{name: getattr(solution, name) for name in ("method", "whose", "losses", "note", "iterations")},
        **{name: float(getattr(solution, name)) for name in ("value", "lower", "upper", "gap", "seconds")},
    }
    if solution.course is not None:
        known["course"] = named_course(solution.course, rows, columns)
        if line := getattr(solution, "line", None):
            known["lines"] = {line[0]: [float(line[1](t)) for t in known["course"].rounds]}
    if solution.exact is not None:
        texts = solution.describe()["exact"]  # fractions may be too long for str()
        both = (texts.get(key) or {} for key in ("row_strategy", "column_strategy"))
        known["exact"] = ExactGame(
            texts["value"], *({n: t for n, t in one.items() if isinstance(t, str)} for one in both)
        )
    return GameReport(**{"title": title, "source": source or {}, **known, **more})


def _played(names: Sequence[str], strategy: Any) -> dict[str, float]:
    return {name: float(chance) for name, chance in zip(names, strategy, strict=True) if chance > 0}


def worded(report: GameReport) -> GameReport:
    """The report with strategies that have numbers only called ``row 3`` and ``column 3``, and players in capitals."""
    one, other = (f"{player[:1].upper()}{player[1:]}" for player in report.players)
    report = replace(report, players=(one, other))
    rows = {name: f"row {name}" for name in report.row_names if name.isdecimal()}
    columns = {name: f"column {name}" for name in report.column_names if name.isdecimal()}
    if not rows and not columns:
        return report
    course, exact = report.course, report.exact
    return replace(
        report,
        row_names=[rows.get(name, name) for name in report.row_names],
        column_names=[columns.get(name, name) for name in report.column_names],
        row=_renamed(report.row, rows),
        column=_renamed(report.column, columns),
        exact=exact and _reworded(exact, rows, columns),
        course=replace(course, rows=_renamed(course.rows, rows), columns=_renamed(course.columns, columns)),
        equilibria=[
            replace(_reworded(one, rows, columns), exact=one.exact and _reworded(one.exact, rows, columns))
            for one in report.equilibria
        ],
    )


def _reworded(one: Pair, rows: Mapping[str, str], columns: Mapping[str, str]) -> Pair:
    return replace(one, row=_renamed(one.row, rows), column=_renamed(one.column, columns))


def _renamed(values: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {names.get(name, name): value for name, value in values.items()}


def played(strategy: Mapping[str, float], least: float = 0.0) -> list[str]:
    """The strategies that are played with a probability above `least`, the most likely first."""
    shown = [name for name, chance in strategy.items() if math.isfinite(chance) and chance > least]
    return sorted(shown, key=lambda name: -strategy[name])


def telling(report: GameReport, strategy: Mapping[str, float]) -> list[str]:
    """The strategies that matter: averages of learners never quite forget what was tried at first."""
    largest = max((chance for chance in strategy.values() if math.isfinite(chance)), default=0.0)
    return played(strategy, LEAST_SHARE * largest if report.course.rounds else 0.0)


def the(player: str) -> str:
    """What a sentence calls a player."""
    name = numbers.label(player, 40)
    return f"the {name.lower()}" if name.lower().endswith("player") else name
