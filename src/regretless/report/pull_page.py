"""The report on a bandit's runs, as one file that needs no other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from . import formatting, summary, template
from .arm_table import arm_table, called, known_losses
from .curves import (
    OFF_THE_CHART,
    Panel,
    Point,
    Series,
    Still,
    Values,
    absences,
    bounded,
    known_points,
    log_spaced,
    near,
    table,
)
from .curves import bound_lines as lines_of_bounds
from .forecast_charts import weight_panel
from .histogram import quantile, spread
from .page import Page
from .summary import Card, Verdict, quantity_of

if TYPE_CHECKING:
    from ..certificate import Certificate


_SOURCE_NAMES = {**template.SOURCE_NAMES, "rows": "Rounds", "range": "Range", "rewards": "Rewards", "seed": "Seed"}

_CERTIFIED = (
    "A certificate sets a theorem’s number beside what was observed. A sure bound holds in every run, one in "
    "expectation for the mean of all runs. One with a probability may be exceeded in a few of them: the numbers shown "
    "are those of the run at that quantile."
)
_CERTIFIED_ONE = (
    "A certificate sets a theorem’s number beside what was observed. A sure bound holds in every run, one in "
    "expectation for the mean of many, so that a single run may exceed it, and one with a probability in so many of "
    "them."
)


def page_of_pulls(report: PullReport) -> Page:
    """Runs of a bandit."""
    pulls = report.pulls
    played = pulls.rounds > 0 and pulls.runs > 0
    what = "Loss" if pulls.reward is None else "Reward missed"
    options = {name: value for name, value in report.parameters.items() if value is not None}
    return Page(
        title=report.title,
        lead=lead(report),
        verdict=verdict(report.certificates),
        cards=_cards(report),
        course="The runs, round by round" if pulls.runs > 1 else "The run, round by round",
        certified=_CERTIFIED if pulls.runs > 1 else _CERTIFIED_ONE,
        arms=arm_table(report.draws, *known_losses(report.arm_losses, report.asleep, pulls.rounds, what)),
        panels=panels(report) if played else (),
        stills=stills(report) if played else (),
        certificates=report.certificates,
        tables=[
            ("Learner", [("Name", type(pulls.learner).__name__), *template.facts(options, {"n_arms": "arms"})]),
            ("Data", template.facts(report.source, _SOURCE_NAMES)),
        ],
    )


def lead(report: PullReport) -> str:
    """The runs in one or two sentences."""
    pulls = report.pulls
    if pulls.rounds == 0 or pulls.runs == 0:
        return "No round was played."
    rounds = summary.many(pulls.rounds, "round")
    text = f"In {summary.many(pulls.runs, 'run')} of {rounds}" if pulls.runs > 1 else f"Over {rounds}"
    text += f", drawing one of {summary.many(len(pulls.arms), 'arm')} at a time, the learner"
    reward = pulls.reward
    earned = reward is not None
    total = pulls.loss if reward is None else reward
    text += f" {'earned' if earned else 'lost'} {formatting.number(total)}"
    text += " on average" if pulls.runs > 1 else ""
    regret = report.pseudo_regret
    if regret is not None:
        text += f": {_beside(regret, earned)} {_against(report)}"
    text += "."
    known = sorted(report.regrets)
    if len(known) > 1:
        ends = (quantile(known, share) for share in (0.05, 0.95))
        against = f" against {formatting.label(report.against)}," if regret is None and report.against else ""
        text += f" In 90% of the runs the regret{against} was {formatting.between(*ends)}."
    if report.asked is not None and report.asked > pulls.runs:
        text += f" This was interrupted: {formatting.number(report.asked)} runs were wanted."
    return text


def _against(report: PullReport) -> str:
    if report.against is not None:
        return formatting.label(report.against)
    name = f", {formatting.label(called(report.pulls.best_arm), 32)}" if report.pulls.best_arm else ""
    awake = ", over the rounds in which it could be drawn" if report.asleep else ""
    return f"the best arm in hindsight{name}{awake}"


def _beside(regret: float, earned: bool) -> str:
    if regret == 0:
        return "as much as"
    more = (regret > 0) != earned
    return f"{formatting.number(abs(regret))} {'more' if more else 'less'} than"


def verdict(certificates: Sequence[Certificate]) -> Verdict:
    """Whether every bound held for what it bounds, chance allowed for; a sure one that did not comes first."""
    result = summary.verdict(certificates)
    applying = [one for one in certificates if one.applies]
    observed = [one for one in applying if one.observed is not None]
    if result.state == "broken" or not applying:
        return result
    detail = f"{len(applying)} of {summary.many(len(certificates), 'certificate')} applied"
    if not observed:
        return Verdict("idle", "The regret was not observed", detail + " and bound what was not seen.")
    over = [one for one in observed if not summary.holds(one)]
    if over:
        names = ", ".join(one.theorem.title for one in over)
        return Verdict("idle", f"{summary.many(len(over), 'bound')} exceeded, as chance may", f"{detail}; {names}.")
    untested = sum(map(summary.untested, observed))
    if untested == len(observed):
        return Verdict("idle", "Too few runs to test a bound", f"{detail}; all of them bound what is expected.")
    tested = "that could be tested " if untested else ""
    return Verdict("held", f"Every bound {tested}held", detail + _by_chance(observed) + ".")


def _by_chance(observed: Sequence[Certificate]) -> str:
    """What the runs say of the bounds that chance may exceed."""
    untested = sum(map(summary.untested, observed))
    presumed = any(one.theorem.presumes for one in observed if summary.untested(one))
    reasons = "one draw of the losses" if presumed else "so few runs"
    few = f"; {summary.many(untested, 'bound')} in expectation not tested by {reasons}" if untested else ""
    return _exceeded(observed) + few


def _exceeded(observed: Sequence[Certificate]) -> str:
    """How often the bounds that chance may exceed were."""
    values = [getattr(one, "runs", None) for one in observed if one.theorem.kind == "probable"]
    counts = [runs for runs in values if isinstance(runs, Mapping) and runs.get("of")]
    if not counts:
        return ""
    worst = max(counts, key=lambda runs: runs.get("exceeded") or 0)
    many = worst.get("exceeded") or 0
    if not many:
        return "; no run exceeded a bound that holds with a probability"
    return (
        f"; chance exceeded one of them in {formatting.number(many)} of {summary.many(worst['of'], 'run')}, as it may"
    )


def _cards(report: PullReport) -> list[Card]:
    speed = f"in {formatting.real(report.pulls.seconds, 3)} s"
    runs = f"× {summary.many(report.pulls.runs, 'run')}" + f", {speed}"
    reward = report.pulls.reward
    earned = reward is not None
    total = report.pulls.loss if reward is None else reward
    best = report.pulls.best_arm_reward if earned else report.pulls.best_arm_loss
    spread = f"mean, ± {formatting.real(report.pulls.loss_deviation, 3)} a run" if report.pulls.loss_deviation else ""
    what = "reward" if earned else "loss"
    return [
        Card("Rounds", formatting.number(report.pulls.rounds), runs if report.pulls.runs > 1 else speed),
        Card(f"Learner’s {what}", formatting.number(total), spread),
        Card(
            f"Best arm’s {what}",
            "–" if best is None else formatting.number(best),
            _best(report),
        ),
        Card(
            "Pseudo-regret" if report.pulls.runs > 1 else "Regret",
            "–" if report.pseudo_regret is None else formatting.number(report.pseudo_regret),
            "not observed" if report.pseudo_regret is None else "mean over the runs" if report.pulls.runs > 1 else "",
        ),
        summary.bound_card(report),
    ]


def _best(report: PullReport) -> str:
    """The best arm's name, and whether it was asleep at times."""
    name = formatting.label(called(report.pulls.best_arm), 22) if report.pulls.best_arm is not None else ""
    return f"{name}, while awake" if report.asleep.get(report.pulls.best_arm or "") else name


