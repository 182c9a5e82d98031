"""The report on combined forecasts, as one file that needs no other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from . import forecast_charts, formatting, summary, template
from .curves import Panel, known_points
from .forecast_charts import ShownHistory
from .page import Learner, Page
from .residuals import IntervalCourse, interval_facts
from .summary import Card, quantity_of

if TYPE_CHECKING:
    from ..certificate import Certificate
    from ..ledger import ExpertLedger

MOST_ROWS = 30

_SOURCE_NAMES = {**template.SOURCE_NAMES, "target": "Outcome", "time": "Time", "experts": "Experts"}


class Combiner(Learner, Protocol):
    """What the page reads of a combiner."""

    @property
    def ledger_(self) -> ExpertLedger: ...
    @property
    def weights(self) -> Iterable[float]: ...
    def names(self) -> list[str]: ...


class ShownComparator(Protocol):
    """A fixed way to use the experts, as the page reads it."""

    @property
    def name(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def loss(self) -> float: ...
    @property
    def regret(self) -> float: ...
    @property
    def detail(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True, slots=True)
class ForecastReport:
    """One run of combined forecasts, ready to be shown.

    Parameters
    ----------
    title : str
        The headline, as ``MLPoly on load.csv``.
    learner : Combiner
    loss_name : str
        ``"square"`` and so on.
    source : mapping
        Where the rounds came from: ``path, rows, target, time``, as far as known.
    history : ShownHistory
        How the run went.
    comparators : sequence of ShownComparator
    certificates : sequence of Certificate
        Every theorem that was asked, whether or not it applies.
    forecast : float, sequence or None
        The combination of a last row without outcome.
    late : bool
        Whether outcomes came late.
    asked : (int, int), optional
        How many outcomes were asked, and of how many, where not all were learned.
    lower_bound : sequence of float
        What every learner must suffer on some sequence, at the rounds of the history; empty if it is not known.
    seconds : float, optional
        How long the run took.
    intervals : IntervalCourse, optional
        Those around the forecasts.
    """

    title: str
    learner: Combiner
    loss_name: str
    source: Mapping[str, object]
    history: ShownHistory
    comparators: Sequence[ShownComparator] = ()
    certificates: Sequence[Certificate] = ()
    forecast: object = None
    late: bool = False
    asked: tuple[int, int] | None = None
    lower_bound: Sequence[float] = ()
    seconds: float | None = None
    intervals: IntervalCourse | None = None

    @property
    def rounds(self) -> int:
        """How many were played."""
        return int(self.learner.ledger_.rounds)

    @property
    def loss(self) -> float:
        """The learner's loss, summed over the rounds."""
        return float(self.learner.ledger_.loss)

    @property
    def expert_losses(self) -> dict[str, float]:
        """The summed loss of each expert by name."""
        return self._by_name(self.learner.ledger_.losses)

    @property
    def weights(self) -> dict[str, float]:
        """The final weight of each expert by name."""
        return self._by_name(self.learner.weights)

    @property
    def faced(self) -> dict[str, float]:
        """Where experts were silent at times: the learner's loss over the rounds in which each of them spoke."""
        return self._by_name(self.learner.ledger_.faced) if self.learner.ledger_.absent else {}

    @property
    def quantity(self) -> str:
        """What the certificates are about."""
        return quantity_of(self.certificates)

    def comparator(self, name: str) -> ShownComparator | None:
        """The comparator of that name, if there is one."""
        return next((one for one in self.comparators if one.name == name), None)

    def _by_name(self, values: Iterable[float]) -> dict[str, float]:
        return {name: float(value) for name, value in zip(self.learner.names(), values, strict=True)}


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
        panels=_panels(report),
        certificates=report.certificates,
        verdict=summary.verdict(report.certificates),
        tables=[
            ("Learner", _learner(report)),
            *(
                [("Intervals", interval_facts(report.intervals))]
                if report.intervals is not None and report.rounds
                else []
            ),
            ("Data", [*template.facts(report.source, _SOURCE_NAMES), *_incidents(report)]),
        ],
    )


def _panels(report: ForecastReport) -> Sequence[Panel]:
    if report.rounds == 0:
        return ()
    return forecast_charts.panels(
        report.history, report.loss_name, report.rounds, missing=report.learner.ledger_.absent,
        lower_bound=report.lower_bound, intervals=report.intervals,
    )  # fmt: skip


