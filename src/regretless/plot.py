"""The pictures of a play as one matplotlib figure, for notebooks; needs the extra ``plot``."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any

from .errors import MissingError

if TYPE_CHECKING:
    from matplotlib.axes import Axes  # type: ignore[import-not-found,unused-ignore]
    from matplotlib.figure import Figure  # type: ignore[import-not-found,unused-ignore]

MOST_EXPERTS = 12
"""More lines than this nobody can tell apart."""

FAR_ABOVE = 30.0
"""A bound so many times above the regret would make a flat line of it."""

OBSERVED, LIMIT, LOWEST = "#1456b8", "#b93c0a", "#80620a"
EXPERTS = ("#b5470b", "#0d7269", "#8b3fa8", "#80620a", "#b3265c", "#44597a")
"""Apart in lightness and hue; the second six are dashed."""


def figure(history: Any) -> Figure:
    """Regret under its bound, weights, losses, forecasts with their residuals, and learning rate of a play.

    Parameters
    ----------
    history : History or Play
        With ``rounds, learner_loss, expert_losses, weights, regret, bound, rate, names`` at some rounds, and perhaps
        ``residuals`` and ``lower_bound``. What is known of experts is a list by name, or a row of all of them a round.

    Returns
    -------
    matplotlib.figure.Figure
        Not registered with pyplot, so nothing has to be closed.

    Raises
    ------
    MissingError
        If matplotlib is not installed.
    """
    made = empty_figure((12, 12))
    recorded = getattr(history, "history", history)
    recorded = recorded() if callable(recorded) else recorded
    places: dict[str, Any] = made.subplot_mosaic(
        [["regret", "regret"], ["weights", "losses"], ["forecasts", "residuals"], ["rate", "rate"]],
        height_ratios=(3, 3, 2.4, 1.8),
    )
    weights, losses = _by_name(recorded, "weights"), _by_name(recorded, "expert_losses")
    styles = _styles(weights, losses)
    _draw_regret(places["regret"], recorded)
    _draw_weights(places["weights"], recorded.rounds, weights, styles)
    _draw_losses(places["losses"], recorded, losses, styles)
    _draw_residuals(places["forecasts"], places["residuals"], list(getattr(recorded, "residuals", ())))
    _draw_rate(places["rate"], recorded)
    for axes in places.values():
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", linewidth=0.5, alpha=0.5)
        for line in axes.get_lines():
            if len(recorded.rounds) == 1 and not str(line.get_label()).startswith("_"):
                line.set_marker("o")  # a line of one point cannot be seen
    return made


def empty_figure(size: tuple[float, float]) -> Figure:
    """A figure of so many inches.

    Raises
    ------
    MissingError
        If matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingError(
            "drawing needs matplotlib, which is not installed; install it with: pip install 'regretless[plot]'"
        ) from error
    return Figure(figsize=size, layout="constrained")


def _by_name(history: Any, column: str) -> dict[str, list[float]]:
    """What is known of each expert over time."""
    known = getattr(history, column)
    if isinstance(known, Mapping):
        return {str(name): [_number(value) for value in values] for name, values in known.items()}
    names = [str(name) for name in history.names]
    return {name: [_number(row[k]) for row in known] for k, name in enumerate(names)}


def _column(history: Any, name: str) -> list[float]:
    """What is known over time, as many numbers as rounds."""
    values = [_number(value) for value in getattr(history, name, ())]
    return values if len(values) == len(history.rounds) else [float("nan")] * len(history.rounds)


def _number(value: Any) -> float:
    return float("nan") if value is None else float(value)


def _styles(weights: Mapping[str, list[float]], losses: Mapping[str, list[float]]) -> dict[str, dict[str, Any]]:
    """Colour and dashes of each expert that is drawn, the same in both pictures, and no two alike in one of them."""
    totals = {name: sum(v for v in values if isfinite(v)) for name, values in weights.items() if name != "others"}
    places = {name: place for place, name in enumerate(sorted(totals, key=lambda name: -totals[name])[:MOST_EXPERTS])}
    leading = _leading(losses)
    free = [place for place in range(MOST_EXPERTS) if place not in {places.get(name) for name in leading}]
    places |= dict(zip((name for name in leading if name not in places), free, strict=False))
    return {
        name: {"color": EXPERTS[place % 6], "linestyle": "--" if place >= 6 else "-"} for name, place in places.items()
    }


def _leading(losses: Mapping[str, list[float]]) -> list[str]:
    known = [name for name in losses if losses[name] and isfinite(losses[name][-1])]
    return sorted(known, key=lambda name: losses[name][-1])[:MOST_EXPERTS]