MOST_ARMS = 12
"""More in one picture cannot be told apart."""


@dataclass(frozen=True, slots=True)
class PullCurves:
    """How many runs of the same rounds went; every list is as long as `rounds`, or empty where nothing is known.

    Parameters
    ----------
    rounds : sequence of int
        Increasing, the last round among them.
    regret : mapping
        Quantiles over the runs of the regret up to there, by ``q05, q25, q50, q75, q95``; of a single run, ``q50``.
    bounds : mapping
        What each theorem says of the regret of so many rounds, by the theorem's title, and perhaps a comma and
        against what, where its certificate is about something else; None where it says nothing.
    certificate : sequence of float or None
        The median over the runs of the bound that each could read off its own draws.
    probabilities : mapping
        The probability of each of the leading arms by name, as the mean over the runs, and of all the rest together as
        ``"others"``.
    """

    rounds: Sequence[int] = ()
    regret: Mapping[str, Values] = field(default_factory=dict)
    bounds: Mapping[str, Values] = field(default_factory=dict)
    certificate: Values = ()
    probabilities: Mapping[str, Values] = field(default_factory=dict)


class ShownPulls(Protocol):
    """Many runs of a bandit over the same rounds, as a page reads them, in the user's own units.

    Loss and reward are means over the runs. Regrets that are not known are NaN. What is known of each arm is in the
    order of `arms`.
    """

    @property
    def learner(self) -> object: ...
    @property
    def rounds(self) -> int: ...
    @property
    def runs(self) -> int: ...
    @property
    def arms(self) -> Sequence[str]: ...
    @property
    def loss(self) -> float: ...
    @property
    def loss_deviation(self) -> float | None: ...
    @property
    def reward(self) -> float | None: ...
    @property
    def regrets(self) -> Iterable[float]: ...
    @property
    def pseudo_regret(self) -> float: ...
    @property
    def best_arm(self) -> str | None: ...
    @property
    def best_arm_loss(self) -> float | None: ...
    @property
    def best_arm_reward(self) -> float | None: ...
    @property
    def draws(self) -> Iterable[float]: ...
    @property
    def arm_losses(self) -> Iterable[float] | None: ...
    @property
    def asleep(self) -> Iterable[float] | None: ...
    @property
    def seconds(self) -> float: ...


