"""Experts combined on every shard by itself: ledgers add up, and so does what theorems say against one comparator.

**The theorem.** Let u be one comparator for all shards: an expert, or a convex (for `Ridge` a linear) combination. If a
theorem bounds the regret against u by B_s(u) in every play of the rounds of shard s from the prior, then

    sum_s (loss of the learner's copy on s) - (loss of u on all shards) <= sum_s B_s(u).

**Proof.** The loss of a fixed u on all rounds is the sum of its losses on the shards, so that the left side is the sum
of the regrets R_s(u) of the copies, and R_s(u) <= B_s(u) on each. Nothing else is used: not the order of the shards,
not where they were played. The same holds of mistakes and of expected losses, whose bounds add up in the same way. An
expert that was silent on a whole shard had no regret there, and every B_s is at least 0 for it. Draws of experts are
independent from shard to shard (each copy has a seed of its own, made of the learner's and of the shard's place), so
that the luck of all draws is that of one sequence of independent draws as long as all shards.

**What this does not say.** No learner went over all rounds. Every copy paid for finding out by itself, so that a bound
that is constant in the rounds is S times that of one pass over S shards, and one that grows with the square root of the
rounds is sqrt(S) times as large, for shards of one length. There are no weights for the rounds to come but those of a
play that goes over the shards one after the other. And u is one for all shards: that each copy would also stand up to
the best expert of its own shard is said by the certificates of the shards, not by the sum.

**What does not add up** is declined, with its reason: the best sequence of experts with so many switches, for shards
have no order among each other; the best combination under other losses than the square loss, which is no function of
sums; `Doubling`, whose stretches begin anew by the count of all rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from math import inf, isnan, nan
from operator import add
from typing import Any

import numpy as np

from ..certificate import Certificate, Certificates
from ..comparator import ExpertComparator
from ..data.batch import Array
from ..errors import ParameterError, RegretlessError
from ..experts.base import ExpertLearner
from ..experts.comparators import ForecastHindsight, absent_reasons, one_expert
from ..experts.losses import WITHOUT_OUTCOME
from ..ledger import ExpertLedger
from ..theorem import BOUNDLESS, NO_NUMBERS, Theorem
from ..theory.expert_facts import divergence
from ..theory.rounding import of_regret
from .forecast_shards import (
    CombinedShards,
    Experts,
    FixedWeights,
    ForecastShard,
    PlayTask,
    add_losses,
    add_plays,
    copy_for,
    find_experts,
    forecast_shards,
    keep_first,
    loss_of_weights,
    play_forecasts,
)
from .pools import engine_of


def combine(
    learner: ExpertLearner,
    shards: Any,
    executor: Any = None,
    *,
    on_shard: Callable[[int], None] | None = None,
    stop: Callable[[], bool] | None = None,
    **reading: Any,
) -> Combined:
    """Combine the forecasts of experts on every shard by itself, and add up what was observed.

    Every shard is played from the prior by a copy of the learner of its own. Ledgers add: losses, what each expert
    lost, and the rest are sums over all rounds of all shards. What is certified is about these sums: beside one
    comparator for all shards the copies lose at most what the bounds of the shards add up to. It is no bound of one
    pass over all rounds; the head of this module has the proof, and what does not add up.

    Parameters
    ----------
    learner : ExpertLearner
        That has not played; it is left as it is. A horizon is that of one shard.
    shards : str, path, sequence of paths, sequence of (forecasts, outcomes), or sequence of callables
        Files, by a quoted pattern or by their paths; arrays or frames of shape (rounds, experts) or (rounds, experts,
        width) with their outcomes, or alone where the loss needs none; or functions that give such a pair where the
        shard is played.
    executor : Executor or Engine, optional
        The engine; by default this process, one after the other. The result has the same bits on every engine.
    on_shard : callable, optional
        Called with the place of each shard that is over.
    stop : callable, optional
        Called now and then; true stops the run.
    **reading
        Of files: options of `regretless.data.forecasts.open_forecasts`.

    Returns
    -------
    Combined

    Raises
    ------
    DataError
        If a shard cannot be used; it is named.
    RegretlessError
        If the learner cannot be copied for every shard, or the experts are not the same everywhere.
    Interrupted
        If `stop` was true.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.experts import AggregatingAlgorithm
    >>> rng = np.random.default_rng(0)
    >>> shards = [(rng.random((50, 3)), rng.random(50)) for _ in range(4)]
    >>> combined = combine(AggregatingAlgorithm(loss="square", value_range=(0, 1)), shards)
    >>> int(combined.ledger.rounds)
    200
    >>> combined.violated
    False
    """
    fresh = _fresh(learner)
    tables = forecast_shards(shards, reading)
    if not tables:
        raise RegretlessError("there are no shards")
    engine, blind = engine_of(executor), fresh._loss.name in WITHOUT_OUTCOME
    known = engine.fold(find_experts, keep_first, blind, tables[:1])
    task = PlayTask(fresh, known)
    template = copy_for(task, 0)  # so that what does not fit is said before anything is played
    played = engine.fold(play_forecasts, add_plays, task, tables, done=on_shard, stop=stop)
    return Combined(template, played, tables, known)


def _fresh(learner: Any) -> ExpertLearner:
    if not isinstance(learner, ExpertLearner):
        kind = type(learner).__name__
        if hasattr(learner, "blocks_"):
            raise RegretlessError(
                f"{kind}: its stretches begin anew by the count of all rounds, which no shard knows; play the shards "
                "with the learner itself, tuned by the horizon= of a shard"
            )
        raise RegretlessError(f"{kind} does not combine experts: regretless.experts has the learners that do")
    if learner.rounds_ or learner.pending_:
        raise RegretlessError(
            "every shard is played from the prior, and this learner has played already: give learner.clone()"
        )
    changes: Mapping[str, Any] = {"random_state": learner.seed_} if hasattr(learner, "seed_") else {}
    fresh = learner.clone(**changes)
    fresh.expert_names_ = learner.expert_names_
    return fresh


# ---- the result


@dataclass(frozen=True, slots=True, repr=False)
class OverShards(Certificate):
    """A theorem read on every shard against one comparator; what was observed and what bounds it are sums."""

    shards: int = 1

    @property
    def quantity(self) -> str:
        """What is bounded."""
        return f"{self.theorem.quantity} (sum over {self.shards} shards)" if self.shards > 1 else self.theorem.quantity


class Combined:
    """Experts combined on every shard by itself.

    Attributes
    ----------
    learner : ExpertLearner
        As every shard began with it; it has not played.
    ledger : ExpertLedger
        The sum of the ledgers of the shards.
    plays : tuple of ShardPlay
        The ledger of each shard, in their order, and the facts of the copy that played it.
    shards : list of ForecastShard
    absent : dict
        Which comparators there are not, and why.
    """

    def __init__(
        self, learner: ExpertLearner, played: CombinedShards, shards: Sequence[ForecastShard], known: Experts
    ) -> None:
        self.learner, self.ledger, self.plays = learner, played.ledger, played.plays
        self.shards = list(shards)
        self._totals, self._known = played.totals, known
        self.absent = self._absent()

    def __repr__(self) -> str:
        kind = type(self.learner).__name__
        return f"<Combined: {kind}, {self.rounds} rounds on {len(self.plays)} shards, loss {self.ledger.loss:.6g}>"

    @property
    def rounds(self) -> int:
        """Of all shards."""
        return int(self.ledger.rounds)

    def names(self) -> list[str]:
        """The experts' names, or their numbers from 0."""
        return self.learner.names()

    def _absent(self) -> dict[str, str]:
        loss = self.learner._loss
        reasons = absent_reasons(self.ledger, loss)
        if loss.name != "square":
            why = "under this loss it is no function of sums over the shards; weights of yours can be read (against=)"
            reasons.setdefault("best_convex", why)
        if self._totals is None:
            why = f"{self._known.count:,} experts are too many to add up what their combinations need"
            reasons.setdefault("best_convex", why)
            reasons["uniform"] = reasons["best_convex"]
        if loss.name != "square" or self._totals is None:
            reasons.setdefault("best_linear", reasons["best_convex"])
        reasons["best_shifting"] = "shards have no order among each other, and switches between them do not add up"
        return reasons

    def comparators(self) -> list[ExpertComparator]:
        """The best expert for all shards together, and combinations that follow from sums over the shards.

        Returns
        -------
        list of ExpertComparator
            `absent` says why others are missing.
        """
        known = self.learner._known()
        hindsight = ForecastHindsight(
            self.ledger, self.learner._loss, known.prior, lambda: (), self.learner.names(), self._totals
        )
        comparators = [hindsight.best_expert()]
        if self._totals is None:
            return comparators
        comparators.append(hindsight.uniform(self._totals))
        if "best_convex" not in self.absent:
            comparators += hindsight.best_convex(self._totals)
        if "best_linear" not in self.absent:
            # Each shard charges for the distance from the start, so that the sum of the bounds does so many times.
            price = float(getattr(self.learner, "a", 0.0)) * len(self.plays)
            comparators += hindsight.best_linear(self._totals, price, getattr(known, "start", None))
        return comparators

    def comparator(self, against: Any, executor: Any = None) -> ExpertComparator:
        """An expert, or fixed weights of yours, for all shards together.

        Parameters
        ----------
        against : int, str, or array-like of shape (experts,)
            An expert by number or name; or weights. An expert with a weight other than 0 must speak in every round.
        executor : Executor or Engine, optional
            For weights the shards are read once more, each where it is: the loss of fixed weights is a sum over shards.

        Raises
        ------
        RegretlessError
            If there is no such expert, or weights are not one for each expert, or one of them was silent.
        """
        if isinstance(against, str) or np.ndim(against) == 0:
            return self._expert(against)
        weights = np.asarray(against, dtype=np.float64)
        count = self._known.count
        if weights.shape != (count,) or not np.isfinite(weights).all():
            raise ParameterError(
                "against", "", f"of shape {weights.shape}: a finite weight for each of {count:,} experts", " "
            )
        if (self.ledger.spoke[weights != 0] < self.ledger.rounds).any():
            raise ParameterError("against", "", "an expert of these weights was silent in some rounds", ": ")
        lost = self._lost(weights, executor)
        apart = divergence(weights, self.learner._known().prior) if weights.min() >= 0 else np.inf
        book = self.ledger
        return ExpertComparator(
            "weights",
            "your weights",
            lost,
            book.loss,
            book.rounds,
            weights=weights,
            norm2=float(weights @ weights),
            divergence=apart,
            off=self._off(lost),
        )

    def _off(self, lost: float) -> float:
        loss = self.learner._loss
        return of_regret(self.ledger, loss.name, loss.tau, lost)

    def _expert(self, which: Any) -> ExpertComparator:
        names = self.names()
        named = isinstance(which, str)
        place = names.index(which) if named and which in names else -1 if named else int(which)
        if not 0 <= place < len(names):
            raise ParameterError("against", repr(which), f"the experts are {', '.join(names[:20])}", ": ")
        prior, label = self.learner._known().prior, f"expert {names[place]}"
        return one_expert(self.ledger, place, prior, "expert", label, self._off, {"expert": names[place]})

    def _lost(self, weights: Array, executor: Any) -> float:
        """What fixed weights lose on all shards."""
        task = FixedWeights(self.learner._loss, self._known, weights)
        return float(engine_of(executor).fold(loss_of_weights, add_losses, task, self.shards))

    def certify(self, *, against: Any = None, executor: Any = None) -> Certificates:
        """Each theorem about the learner, read on every shard against one comparator for all of them, and summed.

        See `combine` for why sums of bounds bound the sum.

        Parameters
        ----------
        against, executor
            As for `comparator`; by default the best expert and the best combinations that there are.

        Returns
        -------
        list of Certificate
            A theorem that does not apply on some shard says on which, and why, and prints no number.
        """
        result = self.comparators() if against is None else [self.comparator(against, executor)]
        strongest = sorted(result, key=lambda one: -one.regret)
        return Certificates(self._certificate(theorem, strongest) for theorem in self.learner.theorems)

    @property
    def violated(self) -> bool:
        """Whether a theorem that always holds was broken: a bug, in the code or in the theorem."""
        return any(one.violated for one in self.certify())

    def _certificate(self, theorem: Theorem, value: list[ExpertComparator]) -> Certificate:
        """Against the strongest comparator that it applies to; a bound on a count against the best expert."""
        if theorem.quantity != "regret":
            value = [one for one in value if one.expert is not None] or value
        each = [self._read(theorem, one) for one in value]
        # What keeps a theorem from an expert says more than what keeps it from a combination.
        reasons = [read for one, read in zip(value, each, strict=True) if one.expert is not None]
        return next((one for one in each if one.applies), (reasons or each)[0])

    def _read(self, theorem: Theorem, comparator: ExpertComparator) -> Certificate:
        """The theorem on all shards, against one comparator."""
        pairs = [(play, on_shard(comparator, play.ledger)) for play in self.plays]
        for play, part in pairs:
            obstacle = theorem.obstacle(play.ledger, part, play.facts)
            if obstacle is not None:
                where = f" (on {play.name})" if len(self.plays) > 1 else ""
                return OverShards(theorem, None, None, None, obstacle + where, shards=len(pairs))
        stands = pairs[0][0].facts
        if theorem.kind == "sure":
            bound = reduce(add, (theorem.value(play.ledger, part, play.facts) for play, part in pairs))
        else:
            # It is about draws, which are independent from shard to shard: one sequence of draws, as long as all.
            bound = theorem.value(self.ledger, comparator, stands)
        if isnan(bound) or bound == inf:
            why = BOUNDLESS if bound == inf else NO_NUMBERS
            return OverShards(theorem, None, None, None, why, shards=len(pairs))
        sure = 1 - (stands.delta or 0.0) if theorem.kind == "probable" else None
        observed = theorem.counts(self.ledger, comparator)
        most = theorem.limit(self.ledger, comparator, stands)
        return OverShards(theorem, observed, bound, comparator, None, sure, most=most, shards=len(pairs))

    def describe(self) -> dict[str, Any]:
        """What was observed and certified, as JSON values."""
        book, names = self.ledger, self.names()
        return {
            "learner": self.learner.name,
            "shards": [
                {"name": play.name, "rounds": int(play.ledger.rounds), "loss": play.ledger.loss} for play in self.plays
            ],
            "rounds": self.rounds,
            "loss": book.loss,
            "experts": {
                name: {"loss": float(lost), "rounds": int(spoke)}
                for name, lost, spoke in zip(names, book.losses, book.spoke, strict=True)
            },
            "comparators": [one.describe() for one in self.comparators()],
            "absent": dict(self.absent),
            "certificates": [one.describe() for one in self.certify()],
        }


def on_shard(comparator: ExpertComparator, ledger: ExpertLedger) -> ExpertComparator:
    """The same comparator in the rounds of one shard; what a combination lost there alone is not known.

    Parameters
    ----------
    comparator : ExpertComparator
        For all shards together.
    ledger : ExpertLedger
        Of the shard.
    """
    place = comparator.expert
    if place is None:
        return replace(comparator, loss=nan, faced=ledger.loss, rounds=ledger.rounds)
    lost, faced, spoke = (float(values[place]) for values in (ledger.losses, ledger.faced, ledger.spoke))
    return replace(comparator, loss=lost, faced=faced, rounds=spoke)
