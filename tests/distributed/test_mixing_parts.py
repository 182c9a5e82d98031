"""Weighted means over shards: their bits, their shape in the tree, and how they travel."""

from __future__ import annotations

import pickle
from dataclasses import fields, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.distributed import state_weights
from regretless.distributed.engine import MergeTree, pairs
from regretless.distributed.messages import MeanPart, Start
from regretless.distributed.weighted_mean import merge_parts, pack, unpack

reals = st.floats(-1e6, 1e6, width=64).map(lambda a: a + 0.0)  # kernels leave no -0
shares = st.sampled_from([0.0, 1.0, 1.0, 2.0, 3.0, 7.0])


@st.composite
def worlds(draw: Any, most: int = 7) -> tuple[np.ndarray, list[MeanPart]]:
    """A start, and dense parts of shards that have touched some rows of it and brought some of their own."""
    rows, targets, averaged = draw(st.integers(1, 6)), draw(st.integers(1, 3)), draw(st.booleans())
    start = np.array(draw(st.lists(reals, min_size=rows * targets, max_size=rows * targets))).reshape(rows, targets)
    parts = []
    for _ in range(draw(st.integers(1, most))):
        size = rows + draw(st.integers(0, 3))
        weights, sums = np.zeros((size, targets)), np.zeros((size, targets))
        weights[:rows] = start
        for row in draw(st.sets(st.integers(0, size - 1))):
            weights[row], sums[row] = draw(reals), draw(reals)
        parts.append(MeanPart(size, None, weights, sums if averaged else None, draw(shares), draw(st.integers(1, 9))))
    return start, parts


def sparse(start: np.ndarray, part: MeanPart) -> MeanPart:
    """The same part, of the touched rows alone."""
    begun = np.zeros_like(part.weights)
    begun[: len(start)] = start
    touched = (part.weights != begun).any(axis=1)
    if part.sums is not None:
        touched |= (part.sums != 0).any(axis=1)
    rows = np.flatnonzero(touched)
    return replace(part, rows=rows, weights=part.weights[rows], sums=None if part.sums is None else part.sums[rows])


def folded(start: np.ndarray, parts: list[MeanPart], order: list[int] | None = None) -> MeanPart:
    tree: MergeTree[MeanPart] = MergeTree(len(parts), lambda left, right: merge_parts(start, left, right))
    for place in order or range(len(parts)):
        tree.add(place, parts[place])
    return tree.result


def same(left: Any, right: Any) -> bool:
    """Whether arrays, or the lack of them, have the same bits."""
    if left is None or right is None:
        return left is right
    return left.shape == right.shape and left.tobytes() == right.tobytes()


@given(worlds(), st.lists(st.booleans(), min_size=7, max_size=7))
def test_sparse_and_dense_parts_in_any_mixture_give_the_same_bits(world: Any, which: list[bool]) -> None:
    """Whether a shard hands up all rows or the touched ones alone does not change a bit of the mean or of the sums."""
    start, parts = world
    some = [sparse(start, part) if thin else part for part, thin in zip(parts, which, strict=False)]
    dense, mixed = unpack(start, folded(start, parts)), unpack(start, folded(start, some))
    assert same(dense[0], mixed[0])
    assert same(dense[1], mixed[1])


@given(worlds(), st.randoms(use_true_random=False))
def test_the_order_in_which_results_come_does_not_matter(world: Any, random: Any) -> None:
    """Parts that reach the tree in any order give the bits of those that come one after the other."""
    start, parts = world
    order = list(range(len(parts)))
    random.shuffle(order)
    in_order, shuffled = folded(start, parts), folded(start, parts, order)
    assert same(in_order.weights, shuffled.weights)
    assert same(in_order.sums, shuffled.sums)
    assert (in_order.weight, in_order.rounds) == (shuffled.weight, shuffled.rounds)


@given(worlds())
def test_the_merge_is_the_weighted_mean(world: Any) -> None:
    """Up to rounding, the tree gives the mean of the weights by what their shards count, and the sums of the sums."""
    start, parts = world
    size, total = max(part.size for part in parts), sum(part.weight for part in parts)
    whole = [unpack(start, replace(part, size=part.size)) for part in parts]
    weights, sums = unpack(start, folded(start, parts))
    expected = np.zeros((size, start.shape[1]))
    if total:
        for (mine, _), part in zip(whole, parts, strict=True):
            expected[: part.size] += part.weight / total * mine
    else:
        expected[: len(start)] = start
    if len(parts) > 1 or total:
        assert np.allclose(weights, expected, rtol=1e-12, atol=1e-9)
    if sums is not None:
        expected[:] = 0
        for _, mine in whole:
            expected[: len(mine)] += mine
        assert np.allclose(sums, expected, rtol=1e-12, atol=1e-9)


@given(worlds())
def test_what_nobody_touched_keeps_its_bits(world: Any) -> None:
    """A row that no shard has moved comes out of the tree as it went in, and its sums are zero."""
    start, parts = world
    weights, sums = unpack(start, folded(start, parts))
    still = np.ones(len(start), dtype=bool)
    for part in parts:
        rows = sparse(start, part).rows
        assert rows is not None
        still[rows[rows < len(start)]] = False
    assert same(weights[: len(start)][still], start[still])
    assert sums is None or not sums[: len(start)][still].any()


