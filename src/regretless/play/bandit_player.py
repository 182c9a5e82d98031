"""A learner whose experts say which of two labels to draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..bandits.certificates import certificates
from ..comparator import BanditComparator
from ..errors import RegretlessError
from .player import LabelPlayer, Point

if TYPE_CHECKING:
    from ..bandits.base import Bandit
    from ..certificate import Certificate
    from ..environments.labels import Labels

Array = np.ndarray[Any, Any]


class AdvisedPlayer(LabelPlayer):
    """Exp4 with the labels -1 and 1 for arms, of which every column names one.

    Parameters
    ----------
    learner : Bandit
        Of two arms.
    environment : Labels
        One with votes.
    run : int
    """

    counts = "loss"
    deterministic = False

    def __init__(self, learner: Bandit, environment: Labels, run: int) -> None:
        if not environment.votes:
            raise RegretlessError(f"the rows of {environment.name} are no votes, and {learner.name} goes by experts")
        self.learner = learner
        learner._begin(2, environment.columns)
        super().__init__(environment, run)

    @property
    def blocks(self) -> bool:
        """Draws are seen one by one."""
        return False

    def say(self, row: Array, point: int | None) -> tuple[int, float | None]:
        """Draw a label."""
        self._drawn = self.learner.draw(advice=((row + 1) / 2).astype(np.int64))
        chance = self._drawn.probability
        self._chance = chance if int(self._drawn) else 1 - chance
        return (1 if self._chance >= 0.5 else -1), self._chance

    def hear(self, row: Array, label: int) -> tuple[int, float]:
        """Tell the learner whether it was right."""
        truth = (label + 1) // 2
        wrong = int(int(self._drawn) != truth)
        self.learner.update(self._drawn, float(wrong))
        return wrong, abs(self._chance - truth)

    def take(self, rows: Array, points: Array | None, labels: Array) -> tuple[int, float]:
        """There are no blocks of draws."""
        raise AssertionError

    def point(self) -> Point:
        """The loss, and that of the best expert."""
        return Point(self.rounds, float(self.learner.ledger_.loss), self.tally.best)

    def observed(self) -> dict[str, float]:
        """Its loss is its mistakes."""
        sums = super().observed()
        return sums | {"loss": sums["mistakes"]}

    def certificates(self) -> list[Certificate]:
        """Those of the learner, with the regret, which the environment alone can see."""
        return together([self])


def together(players: Sequence[AdvisedPlayer]) -> list[Certificate]:
    """What the theorems say of some runs of one learner."""
    first = players[0]
    stands = replace(first.learner.facts(), oblivious=first.environment.oblivious)
    ledgers = [player.learner.ledger_ for player in players]
    return certificates(first.learner.theorems, stands, ledgers, [[_best(player)] for player in players])


def _best(player: AdvisedPlayer) -> BanditComparator:
    """The expert who erred least."""
    place, ledger = player.tally.leader, player.learner.ledger_
    assert place is not None
    name = str(place) if player.environment.names is None else player.environment.names[place]
    lost = float(player.tally.best or 0)
    details = {"expert": name}
    return BanditComparator(
        "best_expert", f"best expert {name}", lost, ledger.loss, ledger.rounds, place, detail=details
    )
