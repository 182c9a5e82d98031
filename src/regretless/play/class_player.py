"""A learner of a finite class against an environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import RegretlessError
from ..finite_classes.learners.search_learner import SearchingLearner
from .player import LabelPlayer, Point, Turn

if TYPE_CHECKING:
    from ..certificate import Certificate
    from ..environments.labels import Labels
    from ..finite_classes.learners.base import ClassLearner

Array = np.ndarray[Any, Any]


class ClassPlayer(LabelPlayer):
    """It knows the points of the class; their labels are 0 and 1.

    Parameters
    ----------
    learner : ClassLearner
    environment : Labels
        Of the learner's own class.
    run : int
    """

    more = "alive"

    def __init__(self, learner: ClassLearner, environment: Labels, run: int) -> None:
        if environment.finite_class is None:
            raise RegretlessError(
                f"{environment.name} has no points of a class, and {learner.name} learns nothing else"
            )
        if environment.finite_class != learner.finite_class:
            raise RegretlessError(f"{environment.name} is of another class than {learner.name}")
        self.learner = learner
        super().__init__(environment, run)

    @property
    def draws(self) -> bool:
        """Whether it draws its labels."""
        return bool(self.learner.info.draws)

    @property
    def deterministic(self) -> bool:
        """Whether it does not."""
        return not self.draws

    @property
    def blocks(self) -> bool:
        """Draws have to be seen one by one."""
        return not self.draws

    @property
    def careful(self) -> bool:  # type: ignore[override]
        """Where each round may be a search, blocks begin small, so that a run can be stopped."""
        return isinstance(self.learner, SearchingLearner)

    def predict(self, row: Array, point: int | None) -> tuple[int, float | None]:
        """Predict the point."""
        self._prediction = self.learner.predict(point)
        if not self.draws:
            return 2 * int(self._prediction) - 1, None
        chance = float(self._prediction.probability)
        return (1 if chance >= 0.5 else -1), chance

    def update(self, row: Array, label: int) -> tuple[int, float]:
        """Let the learner learn the label."""
        truth = (label + 1) // 2
        wrong = self.learner.update(truth)
        return wrong, abs(float(self._prediction.probability) - truth) if self.draws else wrong

    def play_block(self, rows: Array, points: Array | None, labels: Array) -> tuple[int, float]:
        """Play them all."""
        wrong = self.learner.play(points, (labels > 0).astype(np.uint8)).mistakes
        return wrong, wrong

    def point(self) -> Point:
        """Mistakes, and how many hypotheses are left."""
        tally = self.tally
        counted = float(tally.mistakes or 0)
        return Point(self.rounds, counted, tally.best, self.learner.ledger_.alive)

    def after(self, turn: Turn) -> dict[str, Any]:
        """How many hypotheses are left."""
        return {"alive": int(self.learner.ledger_.alive)}

    def certificates(self) -> list[Certificate]:
        """Those of the learner."""
        certificates: list[Certificate] = self.learner.certify()
        return certificates
