"""The data of a report on a solved game, how a solution gives them, and what players and strategies are called."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from . import formatting
from .curves import Values

if TYPE_CHECKING:
    from ..certificate import Certificate


MOST_IN_PICTURE = 60
"""The most rows or columns of a matrix in a picture; more cells are too small to be seen."""

Matrix = Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True)
class GameCourse:
    """The trajectory of a self-play; every list is as long as `rounds`, or empty.

    Parameters
    ----------
    rounds : sequence of int
        Increasing, the last round among them.
    gap : sequence of float
        Duality gap of the average strategies after these rounds.
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
        Expected payoffs.
    gain : float
        The largest gain of a player by deviating.
    exact : ExactGame or None
        Strategies as fractions; its value is not used.
    note : str
        A remark, as ``"pure"``.
    """

    row: Mapping[str, float]
    column: Mapping[str, float]
    row_payoff: float
    column_payoff: float
    gain: float = 0.0
    exact: ExactGame | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class JointRow:
    """A distribution over pairs of strategies: a correlated equilibrium, or the joint play of two learners.

    Parameters
    ----------
    title : str
        Its title, as ``Coarse correlated equilibrium of the greatest welfare``.
    probabilities : sequence of sequence of float
        A row for each row of the game.
    row_payoff, column_payoff : float
        Expected payoffs.
    gain : float or None
        The largest gain of a player by deviating.
    note : str
        A remark.
    """

    title: str
    probabilities: Matrix
    row_payoff: float
    column_payoff: float
    gain: float | None = None
    note: str = ""


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
        The method.
    rows, columns : int
        Numbers of strategies; of a game in turns, of sequences.
    quantity : str
        What the numbers are, as ``payoff of the row player``.
    losses : bool
        Whether these are losses, so that the row player minimises.
    value, lower, upper, gap : float or None
        The value, an interval that contains it, and its width; None of a bimatrix game.
    row, column : mapping
        The probability of each row and of each column that is played, by name, of a matrix game.
    row_names, column_names : sequence of str
        All names, in the order of `payoffs`.
    payoffs, column_payoffs : sequence of sequence of float or None
        The user's numbers, for at most `MOST_IN_PICTURE` rows and columns; `column_payoffs` are those of a bimatrix
        game's column player.
    players : (str, str)
        Names of the players.
    source : mapping
        The source of the game: ``path, format, range``, as far as known.
    note : str
        Details of the method.
    iterations : int or None
        Pivots, steps or rounds.
    seconds : float or None
        Running time.
    tolerance : float or None
        The gap to reach.
    interrupted : str or None
        The reason of an early end.
    exact : ExactGame or None
    certificates : sequence of Certificate
        All certificates, whether or not the theorem applies.
    course : GameCourse
        The trajectory of a self-play.
    lines : mapping
        Each theorem's bound on the gap, by its title; as long as the course's rounds.
    beside : mapping
        The gap of other methods, as textbook Hedge: rounds and gaps by the method's name.
    equilibria : sequence of EquilibriumRow
        Of a bimatrix game.
    complete : bool or None
        Whether these are all equilibria; None where that is not known.
    degenerate : bool
        Whether mixtures of some equilibria are equilibria too.
    joints : sequence of JointRow
        Of a bimatrix game.
    behaviour : sequence of InformationSetRow
        Of a game in turns.
    """

    title: str
    kind: Literal["matrix", "bimatrix", "sequence"]
    method: str
    rows: int
    columns: int
    quantity: str = "payoff of the row player"
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
    note: str = ""
    iterations: int | None = None
    seconds: float | None = None
    tolerance: float | None = None
    interrupted: str | None = None
    exact: ExactGame | None = None
    certificates: Sequence[Certificate] = ()
    course: GameCourse = field(default_factory=GameCourse)
    lines: Mapping[str, Values] = field(default_factory=dict)
    beside: Mapping[str, tuple[Sequence[int], Values]] = field(default_factory=dict)
    equilibria: Sequence[EquilibriumRow] = ()
    complete: bool | None = None
    degenerate: bool = False
    joints: Sequence[JointRow] = ()
    behaviour: Sequence[InformationSetRow] = ()


