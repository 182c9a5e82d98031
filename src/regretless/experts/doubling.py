"""A learner that needs to know the horizon, made to do without."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..arrays import names_of
from ..errors import ParameterError, RegretlessError
from ..ledger import ExpertLedger
from ..picture import Bars, Pictured
from ..turns import Turn, in_turn
from .base import ExpertLearner
from .losses import TABLE
from .result import CombinerPlay, Schedule, schedule
from .validation import AdviceError, Array, in_order, table_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..certificate import Certificate
    from ..comparator import ExpertComparator


class Doubling(Pictured):
    """Restarts a learner in rounds 1, 2, 4, 8, ..., each time with a horizon twice as long.

    A bound for every known horizon goes in; a bound for all horizons at once, larger by a constant factor, comes out.
    An outcome that comes late is learned by the stretch in which its row was predicted. The stretches are learners of
    their own: save, look at and plot these.

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

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.experts import Doubling, Hedge
    >>> losses = np.random.default_rng(0).random((1000, 3)) * [0.5, 0.9, 1.0]
    >>> learner = Doubling(Hedge())
    >>> played = learner.play(losses)
    >>> [block.ledger_.rounds for block in learner.blocks_]
    [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 489.0]
    >>> print(str(learner.certify(losses)[0]).partition("  [")[0])
    Doubling, posterior regret: regret 28.2233 <= 29.8092, against best expert 0
    """

    name: ClassVar[str] = "doubling"

    def __init__(self, base: ExpertLearner) -> None:
        if "horizon" not in base.get_params():
            raise RegretlessError(f"{type(base).__name__} takes no horizon: there is nothing to double")
        if getattr(base, "switches", None) is not None:
            why = "are counted over all rounds, and a stretch does not know its share of them"
            raise ParameterError("switches", "", why, " ")
        self.base = base
        self.blocks_: list[ExpertLearner] = []
        self.turn = Turn()

    @property
    def n_experts_(self) -> int:
        """How many experts there are."""
        return self._latest().n_experts_

    @property
    def pending_(self) -> tuple[tuple[int, int], ...]:
        """Stretch and ticket of the predictions whose outcome is not known yet."""
        return tuple((place, ticket) for place, one in enumerate(self.blocks_) for ticket in one.pending_)

    def names(self) -> list[str]:
        """The experts' names, or their numbers from 0."""
        return self._latest().names()

    def _latest(self) -> ExpertLearner:
        return self.blocks_[-1] if self.blocks_ else self.base

    def _room(self) -> int:
        """How many more rounds belong to the last stretch."""
        if not self.blocks_:
            return 0
        last = self.blocks_[-1]
        return int(2 ** (len(self.blocks_) - 1) - last.rounds_ - len(last.pending_))

    def _next(self) -> ExpertLearner:
        """The learner of the next round; a fresh one is not yet counted among the stretches."""
        if self._room():
            return self.blocks_[-1]
        changes: dict[str, Any] = {"horizon": 2 ** len(self.blocks_)}
        changes |= {name: None for name in ("eta", "beta") if name in self.base.get_params()}
        changes |= self.base._own_draws(len(self.blocks_))
        if not self.blocks_:
            return self.base.clone(**changes)
        fresh = self.base.clone(**changes, n_experts=self.n_experts_)
        fresh.expert_names_ = self._latest().expert_names_
        return fresh

    def _begun(self) -> ExpertLearner:
        """The same, counted from now on."""
        learner = self._next()
        if not self.blocks_ or learner is not self.blocks_[-1]:
            self.blocks_.append(learner)
        return learner

    @in_turn
    def play(self, advice: Any, outcomes: Any = None, *, arrivals: Any = None, weights: bool = False) -> CombinerPlay:
        """Play the rows of a table in their order; see `ExpertLearner.play`. The result has no history.

        Raises
        ------
        AdviceError
            If a row cannot be played; those before it are learned, as far as their outcomes had come.
        """
        names = names_of(advice)
        table = in_order(table_of(advice), names, self._latest().expert_names_, 1)
        known = None if outcomes is None else np.asarray(outcomes)
        plan = schedule(arrivals, len(table), draws=self.base.info.draws)
        if plan is not None:
            return self._play_late(table, known, plan, names, weights=weights)
        pieces, row = [], 0
        while row < len(table):
            learner = self._begun()
            end = min(row + self._room(), len(table))
            try:
                pieces.append(learner.play(table[row:end], None if known is None else known[row:end], weights=weights))
            except AdviceError as error:
                raise error.at(row + error.row) from error
            learner.expert_names_ = learner.expert_names_ or names
            row = end
        if not pieces:
            return CombinerPlay(np.empty(0), np.empty(0))
        return CombinerPlay(
            np.concatenate([piece.predictions for piece in pieces]),
            np.concatenate([piece.losses for piece in pieces]),
            np.concatenate([piece.weights for piece in pieces if piece.weights is not None]) if weights else None,
            None if pieces[0].chosen is None else np.concatenate([piece.chosen for piece in pieces]),
        )

    def _play_late(
        self, table: Array, known: Any, plan: Schedule, names: list[str] | None, *, weights: bool
    ) -> CombinerPlay:
        """The same where outcomes come when the plan says."""
        if self.pending_:
            raise RegretlessError("predictions wait for their outcomes: report these first, or use a fresh learner")
        bare = self.base._loss.name == TABLE
        forecasts: list[Any] = []
        losses, rest = np.empty(len(table)), np.empty(table.shape[:2])
        row = 0
        try:
            for t in range(len(table) + 1):
                for row in plan.settle[plan.starts[t] : plan.starts[t + 1]].tolist():
                    outcome = table[row] if bare else None if known is None else known[row]
                    losses[row] = self.update(forecasts[row], outcome)
                row = t
                if t < len(table):
                    forecasts.append(self._predict(~np.isnan(table[t]) if bare else table[t]))
                    learner = self.blocks_[-1]
                    learner.expert_names_ = learner.expert_names_ or names
                    rest[t] = learner.waiting(forecasts[t]).weights
        except AdviceError as error:
            raise error.at(row) from error
        finally:
            for place, ticket in self.pending_:
                self.blocks_[place].withdraw(ticket)
        predictions = losses if bare else np.array(forecasts, dtype=np.float64)
        return CombinerPlay(predictions, losses, rest if weights else None)

    @in_turn
    def predict(self, advice: Any = None) -> Any:
        """Predict one round; see `ExpertLearner.predict`."""
        return self._predict(advice)

    def _predict(self, advice: Any) -> Any:
        learner = self._next()
        forecast = learner.predict(advice)
        if not self.blocks_ or learner is not self.blocks_[-1]:
            self.blocks_.append(learner)
        forecast.block = len(self.blocks_) - 1
        return forecast

    def update(self, *report: Any) -> float:
        """Report an outcome, of the one open prediction or of the forecast that is named first."""
        waiting = [one for one in self.blocks_ if one.pending_]
        if len(report) == 2 and hasattr(report[0], "block"):
            place: int = report[0].block
            return self.blocks_[place].update(*report)
        if len(report) < 2 and len(self.pending_) == 1:
            return waiting[0].update(*report)
        fault = f"{len(self.pending_)} predictions wait for an outcome"
        raise RegretlessError(f"{fault}: give the forecast and its outcome" if waiting else f"{fault}: predict first")

    @property
    def weights(self) -> Array:
        """The weights of the next round."""
        return self._next().weights

    def _refuse_nothing(self) -> None:
        if not self.rounds_:
            raise RegretlessError("nothing was played yet")

    def bars(self) -> list[Bars]:
        """The weights of the experts in the next round."""
        return [Bars("Weights of the experts", self.names(), self.weights)]

    @property
    def rounds_(self) -> int:
        """Rounds played."""
        return sum(learner.rounds_ for learner in self.blocks_)

    @property
    def ledger_(self) -> ExpertLedger:
        """The books of all stretches in one."""
        self._refuse_nothing()
        played = [learner.ledger_ for learner in self.blocks_ if learner.rounds_]
        total = played[0]
        for ledger in played[1:]:
            total = total + ledger
        return total

    def comparators(
        self, advice: Any = None, outcomes: Any = None, *, switches: Sequence[int] = ()
    ) -> list[ExpertComparator]:
        """What fixed uses of the experts would have lost over all stretches."""
        from .certificates import comparators_of

        self._refuse_nothing()
        return comparators_of(self.blocks_[0], self.ledger_, advice, outcomes, switches=switches)

    def certify(
        self, advice: Any = None, outcomes: Any = None, *, comparators: Sequence[ExpertComparator] | None = None
    ) -> list[Certificate]:
        """The theorems about doubling, with the numbers of the run."""
        from ..theory.majority import DOUBLING
        from .certificates import certificates, facts

        compared = comparators if comparators is not None else self.comparators(advice, outcomes)
        blocks = tuple((learner.ledger_, facts(learner)) for learner in self.blocks_ if learner.rounds_)
        whole = facts(self.blocks_[0], blocks=blocks)
        late = any(one.delayed for _, one in blocks)
        return certificates(DOUBLING, self.ledger_, compared, replace(whole, delayed=late))
