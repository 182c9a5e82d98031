"""A learner that needs to know the horizon, made to do without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..errors import RegretlessError
from ..ledger import ExpertLedger
from .base import ExpertLearner
from .intake import Array, names_of, table_of
from .play import Play

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..comparator import ExpertComparator
    from ..theorem import Certificate


class Doubling:
    """Restarts a learner in rounds 1, 2, 4, 8, ..., each time with a horizon twice as long.

    A bound for every known horizon goes in; a bound for all horizons at once, larger by a constant factor, comes out.
    Outcomes come one after the other here.

    Parameters
    ----------
    base : ExpertLearner
        Any learner that takes `horizon`; it is not played itself, but copied.

    Attributes
    ----------
    blocks_ : list of ExpertLearner
        The learner of each stretch of rounds; the last one is playing.

    References
    ----------
    Cesa-Bianchi, Freund, Haussler, Helmbold, Schapire and Warmuth 1997; Cesa-Bianchi and Lugosi 2006, section 2.3.
    """

    name: ClassVar[str] = "doubling"

    def __init__(self, base: ExpertLearner) -> None:
        if "horizon" not in base.get_params():
            raise RegretlessError(f"{type(base).__name__} takes no horizon: there is nothing to double")
        if getattr(base, "switches", None) is not None:
            raise RegretlessError(
                "switches= are counted over all rounds, and a stretch does not know its share of them"
            )
        self.base = base
        self.blocks_: list[ExpertLearner] = []

    def _current(self) -> ExpertLearner:
        if not self.blocks_ or self.blocks_[-1].rounds_ == 2 ** (len(self.blocks_) - 1):
            fresh = self.base.clone(horizon=2 ** len(self.blocks_), eta=None) if self._rated() else self._restarted()
            if self.blocks_:
                fresh.n_experts = self.blocks_[0].n_experts_
                fresh.expert_names_ = self.blocks_[0].expert_names_
            self.blocks_.append(fresh)
        return self.blocks_[-1]

    def _rated(self) -> bool:
        return "eta" in self.base.get_params()

    def _restarted(self) -> ExpertLearner:
        changes: dict[str, Any] = {"horizon": 2 ** len(self.blocks_)}
        if "beta" in self.base.get_params():
            changes["beta"] = None
        return self.base.clone(**changes)

    def play(self, advice: Any, outcomes: Any = None, *, weights: bool = False) -> Play:
        """Play the rows of a table in their order; see `ExpertLearner.play`."""
        table, names = table_of(advice), names_of(advice)
        known = None if outcomes is None else np.asarray(outcomes)
        pieces, row = [], 0
        while row < len(table):
            learner = self._current()
            learner._learn_names(names)
            room = 2 ** (len(self.blocks_) - 1) - learner.rounds_
            end = min(row + room, len(table))
            pieces.append(learner.play(table[row:end], None if known is None else known[row:end], weights=weights))
            row = end
        if not pieces:
            return Play(np.empty(0), np.empty(0))
        kept = np.concatenate([piece.weights for piece in pieces if piece.weights is not None]) if weights else None
        return Play(
            np.concatenate([piece.predictions for piece in pieces]),
            np.concatenate([piece.losses for piece in pieces]),
            kept,
        )

    def predict(self, advice: Any = None) -> Any:
        """Predict one round; see `ExpertLearner.predict`."""
        return self._current().predict(advice)

    def update(self, *report: Any) -> float:
        """Report the outcome of the last prediction."""
        if not self.blocks_:
            raise RegretlessError("no prediction waits for an outcome")
        return self.blocks_[-1].update(*report)

    @property
    def weights(self) -> Array:
        """The weights of the next round."""
        return self._current().weights

    @property
    def rounds_(self) -> int:
        """Rounds played."""
        return sum(learner.rounds_ for learner in self.blocks_)

    @property
    def ledger_(self) -> ExpertLedger:
        """The books of all stretches in one."""
        played = [learner.ledger_ for learner in self.blocks_ if learner.rounds_]
        if not played:
            raise RegretlessError("nothing was played yet")
        total = played[0]
        for ledger in played[1:]:
            total = total + ledger
        return total

    def comparators(
        self, advice: Any = None, outcomes: Any = None, *, switches: Sequence[int] = ()
    ) -> list[ExpertComparator]:
        """What fixed uses of the experts would have lost over all stretches."""
        from .judge import comparators_of

        return comparators_of(self.blocks_[0], self.ledger_, advice, outcomes, switches=switches)

    def certify(
        self, advice: Any = None, outcomes: Any = None, *, comparators: Sequence[ExpertComparator] | None = None
    ) -> list[Certificate]:
        """The theorems about doubling, with the numbers of the run."""
        from ..theory.majority import DOUBLING
        from .judge import certificates, standing

        found = comparators if comparators is not None else self.comparators(advice, outcomes)
        blocks = tuple((learner.ledger_, standing(learner)) for learner in self.blocks_ if learner.rounds_)
        whole = standing(self.blocks_[0], blocks=blocks)
        return certificates(DOUBLING, self.ledger_, found, whole)
