"""The pictures of a solved game: the gap under its bound, the strategies over time, and the payoffs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

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
from .games import LEAST_SHARE, MOST_IN_PICTURE, GameReport, Matrix, telling, the

BESIDE = ("recent", "expert1", "expert3", "expert5")
"""Styles of other methods' curves."""


def panels(report: GameReport) -> list[Panel]:
    """Every chart over the rounds for which there are numbers."""
    result = [gap_panel(report)]
    course = report.course
    for player, key, strategies in (
        (report.players[0], "row_strategy", course.rows),
        (report.players[1], "column_strategy", course.columns),
    ):
        result.append(strategy_panel(player, key, course.rounds, strategies))
    return [panel for panel in result if panel is not None]


def stills(report: GameReport) -> list[Still]:
    """The other pictures."""
    result = [triangle(sides(report)), *payoff_stills(report)]
    joints = [joint_still(report, place) for place in range(len(report.joints))] if few(report) else []
    return [still for still in result if still is not None] + joints


def gap_panel(report: GameReport) -> Panel | None:
    """The duality gap of the average strategies under its theorems' bounds, beside other methods."""
    course = report.course
    gaps = thin(known_points(course.rounds, course.gap))
    if not any(value > 0 for _, value in gaps):
        return None if gaps else textbook_panel(report)
    limit = max(value for _, value in gaps) * OFF_THE_CHART or math.inf
    bounds = [near(line, limit) for line in bound_lines(course.rounds, report.lines)]
    beside = _beside(report)
    own = Series(formatting.label(report.method), "first", gaps, final=formatting.number(gaps[-1][1]))
    columns: dict[str, Values] = {"Gap": course.gap}
    if course.lower and course.upper:
        columns |= {"Lower end": course.lower, "Upper end": course.upper}
    columns |= {formatting.label(title, 40): values for title, values in report.lines.items() if values}
    rises = any(value > 0 for _, value in gaps)
    longer = any(line.points[-1][0] > gaps[-1][0] for line in beside)
    return Panel(
        "gap", bounded("Duality gap of the average strategies", gaps, bounds), "Gap", "real",
        [own, *beside, *bounds], absences(bounds), scale="log" if rises else "linear",
        stops=sorted({t for line in (own, *beside) for t, _ in line.points}) if beside else (),
        rest="Where each line ends" if longer else "", table=table(course.rounds, columns),
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


def payoff_stills(report: GameReport) -> list[Still]:
    """The payoffs, with the strategies' supports."""
    if not few(report):
        return []
    if report.kind == "bimatrix":
        both = zip(("payoffs", "column_payoffs"), (report.payoffs, report.column_payoffs), report.players, strict=True)
        return [_payoffs(report, key, f"Payoffs of {the(whose)}", values) for key, values, whose in both if values]
    return [_payoffs(report, "payoffs", f"The game: {report.quantity}", report.payoffs)] if report.payoffs else []


def _payoffs(report: GameReport, key: str, title: str, matrix: Matrix) -> Still:
    row, column = map(partial(_telling, report), shown_strategies(report))
    values = [value for line in matrix for value in line]
    low, high = min(values), max(values)
    valued = report.value is not None and math.isfinite(report.value)
    centre = report.value if report.value is not None and valued else low / 2 + high / 2
    where = "the value" if valued else "the middle"
    cells = Cells(matrix, report.row_names, report.column_names, row, column, centre)
    legend = [
        Key(f"Above {where}, up to", "above", formatting.number(high), "band"),
        Key(f"Below {where}, down to", "below", formatting.number(low), "band"),
    ]
    if not row or not column:
        return heat(key, title, cells, legend)
    legend.append(Key("Both strategies are played", "support"))
    note = "Bars are probabilities: of each row to the right, of each column below."
    if report.kind == "bimatrix" and len(report.equilibria) > 1:
        note += f" They are those of the first of {len(report.equilibria)} equilibria."
    return heat(key, title, cells, legend, [note])


def _telling(report: GameReport, strategy: Mapping[str, float]) -> dict[str, float]:
    return {name: strategy[name] for name in telling(report, strategy)}


def few(report: GameReport) -> bool:
    """Whether cells are large enough to be seen."""
    return 0 < max(len(report.row_names), len(report.column_names)) <= MOST_IN_PICTURE


def shown_strategies(report: GameReport) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """The strategies that are marked in the picture of the game."""
    if report.kind == "bimatrix" and report.equilibria:
        return report.equilibria[0].row, report.equilibria[0].column
    return report.row, report.column


def all_strategies(report: GameReport) -> tuple[Sequence[Mapping[str, float]], Sequence[Mapping[str, float]]]:
    """Both players' strategies, at each equilibrium."""
    if report.kind == "bimatrix":
        return [one.row for one in report.equilibria], [one.column for one in report.equilibria]
    return [report.row], [report.column]


def joint_still(report: GameReport, place: int) -> Still:
    """The probability of each pair of strategies."""
    joint = report.joints[place]
    row, column = (
        {name: math.fsum(line) for name, line in zip(names, lines, strict=True)}
        for names, lines in (
            (report.row_names, joint.probabilities),
            (report.column_names, list(zip(*joint.probabilities, strict=True))),
        )
    )
    cells = Cells(joint.probabilities, report.row_names, report.column_names, row, column, 0.0, formatting.share, False)
    legend = [Key("Probability, up to", "above", formatting.share(cells.reach), "band")]
    one, other = map(the, report.players)
    note = f"{one[0].upper()}{one[1:]} expects {formatting.number(joint.row_payoff)}, {other} "
    note += f"{formatting.number(joint.column_payoff)}."
    return heat(f"joint{place}", formatting.label(joint.title, 120), cells, legend, [f"{note} {joint.note}".strip()])


def sides(report: GameReport) -> list[TrianglePlayer]:
    """The players with three strategies, and averages or best-response regions to show."""
    course = report.course
    wins, others = won(report)
    rows, columns = all_strategies(report)
    theirs = _answers(report.column_names, list(zip(*others, strict=True)) if others else [])
    ours = _answers(report.row_names, wins or [])
    both = (
        _side(report.players[0], report.row_names, course.rounds, course.rows, rows, theirs),
        _side(report.players[1], report.column_names, course.rounds, course.columns, columns, ours),
    )
    return [one for one in both if one is not None]


def _side(
    player: str,
    names: Sequence[str],
    rounds: Sequence[int],
    averages: Mapping[str, Values],
    value: Sequence[Mapping[str, float]],
    answers: Sequence[tuple[str, Weights]],
) -> TrianglePlayer | None:
    if len(names) != 3 or not (averages or answers):
        return None
    columns = [averages.get(name, [0.0] * len(rounds)) for name in names] if averages else []
    marks = [(t, w) for t, w in zip(rounds, map(_three, zip(*columns, strict=True)), strict=False) if w is not None]
    ends = [end for one in value if (end := _three([one.get(name, 0.0) for name in names]))]
    if not ends:
        return None
    return TrianglePlayer(
        player, names, [t for t, _ in marks], [w for _, w in marks], list(dict.fromkeys(ends)), answers
    )


def _three(values: Sequence[float | None]) -> Weights | None:
    known = [float(value) for value in values if value is not None and math.isfinite(value)]
    return (known[0], known[1], known[2]) if len(known) == 3 and sum(known) > 0 else None


def _answers(names: Sequence[str], lines: Sequence[Sequence[float]]) -> list[tuple[str, Weights]]:
    answers = zip(names, map(_gains, lines), strict=False)
    return [(name, gains) for name, gains in answers if gains is not None]


def _gains(line: Sequence[float]) -> Weights | None:
    return (line[0], line[1], line[2]) if len(line) == 3 else None


def won(report: GameReport) -> tuple[Matrix | None, Matrix | None]:
    """Payoffs of the row and of the column player."""
    if report.kind == "bimatrix" or report.payoffs is None:
        return report.payoffs, report.column_payoffs
    turned = [[-value for value in line] for line in report.payoffs]
    return (turned, report.payoffs) if report.losses else (report.payoffs, turned)
