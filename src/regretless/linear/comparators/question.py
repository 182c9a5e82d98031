"""What is to be certified: a learner after its run, the rounds that it played, and what may be asked of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from math import ceil, nan
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ...data.batch import Array, Batch
from ...data.sample import PART, one_in
from ...ledger import Ledger
from ...rows.state import BaseState, Rules
from ...theorem import Theorem
from ...theory.facts import LinearFacts
from ..separation.budget import DEEPER, Budget
from ..separation.result import CallRows, by_places
from ..state import Geometry, Whitened
from .candidates import Means, Plan
from .evaluate import Span, Tally, read_tallies, signed, together
from .machines import FEW_ENTRIES, class_directions, machine_directions, penalties_of

if TYPE_CHECKING:
    from .rays import RaySums

T = TypeVar("T")
Rounds = Callable[[], Iterator[tuple[Batch, Array]]]
MOST_PLAYED = 1_000_000  # entries that the extra passes of one learner look at for a few targets, when rounds are few
DEEP_WORK = 5e10  # multiplications of a search that may take ten seconds or so
QUICK_WORK, WORK_AN_ENTRY, SEPARABLE = 1e8, 300.0, 4  # of one that may take as long as some passes
FEW_TARGETS = 4  # for each of which scales are looked for on several rays, and finely
MOST_CLIMBS = 10  # passes of support vector machines, which come near sooner
# The share of the duals by which a pass must raise them in the mean, or the next one is the last; that of few entries.
SETTLED, SETTLED_OF_FEW = 0.15, 0.05
LEAST_CLIMBED = 4096  # rows that machines climb along where a part is enough
# Of those of each class: entries times classes that all passes look at, unless these would be too few; and up to how
# many of them, in units of `MOST_PLAYED`, there are any.
MOST_CLIMBED, LEAST_CLIMBS, FEW_OF_CLASSES = 400_000, 2, 3
MOST_OF_CLASSES = 1 << 21  # weights of all classes up to which there are any: each penalty has them three times
# Passes of learners that are averaged, if each looks at some rows and not very few.
FEW_PASSES, FEW_ROWS = 10, 500
# Of a deep search: the machines of two classes, in units of 1 / r^2, and passes over so many entries of all classes.
DEEP_PENALTIES = [[digit * 10.0**power for power in range(-2, 6)] for digit in (1, 2, 5)]
DEEP_CLIMBS, DEEP_CLIMBED = 30, 100_000_000
ROWS_A_NUMBER = 80  # of all, for each weight of each target, from which on a part of them is enough to learn from
PIECE = 64  # rows that are looked at together, or not
MOST_SHUFFLED, NEIGHBOURS = 10_000, 32
MOST_MARGINS = 1 << 22  # of rows along directions, that are written down
OF_ROWS = "the direction of a linear SVM, C = {0:g}/r^2"
# The one machine of the rows as they are, where others climb in another geometry: those have a small weight of the
# constant feature, which beside very long rows costs more rounding than it is worth.
PLAIN, PLAIN_CLIMBS = 5.0, 2


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be certified.

    Attributes
    ----------
    state : State
        Of the learner, after its run.
    rules : Rules
        What it played by.
    target_facts : list of LinearFacts
        One a target.
    theorems : tuple of Theorem
    rounds : callable
        ``rounds()`` reads the same rounds again: batches with the numbers the kernel plays (signs, or places of
        classes).
    in_memory : bool
        Whether all rounds are at hand, as one batch, so that exact margins and linear SVMs may be tried.
    rows : int
        How many rounds there are in one reading.
    svm : bool
        Whether scikit-learn may be asked.
    against : tuple of (ndarray, float) or None
        The user's own comparators, shape (columns, targets), with their weights of the constant feature.
    deep : bool
        Whether support vector machines and the search for maximum margins may cost much more than a few passes.
    geometry : Geometry
        How the learner's theorems measure a comparator.
    sample : callable or None
        Reads some of the rounds, evenly spread over all and in memory, where all of them are not: what comparators are
        looked for on.
    counts : ndarray or None, shape (targets,)
        How many of the rows are of each target's class, if that is known without a reading of them.
    other : sequence of (name, vectors, weights of the constant feature)
        More directions to look along, shapes (columns, targets) and (targets,).
    replayed : object or None
        What the learner wrote down when it played the rounds again, to see whether they are its own.
    joined : float
        How many entries of the rows that were played each of these stands for. How long is searched goes by those.
    call : callable
        What rows are called, by their places among the rounds.
    fitted : dict
        What scikit-learn has fitted to the rounds, by what it was: a quick search and a deep one share it.
    """

    state: BaseState
    rules: Rules
    target_facts: list[LinearFacts]
    theorems: tuple[Theorem, ...]
    rounds: Rounds
    in_memory: bool
    rows: int
    svm: bool = False
    against: tuple[Array, Array] | None = None
    deep: bool = False
    geometry: Geometry = field(default_factory=lambda: Geometry())
    sample: Rounds | None = None
    counts: Array | None = None
    other: Sequence[tuple[str, Array, Array]] = ()
    replayed: Any = None
    joined: float = 1.0
    call: CallRows = by_places
    fitted: dict[Any, Any] = field(default_factory=dict)

    def fitted_once(self, what: Any, fit: Callable[[], list[T]]) -> list[T]:
        """What scikit-learn fits to the rounds, which takes long."""
        if what not in self.fitted:
            self.fitted[what] = fit()
        return list(self.fitted[what])

    def budget(self, entries: int, separable: bool = False, together: bool = False) -> Budget:
        """What a search over rows with so many entries may cost, for all classes together or for one target: more where
        it is known that it will end with a margin, or likely, as of rows in general position that are no more than the
        columns."""
        likely = separable or self.rows <= self.state.columns
        work = DEEP_WORK if self.deep else (QUICK_WORK + WORK_AN_ENTRY * entries) * (SEPARABLE if likely else 1)
        return Budget(work=work / (1 if together else self.state.targets), more="" if self.deep else DEEPER)

    def ledgers(self) -> list[Any]:
        """What theorems are read on: one ledger a target."""
        return list(self.state.ledgers())

    def ledger(self) -> Any:
        """That of the whole."""
        return self.state.ledger()

    def sums(self, target: int | None = None) -> Ledger:
        """How many rounds a target played, or the whole, and how long their rows are."""
        return self.state.ledger() if target is None else Ledger.read(self.state.books[target])

    def whole_facts(self, norm: float) -> Any:
        """What theorems may ask of all classes together, whose weights have this length."""
        passes = self.sums().rounds / self.rows if self.rows else nan
        return replace(self.target_facts[0], norm=norm, passes=passes if passes.is_integer() else nan)

    def span(self, target: int) -> Span:
        """Which of the rounds a target played."""
        return Span.of(self.rows, Ledger.read(self.state.books[target]).rounds)

    def whole_span(self) -> Span:
        """Which of the rounds all classes together played."""
        return Span.of(self.rows, self.state.ledger().rounds)

    def gather(self, tallies: Sequence[Tally], whole: bool = False) -> list[Any]:
        """What some tallies come to over the rounds that their targets played, or that all classes together did."""
        spans = [self.whole_span()] if whole else [self.span(target) for target in range(self.state.targets)]
        return [total for group in together(tallies) for total in read_tallies(group, self.rounds(), spans)]

    def look(self, sights: Sequence[Tally], whole: bool = False) -> list[RaySums]:
        """What some sights come to; of a sample, if there is one, each of its rounds for as many as it stands for."""
        if self.sample is None:
            seen = self.gather(sights, whole)
            if self.joined == 1:
                return seen
            known = (self._known(sight, whole) for sight in sights)
            return [replace(sums, longest=its[1], total=its[2]) for sums, its in zip(seen, known, strict=True)]
        rows = sum(len(batch) for batch, _ in self.sample())
        spans = [Span(rows, 1, 0)] * self.state.targets
        seen = []
        for sight, sums in zip(sights, read_tallies(sights, self.sample(), spans), strict=True):
            rounds, longest, total = self._known(sight, whole)
            seen.append(replace(sums.scaled(rounds / max(rows, 1)), rounds=rounds, longest=longest, total=total))
        return seen

    def _known(self, sight: Tally, whole: bool) -> Array:
        """How many rounds each direction's target played, their largest squared length, and the sum of these."""
        ledgers = [self.sums(None if whole else target) for target in sight.whose.tolist()]
        return np.array([(ledger.rounds, ledger.max_norm2, ledger.total_norm2) for ledger in ledgers]).T

    def writes_margins(self, directions: int) -> bool:
        """Whether the margins of all rows along so many directions have room: what a vector is charged is read from
        them then, rather than from the rows once more."""
        at_hand = self.in_memory and self.sample is None and self.against is None
        return at_hand and self.rows * directions <= MOST_MARGINS

    def at_hand(self) -> bool:
        """Whether rounds, or a sample of them, are in memory."""
        return self.in_memory or self.sample is not None

    def entries(self) -> int:
        """How many entries the rows have that comparators are looked for on, which are at hand."""
        return sum(self.entries_of(batch) for batch, _ in (self.sample or self.rounds)())

    def entries_of(self, batch: Batch) -> int:
        """How many entries some rows had when they were played."""
        return round(self.joined * batch.entries)

    def part_is_enough(self) -> bool:
        """Whether the weights are so few beside the rows that a part of these teaches about as much as all."""
        return self.rows >= ROWS_A_NUMBER * self.state.columns * self.state.targets

    def in_part(self) -> Question:
        """The question with one in so many of the rows that comparators are looked for on, which are at hand."""
        looked = (self.sample or self.rounds)()
        part = [piece for batch, codes in looked for piece in one_in(PART, batch, codes, PIECE)()]
        return replace(self, sample=partial(iter, part))

    def machines(self, target: int = 0) -> list[tuple[str, Array, Array]]:
        """Linear support vector machines of the rounds of two classes, or of one against the rest, or of the sample of
        them, in the geometry of the learner; if that is another than Euclid's, a quick search also has one of the rows
        as they are."""
        directions = []
        for batch, codes in (self.sample or self.rounds)():  # one batch, as they are at hand
            signs, longest2 = signed(codes, target, self.state.targets), self.sums().max_norm2
            plain = Whitened(batch, self.rules.intercept, longest2, as_it_is, OF_ROWS, self.geometry.plain())
            white = self.geometry.whitened(batch, target)
            entries = max(1, self.entries_of((white or plain).rows))
            most = len(batch) if self.deep else self._climbed_rows(len(batch), entries)
            climbs, settled = self._climbs(max(1, entries * most // max(1, len(batch)))), self.settled(entries)
            orders = orders_of(len(batch), climbs, most)
            for its, passes in self._climbers(plain, white) if orders else ():
                penalties = its.penalties or penalties_of(entries, self.is_wide())
                climbed = machine_directions(
                    its.rows, signs, its.intercept, its.length2, orders[:passes], penalties, its.inverse, settled
                )
                for penalty, vector, bias in climbed:
                    vector, bias = its.back(vector, bias)
                    directions.append((its.name.format(penalty), vector[:, None], np.array([bias])))
        return directions

    def _climbed_rows(self, rows: int, entries: int) -> int:
        """How many rows machines climb along, of some with so many entries: no more than teach so few weights."""
        return min(rows, max(LEAST_CLIMBED, ROWS_A_NUMBER * self.state.columns), ceil(MOST_PLAYED * rows / entries))

    def is_wide(self) -> bool:
        """Whether rows are no more than their columns, and so may well have a margin, to which every pass and larger
        penalties come nearer."""
        return self.rows <= self.state.columns

    def settled(self, entries: int) -> float:
        """The share of the duals by which a pass over so many entries must raise them, or the next one is the last."""
        if self.deep or self.is_wide():
            return 0.0
        return SETTLED_OF_FEW if entries <= FEW_ENTRIES else SETTLED

    def _climbs(self, entries: int) -> int:
        """How many passes machines make over rows with so many entries."""
        if self.deep:
            return min(DEEP_CLIMBS, DEEP_CLIMBED // (entries * self.state.targets))
        return min(MOST_CLIMBS, passes_over(entries))

    def _climbers(self, plain: Whitened, white: Whitened | None) -> list[tuple[Whitened, int]]:
        """The rows of which machines are made, with their penalties, and in how many passes at most."""
        if not self.deep:
            first = white or plain, MOST_CLIMBS
            return [first] if white is None else [first, (replace(plain, penalties=(PLAIN,)), PLAIN_CLIMBS)]
        rows = white or plain
        each = [replace(rows, penalties=its) for its in DEEP_PENALTIES] if self.state.targets == 1 else [rows]
        return [(its, DEEP_CLIMBS) for its in each]

    def has_few(self) -> bool:
        """Whether the rows that comparators are looked for on are at hand, and few for machines of each class, of few
        weights."""
        columns, targets = self.state.columns, self.state.targets
        few = self.at_hand() and columns * targets <= MOST_OF_CLASSES
        return few and self.entries() * targets <= FEW_OF_CLASSES * MOST_PLAYED

    def has_many(self) -> bool:
        """Whether they are at hand, and many for learners of each class."""
        return self.at_hand() and self.entries() > MOST_PLAYED

    def machines_of_classes(self) -> list[tuple[str, Array, Array]]:
        """Linear support vector machines of each class against the rest, of the rounds or of the sample of them."""
        targets, directions = self.state.targets, []
        for batch, codes in (self.sample or self.rounds)():
            entries, longest2 = self.entries_of(batch), self.sums().max_norm2
            orders = orders_of(len(batch), climbs_of_classes(entries, targets))
            how = self.rules.intercept, longest2, orders, self.settled(entries * targets)
            machines = class_directions(batch, codes, targets, *how)
            directions += [(OF_ROWS.format(penalty), vectors, biases) for penalty, vectors, biases in machines]
        return directions

    def means(self, plans: Sequence[Plan], passes: int | None = None) -> list[tuple[str, Array, Array]]:
        """Mean weights of other learners that go over the same rounds, by default as often as is worth it, without
        those whose play failed."""
        means, count = Means(self.state.columns, self.state.targets, plans), passes or epochs(self)
        if self.at_hand():
            for batch, codes in (self.sample or self.rounds)():
                most = None if self.sample is None else ceil(MOST_PLAYED * len(batch) / max(1, batch.entries))
                for order in orders_of(len(batch), count, most):
                    means.play(batch, codes, order)
        else:
            for _ in range(count):
                for batch, codes in self.rounds():
                    means.play(batch, codes)
        return [mean for mean in means.weights() if mean is not None]


def as_it_is(vector: Array, bias: float) -> tuple[Array, float]:
    """The weights themselves."""
    return vector, bias


def epochs(question: Question) -> int:
    """How often other learners go over the rounds: few of them are worth more passes."""
    if not question.at_hand():
        return 1
    passes = passes_over(question.entries() * max(1, question.state.targets // FEW_TARGETS))
    return min(passes, max(FEW_PASSES, FEW_PASSES * FEW_ROWS // max(1, question.rows)))


def climbs_of_classes(entries: int, classes: int) -> int:
    """How many passes the machines of each class make over rows with so many entries."""
    return min(MOST_CLIMBS, max(LEAST_CLIMBS, MOST_CLIMBED // max(1, entries * classes)))


def passes_over(entries: int) -> int:
    """How many passes over rows with so many entries are worth their time."""
    return min(30, max(1, MOST_PLAYED // max(entries, 1)))


def orders_of(rows: int, passes: int, most: int | None = None) -> list[Array]:
    """The orders of some passes, or so many rows of each: what comes sorted by label would be learned badly. All
    searches over so many rows have the same, and those of few rows are kept."""
    if rows <= MOST_SHUFFLED:
        return [order[:most] for order in _orders_of_few(rows, passes)]
    return list(_orders(rows, passes, most))


def _orders(rows: int, passes: int, most: int | None = None) -> tuple[Array, ...]:
    random = np.random.default_rng(0)
    orders = tuple(_order(rows, random, most) for _ in range(passes))
    for order in orders:
        order.flags.writeable = False  # others are given the same
    return orders


_orders_of_few = lru_cache(maxsize=8)(_orders)


def _order(rows: int, random: np.random.Generator, most: int | None) -> Array:
    """An order of its own, or the first of it. Neighbours of many rows stay together, since memory is read in its own
    order three times as fast."""
    if rows <= MOST_SHUFFLED:
        return random.permutation(rows)
    starts = random.permutation(ceil(rows / NEIGHBOURS)) * NEIGHBOURS
    if most is not None:
        starts = starts[: ceil(most / NEIGHBOURS) + 1]  # the last rows may be fewer
    order = (starts[:, None] + np.arange(NEIGHBOURS)).ravel()
    return order[order < rows][:most]
