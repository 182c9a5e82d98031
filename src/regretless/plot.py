"""The pictures of a report as one matplotlib figure, for notebooks; needs the extra ``plot``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial, singledispatch
from math import isfinite, nan
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from .errors import MissingError
from .report.axes import Axis
from .report.curves import Panel, Picture, Series, Still
from .report.game_pictures import HEIGHT, Cells, Triangles, Weights, regions
from .report.games import the
from .report.histogram import Distribution
from .report.intervals import Estimates
from .report.page import Page
from .report.svg import FRAMES
from .report.svg import axes as axes_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes  # type: ignore[import-not-found,unused-ignore]
    from matplotlib.figure import Figure  # type: ignore[import-not-found,unused-ignore]

    from .certificate import Certificate

Draw = Callable[["Axes"], None]
Bars = tuple[str, Sequence[str] | None, Any]  # a title, names unless places will do, and an array of numbers

OBSERVED = "#1456b8"
EXPERTS = ("#b5470b", "#0d7269", "#8b3fa8", "#80620a", "#b3265c", "#44597a")
"""Apart in lightness and hue; the second six are dashed."""

STYLES: dict[str, dict[str, Any]] = {
    "first": {"color": OBSERVED, "linewidth": 2},
    "second": {"color": "#5a83c9", "linewidth": 1.4},
    "recent": {"color": "#8b3fa8", "linewidth": 1.4},
    "residual": {"color": "#8b3fa8", "linewidth": 1.2},
    "outcome": {"color": "black", "linewidth": 1.2},
    "others": {"color": "grey", "linewidth": 1.2},
    "bound0": {"color": "#b93c0a", "linestyle": "--"},
    "bound1": {"color": "#80620a", "linestyle": ":"},
    "bound2": {"color": "#0d7269", "linestyle": "-."},
    "bound3": {"color": "#7a4a5e", "linestyle": (0, (3, 2))},
    **{f"expert{k}": {"color": EXPERTS[k % 6], "linestyle": "-" if k < 6 else "--"} for k in range(12)},
}
"""How the page's styles look in a figure."""

SHADES = {"inner": 0.3, "outer": 0.15}
MOST_BARS, MOST_CHARTS = 20, 12


def figure(page: Page) -> Figure:
    """Every chart and picture of a page, and bars of what is played or drawn.

    Parameters
    ----------
    page : Page
        As `regretless.report.page_of_forecasts`, `page_of_pulls`, `page_of_game` and the like make it.

    Returns
    -------
    matplotlib.figure.Figure
        Not registered with pyplot, so nothing has to be closed. What is not known is left out.

    Raises
    ------
    MissingError
        If matplotlib is not installed.
    """
    rows = _rows(page)
    result = _empty_figure((12, 4.0 * max(len(rows), 1)))
    if not rows:
        return result
    names = [[f"{y} {x}" for x in range(len(row))] for y, row in enumerate(rows)]
    places: dict[str, Any] = result.subplot_mosaic([row if len(row) == 2 else row * 2 for row in names])
    for y, row in enumerate(rows):
        for x, draw in enumerate(row):
            draw(places[names[y][x]])
    return result


