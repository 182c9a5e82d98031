"""The pictures of a solved game as one matplotlib figure, for notebooks; needs the extra ``plot``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from math import isfinite, nan, sqrt
from typing import TYPE_CHECKING, Any

from .plot import EXPERTS, OBSERVED, empty_figure
from .plot_pulls import BOUNDS, bar_shares, in_lines, known_numbers, legend, plain, stacked
from .report.curves import OFF_THE_CHART
from .report.forecasts import Values
from .report.game_charts import few, likeliest, shown_strategies, sides
from .report.game_solved import solved
from .report.game_wording import telling, the, worded
from .report.games import GameReport
from .report.recorded_curves import log_spaced
from .report.ternary import Side, Weights, regions

if TYPE_CHECKING:
    from matplotlib.axes import Axes  # type: ignore[import-not-found,unused-ignore]
    from matplotlib.figure import Figure  # type: ignore[import-not-found,unused-ignore]

_HEIGHT = sqrt(3) / 2
MOST_BARS = 20
"""So many strategies are shown as bars, the likeliest first."""


def figure(solution: Any, payoffs: Any = None) -> Figure:
    """The gap under its bound, the strategies over time, the game with what is played, and the strategies as bars.

    Parameters
    ----------
    solution : Solution, SequenceSolution or GameReport
    payoffs : sequence of sequence of float, optional
        The game's matrix as it was given, which a solution does not keep.

    Returns
    -------
    matplotlib.figure.Figure
        Not registered with pyplot, so nothing has to be closed. What is not known is left out.

    Raises
    ------
    RegretlessError
        If matplotlib is not installed.
    """
    given = None if payoffs is None else [[float(value) for value in row] for row in payoffs]
    told = worded(solved(solution, payoffs=given))
    rows = _pictures(told)
    made = empty_figure((12, 4.2 * max(len(rows), 1)))
    if not rows:
        return made
    names = [[f"{y} {x}" for x in range(len(row))] for y, row in enumerate(rows)]
    places: dict[str, Any] = made.subplot_mosaic([row if len(row) == 2 else row * 2 for row in names])
    for y, row in enumerate(rows):
        for x, draw in enumerate(row):
            draw(places[names[y][x]])
    return made


def _pictures(told: GameReport) -> list[list[Callable[[Axes], None]]]:
    """What is to be drawn: a row for each pair of pictures, or for a wide one."""
    found: list[list[Callable[[Axes], None]]] = []
    if any(isfinite(gap) and gap > 0 for gap in known_numbers(told.course.gap)):
        found.append([lambda axes: gap_curve(axes, told)])
    if len(told.course.rounds) > 1 and told.course.rows and told.course.columns:
        both = zip(told.players, (told.course.rows, told.course.columns), strict=True)
        found.append([partial(strategy_course, rounds=told.course.rounds, player=a, averages=b) for a, b in both])
    if three := sides(told):
        found.append([partial(triangle, side=one) for one in three])
    if told.payoffs and few(told):
        found.append([lambda axes: payoff_cells(axes, told)])
    shown = shown_strategies(told)
    if all(shown):
        found.append([
            partial(strategy_bars, player=player, strategy={name: chances[name] for name in telling(told, chances)})
            for player, chances in zip(told.players, shown, strict=True)
        ])  # fmt: skip
    return found


def gap_curve(axes: Axes, told: GameReport) -> None:
    """The duality gap of the average strategies, what theorems said of it beforehand, and other methods.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    told : GameReport
    """
    gaps = known_numbers(told.course.gap)
    axes.plot(told.course.rounds, gaps, color=OBSERVED, linewidth=2, label=plain(told.method))
    for (name, (rounds, values)), colour in zip(told.beside.items(), EXPERTS[2:], strict=False):
        axes.plot(rounds, known_numbers(values), color=colour, linewidth=1.4, label=plain(name))
    highest = max(value for value in gaps if isfinite(value))
    for (title, values), (colour, dashes) in zip(told.lines.items(), BOUNDS, strict=False):
        bound = [value if value <= OFF_THE_CHART * highest else nan for value in known_numbers(values)]
        axes.plot(told.course.rounds, bound, color=colour, linestyle=dashes, label=in_lines(title))
    if any(value > 0 for value in gaps):
        axes.set_xscale("log")
        axes.set_yscale("log")
    axes.set(title="Duality gap of the average strategies", xlabel="rounds", ylabel="gap")
    axes.grid(axis="y", linewidth=0.5, alpha=0.5)
    _bare(axes)
    legend(axes)


def strategy_course(axes: Axes, rounds: Sequence[int], player: str, averages: Mapping[str, Values]) -> None:
    """The average strategy over the rounds, stacked to one.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    rounds : sequence of int
    player : str
    averages : mapping
        The probability of each strategy at each of the rounds, by name.
    """
    shares = {name: [v if isfinite(v) else 0.0 for v in known_numbers(vs)] for name, vs in likeliest(averages).items()}
    stacked(axes, rounds, dict(sorted(shares.items(), key=lambda pair: -pair[1][-1])))
    if log_spaced(rounds):
        axes.set_xscale("log")
    axes.set(title=f"Average strategy of {the(player)}", xlabel="rounds", ylabel="probability", ylim=(0, 1))
    axes.margins(x=0)
    _bare(axes)
    legend(axes)


def triangle(axes: Axes, side: Side) -> None:
    """The strategies of a player of three as points, shaded where each answer of the other player is the best.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    side : Side
    """
    for (name, points), colour in zip(regions(side.answers), EXPERTS, strict=False):
        axes.fill(*_placed(points), color=colour, alpha=0.16, linewidth=0, label=f"best answer: {plain(name).strip()}")
    axes.plot(*_placed([(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0)]), color="grey", linewidth=0.8)
    if side.path:
        axes.plot(*_placed(side.path), color=OBSERVED, linewidth=1.4, label="average strategy")
    axes.plot(*_placed(side.found), "o", color=OBSERVED, label="found")
    for name, x, y, lift in zip(side.names, (0, 1, 0.5), (0, 0, _HEIGHT), (-0.06, -0.06, 0.03), strict=True):
        axes.text(x, y + lift, plain(name), ha="center", va="bottom" if lift > 0 else "top", fontsize="small")
    axes.set_title(f"Strategies of {the(side.player)}", pad=14)
    axes.set_aspect("equal")
    axes.set_axis_off()
    legend(axes)


def payoff_cells(axes: Axes, told: GameReport) -> None:
    """The row player's numbers of the game, with what both players play framed.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    told : GameReport
        With `payoffs`.
    """
    from matplotlib.patches import Rectangle

    values = told.payoffs or [[0.0]]
    known = [value for line in values for value in line]
    centre = (min(known) + max(known)) / 2 if told.value is None else told.value
    # A frame could not be seen on the darkest ends of the colours.
    reach = 1.3 * max(abs(value - centre) for value in known) or 1.0
    shown = axes.imshow(values, cmap="PuOr", vmin=centre - reach, vmax=centre + reach, aspect="auto")
    row, column = (set(telling(told, chances)) for chances in shown_strategies(told))
    for i, j in product(range(len(values)), range(len(values[0]))):
        if told.row_names[i] in row and told.column_names[j] in column:
            axes.add_patch(Rectangle((j - 0.45, i - 0.45), 0.9, 0.9, fill=False, edgecolor="black", linewidth=1))
    for names, played, ticks, turn in (
        (told.row_names, row, axes.set_yticks, 0),
        (told.column_names, column, axes.set_xticks, 90 if len(told.column_names) > 6 else 0),
    ):
        named = range(len(names)) if len(names) <= MOST_BARS else [k for k, name in enumerate(names) if name in played]
        ticks(list(named), [plain(names[k]) for k in named], fontsize="x-small", rotation=turn)
    axes.set(title=f"Payoffs of {the(told.players[0])}" if told.kind == "bimatrix" else f"The game: {told.whose}")
    axes.figure.colorbar(shown, ax=axes, shrink=0.9)


def strategy_bars(axes: Axes, player: str, strategy: Mapping[str, float]) -> None:
    """The probability of each strategy that is played, the likeliest first.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    player : str
    strategy : mapping
        Probabilities by name.
    """
    ranked = sorted(strategy, key=lambda name: -strategy[name])[:MOST_BARS]
    shown = {name: strategy[name] for name in ranked}
    if len(strategy) > len(ranked):
        shown["others"] = max(0.0, sum(strategy.values()) - sum(shown.values()))
    bar_shares(axes, shown)
    axes.set(title=f"Strategy of {the(player)}", xlabel="probability")
    _bare(axes)


def _placed(points: Sequence[Weights]) -> tuple[list[float], list[float]]:
    return [b + c / 2 for _, b, c in points], [_HEIGHT * c for _, _, c in points]


def _bare(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
