"""The best sequence of members in hindsight: the rounds are played once more, and what each member loses in a block of
them is written down.

It may change members where a block ends. Which changes are worth what they cost is found exactly, by one step a block.
"""

from __future__ import annotations

from math import ceil, inf, log
from typing import Any, NamedTuple

import numpy as np

from ...data.batch import Array, Batch
from ...rows.narrowed import FewColumns
from ...theory.aggregated import AggregatedFacts, MemberComparator, change_cost
from ..replay import Rounds
from .state import AggregatedState, MixtureMember

BLOCKS = 256
FEW_STRETCHES = 4  # that a line names


class MemberBlocks(NamedTuple):
    """What members lost in blocks of rounds.

    Attributes
    ----------
    losses : ndarray, shape (blocks, targets, members)
        Infinite where there was no such member to the end of the block.
    ends : list of int
        How many rounds were played when each block ended.
    """

    losses: Array
    ends: list[int]


class BlockPlay:
    """The rounds played once more from the start, while what each member loses in each of some hundred blocks of them
    is written down.

    Parameters
    ----------
    state : AggregatedState
        Of the learner, after its run.
    rules : AggregatedRules
        That it played by.
    few : FewColumns, optional
        The rounds and the columns of the state that they have, where these are few.

    Attributes
    ----------
    few
        As it was given.
    twin : AggregatedState
        What was learned from the rounds that were played once more.
    """

    def __init__(self, state: AggregatedState, rules: Any, few: FewColumns | None = None) -> None:
        self._ours, self.few = state, few
        self.twin = state.without_matrices(few.which.size) if few else state.blank(state.columns, state.targets)
        self.twin.rules, self.twin.steady = state.rules, state.steady
        self._player: Any = self.twin.player(rules)
        self._wanted, self._done, self._plays = int(state.ledger().rounds), 0, True
        self._size = max(1, ceil(self._wanted / BLOCKS))
        self._losses: list[Array] = []
        self._ends: list[int] = []
        self._before = np.array(self.twin.part("loss"))
        self._same: bool | None = None  # which many columns take long to tell

    @property
    def begun(self) -> bool:
        """Whether rounds were played."""
        return self._done > 0 or not self._plays

    def play(self, batch: Batch, codes: Array) -> bool:
        """Play rounds; whether all were played so far."""
        begin = 0
        while begin < len(batch) and self._plays:
            end = min(len(batch), begin + self._size - self._done % self._size)
            rows = batch.values, batch.indices, batch.starts
            self._plays = self._player.play(*rows, codes, None, None, begin, end)[1] is None
            self._done, begin = self._done + end - begin, end
            if self._done % self._size == 0 or self._done == self._wanted:
                self._end_block()
        return self._plays

    def _end_block(self) -> None:
        now = np.array(self.twin.part("loss"))
        self._losses.append(np.where(self.twin.part("prior") > 0, now - self._before, inf))
        self._ends.append(self._done)
        self._before = now

    def blocks(self, rounds: Rounds) -> MemberBlocks | None:
        """What was written down, once the rounds were played as often as at first.

        Parameters
        ----------
        rounds : callable
            Reads them again, where that was more than once.

        Returns
        -------
        MemberBlocks or None
            None where that does not give the same bits: the order was another, rounds had weights, or classes and
            columns were not known from the start.
        """
        if self._done and self._wanted % self._done:
            return None  # no whole number of readings: these are other rounds, however many there are said to be
        while self._plays and 0 < self._done < self._wanted:
            for batch, codes in rounds():
                if not self.play(batch, codes):
                    break
        if self._same is None:
            self._same = self._plays and self._done == self._wanted and self._is_ours()
        return MemberBlocks(np.stack(self._losses), self._ends) if self._same else None

    def _is_ours(self) -> bool:
        return self._ours.same_within(self.twin, self.few.which.used) if self.few else self._ours.same(self.twin)


def best_sequence(
    blocks: MemberBlocks, target: int, facts: AggregatedFacts, members: list[MixtureMember]
) -> MemberComparator:
    """The sequence of members whose bound is the smallest.

    A change after t rounds costs ln K and what `change_cost` says. So the best sequence up to a block that ends with
    some member goes on from the best one that ends with the same member, or from the best one of all and a change.

    Parameters
    ----------
    blocks : MemberBlocks
    target : int
    facts : AggregatedFacts
        Of that target.
    members : list of MixtureMember
    """
    losses, count = blocks.losses[:, target], len(blocks.ends)
    changed = np.zeros(losses.shape, dtype=bool)
    leaders = np.zeros(count, dtype=int)
    bound = losses[0]
    for block in range(1, count):
        leaders[block] = int(bound.argmin())
        change = bound.min() + log(facts.members) + change_cost(blocks.ends[block - 1])
        changed[block] = change < bound
        bound = np.minimum(bound, change) + losses[block]
    member, path = int(bound.argmin()), []
    for block in range(count - 1, -1, -1):
        path.append(member)
        member = int(leaders[block]) if changed[block, member] else member
    return _of_path(path[::-1], losses, blocks.ends, members)


def _of_path(path: list[int], losses: Array, ends: list[int], members: list[MixtureMember]) -> MemberComparator:
    starts = [0, *(block for block in range(1, len(path)) if path[block] != path[block - 1])]
    firsts = [1 if block == 0 else ends[block - 1] + 1 for block in starts]
    names = [members[path[block]].name for block in starts]
    stretches = [f"{name} from round {first:,}" for name, first in zip(names, firsts, strict=True)]
    switches = len(starts) - 1
    label = ", then ".join(stretches) if switches < FEW_STRETCHES else f"a sequence of members with {switches} switches"
    return MemberComparator(
        "sequence",
        label,
        float(ends[-1]),
        float(losses[np.arange(len(path)), path].sum()),
        switches=switches,
        late=float(sum(change_cost(first - 1) for first in firsts[1:])),
        detail={"stretches": [[name, first] for name, first in zip(names, firsts, strict=True)]},
    )
