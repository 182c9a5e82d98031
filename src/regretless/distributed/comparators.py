"""Comparators in hindsight over shards: each shard is read again where it is, and only sums come back.

Sums of shards are merged in the fixed tree, so that every engine with the same numpy gives the same numbers. What a
shard counts is its factor: of a mixed learner the sum of its weights mu over the epochs, of an ordinary one 1. Where
all rounds are few they are brought here, once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..certify import played
from ..data.batch import Array, Batch, norms2
from ..data.sample import SMALL, bytes_of, joined, owned
from ..errors import RegretlessError
from ..ledger import Ledger
from ..linear.base import OnlineClassifier
from ..linear.comparators.candidates import Means, Plan
from ..linear.comparators.evaluate import Span, Tally, VectorLosses, read_tallies, together
from ..linear.comparators.question import Question
from ..theory.mixing_facts import MixedFacts, MixedLedger
from .engine import Engine, Here
from .shards import Shard

Rounds = list[tuple[Batch, Array]]

# ---- the rounds of shards


@dataclass(frozen=True, slots=True)
class Reading:
    """How a shard is read again.

    Attributes
    ----------
    schema : dict or None
        The columns that all shards are read to.
    columns : int
        How many the model knows.
    classes : ndarray
    """

    schema: dict[str, Any] | None
    columns: int
    classes: Array

    def rounds(self, shard: Shard) -> Iterator[tuple[Batch, Array]]:
        """The rounds of a shard with what the kernel plays for their labels."""
        return played(shard.open(self.schema), self.columns, self.classes)


@dataclass(frozen=True, slots=True, eq=False)
class Size:
    """What one shard holds.

    Attributes
    ----------
    name : str
        Of the shard.
    rows : int
    norms2 : float
        The sum of their squared lengths.
    bytes : int
        About how many they are in memory.
    """

    name: str
    rows: int
    norms2: float
    bytes: int


def measure(common: tuple[Reading, float], shard: Shard) -> tuple[Size, ...]:
    """Read a shard and count its rows, squared lengths and bytes."""
    reading, intercept = common
    rows, total, size = 0, 0.0, 0
    for batch, _ in reading.rounds(shard):
        rows += len(batch)
        total += float(norms2(batch).sum()) + len(batch) * intercept**2
        size += bytes_of(batch)
    return (Size(shard.name, rows, total, size),)


def concatenate(_: Any, left: tuple[Any, ...], right: tuple[Any, ...]) -> tuple[Any, ...]:
    """The results of neighbours, one after the other."""
    return left + right


def sizes_of(learner: OnlineClassifier, shards: Sequence[Shard], engine: Engine, reading: Reading) -> tuple[Size, ...]:
    """How large each shard is, in one reading.

    Parameters
    ----------
    learner : OnlineClassifier
        Whose intercept lengthens the rows.
    shards : sequence of Shard
    engine : Engine
    reading : Reading
    """
    return engine.fold(measure, concatenate, (reading, learner.played_rules().intercept), shards)


def bring(reading: Reading, shard: Shard) -> tuple[tuple[str, Rounds], ...]:
    """All rounds of a small shard."""
    return ((shard.name, joined([(owned(batch), codes) for batch, codes in reading.rounds(shard)])),)


def gather(
    sizes: Sequence[Size], shards: Sequence[Shard], engine: Engine, reading: Reading
) -> dict[str, Rounds] | None:
    """The rounds of all shards by their names; None if they are too many, or some are sparse and others are not.

    Parameters
    ----------
    sizes : sequence of Size
        Of each shard.
    shards : sequence of Shard
    engine : Engine
    reading : Reading
    """
    if sum(size.bytes for size in sizes) > SMALL:
        return None
    result: tuple[tuple[str, Rounds], ...] = engine.fold(bring, concatenate, reading, shards)
    local_rounds = dict(result)
    return local_rounds if len({batch.sparse for rounds in local_rounds.values() for batch, _ in rounds}) < 2 else None


def rounds_at_hand(local_rounds: dict[str, Rounds] | None, sizes: Sequence[Size]) -> Any:
    """The function by which a question reads all rounds that are in memory, in the order of the shards.

    Parameters
    ----------
    local_rounds : dict or None
        As `gather` gives them.
    sizes : sequence of Size
        Of each shard, in their order.

    Returns
    -------
    callable
        Which raises a `RegretlessError` if the rounds are not at hand.
    """
    if local_rounds is None:

        def none() -> Iterator[tuple[Batch, Array]]:
            raise RegretlessError("the rounds of all shards are too many to be at hand")

        return none
    result = joined([part for size in sizes for part in widen(local_rounds, size.name)])

    def again() -> Iterator[tuple[Batch, Array]]:
        yield from result

    return again


def widen(local_rounds: dict[str, Rounds], name: str) -> Rounds:
    """The rounds of a shard, with as many columns as any shard has."""
    columns = max((batch.columns for rounds in local_rounds.values() for batch, _ in rounds), default=0)
    return [
        (batch if batch.starts is None else Batch(batch.values, None, columns, batch.indices, batch.starts), codes)
        for batch, codes in local_rounds[name]
    ]


# ---- what each shard counts and learns


@dataclass(frozen=True, slots=True)
class TallyTask:
    """What every shard counts: tallies, each round with the factor of its shard.

    Attributes
    ----------
    reading : Reading
    tallies : list of Tally
    factors : mapping
        What each round counts, by the name of its shard.
    spans : mapping
        Which rounds each target played, by the name of the shard.
    """

    reading: Reading
    tallies: list[Tally]
    factors: Mapping[str, float]
    spans: Mapping[str, list[Span]]


def count(common: TallyTask, shard: Shard) -> list[Any]:
    """The tallies of one shard."""
    return _tally(common, shard.name, common.reading.rounds(shard))


def _tally(common: TallyTask, name: str, rounds: Any) -> list[Any]:
    result = read_tallies([tally.fresh() for tally in common.tallies], rounds, common.spans[name])
    return [sums.scaled(common.factors[name]) for sums in result]


def add(_: Any, left: list[Any], right: list[Any]) -> list[Any]:
    """The tallies of neighbours, added."""
    return [one + other for one, other in zip(left, right, strict=True)]


@dataclass(frozen=True, slots=True)
class AverageTask:
    """What every shard learns, from nothing.

    Attributes
    ----------
    reading : Reading
    plans : sequence of Plan
        Of the learners whose mean weights are wanted.
    targets : int
    """

    reading: Reading
    plans: Sequence[Plan]
    targets: int


@dataclass(frozen=True, slots=True, eq=False)
class Averages:
    """Mean weights of some learners, None of those that overflowed, and over how many rounds they are means.

    Attributes
    ----------
    means : list of ((str, ndarray, ndarray) or None)
        Of each learner its name, the weights of shape (columns, targets), and the biases of shape (targets,).
    rounds : int
    """

    means: list[tuple[str, Array, Array] | None]
    rounds: int


def learn(common: AverageTask, shard: Shard) -> Averages:
    """Let the learners go over one shard, from nothing."""
    means, rounds = Means(common.reading.columns, common.targets, common.plans), 0
    for batch, codes in common.reading.rounds(shard):
        means.play(batch, codes)
        rounds += len(batch)
    return Averages(means.weights(), rounds)


def average(_: Any, left: Averages, right: Averages) -> Averages:
    """The means over the rounds of neighbours."""
    rounds = left.rounds + right.rounds
    share = right.rounds / rounds if rounds else 0.0
    results: list[tuple[str, Array, Array] | None] = []
    for one, other in zip(left.means, right.means, strict=True):
        if one is None or other is None:
            results.append(None)
        else:
            (name, weights, biases), (_, more, its) = one, other
            results.append((name, weights + (more - weights) * share, biases + (its - biases) * share))
    return Averages(results, rounds)


# ---- questions


@dataclass(frozen=True, slots=True)
class QuestionOverShards(Question):
    """What is to be certified over shards.

    Attributes
    ----------
    engine : Engine
    shards : sequence of Shard
    reading : Reading
    sizes : sequence of Size
        Of each shard.
    local_rounds : dict or None
        The rounds of all shards, by their names, if they are few.
    """

    engine: Engine = field(default_factory=Here)
    shards: Sequence[Shard] = ()
    reading: Reading | None = None
    sizes: Sequence[Size] = ()
    local_rounds: dict[str, Rounds] | None = None

    def factor(self, place: int) -> float:
        """The factor that each round of a shard has in sums."""
        return 1.0

    def gather(self, tallies: Sequence[Tally], whole: bool = False) -> list[Any]:
        """Sums of some tallies over all shards.

        Parameters
        ----------
        tallies : sequence of Tally
            What to count; each gives one sum.
        whole : bool, default=False
            Whether rounds are counted once, for all targets together.
        """
        targets = [self.whole_span()] if whole else [self.span(target) for target in range(self.state.targets)]
        spans, before = {}, 0
        for size in self.sizes:
            spans[size.name] = [span.within(before, size.rows) for span in targets]
            before += size.rows
        factors = {size.name: self.factor(place) for place, size in enumerate(self.sizes)}
        assert self.reading is not None
        results = []
        for group in together(tallies):
            results += self._fold(TallyTask(self.reading, group, factors, spans))
        return results

    def _fold(self, common: TallyTask) -> list[Any]:
        if self.local_rounds is None:
            return self.engine.fold(count, add, common, self.shards)
        local_rounds = self.local_rounds

        def at_hand(common: TallyTask, shard: Any) -> list[Any]:
            return _tally(common, shard.name, local_rounds[shard.name])

        return Here().fold(at_hand, add, common, self.sizes)

    def means(self, plans: Sequence[Plan], passes: int | None = None) -> list[tuple[str, Array, Array]]:
        """Mean weights of learners that go over all rounds, if these are at hand, and else once over each shard."""
        if self.local_rounds is not None:
            return Question.means(self, plans, passes)
        assert self.reading is not None
        common = AverageTask(self.reading, plans, self.state.targets)
        means = self.engine.fold(learn, average, common, self.shards).means
        return [one for one in means if one is not None]


@dataclass(frozen=True, slots=True)
class QuestionOfMixture(QuestionOverShards):
    """What is to be certified of a learner that was mixed.

    Attributes
    ----------
    shares : sequence of float
        The sum of mu of each shard over the epochs.
    passes : int
        How often a shard was gone over in an epoch.
    mixed : sequence of MixedLedger
        One a target.
    whole : MixedLedger
    """

    shares: Sequence[float] = ()
    passes: int = 1
    mixed: Sequence[MixedLedger] = ()
    whole: MixedLedger = field(default_factory=MixedLedger)

    def factor(self, place: int) -> float:
        """The sum of mu of a shard over the epochs."""
        return float(self.shares[place])

    def ledgers(self) -> list[Any]:
        """The books of mixing."""
        return list(self.mixed)

    def ledger(self) -> Any:
        """That of the whole."""
        return self.whole

    def sums(self, target: int | None = None) -> Ledger:
        """The weighted sums."""
        return (self.whole if target is None else self.mixed[target]).mixed

    def gather(self, tallies: Sequence[Tally], whole: bool = False) -> list[Any]:
        """Sums of some tallies over all shards and epochs; vectors have played each round once an epoch."""
        result = QuestionOverShards.gather(self, tallies, whole)
        epochs = self.whole.epochs
        return [replace(one, played=epochs * one.played) if isinstance(one, VectorLosses) else one for one in result]

    def whole_facts(self, norm: float) -> MixedFacts:
        """What theorems may ask of all classes together."""
        facts: Any = self.target_facts[0]
        mixed: MixedFacts = replace(facts, player=replace(facts.player, norm=norm), targets=1)
        return mixed

    def span(self, target: int) -> Span:
        """All rounds, as often as an epoch went over them."""
        return Span(self.rows, self.passes, 0)

    def whole_span(self) -> Span:
        """The same."""
        return Span(self.rows, self.passes, 0)
