"""The first rounds of a run, as somebody would write them down who goes through them by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .output import label_text, number_text, short

if TYPE_CHECKING:
    from ..play.tracing import TracedDraw
    from ..run.tracing import ForecastTracer, RowTracer, TracedForecast, TracedRow

TRACED = 10  # rounds, where no number is given
MOST = 8  # numbers of a line


def trace_values(tracer: RowTracer | ForecastTracer | None) -> dict[str, Any]:
    """The first rounds as JSON values; nothing where they are not wanted."""
    return {} if tracer is None else {"trace": [one.describe() for one in tracer.rows]}


def row_lines(rows: Sequence[TracedRow], *, numbers: bool) -> Iterator[str]:
    """Rows of a learner of weights; `numbers` says that these are forecast, and no labels."""
    for one in rows:
        yield f"round {one.round}"
        yield f"  row        {pairs(one.row) or 'all 0'}"
        text = number_text if numbers else label_text
        predicted = "another label" if one.prediction is None else text(one.prediction)
        if numbers:
            yield f"  forecast   {predicted}, and the outcome is {text(one.outcome)}"
        else:
            scores = ", ".join(map(number_text, one.scores))
            right = "right" if one.prediction == one.outcome else "wrong"
            yield f"  score      {scores}: predicted {predicted}, and the label is {text(one.outcome)}: {right}"
        moved = "" if one.updated is None else ", update" if one.updated else ", no update"
        yield f"  loss       {number_text(one.loss)}{moved}"
        for label, weights in one.weights.items():
            whose = f" for {label}" if len(one.weights) > 1 else ""
            yield f"  weights    {pairs(weights) or 'all 0'}{whose}"
        if one.members:
            yield f"  members    {pairs(one.members)}"


def forecast_lines(rows: Sequence[TracedForecast]) -> Iterator[str]:
    """Rows of a combiner."""
    for one in rows:
        yield f"round {one.round}"
        yield f"  experts    {pairs(one.forecasts)}"
        yield f"  weights    {pairs(one.played)}"
        outcome = "" if one.outcome is None else f", and the outcome is {number_text(one.outcome)}"
        yield f"  combined   {number_text(one.prediction)}{outcome}: loss {number_text(one.loss)}"
        learned = any(one.charges.values())
        yield f"  losses     {pairs(one.charges) if learned else 'none are added, or not before a later row'}"
        yield f"  next       {pairs(one.weights)}"


def draw_lines(draws: Sequence[TracedDraw]) -> Iterator[str]:
    """Draws of a bandit."""
    for one in draws:
        chance = "" if one.probability is None else f", with probability {number_text(one.probability)}"
        arm = "by weights" if one.arm is None else f"drawn {short(one.arm)}{chance}"
        yield f"round {one.round}: {arm}: loss {number_text(one.loss)}"
        if one.estimates:
            yield f"  estimates  {pairs(one.estimates)}"
        if one.next:
            yield f"  next       {pairs(one.next)}"


def pairs(numbers: Mapping[str, Any]) -> str:
    """Names with their numbers; of many those that are largest in size, in their order."""
    chosen = sorted(numbers, key=lambda name: -abs(numbers[name]))[:MOST]
    shown = [f"{short(name)} {number_text(value)}" for name, value in numbers.items() if name in chosen]
    return "  ".join(shown) + (f"  and {len(numbers) - MOST:,} more" if len(numbers) > MOST else "")
