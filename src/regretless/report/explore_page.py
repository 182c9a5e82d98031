"""The report on a contextual bandit: what the rounds cost, what was taken, and with which probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from . import formatting, summary, template
from .arm_table import arm_table
from .curves import Panel, Series, table
from .page import Page
from .summary import Card

if TYPE_CHECKING:
    from ..certificate import Certificate

POLICY = "Linear policy in hindsight"
_POLICY_NOTES = {
    "cost": "The linear policy knows all costs: it takes the action whose least squares regression foretells the "
    "least. The best linear policy is hard to find, and costs no more than this one.",
    "reward": "The linear policy knows all rewards: it takes the action whose least squares regression foretells the "
    "most. The best linear policy is hard to find, and earns no less than this one.",
}
_SOURCE_NAMES = {**template.SOURCE_NAMES, "rows": "Rounds"}


class ShownTally(Protocol):
    """What rounds cost, as the page reads it; what is known of each action is in the order of `actions`."""

    @property
    def rounds(self) -> int: ...
    @property
    def delta(self) -> float: ...
    @property
    def actions(self) -> Sequence[str]: ...
    @property
    def cost(self) -> float: ...
    @property
    def best(self) -> int: ...
    @property
    def best_cost(self) -> float: ...
    @property
    def means(self) -> Iterable[float]: ...
    @property
    def taken(self) -> Iterable[int]: ...
    @property
    def halves(self) -> Iterable[int]: ...
    @property
    def least(self) -> float: ...
    @property
    def interval(self) -> tuple[float, float] | None: ...


class ShownHindsight(Protocol):
    """Costs in hindsight after some rounds, as the page reads them."""

    @property
    def rounds(self) -> Sequence[int]: ...
    @property
    def best(self) -> Sequence[float]: ...
    @property
    def policy(self) -> Sequence[float]: ...


@dataclass(frozen=True, slots=True)
class ExploreReport:
    """A run of a contextual bandit, ready to be shown.

    Parameters
    ----------
    title, learner : str
    parameters, source : mapping
    tally : TrialTally or LogTally
    logged : bool
        Whether the rounds were those of a log, so that costs are estimates.
    curve : sequence of (rounds, cost, best single action's cost so far)
    hindsight : HindsightCosts or None
    estimates : mapping
        Of a log: estimates of the mean cost of a round, by name.
    certificates : sequence of Certificate
    seconds : float
    rewards : bool
        Whether costs are rewards, of which more is better.
    """

    title: str
    learner: str
    parameters: Mapping[str, object]
    source: Mapping[str, object]
    tally: ShownTally
    logged: bool
    curve: Sequence[tuple[int, float, float]]
    hindsight: ShownHindsight | None = None
    estimates: Mapping[str, float | None] = field(default_factory=dict)
    certificates: Sequence[Certificate] = ()
    seconds: float = 0.0
    rewards: bool = False

    @property
    def quantity(self) -> str:
        """What is learned of an action, in a word."""
        return "reward" if self.rewards else "cost"


def page_of_explore(report: ExploreReport) -> Page:
    """Costs over the rounds, the actions and their probabilities."""
    tally = report.tally
    rounds = max(tally.rounds, 1)
    word = report.quantity
    known = {f"{word.capitalize()} a round": {name: formatting.real(cost) for name, cost in _named(tally, tally.means)}}
    taken = {name: count / rounds for name, count in _named(tally, tally.taken)}
    what = "estimated from the log, " if report.logged else ""
    parameters = {name: value for name, value in report.parameters.items() if value is not None}
    return Page(
        title=report.title,
        lead=lead(report),
        verdict=summary.verdict(report.certificates),
        cards=_cards(report),
        certified=f"Each certificate says what it assumes. Where nothing is assumed, {word}s may come from anybody.",
        panels=[cost_panel(report), probability_panel(tally)],
        arms=arm_table(taken, known, f"The {word} of each action, {what}had it been taken whenever it could be."),
        certificates=report.certificates,
        tables=[
            ("Learner", [("Name", report.learner), *template.facts(parameters, {"n_arms": "arms"})]),
            ("Data", template.facts(report.source, _SOURCE_NAMES)),
        ],
    )


def _named(tally: ShownTally, values: Iterable[float]) -> list[tuple[str, float]]:
    return [(name, float(value)) for name, value in zip(tally.actions, values, strict=True)]


def lead(report: ExploreReport) -> str:
    """The run in a sentence or two."""
    tally, rounds = report.tally, max(report.tally.rounds, 1)
    text = f"In {summary.many(tally.rounds, 'round')} of {summary.many(len(tally.actions), 'action')} the learner "
    paid, costs = ("earned", "earns") if report.rewards else ("paid", "costs")
    text += f"would have {paid}, as estimated, " if report.logged else f"{paid} "
    text += f"{formatting.real(tally.cost / rounds)} a round; always "
    text += f"{formatting.label(tally.actions[tally.best], 40)} "
    return text + f"{'is estimated at' if report.logged else costs} {formatting.real(tally.best_cost / rounds)}."


def _cards(report: ExploreReport) -> list[Card]:
    tally, rounds, word = report.tally, max(report.tally.rounds, 1), report.quantity
    level = f"{formatting.percent(1 - tally.delta)} at any time"
    if report.logged and any(one.assuming for one in report.certificates):
        level += ", if no round was learned before"
    expected = "refused" if tally.interval is None else f"expected {formatting.between(*tally.interval)}, {level}"
    name = "The learner’s, by inverse propensity" if report.logged else f"{word.capitalize()} a round"
    cards = [
        Card("Rounds", formatting.number(tally.rounds), f"in {formatting.real(report.seconds, 3)} s"),
        Card(name, formatting.real(tally.cost / rounds), expected),
        Card(
            "Best action’s", formatting.real(tally.best_cost / rounds), formatting.label(tally.actions[tally.best], 22)
        ),
    ]
    if report.hindsight is not None:
        cards.append(Card(POLICY, formatting.real(report.hindsight.policy[-1] / rounds), f"which knew all {word}s"))
    more = {name: value for name, value in report.estimates.items() if value is not None}
    more.pop("inverse propensity", None)  # that is the cost a round
    return [
        *cards,
        *(Card(name.capitalize(), formatting.real(value), f"{word} a round") for name, value in more.items()),
    ]


def cost_panel(report: ExploreReport) -> Panel:
    """The mean cost of the learner beside those in hindsight."""
    columns: dict[str, list[tuple[float, float]]] = {
        "Learner": [(float(t), cost / t) for t, cost, _ in report.curve],
        "Best action so far": [(float(t), best / t) for t, _, best in report.curve],
    }
    notes = []
    if report.hindsight is not None:
        back = report.hindsight
        columns[POLICY] = [(float(t), cost / t) for t, cost in zip(back.rounds, back.policy, strict=True)]
        notes = [_POLICY_NOTES[report.quantity]]
    styles = ("first", "log", "expert2")
    lines = [
        Series(name, style, points, final=formatting.real(points[-1][1]))
        for style, (name, points) in zip(styles, columns.items(), strict=False)
    ]
    shown = {name: [value for _, value in points] for name, points in columns.items() if name != POLICY}
    word = report.quantity
    title = f"Mean {word} so far{', estimated from the log' if report.logged else ''}"
    return Panel(
        "windows", title, f"{word.capitalize()} a round", "real", lines, notes, scale="linear",
        table=table([t for t, _, _ in report.curve], shown),
    )  # fmt: skip


def probability_panel(tally: ShownTally) -> Panel:
    """How often the action taken had at most each probability."""
    counts = [int(count) for count in tally.halves]
    last = max((place for place, count in enumerate(counts) if count), default=0)
    total, left = sum(counts) or 1, [sum(counts[place:]) for place in range(last + 1)]
    below = [(float(place), count / total) for place, count in enumerate(left)]
    line = Series("Share of the rounds", "first", below, final=formatting.share(below[-1][1]))
    rows = [[f"{2.0**-place:g}", formatting.count(count)] for place, count in enumerate(left)]
    return Panel(
        "evidence", "Probabilities of the actions taken", "Share of the rounds", "share", [line],
        ["How often the action that was taken had a probability of at most 1/2^k: 1, 1/2, 1/4, and so on."],
        scale="linear", even=True, across="k, of probabilities of at most 1/2^k", rest=f"At most {2.0**-last:g}",
        table=[["At most", "Rounds"], *rows],
    )  # fmt: skip
