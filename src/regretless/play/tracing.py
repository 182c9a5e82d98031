"""A play step by step: row, prediction and label of its first rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..bandits.base import Bandit
from ..environments.labels import Labels
from .bandits import drawn
from .player import NARROW, LabelPlayer, LabelRound
from .players import ArmsPlayer
from .run import again, player_of

if TYPE_CHECKING:
    from ..environments import Environment

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class TracedRound:
    """One round for labels.

    Attributes
    ----------
    round : int
        From 1.
    point : str or None
        Of a finite class, by its name.
    row : list of float or None
        Where there is no class, and the row is not long.
    prediction, label : int or None
        The predicted label, of a learner that predicts labels, and the label: 0 or 1 of a finite class, else -1 or 1.
    probability : float or None
        Of the prediction 1, or the forecast of it, of a learner that draws or forecasts.
    wrong : bool or None
    alive : int or None
        How many hypotheses agree with all labels, of a learner of a finite class.
    score : float or None
        Of the row, before its label was known, of a linear learner.
    weights : list of float or None
        After the round, of a linear learner of few features.
    """

    round: int
    point: str | None
    row: list[float] | None
    prediction: int | None
    probability: float | None
    label: int
    wrong: bool | None
    alive: int | None = None
    score: float | None = None
    weights: list[float] | None = None

    def describe(self) -> dict[str, Any]:
        """The round as JSON values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class TracedDraw:
    """One round with arms.

    Attributes
    ----------
    round : int
        From 1.
    arm : str or None
        Which was drawn, by name; of a learner that goes by weights alone None.
    probability : float or None
        Of drawing it.
    loss : float
        Of that arm; else the mean loss by the weights.
    estimates, next : dict of str to float
        After the round, what the learner goes by: the estimated losses of each arm, in units of the declared range, and
        the probabilities of the next draw, if every arm is awake; of a learner with experts, the estimated losses and
        the weights of these. Of a learner that goes by weights alone only these; empty where there are many.
    """

    round: int
    arm: str | None
    probability: float | None
    loss: float
    estimates: dict[str, float] = field(default_factory=dict)
    next: dict[str, float] = field(default_factory=dict)

    def describe(self) -> dict[str, Any]:
        """The round as JSON values."""
        return asdict(self)


def trace(
    learner: Any, environment: Labels | Environment, rounds: int, *, run: int = 0
) -> list[TracedRound] | list[TracedDraw]:
    """The first rounds of a run, one after the other.

    A run depends on the seeds and on its number alone, so that it can be played again: these are the rounds that `play`
    played, or would play, with the same learner and environment.

    Parameters
    ----------
    learner : ClassLearner, OnlineClassifier, ExpertLearner or Bandit
        It is left as it is.
    environment : Labels or Environment
    rounds : int
        How many.
    run : int
        Number of the run.

    Returns
    -------
    list of TracedRound or TracedDraw
        Draws of learners that choose arms.

    Examples
    --------
    >>> from regretless.finite_classes import FiniteClass, Halving
    >>> from regretless.environments import ShatteredTree
    >>> thresholds = FiniteClass.named("thresholds:7")
    >>> for step in trace(Halving(thresholds), ShatteredTree(thresholds), 4):
    ...     print(step.round, step.prediction, step.label, step.wrong, step.alive)
    1 1 0 True 4
    2 1 0 True 2
    3 1 0 True 1
    4 0 0 False 1
    """
    if isinstance(learner, Bandit) and not learner.info.advised:
        return trace_draws(learner, environment, rounds, run=run)
    player = player_of(again(learner, run), environment, run)
    if isinstance(player, LabelPlayer):
        asker = player.environment.begin(run)
        return [_step(player, asker, place + 1) for place in range(rounds)]
    assert isinstance(player, ArmsPlayer)
    return [_weighed(player, place + 1) for place in range(rounds)]


def trace_draws(
    learner: Bandit, environment: Labels | Environment, rounds: int, *, run: int = 0, advice: Array | None = None
) -> list[TracedDraw]:
    """The first draws of a run of a bandit.

    Parameters
    ----------
    learner, environment, rounds, run
        As of `trace`.
    advice : ndarray of shape (rounds, experts, arms), optional
        What experts say in each round, to a learner that goes by them.
    """
    traced = []
    for place, (after, arm, chance, loss) in enumerate(drawn(learner, environment, rounds, run, advice)):
        (next_by,) = after.bars()
        few = len(next_by.values) <= NARROW
        names = next_by.names or [str(one) for one in range(len(next_by.values))]
        shown = [_by_name(names, values) if few else {} for values in (after.estimates_, next_by.values)]
        traced.append(TracedDraw(place + 1, arm, chance, loss, *shown))
    return traced


def _by_name(names: Sequence[str], values: Array) -> dict[str, float]:
    return dict(zip(names, values.tolist(), strict=True)) if len(values) == len(names) else {}


def _step(player: LabelPlayer, asker: Any, number: int) -> TracedRound:
    turn = player.turn(asker)
    finite_class = player.environment.finite_class
    zero = 0 if finite_class is not None else -1
    predicted = None if turn.wrong is None else -turn.label if turn.wrong else turn.label
    return TracedRound(
        round=number,
        point=None if finite_class is None or turn.point is None else finite_class.point_name(turn.point),
        row=_row(turn) if finite_class is None else None,
        prediction=None if predicted is None else max(predicted, zero),
        probability=turn.chance,
        label=max(turn.label, zero),
        wrong=None if turn.wrong is None else bool(turn.wrong),
        **player.after(turn),
    )


def _row(turn: LabelRound) -> list[float] | None:
    numbers: list[float] | None = turn.row.tolist() if len(turn.row) <= NARROW else None
    return numbers


def _weighed(player: ArmsPlayer, number: int) -> TracedDraw:
    """A round of a learner with full information."""
    before = float(player.learner.ledger_.loss) if player.rounds else 0.0
    player.play(1)
    (weights,) = player.learner.bars()
    names = weights.names or []
    after = _by_name(names, weights.values) if len(names) <= NARROW else {}
    return TracedDraw(number, None, None, float(player.learner.ledger_.loss) - before, next=after)
