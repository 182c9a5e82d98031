"""The pictures of a solved game: the gap under its bound, the strategies over time, and the payoffs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from . import formatting
from .curves import (
    OFF_THE_CHART,
    Key,
    Panel,
    Series,
    Still,
    Values,
    absences,
    bound_lines,
    bounded,
    known_points,
    log_spaced,
    near,
    table,
    thin,
)
from .forecast_charts import weight_panel
from .game_pictures import Cells, TrianglePlayer, Weights, heat, triangle
from .games import LEAST_SHARE, BimatrixReport, GameReport, Matrix, few, the

Strategies = Sequence[tuple[Mapping[str, float], Mapping[str, float]]]

BESIDE = ("recent", "expert1", "expert3", "expert5")
"""Styles of other methods' curves."""


def panels(report: GameReport) -> list[Panel]:
    """Every chart over the rounds for which there are numbers."""
    result = [gap_panel(report)]
    if course := report.solution.course:
        rounds = course.rounds.tolist()
        averages = zip(("row_strategy", "column_strategy"), report.sides, (course.rows, course.columns), strict=True)
        result += [strategy_panel(side.player, key, rounds, by_name(side.names, own)) for key, side, own in averages]
    return [panel for panel in result if panel is not None]


def by_name(names: Sequence[str], strategies: Any) -> dict[str, list[float]]:
    """The probabilities of each strategy, from an array with a row for each mark; none where there is no array."""
    return {} if strategies is None else dict(zip(names, strategies.T.tolist(), strict=True))


def gap_panel(report: GameReport) -> Panel | None:
    """The duality gap of the average strategies under its theorem's bound, beside other methods."""
    course = report.solution.course
    rounds = [] if course is None else course.rounds.tolist()
    gaps = thin(known_points(rounds, [] if course is None else course.gap.tolist()))
    if course is None or not any(value > 0 for _, value in gaps):
        return None if gaps else textbook_panel(report)
    limit = max(value for _, value in gaps) * OFF_THE_CHART or math.inf
    columns: dict[str, Values] = {
        "Gap": course.gap.tolist(), "Lower end": course.lower.tolist(), "Upper end": course.upper.tolist()
    }  # fmt: skip
    bounds = []
    if report.solution.gap_bound is not None:
        title, bound = report.solution.gap_bound
        line = [float(bound(t)) for t in rounds]
        bounds = [near(one, limit) for one in bound_lines(rounds, {title: line})]
        columns[formatting.label(title, 40)] = line
    beside = _beside(report)
    own = Series(formatting.label(report.solution.method), "first", gaps, final=formatting.number(gaps[-1][1]))
    longer = any(line.points[-1][0] > gaps[-1][0] for line in beside)
    return Panel(
        "gap", bounded("Duality gap of the average strategies", gaps, bounds), "Gap", "real",
        [own, *beside, *bounds], absences(bounds), scale="log",
        stops=sorted({t for line in (own, *beside) for t, _ in line.points}) if beside else (),
        rest="Where each line ends" if longer else "", table=table(rounds, columns),
    )  # fmt: skip


def textbook_panel(report: GameReport) -> Panel | None:
    """The gap of self-play on the same game, where the solution has no rounds."""
    lines = _beside(report)
    if not lines:
        return None
    name, (rounds, gaps) = next(iter(report.beside.items()))
    title = f"Duality gap by {formatting.label(name)}, on the same game"
    return Panel(
        "gap", title, "Gap", "real", lines, (), scale="log",
        stops=sorted({t for line in lines for t, _ in line.points}),
        table=table(rounds, {formatting.label(name): gaps}),
    )  # fmt: skip


def _beside(report: GameReport) -> list[Series]:
    known = [(name, thin(known_points(*line))) for name, line in report.beside.items()]
    drawn = [(name, points) for name, points in known if points]
    return [
        Series(formatting.label(name), style, points, final=formatting.number(points[-1][1]))
        for style, (name, points) in zip(BESIDE, drawn, strict=False)
    ]


def strategy_panel(player: str, key: str, rounds: Sequence[int], strategies: Mapping[str, Values]) -> Panel | None:
    """The probabilities of the average strategy, stacked to one."""
    result = weight_panel(rounds, likeliest(strategies)) if len(rounds) > 1 and strategies else None
    if result is None:
        return None
    title = f"Average strategy of {the(player)}"
    return replace(result, key=key, title=title, unit="Probability", even=not log_spaced(rounds))


def likeliest(strategies: Mapping[str, Values]) -> dict[str, Values]:
    """The strategies with a colour of their own at the end, and all others together."""
    ends = {name: values[-1] or 0.0 for name, values in strategies.items() if values}
    least = LEAST_SHARE * max(ends.values(), default=0.0)
    result: dict[str, Values] = {name: strategies[name] for name, end in ends.items() if end > least}
    rest = [[value or 0.0 for value in strategies[name]] for name in ends if name not in result]
    return result | ({"others": [math.fsum(row) for row in zip(*rest, strict=True)]} if rest else {})


def stills(report: GameReport) -> list[Still]:
    """The pictures of a zero-sum game without rounds."""
    solution, (row, column) = report.solution, report.sides
    names, payoffs = (row.names, column.names), report.payoffs
    if report.in_turns:
        return []
    other = None if payoffs is None else [[-value for value in line] for line in payoffs]
    both = (other, payoffs) if solution.losses else (payoffs, other)
    result = triangles(names, (row.player, column.player), both, [(row.shares, column.shares)], solution.course)
    if payoffs and few(names):
        marked = [{name: side.shares[name] for name in side.main} for side in report.sides]
        result.append(payoff_still("payoffs", f"The game: {solution.quantity}", payoffs, names, marked, solution.value))
    return result


