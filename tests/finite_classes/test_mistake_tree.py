"""Mistake trees: walks, their JSON form, and a checker that shares nothing with the search that finds them."""

from __future__ import annotations

import json
import pickle
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.errors import RegretlessError
from regretless.finite_classes import FiniteClass, MistakeTree, littlestone_dimension

THRESHOLDS = FiniteClass([[int(x >= t) for x in range(7)] for t in range(8)])
BINARY_SEARCH = MistakeTree(np.array([3, 5, 1, 6, 4, 2, 0]), np.arange(7, -1, -1))


def cube(points: int) -> FiniteClass:
    return FiniteClass(list(product((0, 1), repeat=points)))


def told_apart(points: int) -> MistakeTree:
    """The tree of all functions that asks the points in their order."""
    return MistakeTree(np.repeat(np.arange(points), 2 ** np.arange(points)), np.arange(2**points))


@st.composite
def trees(draw: st.DrawFn, points: int = 100, hypotheses: int = 300) -> MistakeTree:
    depth = draw(st.integers(0, 4))
    numbers = [st.integers(0, points - 1), st.integers(0, hypotheses - 1)]
    queries, leaves = (
        draw(st.lists(number, min_size=count, max_size=count))
        for number, count in zip(numbers, (2**depth - 1, 2**depth), strict=True)
    )
    return MistakeTree(np.array(queries, dtype=np.int64), np.array(leaves, dtype=np.int64))


def test_binary_search_is_a_mistake_tree_of_thresholds() -> None:
    """Seven thresholds are shattered to depth three by halving, and every path has its own."""
    BINARY_SEARCH.check(THRESHOLDS)
    assert BINARY_SEARCH.depth == 3
    assert BINARY_SEARCH.point() == 3
    assert BINARY_SEARCH.point([1, 0]) == 2
    assert BINARY_SEARCH.hypothesis([1, 0, 1]) == 2


@pytest.mark.parametrize("points", range(11))
def test_all_functions_are_shattered_in_any_order_of_points(points: int) -> None:
    """All functions of n points shatter the tree that asks them one by one."""
    told_apart(points).check(cube(points) if points else FiniteClass([[0]]))


def test_points_beyond_the_first_word_are_looked_at_too() -> None:
    """A tree of points 63, 64 and 130 is shattered by a class that is constant elsewhere; not when one bit is off."""
    table = np.zeros((8, 131), dtype=bool)
    table[:, [63, 64, 130]] = list(product((0, 1), repeat=3))
    tree = MistakeTree(np.array([63, 64, 64, 130, 130, 130, 130]), np.arange(8))
    tree.check(FiniteClass(table))
    table[5, [0, 130]] ^= True
    with pytest.raises(RegretlessError, match="path 101 hypothesis 5 has label 0 for point 130 in round 3"):
        tree.check(FiniteClass(table))


def shatters(table: np.ndarray[Any, Any], tree: MistakeTree) -> bool:
    """Whether it does, said again."""
    for leaf, labels in enumerate(product((0, 1), repeat=tree.depth)):
        node = 0
        for label in labels:
            if table[tree.leaves[leaf], tree.points[node]] != label:
                return False
            node = 2 * node + 1 + label
    return True


@given(st.data(), st.integers(1, 5), st.integers(1, 12))
def test_the_checker_accepts_what_is_shattered_and_nothing_else(data: st.DataObject, points: int, count: int) -> None:
    """A random tree passes if and only if each leaf's hypothesis has the labels of its path."""
    rows = data.draw(st.lists(st.tuples(*[st.integers(0, 1)] * points), min_size=count, max_size=count))
    finite_class = FiniteClass(rows)
    tree = data.draw(trees(points, finite_class.hypotheses))
    if shatters(finite_class.matrix, tree):
        tree.check(finite_class)
    else:
        with pytest.raises(RegretlessError, match="not shattered"):
            tree.check(finite_class)


@pytest.mark.parametrize("place", range(15))
def test_no_node_of_a_shattered_tree_may_be_changed(place: int) -> None:
    """A tree of all functions of four points with one node or leaf replaced is refused."""
    tree = told_apart(4)
    points, leaves = tree.points.copy(), tree.leaves.copy()
    points[place] = (points[place] + 1) % 4
    with pytest.raises(RegretlessError, match="not shattered"):
        MistakeTree(points, tree.leaves).check(cube(4))
    leaves[place] += 1
    with pytest.raises(RegretlessError, match="not shattered"):
        MistakeTree(tree.points, leaves).check(cube(4))


