"""The report of a run that combined forecasts."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from ..report import ForecastReport, History, write_forecast_report

if TYPE_CHECKING:
    from ..experts.history import History as Recorded
    from ..experts.losses import Loss
    from .combine_result import Combined

LEADING = 12  # experts whose way is drawn, by weight and by loss
FLOORED = ("table", "zero-one", "absolute")  # losses for which a fair coin costs every learner so much


def write_page(path: str, outcome: Combined) -> None:
    """Write the report of a run."""
    write_forecast_report(path, report_of(outcome))


def report_of(outcome: Combined) -> ForecastReport:
    """The run as a report shows it."""
    run, found = outcome.run, outcome.describe()
    learner, book = run.learner, run.learner.ledger_
    columns = run.stream.schema()
    source = {"path": outcome.path, "rows": run.place, "target": columns["target"], "time": columns["time"]}
    return ForecastReport(
        title=f"{type(learner).__name__} on {os.path.basename(run.stream.name)}",
        learner=learner.name,
        parameters={name: value for name, value in learner.get_params().items() if value is not None},
        source={name: value for name, value in source.items() if value is not None},
        loss_name=found["loss_name"],
        rounds=found["rounds"],
        loss=found["loss"],
        mean_loss=found["mean_loss"],
        expert_losses=found["expert_losses"],
        comparators=[one.describe() for one in outcome.comparators],
        weights=found["weights"],
        forecast=found["forecast"],
        certificates=outcome.certificates,
        history=_history(run.history, learner._loss, bool(book.absent)),
        delay_cost=found["delay_cost"],
        missing=found["missing"],
        seconds=outcome.seconds,
        faced=dict(zip(learner.names(), book.faced.tolist(), strict=True)) if book.absent else {},
    )


def _history(recorded: Recorded, loss: Loss, slept: bool) -> History:
    if not recorded.rounds:
        return History()
    losses, weights, faced = (
        np.array(rows, dtype=np.float64) for rows in (recorded.expert_losses, recorded.weights, recorded.faced)
    )
    leading = _leading(weights[-1], losses[-1] - faced[-1])
    shares = _named(recorded.names, weights, leading)
    if len(leading) < len(recorded.names):
        shares["others"] = (weights.sum(1) - weights[:, leading].sum(1)).tolist()
    learner = np.array(recorded.learner_loss)
    return History(
        rounds=recorded.rounds,
        learner_loss=recorded.learner_loss,
        best_expert_loss=(learner - np.array(recorded.regret)).tolist(),
        expert_losses=_named(recorded.names, losses, leading),
        weights=shares,
        rate=recorded.rate,
        regret=recorded.regret,
        bound=recorded.bound,
        lower_bound=_floor(recorded.rounds, len(recorded.names), loss),
        residuals=list(recorded.residuals),
        faced=_named(recorded.names, faced, leading) if slept else {},
    )


def _leading(weights: Any, above: Any) -> list[int]:
    """The heaviest experts and the best, in their order in the file."""
    heaviest = np.argsort(-np.abs(weights), kind="stable")
    best = np.argsort(above, kind="stable")
    ranked = dict.fromkeys(int(place) for pair in zip(heaviest, best, strict=True) for place in pair)
    return sorted(list(ranked)[:LEADING])


def _named(names: list[str], rows: Any, places: list[int]) -> dict[str, list[float | None]]:
    return {names[place]: rows[:, place].tolist() for place in places}


def _floor(rounds: list[int], experts: int, loss: Loss) -> list[float]:
    """What every learner must expect to lose against some experts, where the range of losses is known."""
    from ..theory.lower_bound import lower_bound

    width = 1.0 if loss.name == "zero-one" else loss.width
    if loss.name not in FLOORED or not np.isfinite(width):
        return []
    return [width * lower_bound(count, experts) for count in rounds]
