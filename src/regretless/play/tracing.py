"""A play step by step: row, prediction and label of its first rounds."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..bandits.base import Bandit
from ..environments.labels import Labels
from .bandits import drawn
from .player import LabelPlayer, LabelRound
from .point_players import ArmsPlayer
from .run import again, player_of

if TYPE_CHECKING:
    from ..environments import Environment

Array = np.ndarray[Any, Any]
NARROW = 16  # numbers of a row that are shown


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
    """

    round: int
    arm: str | None
    probability: float | None
    loss: float

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
        pulls = drawn(learner, environment, rounds, run)
        return [TracedDraw(place + 1, arm, chance, loss) for place, (_, arm, chance, loss) in enumerate(pulls)]
    player = player_of(again(learner, run), environment, run)
    if isinstance(player, LabelPlayer):
        asker = player.environment.begin(run)
        return [_step(player, asker, place + 1) for place in range(rounds)]
    assert isinstance(player, ArmsPlayer)
    return [_weighed(player, place + 1) for place in range(rounds)]


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
    return TracedDraw(number, None, None, float(player.learner.ledger_.loss) - before)
