"""The report of a learner of labels, as one file that needs no other."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from . import formatting, summary, template
from .axes import Format
from .curves import OFF_THE_CHART, Panel, Point, Series, absence, relation, shown, thin
from .forecast_charts import weight_panel
from .page import Learner, Page
from .summary import Card, bare, comparator_rows, counted, smallest_bound

if TYPE_CHECKING:
    from ..certificate import Certificate


@dataclass(frozen=True, slots=True)
class Report:
    """One run, ready to be shown.

    Parameters
    ----------
    title : str
        The headline, as ``Perceptron on mail.svm``.
    learner : Learner
    source : mapping
        Where the rounds came from: ``path, rows, features, nonzeros, skipped, passes``, as far as known.
    curve : sequence of (rounds, mistakes, updates)
        The ledger at increasing rounds, best spaced evenly on a log axis.
    certificates : sequence of Certificate
        Every theorem that was asked, whether or not it applies.
    weights : sequence of (feature, weight)
        The largest weights, or what features make of them.
    weighed : str
        By what they were multiplied, behind the title; empty if by nothing.
    seconds : float, optional
        How long learning took.
    progressive : mapping, optional
        How the rows were predicted before they were learned: what `Progressive.summary` gives.
    worse : str, optional
        What to say beside the verdict where a rule that looks at no feature errs less.
    snapshots : sequence of mapping
        Of a learner of probabilities, its log loss, its members' and their weights at increasing rounds.
    reliability : mapping, optional
        How often what it said to be probable came: what `Reliability.describe` gives.
    asked : sequence of (rounds, labels)
        Of a learner that asks, how many labels it had asked at increasing rounds.
    """

    title: str
    learner: Learner
    source: Mapping[str, object]
    curve: Sequence[tuple[int, int, int]]
    certificates: Sequence[Certificate] = ()
    weights: Sequence[tuple[str, float]] = ()
    weighed: str = ""
    seconds: float | None = None
    progressive: Mapping[str, Any] | None = None
    worse: str | None = None
    snapshots: Sequence[Mapping[str, Any]] = ()
    reliability: Mapping[str, Any] | None = None
    asked: Sequence[tuple[int, int]] = ()

    @property
    def count(self) -> str:
        """What the curve is drawn with: the first count that a theorem bounds, for the curve is one of counts."""
        return next((one.quantity for one in self.certificates if one.theorem.whole), "mistakes")

    @property
    def quantity(self) -> str:
        """What the page speaks of first: the log loss of a learner of probabilities, and else that count."""
        return "log loss" if self.snapshots else self.count

    @property
    def bound(self) -> tuple[str, float] | None:
        """The smallest bound on that count, and whose it is."""
        alike = [one for one in self.certificates if one.theorem.whole and one.quantity == self.count]
        return smallest_bound((one.shown_bound, one) for one in alike)


def count_panel(report: Report) -> Panel:
    """The counts and the bound on one of them, on one axis."""
    title, unit, lines = _observed_lines(report)
    certified = _certified(report)
    notes = []
    if report.bound is not None and certified:
        bound = _bound_line(*report.bound, report.count, certified)
        lines.append(bound)
        if bound.drawn:
            title += f" {relation(certified, [bound])} the certified bound"
        else:
            notes.append(f"{bound.name} {absence(bound)}")
    elif report.bound is not None:
        notes.append(f"What is certified here is the {report.count}, of which no curve was recorded.")
    return Panel("counts", title, unit, "count", lines, notes)


def _certified(report: Report) -> list[Point]:
    """The curve of what is certified; none of mistakes of classes one by one, for the curve counts rows."""
    if bare(report.count) == "updates":
        return _column(report, 2)
    return _column(report, 1) if report.count == "mistakes" else []


def _observed_lines(report: Report) -> tuple[str, str, list[Series]]:
    """The title, the unit and the lines of what was observed, the certified quantity first."""
    mistakes, updates = _column(report, 1), _column(report, 2)
    if report.count == "mistakes" and mistakes:
        return "Mistakes", "Mistakes", [_line("Mistakes", "first", mistakes)]
    if mistakes == updates:
        return "Mistakes", "Mistakes", [_line("Mistakes, each of them an update", "first", updates)]
    lines = [_line("Updates", "first", updates), _line("Mistakes", "second", mistakes)]
    return "Mistakes and updates", "Mistakes, updates", lines


def rate_panel(report: Report) -> Panel:
    """The share of mistakes since the first round, and over the latest half of the rounds."""
    mistakes = _column(report, 1)
    overall = [(t, value / t) for t, value in mistakes]
    series = [_line("Since the first round", "first", overall, "percent")]
    recent = recent_rates(mistakes)
    series.append(_line("Since the last doubling", "recent", recent, "percent"))
    return Panel("rates", "Mistake rate", "Mistakes per round", "percent", series, [])


def _asked(report: Report) -> list[Panel]:
    """Which share of the labels was asked, of a learner that asks."""
    asked = thin([(float(t), float(labels)) for t, labels in report.asked if t > 0])
    if not asked:
        return []
    overall = [(t, labels / t) for t, labels in asked]
    series = [
        _line("Since the first round", "first", overall, "percent"),
        _line("Since the last doubling", "recent", recent_rates(asked), "percent"),
    ]
    return [Panel("asked", "Labels asked", "Labels per round", "percent", series, [])]


def recent_rates(mistakes: Sequence[Point]) -> list[Point]:
    """At each recorded round t, the share of mistakes, or of labels, since the last recorded round up to t/2."""
    rounds = [t for t, _ in mistakes]
    rates = []
    for t, value in mistakes:
        k = bisect_right(rounds, t / 2) - 1
        before = mistakes[k] if k >= 0 else (0.0, 0.0)
        if t > before[0]:
            rates.append((t, (value - before[1]) / (t - before[0])))
    return rates


def _column(report: Report, column: int) -> list[Point]:
    return thin([(float(row[0]), float(row[column])) for row in report.curve if row[0] > 0])


def _line(name: str, style: str, points: Sequence[Point], format: Format = "count") -> Series:
    return Series(name, style, thin(points), final=shown(points[-1][1], format) if points else "")


def _bound_line(title: str, bound: float, quantity: str, certified: Sequence[Point]) -> Series:
    """A bound on the whole run as a line across the chart."""
    last, observed = certified[-1]
    drawn = bound <= max(*(value for _, value in certified), 1.0) * OFF_THE_CHART
    fits = observed <= bound * (1 + 1e-9) + 1e-9 * min(1.0, abs(observed))
    text = formatting.observed_and_bound(observed, bound, counted(quantity), fits)[1]
    points = [(certified[0][0], bound), (last, bound)]
    return Series(formatting.label(title), "bound0", points, bound=True, final=text, drawn=drawn)


MOST_WEIGHTS = 30


def page_of_run(report: Report) -> Page:
    """A run of a learner of labels."""
    return Page(
        title=report.title,
        lead=lead(report),
        cards=cards(report),
        comparators=comparator_rows(report.certificates),
        compared="The fixed predictors, chosen in hindsight, that the theorems measure the learner against.",
        weights=weight_rows(report.weights),
        weighed=report.weighed,
        panels=_panels(report),
        certificates=report.certificates,
        verdict=summary.beside_rules(summary.verdict(report.certificates), report.worse),
        whole=counted(report.count),
        tables=[
            *prediction_tables(report),
            ("Learner", template.learner_facts(report.learner)),
            ("Data", template.facts(report.source, template.SOURCE_NAMES)),
        ],
    )


def _panels(report: Report) -> list[Panel]:
    """All charts; none of a run without a round."""
    if totals(report)[0] == 0:
        return []
    return [count_panel(report), rate_panel(report), *_asked(report), *_of_probabilities(report)]


def _of_probabilities(report: Report) -> list[Panel]:
    """Charts of a learner of probabilities."""
    panels = [
        loss_panel(report.snapshots, report.certificates),
        posterior_panel(report.snapshots),
        None if report.reliability is None else reliability_panel(report.reliability),
    ]
    return [panel for panel in panels if panel is not None]


def weight_rows(weights: Sequence[tuple[str, float]]) -> list[dict[str, Any]]:
    """The largest weights as the page's bars."""
    finite = [(str(name), float(weight)) for name, weight in weights if math.isfinite(weight)]
    finite = sorted(finite, key=lambda pair: -abs(pair[1]))[:MOST_WEIGHTS]
    low, high = min([0.0, *(w for _, w in finite)]), max([0.0, *(w for _, w in finite)])
    scale = 1000 / (high - low) if high > low else 0.0
    values = formatting.aligned([weight for _, weight in finite])
    return [
        {
            "name": formatting.shorten(formatting.clean(name), 36),
            "full": formatting.shorten(formatting.clean(name), 1000),
            "value": ("+" if weight > 0 else "") + value,
            "side": "up" if weight > 0 else "down",
            "x": round((min(weight, 0.0) - low) * scale, 1),
            "width": round(abs(weight) * scale, 1),
            "zero": round(-low * scale, 1),
        }
        for (name, weight), value in zip(finite, values, strict=True)
    ]


