"""The pictures of combined forecasts: regret, weights, losses, residuals and the learning rate over time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from . import formatting
from .curves import Panel, Point, Series, Values, absence, known_points, relation, thin
from .residuals import Forecasts, IntervalCourse, coverage_panel, residual_panels

MOST_EXPERTS = 12
"""More in one picture cannot be told apart."""

MOST_LINE_POINTS = 240
"""Enough for each of so many lines on a linear axis."""

FAR_ABOVE = 30.0
"""A bound so many times above all that was observed would flatten the rest of a linear chart."""

Names = Mapping[str, tuple[str, str]]

TELLING_SPREAD = 0.3
"""Summed losses whose ends lie within this share of the largest look like one line."""


class ShownHistory(Protocol):
    """Snapshots of a run, as the charts read them; a row of a table has a value for each expert.

    `faced` is the learner's loss over the rounds in which each expert spoke; `slept` says whether any was ever silent.
    """

    @property
    def names(self) -> Sequence[str]: ...
    @property
    def rounds(self) -> Sequence[int]: ...
    @property
    def learner_loss(self) -> Values: ...
    @property
    def regret(self) -> Values: ...
    @property
    def bound(self) -> Values: ...
    @property
    def rate(self) -> Values: ...
    @property
    def expert_losses(self) -> Sequence[Iterable[float]]: ...
    @property
    def faced(self) -> Sequence[Iterable[float]]: ...
    @property
    def weights(self) -> Sequence[Iterable[float]]: ...
    @property
    def residuals(self) -> Forecasts: ...
    @property
    def slept(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class ExpertTables:
    """The tables of a history by the names of the experts that are drawn; `faced` is empty if none was ever silent."""

    weights: Mapping[str, Values] = field(default_factory=dict)
    losses: Mapping[str, Values] = field(default_factory=dict)
    faced: Mapping[str, Values] = field(default_factory=dict)


def panels(
    history: ShownHistory,
    loss_name: str,
    rounds: int,
    *,
    missing: float = 0,
    lower_bound: Sequence[float] = (),
    intervals: IntervalCourse | None = None,
) -> list[Panel]:
    """Every picture of a run of so many rounds for which there are numbers.

    Parameters
    ----------
    history : ShownHistory
    loss_name : str
        ``"square"`` and so on.
    rounds : int
        How many were played.
    missing : float
        How many forecasts of experts were missing.
    lower_bound : sequence of float
        What every learner must suffer on some sequence, at the rounds of the history; empty if it is not known.
    intervals : IntervalCourse, optional
        Those around the forecasts.
    """
    columns = leading_columns(history)
    known = numbered(history.rounds, columns)
    result = [
        regret_panel(history, lower_bound),
        weight_panel(history.rounds, columns.weights, known),
        loss_panel(history, columns, known, loss_name, missing),
        *residual_panels(history.residuals, rounds, () if intervals is None else intervals.radii),
        None if intervals is None else coverage_panel(intervals),
        rate_panel(history),
    ]
    return [panel for panel in result if panel is not None]


def leading_columns(history: ShownHistory) -> ExpertTables:
    """The heaviest experts at the end and the best, in their order in the file, and the weights of all others summed.

    Experts that were silent at times are compared over the rounds in which they spoke.
    """
    if not history.rounds:
        return ExpertTables()
    weights, losses, faced = (
        [list(map(float, row)) for row in table] for table in (history.weights, history.expert_losses, history.faced)
    )
    above = [loss - own for loss, own in zip(losses[-1], faced[-1], strict=True)]
    experts = range(len(history.names))
    heaviest = sorted(experts, key=lambda place: -abs(weights[-1][place]))
    best = sorted(experts, key=lambda place: (math.isnan(above[place]), above[place]))
    ranked = dict.fromkeys(place for pair in zip(heaviest, best, strict=True) for place in pair)
    drawn = sorted(list(ranked)[:MOST_EXPERTS])

    def named(table: Sequence[Sequence[float]]) -> dict[str, Values]:
        return {history.names[place]: [row[place] for row in table] for place in drawn}

    shares = named(weights)
    if rest := set(experts) - set(drawn):
        shares["others"] = [math.fsum(row[place] for place in rest) for row in weights]
    return ExpertTables(shares, named(losses), named(faced) if history.slept else {})


def numbered(rounds: Sequence[int], columns: ExpertTables) -> dict[str, tuple[str, str]]:
    """What each expert that is drawn is called, with its number, and its style: the same in every picture.

    The heaviest on average come first. In no picture have two experts the same style.
    """
    totals = {name: sum(v for _, v in known_points(rounds, values)) for name, values in columns.weights.items()}
    heaviest = sorted((name for name in totals if name != "others"), key=lambda name: -totals[name])[:MOST_EXPERTS]
    leading = _leading(rounds, columns)[:MOST_EXPERTS]
    styles = {name: place for place, name in enumerate(heaviest)}
    free = [place for place in range(MOST_EXPERTS) if place not in {styles.get(name) for name in leading}]
    styles |= dict(zip((name for name in leading if name not in styles), free, strict=False))
    return {
        name: (f"{number} {formatting.label(name)}", f"expert{style}")
        for number, (name, style) in enumerate(styles.items(), 1)
    }


def regret_panel(history: ShownHistory, lower_bound: Sequence[float]) -> Panel | None:
    """The regret under its bound, and above what no learner escapes; linear, for it may be negative."""
    regret = _thinned(history.rounds, history.regret)
    if not regret:
        return None
    bounds = _bounds(history, lower_bound, max(abs(value) for _, value in regret))
    notes = [f"{line.name} {absence(line)}" for line in bounds if not line.drawn and line.points]
    title = "Regret against the best expert"
    if upper := [line for line in bounds if line.drawn and not line.floor]:
        title += " under its bound" if relation(regret, upper) == "under" else " and its bound"
    if any(line.floor for line in bounds):
        notes.append(
            "The dotted line is what no learner escapes: some sequence of so many rounds costs each of them as much "
            "(Theorem 7.5). A bound for all sequences cannot lie below it, one that looks at the sequence played can."
        )
    lines = [Series("Regret", "first", regret, final=formatting.number(regret[-1][1])), *bounds]
    return Panel("regret", title, "Regret", "real", lines, notes, scale="linear", even=True)


def _bounds(history: ShownHistory, lower_bound: Sequence[float], highest: float) -> list[Series]:
    """The upper and the lower bound; an upper one that is far above all else is in the legend alone."""
    upper = thin(known_points(history.rounds, history.bound, endless=True), even=True)
    lower = _thinned(history.rounds, lower_bound)
    bounds: list[Series] = []
    if upper:
        limit = FAR_ABOVE * max([highest, *(value for _, value in lower)]) or math.inf
        last = upper[-1][1]
        drawn = math.isfinite(last) and last <= limit
        # What was far off at first and is not at last is drawn from there.
        near = [point for point in upper if point[1] <= limit] if drawn else upper
        bounds.append(Series("Bound", "bound0", near, True, formatting.number(last), drawn, values=upper))
    if lower:
        text = formatting.number(lower[-1][1])
        bounds.append(Series("Some sequence costs every learner", "bound1", lower, True, text, floor=True))
    return bounds


def weight_panel(rounds: Sequence[int], weights: Mapping[str, Values], known: Names | None = None) -> Panel | None:
    """The weights stacked to one; as lines where they are no shares of one.

    Parameters
    ----------
    rounds : sequence of int
    weights : mapping
        At these rounds, by name; of all that have none of their own as ``"others"``.
    known : mapping, optional
        What `numbered` gave, where other pictures show the same names.
    """
    known = numbered(rounds, ExpertTables(weights)) if known is None else known
    table = _weights(rounds, weights, known)
    if not table or not rounds:
        return None
    rest = [int(k) for _, k in thin([(float(t), k) for k, t in enumerate(rounds)], MOST_LINE_POINTS, even=True)]
    places = [float(rounds[k]) for k in rest]
    columns = {name: [table[name][k] for k in rest] for name in table}
    sums = [sum(column[k] for column in columns.values()) for k in range(len(rest))]
    if min(map(min, columns.values())) < -1e-9 or any(abs(total - 1) > 0.02 for total in sums if total):
        return _weight_lines(places, columns, known)
    tops, lines = [0.0] * len(places), []
    for name, column in columns.items():
        tops = [min(top + max(value, 0.0), 1.0) for top, value in zip(tops, column, strict=True)]
        tag, style = _tag(name, known)
        values = list(zip(places, column, strict=True))
        points = list(zip(places, tops, strict=True))
        final = formatting.share(column[-1])
        lines.append(Series(tag, style, points, final=final, mark="area", tag=tag, values=values))
    return Panel("weights", "Weights", "Share of the weight", "share", lines, [], scale="linear", even=True)


def _weight_lines(rounds: Sequence[float], columns: Mapping[str, Sequence[float]], known: Names) -> Panel:
    lines = []
    for name, column in columns.items():
        tag, style = _tag(name, known)
        final = formatting.number(column[-1])
        lines.append(Series(tag, style, list(zip(rounds, column, strict=True)), final=final, tag=tag))
    return Panel("weights", "Weights", "Weight", "real", lines, [], scale="linear", even=True)


def _weights(rounds: Sequence[int], weights: Mapping[str, Values], known: Names) -> dict[str, list[float]]:
    """The weights of the first experts, and of all others together."""
    clean = {
        name: [0.0 if value is None or not math.isfinite(value) else float(value) for value in values]
        for name, values in weights.items()
        if len(values) == len(rounds)
    }
    shown = [name for name in known if name in clean][:MOST_EXPERTS]
    rest = [clean[name] for name in clean if name not in shown]
    others = {"others": [math.fsum(values) for values in zip(*rest, strict=True)]} if rest else {}
    return {name: clean[name] for name in shown} | others


def loss_panel(
    history: ShownHistory, columns: ExpertTables, known: Names, loss_name: str, missing: float
) -> Panel | None:
    """The summed losses of the leading experts and of the learner, or how far they are from the learner's."""
    learner = history.learner_loss
    lines: dict[str, Values] = {name: columns.losses[name] for name in _leading(history.rounds, columns)}
    if not lines or not learner or learner[-1] is None:
        return None
    ends = [
        value for values in (learner, *lines.values()) if (value := values[-1]) is not None and math.isfinite(value)
    ]
    apart = bool(columns.faced) or max(ends) - min(ends) < TELLING_SPREAD * max(map(abs, ends))
    title, unit = "Summed loss of each expert and of the learner", f"Sum of {loss_name} losses"
    if apart:
        title, unit = "Each expert’s summed loss beside the learner’s", "Loss above the learner’s"
        lines = {name: _difference(values, columns.faced.get(name, learner)) for name, values in lines.items()}
        learner = [0.0] * len(history.rounds)
    own = thin(known_points(history.rounds, learner), MOST_LINE_POINTS, even=True)
    result = formatting.number(own[-1][1])
    series = [Series("Learner", "first", own, final=result, tag="Learner")]
    for name, values in lines.items():
        points = thin(known_points(history.rounds, values), MOST_LINE_POINTS, even=True)
        tag, style = _tag(name, known)
        if points:
            series.append(Series(tag, style, points, final=formatting.number(points[-1][1]), tag=tag))
    notes = _loss_notes(bool(columns.faced), apart)
    if len(history.names) > len(lines):
        notes.append(f"The {len(lines)} leading experts of {len(history.names)} are drawn.")
    if missing and not columns.faced:
        notes.append("An expert that gave no forecast lost nothing in that round, so its line may be low for silence.")
    return Panel("losses", title, unit, "real", series, notes, "linear", even=True)


