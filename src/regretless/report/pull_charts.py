"""Runs of a bandit as a page reads them, and their pictures: regret and bounds, probabilities, last regrets."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from . import formatting, summary
from .arm_table import called
from .certified import quantity_of
from .curves import OFF_THE_CHART, Panel, Point, Series
from .forecast_charts import weight_panel
from .histogram import spread
from .recorded_curves import Values, absences, bounded, known_points, log_spaced, near, table
from .recorded_curves import bound_lines as lines_of_bounds
from .static_chart import Still

if TYPE_CHECKING:
    from ..certificate import Certificate


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


class Pulls(Protocol):
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
    pulls : Pulls
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
    pulls: Pulls
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
