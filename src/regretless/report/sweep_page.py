"""The report on several learners over several numbers of rounds: what each lost beside what its theorem allows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from . import formatting
from .curves import OFF_THE_CHART, Panel, Series
from .page import Page
from .summary import Card, many

HUES = (("expert0", "bound0"), ("expert1", "bound2"), ("expert2", "bound3"), ("expert3", "bound1"))
"""The styles of a learner and of its bound: of one colour, or nearly."""


@dataclass(frozen=True, slots=True)
class SweptPoint:
    """One learner after so many rounds.

    Attributes
    ----------
    rounds : int
    observed : float
        Regret or mistakes, as a mean over the runs.
    bound : float or None
        The least bound on it that applies; None if none does.
    theorem : str
        Its title; empty without one.
    """

    rounds: int
    observed: float
    bound: float | None
    theorem: str


@dataclass(frozen=True, slots=True)
class SweepReport:
    """Several learners against one environment.

    Attributes
    ----------
    environment, quantity : str
        "regret" or "mistakes".
    runs : int
    learners : sequence of (str, sequence of SweptPoint)
        Each by its name, with a point for each number of rounds.
    """

    environment: str
    quantity: str
    runs: int
    learners: Sequence[tuple[str, Sequence[SweptPoint]]]


def page_of_sweep(report: SweepReport) -> Page:
    """All learners in one picture, and the numbers below it."""
    names = " and ".join(name for name, _ in report.learners)
    each = "" if report.runs == 1 else f", the mean of {many(report.runs, 'run')}"
    return Page(
        title=f"{names} against {report.environment}",
        lead=f"Each point is a play of its own, of as many rounds{each}. The dashed lines are what theorems allow.",
        cards=[Card(f"{report.quantity.capitalize()} of {name}", *_last(points)) for name, points in report.learners],
        course=f"{report.quantity.capitalize()} by the number of rounds",
        panels=[_panel(report)],
        certificates=None,
        tables=[
            (name, [(f"After {point.rounds:,}", _told(point)) for point in points]) for name, points in report.learners
        ],
    )


def _last(points: Sequence[SweptPoint]) -> tuple[str, str]:
    """The number of the longest play, and after how many rounds that was."""
    return formatting.number(points[-1].observed), f"after {many(points[-1].rounds, 'round')}"


def _told(point: SweptPoint) -> str:
    observed = formatting.number(point.observed)
    return observed if point.bound is None else f"{observed}, at most {formatting.number(point.bound)}: {point.theorem}"


def _panel(report: SweepReport) -> Panel:
    highest = max((point.observed for _, points in report.learners for point in points), default=0.0)
    lines = []
    for k, (name, points) in enumerate(report.learners):
        observed = [(float(point.rounds), point.observed) for point in points]
        final = formatting.number(points[-1].observed)
        lines.append(Series(formatting.label(name), HUES[k][0], observed, final=final))
    for k, (name, points) in enumerate(report.learners):
        bounds = [(float(point.rounds), point.bound) for point in points if point.bound is not None]
        bounds = [(rounds, bound) for rounds, bound in bounds if math.isfinite(bound)]
        if bounds:
            drawn = bounds[-1][1] <= max(highest, 1.0) * OFF_THE_CHART
            label, final = formatting.label(f"Bound of {name}"), formatting.number(bounds[-1][1])
            lines.append(Series(label, HUES[k][1], bounds, bound=True, final=final, drawn=drawn))
    unit = report.quantity.capitalize()
    return Panel("regret", f"{unit} and bounds", unit, "real", lines, [], rest="After the last number of rounds")
