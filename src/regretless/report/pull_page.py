"""The report on a bandit's runs, as one file that needs no other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from . import formatting, summary, template
from .arm_table import arm_table, called, known_losses
from .histogram import quantile
from .page import Page
from .pull_charts import PullReport, panels, stills
from .summary import Card, Verdict

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
