"""A learner that combines experts, whose votes an environment shows: 0 or 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..errors import RegretlessError
from ..info import info_of
from .player import AT_ONCE, WATCHED, LabelPlayer, Player, Point

if TYPE_CHECKING:
    from ..certificate import Certificate
    from ..environments import Environment, Oblivious
    from ..environments.labels import Labels
    from ..experts.base import ExpertLearner

Array = np.ndarray[Any, Any]
BARE = "table"  # the loss of learners that take losses, and forecast nothing


def draws(learner: ExpertLearner) -> bool:
    """Whether it follows one of its experts, that it draws."""
    return bool(info_of(learner).draws)


def bare(learner: ExpertLearner) -> bool:
    """Whether it takes losses alone."""
    return learner._loss.name == BARE


class ExpertPlayer(LabelPlayer):
    """Its forecast is the probability of the label 1, or it follows one expert.

    Parameters
    ----------
    learner : ExpertLearner
    environment : Labels
        One with votes.
    run : int
    """

    counts = "loss"

    def __init__(self, learner: ExpertLearner, environment: Labels, run: int) -> None:
        if not environment.votes:
            raise RegretlessError(f"the rows of {environment.name} are no votes, and {learner.name} combines experts")
        self.learner = learner
        self._bare, self._draws = bare(learner), draws(learner)
        learner._begin(environment.columns, 1)
        learner.expert_names_ = learner.expert_names_ or environment.names
        super().__init__(environment, run)

    @property
    def deterministic(self) -> bool:
        """Whether its forecast stands for a label."""
        return not (self._bare or self._draws)

    def predict(self, row: Array, point: int | None) -> tuple[int, float | None]:
        """Forecast, and return the likelier label."""
        learner = self.learner
        if self._bare:
            self._chance = float(np.asarray(learner.predict())[row > 0].sum())
        else:
            self._forecast = learner.predict((row + 1) / 2)
            weights = learner.waiting(self._forecast.ticket).weights
            self._chance = float(weights[row > 0].sum() if self._draws else self._forecast)
        self._chance = min(max(self._chance, 0.0), 1.0)
        return (1 if self._chance >= 0.5 else -1), self._chance

    def update(self, row: Array, label: int) -> tuple[int | None, float]:
        """Let the learner learn the label."""
        truth = (label + 1) / 2
        self.learner.update((row != label).astype(np.float64) if self._bare else truth)
        chance = abs(self._chance - truth)
        if self._bare:
            return None, chance
        predicted = float(self._forecast) if self._draws else float(self._chance >= 0.5)
        return int(predicted != truth), chance

    def play_block(self, rows: Array, points: Array | None, labels: Array) -> tuple[int | None, float]:
        """Play them all."""
        if self._bare:
            return None, float(self.learner.play((rows != labels[:, None]).astype(np.float64)).losses.sum())
        truths = (labels + 1) / 2
        played = self.learner.play((rows + 1) / 2, truths)
        if played.chosen is not None:
            drawn = rows[np.arange(len(rows)), played.chosen]
            return int(np.count_nonzero(drawn != labels)), float(played.losses.sum())
        chances = np.clip(played.predictions, 0.0, 1.0)
        return int(np.count_nonzero((chances >= 0.5) != (truths > 0))), float(np.abs(chances - truths).sum())

    def point(self) -> Point:
        """The loss, and that of the best expert."""
        return _facts(self.learner, self.rounds)

    def observed(self) -> dict[str, float]:
        """Its own loss too."""
        return super().observed() | {"loss": float(self.learner.ledger_.loss)}

    def certificates(self) -> list[Certificate]:
        """Those of the learner."""
        certificates: list[Certificate] = self.learner.certify()
        return certificates


class ArmsPlayer(Player):
    """A learner with full information on the arms of an environment.

    Parameters
    ----------
    learner : ExpertLearner
        One without a loss of its own.
    environment : Environment
    run : int
    """

    counts = "loss"
    deterministic = False

    def __init__(self, learner: ExpertLearner, environment: Environment, run: int) -> None:
        if not bare(learner):
            raise RegretlessError(f"{learner.name} forecasts with loss={learner.loss!r}: arms have losses, loss=None")
        if environment.rewards:
            raise RegretlessError(f"{type(environment).__name__} gives rewards, and {learner.name} takes losses")
        if not (environment.oblivious or environment.foresees or draws(learner)):
            raise RegretlessError(f"{type(environment).__name__} watches the draws, and {learner.name} draws no arm")
        self.learner, self.environment, self.run, self.rounds = learner, environment, run, 0
        learner._begin(environment.arms, 1)
        if environment.named:
            learner.expert_names_ = learner.expert_names_ or environment.names
        self._opponent = None if environment.oblivious else environment.begin(run)

    def play(self, rounds: int) -> None:
        """Play in blocks where that can be done."""
        if self._opponent is None:
            count = min(rounds, max(1, AT_ONCE // self.environment.arms))
            self.learner.play(cast("Oblivious", self.environment).read(self.rounds, self.rounds + count, self.run))
            self.rounds += count
            return
        for _ in range(min(rounds, WATCHED)):
            weights = self.learner.predict()
            drawn = self.learner._drawn.get(weights.ticket) if draws(self.learner) else None
            losses = self._opponent.losses(np.asarray(weights))
            self.learner.update(losses)
            if drawn is not None:
                self._opponent.see(drawn)
            self.rounds += 1

    def point(self) -> Point:
        """The loss, and that of the best arm."""
        return _facts(self.learner, self.rounds)

    def observed(self) -> dict[str, float]:
        """Loss and regret."""
        point = self.point()
        sums = {"loss": point.count, "expected loss": float(self.learner.ledger_.expected)}
        return sums if point.regret is None else sums | {"regret": point.regret, "expected regret": point.regret}

    def certificates(self) -> list[Certificate]:
        """Those of the learner."""
        certificates: list[Certificate] = self.learner.certify()
        return certificates


def _facts(learner: ExpertLearner, rounds: int) -> Point:
    ledger = learner.ledger_
    best = learner.comparators()[0]
    return Point(rounds, float(ledger.loss), float(best.loss))
