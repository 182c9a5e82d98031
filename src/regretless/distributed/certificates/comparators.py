"""Comparators in hindsight over shards: each shard is read where it is, and only sums come back.

Sums of shards are merged in the fixed tree, so that every engine with the same numpy gives the same numbers. What a
shard counts is its factor: of a mixed learner the sum of its weights mu over the epochs, of an ordinary one 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...data.batch import Array
from ...ledger import Ledger
from ...linear.comparators.accumulators import Span, Tally, taken, together
from ...linear.comparators.averages import Means, Plan
from ...linear.comparators.evaluate import Suffered
from ...linear.comparators.search import Question
from ...theory.mixing_facts import MixedFacts, MixedLedger
from ..engines.engine import Engine, Here
from ..rows.shards import Shard
from .shard_rounds import Reading, Rounds, Size


@dataclass(frozen=True, slots=True)
class Counted:
    """What every shard counts.

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


def count(common: Counted, shard: Shard) -> list[Any]:
    """The tallies of one shard."""
    return _counted(common, shard.name, common.reading.rounds(shard))


def _counted(common: Counted, name: str, rounds: Any) -> list[Any]:
    result = taken([tally.fresh() for tally in common.tallies], rounds, common.spans[name])
    return [sums.scaled(common.factors[name]) for sums in result]


def add(_: Any, left: list[Any], right: list[Any]) -> list[Any]:
    """The tallies of neighbours, added."""
    return [one + other for one, other in zip(left, right, strict=True)]


@dataclass(frozen=True, slots=True)
class Learned:
    """What every shard learns."""

    reading: Reading
    plans: Sequence[Plan]
    targets: int


@dataclass(frozen=True, slots=True, eq=False)
class Averages:
    """Mean weights of some learners, None of those that overflowed, and over how many rounds they are means."""

    means: list[tuple[str, Array, Array] | None]
    rounds: int


def learn(common: Learned, shard: Shard) -> Averages:
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
        """What each round of a shard counts."""
        return 1.0

    def gather(self, tallies: Sequence[Tally], whole: bool = False) -> list[Any]:
        """Sums of some tallies over all shards."""
        targets = [self.whole_span()] if whole else [self.span(target) for target in range(self.state.targets)]
        spans, before = {}, 0
        for size in self.sizes:
            spans[size.name] = [span.within(before, size.rows) for span in targets]
            before += size.rows
        factors = {size.name: self.factor(place) for place, size in enumerate(self.sizes)}
        assert self.reading is not None
        results = []
        for group in together(tallies):
            results += self._fold(Counted(self.reading, group, factors, spans))
        return results

    def _fold(self, common: Counted) -> list[Any]:
        if self.local_rounds is None:
            return self.engine.fold(count, add, common, self.shards)
        local_rounds = self.local_rounds

        def at_hand(common: Counted, shard: Any) -> list[Any]:
            return _counted(common, shard.name, local_rounds[shard.name])

        return Here().fold(at_hand, add, common, self.sizes)

    def means(self, plans: Sequence[Plan]) -> list[tuple[str, Array, Array]]:
        """Mean weights of learners that go over all rounds, if these are at hand, and else over each shard."""
        if self.local_rounds is not None:
            return Question.means(self, plans)
        assert self.reading is not None
        common = Learned(self.reading, plans, self.state.targets)
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
        """How often a shard has counted."""
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
        return [replace(one, played=epochs * one.played) if isinstance(one, Suffered) else one for one in result]

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
