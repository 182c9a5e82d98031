"""The page of a model in production: what was answered and learned, under its bound, and how late labels are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from . import formatting, summary, template
from .compare_page import Compared, difference_panel
from .curves import OFF_THE_CHART, Panel, Point, Series, thin
from .page import Page
from .run_page import weight_rows
from .summary import Card, Verdict, comparator_rows, counted
from .watch_page import Watched, evidence_panel

if TYPE_CHECKING:
    from ..certificate import Certificate

UNITS = (("d", 86_400.0), ("h", 3_600.0), ("min", 60.0))
WINDOWS = 40  # of the rate, at most
BEFORE = "just before each was learned"
COUNTS = ("mistakes", "loss")


@dataclass(frozen=True, slots=True)
class ServiceReport:
    """A model in production, ready to be shown.

    Parameters
    ----------
    title : str
    learner : str
    certificates : sequence of Certificate
        Of the model as it stands, or not long ago.
    certified : str
        What they are about.
    before : (rounds, mistakes, loss)
        What the learner's ledger had counted when serving began.
    curve : sequence of (labels, mistakes, loss, mistakes in order, loss in order)
        At increasing numbers of labels: of the answers, and of the predictions just before each label was learned.
    judged : (bool, bool)
        Whether answers are judged by mistakes, and by loss.
    answered : bool
        Whether it is known what was answered; if not, only the predictions in the order of labels are.
    delays : sequence of int
        How many labels came within 1, 2, 4, ... seconds, each counted once.
    errors : sequence of mapping
        The latest wrong answers: ``id, number, label``.
    weights : sequence of (str, float)
        The largest ones, or the probabilities of arms.
    pending : int
        Predictions that wait for their labels.
    oldest : float or None
        For how many seconds the oldest of them has waited.
    expired, refused : int
        Predictions that were given up, and labels that the learner could not take.
    served : mapping
        Facts on the server.
    live : str
        The address that says when there is something new.
    down : str, optional
        Why nothing is served now.
    compared : Compared, optional
        The learner that answers and a second one, both as they predict just before each label is learned.
    answering : str
        Which of the two answers.
    watched : Watched, optional
        The alarm on what the answers cost, a single column.
    promised : str
        The bound on its false alarms, and of which losses.
    """

    title: str
    learner: str
    certificates: Sequence[Certificate]
    certified: str
    before: tuple[int, float, float]
    curve: Sequence[Sequence[float]]
    judged: tuple[bool, bool]
    delays: Sequence[int]
    answered: bool = True
    errors: Sequence[Mapping[str, Any]] = ()
    weights: Sequence[tuple[str, float]] = ()
    pending: int = 0
    oldest: float | None = None
    expired: int = 0
    refused: int = 0
    served: Mapping[str, object] = field(default_factory=dict)
    live: str = ""
    down: str | None = None
    compared: Compared | None = None
    answering: str = ""
    watched: Watched | None = None
    promised: str = ""

    @property
    def labels(self) -> int:
        """How many were learned."""
        return int(self.curve[-1][0]) if self.curve else 0

    @property
    def place(self) -> int:
        """Which of the counts is shown: mistakes where answers are judged by them, else the loss."""
        return 0 if self.judged[0] else 1

    @property
    def way(self) -> str:
        """In which predictions are judged first."""
        return "as answered" if self.answered else "in the order of labels"

    @property
    def quantity(self) -> str:
        """What the page speaks of first."""
        return COUNTS[self.place]

    @property
    def leading(self) -> Certificate | None:
        """The certificate that leaves the least room above what the chart shows; one of another quantity else."""
        best = summary.tightest(self)
        if best is not None:
            return best
        return next((one for one in self.certificates if one.applies and one.observed is not None), None)


def page_of_service(report: ServiceReport) -> Page:
    """A model in production."""
    panels = [_course_panel(report), _rate_panel(report), _delay_panel(report)] if report.labels else []
    if report.compared is not None and report.compared.rounds:
        panels.append(difference_panel(report.compared))
    if report.watched is not None and report.watched.rounds_:
        panels.append(evidence_panel(report.watched.results()))
    verdict = summary.verdict(report.certificates)
    if report.down is not None:
        verdict = Verdict("broken", "Nothing is served now", f"{formatting.clean(report.down)}.")
    return Page(
        title=report.title,
        lead=_lead(report),
        cards=_cards(report),
        comparators=comparator_rows(report.certificates),
        compared="The fixed predictors, chosen in hindsight, that the theorems measure the learner against.",
        weights=weight_rows(report.weights),
        panels=[panel for panel in panels if panel is not None],
        course="The labels, one by one",
        nothing="No label was learned yet.",
        certificates=report.certificates,
        certified=summary.sentence(report.certified) if report.certified else "",
        verdict=verdict,
        whole=counted(report.quantity),
        tables=[
            *_error_tables(report),
            *_beside_tables(report),
            *_alarm_tables(report.watched, report.promised),
            ("Served", template.facts(report.served, {})),
        ],
        live=report.live,
    )


def _lead(report: ServiceReport) -> str:
    if not report.labels:
        return f"{report.learner} has learned no label yet since it is served."
    answered = report.curve[-1][1 + report.place]
    many = summary.many(report.labels, "label")
    if report.quantity == "mistakes":
        share = formatting.percent(answered / report.labels)
        how = "answered wrongly" if report.answered else f"predicted wrongly {BEFORE}"
        return f"Of {many} since it is served, {formatting.number(answered)} were {how}, {share}."
    who = "the answers" if report.answered else f"the predictions {BEFORE}"
    return f"In {many} since it is served, {who} lost {formatting.number(answered)} in all."


def _cards(report: ServiceReport) -> list[Card]:
    waiting = "" if report.oldest is None else f"the oldest for {lasting(report.oldest)}"
    gone = [
        summary.many(count, word) for count, word in ((report.expired, "expired"), (report.refused, "refused")) if count
    ]
    cards = [
        Card("Labels learned", formatting.number(report.labels), ", ".join(gone)),
        Card("Without a label", formatting.number(report.pending), waiting),
    ]
    if report.labels:
        answered = report.curve[-1][1 + report.place] / report.labels
        rate = formatting.percent(answered) if report.quantity == "mistakes" else formatting.real(answered, 4)
        cards.append(Card("Mistake rate" if report.quantity == "mistakes" else "Loss a label", rate, report.way))
    if report.watched is not None:
        (column,) = report.watched.results()
        last = "" if column.last is None else f"the last at label {formatting.count(column.last)}"
        cards.append(Card("Alarms", formatting.number(column.alarms), last))
    best = report.leading
    return [*cards, *([] if best is None or best.bound is None else [summary.card_of_bound(best)])]


def lasting(seconds: float) -> str:
    """A time in the largest unit of which it has at least one: ``3.2 h``."""
    for name, unit in UNITS:
        if seconds >= unit:
            return f"{formatting.real(seconds / unit, 2)} {name}"
    return f"{formatting.real(seconds, 2)} s"


def _column(report: ServiceReport, column: int, base: float = 0.0) -> list[Point]:
    first = report.before[0]
    return thin([(first + row[0], base + row[column]) for row in report.curve])


def _course_panel(report: ServiceReport) -> Panel:
    """The count in the order of labels, under its bound; and as it was answered, where that is another one."""
    place = report.place
    in_order = _column(report, 3 + place, report.before[1 + place])
    answered = _column(report, 1 + place, report.before[1 + place])
    word = report.quantity.capitalize()
    differ = any(row[1 + place] != row[3 + place] for row in report.curve)
    known = not report.judged[1 - place] or any(row[3 + place] for row in report.curve)
    lines = [Series(f"{word}, in the order of labels", "first", in_order, final=formatting.number(in_order[-1][1]))]
    if differ:
        lines.append(Series(f"{word}, as answered", "second", answered, final=formatting.number(answered[-1][1])))
    if differ and not known:
        lines = lines[1:]
    best = report.leading
    notes = []
    if best is not None and best.bound is not None and summary.bare(best.quantity) == report.quantity:
        lines.append(_bound_line(best, best.shown_bound or 0.0, in_order))
    elif best is not None:
        notes.append(f"What is certified is the {best.quantity}; the table below has its bound.")
    format = "count" if counted(report.quantity) else "real"
    title = f"{word} under the certified bound" if lines[-1].bound else word
    return Panel("service", title, word, format, lines, notes, across="Labels")  # type: ignore[arg-type]


def _bound_line(best: Certificate, bound: float, observed: Sequence[Point]) -> Series:
    drawn = math.isfinite(bound) and bound <= max(observed[-1][1], 1.0) * OFF_THE_CHART
    points = [(observed[0][0], bound), (observed[-1][0], bound)]
    final = summary.pair(best)[1]
    return Series(formatting.label(best.theorem.title), "bound0", points, bound=True, final=final, drawn=drawn)


def _rate_panel(report: ServiceReport) -> Panel | None:
    """What a label cost, by windows of about the same number of labels."""
    column, step = 1 + report.place, max(1, len(report.curve) // WINDOWS)
    rows = [(0.0, 0.0), *((row[0], row[column]) for row in report.curve[step - 1 :: step])]
    points = [
        (report.before[0] + end, (value - earlier) / (end - begin))
        for (begin, earlier), (end, value) in pairwise(rows)
        if end > begin
    ]
    if len(points) < 2:
        return None
    percent = report.quantity == "mistakes"
    final = formatting.percent(points[-1][1]) if percent else formatting.real(points[-1][1], 4)
    size = int(rows[1][0] - rows[0][0])
    line = Series(report.way.capitalize(), "first", points, final=final)
    title = "Mistake rate by window" if percent else "Loss by window"
    note = f"Each point is the mean of {summary.many(size, 'label')}."
    unit = "Mistakes a label" if percent else "Loss a label"
    return Panel(
        "windows",
        title,
        unit,
        "percent" if percent else "real",
        [line],
        [note],
        scale="linear",
        even=True,
        across="Labels",
    )


def _delay_panel(report: ServiceReport) -> Panel | None:
    """How many labels came how late."""
    last = max((place for place, count in enumerate(report.delays) if count), default=-1)
    if last < 0:
        return None
    counts = report.delays[: last + 1]
    points = [(float(2**place), float(count)) for place, count in enumerate(counts)]
    names = [f"Within {lasting(2.0**place)}" + (f", not {lasting(2.0 ** (place - 1))}" if place else "") for place in
             range(last + 1)]  # fmt: skip
    spans = [(seconds, 0.0, count) for seconds, count in points]
    line = Series("Labels", "first", points, mark="dots", spans=spans, final=formatting.number(sum(counts)))
    table = [
        ["Within", "Labels"],
        *([name, formatting.number(count)] for name, count in zip(names, counts, strict=True)),
    ]
    return Panel(
        "delays", "From prediction to label", "Labels", "count", [line], [], scale="linear", captions=names,
        across="Seconds", table=table, rest="In all",
    )  # fmt: skip


def _beside_tables(report: ServiceReport) -> list[tuple[str, list[tuple[str, str]]]]:
    """The two learners that are compared, and what is known of them by now."""
    two = report.compared
    if two is None:
        return []
    facts = [("Answers", formatting.label(report.answering, 40)), ("Labels", formatting.number(two.rounds))]
    facts += [
        (f"{two.noun.capitalize()} of {formatting.label(name, 40)}", formatting.number(mistakes))
        for name, mistakes in zip(two.names, two.mistakes, strict=True)
    ]
    if two.rounds:
        often = f"with probability {formatting.percent(two.level)} after every number of labels at once"
        facts.append(("By now", f"{two.verdict()}, {often}"))
    return [("Two learners, each predicting just before the label is learned", facts)]


def _alarm_tables(watch: Watched | None, promised: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """The alarm on what answers cost, its theorem, and what is promised."""
    if watch is None:
        return []
    (column,) = watch.results()
    reference = "not known yet" if column.reference is None else formatting.real(column.reference)
    last = "" if column.last is None else f", the last at label {formatting.count(column.last)}"
    facts = [
        ("Alarms", f"{formatting.number(column.alarms)}{last}"),
        ("Since", "" if column.since is None else f"label {formatting.count(column.since)}, as estimated"),
        ("Labels watched", formatting.number(watch.rounds_)),
        ("Reference", reference),
        ("Evidence", f"{formatting.real(column.evidence)} of {formatting.real(column.threshold)}"),
        ("Promised", promised),
        *((formatting.label(one.theorem.title), str(one)) for one in (watch.certify() if watch.rounds_ else ())),
    ]
    return [(f"Alarm on {formatting.label(column.name, 40)}", [fact for fact in facts if fact[1]])]


def _error_tables(report: ServiceReport) -> list[tuple[str, list[tuple[str, str]]]]:
    if not report.errors:
        return []
    latest = [(formatting.label(one["id"], 40), f"label {formatting.plain(one['label'], 40)}") for one in report.errors]
    return [("Latest mistakes", latest[::-1])]