def lead(report: Report) -> str:
    """The run in one or two sentences."""
    rounds, mistakes, _ = totals(report)
    if rounds == 0:
        return "No round was played."
    text = f"In {summary.many(rounds, 'round')} the learner made {summary.many(mistakes, 'mistake')}"
    text += f", {formatting.percent(mistakes / rounds)} of all." if mistakes else "."
    counts = report.progressive
    if counts and counts["rows"] == rounds and counts["errors"] != mistakes:
        share = formatting.percent(counts["errors"] / rounds)
        text += f" What will predict would have made {formatting.number(counts['errors'])}, {share}."
    best = summary.tightest(report)
    if best is None or best.observed is None or best.bound is None:
        return text
    if math.isinf(best.bound):
        return f"{text} The tightest bound that applies is infinite, which says nothing about this run."
    observed, bound = summary.pair(best)
    if not counted(best.quantity):
        bounded = f"{text} The tightest bound on the {best.quantity} is {bound}"
        return f"{bounded}; it was {observed}."
    allowed = f"{text} The tightest bound that applies allows {bound} {best.quantity}"
    beside = f"; there were {observed}." if summary.holds(best) else f", fewer than the {observed} observed."
    return allowed + beside


def cards(report: Report) -> list[Card]:
    """The numbers of the header."""
    rounds, mistakes, updates = totals(report)
    speed = f"in {formatting.real(report.seconds, 3)} s" if report.seconds is not None else ""
    rate = formatting.percent(mistakes / rounds) if rounds else "–"
    last = Card("Updates", formatting.number(updates))
    if report.snapshots and rounds:
        last = Card("Log loss", formatting.real(report.snapshots[-1]["loss"] / rounds, 4), "nats a round")
    shown = [
        Card("Rounds", formatting.number(rounds), speed),
        Card("Mistakes", formatting.number(mistakes)),
        Card("Mistake rate", rate),
        last,
    ]
    return [*shown, *_rule_cards(report), summary.bound_card(report)]


