"""A combiner that asks for few of the outcomes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ..arrays import names_of
from ..checks import share as share_of
from ..checks import whole
from ..errors import ParameterError, RegretlessError
from ..picture import Bars, Pictured
from ..turns import Turn, in_turn
from .base import ExpertLearner
from .comparators import own_losses
from .delayed_stream import bookmark
from .losses import TABLE, WITHOUT_OUTCOME
from .result import CombinerPlay, Schedule
from .state import ExpertState
from .validation import AdviceError, Array, table_of

if TYPE_CHECKING:
    from ..certificate import Certificate
    from ..comparator import ExpertComparator
    from ..theory.selective import AskedLedger, AskingFacts

STREAM = 0x5E1EC8  # the second half of the key of the draws
MOST_SEED = 2**64 - 1
PIECE = 1024  # rows that are played at once


class LabelEfficient(Pictured):
    """Plays a combiner that sees the outcome of a round with a fixed probability, and forecasts all rounds.

    What is learned is learned from the asked rounds alone, so that all theorems of the combiner hold of these; and what
    is known of them says, in expectation and with probability 1 - delta, how large the regret over all rounds is. With
    epsilon = m / T and a rate tuned for m rounds the expected regret is at most T s sqrt(ln N / (2 m)), s being the
    range of losses. The combiner is one of its own: save, look at and plot it.

    Parameters
    ----------
    base : ExpertLearner
        Any combiner that draws nothing, with a loss that has a name; it is not played itself, but copied. Its
        `horizon`, if it has one, is the number of outcomes that are to be asked.
    share : float
        The probability to ask, epsilon, strictly between 0 and 1.
    seed : int, default=0
        Of the draws, from 0 to 2^64 - 1. Round t has the same draw however the rounds come.
    rounds : int, default=0
        How many rounds were played before, of a learner that goes on with a saved `base`, which then is played itself.

    Attributes
    ----------
    learner_ : ExpertLearner
        The combiner, after the asked rounds.
    rounds_ : int
        How many rounds were forecast.

    References
    ----------
    Cesa-Bianchi, Lugosi and Stoltz 2005, Minimizing regret with label efficient prediction, IEEE Trans. Inf. Theory 51.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.experts import ExponentiallyWeightedAverage, LabelEfficient
    >>> rng = np.random.default_rng(0)
    >>> outcomes = rng.random(2000)
    >>> forecasts = np.clip(outcomes[:, None] + rng.normal(size=(2000, 3)) * [0.1, 0.3, 0.9], 0, 1)
    >>> learner = LabelEfficient(ExponentiallyWeightedAverage(horizon=100, loss="absolute"), share=0.05)
    >>> played = learner.play(forecasts, outcomes)
    >>> learner.learner_.rounds_, learner.weights.round(2).tolist()
    (106, [0.98, 0.02, 0.0])
    """

    name: ClassVar[str] = "label-efficient"

    def __init__(self, base: ExpertLearner, share: float, seed: int = 0, rounds: int = 0) -> None:
        if base.info.draws:
            raise RegretlessError(f"{base.name} draws experts, and its regret is no sum over rounds that were asked")
        if callable(base.loss):
            raise ParameterError("loss", "", "must have a name where outcomes are asked", " ")
        if whole("seed", seed, 0) > MOST_SEED:
            raise ParameterError("seed", repr(seed), "it must be below 2^64")
        self.share, self.seed, self.rounds_ = share_of("share", share), int(seed), whole("rounds", rounds, 0)
        self.learner_ = base if self.rounds_ else base.clone()
        self._asked = self.learner_.rounds_
        self._regrets: Array | None = None if self.rounds_ else np.zeros(0)
        self._lost = np.nan if self.rounds_ else 0.0
        self.turn = Turn()

    @property
    def weights(self) -> Array:
        """The weights of the next round."""
        return self.learner_.weights

    @property
    def asked_(self) -> int:
        """How many outcomes were asked."""
        return self._asked

    def bars(self) -> list[Bars]:
        """The weights of the experts in the next round."""
        return self.learner_.bars()

    def asks(self, begin: int, end: int) -> Array:
        """Whether the outcomes of the rounds begin <= t < end, from 0, are asked; nobody need wait for them to know."""
        source = np.random.Philox(key=np.array([self.seed, STREAM], np.uint64))
        source.advance(begin // 4)
        draws = np.random.Generator(source).random(end - begin + begin % 4)
        return np.asarray(draws[begin % 4 :] < self.share)

    @in_turn
    def play(self, advice: Any, outcomes: Any = None, *, weights: bool = False) -> CombinerPlay:
        """Play the rows of a table in their order; of the outcomes those alone are looked at that are asked.

        Parameters
        ----------
        advice, outcomes, weights
            As of `ExpertLearner.play`. Outcomes that are not asked may be nan: losses of all rows, and the regret over
            them, are known if none is.

        Returns
        -------
        CombinerPlay
            Forecasts of all rows; their losses, nan where the outcome is.

        Raises
        ------
        AdviceError
            If a row cannot be played; those before it are learned.
        RegretlessError
            If predictions wait for their outcomes.
        """
        learner = self.learner_
        if learner.pending_:
            raise RegretlessError("predictions wait for their outcomes: report these first, or use a fresh learner")
        table, named = table_of(advice), names_of(advice)
        experts, width = table.shape[1], table.shape[2] if table.ndim == 3 else 1
        state = learner._begin(experts, width)
        learner._learn_names(named)
        asks = self.asks(self.rounds_, self.rounds_ + len(table))
        known = learner._outcomes(outcomes, len(table), state)
        bare = learner._loss.name == TABLE
        played = CombinerPlay.room(len(table), experts, width, weights=weights or bare)
        for begin in range(0, len(table), PIECE):
            piece = slice(begin, begin + PIECE)
            its = None if known is None else known[piece]
            try:
                self._piece(state, table[piece], its, asks[piece], _part(played, piece))
            except AdviceError as error:
                raise error.at(begin + error.row) from error
        return played if weights else CombinerPlay(played.predictions, played.losses)

    def _piece(self, state: ExpertState, table: Array, outcomes: Any, asks: Array, played: CombinerPlay) -> None:
        """Some rows, of which all wait for their outcomes that are not asked, until the last of them is forecast."""
        before = state.rounds
        try:
            self.learner_._run(state, table, outcomes, _schedule(asks), played)
        except AdviceError as error:
            self.rounds_ += error.row
            self._asked += state.rounds - before
            self._lose_count()
            raise
        self.rounds_, self._asked = self.rounds_ + len(table), self._asked + int(asks.sum())
        self._count(table, outcomes, played)

    def _count(self, table: Array, outcomes: Array | None, played: CombinerPlay) -> None:
        """The losses of all rows, as far as outcomes are known, and the regret over them; row after row, so that sums
        do not depend on the pieces. An outcome out of range that was not asked is none."""
        loss = self.learner_._loss
        if outcomes is not None:
            outcomes = np.where((outcomes >= loss.low) & (outcomes <= loss.high), outcomes, np.nan)
        own = own_losses(table.astype(np.float64), outcomes, loss)
        if loss.name == TABLE:
            assert played.weights is not None
            played.losses[:] = np.where(np.isnan(table), 0.0, played.weights * np.nan_to_num(table)).sum(axis=1)
        else:
            played.losses[:] = own_losses(played.predictions[:, None].astype(np.float64), outcomes, loss)[:, 0]
        behind = np.where(np.isnan(own) & ~np.isnan(table.reshape(len(table), own.shape[1], -1)).any(2), np.nan, 0.0)
        regrets = np.where(np.isnan(own), behind, played.losses[:, None] - own)
        self._lost = float(np.cumsum([self._lost, *played.losses])[-1])
        if self._regrets is not None:
            before = self._regrets if self._regrets.size else np.zeros(own.shape[1])
            self._regrets = np.cumsum([before, *regrets], axis=0)[-1]

    def _lose_count(self) -> None:
        """Of a round that is not known nobody says what was lost in it."""
        self._regrets, self._lost = None, np.nan

    @in_turn
    def predict(self, advice: Any = None) -> Any:
        """Predict one round; see `ExpertLearner.predict`. The forecast is `wanted` if its outcome is asked, and it then
        is the ticket by which `update` takes it, late or out of order if need be."""
        forecast = self.learner_.predict(advice)
        forecast.wanted = bool(self.asks(self.rounds_, self.rounds_ + 1)[0])
        self.rounds_ += 1
        self._asked += forecast.wanted
        self._lose_count()
        if not forecast.wanted:
            self.learner_.withdraw(forecast)
        return forecast

    @in_turn
    def update(self, *report: Any) -> float:
        """Report an outcome that was asked: ``update(outcome)`` of the one open forecast, or ``update(forecast,
        outcome)``; the loss."""
        return self.learner_.update(*report)

    @property
    def ledger_(self) -> AskedLedger:
        """What was observed so far."""
        from ..theory.selective import AskedLedger

        learner = self.learner_
        known = self._regrets is not None and self._regrets.size and np.isfinite(self._regrets).all()
        waiting, regrets = self._asked - learner.rounds_, self._regrets if known else None
        lost = self._lost if np.isfinite(self._lost) else None
        return AskedLedger(self.rounds_, learner.rounds_, waiting, self.share, learner.ledger_, regrets, lost)

    def facts(self, delta: float = 0.05) -> AskingFacts:
        """What theorems may know of it besides its ledger."""
        from ..theory.selective import AskingFacts

        inner, loss = self.learner_.facts(), self.learner_._loss
        equal = bool(np.ptp(inner.prior) <= 1e-12)
        schedule = inner.schedule if inner.exponential and equal and inner.schedule in ("constant", "anytime") else ""
        mixes = not inner.linear and not inner.delayed and (inner.convex or loss.name in WITHOUT_OUTCOME)
        return AskingFacts(inner.experts, schedule, inner.rate, inner.span, mixes, share_of("delta", delta))

    def certify(
        self, *, delta: float = 0.05, comparators: Sequence[ExpertComparator] | None = None
    ) -> list[Certificate]:
        """What the asked rounds say of all, against the best expert of them; and the combiner's own theorems, which are
        about the asked rounds.

        Parameters
        ----------
        delta : float, default=0.05
            How improbable it may be that the probable bound fails.
        comparators : sequence of ExpertComparator, optional
            Of the asked rounds, to read the theorems against; by default the best expert alone.
        """
        from ..certificate import Certificates
        from ..theory.selective import LABEL_EFFICIENT

        compared = self.learner_.comparators() if comparators is None else comparators
        stands, ledger = self.facts(delta), self.ledger_
        own = [replace(one, theorem=_of_asked(one.theorem)) for one in self.learner_.certify(comparators=compared)]
        return Certificates([*(one.certify(ledger, compared, stands) for one in LABEL_EFFICIENT), *own])

    # In a file, beside the combiner.

    def describe(self) -> dict[str, Any]:
        """What it knows besides its combiner, as JSON values."""
        ledger = self.ledger_
        return {
            "share": self.share,
            "seed": self.seed,
            "rounds": self.rounds_,
            "loss": ledger.loss,
            "regrets": None if ledger.regrets is None else ledger.regrets.tolist(),
        }

    @classmethod
    def read(cls, base: ExpertLearner, described: Mapping[str, Any]) -> Self:
        """What `describe` gave, of a combiner that plays on.

        Raises
        ------
        ValueError
            If it does not fit together.
        """
        learner = cls(base, described["share"], described["seed"], described["rounds"])
        if learner.rounds_ < base.rounds_:
            raise ValueError(f"{base.rounds_:,} outcomes were asked in {learner.rounds_:,} rounds")
        if learner.rounds_ and described["loss"] is not None:
            learner._lost = float(described["loss"])
        if learner.rounds_ and described["regrets"] is not None:
            learner._regrets = np.array(described["regrets"], dtype=np.float64)
            if learner._regrets.shape != (base.n_experts_,) or not np.isfinite(learner._regrets).all():
                raise ValueError("the regrets over all rounds are not a number an expert")
        return learner

    def bookmark(self) -> Callable[[], None]:
        """What takes it back to where it stands."""
        back, counts = bookmark(self.learner_), (self.rounds_, self._asked, self._regrets, self._lost)

        def undo() -> None:
            back()
            self.rounds_, self._asked, self._regrets, self._lost = counts

        return undo


def _of_asked(theorem: Any) -> Any:
    """A theorem of the combiner, which says what it is about."""
    return replace(theorem, title=f"{theorem.title}, of the rounds asked")


def _schedule(asks: Array) -> Schedule:
    """Outcomes that are asked are settled before the next forecast, the others never: their weights stay in places of
    their own."""
    settled = np.concatenate([[0, 0], np.cumsum(asks)]).astype(np.int64)
    slots = np.where(asks, 0, np.cumsum(~asks)).astype(np.int64)
    return Schedule(np.flatnonzero(asks).astype(np.int64), settled, slots, int((~asks).sum()) + 1)


def _part(played: CombinerPlay, rows: slice) -> CombinerPlay:
    """The same room, for some of the rows."""
    weights = None if played.weights is None else played.weights[rows]
    return CombinerPlay(played.predictions[rows], played.losses[rows], weights)
