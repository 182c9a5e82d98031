"""The report of a learner of numbers: its loss under bounds, forecasts and outcomes, residuals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import formatting, summary, template
from .curves import OFF_THE_CHART, Panel, Series, thin
from .page import Learner, Page
from .residuals import IntervalCourse, coverage_panel, interval_facts, residual_panels
from .run_page import posterior_panel, weight_rows
from .summary import Card, comparator_rows, smallest_bound

if TYPE_CHECKING:
    from ..certificate import Certificate


@dataclass(frozen=True, slots=True)
class RegressionReport:
    """One run, ready to be shown.

    Parameters
    ----------
    title, loss_name : str
        The headline; what the loss is called.
    learner : Learner
    source : mapping
        Where the rounds came from: ``path, rows, features, nonzeros, skipped``.
    rounds : int
        How many there were; the first is charged to nobody.
    snapshots : sequence of mapping
        At increasing rounds: ``rounds, loss, constant, cost, members, losses, posterior``.
    certificates : sequence of Certificate
    forecasts : sequence of (round, forecast, outcome)
        The last ones.
    summary : mapping
        Sums of all rounds: ``rows, squared_loss, absolute_loss, mean_so_far_squared_loss``.
    constant : float or None
        The loss of the best constant known in hindsight.
    weights : sequence of (feature, weight)
        The largest weights, or what features make of them.
    weighed : str
        By what they were multiplied, behind the title; empty if by nothing.
    intervals : IntervalCourse, optional
        How intervals around the forecasts did.
    seconds : float, optional
        How long learning took.
    """

    title: str
    loss_name: str
    learner: Learner
    source: Mapping[str, object]
    rounds: int
    snapshots: Sequence[Mapping[str, Any]]
    certificates: Sequence[Certificate]
    forecasts: Sequence[tuple[int, float, float]]
    summary: Mapping[str, Any]
    constant: float | None = None
    weights: Sequence[tuple[str, float]] = ()
    weighed: str = ""
    intervals: IntervalCourse | None = None
    seconds: float | None = None

    @property
    def quantity(self) -> str:
        """What is certified."""
        return "loss"

    @property
    def loss(self) -> float:
        """Of all rounds."""
        return float(self.snapshots[-1]["loss"]) if self.snapshots else 0.0


def page_of_regression(report: RegressionReport) -> Page:
    """A run of a learner of numbers."""
    panels = [] if report.rounds < 2 else _panels(report)
    tables = [("Learner", template.learner_facts(report.learner)), *_interval_table(report)]
    return Page(
        title=report.title,
        lead=_lead(report),
        cards=_cards(report),
        comparators=comparator_rows(report.certificates),
        compared="The fixed vectors and members, chosen in hindsight, that the theorems measure the learner against.",
        weights=weight_rows(report.weights),
        weighed=report.weighed,
        panels=panels,
        certificates=report.certificates,
        verdict=summary.verdict(report.certificates),
        tables=[*tables, ("Data", template.facts(report.source, template.SOURCE_NAMES))],
    )


def _panels(report: RegressionReport) -> list[Panel]:
    radii = () if report.intervals is None else report.intervals.radii
    some = [
        loss_panel(report),
        *residual_panels(report.forecasts, report.rounds, radii),
        None if report.intervals is None else coverage_panel(report.intervals),
        posterior_panel(report.snapshots),
    ]
    return [panel for panel in some if panel is not None]


def loss_panel(report: RegressionReport) -> Panel | None:
    """The loss as it grows, under that of the best member so far and what mixing may cost, and the smallest bound."""
    rows = [one for one in report.snapshots if one["rounds"] > 1]
    if not rows:
        return None
    loss = thin([(float(one["rounds"]), float(one["loss"])) for one in rows])
    lines = [Series(report.loss_name.capitalize(), "first", loss, final=formatting.number(loss[-1][1]))]
    if any(len(one["losses"]) > 1 for one in rows):
        allowed = thin([(float(one["rounds"]), min(one["losses"]) + one["cost"]) for one in rows])
        name, final = "Best member and what mixing may cost", formatting.number(allowed[-1][1])
        lines.append(Series(name, "bound1", allowed, bound=True, final=final))
    if rows[-1]["constant"] is not None:
        constant = thin([(float(one["rounds"]), float(one["constant"])) for one in rows])
        lines.append(Series("Best constant so far", "second", constant, final=formatting.number(constant[-1][1])))
    of_vectors = [one for one in report.certificates if one.quantity == "loss" and one.theorem.name != "aggregation"]
    if (least := smallest_bound((one.shown_bound, one) for one in of_vectors)) is not None:
        title, bound = least
        points = [(loss[0][0], bound), (loss[-1][0], bound)]
        drawn = bound <= max(loss[-1][1], 1e-300) * OFF_THE_CHART
        final = formatting.number(bound)
        lines.append(Series(formatting.label(title), "bound0", points, bound=True, final=final, drawn=drawn))
    return Panel("loss", f"{report.loss_name.capitalize()} under the certified bounds", "Loss", "real", lines, [])


def _lead(report: RegressionReport) -> str:
    """The run in one or two sentences."""
    charged = int(report.summary["rows"])
    if not charged:
        return "No outcome was forecast: the first one says where others are measured from."
    loss = f"{formatting.number(report.loss)} in all, {formatting.number(report.loss / charged)} a round"
    text = f"In {summary.many(charged, 'round')} after the first the {report.loss_name} was {loss}."
    if report.constant:
        text += f" The best constant, known in hindsight, has {formatting.number(report.constant / charged)} a round."
    return text


def _cards(report: RegressionReport) -> list[Card]:
    """The numbers at the top."""
    charged = int(report.summary["rows"])
    cards = [Card("Rounds", formatting.number(report.rounds), "the first is charged to nobody")]
    if not charged:
        return cards
    note = "" if not report.constant else f"{formatting.percent(report.loss / report.constant)} of the best constant's"
    cards.append(Card(report.loss_name.capitalize(), formatting.number(report.loss), note))
    cards.append(Card("Mean absolute error", formatting.number(report.summary["absolute_loss"] / charged)))
    cards.append(summary.bound_card(report))
    if report.intervals is not None and report.intervals.ledger.rounds:
        ledger = report.intervals.ledger
        share = formatting.percent(ledger.misses / ledger.rounds)
        cards.append(Card("Misses of the intervals", share, f"{formatting.percent(ledger.alpha)} asked for"))
    return cards


def _interval_table(report: RegressionReport) -> list[tuple[str, Sequence[tuple[str, str]]]]:
    if report.intervals is None or not report.intervals.ledger.rounds:
        return []
    return [("Intervals", interval_facts(report.intervals))]