def _empty_figure(size: tuple[float, float]) -> Figure:
    """A figure of so many inches, or an error that says what to install."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingError(
            "drawing needs matplotlib, which is not installed; install it with: pip install matplotlib"
        ) from error
    return Figure(figsize=size, layout="constrained")


def _rows(page: Page) -> list[list[Draw]]:
    """What is to be drawn: the first chart and what is wide in a row of its own, the rest in pairs."""
    charts: list[Draw] = [partial(draw_panel, panel=panel) for panel in page.panels]
    rows = [charts[:1]] + [charts[k : k + 2] for k in range(1, len(charts), 2)] if charts else []
    for still in page.stills:
        draws = pictures(still.picture, still)
        rows += [draws[k : k + 2] for k in range(0, len(draws), 2)]
    tables = [*page.strategies, *([{"title": "Share of the draws", **page.arms}] if page.arms else [])]
    bars: list[Draw] = [partial(draw_bars, title=table["title"], rows=table["rows"]) for table in tables]
    return rows + ([bars] if bars else [])


def figure_of_bars(charts: Sequence[Bars]) -> Figure:
    """A chart of each list of named numbers, two in a row.

    Parameters
    ----------
    charts : sequence of Bars
        Of which the first 12 are drawn.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    MissingError
        If matplotlib is not installed.
    """
    charts = charts[:MOST_CHARTS]
    across = min(len(charts), 2)
    down = -(-len(charts) // max(across, 1))
    longest = max((min(len(values), MOST_BARS) for _, _, values in charts), default=0)
    result = _empty_figure((6.0 * max(across, 1), down * (1.0 + 0.24 * longest)))
    for place, chart in enumerate(charts, 1):
        _draw_signed(result.add_subplot(down, across, place), *chart)
    return result


def figure_of_certificates(certificates: Sequence[Certificate]) -> Figure:
    """What was observed beside its bound, a line for each certificate that applies.

    Parameters
    ----------
    certificates : sequence of Certificate
        Of which the first 20 that apply are drawn.

    Returns
    -------
    matplotlib.figure.Figure
        Numbers are as shares of the bound, which is 1, so that those of different units stand on one axis; what is
        below 0, as a regret may be, is drawn there.

    Raises
    ------
    MissingError
        If matplotlib is not installed.
    """
    shown = [one for one in certificates if one.applies and one.observed is not None and one.bound][:MOST_BARS]
    result = _empty_figure((9.0, 1.4 + 0.4 * max(len(shown), 1)))
    axes = result.add_subplot()
    for place, one in enumerate(shown):
        limit, observed = one.bound or 1.0, one.observed or 0.0
        names = ("bound", "observed") if not place else (None, None)
        end = 1.0 if limit > 0 else -1.0
        axes.barh(place, end, color=STYLES["bound0"]["color"], alpha=0.25, height=0.7, label=names[0])
        axes.plot([observed / abs(limit)], [place], "o", color=OBSERVED, label=names[1])
        axes.text(1.01, place, f" {observed:,.6g} of {limit:,.6g}", va="center", fontsize="small")
    axes.set_yticks(range(len(shown)), [_plain(one.theorem.title) for one in shown], fontsize="small")
    axes.invert_yaxis()
    axes.set_title("Observed, as a share of what is guaranteed", loc="left")
    axes.margins(x=0.05)
    _bare(axes)
    if shown:  # above the bars, for to their right stand the numbers
        axes.legend(frameon=False, fontsize="x-small", loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2)
    return result


def _draw_signed(axes: Axes, title: str, names: Sequence[str] | None, numbers: Any) -> None:
    """The numbers that are largest in size, as bars to either side of 0; of equal ones the first."""
    places = (-abs(numbers)).argsort(kind="stable")[:MOST_BARS].tolist()
    values = [float(numbers[place]) for place in places]
    colours = [OBSERVED if value >= 0 else STYLES["bound0"]["color"] for value in values]
    bars = axes.barh(range(len(values)), values, color=colours, height=0.7)
    axes.bar_label(bars, labels=[f" {value:.3g} " for value in values], fontsize="small")
    ticks = [_plain(str(place) if names is None else names[place]) for place in places]
    axes.set_yticks(range(len(values)), ticks, fontsize="small")
    axes.invert_yaxis()
    axes.margins(x=0.2)
    axes.axvline(0, color="grey", linewidth=0.8)
    more = f"\n({len(values)} of {len(numbers):,}, the largest in size)" if len(numbers) > len(values) else ""
    axes.set_title(title.replace("$", r"\$") + more)
    _bare(axes)


def draw_panel(axes: Axes, panel: Panel) -> None:
    """One chart over the rounds, on axes that reach as far as the page's.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    panel : Panel
    """
    across, up = axes_of(panel, FRAMES[panel.key][0])
    areas = [line for line in panel.series if line.mark == "area"]
    for line in panel.series:
        style = STYLES.get(line.style, {"color": "grey"})
        if line.mark == "area":
            below = areas[areas.index(line) - 1] if line is not areas[0] else None
            _draw_area(axes, line, below, style)
        elif line.mark == "band":
            _draw_band(axes, line, up)
        else:
            _draw_line(axes, line, style, up)
    axes.set(title=panel.title, xlabel=panel.across, ylabel=panel.unit)
    axes.set(xscale="log" if across.log else "linear", yscale="log" if up.log else "linear")
    axes.set(xlim=(across.low, across.high), ylim=(up.low, up.high))
    if panel.moments:
        places = [t for t, _ in panel.series[0].points]
        apart = max(1, len(places) // 3)
        axes.set_xticks(places[::apart], [str(moment)[:10] for moment in panel.moments[::apart]], fontsize="small")
    if up.low < 0 < up.high and not up.log:
        axes.axhline(0, color="grey", linewidth=0.8)
    axes.grid(axis="y", linewidth=0.5, alpha=0.5)
    _bare(axes)
    _legend(axes)


def _draw_line(axes: Axes, line: Series, style: Mapping[str, Any], up: Axis) -> None:
    """A line, its strokes, and its name; a line that is not drawn has a name and its last value."""
    label = _in_lines(line.name if line.drawn else f"{line.name}: {line.final}, not on this chart")
    points = line.points if line.drawn and line.mark != "none" else []
    values = [value if up.stands(value) else nan for _, value in points]
    if line.spans:
        times, lows, highs = zip(*line.spans, strict=True)
        alpha, name = (1.0, label) if line.mark == "none" else (0.35, "_")
        axes.vlines(times, lows, highs, color=style["color"], linewidth=1, alpha=alpha, label=name)
        if line.mark == "none":
            return
    if line.mark == "dots":
        axes.plot([t for t, _ in points], values, ".", color=style["color"], markersize=4, label=label)
        return
    alone = "o" if sum(map(isfinite, values)) == 1 else None  # a line of one point cannot be seen
    axes.plot([t for t, _ in points], values, label=label, marker=alone, **style)


def _draw_area(axes: Axes, line: Series, below: Series | None, style: Mapping[str, Any]) -> None:
    """A share of the whole, on top of those before it."""
    rounds, tops = [t for t, _ in line.points], [value for _, value in line.points]
    floor = [value for _, value in below.points] if below else [0.0] * len(tops)
    dashed = style.get("linestyle") == "--"
    axes.fill_between(
        rounds, floor, tops, label=_in_lines(line.tag or line.name), hatch="///" if dashed else None, alpha=0.85,
        facecolor="lightgrey" if line.style == "others" else style["color"], edgecolor="white", linewidth=0.5,
    )  # fmt: skip


def _draw_band(axes: Axes, line: Series, up: Axis) -> None:
    """What lies between two edges; a logarithmic axis has no place for what is not above 0, so it ends there."""
    rounds, lows, highs = zip(*line.spans, strict=True)
    floor, ceiling = ([max(value, up.low) for value in edge] for edge in (lows, highs))
    shade = SHADES.get(line.style, 0.2)
    axes.fill_between(rounds, floor, ceiling, color=OBSERVED, alpha=shade, linewidth=0, label=_in_lines(line.name))


@singledispatch
def pictures(picture: Picture | None, still: Still) -> list[Draw]:
    """How to draw a picture without rounds: as many axes as it takes.

    Parameters
    ----------
    picture : Picture or None
        What the picture shows; one without is not drawn.
    still : Still
        The picture's title and legend.

    Returns
    -------
    list of callable
        Each draws on the axes that it is given.
    """
    return []


@pictures.register(Distribution)
def _(picture: Distribution, still: Still) -> list[Draw]:
    def draw(axes: Axes) -> None:
        for low, high, count in picture.bins:
            axes.bar(low, count, high - low, align="edge", color=OBSERVED, alpha=0.7, edgecolor="white")
        for (value, style), key in zip(picture.marks, (one for one in still.legend if one.mark == "line"), strict=True):
            axes.axvline(value, label=_in_lines(f"{key.name} {key.value}"), **STYLES[style])
        axes.set(title=still.title, xlabel="regret at the end", ylabel="runs", xlim=picture.extent)
        _bare(axes)
        _legend(axes)

    return [draw]


@pictures.register(Estimates)
def _(picture: Estimates, still: Still) -> list[Draw]:
    def draw(axes: Axes) -> None:
        for place, (name, value, ends, reference) in enumerate(picture.rows):
            colour = STYLES["bound0" if reference else "first"]["color"]
            axes.plot([value], [place], "o", color=colour)
            if ends:
                axes.plot(ends, [place, place], color=colour, linewidth=2)
            if reference:
                axes.axvline(value, color=colour, linestyle="--", linewidth=1, label=_plain(name))
        axes.set_yticks(range(len(picture.rows)), [_plain(name) for name, *_ in picture.rows], fontsize="small")
        axes.invert_yaxis()
        axes.set(title=still.title, xlabel=picture.unit, xlim=picture.extent)
        _bare(axes)
        _legend(axes)

    return [draw]


@pictures.register(Triangles)
def _(picture: Triangles, still: Still) -> list[Draw]:
    def draw(axes: Axes, one: int) -> None:
        side = picture.sides[one]
        for (name, points), colour in zip(regions(side.answers), EXPERTS, strict=False):
            label = f"best answer: {_plain(name).strip()}"
            axes.fill(*_placed(points), color=colour, alpha=0.16, linewidth=0, label=label)
        axes.plot(*_placed([(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0)]), color="grey", linewidth=0.8)
        if side.path:
            axes.plot(*_placed(side.path), color=OBSERVED, linewidth=1.4, label="average strategy")
        axes.plot(*_placed(side.ends), "o", color=OBSERVED, label="at the end")
        for name, x, y, lift in zip(side.names, (0, 1, 0.5), (0, 0, HEIGHT), (-0.06, -0.06, 0.03), strict=True):
            axes.text(x, y + lift, _plain(name), ha="center", va="bottom" if lift > 0 else "top", fontsize="small")
        axes.set_title(f"Strategies of {the(side.player)}", pad=14)
        axes.set_aspect("equal")
        axes.set_axis_off()
        _legend(axes)

    return [partial(draw, one=one) for one in range(len(picture.sides))]


@pictures.register(Cells)
def _(picture: Cells, still: Still) -> list[Draw]:
    def draw(axes: Axes) -> None:
        from matplotlib.patches import Rectangle

        # A frame could not be seen on the darkest ends of the colours.
        reach = 1.3 * picture.reach or 1.0
        low, high = picture.centre - reach, picture.centre + reach
        image = axes.imshow(picture.values, cmap="PuOr", aspect="auto", vmin=low, vmax=high)
        for i, j in picture.support:
            axes.add_patch(Rectangle((j - 0.45, i - 0.45), 0.9, 0.9, fill=False, edgecolor="black", linewidth=1))
        for names, chances, ticks, turn in (
            (picture.row_names, picture.row, axes.set_yticks, 0),
            (picture.column_names, picture.column, axes.set_xticks, 90 if len(picture.column_names) > 6 else 0),
        ):
            many = len(names) > MOST_BARS
            places = [k for k, name in enumerate(names) if not many or chances.get(name, 0) > 0]
            ticks(places, [_plain(names[k]) for k in places], fontsize="x-small", rotation=turn)
        axes.set(title=still.title)
        axes.figure.colorbar(image, ax=axes, shrink=0.9)

    return [draw]


def draw_bars(axes: Axes, title: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """The rows of a table of shares as bars.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    title : str
    rows : sequence of mapping
        With ``name``, ``width`` in per cent of the largest, and ``cells`` of which the last is the share as text.
    """
    rows = rows[:MOST_BARS]
    bars = axes.barh(range(len(rows)), [row["width"] for row in rows], color=OBSERVED, height=0.7)
    axes.bar_label(bars, labels=[f" {row['cells'][-1]}" for row in rows], fontsize="small")
    axes.set_yticks(range(len(rows)), [_plain(row["name"]) for row in rows], fontsize="small")
    axes.invert_yaxis()
    axes.margins(x=0.15)
    axes.set(title=title, xticks=[])
    _bare(axes)


def _placed(points: Sequence[Weights]) -> tuple[list[float], list[float]]:
    totals = [sum(point) or 1.0 for point in points]
    x = [(b + c / 2) / total for (_, b, c), total in zip(points, totals, strict=True)]
    return x, [HEIGHT * c / total for (_, _, c), total in zip(points, totals, strict=True)]


def _plain(name: str) -> str:
    """A name fit for a legend, which leaves out what begins with an underscore and sets mathematics between dollars."""
    return " " + (f"{name[:31]}…" if len(name) > 32 else name).replace("$", r"\$")


def _in_lines(label: str) -> str:
    """A name in lines short enough for a legend: what it is about may stand at its end."""
    return "\n".join(map(_plain, wrap(label, 32)))


def _bare(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)


def _legend(axes: Axes) -> None:
    """The names of what is drawn, to the right of it."""
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, fontsize="x-small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
