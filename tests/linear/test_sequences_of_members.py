"""The best sequence of the members of a mixture: found among all of them, never beaten by its bound, dear enough."""

from __future__ import annotations

from itertools import product
from math import e, inf, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.data.batch import Batch
from regretless.linear import AggregatedClassifier
from regretless.linear.aggregated.sequence import BlockPlay, MemberBlocks, best_sequence
from regretless.linear.aggregated.state import MixtureMember
from regretless.textbook import aggregated as book
from regretless.theory.aggregated import AggregatedFacts, change_cost

from ..examples import at_most


def turning(rows: int = 600, length: int = 100, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows of two features, and labels by a line whose sides change places after every so many."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, 2))
    sides = np.where(np.arange(rows) // length % 2, 1, -1)
    return X, np.where(sides * (X @ [1.0, -2.0]) > 0, 1, -1)


def bound_of(path: tuple[int, ...], losses: np.ndarray, ends: list[int]) -> float:
    """What a sequence of members loses, and what each of its changes costs."""
    count = losses.shape[1]
    changes = [block for block in range(1, len(path)) if path[block] != path[block - 1]]
    lost = sum(losses[block, member] for block, member in enumerate(path))
    mixed = log(count) + log(log(ends[-1] + e - 1))
    return lost + mixed + sum(log(count) + change_cost(ends[block - 1]) for block in changes)


@at_most(40)
@given(st.integers(0, 2**32), st.integers(1, 3), st.integers(1, 5), st.floats(0.1, 30), st.booleans())
def test_no_sequence_has_a_smaller_bound(seed, members, blocks, size, retires):
    """Of all sequences of members, which may change where a block ends, the best one has the smallest bound."""
    random = np.random.default_rng(seed)
    losses, ends = size * random.random((blocks, members)), np.cumsum(random.integers(1, 9, blocks)).tolist()
    if retires and members > 1:
        losses[blocks // 2 :, 0] = inf
    names = [MixtureMember(f"m{one}", "rate") for one in range(members)]
    facts = AggregatedFacts(norm=1.0, rate=1.0, members=float(members))
    best = best_sequence(MemberBlocks(losses[:, None], ends), 0, facts, names)
    least = min(bound_of(path, losses, ends) for path in product(range(members), repeat=blocks))
    read = best.loss + (best.switches + 1) * log(members) + log(log(ends[-1] + e - 1)) + best.late
    assert read == pytest.approx(least)
    assert best.rounds == ends[-1]


@pytest.mark.parametrize("passes", [1, 3])
def test_blocks_are_what_the_members_lost(passes):
    """The losses of all blocks sum to those of the members, however often the rounds were gone over, and a run in
    pieces has the same; rounds in another order, or of other labels, have none."""
    X, y = turning()
    codes, readings = y.astype(np.int32), []

    def read():
        readings.append(1)
        yield Batch(X[:250], None, 2), codes[:250]
        yield Batch(X[250:], None, 2), codes[250:]

    def blocks_of(learner):
        play = BlockPlay(learner.state_, learner.played_rules())
        for rounds in read():
            play.play(*rounds)
        return play.blocks(read)

    learner = AggregatedClassifier()
    for _ in range(passes):
        learner.partial_fit(X, y, classes=[-1, 1])
    blocks = blocks_of(learner)
    np.testing.assert_allclose(blocks.losses.sum(0)[:, learner.state_.present], learner.losses_, rtol=1e-12)
    assert blocks.ends[-1] == 600 * passes
    assert len(readings) == passes
    assert blocks_of(AggregatedClassifier(shuffle=True, random_state=0).fit(X, y)) is None
    assert blocks_of(AggregatedClassifier().fit(X, -y)) is None


def test_the_play_that_checks_the_rounds_is_the_one_that_sequences_are_read_from(monkeypatch):
    """Certificates are the same whether blocks were written down while rounds were checked or while they were read."""
    X, y = turning()
    learner = AggregatedClassifier(stacked=False).fit(X, y)
    checked = [one.describe() for one in learner.certify(X, y)]
    monkeypatch.setattr(AggregatedClassifier, "plays_again", lambda *_: (True, None))
    assert [one.describe() for one in learner.certify(X, y)] == checked


def test_a_mixture_that_tracks_is_bounded_by_a_sequence():
    """Where the sides of a line change places, the best sequence of members has a bound below that of the best member,
    and the line names it; of steady rows no line repeats the bound of one member."""
    X, y = turning()
    learner = AggregatedClassifier(stacked=False).fit(X, y)  # a stacked member tracks by itself
    lines = {one.theorem.name: one for one in learner.certify(X, y)}
    one = lines["switching"]
    assert one.holds
    assert one.bound < 0.95 * lines["mixture"].bound
    assert one.comparator.switches >= 2
    assert one.comparator.describe()["stretches"][0][1] == 1
    X, y = turning(300, 300)
    assert "switching" not in {one.theorem.name for one in AggregatedClassifier().fit(X, y).certify(X, y)}


def test_a_change_is_not_free():
    """Without what a change costs the bound is false: members that are right by turns, a round each, lose nothing
    together, and the mixture loses more than ln K + ln ln(T + e - 1)."""
    rounds = 64
    y = np.ones(rounds)
    scores = np.where((np.arange(rounds)[:, None] + np.arange(2)) % 2, 3.0, -3.0)
    loss = book.mixture(scores, y)[2]
    best = rounds * float(np.log1p(np.exp(-3.0)))
    mixed = log(2) + log(log(rounds + e - 1))
    assert best + mixed < loss
    assert loss <= best + mixed + sum(log(2) + change_cost(t) for t in range(1, rounds))