@dataclass(frozen=True, slots=True)
class PullReport:
    """Many runs of a bandit over the same rounds, ready to be shown.

    Parameters
    ----------
    title : str
        The headline, as ``Exp3IX on losses.csv``.
    pulls : ShownPulls
    course : PullCurves
        How the runs went.
    parameters : mapping
        The learner's parameters by name.
    source : mapping
        Where the losses came from: ``path, rows, arms, range``, as far as known.
    certificates : sequence of Certificate
        Every theorem that was asked, whether or not it applies. One that was asked of each run has ``runs``: a mapping
        with ``of, exceeded`` and perhaps ``bound``, the quantiles of its bound over the runs.
    against : str, optional
        What the regret is counted against, as ``the best expert in hindsight``, if not the best arm.
    asked : int, optional
        How many runs were wanted, where fewer are over because they were interrupted.
    """

    title: str
    pulls: ShownPulls
    course: PullCurves
    parameters: Mapping[str, object]
    source: Mapping[str, object]
    certificates: Sequence[Certificate] = ()
    against: str | None = None
    asked: int | None = None

    @property
    def regrets(self) -> list[float]:
        """The regret of each run at its end, as far as known."""
        return [value for value in map(float, self.pulls.regrets) if math.isfinite(value)]

    @property
    def pseudo_regret(self) -> float | None:
        """The mean over the runs of the regret; None where the losses of the other arms are not known."""
        return self.pulls.pseudo_regret if math.isfinite(self.pulls.pseudo_regret) else None

    @property
    def draws(self) -> dict[str, float]:
        """Share of the draws of each arm, over all runs."""
        return self._by_arm(self.pulls.draws)

    @property
    def arm_losses(self) -> dict[str, float]:
        """The summed loss of each arm in hindsight over the rounds in which it could be drawn; empty if not known."""
        return self._by_arm(self.pulls.arm_losses)

    @property
    def asleep(self) -> dict[str, float]:
        """In how many rounds each arm could not be drawn; empty if all could be in all rounds."""
        return self._by_arm(self.pulls.asleep)

    @property
    def quantity(self) -> str:
        """What the certificates are about."""
        return quantity_of(self.certificates)

    @property
    def bounds(self) -> dict[str, Values]:
        """What theorems say of the regret over the rounds, without those that do not apply to these runs."""
        idle = {one.theorem.title for one in self.certificates if not one.applies}
        return {title: values for title, values in self.course.bounds.items() if title.partition(", ")[0] not in idle}

    def _by_arm(self, values: Iterable[float] | None) -> dict[str, float]:
        return {} if values is None else dict(zip(self.pulls.arms, map(float, values), strict=True))


FAR_ABOVE = 12.0
"""A bound so many times above all that was observed would flatten the rest of a linear chart."""

LEAST_SHARE = 1e-3
"""A regret of less than this share of the last one is left off a logarithmic axis: chance made it."""

OBSERVABLE = "Observable bound, median"