def _loss_notes(slept: bool, apart: bool) -> list[str]:
    notes = []
    if slept:
        notes.append(
            "Each expert is compared with the learner over the rounds in which it gave a forecast: above zero it has "
            "lost more, below zero less."
        )
    elif apart:
        notes.append(
            "The sums themselves would look like one line, so each is drawn as its distance from the learner’s: "
            "an expert above zero has lost more than the learner, one below zero less."
        )
    return notes


def rate_panel(history: ShownHistory) -> Panel | None:
    """The learning rate on a log axis."""
    points = [(t, value) for t, value in thin(known_points(history.rounds, history.rate)) if value > 0]
    if not points:
        return None
    line = Series("Learning rate", "recent", points, final=formatting.number(points[-1][1]))
    return Panel("rate", "Learning rate", "Rate", "real", [line], [], scale="log")


def _leading(rounds: Sequence[int], columns: ExpertTables) -> list[str]:
    """The experts whose losses are known, the best first, measured over the rounds in which each spoke."""
    ends: dict[str, float] = {}
    for name, values in columns.losses.items():
        losses = _difference(values, columns.faced[name]) if name in columns.faced else values
        if known := known_points(rounds, losses):
            ends[name] = known[-1][1]
    return sorted(ends, key=lambda name: ends[name])


def _tag(name: str, known: Names) -> tuple[str, str]:
    return known.get(name, ("Others", "others"))


def _difference(one: Values, other: Values) -> list[float | None]:
    pairs = zip(one, other, strict=False)
    return [None if a is None or b is None else float(a) - float(b) for a, b in pairs]


def _thinned(rounds: Sequence[int], values: Values) -> list[Point]:
    return thin(known_points(rounds, values), even=True)