def _rule_cards(report: Report) -> list[Card]:
    """Errors of what will predict, where that is not what learns, and of always naming the most frequent label."""
    counts = report.progressive
    if not counts or not counts["rows"]:
        return []
    rows, simple = counts["rows"], counts["most_frequent_label"]["errors"]
    shown = []
    if counts["errors"] != totals(report)[1]:
        note = "of what will predict, each row before it is learned"
        shown.append(Card("Error rate", formatting.percent(counts["errors"] / rows), note))
    note = "always the one that was the most frequent so far"
    return [*shown, Card("Most frequent label", formatting.percent(simple / rows), note)]


def prediction_tables(report: Report) -> list[tuple[str, list[tuple[str, str]]]]:
    """How the rows were predicted before they were learned, in all and by label."""
    counts = report.progressive
    if not counts or not counts["rows"]:
        return []
    rows = counts["rows"]

    def share(errors: int) -> str:
        return f"{formatting.number(errors)} ({formatting.percent(errors / rows)})"

    facts = [("Errors", share(counts["errors"]))]
    if counts["auc"] is not None:
        facts.append(("Area under the ROC curve", formatting.real(sum(counts["auc"]) / 2, 4)))
    facts.append(("Always the most frequent label so far", share(counts["most_frequent_label"]["errors"])))
    facts.append(("Always the label of the row before", share(counts["previous_label"]["errors"])))
    tables = [("Predicted before learned", facts)]
    if counts["classes"]:
        tables.append(("Recall and precision", [_of_class(one) for one in counts["classes"]]))
    return tables