def game_report(solution: Any, title: str = "", source: Mapping[str, object] | None = None, **more: Any) -> GameReport:
    """The report on a solution of a zero-sum game.

    Parameters
    ----------
    solution : Solution or SequenceSolution
    title : str
    source : mapping, optional
        The source of the game.
    **more
        Other fields of the report, as ``payoffs`` and ``beside``; they replace those of the solution.

    Returns
    -------
    GameReport
    """
    rows, columns = [str(name) for name in solution.rows], [str(name) for name in solution.columns]
    fields: dict[str, Any] = {
        "kind": "matrix",
        "rows": len(rows),
        "columns": len(columns),
        "row": _played(rows, solution.row),
        "column": _played(columns, solution.column),
        "row_names": rows,
        "column_names": columns,
        "interrupted": solution.stopped,
        "certificates": list(solution.certificates),
        **{name: getattr(solution, name) for name in ("method", "quantity", "losses", "note", "iterations")},
        **{name: float(getattr(solution, name)) for name in ("value", "lower", "upper", "gap", "seconds")},
    }
    if solution.course is not None:
        fields["course"] = course = _course(solution.course, rows, columns)
        if solution.gap_bound is not None:
            theorem, bound = solution.gap_bound
            fields["lines"] = {theorem: [float(bound(t)) for t in course.rounds]}
    if solution.exact is not None:
        texts = solution.describe()["exact"]  # fractions may be too long for str()
        fields["exact"] = ExactGame(texts["value"], *(_texts(texts[f"{side}_strategy"]) for side in ("row", "column")))
    return GameReport(**{"title": title, "source": source or {}, **fields, **more})


def _played(names: Sequence[str], strategy: Any) -> dict[str, float]:
    return {name: float(chance) for name, chance in zip(names, strategy, strict=True) if chance > 0}


def _course(trajectory: Any, rows: Sequence[str], columns: Sequence[str]) -> GameCourse:
    """A solver's trajectory in plain numbers, its strategies by name."""
    arrays = {name: getattr(trajectory, name).tolist() for name in ("rounds", "gap", "lower", "upper")}
    return GameCourse(**arrays, rows=_by_name(trajectory.rows, rows), columns=_by_name(trajectory.columns, columns))


def _by_name(strategies: Any, names: Sequence[str]) -> dict[str, list[float]]:
    """The probabilities of each strategy, from a row of all of them for each mark."""
    return {} if strategies is None else dict(zip(names, strategies.T.tolist(), strict=True))


def _texts(strategy: Mapping[str, Any]) -> dict[str, str]:
    """The fractions of a strategy; of a game in turns, whose strategies are by information set, none."""
    return {name: text for name, text in strategy.items() if isinstance(text, str)}


LEAST_SHARE = 0.01
"""Strategies below this share of the likeliest one are remnants of the first rounds in an average."""

Pair = TypeVar("Pair", ExactGame, EquilibriumRow)


def worded(report: GameReport) -> GameReport:
    """The report with numbered strategies called ``row 3`` and ``column 3``, and capitalised players."""
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
    """The strategies with a probability above `least`, the most likely first."""
    shown = [name for name, chance in strategy.items() if math.isfinite(chance) and chance > least]
    return sorted(shown, key=lambda name: -strategy[name])


def telling(report: GameReport, strategy: Mapping[str, float]) -> list[str]:
    """The strategies to mention: averages of self-play contain remnants of its first rounds."""
    largest = max((chance for chance in strategy.values() if math.isfinite(chance)), default=0.0)
    return played(strategy, LEAST_SHARE * largest if report.course.rounds else 0.0)


def the(player: str) -> str:
    """A player's name in a sentence."""
    name = formatting.label(player, 40)
    return f"the {name.lower()}" if name.lower().endswith("player") else name