def lead(report: ForecastReport) -> str:
    """The run in one or two sentences."""
    if report.rounds == 0:
        return "No round was played."
    experts = summary.many(len(report.learner.names()), "expert")
    asked = "" if report.asked is None else f" of {report.asked[1]:,}, whose outcomes were asked,"
    text = f"Over {summary.many(report.rounds, 'round')}{asked} the learner combined the forecasts of {experts}"
    text += f" and lost {formatting.number(report.loss)}" + (f" in {report.loss_name} loss" if report.loss_name else "")
    against = [("best_expert", "the best expert in hindsight"), ("uniform", "their uniform average")]
    results = [(report.comparator(name), words) for name, words in against]
    parts = [_beside(report, one, words) for one, words in results if one is not None]
    return text + (": " + ", ".join(part for part in parts if part) if any(parts) else "") + "."


def _beside(report: ForecastReport, comparator: ShownComparator, words: str) -> str:
    regret, other = comparator.regret, comparator.loss
    if not math.isfinite(regret):
        return ""
    if regret == 0:
        return f"as much as {words}"
    amount = (
        formatting.percent(abs(regret) / other) if other > 0 and report.loss >= 0 else formatting.number(abs(regret))
    )
    return f"{amount} {'more' if regret > 0 else 'less'} than {words}"


def _cards(report: ForecastReport) -> list[Card]:
    speed = f"in {formatting.real(report.seconds, 3)} s" if report.seconds is not None else ""
    mean = f"{formatting.real(report.loss / report.rounds)} a round" if report.rounds else ""
    best, name = _best(report)
    comparator = report.comparator("best_expert")
    regret = comparator.regret if comparator is not None else None if best is None else report.loss - best
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
    if regret is None or not drawn or drawn[-1][0] != report.rounds or report.quantity != "regret":
        return summary.bound_card(report)
    bound = drawn[-1][1]
    for one in report.certificates:
        if one.applies and one.bound is not None and math.isclose(one.bound, bound, rel_tol=1e-9):
            return summary.card_of_bound(one)
    share = max(regret, 0.0) / bound if bound > 0 else 0.0
    note = f"against the best expert: {formatting.percent(share)} used"
    best = summary.tightest(report)
    if best is not None and best.bound is not None and best.bound <= bound and summary.vacuous(best):
        note += "; vacuous, as nothing can exceed it"  # what is no smaller is no better
    return Card(
        "Tightest bound on regret", formatting.number(bound), note, 100 * min(share, 1.0), regret > bound * (1 + 1e-9)
    )


def _best(report: ForecastReport) -> tuple[float | None, str]:
    """The loss and the name of the best expert."""
    losses = {name: loss for name, loss in report.expert_losses.items() if math.isfinite(loss)}
    comparator = report.comparator("best_expert")
    loss = comparator.loss if comparator is not None else min(losses.values(), default=None)
    names = [name for name in losses if losses[name] == loss]
    return loss, formatting.label(names[0], 32) if names else ""


def _comparator(report: ForecastReport, one: ShownComparator) -> dict[str, object]:
    """A comparator as a row: its name in words, its numbers, and what else is known of it."""
    # The name says which expert it is, and that all rounds were meant goes without saying.
    details = {
        key: value
        for key, value in one.detail.items()
        if key not in ("expert", "gap") and (key, value) != ("rounds", report.rounds)
    }
    if "weights" in details:
        details["weights"] = _heaviest(details["weights"], report.learner.names())
    label = one.label[:1].upper() + one.label[1:]
    return {"comparator": label, "loss": one.loss, "regret": one.regret, "detail": details or None}


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
    expert_losses, faced, final_weights = report.expert_losses, report.faced, report.weights
    if not expert_losses:
        return None
    above = {name: loss - faced.get(name, report.loss) for name, loss in expert_losses.items()}
    ranked = sorted(above, key=lambda name: (math.isnan(above[name]), above[name]))
    shown = ranked[:MOST_ROWS]
    weights = [final_weights[name] for name in shown]
    largest = max((abs(weight) for weight in weights if math.isfinite(weight)), default=0.0) or 1.0
    losses = formatting.aligned([expert_losses[name] for name in shown])
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
        "note": "" if not faced else "Beside what the learner lost in the rounds in which the expert spoke.",
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
    parameters = {name: value for name, value in report.learner.get_params().items() if value is not None}
    loss = [] if "loss" in parameters else [("Loss", report.loss_name)]
    return [("Name", report.learner.name), *loss, *template.facts(parameters, {"n_experts": "experts"})]


def _incidents(report: ForecastReport) -> list[tuple[str, str]]:
    ledger = report.learner.ledger_
    incidents = [("Forecasts missing", formatting.number(int(ledger.absent)))]
    if report.asked is not None:
        outcomes, rows = (formatting.number(count) for count in report.asked)
        incidents.append(("Outcomes asked", f"{outcomes} of {rows}"))
    if report.late:
        incidents.append(("Cost of late outcomes", formatting.number(float(ledger.delay))))
    return incidents