def panels(report: PullReport) -> list[Panel]:
    """Every picture over the rounds for which there are numbers."""
    regret, shares = regret_panel(report), probability_panel(report)
    if regret is not None and shares is not None:
        shares = replace(shares, even=regret.even)  # the same round stands at the same place in both
    return [panel for panel in (regret, shares) if panel is not None]


def stills(report: PullReport) -> list[Still]:
    """The other pictures."""
    result = spread(report.regrets, bound_lines(report))
    return [] if result is None else [result]


def regret_panel(report: PullReport) -> Panel | None:
    """The median of the regret in the bands that hold half of the runs and nine tenths, under its bounds."""
    course = report.course
    median = known_points(course.rounds, course.regret.get("q50", ()))
    if not median:
        return None
    bands = [_band(course, "q25", "q75", "Half of the runs", "inner")]
    bands.append(_band(course, "q05", "q95", "90% of the runs", "outer"))
    known = [band for band in bands if band.spans]
    log = _rises(course, median)
    tops = [high for band in known for *_, high in band.spans] + [abs(value) for _, value in median]
    limit = max(max(tops), 1e-300) * (OFF_THE_CHART if log else FAR_ABOVE)
    bounds = [near(line, limit) for line in bound_lines(report)]
    name = "Median" if known else "Regret"
    lines = [Series(name, "first", median, final=formatting.number(median[-1][1])), *known, *bounds]
    return Panel(
        "regret", _title(report, median, bounds), "Regret", "real", lines, absences(bounds),
        scale="log" if log else "linear", even=not log, least=LEAST_SHARE * median[-1][1] if log else 0.0,
        table=_table(report),
    )  # fmt: skip


def bound_lines(report: PullReport) -> list[Series]:
    """What theorems say of the regret, the lowest at the end first."""
    named = {**report.bounds, _observable(report): report.course.certificate}
    return lines_of_bounds(report.course.rounds, named)


def _observable(report: PullReport) -> str:
    return OBSERVABLE if report.pulls.runs > 1 else OBSERVABLE.partition(",")[0]


def probability_panel(report: PullReport) -> Panel | None:
    """With what probability each arm was drawn, stacked to one."""
    course = report.course
    named = {called(name): values for name, values in course.probabilities.items()}
    result = weight_panel(course.rounds, named) if course.rounds and course.probabilities else None
    if result is None:
        return None
    title = "Probability of each arm" + (
        f", mean of {summary.many(report.pulls.runs, 'run')}" if report.pulls.runs > 1 else ""
    )
    return replace(
        result, key="probabilities", title=title, unit="Probability of a draw", even=not log_spaced(course.rounds)
    )


def _title(report: PullReport, median: Sequence[Point], bounds: Sequence[Series]) -> str:
    """The title claims that the regret is under its bounds only where nineteen of twenty runs are."""
    title = f"Regret of {summary.many(report.pulls.runs, 'run')}" if report.pulls.runs > 1 else "Regret"
    highest = known_points(report.course.rounds, report.course.regret.get("q95", ())) or median
    return bounded(title, highest, bounds)


def _rises(course: PullCurves, median: Sequence[Point]) -> bool:
    """Whether a logarithmic axis has a place for nearly all of the regret."""
    ends = [values[-1] for values in course.regret.values() if values]
    rising = bool(ends) and all(end is not None and end > 0 for end in ends)
    return rising and len(median) > 2 and 2 * sum(value > 0 for _, value in median) >= len(median)


def _band(course: PullCurves, low: str, high: str, name: str, style: str) -> Series:
    lows, highs = (known_points(course.rounds, course.regret.get(key, ())) for key in (low, high))
    upper = dict(highs)
    spans = [(t, value, upper[t]) for t, value in lows if t in upper]
    final = formatting.between(*spans[-1][1:]) if spans else ""
    return Series(name, style, (), final=final, mark="band", spans=spans)


def _table(report: PullReport) -> list[list[str]]:
    """The same in numbers at some of the rounds."""
    course = report.course
    heads = _HEADS if report.pulls.runs > 1 else {"q50": "Regret"}
    columns = {heads[key]: course.regret[key] for key in heads if course.regret.get(key)}
    columns |= {formatting.label(title, 40): values for title, values in report.bounds.items() if values}
    if course.certificate:
        columns[_observable(report)] = course.certificate
    return table(course.rounds, columns)


_HEADS = {"q05": "5%", "q25": "25%", "q50": "Median", "q75": "75%", "q95": "95%"}
