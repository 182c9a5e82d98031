"""The pictures of a bandit's runs as one matplotlib figure, for notebooks; needs the extra ``plot``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, isfinite, nan
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from .plot import EXPERTS, FAR_ABOVE, LIMIT, LOWEST, MOST_EXPERTS, OBSERVED, empty_figure
from .report.arm_table import called
from .report.curves import OFF_THE_CHART
from .report.pulls import PullReport

if TYPE_CHECKING:
    from matplotlib.axes import Axes  # type: ignore[import-not-found,unused-ignore]
    from matplotlib.figure import Figure  # type: ignore[import-not-found,unused-ignore]

BOUNDS = ((LIMIT, "--"), (LOWEST, ":"), (EXPERTS[1], "-."), (EXPERTS[4], (0, (3, 2))))
"""As many bounds can be told apart."""


def pull_figure(pulls: Any) -> Figure:
    """Regret in its bands under its bounds, probabilities, shares of the draws, and how the runs ended.

    Parameters
    ----------
    pulls : Pulls or PullReport

    Returns
    -------
    matplotlib.figure.Figure
        Not registered with pyplot, so nothing has to be closed.

    Raises
    ------
    RegretlessError
        If matplotlib is not installed.
    """
    made = empty_figure((12, 10.5))
    told = _told(pulls)
    places: dict[str, Any] = made.subplot_mosaic(
        [["regret", "regret"], ["probabilities", "draws"], ["ends", "ends"]], height_ratios=(3.4, 3, 2)
    )
    regret_band(places["regret"], told)
    probabilities(places["probabilities"], told)
    draw_shares(places["draws"], told)
    final_regrets(places["ends"], told)
    for axes in places.values():
        axes.spines[["top", "right"]].set_visible(False)
    return made


def regret_band(axes: Axes, pulls: Any) -> None:
    """The median of the regret over the rounds, the bands of half and of nine tenths of the runs, and the bounds.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    pulls : Pulls or PullReport
    """
    told = _told(pulls)
    course = told.course
    rounds, known = list(course.rounds), {name: known_numbers(values) for name, values in course.regret.items()}
    median, rises = known.get("q50", []), _rises(told)
    highest = max((abs(value) for values in known.values() for value in values if isfinite(value)), default=0.0)
    bottom = max(0.5 * min((v for v in median if v > 0), default=1.0), 1e-3 * highest) if rises else -inf
    for low, high, shade, label in (("q05", "q95", 0.15, "90% of the runs"), ("q25", "q75", 0.3, "half of the runs")):
        if low in known and high in known:
            # A logarithmic axis has no place for what is not above 0: there the band reaches down to its end.
            lows, highs = ([max(value, bottom) for value in known[name]] for name in (low, high))
            axes.fill_between(rounds, lows, highs, color=OBSERVED, alpha=shade, linewidth=0, label=label)
    if median:
        axes.plot(rounds, median, color=OBSERVED, linewidth=2, label="median" if "q95" in known else "regret")
    for (label, values), (colour, dashes) in zip(_bounds(told), BOUNDS, strict=False):
        if values[-1] > (OFF_THE_CHART if rises else FAR_ABOVE) * highest > 0:
            values, label = [nan] * len(values), f"{label}: {values[-1]:.4g}, far above this chart"
        axes.plot(rounds, [value if isfinite(value) else nan for value in values], color=colour, linestyle=dashes,
                  marker="o" if sum(map(isfinite, values)) == 1 else None, label=in_lines(label))  # fmt: skip
    if rises:
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_ylim(bottom=bottom)
    else:
        axes.axhline(0, color="grey", linewidth=0.8)
    axes.set(title=f"Regret of {told.runs:,} run{'s' * (told.runs != 1)}", xlabel="rounds", ylabel="regret")
    axes.grid(axis="y", linewidth=0.5, alpha=0.5)
    legend(axes)


def probabilities(axes: Axes, pulls: Any) -> None:
    """The probability of each arm over the rounds, as the mean over the runs, stacked to one.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    pulls : Pulls or PullReport
    """
    told = _told(pulls)
    course = told.course
    axes.set(title="Probability of each arm", xlabel="rounds", ylabel="probability of a draw")
    shares = {name: [v if isfinite(v) else 0.0 for v in known_numbers(vs)] for name, vs in course.probabilities.items()}
    if not shares:
        axes.text(0.5, 0.5, "these were not looked at", ha="center", va="center", transform=axes.transAxes)
        return
    stacked(axes, course.rounds, {called(name): values for name, values in shares.items()})
    if course.rounds[-1] > course.rounds[0] and _rises(told):
        axes.set_xscale("log")  # as that of the regret
    axes.set_ylim(0, 1)
    axes.margins(x=0)
    legend(axes)


def stacked(axes: Axes, rounds: Sequence[int], shares: Mapping[str, list[float]]) -> None:
    """Shares of a whole over the rounds, the first ones in colours, all others together.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    rounds : sequence of int
    shares : mapping
        The share at each of the rounds, by name; perhaps of ``"others"``.
    """
    names = [name for name in shares if name != "others"][:MOST_EXPERTS]
    colours, hatches = [EXPERTS[k % 6] for k in range(len(names))], ["///" if k >= 6 else "" for k in range(len(names))]
    columns = [shares[name] for name in names]
    if rest := [shares[name] for name in shares if name not in names]:
        columns.append([sum(row) for row in zip(*rest, strict=True)])
        names, colours, hatches = [*names, "others"], [*colours, "lightgrey"], [*hatches, ""]
    axes.stackplot(
        list(rounds), *columns, labels=list(map(plain, names)), colors=colours, hatch=hatches, alpha=0.85,
        edgecolor="white", linewidth=0.5,
    )  # fmt: skip


def draw_shares(axes: Axes, pulls: Any) -> None:
    """The share of the draws of each arm, the most drawn first.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    pulls : Pulls or PullReport
    """
    draws = _told(pulls).draws
    ranked = sorted((name for name in draws if name != "others"), key=lambda name: -draws[name])
    shown = {name: draws[name] for name in ranked[:MOST_EXPERTS]}
    if len(draws) > len(shown):
        shown["others"] = max(0.0, sum(draws.values()) - sum(shown.values()))
    bar_shares(axes, {called(name): share for name, share in shown.items()})
    axes.set(title="Share of the draws", xlabel="share")


def bar_shares(axes: Axes, shares: Mapping[str, float]) -> None:
    """Shares of a whole as bars, in the order in which they are given.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    shares : mapping
        By name.
    """
    places = list(range(len(shares)))
    bars = axes.barh(places, list(shares.values()), color=OBSERVED, height=0.7)
    axes.bar_label(bars, labels=[f" {100 * share:.1f}%" for share in shares.values()], fontsize="small")
    axes.set_yticks(places, list(map(plain, shares)), fontsize="small")
    axes.invert_yaxis()
    axes.margins(x=0.15)


def final_regrets(axes: Axes, pulls: Any) -> None:
    """How many runs ended with which regret, beside the bounds that are near enough to be shown.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    pulls : Pulls or PullReport
    """
    told = _told(pulls)
    known = sorted(value for value in told.regrets if isfinite(value))
    axes.set(title="Regret of each run", xlabel="regret at the end", ylabel="runs")
    if not known:
        return
    axes.hist(known, bins=min(26, max(8, round(2 * len(known) ** 0.5))), color=OBSERVED, alpha=0.7, edgecolor="white")
    axes.axvline(known[len(known) // 2], color=OBSERVED, linewidth=2, label="median")
    room = 5 * (known[-1] - known[0])
    for (label, values), (colour, dashes) in zip(_bounds(told), BOUNDS, strict=False):
        if known[0] - room < values[-1] < known[-1] + room:
            axes.axvline(values[-1], color=colour, linestyle=dashes, label=in_lines(label))
    legend(axes)


def _told(pulls: Any) -> PullReport:
    """The runs in plain values."""
    return pulls if isinstance(pulls, PullReport) else pulls.report("", {})


def _rises(told: PullReport) -> bool:
    """Whether a logarithmic axis has a place for where the regret ends."""
    ends = [values[-1] for values in map(known_numbers, told.course.regret.values()) if values]
    return bool(ends) and all(end > 0 for end in ends)


def _bounds(told: PullReport) -> list[tuple[str, list[float]]]:
    """Bounds on the regret by their names, the lowest at the end first."""
    named = {title: known_numbers(values) for title, values in told.bounds.items()}
    named["observable bound, median"] = known_numbers(told.course.certificate)
    known = [(title, values) for title, values in named.items() if values and isfinite(values[-1])]
    return sorted(known, key=lambda pair: pair[1][-1])


def known_numbers(values: Sequence[float | None]) -> list[float]:
    """Numbers, nan where nothing is known."""
    return [nan if value is None else float(value) for value in values]


def plain(name: str) -> str:
    """A name fit for a legend, which leaves out what begins with an underscore and sets mathematics between dollars."""
    return " " + (f"{name[:31]}…" if len(name) > 32 else name).replace("$", r"\$")


def in_lines(label: str) -> str:
    """A bound's name in lines short enough for a legend: what it is about may stand at its end."""
    return "\n".join(map(plain, wrap(label, 32)))


def legend(axes: Axes) -> None:
    """What is drawn, to the right of it."""
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, fontsize="x-small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