def _draw_regret(axes: Axes, history: Any) -> None:
    """The regret and its bounds; one that would flatten all else is in the legend alone."""
    regret = _column(history, "regret")
    axes.plot(history.rounds, regret, color=OBSERVED, linewidth=2, label="regret")
    highest = max((abs(value) for value in regret if isfinite(value)), default=0.0)
    limits = (("bound", "bound", LIMIT, "--"), ("lower_bound", "some sequence costs every learner", LOWEST, ":"))
    for name, label, colour, dashes in limits:
        values = [value if isfinite(value) else float("nan") for value in _column(history, name)]
        if not any(map(isfinite, values)):
            continue
        if values[-1] > FAR_ABOVE * highest > 0:
            values, label = [float("nan")] * len(values), f"{label}: {values[-1]:.4g}, far above this chart"
        axes.plot(history.rounds, values, color=colour, linestyle=dashes, label=label)
    axes.axhline(0, color="grey", linewidth=0.8)
    axes.set(title="Regret against the best expert", xlabel="rounds", ylabel="regret")
    axes.legend(frameon=False)


def _draw_weights(
    axes: Axes, rounds: Any, weights: Mapping[str, list[float]], styles: Mapping[str, dict[str, Any]]
) -> None:
    """Stacked shares, or lines where weights are no shares."""
    shown = [name for name in styles if name in weights][:MOST_EXPERTS]
    columns = {name: [value if isfinite(value) else 0.0 for value in weights[name]] for name in shown}
    rest = [weights[name] for name in weights if name not in shown]
    axes.set(title="Weights", xlabel="rounds", ylabel="weight")
    if not columns:
        return
    if min(map(min, columns.values())) < -1e-9:
        for name, values in columns.items():
            axes.plot(rounds, values, label=name, **styles[name])
    else:
        colours = [styles[name]["color"] for name in shown]
        hatches = ["///" if styles[name]["linestyle"] == "--" else "" for name in shown]
        if rest:
            columns["others"] = [sum(v for v in row if isfinite(v)) for row in zip(*rest, strict=True)]
            colours, hatches = [*colours, "lightgrey"], [*hatches, ""]
        axes.stackplot(
            rounds, *columns.values(), labels=list(columns), colors=colours, hatch=hatches, alpha=0.85,
            edgecolor="white", linewidth=0.5,
        )  # fmt: skip
        axes.set_ylim(0, 1)
    _legend(axes)


def _draw_losses(
    axes: Axes, history: Any, losses: Mapping[str, list[float]], styles: Mapping[str, dict[str, Any]]
) -> None:
    """Each expert's loss less the learner's, for the sums themselves often look like one line."""
    learner = _column(history, "learner_loss")
    for name in _leading(losses):
        above = [value - own for value, own in zip(losses[name], learner, strict=True)]
        axes.plot(history.rounds, above, label=name, linewidth=1.2, **styles[name])
    axes.axhline(0, color=OBSERVED, linewidth=2, label="learner")
    axes.set(title="Each expert's loss beside the learner's", xlabel="rounds", ylabel="loss above the learner's")
    _legend(axes)


def _legend(axes: Axes) -> None:
    handles, labels = axes.get_legend_handles_labels()
    names = [f"{label[:24]}…" if len(label) > 25 else label for label in labels]
    # matplotlib leaves out of a legend what begins with an underscore, and reads mathematics between two dollars.
    names = [f" {name}".replace("$", r"\$") for name in names]
    axes.legend(handles, names, frameon=False, fontsize="x-small", loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _draw_residuals(levels: Axes, differences: Axes, residuals: list[tuple[Any, Any, Any]]) -> None:
    levels.set(title="Forecast and outcome", ylabel="value")
    differences.set(title="Residuals", ylabel="outcome minus forecast")
    known = [row for row in residuals if row[1] is not None and row[2] is not None]
    if not known:
        return
    times = [row[0] for row in known]
    if not all(isinstance(time, int | float) for time in times):
        # Text would be taken for categories, with a tick for each.
        labels, times = [str(time)[:10] for time in times], list(range(len(known)))
        for axes in (levels, differences):
            axes.set_xticks(times[:: max(1, len(times) // 3)], labels[:: max(1, len(times) // 3)], fontsize="small")
    forecasts, outcomes = [float(row[1]) for row in known], [float(row[2]) for row in known]
    levels.plot(times, outcomes, ".", color="black", markersize=3, label="outcome")
    levels.plot(times, forecasts, color=OBSERVED, linewidth=1.2, label="forecast")
    levels.legend(frameon=False, fontsize="small")
    off = [outcome - forecast for forecast, outcome in zip(forecasts, outcomes, strict=True)]
    differences.vlines(times, 0, off, color=EXPERTS[2], linewidth=1)
    differences.axhline(0, color="grey", linewidth=0.8)


def _draw_rate(axes: Axes, history: Any) -> None:
    rate = _column(history, "rate")
    axes.set(title="Learning rate", xlabel="rounds", ylabel="rate")
    if any(isfinite(value) and value > 0 for value in rate):
        axes.plot(history.rounds, rate, color=EXPERTS[2])
        axes.set_yscale("log")
    else:
        axes.text(0.5, 0.5, "this learner has no single rate", ha="center", va="center", transform=axes.transAxes)