def test_numbers_that_the_class_does_not_have_are_named() -> None:
    """Points and hypotheses below zero or beyond the class are refused before they are looked up."""
    for wrong in (-1, 7):
        with pytest.raises(RegretlessError, match=f"number {wrong} of a class of 7 points"):
            MistakeTree(np.array([wrong]), np.array([1, 0])).check(THRESHOLDS)
    for wrong in (-1, 8):
        with pytest.raises(RegretlessError, match=f"number {wrong} of a class of 8 hypotheses"):
            MistakeTree(np.array([0]), np.array([1, wrong])).check(THRESHOLDS)


@given(trees())
def test_walks_agree_with_paths(tree: MistakeTree) -> None:
    """Each path's points and hypothesis are those that its labels lead to, one at a time."""
    paths = list(tree.paths())
    assert [labels for labels, _, _ in paths] == list(product((0, 1), repeat=tree.depth))
    for leaf, (labels, points, hypothesis) in enumerate(paths):
        assert points == tuple(tree.point(labels[:k]) for k in range(tree.depth))
        assert hypothesis == tree.hypothesis(labels) == tree.leaves[leaf]
        for k in range(tree.depth + 1):
            assert tree.hypothesis(labels[:k]) == tree.hypothesis(labels[:k] + (0,) * (tree.depth - k))


@given(trees())
def test_subtrees_are_what_follows_a_label(tree: MistakeTree) -> None:
    """The paths of both subtrees, in their order, are the paths of the tree without their first round."""
    if tree.depth == 0:
        with pytest.raises(RegretlessError, match="depth 0"):
            tree.subtree(0)
        return
    below = [path for label in (0, 1) for path in tree.subtree(label).paths()]
    assert below == [(labels[1:], points[1:], hypothesis) for labels, points, hypothesis in tree.paths()]


@given(trees())
def test_the_json_form_is_read_back(tree: MistakeTree) -> None:
    """Through JSON text, with numbers or with names, and through pickle a tree comes back as it was."""
    assert MistakeTree.from_nested(json.loads(json.dumps(tree.nested()))) == tree
    points, hypotheses = [f"x{n}" for n in range(100)], [f"h{n}" for n in range(300)]
    named = json.loads(json.dumps(tree.nested(points, hypotheses)))
    assert MistakeTree.from_nested(named, points, hypotheses) == tree
    assert pickle.loads(pickle.dumps(tree)) == tree


def test_the_json_form_of_a_small_tree() -> None:
    """Nodes hold their point and what follows each label, leaves their hypothesis."""
    tree = MistakeTree(np.array([4]), np.array([2, 0]))
    assert tree.nested() == {"x": 4, "0": {"h": 2}, "1": {"h": 0}}
    assert tree.nested("abcde", ["p", "q", "r"]) == {"x": "e", "0": {"h": "r"}, "1": {"h": "p"}}
    assert MistakeTree(np.empty(0, np.int64), np.array([7])).nested() == {"h": 7}


@pytest.mark.parametrize(
    ("nested", "why"),
    [
        ({"x": 1, "0": {"h": 0}}, "and complete"),
        ({"x": 1, "0": {"h": 0}, "1": {"x": 0, "0": {"h": 0}, "1": {"h": 0}}}, "and complete"),
        ({"x": 1, "0": None, "1": None}, "and complete"),
        ([], "and complete"),
        ({"x": "one", "0": {"h": 0}, "1": {"h": 0}}, "point 'one'; a number"),
        ({"x": 1, "0": {"h": True}, "1": {"h": 0}}, "hypothesis True; a number"),
    ],
)
def test_json_that_is_no_tree_is_refused(nested: Any, why: str) -> None:
    """What is not complete, or names what cannot be, is no tree."""
    with pytest.raises(RegretlessError, match=why):
        MistakeTree.from_nested(nested)


def test_a_name_that_is_not_there_is_refused() -> None:
    """Names are looked up among those that were given."""
    with pytest.raises(RegretlessError, match="point 'z' that is not there"):
        MistakeTree.from_nested({"x": "z", "0": {"h": 0}, "1": {"h": 1}}, points=["a", "b"])


@pytest.mark.parametrize(("nodes", "leaves"), [(0, 0), (1, 1), (2, 3), (1, 4), (3, 8)])
def test_arrays_that_make_no_tree_are_refused(nodes: int, leaves: int) -> None:
    """Points and leaves must be 2^depth - 1 and 2^depth."""
    with pytest.raises(RegretlessError, match="are expected"):
        MistakeTree(np.zeros(nodes, np.int64), np.zeros(leaves, np.int64))


