"""Experts combined on every shard by itself: ledgers add up, and so does what theorems say against one comparator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from ...errors import RegretlessError
from ...experts.base import ExpertLearner
from ...experts.certificates import facts
from ...experts.losses import WITHOUT_OUTCOME
from ..engines.pools import engine_of
from ..rows.forecast_shards import Experts, ForecastShard, forecast_shards
from .result import Combined, CombinedShards, ShardPlay


@dataclass(frozen=True, slots=True)
class Task:
    """What every shard needs.

    Attributes
    ----------
    learner : ExpertLearner
        That has not played.
    known : Experts
    """

    learner: ExpertLearner
    known: Experts


def play(task: Task, shard: ForecastShard) -> CombinedShards:
    """Let a copy of the learner play a shard, from the prior."""
    learner = _copy(task, shard.place)
    totals = shard.play(learner, task.known)
    result = learner.ledger_
    return CombinedShards(result, totals, (ShardPlay(shard.name, result, facts(learner)),))


def merge(_: Task, left: CombinedShards, right: CombinedShards) -> CombinedShards:
    """Ledgers add."""
    totals = None if left.totals is None or right.totals is None else left.totals + right.totals
    return CombinedShards(left.ledger + right.ledger, totals, left.plays + right.plays)


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
    lost, and the rest are sums over all rounds of all shards. What is certified is about these sums.

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

    Notes
    -----
    The theorem. Let u be one comparator for all shards: an expert, or a convex (for `Ridge` a linear) combination. If a
    theorem bounds the regret against u by B_s(u) in every play of the rounds of shard s from the prior, then

        sum_s (loss of the learner's copy on s) - (loss of u on all shards) <= sum_s B_s(u).

    Proof: the loss of a fixed u on all rounds is the sum of its losses on the shards, so that the left side is the sum
    of the regrets R_s(u) of the copies, and R_s(u) <= B_s(u) on each. Nothing else is used: not the order of the
    shards, not where they were played. The same holds of mistakes and of expected losses, whose bounds add up in the
    same way. An expert that was silent on a whole shard had no regret there, and every B_s is at least 0 for it. Draws
    of experts are independent from shard to shard (each copy has a seed of its own, made of the learner's and of the
    shard's place), so that the luck of all draws is that of one sequence of independent draws as long as all shards.

    What this does not say: no learner went over all rounds. Every copy paid for finding out by itself, so that a bound
    that is constant in the rounds is S times that of one pass over S shards, and one that grows with the square root of
    the rounds is sqrt(S) times as large, for shards of one length. There are no weights for the rounds to come but
    those of a play that goes over the shards one after the other. And u is one for all shards: that each copy would
    also stand up to the best expert of its own shard is said by the certificates of the shards, not by the sum.

    What does not add up is declined, with its reason: the best sequence of experts with so many switches, for shards
    have no order among each other; the best combination under other losses than the square loss, which is no function
    of sums; `Doubling`, whose stretches begin anew by the count of all rounds.

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
    known = engine.fold(find_experts, keep_first, blind, cast(Any, tables[:1]))
    task = Task(fresh, known)
    template = _copy(task, 0)  # so that what does not fit is said before anything is played
    played = engine.fold(play, merge, task, cast(Any, tables), done=on_shard, stop=stop)
    return Combined(template, played, tables, known)


def find_experts(blind: bool, shard: ForecastShard) -> Experts:
    """Who forecasts on a shard."""
    return shard.experts(blind)


def keep_first(_: bool, left: Experts, __: Experts) -> Experts:
    """Those of the first shard are those of all."""
    return left


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


def _copy(task: Task, place: int) -> ExpertLearner:
    """A copy of the learner with the names of the experts set and a random stream of its own."""
    changes: dict[str, Any] = {"n_experts": task.known.count}
    if task.learner.n_experts not in (None, task.known.count):
        raise RegretlessError(f"{task.known.count} experts on the shards, and n_experts={task.learner.n_experts}")
    if hasattr(task.learner, "seed_"):
        words = np.random.SeedSequence([task.learner.seed_, place]).generate_state(1, np.uint64)
        changes["random_state"] = int(words[0] >> np.uint64(1))
    learner = task.learner.clone(**changes)
    learner._begin(task.known.count, task.known.width)
    learner.expert_names_ = task.learner.expert_names_ or task.known.names
    return learner
