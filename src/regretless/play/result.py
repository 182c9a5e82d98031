"""The result of a play."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .lower_bounds import CheckedLowerBound
from .player import Point

if TYPE_CHECKING:
    from ..certificate import Certificate
    from ..environments.lower_bounds import LearnerDescription, LowerBound

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False, repr=False)
class PlayResult:
    """Some runs of one learner against one environment.

    Attributes
    ----------
    kind : {"class", "linear", "experts", "bandits"}
        Of the learner.
    learner : object
        After the first run.
    environment : Labels or Environment
    rounds : int
        Of each run.
    runs : int
    counts : str
        "mistakes" or "loss": what the learner is counted by.
    more : str
        What else the curve tells; empty if nothing.
    curve : list of Point
        How things stood after 1, 2, 4, ... rounds and at the end; means over the runs.
    totals : ndarray, shape (runs,)
        The count of each run.
    quantities : mapping of str to ndarray of shape (runs,)
        All that was observed: mistakes, expected mistakes, updates, loss, regret.
    certificates : list of Certificate
        What the learner's theorems allow at most.
    lower_bounds : list of CheckedLowerBound
        What the environment forces at least.
    opposed : LearnerDescription
        What the environment knows of the learner.
    seconds : float
        How long the rounds took.
    stopped : bool
        Whether somebody wished to stop before all rounds of all runs were played.
    """

    kind: str
    learner: Any
    environment: Any
    rounds: int
    runs: int
    counts: str
    more: str
    curve: list[Point]
    totals: Array
    quantities: Mapping[str, Array]
    certificates: list[Certificate]
    lower_bounds: list[CheckedLowerBound]
    opposed: LearnerDescription
    seconds: float
    stopped: bool = False

    @property
    def count(self) -> float:
        """Mistakes or loss, as a mean over the runs."""
        return float(self.totals.mean())

    @property
    def best(self) -> float | None:
        """The same of the best fixed hypothesis, expert or arm, where there is one."""
        return self.curve[-1].best

    @property
    def regret(self) -> float | None:
        """How much more than the best, as a mean over the runs."""
        return self.curve[-1].regret

    def lower_bounds_at(self, rounds: int) -> list[LowerBound]:
        """The environment's lower bounds on so many rounds."""
        bounds: list[LowerBound] = self.environment.lower_bounds(rounds, self.opposed)
        return bounds

    @property
    def violated(self) -> list[str]:
        """Names of the theorems, and titles of the lower bounds, that always hold and did not."""
        certificates = [one.theorem.name for one in self.certificates if one.violated]
        return certificates + [one.lower_bound.title for one in self.lower_bounds if one.violated]

    def __repr__(self) -> str:
        who = f"{self.learner.name} against {called(self.environment)}"
        return f"<PlayResult: {who}, {self.runs} runs of {self.rounds} rounds, {self.counts} {self.count:.6g}>"


def called(environment: Any) -> str:
    """An environment's name."""
    return str(getattr(environment, "name", "")) or type(environment).__name__


def mean_point(points: list[Point]) -> Point:
    """The mean of the same point of some runs."""
    bests = [point.best for point in points if point.best is not None]
    more = [point.more for point in points if point.more is not None]
    return Point(
        points[0].rounds,
        float(np.mean([point.count for point in points])),
        float(np.mean(bests)) if len(bests) == len(points) else None,
        float(np.mean(more)) if len(more) == len(points) else None,
    )