@given(worlds(most=1), worlds(most=1))
def test_a_part_of_weight_0_gives_way(one: Any, other: Any) -> None:
    """A shard that counts nothing leaves the other's weights as they are, bit for bit, on either side."""
    start, (part,) = one
    nobody = MeanPart(part.size, None, np.full_like(part.weights, 5.0), part.sums, 0.0, 1.0)
    somebody = replace(part, weight=3.0)
    for left, right in [(nobody, somebody), (somebody, nobody)]:
        assert same(merge_parts(start, left, right).weights, somebody.weights)


def test_if_nobody_counts_the_start_stays() -> None:
    """Two parts of weight 0 leave what the shards began with, with zeros for the rows that are new."""
    start = np.array([[1.0], [2.0]])
    left = MeanPart(3, None, np.array([[7.0], [8.0], [9.0]]), None, 0.0, 1.0)
    assert merge_parts(start, left, left).weights.tolist() == [[1.0], [2.0], [0.0]]


@given(worlds(most=1))
def test_packed_is_lossless_and_short(world: Any) -> None:
    """What a shard packs is placed again bit for bit, and names rows only if that takes fewer numbers than all rows."""
    start, (part,) = world
    short = pack(start, part.weights, part.sums, 1.0, 1.0)
    weights, sums = unpack(start, short)
    assert same(weights, part.weights)
    assert same(sums, part.sums)
    width = part.weights.shape[1] * (1 if part.sums is None else 2)
    assert short.rows is None or len(short.rows) * (1 + width) < part.size * width


@given(st.integers(1, 40), st.randoms(use_true_random=False))
def test_the_tree_has_the_shape_that_pairs_says(leaves: int, random: Any) -> None:
    """Neighbours are bracketed level by level, and an odd one goes up as it is, in whatever order leaves come."""
    nodes = [str(place) for place in range(leaves)]
    for level in pairs(leaves):
        assert sum(level, ()) == tuple(range(len(nodes)))
        assert all(len(group) == 2 for group in level[:-1])
        nodes = [f"({nodes[group[0]]} {nodes[group[1]]})" if len(group) == 2 else nodes[group[0]] for group in level]
    tree: MergeTree[str] = MergeTree(leaves, lambda left, right: f"({left} {right})")
    order = list(range(leaves))
    random.shuffle(order)
    for place in order:
        tree.add(place, str(place))
    assert [tree.result] == nodes


@given(st.integers(1, 300))
def test_leaves_in_order_leave_few_nodes_waiting(leaves: int) -> None:
    """Leaves that come one after the other never leave more than one node a level waiting: memory is logarithmic."""
    tree: MergeTree[int] = MergeTree(leaves, lambda left, right: left + right)
    most = 0
    for place in range(leaves):
        tree.add(place, 1)
        most = max(most, tree.waiting)
    assert tree.result == leaves
    assert most <= leaves.bit_length()


def test_a_leaf_that_is_none_or_comes_twice_is_refused() -> None:
    """The tree takes each of its leaves once, and has no result before the last."""
    with pytest.raises(ValueError, match="a tree has a leaf"):
        MergeTree(0, max)
    tree: MergeTree[int] = MergeTree(2, max)
    tree.add(1, 1)
    for place in (1, 2, -1):
        with pytest.raises(ValueError, match=f"leaf {place} of 2"):
            tree.add(place, 1)
    with pytest.raises(ValueError, match="1 of 2 leaves are missing"):
        _ = tree.result


def a_start(weights: np.ndarray) -> Start:
    targets = weights.shape[1]
    return Start(
        learner="perceptron",
        parameters={"rate": 2.0},
        classes=np.array(["a", "b"]),
        columns=len(weights) - 1,
        schema={"format": "svmlight", "ids_from": 1},
        epoch=3,
        weighting="rows",
        weights=weights,
        norms2=np.arange(targets, dtype=float),
        clock=np.zeros((targets + (targets > 1), 13)),
    )


@given(worlds(most=1))
def test_a_start_travels_whole(world: Any) -> None:
    """A start comes out of a pickle as it went in."""
    weights, _ = world
    start = a_start(weights)
    again = pickle.loads(pickle.dumps(start))
    for field in fields(Start):
        before, after = getattr(start, field.name), getattr(again, field.name)
        assert same(before, after) if isinstance(before, np.ndarray) else before == after


def test_a_start_of_zeros_is_short() -> None:
    """Weights of a hundred thousand features of which ten are not zero travel as ten."""
    weights = np.zeros((100_001, 2))
    weights[1:11, 0] = 1
    assert len(pickle.dumps(a_start(weights))) < 3000


@given(worlds(most=1), st.sampled_from([8, 16, 1 << 16]))
def test_squared_lengths_are_summed_as_the_kernel_does(world: Any, stretch: int) -> None:
    """Eight running sums by column modulo eight, then a tree over them, then the constant feature's."""
    moving, _ = world
    moving = np.concatenate([moving] * 7)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(state_weights, "STRETCH", stretch)
        lengths_found = state_weights.lengths_of(moving[1:], moving[0]).tolist()
    for target, result in enumerate(lengths_found):
        lane = [0.0] * 8
        for place, value in enumerate(moving[1:, target].tolist()):
            lane[place % 8] += value * value
        for step in (4, 2, 1):
            lane = [a + b for a, b in zip(lane[:step], lane[step:], strict=True)]
        assert result == lane[0] + float(moving[0, target]) ** 2


def test_levels_halve() -> None:
    """Each level of the tree has half as many nodes as the one below, rounded up."""
    assert all(len(above) == (len(below) + 1) // 2 for below, above in pairwise(pairs(1000)))
