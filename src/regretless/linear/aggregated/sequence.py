"""The best sequence of members in hindsight: the rounds are played once more, and what each member loses in a block of
them is written down.

It may change members where a block ends. Which changes are worth what they cost is found exactly, by one step a block.
"""

from __future__ import annotations

from math import ceil, inf, log
from typing import Any, NamedTuple

import numpy as np

from ...data.batch import Array, Batch
from ...theory.aggregated import AggregatedFacts, MemberComparator, change_cost
from ..certificates import plays_as_many
from ..comparators.search import Question
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


def by_blocks(question: Question) -> MemberBlocks | None:
    """What the members lost in each of some hundred blocks.

    Parameters
    ----------
    question : Question
        Its rounds are played once more from the start.

    Returns
    -------
    MemberBlocks or None
        None where that does not give the same bits: the order was another, rounds had weights, or classes and columns
        were not known from the start.
    """
    ours, wanted = question.state, int(question.ledger().rounds)
    assert isinstance(ours, AggregatedState)
    twin, size = ours.blank(ours.columns, ours.targets), max(1, ceil(wanted / BLOCKS))
    player: Any = twin.player(question.rules)
    losses, ends, before, done = [], [], np.array(twin.part("loss")), 0

    def play(batch: Batch, codes: Array) -> bool:
        nonlocal before, done
        begin = 0
        while begin < len(batch):
            end = min(len(batch), begin + size - done % size)
            why = player.play(batch.values, batch.indices, batch.starts, codes, None, None, begin, end)[1]
            if why is not None:
                return False
            done, begin = done + end - begin, end
            if done % size == 0 or done == wanted:
                now = np.array(twin.part("loss"))
                losses.append(np.where(twin.part("prior") > 0, now - before, inf))
                ends.append(done)
                before = now
        return True

    same = plays_as_many(ours, question.rounds, play) and ours.same(twin)
    return MemberBlocks(np.stack(losses), ends) if same else None


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