def test_labels_that_lead_out_are_refused() -> None:
    """There is no point after three labels of a tree of depth three, no leaf after four, and no label but 0 and 1."""
    with pytest.raises(RegretlessError, match="3 labels lead out"):
        BINARY_SEARCH.point([0, 0, 0])
    with pytest.raises(RegretlessError, match="4 labels lead out"):
        BINARY_SEARCH.hypothesis([0, 0, 0, 0])
    with pytest.raises(RegretlessError, match="label -1"):
        BINARY_SEARCH.point([-1])


def test_trees_are_equal_when_they_say_the_same() -> None:
    """Equality looks at both arrays, and at nothing that is no tree."""
    same = MistakeTree(BINARY_SEARCH.points.copy(), BINARY_SEARCH.leaves.copy())
    assert same == BINARY_SEARCH
    assert MistakeTree(BINARY_SEARCH.points, BINARY_SEARCH.leaves[::-1]) != BINARY_SEARCH
    assert BINARY_SEARCH != "a tree"


@pytest.mark.kernel
@given(st.integers(0, 2**32), st.integers(1, 9), st.integers(1, 60))
def test_what_the_search_finds_passes_the_checker(seed: int, points: int, rows: int) -> None:
    """The witness of every Littlestone dimension is shattered."""
    finite_class = FiniteClass(np.random.default_rng(seed).integers(0, 2, (rows, points)))
    dimension = littlestone_dimension(finite_class)
    assert dimension.witness.depth == dimension.value
    dimension.witness.check(finite_class)


def test_a_worked_tree(oracles: list[dict[str, Any]]) -> None:
    """The tree of seven thresholds, worked by hand, is that of binary search."""
    (case,) = (case for case in oracles if case["id"] == "ldim/shattered_tree_thresholds_7")

    def point_of(node: dict[str, Any]) -> Any:
        return (node["x"], *(point_of(node[side]) for side in ("left0", "right1") if node[side] is not None))

    def asked_here(node: dict[str, Any]) -> Any:
        return (node["x"], *(asked_here(node[label]) for label in "01" if "x" in node[label]))

    assert asked_here(BINARY_SEARCH.nested()) == point_of(case["expected"]["tree"])


def test_a_shattered_set_is_a_mistake_tree() -> None:
    """A shattered set asks one point a level, in its order, and every path has the first hypothesis with its labels."""
    finite_class = FiniteClass.named("all:4")
    tree = MistakeTree.of_shattered(finite_class, [2, 0, 3])
    tree.check(finite_class)
    assert tree.points.tolist() == [2, 0, 0, 3, 3, 3, 3]
    first = [
        min(h for h in range(16) if [*finite_class.matrix[h, [2, 0, 3]]] == list(labels)) for labels, *_ in tree.paths()
    ]
    assert tree.leaves.tolist() == first
    assert MistakeTree.of_shattered(finite_class, []).depth == 0
    with pytest.raises(RegretlessError, match="no hypothesis has labels"):
        MistakeTree.of_shattered(THRESHOLDS, [2, 5])


@given(st.integers(1, 4), st.lists(st.integers(0, 140), min_size=4, max_size=4, unique=True))
def test_shattered_sets_of_wide_classes_are_mistake_trees(size: int, places: list[int]) -> None:
    """Wherever its points stand, a shattered set makes a tree that the checker accepts."""
    table = np.zeros((2**size, 141), dtype=bool)
    table[:, places[:size]] = list(product((0, 1), repeat=size))
    finite_class = FiniteClass(table)
    MistakeTree.of_shattered(finite_class, places[:size]).check(finite_class)


def test_trees_are_printed_and_drawn() -> None:
    """As text a tree is what the command line prints, cut below four levels; notebooks draw it."""
    assert str(BINARY_SEARCH).splitlines()[:4] == [
        "point 3",
        "|- 0: point 5",
        "|  |- 0: point 6",
        "|  |  |- 0: hypothesis 7",
    ]
    assert len(str(BINARY_SEARCH).splitlines()) == 15
    deep = str(told_apart(6)).splitlines()
    assert (len(deep), deep[-1]) == (16, "(the first 4 of 6 levels)")
    assert "A mistake tree of depth 3" in BINARY_SEARCH._repr_svg_()
