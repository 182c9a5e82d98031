"""Tables of forecasts as shards, and what is run on each of them: a play by a copy of the learner, sums of losses."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import names_of
from ..blas import one_thread
from ..data.batch import Array
from ..errors import DataError, RegretlessError
from ..experts.certificates import facts
from ..experts.comparators import MOST_SOLVED, Totals
from ..experts.losses import WITHOUT_OUTCOME, Loss
from ..experts.validation import AdviceError, in_order, outcomes_of, table_of
from ..ledger import ExpertLedger
from ..theory.expert_facts import MIXED
from .paths import paths_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..data.forecast_stream import ForecastStream
    from ..experts.base import ExpertLearner
    from ..theory.expert_facts import ExpertFacts


@dataclass(frozen=True, slots=True)
class Experts:
    """The experts of all shards.

    Attributes
    ----------
    count : int
    width : int
        How many numbers a forecast has.
    names : list of str or None
    """

    count: int
    width: int = 1
    names: list[str] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ForecastShard(ABC):
    """Rounds of forecasts, and the outcomes beside them.

    Attributes
    ----------
    name : str
        What messages call it.
    place : int
        Among the shards, from 0.
    """

    name: str
    place: int

    @abstractmethod
    def experts(self, blind: bool) -> Experts:
        """The experts here; `blind` where there are no outcomes to look for."""

    @abstractmethod
    def play(self, learner: ExpertLearner, known: Experts) -> Totals | None:
        """Let a learner play all rounds; it gives what hindsight needs of them, if there are not too many experts.

        Parameters
        ----------
        learner : ExpertLearner
            A copy for this shard.
        known : Experts
            Those of all shards.

        Raises
        ------
        DataError
            If the shard cannot be used; it is named.
        """

    @abstractmethod
    def blocks(self, known: Experts, blind: bool) -> Iterator[tuple[Array, Array | None]]:
        """The rounds once more, as forecasts and outcomes, the experts in the order in which they are known.

        Parameters
        ----------
        known : Experts
            Those of all shards.
        blind : bool
            Whether there are no outcomes to look for.

        Yields
        ------
        forecasts : ndarray, shape (rounds, experts) or (rounds, experts, width)
        outcomes : ndarray or None
            None if `blind`.
        """


@dataclass(frozen=True, slots=True, eq=False)
class ForecastFile(ForecastShard):
    """A file, by its path.

    Attributes
    ----------
    path : str
    reading : mapping
        Options of `regretless.data.forecasts.open_forecasts`.
    """

    path: str
    reading: Mapping[str, Any] = field(default_factory=dict)

    def experts(self, blind: bool) -> Experts:
        """The experts of its first rows."""
        stream = self._open(None, blind)
        next(iter(stream.batches()))
        return Experts(len(stream.experts), 1, list(stream.experts))

    def play(self, learner: ExpertLearner, known: Experts) -> Totals | None:
        """As ``regretless combine`` would play the file alone."""
        from ..run.experts import CombineRun

        run = CombineRun(
            learner,
            self._open(known.names, learner._loss.name in WITHOUT_OUTCOME),
            arrivals=self.reading.get("arrivals") is not None,
            compare=known.count <= MOST_SOLVED,
        )
        run.play()
        if not run.rounds:
            raise DataError(self.name, None, None, "no row has an outcome", "leave this file out")
        return run.totals

    def blocks(self, known: Experts, blind: bool) -> Iterator[tuple[Array, Array | None]]:
        """The rows whose outcomes are known."""
        for batch in self._open(known.names, blind).batches():
            good = batch.with_outcomes()
            if len(good):
                yield good.advice, None if blind else good.outcomes

    def _open(self, names: list[str] | None, blind: bool) -> ForecastStream:
        from ..data.forecasts import open_forecasts

        timed = self.reading.get("time") is not None and self.reading.get("arrivals") is None
        return open_forecasts(self.path, names=names, **{"blocks": timed, **self.reading, "need_target": not blind})


@dataclass(frozen=True, slots=True, eq=False)
class ForecastArrays(ForecastShard):
    """Arrays or frames; or a function that gives them where the shard is played.

    Attributes
    ----------
    source : (forecasts, outcomes) or forecasts, or a function
    """

    source: Any

    def experts(self, blind: bool) -> Experts:
        """One expert a column."""
        forecasts, _ = self._read(blind)
        table = self._check_named(lambda: table_of(forecasts))
        return Experts(table.shape[1], table.shape[2] if table.ndim == 3 else 1, names_of(forecasts))

    def play(self, learner: ExpertLearner, known: Experts) -> Totals | None:
        """Play all rows at once."""
        forecasts, outcomes = self._read(learner._loss.name in WITHOUT_OUTCOME)
        self._check_named(lambda: learner.play(forecasts, outcomes))
        if known.count > MOST_SOLVED:
            return None
        totals = Totals(known.count, learner._loss)
        for advice, truth in self.blocks(known, outcomes is None):
            totals.add(advice, truth)
        return totals

    def blocks(self, known: Experts, blind: bool) -> Iterator[tuple[Array, Array | None]]:
        """The arrays as they are."""
        forecasts, outcomes = self._read(blind)
        table = in_order(table_of(forecasts), names_of(forecasts), known.names, 1)
        yield table, None if blind else outcomes_of(outcomes, len(table), known.width, classes=True)

    def _read(self, blind: bool) -> tuple[Any, Any]:
        pair = self.source() if callable(self.source) else self.source
        forecasts, outcomes = pair if isinstance(pair, tuple) and len(pair) == 2 else (pair, None)
        if blind:
            return forecasts, None
        if outcomes is None:
            advice = "give a pair of forecasts and outcomes; without outcomes there are loss=None and wealth"
            raise DataError(self.name, None, None, "there are no outcomes", advice)
        return forecasts, outcomes

    def _check_named(self, doing: Callable[[], Any]) -> Any:
        """Call a function; errors name the shard."""
        try:
            result = doing()
        except AdviceError as error:
            raise DataError(self.name, error.row + 1, None, error.fault, error.advice) from error
        except RegretlessError as error:
            raise RegretlessError(f"{self.name}: {error}") from error
        if not len(getattr(result, "losses", result)):
            raise DataError(self.name, None, None, "no rows", "leave this shard out")
        return result


def forecast_shards(shards: Any, reading: Mapping[str, Any]) -> list[ForecastShard]:
    """Shards of forecasts, of anything that stands for them.

    Parameters
    ----------
    shards
        As `combine` takes them.
    reading : mapping
        Of files: options of `regretless.data.forecasts.open_forecasts`.

    Raises
    ------
    RegretlessError
        If there are none, or they are nothing of the kind.
    """
    if isinstance(shards, Sequence) and not isinstance(shards, str) and len(shards) and not _paths(shards):
        if reading:
            raise RegretlessError(f"{', '.join(reading)}=: an option of reading files, and these shards are arrays")
        return [ForecastArrays(f"shard {place}", place, one) for place, one in enumerate(shards)]
    paths = paths_of(shards)
    return [ForecastFile(path, place, path, dict(reading)) for place, path in enumerate(paths)]


def _paths(shards: Sequence[Any]) -> bool:
    return all(isinstance(one, str) or hasattr(one, "__fspath__") for one in shards)


# ---- what is run on a shard, and how two results become one


def find_experts(blind: bool, shard: ForecastShard) -> Experts:
    """The experts of a shard."""
    return shard.experts(blind)


def keep_first(_: bool, left: Experts, __: Experts) -> Experts:
    """Keep the experts of the first shard: they are those of all."""
    return left


@dataclass(frozen=True, slots=True, eq=False)
class ShardPlay:
    """The result of one shard.

    Attributes
    ----------
    name : str
        Of the shard.
    ledger : ExpertLedger
    facts : ExpertFacts
        Of the copy of the learner that played it, after its last round.
    """

    name: str
    ledger: ExpertLedger
    facts: ExpertFacts


@dataclass(frozen=True, slots=True, eq=False)
class CombinedShards:
    """The result of some neighbouring shards.

    Attributes
    ----------
    ledger : ExpertLedger
        The sum of theirs.
    totals : Totals or None
        The sum of what hindsight needs.
    plays : tuple of ShardPlay
        In the order of the shards.
    """

    ledger: ExpertLedger
    totals: Totals | None
    plays: tuple[ShardPlay, ...]


@dataclass(frozen=True, slots=True)
class PlayTask:
    """What every shard needs to be played.

    Attributes
    ----------
    learner : ExpertLearner
        That has not played.
    known : Experts
    """

    learner: ExpertLearner
    known: Experts


def play_forecasts(task: PlayTask, shard: ForecastShard) -> CombinedShards:
    """Let a copy of the learner play a shard, from the prior."""
    learner = copy_for(task, shard.place)
    totals = shard.play(learner, task.known)
    result = learner.ledger_
    return CombinedShards(result, totals, (ShardPlay(shard.name, result, facts(learner)),))


def add_plays(_: PlayTask, left: CombinedShards, right: CombinedShards) -> CombinedShards:
    """Add the ledgers and totals of neighbours."""
    totals = None if left.totals is None or right.totals is None else left.totals + right.totals
    return CombinedShards(left.ledger + right.ledger, totals, left.plays + right.plays)


def copy_for(task: PlayTask, place: int) -> ExpertLearner:
    """A copy of the learner with the names of the experts set and a random stream of its own.

    Parameters
    ----------
    task : PlayTask
    place : int
        Of the shard, from 0: the copy's seed is made of it and of the learner's.

    Raises
    ------
    RegretlessError
        If the learner is for another number of experts.
    """
    changes: dict[str, Any] = {"n_experts": task.known.count}
    if task.learner.n_experts not in (None, task.known.count):
        raise RegretlessError(f"{task.known.count:,} experts on the shards, and n_experts={task.learner.n_experts}")
    if hasattr(task.learner, "seed_"):
        words = np.random.SeedSequence([task.learner.seed_, place]).generate_state(1, np.uint64)
        changes["random_state"] = int(words[0] >> np.uint64(1))
    learner = task.learner.clone(**changes)
    learner._begin(task.known.count, task.known.width)
    learner.expert_names_ = task.learner.expert_names_ or task.known.names
    return learner


@dataclass(frozen=True, slots=True, eq=False)
class FixedWeights:
    """The task of summing what fixed weights lose.

    Attributes
    ----------
    loss : Loss
    known : Experts
    weights : ndarray, shape (experts,)
    """

    loss: Loss
    known: Experts
    weights: Array


@one_thread()
def loss_of_weights(task: FixedWeights, shard: ForecastShard) -> float:
    """On one shard."""
    loss, among = task.loss, np.flatnonzero(task.weights)
    weights, total = task.weights[among], 0.0
    for advice, outcomes in shard.blocks(task.known, loss.name in WITHOUT_OUTCOME):
        part = advice[:, among].astype(np.float64)
        if loss.name in MIXED:
            truth = np.nan if outcomes is None else np.asarray(outcomes)[:, None]
            total += float((loss.of(part, truth) @ weights).sum())
        elif part.ndim == 3:
            total += float(loss.of_vectors(np.einsum("ten,e->tn", part, weights), outcomes).sum())
        else:
            total += float(loss.of(part @ weights, np.nan if outcomes is None else outcomes).sum())
    return total


def add_losses(_: FixedWeights, left: float, right: float) -> float:
    """Add the losses of neighbours."""
    return left + right
