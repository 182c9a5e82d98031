"""The report on combined forecasts, as one file that opens anywhere and asks nothing of any network."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from . import forecast_charts, formatting, summary, template
from .forecasts import ForecastReport
from .page import Page
from .recorded_curves import known_points
from .summary import Card

MOST_ROWS = 30

_COMPARATORS = {
    "best_expert": "Best expert",
    "best_convex": "Best convex combination",
    "best_linear": "Best linear combination",
    "best_shifting": "Best sequence of experts",
    "uniform": "Uniform average",
}
_SOURCE_NAMES = {**template.SOURCE_NAMES, "target": "Outcome", "time": "Time", "experts": "Experts"}


def page_of_forecasts(report: ForecastReport) -> Page:
    """A run of combined forecasts."""
    return Page(
        title=report.title,
        lead=lead(report),
        forecast="" if report.forecast is None else formatting.plain(report.forecast),
        cards=_cards(report),
        comparators=[_comparator(report, one) for one in report.comparators],
        compared="What could have been done with the same experts by one who had known all outcomes. "
        "The regret is how much more the learner lost; it is negative where the learner did better.",
        experts=_experts(report),
        panels=forecast_charts.panels(report) if report.rounds > 0 else (),
        certificates=report.certificates,
        verdict=summary.verdict(report.certificates),
        tables=[
            ("Learner", _learner(report)),
            ("Data", [*template.facts(report.source, _SOURCE_NAMES), *_incidents(report)]),
        ],
    )


def lead(report: ForecastReport) -> str:
    """The run in one or two sentences."""
    if report.rounds == 0:
        return "No round was played."
    experts = summary.many(len(report.expert_losses), "expert")
    text = f"Over {summary.many(report.rounds, 'round')} the learner combined the forecasts of {experts}"
    text += f" and lost {formatting.number(report.loss)}" + (f" in {report.loss_name} loss" if report.loss_name else "")
    against = [("best_expert", "the best expert in hindsight"), ("uniform", "their uniform average")]
    results = [(_named(report, name), words) for name, words in against]
    parts = [_beside(report, one, words) for one, words in results if one is not None]
    return text + (": " + ", ".join(part for part in parts if part) if any(parts) else "") + "."


def _beside(report: ForecastReport, comparator: Mapping[str, object], words: str) -> str:
    regret, other = _real(comparator.get("regret")), _real(comparator.get("loss"))
    if regret is None or other is None or not math.isfinite(regret):
        return ""
    if regret == 0:
        return f"as much as {words}"
    amount = (
        formatting.percent(abs(regret) / other) if other > 0 and report.loss >= 0 else formatting.number(abs(regret))
    )
    return f"{amount} {'more' if regret > 0 else 'less'} than {words}"


def _cards(report: ForecastReport) -> list[Card]:
    speed = f"in {formatting.real(report.seconds, 3)} s" if report.seconds is not None else ""
    mean = f"{formatting.real(report.mean_loss)} a round" if report.mean_loss is not None else ""
    best, name = _best(report)
    comparator = _named(report, "best_expert")
    regret = _real(comparator.get("regret")) if comparator else None
    if regret is None and best is not None:
        regret = report.loss - best
    return [
        Card("Rounds", formatting.number(report.rounds), speed),
        Card("Learner’s loss", formatting.number(report.loss), mean),
        Card("Best expert’s loss", "–" if best is None else formatting.number(best), name),
        Card("Regret", "–" if regret is None else formatting.number(regret), "against the best expert"),
        _bound_card(report, regret),
    ]


def _bound_card(report: ForecastReport, regret: float | None) -> Card:
    """The bound that the chart of the regret ends at; the tightest of all may be about another comparator."""
    drawn = known_points(report.history.rounds, report.history.bound)
    certified = _certified(report)
    if regret is None or not drawn or drawn[-1][0] != report.rounds or certified.quantity != report.quantity:
        return summary.bound_card(certified)
    bound = drawn[-1][1]
    for one in report.certificates:
        if one.applies and one.bound is not None and math.isclose(one.bound, bound, rel_tol=1e-9):
            return summary.card_of_bound(one)
    share = max(regret, 0.0) / bound if bound > 0 else 0.0
    note = f"against the best expert: {formatting.percent(share)} used"
    best = summary.tightest(certified)
    if best is not None and best.bound is not None and best.bound <= bound and summary.vacuous(best):
        note += "; vacuous, as nothing can exceed it"  # what is no smaller is no better
    return Card(
        "Tightest bound on regret", formatting.number(bound), note, 100 * min(share, 1.0), regret > bound * (1 + 1e-9)
    )


def _certified(report: ForecastReport) -> ForecastReport:
    """The report, about what its certificates bound if that is something else."""
    quantities = [one.quantity for one in report.certificates if one.applies]
    return report if not quantities or report.quantity in quantities else replace(report, quantity=quantities[0])


def _best(report: ForecastReport) -> tuple[float | None, str]:
    """The loss and the name of the best expert."""
    losses = {name: loss for name, loss in report.expert_losses.items() if math.isfinite(loss)}
    comparator = _named(report, "best_expert")
    loss = _real(comparator.get("loss")) if comparator else None
    if loss is None and losses:
        loss = min(losses.values())
    names = [name for name in losses if losses[name] == loss]
    return loss, formatting.label(names[0], 32) if names else ""


def _named(report: ForecastReport, name: str) -> Mapping[str, object] | None:
    return next((one for one in report.comparators if one.get("name") == name), None)


def _comparator(report: ForecastReport, one: Mapping[str, object]) -> dict[str, object]:
    """A comparator as a row: its name in words, its numbers, and what else is known of it."""
    name = str(one.get("name", ""))
    label = str(one.get("label") or _COMPARATORS.get(name, name))
    row: dict[str, object] = {"comparator": label[:1].upper() + label[1:]}
    row |= {key: _real(one.get(key)) for key in ("loss", "regret")}
    detail = one.get("detail")
    if not isinstance(detail, Mapping):
        return row | {"detail": detail}
    # The name says which expert it is, and that all rounds were meant goes without saying.
    details = {
        key: value
        for key, value in detail.items()
        if key not in ("expert", "gap") and (key, value) != ("rounds", report.rounds)
    }
    if "weights" in details:
        details["weights"] = _heaviest(details["weights"], list(report.expert_losses))
    return row | {"detail": details or None}


def _heaviest(weights: object, names: Sequence[str]) -> object:
    """The largest few of many weights, by name."""
    if isinstance(weights, Sequence) and len(weights) == len(names):
        weights = dict(zip(names, weights, strict=True))
    if not isinstance(weights, Mapping) or not all(isinstance(value, int | float) for value in weights.values()):
        return weights
    ranked = sorted(weights.items(), key=lambda pair: -abs(pair[1]))
    return {formatting.shorten(str(name), 20): round(weight, 3) for name, weight in ranked[:3] if round(weight, 3)}


def _experts(report: ForecastReport) -> dict[str, Any] | None:
    """Loss and weight of each expert, the best first."""
    if not report.expert_losses:
        return None
    above = {name: loss - report.faced.get(name, report.loss) for name, loss in report.expert_losses.items()}
    ranked = sorted(above, key=lambda name: (math.isnan(above[name]), above[name]))
    shown = ranked[:MOST_ROWS]
    weights = [report.weights.get(name, math.nan) for name in shown]
    largest = max((abs(weight) for weight in weights if math.isfinite(weight)), default=0.0) or 1.0
    losses = formatting.aligned([report.expert_losses[name] for name in shown])
    shares = _weights(weights)
    beside = formatting.aligned([above[name] for name in shown])
    rows = [
        {
            "name": formatting.shorten(formatting.clean(name), 44),
            "full": formatting.shorten(formatting.clean(name), 1000),
            "loss": loss,
            "beside": ("+" if above[name] > 0 else "") + distance,
            "weight": shares[k],
            "width": round(100 * abs(weights[k]) / largest, 2) if math.isfinite(weights[k]) else 0.0,
            "side": weights[k] < 0,
        }
        for k, (name, loss, distance) in enumerate(zip(shown, losses, beside, strict=True))
    ]
    left = len(ranked) - len(shown)
    return {
        "rows": rows,
        "left": f"{summary.many(left, 'expert')} that did worse are not listed." if left else "",
        "note": "" if not report.faced else "Beside what the learner lost in the rounds in which the expert spoke.",
    }


def _weights(weights: Sequence[float]) -> list[str]:
    """Shares of one, or plain numbers where they are no shares."""
    if all(-1e-9 <= weight <= 1 + 1e-9 for weight in weights if math.isfinite(weight)):
        return [formatting.share(weight) if math.isfinite(weight) else "–" for weight in weights]
    return [
        text if math.isfinite(weight) else "–"
        for weight, text in zip(weights, formatting.aligned(weights), strict=True)
    ]


def _learner(report: ForecastReport) -> list[tuple[str, str]]:
    own = (
        [("Name", report.learner)]
        if "loss" in report.parameters
        else [("Name", report.learner), ("Loss", report.loss_name)]
    )
    return own + template.facts(report.parameters, {"n_experts": "experts"})


def _incidents(report: ForecastReport) -> list[tuple[str, str]]:
    incidents = [("Forecasts missing", formatting.number(report.missing))]
    if report.delay_cost is not None:
        incidents.append(("Cost of late outcomes", formatting.number(report.delay_cost)))
    return incidents


def _real(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
