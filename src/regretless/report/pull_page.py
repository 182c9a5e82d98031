"""The report on a bandit's runs, as one file that opens anywhere and asks nothing of any network."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from . import formatting, summary, template
from .arm_table import arm_table, called, known_losses
from .curves import OFF_THE_CHART, Panel, Point, Series
from .forecast_charts import numbered, weight_panel
from .forecasts import History
from .histogram import quantile, spread
from .page import Page
from .pulls import PullCurves, PullReport
from .recorded_curves import absences, bounded, known_points, log_spaced, near, table
from .recorded_curves import bound_lines as lines_of_bounds
from .static_chart import Still
from .summary import Card, Verdict

if TYPE_CHECKING:
    from ..certificate import Certificate


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
    return OBSERVABLE if report.runs > 1 else OBSERVABLE.partition(",")[0]


def probability_panel(report: PullReport) -> Panel | None:
    """With what probability each arm was drawn, stacked to one."""
    course = report.course
    named = {called(name): values for name, values in course.probabilities.items()}
    history = History(rounds=course.rounds, weights=named)
    result = weight_panel(history, numbered(history)) if course.rounds and course.probabilities else None
    if result is None:
        return None
    title = "Probability of each arm" + (f", mean of {summary.many(report.runs, 'run')}" if report.runs > 1 else "")
    return replace(
        result, key="probabilities", title=title, unit="Probability of a draw", even=not log_spaced(course.rounds)
    )


def _title(report: PullReport, median: Sequence[Point], bounds: Sequence[Series]) -> str:
    """The title claims that the regret is under its bounds only where nineteen of twenty runs are."""
    title = f"Regret of {summary.many(report.runs, 'run')}" if report.runs > 1 else "Regret"
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
    heads = _HEADS if report.runs > 1 else {"q50": "Regret"}
    columns = {heads[key]: course.regret[key] for key in heads if course.regret.get(key)}
    columns |= {formatting.label(title, 40): values for title, values in report.bounds.items() if values}
    if course.certificate:
        columns[_observable(report)] = course.certificate
    return table(course.rounds, columns)


_HEADS = {"q05": "5%", "q25": "25%", "q50": "Median", "q75": "75%", "q95": "95%"}


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
    played = report.rounds > 0 and report.runs > 0
    options = {name: value for name, value in report.parameters.items() if value is not None}
    return Page(
        title=report.title,
        lead=lead(report),
        verdict=verdict(report.certificates),
        cards=_cards(report),
        course="The runs, round by round" if report.runs > 1 else "The run, round by round",
        certified=_CERTIFIED if report.runs > 1 else _CERTIFIED_ONE,
        arms=arm_table(report.draws, report.arms, *known_losses(report)),
        panels=panels(report) if played else (),
        stills=stills(report) if played else (),
        certificates=report.certificates,
        tables=[
            ("Learner", [("Name", report.learner), *template.facts(options, {"n_arms": "arms"})]),
            ("Data", template.facts(report.source, _SOURCE_NAMES)),
        ],
    )


def lead(report: PullReport) -> str:
    """The runs in one or two sentences."""
    if report.rounds == 0 or report.runs == 0:
        return "No round was played."
    rounds = summary.many(report.rounds, "round")
    text = f"In {summary.many(report.runs, 'run')} of {rounds}" if report.runs > 1 else f"Over {rounds}"
    text += f", drawing one of {summary.many(report.arms, 'arm')} at a time, the learner"
    earned = report.reward is not None
    total = report.loss if report.reward is None else report.reward
    text += f" {'earned' if earned else 'lost'} {formatting.number(total)}"
    text += " on average" if report.runs > 1 else ""
    regret = report.pseudo_regret
    if regret is not None and math.isfinite(regret):
        text += f": {_beside(regret, earned)} {_against(report)}"
    text += "."
    known = sorted(value for value in report.regrets if math.isfinite(value))
    if len(known) > 1:
        ends = (quantile(known, share) for share in (0.05, 0.95))
        against = f" against {formatting.label(report.against)}," if regret is None and report.against else ""
        text += f" In 90% of the runs the regret{against} was {formatting.between(*ends)}."
    if report.asked is not None and report.asked > report.runs:
        text += f" This was interrupted: {formatting.number(report.asked)} runs were wanted."
    return text


def _against(report: PullReport) -> str:
    if report.against is not None:
        return formatting.label(report.against)
    name = f", {formatting.label(called(report.best_arm), 32)}" if report.best_arm else ""
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
    seen = [one for one in applying if one.observed is not None]
    if result.state == "broken" or not applying:
        return result
    detail = f"{len(applying)} of {summary.many(len(certificates), 'certificate')} applied"
    if not seen:
        return Verdict("idle", "The regret was not observed", detail + " and bound what was not seen.")
    over = [one for one in seen if not summary.holds(one)]
    if over:
        names = ", ".join(one.theorem.title for one in over)
        return Verdict("idle", f"{summary.many(len(over), 'bound')} exceeded, as chance may", f"{detail}; {names}.")
    untested = sum(map(summary.untested, seen))
    if untested == len(seen):
        return Verdict("idle", "Too few runs to test a bound", f"{detail}; all of them bound what is expected.")
    return Verdict("held", f"Every bound {'that could be tested ' if untested else ''}held", detail + _told(seen) + ".")


def _told(seen: Sequence[Certificate]) -> str:
    """What the runs say of the bounds that chance may exceed."""
    untested = sum(map(summary.untested, seen))
    presumed = any(one.theorem.presumes for one in seen if summary.untested(one))
    reasons = "one draw of the losses" if presumed else "so few runs"
    few = f"; {summary.many(untested, 'bound')} in expectation not tested by {reasons}" if untested else ""
    return _exceeded(seen) + few


def _exceeded(seen: Sequence[Certificate]) -> str:
    """How often the bounds that chance may exceed were."""
    values = [getattr(one, "runs", None) for one in seen if one.theorem.kind == "probable"]
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
    speed = f"in {formatting.real(report.seconds, 3)} s" if report.seconds is not None else ""
    runs = f"× {summary.many(report.runs, 'run')}" + (f", {speed}" if speed else "")
    earned = report.reward is not None
    total = report.loss if report.reward is None else report.reward
    best = report.best_arm_reward if earned else report.best_arm_loss
    spread = f"mean, ± {formatting.real(report.loss_sd, 3)} a run" if report.loss_sd else ""
    what = "reward" if earned else "loss"
    return [
        Card("Rounds", formatting.number(report.rounds), runs if report.runs > 1 else speed),
        Card(f"Learner’s {what}", formatting.number(total), spread),
        Card(
            f"Best arm’s {what}",
            "–" if best is None else formatting.number(best),
            _best(report),
        ),
        Card(
            "Pseudo-regret" if report.runs > 1 else "Regret",
            "–" if report.pseudo_regret is None else formatting.number(report.pseudo_regret),
            "not observed" if report.pseudo_regret is None else "mean over the runs" if report.runs > 1 else "",
        ),
        summary.bound_card(_certified(report)),
    ]


def _best(report: PullReport) -> str:
    """The best arm's name, and whether it was asleep at times."""
    name = formatting.label(called(report.best_arm), 22) if report.best_arm is not None else ""
    return f"{name}, while awake" if report.asleep.get(report.best_arm or "") else name


def _certified(report: PullReport) -> PullReport:
    """The report, about what its certificates bound if that is something else."""
    quantities = [one.quantity for one in report.certificates if one.applies]
    return report if not quantities or report.quantity in quantities else replace(report, quantity=quantities[0])