def bimatrix_stills(report: BimatrixReport) -> list[Still]:
    """The pictures of a game in which both players have payoffs of their own."""
    result = triangles(report.names, report.called, report.payoffs or (None, None), report.strategies)
    if not few(report.names):
        return result
    marked = report.strategies[0] if report.strategies else ({}, {})
    many = len(report.strategies)
    note = f" They are those of the first of {many} equilibria." if many > 1 else ""
    for key, matrix, player in zip(("payoffs", "column_payoffs"), report.payoffs, report.called, strict=False):
        title = f"Payoffs of {the(player)}"
        result.append(payoff_still(key, title, matrix, report.names, marked, note=note))
    return [*result, *([joint_still(report)] if report.correlated is not None else [])]


def payoff_still(
    key: str,
    title: str,
    matrix: Matrix,
    names: tuple[Sequence[str], Sequence[str]],
    marked: Sequence[Mapping[str, float]],
    value: float | None = None,
    note: str = "",
) -> Still:
    """A matrix of payoffs, with the strategies that are played.

    Parameters
    ----------
    key, title : str
    matrix : sequence of sequence of float
    names : (sequence of str, sequence of str)
        Of the rows and of the columns.
    marked : sequence of mapping
        The probabilities of the rows and of the columns that are marked.
    value : float, optional
        What cells are compared with, by default the middle of their range.
    note : str
        A further sentence on the strategies.
    """
    row, column = marked
    values = [cell for line in matrix for cell in line]
    low, high = min(values), max(values)
    valued = value is not None and math.isfinite(value)
    centre = value if value is not None and valued else low / 2 + high / 2
    where = "the value" if valued else "the middle"
    cells = Cells(matrix, *names, row, column, centre)
    legend = [
        Key(f"Above {where}, up to", "above", formatting.number(high), "band"),
        Key(f"Below {where}, down to", "below", formatting.number(low), "band"),
    ]
    if not row or not column:
        return heat(key, title, cells, legend)
    legend.append(Key("Both strategies are played", "support"))
    bars = "Bars are probabilities: of each row to the right, of each column below."
    return heat(key, title, cells, legend, [bars + note])


def joint_still(report: BimatrixReport) -> Still:
    """The probability of each pair of strategies in the correlated equilibrium."""
    one = report.correlated
    assert one is not None, "there is one"
    joint = one.joint.tolist()
    row, column = (
        {name: math.fsum(line) for name, line in zip(names, lines, strict=True)}
        for names, lines in zip(report.names, (joint, list(zip(*joint, strict=True))), strict=True)
    )
    cells = Cells(joint, *report.names, row, column, 0.0, formatting.share, False)
    legend = [Key("Probability, up to", "above", formatting.share(cells.reach), "band")]
    first, second = map(the, report.called)
    note = f"{first[0].upper()}{first[1:]} expects {formatting.number(one.row_payoff)}, {second} "
    note += f"{formatting.number(one.column_payoff)}."
    return heat("joint0", formatting.label(report.kind, 120), cells, legend, [note])


def triangles(
    names: tuple[Sequence[str], Sequence[str]],
    players: tuple[str, str],
    payoffs: Sequence[Matrix | None],
    strategies: Strategies,
    course: Any = None,
) -> list[Still]:
    """The triangles of the players with three strategies, and averages or best-response regions to show.

    Parameters
    ----------
    names, players : (sequence of str, sequence of str), (str, str)
    payoffs : sequence of (matrix or None)
        What the row player wins, and what the column player wins.
    strategies : sequence of (mapping, mapping)
        Both strategies, at each equilibrium.
    course : Trajectory, optional
        Of a self-play.
    """
    wins, others = payoffs
    theirs = _answers(names[1], list(zip(*others, strict=True)) if others else [])
    ours = _answers(names[0], wins or [])
    rounds = [] if course is None else course.rounds.tolist()
    averages = (None, None) if course is None else (course.rows, course.columns)
    sides = [
        _side(player, own, rounds, average, [pair[place] for pair in strategies], answers)
        for place, (player, own, average, answers) in enumerate(
            zip(players, names, averages, (theirs, ours), strict=True)
        )
    ]
    result = triangle([one for one in sides if one is not None])
    return [] if result is None else [result]


def _side(
    player: str,
    names: Sequence[str],
    rounds: Sequence[int],
    averages: Any,
    strategies: Sequence[Mapping[str, float]],
    answers: Sequence[tuple[str, Weights]],
) -> TrianglePlayer | None:
    """A player of three strategies, unless there is nothing to show of it."""
    if len(names) != 3 or (averages is None and not answers):
        return None
    path = [] if averages is None else averages.tolist()
    marks = [(t, w) for t, w in zip(rounds, map(_three, path), strict=False) if w is not None]
    ends = [end for one in strategies if (end := _three([one.get(name, 0.0) for name in names]))]
    if not ends:
        return None
    return TrianglePlayer(
        player, names, [t for t, _ in marks], [w for _, w in marks], list(dict.fromkeys(ends)), answers
    )


def _three(values: Sequence[float]) -> Weights | None:
    known = [float(value) for value in values if math.isfinite(value)]
    return (known[0], known[1], known[2]) if len(known) == 3 and sum(known) > 0 else None


def _answers(names: Sequence[str], lines: Sequence[Sequence[float]]) -> list[tuple[str, Weights]]:
    answers = zip(names, map(_gains, lines), strict=False)
    return [(name, gains) for name, gains in answers if gains is not None]


def _gains(line: Sequence[float]) -> Weights | None:
    return (line[0], line[1], line[2]) if len(line) == 3 else None