def _of_class(one: Mapping[str, Any]) -> tuple[str, str]:
    parts = [summary.many(one["rows"], "row")]
    parts += [f"{name} {formatting.percent(one[name])}" for name in ("recall", "precision") if one[name] is not None]
    return formatting.shorten(formatting.clean(str(one["label"])), 36), ", ".join(parts)


def totals(report: Report) -> tuple[int, int, int]:
    """Rounds, mistakes and updates at the end of the run."""
    return report.curve[-1] if report.curve else (0, 0, 0)


Snapshots = Sequence[Mapping[str, Any]]
"""At increasing rounds: ``rounds, loss, members, losses, posterior``, and the ``cost`` of mixing."""
AGAINST_VECTORS = ("by_a_rate", "by_a_matrix")


def loss_panel(snapshots: Snapshots, certificates: Sequence[Any]) -> Panel | None:
    """The log loss as it grows, under that of the best member so far and what mixing may cost.

    Parameters
    ----------
    snapshots : sequence of mapping
    certificates : sequence of Certificate
        The smallest bound on the log loss is drawn across.
    """
    rows = [one for one in snapshots if one["rounds"] > 0]
    if not rows:
        return None
    loss = thin([(float(one["rounds"]), float(one["loss"])) for one in rows])
    allowed = thin([(float(one["rounds"]), min(one["losses"]) + one["cost"]) for one in rows])
    last = rows[-1]
    lines = [
        Series("Log loss", "first", loss, final=formatting.number(loss[-1][1])),
        Series(
            "Best member and what mixing may cost",
            "bound1",
            allowed,
            bound=True,
            final=formatting.number(allowed[-1][1]),
        ),
    ]
    bounds = [one for one in certificates if one.quantity == "log loss" and one.theorem.name in AGAINST_VECTORS]
    if (least := smallest_bound((one.shown_bound, one) for one in bounds)) is not None:
        title, bound = least
        drawn = bound <= max(loss[-1][1], 1.0) * OFF_THE_CHART
        points = [(loss[0][0], bound), (float(last["rounds"]), bound)]
        name, final = formatting.label(title), formatting.number(bound)
        lines.append(Series(name, "bound0", points, bound=True, final=final, drawn=drawn))
    return Panel("log-loss", "Log loss under the certified bounds", "Nats", "real", lines, [])


def posterior_panel(snapshots: Snapshots) -> Panel | None:
    """The weights of the members over the rounds; members that have left weigh nothing."""
    rows = [one for one in snapshots if one["rounds"] > 0]
    names = list(dict.fromkeys(name for one in rows for name in one["members"]))
    if len(names) < 2:
        return None
    each = [dict(zip(one["members"], one["posterior"], strict=True)) for one in rows]
    weights = {name: [one.get(name, 0.0) for one in each] for name in names}
    panel = weight_panel([int(one["rounds"]) for one in rows], weights)
    return panel and replace(panel, title="Posterior weights of the members")


def reliability_panel(table: Mapping[str, Any]) -> Panel:
    """How often classes came beside how probable they were: on the diagonal where probabilities are right.

    Parameters
    ----------
    table : mapping
        ``forecast, frequency, rows`` of stretches of probability, and the parts of the Brier score.
    """
    forecasts = [100 * one for one in table["forecast"]]
    points = [(x, 100 * y) for x, y in zip(forecasts, table["frequency"], strict=True)]
    lines = [
        Series("Frequency", "first", points, final="", mark="dots" if len(points) == 1 else "line"),
        Series("As often as forecast", "outcome", [(0.0, 0.0), (100.0, 100.0)]),
    ]
    parts = [f"{name} {formatting.real(table[name], 4)}" for name in ("reliability", "resolution", "uncertainty")]
    brier = formatting.real(table["brier"], 4)
    note = f"Brier score {brier} = reliability - resolution + uncertainty: {', '.join(parts)}."
    heading = ("Forecast, percent", "Observed, percent", "Rows")
    cells = [
        (formatting.real(x, 3), formatting.real(y, 3), formatting.number(n))
        for (x, y), n in zip(points, table["rows"], strict=True)
    ]
    return Panel(
        "reliability", "Forecast and frequency", "Observed, percent", "real", lines, [note], scale="linear", even=True,
        across="Forecast, percent", table=[heading, *cells], rest="Of all rows",
    )  # fmt: skip
