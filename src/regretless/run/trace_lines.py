"""The first rounds of a run, as somebody would write them down who goes through them by hand."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..report.terminal import label_text, many, number_text, short

if TYPE_CHECKING:
    from ..play.tracing import TracedDraw
    from .tracing import ForecastTracer, RowTracer, TracedDecision, TracedForecast, TracedRow

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
            shown = "none yet, for others are measured from the first outcome" if one.prediction is None else predicted
            yield f"  forecast   {shown}, and the outcome is {text(one.outcome)}"
        else:
            scored = zip(one.scores, one.labels, strict=True)
            scores = ", ".join(f"{number_text(score)} for {text(label)}" for score, label in scored)
            right = "right" if one.prediction == one.outcome else "wrong"
            yield f"  score      {scores}: predicted {predicted}, and the label is {text(one.outcome)}: {right}"
        moved = "" if one.updated is None else ", update" if one.updated else ", no update"
        yield f"  loss       {number_text(one.loss)}{moved}"
        for label, weights in one.weights.items():
            whose = "" if numbers else f" for {label}"
            yield f"  weights    {pairs(weights) or 'all 0'}{whose}"
        if one.members:
            yield f"  members    {pairs(one.members)}"


def forecast_lines(rows: Sequence[TracedForecast]) -> Iterator[str]:
    """Rows of a combiner: of many experts the same in all of them, those that weigh most."""
    total: dict[str, float] = {}
    for one in rows:
        for name, weight in one.weights.items():
            total[name] = total.get(name, 0.0) + abs(weight)
    chosen = sorted(total, key=lambda name: -total[name])[:MOST]
    for one in rows:
        yield f"round {one.round}"
        yield f"  experts    {pairs(one.forecasts, chosen)}"
        yield f"  weights    {pairs(one.played, chosen)}"
        outcome = "" if one.outcome is None else f", and the outcome is {number_text(one.outcome)}"
        yield f"  combined   {number_text(one.prediction)}{outcome}: loss {number_text(one.loss)}"
        yield f"  losses     {pairs(one.charges, chosen)}{'' if one.learned else ', not learned before the next row'}"
        yield f"  next       {pairs(one.weights, chosen)}"


def draw_lines(draws: Sequence[TracedDraw], runs: int) -> Iterator[str]:
    """Draws of a bandit in the first of several runs."""
    if runs > 1:
        yield f"Run 1 of {runs:,}"
    for one in draws:
        chance = "" if one.probability is None else f", with probability {number_text(one.probability)}"
        arm = "by weights" if one.arm is None else f"drawn {short(one.arm)}{chance}"
        yield f"round {one.round}: {arm}: loss {number_text(one.loss)}"
        if one.estimates:
            yield f"  estimates  {pairs(one.estimates)}"
        if one.next:
            yield f"  next       {pairs(one.next)}"


def decision_lines(rounds: Sequence[TracedDecision], names: Sequence[str], quantity: str) -> Iterator[str]:
    """Decisions of a contextual bandit, with the names of the features; `quantity` is what is learned of each."""
    for one in rounds:
        yield f"round {one.round}"
        if one.row:
            shown = {name: value for name, value in zip(names, one.row, strict=True) if value}
            yield f"  row        {pairs(shown) or 'all 0'}"
        chance = number_text(one.probability)
        yield f"  drawn      {short(one.action)}, with probability {chance}: {quantity} {number_text(one.cost)}"


def pairs(numbers: Mapping[str, Any], chosen: Collection[str] | None = None) -> str:
    """Names with their numbers; of many those that are chosen, or that are largest in size, in their order."""
    if chosen is None:
        chosen = sorted(numbers, key=lambda name: -abs(numbers[name]))[:MOST]
    shown = [f"{short(name)} {number_text(value)}" for name, value in numbers.items() if name in chosen]
    return "  ".join(shown) + (f"  and {len(numbers) - len(shown):,} more" if len(numbers) > len(shown) else "")


# The table of `play`.

WIDTH = 12  # of a column
FEW = 4  # numbers of a row that are shown


def step_lines(steps: Sequence[Any], rounds: int) -> Iterator[str]:
    """One line a round, below the names of the columns; it is said where the table ends before the play does.

    Parameters
    ----------
    steps : sequence of Step or Draw
    rounds : int
        That were played.
    """
    cells = [_draw(step) if hasattr(step, "loss") else _step(step) for step in steps]
    shown = [name for name in cells[0] if any(one[name] != "-" for one in cells)]
    wide = {name: max(WIDTH, *(len(one[name]) for one in cells)) for name in shown}
    yield " ".join(f"{name:>{wide[name]}}" for name in shown)
    for one in cells:
        yield " ".join(f"{one[name]:>{wide[name]}}" for name in shown)
    if len(steps) < rounds:
        yield f"(the first {len(steps)} of {many(rounds, 'round')}; --trace N shows N, and --json 10,000)"


def _step(step: Any) -> dict[str, str]:
    row = step.row or []
    asked = short(step.point, 20) if step.point is not None else _numbers(row) if 0 < len(row) <= FEW else "-"
    return {
        "round": str(step.round),
        "point": asked,
        "says 1 with": cell(step.probability),
        "score": cell(step.score),
        "predicted": cell(step.prediction),
        "label": str(step.label),
        "": "-" if step.wrong is None else "wrong" if step.wrong else "right",
        "alive": cell(step.alive),
        "weights after": _numbers(step.weights) if step.weights and len(step.weights) <= FEW else "-",
    }


def _draw(step: Any) -> dict[str, str]:
    return {
        "round": str(step.round),
        "arm": "-" if step.arm is None else short(step.arm, 20),
        "probability": cell(step.probability),
        "loss": cell(step.loss),
    }


def _numbers(row: Sequence[float]) -> str:
    return f"({', '.join(f'{value:.3g}' for value in row)})"


def cell(value: float | None) -> str:
    """A number in a table; a dash where there is none."""
    return "-" if value is None else f"{value:.6g}"
