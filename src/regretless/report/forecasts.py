"""The data of a report on combined forecasts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..certificate import Certificate


MOST_EXPERTS = 12
"""More in one picture cannot be told apart."""

Values = Sequence["float | None"]


@dataclass(frozen=True, slots=True)
class History:
    """How a run went, at some of its rounds; every list is as long as `rounds`, or empty where nothing is known.

    Parameters
    ----------
    rounds : sequence of int
        Increasing, the last round among them.
    learner_loss, best_expert_loss : sequence of float
        Losses summed up to there; the best expert is the best up to there.
    expert_losses : mapping
        The same for each of the leading experts, by name.
    faced : mapping
        Where experts were silent at times: the learner's loss over the rounds in which each of them spoke.
    weights : mapping
        The weights of the leading experts by name, and of all the rest together as ``"others"``.
    rate : sequence of float or None
        The learning rate.
    regret, bound : sequence of float or None
        The regret against the best expert and what a theorem says of it; the regret may be left to the losses.
    lower_bound : sequence of float or None
        What every learner must suffer on some sequence of so many rounds.
    residuals : sequence of (time or round, prediction, outcome)
        One for each round, or for the last ones; times may be numbers or text.
    """

    rounds: Sequence[int] = ()
    learner_loss: Values = ()
    best_expert_loss: Values = ()
    expert_losses: Mapping[str, Values] = field(default_factory=dict)
    weights: Mapping[str, Values] = field(default_factory=dict)
    rate: Values = ()
    regret: Values = ()
    bound: Values = ()
    lower_bound: Values = ()
    residuals: Sequence[tuple[object, float | None, float | None]] = ()
    faced: Mapping[str, Values] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ForecastReport:
    """One run of combined forecasts, ready to be shown.

    Parameters
    ----------
    title : str
        The headline, as ``MLPoly on load.csv``.
    learner : str
        The learner's name.
    parameters : mapping
        The learner's parameters by name.
    source : mapping
        Where the rounds came from: ``path, rows, target, time``, as far as known.
    loss_name : str
        ``"square"`` and so on.
    rounds : int
        How many were played.
    loss, mean_loss : float
        The learner's loss, summed over the rounds and per round.
    expert_losses : mapping
        The summed loss of each expert by name.
    comparators : sequence of mapping
        ``name, loss, regret, detail`` of each, and perhaps a ``label``.
    weights : mapping
        The final weight of each expert by name.
    forecast : float, sequence or None
        The combination of a last row without outcome.
    certificates : sequence of Certificate
        Every theorem that was asked, whether or not it applies.
    history : History
        How the run went.
    delay_cost : float, optional
        How much of the regret's bound is owed to outcomes that came late.
    missing : int
        How many forecasts of experts were missing.
    faced : mapping
        Where experts were silent at times: the learner's loss over the rounds in which each of them spoke.
    seconds : float, optional
        How long the run took.
    quantity : str
        What the certificates are about.
    """

    title: str
    learner: str
    parameters: Mapping[str, object]
    source: Mapping[str, object]
    loss_name: str
    rounds: int
    loss: float
    mean_loss: float | None
    expert_losses: Mapping[str, float]
    comparators: Sequence[Mapping[str, object]] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    forecast: object = None
    certificates: Sequence[Certificate] = ()
    history: History = field(default_factory=History)
    delay_cost: float | None = None
    missing: int = 0
    seconds: float | None = None
    quantity: str = "regret"
    faced: Mapping[str, float] = field(default_factory=dict)
