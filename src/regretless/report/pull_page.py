"""The report on a bandit's runs, as one file that opens anywhere and asks nothing of any network."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from . import formatting, pull_charts, summary, template
from .arm_table import arm_table, called, known_losses
from .histogram import quantile
from .model import CertificateLike
from .pulls import PullReport
from .summary import Card, Verdict

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


def write_pull_report(path: str | os.PathLike[str], report: PullReport) -> None:
    """Write the report so that the path holds the old file or the whole new one, never a part.

    Parameters
    ----------
    path : str or path-like
        Where to write; what is no regular file (a pipe, a terminal) is written to as it is.
    report : PullReport
        The runs to show.
    """
    template.write(path, render_pulls(report))


def render_pulls(report: PullReport) -> str:
    """The report as one HTML page.

    Parameters
    ----------
    report : PullReport
        The runs to show.

    Returns
    -------
    str
        A page without any reference to another file, whose policy allows its own style and script alone.
    """
    played = report.rounds > 0 and report.runs > 0
    panels = pull_charts.panels(report) if played else []
    stills = pull_charts.stills(report) if played else []
    return template.fill(_view(report), panels, report.certificates, whole=False, stills=stills)


def _view(report: PullReport) -> dict[str, Any]:
    given = {name: value for name, value in report.parameters.items() if value is not None}
    return {
        "title": report.title,
        "lead": lead(report),
        "verdict": verdict(report.certificates),
        "cards": _cards(report),
        "course": "The runs, round by round" if report.runs > 1 else "The run, round by round",
        "certified": _CERTIFIED if report.runs > 1 else _CERTIFIED_ONE,
        "comparators": template.comparator_table([]),
        "arms": arm_table(report.draws, report.arms, *known_losses(report)),
        "weights": [],
        "tables": [
            ("Learner", [("Name", report.learner), *template.facts(given, {"n_arms": "arms"})]),
            ("Data", template.facts(report.source, _SOURCE_NAMES)),
        ],
    }


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


def verdict(certificates: Sequence[CertificateLike]) -> Verdict:
    """Whether every bound held for what it bounds, chance allowed for; a sure one that did not comes first."""
    found = summary.verdict(certificates)
    applying = [one for one in certificates if one.applies]
    seen = [one for one in applying if one.observed is not None]
    if found.state == "broken" or not applying:
        return found
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


def _told(seen: Sequence[CertificateLike]) -> str:
    """What the runs say of the bounds that chance may exceed."""
    untested = sum(map(summary.untested, seen))
    few = f"; {summary.many(untested, 'bound')} in expectation not tested by so few runs" if untested else ""
    return _exceeded(seen) + few


def _exceeded(seen: Sequence[CertificateLike]) -> str:
    """How often the bounds that chance may exceed were."""
    told = [getattr(one, "runs", None) for one in seen if one.theorem.kind == "probable"]
    counts = [runs for runs in told if isinstance(runs, Mapping) and runs.get("of")]
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
