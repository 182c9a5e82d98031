"""From a solver's answer to the plain values of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from .games import ExactGame, GameCourse, GameReport


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
    recorded : Trajectory of a solver
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


def solved(solution: Any, title: str = "", source: Mapping[str, object] | None = None, **more: Any) -> GameReport:
    """A solution of a zero-sum game, ready to be shown.

    Parameters
    ----------
    solution : Solution or GameReport
        With the attributes of a solver's answer: ``rows, columns`` (names), ``row, column`` (probabilities), ``method,
        lower, upper, value, gap, iterations, seconds, losses, quantity, note, stopped, certificates, course, exact,
        describe``, and perhaps ``gap_bound``: a theorem's title and what it says of the gap after so many rounds.
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
        **{name: getattr(solution, name) for name in ("method", "quantity", "losses", "note", "iterations")},
        **{name: float(getattr(solution, name)) for name in ("value", "lower", "upper", "gap", "seconds")},
    }
    if solution.course is not None:
        known["course"] = named_course(solution.course, rows, columns)
        if line := getattr(solution, "gap_bound", None):
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
