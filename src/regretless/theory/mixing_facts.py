"""What the theorems of mixing ask of a learner, and how a theorem of one learner becomes one of many shards.

In a mixing some shards play their own rounds from the same weights, and the next mixing begins with the mean of what
they ended with, weighted by mu. The *weighted* sum of anything is its sum over mixings and shards, each times its mu.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from math import ceil, isclose, log2, sqrt
from typing import Any

import numpy as np

from ..certificate import NO_LIMIT, Most
from ..comparator import Comparator
from ..facts import Facts
from ..ledger import FIELDS, Ledger
from ..theorem import Check, Theorem, theorem
from .facts import SAME_ROUNDS, LinearFacts
from .gradient import ONE_LENGTH
from .rounding import EPSILON

# ---- What theorems of mixing are about: the books of shards, weighted by what each counts in the mean.


@dataclass(frozen=True, slots=True)
class MixedLedger:
    """Running totals of a learner whose weights are mixed.

    In a mixing some shards play from the same weights, and the next mixing begins with the weighted mean of what they
    ended with; mu is what a shard counts in the mean. In an epoch every shard is part of one mixing.

    Attributes
    ----------
    mixed : Ledger
        The sum over mixings and shards of mu times each book: what the theorems of mixing bound. Extremes are those of
        all rounds.
    plain : Ledger
        The sum of the same books as they are.
    shards, together : int
        How many there are, and how many at most are mixed together.
    epochs, mixings : int
    busy : int
        Epochs in which some shard had an update.
    path : float
        Rounds along the longest path: the sum over the mixings of the largest number of rounds of a shard.
    opening, slowing, closing : float
        Of the learning rates. With f and l the rates of the first and the last update of a shard in a mixing, and means
        weighted by mu over its shards: `opening` is the mean of 1 / f in the first mixing with an update; `slowing` the
        sum over the mixings of the mean of 1 / l - 1 / f, and of what the mean of 1 / f exceeds 1 / `closing` by, where
        it does; `closing` the mean of l in the last mixing with an update. A shard without an update takes no part in
        these means.
    """

    mixed: Ledger = field(default_factory=Ledger)
    plain: Ledger = field(default_factory=Ledger)
    shards: int = 0
    together: int = 0
    epochs: int = 0
    mixings: int = 0
    busy: int = 0
    path: float = 0.0
    opening: float = 0.0
    slowing: float = 0.0
    closing: float = 0.0

    def after(self, shares: Sequence[float], ledgers: Sequence[Ledger], together: int | None = None) -> MixedLedger:
        """The book one epoch later.

        Parameters
        ----------
        shares : sequence of float
            mu of each shard: they sum to 1 over the shards of a mixing, or are all 0 where none of them moved.
        ledgers : sequence of Ledger
            What each shard observed in this epoch, in the same order.
        together : int, optional
            How many neighbours are mixed; None: all shards.
        """
        size, count = together or max(len(ledgers), 1), len(ledgers)
        book = self
        for begin in range(0, count, size):
            book = book._after_mixing(shares[begin : begin + size], ledgers[begin : begin + size])
        busy = self.busy + any(ledger.updates > 0 for ledger in ledgers)
        most = max(self.together, min(size, count))
        return replace(book, shards=count, together=most, epochs=self.epochs + 1, busy=busy)

    def _after_mixing(self, shares: Sequence[float], ledgers: Sequence[Ledger]) -> MixedLedger:
        mixed, plain = self.mixed, self.plain
        for share, ledger in zip(shares, ledgers, strict=True):
            mixed, plain = mixed + ledger.scaled(float(share)), plain + ledger
        opening, slowing, closing = self._rates(shares, ledgers)
        return replace(
            self,
            mixed=mixed,
            plain=plain,
            mixings=self.mixings + 1,
            path=self.path + max(ledger.rounds for ledger in ledgers),
            opening=opening,
            slowing=slowing,
            closing=closing,
        )

    def _rates(self, shares: Sequence[float], ledgers: Sequence[Ledger]) -> tuple[float, float, float]:
        moved = [(float(mu), one) for mu, one in zip(shares, ledgers, strict=True) if mu > 0 and one.last_rate > 0]
        if not moved:
            return self.opening, self.slowing, self.closing
        total = sum(mu for mu, _ in moved)
        idle = max(0.0, 1 - total)
        closing = sum(mu * one.last_rate for mu, one in moved) / total
        # A shard without updates has no rate: with `closing` it drops out of the mean.
        first, last = (
            sum(mu / rate for mu, rate in rates) + idle / closing
            for rates in ([(mu, one.first_rate) for mu, one in moved], [(mu, one.last_rate) for mu, one in moved])
        )
        slowing = self.slowing + max(0.0, last - first)
        if self.opening == 0:
            return first, slowing, closing
        return self.opening, slowing + max(0.0, first - 1 / self.closing), closing

    def array(self) -> np.ndarray[Any, Any]:
        """All of it in one array of floats, which `read` takes."""
        rest = [getattr(self, name) for name in MIXED_FIELDS]
        return np.concatenate([self.mixed.array(), self.plain.array(), np.array(rest, dtype=np.float64)])

    @classmethod
    def read(cls, array: np.ndarray[Any, Any]) -> MixedLedger:
        """The ledger that `array` wrote."""
        size = len(FIELDS)
        rest = dict(zip(MIXED_FIELDS, np.asarray(array[2 * size :], dtype=np.float64).tolist(), strict=True))
        counts = {name: int(rest.pop(name)) for name in _MIXED_COUNTS}
        return cls(Ledger.read(array[:size]), Ledger.read(array[size : 2 * size]), **counts, **rest)


MIXED_FIELDS = tuple(one.name for one in fields(MixedLedger))[2:]
_MIXED_COUNTS = ("shards", "together", "epochs", "mixings", "busy")


# ---- What the theorems of mixing ask of a learner, and how a theorem of one learner becomes one of many shards.
#
# In a mixing some shards play their own rounds from the same weights, and the next mixing begins with the mean of what
# they ended with, weighted by mu. The *weighted* sum of anything is its sum over mixings and shards, each times its
# mu.


WEIGHTED_SUM = r"\sum_{n,i} \mu_{n,i} \sum_t"
SHARES = r"c = S\ (\text{uniform, updates}),\ 1 / \min \mu\ (\text{rows})"
TO_EPOCHS = r"c = 1\ (\text{updates}),\ S\ (\text{uniform}),\ 1 / \min \mu\ (\text{rows})"
Bound = Callable[[MixedLedger, Comparator, "MixedFacts"], float]


@dataclass(frozen=True, slots=True)
class MixedFacts(Facts):
    """One target of a learner whose weights are mixed, after its last epoch.

    Attributes
    ----------
    player : LinearFacts
        What theorems ask of the learner itself; its weights are the mixed ones.
    weighting : {"uniform", "updates", "rows"}
        What decides mu: it is the same for all shards of a mixing, in proportion to their updates, or to their rows.
    together : int
        How many shards at most are mixed together.
    least : float
        The smallest mu that a shard has in any mixing, if that is known before the run: 1 / together for "uniform", the
        smallest share of the rows of a mixing for "rows".
    targets : int
        How many learners share one mu: their updates count together.
    """

    player: LinearFacts
    weighting: str
    together: int
    least: float
    targets: int = 1

    @property
    def loss(self) -> str:
        """What the learner is charged."""
        return self.player.loss

    @property
    def total(self) -> float:
        """How many plain updates there are at most for each weighted one."""
        return 1 / self.least if self.weighting == "rows" else float(self.together)

    @property
    def busy(self) -> float:
        """How many epochs with an update there are at most for each weighted update."""
        return 1.0 if self.weighting == "updates" else self.total


def of_shards(single: Theorem, *, formula: str | None = None, source: str | None = None) -> Callable[[Bound], Theorem]:
    """Turn a formula into a theorem on the weighted sums that one learner's theorem says of its own.

    Parameters
    ----------
    single : Theorem
        Of one learner; its assumptions are asked of the weighted sums, and its formula is that of the weighted sums
        unless another is given.
    formula, source : str
        As of any theorem.
    """
    mixed = single.formula.replace(r"\sum_t", WEIGHTED_SUM)
    if mixed.startswith(r"M "):
        mixed = r"\sum_{n,i} \mu_{n,i} M_{n,i}" + mixed[1:]
    return theorem(
        title=f"{single.title}, mixed",
        quantity=f"weighted {single.quantity}",
        counts=_counts(single),
        formula=formula or mixed,
        source=source or f"{single.source}; mixed by convexity",
        assumes=tuple(lifted(check) for check in single.assumes),
        whole=False,
        most=_weighted_rounds if single.whole else _lifted_most(single),
    )


def of_all_updates(
    weighted: Theorem, bound: str, *, source: str, title: str = "All updates"
) -> Callable[[Bound], Theorem]:
    """Turn a formula into a theorem on the plain number of updates, by one on the weighted number.

    Parameters
    ----------
    weighted : Theorem
        Its assumptions are those of the new one.
    bound : str
        What stands beside c in the formula.
    source, title : str
        As of any theorem.
    """
    return theorem(
        title=title,
        quantity="updates",
        counts=lambda ledger, comparator: ledger.plain.updates,
        formula=rf"M \le c\, {bound},\quad {SHARES}",
        source=source,
        assumes=weighted.assumes,
    )


def of_epochs(
    weighted: Theorem, bound: str, *, source: str, title: str = "Epochs until clean", apart: bool = True
) -> Callable[[Bound], Theorem]:
    """Turn a formula into a theorem on the number of epochs with an update, by one on the weighted updates.

    Parameters
    ----------
    weighted, bound, source, title
        As of `of_all_updates`.
    apart : bool
        Whether several classes are learners apart, of which one may have an update when another has none.
    """
    return theorem(
        title=title,
        quantity="epochs with an update",
        counts=lambda ledger, comparator: ledger.busy,
        formula=rf"N \le c\, {bound},\quad {TO_EPOCHS}",
        source=source,
        assumes=(ALONE, *weighted.assumes) if apart else weighted.assumes,
        most=without_limit,
    )


def _alone(_: MixedLedger, __: Comparator, learner: MixedFacts) -> bool:
    return learner.targets == 1


ALONE: tuple[str, Check] = (
    "of several classes, each against the rest, one may have an update when another has none",
    _alone,
)


def lifted(check: tuple[str, Check]) -> tuple[str, Check]:
    """What one learner's theorem assumes, asked of the weighted sums."""
    words, holds = check
    if check is SAME_ROUNDS:
        return words, _same_rounds
    if check is ONE_LENGTH:  # which plain sums tell
        return words, lambda ledger, comparator, learner: holds(ledger.plain, comparator, learner.player)

    def asked(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> bool:
        return holds(ledger.mixed, comparator, learner.player)

    return words, asked


def _counts(single: Theorem) -> Callable[[MixedLedger, Comparator], float]:
    def counts(ledger: MixedLedger, comparator: Comparator) -> float:
        return single.counts(ledger.mixed, comparator)

    return counts


def _weighted_rounds(_: MixedLedger, comparator: Comparator, __: MixedFacts) -> Most:
    return Most(comparator.rounds, "the weighted number of rounds")


def _lifted_most(single: Theorem) -> Callable[[MixedLedger, Comparator, MixedFacts], Most] | None:
    """What one learner's quantity can be at most, of the weighted sums."""
    of = single.most
    return None if of is None else lambda ledger, comparator, learner: of(ledger.mixed, comparator, learner.player)


def _same_rounds(ledger: MixedLedger, comparator: Comparator, _: MixedFacts) -> bool:
    # Weighted counts are rounded; the plain ones of each shard were compared where they were read.
    mixed = ledger.mixed
    return isclose(comparator.rounds, mixed.rounds, rel_tol=1e-9, abs_tol=1e-300) and isclose(
        comparator.total_norm2, mixed.total_norm2, rel_tol=1e-7, abs_tol=1e-300
    )


def without_limit(_: MixedLedger, __: Comparator, ___: MixedFacts) -> Most:
    """Of what the number of rounds says nothing about."""
    return NO_LIMIT


# ---- what rounding may do


def of_mixed_hinge(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """By how much the weighted sum of hinge losses may be too small; see `rounding`."""
    terms = ledger.plain.rounds + ledger.shards + 2
    products = comparator.norm * sqrt(comparator.rounds) * sqrt(comparator.total_norm2)
    return EPSILON * (terms * comparator.hinge + (learner.player.width + 4) * products)


def of_mixed_posterior(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """By how much H + <v, u> may be too small where u is what the mixing has made of the sums of y x over the updates.

    Each of L levels of the tree makes of two vectors a + (b - a) t, with t wrong by L + 1 roundings: by less than (L +
    5) half EPSILON times |a| + |b|. No vector of any mixing is longer than all updates in a row, and these by Cauchy
    and Schwarz no longer than the root of their number times the sum of their squares.
    """
    plain, levels = ledger.plain, ceil(log2(max(ledger.together, 1)))
    roundings = plain.updates + learner.player.width + 4 + ledger.mixings * levels * (levels + 5)
    products = comparator.norm * sqrt(plain.updates) * sqrt(plain.update_norm2)
    return of_mixed_hinge(ledger, comparator, learner) + EPSILON * roundings * products
