"""The data of a report on bandits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .recorded_curves import Values

if TYPE_CHECKING:
    from ..certificate import Certificate


MOST_ARMS = 12
"""More in one picture cannot be told apart."""

QUANTILES = ("q05", "q25", "q50", "q75", "q95")


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


@dataclass(frozen=True, slots=True)
class PullReport:
    """Many runs of a bandit over the same rounds, ready to be shown.

    All losses and regrets are in the user's own units.

    Parameters
    ----------
    title : str
        The headline, as ``Exp3IX on losses.csv``.
    learner : str
        The learner's name.
    parameters : mapping
        The learner's parameters by name.
    source : mapping
        Where the losses came from: ``path, rows, arms, range``, as far as known.
    rounds, runs, arms : int
        Rounds of each run, how many runs, and among how many arms was drawn.
    loss, loss_sd : float, float or None
        Mean and standard deviation over the runs of the summed loss.
    pseudo_regret : float or None
        The mean over the runs of the regret; None where the losses of the other arms are not known.
    regrets : sequence of float
        The regret of each run at its end.
    best_arm, best_arm_loss : str or None, float or None
        The best fixed arm in hindsight, and its summed loss.
    certificates : sequence of Certificate
        Every theorem that was asked, whether or not it applies. One that was asked of each run has ``runs``: a mapping
        with ``of, exceeded`` and perhaps ``bound``, the quantiles of its bound over the runs.
    course : PullCurves
        How the runs went.
    draws : mapping
        Share of the draws of each arm by name, as the mean over the runs; perhaps of ``"others"``.
    arm_losses : mapping
        The summed loss of each arm in hindsight, as far as known; over the rounds in which it could be drawn.
    asleep : mapping
        In how many rounds each arm could not be drawn; empty if all could be in all rounds.
    reward, best_arm_reward : float, optional
        The mean over the runs of the summed reward, and the best arm's, where losses are what was missing from the
        highest reward.
    seconds : float, optional
        How long all runs took.
    quantity : str
        What the certificates are about.
    against : str, optional
        What the regret is counted against, as ``the best expert in hindsight``, if not the best arm.
    asked : int, optional
        How many runs were wanted, where fewer are over because they were interrupted.
    """

    title: str
    learner: str
    parameters: Mapping[str, object]
    source: Mapping[str, object]
    rounds: int
    runs: int
    arms: int
    loss: float
    loss_sd: float | None = None
    pseudo_regret: float | None = None
    regrets: Sequence[float] = ()
    best_arm: str | None = None
    best_arm_loss: float | None = None
    certificates: Sequence[Certificate] = ()
    course: PullCurves = field(default_factory=PullCurves)
    draws: Mapping[str, float] = field(default_factory=dict)
    arm_losses: Mapping[str, float] = field(default_factory=dict)
    asleep: Mapping[str, float] = field(default_factory=dict)
    reward: float | None = None
    best_arm_reward: float | None = None
    seconds: float | None = None
    quantity: str = "regret"
    against: str | None = None
    asked: int | None = None

    @property
    def bounds(self) -> dict[str, Values]:
        """What theorems say of the regret over the rounds, without those that do not apply to these runs."""
        idle = {one.theorem.title for one in self.certificates if not one.applies}
        return {title: values for title, values in self.course.bounds.items() if title.partition(", ")[0] not in idle}
